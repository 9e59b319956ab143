"""The command line of `arena solve`."""

from __future__ import annotations

import click

from arena.cli.help import Command, option_group
from arena.cli.options import json_option, moves_option
from arena.cli.parameters import GAME
from arena.cli.printing import show
from arena.cli.resources import resource_options


@click.command(cls=Command, page="docs/how-to/solve-a-position.md", renamed={"--each": "--all-moves"})
@click.argument("game", type=GAME)
@click.argument("position", required=False)
@moves_option
@click.option("--all-moves", "each", is_flag=True, help="Show the value of every legal move.")
@click.option(
    "--distance", is_flag=True, help="Show the number of plies to the end; may take several times as long."
)
@json_option
@option_group(
    "Search",
    click.option(
        "--nodes",
        metavar="N",
        type=click.IntRange(0, 1 << 62),
        default=0,
        help="Search limit per position.  [default: none]",
    ),
    click.option(
        "--table",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Keep the transposition table in FILE for later searches.",
    ),
    click.option(
        "--endings",
        metavar="FOLDER",
        type=click.Path(file_okay=False),
        help="An endgame database.  [default: where 'arena endings' writes]",
    ),
)
@resource_options(512, "Size of the transposition table in megabytes.")
def solve(
    game: str,
    position: str | None,
    moves: str,
    each: bool,
    distance: bool,
    memory: int,
    threads: int | None,
    nodes: int,
    table: str | None,
    endings: str | None,
    as_json: bool,
) -> None:
    """Compute the value of a POSITION of GAME under perfect play. By default the start.

    \b
    Examples:
      arena solve connect-four 44444 --all-moves
      arena solve tic-tac-toe X...O.... --distance
      arena solve checkers W:WK14:BK1,K2 --all-moves

    Endings of checkers are looked up if 'arena endings' has computed them. Connect four has its own
    solver. Small games are enumerated, others are searched.
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Solving {game}") as stop:
        found = arena.solve(
            game,
            position,
            moves=moves,
            each=each,
            distance=distance,
            memory=memory,
            threads=threads,
            nodes=nodes,
            table=table,
            endings=endings,
            stop=stop,
        )
    show(found, found.to_dict() if as_json else None)

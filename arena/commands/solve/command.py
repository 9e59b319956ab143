"""`arena solve`."""

from __future__ import annotations

import click

from arena.cli.options import json_option, moves_option
from arena.cli.parameters import GAME
from arena.cli.printing import show
from arena.cli.resources import memory_option, threads_option


@click.command()
@click.argument("game", type=GAME)
@click.argument("position", required=False)
@moves_option
@click.option("--each", is_flag=True, help="What every move is worth, too.")
@click.option("--distance", is_flag=True, help="How many plies are left; may take several times as long.")
@memory_option(512, "Megabytes for what a search has found out.")
@threads_option("That search side by side")
@click.option(
    "--nodes",
    metavar="N",
    type=click.IntRange(0, 1 << 62),
    default=0,
    help="Positions looked at for each that is asked about; any number.",
)
@click.option(
    "--table",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Keep there what a search finds out, for the next one.",
)
@click.option(
    "--endings",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Look positions up that 'arena endings' has put there; by default in its own folder.",
)
@json_option
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
    """Show what a POSITION of GAME is worth if both play perfectly, by default the start.

    Positions of checkers with few pieces are looked up, if 'arena endings' has solved them; connect four is
    searched by its solver; games that are small enough are enumerated, others
    searched.

    \b
    Examples:
      arena solve connect-four 44444 --each
      arena solve tic-tac-toe X...O.... --distance
      arena solve checkers W:WK14:BK1,K2 --each
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

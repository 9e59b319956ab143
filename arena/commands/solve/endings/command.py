"""`arena endings`."""

from __future__ import annotations

import click

from arena.cli.options import json_option
from arena.cli.parameters import GAME
from arena.cli.printing import show
from arena.cli.resources import memory_option, threads_option


@click.command()
@click.argument("game", type=GAME)
@click.option(
    "--pieces", metavar="N", type=click.IntRange(1, 32), required=True, help="Up to how many pieces."
)
@click.option(
    "--to",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Where they are kept; by default ARENA_ENDINGS, or a folder of the user's data.",
)
@threads_option("That solve side by side")
@memory_option(4000, "Megabytes that may be taken; where that is little, threads wait for one another.")
@click.option("--check", is_flag=True, help="Verify every position by those that its moves lead to.")
@json_option
def endings(
    game: str, pieces: int, to: str | None, threads: int | None, memory: int, check: bool, as_json: bool
) -> None:
    """Solve all positions of GAME with few pieces, and keep what they are worth.

    By retrograde analysis, backward from the ends of the game: who wins, and in how many plies. 'arena solve'
    and alpha-beta with endings=N look positions up there. What is there already is left, so that a command
    that was stopped goes on.

    \b
    Examples:
      arena endings checkers --pieces 4
      arena endings checkers --pieces 5 --check --to /data/endings
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Solving the endings of {game}") as stop:
        found = arena.endings(
            game, pieces=pieces, to=to, threads=threads, memory=memory, check=check, stop=stop
        )
    show(found, found.to_dict() if as_json else None)

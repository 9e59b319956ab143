"""The command line of `arena endings`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option
from arena.cli.parameters import GAME
from arena.cli.printing import show
from arena.cli.resources import resource_options


@click.command(cls=Command, page="docs/how-to/solve-endings.md", renamed={"--to": "--folder"})
@click.argument("game", type=GAME)
@click.option(
    "--pieces", metavar="N", type=click.IntRange(1, 32), required=True, help="Largest number of pieces."
)
@click.option(
    "--folder",
    "to",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Output folder.  [default: ARENA_ENDINGS, or the user's data folder]",
)
@click.option("--check", is_flag=True, help="Verify every position against its successors.")
@json_option
@resource_options(4000, "Memory limit in megabytes; a low limit makes threads wait for each other.")
def endings(
    game: str, pieces: int, to: str | None, threads: int | None, memory: int, check: bool, as_json: bool
) -> None:
    """Compute the endgame database of GAME: the value of every position with few pieces, and the plies to a
    win.

    \b
    Examples:
      arena endings checkers --pieces 4
      arena endings checkers --pieces 5 --check --folder /data/endings

    It uses retrograde analysis. 'arena solve', and alpha-beta with the option endings=N, look positions up in
    it. Parts that exist are kept, so the same command continues after a stop.
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Solving the endings of {game}") as stop:
        found = arena.endings(
            game, pieces=pieces, to=to, threads=threads, memory=memory, check=check, stop=stop
        )
    show(found, found.to_dict() if as_json else None)

"""`arena debug`: a match played again, under a debugger."""

from __future__ import annotations

import sys

import click

from arena.cli.options import db_option
from arena.cli.printing import show, warn
from arena.show.progress import busy


@click.command()
@click.argument("tournament", type=int)
@click.argument("match", type=int)
@click.option(
    "--debugger/--no-debugger",
    default=None,
    help="Whether pdb begins where an agent raised; by default in a terminal.",
)
@click.option("--trust", is_flag=True, help="Have entries play in this process that were sandboxed.")
@db_option
def debug(tournament: int, match: int, debugger: bool | None, trust: bool, db: str) -> None:
    """Play MATCH of TOURNAMENT again, in this process, as plain Python and without clocks.

    Seed, entries and opening are the same, so it comes to the same fault. Which matches there are says 'arena
    tournaments show 3 --faults'. The whole traceback is shown, and pdb begins at the author's line. Ctrl-C
    stops an agent that hangs, and shows where.

    \b
    Examples:
      arena debug 3 17
      arena debug 3 17 --no-debugger
    """
    import arena

    with busy("Playing the match again"):
        found = arena.debug(tournament, match, db=db, trust=trust)
    show(found)
    warn(found.remarks())
    if debugger or (debugger is None and sys.stdin.isatty() and sys.stdout.isatty()):
        found.post_mortem()

"""`arena debug`: replay a match in a debugger."""

from __future__ import annotations

import sys

import click

from arena.cli.help import Command
from arena.cli.options import db_option
from arena.cli.printing import show, warn
from arena.show.progress import busy


@click.command(cls=Command, page="docs/how-to/when-an-agent-fails.md")
@click.argument("tournament", type=int)
@click.argument("match", type=int)
@click.option(
    "--debugger/--no-debugger",
    default=None,
    help="Start pdb where the agent raised an exception.  [default: in a terminal]",
)
@click.option("--trust", is_flag=True, help="Run entries without their sandbox, in this process.")
@db_option
def debug(tournament: int, match: int, debugger: bool | None, trust: bool, db: str) -> None:
    """Replay MATCH of TOURNAMENT in this process, as plain Python and without time limits.

    \b
    Examples:
      arena debug 3 17
      arena debug 3 17 --no-debugger

    Seed, entries and opening are the same, so the same fault occurs. It prints the full traceback and starts
    pdb at the failing line. Ctrl-C interrupts an agent that hangs and shows where. 'arena tournaments show 3
    --faults' lists the matches with faults.
    """
    import arena

    with busy("Replaying the match"):
        found = arena.debug(tournament, match, db=db, trust=trust)
    show(found)
    warn(found.remarks())
    if debugger or (debugger is None and sys.stdin.isatty() and sys.stdout.isatty()):
        found.post_mortem()

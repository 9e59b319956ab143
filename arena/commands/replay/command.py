"""`arena replay`: a recorded match, position by position."""

from __future__ import annotations

import sys

import click

from arena.cli.options import db_option, json_option
from arena.cli.parameters import AGENT
from arena.cli.printing import print_json, warn


@click.command()
@click.argument("tournament", required=False, type=int)
@click.argument("match", required=False, type=int)
@click.option("--lost-by", metavar="ENTRY", help="The first match that ENTRY lost; a line names the others.")
@click.option("--explain", type=AGENT, metavar="ENTRY", help="What ENTRY thinks of each move.")
@click.option(
    "--mistakes/--no-mistakes",
    default=None,
    help="Mark moves that give something away beside perfect play, as far as that can be solved; by default "
    "where the game is known to be small or has a solver.",
)
@click.option("--all", "whole", is_flag=True, help="Print all positions, also at a terminal.")
@db_option
@json_option
def replay(
    tournament: int | None,
    match: int | None,
    lost_by: str | None,
    explain: str | None,
    mistakes: bool | None,
    whole: bool,
    db: str,
    as_json: bool,
) -> None:
    """Step through MATCH of TOURNAMENT, by default the first match of the newest one.

    At a terminal keys go from position to position: arrows or n and b, s and e for start and end, the number
    of a ply and Enter, m for the next mistake, x for what the entry of --explain thinks, f to turn the board,
    q to quit. Elsewhere, and with --all, all positions are printed.

    \b
    Examples:
      arena replay
      arena replay 3 17
      arena replay 3 --lost-by minimax --explain alpha-beta:depth=8
      arena replay 3 17 --json
    """
    import arena
    from arena.cli.stopping import stopping
    from arena.commands.replay.stepping import Stepping, print_all

    with stopping("Looking at the match") as stop:
        found = arena.replay(
            tournament,
            match,
            lost_by=lost_by,
            explain=explain,
            mistakes=mistakes,
            db=db,
            progress=True,
            stop=stop,
        )
    if as_json:
        print_json(found.to_dict())
    elif whole or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        print_all(found)
    else:
        Stepping(found).run()
    warn(found.remarks())

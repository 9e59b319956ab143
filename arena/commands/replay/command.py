"""`arena replay`: a recorded match, position by position."""

from __future__ import annotations

import sys

import click

from arena.cli.help import Command
from arena.cli.options import db_option, json_option
from arena.cli.parameters import AGENT
from arena.cli.printing import print_json, usage_error, warn, write_or_echo


@click.command(cls=Command, page="docs/how-to/play-and-replay.md")
@click.argument("tournament", required=False, type=int)
@click.argument("match", required=False, type=int)
@click.option("--lost-by", metavar="ENTRY", help="Show the first match lost by ENTRY and list the others.")
@click.option("--explain", type=AGENT, metavar="ENTRY", help="Show how ENTRY scores each move.")
@click.option(
    "--mistakes/--no-mistakes",
    default=None,
    help="Mark mistakes relative to perfect play.  [default: in small and solved games]",
)
@click.option("--all", "whole", is_flag=True, help="Print all positions at once.")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write an animated image of the match; '-' for standard output.",
)
@db_option
@json_option
def replay(
    tournament: int | None,
    match: int | None,
    lost_by: str | None,
    explain: str | None,
    mistakes: bool | None,
    whole: bool,
    svg: str | None,
    db: str,
    as_json: bool,
) -> None:
    """Step through MATCH of TOURNAMENT, by default the first match of the latest tournament.

    \b
    Examples:
      arena replay
      arena replay 3 17
      arena replay 3 --lost-by minimax --explain alpha-beta:depth=8
      arena replay 3 17 --svg match.svg

    \b
    Keys at the terminal:
      arrows, n, b     next, previous position
      s, e             start, end
      number, Enter    go to that ply
      m                next mistake
      x                explain this move (with --explain)
      f                flip the board
      q                quit

    Without a terminal, or with --all, all positions are printed.
    """
    if as_json and svg:
        raise usage_error("choose one of --json and --svg")
    import arena
    from arena.cli.stopping import stopping
    from arena.commands.replay.stepping import Stepping, print_all

    with stopping("Reading the match") as stop:
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
    elif svg:
        write_or_echo(found.svg(), svg)
    elif whole or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        print_all(found)
    else:
        Stepping(found).run()
    warn(found.remarks())

"""`arena tournament`: schedule, play, record, rate."""

from __future__ import annotations

import shlex
from typing import Any

import click

from arena.cli.options import db_option, get_ready, given, json_option, play_options
from arena.cli.parameters import AGENT
from arena.cli.printing import say, show, usage_error, warn


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@click.option("--entry", "entries", multiple=True, type=AGENT, help="An agent with options; once for each.")
@click.option("--format", help="Who meets whom: round-robin.")
@click.option("--rounds", type=int, help="How often each meets each from either seat.  [default: 50]")
@click.option(
    "--resume", is_flag=False, flag_value="last", metavar="[NUMBER]", help="Go on with one that was stopped."
)
@play_options
@db_option
@json_option
def tournament(
    file: str | None,
    resume: str | None,
    workers: int | None,
    executor: str,
    db: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Play a tournament, record it in the database and show its leaderboard.

    Without arguments every agent installed meets every other at the first game installed. FILE is
    a tournament in TOML: game, entries, rounds and the other options; what the command line says
    takes precedence.

    \b
    Examples:
      arena tournament
      arena tournament --entry random --entry minimax:ties=first --rounds 100
      arena tournament leaderboards/tic-tac-toe.toml
      arena tournament leaderboards/checkers-4x4.toml --exact
      arena tournament --resume
    """
    chosen = given(**options)
    if resume is not None:
        if file or chosen:
            named = file or "--" + next(iter(chosen)).replace("entries", "entry").replace("_", "-")
            raise usage_error(f"--resume goes on as planned; leave out {named}")
        if resume != "last" and not (resume.isdecimal() and len(resume) < 20):
            raise usage_error(f"--resume takes the number of a tournament, not {resume!r}")
    get_ready(executor)

    import arena
    from arena.cli.stopping import stopping

    how: dict[str, Any] = {"db": db, "workers": workers, "executor": executor, "progress": True}
    with stopping() as stop:
        if resume is not None:
            found = arena.resume(None if resume == "last" else int(resume), **how, stop=stop)
        else:
            found = arena.tournament(file=file, **chosen, **how, stop=stop)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())
    if not found.finished:
        where = "" if found.db == "arena.db" else f" --db {shlex.quote(found.db)}"
        say(
            f"Stopped after {found.played:,} of {found.planned:,} matches; "
            f"go on with: arena tournament --resume {found.number}{where}",
            err=True,
        )
        click.get_current_context().exit(130)

"""`arena tournament`: schedule, play, record, rate."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from arena.cli.options import db_option, get_ready, given, json_option, play_options, wide_option
from arena.cli.parameters import AGENT, FORMAT, UNTIL, misplaced
from arena.cli.printing import insist_on_results, say, show, usage_error, warn


@click.command()
@click.argument("files", nargs=-1, type=click.Path())
@click.option(
    "--entry",
    "entries",
    multiple=True,
    type=AGENT,
    metavar="[NAME=]AGENT",
    help="An agent with options, which tables call NAME; once for each.",
)
@click.option(
    "--format",
    type=FORMAT,
    help="Who meets whom: round-robin, gauntlet, swiss; see arena formats.  [default: round-robin]",
)
@click.option("--rounds", type=int, help="How often each meets each from either seat.  [default: 50]")
@click.option(
    "--until",
    type=UNTIL,
    help="Play where it tells most, until ratings are known to ±N points, or until the order is decided.",
)
@click.option(
    "--indifference",
    type=float,
    metavar="POINTS",
    help="With --until decided: who are closer than that need not be told apart.  [default: 25]",
)
@click.option(
    "--shard",
    metavar="N/OF",
    help="Play a part, on one of several machines, such as 3/8; 'arena merge' puts them together.",
)
@click.option(
    "--resume", is_flag=False, flag_value="last", metavar="[NUMBER]", help="Go on with one that was stopped."
)
@click.option(
    "--add",
    multiple=True,
    type=AGENT,
    metavar="[NAME=]AGENT",
    help="An agent that joins the last tournament, or that of --resume; nobody else plays again.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write its page, again and again while it is played.",
)
@play_options
@db_option
@wide_option
@json_option
def tournament(
    files: tuple[str, ...],
    resume: str | None,
    add: tuple[str, ...],
    html: str | None,
    workers: int | None,
    executor: str,
    db: str,
    as_json: bool,
    **options: object,
) -> None:
    """Play a tournament, record it in the database and show its leaderboard.

    Without arguments every agent installed meets every other at the first game installed. FILES are
    agents of yours, bots/*.py or the folder bots/, each sandboxed; and a tournament in TOML: game,
    entries, rounds and the other options, before which what the command line says takes precedence. The exit
    status is 1 if every match was forfeited.

    \b
    Examples:
      arena tournament
      arena tournament --entry random --entry minimax:ties=first --rounds 100
      arena tournament bots/ --entry minimax:depth=2 --game connect-four
      arena tournament leaderboards/tic-tac-toe.toml
      arena tournament leaderboards/checkers-4x4.toml --exact
      arena tournament --html page.html
      arena tournament --until decided --indifference 25
      arena tournament --resume
      arena tournament --add minimax:depth=3
      arena tournament bots.toml --seed 1 --shard 3/8 --db third.db
    """
    chosen = given(**options)
    agents = [file for file in files if file.endswith(".py") or os.path.isdir(file)]
    tables = [file for file in files if file not in agents]
    for file in files:
        if file.endswith(".py") and set(file) & {",", "="} and not os.path.exists(file):
            raise usage_error(misplaced(file))
    if entry := next((file for file in tables if ".py:" in file), None):
        raise usage_error(f"{entry} is an entry; write --entry {shlex.quote(entry)}")
    names = [file for file in tables if not file.endswith(".toml") and not os.path.exists(file)]
    if names and len(tables) > 1:
        entries = " ".join(f"--entry {shlex.quote(name)}" for name in names)
        raise usage_error(f"{names[0]} is no file; name agents by --entry: {entries}")
    if len(tables) > 1:
        raise usage_error(f"one tournament at a time, not {tables[0]} and {tables[1]}")
    if (resume is not None or add) and (files or chosen):
        named = files[0] if files else "--" + next(iter(chosen)).replace("entries", "entry").replace("_", "-")
        raise usage_error(f"{'--add' if add else '--resume'} goes on as planned; leave out {named}")
    if resume is not None and resume != "last" and not (resume.isdecimal() and len(resume) < 20):
        raise usage_error(f"--resume takes the number of a tournament, not {resume!r}")
    get_ready(executor)

    import arena
    from arena.cli.stopping import stopping

    how: dict[str, Any] = {"html": html, "db": db, "workers": workers, "executor": executor, "progress": True}
    with stopping("Getting the tournament ready") as stop:
        if resume is not None or add:
            number = None if resume in (None, "last") else int(resume or 0)
            found = arena.resume(number, add=[*add] or None, **how, stop=stop)
        else:
            found = arena.tournament(
                agents=agents,
                file=next(iter(tables), None),
                **chosen,
                **how,
                stop=stop,
            )
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks() if resume is not None or add else found.failures())
    where = "" if found.db == "arena.db" else f" --db {shlex.quote(found.db)}"
    if not found.finished:
        where += f" --html {shlex.quote(html)}" if html else ""
        say(
            f"Stopped after {found.played:,} of {found.planned:,} matches; "
            f"go on with: arena tournament --resume {found.number}{where}",
            err=True,
        )
        click.get_current_context().exit(130)
    insist_on_results(found.forfeited, f"arena tournaments show {found.number} --faults{where}")

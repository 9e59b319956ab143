"""`arena tournament`: schedule, play, record, rate."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from arena.cli.conditions import condition_options
from arena.cli.help import Command, option_group
from arena.cli.options import (
    db_option,
    game_option,
    get_ready,
    given,
    json_option,
    openings_option,
    seed_option,
    wide_option,
    worker_options,
)
from arena.cli.parameters import AGENT, EntryOrFile, misplaced
from arena.cli.printing import insist_on_results, say, show, usage_error, warn
from arena.commands.tournament.schedule_options import schedule_options


@click.command(cls=Command, page="docs/how-to/choose-who-meets-whom.md")
@click.argument("entered", nargs=-1, type=EntryOrFile(), metavar="[FILE|AGENT]...")
@click.option(
    "--entry",
    "entries",
    multiple=True,
    type=AGENT,
    metavar="[NAME=]AGENT",
    help="An agent with its options, optionally shown as NAME; repeatable.",
)
@game_option
@click.option("--rounds", type=int, metavar="N", help="Matches per pairing and seat.  [default: 50]")
@seed_option
@openings_option
@click.option(
    "--resume",
    is_flag=False,
    flag_value="last",
    metavar="[NUMBER]",
    help="Resume a stopped tournament.  [default: the last]",
)
@schedule_options
@condition_options
@option_group(
    "Output",
    db_option,
    click.option(
        "--html",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Write a web page and update it during play.",
    ),
    wide_option,
    json_option,
)
@worker_options
def tournament(
    entered: tuple[str, ...],
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

    Name installed agents, files or folders of your own (bots/*.py or bots/), which run in a sandbox, or one
    tournament file in TOML. By default all installed agents play.

    \b
    Examples:
      arena tournament
      arena tournament bots/ minimax:depth=2 --game connect-four
      arena tournament random greedy --rounds 100 --seed 1

    A tournament file has the game, the entries, and any of these options; options on the command line take
    precedence. The exit status is 1 if every match was forfeited.

    \b
    More examples:
      arena tournament leaderboards/tic-tac-toe.toml
      arena tournament leaderboards/checkers-4x4.toml --exact
      arena tournament --until decided --indifference 25
      arena tournament --resume
      arena tournament --add minimax:depth=3
      arena tournament bots.toml --seed 1 --shard 3/8 --db third.db
    """
    chosen = given(**options)
    folders = [name for name in entered if os.path.isdir(name) or (name.endswith(".py") and "=" not in name)]
    for name in folders:
        if "," in name and not os.path.exists(name):
            raise usage_error(misplaced(name))
    tables = [
        name for name in entered if name not in folders and (name.endswith(".toml") or os.path.isfile(name))
    ]
    if len(tables) > 1:
        raise usage_error(f"takes one tournament file, not {tables[0]} and {tables[1]}")
    entries = tuple(name for name in entered if name not in folders + tables)
    if len(entered) == len(entries) == 1 and "entries" not in chosen and ".py" not in entries[0]:
        tables = [*entries]  # a single agent cannot play, so a file was meant
    elif entries:
        chosen["entries"] = entries + chosen.get("entries", ())
    if (resume is not None or add) and (entered or chosen):
        option = next(iter(chosen), "").replace("entries", "entry").replace("_", "-")
        named = entered[0] if entered else f"--{option}"
        raise usage_error(f"{'--add' if add else '--resume'} keeps the tournament's settings; remove {named}")
    if resume is not None and resume != "last" and not (resume.isdecimal() and len(resume) < 20):
        raise usage_error(f"--resume takes a tournament number, not {resume!r}")
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
                agents=folders,
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
            f"resume with: arena tournament --resume {found.number}{where}",
            err=True,
        )
        click.get_current_context().exit(130)
    insist_on_results(found.forfeited, f"arena tournaments show {found.number} --faults{where}")

"""`arena tournament`: schedule, play, record, rate."""

from __future__ import annotations

import shlex
from typing import Any

import click

from arena.cli.common import AGENT, db_option, json_option, open_store, play_options


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
    **given: Any,
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
    from arena.cli.common import executor_for
    from arena.matches.settings import Settings, complete, read_file

    chosen = {name: value for name, value in given.items() if value not in (None, ())}
    said = {**(read_file(file) if file and resume is None else {}), **chosen}
    pool = executor_for(executor)

    import msgspec

    from arena.cli.common import print_json, print_leaderboard, tell_forfeits
    from arena.cli.leaderboard import as_list
    from arena.cli.learning import learn
    from arena.cli.progress import progress, stopping
    from arena.cli.tournaments import describe
    from arena.matches.tournament import begin, run, take_up
    from arena.ratings.leaderboard import leaderboard
    from arena.ratings.maximum_likelihood import MaximumLikelihood
    from arena.registry.plugins import registry
    from arena.workers.pools import default_workers

    if resume is None:
        settings, plan = complete(msgspec.convert(said, Settings), registry())
        store = open_store(db, write=True)  # or its fault is told before anything is learned
        if settings.exact:
            evaluate(settings, plan, pool, workers, store, as_json)
            return
        learn(plan.entries, plan.game, pool, workers)
        number = begin(store, settings, plan, registry())
    else:
        if file or chosen:
            named = file or "--" + next(iter(chosen)).replace("entries", "entry").replace("_", "-")
            raise usage_error(f"--resume goes on as planned; leave out {named}")
        if resume != "last" and not resume.isdecimal():
            raise usage_error(f"--resume takes the number of a tournament, not {resume!r}")
        open_store(db).close()  # which must be there
        store = open_store(db, write=True)
        number, plan = take_up(store, None if resume == "last" else int(resume), registry())
        learn(plan.entries, plan.game, pool, workers)
    with stopping() as stop, progress(f"Tournament {number}", "matches") as tell:
        played = 0
        for played, planned in run(store, number, plan, pool, workers or default_workers(), stop):
            tell(played, planned)
    found = store.tournament(number)
    board = leaderboard(store, found.game, [found], MaximumLikelihood())
    if as_json:
        print_json({**describe(store, found), "leaderboard": as_list([board]), "notes": board.notes})
    else:
        click.echo(f"Tournament {number}: {found.game}, {found.played:,} matches, seed {found.seed}, in {db}")
        print_leaderboard(board)
    tell_forfeits(store.forfeits(number))
    if played < plan.matches:
        where = "" if db == "arena.db" else f" --db {shlex.quote(db)}"
        click.echo(
            f"Stopped after {played:,} of {plan.matches:,} matches; "
            f"go on with: arena tournament --resume {number}{where}",
            err=True,
        )
        click.get_current_context().exit(130)


def evaluate(settings: Any, plan: Any, pool: Any, workers: int | None, store: Any, as_json: bool) -> None:
    """Evaluate a tournament in place of playing it, record that and show the leaderboard."""
    from arena.cli.common import print_json, print_leaderboard
    from arena.cli.evaluating import evaluated, named, tell_faults
    from arena.cli.leaderboard import as_list
    from arena.cli.tournaments import describe
    from arena.matches.tournament import begin
    from arena.ratings.leaderboard import leaderboard
    from arena.ratings.maximum_likelihood import MaximumLikelihood
    from arena.registry.plugins import registry

    result = evaluated(plan, pool, workers)
    number = begin(store, settings, plan, registry(), result)
    found = store.tournament(number)
    board = leaderboard(store, found.game, [found], MaximumLikelihood())
    if as_json:
        print_json({**describe(store, found), "leaderboard": as_list([board]), "notes": board.notes})
    else:
        click.echo(f"Tournament {number}: {found.game}, evaluated exactly, in {store.path}")
        print_leaderboard(board)
    tell_faults(named(plan, result.against_perfect))


def usage_error(text: str) -> click.UsageError:
    return click.UsageError(text, click.get_current_context())

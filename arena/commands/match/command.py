"""`arena match`: two entries."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.options import db_option, get_ready, given, json_option, play_options, wide_option
from arena.cli.parameters import AGENT, BOUNDS
from arena.cli.printing import insist_on_results, say, show, usage_error, warn


@click.command()
@click.argument("first", type=AGENT)
@click.argument("second", type=AGENT)
@click.option("--matches", type=int, help="How many, by turns.  [default: 100; with --sprt a million]")
@click.option(
    "--sprt",
    type=BOUNDS,
    help="Play until a sequential test accepts either difference, in normalised Elo, such as 0,5.",
)
@click.option("--alpha", type=float, help="How likely it may accept HIGH where LOW is so.  [default: 0.05]")
@click.option("--beta", type=float, help="How likely it may accept LOW where HIGH is so.  [default: 0.05]")
@click.option(
    "--control", type=AGENT, help="Take out of the score what was luck in moves, as this agent values them."
)
@click.option("--record", is_flag=True, help="Keep the matches in the database.")
@play_options
@db_option
@wide_option
@json_option
def match(
    first: str,
    second: str,
    matches: int | None,
    exact: bool | None,
    record: bool,
    db: str,
    executor: str,
    as_json: bool,
    **options: object,
) -> None:
    """Play FIRST against SECOND, seats alternated, and show how it went from each seat.

    Nothing is recorded unless asked for. With --exact nothing is played either: where a game is small and
    both say with which probabilities they move, those of each result follow, free of sampling error. The exit
    status is 1 if every match was forfeited.

    \b
    Examples:
      arena match random minimax
      arena match random minimax --exact
      arena match random minimax:ties=first --matches 1000 --seed 1 --json
      arena match random q-table --openings random:2 --control minimax
      arena match psv q-table --game connect-four --openings random:4 --sprt 0,20
    """
    if exact and matches is not None:
        raise usage_error("--exact plays no matches; leave --matches out")
    if exact and options["sprt"] is not None:
        raise usage_error("--exact plays no matches; leave --sprt out")
    if exact and options["control"] is not None:
        raise usage_error("--exact plays no matches; leave --control out")
    for name in ("alpha", "beta"):
        if options["sprt"] is None and options[name] is not None:
            raise usage_error(f"--{name} goes with --sprt LOW,HIGH")
    get_ready(executor)

    from arena.cli.stopping import stopping

    chosen = given(**options, db=db if record else None)
    with stopping(f"Getting {first} and {second} ready") as stop:
        if exact:
            for name in ("move_seconds", "clock", "equal_time"):
                if chosen.pop(name, None):
                    raise usage_error(f"--exact has no clock; leave --{name.replace('_', '-')} out")
            if chosen.pop("seed", None) is not None:
                raise usage_error("--exact draws nothing; leave --seed out")
            if chosen.pop("adjudicate", None):
                raise usage_error("--exact follows each match to its end; leave --adjudicate out")
            if chosen.pop("isolate", False):
                raise usage_error("--exact does not play; leave --isolate out")
            chosen.pop("withdraw_after", None)
            chosen.pop("keep_going", None)
            evaluate(first, second, as_json, **chosen, executor=executor, progress=True, stop=stop)
            return
        import arena

        found = arena.match(
            first, second, **chosen, **given(matches=matches), executor=executor, progress=True, stop=stop
        )
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())
    if not found.finished:
        say(f"Stopped after {found.played:,} of {found.planned:,} matches.", err=True)
        click.get_current_context().exit(130)
    insist_on_results(found.forfeited)


def evaluate(first: str, second: str, as_json: bool, **options: Any) -> None:
    """Show what the matches come to exactly."""
    import arena

    found = arena.exact(first, second, **options)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())
    insist_on_results(found.forfeited)

"""`arena match`: two entries."""

from __future__ import annotations

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
from arena.cli.parameters import AGENT, BOUNDS
from arena.cli.printing import insist_on_results, say, show, usage_error, warn


@click.command(
    cls=Command, page="docs/how-to/compare-two-agents.md", renamed={"--control": "--control-variate"}
)
@click.argument("first", type=AGENT)
@click.argument("second", type=AGENT)
@game_option
@click.option("--matches", type=int, metavar="N", help="Number of matches.  [default: 100; with --sprt 10^6]")
@seed_option
@openings_option
@click.option("--record", is_flag=True, help="Save the matches in the database.")
@option_group(
    "Schedule",
    click.option(
        "--sprt",
        type=BOUNDS,
        help="Stop by a sequential probability ratio test of two Elo differences (normalised), e.g. 0,5.",
    ),
    click.option("--alpha", type=float, help="Probability of accepting HIGH if LOW holds.  [default: 0.05]"),
    click.option("--beta", type=float, help="Probability of accepting LOW if HIGH holds.  [default: 0.05]"),
    click.option(
        "--control-variate",
        "control",
        type=AGENT,
        metavar="AGENT",
        help="Remove the luck of moves chosen at random from the score, using this agent's evaluation.",
    ),
)
@condition_options
@option_group("Output", db_option, wide_option, json_option)
@worker_options
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
    """Play FIRST against SECOND with alternating seats, and show the score of each from each seat.

    \b
    Examples:
      arena match random minimax
      arena match random minimax:ties=first --matches 1000 --seed 1 --json
      arena match psv q-table --game connect-four --openings random:4 --sprt 0,20

    Nothing is recorded without --record. With --exact no matches are played: in a small game, if both agents
    state their move probabilities, the probability of each result is computed, without sampling error. The
    exit status is 1 if every match was forfeited.

    \b
    More examples:
      arena match random minimax --exact
      arena match random q-table --openings random:2 --control-variate minimax
    """
    if exact and matches is not None:
        raise usage_error("--exact plays no matches; remove --matches")
    if exact and options["sprt"] is not None:
        raise usage_error("--exact plays no matches; remove --sprt")
    if exact and options["control"] is not None:
        raise usage_error("--exact plays no matches; remove --control-variate")
    for name in ("alpha", "beta"):
        if options["sprt"] is None and options[name] is not None:
            raise usage_error(f"--{name} needs --sprt LOW,HIGH")
    get_ready(executor)

    from arena.cli.stopping import stopping

    chosen = given(**options, db=db if record else None)
    with stopping(f"Getting {first} and {second} ready") as stop:
        if exact:
            for name in ("move_seconds", "clock", "equal_time"):
                if chosen.pop(name, None):
                    raise usage_error(f"--exact has no clock; remove --{name.replace('_', '-')}")
            if chosen.pop("seed", None) is not None:
                raise usage_error("--exact uses no random numbers; remove --seed")
            if chosen.pop("adjudicate", None):
                raise usage_error("--exact plays every match to its end; remove --adjudicate")
            if chosen.pop("isolate", False):
                raise usage_error("--exact plays no matches; remove --isolate")
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
    """Show the exact expected results."""
    import arena

    found = arena.exact(first, second, **options)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())
    insist_on_results(found.forfeited)

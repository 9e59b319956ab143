"""`arena train`: train a learner, and store its model."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.help import Command, option_group
from arena.cli.options import (
    game_option,
    get_ready,
    json_option,
    limit_option,
    was_typed,
    wide_option,
    worker_options,
)
from arena.cli.parameters import AGENT, Points
from arena.cli.printing import show, usage_error, warn


@click.command(
    cls=Command,
    page="docs/how-to/train-and-draw-curves.md",
    renamed={"--again": "--retrain", "--anew": "--fresh-per-point"},
)
@click.argument("entry", type=AGENT)
@game_option
@click.option("--retrain", is_flag=True, help="Retrain even if there is a model.")
@click.option(
    "--curve", type=click.Path(dir_okay=False), metavar="FILE", help="Write a learning curve as CSV instead."
)
@option_group(
    "Learning curve",
    click.option("--against", multiple=True, type=AGENT, help="An opponent; repeatable.  [default: random]"),
    click.option(
        "--seeds",
        type=click.IntRange(1),
        metavar="N",
        default=5,
        show_default=True,
        help="Number of learners, each with its own seed.",
    ),
    click.option(
        "--points",
        type=Points(),
        metavar="N|LIST",
        default="20",
        show_default=True,
        help="Number of points, up to 100, or their episodes: '10,100,1000', or '1000,'.",
    ),
    click.option(
        "--matches",
        type=click.IntRange(1),
        metavar="N",
        default=500,
        show_default=True,
        help="Matches per point, opponent and seat.",
    ),
    click.option(
        "--openings",
        metavar="OPENINGS",
        default="none",
        show_default=True,
        help="random:N for N random plies, or FILE[:N], an opening book, cut at ply N.",
    ),
    click.option("--fresh-per-point", is_flag=True, help="Train a new learner from scratch for each point."),
    click.option("--cost", is_flag=True, help="Also record the training time up to each point."),
    click.option(
        "--protocol", metavar="NAME", help="Take settings from a protocol listed by 'arena agents'."
    ),
)
@option_group("Conditions", limit_option("Seconds after which an episode fails; 0 = never."))
@option_group("Output", wide_option, json_option)
@worker_options
def train(
    entry: str,
    game: str | None,
    retrain: bool,
    curve: str | None,
    fresh_per_point: bool,
    cost: bool,
    protocol: str | None,
    stall_seconds: float,
    workers: int | None,
    executor: str,
    as_json: bool,
    **settings: Any,
) -> None:
    """Train ENTRY, an agent that learns, and store its model, or measure a learning curve.

    \b
    Examples:
      arena train q-table
      arena train double-q:episodes=20000,opponent=self --game connect-four
      arena train q-table --curve q.csv --against random --against minimax

    Later uses of ENTRY load the model. 'arena tournament' and 'arena match' train learners without a model
    automatically. Ctrl-C saves the progress; the same command continues, with the same result.

    A learning curve has the score against each opponent after several numbers of episodes. Its learners are
    trained separately, with the seed of ENTRY and the following seeds, and no models are stored. The same
    command continues an unfinished FILE. To plot it: arena leaderboard --html FILE --curve FILE. If only a
    part of ENTRY learns, as in psv:learner=(q-backprop), that part is trained. With --fresh-per-point, a new
    learner is trained for each point, and its exploration schedule, for example, ends there. A --protocol has
    defaults for --game, --against, --points, --seeds, --matches and --fresh-per-point.

    \b
    More examples:
      arena train sarsa --game connect-four --curve s.csv --against alpha-beta
        --openings random:4
      arena train psv --curve psv.csv --fresh-per-point --points 10,100,1000,10000
      arena train transition-q --curve q.csv --protocol document
    """
    for name, given in {"fresh-per-point": fresh_per_point, "protocol": protocol, "cost": cost}.items():
        if given and not curve:
            raise usage_error(f"--{name} needs --curve FILE")
    get_ready(executor)

    import arena
    from arena.cli.stopping import stopping

    how: dict[str, Any] = {
        "stall_seconds": stall_seconds,
        "workers": workers,
        "executor": executor,
        "progress": True,
    }
    with stopping(f"Getting {entry} ready") as stop:
        if curve:
            typed = {name: value for name, value in settings.items() if was_typed(name)}
            typed |= {"fresh_per_point": fresh_per_point, "protocol": protocol, "cost": cost}
            drawn = arena.curve(entry, curve, game=game, **typed, **how, stop=stop)
            show(drawn)
            warn(drawn.remarks())
            return
        found = arena.train(entry, game=game, retrain=retrain, **how, stop=stop)
    show(found, found.to_dict() if as_json else None)

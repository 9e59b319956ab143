"""`arena train`: have a learner learn, and keep its model."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.options import get_ready, json_option, was_typed, wide_option, worker_options
from arena.cli.parameters import AGENT, GAME, Points
from arena.cli.printing import show, usage_error, warn
from arena.commands.train.deprecated import renaming

RENAMED = renaming({"--again": "--retrain", "--anew": "--fresh-per-point"})


@click.command(cls=RENAMED)
@click.argument("entry", type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option("--retrain", is_flag=True, help="Learn from the beginning, though there is a model.")
@click.option(
    "--curve", type=click.Path(dir_okay=False), metavar="FILE", help="Write a learning curve, as CSV."
)
@click.option("--against", multiple=True, type=AGENT, help="An opponent of the curve.  [default: random]")
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="Learners in the curve.")
@click.option(
    "--points",
    type=Points(),
    default="20",
    show_default=True,
    help="Points of the curve: how many, up to 100, or after which episodes: '10,100,1000', or '1000,'.",
)
@click.option(
    "--fresh-per-point",
    is_flag=True,
    help="Train a learner for each point, whose option episodes is that number.",
)
@click.option(
    "--matches",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="At each point, against each opponent, from either seat.",
)
@click.option(
    "--openings",
    metavar="OPENINGS",
    default="none",
    show_default=True,
    help="Begin matches with random:N, N random plies, or FILE[:N], a book of moves or of positions, up to "
    "ply N.",
)
@click.option(
    "--protocol", metavar="NAME", help="Settings of the curve that ENTRY has under a name: 'arena agents'."
)
@click.option(
    "--stall-seconds",
    type=click.FloatRange(0, 10**6),
    default=60.0,
    show_default=True,
    help="Whoever hangs for so long in an episode fails; 0: nobody.",
)
@worker_options
@wide_option
@json_option
def train(
    entry: str,
    game: str | None,
    retrain: bool,
    curve: str | None,
    fresh_per_point: bool,
    protocol: str | None,
    stall_seconds: float,
    workers: int | None,
    executor: str,
    as_json: bool,
    **settings: Any,
) -> None:
    """Train ENTRY, an agent that learns, and keep its model, which every later use of it takes.

    Ctrl-C saves what was learned; the same command goes on from there and comes to the same. `arena
    tournament` and `arena match` train by themselves what has not been trained.

    A learning curve is of learners of their own, with ENTRY's seed and those after it, and keeps no model:
    what they score against the opponents when they have learned from so many episodes. Where what learns
    is a part of ENTRY, as in psv:learner=(q-backprop), ENTRY plays, made around what that has learned.
    Exploration, say, that falls as learning goes on depends on how many episodes it is to have; with
    --fresh-per-point each point is of a learner that has them all. The same command goes on with a FILE
    that was left unfinished. To see it drawn: arena leaderboard --html FILE --curve FILE. What is not given
    of --game, --against, --points, --seeds, --matches and --fresh-per-point is as a --protocol has it, if
    one is named.

    \b
    Examples:
      arena train q-table
      arena train double-q:episodes=20000,opponent=self --game connect-four
      arena train q-table --curve q.csv --against random --against minimax
      arena train sarsa --game connect-four --curve s.csv --against alpha-beta
        --openings random:4
      arena train psv --curve psv.csv --fresh-per-point --points 10,100,1000,10000
      arena train transition-q --curve q.csv --protocol document
    """
    if (fresh_per_point or protocol) and not curve:
        name = "--fresh-per-point" if fresh_per_point else "--protocol"
        raise usage_error(f"{name} goes with --curve, which names a file")
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
            typed |= {"fresh_per_point": fresh_per_point, "protocol": protocol}
            drawn = arena.curve(entry, curve, game=game, **typed, **how, stop=stop)
            show(drawn)
            warn(drawn.remarks())
            return
        found = arena.train(entry, game=game, retrain=retrain, **how, stop=stop)
    show(found, found.to_dict() if as_json else None)

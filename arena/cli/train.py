"""`arena train`: have a learner learn, and keep its model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from arena.cli.common import AGENT, GAME, json_option, worker_options
from arena.storage import keys


class Points(click.ParamType[int | list[int]]):
    """How many points, or the numbers of episodes themselves, ascending; `100,` is one."""

    name = "number or list"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        listed = "," in value
        try:
            numbers = sorted({int(text) for text in value.split(",") if text})
        except ValueError:
            numbers = []
        if not numbers or numbers[0] < (0 if listed else 1) or numbers[-1] >= 2**63:
            self.fail(f"{value!r} is neither a number of points nor numbers of episodes, such as 10,100,1000")
        return numbers if listed else numbers[0]


@click.command()
@click.argument("entry", type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option("--retrain", "--again", "retrain", is_flag=True, help="Learn again, though there is a model.")
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
    help="Points of the curve: how many, or after which episodes, 10,100,1000.",
)
@click.option(
    "--fresh-per-point",
    "--anew",
    "fresh_per_point",
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
    "--protocol", metavar="NAME", help="Settings of the curve that ENTRY has under a name: 'arena agents'."
)
@worker_options
@json_option
def train(
    entry: str,
    game: str | None,
    retrain: bool,
    curve: str | None,
    against: tuple[str, ...],
    seeds: int,
    points: int | list[int],
    fresh_per_point: bool,
    matches: int,
    protocol: str | None,
    workers: int | None,
    executor: str,
    as_json: bool,
) -> None:
    """Train ENTRY, an agent that learns, and keep its model, which every later use of it takes.

    Ctrl-C saves what was learned; the same command goes on from there and comes to the same. `arena
    tournament` and `arena match` train by themselves what has not been trained.

    A learning curve is of learners of their own, with ENTRY's seed and those after it, and keeps no model:
    what they score against the opponents when they have learned from so many episodes. Where what learns
    is a part of ENTRY, as in psv:learner=(q-backprop), ENTRY plays, made around what that has learned.
    Exploration, say, that falls as learning goes on depends on how many episodes it is to have; with
    --fresh-per-point each point is of a learner that has them all. The same command goes on with a FILE that was left
    unfinished. To see it drawn: arena leaderboard --html FILE --curve FILE. What is not given of --game,
    --against, --points, --seeds, --matches and --fresh-per-point is as a --protocol has it, if one is named.

    \b
    Examples:
      arena train q-table
      arena train double-q:episodes=20000,opponent=self --game connect-four
      arena train q-table --curve q.csv --against random --against minimax
      arena train psv --curve psv.csv --fresh-per-point --points 10,100,1000,10000
      arena train transition-q --curve q.csv --protocol document
    """
    from arena.cli.common import executor_for

    pool = executor_for(executor)

    from arena.api.learner import Learner
    from arena.cli.common import print_json
    from arena.cli.learning import findings, learn, print_findings
    from arena.cli.progress import pace
    from arena.errors import ArenaError
    from arena.matches.settings import check_entries, default_game, make_game
    from arena.registry.plugins import registry
    from arena.storage import archive
    from arena.training.learners import check_learns, learners, shards_of, untrained

    if (fresh_per_point or protocol) and not curve:
        name = "--fresh-per-point" if fresh_per_point else "--protocol"
        raise click.UsageError(f"{name} goes with --curve, which names a file", click.get_current_context())
    spec = registry().spec("agent", entry)
    if protocol:
        named = settings_of(spec, protocol)
        game, against, points = game or named.game, against or named.against, given("points", points, named)
        seeds, matches = given("seeds", seeds, named), given("matches", matches, named)
        fresh_per_point = fresh_per_point or named.fresh_per_point
    if not curve and not issubclass(spec.cls, Learner):
        named = [f"{one.text!r}, which it names" for one in learners([spec])] or [
            "one that does, such as 'q-table'"
        ]
        raise ArenaError(f"{spec.text!r} does not learn; train {named[-1]}")
    game_spec = registry().spec("game", game or default_game(registry()))
    check_entries([spec], make_game(game_spec))
    if curve:
        draw(
            spec,
            game_spec,
            curve,
            against or ("random",),
            seeds,
            points,
            fresh_per_point,
            matches,
            pool,
            workers,
        )
        return
    check_learns(spec, game_spec)
    path = keys.path_of(keys.about(untrained(spec, game_spec)))
    if retrain:
        for each in (spec, *shards_of(spec)):
            keys.path_of(keys.about(untrained(each, game_spec))).unlink(missing_ok=True)
    learn([spec], game_spec, pool, workers, strict=True)
    model = archive.read(path)
    about, size = model.about, path.stat().st_size
    found = findings(untrained(spec, game_spec), model.arrays)
    if as_json:
        facts = {name: getattr(about, name) for name in FACTS}
        facts |= {"bytes": size, "path": str(path)}
        print_json({"model": about.key, **facts, **({"findings": found} if found else {})})
        return
    score = 100 * (about.wins + about.draws / 2) / about.episodes
    speed = pace(about.episodes / max(about.seconds, 1e-9), "episodes")
    if spec.cls.plays:
        click.echo(f"{about.agent} has learned {about.game} from {about.episodes:,} episodes, {speed}")
        click.echo(
            f"  score in training: {score:.1f} %"
            f" ({about.wins:,} won, {about.draws:,} drawn, {about.losses:,} lost)"
        )
    else:
        click.echo(f"{about.agent} has learned {about.game}, in {about.seconds:.2g} s")
    print_findings(found)
    click.echo(f"  model {about.key}, {size / 1e6:,.3g} MB: {path}")


def settings_of(spec: Any, name: str) -> Any:
    """The protocol that an entry's agent has by this name, or ArenaError."""
    from arena.errors import ArenaError, did_you_mean

    known, agent = spec.cls.protocols, spec.text.partition(":")[0]
    if name not in known:
        remedy = did_you_mean(name, known) or "; it has none, give the settings themselves"
        raise ArenaError(f"{agent} has no protocol called {name!r}{remedy}")
    return known[name]


def given(name: str, value: Any, protocol: Any) -> Any:
    """An option's value, or the protocol's where it was not typed."""
    source = click.get_current_context().get_parameter_source(name)
    if source is not ParameterSource.DEFAULT:
        return value
    found = getattr(protocol, name)
    return list(found) if name == "points" else found


def draw(
    spec: Any,
    game: Any,
    path: str,
    against: tuple[str, ...],
    seeds: int,
    points: int | list[int],
    fresh_per_point: bool,
    matches: int,
    pool: Any,
    workers: int | None,
) -> None:
    """Write a learning curve, or what is missing of it."""
    from arena.cli.learning import learn
    from arena.cli.progress import progress, stopping
    from arena.matches.settings import check_entries, make_game
    from arena.registry.plugins import registry
    from arena.training import curve
    from arena.training.learners import check_learns, learner_in, shards_of
    from arena.workers.pools import default_workers

    learner = learner_in(spec)
    check_learns(learner, game)
    opponents = [registry().spec("agent", text) for text in against]
    made = make_game(game)
    check_entries(opponents, made)
    if isinstance(points, int):
        least = len(shards_of(learner)) or 1 if fresh_per_point else 0
        points = [n for n in curve.spread(learner.values["episodes"], points) if n >= least]
    first = learner.values["seed"]
    numbers = range(first, first + seeds)
    asked = curve.Curve(
        spec, learner, game, numbers, points, opponents, matches, made.max_plies, fresh_per_point
    )
    curve.check(asked)
    rows = written(path)
    curve.check_rows(asked, rows, path)
    curve.write(rows, path)  # which can be done then
    missing = curve.missing_runs(asked, rows)
    if missing:
        learn([*opponents, *learner.nested()], game, pool, workers, strict=True)
    planned = seeds * len(points)
    done = planned - sum(len(run.points) for run in missing)
    with (
        stopping("the points in hand", "leave them") as stop,
        progress(f"Curve of {asked.name}", "points") as tell,
    ):
        tell(done, planned)
        for more in curve.draw(asked, missing, pool, workers or default_workers(), stop):
            rows = list({*rows, *more})
            done += 1
            curve.write(rows, path)
            tell(done, planned)
    if done < planned:
        there = f"{path} has them, and the same command goes on from there"
        click.echo(f"Stopped after {done} of {planned} points; {there}.", err=True)
        click.get_current_context().exit(130)
    learned = "1 seed" if seeds == 1 else f"{seeds} seeds"
    along = f"{len(points)} points up to {points[-1]:,} episodes"
    click.echo(f"{path}: {len(rows):,} rows, {learned}, {along}")


def written(path: str) -> list[Any]:
    """The rows of a learning curve's file, none if there is no such file yet, or ArenaError."""
    from arena.report.curve import read_one
    from arena.training.curve import Row

    file = Path(path)
    if not file.is_file() or not file.stat().st_size:
        return []
    return [Row(*(getattr(result, name) for name in Row._fields)) for result in read_one(path)]


FACTS = ("agent", "game", "episodes", "wins", "draws", "losses", "seconds", "sha256")

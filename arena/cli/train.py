"""`arena train`: have a learner learn, and keep its model."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.common import AGENT, GAME, json_option, worker_options


@click.command()
@click.argument("entry", type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option("--again", is_flag=True, help="Learn anew, though there is a model.")
@click.option(
    "--curve", type=click.Path(dir_okay=False), metavar="FILE", help="Write a learning curve, as CSV."
)
@click.option("--against", multiple=True, type=AGENT, help="An opponent of the curve.  [default: random]")
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="Learners in the curve.")
@click.option("--points", type=click.IntRange(1), default=20, show_default=True, help="Points of the curve.")
@click.option(
    "--matches",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="At each point, against each opponent, from either seat.",
)
@worker_options
@json_option
def train(
    entry: str,
    game: str | None,
    again: bool,
    curve: str | None,
    against: tuple[str, ...],
    seeds: int,
    points: int,
    matches: int,
    workers: int | None,
    executor: str,
    as_json: bool,
) -> None:
    """Train ENTRY, an agent that learns, and keep its model, which every later use of it takes.

    Ctrl-C saves what was learned; the same command goes on from there and comes to the same. `arena
    tournament` and `arena match` train by themselves what has not been trained.

    A learning curve is of learners of their own, with ENTRY's seed and those after it, and keeps no model:
    what they score against the opponents when they have learned from so many episodes. To see it drawn:
    arena leaderboard --html FILE --curve FILE.

    \b
    Examples:
      arena train q-table
      arena train double-q:episodes=20000,opponent=self --game connect-four
      arena train q-table --curve q.csv --against random --against minimax
    """
    from arena.cli.common import executor_for

    pool = executor_for(executor, game)

    from arena import models
    from arena.cli.common import print_json
    from arena.cli.learning import learn
    from arena.cli.progress import pace
    from arena.errors import ArenaError
    from arena.learner import Learner
    from arena.plugins import registry
    from arena.settings import check_entries, default_game, make_game
    from arena.training import untaught

    spec = registry().spec("agent", entry)
    if not issubclass(spec.cls, Learner):
        raise ArenaError(f"{spec.text!r} does not learn; train one that does, such as 'q-table'")
    game_spec = registry().spec("game", game or default_game(registry()))
    check_entries([spec], make_game(game_spec))
    if curve:
        draw(spec, game_spec, curve, against or ("random",), seeds, points, matches, pool, workers)
        return
    path = models.path_of(models.about(untaught(spec, game_spec)))
    if again:
        path.unlink(missing_ok=True)
    learn([spec], game_spec, pool, workers, strict=True)
    about = models.glance(path)
    size = path.stat().st_size
    if as_json:
        facts = {name: getattr(about, name) for name in FACTS}
        print_json({"model": about.key, **facts, "bytes": size, "path": str(path)})
        return
    score = 100 * (about.wins + about.draws / 2) / about.episodes
    speed = pace(about.episodes / max(about.seconds, 1e-9), "episodes")
    click.echo(f"{about.agent} has learned {about.game} from {about.episodes:,} episodes, {speed}")
    click.echo(
        f"  score in training: {score:.1f} %"
        f" ({about.wins:,} won, {about.draws:,} drawn, {about.losses:,} lost)"
    )
    click.echo(f"  model {about.key}, {size / 1e6:,.3g} MB: {path}")


def draw(
    spec: Any,
    game: Any,
    path: str,
    against: tuple[str, ...],
    seeds: int,
    points: int,
    matches: int,
    pool: Any,
    workers: int | None,
) -> None:
    """Write a learning curve."""
    from arena import curve
    from arena.cli.learning import learn
    from arena.cli.progress import progress, stopping
    from arena.plugins import registry
    from arena.settings import check_entries, make_game
    from arena.tournament import default_workers

    learners = curve.seeded(registry(), spec, seeds)
    opponents = [registry().spec("agent", text) for text in against]
    made = make_game(game)
    check_entries(opponents, made)
    curve.write([], path)  # which can be done then
    learn([*opponents, *learners[0].nested()], game, pool, workers, strict=True)
    entry = curve.respell(registry(), spec.text.partition(":")[0], {**spec.values, "seed": 0}).text
    at = curve.spread(spec.values["episodes"], points)
    wanted = curve.Curve(entry, game, learners, at, opponents, matches, made.max_plies)
    rows: list[Any] = []
    done = 0
    planned = len(learners) * len(at)
    with (
        stopping("the points in hand", "leave them") as stop,
        progress(f"Curve of {entry}", "points") as tell,
    ):
        tell(0, planned)
        for more in curve.follow(wanted, pool, workers or default_workers(), stop):
            rows += more
            done += 1
            curve.write(rows, path)
            tell(done, planned)
    if done < planned:
        click.echo(f"Stopped after {done} of {planned} points; {path} has what there is.", err=True)
        click.get_current_context().exit(130)
    click.echo(f"{path}: {len(rows):,} rows, {seeds} seeds, {len(at)} points up to {at[-1]:,} episodes")


FACTS = ("agent", "game", "episodes", "wins", "draws", "losses", "seconds", "sha256")

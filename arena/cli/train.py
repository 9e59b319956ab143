"""`arena train`: have a learner learn, and keep its model."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.common import AGENT, GAME, json_option, worker_options


@click.command()
@click.argument("entry", type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option("--again", is_flag=True, help="Learn anew, though there is a model.")
@worker_options
@json_option
def train(
    entry: str,
    game: str | None,
    again: bool,
    workers: int | None,
    executor: str,
    as_json: bool,
) -> None:
    """Train ENTRY, an agent that learns, and keep its model, which every later use of it takes.

    Ctrl-C saves what was learned; the same command goes on from there and comes to the same. `arena tournament`
    and `arena match` train by themselves what has not been trained.

    \b
    Examples:
      arena train q-table
      arena train double-q:episodes=20000,opponent=self --game connect-four
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
        raise ArenaError(f"{spec.text} does not learn; train one that does, such as 'q-table'")
    game_spec = registry().spec("game", game or default_game(registry()))
    check_entries([spec], make_game(game_spec))
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
    click.echo(f"  score in training: {score:.1f} % ({about.wins:,} won, {about.draws:,} drawn, {about.losses:,} lost)")
    click.echo(f"  model {about.key}, {size / 1e6:,.3g} MB: {path}")


FACTS = ("agent", "game", "episodes", "wins", "draws", "losses", "seconds", "sha256")

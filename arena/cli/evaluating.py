"""Matches evaluated exactly, for several commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress

import click

from arena.analysis.exact import evaluate, expected_losses, ground_of
from arena.api.game import Game
from arena.api.spec import Spec
from arena.cli.learning import learn
from arena.cli.progress import progress, stopping
from arena.errors import ArenaError
from arena.matches.match import Limits
from arena.matches.schedule import Plan
from arena.matches.settings import Settings, check_entries
from arena.registry.plugins import registry
from arena.results.exact import AgainstPerfect, ExactResults
from arena.workers.pools import default_workers
from arena.workers.processes import Processes


def evaluated(plan: Plan, executor: Callable[[int], Executor], workers: int | None) -> ExactResults:
    """Evaluate a plan, having learners trained that are not; ends the command if told to stop."""
    ground = ground_of(plan)
    learn(plan.entries, plan.game, executor, workers)
    what = f"Evaluating {len(plan.entries)} entries"
    with stopping("nothing is kept", "end at once") as stop, progress(what, "positions") as tell:
        found = evaluate(plan, ground, executor, workers or default_workers(), stop, tell)
    if found is None:
        click.echo("Stopped; exact results are recorded once all are there.", err=True)
        click.get_current_context().exit(130)
    return found


def losses(game: Spec, made: Game, names: Sequence[str]) -> dict[str, float]:
    """What entries lose to perfect play, by name, as far as they are installed and say their chances.

    Of none in a game with draws of which a position alone does not tell.
    """
    if made.repetition or made.quiet_plies:
        return {}
    found = []
    for name in names:
        with suppress(ArenaError):
            spec = registry().spec("agent", name)
            check_entries([spec], made)
            found.append(spec)
    limits = Limits(made.max_plies, 0.0, Settings().stall_seconds)
    plan = Plan(game, tuple(found), (), 0, 0, "none", limits)
    what = f"Evaluating {len(found)} entries"
    with (
        stopping("the table comes without losses", "end at once") as stop,
        progress(what, "positions") as tell,
    ):
        return expected_losses(plan, Processes, default_workers(), stop, tell)


def tell_faults(perfect: Mapping[str, AgainstPerfect]) -> None:
    """A warning for every entry that forfeits somewhere."""
    for name, found in perfect.items():
        if found.fault:
            click.echo(f"Warning: {name} forfeits where it fails: {found.fault}", err=True)


def named(plan: Plan, found: Sequence[AgainstPerfect]) -> dict[str, AgainstPerfect]:
    """How entries fare against perfect play, by name."""
    return {entry.text: own for entry, own in zip(plan.entries, found, strict=True)}

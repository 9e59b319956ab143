"""Learners taught before they are used, for several commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import click

from arena.cli.progress import progress, stopping
from arena.plugins import Spec, registry
from arena.tournament import default_workers, versions
from arena.training import Course, asked_for, courses, provide

LONGEST = 40  # of an entry's text in front of a bar


def learn(
    specs: Sequence[Spec],
    game: Spec,
    executor: Callable[[int], Executor],
    workers: int | None,
    strict: bool = False,
) -> None:
    """Train all learners among some entries that have no model yet; ends the command if told to stop.

    strict: a learner that fails is an ArenaError, and not just a warning.
    """
    left = courses(specs, game, lambda spec: versions(game, [spec], registry()))
    if not left:
        return
    with stopping("what was learned is saved", "lose it") as stop, progress(title(left), "episodes") as tell:
        done = provide(left, game, executor, workers or default_workers(), stop, tell, strict)
    if not done:
        click.echo("Stopped; what was learned is saved, and the same command goes on from there.", err=True)
        click.get_current_context().exit(130)


def title(left: Sequence[Course]) -> str:
    """`Training q-table`, `Training 3 learners`."""
    wanted = asked_for(left)
    if len(wanted) > 1:
        return f"Training {len(wanted)} learners"
    text = wanted[0].spec.text
    return f"Training {text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}"

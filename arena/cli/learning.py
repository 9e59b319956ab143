"""Learners taught before they are used, for several commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

import click

from arena.api.learner import Arrays, Learner
from arena.api.spec import Spec
from arena.cli.progress import progress, stopping
from arena.errors import ArenaError
from arena.registry.plugins import registry
from arena.registry.provenance import versions
from arena.training.jobs import Job, asked_for, jobs, train
from arena.workers.pools import default_workers

LONGEST = 40  # of an entry's text in front of a bar
SHOWN, LAST = 50, 5  # lines of findings that are shown, and how many of them are the last ones


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
    left = jobs(specs, game, lambda spec: versions(game, [spec], registry()))
    if not left:
        return
    with stopping("what was learned is saved", "lose it") as stop, progress(title(left), "episodes") as tell:
        done = train(left, game, executor, workers or default_workers(), stop, tell, strict)
    if not done:
        click.echo("Stopped; what was learned is saved, and the same command goes on from there.", err=True)
        click.get_current_context().exit(130)


def title(left: Sequence[Job]) -> str:
    """`Training q-table`, `Training 3 learners`."""
    wanted = asked_for(left)
    if len(wanted) > 1:
        return f"Training {len(wanted)} learners"
    text = wanted[0].spec.text
    return f"Training {text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}"


def findings(learner: Learner, arrays: Arrays) -> Mapping[str, Sequence[float | str]]:
    """What a learner has found out by the time it had this model; nothing if it does not say."""
    if type(learner).findings is Learner.findings:
        return {}
    learner.recall(arrays)
    found = learner.findings()
    if len({len(column) for column in found.values()}) > 1:
        raise ArenaError(f"{learner.name} has findings of several lengths; give columns of one")
    return found


def print_findings(found: Mapping[str, Sequence[float | str]]) -> None:
    """Print a table of findings, the middle of a long one left out."""
    from arena.cli.common import print_table

    lines = zip(*found.values(), strict=True)
    rows = [[x if isinstance(x, str) else f"{x:.10g}" for x in line] for line in lines]
    if len(rows) > SHOWN:
        rows[SHOWN - LAST : -LAST] = [["…"] * len(found)]
    if rows:
        print_table(list(found), rows, left=sum(isinstance(column[0], str) for column in found.values()))

"""The function `arena.exact`, which computes expected results without playing matches."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Unpack

from arena.analysis.exact import evaluate, evaluator_of, expected_losses
from arena.api.game import Game
from arena.api.limits import Limits, history_rule
from arena.api.plugin_guard import quiet
from arena.api.spec import Spec
from arena.calls.arguments import (
    ConditionKeywords,
    Conditions,
    Entry,
    GameEntry,
    conditions_of,
    game_text,
    known_with,
    parted,
    text_of,
)
from arena.calls.execution import Execution, ExecutorEntry, train_first
from arena.calls.results import ExactMatch, ExactPairing
from arena.errors import ArenaError, Stopped
from arena.matches.event import begin
from arena.plan.completion import complete
from arena.plan.entries import check_entries
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.registry.digests import code_of
from arena.registry.plugins import Registry
from arena.results.exact import AgainstPerfect, ExactResults
from arena.results.record import UNKNOWN_CODE
from arena.results.settings import STALL_SECONDS, Settings, names_by_text, settings_of
from arena.rng import Streams
from arena.storage.database import Store

TAKES = ("openings", "max_plies", "stall_seconds")  # the conditions that apply
STOPPED = "Stopped; exact results are recorded only when all are complete."


def exact(
    first: Entry,
    second: Entry,
    *,
    game: GameEntry = None,
    conditions: Conditions | None = None,
    db: str | Path | None = None,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
    **keywords: Unpack[ConditionKeywords],
) -> ExactMatch:
    """Compute the expected results of matches between two entries, from either seat.

    No matches are played, so there is no sampling error. Both entries must state their move probabilities,
    and the game must be small.

    >>> import arena
    >>> found = arena.exact("random", "minimax", game="tic-tac-toe")
    >>> round(found.pairings[1].wins, 4)  # minimax as first player
    0.9678

    Args:
        first: An entry, as in `arena.match`.
        second: Another entry.
        game: The game, as in `arena.match`. Default: the first installed.
        conditions: openings, max_plies and stall_seconds of `arena.Conditions`.
        db: Path of a database in which to record the result. Default: it is not recorded.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.
        **keywords: The conditions one by one.

    Returns:
        The probabilities of wins, draws and losses for each seat.

    Raises:
        ArenaError: If probabilities are unknown or the game is too large.
        Stopped: If `stop` was set before the end.
    """
    entries, short = parted([first, second])
    known = known_with(entries, game)
    how = Execution.of(known, workers, executor, progress, stop)
    texts = [text_of(entry, "agent", known) for entry in entries]
    asked = settings_of(
        {
            "game": game_text(game, known),
            "entries": texts,
            "names": names_by_text(zip(short, texts, strict=True)),
            "format": "match",
            "matches": 2,
            "stall_seconds": STALL_SECONDS,
            **conditions_of("exact", conditions, keywords, TAKES).stated(known),
            "exact": True,
        }
    )
    return exact_match(asked, known, how, db)


def exact_match(asked: Settings, known: Registry, how: Execution, db: str | Path | None) -> ExactMatch:
    """Compute the expected results of a match from its settings; see `exact`."""
    settings, plan = complete(asked, known, trusting=True)
    store = Store(db, write=True) if db else None
    try:
        found = evaluated(plan, known, how)
        number = begin(store, settings, plan, known, found) if store else None
    finally:
        if store:
            store.close()
    texts = [entry.text for entry in plan.entries]
    pairings = [ExactPairing.of(texts[a], texts[b], result) for (a, b), result in found.pairings.items()]
    perfect = by_name(plan, found.against_perfect)
    where, names = store.path if store else None, settings.names or {}
    return ExactMatch(plan.game.text, plan.limits.plies, pairings, perfect, number, where, names)


def evaluated(plan: Plan, known: Registry, how: Execution) -> ExactResults:
    """Train the learners of a plan and evaluate it, or raise Stopped."""
    with how.showing(f"Exploring {plan.game.text}", "positions") as tell, quiet():
        evaluator = evaluator_of(plan, how, tell)
    if evaluator is None:
        raise Stopped(STOPPED)
    train_first(plan.entries, plan.game, known, how, plan.limits.stall_seconds)
    with how.showing(f"Evaluating {len(plan.entries)} entries", "positions") as tell, quiet():
        found = evaluate(plan, evaluator, how, tell)
    if found is None:
        raise Stopped(STOPPED)
    return found


def losses(
    game: Spec, made: Game, codes: Mapping[str, str], how: Execution, known: Registry
) -> dict[str, float]:
    """Return the expected loss of each entry against perfect play, by name.

    Entries that are not installed or do not state move probabilities are left out. The result is empty for a
    game with draws that depend on more than the position.

    Args:
        game: The game.
        made: An instance of the game.
        codes: Digests of the entries' code, by name. Entries whose code has changed are left out.
        how: How to execute the work.
        known: The registry of plugins.
    """
    if history_rule(made):
        return {}
    found = []
    for name in sorted(codes):
        with suppress(ArenaError):
            spec = known.spec("agent", name)
            check_entries([spec], made)
            if codes[name] in (UNKNOWN_CODE, code_of(spec)):
                found.append(spec)
    limits = Limits(made.max_plies, 0.0, STALL_SECONDS)
    plan = Plan(game, tuple(found), Schedule(), Streams(0), Openings(), limits)
    with how.showing(f"Evaluating {len(found)} entries", "positions") as tell, quiet():
        return expected_losses(plan, how, tell)


def by_name(plan: Plan, found: Sequence[AgainstPerfect]) -> dict[str, AgainstPerfect]:
    """Return results against perfect play, by name of the entry."""
    return {entry.text: own for entry, own in zip(plan.entries, found, strict=True)}

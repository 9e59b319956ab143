"""Questions to entries: a judge's estimates of moves, and which moves a learner knows from training."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.analysis.decisions import Decision
from arena.api.agent import Agent
from arena.api.answers import views
from arena.api.explanation import View
from arena.api.game import Game, Move, State
from arena.api.learner import Learner
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import start_of, telling
from arena.api.spec import Spec
from arena.calls.execution import Execution
from arena.commands.coach.matches import Played
from arena.commands.replay.explain.call import ready
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError, Stopped
from arena.registry.plugins import Registry

ASKED = 2_000  # largest number of positions, the most frequent first
LOSS = 0.1  # smallest estimated loss of expected score, from 0 to 1, that makes a move a mistake
STEPS = 60  # iterations of the search for a scale
FLATTEST, STEEPEST = 1e-6, 1e6  # range of scales searched
STOPPED = "Stopped before all positions were judged."


class Asked(NamedTuple):
    """A decision with an entry's views of the moves.

    Attributes:
        decision: The decision.
        moves: Texts of the legal moves.
        made: Index of the move that was played.
        views: The views of the moves, in the same order.
    """

    decision: Decision
    moves: Sequence[str]
    made: int
    views: Sequence[View]


class Estimate(NamedTuple):
    """A judge's estimate of a move.

    Attributes:
        loss: Expected score that the move gives away, from 0 to 1.
        best: Text of the move that the judge prefers.
    """

    loss: float
    best: str


def asked(
    spec: Spec,
    game: Game,
    decisions: Sequence[Decision],
    played: Sequence[Played],
    how: Execution,
    title: str,
) -> list[Asked]:
    """Return an entry's views of the moves in the most frequent positions of matches.

    Raises:
        ArenaError: If the entry fails.
        Stopped: If it was stopped.
    """
    often = Counter(one.facts.position for one in decisions)
    wanted = {position for position, _ in often.most_common(ASKED)}
    first: dict[object, Decision] = {}
    for one in decisions:
        if one.facts.position in wanted:
            first.setdefault(one.facts.position, one)
    found: list[Asked] = []
    try:
        with foreign(ArenaError), how.showing(title, "positions") as tell:
            agent: Agent = spec.make(with_compiled_rules(game))
            for one in first.values():
                if how.stop.is_set():
                    raise Stopped(STOPPED)
                state, legal, made = reached(game, played[one.match], one.ply)
                if said := views(agent, state, legal):
                    found.append(Asked(one, [game.move_text(move) for move in legal], made, said))
                tell(len(found), len(first))
    except Failed as error:
        raise ArenaError(f"{spec.text} fails: {error}") from error
    return found


def reached(game: Game, one: Played, ply: int) -> tuple[State, list[Move], int]:
    """Return the position of a match before a ply, its legal moves, and the index of the move played."""
    words = one.record.moves.split()
    with telling(game):
        state = start_of(game, one.record.start)
        for word in words[: ply - 1]:
            state = game.play(state, game.read_move(state, word))
        legal = list(game.moves(state))
        return state, legal, [game.move_text(move) for move in legal].index(words[ply - 1])


# --- a judge -----------------------------------------------------------------------------------------------


def estimates(
    judge: Spec,
    on: Spec,
    game: Game,
    decisions: Sequence[Decision],
    played: Sequence[Played],
    known: Registry,
    how: Execution,
) -> dict[object, Estimate]:
    """Return a judge's estimates of moves, by position and move.

    The judge's scores, in its own unit, are converted to expected scores of a match by the
    logistic curve through 0 that fits the results of these matches best.

    Args:
        judge: The entry that scores the moves.
        on: The game.
        game: An instance of the game.
        decisions: The moves to judge.
        played: The matches.
        known: The registry of plugins.
        how: How to execute the work.
    """
    ready(judge, on, known, how)
    told = asked(judge, game, decisions, played, how, f"Asking {judge.text}")
    told = [one for one in told if one.views[one.made].score is not None]
    best = np.array([max(scores(one)) for one in told], float)
    results = np.array([played[one.decision.match].score for one in told], float)
    scale = scale_of(best, results)
    found: dict[object, Estimate] = {}
    for one, highest in zip(told, best.tolist(), strict=True):
        score = one.views[one.made].score
        assert score is not None
        number = next(i for i, view in enumerate(one.views) if view.score == highest)
        loss = logistic(scale * highest) - logistic(scale * score)
        facts = one.decision.facts
        found[facts.position, facts.move] = Estimate(loss, one.moves[number])
    return found


def scores(one: Asked) -> Iterator[float]:
    """Yield the scores of the moves that were examined."""
    yield from (view.score for view in one.views if view.score is not None)


def scale_of(values: NDArray[np.float64], results: NDArray[np.float64]) -> float:
    """Return the factor of the values for which their logistic function fits the results best."""
    if not len(values) or not np.abs(values).max():
        return 0.0
    low, high = math.log(FLATTEST), math.log(STEEPEST)
    ratio = (math.sqrt(5) - 1) / 2

    def misfit(x: float) -> float:
        z = math.exp(x) * values
        return float((np.logaddexp(0, -z) * results + np.logaddexp(0, z) * (1 - results)).sum())

    for _ in range(STEPS):
        one, other = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, other) if misfit(one) <= misfit(other) else (one, high)
    return math.exp((low + high) / 2)


def logistic(x: float) -> float:
    """Return 1 / (1 + e^-x), without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def with_estimates(decisions: Sequence[Decision], found: dict[object, Estimate]) -> list[Decision]:
    """Return decisions with estimates added to those that were not judged exactly."""
    judged = []
    for one in decisions:
        estimate = None if one.exact else found.get((one.facts.position, one.facts.move))
        if estimate:
            one = one._replace(given=2 * estimate.loss if estimate.loss >= LOSS else 0)
        judged.append(one)
    return judged


# --- a learner ---------------------------------------------------------------------------------------------


def known_share(
    entry: Spec, game: Game, decisions: Sequence[Decision], played: Sequence[Played], how: Execution
) -> float | None:
    """Return the share of positions in which a learner knew the move from training; None if not reported."""
    if not issubclass(entry.cls, Learner) or not decisions or entry.cls.explain is Agent.explain:
        return None
    told = asked(entry, game, decisions, played, how, f"Asking {entry.text}")
    said = [(one, one.views[one.made].facts.get("known")) for one in told]
    times = Counter(one.facts.position for one in decisions)
    of = [(times[one.decision.facts.position], fact) for one, fact in said if fact is not None]
    total = sum(n for n, _ in of)
    return sum(n for n, fact in of if fact) / total if total else None

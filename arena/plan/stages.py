"""Stages of formats that go on until something is known: from both seats, and larger as they follow."""

from __future__ import annotations

import numpy as np

from arena.api.format import Stage, Standing
from arena.plan.design import Design, Ints, Questions, information, optimal
from arena.plan.ratings_so_far import Fitted
from arena.ratings.likelihood import Flags

MATCHES = 1_000_000  # that are played at most unless a user says so
GROWTH = 0.1  # of what was played, that a stage adds
LEAST_GROWTH = 0.04  # near the end
NEARLY = 0.6  # of what seems to be missing, so as not to play too much
LEAST = 8  # matches from either seat in a stage


def beginning(standing: Standing) -> Stage | None:
    """All pairings once, from either seat."""
    edges = informative(standing)
    return stage_of(edges, 1) if len(edges) else None


def next_for(standing: Standing, fitted: Fitted, questions: Questions) -> Stage | None:
    """The matches that bring the answers nearest; None if none can.

    questions: about entries by their place in `fitted.entries`.
    """
    n = len(fitted.entries)
    place = np.zeros(standing.entries, np.int64)
    place[fitted.entries] = np.arange(n)
    edges = place[informative(standing)]
    may = answerable(questions, joined(n, edges))
    if not may.any():
        return None
    questions = Questions(questions.contrasts[may], questions.variances[may])
    one, other = edges.T
    first_move, draws = fitted.values[-2:].tolist()
    gains = information(fitted.ratings[one] - fitted.ratings[other], first_move, draws)
    most, least = (max(growth * standing.matches / 2, LEAST) for growth in (GROWTH, LEAST_GROWTH))
    design = optimal(fitted.information, edges, gains, questions, most)
    chosen, had = evenly(design)
    units = had * min(most, max(NEARLY * design.units, least))
    return stage_of(fitted.entries[edges[chosen]], max(round(units / len(chosen)), 1))


def informative(standing: Standing) -> Ints:
    """The pairings that may bring what was not seen yet, of those that still play; int64 [pairings, 2].

    Left out is who brought nothing new in the last stage, and of whose matches at least half repeat others.
    """
    known = standing.results.sum(axis=2)
    known, played, fresh = (count + count.T for count in (known, standing.played, standing.fresh))
    left_out = (fresh == 0) & (played > 0) & (played >= 2 * known)
    withdrawn = sorted(standing.withdrawn)
    left_out[withdrawn] = left_out[:, withdrawn] = True
    return np.argwhere(np.triu(~left_out, 1)).astype(np.int64)


def joined(entries: int, edges: Ints) -> Ints:
    """For each entry one that stands for all that pairings join it with, int64 [entries]."""
    stands = np.arange(entries)
    for one, other in edges.tolist():
        stands[stands == stands[one]] = stands[other]
    return stands


def answerable(questions: Questions, stands: Ints) -> Flags:
    """Which questions are about entries that are joined, all of them; bool [questions]."""
    return np.array([len({*stands[row != 0].tolist()}) == 1 for row in questions.contrasts], bool)


def evenly(design: Design) -> tuple[Ints, float]:
    """The pairings which, each played as often, are nearest to a design; how much of it they have, 0 to 1.

    What they lack is asked for the more in the next stage.
    """
    falling = np.argsort(-design.shares, kind="stable")
    shares = design.shares[falling]
    had = [float(np.minimum(shares[:k], 1 / k).sum()) for k in range(1, len(shares) + 1)]
    k = int(np.argmax(had)) + 1
    return falling[:k], had[k - 1]


def stage_of(edges: Ints, rounds: int) -> Stage:
    """So many matches of each pairing from either seat."""
    return Stage([seats for a, b in edges.tolist() for seats in ((a, b), (b, a))], rounds)

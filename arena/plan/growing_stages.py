"""Stages of growing size for formats that play until their questions are answered."""

from __future__ import annotations

import numpy as np

from arena.api.format import Stage, Standing
from arena.plan.design import Design, Ints, Questions, information, optimal
from arena.plan.ratings_so_far import Fitted
from arena.ratings.likelihood import Flags

MATCHES = 1_000_000  # default maximum number of matches
GROWTH = 0.1  # maximum size of a stage, as a share of the matches played
LEAST_GROWTH = 0.04  # minimum size, near the end
NEARLY = 0.6  # share of the estimated remaining matches that a stage plays, to avoid playing too many
LEAST = 8  # minimum number of matches from each seat in a stage


def beginning(standing: Standing) -> Stage | None:
    """Return a first stage with all pairings once from each seat, or None if there are no pairings."""
    edges = informative(standing)
    return stage_of(edges, 1) if len(edges) else None


def next_for(standing: Standing, fitted: Fitted, questions: Questions) -> Stage | None:
    """Return the stage expected to answer the questions with the fewest matches, or None if no matches can.

    Args:
        standing: The results so far.
        fitted: The ratings fitted to them.
        questions: The questions to answer, with entries by place in `fitted.entries`.
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
    """Return the pairings of playing entries that may bring new results; int64 [pairings, 2].

    A pairing is left out if it had no new results in the last stage and at least half of its matches repeat
    others.
    """
    known = standing.results.sum(axis=2)
    known, played, fresh = (count + count.T for count in (known, standing.played, standing.fresh))
    left_out = (fresh == 0) & (played > 0) & (played >= 2 * known)
    withdrawn = sorted(standing.withdrawn)
    left_out[withdrawn] = left_out[:, withdrawn] = True
    return np.argwhere(np.triu(~left_out, 1)).astype(np.int64)


def joined(entries: int, edges: Ints) -> Ints:
    """Return a representative of each entry's connected component of pairings; int64 [entries]."""
    stands = np.arange(entries)
    for one, other in edges.tolist():
        stands[stands == stands[one]] = stands[other]
    return stands


def answerable(questions: Questions, stands: Ints) -> Flags:
    """Return which questions concern only entries that are connected; bool [questions]."""
    return np.array([len({*stands[row != 0].tolist()}) == 1 for row in questions.contrasts], bool)


def evenly(design: Design) -> tuple[Ints, float]:
    """Return the pairings that best approximate a design if all are played equally often.

    The other pairings get more weight in the next stage.

    Returns:
        The pairings by index, and the share of the design that they cover, 0 to 1.
    """
    falling = np.argsort(-design.shares, kind="stable")
    shares = design.shares[falling]
    had = [float(np.minimum(shares[:k], 1 / k).sum()) for k in range(1, len(shares) + 1)]
    k = int(np.argmax(had)) + 1
    return falling[:k], had[k - 1]


def stage_of(edges: Ints, rounds: int) -> Stage:
    """Return a stage with `rounds` matches of each pairing from each seat."""
    return Stage([seats for a, b in edges.tolist() for seats in ((a, b), (b, a))], rounds)

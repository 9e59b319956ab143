"""Which pairings tell most: experimental designs for differences of ratings.

A *question* is a contrast of ratings, and the variance that its estimate is to have. Of what is known about
the difference of two entries, matches between them add Fisher's information, so that a pairing is an edge
of a graph, and variances are its resistances. Wanted is what answers all questions with the fewest matches:
a minimax design (Kiefer & Wolfowitz 1960). That it follows from the results so far, and is made anew again
and again, is as in Track-and-Stop (Garivier & Kaufmann 2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.likelihood import Floats, outcomes

STEPS = 60

Ints = NDArray[np.int64]


class Questions(NamedTuple):
    """contrasts: float64 [questions, entries], rows summing to 0. variances: float64 [questions], wanted."""

    contrasts: Floats
    variances: Floats


class Design(NamedTuple):
    """shares: float64 [pairings], of the matches, summing to 1. units: of play, as many as seem missing."""

    shares: Floats
    units: float


def information(differences: Floats, first_move: float, draws: float) -> Floats:
    """Fisher's information about differences of ratings, in log odds, of a match from either seat."""
    total = np.zeros_like(differences)
    for x in (differences + first_move, differences - first_move):
        (win, draw, loss), _ = outcomes(x, draws)
        total += win * loss + draw * (win + loss) / 4
    return total


def optimal(
    known: Floats, edges: Ints, gains: Floats, questions: Questions, least: float, steps: int = STEPS
) -> Design:
    """The shares of pairings with which all questions are answered soonest.

    known: float64 [entries, entries], the information there is about ratings, positive definite. edges:
    [pairings, 2], by entry. gains: [pairings], what a unit of play adds. least: so many units are played
    anyway.

    Two players move by multiplicative updates: the shares of pairings by what they would gain (Silvey,
    Titterington & Torsney 1978), the weights of questions by the roots of how far each is from its answer.
    Units are as many as the worst question takes. Shares are the mean of the later half of steps.
    """
    one, other = edges.T
    asked = questions.contrasts / np.sqrt(questions.variances)[:, None]
    shares = np.full(len(edges), 1 / len(edges))
    weights = np.full(len(asked), 1 / len(asked))
    mean = np.zeros(len(edges))
    units = least
    for step in range(steps):
        matrix = known + laplacian(len(known), edges, gains * shares * units)
        solved = np.linalg.solve(matrix, asked.T)  # [entries, questions]
        missing = (asked.T * solved).sum(axis=0)  # variances, over what they are to be
        worth = gains * ((solved[one] - solved[other]) ** 2 @ weights)
        if 2 * step >= steps:
            mean += shares
        shares = normed(shares * (worth / worth.max()))
        weights = normed(weights * np.sqrt(missing))
        units = max(units * min(max(float(missing.max()), 0.5), 2.0), least)
    return Design(normed(mean), units)


def laplacian(entries: int, edges: Ints, gained: Floats) -> Floats:
    """The information about ratings that is in this information about pairings' differences.

    edges: each pairing once.
    """
    matrix = np.zeros((entries, entries))
    one, other = edges.T
    matrix[one, other] = -gained
    matrix[other, one] = -gained
    np.fill_diagonal(matrix, -matrix.sum(axis=0))
    return matrix


def normed(weights: Floats) -> Floats:
    """Such that they sum to 1."""
    shares: Floats = weights / weights.sum()
    return shares

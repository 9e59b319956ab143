"""Optimal experimental designs: which pairings yield the most information about rating differences.

A *question* is a contrast of ratings together with the variance that its estimate should have. Each match
adds Fisher information about the difference between its two entries. Pairings thus form a graph in which
information corresponds to the conductance of edges, and variances to resistances. The design that answers all
questions with the fewest matches is a minimax design (Kiefer & Wolfowitz 1960). It is recomputed from the
results so far for every stage, as in Track-and-Stop (Garivier & Kaufmann 2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.likelihood import Floats, outcomes

STEPS = 60

Ints = NDArray[np.int64]


class Questions(NamedTuple):
    """Contrasts of ratings and the precision with which they should be estimated.

    Attributes:
        contrasts: float64 [questions, entries]. Each row sums to 0.
        variances: float64 [questions]. Target variance of each estimate.
    """

    contrasts: Floats
    variances: Floats


class Design(NamedTuple):
    """The distribution of the next matches over pairings.

    Attributes:
        shares: float64 [pairings]. Share of each pairing in the matches; the sum is 1.
        units: Estimated number of units still needed; a unit is two matches, one from each seat.
    """

    shares: Floats
    units: float


def information(differences: Floats, first_move: float, draws: float) -> Floats:
    """Return the Fisher information about rating differences from two matches, one from each seat.

    Args:
        differences: float64, any shape. Rating differences in log odds.
        first_move: The advantage of the first seat, in log odds.
        draws: The draw parameter of the model, see `arena.ratings.likelihood.outcomes`.

    Returns:
        float64 of the same shape.
    """
    total = np.zeros_like(differences)
    for x in (differences + first_move, differences - first_move):
        (win, draw, loss), _ = outcomes(x, draws)
        total += win * loss + draw * (win + loss) / 4
    return total


def optimal(
    known: Floats, edges: Ints, gains: Floats, questions: Questions, least: float, steps: int = STEPS
) -> Design:
    """Return the shares of pairings that answer all questions with the fewest matches.

    Multiplicative updates alternate: the shares of pairings grow with their gain (Silvey, Titterington &
    Torsney 1978), and the weights of questions with the square root of how far each is from being answered.
    The number of units is determined by the worst question. The shares returned are the mean over the second
    half of the steps.

    Args:
        known: float64 [entries, entries]. Information about ratings so far, positive definite.
        edges: int64 [pairings, 2]. The entries of each pairing.
        gains: float64 [pairings]. Information that a unit of play adds.
        questions: The questions to answer.
        least: Minimum number of units.
        steps: Number of updates.
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
        missing = (asked.T * solved).sum(axis=0)  # variances divided by target variances
        worth = gains * ((solved[one] - solved[other]) ** 2 @ weights)
        if 2 * step >= steps:
            mean += shares
        shares = normed(shares * (worth / worth.max()))
        weights = normed(weights * np.sqrt(missing))
        units = max(units * min(max(float(missing.max()), 0.5), 2.0), least)
    return Design(normed(mean), units)


def laplacian(entries: int, edges: Ints, gained: Floats) -> Floats:
    """Return the information about ratings that follows from information about differences in pairings.

    Args:
        entries: The number of entries.
        edges: int64 [pairings, 2]. Each pairing once.
        gained: float64 [pairings]. Information about the rating difference in each pairing.

    Returns:
        float64 [entries, entries].
    """
    matrix = np.zeros((entries, entries))
    one, other = edges.T
    matrix[one, other] = -gained
    matrix[other, one] = -gained
    np.fill_diagonal(matrix, -matrix.sum(axis=0))
    return matrix


def normed(weights: Floats) -> Floats:
    """Return the weights divided by their sum."""
    shares: Floats = weights / weights.sum()
    return shares

"""Designs are as good as what slow and general methods find."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from arena.plan.design import Questions, information, laplacian, optimal
from arena.ratings.likelihood import outcomes


def edges_of(n):
    return np.array([(a, b) for a in range(n) for b in range(a + 1, n)])


def worst(shares, known, edges, gains, questions, units):
    """The largest variance, over what it is to be."""
    inverse = np.linalg.inv(known + laplacian(len(known), edges, gains * shares * units))
    variances = np.einsum("qi,ij,qj->q", questions.contrasts, inverse, questions.contrasts)
    return float((variances / questions.variances).max())


def problem(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    edges = edges_of(n)
    gains = rng.uniform(0.02, 0.5, len(edges))
    known = laplacian(n, edges, rng.uniform(0, 40, len(edges))) + np.ones((n, n)) + 0.01 * np.eye(n)
    first = np.arange(n - 1)
    contrasts = np.eye(n)[first] - np.eye(n)[first + 1]
    return known, edges, gains, Questions(contrasts, rng.uniform(0.5, 8, n - 1)), 2000.0


@pytest.mark.parametrize("seed", range(6))
def test_the_worst_answer_is_as_good_as_by_a_general_optimiser(seed):
    known, edges, gains, questions, units = problem(seed)
    design = optimal(known, edges, gains, questions, units)
    assert design.units == units  # all are answered by then
    assert design.shares.sum() == pytest.approx(1)
    k = len(edges)
    start = np.append(np.full(k, 1 / k), worst(np.full(k, 1 / k), known, edges, gains, questions, units))

    def rooms(x):
        inverse = np.linalg.inv(known + laplacian(len(known), edges, gains * np.maximum(x[:-1], 0) * units))
        variances = np.einsum("qi,ij,qj->q", questions.contrasts, inverse, questions.contrasts)
        return x[-1] - variances / questions.variances

    best = scipy.optimize.minimize(
        lambda x: x[-1],
        start,
        method="SLSQP",
        bounds=[(0, 1)] * k + [(0, None)],
        constraints=[{"type": "ineq", "fun": rooms}, {"type": "eq", "fun": lambda x: x[:-1].sum() - 1}],
        options={"maxiter": 500, "ftol": 1e-10},
    )
    found = worst(design.shares, known, edges, gains, questions, units)
    assert found <= 1.01 * best.fun
    assert found >= 0.999 * best.fun  # else the optimiser has not done its work


def test_units_are_as_many_as_the_answers_take():
    known, edges, gains, questions, _ = problem(1)
    questions = Questions(questions.contrasts, questions.variances / 2000)
    design = optimal(known, edges, gains, questions, 1.0)
    assert worst(design.shares, known, edges, gains, questions, design.units) == pytest.approx(1, rel=0.1)


def test_two_that_ask_for_no_others_meet_each_other():
    n, edges = 4, edges_of(4)
    contrast = np.array([[0.0, 1.0, -1.0, 0.0]])
    design = optimal(
        np.ones((n, n)) + 1e-6 * np.eye(n), edges, np.ones(len(edges)), Questions(contrast, np.ones(1)), 100.0
    )
    assert dict(zip(map(tuple, edges.tolist()), design.shares, strict=True))[1, 2] > 0.95


def test_equals_of_whom_all_is_asked_meet_equally_often():
    n, edges = 5, edges_of(5)
    design = optimal(
        np.ones((n, n)) + 1e-6 * np.eye(n),
        edges,
        np.ones(len(edges)),
        Questions(np.eye(n) - 1 / n, np.ones(n)),
        100.0,
    )
    assert design.shares == pytest.approx(np.full(len(edges), 0.1), abs=1e-6)


@pytest.mark.parametrize(
    ("difference", "first_move", "draws"), [(0.0, 0.0, 0.0), (0.7, 0.3, -1.0), (3, 0.6, 1)]
)
def test_information_is_the_variance_of_the_slope(difference, first_move, draws):
    def slope(x):
        """The derivative of the log probability of each outcome, by differences."""
        step = 1e-5
        above, below = (np.log(outcomes(np.array([x + s]), draws)[0][:, 0]) for s in (step, -step))
        return (above - below) / (2 * step)

    expected = 0.0
    for x in (difference + first_move, difference - first_move):
        expected += float(outcomes(np.array([x]), draws)[0][:, 0] @ slope(x) ** 2)
    found = information(np.array([float(difference)]), first_move, draws)
    assert found[0] == pytest.approx(expected, rel=1e-6)

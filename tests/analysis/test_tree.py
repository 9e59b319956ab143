"""Positions of trials: bounds and means, worked out by hand."""

from __future__ import annotations

import pytest

from arena import Rng
from arena.analysis.tree import Node


def test_at_the_replys_turn_the_best_move_counts():
    node = Node("abc")
    assert node.bounds == (0.0, 1.0)
    assert node.take(0, 0.0, 0.0, 0.0) == 0.0
    assert node.take(1, 0.5, 0.5, 0.5) == 0.5
    assert node.bounds == (0.5, 1.0)
    assert node.take(2, 0.25, 0.25, 0.25) == 0.5  # the draw is as sure
    assert node.bounds == (0.5, 0.5)
    assert node.to_play(0) == 1


def test_at_the_entrys_turn_its_probabilities_count():
    node = Node("abc", [0.5, 0.25, 0.25])
    assert node.take(0, 1.0, 1.0, 1.0) == 1.0
    assert node.bounds == (0.5, 1.0)
    assert node.take(1, 0.0, 0.0, 0.0) == 0.5 * 1 + 0.5 * 0
    assert node.bounds == (0.5, 0.75)
    assert node.take(2, 1.0, 0.0, 1.0) == 0.5 * 1 + 0.25 * 0 + 0.25 * 1
    assert node.bounds == (0.5, 0.75)  # that one trial was won is not known of others


def test_only_moves_that_can_better_what_is_sure_are_tried():
    node = Node("abcd")
    node.take(0, 0.5, 0.5, 0.5)
    node.take(1, 0.3, 0.0, 0.4)
    for _ in range(50):
        i = node.to_try(0)
        assert i in (2, 3)
        node.take(i, 0.0, 0.0, 1.0)


def test_the_entrys_moves_come_as_often_as_it_makes_them():
    """Until it is known what they lead to: then the others are looked at."""
    node, rng = Node("abc", [0.7, 0.3, 0.0]), Rng(1)
    drawn = [node.draw(rng) for _ in range(4000)]
    assert drawn.count(0) / 4000 == pytest.approx(0.7, abs=4 * (0.7 * 0.3 / 4000) ** 0.5)
    assert 2 not in drawn
    node.take(0, 1.0, 1.0, 1.0)
    assert {node.draw(rng) for _ in range(50)} == {1}


def test_one_sure_move_needs_no_random_number():
    node, rng = Node("ab", [0.0, 1.0]), Rng(1)
    assert node.draw(rng) == 1
    assert rng.stream[1] == 0


def test_a_win_by_the_solver_is_sure():
    node = Node("ab")
    node.won = True
    assert node.bounds == (1.0, 1.0)


def test_a_move_that_is_sure_is_played_before_one_that_promises_less():
    node = Node("ab")
    for _ in range(20):
        node.take(0, 0.1, 0.0, 1.0)
    node.take(1, 0.5, 0.5, 0.5)
    assert node.to_play(0) == 1
    for _ in range(20):
        node.take(0, 1.0, 0.0, 1.0)
    assert node.to_play(0) == 0

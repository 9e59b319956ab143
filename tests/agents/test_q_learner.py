"""The base of Q-learners: what it asks of them, worked by hand, and the page's example beside `q-table`."""

from __future__ import annotations

import re
import sys
from importlib import import_module

import pytest

from arena import Agent, ArenaError, Rng
from arena.compiler import is_compiled, plainly
from arena.testing import check_agent
from arena_agents.q_learner import QLearner
from arena_agents.tabular.q_table import QTable
from arena_games.tic_tac_toe import TicTacToe
from learning import Line
from paths import ROOT

PAGE = (ROOT / "docs" / "how-to" / "write-a-learner.md").read_text(encoding="utf-8")
REWARDS = {"win": 3, "draw": 2, "loss": 1}


class Diary(QLearner):
    """Notes the turns that it takes, (number, mover), and what it is to learn from: (turn, later, reward)."""

    answer = 0  # to `take_turn`

    def prepare_learning(self):
        super().prepare_learning()
        self.taken, self.learned = [], []

    def choose(self, state, moves, rng):
        return moves[0]

    def take_turn(self, state, moves, mover, epsilon, rng):
        self.taken.append((self.turns, mover))
        return self.answer

    def learn_turn(self, turn, later, reward, rng):
        self.learned.append((turn, later, reward))

    def model(self):
        return {}

    def recall(self, model):
        """There is nothing in a model."""


class Faulty(Agent):
    """Makes a move that there is not."""

    def choose(self, state, moves, rng):
        return -1


def diary(**options):
    learner = Diary(Line(), **REWARDS, **options)
    learner._begin_learning()
    return learner


@pytest.fixture
def plain():
    """Nothing is compiled, which takes longer than a few games."""
    with plainly():
        yield


# --- matches ------------------------------------------------------------------------------------------------


def test_the_first_player_wins_in_three_turns_and_the_last_is_learned_first():
    learner = diary(episodes=2)
    assert learner.learn(0, Rng()) == 1
    assert learner.taken == [(0, 0), (1, 0), (2, 0)]
    assert learner.learned == [(2, -1, 3), (1, 2, 3), (0, 1, 3)]


def test_the_second_half_of_the_games_is_from_the_other_seat():
    learner = diary(episodes=2)
    assert learner.learn(1, Rng()) == -1
    assert learner.taken == [(0, 1), (1, 1)]
    assert learner.learned == [(1, -1, 1), (0, 1, 1)]


def test_against_itself_a_turn_has_the_same_players_next_one():
    learner = diary(opponent="self")
    assert learner.learn(0, Rng()) == 1
    assert learner.taken == [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)]
    assert learner.learned == [(4, -1, 3), (3, -1, 1), (2, 4, 3), (1, 3, 1), (0, 2, 3)]


def test_a_game_that_takes_too_long_is_drawn():
    learner = diary(seats="first")
    learner.longest = 4
    assert learner.learn(0, Rng()) == 0
    assert learner.learned == [(1, -1, 2), (0, 1, 2)]


@pytest.mark.parametrize(("seats", "won"), [("first", -1), ("second", -1)])
def test_who_makes_none_of_the_moves_loses_and_learns_that(seats, won):
    learner = diary(seats=seats)
    learner.answer = -1
    assert learner.learn(0, Rng()) == won
    assert learner.learned == [(0, -1, 1)]


@pytest.mark.parametrize(("seats", "turns"), [("first", 1), ("second", 0)])
def test_an_opponent_whose_move_is_not_legal_loses(seats, turns):
    learner = diary(seats=seats)
    learner.trainer = Faulty(learner.game)
    assert learner.learn(0, Rng()) == 1
    assert learner.learned == [(0, -1, 3)] * turns


# --- options ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "falls"),  # at which episodes of 40 it is another than before
    [
        ({}, [2, 4, 6, 8, 10, 20, 22, 24, 26, 28, 30]),
        ({"seats": "second"}, [4, 8, 12, 16, 20]),
        ({"opponent": "self"}, [4, 8, 12, 16, 20]),
    ],
)
def test_moves_at_random_become_fewer_with_each_tenth_of_a_seats_games(options, falls):
    learner = diary(episodes=40, epsilon=0.5, epsilon_floor=0.05, **options)
    found = [learner.exploration(episode) for episode in range(40)]
    assert [episode for episode in range(1, 40) if found[episode] != found[episode - 1]] == falls
    assert found[:1] + found[-1:] == [0.5, 0.05]


def test_whoever_plays_both_seats_is_not_told_one():
    with pytest.raises(ArenaError, match="leave seats out"):
        Diary(Line(), opponent="self", seats="first")


# --- the example --------------------------------------------------------------------------------------------


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The class that the page tells to write."""
    (text,) = re.findall(r"^`arena_afterstates\.py`:\n\n```python\n(.*?)^```", PAGE, re.M | re.S)
    (tmp_path / "arena_afterstates.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("arena_afterstates").Afterstates
    del sys.modules["arena_afterstates"]


def values(learner, episodes):
    """What it has learned from so many games, by position, where it is not 0."""
    learner.learn_many(range(episodes), [0, 0, 0])
    known = learner.model()
    rows = zip(known["states"].tolist(), known["values"].tolist(), strict=True)
    return {tuple(state): value for state, (value,) in rows if value}


@pytest.mark.parametrize("opponent", ["random", "self"])
def test_the_pages_example_learns_to_the_bit_what_q_table_does(plain, example, opponent):
    options = {"episodes": 60, "opponent": opponent, "draw": 0.9}
    known = values(QTable(TicTacToe(), symmetries=False, **options), 60)
    assert values(example(TicTacToe(), **options), 60) == known
    assert len(known) > 100


@pytest.mark.slow
def test_the_pages_example_keeps_its_promises_and_compiles(example):
    learner = example(TicTacToe(), episodes=100)
    learner.learn_many(range(10), [0, 0, 0])
    assert is_compiled(learner)
    check_agent(example, TicTacToe(), options={"episodes": 100, "opponent": "self"})

"""Agents as students write them: most run compiled, and then do the same as in plain Python."""

from __future__ import annotations

import pytest

import student_agents
from arena import Component, Evaluation, Game, Learner, Rng, compiled, derive
from arena.compiler import plainly, reason
from arena.compiler.native import Native
from arena_games.tic_tac_toe import TicTacToe
from both_ways import compiles, outcome, same

COMPILED = (
    "DictTable", "Nested", "Mcts", "SortedTuples", "History", "Prints", "QDict", "Timed", "Centre",
    "UsesHelper", "Lru", "ArgMax", "Dot", "Board2D", "NpWhere",
)  # fmt: skip
OPTIONS = {"Nested": {"depth": 2}, "Mcts": {"playouts": 20}}
POSITIONS = 1000


def positions(count):
    """So many positions of random matches, with their legal moves."""
    game, found, seed = TicTacToe(), [], 0
    while len(found) < count:
        rng, seed, state = Rng(derive(seed)), seed + 1, game.initial()
        while moves := list(game.moves(state)):
            found.append((state, moves))
            state = game.play(state, rng.choice(moves))
    return found[:count]


def shown(value):
    """What an attribute contains, as lists and numbers."""
    if isinstance(value, dict):
        return [(key, shown(item)) for key, item in value.items()]
    if isinstance(value, list):
        return list(value)
    if isinstance(value, set | Native):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if type(value).__module__ == "student_agents":
        return attributes(value)
    return repr(value)


def attributes(thing):
    return {name: shown(value) for name, value in vars(thing).items() if name not in ("game", "_runners")}


@pytest.mark.parametrize("name", COMPILED)
def test_an_agent_runs_compiled(name):
    assert reason(getattr(student_agents, name)(TicTacToe())) is None


@pytest.mark.parametrize("name", [name for name in COMPILED if name != "Timed"])
def test_an_agent_does_the_same_compiled_in_a_thousand_positions(name):
    cls, rngs = getattr(student_agents, name), (Rng(5), Rng(5))
    plain, fast = (cls(TicTacToe(), **OPTIONS.get(name, {})) for _ in range(2))
    for state, moves in positions(POSITIONS):
        with plainly():
            expected = plain.choose(state, list(moves), rngs[0])
        assert fast.choose(state, list(moves), rngs[1]) == expected
    assert rngs[0].stream == rngs[1].stream
    assert attributes(plain) == attributes(fast)


def test_a_learner_with_a_dictionary_learns_the_same_compiled():
    plain, fast = (student_agents.QDict(TicTacToe()) for _ in range(2))
    fast._begin_learning()
    plain._begin_learning()
    assert reason(fast) is None
    with plainly():
        plain._learn_episodes(0, 100, Rng(3))
    fast._learn_episodes(0, 100, Rng(3))
    assert attributes(plain) == attributes(fast)
    assert len(fast.q) > 300


@pytest.mark.parametrize("name", ["NimHeaps"])
def test_a_game_runs_compiled(name):
    assert reason(getattr(student_agents, name)()) is None


def test_every_agent_that_does_not_compile_is_refused_in_one_line():
    for name, cls in vars(student_agents).items():
        made = (
            isinstance(cls, type) and cls.__module__ == "student_agents" and issubclass(cls, Component | Game)
        )
        if made and name not in (*COMPILED, "NimHeaps") and not issubclass(cls, Evaluation | Learner):
            why = reason(cls() if issubclass(cls, Game) else cls(TicTacToe()))
            assert why is None or (why.startswith("student_agents.py, line") and "\n" not in why)


class Holder(Component):
    """Asks an evaluation."""

    def __init__(self, evaluation):
        self.game, self.evaluation = evaluation.game, evaluation

    @compiled
    def run(self, state: State) -> float:  # noqa: F821 # by name
        return self.evaluation.evaluate(state)


def test_an_evaluation_with_a_table_of_its_class_compiles():
    evaluation = student_agents.PieceSquare(TicTacToe())
    holder = Holder(evaluation)
    compiles(holder, "run")
    for state, _ in positions(100):
        found, error, _ = outcome(holder, "run", (state,))
        assert error is None
        with plainly():
            assert same(found, evaluation.evaluate(state))

"""Agents as students write them: most run compiled, and then do the same as in plain Python."""

from __future__ import annotations

import pytest

import flat_games
import hobby_agents
import student_agents
from arena import Agent, Component, Evaluation, Game, Learner, Rng, compiled, derive
from arena.compiler import plainly, reason
from arena.compiler.native import Native
from arena_games.checkers.game_8x8 import Checkers
from arena_games.connect_four import ConnectFour
from arena_games.tic_tac_toe import TicTacToe
from both_ways import compiles, outcome, same

COMPILED = (
    "DictTable", "Nested", "Mcts", "SortedTuples", "History", "Prints", "QDict", "Timed", "Centre",
    "UsesHelper", "Lru", "ArgMax", "Dot", "Board2D", "NpWhere",
)  # fmt: skip
PLAIN = {  # of twenty written with the README and the guides at hand; the other eighteen compile
    "Iterative": "move_usage is a dictionary with str keys",
    "Domineering": "which is not a tuple of ints; a NamedTuple with the same fields compiles",
}
OPTIONS = {
    "Nested": {"depth": 2}, "Mcts": {"playouts": 20}, "Transposer": {"depth": 3}, "Zobrist": {"depth": 2},
    "KillerHistory": {"depth": 3}, "TreeSearch": {"iterations": 10}, "Playouts": {"n": 3},
    "BreadthFirst": {"budget": 50},
}  # fmt: skip
GAMES = {"tic-tac-toe": TicTacToe, "connect-four": ConnectFour, "checkers": Checkers}
POSITIONS = 1000


def written_in(module, kind):
    """The classes of agents, games or evaluations in a module, by name."""
    return {
        name: cls
        for name, cls in vars(module).items()
        if isinstance(cls, type)
        and issubclass(cls, kind)
        and cls.__module__.partition(".")[0] == module.__name__
    }


HOBBY = written_in(hobby_agents, Agent | Evaluation | Game)
AGENTS = {name: getattr(student_agents, name) for name in COMPILED} | {
    name: cls for name, cls in HOBBY.items() if issubclass(cls, Agent) and name not in PLAIN
}


def game_of(cls):
    return GAMES[getattr(cls, "GAME", "tic-tac-toe")]()


def positions(count, game=None):
    """So many positions of random matches, with their legal moves."""
    game, found, seed = game or TicTacToe(), [], 0
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
        return [shown(item) for item in value]
    if isinstance(value, set | Native):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if type(value).__module__.partition(".")[0] in ("student_agents", "hobby_agents"):
        return attributes(value)
    return repr(value)


def attributes(thing):
    return {name: shown(value) for name, value in vars(thing).items() if name not in ("game", "_runners")}


@pytest.mark.parametrize("name", COMPILED)
def test_an_agent_runs_compiled(name):
    assert reason(getattr(student_agents, name)(TicTacToe())) is None


def why_plain(cls):
    """Why a class runs as plain Python, None if it is compiled."""
    if issubclass(cls, Game):
        return reason(cls())
    made = cls(game_of(cls))
    if issubclass(cls, Evaluation):
        return None if compiles(Holder(made), "run") is None else ""
    if issubclass(cls, Learner):
        made._begin_learning()
    return reason(made)


@pytest.mark.slow
def test_of_twenty_that_were_written_with_the_guides_at_hand_eighteen_compile():
    whys = {name: why for name, cls in HOBBY.items() if (why := why_plain(cls)) is not None}
    assert len(HOBBY) == 20
    assert whys.keys() == PLAIN.keys()
    assert all(text in whys[name] for name, text in PLAIN.items()), whys


@pytest.mark.parametrize("cls", written_in(flat_games, Game).values(), ids=lambda cls: cls.__name__)
def test_a_game_compiles_once_its_positions_are_as_the_reason_says(cls):
    assert reason(cls()) is None
    matches, lengths = (play_at_random(game) for game in (cls(), getattr(hobby_agents, cls.__name__)()))
    assert matches == lengths


def play_at_random(game):
    """The moves of twenty random matches."""
    found = []
    for seed in range(20):
        rng, state = Rng(derive(seed)), game.initial()
        while moves := list(game.moves(state)):
            found.append(move := rng.choice(moves))
            state = game.play(state, move)
    return found


QUICK = ("DictTable", "Nested", "ArgMax", "Lru", "Softmax", "Advance")  # the others take 1 to 2 seconds each


@pytest.mark.parametrize(
    "name",
    [
        name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
        for name in AGENTS
        if name != "Timed"
    ],
)
def test_an_agent_does_the_same_compiled_in_a_thousand_positions(name):
    cls, rngs = AGENTS[name], (Rng(5), Rng(5))
    plain, fast = (cls(game_of(cls), **OPTIONS.get(name, {})) for _ in range(2))
    with plainly():
        plain.begin(0)
    fast.begin(0)
    for state, moves in positions(POSITIONS, plain.game):
        with plainly():
            expected = plain.choose(state, list(moves), rngs[0])
        assert fast.choose(state, list(moves), rngs[1]) == expected
    assert rngs[0].stream == rngs[1].stream
    assert attributes(plain) == attributes(fast)


@pytest.mark.parametrize("cls", [hobby_agents.DictQ, hobby_agents.LinearTD], ids=lambda cls: cls.__name__)
def test_a_learner_learns_the_same_compiled(cls):
    plain, fast = cls(TicTacToe()), cls(TicTacToe())
    for learner in (plain, fast):
        learner._begin_learning()
    with plainly():
        plain._learn_episodes(0, 100, Rng(3))
    fast._learn_episodes(0, 100, Rng(3))
    assert attributes(plain) == attributes(fast)


@pytest.mark.slow
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


EVALUATIONS = student_agents.PieceSquare, *written_in(hobby_agents, Evaluation).values()


@pytest.mark.parametrize("cls", EVALUATIONS, ids=lambda cls: cls.__name__)
def test_an_evaluation_compiles(cls):
    evaluation = cls(TicTacToe())
    holder = Holder(evaluation)
    compiles(holder, "run")
    for state, _ in positions(100):
        found, error, _ = outcome(holder, "run", (state,))
        assert error is None
        with plainly():
            assert same(found, evaluation.evaluate(state))

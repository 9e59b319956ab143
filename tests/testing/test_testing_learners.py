"""The conformance kit passes sound learners, and tells what is wrong with faulty ones."""

from __future__ import annotations

import importlib
import random
import re
import sys
from itertools import count

import numpy as np
import pytest

from arena import Learner, option
from arena.compiler import is_compiled
from arena.registry.plugins import registry
from arena.testing import check_agent
from arena.testing.agent import look_at_agent
from arena.testing.learning import PROMISES_OF_LEARNERS
from arena.testing.promise import findings
from arena_games.tic_tac_toe import TicTacToe
from heaps import Heap
from paths import ROOT
from tiers import slow, tiers


@pytest.mark.parametrize(
    ("name", "options"),
    [("q-table", {}), ("double-q", {"opponent": "self"}), ("q-table", {"opponent": "minimax:depth=1"})],
    ids=str,
)
@pytest.mark.slow
def test_arenas_learners_conform_at_checkers_too(name, options):
    game = registry().spec("game", "checkers-4x4").make()
    check_agent(registry().spec("agent", name).cls, game, options=options)


@pytest.fixture
def hashed(monkeypatch, tmp_path):
    """The learner of the document on compiling."""
    document = (ROOT / "docs" / "compiling.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"`arena_hashed\.py`:\n\n```python\n(.*?)```", document, re.DOTALL)
    (tmp_path / "arena_hashed.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "arena_hashed", raising=False)
    return importlib.import_module("arena_hashed").Hashed


@pytest.mark.parametrize(("game", "opponent"), [("tic-tac-toe", "random"), ("checkers-4x4", "greedy")])
@pytest.mark.slow
def test_the_documents_learner_conforms(hashed, game, opponent):
    check_agent(hashed, registry().spec("game", game).make(), options={"opponent": opponent})


def test_the_documents_learner_learns(hashed):
    """It wins most of its last thousand games in training, a tenth of its moves in them being random."""
    learner = hashed(TicTacToe(), episodes=20_000)
    learner.learn_many(range(1000), first := [0, 0, 0])
    learner.learn_many(range(1000, 19_000), [0, 0, 0])
    learner.learn_many(range(19_000, 20_000), last := [0, 0, 0])
    assert first[2] < 800 < last[2]


# A sound learner, to be spoilt below


class Sums(Learner):
    """Plays the move which has won most, of those that random matches began with."""

    def prepare(self):
        self.sums = {}  # of results, by first move

    def choose(self, state, moves, rng):
        return max(moves, key=lambda move: self.sums.get(move, 0))

    def learn(self, episode, rng):
        game, made = self.game, []
        state = game.initial()
        while moves := game.moves(state):
            made.append(rng.choice(moves))
            state = game.play(state, made[-1])
        won = game.value(state) * (1 if game.to_move(state) == 0 else -1)
        self.enter(made[0], won)
        return won

    def enter(self, move, won):
        self.sums[move] = self.sums.get(move, 0) + won

    def model(self):
        return {
            "moves": np.array(list(self.sums), np.int64),
            "sums": np.array([*self.sums.values()], np.int64),
        }

    def recall(self, model):
        self.sums = dict(zip(model["moves"].tolist(), model["sums"].tolist(), strict=True))


class Texts(Sums):
    """Keeps its moves as texts."""

    def model(self):
        return {**super().model(), "moves": np.array(list(map(str, self.sums)), np.str_)}

    def recall(self, model):
        super().recall({**model, "moves": model["moves"].astype(np.int64)})


@pytest.mark.parametrize("cls", [Sums, *slow(Texts)])
@pytest.mark.parametrize("game", [Heap, *slow(TicTacToe)])
def test_a_sound_learner_passes(cls, game):
    check_agent(cls, game())


# Faulty ones, each with what the kit has to say


class CountsOutside(Sums):
    """Weighs a result by how many it has seen, which its model does not say."""

    def prepare(self):
        super().prepare()
        self.seen = 0

    def enter(self, move, won):
        self.seen += 1
        super().enter(move, won * self.seen)


class OwnChance(Sums):
    """Learns by lot, from Python's own generator."""

    def enter(self, move, won):
        super().enter(move, random.getrandbits(30))


class ByHash(Sums):
    """Has its model in the order of hashes of texts."""

    def model(self):
        self.sums = dict(sorted(self.sums.items(), key=lambda item: hash(str(item[0]))))
        return super().model()


class Objects(Sums):
    """Keeps Python's objects."""

    def model(self):
        return {"sums": np.array(list(self.sums.items()), object)}


class OneArray(Sums):
    """Keeps an array without a name."""

    def model(self):
        return np.array(list(self.sums.items()))


class CutName(Sums):
    """Names an array by a text that is another when it is read again."""

    def model(self):
        return {"sums\0": np.array(list(self.sums.items()))}


class TwoForAWin(Sums):
    """Says how an episode ended in points."""

    def learn(self, episode, rng):
        return super().learn(episode, rng) + 1


class Division(Sums):
    """Fails when it comes to learning."""

    def enter(self, move, won):
        super().enter(move, won // 0)


class Forgetful(Sums):
    """Does not take up all that its model says."""

    def recall(self, model):
        super().recall({name: array[1:] for name, array in model.items()})


class Emptied(Sums):
    """Gives its model once."""

    def model(self):
        given = super().model()
        self.sums.clear()
        return given


class Disturbed(Sums):
    """Begins anew to tell good from bad whenever it is asked for its model."""

    def prepare(self):
        super().prepare()
        self.asked = 0

    def enter(self, move, won):
        super().enter(move, won + self.asked)

    def model(self):
        self.asked += 1
        return super().model()


class LearnsLess(Sums):
    """Leaves out half of the episodes where there are many."""

    def learn_many(self, numbers, tally):
        super().learn_many(numbers[: (len(numbers) + 1) // 2], tally)


class LearnsBackwards(Sums):
    """Takes up the last episode first where there are many."""

    def enter(self, move, won):
        super().enter(move, won + 2 * self.sums.get(move, 0) % 1000)

    def learn_many(self, numbers, tally):
        for episode in reversed(numbers):
            super().learn_many(range(episode, episode + 1), tally)


class WritesToModel(Sums):
    """Goes on in the arrays that it has recalled."""

    def prepare(self):
        super().prepare()
        self.table = np.zeros(10, np.int64)

    def enter(self, move, won):
        super().enter(move, won)
        self.table[move] += won

    def choose(self, state, moves, rng):
        return moves[0]

    def model(self):
        return {"table": self.table}

    def recall(self, model):
        self.table = model["table"]


class LastResult(Sums):
    """Plays according to a result that its model does not have."""

    won = 0

    def enter(self, move, won):
        super().enter(move, won)
        self.won = 1

    def choose(self, state, moves, rng):
        return moves[-self.won]


FAULTY = {
    CountsOutside: "recalled by another learner in between",
    OwnChance: "learning again",
    ByHash: "learning in another process",
    Objects: "model returns an array of object for 'sums'; return numbers or texts",
    OneArray: "model returns an ndarray, not a dictionary: name -> value",
    CutName: "model.npz is not an intact model: its arrays were altered",
    TwoForAWin: "learn returns 2, not 1, 0 or -1, in episode ",
    Division: "ZeroDivisionError: ",
    Forgetful: "model returns 'moves' as int64 [9] at first, but as int64 [8] recalled by another learner",
    Emptied: "model returns 'moves' as int64 [9] at first, but as int64 [0] when called again",
    Disturbed: "called in between",
    LearnsLess: "lost, drawn and won; one at a time, learn counts [",
    LearnsBackwards: "with learn_many for all episodes",
    WritesToModel: "ValueError: ",
    LastResult: " after recalling its model, in (0, 0",
}


@pytest.mark.parametrize("cls", tiers(FAULTY, quick=["CountsOutside"]), ids=lambda cls: cls.__name__)
def test_a_faulty_learner_is_told_its_fault(cls):
    with pytest.raises(AssertionError, match=f"{cls.__name__}: .*" + re.escape(FAULTY[cls])):
        check_agent(cls, TicTacToe())


class ShardsAlone(Sums):
    """Has the option, and no merge."""

    shards: int = option(1, "how many learn side by side", low=1)


class MergesByTurns(ShardsAlone):
    """Merges to something else each time."""

    turns = count()

    def merge(self, models):
        self.recall(models[0])
        self.sums[next(self.turns)] = 7


PROMISES = {
    ShardsAlone: "shards-are-merged",
    TwoForAWin: "learns",
    Objects: "learns",
    Emptied: "model-is-given-again",
    CutName: "model-is-kept-in-a-file",
    Forgetful: "model-is-recalled",
    OwnChance: "learns-the-same-again",
    LearnsLess: "learns-the-same-in-one-go",
    LearnsBackwards: "learns-the-same-in-one-go",
    Disturbed: "learns-the-same-when-watched",
    CountsOutside: "learns-the-same-when-interrupted",
    MergesByTurns: "merges-the-same-again",
    ByHash: "learns-the-same-elsewhere",
    LastResult: "plays-the-same-made-again",
}


QUICK = [ShardsAlone, TwoForAWin, Emptied, OwnChance, MergesByTurns]


@pytest.mark.parametrize("cls", tiers(PROMISES, quick=QUICK), ids=lambda cls: cls.__name__)
def test_of_a_faulty_learner_the_promise_is_told_that_it_breaks(cls):
    found = findings(look_at_agent(cls, TicTacToe(), matches=4))
    assert [one.promise for one in found if one.kept is False] == [PROMISES[cls]]


def test_every_promise_of_learners_is_broken_by_something(monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "1")
    found = findings(look_at_agent(Beyond, TicTacToe(), matches=4))
    told = {one.promise for one in found if one.kept is False} | {*PROMISES.values()}
    assert {lesson.__name__.replace("_", "-") for lesson in PROMISES_OF_LEARNERS} <= told


# Such as run compiled


class Numbers(Learner):
    """Learns a number, which decides what it plays."""

    def prepare(self):
        self.numbers = np.ones(1, np.int64)

    def choose(self, state, moves, rng):
        return moves[self.numbers[0] % len(moves)]

    def learn(self, episode, rng):
        self.numbers[0] = (5 * self.numbers[0] + rng.below(100)) % 1000003
        return rng.below(3) - 1

    def model(self):
        return {"numbers": self.numbers}

    def recall(self, model):
        self.numbers = model["numbers"].copy()


class Beyond(Numbers):
    """Calculates with numbers that the machine has not, later than the compiler looks."""

    def learn(self, episode, rng):
        x = self.numbers[0] + 1000000 * (episode // 5)
        self.numbers[0] = x * x * x * x % 1000003  # more than 63 bits in between
        return 0


class Points(Numbers):
    """Says how an episode ended in points."""

    def learn(self, episode, rng):
        return -3


class SharesModel(Numbers):
    """Goes on in the arrays that it has recalled, which are protected from compiled code, too."""

    def recall(self, model):
        self.numbers = model["numbers"]


@pytest.mark.slow
def test_a_sound_learner_that_runs_compiled_passes():
    assert is_compiled(Numbers(TicTacToe()))
    check_agent(Numbers, TicTacToe())


@pytest.mark.parametrize(
    ("cls", "fault"),
    [
        (Beyond, "learning in plain Python"),
        (Points, "learn returns -3, not 1, 0 or -1, in episode 0"),
        (SharesModel, "assignment destination is read-only"),
    ],
)
def test_a_faulty_learner_that_runs_compiled_is_told_its_fault(cls, fault, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "1")
    with pytest.raises(AssertionError, match=f"{cls.__name__}: .*" + re.escape(fault)):
        check_agent(cls, TicTacToe())


class Remembered(Sums):
    """Knows from how many episodes any of its kind has learned."""

    most = 0

    def learn(self, episode, rng):
        type(self).most = max(self.most, episode + 1)
        return super().learn(episode, rng)


@pytest.mark.parametrize(
    ("options", "seconds", "most"), [({}, 60, 100), ({}, 0, 8), ({"episodes": 20}, 0, 20)], ids=str
)
@pytest.mark.slow
def test_a_slow_learner_learns_from_fewer_episodes_unless_told(monkeypatch, options, seconds, most):
    monkeypatch.setattr("arena.testing.learning.SECONDS", seconds)
    monkeypatch.setattr(Remembered, "most", 0)
    check_agent(Remembered, Heap(), options=options)
    assert Remembered.most == most


@pytest.mark.slow
def test_the_models_that_are_kept_are_left_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    check_agent(Sums, Heap())
    assert not (tmp_path / "models").exists()

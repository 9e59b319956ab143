"""Authors name their attributes as they like: what arena's classes have for themselves is not in the way."""

from __future__ import annotations

import warnings

import pytest

import arena
from arena import Agent, Component, Evaluation, Game, Learner, Renamed, Rng, Table, compiled
from arena.compiler import is_compiled, methods, with_compiled_rules

# what authors write, set or call, by the class that has it; all of it is in the reference
COMPONENT = {"compiled_methods", "full", "grow"}
CONFIGURABLE = {"check", "files", "one_of", "options", "readable", "ready"}
AGENT = {
    *COMPONENT, *CONFIGURABLE, "begin", "budget", "by_clock", "choose", "clock_increment", "clock_seconds",
    "confinable", "default_needs", "distribution", "explain", "follow_opening", "interactive",
    "kept_attributes", "move_seconds", "move_usage", "name", "needs", "opponent_seconds", "overdue",
    "prepare", "programs", "protocols", "rate", "time_limit", "uses",
}  # fmt: skip
LEARNER = {
    "checkpoint", "checkpoints", "episodes", "findings", "import_model", "learn",
    "learn_many", "merge", "model", "plays", "prepare_learning", "recall", "seed", "seeds",
}  # fmt: skip
EVALUATION = {*COMPONENT, *CONFIGURABLE, "evaluate", "name", "needs", "prepare", "root", "uses"}

# names of earlier releases, and others that an author may well think of; not those of the interface
OLD = {Component: ("components", "entries", "is_part"), Learner: ("bad_result", "learning", "tally")}
OWN = (
    "bad_result", "begin_learning", "components", "entries", "is_part", "learn_episodes", "learning", "tally",
    "arrays", "count", "depth", "epsilon", "history", "layout", "memory", "opponent", "path", "plain", "rng",
    "runners", "seconds", "seat", "size", "state", "table", "trained", "values", "weights", "words",
)  # fmt: skip
OF_CLASS = ("check", "files", "readable", "ready")  # class methods of arena's, or called once a thing is made


def public(cls):
    return {name for name in dir(cls) if not name.startswith("_")}


def test_classes_have_no_public_names_but_those_of_the_interface():
    old = {*OLD[Component], *OLD[Learner], "learn_episodes", "begin_learning"}
    assert public(Component) - old == COMPONENT
    assert public(Agent) - old == AGENT
    assert public(Learner) - old == AGENT | LEARNER
    assert public(Evaluation) - old == EVALUATION


class Race(Game):
    """One or two steps to the sixth place, which loses."""

    def initial(self):
        return (0, 0)

    def moves(self, state):
        return [n for n in (1, 2) if state[0] + n <= 6]

    def play(self, state, move):
        return (state[0] + move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return 1


class Steps(Learner):
    """Remembers how often it chose each step."""

    episodes = 50

    def prepare(self):
        self.kept = Table(self.game)

    def choose(self, state, moves, rng):
        best = moves[0]
        for move in moves:
            if self.kept[self.game.play(state, move)] > self.kept[self.game.play(state, best)]:
                best = move
        return best

    def learn(self, episode, rng):
        state = self.game.initial()
        moves = self.game.moves(state)
        while moves:
            state = self.game.play(state, rng.choice(moves))
            self.kept[state] = self.kept[state] + 1.0
            moves = self.game.moves(state)
        return 1 if state[1] == 0 else -1

    def model(self):
        return self.kept.model()

    def recall(self, model):
        self.kept.recall(model)


def of_instance(names, value):
    """A learner that has attributes of these names."""

    def prepare(self):
        Steps.prepare(self)
        for name in names:
            setattr(self, name, value)

    return type("Own", (Steps,), {"prepare": prepare})


def of_class(names, value):
    """A learner whose class has attributes of these names."""
    return type("Own", (Steps,), dict.fromkeys(names, value))


def learned(cls):
    """What comes of training, and which methods are compiled."""
    learner = cls(with_compiled_rules(Race()))
    tally = [0, 0, 0]
    learner.learn_many(range(20), tally)
    learner.learn_many(range(20, 50), tally)
    said = {name: why for name, why in methods(learner).items() if name in ("choose", "learn")}
    texts = {name: array.tolist() for name, array in learner.model().items()}
    return texts, tally, said, learner.choose((0, 0), [1, 2], Rng(1))


@pytest.mark.parametrize("value", [7, (1, 2)], ids=["number", "tuple"])
@pytest.mark.parametrize("make", [of_instance, of_class])
def test_attributes_of_any_names_change_nothing(make, value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls = make(OWN, value)
        assert learned(cls) == learned(Steps)
        made = cls(Race())
        assert {getattr(made, name) for name in OWN} == {value}


@pytest.mark.parametrize("name", OF_CLASS)
@pytest.mark.parametrize("value", ["abcdefgh", 7])
@pytest.mark.slow
def test_a_class_may_have_an_attribute_called_as_a_hook_is(name, value, tmp_path):
    of_game = type("Chessboard", (Race,), {name: value, "__module__": __name__})
    of_agent = type("Player", (First,), {name: value, "__module__": __name__})
    assert of_game().moves((0, 0)) == [1, 2]
    found = arena.match(of_agent, "random", game=of_game, matches=2, seed=1, executor="serial")
    assert found.played == 2
    assert not found.forfeits


class First(Agent):
    """The first move."""

    def choose(self, state, moves, rng):
        return moves[0]


# --- names of the last release ----------------------------------------------------------------------------


def test_old_names_of_a_learner_still_give_what_they_did():
    learner = Steps(Race())
    for old, value in (("learning", False), ("bad_result", 0)):
        with pytest.warns(Renamed, match=f"Steps.{old} is now called _{old}"):
            assert getattr(learner, old) == value
    with pytest.warns(Renamed):
        assert learner.tally.tolist() == [0, 0, 0]
    with pytest.warns(Renamed, match="Steps.begin_learning is now called _begin_learning"):
        learner.begin_learning()
    assert learner._learning
    with pytest.warns(Renamed):
        assert learner.learn_episodes(0, 2, Rng()) == 0  # there is no room yet
    with pytest.warns(Renamed):
        assert list(learner.components()) == [learner.kept]


def test_entries_are_methods_to_compile_where_they_name_methods():
    with pytest.warns(Renamed, match="Old.entries is now called compiled_methods"):

        class Old(Agent):
            """Says it as in the last release."""

            entries = (*Agent.entries, "double")

            def choose(self, state, moves, rng):
                return moves[0]

            def double(self, n: int) -> int:
                return 2 * n

    old = Old(with_compiled_rules(Race()))
    assert is_compiled(old)
    assert "double" in methods(old)
    assert old.double(4) == 8

    class New(Agent):
        """Says it as now."""

        def choose(self, state, moves, rng):
            return moves[0]

        @compiled
        def double(self, n: int) -> int:
            return 2 * n

    assert methods(old) == methods(New(with_compiled_rules(Race())))

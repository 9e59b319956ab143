"""Authors do odd things: what runs is what plain Python does, or it runs interpreted."""

from __future__ import annotations

import gc
import random
import sys
from contextlib import nullcontext

import numpy as np
import pytest

from arena import Agent, Component, Learner, Rng
from arena.compiler import plainly, reason, with_compiled_rules
from arena.compiler.compare import Enough, bounded
from arena.compiler.errors import CannotCompile
from arena.compiler.unit import LEAST
from both_ways import GROUND, Ground, Part, both, compiled, compiles, outcome, same, unlike
from tiers import slow

STATE, MOVES = (3, 0), [0, 1, 2]
CONSTANT = np.arange(5)


def alike(cls, *changes, args=(STATE, MOVES), times=2):
    """After each change of an agent it does the same compiled and as it stands, attributes included."""
    plain, fast = cls(GROUND), cls(GROUND)
    assert reason(fast) is None
    for change in (lambda agent: None, *changes):
        for agent in (plain, fast):
            change(agent)
        for seed in range(times):
            with plainly():
                expected = outcome(plain, "choose", (*map(copied, args), Rng(seed)))
            found = outcome(fast, "choose", (*map(copied, args), Rng(seed)))
            assert same(found, expected), f"compiled: {found}, plainly: {expected}"
            assert not unlike(plain, fast)


def copied(x):
    return list(x) if isinstance(x, list) else x


# --- attributes that become something else ----------------------------------------------------------------


class Inner(Component):
    def __init__(self, game, level=2):
        self.game, self.level = game, level

    def raised(self, by):
        self.level += by
        return self.level


class OtherInner(Inner):
    def raised(self, by):
        self.level -= 3 * by
        return self.level


class Everything(Agent):
    """Uses an attribute of every kind."""

    def prepare(self):
        self.whole = 3
        self.part = 0.5
        self.truth = True
        self.fixed = True
        self.nothing = None
        self.word = "one"
        self.pair = (1, 2)
        self.counts = np.arange(6)
        self.board = np.arange(12.0).reshape(3, 4)
        self.inner = Inner(self.game)
        self.other = self.inner

    def choose(self, state, moves, rng):
        self.whole += 7 // (1 + rng.below(3))
        self.part += self.board[1, 2] + self.whole / 4
        self.truth = self.truth == (self.whole > 5)
        self.counts[self.whole % 6] += self.inner.raised(2) + self.other.level
        self.board[0, 1] += self.part * self.pair[1]
        if self.fixed:
            self.board[2] = self.whole + 2 * self.fixed
        if self.nothing is None and self.word == "one":
            self.whole += 1
        return moves[self.whole % len(moves)]


CHANGES = {
    "an int is a float": {"whole": 2.5},
    "an int is a bool": {"whole": True},
    "an int is too large": {"whole": 1 << 70},
    "an int is a text": {"whole": "three"},
    "an int is nothing": {"whole": None},
    "a float is an int": {"part": 3},
    "a float is far too large": {"part": 10**400},
    "a float is not a number": {"part": float("nan")},
    "a bool is an int": {"truth": 5},
    "a bool is a float": {"fixed": 1.0},
    "a bool is another": {"fixed": False},
    "a bool that was one is an int that equals it": {"fixed": 1},
    "nothing is something": {"nothing": 1},
    "a word is another": {"word": "two"},
    "a tuple is longer": {"pair": (1, 2, 3)},
    "a tuple has floats": {"pair": (1.0, 2.5)},
    "an array has another type": {"counts": np.arange(6, dtype=np.int16)},
    "an array of ints is one of floats": {"counts": np.arange(6.0)},
    "an array is longer": {"counts": np.arange(60)},
    "an array is shorter": {"board": np.ones((3, 3))},
    "an array has fewer dimensions": {"board": np.ones(12)},
    "an array is not contiguous": {"counts": np.arange(12)[::2]},
    "an array is read from behind": {"counts": np.arange(6)[::-1]},
    "an array has its bytes in another order": {"counts": np.arange(6).astype(">i8")},
    "an array is a list": {"counts": [0] * 6},
    "an array holds complex numbers": {"board": np.ones((3, 4), complex)},
    "a part is of another class": {"inner": OtherInner(GROUND)},
    "a part is one of two": {"other": Inner(GROUND, 9)},
    "a part is a number": {"inner": 3},
    "there is one more": {"more": 1},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_attribute_may_become_something_else_between_calls(change):
    def changed(agent):
        for name, value in change.items():
            if isinstance(value, Component):
                value = type(value)(GROUND, value.level)
            setattr(agent, name, value.copy() if isinstance(value, np.ndarray) else value)

    alike(Everything, changed, Everything.prepare)


@pytest.mark.parametrize("name", ["whole", "fixed", "nothing", "counts", "inner"])
def test_an_attribute_may_be_deleted_between_calls(name):
    alike(Everything, lambda agent: delattr(agent, name), Everything.prepare)


def test_an_attribute_may_be_deleted_where_another_comes():
    def exchanged(agent):
        del agent.nothing
        agent.more = 1

    alike(Everything, exchanged)


def test_the_game_may_be_another():
    class Shorter(Ground):
        def play(self, state, move):
            return (0, 0)

    class Looking(Agent):
        def choose(self, state, moves, rng):
            return self.game.play(state, moves[0])[0]

    alike(
        Looking, lambda agent: setattr(agent, "game", Shorter()), lambda agent: setattr(agent, "game", GROUND)
    )


def test_an_array_that_cannot_be_written_to_is_not():
    agent = Everything(GROUND)
    agent.choose(STATE, MOVES, Rng(1))
    before = agent.counts.tolist()
    agent.counts = agent.counts.copy()
    agent.counts.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        agent.choose(STATE, MOVES, Rng(1))
    assert agent.counts.tolist() == before


class Reading(Part):
    def prepare(self):
        self.kept = np.frombuffer(bytes(range(80)), np.int64)

    @compiled
    def read(self, i: int):
        return self.kept[i % 5] + sum(self.kept[2:4])

    @compiled
    def write(self, i: int):
        self.kept[i % 5] = 0

    @compiled
    def fill(self, i: int):
        self.kept[1:] = i

    @compiled
    def write_constant(self, i: int):
        self.put(CONSTANT, i)

    def put(self, array, i):
        array[1] = i


def test_an_array_that_cannot_be_written_to_can_be_read():
    both(Reading, "read", 3)


@pytest.mark.parametrize("name", ["write", "fill", "write_constant"])
def test_arrays_of_modules_and_read_only_ones_are_not_written_to(name):
    with pytest.raises(CannotCompile, match="cannot be changed"):
        compiles(Reading(), name)


# --- methods that are called otherwise --------------------------------------------------------------------


class Renamed(Agent):
    """Its parameters have names of its own."""

    def choose(self, position, legal, numbers):
        return legal[numbers.below(len(legal))] if position[0] else 0


class OneMore(Agent):
    def choose(self, state, moves, rng, depth=2):
        return moves[depth]


class AnyNumber(Agent):
    def choose(self, *given):
        return given[1][0]


class ByNameOnly(Agent):
    def choose(self, state, moves, rng, *, last=True):
        return moves[-1] if last else moves[0]


def test_parameters_may_have_other_names():
    alike(Renamed)


@pytest.mark.parametrize("cls", [OneMore, AnyNumber, ByNameOnly])
def test_parameters_that_nobody_gives_leave_it_plain(cls):
    agent = cls(GROUND)
    assert "choose takes depth as well" in reason(agent) or "only ordinary parameters" in reason(agent)
    with plainly():
        expected = agent.choose(STATE, MOVES, Rng(1))
    assert agent.choose(STATE, MOVES, Rng(1)) == expected


class Drawing(Agent):
    def prepare(self):
        self.drawn = 0

    def choose(self, state, moves, rng):
        self.drawn += 1
        return moves[int(rng.random() * len(moves))]


@pytest.mark.parametrize(
    "args",
    [
        (STATE, tuple(MOVES), Rng(1)),
        (list(STATE), MOVES, Rng(1)),
        (STATE, MOVES, random.Random(1)),
        (STATE, [0.5, 1.5], Rng(1)),
        (STATE, ["left"], Rng(1)),
        (STATE, [1 << 80], Rng(1)),
        ((1 << 80, 0), MOVES, Rng(1)),
        ((3, 0, 0), MOVES, Rng(1)),
        (None, MOVES, Rng(1)),
        (STATE, range(3), Rng(1)),
        (STATE, list(range(100)), Rng(1)),
        (STATE, MOVES),
        (STATE, MOVES, Rng(1), 4),
    ],
)
def test_what_does_not_fit_is_run_plainly(args):
    found = []
    for way in (plainly, nullcontext):
        agent = Drawing(GROUND)
        given = [type(arg)(1) if isinstance(arg, random.Random) else arg for arg in args]
        result, error, _ = outcome(agent, "choose", given, way)
        found.append((result, error, agent.drawn))
    assert found[0] == found[1]


class Hidden(Agent):
    """A method of the class is hidden by what prepare sets."""

    def prepare(self):
        self.worth = lambda move: -move

    def worth(self, move):
        return move

    def choose(self, state, moves, rng):
        return max(moves, key=lambda move: self.worth(move))


def test_a_method_that_is_hidden_is_not_called():
    agent = Hidden(GROUND)
    assert "worth is set on the object" in reason(agent)
    assert agent.choose(STATE, MOVES, Rng(1)) == 0


class Underlined(Agent):
    def prepare(self):
        self._running = 1
        self._run = 2

    def choose(self, state, moves, rng):
        self._running += 1
        return moves[self._running % self._run]


def test_names_may_begin_with_a_line():
    alike(Underlined)


# --- games --------------------------------------------------------------------------------------------------


class MoreToPlay(Ground):
    def play(self, state, move, check=True):
        return state[0] - move - 1, 1 - state[1]


class HugeRoom(Ground):
    max_moves = 1 << 20


class LargeRoom(Ground):
    max_moves = 1 << 15

    def value(self, state):
        return -self.total([1], [2], [3], [4], [5]) // 15

    def total(self, a, b, c, d, e):
        return sum(a) + sum(b) + sum(c) + sum(d) + sum(e)


@pytest.mark.parametrize(
    ("cls", "why"),
    [
        (MoreToPlay, "play takes check as well"),
        (HugeRoom, "max_moves of HugeRoom is 1048576; compiled code supports at most 65536"),
        (LargeRoom, "lists of 32768 items, the game's max_moves, take too much memory"),
    ],
)
def test_a_game_that_asks_for_too_much_stays_plain(cls, why):
    game = cls()
    assert why in reason(game)
    assert with_compiled_rules(game).play((3, 0), 1) == (1, 1)


def test_rules_are_compiled_once(monkeypatch):
    from arena.compiler import machine

    class Once(Ground):
        quiet_plies = 77

    made, was = [], machine.object_code
    monkeypatch.setattr(machine, "object_code", lambda text: made.append(text) or was(text))
    game = with_compiled_rules(Once())
    assert reason(game) is None
    assert reason(with_compiled_rules(Once())) is None
    assert len(made) <= 1


# --- what is left behind ------------------------------------------------------------------------------------


class Leaving(Part):
    """Raises in the midst of things."""

    def prepare(self):
        self.total = 0
        self.rate = 0.5
        self.counts = np.zeros(6, np.int64)
        self.inner = Inner(self.game)

    def upto(self, n):
        for i in range(n):
            self.counts[i] += 1
            self.total += 1
            yield i
            self.rate += 0.25
        self.total += 100

    @compiled
    def abandoned(self, n: int):
        for i in self.upto(5):
            if i == n:
                return i
            for j in self.upto(3):
                if j == n:
                    break
                self.total += 7
        return -1

    @compiled
    def abandoned_by_any(self, n: int):
        return any(i == n for i in self.upto(5)), all(i != n for i in self.upto(5))

    @compiled
    def failing_generator(self, n: int):
        found = 0
        for i in self.upto(6 if n > 2 else 5):
            found += 10 // (i - n)
        return found

    @compiled
    def failing_far_below(self, n: int):
        self.rate = n / 2
        return self.first(n) + self.inner.raised(n)

    def first(self, n):
        self.inner.raised(5)
        self.total += 3
        return self.second(n - 1) + 1

    def second(self, n):
        self.counts[n % 6] = 9
        if n < 0:
            raise ValueError("below")
        return max([x for x in range(n) if x % 2]) // (n - 4)

    @compiled
    def failing_comprehension(self, n: int):
        made = [self.second(x) for x in range(4, n)]
        return len(made)

    @compiled
    def calls_itself(self, n: int):
        return self.down(n, 1)

    def down(self, n, depth) -> int:
        self.total += depth
        if n <= 0:
            return self.total
        return self.up(n - 1, depth + 1) - self.down(n // 2 - 1, depth)

    def up(self, n, depth) -> int:
        self.counts[depth % 6] += n
        if depth > 12:
            raise ValueError("too deep")
        return self.down(n, depth) + 1


@pytest.mark.parametrize("n", [-1, 4, *slow(0, 1, 2, 3, 5, 6, 12, 40)])
@pytest.mark.parametrize("name", [name for name, method in vars(Leaving).items() if hasattr(method, "plain")])
def test_what_was_done_before_an_end_stays_done(name, n):
    both(Leaving, name, n)


@pytest.mark.slow
def test_code_that_nobody_uses_any_more_goes_without_harm():
    from arena.compiler import program

    for i in range(20):

        class Passing(Part):
            step = i

            @compiled
            def run(self, n: int):
                return n + self.step

        assert Passing().run(1) == 1 + i
        program.programs.pop(next(reversed(program.programs)))
    gc.collect()


# --- learners, and agents within agents ---------------------------------------------------------------------


class Counting(Agent):
    """Keeps count, and fails when it is told to."""

    def prepare(self):
        self.calls = 0
        self.fails = 10**9
        self.seen = np.zeros(4, np.int64)

    def begin(self, seat):
        self.calls = 100 * seat

    def choose(self, state, moves, rng):
        self.calls += 1
        self.seen[state[0] % 4] += rng.below(9)
        if self.calls % self.fails == 0:
            raise ValueError("enough")
        return moves[self.calls % len(moves)]


class Asking(Agent):
    """Asks others, one of them twice over."""

    def prepare(self):
        self.one = Counting(self.game)
        self.two = Counting(self.game)
        self.again = self.one

    def begin(self, seat):
        self.one.begin(seat)
        self.two.begin(1 - seat)

    def choose(self, state, moves, rng):
        a = self.one.choose(state, moves, rng)
        b = self.again.choose(state, moves, rng)
        c = self.two.choose(self.game.play(state, a), moves, rng)
        return moves[(a + 2 * b + 3 * c + self.one.calls) % len(moves)]


def test_agents_within_agents():
    def failing(agent):
        agent.one.fails = 5

    def exchanged(agent):
        agent.one, agent.two = agent.two, agent.one

    def asked_by_python(agent):
        agent.one.choose(STATE, MOVES, Rng(3))
        agent.begin(1)

    alike(Asking, asked_by_python, failing, asked_by_python, exchanged, asked_by_python, times=4)


class Pupil(Learner):
    """Counts what it meets, and fails in its seventh episode."""

    def prepare(self):
        self.met = np.zeros(8)

    def prepare_learning(self):
        self.other = Counting(self.game)
        self.episodes_seen = 0

    def choose(self, state, moves, rng):
        return moves[0]

    def learn(self, episode, rng):
        self.episodes_seen += 1
        state = (3, 0)
        moves = self.game.moves(state)
        while moves:
            self.met[state[0]] += 0.5
            state = self.game.play(state, self.other.choose(state, moves, rng))
            moves = self.game.moves(state)
        if episode == 6:
            raise ValueError("the seventh")
        return rng.below(3) - 1

    def model(self):
        return {"met": self.met}

    def recall(self, model):
        self.met = model["met"]


def test_a_learner_that_fails_leaves_the_same_behind():
    found = []
    for way in (plainly, nullcontext):
        pupil = Pupil(GROUND)
        pupil._begin_learning()
        rng = Rng(5)
        with way():
            results = [outcome(pupil, "learn", (episode, rng)) for episode in range(9)]
        found.append((results, pupil.met.tolist(), pupil.other.calls, pupil.other.seen.tolist()))
    assert reason(pupil) is None
    assert repr(found[0]) == repr(found[1])


# --- what a game is given, and what it raises -------------------------------------------------------------


class Brittle(Ground):
    """There is a move that nobody can play."""

    def initial(self):
        return (32, 0)

    def play(self, state, move):
        return state[0] - move - 1 + 0 // (abs(state[0] - 4) + abs(move - 2) + state[1]), 1 - state[1]


def test_rules_take_what_they_take_in_plain_python():
    plain, fast = Ground(), with_compiled_rules(Ground())
    assert "built-in" in repr(fast.play)
    for game in (plain, fast):
        assert game.play((3, 0), move=1) == game.play(state=(3, 0), move=1) == (1, 1)
        assert game.play((3, 0), np.int64(1)) == (1, 1)
        assert game.moves(state=(2, 0)) == [0, 1]
        with pytest.raises(TypeError, match=r"play\(\) missing 1 required positional argument: 'move'"):
            game.play((3, 0))
        with pytest.raises(TypeError, match="unexpected keyword argument 'where'"):
            game.moves(where=(3, 0))
        with pytest.raises(TypeError, match="unsupported operand"):
            game.play((3, 0), "1")
        with pytest.raises(IndexError, match="tuple index out of range"):
            game.play((), 1)


def test_a_game_that_raises_somewhere_raises_it_there_alone(capsys):
    game = with_compiled_rules(Brittle())
    assert reason(game) is None
    assert game.play((5, 0), 0) == (4, 1)
    with pytest.raises(ZeroDivisionError):
        game.play((4, 0), 2)

    class Chooser(Agent):
        def choose(self, state, moves, rng):
            return moves[0]

    assert Chooser(game).choose((9, 0), [2, 1], Rng()) == 2
    assert capsys.readouterr().err == ""


# --- lists that a generator fills -------------------------------------------------------------------------


def twice(n):
    for i in range(n):
        yield i
    for i in range(3):
        yield i


class Filling(Part):
    @compiled
    def total(self, n: int) -> int:
        total = 0
        for x in twice(n):
            total += x
        return total


@pytest.mark.parametrize("n", [0, 5, LEAST - 3, LEAST - 2, LEAST, 1000])
def test_a_generator_that_yields_more_than_there_is_room_for_is_never_cut_short(n):
    part = Filling(GROUND)
    compiles(part, "total")
    if n + 3 <= LEAST:
        assert part.total(n) == n * (n - 1) // 2 + 3
    else:
        with pytest.raises(IndexError, match=f"a list has room for {LEAST} items"):
            part.total(n)


class Saying(Part):
    @compiled
    def fail(self, n: int) -> int:
        if n == 1:
            raise ValueError(f"{n} moves of {self.game.max_moves}")
        assert n != 2, f"not {n}"
        assert n != 3, n
        return n


@pytest.mark.parametrize(("n", "said"), [(1, "… moves of …"), (2, "not …"), (3, "…")])
def test_what_an_error_says_has_dots_for_what_is_not_known(n, said):
    part = Saying(GROUND)
    compiles(part, "fail")
    with pytest.raises((ValueError, AssertionError)) as error:
        part.fail(n)
    assert str(error.value) == said


def test_a_comparison_ends_wherever_its_lines_run_out(monkeypatch):
    """Also while a generator is closed, where an exception would be told to nobody, and bound nothing."""
    unheard = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: unheard.append(told.exc_type))

    def numbers():
        yield 1
        yield 2

    def run():
        for _ in range(20):
            for _ in numbers():
                break
        return "whole"

    lines = next(lines for lines in range(10_000) if ended(run, lines))
    assert lines > 40
    assert not any(ended(run, fewer) for fewer in range(lines))
    assert unheard == []


def ended(run, lines):
    """Whether something comes to its end within so many lines."""
    try:
        return bounded(run, [lines]) == "whole"
    except Enough:
        return False

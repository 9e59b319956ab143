"""Mistakes of authors: each is told in one line, with their own file and line, and in their own words.

The docstring of each class here is what is told, and `# here` the line that it names.
"""

from __future__ import annotations

import inspect
import math
import os
import random
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from arena import Agent, Rng
from arena.compiler import plainly, reason
from both_ways import GROUND, Ground
from paths import TESTS

BIG = 1 << 64


class Mistaken(Agent):
    def prepare(self):
        self.total = 0
        self.rate = 0.5
        self.counts = np.zeros(4, np.int64)
        self.known = {}
        self.seen = set()
        self.past = []

    def score(self, state, move):
        return state[0] - move


class SetInChooseOnly(Mistaken):
    """self.last is set here but not in prepare; set it there, too"""

    def choose(self, state, moves, rng):
        self.last = moves[0]  # here
        return moves[0]


class Misspelt(Mistaken):
    """Misspelt has no totl, did you mean 'total'?"""

    def choose(self, state, moves, rng):
        return moves[self.totl]  # here


class WholeAtFirst(Mistaken):
    """self.total is an int after prepare and cannot become a float; start it at 0.0"""

    def choose(self, state, moves, rng):
        self.total += 0.5  # here
        return moves[0]


class Dictionary(Mistaken):
    """self.known is a dict that is empty and that no compiled method fills"""

    def choose(self, state, moves, rng):
        if state in self.known:  # here
            return moves[-1]
        return moves[0]


class KeysOfFloats(Mistaken):
    """in compiled code, a key must be an int or a tuple of ints, not a float"""

    def choose(self, state, moves, rng):
        known = {}
        known[0.5] = moves[0]  # here
        return moves[0]


class UnlikeValues(Mistaken):
    """dictionary has values of different types: an int and a tuple of 2"""

    def choose(self, state, moves, rng):
        known = {1: 2}
        known[3] = (4, 5)  # here
        return moves[0]


class LoopOverSet(Mistaken):
    """the order of a set is not the same in all Python processes; loop over sorted(…)"""

    def choose(self, state, moves, rng):
        for move in set(moves):  # here
            return move
        return moves[0]


class ListKept(Mistaken):
    """self.past is a list; only a new list can be assigned to it, such as list(…)"""

    def choose(self, state, moves, rng):
        self.past = moves  # here
        return moves[0]


class ArrayReplaced(Mistaken):
    """self.counts is an array; set its items by self.counts[:] = …, or create another array in prepare"""

    def choose(self, state, moves, rng):
        self.counts = self.counts[1:]  # here
        return moves[0]


class NoMove(Mistaken):
    """choose returns None, not a move"""

    def choose(self, state, moves, rng):  # here
        self.total += 1


class Truth(Mistaken):
    """choose returns a bool, not a move"""

    def choose(self, state, moves, rng):  # here
        return moves[0] > 0


class Fraction(Mistaken):
    """choose returns a float, not a move"""

    def choose(self, state, moves, rng):  # here
        return len(moves) / 2


class SecondName(Mistaken):
    """a list cannot have a second name; write other = list(…) for a copy"""

    def choose(self, state, moves, rng):
        other = moves  # here
        other.append(moves[0])
        return other[0]


class Captured(Mistaken):
    """match compiles only for constants, | and _, and for tuples of these"""

    def choose(self, state, moves, rng):
        match moves[0]:  # here
            case move:
                return move


class NamedRow(Mistaken):
    """a list that has a name cannot be stored in a list; write list(…) for a copy"""

    def choose(self, state, moves, rng):
        row = [0, 1]
        board = [row, row]  # here
        return moves[board[0][0]]


class LongerRow(Mistaken):
    """compiled code cannot change the length of a list within a list"""

    def choose(self, state, moves, rng):
        board = [[0, 1], [2, 3]]
        row = board[0]
        row.append(2)  # here
        return moves[board[0][0]]


class RowOfBoth(Mistaken):
    """row is a list within a list and cannot also be a list"""

    def choose(self, state, moves, rng):
        board = [[0, 1], [2, 3]]
        row = board[0]
        if state[0] > 3:
            row = [1, 2]  # here
        return moves[row[0]]


class UnsupportedDtype(Mistaken):
    """compiled code cannot create arrays of complex128, only of int64, float64 and bool"""

    def choose(self, state, moves, rng):
        return moves[len(np.zeros(1, complex)) - 1]  # here


class SmallDtype(Mistaken):
    """in compiled code, convert an array of int8 by .astype(int) before arithmetic"""

    def choose(self, state, moves, rng):
        x = np.zeros(3, np.int8) + 1  # here
        return moves[x[0] - 1]


class WrongNumpyOption(Mistaken):
    """np.sum takes no keepdims= in compiled code"""

    def choose(self, state, moves, rng):
        return moves[np.sum(self.counts, keepdims=True)]  # here


class EmptyArray(Mistaken):
    """np.empty does not compile, since its elements are undefined; use np.zeros"""

    def choose(self, state, moves, rng):
        return moves[len(np.empty(1)) - 1]  # here


class FloatsIntoInts(Mistaken):
    """an array of int64 cannot be changed to an array of float64"""

    def choose(self, state, moves, rng):
        x = np.zeros(3, int)
        x += 0.5  # here
        return moves[x[0]]


class TwoNamesAtOnce(Mistaken):
    """a list cannot be assigned to two names; create a list for each"""

    def choose(self, state, moves, rng):
        good = bad = []  # here
        good.append(1)
        return moves[len(bad)]


class TooLarge(Mistaken):
    """18446744073709551616 is too large: an int has 64 bits"""

    def choose(self, state, moves, rng):
        return moves[state[0] % 18446744073709551616]  # here


class TooLargeAConstant(Mistaken):
    """BIG is 18446744073709551616, too large: an int has 64 bits"""

    def choose(self, state, moves, rng):
        return moves[state[0] % BIG]  # here


class TooLargeAnAttribute(Mistaken):
    """self.total is 18446744073709551616, too large: an int has 64 bits"""

    def prepare(self):
        self.total = 1 << 64

    def choose(self, state, moves, rng):
        return moves[self.total % 2]  # here


class NoSuchMethod(Mistaken):
    """NoSuchMethod has no method scroe, did you mean 'score'?"""

    def choose(self, state, moves, rng):
        return max(moves, key=lambda move: self.scroe(state, move))  # here


class NoSuchMethodOfTheGame(Mistaken):
    """Ground has no method plays, did you mean 'play'?"""

    def choose(self, state, moves, rng):
        after = self.game.plays(state, moves[0])  # here
        return moves[after[0]]


class NoSuchName(Mistaken):
    """besst is not defined, did you mean 'best'?"""

    def choose(self, state, moves, rng):
        best = moves[0]
        if best == 0:
            best = besst + 1  # here  # noqa: F821
        return best


class TooManyArguments(Mistaken):
    """score takes 2 arguments, state and move, but gets 3"""

    def choose(self, state, moves, rng):
        return self.score(state, moves[0], rng)  # here


class TooFewArguments(Mistaken):
    """score is called without move"""

    def choose(self, state, moves, rng):
        return self.score(state)  # here


class WrongName(Mistaken):
    """score has no parameter moev, did you mean 'move'?"""

    def choose(self, state, moves, rng):
        return self.score(state, moev=moves[0])  # here


class Printing(Mistaken):
    """print does not compile"""

    def choose(self, state, moves, rng):
        print(state)  # here
        return moves[0]


class Text(Mistaken):
    """f-strings do not compile"""

    def choose(self, state, moves, rng):
        name = f"{state}"  # here
        return moves[len(name) - len(name)]


class Trying(Mistaken):
    """finally does not compile; write the statements after the try"""

    def choose(self, state, moves, rng):
        try:
            return moves[1]
        finally:
            self.total += 1  # here


class NamedException(Mistaken):
    """error does not compile; write `except` without `as`"""

    def choose(self, state, moves, rng):
        try:
            return moves[1]
        except IndexError as error:  # here
            return moves[len(error.args) - 1]


class DeepException(Mistaken):
    """RecursionError cannot be caught, since compiled code raises it at other points"""

    def choose(self, state, moves, rng):
        try:
            return moves[1]
        except RecursionError:  # here
            return moves[0]


class Opening(Mistaken):
    """with does not compile"""

    def choose(self, state, moves, rng):
        with open("x"):  # here
            return moves[0]


class Lambda(Mistaken):
    """a lambda compiles only as the key of min, max and sorted"""

    def choose(self, state, moves, rng):
        worth = lambda move: -move  # here  # noqa: E731
        return worth(moves[0])


class RandomModule(Mistaken):
    """random.choice does not compile; use rng, so that matches are reproducible"""

    def choose(self, state, moves, rng):
        return random.choice(moves)  # here


class NumpysFunction(Mistaken):
    """np.cumsum does not compile"""

    def choose(self, state, moves, rng):
        return moves[np.cumsum(self.counts)[0]]  # here


class MathsFunction(Mistaken):
    """math.comb does not compile"""

    def choose(self, state, moves, rng):
        return moves[math.comb(len(moves), 2) % len(moves)]  # here


class OtherResults(Mistaken):
    """best returns a tuple of 2 here, but an int elsewhere"""

    def choose(self, state, moves, rng):
        return self.best(moves)

    def best(self, moves):
        if len(moves) == 1:
            return moves[0]
        return moves[0], 0.5  # here


class OtherKinds(Mistaken):
    """best is an int and cannot also be a tuple of 2"""

    def choose(self, state, moves, rng):
        best = 0
        for move in moves:
            best = (move, 1)  # here
        return best[0]


class UnlikeItems(Mistaken):
    """a list of an int cannot contain a tuple of 2"""

    def choose(self, state, moves, rng):
        found = [1, (2, 3)]  # here
        return moves[len(found) - 2]


class Unpacked(Mistaken):
    """a tuple of 2 cannot be unpacked into 3"""

    def choose(self, state, moves, rng):
        a, _b, _c = state  # here
        return moves[a - a]


class IndexedByAFraction(Mistaken):
    """an index must be an int, not a float"""

    def choose(self, state, moves, rng):
        return moves[len(moves) / 2]  # here


class NumpysNumber(Mistaken):
    """np.int32 does not compile"""

    def choose(self, state, moves, rng):
        return moves[np.int32(1)]  # here


class NumberOfAText(Mistaken):
    """int of a str does not compile"""

    def choose(self, state, moves, rng):
        return moves[int("1")]  # here


class StarArguments(Mistaken):
    """* does not compile"""

    def choose(self, state, moves, rng):
        return max(*moves)  # here


class Deleting(Mistaken):
    """del compiles only for keys of dictionaries"""

    def choose(self, state, moves, rng):
        del moves[0]  # here
        return moves[0]


class EmptyForEver(Mistaken):
    """the type of self.longest([]) cannot be inferred"""

    def choose(self, state, moves, rng):
        if self.longest([]) > 1:  # here
            return moves[1]
        return moves[0]

    def longest(self, items):
        return len(items)


class LengthOfTheGiven(Mistaken):
    """compiled code cannot change the length of a list that was passed in; copy it, own = list(moves)"""

    def choose(self, state, moves, rng):
        moves.append(1)  # here
        return moves[0]


MISTAKES = [cls for cls in list(globals().values()) if isinstance(cls, type) and issubclass(cls, Mistaken)][
    1:
]


def place(cls: type) -> str:
    """The file and line that are marked in a class."""
    lines, first = inspect.getsourcelines(cls)
    (line,) = [first + i for i, text in enumerate(lines) if "# here" in text]
    return f"{Path(__file__).name}, line {line}"


@pytest.mark.parametrize("cls", MISTAKES, ids=lambda cls: cls.__name__)
def test_a_mistake_is_told_in_one_line(cls):
    assert reason(cls(GROUND)) == f"{place(cls)}: {cls.__doc__}"


@pytest.mark.parametrize("cls", [SetInChooseOnly, ListKept, Trying], ids=lambda cls: cls.__name__)
def test_what_does_not_compile_plays_as_it_stands(cls):
    assert cls(GROUND).choose((3, 0), [0, 1, 2], Rng()) in (0, 1)


# --- games --------------------------------------------------------------------------------------------------


class LongerPosition(Ground):
    """play returns (0, 1, 5) after (1, 0), which is of 3 numbers, and not of 2 as initial is"""

    def initial(self):
        return (1, 0)

    def play(self, state, move):  # here
        return 0, 1, 5


class TextAsMove(Ground):
    """moves returns 'left' in (1, 0), which is not an int"""

    def initial(self):
        return (1, 0)

    def moves(self, state):  # here
        yield "left"


class FractionAsMove(Ground):
    """moves returns 0.5 in (1, 0), which is not an int"""

    def initial(self):
        return (1, 0)

    def moves(self, state):  # here
        yield 0.5


class ListAsPosition(Ground):
    """initial returns [1, 0], which is not a tuple of ints; one tuple of these 2 ints compiles, \
and plays about 100 times as fast"""

    def initial(self):  # here
        return [1, 0]


class FractionInPosition(Ground):
    """play returns (0.5, 1) after (2, 0), which is not a tuple of ints"""

    def initial(self):
        return (2, 0)

    def play(self, state, move):  # here
        return state[0] / 4, 1


class MoreMoves(Ground):
    """moves returns 3 moves in (3, 0), more than max_moves, which is 2"""

    max_moves = 2

    def initial(self):
        return (3, 0)

    def moves(self, state):  # here
        yield from range(state[0])


class GamePrinting(Ground):
    """print does not compile"""

    def initial(self):
        return (3, 0)

    def play(self, state, move):
        print("", end="")  # here
        return state[0] - 1, 1 - state[1]


class OtherValue(Ground):
    """value returns a float, not an int"""

    def initial(self):
        return (3, 0)

    def value(self, state):  # here
        return -1.0


class Changing(Ground):
    """an attribute of the game cannot be set; it is a constant"""

    def initial(self):
        return (3, 0)

    def to_move(self, state):
        self.last = state[1]  # here
        return state[1]


GAMES = [LongerPosition, TextAsMove, FractionAsMove, ListAsPosition, FractionInPosition, MoreMoves,
         GamePrinting, OtherValue, Changing]  # fmt: skip


class First(Agent):
    def choose(self, state, moves, rng):
        return moves[0]


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_a_game_s_mistake_is_told_in_one_line(cls):
    assert reason(cls()) == f"{place(cls)}: {cls.__doc__}"


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_agents_stay_plain_in_a_game_that_does(cls):
    assert reason(First(cls())) == f"{place(cls)}: {cls.__doc__}"


# --- what is seen only when it runs -------------------------------------------------------------------------


class Unset(Mistaken):
    """UnboundLocalError: cannot access local variable 'best' where it is not associated with a value"""

    def choose(self, state, moves, rng):
        for move in moves:
            if move > 5:
                best = move
        return best  # here


class LongList(Mistaken):
    """IndexError: a list has room for 64 items"""

    def choose(self, state, moves, rng):
        found = [x for x in range(63 + state[0])]  # here  # noqa: C416
        return moves[len(found) - len(found)]


ARRAY, LIST = "IndexError: array index out of range", "IndexError: list index out of range"
WIDE = "OverflowError: a number is beyond the 64 bits of an int"
CHECKED = [  # with i = 3, of arrays of 4 and of 3 by 4, and items = [0, 1, 2]
    ("self.total = self.counts[i + 1]", ARRAY),
    ("self.total = self.counts[-i - 2]", ARRAY),
    ("self.counts[i + 1] = 7", ARRAY),
    ("self.counts[-i - 2] = 7", ARRAY),
    ("self.counts[i + 1] += 7", ARRAY),
    ("self.counts[i:][i - 2] = 7", ARRAY),
    ("self.total = self.counts[1:][i]", ARRAY),
    ("self.total = self.board[i, 0]", ARRAY),
    ("self.total = self.board[0, i + 1]", ARRAY),
    ("self.total = self.board[0, -i - 2]", ARRAY),
    ("self.total = self.board[1][i + 1]", ARRAY),
    ("self.total = sum(self.board[i])", ARRAY),
    ("self.board[0, i + 1] = 7", ARRAY),
    ("self.board[-i - 1, 0] = 7", ARRAY),
    ("self.board[i] = 7", ARRAY),
    ("self.total = CONSTANT[i]", ARRAY),
    ("self.total = items[i]", LIST),
    ("self.total = items[-i - 1]", LIST),
    ("items[i] = 7", LIST),
    ("items[-i - 1] = 7", LIST),
    ("self.total = items[1:][i - 1]", LIST),
    ("self.total = rng.choice(items[i:])", "IndexError: cannot choose from an empty sequence"),
    ("self.total = CORNERS[i]", "IndexError: tuple index out of range"),
    ("self.total = (i, self.total)[-i]", "IndexError: tuple index out of range"),
    ("own = list(items); own.pop(i)", "IndexError: pop index out of range"),
    ("self.counts[1:] = self.counts[:i + 1]", "ValueError: arrays of different lengths"),
    ("self.total = self.most + i", WIDE),
    ("self.total += self.most", WIDE),
    ("self.total = -self.most - i", WIDE),
    ("self.total = self.most * i", WIDE),
    ("self.total = -self.least", WIDE),
    ("self.total = abs(self.least)", WIDE),
    ("self.total = self.least // (2 - i)", WIDE),
    ("self.total = i ** 40", WIDE),
    ("self.total = 1 << i + 60", WIDE),
    ("self.total = i << 62", WIDE),
    ("self.total = sum([self.most, i])", WIDE),
    ("self.total = 1 << -i", "ValueError: negative shift count"),
    ("self.total = 1 >> -i", "ValueError: negative shift count"),
    ("self.total = int(1e19 * i)", "OverflowError: a float is beyond the 64 bits of an int"),
    ("self.rate = 0.5 * self.most", "OverflowError: an int beyond 2**53 cannot be converted to a float"),
    ("self.rate = self.most", "OverflowError: an int beyond 2**53 cannot be converted to a float"),
    ("self.small[0] = 125 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small[0] -= 126 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small[:] = 125 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small[:2] = i, 125 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small.fill(125 + i)", "OverflowError: an int is out of bounds for int8"),
    ("self.byte[0] = -i", "OverflowError: an int is out of bounds for uint8"),
    ("self.wide[0] = i << 30", "OverflowError: an int is out of bounds for int32"),
    ("own = [x for x in range(62 + i)]", "IndexError: a list has room for 64 items"),
]
CHECKED_HEAD = """
import numpy as np
from both_ways import Part, Rng, compiled

CORNERS = (0, 2, 6)
CONSTANT = np.arange(3)

class Checked(Part):
    def prepare(self):
        self.total = 5
        self.rate = 0.5
        self.most = 2**63 - 1
        self.least = -(2**63)
        self.counts = np.zeros(4, np.int64)
        self.board = np.zeros((3, 4), np.int64)
        self.small = np.zeros(4, np.int8)
        self.byte = np.zeros(4, np.uint8)
        self.wide = np.zeros(4, np.int32)
"""
CHECKED_METHOD = """
    @compiled
    def line_{0}(self, i: int, items: list[int], rng: Rng):
        {1}
"""
CHECKED_RUN = """
import sys
sys.path[:0] = sys.argv[1:]
from checked import Checked, Rng
from both_ways import compiles
for name in [name for name in vars(Checked) if name.startswith("line_")]:
    compiles(Checked(), name)
    try:
        print(name, getattr(Checked(), name)(3, [0, 1, 2], Rng()))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.slow
def test_where_everything_is_checked_the_line_at_fault_is_named(tmp_path):
    methods = [CHECKED_METHOD.format(i, line) for i, (line, _) in enumerate(CHECKED)]
    text = CHECKED_HEAD + "".join(methods)
    (tmp_path / "checked.py").write_text(text)
    lines = text.splitlines()
    expected = [f"{error} (checked.py, line {lines.index(' ' * 8 + line) + 1})" for line, error in CHECKED]
    assert said_of_checked(tmp_path, "1") == expected


@pytest.mark.slow
def test_what_is_outside_is_looked_at_always(tmp_path):
    inside = [(line, error) for line, error in CHECKED if not error.startswith("OverflowError")]
    methods = [CHECKED_METHOD.format(i, line) for i, (line, _) in enumerate(inside)]
    (tmp_path / "checked.py").write_text(CHECKED_HEAD + "".join(methods))
    said = [re.sub(r" \(checked.py, line \d+\)", "", line) for line in said_of_checked(tmp_path, "0")]
    assert said == [error for _, error in inside]


def said_of_checked(folder, checked):
    """What each method of the class raises, compiled in a process of its own."""
    args = [sys.executable, "-c", CHECKED_RUN, str(folder), str(TESTS / "helpers")]
    env = {**os.environ, "ARENA_CHECKED": checked}
    done = subprocess.run(args, env=env, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_what_plain_python_has_room_for_names_its_line_in_any_case():
    with pytest.raises(IndexError) as raised:
        LongList(GROUND).choose((3, 0), [0, 1, 2], Rng())
    assert f"IndexError: {raised.value}" == f"{LongList.__doc__} ({place(LongList)})"


class Dividing(Mistaken):
    def choose(self, state, moves, rng):
        return moves[0] // (state[0] - 3)


class Remainder(Mistaken):
    def choose(self, state, moves, rng):
        return moves[0] % (state[0] - 3)


class Quotient(Mistaken):
    def choose(self, state, moves, rng):
        return int(moves[0] / (state[0] - 3))


class QuotientOfFractions(Mistaken):
    def choose(self, state, moves, rng):
        return int(self.rate / (state[0] - 3))


class RemainderOfFractions(Mistaken):
    def choose(self, state, moves, rng):
        return int(self.rate % (state[0] - 3))


class Emptied(Mistaken):
    def choose(self, state, moves, rng):
        return max([move for move in moves if move > 7])


class PoppedOnceMore(Mistaken):
    def choose(self, state, moves, rng):
        some = list(moves)
        while True:
            self.total += some.pop()


class Refused(Mistaken):
    def choose(self, state, moves, rng):
        if state[0] == 3:
            raise ValueError("not 3")
        return moves[0]


class RootOfNegative(Mistaken):
    def choose(self, state, moves, rng):
        return int(math.sqrt(state[1] - 2))


FAILING = [Unset, Dividing, Remainder, Quotient, QuotientOfFractions, RemainderOfFractions, Emptied,
           PoppedOnceMore, Refused, RootOfNegative]  # fmt: skip


@pytest.mark.parametrize("cls", FAILING, ids=lambda cls: cls.__name__)
def test_what_fails_in_plain_python_fails_in_the_same_words_compiled(cls):
    said = []
    for way in (plainly, nullcontext):
        agent = cls(GROUND)
        with way(), pytest.raises(Exception) as raised:  # noqa: PT011
            agent.choose((3, 0), [0, 1, 2], Rng())
        said.append(f"{type(raised.value).__name__}: {raised.value}")
    assert agent._runners["choose"].codes
    assert said[0] == said[1]

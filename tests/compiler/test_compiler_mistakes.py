"""Mistakes in agents: each is told in one line, with the author's own file and line, and in their own words.

The docstring of each class here is what is told, and `# here` the line that it names.
"""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from arena import Rng
from arena.compiler import reason
from both_ways import GROUND
from mistakes import Mistaken, place

BIG = 1 << 64


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


class NoneAtFirst(Mistaken):
    """self.best is None after prepare; start it at a number, a text or a tuple"""

    def prepare(self):
        self.best = None

    def choose(self, state, moves, rng):
        self.best = moves[0]  # here
        return self.best


class Dictionary(Mistaken):
    """self.known is a dict that is empty and that no compiled method fills"""

    def choose(self, state, moves, rng):
        if state in self.known:  # here
            return moves[-1]
        return moves[0]


class KeysOfFloats(Mistaken):
    """in compiled code, a key must be an int, a text or a tuple of these, not a float"""

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
    """a list that has a name cannot be stored in a list or tuple; write list(…) for a copy"""

    def choose(self, state, moves, rng):
        row = [0, 1]
        board = [row, row]  # here
        return moves[board[0][0]]


class LongerRow(Mistaken):
    """compiled code cannot change the length of a list within a list or tuple"""

    def choose(self, state, moves, rng):
        board = [[0, 1], [2, 3]]
        row = board[0]
        row.append(2)  # here
        return moves[board[0][0]]


class RowOfBoth(Mistaken):
    """row is a list within a list or tuple and cannot also be a list"""

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
    """a tuple of 2 as a text does not compile, only ints and texts"""

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


class ChainedLate(Mistaken):
    """write list(zip(moves, (a, a), strict=False)) in this call"""

    def choose(self, state, moves, rng):
        a = 0
        for x in itertools.chain(moves, zip(moves, (a, a), strict=False)):  # here
            a = x
        return moves[a]


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
    """int of a text of any length does not compile"""

    def choose(self, state, moves, rng):
        return moves[int("0" + str(moves[0]))]  # here


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


@pytest.mark.parametrize("cls", MISTAKES, ids=lambda cls: cls.__name__)
def test_a_mistake_is_told_in_one_line(cls):
    assert reason(cls(GROUND)) == f"{place(cls)}: {cls.__doc__}"


@pytest.mark.parametrize("cls", [SetInChooseOnly, ListKept, Trying], ids=lambda cls: cls.__name__)
def test_what_does_not_compile_plays_as_it_stands(cls):
    assert cls(GROUND).choose((3, 0), [0, 1, 2], Rng()) in (0, 1)

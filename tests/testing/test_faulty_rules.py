"""The conformance kit tells what is wrong with the rules of a game."""

from __future__ import annotations

import re
from itertools import count

import pytest

from arena import Game, option
from arena.testing import check_game
from sound_games import Heap, Row, Walk


# Faulty games, each with what the kit has to say
class Undocumented(Heap):
    pass


class ListStates(Heap):
    """States that cannot be hashed."""

    def initial(self):
        return [5, 0]


class Place:
    """A state without equality."""

    def __init__(self, coins, mover):
        self.pair = (coins, mover)

    def __getitem__(self, i):
        return self.pair[i]


class IdentityStates(Heap):
    """States equal to themselves alone."""

    def initial(self):
        return Place(5, 0)


class Pair(list):
    """A list that can be hashed, which is asking for it."""

    def __hash__(self):
        return hash(tuple(self))


class PlayInPlace(Heap):
    """`play` modifies the state that it is passed."""

    def initial(self):
        return Pair([5, 0])

    def play(self, state, move):
        state[0] -= move
        state[1] = 1 - state[1]
        return state


class PlayWithMemory(Heap):
    """`play` leads elsewhere each time."""

    numbers = count()

    def play(self, state, move):
        return (*super().play(state, move), next(self.numbers))


class SetOfMoves(Heap):
    """Moves in a set."""

    def moves(self, state):
        return {*super().moves(state)}


class MovesTwice(Heap):
    """A move generated twice."""

    def moves(self, state):
        return super().moves(state) * 2


class ManyMoves(Heap):
    """More moves than are stated."""

    max_moves = 1


class FailingMoves(Heap):
    """Moves that cannot be had."""

    def moves(self, state):
        return {}["moves"]


class FickleOrder(Heap):
    """Moves in another order each time."""

    numbers = count()

    def moves(self, state):
        return super().moves(state)[:: 1 if next(self.numbers) % 2 else -1]


class KeptList(Heap):
    """Moves in a list that the game goes on using."""

    def __init__(self, **options):
        super().__init__(**options)
        self.known = {}

    def moves(self, state):
        return self.known.setdefault(state, super().moves(state))


class HashOrder(Game):
    """Words are taken until none is left, generated in the order of a set."""

    max_plies = 8

    def initial(self):
        return ()

    def moves(self, state):
        return list({"ace", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"} - set(state))

    def play(self, state, move):
        return (*state, move)

    def to_move(self, state):
        return len(state) % 2

    def value(self, state):
        return 0


class WhiteBegins(Heap):
    """Player 1 moves first."""

    def initial(self):
        return (5, 1)


class ThirdPlayer(Heap):
    """Turns run 0, 1, 2."""

    def play(self, state, move):
        return (state[0] - move, state[1] + 1)


class Points(Heap):
    """A value in points."""

    def value(self, state):
        return 5


class ValueByName(Heap):
    """A value that cannot be had."""

    def value(self, state):
        return {}["value"]


class TwoWords(Heap):
    """Moves of two words."""

    def move_text(self, move):
        return f"take {move}"


class OneText(Heap):
    """All moves read alike."""

    def move_text(self, move):
        return "take"


class Misread(Heap):
    """A move is read as another."""

    def read_move(self, state, text):
        return 3 - super().read_move(state, text)


class NoRefusal(Heap):
    """Nonsense is met with the wrong exception."""

    def read_move(self, state, text):
        return int(text)


class TwoLines(Heap):
    """A position on two lines."""

    def position_text(self, state):
        return f"{state[0]}\n{state[1]}"


class ForgottenTurn(Row):
    """The text of a position is read with a coin less."""

    def read_position(self, text):
        return super().read_position(text).replace("O", ".")


class Endless(Heap):
    """The heap never shrinks."""

    max_plies = 20

    def play(self, state, move):
        return (state[0], 1 - state[1])


class CountsNoCaptures(Heap):
    """Drawn after twenty plies without a capture, of which none is told."""

    quiet_plies = 20


class FalseIrreversible(Walk):
    """Every move is said to be one that cannot be taken back."""

    def irreversible(self, state, move):
        return 1


class MuchIrreversible(Walk):
    """More than a capture."""

    def irreversible(self, state, move):
        return 3


class TooFew(Row):
    """Fewer positions stated than there are."""

    reachable = 20


class TooMany(Row):
    """More positions stated than there are."""

    reachable = 22


class Unsendable(Heap):
    """Holds what cannot be pickled."""

    def __init__(self, **options):
        super().__init__(**options)
        self.key = lambda state: state


class WrongDefault(Heap):
    """An option whose default is out of its bounds."""

    coins: int = option(5, "coins to begin with", high=4)


class Small(Heap):
    """A sound option."""

    coins: int = option(5, "coins to begin with", low=1)


class TakenName(Heap):
    """An option called like a method."""

    value: int = option(1, "what a win is worth")


class LateFraction(Heap):
    """The last positions, of very many, are not of whole numbers."""

    max_plies = 110

    def initial(self):
        return (110, 0)

    def moves(self, state):
        return [1] if state[0] else []

    def play(self, state, move):
        left = state[0] - move
        return (left if left > 5 else float(left), 1 - state[1])


class LateText(LateFraction):
    """The last moves, of very many, are texts."""

    def moves(self, state):
        return [1 if state[0] > 5 else "one"] if state[0] else []

    def play(self, state, move):
        return (state[0] - 1, 1 - state[1])


class TwiceInARow(Heap):
    """Who takes one coin moves again, and yet the turns are said to alternate."""

    alternating = True

    def play(self, state, move):
        return (state[0] - move, state[1] ^ (move - 1))


FAULTY_GAMES = {
    Undocumented: "has no docstring",
    ListStates: "unhashable type: 'list', in [5, 0]",
    IdentityStates: "differs from that of its copy, in <",
    PlayInPlace: "play of 1 modifies the state that it is passed, in",
    PlayWithMemory: "play of 1 leads to another state when played again, in (5, 0)",
    SetOfMoves: "TypeError: moves returns a set, not a list, in (5, 0)",
    MovesTwice: "moves returns a move twice: [1, 2, 1, 2], in (5, 0)",
    ManyMoves: "max_moves is 1, but there are 2 moves, in (5, 0)",
    FailingMoves: "KeyError: 'moves', at test_faulty_rules.py:… in moves, in (5, 0)",
    FickleOrder: "when called again, in (5, 0)",
    KeptList: "moves returns [1, 2], but [] when called again, in (5, 0)",
    HashOrder: "in another process, in ()",
    WhiteBegins: "player 1 moves first",
    ThirdPlayer: "to_move is 2, not 0 or 1, in (",
    Points: "value is 5, not 1, 0 or -1, in (0, ",
    ValueByName: "KeyError: 'value', at test_faulty_rules.py:… in value, in (0, ",
    TwoWords: "move_text of 1 is 'take 1', not one word, in (5, 0)",
    OneText: "move_text is 'take' both for 1 and 2, in (5, 0)",
    Misread: "read_move takes '1' for 2, not for 1, in (5, 0)",
    NoRefusal: "raises ValueError: invalid literal",
    TwoLines: r"position_text is '5\n0', not one line, in (5, 0)",
    ForgottenTurn: "its own position_text, for '",
    Endless: "none of 50 random matches ends within max_plies, 20",
    CountsNoCaptures: "quiet_plies is 20, but there is no `irreversible` to identify captures",
    FalseIrreversible: "leads back to a position from before an irreversible move, in (",
    MuchIrreversible: "is 3, not 0, 1 or 2, in (3, 0)",
    TooFew: "reachable is 20, but play reaches 21 or more",
    TooMany: "reachable is 22, but play reaches 21",
    Unsendable: "cannot be pickled",
    WrongDefault: "option 'coins' takes a whole number up to 4, which its default, 5, is not",
    TakenName: "option 'value' has a name that arena uses",
    LateFraction: "not 2 ints of 64 bits, as others are; such a game states flat = False, in (5.0, 1)",
    LateText: "moves are not ints of 64 bits, as others are: ['one'], in (5, 1)",
    TwiceInARow: "alternating is True, but a player moves twice in a row after 1, in (5, 0)",
}


@pytest.mark.parametrize("cls", FAULTY_GAMES, ids=lambda cls: cls.__name__)
def test_a_faulty_game_is_told_its_fault(cls):
    told = re.escape(FAULTY_GAMES[cls]).replace("…", r"\d+")
    with pytest.raises(AssertionError, match=f"{cls.__name__}: .*" + told):
        check_game(cls())

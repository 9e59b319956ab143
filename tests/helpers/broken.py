"""A sound game and a sound agent, and what each of their promises is broken by."""

from __future__ import annotations

import os
import random
from itertools import count

from arena import Agent, ArenaError, Game, View, option


class Heaps(Game):
    """Two heaps of three coins; take one or two from one of them. Whoever takes the last one wins."""

    alternating = True
    repetition = 3
    max_plies = 8
    # to take 0, 1, 2 or 3 coins of a heap takes 0, 1, 1 or 2, 2 or 3 moves: of 16 pairs of heaps the four
    # with 0 or 1 taken of each come about with one player to move, the other twelve with either
    reachable = 4 + 2 * 12
    symmetries = 2
    cells = ((0, 0), (1, 0))
    pieces = 6
    feature_names = ("left", "right")

    def initial(self):
        return (3, 3, 0)

    def moves(self, state):
        for heap in range(2):
            for taken in range(1, 3):
                if taken <= state[heap]:
                    yield 10 * heap + taken

    def play(self, state, move):
        taken = move % 10
        if move < 10:
            return (state[0] - taken, state[1], 1 - state[2])
        return (state[0], state[1] - taken, 1 - state[2])

    def to_move(self, state):
        return state[2]

    def value(self, state):
        return -1

    def irreversible(self, state, move):
        return 1

    def position_text(self, state):
        return f"{state[0]}+{state[1]}:{state[2]}"

    def read_position(self, text):
        heaps, _, seat = text.partition(":")
        try:
            left, right = map(int, heaps.split("+"))
            return (left, right, int(seat))
        except ValueError:
            raise ArenaError(f"{text!r} is not a position such as 3+3:0") from None

    def evaluate(self, state):
        return 1.0 if state[0] != state[1] else -1.0

    def image(self, state, i):
        return (state[1], state[0], state[2]) if i else state

    def image_move(self, move, i):
        return (move + 10) % 20 if i else move

    def piece(self, state, cell):
        return 1 + state[2] if state[cell] else 0

    def anchor(self, state, move):
        return move // 10

    def shape(self, state, move):
        return move % 10

    def shape_image(self, shape, i):
        return shape

    def features(self, state):
        yield float(state[0])
        yield float(state[1])


class Undocumented(Heaps):
    __doc__ = ""


class HalfAGrid(Heaps):
    """A grid without cells."""

    cells = ()


class WhiteBegins(Heaps):
    """Player 1 moves first."""

    def initial(self):
        return (3, 3, 1)


class Lists(Heaps):
    """Positions are lists once a heap is gone."""

    def play(self, state, move):
        after = super().play(state, move)
        return after if after[0] else [*after]


class MovesTwice(Heaps):
    """A move comes twice where one coin is left."""

    def moves(self, state):
        found = [*super().moves(state)]
        return found * 2 if state[0] + state[1] == 1 else found


class InPlace(Heaps):
    """`play` counts, and so leads elsewhere each time."""

    played = count()

    def play(self, state, move):
        return (*super().play(state, move), next(self.played))


class ThirdPlayer(Heaps):
    """Nobody's turn when a heap is gone."""

    def to_move(self, state):
        return state[2] if state[0] else 2


class Endless(Heaps):
    """Coins are put back."""

    reachable = None
    repetition = 0

    def play(self, state, move):
        return (3, 3, 1 - state[2])

    def moves(self, state):
        return [1, 2, 11, 12]


class Points(Heaps):
    """A value in points."""

    def value(self, state):
        return -2


class TwiceInARow(Heaps):
    """Who takes two coins moves again."""

    reachable = None

    def play(self, state, move):
        after = super().play(state, move)
        return after if move % 10 == 1 else (after[0], after[1], state[2])


class OneText(Heaps):
    """Moves read alike in both heaps."""

    def move_text(self, move):
        return str(move % 10)


class ForgottenTurn(Heaps):
    """The text of a position does not say whose turn it is."""

    def position_text(self, state):
        return f"{state[0]}+{state[1]}:0"


class LateFraction(Heaps):
    """The last positions are not of whole numbers, and the game says that it is of numbers."""

    flat = True

    def play(self, state, move):
        after = super().play(state, move)
        return (float(after[0]), *after[1:]) if after[0] + after[1] == 0 else after

    def position_text(self, state):
        return f"{int(state[0])}+{state[1]}:{state[2]}"


class NoNumber(Heaps):
    """An evaluation that is not a number where nothing is left."""

    def evaluate(self, state):
        return super().evaluate(state) if state[0] + state[1] else float("nan")


class StillMoves(Heaps):
    """Heaps change places, moves do not."""

    def image_move(self, move, i):
        return move


class AnchorOutside(Heaps):
    """Cells are counted from 1."""

    def anchor(self, state, move):
        return 1 + move // 10


class TurnsOneWay(Heaps):
    """Shapes do not turn back."""

    def shape_image(self, shape, i):
        return shape + 1 if i else shape


class OneFeature(Heaps):
    """A feature without a name."""

    feature_names = ("left",)


class AllAlike(Heaps):
    """Writes the same on all pieces."""

    def piece_text(self, piece):
        return "c"


class Miscounted(Heaps):
    """A position too many is stated."""

    reachable = 29


class FalseIrreversible(Heaps):
    """A coin can be put back, and to take one is said to be irreversible."""

    reachable = None
    max_plies = 100

    def moves(self, state):
        found = [*super().moves(state)]
        return found + [10 * heap + 9 for heap in range(2) if 0 < state[heap] < 3]

    def play(self, state, move):
        if move % 10 != 9:
            return super().play(state, move)
        return (state[0] + (move == 9), state[1] + (move == 19), 1 - state[2])


class WrongError(Heaps):
    """Nonsense is met with the wrong exception."""

    def read_move(self, state, text):
        return int(text)


class Unsendable(Heaps):
    """Holds what cannot be pickled."""

    def __init__(self, **options):
        super().__init__(**options)
        self.key = lambda state: state


class HashOrder(Heaps):
    """Moves in the order of their texts' hashes."""

    def moves(self, state):
        return sorted(super().moves(state), key=lambda move: hash(f"{state} {move}"))


class Overflow(Game):
    """Each player says one of two hundred numbers; calculates with more than 63 bits at 137."""

    def initial(self):
        return (0, 0)

    def moves(self, state):
        if state[0] < 2:
            yield from range(200)

    def play(self, state, move):
        large = 2**62 if move == 137 else 1
        return (state[0] + 1, 1 if 4 * large > 0 else 0)

    def to_move(self, state):
        return state[0] % 2

    def value(self, state):
        return 0


GAMES = {  # what is broken, and of its promises the one that is
    Undocumented: "class-of-game",
    HalfAGrid: "declarations",
    WhiteBegins: "begins",
    Lists: "equals-its-copy",
    MovesTwice: "moves-repeat",
    InPlace: "play-repeats",
    ThirdPlayer: "turn",
    Endless: "matches-end",
    Points: "outcome",
    TwiceInARow: "alternates",
    OneText: "move-notation",
    ForgottenTurn: "position-notation",
    LateFraction: "numbers",
    NoNumber: "evaluation",
    StillMoves: "symmetries",
    AnchorOutside: "grid",
    TurnsOneWay: "turning",
    OneFeature: "features",
    AllAlike: "piece-texts",
    Miscounted: "count",
    FalseIrreversible: "irreversible-moves",
    WrongError: "refuses-nonsense",
    Unsendable: "travels",
    HashOrder: "same-elsewhere",
}
GAMES_COMPILED = {Overflow: "same-compiled"}  # which only shows there


# --- agents ----------------------------------------------------------------------------------------------


class Careful(Agent):
    """Leaves heaps that are alike if it can, else one move of two by lot."""

    luck: int = option(50, "how often it takes the first move, in a hundred", low=0, high=100)

    def choose(self, state, moves, rng):
        for move in moves:
            after = self.game.play(state, move)
            if after[0] == after[1]:
                return move
        return moves[0] if rng.below(100) < self.luck else moves[len(moves) - 1]


class NoDefault(Careful):
    """An option whose default is none that it takes."""

    luck: int = option(200, "how often it takes the first move, in a hundred", low=0, high=100)


class FailsToPrepare(Careful):
    """Cannot be made."""

    def prepare(self):
        self.share = self.luck // 0


class PlaysNothing(Careful):
    """Has no move when a heap is gone."""

    def choose(self, state, moves, rng):
        return super().choose(state, moves, rng) if state[0] else None


class Divides(Careful):
    """Fails when it has but one move."""

    def choose(self, state, moves, rng):
        return moves[0 // (len(moves) - 1)]


class Leaves(Careful):
    """Ends the program in its second turn."""

    def choose(self, state, moves, rng):
        if state[0] + state[1] < 6:
            raise SystemExit("enough")
        return moves[0]


class Eats(Careful):
    """Takes its move out of the list."""

    def choose(self, state, moves, rng):
        return moves.pop()


class OwnChance(Careful):
    """Plays by lot, from Python's own generator."""

    def choose(self, state, moves, rng):
        return random.choice(moves)


class LongMemory(Careful):
    """Goes by how many moves it has made in all."""

    def prepare(self):
        self.made = 0

    def choose(self, state, moves, rng):
        self.made += 1
        return moves[self.made // 3 % len(moves)]


class Numbered(Careful):
    """Goes by how many were made before it."""

    numbers = count()

    def prepare(self):
        self.number = next(Numbered.numbers)

    def choose(self, state, moves, rng):
        return moves[self.number % len(moves)]


class ByHash(Careful):
    """Goes by the hashes of texts."""

    def choose(self, state, moves, rng):
        number = rng.random()  # or there are few questions, and the answers agree by luck
        return max(moves, key=lambda move: hash(f"{number} {move}"))


class Boasts(Careful):
    """Says that it takes the last move for the best, and takes the first."""

    def choose(self, state, moves, rng):
        return moves[0]

    def explain(self, state, moves):
        return [View({"score": float(i)}) for i in range(len(moves))]


class OddsWrong(Careful):
    """Says that all moves are alike to it."""

    def distribution(self, state, moves):
        return [1 / len(moves)] * len(moves)


class Wraps(Careful):
    """Calculates with more than 63 bits in its first move, long before which the compiler stops looking."""

    def choose(self, state, moves, rng):
        number = state[0] + state[1]
        for _ in range(40000):
            number = number % 1000
        large = 2**62 if number >= 5 else 1
        return moves[0] if 4 * large > 0 else moves[len(moves) - 1]


class Dies(Careful):
    """Ends its process once a heap is gone, as if all were well."""

    def choose(self, state, moves, rng):
        if state[0] == 0:
            os._exit(0)
        return moves[0]


class Hangs(Careful):
    """Goes on for ever once a heap is gone."""

    def choose(self, state, moves, rng):
        while state[0] == 0:
            pass
        return moves[0]


class DiesEarly(Careful):
    """Ends its process before there is a position."""

    def prepare(self):
        os._exit(3)


class HangingRules(Heaps):
    """Has no end of moves when one coin is left."""

    def moves(self, state):
        while state[0] + state[1] == 1:
            pass
        return super().moves(state)


FATAL = {Dies: "plays-legal-moves", Hangs: "plays-legal-moves", DiesEarly: "is-made"}
AGENTS = {
    NoDefault: "class-of-agent",
    FailsToPrepare: "is-made",
    PlaysNothing: "plays-legal-moves",
    Divides: "plays-legal-moves",
    Leaves: "plays-legal-moves",
    Eats: "plays-legal-moves",
    OwnChance: "plays-the-same-again",
    LongMemory: "plays-the-same-again",
    Numbered: "plays-the-same-made-again",
    ByHash: "plays-the-same-elsewhere",
    Boasts: "explains-its-moves",
    OddsWrong: "moves-with-its-probabilities",
}
AGENTS_COMPILED = {Wraps: "plays-the-same-in-plain-python"}

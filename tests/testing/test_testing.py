"""The conformance kit passes all that is registered, and tells what is wrong with what is faulty."""

from __future__ import annotations

import random
import re
from itertools import count

import pytest

from arena import Agent, ArenaError, Game, option
from arena.api.agent import check_needs
from arena.api.options import required
from arena.registry.plugins import registry
from arena.testing import check_agent, check_game
from tiers import slow, tiers

GAMES = list(registry().offers["game"])
AGENTS = [
    name
    for name in registry().offers["agent"]
    if not required(registry().cls("agent", name)) and not registry().cls("agent", name).interactive
]


def make_game(name):
    return registry().spec("game", name).make()


def first_game_for(cls):
    for name in GAMES:
        game = make_game(name)
        try:
            check_needs(cls, game, cls.__name__)
        except ArenaError:
            continue
        return game
    return pytest.skip(f"no game installed offers {cls.needs}")


@pytest.mark.parametrize("name", tiers(GAMES, quick=["tic-tac-toe"]))
def test_every_registered_game_conforms(name):
    check_game(make_game(name))


@pytest.mark.parametrize("name", tiers(AGENTS, quick=["random"]))
def test_every_registered_agent_conforms_at_the_first_game_it_can_play(name):
    cls = registry().spec("agent", name).cls
    check_agent(cls, first_game_for(cls))


# Sound games, to be spoilt below


class Heap(Game):
    """Take one coin or two from a heap of five; who takes the last has won."""

    max_plies = 5

    def initial(self):
        return (5, 0)

    def moves(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


class Row(Game):
    """A coin goes on one of five cells in a row, beside no other coin; who cannot move has lost."""

    sides = ("X", "O")
    max_plies = 3
    # none or one coin 1 + 5; two apart 6 ways, each X first or O first; three 1 way, O any of them
    reachable = 1 + 5 + 12 + 3
    symmetries = 2
    cells = tuple((x, 0) for x in range(5))
    feature_names = ("coins", "gaps")

    def initial(self):
        return "....."

    def moves(self, state):
        return [cell for cell in range(5) if set(f".{state}."[cell : cell + 3]) == {"."}]

    def play(self, state, move):
        return state[:move] + "XO"[self.to_move(state)] + state[move + 1 :]

    def to_move(self, state):
        return (5 - state.count(".")) % 2

    def value(self, state):
        return -1

    def position_text(self, state):
        return state

    def read_position(self, text):
        if not re.fullmatch("[XO.]{5}", text):
            raise ArenaError(f"{text!r} is not five of X, O and '.'")
        return text

    def evaluate(self, state):
        return float(len(self.moves(state)) % 2)

    def image(self, state, i):
        return state[::-1] if i else state

    def image_move(self, move, i):
        return 4 - move if i else move

    def piece(self, state, cell):
        return ".XO".index(state[cell])

    def anchor(self, state, move):
        return move

    def shape(self, state, move):
        return "coin"

    def features(self, state):
        return [5.0 - state.count("."), float(state.count("."))]


class Lettered(Row):
    """The row with letters on its coins, one of them as wide as two, and the first player's light."""

    dark = 1

    def piece_text(self, piece):
        return ("x", "歩")[piece - 1]


class Ring(Row):
    """The row closed to a ring."""

    max_plies = 2
    reachable = 1 + 5 + 2 * 5  # of ten pairs of cells five are apart
    symmetries = 5

    def moves(self, state):
        return [cell for cell in range(5) if {state[cell - 1], state[cell], state[cell - 4]} == {"."}]

    def image(self, state, i):
        return state[i:] + state[:i]

    def image_move(self, move, i):
        return (move - i) % 5


class Walk(Game):
    """A token is moved by turns to the left or to the right; who brings it to an end has won."""

    repetition = 3

    def initial(self):
        return (3, 0)

    def moves(self, state):
        return [-1, 1] if 0 < state[0] < 6 else []

    def play(self, state, move):
        return (state[0] + move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


class YieldingHeap(Heap):
    """The heap once more, whose moves come one at a time."""

    alternating = True
    feature_names = ("coins", "pairs")

    def moves(self, state):
        for coins in (1, 2):
            if coins <= state[0]:
                yield coins

    def features(self, state):
        yield float(state[0])
        yield float(state[0] // 2)


@pytest.mark.parametrize("cls", [Heap, *slow(Row, Lettered, Ring, Walk, YieldingHeap)])
def test_a_sound_game_passes(cls):
    check_game(cls())


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


class HalfAGrid(Heap):
    """A grid without cells."""

    def piece(self, state, cell):
        return 0


class NoNumber(Row):
    """An evaluation that is not a number."""

    def evaluate(self, state):
        return float("nan")


class StillMoves(Row):
    """The board is mirrored, the moves are not."""

    def image_move(self, move, i):
        return move


class NoGroup(Ring):
    """Turns by 0, 1 and 2 of 5 cells."""

    symmetries = 3


class OtherColours(Row):
    """The coins change colour, the player to move does not."""

    def image(self, state, i):
        return state.translate(str.maketrans("XO", "OX")) if i else state

    def image_move(self, move, i):
        return move


class NoIdentity(Row):
    """Symmetry 0 is the mirror."""

    def image(self, state, i):
        return super().image(state, 1 - i)

    def image_move(self, move, i):
        return super().image_move(move, 1 - i)


class PiecesSwapped(Row):
    """Even pieces are player 0's."""

    def piece(self, state, cell):
        return ".OX".index(state[cell])


class AnchorOutside(Row):
    """Cells counted from 5."""

    def anchor(self, state, move):
        return move + 5


class OneShape(Heap):
    """Two moves that differ in nothing."""

    cells = ((0, 0),)

    def piece(self, state, cell):
        return 1 + state[1]

    def anchor(self, state, move):
        return 0

    def shape(self, state, move):
        return 0


class OneFeature(Row):
    """A feature without a name."""

    feature_names = ("coins",)


class ShapeByName(OneShape):
    """Shapes are texts in a game of numbers."""

    def shape(self, state, move):
        return str(move)


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


class TextTwice(Row):
    """Writes the same on the pieces of both players."""

    def piece_text(self, piece):
        return "c"


class LongText(Row):
    """Has no room on its pieces."""

    def piece_text(self, piece):
        return ("a", "coin")[piece - 1]


class WideText(Row):
    """Writes two letters that are two columns wide each."""

    def piece_text(self, piece):
        return ("歩", "角行")[piece - 1]


class BlankText(Row):
    """Leaves the other's pieces blank."""

    def piece_text(self, piece):
        return ("a", "")[piece - 1]


class Grey(Row):
    """Has neither player's pieces dark."""

    dark = 2


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
    FailingMoves: "KeyError: 'moves', at test_testing.py:… in moves, in (5, 0)",
    FickleOrder: "when called again, in (5, 0)",
    KeptList: "moves returns [1, 2], but [] when called again, in (5, 0)",
    HashOrder: "in another process, in ()",
    WhiteBegins: "player 1 moves first",
    ThirdPlayer: "to_move is 2, not 0 or 1, in (",
    Points: "value is 5, not 1, 0 or -1, in (0, ",
    ValueByName: "KeyError: 'value', at test_testing.py:… in value, in (0, ",
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
    HalfAGrid: "offers grid only in part; it lacks cells, anchor, shape",
    NoNumber: "evaluate is nan, in '.....'",
    StillMoves: "symmetry 1: the image of 0, played in the image, leads elsewhere, in '.....'",
    NoGroup: "are not a group, in '",
    OtherColours: "played in the image, leads elsewhere, in '",
    NoIdentity: "symmetry 0 is not the identity, in '",
    PiecesSwapped: "odd are player 0's, in '.....'",
    AnchorOutside: "anchor of 0 is 5, but there are 5 cells, in '.....'",
    OneShape: "two moves have the same anchor and shape, in (5, 0)",
    OneFeature: "features returns 2 numbers for 1 feature_names, in '.....'",
    ShapeByName: "piece, anchor or shape returns a value that is not an int, in (5, 0)",
    TextTwice: "piece_text is 'c' both for 1 and 2",
    LongText: "piece_text of 2 is 'coin', wider than two columns",
    WideText: "piece_text of 2 is '角行', wider than two columns",
    BlankText: "piece_text of 2 is '', not a letter or two",
    Grey: "dark is 2, not 0 or 1",
    LateFraction: "not 2 ints of 64 bits, as others are; such a game states flat = False, in (5.0, 1)",
    LateText: "moves are not ints of 64 bits, as others are: ['one'], in (5, 1)",
    TwiceInARow: "alternating is True, but a player moves twice in a row after 1, in (5, 0)",
}


@pytest.mark.parametrize("cls", FAULTY_GAMES, ids=lambda cls: cls.__name__)
def test_a_faulty_game_is_told_its_fault(cls):
    told = re.escape(FAULTY_GAMES[cls]).replace("…", r"\d+")
    with pytest.raises(AssertionError, match=f"{cls.__name__}: .*" + told):
        check_game(cls())


# Agents


class OddAndEven(Agent):
    """Plays the first and the last move by turns, from the beginning of each match."""

    def begin(self, seat):
        self.asked = 0

    def choose(self, state, moves, rng):
        self.asked += 1
        return moves[-(self.asked % 2)]


class Drawing(Agent):
    """Plays by lot, from the stream given."""

    def choose(self, state, moves, rng):
        return rng.choice(moves)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [OddAndEven, Drawing])
def test_an_agent_may_use_its_stream_and_what_it_saw_since_the_beginning(cls):
    check_agent(cls, Row())


class NoMove(Agent):
    """Plays what is not a move."""

    def choose(self, state, moves, rng):
        return 99


class Division(Agent):
    """Fails in its second turn."""

    def choose(self, state, moves, rng):
        return moves[0 // (len(moves) - 1)] if len(moves) < 5 else moves[0]


class Eater(Agent):
    """Takes its move out of the list."""

    def choose(self, state, moves, rng):
        return moves.pop()


class OwnChance(Agent):
    """Plays by lot, from Python's own generator."""

    def choose(self, state, moves, rng):
        return random.choice(moves)


class LongMemory(Agent):
    """Plays the first and the last move by turns, from one match to the next."""

    def prepare(self):
        self.asked = 0

    def choose(self, state, moves, rng):
        self.asked += 1
        return moves[-(self.asked // 3 % 2)]


class Numbered(Agent):
    """Plays according to how many were made before it."""

    made = 0

    def prepare(self):
        type(self).made += 1
        self.number = self.made

    def choose(self, state, moves, rng):
        return moves[-(self.number % 2)]


class ByHash(Agent):
    """Plays the move whose text, with a random number's, has the greatest hash."""

    def choose(self, state, moves, rng):
        number = rng.random()  # or few different questions would be asked, and the answers agree by luck
        return max(moves, key=lambda move: hash(f"{number} {move}"))


class MadeByItself(Agent):
    """Plays the first move, and knows no game."""

    def __init__(self, game):
        self.table = {}

    def choose(self, state, moves, rng):
        return moves[0]


class UndocumentedAgent(Agent):
    def choose(self, state, moves, rng):
        return moves[0]


class NoHelp(Agent):
    """An option that says nothing."""

    depth: int = option(1, "")


class NoDefault(Agent):
    """An option whose default is of another type."""

    depth: int = option(None, "plies searched")


FAULTY_AGENTS = {
    NoMove: "plays 99, which is not one of the moves [0, 1, 2, 3, 4], in '.....'",
    Division: "ZeroDivisionError",
    MadeByItself: "its own __init__ does not call super().__init__(game, **options)",
    Eater: "modifies the list of moves that it is passed, in '.....'",
    OwnChance: "after playing other matches, in '",
    LongMemory: "after playing other matches, in '",
    Numbered: "made again, in '.....'",
    ByHash: "in another process, in '",
    UndocumentedAgent: "has no docstring",
    NoHelp: "option 'depth' has no help",
    NoDefault: "option 'depth' takes a whole number, which its default, None, is not",
}


@pytest.mark.parametrize("cls", FAULTY_AGENTS, ids=lambda cls: cls.__name__)
def test_a_faulty_agent_is_told_its_fault(cls):
    with pytest.raises(AssertionError, match=f"{cls.__name__}: .*" + re.escape(FAULTY_AGENTS[cls])):
        check_agent(cls, Row())


def test_an_agent_has_to_be_where_a_worker_can_import_it():
    class Inside(Drawing):
        """Hidden in a function."""

    with pytest.raises(
        AssertionError, match=r"Inside: cannot be imported as test_testing:.*<locals>\.Inside"
    ):
        check_agent(Inside, Row())


def test_options_of_an_agent_reach_it():
    with pytest.raises(AssertionError, match="Minimax: ArenaError: option 'ties' of Minimax takes first"):
        check_agent(registry().spec("agent", "minimax").cls, Row(), options={"ties": "last"})

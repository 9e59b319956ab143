"""A game's fault is told as the game's, by whatever meets it, compiled and in plain Python."""

from __future__ import annotations

import inspect
import re
import signal
from functools import partial

import pytest

import arena
from arena import ArenaError, Game
from arena.api.rulings import GameFault
from arena.compiler import reason
from arena.testing import check_game
from failing_heaps import (
    Divides,
    DividesAtTheEnd,
    DividesInEvaluation,
    GivesNothing,
    HangsCompiled,
    HangsLate,
    PastTheEnd,
)
from failing_heaps import Leaves as LeavesLate
from heaps import Heap
from tiers import slow, tiers

posix = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="needs signals")


class Coins(Heap):
    """What goes wrong does so from three coins on, of seven."""

    alternating = True


class MoveTwice(Coins):
    def moves(self, state):
        return [n for n in (1, 2, 3 if state[0] > 3 else 2) if n <= state[0]]


class ASet(Coins):
    def moves(self, state):
        moves = [n for n in (1, 2, 3) if n <= state[0]]
        return moves if state[0] > 3 else {*moves}


class ADict(Coins):
    def moves(self, state):
        moves = [n for n in (1, 2, 3) if n <= state[0]]
        return moves if state[0] > 3 else dict.fromkeys(moves)


class Unhashable(Coins):
    def moves(self, state):
        moves = [n for n in (1, 2, 3) if n <= state[0]]
        return moves if state[0] > 3 else [[n] for n in moves]


class NotInTurn(Coins):
    def play(self, state, move):
        return (state[0] - move, 1 - state[1] if state[0] > 3 else state[1])


class SeatOutside(Coins):
    alternating = False
    outside = 5

    def to_move(self, state):
        return state[1] if state[0] > 3 else self.outside


class SeatBelow(SeatOutside):
    outside = -1


class ValueOfTwo(Coins):
    def value(self, state):
        return 2


class ValueOfNone(Coins):
    def value(self, state):
        return None


class DividesByZero(Coins):
    def value(self, state):
        return -1 // state[0]


class Raises(Coins):
    def moves(self, state):
        if state[0] <= 3:
            raise LookupError("no such coins")
        return [1, 2, 3]


class Leaves(Coins):
    def moves(self, state):
        if state[0] <= 3:
            raise SystemExit
        return [1, 2, 3]


class TextOfNumber(Coins):
    def move_text(self, move):
        return move if move == 1 else str(move)


class TextOfTwoWords(Coins):
    def move_text(self, move):
        return "one coin" if move == 1 else str(move)


class TextOfTwoMoves(Coins):
    def move_text(self, move):
        return str(move % 2)


class TextInHalves(Coins):
    def move_text(self, move):
        return "\ud800" if move == 1 else str(move)


class TextThatEscapes(Coins):
    def move_text(self, move):
        return "\x1b[2J" if move == 1 else str(move)


class PositionInNumbers(Coins):
    def position_text(self, state):
        return state


class Misspelt(Game):
    """Take one coin, two or three."""

    initial, moves, play, value = Heap.initial, Heap.moves, Heap.play, Heap.value

    def tomove(self, state):
        return state[1]


class TakesOneMore(Coins):
    def evaluate(self, state, player):
        return 0


class HasNoSelf(Coins):
    def moves(state):
        return [1]


class PlaysToNothing(Coins):
    def play(self, state, move):
        if state[0] > 3:
            return (state[0] - move, 1 - state[1])
        return None


class BeginsWithTheSecond(Coins):
    def initial(self):
        return (7, 1)


class WrongMaxMoves(Coins):
    max_moves = "many"


class NoSides(Coins):
    sides = ("first",)


LATE = {  # what is wrong where three coins are left
    MoveTwice: "moves returns (2|a move) twice",
    ASet: "TypeError: moves returns a set, not a list",
    ADict: "TypeError: moves returns a dict, not a list",
    Unhashable: "TypeError: .*",
    NotInTurn: "alternating is True, but player [01] moves twice in a row",
    SeatOutside: "to_move is 5, not 0 or 1",
    SeatBelow: "to_move is -1, not 0 or 1",
    ValueOfTwo: "value is 2, not 1, 0 or -1",
    ValueOfNone: "value is None, not 1, 0 or -1|TypeError: .*",
    DividesByZero: "ZeroDivisionError: integer division or modulo by zero",
    Raises: "LookupError: no such coins",
    Leaves: "SystemExit",
    PlaysToNothing: "play of [123] returns None, not a position|(Type|Attribute)Error: .*",
}
AT_ONCE = {  # what is wrong from the start
    TextOfNumber: "ValueError: move_text of 1 is 1, not one word",
    TextOfTwoWords: "ValueError: move_text of 1 is 'one coin', not one word",
    TextOfTwoMoves: "ValueError: move_text is '1' both for 1 and 3",
    TextInHalves: r"ValueError: move_text of 1 is '\\ud800', not one word",
    TextThatEscapes: r"ValueError: move_text of 1 is '\\x1b\[2J', not one word",
    PositionInNumbers: r"ValueError: position_text is \(7, 0\), not a text",
    WrongMaxMoves: "ValueError: max_moves is 'many', not a whole number from 1 on",
    BeginsWithTheSecond: "ValueError: player 1 is to move at the start; to_move must return 0 there",
    Misspelt: "it has no 'to_move'; rename 'tomove'",
    TakesOneMore: r"evaluate has the wrong arguments; write def evaluate\(self, state\)",
    HasNoSelf: r"moves has the wrong arguments; write def moves\(self, state\)",
    NoSides: r"ValueError: sides are \('first',\), not two names",
}


@pytest.fixture(params=[True, False], ids=["compiled", "plain"])
def way(request, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", str(int(request.param)))


WAYS = {
    "match": partial(arena.match, "random", "first", matches=60, seed=1, executor="serial"),
    "tournament": partial(arena.tournament, ["random", "first"], rounds=30, seed=1, executor="serial"),
    "exact": partial(arena.exact, "random", "first", executor="serial"),
}


@pytest.mark.parametrize("command", WAYS)
@pytest.mark.parametrize("cls", LATE, ids=lambda cls: cls.__name__)
@pytest.mark.usefixtures("way")
def test_what_goes_wrong_late_is_the_games_fault(tmp_path, cls, command):
    db = {} if command == "match" else {"db": tmp_path / "arena.db"}
    with pytest.raises(GameFault) as raised:
        WAYS[command](game=cls, **db)
    name = re.sub("(?<!^)([A-Z])", r"-\1", cls.__name__).lower()
    where = r"failed( in match \d+ after the moves [123 ]+)?"
    told = rf"game {name} {where}: (ValueError: )?({LATE[cls]})(, (in|at) .*)?"
    assert re.fullmatch(told, str(raised.value))


@pytest.mark.parametrize("cls", LATE, ids=lambda cls: cls.__name__)
def test_a_position_that_the_rules_fail_in_is_told(cls):
    if cls is not NotInTurn:  # of which one position does not tell
        with pytest.raises(GameFault, match=f"^game .* failed: .*({LATE[cls]})"):
            arena.position(cls, "3 1 3" if cls in OVER else "3 1")


OVER = (ValueOfTwo, ValueOfNone, DividesByZero)  # which fail where no coins are left


@pytest.mark.parametrize(
    "cls", [MoveTwice, ASet, ADict, Unhashable, Raises, Leaves], ids=lambda cls: cls.__name__
)
def test_lines_of_play_are_counted_or_the_game_is_told(cls):
    with pytest.raises(GameFault, match=f"^game .* failed: .*({LATE[cls]})"):
        arena.perft(cls, 6)


@pytest.mark.parametrize("cls", [DividesByZero, Raises, Leaves], ids=lambda cls: cls.__name__)
def test_who_explains_is_not_told_off_for_the_game(cls):
    with pytest.raises(GameFault, match=f"^game .* failed: .*({LATE[cls]})"):
        arena.explain("minimax", game=cls)


@pytest.mark.parametrize("cls", AT_ONCE, ids=lambda cls: cls.__name__)
def test_what_is_wrong_from_the_start_is_told_before_anything_is_played(cls):
    for call in (
        partial(arena.match, "random", "first", matches=2),
        partial(arena.exact, "random", "first"),
        partial(arena.explain, "minimax"),
        arena.position,
    ):
        with pytest.raises(ArenaError, match=f"^game .* cannot be made: {AT_ONCE[cls]}$"):
            call(game=cls)


def line_of(cls):
    """The last line of a class."""
    lines, first = inspect.getsourcelines(cls)
    return first + len(lines) - 1


WALKERS = {  # who fails where a game does that it walks through: before a match, in one, while it learns
    ("minimax", Divides): f"ZeroDivisionError: .*, at .*:{line_of(Divides)} in value",
    ("alpha-beta:depth=3", LeavesLate): f"SystemExit: 3, at .*:{line_of(LeavesLate) - 1} in moves",
    ("alpha-beta:depth=3", DividesInEvaluation): (
        f"ZeroDivisionError: .*, at .*:{line_of(DividesInEvaluation)} in evaluate"
    ),
    ("q-table:episodes=100", GivesNothing): "ValueError: value is None, not 1, 0 or -1",
}


@pytest.mark.slow
@pytest.mark.parametrize(("entry", "cls"), tiers(WALKERS, quick=["minimax"]))
def test_who_walks_a_game_is_not_told_off_for_it(entry, cls):
    with pytest.raises(GameFault) as raised:
        arena.match("random", entry, game=cls, matches=4, seed=1, workers=1)
    where = r"failed( in match \d+)? after the moves [123 ]+"
    told = rf"game .* {where}: {WALKERS[entry, cls]}(; {entry} failed .*)?"
    assert re.fullmatch(told, str(raised.value))


@pytest.mark.parametrize("asked", [arena.exploit, partial(arena.exact, "random")], ids=["exploit", "exact"])
def test_who_is_asked_in_all_positions_is_not_told_off_for_it(asked):
    line = line_of(DividesInEvaluation)
    told = rf"^game divides-in-evaluation failed .*: ZeroDivisionError: .*, at .*:{line} in evaluate"
    with pytest.raises(GameFault, match=told):
        asked("greedy", game=DividesInEvaluation)


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_nor_where_it_plays_in_this_process(executor):
    told = rf"^game divides failed after .*: ZeroDivisionError: .*, at .*:{line_of(Divides)} in value"
    with pytest.raises(GameFault, match=told):
        arena.match("alpha-beta:depth=3", "random", game=Divides, matches=2, seed=1, executor=executor)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [DividesInEvaluation, *slow(DividesAtTheEnd)])
def test_an_agents_own_fault_is_not_the_games(cls):
    """Of an evaluation that fails it has not asked; nor does anybody where the game is over."""
    found = arena.match(PastTheEnd, "random", game=cls, matches=2, seed=1)
    told = "past-the-end forfeited 2, the first match 0 by crash: IndexError: list index out of range"
    assert found.remarks() == [told]


@pytest.mark.slow
def test_of_an_agent_that_fails_where_the_rules_do_both_are_told():
    told = r"^game divides failed .*, at .* in value; past-the-end failed by IndexError: list index .*$"
    with pytest.raises(GameFault, match=told):
        arena.match(PastTheEnd, "random", game=Divides, matches=2, seed=1)


class OneFeature(Coins):
    """Tells one of its two features once coins are taken."""

    feature_names = ("coins", "odd")

    def features(self, state):
        return [float(state[0]), float(state[0] % 2)][: 2 if state[0] == 7 else 1]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: arena.train("sarsa:episodes=50", game=OneFeature),
        lambda: arena.match("sarsa:episodes=50", "random", game=OneFeature, matches=2, seed=1),
    ],
)
def test_features_of_the_wrong_number_are_told_before_anybody_learns(ask):
    told = r"^game one-feature failed after the moves \d: ValueError: features returns 1 numbers for 2 "
    with pytest.raises(GameFault, match=told):
        ask()


class Lies(Coins):
    """Says that an odd number of coins is as good as the even one below."""

    symmetries = 2

    def image(self, state, i):
        return (state[0] ^ 1, state[1]) if i else state

    def image_move(self, move, i):
        return move


@pytest.mark.parametrize(
    "ask",
    [
        lambda: arena.train("q-table:episodes=50", game=Lies),
        lambda: arena.match("perfect", "random", game=Lies, matches=2, seed=1),
        lambda: arena.openings(Lies, plies=1, lines=1, judge="minimax:ties=first"),
    ],
)
def test_symmetries_that_lie_are_told_where_they_are_used(ask):
    with pytest.raises(GameFault, match=r"^game lies failed .*: ValueError: symmetry 1: the image of 1, "):
        ask()


class NotANumber(Coins):
    """Says of no position how good it is."""

    def evaluate(self, state):
        return float("nan")


def test_an_evaluation_that_is_no_number_is_told_where_it_is_used():
    told = r"^game not-a-number failed at the start: ValueError: evaluate is nan"
    with pytest.raises(GameFault, match=told):
        arena.match("alpha-beta:depth=2", "random", game=NotANumber, matches=2, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [OneFeature, Lies, NotANumber])
def test_what_nobody_asks_for_is_not_looked_at(cls):
    assert arena.match("first", "random", game=cls, matches=2, seed=1).played == 2


def test_whom_you_play_does_not_lose_by_the_games_fault():
    match = arena.play("alpha-beta:depth=2", game=GivesNothing)
    match.move("3")
    with pytest.raises(
        GameFault, match=r"^game gives-nothing failed .* value is None.*; alpha-beta:depth=2 failed"
    ):
        match.reply()
    match.close()


@posix
@pytest.mark.slow
def test_rules_that_hang_compiled_are_told_by_their_line():
    lines = line_of(HangsCompiled) - 2, line_of(HangsCompiled) - 1
    told = rf"ran for over 2 s, at .*:({lines[0]}|{lines[1]}) in play$"
    with pytest.raises(GameFault, match=told):
        arena.match("random", "minimax:depth=2", game=HangsCompiled, matches=4, seed=1, stall_seconds=2)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("entry", ["minimax", *slow("random", "q-table:episodes=100")])
def test_a_game_that_hangs_is_told_by_its_line(entry):
    with pytest.raises(GameFault) as raised:
        arena.match("random", entry, game=HangsLate, matches=4, seed=1, workers=1, stall_seconds=0.5)
    loop = line_of(HangsLate) - 1
    told = rf"game hangs-late failed( in match \d+)?: ran for over 0\.5 s, at .*:({loop - 1}|{loop}) in moves"
    assert re.fullmatch(told, str(raised.value))


class Endless(Coins):
    def moves(self, state):
        while True:
            pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
@pytest.mark.slow
def test_a_game_that_never_begins_is_told_in_time():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(ArenaError, match=r"^game endless cannot be made: it is not ready within 1 s$"):
        arena.match("random", "first", matches=2, game=Endless, stall_seconds=0.2)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("cls", [MoveTwice, NotInTurn, SeatOutside, ValueOfTwo], ids=lambda cls: cls.__name__)
def test_what_breaks_a_promise_is_not_compiled(cls):
    """So that each ply is looked at."""
    assert reason(cls())


@pytest.mark.slow
def test_the_kit_finds_them_all():
    for cls in [*LATE, *AT_ONCE]:
        with pytest.raises(AssertionError, match=f"^{cls.__name__}: "):
            check_game(cls(), matches=20)

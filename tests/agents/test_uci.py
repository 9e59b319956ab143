"""Chess engines play by UCI: what they are told, how they answer, what is theirs to pay for."""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from types import MappingProxyType

import pytest

import arena
from arena import Rng
from arena.api.limits import Clock, Limits, tell_limits
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.matches.match import play_match
from arena.matches.remote_agent import Child, Remote
from arena.plan.opening_book import Opening
from arena.registry.plugins import registry
from arena.workers.worker import Watch
from arena_agents.engines.uci import UCI
from arena_agents.engines.uci_option import UciOption
from arena_games.tic_tac_toe import TicTacToe
from records import query

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs can play only on Linux and macOS")


class Squares(TicTacToe):
    """Tic-tac-toe as chess engines would be told it: the board in FEN, squares from a1 to c3."""

    def position_text(self, state):
        cells = super().position_text(state).replace(".", "1")
        board = "/".join(re.sub("1+", lambda ones: str(len(ones[0])), cells[i : i + 3]) for i in (0, 3, 6))
        return f"{board} {'wb'[self.to_move(state)]} - - 0 1"

    def move_text(self, move):
        return "abc"[move % 3] + str(3 - move // 3)


GAME = Squares()
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

# notes down what it is told; plays the first square that neither the position nor the moves have taken
ENGINE = """
import re, sys
notes = open(sys.argv[1], "a")
def say(*lines): print(*lines, sep="\\n", flush=True)
for line in sys.stdin:
    print(line, end="", file=notes, flush=True)
    word, _, rest = line.strip().partition(" ")
    if word == "uci":
        say("id name Fake", "option name Hash type spin default 16 min 1 max 64",
            "option name Clear Hash type button", "option name Ponder type check default true",
            "option name UCI_Chess960 type check default false",
            "option name Style type combo default Normal var Normal var Very Solid", "uciok")
    elif word == "isready":
        say("readyok")
    elif word == "position":
        fen, _, moves = rest.partition(" moves")
        fen = fen.replace("startpos", "fen 3/3/3")
        cells = re.sub("[1-9]", lambda n: "." * int(n[0]), fen.split()[1]).replace("/", "")
        taken = moves.split() + ["abc"[i % 3] + str(3 - i // 3) for i in range(9) if cells[i] != "."]
    elif word == "go":
        best = min({a + b for a in "abc" for b in "123"} - set(taken))
        say("info depth 1 score cp 10 nodes 5 pv " + best, "info depth 2 multipv 2 score cp 99 nodes 7",
            "info string a remark", "info depth 3 seldepth 9 score cp -35 nodes 1234 pv " + best)
        FAULT
        say("bestmove " + best + " ponder a1")
"""


@pytest.fixture
def engine(tmp_path):
    """Writes an engine; gives its command, and what it has been told."""

    def write(fault=""):
        (tmp_path / "engine.py").write_text(ENGINE.replace("FAULT", fault))
        return f"python3 {tmp_path}/engine.py {tmp_path}/told"

    def told():
        return (tmp_path / "told").read_text().splitlines()

    return write, told


class Last:
    def begin(self, seat):
        pass

    def choose(self, state, moves, rng):
        return moves[-1]


NINE = Limits(9, 0.0, 0.0)


def match(first, second, limits=NINE, opening=(), game=GAME):
    agents = first, second
    return play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening(tuple(opening)), limits, Watch()
    )


def test_an_engine_is_told_what_uci_says(engine):
    """Of a match by hand: it takes a1, a2, a3, the file a, and the other c1, b1."""
    write, told = engine
    record = match(UCI(GAME, command=write(), setoption=("Hash=32", "clear hash"), nodes=500), Last())
    assert (record.moves, record.result, record.chance) == ("a1 c1 a2 b1 a3", 1, 1)
    assert told() == [
        "uci",
        "setoption name Ponder value false",
        "setoption name UCI_Chess960 value false",
        "setoption name Hash value 32",
        "setoption name Clear Hash",
        "isready",
        "ucinewgame",
        "isready",
        "isready",
        "position fen 3/3/3 w - - 0 1",
        "go nodes 500",
        "isready",
        "position fen 3/3/3 w - - 0 1 moves a1 c1",
        "go nodes 500",
        "isready",
        "position fen 3/3/3 w - - 0 1 moves a1 c1 a2 b1",
        "go nodes 500",
    ]


def test_what_an_engine_says_of_its_moves_is_recorded(engine):
    """By the last line of its best move: depth 3, nodes 1234, 35 hundredths of a pawn behind."""
    agent = UCI(GAME, command=engine[0](), nodes=500)
    limits = Limits(9, 0.0, 0.0, Clock(60.0))
    record = match(agent, Last(), limits)
    assert [(used.ply, used.seat) for used in record.usage] == [(1, 0), (3, 0), (5, 0)]
    for used in record.usage:
        amounts = dict(used.amounts)
        assert 0 <= amounts.pop("seconds") < 60 >= amounts.pop("clock") > 0
        assert amounts == {"depth": 3, "nodes": 1234, "score": -35}


def test_an_engine_is_told_the_position_where_the_moves_to_it_are_not_known(engine):
    write, told = engine
    agent = UCI(GAME, command=write())
    agent.begin(0)
    state = GAME.read_position("XXOO.....")
    assert GAME.move_text(agent.choose(state, GAME.moves(state), Rng(0))) == "a1"
    assert "position fen XXO/O2/3 w - - 0 1" in told()


@pytest.mark.parametrize(
    ("options", "clock", "said"),
    [
        ({}, 0.0, "go movetime 100"),
        ({"movetime": 250}, 0.0, "go movetime 250"),
        ({"depth": 3}, 0.0, "go depth 3"),
        ({"depth": 3, "nodes": 9, "movetime": 5}, 0.0, "go depth 3 nodes 9 movetime 5"),
        ({}, 10.0, "go movetime 9000"),
        ({"movetime": 250}, 10.0, "go movetime 250"),
        ({"movetime": 20000}, 10.0, "go movetime 9000"),
        ({"depth": 3}, 10.0, "go depth 3 movetime 9000"),
        ({}, 0.5, "go movetime 450"),
        ({}, 0.25, "go movetime 200"),
        ({}, 0.0625, "go movetime 31"),
    ],
)
def test_what_limits_a_move(engine, options, clock, said):
    """What is entered, a tenth of a second by default; of the match's clock at most nine tenths.

    Fifty ms of it are kept at least, or half of it where it is shorter than a hundred.
    """
    write, told = engine
    agent = UCI(GAME, command=write(), **options)
    agent.move_seconds = clock
    match(agent, Last())
    assert {line for line in told() if line.startswith("go")} == {said}


def test_an_engine_is_told_the_clocks(engine):
    """In ms, white's and black's, of its own fifty kept for the way; movetime is for matches without one."""
    write, told = engine
    agent = UCI(GAME, command=write(), depth=3)
    limits = Limits(9, 0.0, 0.0, Clock(60.0, 0.5))
    tell_limits(agent, limits)
    agents = (Last(), agent)
    play_match(GAME, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening(), limits, Watch())
    first, second, *_ = (line.split() for line in told() if line.startswith("go"))
    assert first[:4] == ["go", "depth", "3", "wtime"]
    assert (first[5], first[6:]) == ("btime", ["59950", "winc", "500", "binc", "500"])
    assert 60000 < int(first[4]) <= 60500
    assert 59000 < int(second[6]) < 60450


class BlackFirst(Squares):
    """The same with Black to move at the start, as at `chess:start=8/5k2/8/8/8/8/4PP2/4K3 b - - 0 1`."""

    def position_text(self, state):
        return super().position_text(state).translate(str.maketrans("wb", "bw"))


@pytest.mark.parametrize("game", [GAME, BlackFirst()], ids=["white first", "black first"])
@pytest.mark.parametrize("opening", [(), (8,)], ids=["", "opening"])
@pytest.mark.parametrize("seat", [0, 1])
def test_an_engine_gets_its_own_clock_as_that_of_the_side_to_move(engine, game, opening, seat):
    """Whose clock is less than 60 s, by the 50 ms that are kept for the way, and what it has used."""
    write, told = engine
    agent = UCI(game, command=write())
    limits = Limits(9, 0.0, 0.0, Clock(60.0))
    tell_limits(agent, limits)
    agents = (agent, Last()) if seat == 0 else (Last(), agent)
    match(*agents, limits, opening, game)
    fen = next(line for line in told() if line.startswith("position"))
    moves = len(fen.partition(" moves ")[2].split())
    white_to_move = (" w " in fen) == (moves % 2 == 0)
    words = next(line for line in told() if line.startswith("go")).split()
    own, other = ("wtime", "btime") if white_to_move else ("btime", "wtime")
    clocks = {words[1]: int(words[2]), words[3]: int(words[4])}
    assert clocks[own] <= 59950 < clocks[other] <= 60000


def test_an_engine_is_told_the_moves_of_the_opening(engine):
    """Four plies, c1, b1, a1 and c2 by hand: more than could be found by search."""
    write, told = engine
    agent = UCI(GAME, command=write(), nodes=1)
    match(agent, Last(), opening=(8, 7, 6, 5))
    match(agent, Last(), opening=(8, 7))
    match(agent, Last())
    positions = [line for line in told() if line.startswith("position")]
    assert positions[0] == "position fen 3/3/3 w - - 0 1 moves c1 b1 a1 c2"
    assert positions[1] == "position fen 3/3/3 w - - 0 1 moves c1 b1 a1 c2 a2 b2"
    assert "position fen 3/3/3 w - - 0 1 moves c1 b1" in positions
    assert "position fen 3/3/3 w - - 0 1" in positions


@pytest.mark.slow
def test_it_is_told_them_in_a_process_of_its_own(engine):
    write, told = engine
    child = Child(uci_spec(write()), squares_spec(), Limits(9, 0.0, 0.0), False)
    try:
        remote = Remote(child, Watch(), (0, 0), 60.0)
        match(remote, Last(), opening=(8, 7, 6, 5))
    finally:
        child.close()
    assert "position fen 3/3/3 w - - 0 1 moves c1 b1 a1 c2" in told()


def uci_spec(command):
    return registry().spec("agent", f"uci:command={command},nodes=1")


def squares_spec():
    return Spec("squares", "test_uci:Squares", {})


def test_a_deterministic_engine_has_no_chance(engine):
    assert match(UCI(GAME, command=engine[0](), deterministic=True), Last()).chance == 0


def test_the_board_of_chess_at_the_start_has_a_name_in_uci(engine):
    """From the specification: `position startpos moves e2e4`."""

    class Chess(Squares):
        def position_text(self, state):
            return START if state == self.initial() else super().position_text(state)

    write, told = engine
    agent = UCI(Chess(), command=write())
    agent.begin(1)
    state = GAME.play(GAME.initial(), 6)
    agent.choose(state, GAME.moves(state), Rng(0))
    assert "position startpos moves a1" in told()


@pytest.mark.parametrize(
    ("fault", "reason", "detail"),
    [
        ("say('bestmove z9'); continue", "illegal move", "'z9' in 3/3/3 w - - 0 1"),
        ("say('bestmove 0000'); continue", "illegal move", "'0000' in 3/3/3 w - - 0 1"),
        ("say('bestmove (none)'); continue", "illegal move", r"'\(none\)' in 3/3/3 w - - 0 1"),
        ("sys.exit(3)", "crash", "python3 .* ended with status 3 after 'info depth 3 .*'"),
        ("raise ValueError('lost')", "crash", "python3 .* ended with status 1 .*'ValueError: lost'"),
        pytest.param(
            "while True: say('info nodes 1')",
            "crash",
            ".* sends a lot of output and no answer after 'info nodes 1'",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_goes_wrong_with_an_engine_is_told(engine, fault, reason, detail):
    record = match(UCI(GAME, command=engine[0](fault)), Last())
    assert (record.result, record.reason) == (-1, reason)
    assert re.fullmatch(detail, record.detail), record.detail


def test_a_move_that_is_said_twice_counts_once(engine):
    """What is still said to one question is not an answer to the next."""
    found = [match(UCI(GAME, command=engine[0](fault)), Last()) for fault in ("", "say('bestmove ' + best)")]
    assert found[0][:11] == found[1][:11]


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("Hsh=1", "it has no option 'Hsh', did you mean 'Hash'?"),
        ("Hash=999", "Hash takes a whole number from 1 to 64, not '999'"),
        ("Style=bogus", "Style takes one of Normal, Very Solid, not 'bogus'"),
        ("UCI_Chess960=true", "arena itself sets UCI_Chess960, to false at Squares, not 'true'"),
        ("ponder=true", "arena itself sets Ponder, to false at Squares, not 'true'"),
    ],
)
def test_an_engine_whose_options_are_wrong_is_not_made(engine, option, why):
    with pytest.raises(ArenaError, match=rf"^python3 .*: {re.escape(why)}$"):
        UCI(GAME, command=engine[0](), setoption=(option,))


def test_an_option_is_given_once(engine):
    with pytest.raises(ArenaError, match=r"Hash is given twice$"):
        UCI(GAME, command=engine[0](), setoption=("Hash=1", "hash=2"))


def test_what_arena_sets_may_be_given_as_it_is(engine):
    write, told = engine
    UCI(GAME, command=write(), setoption=("Style=VERY SOLID", "ponder=false", "uci_chess960=FALSE"))
    assert [line for line in told() if line.startswith("setoption")] == [
        "setoption name Ponder value false",
        "setoption name UCI_Chess960 value false",
        "setoption name Style value Very Solid",
    ]


class Needing(Squares):
    """A game whose rules an engine has to be told of."""

    uci_options = MappingProxyType({"UCI_Variant": "squares"})


def test_an_engine_without_what_the_rules_need_is_not_made(engine):
    with pytest.raises(ArenaError, match=r"it has no option UCI_Variant, which Needing needs$"):
        UCI(Needing(), command=engine[0]())


ANNOUNCED = [  # from the specification of UCI
    "option name Nullmove type check default true",
    "option name Selectivity type spin default 2 min 0 max 4",
    "option name Style type combo default Normal var Solid var Normal var Risky",
    "option name NalimovPath type string default c:\\",
    "option name Clear Hash type button",
    "option name Bias type spin default 0 min -50 max 50",
    "option name Loose type spin default 1",
]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("Nullmove=TRUE", "setoption name Nullmove value true"),
        ("Nullmove=1", "Nullmove takes true or false, not '1'"),
        ("Nullmove", "Nullmove needs a value: true or false"),
        ("Selectivity=0", "setoption name Selectivity value 0"),
        ("Selectivity=4", "setoption name Selectivity value 4"),
        ("Selectivity=5", "Selectivity takes a whole number from 0 to 4, not '5'"),
        ("Selectivity=-1", "Selectivity takes a whole number from 0 to 4, not '-1'"),
        ("Selectivity=2.0", "Selectivity takes a whole number from 0 to 4, not '2.0'"),
        ("Selectivity=", "Selectivity takes a whole number from 0 to 4, not ''"),
        ("Bias=-50", "setoption name Bias value -50"),
        ("Bias=-51", "Bias takes a whole number from -50 to 50, not '-51'"),
        ("Loose=-7", "setoption name Loose value -7"),
        ("Loose=x", "Loose takes a whole number, not 'x'"),
        ("Style=rISKY", "setoption name Style value Risky"),
        ("Style=Bold", "Style takes one of Solid, Normal, Risky, not 'Bold'"),
        ("NalimovPath=d:\\tb;c:\\a b", "setoption name NalimovPath value d:\\tb;c:\\a b"),
        ("NalimovPath=", "setoption name NalimovPath value <empty>"),
        ("NalimovPath", "NalimovPath needs a value: a text"),
        ("Clear Hash", "setoption name Clear Hash"),
        ("Clear Hash=1", "Clear Hash takes no value, not '1'"),
    ],
)
def test_values_are_held_against_what_the_engine_announces(given, sent):
    options = {option.name: option for option in map(UciOption.read, ANNOUNCED)}
    name, equals, value = given.partition("=")
    try:
        said = options[name].command(value if equals else None)
    except ArenaError as error:
        said = str(error)
    assert said == sent


@pytest.mark.slow
def test_wrong_options_are_refused_before_anything_is_recorded(engine, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "0")
    entry = UCI, {"command": engine[0](), "setoption": ("Hash=999",)}
    args = {"game": Squares, "matches": 2, "seed": 1, "db": tmp_path / "x.db", "progress": False}
    with pytest.raises(
        ArenaError, match=r"cannot play: .* Hash takes a whole number from 1 to 64, not '999'"
    ):
        arena.match(partial(entry[0], **entry[1]), "random", **args)
    assert query(tmp_path / "x.db", "SELECT * FROM tournaments") == []


def test_its_options_are_entered_by_text(engine):
    command = engine[0]()
    spec = registry().spec("agent", f"uci:command={command},setoption=(Hash=1,Clear Hash),depth=2")
    assert spec.values["setoption"] == ("Hash=1", "Clear Hash")
    assert registry().spec("agent", spec.text) == spec
    single = registry().spec("agent", f"uci:command={command},setoption=Hash=1")
    assert single.values["setoption"] == ("Hash=1",)
    assert registry().spec("agent", single.text) == single


def test_an_engine_explains_its_move(engine):
    """By the last score of its best line, as the program above gives it."""
    state = GAME.initial()
    views = UCI(GAME, command=engine[0]()).explain(state, GAME.moves(state))
    moves = map(GAME.move_text, GAME.moves(state))
    told = {move: dict(view.facts) for move, view in zip(moves, views, strict=True)}
    assert told.pop("a1") == {"score": -35.0, "depth": 3, "nodes": 1234}
    assert all(facts == {"score": None} for facts in told.values())


@pytest.mark.parametrize(
    ("said", "score"), [("mate 3", 999997), ("mate -2", -999998), ("cp 5 upperbound", 5)]
)
def test_a_mate_is_worth_more_than_any_pawns(engine, said, score):
    agent = UCI(GAME, command=engine[0](f"say('info depth 9 score {said} nodes 3')"))
    views = agent.explain(GAME.initial(), GAME.moves(GAME.initial()))
    assert {view.score for view in views} == {None, score}


def test_a_game_that_is_not_in_fen_is_refused(engine, tmp_path):
    with pytest.raises(
        ArenaError, match=r"^uci is for games with FEN positions; a position of TicTacToe is '\.{9}'$"
    ):
        UCI(TicTacToe(), command=engine[0]())


@pytest.mark.skipif(not shutil.which("stockfish"), reason="stockfish is not installed")
def test_stockfish_answers_as_it_is_asked():
    """Of the start of chess, whose twenty moves are known."""

    class Start(Squares):
        def position_text(self, state):
            return START

        def move_text(self, move):
            return move

    pawns = [f"{file}2{file}{rank}" for file in "abcdefgh" for rank in "34"]
    moves = [*pawns, "b1a3", "b1c3", "g1f3", "g1h3"]
    game = Start()
    agent = UCI(game, command="stockfish", nodes=1000)
    agent.begin(0)
    game.play = lambda state, move: state
    assert agent.choose(game.initial(), moves, Rng(0)) in moves

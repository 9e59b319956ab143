"""Openings of a book: how its file is read, what is refused, and which line begins which match."""

from __future__ import annotations

import json
import pickle
import threading
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import arena
from arena import Agent
from arena.errors import ArenaError
from arena.plan.completion import complete
from arena.plan.opening_book import BYTES, LINES, Opening
from arena.plan.plan import Plan
from arena.plan.schedule import Fixture
from arena.registry.plugins import registry
from arena.results.settings import Settings
from arena.rng import Streams
from commands import arena as command
from records import query

# the form of PDN and PGN, as far as it parts moves from what is none
PDN = """\
[Event "Some \\"cup\\" ]"]
[White "Tinsley"]
[Black "Chinook"]
[Result "1/2-1/2"]

1. 11-15 {old faithful;
which (everyone) plays} 23-19 2. 8-11! ; 22-17 would be other
22-17 (22-18? 15x22 (9-14 18x9) 25x18) 3. 9-13 $1 17-14 1/2-1/2

[Event "Second"]
[Result "*"]
1.11-15 23-18 2.8-11 *
12-16 24-20 0-1
"""
READ = ["11-15 23-19 8-11 22-17 9-13 17-14", "11-15 23-18 8-11", "12-16 24-20"]


def plan_of(openings: object, game: str = "connect-four", **more: object) -> tuple[Settings, Plan]:
    said = {"game": game, "entries": ["random", "first"], "seed": 5, **more}
    return complete(Settings(**said, openings=str(openings)), registry())  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "book.txt", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding)
        return path

    return write


# --- reading -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("4 4 3\n1 2\n", ["4 4 3", "1 2"]),
        ("# all good\n\n  4\t4 3 # known to be level\r\n#1\n1 2", ["4 4 3", "1 2"]),
        ("\ufeff4 4\n1 2\n4 4\n", ["4 4", "1 2"]),  # what comes twice counts once
    ],
)
def test_a_line_of_the_file_is_a_line_of_the_book(file, text, lines):
    assert plan_of(file(text))[0].book == lines


def test_matches_with_tags_are_lines_without_remarks_and_variations(file):
    assert plan_of(file(PDN), "checkers")[0].book == READ
    assert plan_of(f"{file(PDN)}:2", "checkers")[0].book == ["11-15 23-19", "11-15 23-18", "12-16 24-20"]


@pytest.mark.slow
def test_what_arena_exports_can_be_played_again(file, tmp_path):
    arena.tournament(
        ["random", "first"], game="checkers", rounds=3, seed=2, db=tmp_path / "a.db", executor="serial"
    )
    matches = command(tmp_path, "tournaments", "export", "1", "--notation", "--db", "a.db").stdout
    moves = query(tmp_path / "a.db", "SELECT moves FROM matches ORDER BY number")
    expected = dict.fromkeys(" ".join(text.split()[:5]) for (text,) in moves)
    assert plan_of(f"{file(matches)}:5", "checkers")[0].book == list(expected)


def test_only_the_first_plies_are_read_where_so_many_are_named(file):
    path = file("4 4 3 nonsense\n1 2\n4 4 3 3")
    assert plan_of(f"{path}:3")[0].book == ["4 4 3", "1 2"]
    assert plan_of(f"{path}:1")[0].book == ["4", "1"]


WHOLE = "1 2 1 2 1 2 1"  # four upon another
LONG = "4 4 4 4 4 4 3 3 3 3 3 3"


@pytest.mark.parametrize(
    ("text", "game", "error"),
    [
        ("4 4\n\n4 9\n1 x\n", "connect-four", r"book.txt, line 3: correct ply 2, .* has no move '9' here"),
        (
            WHOLE,
            "connect-four",
            "line 1: the match is over after '1', ply 7; 'FILE:N' plays only the first N plies",
        ),
        (WHOLE + " 3", "connect-four", "line 1: the match is over after '1', ply 7"),
        (f"{WHOLE}\n{LONG}", "connect-four", "line 1: the match is over"),
        (LONG, "connect-four", "line 1 has 12 plies, but matches end after 12; 'FILE:N'"),
        ("# nothing\n", "connect-four", "has no moves and no positions; write a line for each opening"),
        ("", "connect-four", "has no moves"),
        ('[Event "x"]\n\n1. 11-15 {and so', "checkers", "line 3: a comment is not closed"),
        ('[Event "x"]\n\n{\n}\n1. 11-15\n22-19 *', "checkers", "line 5: correct ply 2, .*'22-19'"),
        ("11-15 15-11", "checkers", "line 1: correct ply 2"),
    ],
)
def test_what_cannot_begin_a_match_is_refused_by_file_line_and_move(file, text, game, error):
    with pytest.raises(ArenaError, match=error) as raised:
        plan_of(file(text), game, max_plies=12)
    assert "\n" not in str(raised.value)


def test_a_line_by_whose_end_the_match_is_drawn_is_refused(file):
    path = file("11-15 23-19")  # two plies without a capture
    assert plan_of(path, "checkers:quiet_plies=3")[0].book == ["11-15 23-19"]
    with pytest.raises(ArenaError, match="line 1: the match is drawn by no capture at '23-19', ply 2"):
        plan_of(path, "checkers:quiet_plies=2")


@pytest.mark.slow
def test_a_book_has_its_limits(file):
    with pytest.raises(ArenaError, match="has 100,001 openings, but a book may have up to 100,000"):
        plan_of(file("4\n" * (LINES + 1)))
    with pytest.raises(ArenaError, match="has over 10,000,000 bytes"):
        plan_of(file("#" * (BYTES + 1)))
    with pytest.raises(ArenaError, match="is not a text file; write a line of moves"):
        plan_of(file("4 \0"))
    for text in ("no-such-file", "no-such-file:4", "book:0", "bad\0name", "."):
        with pytest.raises(ArenaError, match=r"openings '.*; write 'random:N'"):
            plan_of(text)


# --- which line begins which match -------------------------------------------------------------------------


def opening(plan, round, first=0, second=1):
    return plan.opening(plan.game.make(), Fixture(0, round, first, second))


@pytest.mark.parametrize("shared", [False, True])
def test_every_line_is_played_before_one_is_again_and_then_in_another_order(file, shared):
    lines = [f"{a} {b}" for a, b in product("1234567", repeat=2)]
    plan = plan_of(file("\n".join(lines)), shared_openings=shared)[1]
    game = plan.game.make()
    times = [
        [" ".join(map(game.move_text, opening(plan, 49 * time + i).moves)) for i in range(49)]
        for time in range(3)
    ]
    assert all(sorted(time) == lines for time in times)
    assert len({tuple(time) for time in [*times, lines]}) == 4
    other = plan_of(file("\n".join(lines)), seed=6, shared_openings=shared)[1]
    assert [opening(plan, i) for i in range(49)] != [opening(other, i) for i in range(49)]


def test_any_order_of_a_few_lines_is_as_likely_as_another(file):
    path = file("1\n2\n3")
    plan = plan_of(path, shared_openings=True)[1]
    book = replace(plan.openings, book=(Opening((1,)), Opening((2,)), Opening((3,))))
    plans = (replace(plan, openings=book, streams=Streams(seed)) for seed in range(1200))
    found = Counter(tuple(move for i in range(3) for move in opening(each, i).moves) for each in plans)
    assert path.exists()
    assert len(found) == 6
    assert all(abs(n - 200) < 5 * (200 * 5 / 6) ** 0.5 for n in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_both_seats_of_a_round_begin_alike_and_all_pairings_if_they_share_openings(tmp_path, file, shared):
    path = file("4 4 3\n1 2\n7\n")
    arena.tournament(
        ["random", "first", "greedy", "minimax"],
        game="connect-four",
        rounds=4,
        seed=2,
        openings=path,
        shared_openings=shared,
        db=tmp_path / "a.db",
    )
    found = query(tmp_path / "a.db", "SELECT round, first, second, moves, opening FROM matches")
    begun = {
        (round, frozenset([first, second]), " ".join(moves.split()[:plies]))
        for round, first, second, moves, plies in found
    }
    assert len(begun) == 4 * 6
    assert {line for *_, line in begun} == {"4 4 3", "1 2", "7"}
    assert (len({(round, line) for round, _, line in begun}) == 4) == shared


def test_a_book_travels_once_and_is_the_same_there(file):
    plan = plan_of(file("4 4 3\n1 2\n"))[1]
    one, other = (pickle.loads(pickle.dumps(plan)) for _ in range(2))
    assert one == other == plan
    assert one.openings is other.openings


# --- what is recorded ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_tournament_goes_on_without_its_file(tmp_path, file, monkeypatch):
    """What was read is what is played, whatever becomes of the file."""
    monkeypatch.chdir(tmp_path)
    path = file("4 4 3\n1 2\n7\n")
    how = {"game": "connect-four", "rounds": 6, "seed": 2, "openings": "book.txt:2"}
    whole = arena.tournament(["random", "first"], **how, db="whole.db")
    stop = threading.Event()
    stop.set()
    assert arena.tournament(["random", "first"], **how, db="part.db", stop=stop).played < 12
    path.unlink()
    again = arena.resume(1, db="part.db")
    assert again.played == whole.played == 12
    matches = "SELECT number, moves, opening FROM matches ORDER BY number"
    assert query(tmp_path / "part.db", matches) == query(tmp_path / "whole.db", matches)
    settings = json.loads(query(tmp_path / "whole.db", "SELECT settings FROM tournaments")[0][0])
    assert settings["book"] == ["4 4", "1 2", "7"]
    assert "  book: 3 lines" in str(arena.tournaments.show(1, db="whole.db"))


@pytest.mark.slow
def test_ratings_go_by_what_a_book_says_and_not_by_its_name(tmp_path, file):
    """Matches of equal lines are the same matches, and counted once; those of others are others."""
    how = {"game": "connect-four", "rounds": 3, "seed": 2, "db": tmp_path / "a.db"}
    one, same, other = (
        file(text, name) for text, name in (("4 4\n3", "a.txt"), ("4 4\n\n3 #", "b.txt"), ("4 3", "c.txt"))
    )
    for path in (one, same):
        arena.tournament(["random", "first"], openings=path, **how)
    assert [row.matches for row in arena.leaderboard("connect-four", db=tmp_path / "a.db")[0].rows] == [6, 6]
    one.write_text("4 3")
    arena.tournament(["random", "first"], openings=one, **how)
    assert [row.matches for row in arena.leaderboard("connect-four", db=tmp_path / "a.db")[0].rows] == [
        12,
        12,
    ]
    arena.tournament(["random", "first"], openings=other, **how)
    assert [row.matches for row in arena.leaderboard("connect-four", db=tmp_path / "a.db")[0].rows] == [
        12,
        12,
    ]


def test_a_file_of_settings_names_the_book_beside_it(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "book.txt").write_text("4 4\n1 2")
    toml = 'game = "connect-four"\nentries = ["random", "first"]\nrounds = 2\nopenings = "book.txt:1"\n'
    (tmp_path / "there" / "own.toml").write_text(toml)
    command(tmp_path, "tournament", "there/own.toml", "--db", "a.db")
    assert {opening for (opening,) in query(tmp_path / "a.db", "SELECT opening FROM matches")} == {1}
    (tmp_path / "there" / "own.toml").write_text(toml + 'book = ["1"]\n')
    with pytest.raises(ArenaError, match="'book' cannot be set"):
        arena.tournament(file=tmp_path / "there" / "own.toml", db=tmp_path / "b.db")


class Follower(Agent):
    """Plays the last move where the match has an opening, else the first; `choose` would run compiled."""

    def prepare(self):
        self.known = 0

    def follow_opening(self, moves, start):
        self.known = len(moves)

    def choose(self, state, moves, rng):
        return moves[len(moves) - 1] if self.known > 1 else moves[0]


@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
@pytest.mark.parametrize("compiled", ["0", pytest.param("1", marks=pytest.mark.slow)])
@pytest.mark.parametrize("isolate", [False, pytest.param([Follower], marks=pytest.mark.slow)])
def test_agents_that_ask_for_the_opening_get_it(tmp_path, monkeypatch, executor, compiled, isolate):
    """By hand: after columns 1 and 2 it is to play 7, the last one, and else 4, the first in order."""
    monkeypatch.setenv("ARENA_COMPILED", compiled)
    (tmp_path / "book.txt").write_text("1 2\n")
    where = {"executor": executor, "isolate": isolate, "db": tmp_path / "x.db", "progress": False, "seed": 1}
    for openings, move in ((tmp_path / "book.txt", "7"), ("none", "4")):
        found = arena.tournament(
            [Follower, "first"], game="connect-four", rounds=1, openings=openings, **where
        )
        for text in arena.tournaments.export(found.number, tmp_path / "x.db"):
            match = json.loads(text)
            own = match["moves"][match["opening"] :][match["first"] == "first" :: 2]
            assert own[0] == move

"""Matches inside compiled code: the same as in plain Python, in every respect."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from arena import Agent
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.compiler import is_compiled, with_compiled_rules
from arena.matches.block import COMPILED_BLOCK, play_block
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from arena.results.tally import Summary, Tally
from arena.workers.worker import this_worker
from commands import arena_compiled as arena
from commands import in_a_new_worker
from records import rows
from tiers import campaign, slow

ENTRIES = (
    "random",
    "first",
    "greedy",
    "minimax:depth=2",
    "alpha-beta:depth=2",
    "alpha-beta:nodes=60,table=64,deeper=true",
)
FEW = ("random", "first", "greedy", "alpha-beta:depth=2")  # where other rules have all compiled anew


def plan_of(game: str, entries=ENTRIES, rounds: int = 1, **settings) -> Plan:
    said = Settings(game=game, entries=list(entries), rounds=rounds, seed=11, **settings)
    return complete(said, registry())[1]


def storyless(records: list[Record]) -> list[Record]:
    """Without the lines that are at fault, which compiled code does not tell."""
    return [record._replace(story=None) for record in timeless(records)]


def timeless(records: list[Record]) -> list[Record]:
    return [record._replace(first_seconds=0, second_seconds=0) for record in records]


@pytest.fixture
def plain(monkeypatch):
    """Plays a plan's matches, or some, move by move in plain Python."""

    def play(plan: Plan, numbers: range | None = None) -> list[Record]:
        with monkeypatch.context() as patch:
            patch.setenv("ARENA_COMPILED", "0")
            return in_a_new_worker(play_block, plan, numbers or range(plan.matches), Records).played

    return play


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("tic-tac-toe", {}),
        *slow(
            ("tic-tac-toe", {"openings": "random:3", "rounds": 3}),
            ("tic-tac-toe", {"openings": "random:3", "rounds": 3, "streams": 1}),
            ("tic-tac-toe", {"max_plies": 6}),
            ("checkers", {"openings": "random:5"}),
            ("checkers:repetition=0,quiet_plies=30", {}),
            ("checkers-4x4", {"rounds": 2}),
        ),
        *campaign(
            ("connect-four", {"openings": "random:4"}),
            ("checkers:repetition=2,quiet_plies=12", {"max_plies": 90}),
            ("checkers:capture_to_win=true,repetition=2", {"entries": FEW}),
            ("checkers-4x4:capture_to_win=true", {"entries": FEW, "openings": "random:2"}),
        ),
    ],
)
def test_compiled_matches_are_the_same_as_plain_ones(game, settings, plain):
    plan = plan_of(game, **settings)
    records = play_block(plan, range(plan.matches), Records).played
    assert all(this_worker().kept[COMPILED_BLOCK].seats.values())
    assert timeless(records) == timeless(plain(plan))
    assert {record.number for record in records} == set(range(plan.matches))


@pytest.mark.parametrize(
    ("game", "book"),
    [
        ("connect-four", ["4", "4 4 3", "1 2 1 2", "7 7"]),
        *slow(("checkers", ["11-15", "11-15 23-19 8-11", "9-13 22-17"])),
    ],
)
def test_compiled_matches_of_a_book_are_the_same_as_plain_ones(game, book, plain):
    """Through it three times, in blocks that begin anywhere."""
    plan = plan_of(game, ("random", "greedy", "first"), 3 * len(book), openings="book", book=book)
    records = plain(plan)
    begun = [
        tuple(record.moves.split()[: record.opening]) for record in records if record.first < record.second
    ]
    assert set(begun) == {tuple(line.split()) for line in book}
    for numbers in (range(plan.matches), range(17, plan.matches), range(5, 6), range(plan.matches)):
        played = play_block(plan, numbers, Records).played
        assert timeless(played) == timeless(records[numbers.start : numbers.stop])
    assert all(this_worker().kept[COMPILED_BLOCK].seats.values())


@pytest.mark.slow
def test_all_kinds_of_draws_were_among_those():
    """The plans above are not a proof for repetition, captures and length unless they end matches."""
    reasons = set()
    for game, entries in (
        ("checkers:repetition=2,quiet_plies=12", ENTRIES),
        ("checkers:capture_to_win=true,repetition=2", FEW),
    ):
        plan = plan_of(game, entries, rounds=4, max_plies=90)
        reasons |= {record.reason for record in play_block(plan, range(plan.matches), Records).played}
    assert reasons == {"rules", "repetition", "no capture", "max plies"}


@pytest.mark.slow
def test_a_match_does_not_depend_on_the_block_it_is_played_in(plain):
    plan = plan_of("checkers", openings="random:2", rounds=2)
    whole = timeless(play_block(plan, range(plan.matches), Records).played)
    for start in range(0, plan.matches, 7):
        numbers = range(start, min(start + 7, plan.matches))
        assert timeless(play_block(plan, numbers, Records).played) == whole[numbers.start : numbers.stop]


@pytest.mark.slow
def test_a_summary_counts_what_the_records_say():
    plan = plan_of("connect-four", ["random", "first", "alpha-beta:depth=2,ties=first"], rounds=9)
    records = play_block(plan, range(plan.matches), Records).played
    summary = play_block(plan, range(plan.matches), Summary).played
    assert summary.matches == plan.matches
    one, other = Tally(), Tally()
    one.add(records)
    other.add_summary(summary)
    assert one.counts == other.counts
    assert {kind for _, _, kind in one.counts} == {"chance", "fixed", "copy"}


@pytest.mark.slow
def test_times_are_taken_where_matches_are_recorded():
    plan = plan_of("checkers", ["alpha-beta:depth=5", "first"])
    for record in play_block(plan, range(plan.matches), Records).played:
        slow, fast = record.first_seconds, record.second_seconds
        if record.first == 1:
            slow, fast = fast, slow
        assert 0 < fast < slow < 60


def test_matches_by_the_clock_are_played_move_by_move(plain):
    plan = plan_of("tic-tac-toe", ["random", "minimax"], rounds=3, move_seconds=30.0)
    unclocked = plan_of("tic-tac-toe", ["random", "minimax"], rounds=3)
    assert isinstance(plan.limits, Limits)
    assert plan.limits.move_seconds == 30
    records = timeless(play_block(plan, range(plan.matches), Records).played)
    assert records == timeless(play_block(unclocked, range(plan.matches), Records).played)


@pytest.mark.slow
def test_an_agent_in_plain_python_meets_compiled_ones(tmp_path, plugin):
    """Its matches are as they would be if nothing were compiled."""
    env = plugin(
        last="""
from arena import Agent, hookimpl

class Last(Agent):
    "Plays the last move, and looks one ply ahead to no end."
    def choose(self, state, moves, rng):
        for move in moves:
            after = self.game.play(state, move)
            assert isinstance(after, tuple) and all(type(word) is int for word in after)
            assert all(type(reply) is int for reply in self.game.moves(after))
        return moves[-1]

@hookimpl
def register_agents(register):
    register("last", "last:Last")
"""
    )
    found = {}
    for compiled in ("1", "0"):
        folder = tmp_path / compiled
        folder.mkdir()
        named = [word for entry in ("last", "random", "greedy", "first") for word in ("--entry", entry)]
        args = ("--game", "checkers", "--rounds", "2", "--seed", "3", "--db", "arena.db")
        arena(folder, "tournament", *named, *args, ARENA_COMPILED=compiled, **env)
        found[compiled] = rows(folder / "arena.db")
    assert found["1"] == found["0"]


@pytest.mark.slow
def test_any_number_of_workers_of_any_kind_plays_the_same(tmp_path):
    found = []
    for executor, workers in (("processes", 1), ("processes", 3), ("threads", 2), ("serial", 1)):
        db = f"{executor}-{workers}.db"
        named = [word for entry in ENTRIES for word in ("--entry", entry)]
        args = ("--game", "checkers-4x4", "--rounds", "3", "--seed", "3", "--db", db)
        arena(tmp_path, "tournament", *named, *args, "--workers", str(workers), "--executor", executor)
        found.append(rows(tmp_path / db))
    assert len(found[0]["matches"]) == 3 * len(ENTRIES) * (len(ENTRIES) - 1)
    assert all(other == found[0] for other in found)


# --- agents that take liberties with their moves --------------------------------------------------------


class Sorting(Agent):
    """Has its moves in an order of its own, of which it plays the first."""

    def choose(self, state, moves, rng):
        moves.sort(reverse=True)
        return moves[0]


class Overwriting(Agent):
    """Says that the only move is one that there is not."""

    def choose(self, state, moves, rng):
        for i in range(len(moves)):
            moves[i] = 77
        return moves[0]


class Shuffling(Agent):
    """Plays what is left when the others are thrown away."""

    def choose(self, state, moves, rng):
        rng.shuffle(moves)
        for i in range(1, len(moves)):
            moves[i] = -5
        return moves[0]


class Negative(Agent):
    def choose(self, state, moves, rng):
        return -1


class Huge(Agent):
    def choose(self, state, moves, rng):
        return 2**62 + moves[0]


class Late(Agent):
    """Counts its turns, and plays what there is not from the third on."""

    def prepare(self):
        self.turns = 0

    def begin(self, seat):
        self.turns = 0

    def choose(self, state, moves, rng):
        self.turns += 1
        return moves[0] if self.turns < 3 else 100 * self.turns


class Beyond(Agent):
    """Gives what stands behind its list."""

    def choose(self, state, moves, rng):
        return moves[len(moves)] if rng.random() < 2 else rng.choice(moves)


class Before(Agent):
    """Gives what stands before its list."""

    def choose(self, state, moves, rng):
        return moves[-1 - len(moves)]


class Last(Agent):
    """Counts from the end."""

    def choose(self, state, moves, rng):
        return moves[-len(moves)] if rng.below(2) else moves[-1]


class Renaming(Agent):
    """Has its own list by the name of the one that it was given."""

    def choose(self, state, moves, rng):
        moves = [move + 50 for move in moves]
        return moves[0]


class Walrus(Agent):
    """The same, within an expression."""

    def choose(self, state, moves, rng):
        if len(moves := [move + 50 for move in moves]) == 0:
            return 0
        return rng.choice(moves)


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (Sorting, "rules"),
        *slow(
            (Last, "rules"),
            (Beyond, "crash"),
            (Before, "crash"),
            (Renaming, "illegal move"),
            (Walrus, "illegal move"),
            (Shuffling, "rules"),
            (Overwriting, "illegal move"),
            (Negative, "illegal move"),
            (Huge, "illegal move"),
            (Late, "illegal move"),
        ),
    ],
)
@pytest.mark.parametrize("game", ["tic-tac-toe", *slow("connect-four")])
def test_a_move_is_legal_or_not_the_same_compiled_and_plain(game, cls, reason, plain):
    plan = plan_of(game, ["random", "first"], rounds=8)
    odd = Spec(cls.__name__.lower(), f"{__name__}:{cls.__name__}", {})
    plan = replace(plan, entries=(odd, plan.entries[1]))
    assert is_compiled(odd.make(plan.game.make()))
    records = play_block(plan, range(plan.matches), Records).played
    assert storyless(records) == storyless(plain(plan))
    assert {record.reason for record in records} == {reason}
    if reason != "rules":
        assert all(record.result == (-1 if record.first == 0 else 1) for record in records)


# --- agents at fault ------------------------------------------------------------------------------------

FAULTY = """
import math
import numpy as np
from arena import Agent, hookimpl

class Sound(Agent):
    "The first move."
    def choose(self, state, moves, rng):
        return moves[0]

class Outside(Sound):
    def choose(self, state, moves, rng):
        return 9

class Negative(Sound):
    def choose(self, state, moves, rng):
        return -1

class Hanging(Sound):
    def prepare(self):
        self.turns = 0
    def choose(self, state, moves, rng):
        while len(moves) > 0:
            self.turns += 1
        return moves[0]

class Wild(Sound):
    def prepare(self):
        self.numbers = np.zeros(9, np.int64)
    def choose(self, state, moves, rng):
        return self.numbers[1 << 50]

class Raising(Sound):
    def choose(self, state, moves, rng):
        raise ValueError("no idea")

class Odd(Sound):
    def choose(self, state, moves, rng):
        return moves[math.comb(2, 3)]

class Broken(Sound):
    def prepare(self):
        raise ValueError("no weights")

@hookimpl
def register_agents(register):
    for cls in Sound, Outside, Negative, Hanging, Wild, Raising, Odd, Broken:
        register(cls.__name__.lower(), "culprits:" + cls.__name__)
"""


@pytest.fixture(scope="module")
def culprits(plugin):
    return plugin(culprits=FAULTY)


def fault_of(tmp_path, env, name, *args, status=0):
    """How an agent fared against random: its rows, and what was said."""
    given = ("--matches", "4", "--seed", "1", "--record", "--db", "arena.db", "--workers", "2", *args)
    said = arena(tmp_path, "match", name, "random", *given, status=status, **env)
    return rows(tmp_path / "arena.db")["matches"], said.stderr


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("outside", "illegal move", "9 in "),
        ("negative", "illegal move", "-1 in "),
        ("hanging", "stall", "no move within 1 s"),
        ("wild", "crash", "IndexError: array index out of range"),
        ("raising", "crash", "ValueError: no idea"),
        ("broken", "crash", "ValueError: no weights"),
    ],
)
@pytest.mark.slow
def test_a_compiled_agents_fault_costs_it_the_match(tmp_path, culprits, name, reason, detail):
    matches, said = fault_of(
        tmp_path, culprits, name, "--stall-seconds", "1", "--withdraw-after", "0", "--keep-going", status=1
    )
    assert len(matches) == 4
    for match in matches:
        first, result = match[2], match[4]
        assert match[5] == reason
        assert result == (-1 if first == matches[0][2] else 1)
    assert detail in matches[0][6]
    assert f"{name} forfeited 4" in said


@pytest.mark.slow
def test_an_agent_that_does_not_compile_plays_on_in_plain_python(tmp_path, culprits):
    """It plays the first move always; one line tells where the reason stands."""
    matches, _ = fault_of(tmp_path, culprits, "odd")
    assert [match[5] for match in matches] == ["rules"] * 4
    said = arena(tmp_path, "agents", "odd", **culprits).stdout
    assert re.search(r"runs in plain Python at tic-tac-toe: .*culprits.py, line \d+", said)


@pytest.mark.slow
def test_what_is_odd_in_a_block_leaves_the_rest_of_it_alone(tmp_path, culprits):
    named = [word for entry in ("outside", "sound", "random") for word in ("--entry", entry)]
    args = ("--rounds", "20", "--seed", "3", "--db", "arena.db", "--workers", "1")
    arena(tmp_path, "tournament", *named, *args, **culprits)
    found = rows(tmp_path / "arena.db")["matches"]
    forfeits = [match for match in found if match[5] == "illegal move"]
    assert len(found) == 120
    assert len(forfeits) == 80


# --- checked mode ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_checked_mode_plays_the_same(tmp_path):
    named = [word for entry in ENTRIES for word in ("--entry", entry)]
    args = ("--game", "checkers-4x4", "--rounds", "1", "--seed", "3", "--db", "arena.db")
    found = []
    for checked in ("0", "1"):
        folder = tmp_path / checked
        folder.mkdir()
        arena(folder, "tournament", *named, *args, ARENA_CHECKED=checked)
        found.append(rows(folder / "arena.db"))
    assert found[0] == found[1]
    assert is_compiled(with_compiled_rules(registry().spec("game", "checkers-4x4").make()))

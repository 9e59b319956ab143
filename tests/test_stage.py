"""Matches inside compiled code: the same as in plain Python, in every respect."""

from __future__ import annotations

import pytest
from commands import arena_compiled as arena
from conftest import rows

from arena.blocks import play_block
from arena.compiled import engine
from arena.match import Limits, Record
from arena.plugins import registry
from arena.schedule import Plan
from arena.settings import Settings, complete
from arena.tally import Summary, Tally

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


def timeless(records: list[Record]) -> list[Record]:
    return [record._replace(first_seconds=0, second_seconds=0) for record in records]


@pytest.fixture
def plain(monkeypatch):
    """Plays a plan's matches, or some, move by move in plain Python."""

    def play(plan: Plan, numbers: range | None = None) -> list[Record]:
        with monkeypatch.context() as patch:
            patch.setenv("ARENA_COMPILED", "0")
            patch.setattr("arena.blocks.local", type("Local", (), {})())
            return play_block(plan, numbers or range(plan.matches), list)[0]

    return play


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("tic-tac-toe", {}),
        ("tic-tac-toe", {"openings": "random:3", "rounds": 3}),
        ("tic-tac-toe", {"max_plies": 6}),
        ("connect-four", {"openings": "random:4"}),
        ("checkers", {"openings": "random:5"}),
        ("checkers:repetition=2,quiet_plies=12", {"max_plies": 90}),
        ("checkers:repetition=0,quiet_plies=30", {}),
        ("checkers:capture_to_win=true,repetition=2", {"entries": FEW}),
        ("checkers-4x4", {"rounds": 2}),
        ("checkers-4x4:capture_to_win=true", {"entries": FEW, "openings": "random:2"}),
    ],
)
@pytest.mark.always(1)
def test_compiled_matches_are_the_same_as_plain_ones(game, settings, plain):
    plan = plan_of(game, **settings)
    records, _ = play_block(plan, range(plan.matches), list)
    assert timeless(records) == timeless(plain(plan))
    assert {record.number for record in records} == set(range(plan.matches))


@pytest.mark.slow
def test_all_kinds_of_draws_were_among_those():
    """The plans above are no proof for repetition, captures and length unless they end matches."""
    reasons = set()
    for game, entries in (
        ("checkers:repetition=2,quiet_plies=12", ENTRIES),
        ("checkers:capture_to_win=true,repetition=2", FEW),
    ):
        plan = plan_of(game, entries, max_plies=90)
        reasons |= {record.reason for record in play_block(plan, range(plan.matches), list)[0]}
    assert reasons == {"rules", "repetition", "no capture", "max plies"}


@pytest.mark.slow
def test_a_match_does_not_depend_on_the_block_it_is_played_in(plain):
    plan = plan_of("checkers", openings="random:2", rounds=2)
    whole = timeless(play_block(plan, range(plan.matches), list)[0])
    for start in range(0, plan.matches, 7):
        numbers = range(start, min(start + 7, plan.matches))
        assert timeless(play_block(plan, numbers, list)[0]) == whole[numbers.start : numbers.stop]


@pytest.mark.slow
def test_a_summary_counts_what_the_records_say():
    plan = plan_of("connect-four", ["random", "first", "alpha-beta:depth=2,ties=first"], rounds=9)
    records, _ = play_block(plan, range(plan.matches), list)
    summary, _ = play_block(plan, range(plan.matches), Summary)
    assert summary.matches == plan.matches
    one, other = Tally(), Tally()
    one.add(records)
    other.add_summary(summary)
    assert one.counts == other.counts
    assert {kind for _, _, kind in one.counts} == {"chance", "fixed", "copy"}


@pytest.mark.slow
def test_times_are_taken_where_matches_are_recorded():
    plan = plan_of("checkers", ["alpha-beta:depth=5", "first"])
    for record in play_block(plan, range(plan.matches), list)[0]:
        slow, fast = record.first_seconds, record.second_seconds
        if record.first == 1:
            slow, fast = fast, slow
        assert 0 < fast < slow < 60


def test_matches_by_the_clock_are_played_move_by_move(plain):
    plan = plan_of("tic-tac-toe", ["random", "minimax"], rounds=3, move_seconds=30.0)
    unclocked = plan_of("tic-tac-toe", ["random", "minimax"], rounds=3)
    assert isinstance(plan.limits, Limits)
    assert plan.limits.move_seconds == 30
    records = timeless(play_block(plan, range(plan.matches), list)[0])
    assert records == timeless(play_block(unclocked, range(plan.matches), list)[0])


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


# --- kernels at fault -----------------------------------------------------------------------------------

KERNELS = """
import math
import sys
from arena import FastAgent, hookimpl
from arena.kernel import Arrays, Int, IntPointer, Rules, State, ints, variant

def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return 0

def outside(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return n

def negative(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return -1

def hanging(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    i = 0
    while n > 0:
        i += 1
        ints(arrays, 0)[0] = i
    return 0

def wild(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return work[1 << 50]

def odd(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return math.comb(n, n + 1)

class Kernel(FastAgent):
    "The first move."
    kernel = sys.modules[__name__]
    def arrays(self):
        return [[0]]

class Outside(Kernel):
    kernel = variant(sys.modules[__name__], {"choose": outside})

class Negative(Kernel):
    kernel = variant(sys.modules[__name__], {"choose": negative})

class Hanging(Kernel):
    kernel = variant(sys.modules[__name__], {"choose": hanging})

class Wild(Kernel):
    kernel = variant(sys.modules[__name__], {"choose": wild})

class Odd(Kernel):
    kernel = variant(sys.modules[__name__], {"choose": odd})

class Broken(Kernel):
    def arrays(self):
        raise ValueError("no weights")

class Textual(Kernel):
    def arrays(self):
        return [["a"]]

@hookimpl
def register_agents(register):
    for cls in Kernel, Outside, Negative, Hanging, Wild, Odd, Broken, Textual:
        register(cls.__name__.lower(), "kernels:" + cls.__name__)
"""


@pytest.fixture(scope="module")
def kernels(plugin):
    source = "from __future__ import annotations\n" + KERNELS
    return plugin(kernels=source)


def fault_of(tmp_path, env, name, *args):
    """How an agent fared against random: its rows, and what was said."""
    given = ("--matches", "4", "--seed", "1", "--record", "--db", "arena.db", "--workers", "2", *args)
    said = arena(tmp_path, "match", name, "random", *given, **env)
    return rows(tmp_path / "arena.db")["matches"], said.stderr


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("outside", "crash", "IndexError: its kernel chose move 9 of 9"),
        ("negative", "crash", "IndexError: its kernel chose move -1 of 9"),
        ("hanging", "stall", "no move within 1 s"),
        ("wild", "crash", "the process was ended by SIGSEGV"),
        ("broken", "crash", "ValueError: no weights"),
        ("textual", "crash", "Textual: arrays gives ['a']; give ints or floats"),
    ],
)
@pytest.mark.slow
def test_a_kernels_fault_costs_its_agent_the_match(tmp_path, kernels, name, reason, detail):
    matches, said = fault_of(tmp_path, kernels, name, "--stall-seconds", "1")
    assert len(matches) == 4
    for match in matches:
        first, result = match[2], match[4]
        assert match[5] == reason
        assert result == (-1 if first == matches[0][2] else 1)
    assert detail in matches[0][6]
    assert f"{name} forfeited 4" in said


@pytest.mark.slow
def test_a_kernel_that_does_not_compile_plays_on_in_plain_python(tmp_path, kernels):
    """With one line that says where and why; it plays move 0 always."""
    matches, said = fault_of(tmp_path, kernels, "odd")
    assert [match[5] for match in matches] == ["rules"] * 4
    assert "Warning: Odd stays plain Python, and slow: kernels.py, line" in said


@pytest.mark.slow
def test_what_is_odd_in_a_block_leaves_the_rest_of_it_alone(tmp_path, kernels):
    named = [word for entry in ("outside", "kernel", "random") for word in ("--entry", entry)]
    args = ("--rounds", "20", "--seed", "3", "--db", "arena.db", "--workers", "1")
    arena(tmp_path, "tournament", *named, *args, **kernels)
    found = rows(tmp_path / "arena.db")["matches"]
    forfeits = [match for match in found if match[5] == "crash"]
    assert len(found) == 120
    assert len(forfeits) == 80


# --- checked mode ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_checked_mode_plays_the_same_and_finds_what_leaves_its_arrays(tmp_path, kernels):
    """What is a wild read without it, and may do anything, is an error that names the agent's fault."""
    named = [word for entry in ENTRIES for word in ("--entry", entry)]
    args = ("--game", "checkers-4x4", "--rounds", "1", "--seed", "3", "--db", "arena.db")
    found = []
    for checked in ("0", "1"):
        folder = tmp_path / checked
        folder.mkdir()
        arena(folder, "tournament", *named, *args, ARENA_CHECKED=checked)
        found.append(rows(folder / "arena.db"))
    assert found[0] == found[1]
    matches, _ = fault_of(tmp_path, {**kernels, "ARENA_CHECKED": "1"}, "wild")
    assert "IndexError" in matches[0][6]
    assert engine(registry().spec("game", "checkers-4x4").make()) is not None

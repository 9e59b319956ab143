"""An agent that counts or remembers in its attributes plays alike however its matches are distributed."""

from __future__ import annotations

import pytest

from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.compiler import native
from arena.matches.block import play_block
from arena.matches.driver import play
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.results.records import Records
from arena.rng import Streams
from arena.sandbox import missing
from arena.workers.pools import Workers
from arena.workers.processes import Processes
from tiers import slow

walled = pytest.mark.skipif(bool(missing()), reason="needs Landlock and seccomp")
ROUNDS = 6

HEAD = """
import itertools, random
from collections import Counter, defaultdict, deque
import numpy as np
from arena import Agent

class Box:
    def __init__(self):
        self.n = 0

"""
AGENT = """
class {name}(Agent):
    def prepare(self):
        {prepare}

    def choose(self, state, moves, rng):
        {count}
        return moves[n % len(moves)]

"""
WAYS = {
    "Number": ("self.n = 0", "self.n += 1; n = self.n"),
    "Real": ("self.n = 0.0", "self.n += 1.0; n = int(self.n)"),
    "Items": ("self.n = [0]", "self.n[0] += 1; n = self.n[0]"),
    "Growing": ("self.n = []", "self.n.append(len(moves)); n = len(self.n)"),
    "Table": ("self.n = {0: 0}", "self.n[0] += 1; n = self.n[0]"),
    "Cache": ("self.n = {}", "self.n[len(self.n)] = 1; n = len(self.n)"),
    "Defaults": ("self.n = defaultdict(int)", "self.n[1] += 1; n = self.n[1]"),
    "Members": ("self.n = set()", "self.n.add(len(self.n)); n = len(self.n)"),
    "Queue": ("self.n = deque([0])", "self.n.append(1); n = len(self.n)"),
    "Counts": ("self.n = Counter()", "self.n['a'] += 1; n = self.n['a']"),
    "Array": ("self.n = np.zeros(2, np.int64)", "self.n[1] += 1; n = int(self.n[1])"),
    "Bytes": ("self.n = np.zeros(11, np.int8)", "self.n[9] += 1; n = int(self.n[9])"),
    "Shorts": ("self.n = np.zeros(3, np.int16)", "self.n[2] += 1; n = int(self.n[2])"),
    "Columns": ("self.n = np.zeros((80, 40))", "self.n[79, 39] += 1; n = int(self.n[79, 39])"),
    "Mixed": ("self.n = [0]; self.a = np.zeros(9)", "self.n[0] += 1; self.a[8] += 1; n = int(self.a[8])"),
    "Arrays": ("self.n = [np.zeros(2)]", "self.n[0][1] += 1; n = int(self.n[0][1])"),
    "Object": ("self.n = Box()", "self.n.n += 1; n = self.n.n"),
    "Objects": ("self.n = {'a': [1, Box()]}", "self.n['a'][1].n += 1; n = self.n['a'][1].n"),
    "Nested": ("self.n = {'a': [[0]]}", "self.n['a'][0][0] += 1; n = self.n['a'][0][0]"),
    "Iterator": ("self.n = itertools.count()", "n = next(self.n)"),
    "Dice": ("self.n = random.Random(1)", "n = self.n.randrange(9)"),
    "Seldom": ("self.n = {i: 0 for i in range(99)}", "n = self.n[5]; self.n[5] += len(moves) == 1"),
    "Rare": ("self.n = [0] * 99", "n = self.n[5]; self.n[5] += len(moves) == 1"),
    "Late": ("pass", "self.n = getattr(self, 'n', 0) + 1; n = self.n"),
    "OfClass": ("type(self).n = 0", "self.n += 1; n = self.n"),
}  # fmt: skip
REMEMBERING = {  # what is left as it is
    "Large": ("self.n = [0] * 5000", "self.n[0] += 1; n = self.n[0]"),
    "LargeArray": ("self.n = np.zeros(200_000)", "self.n[0] += 1; n = int(self.n[0])"),
    "Named": ("self.cache = [0]", "self.cache[0] += 1; n = self.cache[0]"),
    "NamedNumber": ("self.met = 0", "self.met += 1; n = self.met"),
}
TEXT = HEAD + "".join(
    AGENT.format(name=name, prepare=prepare, count=count)
    for name, (prepare, count) in {**WAYS, **REMEMBERING}.items()
)
TEXT += AGENT.format(name="Reads", prepare="self.n = {i: 0 for i in range(4000)}", count="n = self.n[5]")
TEXT += """
Named.kept_attributes = ("cache",)
NamedNumber.kept_attributes = ("met",)

class Derived(Named):
    kept_attributes = ("other",)
"""
GAME = Spec("tic-tac-toe", "arena_games.tic_tac_toe:TicTacToe", {})
FIRST = Spec("first", "arena_agents.baselines.first:First", {})


@pytest.fixture(scope="module", autouse=True)
def _module(tmp_path_factory):
    """A module with an agent for each way of counting, for workers too."""
    folder = tmp_path_factory.mktemp("forgetting")
    (folder / "counting.py").write_text(TEXT)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", str(folder))
        yield


def plan_of(ways, isolated=False):
    """A plan of matches of agents against `first`, from both seats."""
    entries = (FIRST, *(Spec(way.lower(), f"counting:{way}", {}) for way in ways))
    pairings = tuple(pair for i in range(1, len(entries)) for pair in ((0, i), (i, 0)))
    apart = frozenset(range(1, len(entries))) if isolated else frozenset()
    schedule = Schedule.of(Stage(pairings, rounds=ROUNDS))
    return Plan(GAME, entries, schedule, Streams(1), Openings(), Limits(9, 0.0, 20.0), apart)


def played(plan, workers, size):
    """The moves of all matches, by way and seat, with blocks of a size."""
    blocks = [range(at, min(at + size, plan.matches)) for at in range(0, plan.matches, size)]
    with Workers(Processes, workers).opened() as pool:
        records = [record for block in play(plan, blocks, pool, Records) for record in block]
    found = {}
    for record in sorted(records):
        first, second = (plan.entries[entry].text for entry in (record.first, record.second))
        found.setdefault((first, second), []).append((record.reason, record.detail, record.moves))
    return found


def differing(found):
    """The pairings of which not all matches are alike, as they are without random numbers."""
    return [pairing for pairing, matches in found.items() if len({*matches}) != 1]


@pytest.mark.parametrize("way", WAYS)
def test_it_forgets_between_trusted_matches(way):
    plan = plan_of([way])
    found = play_block(plan, range(plan.matches), Records).played
    matches = {}
    for record in found:
        matches.setdefault((record.first, record.second), []).append((record.reason, record.moves))
    assert differing(matches) == []
    assert {reason for pairs in matches.values() for reason, _ in pairs} == {"rules"}


@pytest.mark.slow
def test_a_dictionary_that_is_only_read_is_compared_in_compiled_code(monkeypatch):
    """Reading 4,000 items takes ten milliseconds, a match of compiled agents some microseconds."""
    read, filled = [], []
    items, fill = native.Memory.items, native.Memory.fill
    monkeypatch.setattr(native.Memory, "items", lambda memory: read.append(1) or items(memory))
    monkeypatch.setattr(native.Memory, "fill", lambda memory, given: filled.append(1) or fill(memory, given))
    plan = plan_of(["Reads"])
    for _ in range(2):  # in the first, the agent is compiled, and compared with plain Python
        read.clear()
        assert play_block(plan, range(plan.matches), Records).played
    assert filled
    assert not read


@pytest.mark.parametrize("way", [*REMEMBERING, "Derived"])
def test_large_tables_and_named_attributes_are_left_as_they_are(way):
    plan = plan_of([way])
    found = play_block(plan, range(plan.matches), Records).played
    assert len({record.moves for record in found if record.first == 0}) > 1


@pytest.mark.parametrize(("workers", "size"), [(1, 100), (2, 7), (3, 5)])
def test_workers_and_sizes_of_blocks_make_no_difference(workers, size):
    assert differing(played(plan_of(WAYS), workers, size)) == []


@walled
@pytest.mark.parametrize(("workers", "size"), [(2, 30), *slow((1, 100))])
def test_it_forgets_in_the_sandbox(workers, size):
    found = played(plan_of(WAYS, isolated=True), workers, size)
    assert differing(found) == []
    assert {reason for matches in found.values() for reason, *_ in matches} == {"rules"}

"""Matches of agents in processes of their own are the same however many are played at the same time."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from arena.matches import batch
from arena.matches.driver import play
from arena.matches.isolated_matches import play_apart
from arena.matches.remote_agent import Child
from arena.plan.completion import complete
from arena.registry.file_offers import opened
from arena.registry.files import Reference
from arena.registry.plugins import registry
from arena.results.records import Records
from arena.results.settings import settings_of
from arena.workers.pools import Workers
from arena.workers.processes import Processes
from arena.workers.worker import Worker, current, own_watch
from tiers import slow

# agents as students write them
PLAIN = {
    "sorts": "key = lambda move: (-self.game.play(state, move)[0], move)\n        return min(moves, key=key)",
    "draws": "return rng.choice(sorted(moves))",
    "remembers": (
        "self.seen = getattr(self, 'seen', []) if sum(map(abs, state)) else []\n"
        "        self.seen.append(state)\n        return moves[len(self.seen) % len(moves)]"
    ),
    "reports": "self.move_usage = {'moves': len(moves)}\n        return sorted(moves)[-1]",
}
FAULTY = {
    "raises": "return moves[0] if state[1] % 7 != 3 else moves[1 // 0]",
    "cheats": "return moves[0] if state[1] % 7 != 3 else 77",
    "ends": "import os\n        return moves[0] if state[1] % 7 != 3 else os._exit(3)",
}
HEADS = {  # what a module or a class keeps from match to match
    "counts": "COUNT = 0",
    "collects": "SEEN = {}",
    "iterates": "import itertools\nTURNS = itertools.count()",
    "dices": "import random\nDICE = random.Random(5)",
    "encloses": (
        "def counter():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n        return n\n"
        "    return count\nCOUNT = counter()"
    ),
    "imports": "import shelf",
    "tables": "import numpy as np\nTABLE = np.zeros(3)",
    "classes": "class Box:\n    __slots__ = ('n',)\nBOX = Box()\nBOX.n = 0",
    "resets": "HISTORY = []",
}
STATEFUL = {
    "counts": "global COUNT\n        COUNT += 1\n        return moves[COUNT % len(moves)]",
    "collects": "return moves[SEEN.setdefault(state, len(SEEN)) % len(moves)]",
    "iterates": "return moves[next(TURNS) % len(moves)]",
    "dices": "return DICE.choice(moves)",
    "encloses": "return moves[COUNT() % len(moves)]",
    "imports": "shelf.BOOKS.append(state)\n        return moves[len(shelf.BOOKS) % len(moves)]",
    "tables": "TABLE[1] += 1\n        return moves[int(TABLE[1]) % len(moves)]",
    "classes": "BOX.n += 1\n        return moves[BOX.n % len(moves)]",
    "attribute": "type(self).n = getattr(type(self), 'n', 0) + 1\n        return moves[self.n % len(moves)]",
    "resets": "HISTORY.append(state)\n        return moves[len(HISTORY) % len(moves)]",
}
BEGINS = {
    "resets": "def begin(self, seat): HISTORY.clear()",
    "remembers": "def begin(self, seat): self.seen = []",
}


def text_of(name, body):
    return (
        f"from arena import Agent\n{HEADS.get(name, '')}\n\nclass {name.title()}(Agent):\n"
        f"    {BEGINS.get(name, '')}\n    def choose(self, state, moves, rng):\n        {body}\n"
    )


def plan_of(folder, agents, rounds, **more):
    """A round robin of agents from files, each sandboxed."""
    (folder / "shelf.py").write_text("BOOKS = []\n")
    for name, body in agents.items():
        (folder / f"{name}.py").write_text(text_of(name, body))
    offers = opened([("agent", Reference(str(folder / f"{name}.py"))) for name in agents])
    entries = [*(offer.name for offer in offers), "first"]
    asked = {"game": "connect-four", "entries": entries, "rounds": rounds, "seed": 1, **more}
    return complete(settings_of(asked), registry().including([], offers))[1]


def in_one_worker(plan, numbers):
    """The records of matches in a worker of their own, as far as they do not depend on time."""
    worker, context = Worker(own_watch), copy_context()
    context.run(current.set, worker)
    try:
        records, left, _ = context.run(play_apart, plan, numbers, True)
    finally:
        worker.close()
    assert not left
    return [fixed(record) for record in records]


def fixed(record):
    return record[:11], record.start, record.story, record.usage


def by_workers(plan, workers):
    with Workers(Processes, workers).opened() as pool:
        blocks = list(play(plan, [range(plan.matches)], pool, Records))
    return sorted(fixed(record) for block in blocks for record in block)


@pytest.fixture
def questions(monkeypatch):
    """What processes are asked."""
    asked, ask = [], Child.ask
    monkeypatch.setattr(
        Child, "ask", lambda self, question, *args: asked.append(question[0]) or ask(self, question, *args)
    )
    return asked


def test_one_question_serves_many_moves(tmp_path, questions, monkeypatch):
    monkeypatch.setattr(batch, "PATIENCE", 60.0)  # a busy machine is slow to answer
    plan = plan_of(tmp_path, PLAIN, 4)
    together = in_one_worker(plan, range(plan.matches))
    assert {record[0][5] for record in together} == {"rules"}
    plies = sum(record[0][7] for record in together)
    assert "choose" not in questions
    assert questions.count("together") < plies / 8
    questions.clear()
    batch.LEAST, least = 10**9, batch.LEAST
    try:
        assert in_one_worker(plan, range(plan.matches)) == together
    finally:
        batch.LEAST = least
    assert questions.count("choose") == plies


@pytest.mark.slow
def test_records_are_the_same_for_any_number_of_slots_and_workers(tmp_path, monkeypatch):
    plan = plan_of(tmp_path, PLAIN, 4)
    together = in_one_worker(plan, range(plan.matches))
    monkeypatch.setattr(batch, "SLOTS", 1)
    assert in_one_worker(plan, range(plan.matches)) == together
    assert by_workers(plan, 1) == by_workers(plan, 2) == together


@pytest.mark.parametrize("least", [8, 10**9], ids=["together", "one at a time"])
def test_random_numbers_are_those_of_matches_without_a_sandbox(tmp_path, least, monkeypatch):
    """`gauss` draws two numbers at every other call, and keeps one for the next move."""
    monkeypatch.setattr(batch, "LEAST", least)
    agents = {"bells": "return moves[int(abs(rng.gauss(0, 9))) % len(moves)]"}
    sandboxed = in_one_worker(plan := plan_of(tmp_path, agents, 8), range(plan.matches))
    trusted = by_workers(plan_of(tmp_path, agents, 8, isolate=False), 1)
    assert [record[0][:10] for record in sandboxed] == [record[0][:10] for record in trusted]


@pytest.mark.parametrize(
    "name",
    ["resets", *slow(*sorted(STATEFUL.keys() - {"resets"}))],
)
def test_what_modules_keep_does_not_pass_from_match_to_match(tmp_path, name):
    plan = plan_of(tmp_path, {name: STATEFUL[name]}, 8)
    played = in_one_worker(plan, range(plan.matches))
    for number in (0, 7, 10, 15):
        assert in_one_worker(plan, range(number, number + 1)) == [played[number]]
    assert by_workers(plan, 2) == played


@pytest.mark.parametrize("name", ["cheats", *slow("raises", "ends")])
def test_faults_are_those_of_matches_played_alone(tmp_path, name, monkeypatch):
    plan = plan_of(tmp_path, {name: FAULTY[name], "draws": PLAIN["draws"]}, 2)
    together = in_one_worker(plan, range(plan.matches))
    monkeypatch.setattr(batch, "LEAST", 10**9)
    alone = in_one_worker(plan, range(plan.matches))
    assert together == alone
    assert {record[0][5] for record in alone} == {"rules", "illegal move" if name == "cheats" else "crash"}


HANGS = "import time\n        return moves[0] if state[1] % 7 != 3 else time.sleep(60)"
TARRIES = "import time\n        time.sleep(1.5 * (state[1] == 0))\n        return moves[0]"


@pytest.mark.slow
def test_a_stall_is_that_of_a_match_played_alone(tmp_path):
    plan = plan_of(tmp_path, {"hangs": HANGS}, 8, stall_seconds=0.5, withdraw_after=0)
    played = by_workers(plan, 2)
    assert [record[0][0] for record in played] == [*range(plan.matches)]
    assert {record[0][5] for record in played} == {"stall"}
    assert {record[0][6] for record in played} == {"no move within 0.5 s"}
    assert {record[2].place for record in played if record[2]} == {"hangs.py:8 in choose"}


@pytest.mark.slow
def test_who_is_slow_plays_alone_and_is_not_late(tmp_path, questions):
    plan = plan_of(tmp_path, {"tarries": TARRIES}, 4, stall_seconds=20)
    found = in_one_worker(plan, range(plan.matches))
    assert {record[0][5] for record in found} == {"rules"}
    assert "choose" in questions


def test_agents_with_a_clock_are_asked_one_by_one(tmp_path, questions):
    plan = plan_of(tmp_path, {"draws": PLAIN["draws"]}, 4, move_seconds=20)
    in_one_worker(plan, range(plan.matches))
    assert "together" not in questions


LIES = {  # what a process answers in place of its agent's moves, for so many items
    "nothing": "[]",
    "empty": "[[]] * n",
    "too-many": "[[0, 1, 0, 1]] * (n + 1)",
    "beyond": "[[7, 1, 0, 1]] * n",
    "before": "[[-2, 1, 0, 1]] * n",
    "spoilt": "[[0, 1, -1, 1]] * n",
    "backwards": "[[0, 1, 0, -1]] * n",
    "for-ever": "[[0, 1, 0, 10**18]] * n",
    "longer": "[[0, 1, 0, 1, 1]] * n",
}


@pytest.mark.parametrize("name", ["for-ever", *slow(*sorted(LIES.keys() - {"for-ever"}))])
def test_who_lies_gains_nothing(tmp_path, name):
    body = (
        "import arena.matches.agent_process as process\n"
        f"        lie = lambda n: {{'done': {LIES[name]}}}\n"
        "        process.Player.together = lambda self, items: lie(len(items))\n"
        "        return moves[0]"
    )
    plan = plan_of(tmp_path, {"lies": body}, 8)
    worker, context = Worker(own_watch), copy_context()
    context.run(current.set, worker)
    try:
        records, _, seconds = context.run(play_apart, plan, range(plan.matches), True)
    finally:
        worker.close()
    honest = in_one_worker(plan_of(tmp_path, {"lies": "return moves[0]"}, 8), range(plan.matches))
    assert [fixed(record) for record in records] == honest
    assert all(0 <= record[11] <= seconds and 0 <= record[12] <= seconds for record in records)

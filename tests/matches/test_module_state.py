"""What a module keeps is found to have changed, and set back, wherever it is kept."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from arena.matches.agent_state import own_modules
from arena.matches.module_state import ModuleState

TEXT = """
import functools, itertools, random
from collections import Counter, OrderedDict, defaultdict, deque
from types import SimpleNamespace
import numpy as np

COUNT = 0
TABLE = {(0, 1): [1, 2], "deep": ({"er": 1},)}
NAMES, QUEUE, BYTES, MEMBERS = ["a"], deque([1]), bytearray(b"ab"), {1}
TIMES, BY_KEY, ORDER = Counter("aab"), defaultdict(list), OrderedDict(a=1, b=2)
ARRAY, PLACE = np.zeros((2, 2)), SimpleNamespace(n=0)
DICE, __private = random.Random(1), []

class Box:
    n = 0
    shared = []
    def __init__(self): self.held = {}

class Narrow:
    __slots__ = ("n",)

class Loud(dict):
    def clear(self): raise RuntimeError

BOX, NARROW, LOUD = Box(), Narrow(), Loud(a=1)

def remember(key, memo={}, *, also=[]): memo[key] = 1; also.append(key)

def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count

NEXT = counter()

@functools.cache
def square(n): return n * n
"""
RESTORED = [
    "COUNT += 1", "TABLE['x'] = 1", "TABLE[0, 1].append(3)", "TABLE['deep'][0]['er'] = 2", "NAMES.clear()",
    "QUEUE.appendleft(0)", "BYTES[0] = 0", "TIMES['a'] += 1", "BY_KEY['x'].append(1)",
    "ORDER.move_to_end('a')",
    "ARRAY[1, 1] = 1", "PLACE.n = 1", "__private.append(1)", "Box.n = 1", "Box.other = 1", "del Box.n",
    "Box.shared.append(1)", "BOX.held[1] = 1", "BOX.more = 1", "NARROW.n = 1", "LOUD['b'] = 2", "remember(1)",
    "remember.calls = 1", "NEXT()", "del COUNT", "NEW = 1", "NAMES = ['a']", "COUNT = 0.0",
]  # fmt: skip
LOST = ["MEMBERS.add(2)", "DICE.random()"]
UNCHANGED = ["square(3)", "COUNT = int('0')", "TABLE.get(1)", "random.random()"]


@pytest.fixture
def module():
    found = ModuleType("agents_own")
    sys.modules["agents_own"] = found
    exec(TEXT, vars(found))
    yield found
    del sys.modules["agents_own"]


@pytest.mark.parametrize("line", RESTORED)
def test_a_change_is_found_and_undone(module, line):
    state = ModuleState([module])
    assert not state.is_changed()
    exec(line, vars(module))
    assert state.is_changed()
    assert state.restore()
    assert not state.is_changed()


def test_what_is_undone_is_as_it_was(module):
    state = ModuleState([module])
    for line in RESTORED:
        exec(line, vars(module))
        state.restore()
    assert module.TABLE == {(0, 1): [1, 2], "deep": ({"er": 1},)}
    assert (module.COUNT, module.NAMES, [*module.QUEUE], module.BYTES) == (0, ["a"], [1], b"ab")
    assert ([*module.ORDER], module.TIMES["a"], dict(module.BY_KEY)) == (["a", "b"], 2, {})
    assert (module.ARRAY.sum(), module.PLACE.n, module.Box.n, module.Box.shared) == (0, 0, 0, [])
    assert (vars(module.BOX), dict(module.LOUD), module.NEXT()) == ({"held": {}}, {"a": 1}, 1)
    assert (module.remember.__defaults__, module.remember.__kwdefaults__) == (({},), {"also": []})
    assert not hasattr(module.NARROW, "n")
    assert not hasattr(module.Box, "other")


@pytest.mark.parametrize("line", LOST)
def test_what_cannot_be_undone_is_found(module, line):
    state = ModuleState([module])
    exec(line, vars(module))
    assert state.is_changed()
    assert not state.restore()


def test_of_an_iterator_nothing_is_known(module):
    exec("TURNS = itertools.count()", vars(module))
    state = ModuleState([module])
    assert state.is_changed()
    assert not state.restore()


@pytest.mark.parametrize("line", UNCHANGED)
def test_what_changes_no_choice_is_no_change(module, line):
    state = ModuleState([module])
    exec(line, vars(module))
    assert not state.is_changed()


def test_only_modules_of_agents_count():
    names = own_modules(["arena.rng", "json", "numpy", "sys", __name__])
    assert names == [__name__]

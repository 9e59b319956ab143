"""Whatever goes wrong while a file is described is told in one line, and costs that file alone."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.registry import file_description, files
from arena.registry.class_facts import ClassFacts, OptionFacts
from arena.registry.file import File
from arena.registry.file_offers import all_at, stand_in
from tiers import tiers


@pytest.fixture(autouse=True)
def no_stand_ins(monkeypatch):
    """Stand-ins of other tests, which have the same module and name, are not found."""
    monkeypatch.setattr(files, "stand_ins", {})


AGENT = """
from arena import Agent
class Own(Agent):
    def choose(self, state, moves, rng): return moves[0]
"""
WITH_OPTION = (
    "from arena import Agent, option\nclass Own(Agent):\n    {}\n    def choose(self, s, m, r): return m[0]"
)
SENDS = """
import json, os, sys
frame = sys._getframe()
while frame:
    if frame.f_code.co_name == "look" and "pipe" in frame.f_locals:
        frame.f_locals["pipe"].send_bytes({})
        os._exit(0)
    frame = frame.f_back
"""
MANY = (
    "from arena import Agent\nfor i in range(20000):\n    globals()[f'K{i}'] = type(f'K{i}', (Agent,), "
    "{'choose': lambda s, a, b, c: b[0], '__module__': __name__})"
)
ODD = {
    "coding of bytes": "# coding: zlib_codec\n" + AGENT,
    "coding of letters": "# -*- coding: rot13 -*-\n" + AGENT,
    "null byte": AGENT + "\0",
    "deep brackets": AGENT + "X = " + "(" * 5000 + "1" + ")" * 5000,
    "deep signs": AGENT + "def f(): return " + "-" * 90_000 + "1",
    "deep branches": AGENT + "if 0: pass\n" + "elif 0: pass\n" * 20_000,
    "long number": AGENT + "X = " + "9" * 100_000,
    "default without end": WITH_OPTION.format("x: float = option(float('nan'), 'x')"),
    "bound without end": WITH_OPTION.format("x: float = option(1.0, 'x', high=float('inf'))"),
    "option to be given": WITH_OPTION.format("x: int = option(1, 'x', required=True)"),
    "no such agent": WITH_OPTION.format("x: 'arena.Spec' = option('nobody', 'x', kind='agent')"),
    "no such kind": WITH_OPTION.format("x: 'arena.Spec' = option('random', 'x', kind='cook')"),
    "name of no class": "from arena import Agent\nglobals()['x,y:z=('] = type('Own', (Agent,), "
    "{'choose': lambda s, a, b, c: b[0], '__module__': __name__})",
    "too many classes": MANY,
    "ends at once": "import os\nos._exit(0)",
    "interrupts": "raise KeyboardInterrupt",
    "no JSON": SENDS.format("b'{'"),
    "deep JSON": SENDS.format("b'{\"classes\":' + b'[' * 100_000"),
    "no UTF-8": SENDS.format('b\'{"fault": "\\xff\\xfe"}\''),
    "endless": SENDS.format("b' ' * (1 << 21)"),
}


def test_a_file_whose_options_are_sound_is_entered(tmp_path):
    (tmp_path / "own.py").write_text(WITH_OPTION.format("x: int = option(1, 'x')"))
    offers, left_out = all_at([str(tmp_path)])
    assert ([offer.name for offer in offers], left_out) == (["own.py"], {})


@pytest.mark.slow
def test_odd_files_of_a_folder_are_left_out_each_with_a_line(tmp_path):
    for name, text in ODD.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "fine.py").write_text(AGENT)
    (tmp_path / "a folder.py").mkdir()
    (tmp_path / "a folder.py" / "fine as well.py").write_text(AGENT)
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "device.py").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.py")
    offers, left_out = all_at([str(tmp_path)])
    assert sorted(offer.name for offer in offers) == ["fine as well.py", "fine.py"]
    assert {*left_out} == {f"{name}.py" for name in (*ODD, "loop", "device", "pipe")}
    assert not [line for line in left_out.values() if "\n" in line or len(line) > 700]


HELPERS = {
    "huge": lambda folder: (folder / "helper.py").write_text("#" + "x" * (1 << 21)),
    "of many modules": lambda folder: [
        (folder / "helper").mkdir(),
        *((folder / "helper" / f"m{i}.py").touch() for i in range(4001)),
    ],
    "of many folders": lambda folder: [
        Path(folder, "helper", *(["x"] * depth), str(i)).mkdir(parents=True)
        for depth in range(25)
        for i in range(41)
    ],
    "all files of the machine": lambda folder: (folder / "helper").symlink_to("/"),
}


@pytest.mark.parametrize("helper", tiers(HELPERS, quick=["huge", "all files of the machine"]))
def test_a_file_that_imports_too_much_from_beside_it_is_refused(tmp_path, helper):
    (tmp_path / "own.py").write_text("import helper\n" + AGENT)
    HELPERS[helper](tmp_path)
    with pytest.raises(ArenaError, match=r"helper.* has over [\d,]+ (modules|characters)"):
        File.read(str(tmp_path / "own.py"))


@pytest.mark.parametrize("coding", ["rot13", "zlib_codec", "base64"])
def test_a_helper_of_an_odd_coding_is_read_as_far_as_it_can_be(tmp_path, coding):
    (tmp_path / "own.py").write_text("import helper\n" + AGENT)
    (tmp_path / "helper.py").write_text(f"# coding: {coding}\nX = 1")
    assert list(File.read(str(tmp_path / "own.py")).beside) == [str(tmp_path / "helper.py")]
    (tmp_path / "own.py").write_text(f"# coding: {coding}\n" + AGENT)
    with pytest.raises(ArenaError, match="is not UTF-8 text; pass a Python file"):
        File.read(str(tmp_path / "own.py"))


def option(**other):
    facts = {
        "name": "x", "type": "int", "choices": [], "none": False, "text": False, "many": False, "default": 1,
        "help": "h", "low": None, "high": None, "kind": None, "also": [], "required": False,
    }  # fmt: skip
    return OptionFacts(**{**facts, **other})


def facts(*options, **other):
    said = {
        "name": "Own", "kind": "agent", "learner": False, "doc": "", "needs": [], "default_needs": [],
        "interactive": False, "budget": "", "by_clock": [], "options": list(options), "uses": [],
        "plays": True, "own": [], "lineage": [],
    }  # fmt: skip
    return ClassFacts(**{**said, **other})


FORGED = {
    "of no class": facts(name="__init__ x"),
    "of a class with a null byte": facts(name="a\0"),
    "an option called __class__": facts(option(name="__class__")),
    "an option called options": facts(option(name="options", type="spec", kind="game", default="x")),
    "an option called choose": facts(option(name="choose")),
    "an option of two words": facts(option(name="x y")),
    "a default without end": facts(option(default=math.inf)),
    "no choices": facts(option(type="choice")),
    "a default that is a table": facts(option(default={"a": 1})),
    "a default within a default": facts(option(default=[[1]])),
    "a kind of a number": facts(option(kind="agent")),
    "no kind": facts(option(type="spec", kind="", default="random")),
    "a budget that is not an option": facts(budget="depth"),
    "a use of nothing": facts(uses=["magic"]),
    "a base class without a module": facts(learner=True, lineage=[[]]),
    "a clock that is not an option": facts(option(), by_clock=["x", "y"]),
}


@pytest.mark.parametrize("what", FORGED)
def test_what_no_class_can_say_of_itself_is_refused_in_a_line(what):
    with pytest.raises(ArenaError, match=r"^own\.py: .*\S$"):
        stand_in(FORGED[what], File("own.py", AGENT))


def test_what_a_class_can_say_is_taken():
    cls = stand_in(facts(option(), budget="x", by_clock=["x"]), File("own.py", AGENT))
    assert (cls.__name__, [*cls.options], cls.x) == ("Own", ["x"], 1)


def test_a_file_runs_again_only_if_its_code_has_changed_or_it_had_a_fault(tmp_path, monkeypatch):
    ran = []

    class Counted(file_description.Look):
        def __init__(self, number, file):
            ran.append(file.name)
            super().__init__(number, file)

    monkeypatch.setattr(file_description, "Look", Counted)

    def describe(text, helper="VALUE = 1"):
        (tmp_path / "aside.py").write_text(helper)
        (tmp_path / "own.py").write_text(text)
        (facts,) = file_description.described([File.read(str(tmp_path / "own.py"))])
        return len(ran), [one.name for one in facts.classes], bool(facts.fault)

    with_helper = "import aside\n" + AGENT
    assert describe(with_helper) == (1, ["Own"], False)
    assert describe(with_helper) == (1, ["Own"], False)
    assert describe(with_helper, "VALUE = 2") == (2, ["Own"], False)
    assert describe(with_helper.replace("Own", "Other")) == (3, ["Other"], False)
    assert describe("1 / 0") == (4, [], True)
    assert describe("1 / 0") == (5, [], True)

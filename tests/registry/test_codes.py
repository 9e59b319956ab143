"""Which code plays: what changes it, and what does not."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from textwrap import dedent

import pytest

from arena.registry.digests import code_of, code_of_classes, digest_of
from arena.registry.files import File
from arena.registry.plugins import registry
from arena.registry.trees import Tree, tree_of
from arena.results.record import UNKNOWN_CODE, tags

numbers = count()
AGENT = '''
"""A package's agent."""
from arena import Agent, option
from .base import Base
from .near import near

class Player(Base):
    """Plays."""

    depth: int = option(1, "plies")

    def choose(self, state, moves, rng):
        """A move."""
        from . import late  # when it is needed
        return moves[near(len(moves)) % len(moves)]
'''
BASE = "from arena import Agent\n\nclass Base(Agent):\n    def begin(self, seat):\n        self.seat = seat\n"
NEAR = "from .far import far\n\ndef near(n):\n    return far(n) + 1\n"
FILES = {
    "__init__": "",
    "player": AGENT,
    "base": BASE,
    "near": NEAR,
    "far": "def far(n):\n    return n // 2\n",
    "late": "late = 1\n",
    "other": "other = 1\n",
}


def package(folder: Path, **sources: str) -> type:
    """The class `Player` of a package that is imported anew."""
    name = f"coded_{next(numbers)}"
    (folder / name).mkdir()
    for module, source in {**FILES, **sources}.items():
        (folder / name / f"{module}.py").write_text(source)
    return importlib.import_module(f"{name}.player").Player


@pytest.fixture
def player(tmp_path, monkeypatch):
    """Gives the code of the package's agent with some of its modules replaced."""
    monkeypatch.syspath_prepend(tmp_path)
    return lambda **sources: code_of_classes([package(tmp_path, **sources)])


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


LAYOUT = changed(
    AGENT,
    ('"""A package\'s agent."""', "# another comment"),
    ('    """Plays."""\n', ""),
    ('        """A move."""', '        """Another docstring."""'),
    ("  # when it is needed", ""),
    ('"plies"', "'plies'"),
    (
        "moves[near(len(moves)) % len(moves)]",
        "(moves[\n            near(len(moves),) % len(moves)\n        ])",
    ),
)


@pytest.mark.parametrize(
    "sources",
    [
        {"player": LAYOUT},
        {"base": changed(BASE, ("(Agent):", "(Agent):\n    '''Begins.'''\n"))},
        {"far": "# half\ndef far( n ):\n\n    'half of it'\n    return (n//2)\n"},
        {"other": "other = 2\n"},
        {"more": "more = 1\n"},
        {"__init__": "from . import other\n"},
    ],
    ids=[
        "layout",
        "a base's docstring",
        "a helper's layout",
        "another module",
        "a new module",
        "the package",
    ],
)
def test_what_does_nothing_to_an_agent_leaves_its_code(player, sources):
    assert player(**sources) == player()


@pytest.mark.parametrize(
    "sources",
    [
        {"player": changed(AGENT, ("option(1", "option(2"))},
        {"base": changed(BASE, ("= seat", "= 1 - seat"))},
        {"near": changed(NEAR, ("+ 1", "+ 2"))},
        {"far": "def far(n):\n    return n // 3\n"},
        {"late": "late = 2\n"},
        {"near": "def near(n):\n    return '1'\n"},
    ],
    ids=["a default", "its base", "what it imports", "what that imports", "what a method imports", "a type"],
)
def test_what_may_change_its_moves_changes_its_code(player, sources):
    assert player(**sources) != player()


def test_the_code_does_not_depend_on_what_else_is_imported(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    cls = package(tmp_path)
    alone = code_of_classes([cls])
    importlib.import_module(f"{cls.__module__.partition('.')[0]}.other")
    assert code_of_classes([cls]) == alone


@pytest.mark.slow
def test_the_code_is_the_same_in_every_process():
    asked = (
        "from arena.registry.plugins import registry\nfrom arena.registry.digests import code_of\n"
        "print(code_of(registry().spec('agent', 'alpha-beta:depth=2')))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", asked],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert said == {code_of(registry().spec("agent", "alpha-beta:depth=2"))}


def test_the_code_of_an_entry_is_that_of_all_within_it(tmp_path, monkeypatch):
    known = registry()
    plain, other = (known.spec("agent", f"q-table:opponent={name}") for name in ("random", "greedy"))
    assert code_of(plain) != code_of(other)
    evaluated = known.spec("agent", "alpha-beta:evaluation=material")
    assert code_of(evaluated) != code_of(known.spec("agent", "alpha-beta"))
    assert code_of(known.spec("agent", "alpha-beta:depth=3")) == code_of(known.spec("agent", "alpha-beta"))


def test_an_agent_of_arena_has_a_code_of_its_own():
    agents = ("random", "first", "greedy", "minimax", "alpha-beta", "q-table")
    codes = {code_of(registry().spec("agent", name)) for name in agents}
    assert len(codes) == len(agents)
    assert UNKNOWN_CODE not in codes


def test_classes_of_one_module_have_codes_of_their_own(player, tmp_path):
    cls = package(tmp_path, player=AGENT + "\nclass Second(Player):\n    pass\n")
    assert code_of_classes([cls]) != code_of_classes([sys.modules[cls.__module__].Second])


def test_what_has_no_source_is_unknown(player, tmp_path):
    assert player(near="from . import fast\nfrom .far import far as near\n", fast="") != UNKNOWN_CODE
    cls = package(tmp_path, near="from .far import far as near\n")
    folder = Path(sys.modules[cls.__module__].__file__).parent
    (folder / "near.py").write_text("try:\n    from . import fast\nexcept ImportError:\n    pass\n")
    assert code_of_classes([cls]) != UNKNOWN_CODE
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    (folder / f"fast{suffix}").write_bytes(b"\x7fELF")
    importlib.invalidate_caches()
    assert code_of_classes([cls]) == UNKNOWN_CODE


def test_what_was_typed_in_is_unknown(monkeypatch):
    space = {"__name__": "typed_in"}
    exec("from arena import Agent\nclass Typed(Agent):\n    pass\n", space)
    assert code_of_classes([space["Typed"]]) == UNKNOWN_CODE


def installed(folder: Path, name: str, **sources: str) -> None:
    """Modules as an installer lays them out, of one distribution."""
    site = folder / "site-packages"
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{module}.py,,\n" for module in sources))
    for module, source in sources.items():
        (site / f"{module}.py").write_text(source)


def test_of_what_is_installed_the_modules_of_the_same_distribution_count(tmp_path, monkeypatch):
    source = "from arena import Agent\nimport mine_{0}, theirs_{0}\n\nclass Lone(Agent):\n    pass\n"
    codes = {}
    for i, (mine, theirs) in enumerate([(1, 1), (2, 1), (1, 2)]):
        folder = tmp_path / str(i)
        installed(folder, "one", lone=source.format("x"), mine_x=f"mine = {mine}\n")
        installed(folder, "two", theirs_x=f"theirs = {theirs}\n")
        with monkeypatch.context() as patch:
            patch.syspath_prepend(folder / "site-packages")
            for module in ("lone", "mine_x", "theirs_x"):
                patch.delitem(sys.modules, module, raising=False)
            codes[mine, theirs] = code_of_classes([importlib.import_module("lone").Lone])
            for module in ("lone", "mine_x", "theirs_x"):
                del sys.modules[module]
    assert codes[1, 1] != codes[2, 1]
    assert codes[1, 1] == codes[1, 2]


def test_a_syntax_tree_is_the_same_text_on_every_python():
    """Written by hand: fields that are empty are left out, f-strings joined, whole numbers in base 16."""
    source = dedent(
        '''
        """Gone."""
        def f(a, *, b=None):  # gone
            "gone"
            return f"x{a!r:>{b}}" "y" + u"\\u00e9"
        class C:
            pass
        x: int = (-17)
        '''
    )
    assert tree_of(source).form == (
        "Module( body=["
        "FunctionDef( name='f' args=arguments( args=[arg( arg='a'),] kwonlyargs=[arg( arg='b'),]"
        " kw_defaults=[Constant( value=None),])"
        " body=[Return( value=BinOp( left=JoinedStr( values=[Constant( value='x'),"
        "FormattedValue( value=Name( id='a') conversion=0x72 format_spec=JoinedStr( values="
        "[Constant( value='>'),FormattedValue( value=Name( id='b') conversion=-0x1),])),"
        "Constant( value='y'),]) op=Add() right=Constant( value='\\xe9'))),]),"
        "ClassDef( name='C'),"
        "AnnAssign( target=Name( id='x') annotation=Name( id='int') value=UnaryOp( op=USub()"
        " operand=Constant( value=0x11)) simple=0x1),])"
    )


@pytest.mark.parametrize("source", [f"x = {'-' * 100_000}1", f"x = {'(' * 5000}1{')' * 5000}"])
def test_what_is_too_deep_to_be_read_stands_for_itself(source):
    assert tree_of(source) == Tree(source, ())


def file_code(folder, **helpers):
    """The code of an agent in a file that imports those beside it."""
    for name, text in helpers.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    text = "\n".join([*(f"import {name}" for name in helpers), "class Bot: pass"])
    return digest_of([File(str(folder / "bot.py"), text).trees()])


def test_which_file_beside_it_says_what_changes_the_code(tmp_path):
    assert file_code(tmp_path, ma="x = 1", mb="x = 2") != file_code(tmp_path, ma="x = 2", mb="x = 1")


def test_a_mark_before_a_text_hides_nothing_that_it_imports(tmp_path):
    (tmp_path / "c.py").write_text("x = 1")
    code = file_code(tmp_path, helper="\ufeffimport c")
    assert code == file_code(tmp_path, helper="import c")
    (tmp_path / "c.py").write_text("x = 2")
    assert code != file_code(tmp_path, helper="\ufeffimport c")


def test_long_sums_and_long_numbers_have_a_form():
    assert tree_of("x = " + "+".join(["1"] * 900)).form.count("Add()") == 899
    assert "0xffff" in tree_of("x = 0x" + "f" * 9000).form


def test_tags_are_as_long_as_it_takes():
    assert tags(["3f2a11", "8b00aa"]) == {"unknown": "unknown", "3f2a11": "3f2a", "8b00aa": "8b00"}
    assert tags(["3f2a11", "3f2a22"])["3f2a22"] == "3f2a2"

"""What plugins, examples and documents import from arena; what calls give can be imported from there."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from paths import ROOT

ALLOWED = {"arena", "arena.gymnasium", "arena.testing"}  # public modules

# what calls give back only for arena's own commands, by name
INTERNAL = {"Grid", "Marked", "Offer", "Outline", "Part", "Registry", "Shown", "Streams"}


def python_files() -> list[Path]:
    found = [path for folder in ("plugins", "examples") for path in (ROOT / folder).rglob("*.py")]
    found = [path for path in found if "arena-dask" not in path.parts]  # part of arena, and of its version
    found += (ROOT / "arena" / "commands" / "new" / "templates").rglob("*.py*")
    return [path for path in found if not any(part.startswith(".") or part == "build" for part in path.parts)]


def documents() -> list[Path]:
    return [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]


IMPORT = re.compile(r"^\s*(?:>>> )?(?:from (arena(?:\.\w+)*) import|import (arena(?:\.\w+)+))", re.MULTILINE)


def imported(path: Path) -> set[str]:
    return {one or other for one, other in IMPORT.findall(path.read_text(encoding="utf-8"))}


def test_imports_are_found():
    text = "from arena.api.game import Move\n    import arena.rng\n>>> from arena import Game\n"
    assert [one or other for one, other in IMPORT.findall(text)] == ["arena.api.game", "arena.rng", "arena"]
    assert len(python_files()) > 60


def test_plugins_and_examples_and_documents_import_from_arena_alone():
    found = {str(path): others for path in python_files() if (others := imported(path) - ALLOWED)}
    found |= {str(path): others for path in documents() if (others := imported(path) - ALLOWED)}
    assert found == {}


def test_the_lists_of_names_agree():
    assert set(arena.__all__) == {*arena.HOMES, *arena.MODULES, "__version__"}
    assert arena.__all__ == sorted(arena.__all__)
    tree = ast.parse(Path(arena.__file__).read_text(encoding="utf-8"))
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    known = {}
    for node in checked.body:
        assert isinstance(node, ast.ImportFrom)
        for one in node.names:
            known[one.asname or one.name] = f"{node.module}:{one.name}".removeprefix("arena.")
    for name, home in arena.HOMES.items():
        assert known.pop(name) == (home if ":" in home else f"{home}:{name}")
    assert known.keys() == arena.MODULES.keys()


@pytest.mark.parametrize("name", arena.__all__)
def test_every_name_is_there(name):
    assert getattr(arena, name) is not None


# --- what calls give back ---------------------------------------------------------------------------------


@functools.cache
def names_of(module: str) -> dict[str, object]:
    """What names mean in a module, those that it imports for type checkers too."""
    home = importlib.import_module(module)
    found = dict(vars(home))
    for node in ast.walk(ast.parse(inspect.getsource(home))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("arena"):
            space = vars(importlib.import_module(node.module))
            found |= {
                one.asname or one.name: space[one.name]
                for one in node.names
                if one.name in space and (one.asname or one.name) not in found
            }
    return found


def classes_in(annotation: object, module: str) -> set[type]:
    """The classes of arena's that an annotation names."""
    found = set()
    for dotted in re.findall(r"[A-Za-z_][\w.]*", str(annotation)):
        first, *rest = dotted.split(".")
        thing = functools.reduce(
            lambda owner, part: getattr(owner, part, None), rest, names_of(module).get(first)
        )
        if isinstance(thing, type) and thing.__module__.startswith("arena."):
            found.add(thing)
    return found


def attributes_of(cls: type) -> set[type]:
    """The classes of the fields and properties of a class."""
    found = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("arena."):
            continue
        for name, annotation in inspect.get_annotations(base).items():
            if not name.startswith("_"):
                found |= classes_in(annotation, base.__module__)
        for name, value in vars(base).items():
            function = getattr(value, "fget", getattr(value, "func", None))
            if not name.startswith("_") and inspect.isfunction(function):
                found |= classes_in(function.__annotations__.get("return", ""), base.__module__)
    return found


def test_what_calls_give_back_can_be_imported_from_arena():
    calls = [thing for name in arena.__all__ if inspect.isfunction(thing := getattr(arena, name))]
    for name in arena.MODULES:
        module = getattr(arena, name)
        calls += [getattr(module, one) for one in module.__all__]
    given = {getattr(arena, name) for name in arena.__all__ if inspect.isclass(getattr(arena, name))}
    left = [
        cls for call in calls for cls in classes_in(call.__annotations__.get("return", ""), call.__module__)
    ]
    seen = set()
    while left:
        cls = left.pop()
        if cls in seen or cls.__name__ in INTERNAL:
            continue
        seen.add(cls)
        left += attributes_of(cls)
    assert len(seen) > 50
    assert sorted(f"{cls.__module__}.{cls.__name__}" for cls in seen - given) == []


def test_importing_arena_imports_its_version_alone():
    """So that commands begin at once."""
    code = "import sys; before = {*sys.modules}; import arena; print(*sorted({*sys.modules} - before))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert [name for name in done.stdout.split() if name.startswith("arena")] == ["arena", "arena.version"]
    others = {name.partition(".")[0] for name in done.stdout.split()} - {"arena"}
    assert others <= {
        "__future__",
        "importlib",
        "_imp",
        "_frozen_importlib",
        "warnings",
        "_warnings",
        "types",
    }


def test_a_name_is_imported_once():
    code = "import arena; arena.popcount; del arena.__getattr__; print(arena.popcount(7))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"


# --- docstrings -------------------------------------------------------------------------------------------


def definitions() -> dict[str, list[tuple[int, int]]]:
    """The lines of what arena exports, by file."""
    found: dict[str, list[tuple[int, int]]] = {}
    for name in arena.HOMES:
        thing = inspect.unwrap(getattr(arena, name))
        if isinstance(thing, type) or inspect.isfunction(thing):
            lines, first = inspect.getsourcelines(thing)
            file = inspect.getsourcefile(thing) or ""
            found.setdefault(file, []).append((first, first + len(lines)))
    return {file: places for file, places in found.items() if Path(file).is_relative_to(ROOT / "arena")}


def test_what_arena_exports_has_docstrings_in_googles_style():
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.is_file():
        pytest.skip("ruff is not installed")
    places = definitions()
    assert len(places) > 60
    style = ["--select", "D", "--ignore", "D105,D107", "--config", 'lint.pydocstyle.convention="google"']
    command = [str(ruff), "check", "--no-cache", *style, "--output-format", "json", *places]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    wrong = [
        f"{Path(one['filename']).relative_to(ROOT)}:{row}: {one['code']} {one['message']}"
        for one in json.loads(done.stdout)
        if any(first <= (row := one["location"]["row"]) < last for first, last in places[one["filename"]])
    ]
    assert wrong == []

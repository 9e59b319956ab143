"""The packages: each can be imported alone, and the layers are as `pyproject.toml` has them."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import arena
from tiers import tiers

HOME = Path(arena.__file__).parent
PACKAGES = sorted(path.parent.name for path in HOME.glob("*/__init__.py"))
MODULES = sorted(
    ".".join(("arena", *path.relative_to(HOME).with_suffix("").parts))
    for path in HOME.rglob("*.py")
    if path.stem not in ("__init__", "__main__") and (path.parent / "__init__.py").is_file()
)


def test_there_are_packages():
    assert {"api", "compiler", "workers", "matches", "training", "ratings", "storage", "cli"} <= {*PACKAGES}


ALONE = """
import importlib, sys
for names in ({own!r}, {own!r}[::-1]):
    for name in [name for name in sys.modules if name.partition(".")[0] == "arena"]:
        del sys.modules[name]
    for name in names:
        importlib.import_module(name)
"""


@pytest.mark.parametrize("package", tiers(PACKAGES, quick=["analysis", "compiler", "results", "calls"]))
def test_each_package_can_be_imported_alone(package):
    """All its modules, where nothing of arena has been imported, in any order."""
    own = [name for name in MODULES if name.split(".")[1] == package]
    done = subprocess.run([sys.executable, "-c", ALONE.format(own=own)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_layers_hold_and_nothing_goes_in_a_circle():
    lint_imports = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [str(lint_imports), "--no-logo", "--no-cache"], cwd=HOME.parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_commands_may_import_what_python_users_call_what_shows_it_and_click():
    """Whatever else there is, or will be, has to be in the contract."""
    project = tomllib.loads((HOME.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (forbidden,) = [one["forbidden_modules"] for one in contracts if one["type"] == "forbidden"]
    ours = {f"arena.{name}" for name in PACKAGES}
    ours |= {f"arena.{path.stem}" for path in HOME.glob("*.py") if not path.stem.startswith("_")}
    others = {re.match(r"[\w-]+", line)[0].replace("-", "_") for line in project["project"]["dependencies"]}
    may = {"cli", "commands", "calls", "show", "errors", "stream_encoding", "texts", "version"}
    assert {*forbidden} == (ours - {f"arena.{name}" for name in may}) | (others - {"click"})


def test_commands_are_short():
    paths = [*HOME.glob("cli/*.py"), *HOME.glob("commands/**/command.py")]
    lines = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert len(lines) > 30
    assert max(lines.values()) <= 150, lines


def test_no_module_hides_what_arena_gives():
    """A package called `arena.tune` would take the place of the function, once it was imported."""
    for name in MODULES:
        if not name.startswith("arena.gymnasium.") or find_spec("gymnasium"):
            importlib.import_module(name)
    hidden = [name for name in arena.HOMES if inspect.ismodule(getattr(arena, name))]
    assert hidden == []

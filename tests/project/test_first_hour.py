"""The example of the page for new contributors does what the page says, in a copy of the repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paths import ROOT

PAGE = (ROOT / "docs" / "contributing" / "first-hour.md").read_text(encoding="utf-8")
TEST = Path("tests/compiler/test_compiled_numbers.py")
CODE = Path("arena/compiler/function/mathematics.py")


def apply(diff: str, file: Path) -> None:
    """Change a file as a diff says, which has no line numbers."""
    lines = diff.splitlines()
    before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    after = "\n".join(line[1:] for line in lines if not line.startswith("-"))
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    file.write_text(text.replace(before, after), encoding="utf-8")


def output_of_pytest(folder: Path) -> str:
    command = [sys.executable, "-m", "pytest", "-n0", "--no-header", str(TEST), "-k", "remainders"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120).stdout


def test_the_page_names_the_files_that_it_changes():
    assert f"`{TEST}`" in PAGE
    assert f"`{CODE}`" in PAGE


@pytest.mark.slow
def test_the_example_fails_and_then_passes(tmp_path):
    for name in ("arena", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    test, code = re.findall(r"```diff\n(.*?)```", PAGE, re.DOTALL)
    apply(test, tmp_path / TEST)
    failed = output_of_pytest(tmp_path)
    assert "math.fmod does not compile" in failed
    assert "1 failed" in failed
    apply(code, tmp_path / CODE)
    assert "1 passed" in output_of_pytest(tmp_path)

"""Tables in LaTeX are set by LaTeX itself, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import arena
from arena.show.grid import Grid
from arena.show.latex import SIGNS, latex

DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""
PROGRAMS = {
    "tectonic": ("--outfmt", "xdv"),
    "pdflatex": ("-draftmode", "-halt-on-error", "-interaction=nonstopmode"),
}


@pytest.fixture
def set_by_latex(tmp_path):
    """Return what LaTeX says of tables; the test fails if LaTeX does."""
    program = next(filter(shutil.which, PROGRAMS), None)
    if program is None:
        pytest.skip(f"needs: one of {', '.join(PROGRAMS)}, with booktabs")

    def run(tables: str) -> str:
        Path(tmp_path, "tables.tex").write_text(DOCUMENT % tables, encoding="utf-8")
        command = [program, *PROGRAMS[program], "tables.tex"]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
        assert found.returncode == 0, found.stdout + found.stderr
        return found.stdout + found.stderr

    return run


def test_all_that_is_escaped_is_set(set_by_latex):
    """A cell may begin with a bracket or an asterisk, which end a line above as its options."""
    cells = [[sign, f"a{sign}1"] for sign in SIGNS]
    said = set_by_latex(latex(Grid(["sign", "amid"], [*cells, ["[x]", "*"], ["*", "[2]"]])))
    assert "Missing" not in said


@pytest.mark.slow
def test_tables_of_results_are_set(set_by_latex, tmp_path):
    db = tmp_path / "arena.db"
    played = arena.tournament(["A_1=random", "first", "minimax:depth=1"], rounds=2, seed=1, db=db)
    results = [
        played,
        arena.leaderboard(db=db),
        arena.match("random", "first", matches=4, seed=1),
        arena.exact("first", "minimax:ties=first"),
        arena.compare("q-table:episodes=20", "q-table:episodes=10", against="random", seeds=2, rounds=2),
        arena.position("tic-tac-toe"),
    ]
    set_by_latex("\n\n".join(result.to_latex() for result in results))

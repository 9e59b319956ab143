"""Numbers that are not whole are added alike in every Python: by `math.fsum`, `fmean` or numpy.

`sum` rounds otherwise from 3.12 on than before.
"""

from __future__ import annotations

import ast

import pytest

from paths import ROOT

FILES = [path for top in ("arena", "plugins", "leaderboards") for path in (ROOT / top).rglob("*.py")]
WHOLE = {"leaderboards/voting/board.py"}  # whose products are of whole numbers


def doubtful(source: str) -> list[int]:
    """The lines of calls of `sum` that add products, quotients or powers."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "sum"
        and any(isinstance(one, ast.GeneratorExp) and multiplies(one.elt) for one in node.args)
    ]


def multiplies(node: ast.expr) -> bool:
    if not isinstance(node, ast.BinOp) or isinstance(node.op, ast.LShift):
        return False
    return (
        isinstance(node.op, ast.Mult | ast.Div | ast.Pow) or multiplies(node.left) or multiplies(node.right)
    )


@pytest.mark.slow
def test_no_sum_depends_on_the_python():
    found = {
        name: lines
        for path in FILES
        if (name := path.relative_to(ROOT).as_posix()) not in WHOLE
        and (lines := doubtful(path.read_text(encoding="utf-8")))
    }
    assert found == {}
    assert len(FILES) > 300


def test_those_that_do_are_found():
    assert doubtful(
        "sum(p * x for p in y)\nsum(y)\nmath.fsum(p * x for p in y)\nsum(1 + x / 2 for x in y)"
    ) == [1, 4]
    assert doubtful("sum(1 << 2 * x for x in y)\nsum(x * y == 3 for x in z)") == []

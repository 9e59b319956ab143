"""Tables in LaTeX, for the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from arena.show.grid import Grid
from arena.texts import on_one_line

SIGNS = {
    "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$",
    "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$", "–": "--", "—": "---",
    "…": r"\ldots{}", "µ": r"\textmu{}", "·": r"$\cdot$",
    "→": r"$\rightarrow$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "½": r"\textonehalf{}",
}  # fmt: skip
ESCAPES = str.maketrans(SIGNS)
OPTIONAL = ("[", "*")  # at the start of a line, these would be options of the `\\` before it


def escaped(text: str) -> str:
    """Return a text on one line, escaped for LaTeX."""
    return on_one_line(text).translate(ESCAPES)


def latex(grid: Grid) -> str:
    r"""Return a table as a `tabular`; the document needs `\usepackage{booktabs}`."""
    sides = "".join("l" if i < grid.left else "r" for i in range(len(grid.columns)))

    def line(cells: Sequence[str]) -> str:
        text = " & ".join(map(escaped, cells))
        return f"{'{}' if text[:1] in OPTIONAL else ''}{text} \\\\"

    rows = [line(grid.columns), r"\midrule", *map(line, grid.rows)]
    body = "\n".join([r"\toprule", *rows, r"\bottomrule"])
    return f"\\begin{{tabular}}{{{sides}}}\n{body}\n\\end{{tabular}}\n"

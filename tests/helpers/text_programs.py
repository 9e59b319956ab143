"""Programs made at random like those of `wide_programs.py`, which also have texts.

A variable whose name begins with w is a text of five characters; WORD has six, `self.words` is a dictionary and
`self.places` a list of texts of two.
"""

# ruff: noqa: E501

from __future__ import annotations

from wide_programs import WIDE_PREPARE, WideWriter

TEXT_PREPARE = (
    WIDE_PREPARE
    + """\
        self.words = {"XO": 1}
        self.places = ["XO", "..", "OX"]
"""
)


class TextWriter(WideWriter):
    """Writes one program."""

    def some_i(self, depth: int) -> str:
        return self.with_text(depth) if self.likely(20) else super().some_i(depth)

    def some_b(self, depth: int) -> str:
        return self.about_text(depth) if self.likely(20) else super().some_b(depth)

    def leaf(self, kind: str) -> str:
        if kind != "w":
            return super().leaf(kind)
        return (self.name("w") if self.likely(80) else "") or str(
            self.one_of('"XO..X"', '"....."', '"OXOXO"', '"é.X☃O"', "WORD[1:]", "WORD[:5]")
        )

    def character(self) -> str:
        """A text of one character."""
        return str(self.one_of('"X"', '"O"', '"."', '"☃"', f"{self.leaf('w')}[{self.leaf('i')} % 5]"))

    def with_text(self, depth: int) -> str:
        """An int of a text."""
        w, c, i = self.leaf("w"), self.character(), self.of("i", depth)
        at = self.leaf("i")
        return str(self.one_of(
            f"{w}.count({c})", f"{w}.find({c})", f"len({w})", f"ord({w}[{i} % 5])", f"({c} in {w})", f"len({w}[{at} % 6:])",
            f"{w}[::2].count({c})", f"{w}[{at} % 5:].count({c})", f"{w}[:{at} % 5].find({c})",
            f"len(str({i}))", f"{w}.index({c})", f"len(list({w}))", f"{w}.replace('X', 'O').count('O')", f"{w}.startswith({c})",
            f"sum([1 for c in {w} if c == {c}])", f"len([j for j, c in enumerate({w}) if c != '.'])", f"ord({w}[-1])",
            f"WORD.count({c})", f"WORD.find({c})", f"self.words.get({w}[:2], {i})", "len(self.words)",
            "sum(self.words.values())", f"len({w} + WORD)",
            f"({w} * 2).count({c})", f"ord(max({w}))" if self.likely(10) else f"ord({c})", f"self.places[{i} % 3].count({c})",
            f"len(''.join([c for c in {w} if c != {c}]))", f"ord(chr({i} % 90 + 32))", f"sum(ord(c) for c in {w}) % 1009",
            "len(sorted(self.words)[0])" if self.likely(10) else f"len({w})",
            f"len([1 for x, y in zip({w}, WORD) if x == y])",
        ))  # fmt: skip

    def about_text(self, depth: int) -> str:
        """A bool of texts."""
        w, other, c, i = self.leaf("w"), self.leaf("w"), self.character(), self.of("i", depth)
        return str(self.one_of(
            f"({w} == {other})", f"({w} != {other})", f"({w} < {other})", f"({w} >= {other})", f"({c} in {w})", f"({c} not in {w})",
            f"({w}[{i} % 5] == {c})", f"({w}[:2] in self.words)", f"any(c == {c} for c in {w})", f"all(c != {c} for c in {w})",
            f"({w}[1:4] == {other}[2:])", f"({w}[1:3] in ('XO', '..'))", f"({w} == {other}[::-1])", f"bool({w}[{i} % 6:])",
            f"('XO' in {w})" if self.likely(20) else f"({c} == {self.character()})", f"(self.places[1] == {w}[:2])",
            f"(str({i} % 10) == '3')",
        ))  # fmt: skip

    def text(self) -> str:
        """A text of five characters."""
        w, c, at = self.leaf("w"), self.character(), self.leaf("i")
        k = self.chance.randrange(5)
        return str(self.one_of(
            f"{w}[::-1]", f"{w}[:{k}] + {c} + {w}[{k + 1}:]", f"{w}[:{at} % 5] + {c} + {w}[{at} % 5 + 1:]", f"{c} + {w}[1:]",
            f"{w}.replace('X', 'O')", f"{w}.replace({c}, '.')", "'.' * 5", "''.join(['X' if x & 1 else '.' for x in range(5)])",
            f"{w}[2:] + {w}[:2]", f"({w} if {self.of('b', 1)} else {self.leaf('w')})", f"''.join([c for c in {w}])", w,
            f"{w}[:4] + str({at} % 10)", f"{w}[:3] + self.places[{at} % 3]", "WORD[::-1][1:]", f"''.join(list({w}))",
            f"f'{{{w}[0]}}{{{at} % 10}}...'",
        ))  # fmt: skip

    def change(self, depth: int, indent: str) -> list[str]:
        if not self.likely(20):
            return super().change(depth, indent)
        w, c, at, i = self.leaf("w"), self.character(), self.leaf("i"), self.of("i", 1)
        line = self.one_of(
            f"self.words[{w}[:2]] = {i}", f"self.words[{w}[:2]] = self.words.get({w}[:2], 0) + 1", "self.words.clear()",
            f"self.words.pop({w}[1:3], 0)", f"self.places[{at} % 3] = {w}[:2]", f"self.places.append({c} + '.')",
            f"self.words = {{{w}[3:]: {i}}}", "self.places.sort()",
        )  # fmt: skip
        return [indent + line]

    def statement(self, depth: int, indent: str) -> list[str]:
        if self.likely(15):
            lines = [f"{indent}w{self.chance.randrange(2)} = {self.text()}"]
            self.set.add(lines[0].split()[0])
            return lines
        if depth > 0 and self.likely(6):
            w, c = self.leaf("w"), self.character()
            return [
                f"{indent}for c in {w}:",
                f"{indent}    if c {self.one_of('==', '!=', '<')} {c}:",
                f"{indent}        self.size = (self.size * 3 + {self.leaf('i')}) % 1000",
                *([f"{indent}        break"] if self.likely(30) else []),
            ]
        return super().statement(depth, indent)

    def program(self) -> str:
        text = super().program().replace("TABLE = {", 'WORD = "XO.X.O"\nTABLE = {', 1)
        for deep in ("True", "False"):
            text = text.replace(WIDE_PREPARE % {"deep": deep}, TEXT_PREPARE % {"deep": deep}, 1)
        return text

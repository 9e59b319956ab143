"""Programs made at random from the language that compiles, as the text of a module with a component `Made`.

What is drawn comes from a `random.Random`, or from what Hypothesis gives in its place. Names say their kinds: i an
int, f a float, n either of these, b a bool, t a pair of ints, u an int and a float, l a list of ints, p a list of
pairs; c counts loops, and x, y, z are what loops go over. `watched` is the same program with a look at every number.
"""

from __future__ import annotations

import ast
import math
from random import Random
from typing import Any

FAR = 1 << 53  # where ints that meet floats are no longer exact

HEAD = """\
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from both_ways import Part, compiled

CORNERS = (0, 2, 6, 8, 11)
STEPS = ((0, 1), (1, 0), (2, -1))
HALF = 0.5


class Pair(NamedTuple):
    one: int
    two: float = 0.5


def told(items):
    total = len(items)
    for x in items:
        total = (total * 31 + x) % 10007
    return total


class Inner(Part):
    def prepare(self):
        self.level = 2
        self.cells = np.arange(4)

    def raised(self, by):
        self.level += by & 3
        self.cells[by & 3] += 1
        return self.level


"""
PREPARE = """\
    table = np.array([3, 1, 4, 1, 5])

    def prepare(self):
        self.size = 3
        self.rate = 0.75
        self.ready = True
        self.deep = %(deep)s
        self.nothing = None
        self.counts = np.arange(6)
        self.values = np.linspace(-1, 1, 5)
        self.board = np.arange(12).reshape(3, 4)
        self.small = np.arange(4, dtype=np.int8)
        self.flags = np.zeros(4, bool)
        self.single = np.linspace(0, 1, 4, dtype=np.float32)
        self.bytes = np.arange(4, dtype=np.uint8)
        self.cube = np.arange(24).reshape(2, 3, 4)
        self.inner = Inner(self.game)
        self.other = self.inner
"""


class Writer:
    """Writes one program. chance: what draws. set: the variables that are surely set here."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.set: set[str] = set()
        self.ever: set[str] = set()  # those set anywhere before in the method
        self.given: set[str] = set()  # those that were given to it
        self.helpers: list[
            tuple[str, str, str]
        ] = []  # kinds of parameters, of the result, and the call's name
        self.loops = 0  # around what is being written
        self.fuel = 0
        self.drawing = True  # whether there are random numbers
        self.counters = 0

    # --- choices ------------------------------------------------------------------------------------------

    def one_of(self, *ways: Any) -> Any:
        return ways[self.chance.randrange(len(ways))]

    def likely(self, percent: int) -> bool:
        return self.chance.randrange(100) < percent

    def name(self, kind: str) -> str:
        """A variable of a kind that is set, now and then one that may not be; nothing if there is none."""
        known = sorted(name for name in self.set if name[0] == kind)
        other = sorted(name for name in self.ever - self.set if name[0] == kind)
        if other and kind in "ifbt" and self.likely(2):
            return self.one_of(*other)
        return self.one_of(*known) if known else ""

    # --- expressions --------------------------------------------------------------------------------------

    def of(self, kind: str, depth: int = 2) -> str:
        """An expression of a kind."""
        self.fuel -= 1
        if depth <= 0 or self.fuel < 0:
            return self.leaf(kind)
        return str(getattr(self, "some_" + kind)(depth - 1))

    def leaf(self, kind: str) -> str:
        found = self.name(kind) if self.likely(60) else ""
        if kind == "i":
            loops = sorted(name for name in self.set if name[0] in "xyz")
            more = [*loops, "a", "self.size", str(self.chance.randrange(-6, 12)), "self.inner.level"]
            return found or str(self.one_of(*more))
        if kind in "fn":
            return found or str(
                self.one_of("w", "self.rate", "0.5", "-1.25", "3.0", "-0.0", "HALF", self.leaf("i"))
            )
        if kind == "b":
            return found or str(self.one_of("self.ready", "True", "False", "self.deep", "self.flags[1]"))
        if kind == "t":
            return found or f"({self.leaf('i')}, {self.leaf('i')})"
        if kind == "u":
            return found or f"({self.leaf('i')}, {self.leaf('f')})"
        if kind == "l":
            return found or f"[{', '.join(self.leaf('i') for _ in range(self.chance.randrange(1, 4)))}]"
        return found or f"[({self.leaf('i')}, {self.leaf('i')})]"

    def of_list(self, depth: int) -> str:
        """A list, tuple, range or generator of ints to go over."""
        ways = [
            lambda: self.leaf("l"),
            lambda: f"range({self.of('i', depth)} % 5)",
            lambda: f"range({self.of('i', depth)} % 5, 7, 2)",
            lambda: f"reversed(range({self.of('i', depth)} % 4))",
            lambda: "CORNERS",
            lambda: "self.counts",
            lambda: "self.board[1]",
            lambda: f"({self.of('i', depth)}, {self.of('i', depth)})",
            lambda: f"self.counts[{self.chance.randrange(6)}:]",
            lambda: self.called("g", depth) or "self.table",
            lambda: self.called("g", depth) or "CORNERS",
            lambda: f"{self.leaf('l')}[{self.chance.randrange(-2, 3)}:]",
            lambda: f"sorted({self.leaf('l')})",
        ]
        return str(self.one_of(*ways)())

    def called(self, result: str, depth: int) -> str:
        """A call of a helper with this kind of result; nothing if there is none."""
        known = [
            helper
            for helper in self.helpers
            if helper[1] == result and (self.drawing or "r" not in helper[0])
        ]
        if not known:
            return ""
        kinds, _, name = self.one_of(*known)
        args = []
        for kind in kinds:
            args.append(
                "rng"
                if kind == "r"
                else self.of("i", depth) + " % 4"
                if kind == "k"
                else self.of(kind, depth)
            )
        return f"{name}({', '.join(args)})"

    def some_i(self, depth: int) -> str:
        i = lambda: self.of("i", depth)  # noqa: E731
        ways = [
            lambda: self.leaf("i"),
            lambda: f"({i()} {self.one_of('+', '-', '*', '+', '-')} {i()})",
            lambda: f"({i()} {self.one_of('&', '|', '^')} {i()})",
            lambda: f"({i()} {self.one_of('//', '%')} {self.divisor(depth)})",
            lambda: f"({i()} {self.one_of('<<', '>>')} ({i()} & 7))",
            lambda: f"{self.one_of('-', '~', '+')}{i()}",
            lambda: f"abs({i()})",
            lambda: f"{self.one_of('min', 'max')}({i()}, {i()})",
            lambda: f"{self.one_of('min', 'max')}({i()}, {i()}, {i()})",
            lambda: f"({i()} if {self.of('b', depth)} else {i()})",
            lambda: f"({i()} {self.one_of('and', 'or')} {i()})",
            lambda: f"self.counts[{i()} % 6]",
            lambda: f"self.board[{i()} % 3, {i()} % 4]",
            lambda: f"self.board[{i()} % 3][-1]",
            lambda: f"self.small[{i()} & 3]",
            lambda: f"self.other.cells[{i()} & 3]",
            lambda: f"self.table[{i()} % 5]",
            lambda: f"CORNERS[{i()} % 5]",
            lambda: f"STEPS[{i()} % 3][{i()} & 1]",
            lambda: f"len({self.of('l', depth)})",
            lambda: f"told({self.of('l', depth)})",
            lambda: f"sum({self.of('l', depth)})",
            lambda: self.reckoned("sum", "i", depth),
            lambda: f"{self.of('t', depth)}[{self.one_of('0', '1', '-1', i() + ' & 1')}]",
            lambda: f"{self.of('u', depth)}[0]",
            lambda: f"int({self.of('f', depth)} % 1000)",
            lambda: f"round({self.of('f', depth)} % 97)",
            lambda: f"math.floor({self.of('f', depth)} % 50)",
            lambda: f"({self.of('b', depth)} + {i()})",
            lambda: f"int({self.of('b', depth)})",
            lambda: f"{self.leaf('l')}.count({i()})",
            lambda: f"({i()}).bit_length()",
            lambda: f"({i()} & 255).bit_count()",
            lambda: f"divmod({i()}, {self.divisor(depth)})[{self.chance.randrange(2)}]",
            lambda: f"({i()} % 50) ** 2",
            lambda: self.called("i", depth) or i(),
            lambda: self.called("i", depth) or i(),
            lambda: f"self.inner.raised({i()})",
            lambda: f"max({self.of('l', depth)} or [{i()}])",
            lambda: self.keyed(depth),
            lambda: f"rng.below({self.chance.randrange(1, 9)})" if self.drawing else i(),
            lambda: f"rng.choice(({i()}, {i()}))" if self.drawing else i(),
            lambda: f"({i()}, {i()}, {i()})[{i()} % 3]",
            lambda: f"(self.double + {i()})",
            lambda: f"self.bytes[{i()} & 3]",
            lambda: f"self.cube[{i()} & 1, {i()} % 3, {i()} & 3]",
            lambda: f"sum(self.cube[{i()} & 1, {i()} % 3])",
            lambda: f"len(self.cube[{i()} & 1][1:])",
            lambda: f"{self.some_pair(depth)}.one",
            lambda: f"{self.some_pair(depth)}[0]",
            lambda: f"math.ceil({self.of('f', depth)} % 50)",
            lambda: f"int({self.of('f', depth)} / 1000)" if self.likely(5) else i(),
            lambda: f"self.one(i1={i()}, i0={i()})" if self.helpers else i(),
        ]
        return str(self.one_of(*ways)())

    def some_pair(self, depth: int) -> str:
        """A named tuple."""
        i, f = self.of("i", depth), self.of("f", depth)
        ways = f"Pair({i}, {f})", f"Pair(two={f}, one={i})", f"Pair({i})", f"Pair({i})._replace(two={f})"
        return str(self.one_of(*ways))

    def divisor(self, depth: int) -> str:
        """An int that is not 0, as a rule."""
        i = self.of("i", depth)
        return str(self.one_of(f"({i} or 3)", f"({i} | 1)", self.one_of("2", "3", "-3", "8", "7"), i))

    def keyed(self, depth: int) -> str:
        before, self.set = self.set, self.set | {"x"}
        key = self.of("i", depth)
        self.set = before
        return f"{self.one_of('min', 'max')}({self.of('l', depth)} or [4], key=lambda x: {key})"

    def reckoned(self, function: str, kind: str, depth: int) -> str:
        """Something of what a comprehension gives."""
        over = self.of_list(depth)
        before, self.set = self.set, self.set | {self.one_of("x", "y")}
        (loop,) = self.set - before or {"x"}
        self.set.add(loop)
        item = self.of(kind, depth)
        test = f" if {self.of('b', depth)}" if self.likely(40) else ""
        self.set = before
        return f"{function}({item} for {loop} in {over}{test})"

    def some_f(self, depth: int) -> str:
        f = lambda: self.of("f", depth)  # noqa: E731
        ways = [
            lambda: self.leaf("f"),
            lambda: self.leaf("n"),
            lambda: f"({f()} {self.one_of('+', '-', '*')} {f()})",
            lambda: f"({self.of('i', depth)} / {self.divisor(depth)})",
            lambda: f"({f()} / ({f()} or 0.5))",
            lambda: f"({f()} {self.one_of('//', '%')} {self.one_of('0.75', '-2.5', '3', f())})",
            lambda: f"-{f()}",
            lambda: f"abs({f()})",
            lambda: f"{self.one_of('min', 'max')}({f()}, {self.of('i', depth)})",
            lambda: f"({f()} if {self.of('b', depth)} else {f()})",
            lambda: f"({f()} {self.one_of('and', 'or')} {f()})",
            lambda: f"float({self.of('i', depth)})",
            lambda: f"self.values[{self.of('i', depth)} % 5]",
            lambda: f"math.sqrt(abs({f()}))",
            lambda: f"math.atan2({f()}, 2.0)",
            lambda: f"({f()} % 10) ** 2",
            lambda: f"{self.of('u', depth)}[1]",
            lambda: "rng.random()" if self.drawing else f(),
            lambda: self.called("f", depth) or f(),
            lambda: f"({self.of('i', depth)} * {f()})",
            lambda: f"({self.of('i', depth)}, {f()})[1]",
            lambda: f"{self.some_pair(depth)}.two",
            lambda: f"self.single[{self.of('i', depth)} & 3]",
            lambda: f"divmod({f()}, {self.one_of('0.75', '-2.5', f())})[{self.chance.randrange(2)}]",
            lambda: f"(abs({f()}) + 0.5) ** -1.5",
            lambda: f"math.copysign({f()}, {f()})",
        ]
        return str(self.one_of(*ways)())

    some_n = some_f

    def some_b(self, depth: int) -> str:
        i, b = (lambda: self.of("i", depth)), (lambda: self.of("b", depth))
        sign = lambda: self.one_of("<", "<=", ">", ">=", "==", "!=")  # noqa: E731
        ways = [
            lambda: self.leaf("b"),
            lambda: f"({i()} {sign()} {i()})",
            lambda: f"({self.of('f', depth)} {sign()} {self.one_of(i, lambda: self.of('f', depth))()})",
            lambda: f"({i()} {sign()} {i()} {sign()} {i()})",
            lambda: f"({self.of('t', depth)} {sign()} {self.of('t', depth)})",
            lambda: f"({self.of('u', depth)} {sign()} {self.of('u', depth)})",
            lambda: f"(not {b()})",
            lambda: f"({b()} {self.one_of('and', 'or')} {b()})",
            lambda: f"({b()} {self.one_of('&', '|', '^', '==')} {b()})",
            lambda: f"({i()} in {self.of('l', depth)})",
            lambda: f"({i()} {self.one_of('in', 'not in')} ({i()}, {i()}))",
            lambda: f"({i()} in CORNERS)",
            lambda: f"({i()} in self.counts)",
            lambda: f"({self.of('t', depth)} in {self.leaf('p')})",
            lambda: f"bool({self.one_of(i, lambda: self.of('l', depth))()})",
            lambda: self.reckoned("any", "b", depth),
            lambda: self.reckoned("all", "b", depth),
            lambda: f"self.flags[{i()} & 3]",
            lambda: "(self.nothing is None)",
            lambda: f"(self.deep and {b()})",
            lambda: f"(rng.below({self.chance.randrange(2, 5)}) == 0)" if self.drawing else b(),
            lambda: self.called("b", depth) or b(),
        ]
        return str(self.one_of(*ways)())

    def some_t(self, depth: int) -> str:
        i = lambda: self.of("i", depth)  # noqa: E731
        ways = [
            lambda: self.leaf("t"),
            lambda: f"({i()}, {i()})",
            lambda: f"divmod({i()}, {self.divisor(depth)})",
            lambda: f"(({i()},) + ({i()},))",
            lambda: f"({self.of('t', depth)} if {self.of('b', depth)} else {self.of('t', depth)})",
            lambda: f"STEPS[{i()} % 3]",
            lambda: self.called("t", depth) or f"({i()}, {i()})",
            lambda: f"max({self.leaf('p')} or [(0, {i()})])",
        ]
        return str(self.one_of(*ways)())

    def some_u(self, depth: int) -> str:
        return f"({self.of('i', depth)}, {self.of('f', depth)})"

    def some_l(self, depth: int) -> str:
        i = lambda: self.of("i", depth)  # noqa: E731
        ways = [
            lambda: f"[{', '.join(i() for _ in range(self.chance.randrange(1, 4)))}]",
            lambda: self.reckoned("list", "i", depth),
            lambda: "[" + self.reckoned("", "i", depth)[1:-1] + "]",
            lambda: f"list({self.of_list(depth)})",
            lambda: (
                f"sorted({self.of_list(depth)}{self.one_of('', ', reverse=True', ', key=lambda x: ' + self.with_x(depth))})"
            ),
            lambda: f"{self.leaf('l')}[{self.one_of('1:', ':-1', ':2', '-3:', i() + ' % 4:')}]",
            lambda: f"{self.leaf('l')}.copy()",
            lambda: f"[{i()}] * ({i()} % 4)",
            lambda: self.called("l", depth) or f"[{i()}]",
            lambda: (
                f"rng.sample(list(CORNERS), {self.chance.randrange(1, 4)})" if self.drawing else f"[{i()}]"
            ),
        ]
        return str(self.one_of(*ways)())

    def with_x(self, depth: int) -> str:
        before, self.set = self.set, self.set | {"x"}
        key = self.of(self.one_of("i", "t"), depth)
        self.set = before
        return key

    def some_p(self, depth: int) -> str:
        ways = [
            lambda: f"[{self.of('t', depth)}, {self.of('t', depth)}]",
            lambda: "[" + self.reckoned("", "t", depth)[1:-1] + "]",
        ]
        return str(self.one_of(*ways)())

    # --- statements ---------------------------------------------------------------------------------------

    def block(self, most: int, depth: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.chance.randrange(1, most + 1)):
            lines += self.statement(depth, indent)
        return lines

    def statement(self, depth: int, indent: str) -> list[str]:
        ways = [self.assignment, self.assignment, self.assignment, self.change, self.change, self.with_list]
        if depth > 0:
            ways += [self.choice, self.choice, self.loop, self.loop, self.count, self.leave]
        lines: list[str] = self.one_of(*ways)(depth - 1, indent)
        return lines

    def assignment(self, depth: int, indent: str) -> list[str]:
        kind = self.one_of(*"iiiifffnbbttull")
        value = self.of(self.one_of("i", "f") if kind == "n" else kind, 3)
        name = f"{kind}{self.chance.randrange(2)}"
        if kind in "lp" and self.is_name(value):
            value = f"list({value})"
        if kind == "i" and self.likely(10):
            line = f"{indent}i0, i1 = {self.of('t', 2)}"
            self.set |= {"i0", "i1"}
            return [line]
        if kind == "i" and self.likely(10) and {"i0", "i1"} <= self.set:
            return [f"{indent}i0, i1 = i1, i0 + {self.of('i', 1)}"]
        if kind in "if" and self.likely(25) and name in self.set:
            sign = (
                self.one_of("+", "-", "*", "+") if kind == "f" else self.one_of("+", "-", "^", "|", "&", "+")
            )
            return [f"{indent}{name} {sign}= {value}"]
        self.set.add(name)
        self.ever.add(name)
        return [f"{indent}{name} = {value}"]

    def change(self, depth: int, indent: str) -> list[str]:
        """Of an attribute or array."""
        i, f, b = self.of("i", 2), self.of("f", 2), self.of("b", 2)
        at = self.leaf("i")
        return [indent + self.one_of(
            f"self.size = {i} % 1000", f"self.size += {at}", f"self.rate = {f}", f"self.rate += {f}", f"self.ready = {b}",
            f"self.counts[{at} % 6] = {i}", f"self.counts[{at} % 6] += {i}", f"self.values[{at} % 5] = {f}",
            f"self.board[{at} % 3, {at} % 4] = {i}", f"self.board[{at} % 3][1] -= {i}", f"self.small[{at} & 3] = {i} % 100",
            f"self.flags[{at} & 3] = {b}", f"self.counts[{at} % 6 :] = {i}", "self.board[0] = self.board[1]",
            f"self.inner.level = {i} % 99", f"self.other.level += {at} & 7", f"self.inner.cells[{at} & 3] ^= 5",
            "self.counts[1:] = self.counts[:-1]", f"self.values.fill({f})", f"self.single[{at} & 3] = {f} % 8",
            f"self.bytes[{at} & 3] = {i} & 255", f"self.cube[1, {at} % 3] = self.cube[0, 1]", f"self.cube[{at} & 1][2][0] += {at}",
        )]  # fmt: skip

    def with_list(self, depth: int, indent: str) -> list[str]:
        """Something with a list."""
        name = self.name("l")
        if name not in self.set or name in self.given:
            line = f"{indent}l0 = list({self.of('l', 2)})"
            self.set.add("l0")
            return [line]
        if self.likely(15):
            line = f"{indent}p0 = list({self.of('p', 2)})"
            self.set.add("p0")
            return [line]
        return [indent + self.one_of(
            f"if len({name}) < 12:\n{indent}    {name}.append({self.of('i', 2)})",
            f"if len({name}) < 12:\n{indent}    {name}.append({self.of('i', 2)})",
            f"if {name}:\n{indent}    {name}[{self.leaf('i')} % len({name})] = {self.of('i', 2)}",
            f"if {name}:\n{indent}    i0 = {name}.pop()",
            f"if len({name}) > 1:\n{indent}    {name}.pop(0)",
            f"{name}.sort()", f"{name}.sort(key=lambda x: {self.with_x(1)})", f"{name}.reverse()",
            f"rng.shuffle({name})" if self.drawing else f"{name}.reverse()",
            f"self.turned({name})", f"{name} = {name}[1:]", f"{name} = [x + 1 for x in {name}]", f"{name}.clear()",
        )]  # fmt: skip

    def choice(self, depth: int, indent: str) -> list[str]:
        lines, before, ways = [f"{indent}if {self.of('b', 3)}:"], set(self.set), []
        for i in range(self.chance.randrange(1, 4)):
            if i:
                lines.append(
                    f"{indent}elif {self.of('b', 2)}:" if i == 1 and self.likely(40) else f"{indent}else:"
                )
            self.set = set(before)
            lines += self.block(3, depth, indent + "    ")
            ways.append(self.set)
            if lines and any(line == f"{indent}else:" for line in lines):
                break
        else:
            ways.append(before)
        self.set = set.intersection(*ways)
        return lines

    def inside(self, depth: int, indent: str, names: set[str]) -> list[str]:
        """A loop's body, with what may be behind it."""
        before = set(self.set)
        self.set |= names
        self.loops += 1
        lines = self.block(3, depth, indent + "    ")
        self.loops -= 1
        self.set = set(before)
        if self.likely(15):
            lines += [f"{indent}else:", *self.block(2, 0, indent + "    ")]
            self.set = set(before)
        return lines

    def loop(self, depth: int, indent: str) -> list[str]:
        name, other = self.chance.sample(["x", "y", "z"], 2)
        over = self.of_list(1)
        ways = [
            (f"for {name} in {over}:", {name}),
            (f"for {name} in {over}:", {name}),
            (f"for {name}, {other} in enumerate({over}):", {name, other}),
            (f"for {name}, {other} in zip({self.kept()}, self.counts, strict=False):", {name, other}),
            (f"for {name}, {other} in {self.one_of('STEPS', self.of('p', 1))}:", {name, other}),
            (f"for {name} in reversed({self.kept()}):", {name}),
            (f"for {name} in range({self.of('i', 1)} % 5):", {name}),
        ]
        head, names = self.one_of(*ways)
        return [indent + head, *self.inside(depth, indent, names)]

    def kept(self) -> str:
        """A list that does not change while it is gone over, as a rule."""
        return self.leaf("l") if self.likely(20) else f"list({self.leaf('l')})"

    def count(self, depth: int, indent: str) -> list[str]:
        """A loop by while."""
        self.counters += 1
        name = f"c{self.counters}"
        head = [
            f"{indent}{name} = 0",
            f"{indent}while {name} < {self.chance.randrange(1, 5)} and {self.of('b', 2)}:",
        ]
        return [*head, f"{indent}    {name} += 1", *self.inside(depth, indent, set())]

    def leave(self, depth: int, indent: str) -> list[str]:
        ways = [f'raise ValueError("{self.chance.randrange(9)}")', f"assert {self.of('b', 2)}", "pass"]
        if self.loops:
            ways += ["break", "continue"] * 3
        if self.likely(60):
            return [f"{indent}if {self.of('b', 2)}:", f"{indent}    {self.one_of(*ways)}"]
        return [indent + ways[2]]

    # --- methods ------------------------------------------------------------------------------------------

    def method(self, name: str, kinds: str, result: str, most: int) -> list[str]:
        """A helper, which later ones may call. kinds: of its parameters; k is a small int, r random numbers."""
        names = ["rng" if kind == "r" else f"{kind}{i}" for i, kind in enumerate(kinds)]
        self.set, self.ever, self.fuel, self.drawing = set(names) - {"rng"}, set(), 40, "r" in kinds
        self.given = set(names)
        annotated = ": float" if "f" in kinds else ""
        head = ", ".join(["self", *(name + (annotated if name[0] == "f" else "") for name in names)])
        lines = [f"    def {name}({head}):", *self.common()]
        if result == "g":
            lines += self.generator(most)
        elif name == "again":
            lines += [
                f"        if k0 <= 0:\n            return {self.of('i', 2)}",
                *self.block(most, 1, "        "),
            ]
            lines += [f"        return {self.of('i', 1)} + self.again(k0 - 1, {self.of('i', 1)} % 100)"]
        else:
            lines += self.block(most, 2, "        ")
            if self.likely(40):
                lines += [f"        if {self.of('b', 2)}:", f"            return {self.fresh(result)}"]
            lines += [f"        return {self.fresh(result)}"]
        self.helpers.append((kinds, result, f"self.{name}"))
        return [*lines, ""]

    def common(self) -> list[str]:
        """What `a` and `w` are in every method."""
        return ["        a = 3", "        w = 0.5"]

    def fresh(self, kind: str) -> str:
        value = self.of(kind, 2)
        return f"list({value})" if kind == "l" and self.is_name(value) else value

    def is_name(self, text: str) -> bool:
        return text.isidentifier()

    def generator(self, most: int) -> list[str]:
        lines = self.block(2, 0, "        ")
        for _ in range(most):
            lines += self.one_of(
                [f"        yield {self.of('i', 2)}"],
                [f"        if {self.of('b', 2)}:", f"            yield {self.of('i', 1)}"],
                [f"        for z in range({self.of('i', 1)} % 4):", f"            yield z * {self.of('i', 1)}"],
                ["        for z in CORNERS:", "            self.size += 1", "            yield z + self.size"],
            )  # fmt: skip
            if self.likely(20):
                lines += [f"        if {self.of('b', 2)}:", "            return"]
            lines += self.block(1, 0, "        ")
        if self.likely(20) and any(result == "g" for _, result, _ in self.helpers):
            lines += [f"        yield from {self.called('g', 1)}"]
        return lines

    def program(self) -> str:
        lines = [HEAD + "class Made(Part):", PREPARE % {"deep": self.one_of("True", "False")}]
        lines += ["    @property", "    def double(self):", "        return 2 * self.size", ""]
        lines += [
            "    def turned(self, items):",
            "        for i in range(len(items)):",
            "            items[i] = -items[i]",
            "",
        ]
        lines += self.method("one", "ii", "i", 2)
        lines += self.method("frac", "fi", "f", 2)
        some = [
            ("pair", "ir", "t", 2), ("truth", "il", "b", 2), ("items", "li", "l", 3), ("first", "i", "g", 1),
            ("again", "ki", "i", 1), ("several", "ir", "g", 3), ("mixed", "fti", "i", 3),
        ]  # fmt: skip
        for helper in some:
            if self.likely(50):
                lines += self.method(*helper)
        self.set, self.ever, self.given, self.fuel, self.drawing = {"i0", "f0"}, set(), set(), 150, True
        lines += [
            "    @compiled",
            "    def run(self, a: int, w: float, rng: Rng):",
            "        i0 = a",
            "        f0 = w",
        ]
        lines += self.block(9, 3, "        ")
        self.set -= {"x", "y", "z"}
        results = [
            f"told({name})" if name[0] == "l" else name for name in sorted(self.set) if name[0] in "ifnbtul"
        ]
        return "\n".join([*lines, f"        return {', '.join(results)}, 0", ""])


class Outside(Exception):
    """A number that compiled code need not reckon with as plain Python does."""


def look(x: Any) -> Any:
    """The number itself, or Outside."""
    if (isinstance(x, int) and abs(x) >= FAR) or (isinstance(x, float) and (math.isnan(x) or abs(x) >= FAR)):
        raise Outside
    return x


class Watch(ast.NodeTransformer):
    """Has every result of reckoning looked at."""

    def looked(self, node: Any) -> Any:
        return ast.copy_location(ast.Call(ast.Name("look_at_it", ast.Load()), [node], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        return self.looked(self.generic_visit(node))

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        return (
            self.looked(node)
            if isinstance(node.func, ast.Name) and node.func.id in ("sum", "int", "round")
            else node
        )

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        target = ast.parse(ast.unparse(node.target), mode="eval").body
        return [node, ast.copy_location(ast.Expr(self.looked(target)), node)]


def watched(text: str) -> ast.Module:
    """The program with all numbers looked at."""
    made: ast.Module = ast.fix_missing_locations(Watch().visit(ast.parse(text)))
    return made

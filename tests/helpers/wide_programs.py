"""Programs made at random like those of `programs.py`, over the whole language.

They also have dictionaries, sets, lists of lists, objects, dataclasses, new arrays and functions of numpy, `try`,
`match`, functions within functions, `itertools`, `functools`, `map` and `filter`, second names of lists, deques,
caches, and variables that may be None. More first letters of names: d a dictionary of ints, s a set of ints, o an
int or None, m a list of lists, v an array of floats, k one of ints, q a deque. Clocks and numba, which differ from
run to run or take seconds to compile, have tests of their own.
"""

# ruff: noqa: E501

from __future__ import annotations

from programs import HEAD, PREPARE, Writer

WIDE_HEAD = (
    HEAD.replace(
        "import math\n",
        "import functools\nimport itertools\nimport math\nfrom collections import Counter, defaultdict, deque\n"
        "from dataclasses import dataclass, field\nfrom operator import itemgetter\n",
    )
    + """
class Node:
    def __init__(self, value, parent=None):
        self.value = value
        self.parent = parent
        self.children = []
        self.visits = 0
        self.best = {}

    def add(self, value):
        child = Node(value, self)
        self.children.append(child)
        self.best[value % 5] = value
        return child

    def depth(self):
        found, node = 0, self
        while node.parent is not None:
            found += 1
            node = node.parent
        return found


@dataclass(frozen=True)
class Spot:
    row: int
    weight: float = 0.25

    def far(self, by):
        return self.row * by + 1


@dataclass
class Bag:
    size: int
    items: list = field(default_factory=list)
    table: dict = field(default_factory=dict)
    first: float = 0.0

    def __post_init__(self):
        self.first = self.size * 0.5

    @property
    def full(self):
        return len(self.items) >= self.size

    def put(self, x):
        if not self.full:
            self.items.append(x)
        self.table[x % 3, x & 1] = x
        return len(self.table)


def add(x, y):
    return (x * 3 + y) % 10007


TABLE = {0: 5, 3: -2, 11: 8}
FEW = {1, 4, 9}


"""
)
WIDE_PREPARE = (
    PREPARE
    + """\
        self.seen = {1: 2}
        self.pairs = {(0, 0): 0.5}
        self.known = {1}
        self.kept = [1, 2]
        self.grid = [[0, 1], [2, 3], [4, 5, 6]]
        self.tally = defaultdict(int)
        self.tally[0] = 0
"""
)


class WideWriter(Writer):
    """Writes one program."""

    def some_i(self, depth: int) -> str:
        if not self.likely(25):
            return super().some_i(depth)
        i = lambda: self.of("i", depth)  # noqa: E731
        ways = [
            lambda: f"self.seen.get({i()} % 9, {i()})",
            lambda: f"self.seen.setdefault({i()} % 9, {i()})",
            lambda: f"self.seen[{i()} % 9]",
            lambda: f"self.seen.pop({i()} % 9, {i()})",
            lambda: f"len(self.{self.one_of('seen', 'pairs', 'known', 'kept', 'tally')})",
            lambda: f"self.tally[{i()} & 3]",
            lambda: f"self.kept[{i()} % 3]",
            lambda: f"self.kept[-1] + sum(self.kept[{self.chance.randrange(3)}:])",
            lambda: f"self.grid[{i()} % 3][{i()} & 1]",
            lambda: f"sum(self.grid[{i()} % 3])",
            lambda: f"TABLE.get({i()} % 12, {i()})",
            lambda: f"sum(v - k for k, v in self.seen.items())",  # noqa: F541
            lambda: f"sum(x * y for x, y in itertools.combinations({self.of('l', depth)}, 2))",
            lambda: f"len([1 for x, y in itertools.product(range({i()} % 4), CORNERS) if x < y])",
            lambda: f"sum({{x % 7: x for x in {self.of_list(depth)}}}.values())",
            lambda: f"len({{x % 7 for x in {self.of_list(depth)}}})",
            lambda: f"Counter({self.of('l', depth)})[{i()} % 4]",
            lambda: f"int(np.argmax(np.array([{i()}, {i()}, {i()}])))",
            lambda: f"int(np.sum(np.arange({self.chance.randrange(1, 9)}) * ({i()} % 50)))",
            lambda: f"bin({i()} & 1023).count('1')",
            lambda: f"({i()} % 9 - 4) ** ({i()} & 3)",
            lambda: f"self.shape({i()}, {i()} % 5)",
            lambda: f"self.within({i()})",
            lambda: f"self.waits({i()} % 5)",
            lambda: f"sum(map(lambda x: x % 50 * 3 - 1, filter(lambda x: x % 3, {self.of('l', depth)})))",
            lambda: f"self.cased({i()} % 5, {i()})",
            lambda: f"self.named({self.of('l', depth)}, {i()} % 9)",
            lambda: f"self.packed({i()} % 4, {i()})",
            lambda: f"self.cached({i()} % 9, {i()} & 1)",
            lambda: self.one_of(f"Spot({i()} % 99).far({i()} % 9)", f"self.far({i()} % 99, {i()})"),
            lambda: f"Spot(row={i()}, weight=1.5).row",
            lambda: self.with_table(depth),
            lambda: self.with_table(depth),
            lambda: self.with_set(depth),
            lambda: self.maybe(depth),
            lambda: f"({self.leaf('m')}[{i()} & 1][{i()} & 1])",
            lambda: f"sum([sum(x) for x in {self.leaf('m')}])",
            lambda: self.with_ints(depth),
            lambda: f"{self.leaf('q')}[{self.one_of('0', '-1')}]",
            lambda: (
                f"functools.reduce({self.one_of('add', 'lambda x, y: (x + 2 * y) % 1009')}, {self.of_list(depth)}, {i()})"
            ),
            lambda: f"functools.reduce(add, {self.of('l', depth)})",
            lambda: f"sum(itertools.accumulate({self.of('l', depth)}))",
            lambda: f"sum(itertools.accumulate({self.of('l', depth)}, add))",
            lambda: f"sum(x % 5 - y % 7 for x, y in itertools.pairwise({self.of('l', depth)}))",
            lambda: f"sum(x % 50 for x in itertools.chain({self.of_list(depth)}, {self.of('l', depth)}))",
            lambda: f"sum(x % 9 * y % 9 for x, y in itertools.permutations({self.of('l', depth)}, 2))",
            lambda: (
                f"len([1 for x, y in itertools.combinations_with_replacement(range({i()} % 4), 2) if x < y])"
            ),
            lambda: f"{self.one_of('min', 'max')}({self.leaf('l')}[1:], default={i()})",
            lambda: f"max({self.of('p', depth)}, key=itemgetter({self.chance.randrange(2)}))[0]",
            lambda: f"max({self.of('l', depth)} or [4], key=self.seen.get)" if self.likely(5) else i(),
            lambda: f"pow({i()} % 9, {i()} & 3)",
            lambda: f"tuple([x % 99 + {i()} for x in CORNERS])[{i()} % 5]",
            lambda: f"({self.of('t', depth)} + {self.of('t', depth)})[{self.one_of('1:3', ':2', '2:')}][1]",
            lambda: f"(*{self.of('t', depth)}, {i()})[2]",
            lambda: f"len([*{self.of('l', depth)}, {i()}])",
            lambda: f"sum({self.of('l', depth)} + {self.of('l', depth)})",
            lambda: f"{self.leaf('l')}.index({i()})" if self.likely(20) else i(),
            lambda: f"Counter({self.of('l', depth)}).total()",
            lambda: f"Counter({self.of('l', depth)}).most_common(1)[0][1]",
            lambda: f"sum(sorted({self.of('l', depth)}, key=abs))",
        ]
        return str(self.one_of(*ways)())

    def leaf(self, kind: str) -> str:
        if kind not in "dsomvkq":
            return super().leaf(kind)
        i = lambda: super(WideWriter, self).leaf("i")  # noqa: E731
        f = lambda: super(WideWriter, self).leaf("f")  # noqa: E731
        ways = {
            "d": lambda: f"{{{i()} % 9: {i()}, 1: {i()}}}",
            "s": lambda: f"{{{i()} % 9, {i()}}}",
            "o": lambda: f"({i()} if {super(WideWriter, self).leaf('b')} else None)",
            "m": lambda: f"[[{i()}, {i()}], [{i()}, {i()}]]",
            "v": lambda: f"np.array([{f()}, 0.5, {f()}])",
            "k": lambda: f"np.array([{i()}, {i()}, 2])",
            "q": lambda: f"deque([{i()}, {i()}])",
        }
        return (self.name(kind) if self.likely(85) else "") or str(ways[kind]())

    def with_table(self, depth: int) -> str:
        """An int of a dictionary."""
        d, i = self.leaf("d"), self.of("i", depth)
        return str(self.one_of(
            f"{d}[{i} % 9]", f"{d}.get({i} % 9, {self.leaf('i')})", f"len({d})", f"sum({d}.values())", f"max({d})",
            f"sum(x * 3 - y for x, y in {d}.items())", f"sum(x for x in {d})", f"({i} in {d})", f"sorted({d})[0]",
            f"max({d}.values())", f"sum({{x % 4: y for x, y in {d}.items()}}.values())", f"max({d}, key={d}.get)",
        ))  # fmt: skip

    def with_set(self, depth: int) -> str:
        """An int of a set."""
        s, i = self.leaf("s"), self.of("i", depth)
        return str(self.one_of(
            f"len({s})", f"sum({s})", f"min({s})", f"max({s}, default={i})", f"sorted({s})[-1]", f"({i} in {s})",
            f"sum(x * x % 7 for x in sorted({s}))",
        ))  # fmt: skip

    def maybe(self, depth: int) -> str:
        """An int of what may be None."""
        o = self.name("o")
        if not o:
            return self.of("i", depth)
        return f"({self.of('i', depth)} if {o} is None else {o} {self.one_of('+', '-')} {self.leaf('i')})"

    def with_ints(self, depth: int) -> str:
        """An int of an array of ints."""
        k, i = self.leaf("k"), self.of("i", depth)
        return str(self.one_of(
            f"int({k}[{i} % 3])", f"int(np.sum({k}))", f"int({k}.max())", f"int(np.argmin({k}))", f"int(({k} > {i}).sum())",
            f"int(np.where({k} > {i}, {k}, {self.leaf('i')})[1])", f"int(({k} * {i} + {self.leaf('k')})[0])", f"{k}.size",
            f"{k}.shape[0]", f"len({k})", f"sum({k}.tolist())", f"int(np.abs({k})[2])", f"int(np.dot({k} % 9, {k} % 7))",
            f"int(np.any({k} == {i}))", f"int(self.board.sum(axis={self.chance.randrange(2)})[1])", "self.board.shape[1]",
            "int(self.board.reshape(4, 3)[1, 2])", f"int(self.board.ravel()[{i} % 12])", f"int(np.max({k}) - np.min({k}))",
            f"int(({k} ** 2)[0] % 99)", f"int(np.zeros_like({k})[1]) + {self.cube()}", f"int(np.sign({k})[0])",
            f"int(np.maximum({k}, {i})[1])", f"int(np.ones(3, np.int64)[{i} % 3])", f"int(np.full(3, {i})[1])",
        ))  # fmt: skip

    def cube(self) -> str:
        return str(self.one_of("self.cube.ndim", "self.cube[1].size", "int(self.cube[0].sum(axis=0)[1])"))

    def some_f(self, depth: int) -> str:
        if not self.likely(20):
            return super().some_f(depth)
        f = lambda: self.of("f", depth)  # noqa: E731
        ways = [
            lambda: f"self.pairs.get(({self.of('i', depth)} & 1, 0), {f()})",
            lambda: f"float(np.max(np.array([{f()}, {f()}])))",
            lambda: f"float(np.zeros(3)[{self.of('i', depth)} % 3] + {f()})",
            lambda: f"float((np.array([{f()}, 1.5]) * 2.0)[{self.of('i', depth)} & 1])",
            lambda: f"Spot({self.of('i', depth)}, {f()}).weight",
            lambda: f"self.bagged({self.of('i', depth)} % 5, {f()})",
            lambda: self.with_floats(depth),
            lambda: self.with_floats(depth),
            lambda: f"math.{self.one_of('exp', 'tanh', 'sin', 'degrees', 'expm1')}({f()} % 3)",
            lambda: f"math.{self.one_of('log', 'log1p', 'log2')}(abs({f()}) + 0.5)",
            lambda: f"pow(abs({f()}) + 0.5, 1.5)",
            lambda: f"sum([{f()}, {f()}, 0.1])" if self.likely(5) else f(),
            lambda: f"max(self.pairs.values())",  # noqa: F541
        ]
        return str(self.one_of(*ways)())

    def with_floats(self, depth: int) -> str:
        """A float of an array of floats."""
        v, f, i = self.leaf("v"), self.of("f", depth), self.of("i", depth)
        other = self.leaf("v")
        return str(self.one_of(
            f"float({v}[{i} % 3])", f"float(np.sum({v}))", f"float({v}.mean())", f"float(({v} * {f} + {other})[1])",
            f"float(np.where({v} > {f}, {v}, {other})[2])", f"float(np.sqrt(np.abs({v}))[0])", f"float({v} @ {other})",
            f"float(np.dot({v}, {other}))", f"float(np.maximum({v}, {f})[1])", f"float(np.floor({v})[0])",
            f"float(np.tanh({v})[1])", f"float(np.exp(np.minimum({v}, 1.5))[0])", f"float({v}.max() - {v}.min())",
            f"float(({v} - np.mean({other}))[2])", f"float(np.zeros((2, 3))[{i} & 1].sum() + {f})",
            f"float({v}.copy()[1])", "float(self.board.astype(np.float64)[1, 2])", f"float(np.log(np.abs({v}) + 1)[0])",
            f"float((self.board[:, :3] @ {v})[{i} % 3])" if self.likely(10) else "float((self.board @ np.ones(4))[1])",
            f"float(-{v}[0])", "float(self.values.sum())",
        ))  # fmt: skip

    some_n = some_f

    def some_b(self, depth: int) -> str:
        if not self.likely(15):
            return super().some_b(depth)
        i = lambda: self.of("i", depth)  # noqa: E731
        ways = [
            lambda: f"({i()} % 9 {self.one_of('in', 'not in')} self.seen)",
            lambda: f"({i()} % 9 in self.known)",
            lambda: f"(({i()} & 1, 0) in self.pairs)",
            lambda: f"({i()} % 12 in {self.one_of('TABLE', 'FEW')})",
            lambda: f"({i()} in self.kept)",
            lambda: f"bool(self.{self.one_of('seen', 'known', 'kept')})",
            lambda: f"({self.leaf('o')} is {self.one_of('', 'not ')}None)",
            lambda: f"({i()} in {self.leaf(self.one_of('d', 's', 'q'))})",
            lambda: f"bool({self.leaf(self.one_of('d', 's'))})",
            lambda: f"bool(np.{self.one_of('any', 'all')}({self.leaf('k')} > {i()}))",
            lambda: f"math.{self.one_of('isnan', 'isinf', 'isfinite')}({self.of('f', depth)})",
            lambda: f"(Spot({i()}) == Spot({i()}))",
        ]
        return str(self.one_of(*ways)())

    def change(self, depth: int, indent: str) -> list[str]:
        if not self.likely(50):
            return super().change(depth, indent)
        i, f = self.of("i", 2), self.of("f", 2)
        at = self.leaf("i")
        line = self.one_of(
            f"self.seen[{at} % 9] = {i}", f"self.seen[{at} % 9] = self.seen.get({at} % 9, 0) + 1",
            f"self.tally[{at} & 3] += {i} % 50", f"self.pairs[{at} & 1, 0] = {f}", f"self.known.add({at} % 9)",
            f"self.known.discard({at} % 9)", f"self.kept.append({i})", f"self.kept.insert({at} % 5, {i})",
            f"self.kept.extend(({i}, {at}))", f"self.kept[{at} % 2] = {i}", "self.kept.reverse()", "self.kept.sort()",
            f"self.grid[{at} % 3][{at} & 1] = {i}", f"self.grid[{at} % 3].append({i})", f"self.grid[{at} % 3] = [{i}, {at}]",
            "self.seen.clear()", f"self.kept = [{i}, {at}]", f"del self.seen[{at} % 9]", f"self.kept.pop({at} % 4)",
            f"self.kept.remove({at})", f"self.seen = {{{at} % 9: {i}}}",
        )  # fmt: skip
        return [indent + line]

    def statement(self, depth: int, indent: str) -> list[str]:
        if depth > 0 and self.likely(12):
            return self.attempt(depth - 1, indent)
        if self.likely(25):
            return self.local(indent)
        if self.likely(4):
            inner = f"{indent}    self.size = (j0 + {self.leaf('i')}) % 1000"
            return [f"{indent}if (j0 := {self.of('i', 2)}) > {self.leaf('i')}:", inner]
        if depth > 0 and self.likely(8):
            return self.over(depth - 1, indent)
        return super().statement(depth, indent)

    def local(self, indent: str) -> list[str]:
        """A new variable of a kind that only these programs have, or a change of one."""
        kind = self.one_of(*"dsomvkq")
        name, known = f"{kind}{self.chance.randrange(2)}", self.name(kind)
        i, f, at = self.of("i", 2), self.of("f", 2), self.leaf("i")
        if not known or known not in self.set or self.likely(25):
            new = {
                "d": lambda: self.one_of(
                    "{}", "dict()", self.leaf("d"), f"{{x % 5: x for x in {self.of_list(1)}}}",
                    "defaultdict(int)" if self.likely(20) else "{}",
                ),
                "s": lambda: self.one_of("set()", f"{{{i}, 3}}", f"{{x % 9 for x in {self.of_list(1)}}}"),
                "o": lambda: self.one_of("None", i),
                "m": lambda: self.one_of(
                    f"[[{i}, {at}], [{at}, 0]]", f"[[x * y for x in range(3)] for y in range(2 + {at} % 2)]",
                    "[[0] * 3 for _ in range(3)]",
                ),
                "v": lambda: self.one_of(
                    f"np.array([{f}, 1.5, 2.0])", "np.zeros(3)", f"np.full(3, {f})", "self.values[1:4].copy()",
                    f"{self.leaf('v')} * 2.0", f"np.ones(3) - {f}", f"{self.leaf('k')}.astype(np.float64)",
                ),
                "k": lambda: self.one_of(
                    f"np.array([{i}, {at}, 2])", "np.zeros(3, np.int64)", "np.arange(3)", f"{self.leaf('k')} + {at}",
                    "self.counts[2:5].copy()", f"np.full(3, {at})",
                ),
                "q": lambda: self.one_of("deque()", f"deque([{i}, {at}])", f"deque({self.of_list(1)})"),
            }  # fmt: skip
            lines = [f"{indent}{name} = {new[kind]()}"]
            if "{}" in lines[0] or "dict" in lines[0]:
                lines += [f"{indent}{name}[1] = {at}"]
            if "set()" in lines[0] or "deque()" in lines[0]:
                lines += [f"{indent}{name}.{'add' if kind == 's' else 'append'}({at})"]
            self.set.add(name)
            return lines
        ways = {
            "d": [
                f"{known}[{at} % 9] = {i}", f"{known}[1] += {i}", f"{known}.setdefault({at} % 9, {i})", f"{known}.pop({at}, 0)",
                f"if {at} in {known}:\n{indent}    del {known}[{at}]", f"{known}.clear()", f"i0 = {known}.pop({at} % 9)",
            ],
            "s": [f"{known}.add({i})", f"{known}.discard({at})", f"{known}.remove({at})", f"{known}.clear()"],
            "o": [f"{known} = None", f"{known} = {i}", f"if {known} is not None:\n{indent}    {known} += {at}"],
            "m": [
                f"{known}[{at} & 1][0] = {i}", f"{known}.append([{i}, {at}])", f"{known}[0] = [{at}, {i}]",
                f"{known}[{at} & 1][1] += {at}", f"{known}.pop()", f"{known}.append(list({known}[0]))",
            ],
            "v": [
                f"{known}[{at} % 3] = {f}", f"{known} += {f}", f"{known}[:] = 0.5", f"{known}[1:] = {f}", f"{known}.fill({f})",
                f"{known} *= {self.leaf('v')}", f"{known}[{at} % 3] -= {f}",
            ],
            "k": [f"{known}[{at} % 3] = {i}", f"{known} += {at}", f"{known}[:2] = 7", f"{known}[{at} % 3] ^= 5"],
            "q": [
                f"{known}.append({i})", f"{known}.appendleft({at})", f"{known}.extend({self.leaf('l')})", f"i0 = {known}.popleft()",
                f"if len({known}) > 1:\n{indent}    {known}.pop()", f"{known}.clear()",
            ],
        }  # fmt: skip
        return [indent + str(self.one_of(*ways[kind]))]

    def over(self, depth: int, indent: str) -> list[str]:
        """A loop over what only these programs have."""
        name, other = self.chance.sample(["x", "y", "z"], 2)
        head, names = self.one_of(
            (f"for {name}, {other} in {self.leaf('d')}.items():", {name, other}),
            (f"for {name} in {self.leaf('d')}:", {name}), (f"for {name} in {self.leaf('d')}.values():", {name}),
            (f"for {name} in sorted({self.leaf('s')}):", {name}), (f"for {name} in {self.leaf('q')}:", {name}),
            (f"for {name} in {self.leaf('k')}:", {name}),
            (f"for {name} in itertools.count({self.leaf('i')} & 7):\n{indent}    if {name} > 11:\n{indent}        break", {name}),
            (f"for {name}, {other} in itertools.combinations({self.leaf('l')}, 2):", {name, other}),
            (f"for {name}, {other} in itertools.product(range(3), CORNERS):", {name, other}),
            (f"for {name} in map(abs, {self.leaf('l')}):", {name}), (f"for {name} in filter(lambda x: x & 1, {self.leaf('l')}):", {name}),
            (f"for {name} in itertools.chain({self.leaf('l')}, CORNERS):", {name}),
        )  # fmt: skip
        return [indent + head, *self.inside(depth, indent, names)]

    def attempt(self, depth: int, indent: str) -> list[str]:
        """A `try`."""
        before = set(self.set)
        body = self.block(2, depth, indent + "    ")
        self.set = set(before)
        error = self.one_of(
            "KeyError", "IndexError", "(KeyError, IndexError)", "ValueError", "ZeroDivisionError"
        )
        return [
            f"{indent}try:",
            *body,
            f"{indent}except {error}:",
            *self.block(1, 0, indent + "    "),
            *self.forget(before),
            *([f"{indent}else:", *self.block(1, 0, indent + "    ")] if self.likely(30) else []),
            *self.forget(before),
        ]

    def forget(self, before: set[str]) -> list[str]:
        self.set = before
        return []

    def program(self) -> str:
        text = super().program().replace(HEAD, WIDE_HEAD, 1)
        for deep in ("True", "False"):
            text = text.replace(PREPARE % {"deep": deep}, WIDE_PREPARE % {"deep": deep}, 1)
        return text.replace(
            "    @property\n    def double", f"{self.fixed()}    @property\n    def double", 1
        )

    def fixed(self) -> str:
        """Methods with objects, functions within functions and deques, with some numbers drawn."""
        one, two, three = (self.chance.randrange(1, 7) for _ in range(3))
        return f"""\
    def shape(self, i0, i1):
        root = Node(i0)
        node = root
        for x in range(abs(i1) + {one}):
            node = node.add(x * {two} - i0 % 7)
            node.visits += x
            if x % {three} == 0:
                node = root
        total = root.depth() + len(root.children)
        for child in root.children:
            total = (total * 3 + child.value + child.depth() + len(child.best)) % 10007
        best = max(root.children, key=lambda one: (one.value % {two}, one.visits))
        return total + best.value + (best.parent is root)

    def within(self, i0):
        count = {one}

        def walk(i1, depth):
            nonlocal count
            count += 1
            if depth == 0:
                return (i1 * {two} + count) % 101
            return max(walk(i1 + x, depth - 1) for x in range({1 + one % 3}))

        return walk(i0 % 50, {1 + two % 3}) + count

    def waits(self, i0):
        waiting, seen = deque([(i0, 0)]), set()
        while waiting and len(seen) < {10 + one}:
            x, depth = waiting.popleft()
            if x in seen:
                continue
            seen.add(x)
            if depth < {two}:
                waiting.append((x * 2 % 31, depth + 1))
                waiting.append(((x + {three}) % 31, depth + 1))
        return len(seen) * 100 + len(waiting)

    def cased(self, i0, i1):
        found = 0
        match i0:
            case 0 | {one}:
                found = i1 % 101
            case {two} if i1 % 2:
                return -1
            case _ if i1 < 0:
                found = {three}
        match (i0, i1 & 1):
            case ({two}, 0) | (_, 1):
                found += 10
            case (0, _):
                found -= 1
        return found

    def packed(self, i0, i1):
        bag = Bag(i0 + {one})
        for x in range({two}):
            if bag.put(x * i1 % 17) > {three}:
                break
        return sum(bag.items) * 10 + len(bag.table) + bag.full

    @functools.lru_cache(maxsize=None)
    def cached(self, i0, i1):
        return i1 if i0 <= 0 else (self.cached(i0 - 1, i1) * {two} + self.cached(i0 - {one}, i0 & 1)) % 10007

    def far(self, i0, i1):
        spot = Spot(i0)
        return spot.far(i1 % {two + 1}) + spot.row

    def bagged(self, i0, f0: float):
        bag = Bag(i0)
        bag.first += f0
        return bag.first * {one} + len(bag.items)

    def named(self, l0, i0):
        good = [x for x in l0 if x % {one} == 0]
        if not good:
            good = l0
        total = 0
        for x in good:
            if x % 9 == i0:
                good = l0
            total = (total * 3 + x % 101 + len(good)) % 10007
        return total

"""

"""Programs made at random like those of `programs.py`, over the whole language.

They also have dictionaries, sets, lists of lists, objects, new arrays, `try`, `match`, functions within
functions, `itertools`, `map` and `filter`, second names of lists, and deques.
"""

# ruff: noqa: E501

from __future__ import annotations

from programs import HEAD, PREPARE, Writer

WIDE_HEAD = (
    HEAD.replace(
        "import math\n",
        "import itertools\nimport math\nfrom collections import Counter, defaultdict, deque\n",
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
        ]
        return str(self.one_of(*ways)())

    def some_f(self, depth: int) -> str:
        if not self.likely(20):
            return super().some_f(depth)
        f = lambda: self.of("f", depth)  # noqa: E731
        ways = [
            lambda: f"self.pairs.get(({self.of('i', depth)} & 1, 0), {f()})",
            lambda: f"float(np.max(np.array([{f()}, {f()}])))",
            lambda: f"float(np.zeros(3)[{self.of('i', depth)} % 3] + {f()})",
            lambda: f"float((np.array([{f()}, 1.5]) * 2.0)[{self.of('i', depth)} & 1])",
        ]
        return str(self.one_of(*ways)())

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
        return super().statement(depth, indent)

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

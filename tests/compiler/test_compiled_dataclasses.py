"""Objects of dataclasses that are not frozen: the same compiled as in plain Python."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import InitVar, dataclass, field

import pytest

from arena import Rng
from arena.compiler.errors import CannotCompile
from both_ways import Part, both, both_cases, claims, compiled, compiles

SIZE = 4


@dataclass
class Node:
    state: tuple
    move: int = -1
    parent: Node | None = None
    visits: int = 0
    wins: float = 0
    children: list = field(default_factory=list)

    def worth(self, whole):
        return self.wins / (self.visits + 1) + math.sqrt(math.log(whole + 1) / (self.visits + 1))

    @property
    def leaf(self):
        return not self.children


def start():
    return [3, 1, 4]


@dataclass
class Inner:
    a: int = 2


@dataclass(slots=True, eq=False)
class Filled:
    n: int
    counts: dict = field(default_factory=dict)
    seen: set = field(default_factory=set)
    waiting: deque = field(default_factory=deque)
    board: list = field(default_factory=lambda: [0] * SIZE)
    given: list = field(default_factory=start)
    inner: Inner = field(default_factory=Inner)


@dataclass
class Derived(Inner):
    b: int = 3
    both: int = field(init=False)
    fixed: float = field(default=0.5, init=False)
    items: list = field(init=False, default_factory=list)

    def __post_init__(self):
        self.both = self.a * 10 + self.b
        self.items.append(self.b)


class Objects(Part):
    @compiled
    def a_tree(self, rng: Rng):
        root = Node((7, 0))
        for _ in range(200):
            node = root
            while not node.leaf:
                whole = node.visits
                node = max(node.children, key=lambda child: child.worth(whole))
            for move in self.game.moves(node.state):
                node.children.append(Node(self.game.play(node.state, move), move, parent=node))
            won = rng.random()
            while node is not None:
                node.visits += 1
                node.wins += won
                won = 1 - won
                node = node.parent
        best = max(root.children, key=lambda child: child.visits)
        return best.move, best.visits, root.wins, len(root.children), root.move, best.parent is root

    @compiled
    def factories(self, a: int, b: int):
        one, other = Filled(a), Filled(n=b)
        one.counts[a] = b
        one.seen.add(a)
        other.seen.add(b)
        other.seen.add(a)
        one.waiting.append(a)
        one.board[a % SIZE] = b
        one.given.append(a)
        one.inner.a += 5
        other.board.append(9)
        return (
            one.n,
            len(one.counts),
            len(other.counts),
            len(other.seen),
            len(one.waiting) - len(other.waiting),
            sum(one.board) * 7 + sum(other.board),
            sum(one.given) + len(other.given),
            one.inner.a * 10 + other.inner.a,
        )

    @compiled
    def given_lists(self, items: list[int], a: int):
        node = Node((a, 0), children=[Node((1, 1), a), Node((2, 2), a + 1)])
        more = Filled(a, {a: 3}, board=[1, a])
        return (
            node.children[1].move,
            more.counts[a],
            sum(more.board),
        )

    @compiled
    def initialized(self, a: int, b: int):
        one, other = Derived(a), Derived(b, b=a)
        one.fixed += a
        other.items.append(1)
        return one.both, other.both, one.fixed, other.fixed, len(one.items), sum(other.items), one.b

    @compiled
    def compared(self, a: int):
        node = Node((a, 1), parent=Node((1, 1)) if a > 1 else None)
        return node is None, node == None, node.parent == None, node.parent != None, node is node  # noqa: E711

    @compiled
    def of_none(self, a: int):
        node = Node((a, 1), parent=Node((1, 1)) if a > 1 else None)
        return node.parent.move


class Kept(Part):
    def prepare(self):
        self.filled = Filled2(3)

    @compiled
    def counted(self, a: int):
        self.filled.n += a
        self.filled.items.append(a)
        return self.filled.n * 100 + len(self.filled.items)


@dataclass
class Filled2:
    n: int
    items: list = field(default_factory=list)


@pytest.mark.parametrize(("cls", "name"), claims(Objects, Kept))
def test_a_dataclass_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


def test_what_is_missing_raises_the_error_of_python():
    assert both(Objects, "of_none", 1) == (None, "AttributeError")


@dataclass
class OnlyByName:
    a: int = field(default=1, kw_only=True)


@dataclass
class ForTheInit:
    a: int
    b: InitVar[int] = 3

    def __post_init__(self, b):
        self.a += b


@dataclass
class Mixed:
    a: int = 1
    items: list = field(default_factory=lambda: [a])  # of the module, if there were any


class Refused(Part):
    @compiled
    def compared(self, a: int):
        return Inner(a) == Inner(2)

    @compiled
    def by_name(self, a: int):
        return OnlyByName(a=a).a

    @compiled
    def for_the_init(self, a: int):
        return ForTheInit(a).a

    @compiled
    def mixed(self, a: int):
        return len(Mixed(a).items)

    @compiled
    def unknown(self, a: int):
        return Inner(c=a).a


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compared", "a Inner and a Inner cannot be compared"),
        ("by_name", "OnlyByName has keyword-only fields"),
        ("for_the_init", "ForTheInit has an InitVar"),
        ("mixed", "the default factory of Mixed.items does not compile"),
        ("unknown", "__init__ has no parameter c"),
    ],
)
def test_what_would_differ_from_plain_python_is_refused(name, text):
    with pytest.raises(CannotCompile) as error:
        compiles(Refused(), name)
    assert text in str(error.value)
    assert str(error.value).startswith("test_compiled_dataclasses.py, line ")

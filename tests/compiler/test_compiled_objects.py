"""Objects of small classes: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from arena import Rng
from arena.compiler.errors import CannotCompile
from both_ways import Part, both, both_cases, claims, compiled, compiles


class Link:
    scale = 3

    def __init__(self, value, below=None):
        self.value, self.below = value, below
        self.size = 1 if below is None else below.size + 1

    def total(self):
        found, link = 0.0, self
        while link:
            found = found / 2 + link.value * self.scale
            link = link.below
        return found

    @property
    def twice(self):
        return self.value * 2


class Node:
    def __init__(self, state, parent=None, move=None):
        self.state = state
        self.parent = parent
        self.move = move
        self.children = []
        self.visits, self.wins = 0, 0.0

    def worth(self, whole):
        return self.wins / (self.visits + 1) + math.sqrt(math.log(whole + 1) / (self.visits + 1))


class Base:
    def __init__(self, a):
        self.a = a

    def told(self):
        return self.a


class Derived(Base):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b

    def told(self):
        return super().told() * 10 + self.b


class Unset:
    def __init__(self, a):
        if a > 0:
            self.a = a


class Objects(Part):
    """Objects that a method makes."""

    @compiled
    def linked(self, items: list[int], a: int):
        top = None
        for x in items:
            top = Link(x, top)
        if top is None:
            return 0.0, 0, a, True
        top.value += a
        return top.total(), top.size, top.twice, top.below is None

    @compiled
    def methods_of_what_expressions_give(self, items: list[int], a: int):
        node = Node(a)
        node.children = [Link(x, Link(a)) for x in items]
        made = Link(a, Link(2)).total() + Derived(a, 3).told()
        if items:
            made += node.children[0].total() + max(node.children, key=lambda link: link.value).below.total()
        return made + (Link(a) if a > 1 else Link(7)).total()

    @compiled
    def methods_of_none(self, a: int):
        return (Link(a) if a > 1 else None).total()

    @compiled
    def a_tree(self, rng: Rng):
        root = Node((7, 0))
        for _ in range(200):
            node = root
            while node.children:
                whole = node.visits
                node = max(node.children, key=lambda child: child.worth(whole))
            for move in self.game.moves(node.state):
                node.children.append(Node(self.game.play(node.state, move), node, move))
            won = rng.random()
            while node is not None:
                node.visits += 1
                node.wins += won
                won = 1 - won
                node = node.parent
        best = max(root.children, key=lambda child: child.visits)
        return (
            best.move,
            best.visits,
            root.wins,
            len(root.children),
            root.move,
            root.children[0].parent is root,
        )

    @compiled
    def of_none(self, a: int):
        link = Link(a, Link(1))
        return link.below.below.value

    @compiled
    def the_same_or_not(self, a: int):
        one, other = Link(a), Link(a)
        third = one
        third.value = 17
        return one is third, one is other, one.value, one == third, one != other

    @compiled
    def derived(self, a: int, b: int):
        thing = Derived(a, b)
        thing.b += 1
        return thing.told(), thing.a

    @compiled
    def lists_of_them(self, items: list[int], a: int):
        node = Node(a)
        node.children = [Link(x) for x in items]
        node.children.append(Link(a))
        node.children.sort(key=lambda link: link.value)
        links = [link for link in node.children if link.value != a]
        total = 0
        for link in node.children:
            if link.value == 1:
                node.children.append(Link(50))
            total = total * 3 + link.value
        last = node.children.pop()
        node.children[0] = last
        return (
            total,
            len(links),
            len(node.children),
            last.value,
            node.children[-1].value,
            last in node.children,
        )

    @compiled
    def in_a_dictionary(self, items: list[int], a: int):
        known = {}
        for x in items:
            known[x, 0] = Link(x + a)
        found = known.get((a, 0))
        if found is None:
            found = Link(-1)
        found.value += 1
        return found.value, len(known), sum(link.value for link in known.values())

    @compiled
    def never_freed_too_soon(self, a: int):
        kept = Link(a)
        for i in range(50):
            other = self.made(i)
            if i % 7 == 0:
                kept = Link(other.value, kept)
            if self.lost(i) < 0:
                return 0.0, 0
        return kept.total(), kept.size

    def made(self, i):
        return Link(i * i)

    def lost(self, i):
        link = Link(i)
        for j in range(i):
            link = Link(j, link)
        return link.size


class Counter:
    def __init__(self):
        self.n, self.step = 0, 0.5
        self.seen = {}

    def bump(self, x):
        self.n += 1
        self.step *= 2
        self.seen[x] = self.n
        return self.n


class Owner(Part):
    """Objects that are attributes."""

    def prepare(self):
        self.counter = Counter()

    @compiled
    def counted(self, items: list[int]):
        for x in items:
            self.counter.bump(x)
        return self.counter.n, self.counter.step, len(self.counter.seen)


@pytest.mark.parametrize(("cls", "name"), claims(Objects, Owner))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


def test_objects_that_are_attributes_keep_what_compiled_code_sets():
    owner = Owner()
    compiles(owner, "counted")
    owner.counted([4, 5, 4])
    assert (owner.counter.n, owner.counter.step) == (3, 4.0)
    assert owner.counter.seen == {4: 3, 5: 2}


class Refused(Part):
    def prepare(self):
        self.nodes = {1: 2}

    @compiled
    def perhaps_unset(self, a: int):
        return Unset(a).a

    @compiled
    def kept(self, a: int):
        self.nodes[a] = Link(a)
        return a


def test_an_attribute_that_may_not_be_set_is_refused():
    with pytest.raises(CannotCompile, match="Unset has no a that __init__ sets unconditionally"):
        both(Refused, "perhaps_unset", 1)


def test_an_object_cannot_outlive_the_call():
    with pytest.raises(CannotCompile, match="cannot keep a Link beyond the call; keep numbers and tuples"):
        both(Refused, "kept", 1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system tells used memory otherwise")
def test_memory_does_not_grow_with_calls():
    part = Objects()
    compiles(part, "a_tree")

    def used():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    for _ in range(100):
        part.a_tree(Rng(1))
    before = used()
    for _ in range(10_000):
        part.a_tree(Rng(1))
    assert used() - before < 4 << 20

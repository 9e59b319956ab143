"""Calls of a component's methods from Python, compiled where possible."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import is_
from types import FunctionType
from typing import TYPE_CHECKING, Any

from arena.api.component import Component, author_of
from arena.api.game import Game
from arena.api.learner import Learner, is_learning
from arena.compiler.beginning import complete
from arena.compiler.compare import compare
from arena.compiler.errors import MISFIT, NO_RESULT, CannotCompile, placed_at
from arena.compiler.instance import Entry
from arena.compiler.layout import Block, Layout, inference, layout_of
from arena.compiler.program import Program, Trial, program
from arena.compiler.rules import rules_or_why
from arena.compiler.source import definition, own_items, str_of
from arena.compiler.switch import host, wanted
from arena.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    RNG,
    UNKNOWN,
    ListOf,
    ObjectOf,
    OptionalOf,
    Text,
    Tuple,
    TupleOf,
    Type,
)

if TYPE_CHECKING:
    from arena.compiler.unit import Unit

BY_NAME = {"rng": "Rng", "moves": "list[Move]", "state": "State", "move": "Move"}  # if not annotated
LEARNING = ("learn", "_learn_episodes")
ROUNDS = 5  # rounds after which it is assumed that the contents of containers never settle
RESULTS = {"choose": (INT,), "learn": (INT,), "_learn_episodes": (INT,)}


def runners(thing: Component) -> dict[str, Runner]:
    """Return a runner for each entry of a component, by name, and store the runners in the component."""
    shared = Shared(thing)
    found = {name: Runner(shared, name) for name in entries(type(thing))}
    thing.__dict__["_runners"] = found
    return found


def entries(cls: type) -> Iterator[str]:
    """Yield the names of methods that run compiled when Python calls them."""
    methods = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
    for name, method in sorted(methods.items()):
        if isinstance(method, FunctionType) and hasattr(method, "plain"):
            yield name


class Shared:
    """A component's block and current layout, shared by its runners."""

    def __init__(self, thing: Component) -> None:
        self.thing = thing
        self.layout: Layout | None = None
        self.block: Block | None = None
        self.lock = threading.RLock()

    def taken(self) -> Block:
        """Return the block, filled with the component's current attributes."""
        if self.block is None or not self.block.take():
            complete(self.thing)
            self.layout = layout_of(self.thing, self.thing.game)
            self.block = Block(self.thing, self.layout)
            if not self.block.take():
                raise CannotCompile(f"{type(self.thing).__name__} has attributes that do not compile")
        return self.block


class Runner:
    """Runs an entry of a component for Python: compiled if possible, otherwise as plain Python.

    Attributes:
        call: Function that calls the method; its arguments are the plain method and the method's arguments.
    """

    def __init__(self, shared: Shared, name: str) -> None:
        self.shared, self.name = shared, name
        self.codes: dict[tuple[FunctionType, Layout, Game], Program | None] = {}
        self.call: Callable[..., Any] = self.first_call

    def first_call(self, method: Callable[..., Any], *args: Any) -> Any:
        """Call a method for the first time with the current attributes, after compiling it if possible."""
        self.call = self.first_call
        thing, made = self.shared.thing, None
        if wanted():
            with suppress(CannotCompile):
                block = self.shared.taken()
                made = self.code(method)
        if made is None:
            return method(thing, *args)
        self.call = caller(self, method, block, made)
        return self.call(method, *args)

    def code(self, method: Any) -> Program | None:
        """Return a method compiled for the component's current layout; None if it does not compile."""
        layout = self.shared.layout
        assert layout
        key = method, layout, self.shared.thing.game
        if key not in self.codes:
            try:
                self.codes[key] = self.load(method)
            except CannotCompile as error:
                tell(self.shared.thing, self.name, error)
                self.codes[key] = None
        return self.codes[key]

    def load(self, method: Any) -> Program:
        thing, layout = self.shared.thing, self.shared.layout
        assert layout
        return method_program(thing, thing.game, layout, method, self.name)


def caller(runner: Runner, method: Callable[..., Any], block: Block, made: Program) -> Callable[..., Any]:
    """Return a function that calls a compiled method; it is fast, since many methods take a microsecond."""
    thing, run, stored, plain = runner.shared.thing, made.code.builtins["run"], made.stored, method
    own, values, length, has_others = block.own, block.plain_values, len(block.own), block.has_others
    at, has_parts, stores = block.address, bool(block.objects), bool(stored)

    def call(method: Callable[..., Any], *args: Any) -> Any:
        if method is not plain:
            return runner.first_call(method, *args)
        same = not has_others and len(own) == length and all(map(is_, values(own), block.before or (block,)))
        if not same and (block is not runner.shared.block or not block.take()):
            return runner.first_call(method, *args)
        try:
            return run(at, *args)
        except TypeError as error:
            if str(error).startswith(NO_RESULT):
                return None
            if str(error) != MISFIT:
                raise
        finally:
            if has_parts or (stores and block.words != block.taken):
                block.give(stored)
        return method(thing, *args)  # if the arguments are wrong, this raises Python's own error

    return call


def method_program(thing: Component, game: Game, layout: Layout, method: Any, name: str) -> Program:
    """Return a component's method compiled, or raise CannotCompile."""
    rules_or_why(game)
    function = author_of(method)

    def add(unit: Unit) -> None:
        from arena.compiler.assembly import settle

        add_method(unit, "run", layout, method, name)
        settle(unit)
        result = unit.entries["run"][1].result
        if name in RESULTS and result not in RESULTS[name]:
            wanted = "a move" if name == "choose" else "an int"
            raise placed_at(function, f"{name} returns {result}, not {wanted}")
        if why := not_given(result):
            raise placed_at(function, f"{name} returns {why} to Python")

    def compare_it(made: Program, trial: Trial) -> None:
        compare(thing, name, function, made, trial)

    key = f"{function.__module__}.{function.__qualname__} {layout.key}"
    of = type(game), function, layout
    return program(game, key, of, add, compare_it, f"{type(thing).__name__}.{name}")


def infer_contents(thing: Component, layout: Layout) -> None:
    """Infer the content types of a component's containers by compiling all its entries."""
    from arena.compiler.assembly import settle
    from arena.compiler.unit import Unit

    found = layout.open_contents()
    settled, causes = dict[str, str](), dict[str, CannotCompile]()
    for _ in range(ROUNDS):
        for name in entries(type(thing)):
            if settled.get(name) == (before := str(found)):
                continue
            causes.pop(name, None)
            settled[name] = before
            try:
                unit = Unit(thing.game)
                add_method(unit, "run", layout, getattr(type(thing), name).plain, name)
                settle(unit)
                settled[name] = str(found)
            except CannotCompile as error:
                if "cannot be inferred" not in error.text:  # nothing fills it
                    causes[name] = error
            except RecursionError:
                continue
        if set(settled.values()) <= {str(found)}:
            break
    for content in found.values():
        content.last().cause = next(reversed(causes.values()), None)


inference.append(infer_contents)


def add_method(unit: Unit, entry: str, layout: Layout, method: Any, name: str, python: bool = True) -> None:
    """Add a component's method to a unit's entries.

    Args:
        unit: The unit.
        entry: Name of the entry.
        layout: Layout of the component.
        method: The method.
        name: Name of the method.
        python: Whether Python calls it, too.
    """
    function = author_of(method)
    if name == "choose":
        items = own_items(definition(function))
        unit.own_items, unit.legal = items or frozenset(), items is not None
    types = ObjectOf(layout), *argument_types(unit, layout.cls, name)
    releases = name in ("choose", "_learn_episodes") or getattr(method, "is_entry", False)
    unit.add(Entry(entry, types, python, releases), function)
    unit.entries[entry][1].is_int = name in RESULTS


def not_given(kind: Type) -> str:
    """Return a description of the part of a result that cannot be returned to Python; "" if there is none."""
    if isinstance(kind, Tuple) and kind.cls is not None:
        return f"a {kind.cls.__name__}, which only methods of a game can return,"
    if isinstance(kind, OptionalOf):
        return not_given(kind.of)
    if isinstance(kind, Tuple):
        return next(filter(None, map(not_given, kind.items)), "")
    if isinstance(kind, ListOf) and isinstance(kind.item, ListOf):
        return "a list of lists"
    if isinstance(kind, TupleOf) or (isinstance(kind, ListOf) and kind.row):
        return str(kind)
    if isinstance(kind, ListOf):
        return "a list that is always empty" if kind.item is UNKNOWN else not_given(kind.item)
    return "" if kind in (INT, FLOAT, BOOL, NONE) or isinstance(kind, Text) else str(kind)


def argument_types(unit: Unit, cls: type, name: str) -> list[Type]:
    """Return the types of a method's arguments after `self`, by annotation in the base class, or by name."""
    first = next(vars(base)[name] for base in reversed(cls.__mro__) if name in vars(base))
    unit.facts.function(author_of(first))
    kinds: dict[str, Type] = {
        "int": INT, "float": FLOAT, "bool": BOOL, "State": unit.state, "Rng": RNG, "Move": INT,
        "list[Move]": ListOf(INT), "list[int]": ListOf(INT), "Moves": ListOf(INT),
    }  # fmt: skip
    found = []
    for arg in definition(author_of(first)).args.args[1:]:
        said = str_of(arg.annotation)
        kind = kinds.get(said) or kinds.get(BY_NAME.get(arg.arg, "int"))
        assert kind
        found.append(kind)
    return found


def tell(thing: Component, name: str, error: CannotCompile) -> None:
    """Print a warning, once, if the compiled method differs from plain Python."""
    if error.text.startswith("compiled, "):
        text = f"Warning: {type(thing).__name__} could not be compiled; runs interpreted: {error}"
        host.get().say(text)


def why_plain(thing: Any) -> str | None:
    try:
        if isinstance(thing, Game):
            rules_or_why(thing)
            return None
        for name in ready_entries(thing):
            load_entry(thing, name)
        return None
    except CannotCompile as error:
        return str(error)


def methods(thing: Any) -> dict[str, str | None]:
    """Return, by name of each user-defined entry, why it runs as plain Python; None if it is compiled.

    If all run as plain Python for the same reason, the result is {"": reason}.
    """
    try:
        if isinstance(thing, Game):
            return rules_or_why(thing).methods()
        names = ready_entries(thing)
    except CannotCompile as error:
        return {"": str(error)}
    found: dict[str, str | None] = {}
    for name in names:
        if getattr(type(thing), name).__module__.startswith("arena."):  # not the author's own
            continue
        try:
            load_entry(thing, name)
            found[name] = None
        except CannotCompile as error:
            found[name] = str(error)
    return found


def ready_entries(thing: Component) -> list[str]:
    """Return the names of the entries that can be compiled in a component's current state.

    Raises:
        CannotCompile: If the rules of the game do not compile.
    """
    rules_or_why(thing.game)
    complete(thing)
    layout_of(thing, thing.game)
    early = isinstance(thing, Learner) and not is_learning(thing)  # the learner's tables do not exist yet
    return [name for name in entries(type(thing)) if not early or name not in LEARNING]


def load_entry(thing: Component, name: str) -> Program:
    """Return the compiled program of an entry, or raise CannotCompile."""
    layout = layout_of(thing, thing.game)
    return method_program(thing, thing.game, layout, getattr(type(thing), name).plain, name)

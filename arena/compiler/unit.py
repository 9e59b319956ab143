"""A unit of compilation: a method of a component, or methods of a game, with all functions they call."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from inspect import getattr_static
from types import FunctionType
from typing import Any

from arena.api.component import author_of
from arena.api.game import Game
from arena.api.words import codes_of
from arena.compiler.errors import NO_ROOM, CannotCompile, placed_at
from arena.compiler.facts import Facts
from arena.compiler.instance import Capture, Entry, Instance
from arena.compiler.native import content_of, laid_out, words_of
from arena.compiler.source import Place, definition, str_of, yields
from arena.compiler.types import (
    ANNOTATED,
    DTYPES,
    GAME,
    SPARE,
    UNKNOWN,
    ArrayOf,
    Content,
    DictOf,
    ListOf,
    ObjectOf,
    SetOf,
    Text,
    Tuple,
    Type,
    Value,
    literal,
    longest_text,
    type_of,
    unsettled,
)

MANY = 2000  # maximum number of instances of functions in a unit
LEAST, MOST = 64, 1 << 16  # smallest and largest capacity of lists


class Unit:
    """A unit of compilation.

    Attributes:
        sites: Numbers of exceptions that may be raised, by class, text, file and line.
        loops: Numbers of functions of numpy and numba that it calls, by name.
        catches: LLVM functions that test whether an exception is of one of these classes, by classes.
        jitted: Functions of numba that are compiled from their source, by the function that they wrap.
        native: Wrapped functions whose numba machine code is called, since their source does not compile.
        uses_numpy: Whether it uses numpy floats, which `sum` adds differently from Python floats.
        write: Function that writes a new instance at once; see `assembly.settle`.
        writing: The instances that are being written, innermost last.
        places: Numbers of the files and lines of operations that may overflow.
        stored: The attributes that compiled code sets, as pairs of class name and attribute name.
        state: Type of a position.
        most: Maximum number of items of lists that the game returns.
        cap: Capacity of every list.
        room_text: Message of the exception for a list that is full.
        own_items: Places in the source where an index into a list is always checked; see `source.own_items`.
    """

    def __init__(self, game: Game, checked: bool = False, eager: bool = False) -> None:
        self.game, self.checked, self.eager = game, checked, eager
        self.what = str(game)  # for messages
        self.instances: dict[Any, Instance] = {}
        self.entries: dict[str, tuple[Entry, Instance, dict[int, Value]]] = {}
        self.sites: dict[tuple[type[BaseException], str, str, int], int] = {}
        self.places: dict[tuple[str, int], int] = {}
        self.stored: set[tuple[str, str]] = set()
        self.tables: dict[str, str] = {}
        self.helpers: set[str] = set()
        self.declared: dict[str, str] = {}
        self.loops: dict[str, int] = {}
        self.catches: dict[tuple[type[BaseException], ...], str] = {}
        self.jitted: dict[FunctionType, Any] = {}
        self.native: set[FunctionType] = set()
        self.named: set[Content] = set()  # of containers of components that are also referenced elsewhere
        self.replaced: set[Content] = set()  # of containers of components that some code replaces
        self.inner: dict[FunctionType, Any] = {}  # functions within functions
        self.records: dict[type, dict[str, Type]] = {}  # types of objects' attributes, by class and name
        self.list_contents: dict[tuple[type, str], Content] = {}  # of lists in attributes of objects
        self.float_sums: dict[tuple[str, int], None] = {}  # files and lines of sums of floats
        self.uses_numpy = False
        self.changed = False
        self.write: Callable[[Instance], None] = lambda instance: None
        self.writing: list[Instance] = []
        self.uses_clock = self.writes_moves = self.legal = False
        self.own_items: frozenset[Place] = frozenset()
        self.facts = Facts(game)
        state = type_of(game.initial())
        if not isinstance(state, Tuple | Text):
            raise CannotCompile(
                f"positions of {game} are not tuples of numbers or texts: {game.initial()!r}"[:200]
            )
        self.state = state
        self.most = max(int(game.max_moves), len(game.feature_names), 1)
        if self.most > MOST:
            raise CannotCompile(f"max_moves of {game} is {self.most}; compiled code supports at most {MOST}")
        longest = longest_text(state)
        self.cap = max(self.most, LEAST, longest + SPARE if longest else 0)
        limit = ", the game's max_moves" if self.cap == self.most else ""
        self.room_text = f"{NO_ROOM} {self.cap} items{limit}"

    # --- requests of functions while they are written ------------------------------------------------------

    def instance(
        self,
        function: FunctionType,
        owner: Value | None,
        types: Sequence[Type],
        caller: Instance | None = None,
        captures: tuple[Capture, ...] = (),
    ) -> Instance:
        """Return the instance of a function for these types, creating it if necessary."""
        key = function, tuple(types), captures
        if key not in self.instances:
            if len(self.instances) > MANY:
                raise CannotCompile(f"{function.__qualname__} calls itself with ever new types")
            node = definition(function)
            name = re.sub(r"\W", "_", function.__qualname__, flags=re.ASCII)
            symbol = f"{name}.{len(self.instances)}"
            said = ANNOTATED.get(str_of(node.returns))
            made = Instance(
                function, node, owner.type if owner else None, tuple(types), symbol, bool(yields(node))
            )
            made.annotated, made.captures = said, captures
            self.instances[key] = made
            if caller:
                self.write(made)
        found = self.instances[key]
        if caller:
            caller.called.setdefault(found, found.look)
        return found

    def site(self, error: type[BaseException], text: str, file: str, line: int) -> int:
        return self.sites.setdefault((error, text, file, line), len(self.sites) + 1)

    def place(self, file: str, line: int) -> int:
        """Return the number of a place, a line of a file, for records of overflow; numbers start at 1."""
        return self.places.setdefault((file, line), len(self.places) + 1)

    def constant_table(self, items: Sequence[Any], kind: Type) -> str:
        """Return the address of a constant table of numbers, or of tuples of numbers, of one type."""
        irs = kind.irs
        slot = irs[0] if len(irs) == 1 else f"{{ {', '.join(irs)} }}"

        def written(item: Any) -> str:
            if isinstance(kind, Tuple | Text):
                parts = [f"{ir} {literal(part)}" for ir, part in zip(irs, flattened(item), strict=True)]
                return f"{{ {', '.join(parts)} }}" if len(irs) > 1 else parts[0].partition(" ")[2]
            return literal(float(item) if irs == ("double",) else int(item) if irs == ("i64",) else item)

        text = f"[{len(items)} x {slot}] [{', '.join(f'{slot} {written(item)}' for item in items)}]"
        return self.tables.setdefault(text, f"@table{len(self.tables)}")

    def constant_array(self, array: Any) -> Value:
        """Return an array of the game or a module as a constant value."""
        if array.dtype.name not in DTYPES or array.size > 1 << 16:
            raise CannotCompile(
                f"a constant array of {array.size} {array.dtype} is too large or of an unsupported dtype"
            )
        ir = DTYPES[array.dtype.name][0]
        items = []
        for item in array.ravel().tolist():
            text = literal(int(item) if ir.startswith("i") else item)
            items.append(f"{ir} {text}")
        text = f"[{array.size} x {ir}] [{', '.join(items)}]"
        where = self.tables.setdefault(text, f"@table{len(self.tables)}")
        return Value(ArrayOf(array.dtype.name, array.ndim, True), (where, *map(str, array.shape)))

    def constant_container(self, thing: Any, name: str) -> Value:
        """Return a dictionary or set of a module, class or game as a constant value."""
        content = content_of(name, thing)
        if isinstance(content, str):
            raise CannotCompile(f"{name} is a {type(thing).__name__} with {content}")
        if not thing:
            text = f"{name} is empty and cannot change, since it is a constant of compiled code"
            raise CannotCompile(f"{text}; make it an attribute in prepare")
        content.fixed = content.constant = True
        items = thing.items() if isinstance(thing, dict) else [(key, None) for key in sorted(thing)]
        rows = [(words_of(key, content.key), words_of(value, content.value)) for key, value in items]
        entries, index = laid_out(rows)
        header = [len(rows), len(rows), len(index) // 2, len(index) - 1]
        parts = [f"i64 {word}" for word in header]
        for ir, words in (("i32", index), ("i64", entries)):
            text = f"[{len(words)} x {ir}] [{', '.join(f'{ir} {word}' for word in words)}]"
            parts.append(f"ptr {self.tables.setdefault(text, f'@table{len(self.tables)}')}")
        text = (
            f"{{ i64, i64, i64, i64, ptr, ptr, ptr, i64 }} {{ {', '.join([*parts, 'ptr null', 'i64 0'])} }}"
        )
        where = self.tables.setdefault(text, f"@table{len(self.tables)}")
        self.need_helper("tables")
        return Value((DictOf if isinstance(thing, dict) else SetOf)(content), (where,))

    def need_helper(self, name: str) -> None:
        self.helpers.add(name)
        if name == "vectors":
            self.need_helper("tables")
        if name == "tables":
            self.helpers.add("heap")
        if name in ("calls", "full"):
            self.helpers.add("floor")
        if name in ("mod", "floordiv"):
            self.need_libm("fmod", 2)

    def need_catch(self, classes: tuple[type[BaseException], ...]) -> str:
        """Return the name of the LLVM function that tests whether an exception is of one of these classes."""
        return self.catches.setdefault(classes, f"arena.catch.{len(self.catches)}")

    def need_loop(self, name: str) -> int:
        """Return the index of a function in the table `loops`; see `foreign.addresses`."""
        return self.loops.setdefault(name, len(self.loops))

    def need_libm(self, name: str, n: int) -> None:
        self.declared[name] = f"declare double @{name}({', '.join(['double'] * n)})"

    # --- entries -----------------------------------------------------------------------------------------

    def add(self, entry: Entry, method: FunctionType, fixed: dict[int, Value] | None = None) -> None:
        """Add a function or method that is called from outside.

        Args:
            entry: The entry.
            method: The function or method.
            fixed: Arguments that are not passed from outside, by position.
        """
        function = author_of(method)
        types = list(entry.types)
        for at, value in sorted((fixed or {}).items()):
            types.insert(at, value.type)
        owner = (
            Value(types[0], ("%a0",) * len(types[0].irs))
            if types and isinstance(types[0], ObjectOf)
            else None
        )
        if fixed and 0 in fixed and fixed[0].type is GAME:
            owner = fixed[0]
        if owner:  # a change of the class's method invalidates the code
            cls = type(self.game) if owner.type is GAME else owner.layout.cls
            self.facts.member(cls, function.__name__, getattr_static(cls, function.__name__, None))
        self.facts.function(function)
        self.check_parameters(function, len(types))
        instance = self.instance(function, owner, types)
        self.entries[entry.name] = entry, instance, fixed or {}

    def check_parameters(self, function: FunctionType, given: int) -> None:
        args = definition(function).args
        names = [arg.arg for arg in args.args]
        if len(names) != given and not args.vararg:
            more, name = ", ".join(names[given:]), function.__name__
            said = f"takes {more} as well, which compiled code does not pass"
            raise placed_at(function, f"{name} {said if more else 'takes fewer arguments than are passed'}")

    def reached(self) -> list[Instance]:
        """Return the instances that entries call, directly or indirectly.

        `instances` may contain others, which were needed only while types were unknown.
        """
        found: dict[Instance, None] = {}
        waiting = [instance for _, instance, _ in self.entries.values()]
        while waiting:
            instance = waiting.pop()
            if instance not in found:
                found[instance] = None
                waiting += instance.called
        return list(found)

    def check_known(self, instance: Instance) -> None:
        """Raise CannotCompile if a variable, the result or an expression of an instance has no type."""
        for key, kind in instance.variables.items():
            if kind is UNKNOWN and isinstance(key[-1], str):
                raise placed_at(instance.function, f"the type of {key[-1]} cannot be inferred")
        if unsettled(instance.result) and not isinstance(instance.result, ListOf):
            said = f"the result type of {instance.function.__name__} cannot be inferred"
            raise placed_at(instance.function, f"{said}: annotate it, or ensure that the recursion ends")
        if instance.untold:
            text, file, line = instance.untold
            raise CannotCompile(f"the type of {text} cannot be inferred", file, line)

    def check_sums(self) -> None:
        """Raise CannotCompile if `sum` adds floats that may be numpy floats."""
        if self.uses_numpy and self.float_sums:
            file, line = next(iter(self.float_sums))
            text = "sum adds numpy floats differently from Python floats; use a loop or np.sum"
            raise CannotCompile(text, file, line)


def flattened(item: Any) -> list[Any]:
    if isinstance(item, str | bytes):
        return [*codes_of(item)]
    return [part for one in item for part in flattened(one)] if isinstance(item, tuple) else [item]

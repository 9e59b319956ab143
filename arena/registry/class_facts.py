"""What can be said of a class without its code: its options, what it needs, and what it can do.

A file's class is described by a sandboxed process. From the description a class of the same options is made,
which stands for it wherever its code must not run.
"""

from __future__ import annotations

import math
import types
from collections.abc import Sequence
from typing import Any, Literal, NoReturn, Union, cast, get_args, get_origin

import msgspec

from arena.api.agent import Agent
from arena.api.game import CAPABILITIES
from arena.api.learner import Learner
from arena.api.options import Configurable, Option
from arena.api.spec import Spec, load_target
from arena.errors import ArenaError, safe_text

PLAIN = {"int": int, "float": float, "bool": bool, "str": str, "spec": Spec}
LONGEST_DOC = 1 << 14  # characters of a class's docstring that are kept
# methods of which callers ask whether a class has its own
OPTIONAL = ("begin", "distribution", "explain", "rate", "merge", "import_model", "findings")


class OptionFacts(msgspec.Struct, frozen=True):
    """An option. type: one of `PLAIN`, or `choice`. none, text: whether it may be so too; many: a list."""

    name: str
    type: Literal["int", "float", "bool", "str", "spec", "choice"]
    choices: list[str | int | float | bool]
    none: bool
    text: bool
    many: bool
    default: Any
    help: str
    low: int | float | None
    high: int | float | None
    kind: str | None
    also: list[str]
    required: bool

    @classmethod
    def of(cls, name: str, stated: Option) -> OptionFacts:
        kind, arms, many = stated.type, get_args(stated.type), False
        union = get_origin(kind) in (Union, types.UnionType)
        none = union and types.NoneType in arms
        text = union and Spec in arms and str in arms
        if union:
            kind = Spec if text else next(arm for arm in arms if arm is not types.NoneType)
        if get_origin(kind) is tuple:
            kind, many = get_args(kind)[0], True
        choices = list(get_args(kind)) if get_origin(kind) is Literal else []
        word: Any = next((word for word, plain in PLAIN.items() if plain is kind), "choice")
        default = list(stated.default) if isinstance(stated.default, tuple) else stated.default
        return cls(
            name, word, choices, none, text, many, default, str(stated.help), stated.low, stated.high,
            stated.kind, list(stated.also), stated.required,
        )  # fmt: skip

    def stated(self) -> Option:
        """Return the option itself, or raise ArenaError if no class could have stated it so."""
        values = self.default if isinstance(self.default, list) else [self.default]
        if not self.name.isidentifier() or hasattr(Agent, self.name):
            raise ArenaError(f"{self.name!r} cannot be the name of an option; rename it")
        if not all(isinstance(value, str | int | float | None) for value in values):
            raise ArenaError(
                f"the default of option {self.name!r} is no plain value; give a number or a text"
            )
        numbers = (value for value in (*values, self.low, self.high) if isinstance(value, float))
        if not all(map(math.isfinite, numbers)):  # as JSON makes one of a number with 400 digits
            raise ArenaError(f"option {self.name!r} has a default or a bound that is not finite")
        if (self.type == "choice" and not self.choices) or (self.type == "spec") != bool(self.kind):
            raise ArenaError(f"option {self.name!r} states no type that options have; annotate it")
        kind: Any = Literal[tuple(self.choices)] if self.type == "choice" else PLAIN[self.type]
        if self.many:
            kind = tuple[kind, ...]
        if self.text:
            kind = kind | str
        if self.none:
            kind = kind | None
        default = tuple(self.default) if isinstance(self.default, list) else self.default
        return Option(
            default, self.help, self.low, self.high, self.kind, tuple(self.also), "", kind, self.required
        )


class ClassFacts(msgspec.Struct, frozen=True):
    """A class. kind: what it is; a learner is an agent besides.

    own: those of the methods `OPTIONAL` that it, or a base of its author's, defines. lineage: of each class
    that it is made of and that is not arena's, the modules of that class and of its bases, which say what
    source it has. targets: the bases that other modules have, as `module:name`; of these, base is the first
    that is installed as an agent, whose subclass the stand-in is, too. Only the user's own process says so.
    """

    name: str
    kind: Literal["agent", "game"]
    learner: bool
    doc: str
    needs: list[str]
    uses: list[str]
    default_needs: list[str]
    interactive: bool
    plays: bool
    budget: str
    by_clock: list[str]
    own: list[str]
    lineage: list[list[str]]
    options: list[OptionFacts]
    targets: list[str] = []
    base: str = ""

    @classmethod
    def of(cls, name: str, thing: type[Configurable]) -> ClassFacts:
        agent: Any = thing if issubclass(thing, Agent) else Agent
        base: object = Learner if issubclass(thing, Learner) else Agent
        kind: Literal["agent", "game"] = "agent" if issubclass(thing, Agent) else "game"
        return cls(
            name,
            kind,
            issubclass(thing, Learner),
            safe_text(lambda thing: str(thing.__doc__ or ""), thing)[:LONGEST_DOC],
            [*agent.needs],
            [*agent.uses],
            [*agent.default_needs],
            bool(agent.interactive),
            bool(getattr(agent, "plays", True)),
            str(agent.budget),
            [*map(str, agent.by_clock)],
            [one for one in OPTIONAL if getattr(agent, one, None) is not getattr(base, one, None)],
            lineage_of(thing),
            [OptionFacts.of(*item) for item in thing.options.items()],
            [
                f"{base.__module__}:{base.__qualname__}"
                for base in thing.__mro__[1:]
                if issubclass(base, Agent) and base.__module__.partition(".")[0] != "arena"
            ],
        )

    def stand_in(self, module: str) -> type[Agent]:
        """Make a class of the same options and abilities, of which nothing can be made in this process.

        Raises:
            ArenaError: If the facts are not those of a class. The file's own code may have written them.
        """
        if not self.name.isidentifier():
            raise ArenaError(f"a class cannot be called {self.name!r}; rename it")
        of_options = {self.budget, *self.by_clock} - {"", *(option.name for option in self.options)}
        if of_options:
            raise ArenaError(f"{self.name} has no option {min(of_options)!r}, which budget or by_clock names")
        if unknown := [name for name in self.uses if name not in CAPABILITIES]:
            raise ArenaError(f"{self.name} uses {unknown[0]!r}, which games do not offer")
        if not all(self.lineage):
            raise ArenaError(f"{self.name} has a base of no module")
        bases = (load_target(self.base),) if self.base else (Learner,) if self.learner else (Agent,)
        made: Any = type(self.name, bases, {"__doc__": self.doc, "__module__": module})
        made.__init__ = unmade
        made.needs, made.uses = tuple(self.needs), tuple(self.uses)
        made.default_needs, made.by_clock = tuple(self.default_needs), tuple(self.by_clock)
        made.interactive, made.budget = self.interactive, self.budget
        if self.learner:
            made.plays = self.plays
        for name in {*self.own} & {*OPTIONAL}:
            setattr(made, name, unmade)
        made.options = {option.name: option.stated() for option in self.options}
        for name, stated in made.options.items():
            setattr(made, name, stated.default)
        made.lineage = self.lineage
        return cast("type[Agent]", made)


def unmade(self: object, *args: object, **kwargs: object) -> NoReturn:
    """Methods of a class that stands in for a file's agent."""
    raise ArenaError(f"{type(self).__name__} is a file's class, which runs in a sandbox alone")


def lineage_of(thing: type) -> list[list[str]]:
    """The modules of each class that something is made of, and of the bases of that; arena's are left out."""
    stated: Sequence[Sequence[str]] | None = getattr(thing, "lineage", None)
    if stated is not None:
        return [list(modules) for modules in stated]
    own = [base for base in thing.__mro__ if issubclass(base, Configurable)]
    return [
        [one.__module__ for one in base.__mro__]
        for base in own
        if base.__module__.partition(".")[0] != "arena"
    ]

"""Descriptions of classes without their code: options, requirements and capabilities.

A sandboxed process describes the classes of a file. From the description, a stand-in class with the same
options is created for processes in which the file's code must not run.
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
LONGEST_DOC = 1 << 14  # maximum number of characters of a class's docstring
# methods that a class may define
OPTIONAL = ("begin", "distribution", "explain", "rate", "merge", "import_model", "findings")


class OptionFacts(msgspec.Struct, frozen=True):
    """The description of an option.

    Attributes:
        name: Name of the option.
        type: A key of `PLAIN`, or `"choice"` if `choices` lists the values.
        choices: The values allowed, if `type` is `"choice"`.
        none: Whether the value may be None.
        text: Whether the value may also be plain text.
        many: Whether the value is a tuple of values of this type.
        default: Default value; a list stands for a tuple.
        help: Description for users.
        low: Lower bound; None for no bound.
        high: Upper bound; None for no bound.
        kind: Kind of plugin that the value names; None for other values.
        also: As in `arena.Option`.
        required: Whether the option is required.
    """

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
            name=name,
            type=word,
            choices=choices,
            none=none,
            text=text,
            many=many,
            default=default,
            help=str(stated.help),
            low=stated.low,
            high=stated.high,
            kind=stated.kind,
            also=list(stated.also),
            required=stated.required,
        )

    def stated(self) -> Option:
        """Return the option, or raise ArenaError if no class could define such an option."""
        values = self.default if isinstance(self.default, list) else [self.default]
        if not self.name.isidentifier() or hasattr(Agent, self.name):
            raise ArenaError(f"{self.name!r} cannot be the name of an option; rename it")
        if not all(isinstance(value, str | int | float | None) for value in values):
            raise ArenaError(
                f"the default of option {self.name!r} is not a plain value; use a number or a text"
            )
        numbers = (value for value in (*values, self.low, self.high) if isinstance(value, float))
        if not all(map(math.isfinite, numbers)):  # JSON reads a number of 400 digits as infinity
            raise ArenaError(f"option {self.name!r} has a default or a bound that is not finite")
        if (self.type == "choice" and not self.choices) or (self.type == "spec") != bool(self.kind):
            raise ArenaError(f"option {self.name!r} has no type that options support; annotate it")
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
    """The description of a class.

    Attributes:
        name: Name of the class.
        kind: `"agent"`, also for a learner, or `"game"`.
        learner: Whether it is a learner.
        doc: Docstring, at most `LONGEST_DOC` characters.
        needs: As in `arena.Agent`.
        uses: As in `arena.Agent`.
        default_needs: As in `arena.Agent`.
        interactive: As in `arena.Agent`.
        plays: As in `arena.Learner`; True for other classes.
        budget: As in `arena.Agent`.
        by_clock: As in `arena.Agent`.
        own: The methods in `OPTIONAL` that the class or a base class outside arena defines.
        lineage: For the class and each base outside arena, the modules of that class and of its bases. These
            modules determine the source code that defines the class.
        options: Descriptions of its options.
        targets: Agents outside arena that it extends, as `module:name`, the nearest first.
        base: The first of `targets` that is an installed agent; the stand-in is a subclass of it, too. Only
            the user's own process sets this.
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
            name=name,
            kind=kind,
            learner=issubclass(thing, Learner),
            doc=safe_text(lambda thing: str(thing.__doc__ or ""), thing)[:LONGEST_DOC],
            needs=[*agent.needs],
            uses=[*agent.uses],
            default_needs=[*agent.default_needs],
            interactive=bool(agent.interactive),
            plays=bool(getattr(agent, "plays", True)),
            budget=str(agent.budget),
            by_clock=[*map(str, agent.by_clock)],
            own=[one for one in OPTIONAL if getattr(agent, one, None) is not getattr(base, one, None)],
            lineage=lineage_of(thing),
            options=[OptionFacts.of(*item) for item in thing.options.items()],
            targets=[
                f"{base.__module__}:{base.__qualname__}"
                for base in thing.__mro__[1:]
                if issubclass(base, Agent) and base.__module__.partition(".")[0] != "arena"
            ],
        )

    def stand_in(self, module: str) -> type[Agent]:
        """Return a class with the same options and properties that cannot be instantiated in this process.

        Args:
            module: Name of the module of the new class.

        Raises:
            ArenaError: If the facts are not valid for a class, since untrusted code may have written them.
        """
        if not self.name.isidentifier():
            raise ArenaError(f"a class cannot be called {self.name!r}; rename it")
        of_options = {self.budget, *self.by_clock} - {"", *(option.name for option in self.options)}
        if of_options:
            raise ArenaError(f"{self.name} has no option {min(of_options)!r}, which budget or by_clock names")
        if unknown := [name for name in self.uses if name not in CAPABILITIES]:
            raise ArenaError(f"{self.name} uses {unknown[0]!r}, which games do not offer")
        if not all(self.lineage):
            raise ArenaError(f"{self.name} has a base class without a module")
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
    """Raise ArenaError; used as the methods of a stand-in class."""
    raise ArenaError(f"{type(self).__name__} is a class from a file, which runs only in the sandbox")


def lineage_of(thing: type) -> list[list[str]]:
    """Return the modules of a class and of its bases, and the same for each of its bases outside arena.

    Only subclasses of `Configurable` are considered; those in arena are left out.
    """
    stated: Sequence[Sequence[str]] | None = getattr(thing, "lineage", None)
    if stated is not None:
        return [list(modules) for modules in stated]
    own = [base for base in thing.__mro__ if issubclass(base, Configurable)]
    return [
        [one.__module__ for one in base.__mro__]
        for base in own
        if base.__module__.partition(".")[0] != "arena"
    ]

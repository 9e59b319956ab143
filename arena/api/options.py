"""Typed, documented options, and the texts that set them: `alpha-beta:depth=6,ties=random`.

A class declares its options as annotated attributes::

    class Minimax(Agent):
        depth: int = option(0, "plies searched; 0 = to the end", low=0)
        ties: Literal["first", "random"] = option("random", "which of several best moves is played")

In a text, a part without `=` continues the preceding value, so that `symmetry=turn,mirror` is one option with
two words. Round brackets delimit a value that contains options: `opponent=(minimax:depth=2,ties=first)`.

The value of an option may be the text of another plugin; that plugin's name and options are checked as well.
The value is then a `Spec`, from which any process can create the object::

    opponent: Spec = option("random", "whom it trains against", kind="agent")

    def prepare(self):
        self.opponent.make(self.game)
"""

from __future__ import annotations

import math
import os
import re
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from arena.api.spec import Spec, spec_named
from arena.errors import ArenaError, Renamed, did_you_mean
from arena.texts import on_one_line

LONGEST = 1 << 13  # maximum number of characters of a name with its options
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FILE = r"[^,=():]+\.py(?:::[^\W\d]\w*)?"  # a file, or a class in it
HEAD = re.compile(rf"(?P<name>{FILE}(?=:(?!:)|$)|{FILE},[^:]*|[^:]*)(?P<colon>:?)(?P<options>.*)", re.DOTALL)
UNNAMED = "{!r} has one of , = ( ) : in its name, which are reserved for options; rename it"
SHORT = re.compile(r"[^\W_][\w .+#-]{0,23}")  # a valid short name, before `=`


def check_length(text: str) -> None:
    """Raise ArenaError for a text that is too long to name a game or an agent with options."""
    if len(text) > LONGEST:
        raise ArenaError(f"{text[:40]!r}… has {len(text):,} characters; a name may have up to {LONGEST:,}")


def split_head(text: str) -> tuple[str, str, str]:
    """Split a text into a name, such as `minimax` or `two.py::Bob`, the colon, and the options."""
    check_length(text)
    found = HEAD.fullmatch(text.strip())
    assert found is not None
    return found["name"], found["colon"], found["options"]


def name_in(text: str) -> str:
    """Return the name in a text, without its options."""
    return split_head(text)[0]


def is_named(text: str) -> bool:
    """Return whether a text is a valid name, or the path of a valid file."""
    return bool(NAME.fullmatch(text) or re.fullmatch(FILE, text))


def check_file(path: str) -> None:
    """Raise ArenaError unless the path of a file can be used in the text of an entry."""
    if not re.fullmatch(FILE, path):
        raise ArenaError(UNNAMED.format(path))


def misnamed(text: str) -> str:
    """Return why a text is not the name of a plugin or file, and how to correct it."""
    name, colon, options = split_head(text)
    before, _, after = name.partition("=")
    parts = [part.strip() for part in name.split(",")]
    if name.endswith(".py") and os.path.exists(name):
        return UNNAMED.format(name)
    if len(parts) > 1 and any(parts) and all(is_named(part) for part in parts if part):
        several = [part for part in [*parts[:-1], parts[-1] + colon + options] if part]
        if len(several) == 1:
            return f"{text!r} has a superfluous comma; write {several[0]!r}"
        each = on_one_line(" and ".join([", ".join(several[:-1]), several[-1]]))
        return f"{text!r} names {len(several)} where one is expected; pass each separately, {each}"
    if before.endswith(".py") and is_named(before):
        short = f", a short name as '{after}={before}'" if SHORT.fullmatch(after) else ""
        return f"{text!r} has {after!r} after a file; write options as '{before}:key=value'{short}"
    if is_named(after) and SHORT.fullmatch(before):
        return f"{text!r} has a short name where none is allowed; write {after + colon + options!r}"
    if is_named(after):
        return (
            f"{text!r}: {before!r} is not a valid short name; use 1 to 24 letters, digits, "
            "spaces and . + # - _, a letter or digit first"
        )
    if name.endswith(".py"):
        return UNNAMED.format(name)
    program = text.split(" ")[0]
    if os.path.isfile(program) and os.access(program, os.X_OK):
        return f"{text!r} is not a name; a program is entered as 'engine:command={text}', or by uci:command"
    return f"{text!r} is not a name with options, such as 'minimax:ties=first', nor a file, such as 'mine.py'"


Resolve = Callable[[str, str], Spec]  # kind, text
PLAIN: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true | false",
    str: "text",
}  # types, and descriptions of their values


@dataclass(frozen=True)
class Option:
    """An option of a class.

    Attributes:
        default: The default value.
        help: A description of the option.
        low: The minimum, inclusive.
        high: The maximum, inclusive.
        kind: For options of type `Spec`: the kind of plugin that the text names, such as "agent".
        also: Texts that are taken literally and do not name a plugin.
        formerly: The name in the last release, which still works but causes a warning.
        type: The type, from the annotation.
        required: Whether a value must be given.
    """

    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    kind: str | None = None
    also: tuple[str, ...] = ()
    formerly: str = ""
    type: Any = str
    required: bool = False

    def describe(self) -> str:
        """Return a description of the valid values, such as `a whole number from 0` or `first | random`."""
        kind = " | ".join([describe_type(self.type, self.kind), *self.also])
        if self.low is not None and self.high is not None:
            return f"{kind} from {self.low} to {self.high}"
        if self.low is not None:
            return f"{kind} from {self.low}"
        if self.high is not None:
            return f"{kind} up to {self.high}"
        return kind

    def read(self, value: object) -> object:
        """Convert a text or a Python value to the type of the option, or raise ValueError."""
        try:
            value = convert(value, self.type)
        except (TypeError, OverflowError) as error:
            raise ValueError from error
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int | float) and (
                (self.low is not None and number < self.low) or (self.high is not None and number > self.high)
            ):
                raise ValueError
        return value

    def resolved(self, value: object, resolve: Resolve | None) -> object:
        """Return a value in which each text that names a plugin is replaced by its spec."""
        if isinstance(value, tuple):
            return tuple(self.resolved(item, resolve) for item in value)
        if self.kind is None or not isinstance(value, str) or value in self.also:
            return value
        if resolve is None:
            resolve = spec_named  # not needed in worker processes, where the values are specs
        return resolve(self.kind, value)

    def is_default(self, value: object, resolve: Resolve | None) -> bool:
        """Return whether a value equals the default, however it is written."""
        if self.kind is None:
            return bool(value == self.default)
        try:
            return bool(value == self.resolved(self.default, resolve))
        except ArenaError:  # the default names a plugin that is not installed, so the value is different
            return False


def option(
    default: object,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    kind: str | None = None,
    also: tuple[str, ...] = (),
    formerly: str = "",
    required: bool = False,
    choices: None = None,
) -> Any:
    """Declare an option of a class. Its type is taken from the annotation.

    Possible types are int, float, bool, str, Literal[...], Spec, tuple[T, ...] and T | None. For choices,
    annotate `Literal["a", "b"]`.

    Args:
        default: The default value. For a Spec it is a text, such as "random".
        help: A description of the option in a few words.
        low: The minimum, inclusive.
        high: The maximum, inclusive.
        kind: The kind of plugin that a Spec names, such as "agent".
        also: Texts that an option of type `Spec | str` takes literally.
        formerly: The name in the last release, which still works but causes a warning.
        required: Whether a value must be given. The default is then ignored, and the class only takes part
            when a user names it.
        choices: Not supported; passing it raises an error that says what to write.

    Raises:
        TypeError: If `choices` is given.
    """
    if choices is not None:
        raise TypeError(
            f'option() takes no choices={choices!r}; write them as the annotation, such as Literal["a", "b"]'
        )
    return Option(default, help, low, high, kind, also, formerly, required=required)


class Configurable:
    """A class with options, which are passed as keyword arguments, checked, and set as attributes.

    Attributes:
        options: The options by name. Set when a subclass is defined.
        one_of: Names of mutually exclusive options; exactly one is required.
    """

    options: ClassVar[Mapping[str, Option]] = {}
    one_of: ClassVar[tuple[str, ...]] = ()  # exactly one of these options is required

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        stated = {name: value for name, value in vars(cls).items() if isinstance(value, Option)}
        if stated:
            hints = get_type_hints(cls)
            for name, value in stated.items():
                if name not in hints:
                    raise TypeError(f"option {name!r} of {cls.__qualname__} needs an annotation")
                check_type(hints[name], f"option {name!r} of {cls.__qualname__}")
                stated[name] = replace(value, type=hints[name])
                if takes_spec(hints[name]) != (value.kind is not None):
                    raise TypeError(
                        f"option {name!r} of {cls.__qualname__}: annotation Spec and kind= need each other"
                    )
                setattr(cls, name, value.default)
        known: dict[str, Option] = {}
        for base in reversed(cls.__mro__[1:]):
            there = vars(base)
            known |= {name: value for name, value in there.get("options", {}).items() if name in there}
        for name in known.keys() & vars(cls).keys() - stated.keys():  # `depth = 4` in a subclass
            stated[name] = replace(known[name], default=vars(cls)[name])
        cls.options = {**known, **stated}

    @classmethod
    def check(cls, options: Mapping[str, object]) -> None:
        """Raise ArenaError if options that are valid individually are not valid together."""

    @classmethod
    def files(cls, options: Mapping[str, object]) -> Sequence[str]:
        """Return the files that count as code of an entry with these options, besides its source files."""
        return ()

    @classmethod
    def readable(cls, options: Mapping[str, object]) -> Sequence[str]:
        """Return the files and folders that an entry may read in the sandbox, besides its source."""
        named: Sequence[str] = hook(cls, "files")(options)
        return named

    def ready(self) -> None:
        """Prepare for use. Called after the object was created by name and its `name` was set."""

    def __init__(self, **options: object) -> None:
        for name, value in read_options(type(self), options, type(self).__name__).items():
            setattr(self, name, value)


def hook(cls: type[object], name: str) -> Callable[..., Any]:
    """Return the class method `check`, `files` or `readable`.

    An attribute of that name that is not a class method is ignored: it has another meaning, such as the
    `files` of a chessboard.
    """
    for base in cls.__mro__:
        if isinstance(found := vars(base).get(name), classmethod | staticmethod):
            bound: Callable[..., object] = found.__get__(None, cls)
            return bound
    raise AttributeError(name)


def read_options(
    cls: type[Configurable], given: Mapping[str, object], owner: str, resolve: Resolve | None = None
) -> dict[str, Any]:
    """Return the values of all options of a class in order, checked, with defaults filled in.

    Args:
        cls: The class.
        given: Values by name.
        owner: The name used in error messages.
        resolve: Returns the spec for a kind and a text. Default: the registry of this process.

    Raises:
        ArenaError: If a name is unknown or a value is invalid.
    """
    given = {current_name(cls, name.replace("-", "_"), owner): value for name, value in given.items()}
    for name in given:
        if name not in cls.options:
            remedy = did_you_mean(name, cls.options) or "; it has none"
            raise ArenaError(f"{owner} has no option {name!r}{remedy}")
    values = {}
    for name, stated in cls.options.items():
        if stated.required and name not in given:
            raise ArenaError(f"{owner} needs the option {name!r}, {stated.help}; write '{owner}:{name}=…'")
        try:
            value = stated.read(given[name]) if name in given else stated.default
            values[name] = stated.resolved(value, resolve)
        except ArenaError as error:
            raise ArenaError(f"option {name!r} of {owner}: {error}") from error
        except ValueError:
            takes = f"option {name!r} of {owner} takes {stated.describe()}"
            if given[name] == stated.default:  # objects sent to other processes have this value
                raise ArenaError(f"{takes}, which its default, {stated.default!r}, is not") from None
            raise ArenaError(f"{takes}, not {str(given[name])!r}") from None
    check_one_of(cls, values, owner)
    hook(cls, "check")(values)
    return values


def check_one_of(cls: type[Configurable], values: Mapping[str, object], owner: str) -> None:
    """Raise ArenaError unless exactly one of the options in `one_of` is given."""
    given = [name for name in cls.one_of if values[name] != cls.options[name].default]
    if cls.one_of and len(given) != 1:
        names = " or ".join(map(repr, cls.one_of))
        what = f"not {' and '.join(map(repr, given))}" if given else f"write '{owner}:{cls.one_of[0]}=…'"
        raise ArenaError(f"{owner} needs the option {names}{',' if given else ';'} {what}")


def required(cls: type[Configurable]) -> list[str]:
    """Return the names of options that are required, individually or as one of several."""
    return [name for name, stated in cls.options.items() if stated.required or name in cls.one_of]


def current_name(cls: type[Configurable], name: str, owner: str) -> str:
    """Return the current name of an option, and warn if `name` is its former name."""
    for now, stated in cls.options.items():
        if stated.formerly == name:
            warnings.warn(f"option {name!r} of {owner} is now called {now!r}", Renamed, stacklevel=3)
            return now
    return name


def convert(value: Any, kind: object) -> object:
    """Convert `value`, a text or a Python value, to the type `kind`, or raise ValueError."""
    if get_origin(kind) in (Union, types.UnionType):
        if value is None or value == "none":
            return None
        return convert(value, next(arm for arm in get_args(kind) if arm is not types.NoneType))
    if get_origin(kind) is Literal:
        for choice in get_args(kind):
            if value == choice or str(value) == str(choice):
                return choice
        raise ValueError
    if get_origin(kind) is tuple:
        parts = map(strip_brackets, split_outside_brackets(value, ",")) if isinstance(value, str) else value
        return tuple(convert(part, get_args(kind)[0]) for part in parts if part != "")
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if (word := str(value).lower()) in words:
            return words[word]
        raise ValueError
    if isinstance(value, bool):
        raise ValueError
    if kind in (int, float):
        number = float(value)
        if not math.isfinite(number):
            raise ValueError
        if kind is float:
            return number
        if number != int(number):
            raise ValueError
        return int(value) if re.fullmatch(r"[+-]?\d[\d_]*", str(value)) else int(number)
    if kind is Spec and isinstance(value, Spec):
        return value
    if not isinstance(value, str) or not balanced(value):
        raise ValueError
    return value


def words(kind: object) -> list[str]:
    """Return the texts of a type that has only a few values."""
    if kind is types.NoneType:
        return ["none"]
    if kind is bool:
        return ["true", "false"]
    if get_origin(kind) is Literal:
        return [str(choice) for choice in get_args(kind)]
    return [word for arm in get_args(kind) for word in words(arm)]


def check_type(kind: object, what: str) -> None:
    """Raise TypeError for a type that options cannot have."""
    if not is_type(kind):
        name = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
        many = (get_origin(kind) or kind) in (list, set, tuple)
        remedy = "tuple[int, ...]" if many else 'int, float, bool, str, tuple[int, ...] or Literal["a", "b"]'
        raise TypeError(f"{what} is of type {name}; write {remedy}")


def is_type(kind: object) -> bool:
    """Return whether options can have a type."""
    if get_origin(kind) is tuple:
        return is_type(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return all(arm is types.NoneType or is_type(arm) for arm in get_args(kind))
    return get_origin(kind) is Literal or kind is Spec or kind in PLAIN


def takes_spec(kind: object) -> bool:
    """Return whether a type is Spec or contains Spec."""
    return kind is Spec or any(map(takes_spec, get_args(kind)))


def describe_type(kind: object, of: str | None = None) -> str:
    """Return a description of a type. of: the kind of plugin that a Spec names."""
    if get_origin(kind) in (Union, types.UnionType):
        if Spec in get_args(kind) and str in get_args(kind):
            return describe_type(Spec, of)
        arms = [describe_type(arm, of) for arm in get_args(kind) if arm is not types.NoneType]
        return " or ".join([*arms, "none"])
    if get_origin(kind) is Literal:
        return " | ".join(map(str, get_args(kind)))
    if get_origin(kind) is tuple:
        return f"a list, each {describe_type(get_args(kind)[0], of)}"
    if kind is Spec:
        return f"{'an' if str(of)[0] in 'aeiou' else 'a'} {of}"
    return PLAIN[kind]


def split_text(text: str) -> tuple[str, dict[str, str]]:
    """Split `name:key=value,…` into the name and the options, whose values remain texts."""
    name, colon, rest = split_head(text)
    if not is_named(name):
        raise ArenaError(misnamed(text))
    given: dict[str, str] = {}
    last = None
    for piece in split_outside_brackets(rest, ",") if colon else []:
        key, equals, value = piece.partition("=")
        key = key.strip().replace("-", "_")
        if equals and key.isidentifier():
            if key in given:
                raise ArenaError(f"{text!r} sets option {key!r} twice")
            given[last := key] = value.strip()
        elif last is None and not equals and key.isidentifier():
            raise ArenaError(f"{text!r} has no value for {key!r}; write '{name}:{key}=VALUE'")
        elif last is None:
            raise ArenaError(
                f"{text!r}: {piece!r} is not of the form key=value; write 'name:key=value,key=value'"
            )
        else:
            given[last] += "," + piece.strip()
    return name, {key: strip_brackets(value) for key, value in given.items()}


def join_text(
    name: str, cls: type[Configurable], values: Mapping[str, object], resolve: Resolve | None = None
) -> str:
    """Return the canonical text: options that differ from their defaults, in the order of declaration."""
    pieces = [
        f"{key}={format_value(values[key])}"
        for key, stated in cls.options.items()
        if not stated.is_default(values[key], resolve)
    ]
    return f"{name}:{','.join(pieces)}" if pieces else name


def with_options(spec: Spec, **changed: object) -> Spec:
    """Return a copy of a spec with some options changed."""
    values = {**spec.values, **changed}
    return spec.changed(join_text(name_in(spec.text), spec.cls, values), values)


def replaced(spec: Spec, old: Spec, new: Spec) -> Spec:
    """Return a spec with each occurrence of `old` in it replaced by `new`, renamed accordingly."""

    def inside(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(inside, value))
        return replaced(value, old, new) if isinstance(value, Spec) else value

    if spec == old:
        return new
    values = {name: inside(value) for name, value in spec.values.items()}
    return spec.changed(spec.text, values) if new.text == old.text else with_options(spec, **values)


def format_value(value: object) -> str:
    """Return the text of a value, in the form that `read` accepts."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple):
        text = ",".join(map(format_value, value))
        return f"({text})" if strip_brackets(text) != text else text
    text = str(value)
    return f"({text})" if re.search(r"[,=()]", text) or text != text.strip() else text


def balanced(text: str) -> bool:
    """Return whether brackets are balanced."""
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Split `text` at separators outside round brackets."""
    if not balanced(text):
        raise ArenaError(f"{text!r} has an unmatched bracket")
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def strip_brackets(value: str) -> str:
    """Return `(a,b)` without its brackets, but `(a),(b)` unchanged."""
    if value.startswith("(") and value.endswith(")"):
        depth = 0
        for letter in value[:-1]:
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                return value
        return value[1:-1]
    return value

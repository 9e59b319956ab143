"""Agents and games in files, such as `bots/alice.py` and `bots/two.py::Bob`, with options like other entries.

An agent's file runs in sandboxed processes only. One such process describes its contents. Other processes use
a stand-in class with the same options, and send the text of the file to the sandboxed process that plays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from arena.api.agent import Agent
from arena.api.options import FILE, check_length, is_named, misnamed, name_in
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec, load_target, takes_text
from arena.errors import ArenaError
from arena.registry.class_facts import ClassFacts
from arena.registry.file import File
from arena.registry.gate import Unadmitted, admit
from arena.registry.imports import register
from arena.registry.trusted import trust
from arena.sandbox import confined

REFERENCE = re.compile(rf"{FILE}(?=[:,)]|$)")


@dataclass(frozen=True)
class Reference:
    """A reference to a file in the text of an entry.

    Attributes:
        path: Path of the file.
        cls: Name of the class; empty if the file has only one.
    """

    path: str
    cls: str = ""

    @classmethod
    def of(cls, text: str) -> Reference:
        path, _, name = text.strip().partition("::")
        return cls(path, name)

    @property
    def name(self) -> str:
        """The name in results: `alice.py`, `two.py::Bob`, without the folder."""
        return Path(self.path).name + (f"::{self.cls}" if self.cls else "")

    def __str__(self) -> str:
        return self.path + (f"::{self.cls}" if self.cls else "")


def references(text: str) -> list[Reference]:
    """Return the files named in the text of an entry, also within brackets."""
    check_length(text)
    return [Reference.of(found[0]) for found in REFERENCE.finditer(text) if names(found)]


def files_named(text: str) -> list[Reference]:
    """Return the files that the text of an entry names.

    Raises:
        ArenaError: If the text begins with a file name that entries cannot have.
    """
    if (name := name_in(text)).endswith(".py") and not is_named(name):
        raise ArenaError(misnamed(text))
    return references(text)


def without_paths(text: str) -> str:
    """Return the text of an entry as in results, with file names instead of paths."""
    return replaced(text, lambda reference: reference.name)


def from_folder(text: str, folder: Path) -> str:
    """Return the text of an entry in which files that exist in `folder` are named by their paths."""

    def place(reference: Reference) -> str:
        path = folder / reference.path
        return str(replace(reference, path=str(path)) if path.is_file() else reference)

    return replaced(text, place)


def placed(text: str, files: Mapping[str, str]) -> str:
    """Return the text of an entry with file names replaced by paths.

    Args:
        text: The entry.
        files: Paths by name; other files keep their names.
    """

    def place(reference: Reference) -> str:
        return str(replace(reference, path=files.get(reference.path, reference.path)))

    return replaced(text, place)


def replaced(text: str, by: Callable[[Reference], str]) -> str:
    """Return the text of an entry with each reference replaced by what a function returns for it."""
    check_length(text)
    return REFERENCE.sub(lambda found: by(Reference.of(found[0])) if names(found) else found[0], text)


def names(found: re.Match[str]) -> bool:
    """Return whether a match of `REFERENCE` names a file of agents or games.

    A file name in an option that accepts any text does not: `engine:command=./bot.py`.
    """
    before = found.string[: found.start()]
    return not any(takes_text(*option) for option in {*options_around(before)})


def options_around(before: str) -> Iterator[tuple[str, str]]:
    """Yield the options whose values enclose the end of a text, innermost first, as pairs (owner, option).

    For `psv:learner=(q-table:opponent=` these are `("q-table", "opponent")` and `("psv", "learner")`.
    """
    depth, key, end = 0, "", len(before)
    for i in reversed(range(len(before))):
        letter = before[i]
        depth += (letter == ")") - (letter == "(")
        if depth < 0:  # an enclosing bracket begins here
            depth, key, end = 0, "", i
        elif depth == 0 and letter == "=" and not key:
            end = i
        elif depth == 0 and letter in ",:":
            word = before[i + 1 : end].strip().replace("-", "_")
            key = key or (word if before[end : end + 1] == "=" and word.isidentifier() else "")
            if letter == ":" and key:
                begin = 1 + max(before.rfind(sign, 0, i) for sign in "=(,")
                yield before[begin:i].strip(), key
                key = ""
            end = i


stand_ins: dict[tuple[str, str], type[Agent]] = {}  # by module and name; one per class


@dataclass(frozen=True)
class FileSpec(Spec):
    """A spec of a class in a file, with the text of the file.

    For an agent, `cls` is a stand-in class with the same options that cannot be instantiated. For a game, it
    is the class itself.

    Attributes:
        file: The file.
        facts: Description of the class.
        trusted: Whether the user trusts the file, so that it may run outside a sandbox.
    """

    file: File
    facts: ClassFacts
    trusted: bool = False

    @cached_property
    def cls(self) -> object:
        return self.load() if self.facts.kind == "game" else class_for(self.file, self.facts)

    @property
    def is_confined(self) -> bool:
        return not self.trusted and not confined()

    def load(self) -> object:
        """Return the class, after running the file if necessary; raise ArenaError if that fails."""
        if self.trusted:
            admit(self.file.module)
        return loaded(self.file, self.facts.name)

    def __reduce__(self) -> tuple[type[Spec], tuple[object, ...]]:
        return FileSpec, (self.text, self.target, self.values, self.file, self.facts, self.trusted)


def class_for(file: File, facts: ClassFacts) -> type[Agent]:
    """Return the stand-in class for a class of a file."""
    register(file)  # so that its source code is found, which identifies models
    key = file.module, facts.name
    if key not in stand_ins:
        stand_ins[key] = facts.stand_in(file.module)
    return stand_ins[key]


def trusted(spec: Spec) -> Spec:
    """Return a spec whose files may run in any process, and remember these files as trusted.

    Files of nested specs are included.
    """

    def within(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(within, value))
        return trusted(value) if isinstance(value, Spec) else value

    values = {name: within(value) for name, value in spec.values.items()}
    if not isinstance(spec, FileSpec):
        return spec.changed(spec.text, values) if files_in(spec) else spec
    trust(spec.file)
    return replace(spec, values=values, trusted=True)


def files_in(spec: Spec) -> list[FileSpec]:
    """Return the specs of files among a spec and its nested specs."""
    return [part for part in spec.walk() if isinstance(part, FileSpec)]


def loaded(file: File, name: str) -> object:
    """Run a file in this process and return a class of it, or raise ArenaError."""
    try:
        with foreign(Unadmitted):
            file.load()
            return load_target(f"{file.module}:{name}")
    except Failed as error:
        raise ArenaError(f"{file.name} cannot be loaded: {error}") from error

"""Games and agents in files of their own: `bots/alice.py`, `bots/two.py::Bob`, with options as ever.

A sandboxed process says what an agent's file holds. No other process runs the file: they have a class of the
same options in place of the agent's, and the file's text, which travels to the sandboxed process that plays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.api.agent import Agent
from arena.api.lazy import takes_text
from arena.api.options import FILE, check_length, is_named, misnamed, name_in
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec, load_target
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
    """What a text says of a file: where it is, and which of its classes is meant; none if it has but one."""

    path: str
    cls: str = ""

    @classmethod
    def of(cls, text: str) -> Reference:
        path, _, name = text.strip().partition("::")
        return cls(path, name)

    @property
    def name(self) -> str:
        """What results know it by: `alice.py`, `two.py::Bob`, wherever the file lies."""
        return Path(self.path).name + (f"::{self.cls}" if self.cls else "")

    def __str__(self) -> str:
        return self.path + (f"::{self.cls}" if self.cls else "")


def references(text: str) -> list[Reference]:
    """The files that the text of an entry names, within brackets too."""
    check_length(text)
    return [Reference.of(found[0]) for found in REFERENCE.finditer(text) if names(found)]


def files_named(text: str) -> list[Reference]:
    """The same, or ArenaError if what an entry begins with is a file that none can name."""
    if (name := name_in(text)).endswith(".py") and not is_named(name):
        raise ArenaError(misnamed(text))
    return references(text)


def without_paths(text: str) -> str:
    """The text of an entry as results know it: files by their names alone."""
    return replaced(text, lambda reference: reference.name)


def from_folder(text: str, folder: Path) -> str:
    """The text of an entry with its files looked for in a folder first."""

    def place(reference: Reference) -> str:
        path = folder / reference.path
        return str(replace(reference, path=str(path)) if path.is_file() else reference)

    return replaced(text, place)


def placed(text: str, files: Mapping[str, str]) -> str:
    """The text of an entry with the paths of its files, by their names."""

    def place(reference: Reference) -> str:
        return str(replace(reference, path=files.get(reference.path, reference.path)))

    return replaced(text, place)


def replaced(text: str, by: Callable[[Reference], str]) -> str:
    """The text of an entry with something else in place of each reference."""
    check_length(text)
    return REFERENCE.sub(lambda found: by(Reference.of(found[0])) if names(found) else found[0], text)


def names(found: re.Match[str]) -> bool:
    """Whether what looks like a file is meant as one of agents or games.

    It is none in an option that takes any text: `engine:command=./bot.py`.
    """
    before = found.string[: found.start()]
    return not any(takes_text(*option) for option in {*options_around(before)})


def options_around(before: str) -> Iterator[tuple[str, str]]:
    """The options whose values the end of a text is in, the innermost first: whose, and which.

    Of `psv:learner=(q-table:opponent=` it is in `opponent` of `q-table` and in `learner` of `psv`.
    """
    depth, key, end = 0, "", len(before)
    for i in reversed(range(len(before))):
        letter = before[i]
        depth += (letter == ")") - (letter == "(")
        if depth < 0:  # a bracket around it begins here
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


stand_ins: dict[tuple[str, str], type[Agent]] = {}  # by module and name, so that there is one for each class


@dataclass(frozen=True)
class FileSpec(Spec):
    """A spec of something in a file, whose text it has with it.

    `cls` is a class of the same options that stands for the real one and cannot be instantiated, except for a
    game's, which is the real one.

    facts: What is known of the class.
    trusted: Whether the user trusts the file, so that it runs in any process and not in a sandbox alone.
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
        """Return the class itself, for which its file is run; ArenaError if it cannot be."""
        if self.trusted:
            admit(self.file.module)
        return loaded(self.file, self.facts.name)

    def __reduce__(self) -> Any:
        return FileSpec, (self.text, self.target, self.values, self.file, self.facts, self.trusted)


def class_for(file: File, facts: ClassFacts) -> type[Agent]:
    """Return the class that stands for one of a file."""
    register(file)  # for its source, by which models are known
    key = file.module, facts.name
    if key not in stand_ins:
        stand_ins[key] = facts.stand_in(file.module)
    return stand_ins[key]


def trusted(spec: Spec) -> Spec:
    """Return a spec whose files, its own and those within it, run in any process; they are remembered."""

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
    """Return the specs of files among a spec and those within it."""
    return [part for part in spec.walk() if isinstance(part, FileSpec)]


def loaded(file: File, name: str) -> object:
    """A class of a file, which is run in this process; ArenaError if it cannot be."""
    try:
        with foreign(Unadmitted):
            file.load()
            return load_target(f"{file.module}:{name}")
    except Failed as error:
        raise ArenaError(f"{file.name} cannot be loaded: {error}") from error

"""Games and agents in files of their own: `bots/alice.py`, `bots/two.py::Bob`, with options as ever.

What an agent's file holds is found out in a process of its own, behind walls: this process does not run it,
and has a class of the same options in its place. The file's text travels to whoever plays the agent.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.api.agent import Agent
from arena.api.foreign import Failed, foreign
from arena.api.game import Game
from arena.api.late import takes_text
from arena.api.names import FILE, is_named, misnamed, name_in
from arena.api.options import Configurable
from arena.api.spec import Spec, load_target
from arena.errors import ArenaError
from arena.registry.modules import module_made
from arena.registry.trees import tree_of

FOLDERS = "ARENA_PLUGINS"  # names folders in which files are looked for, besides the current one
REFERENCE = re.compile(rf"{FILE}(?=[:,)]|$)")
LONGEST = 1 << 20  # characters of a file
PREFIX = "arena_file_"  # of modules made of files


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
    return REFERENCE.sub(lambda found: by(Reference.of(found[0])) if names(found) else found[0], text)


def names(found: re.Match[str]) -> bool:
    """Whether what looks like a file is meant as one of agents or games.

    It is none in an option that takes any text: `engine:command=./bot.py`.
    """
    before = found.string[: found.start()]
    return not any(takes_text(*option) for option in options_around(before))


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
                yield re.split(r"[=(,]", before[:i])[-1].strip(), key
                key = ""
            end = i


@dataclass(frozen=True)
class File:
    """A file of somebody's, as it was when it was read: what runs is this text, whatever becomes of it."""

    path: str
    text: str = field(repr=False)

    @classmethod
    def read(cls, path: str) -> File:
        """A file here, or in one of the folders of `ARENA_PLUGINS`, or ArenaError.

        It is read as Python reads it, in UTF-8 or as it says in its first lines.
        """
        if printable(path) != path:
            raise ArenaError(f"{printable(path)} has a name that is no text in UTF-8; rename it")
        places = [Path(path)]
        if not os.path.dirname(path):
            places += [
                Path(folder) / path for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder
            ]
        for place in places:
            try:
                mode = os.stat(place).st_mode
                if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                    raise ArenaError(f"{place} is no file that can be read again; give a file in Python")
                with open(place, "rb") as file:
                    text = decode_source(file.read(4 * LONGEST + 1))
            except FileNotFoundError:
                continue
            except OSError as error:
                raise ArenaError(f"cannot read {place}: {error.strerror}") from error
            except (SyntaxError, ValueError) as error:
                raise ArenaError(f"{place} is no text in UTF-8; give a file in Python") from error
            if len(text) > LONGEST:
                raise ArenaError(f"{place} has over {LONGEST:,} characters; give a file in Python")
            return cls(os.path.abspath(place), text)
        raise ArenaError(f"there is no file {path}; give its path, or set {FOLDERS} to its folder")

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def folder(self) -> Path:
        return Path(self.path).parent

    @cached_property
    def module(self) -> str:
        """The name of the module that is made of it."""
        return PREFIX + sha256(f"{self.path}\0{self.text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def load(self) -> Any:
        """The module itself, run in this process if it has not been. May raise anything."""
        spec = spec_from_file_location(self.module, self.path)
        assert spec is not None
        return module_made(self.module, module_from_spec(spec), self.run)

    def run(self, module: ModuleType) -> None:
        """Have the module be what the file says. May raise anything."""
        folder = str(self.folder)
        if folder not in sys.path:
            sys.path.append(folder)  # what it imports from beside it; behind all that is installed
        exec(compile(self.text, self.path, "exec", dont_inherit=True), vars(module))

    def classes(self) -> dict[str, type[Configurable]]:
        """Its agents and games by name, in their order. May raise anything."""
        return {name: thing for name, thing in self.subclasses() if not lacking(thing)}

    def unfinished(self) -> dict[str, type[Configurable]]:
        """Those that lack a method that they have to have."""
        return {name: thing for name, thing in self.subclasses() if lacking(thing)}

    def subclasses(self) -> Iterator[tuple[str, type[Configurable]]]:
        for name, thing in [*vars(self.load()).items()]:
            own = (
                isinstance(thing, type)
                and issubclass(thing, Agent | Game)
                and thing.__module__ == self.module
            )
            if own and not name.startswith("_"):
                yield name, thing

    def trees(self) -> Iterator[str]:
        """The syntax trees of it, and of the files beside it that it imports, directly or not.

        Before that of another file is where it lies, from here. ArenaError if one cannot be read.
        """
        left, seen = [(Path(self.path), self.text)], {Path(self.path)}
        while left:
            path, text = left.pop()
            tree = tree_of(text)
            beside_it = path != Path(self.path)
            yield f"{os.path.relpath(path, self.folder)} {tree.form}" if beside_it else tree.form
            for level, module, names in tree.imports:
                folder = path.parents[level - 1] if 0 < level <= len(path.parents) else self.folder
                inner = [f"{module}.{name}" if module else name for name in names]
                for beside in {one for name in (module, *inner) for one in beside_in(folder, name)} - seen:
                    seen.add(beside)
                    left.append((beside, text_of(beside)))


def printable(path: str) -> str:
    """A path with what is no text in UTF-8 as numbers."""
    return path.encode("utf-8", "backslashreplace").decode()


def text_of(path: Path) -> str:
    """What a file says, as Python reads it, or ArenaError."""
    try:
        source = path.read_bytes()
        with suppress(SyntaxError, ValueError):
            return decode_source(source)
        return source.decode("utf-8", "replace")
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from error


def beside_in(folder: Path, module: str) -> Iterator[Path]:
    """The files in a folder that importing a module runs."""
    for part in module.split(".") if module else ():
        folder /= part
        for path in (folder.with_name(f"{part}.py"), folder / "__init__.py"):
            if path.is_file():
                yield path


def lacking(cls: type) -> list[str]:
    """The methods that make a class more than a mere base of others, as far as it has none of its own."""
    base, *wanted = (Agent, "choose") if issubclass(cls, Agent) else (Game, "initial", "moves", "play")
    return [name for name in wanted if getattr(cls, name) is getattr(base, name)]


@dataclass(frozen=True)
class FileSpec(Spec):
    """A spec of something in a file, whose text it has with it."""

    file: File

    @cached_property
    def real(self) -> Any:
        """The class itself, for which its file is run; ArenaError if it cannot be."""
        return loaded(self.file, self.target.partition(":")[2])

    @cached_property
    def cls(self) -> Any:
        return self.real

    def __reduce__(self) -> Any:
        return FileSpec, (self.text, self.target, self.values, self.file)

    def make(self, *args: Any) -> Any:
        made = Spec(self.text, self.target, self.values)
        vars(made)["cls"] = self.real
        return made.make(*args)


def loaded(file: File, name: str) -> Any:
    """A class of a file, which is run in this process; ArenaError if it cannot be."""
    try:
        with foreign():
            file.load()
            return load_target(f"{file.module}:{name}")
    except Failed as error:
        raise ArenaError(f"{file.name} cannot be loaded: {error}") from error

"""Files of agents and games: their text and that of the modules beside them, and the classes these make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from importlib.util import decode_source
from itertools import chain
from pathlib import Path

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.options import Configurable
from arena.errors import ArenaError
from arena.module_files import home_of
from arena.registry.imports import PREFIX, Text, register
from arena.registry.trees import tree_of
from arena.user_files import open_given

FOLDERS = "ARENA_PLUGINS"  # names folders in which files are looked for, besides the current one
LONGEST = 1 << 20  # characters of a file
BESIDE = 1 << 23  # characters of all that a file imports from beside it
FOLDERS_OF_PACKAGE, MODULES_OF_PACKAGE = 1000, 4000  # that are looked at
INIT = "__init__.py"


@dataclass(frozen=True)
class File:
    """A file of somebody's, as it was when it was read: what runs is this text, whatever becomes of it.

    root: of a module beside another file, that one's folder; empty for its own.
    """

    path: str
    text: str = field(repr=False)
    root: str = ""

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
                with open_given(place) as file:
                    text = decode_source(file.read(4 * LONGEST + 1))
            except FileNotFoundError:
                continue
            except OSError as error:
                raise ArenaError(f"cannot read {place}: {error.strerror}") from error
            except (SyntaxError, ValueError, LookupError) as error:  # the last: a coding that gives no text
                raise ArenaError(f"{place} is no text in UTF-8; give a file in Python") from error
            if len(text) > LONGEST:
                raise ArenaError(f"{place} has over {LONGEST:,} characters; give a file in Python")
            found = cls(os.path.abspath(place), text)
            found.beside  # noqa: B018, which is read now
            return found
        raise ArenaError(f"there is no file {path}; give its path, or set {FOLDERS} to its folder")

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def folder(self) -> Path:
        """Where its imports look for modules before those that are installed."""
        return Path(self.root) if self.root else Path(self.path).parent

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__.py` of a package beside another file."""
        return Path(self.path).parent != self.folder

    @cached_property
    def beside(self) -> dict[str, str]:
        """The texts by path of what it imports from beside it, directly or not, of packages every module."""
        own = {self.path: self.text}
        if self.is_package:
            own |= texts_in(Path(self.path).parent)
        return self.reached(own, partial(texts_beside, self.folder))

    def reached(self, own: dict[str, str], find: Callable[[str], dict[str, str]]) -> dict[str, str]:
        """The texts that some modules reach, without this one's. find: gives those of a top-level name."""
        found, left, seen, size = dict(own), [*own.values()], set[str](), 0
        while left:
            wanted = tree_of(left.pop()).tops - seen
            seen |= wanted
            new = {path: text for top in wanted for path, text in find(top).items() if path not in found}
            found |= new
            size += sum(map(len, new.values()))
            if size > BESIDE:
                raise too_much(f"what {self.path} imports")
            left += new.values()
        return {path: found[path] for path in sorted(found) if path != self.path}

    @cached_property
    def module(self) -> str:
        """The name of the module that is made of it: another one for each text of it and of `beside`."""
        parts = [self.path, self.text, *chain.from_iterable(self.beside.items())]
        return PREFIX + sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def load(self) -> object:
        """The module itself, run in this process if it has not been. May raise anything."""
        register(self)
        return import_module(self.module)

    def source(self, inner: str) -> Text | None:
        """The text of its module, or of one within its package; None if there is none."""
        if not inner:
            return Text(self.path, self.text, self.is_package)
        place = Path(self.path).parent.joinpath(*inner.split("."))
        for path in (str(place / INIT), f"{place}.py"):
            if path in self.beside:
                return Text(path, self.beside[path], path.endswith(INIT))
        is_folder = any(path.startswith(f"{place}{os.sep}") for path in self.beside)
        return Text(str(place / INIT), "", True) if is_folder else None

    def texts(self) -> list[str]:
        """Its text, and those of `beside`."""
        return [self.text, *self.beside.values()]

    def helper(self, top: str) -> File | None:
        """The file, or package, beside it that a top-level name means; None if that is none of these.

        It is as it was when this file was read, but for one that is named by what cannot be read in the text.
        """
        if not (texts := self.texts_of(top)):
            return helper_in(self.folder, top)
        found = helper_of(self.folder, top, texts)
        vars(found)["beside"] = found.reached({found.path: found.text, **texts}, self.texts_of)
        return found

    def helper_in(self, folder: Path, top: str) -> File | None:
        """The same of another folder, as it is now."""
        return helper_in(folder, top)

    def helpers(self) -> list[File]:
        """All that it can mean by top-level names, of `beside`."""
        tops = {Path(path).relative_to(self.folder).parts[0].removesuffix(".py") for path in self.beside}
        return [found for top in sorted(tops) if (found := self.helper(top))]

    def texts_of(self, top: str) -> dict[str, str]:
        """The texts of `beside`, or its own, that a top-level name means."""
        module, within = str(self.folder / f"{top}.py"), f"{self.folder / top}{os.sep}"
        found = {
            path: text for path, text in self.beside.items() if path == module or path.startswith(within)
        }
        if self.path == module and not is_installed(top):
            found[module] = self.text
        return found

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
        """The syntax trees of it, and of `beside`, each of these with its path from here."""
        yield tree_of(self.text).form
        for path, text in self.beside.items():
            yield f"{os.path.relpath(path, self.folder)} {tree_of(text).form}"


def printable(path: str) -> str:
    """A path with what is no text in UTF-8 as numbers."""
    return path.encode("utf-8", "backslashreplace").decode()


def text_of(path: Path) -> str:
    """Read a module beside a file as Python does, or raise ArenaError."""
    try:
        with open_given(path) as file:
            source = file.read(4 * LONGEST + 1)
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from error
    text = source.decode("utf-8", "replace")
    with suppress(SyntaxError, ValueError, LookupError):
        text = decode_source(source)
    if len(text) > LONGEST:
        raise ArenaError(f"{path}, which is imported, has over {LONGEST:,} characters; leave that out")
    return text


def helper_in(folder: Path, top: str) -> File | None:
    """The module or package that a name means in a folder, as it is now; None if there is none."""
    texts = texts_beside(folder, top)
    return helper_of(folder, top, texts) if texts else None


def helper_of(folder: Path, top: str, texts: dict[str, str]) -> File:
    """The module or package of a folder with these texts."""
    path = str(folder / f"{top}.py")
    if path not in texts:
        path = str(folder / top / INIT)
    return File(path, texts.get(path, ""), str(folder))


def texts_beside(folder: Path, top: str) -> dict[str, str]:
    """The texts of the module, or of all in the package, that a name means in a folder, by path.

    It comes before what is installed, as for `python bot.py`, unless it is a mere folder, or a file of agents
    or games: that of a player called `random` is nobody's `import random`.
    """
    if top == "arena":
        return {}
    module, package = folder / f"{top}.py", folder / top
    if (package / INIT).is_file():
        texts = texts_in(package)
    elif module.is_file():
        texts = {str(module): text_of(module)}
    else:
        return texts_in(package) if package.is_dir() and not is_installed(top) else {}
    enters = any("arena" in tree_of(text).tops for text in texts.values())
    return {} if enters and is_installed(top) else texts


def texts_in(package: Path) -> dict[str, str]:
    """Read all modules in a folder, and those in its folders, by path; ArenaError if there are too many."""
    paths = list[Path]()
    for seen, (where, folders, names) in enumerate(os.walk(package), 1):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(where, name) for name in names if name.endswith(".py") and not name.startswith(".")]
        if seen > FOLDERS_OF_PACKAGE or len(paths) > MODULES_OF_PACKAGE:
            raise too_much(package)
    found, size = {}, 0
    for path in sorted(paths):
        if path.is_file():
            found[str(path)] = text_of(path)
            size += len(found[str(path)])
        if size > BESIDE:
            raise too_much(package)
    return found


def too_much(place: Path | str) -> ArenaError:
    """Return the error for a package, or all that a file imports, that is too large to travel with a file."""
    return ArenaError(
        f"{place} has over {MODULES_OF_PACKAGE:,} modules, {FOLDERS_OF_PACKAGE:,} folders or {BESIDE:,} "
        "characters; import less of it, or install it"
    )


def is_installed(top: str) -> bool:
    """Whether a module of this name is of Python itself, or of something installed."""
    return top in sys.stdlib_module_names or bool(home_of(top))


def lacking(cls: type) -> list[str]:
    """The methods that make a class more than a mere base of others, as far as it has none of its own."""
    base, *wanted = (Agent, "choose") if issubclass(cls, Agent) else (Game, "initial", "moves", "play")
    return [name for name in wanted if getattr(cls, name) is getattr(base, name)]

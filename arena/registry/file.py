"""Files of agents and games: their text, adjacent modules, and classes."""

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
from arena.file_io import open_given
from arena.module_files import home_of
from arena.registry.imports import PREFIX, Text, register
from arena.registry.trees import tree_of

FOLDERS = "ARENA_PLUGINS"  # environment variable with folders to search besides the current one
LONGEST = 1 << 20  # maximum number of characters of a file
BESIDE = 1 << 23  # the same for all adjacent modules that a file imports
FOLDERS_OF_PACKAGE, MODULES_OF_PACKAGE = 1000, 4000  # limits when searching a package
INIT = "__init__.py"


@dataclass(frozen=True)
class File:
    """A file of agents or games, with its text at the time of reading.

    Later changes to the file have no effect.

    Attributes:
        path: Absolute path.
        text: Content.
        root: For a module adjacent to another file, the folder of that file; empty for the folder of `path`.
    """

    path: str
    text: str = field(repr=False)
    root: str = ""

    @classmethod
    def read(cls, path: str) -> File:
        """Read a file in the current folder or in one of the folders in `ARENA_PLUGINS`.

        The encoding is UTF-8 unless the first lines declare another, as in Python.

        Raises:
            ArenaError: If there is no such file, or it cannot be read, decoded or is too long.
        """
        if printable(path) != path:
            raise ArenaError(f"{printable(path)} has a name that is not UTF-8 text; rename it")
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
            except (SyntaxError, ValueError, LookupError) as error:  # LookupError: a codec not for text
                raise ArenaError(f"{place} is not UTF-8 text; pass a Python file") from error
            if len(text) > LONGEST:
                raise ArenaError(f"{place} has over {LONGEST:,} characters; pass a Python file")
            found = cls(os.path.abspath(place), text)
            found.beside  # noqa: B018, which is read now
            return found
        raise ArenaError(f"there is no file {path}; pass its path, or set {FOLDERS} to its folder")

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def folder(self) -> Path:
        """The folder in which its imports look for modules before installed ones."""
        return Path(self.root) if self.root else Path(self.path).parent

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__.py` of a package adjacent to another file."""
        return Path(self.path).parent != self.folder

    @cached_property
    def beside(self) -> dict[str, str]:
        """The texts, by path, of the adjacent modules that it imports, directly or indirectly.

        If it imports a package, all modules of the package are included.
        """
        own = {self.path: self.text}
        if self.is_package:
            own |= texts_in(Path(self.path).parent)
        return self.reached(own, partial(texts_beside, self.folder))

    def reached(self, own: dict[str, str], find: Callable[[str], dict[str, str]]) -> dict[str, str]:
        """Return the texts of the adjacent modules that some texts import, directly or indirectly, by path.

        Args:
            own: Texts whose imports to follow, by path; the file's own text is left out of the result.
            find: Function that returns the texts of the module or package with a top-level name, by path.

        Raises:
            ArenaError: If there are over `BESIDE` characters.
        """
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
        """The name of its module, which differs for each version of the text and of `beside`."""
        parts = [self.path, self.text, *chain.from_iterable(self.beside.items())]
        return PREFIX + sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def load(self) -> object:
        """Return its module, after running it in this process if necessary. May raise any exception."""
        register(self)
        return import_module(self.module)

    def source(self, inner: str) -> Text | None:
        """Return the text of its module, or of a module within its package; None if there is none."""
        if not inner:
            return Text(self.path, self.text, self.is_package)
        place = Path(self.path).parent.joinpath(*inner.split("."))
        for path in (str(place / INIT), f"{place}.py"):
            if path in self.beside:
                return Text(path, self.beside[path], path.endswith(INIT))
        is_folder = any(path.startswith(f"{place}{os.sep}") for path in self.beside)
        return Text(str(place / INIT), "", True) if is_folder else None

    def texts(self) -> list[str]:
        """Return its text, and those of `beside`."""
        return [self.text, *self.beside.values()]

    def helper(self, top: str) -> File | None:
        """Return the adjacent file or package that a top-level name refers to; None if there is none.

        The helper's text is the one read together with this file, or the current one if the import cannot be
        seen in this file's text.
        """
        if not (texts := self.texts_of(top)):
            return helper_in(self.folder, top)
        found = helper_of(self.folder, top, texts)
        vars(found)["beside"] = found.reached({found.path: found.text, **texts}, self.texts_of)
        return found

    def helper_in(self, folder: Path, top: str) -> File | None:
        """Return the file or package in a folder that a top-level name refers to, with its current text."""
        return helper_in(folder, top)

    def helpers(self) -> list[File]:
        """Return the adjacent files and packages that it imports, directly or indirectly."""
        tops = {Path(path).relative_to(self.folder).parts[0].removesuffix(".py") for path in self.beside}
        return [found for top in sorted(tops) if (found := self.helper(top))]

    def texts_of(self, top: str) -> dict[str, str]:
        """Return the texts that a top-level name refers to, from `beside` or this file itself, by path."""
        module, within = str(self.folder / f"{top}.py"), f"{self.folder / top}{os.sep}"
        found = {
            path: text for path, text in self.beside.items() if path == module or path.startswith(within)
        }
        if self.path == module and not is_installed(top):
            found[module] = self.text
        return found

    def classes(self) -> dict[str, type[Configurable]]:
        """Return its agents and games by name, in the order of the file. May raise any exception."""
        return {name: thing for name, thing in self.subclasses() if not lacking(thing)}

    def unfinished(self) -> dict[str, type[Configurable]]:
        """Return its agents and games that lack a required method, by name."""
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
        """Yield its syntax tree as text, and those of `beside`, each preceded by its relative path."""
        yield tree_of(self.text).form
        for path, text in self.beside.items():
            yield f"{os.path.relpath(path, self.folder)} {tree_of(text).form}"


def printable(path: str) -> str:
    """Return a path with bytes that are not UTF-8 escaped."""
    return path.encode("utf-8", "backslashreplace").decode()


def text_of(path: Path) -> str:
    """Read a module adjacent to a file as Python does, or raise ArenaError."""
    try:
        with open_given(path) as file:
            source = file.read(4 * LONGEST + 1)
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from error
    text = source.decode("utf-8", "replace")
    with suppress(SyntaxError, ValueError, LookupError):
        text = decode_source(source)
    if len(text) > LONGEST:
        raise ArenaError(f"{path}, which is imported, has over {LONGEST:,} characters; do not import it")
    return text


def helper_in(folder: Path, top: str) -> File | None:
    """Return the current module or package in a folder that a name refers to; None if there is none."""
    texts = texts_beside(folder, top)
    return helper_of(folder, top, texts) if texts else None


def helper_of(folder: Path, top: str, texts: dict[str, str]) -> File:
    """Return the module or package of a folder from texts that were already read."""
    path = str(folder / f"{top}.py")
    if path not in texts:
        path = str(folder / top / INIT)
    return File(path, texts.get(path, ""), str(folder))


def texts_beside(folder: Path, top: str) -> dict[str, str]:
    """Return the texts of the module or package in a folder that a name refers to, by path.

    It takes precedence over an installed module, as in `python bot.py`, unless it is a folder without
    `__init__.py` or a file of agents or games: a player called `random` does not replace Python's `random`.
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
    """Return the texts of all modules in a folder and its subfolders, by path.

    Raises:
        ArenaError: If there are too many, or one cannot be read.
    """
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
    """Return the error for a package or imported modules that are too large to send with a file."""
    return ArenaError(
        f"{place} has over {MODULES_OF_PACKAGE:,} modules, {FOLDERS_OF_PACKAGE:,} folders or {BESIDE:,} "
        "characters; import less of it, or install it"
    )


def is_installed(top: str) -> bool:
    """Return whether a module of this name belongs to Python or to an installed distribution."""
    return top in sys.stdlib_module_names or bool(home_of(top))


def lacking(cls: type) -> list[str]:
    """Return the required methods that an agent or a game does not define."""
    base, *wanted = (Agent, "choose") if issubclass(cls, Agent) else (Game, "initial", "moves", "play")
    return [name for name in wanted if getattr(cls, name) is getattr(base, name)]

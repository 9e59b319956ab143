"""Imports in files: adjacent modules take precedence, and each file has its own copies of them.

The modules of a file have private names: `arena_file_` and a digest of their texts. So two files that import
different helpers of the same name get different modules, as does a file before and after an edit. Their
`import` statements find these modules first, whenever they are executed, and then installed modules.
"""

from __future__ import annotations

import builtins
import importlib
import linecache
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import module_from_spec, resolve_name, spec_from_file_location
from io import StringIO
from pathlib import Path
from threading import RLock
from types import CodeType, ModuleType
from typing import NamedTuple, Protocol

from arena.module_files import INSTALLED
from arena.registry.gate import admit_beside, check_may_run

PREFIX = "arena_file_"  # prefix of the names of modules created from files
NAMED = re.compile(rf"{PREFIX}[0-9a-f]{{16}}")


class Text(NamedTuple):
    """The text of a module, and its path."""

    path: str
    text: str
    is_package: bool


class Unit(Protocol):
    """A file, or an adjacent module or package."""

    @property
    def module(self) -> str:
        """The private name of its module."""

    @property
    def name(self) -> str:
        """The name of its file."""

    @property
    def folder(self) -> Path:
        """The folder of its adjacent modules."""

    def source(self, inner: str) -> Text | None:
        """Return the text of its module, or of a module within its package; None if there is none."""

    def texts(self) -> Iterable[str]:
        """Return its text, and the texts of all adjacent modules that it imports."""

    def helper(self, top: str) -> Unit | None:
        """Return the adjacent unit that a top-level name refers to; None if there is none."""

    def helper_in(self, folder: Path, top: str) -> Unit | None:
        """Return the unit in another folder that a top-level name refers to; None if there is none."""

    def helpers(self) -> Iterable[Unit]:
        """Return all adjacent units."""


class Loading(threading.local):
    """The state of loading in this thread.

    Attributes:
        path: `sys.path` before loading began; None while nothing is loaded.
    """

    path: list[str] | None = None


units: dict[str, Unit] = {}  # by module name
shown = set[str]()  # names that `Importer.show` added to `sys.modules`
loading = Loading()


def register(unit: Unit) -> None:
    """Make a unit's module importable by its private name."""
    units.setdefault(unit.module, unit)
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def unit_of(module: str) -> Unit | None:
    """Return the unit of a module; None if the module is not from a file."""
    name = module.partition(".")[0]
    if name.startswith(PREFIX) and name not in units:  # a pickle may refer to it before it is imported
        for unit in [*units.values()]:
            for helper in unit.helpers():
                units.setdefault(helper.module, helper)
                admit_beside(unit.module, helper.module)
    return units.get(name)


class Finder(MetaPathFinder):
    """A finder of modules by their private names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        unit = unit_of(fullname)
        found = unit and unit.source(fullname.partition(".")[2])
        if not unit or not found:
            return None
        folders = [str(Path(found.path).parent)] if found.is_package else None
        loader = Loader(fullname, found, unit)
        return spec_from_file_location(
            fullname, found.path, loader=loader, submodule_search_locations=folders
        )


class Loader(SourceFileLoader):
    """A loader that creates a module from a text, even if its file has changed."""

    def __init__(self, fullname: str, found: Text, unit: Unit) -> None:
        super().__init__(fullname, found.path)
        self.found, self.unit = found, unit

    def get_source(self, fullname: str) -> str:
        return self.found.text

    def get_code(self, fullname: str) -> CodeType:
        # for tracebacks and the compiler: in a sandbox the file itself cannot be read
        lines = StringIO(self.found.text).readlines()
        linecache.cache[self.found.path] = len(self.found.text), None, lines, self.found.path
        return compile(self.found.text, self.found.path, "exec", dont_inherit=True)

    def is_package(self, fullname: str) -> bool:
        return self.found.is_package

    def exec_module(self, module: ModuleType) -> None:
        check_may_run(self.unit.module, self.unit.name)
        importer = Importer(self.unit)
        vars(module)["__builtins__"] = importer.builtins
        with importer.own_path():
            exec(self.get_code(module.__name__), vars(module))


class Importer:
    """The import system of a unit's modules: `__import__` and `importlib.import_module`."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.tops: dict[str, str] = {}  # private names by top-level name; empty if not the unit's own
        self.path = [*sys.path]  # `sys.path` before it was loaded
        self.added: list[str] = []  # folders added to `sys.path` meanwhile
        self.builtins = {**vars(builtins), "__import__": self.import_}
        self.importlib = Importlib(self)

    @contextmanager
    def own_path(self) -> Iterator[None]:
        """Use folders that this context adds to `sys.path` for the modules of this unit only."""
        before = loading.path
        if before is not None:
            self.path = before
        loading.path = self.path
        try:
            yield
        finally:
            self.added = self.added_now()
            loading.path = before
            if before is None:
                sys.path[:] = [folder for folder in sys.path if folder not in self.added]

    def added_now(self) -> list[str]:
        """Return the folders added to `sys.path`, without those of installed distributions."""
        return [
            folder
            for folder in sys.path
            if folder not in self.path and INSTALLED.isdisjoint(Path(folder).parts)
        ]

    def folders(self) -> list[Path]:
        """Return the folder of the unit, then the folders added to `sys.path`, its subfolders first."""
        own = self.unit.folder
        added = [Path(folder).absolute() for folder in dict.fromkeys([*self.added, *self.added_now()])]
        return [own, *sorted(added, key=lambda folder: not folder.is_relative_to(own))]

    def private(self, name: str) -> str:
        """Return the private name of a module if it belongs to the unit; otherwise the name itself."""
        top, dot, inner = name.partition(".")
        if top not in self.tops:
            _, *others = self.folders()
            found = (self.unit.helper_in(folder, top) for folder in others)
            helper = self.unit.helper(top) or next(filter(None, found), None)
            if helper:
                register(helper)
                admit_beside(self.unit.module, helper.module)
            elif top not in sys.modules:  # its folder may still be added
                return name
            self.tops[top] = helper.module if helper else ""
        return self.tops[top] + dot + inner if self.tops[top] else name

    def import_(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> object:
        """Import a module, with the signature of `__import__`."""
        while shown:
            sys.modules.pop(shown.pop(), None)
        private = name if level else self.private(name)
        try:
            found = __import__(private, globals, locals, fromlist or (), level)
        except ModuleNotFoundError as error:
            if error.name == name and not level and (extension := self.extension(name)):
                return extension
            if NAMED.search(str(error)):
                text = NAMED.sub(lambda found: plain_name(found[0]), str(error))
                raise type(error)(text, name=error.name, path=error.path) from None
            raise
        if private != name and type(fromlist) is list and not fromlist:
            self.show(name, private)
        return self.importlib if found is importlib else found

    def import_module(self, name: str, package: str | None = None) -> object:
        """Import a module, with the signature of `importlib.import_module`."""
        name = resolve_name(name, package)
        self.import_(name, fromlist=("",))
        return sys.modules.get(self.private(name)) or sys.modules[name]

    def extension(self, name: str) -> ModuleType | None:
        """Return an extension module in the unit's folders; None if there is none."""
        found = (extension_in(folder, name) for folder in self.folders() if "." not in name)
        return next(filter(None, found), None)

    def show(self, name: str, private: str) -> None:
        """Make a module available by its plain name until the next import, for C code such as `pickle`."""
        if name not in sys.modules:
            sys.modules[name] = sys.modules[private]
            shown.add(name)


class Importlib(ModuleType):
    """A replacement for `importlib` in a unit's modules."""

    def __init__(self, importer: Importer) -> None:
        super().__init__("importlib", importlib.__doc__)
        self.import_module = importer.import_module

    def __getattr__(self, name: str) -> object:
        return getattr(importlib, name)


def plain_name(private: str) -> str:
    """Return the name by which authors import the module with a private name, for example `prefs`."""
    unit = units.get(private)
    found = unit and unit.source("")
    if not found:
        return private
    path = Path(found.path)
    return path.parent.name if found.is_package else path.stem


def extension_in(folder: Path, name: str) -> ModuleType | None:
    """Return an extension module in a folder, shared by all files there; None if there is none."""
    spec = PathFinder.find_spec(name, [str(folder)])
    if spec is None or not spec.origin or spec.origin.endswith((".py", ".pyc")):
        return None
    about = Path(spec.origin).stat()
    digest = sha256(f"{spec.origin} {about.st_mtime_ns} {about.st_size}".encode()).hexdigest()[:16]
    private = f"{PREFIX}{digest}.{name}"  # the last part must match the name of its init function
    if private not in sys.modules:
        own = spec_from_file_location(private, spec.origin)
        assert own is not None
        assert own.loader is not None
        module = module_from_spec(own)
        own.loader.exec_module(module)
        sys.modules[private] = module
    return sys.modules[private]


making: dict[str, RLock] = {}  # by module name; held while the module is created


def module_made(name: str, module: ModuleType, fill: Callable[[ModuleType], None]) -> ModuleType:
    """Return the module with a name, creating it if necessary; other threads never see it half filled.

    Args:
        name: Name of the module.
        module: An empty module, in `sys.modules` while it is filled, since its classes look up names there.
        fill: Function that fills the module. If it raises, the module is removed.
    """
    with making.setdefault(name, RLock()):
        if name not in sys.modules:
            sys.modules[name] = module
            try:
                fill(module)
            except BaseException:
                del sys.modules[name]
                raise
        return sys.modules[name]

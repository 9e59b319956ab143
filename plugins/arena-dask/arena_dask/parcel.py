"""Tasks sent to other machines: pickled, with models and with digests that are checked there."""

from __future__ import annotations

import io
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from itertools import product
from pathlib import Path
from pickle import Pickler, dumps, loads
from typing import Any

from arena import errors
from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.spec import Spec
from arena.errors import ArenaError, one_line, safe_text
from arena.registry.digests import code_of
from arena.storage import endings, model_file
from arena.storage.model_file import About
from arena.version import __version__
from arena.workers.worker import NOBODY, this_worker

ARITHMETIC = ("numpy", "llvmlite")  # packages whose versions may affect the last bit of a number
PASSED = ("ARENA_COMPILED", "ARENA_CHECKED")  # environment variables that are passed on
LOADING = 120.0  # maximum seconds for importing games and agents


class Unlike(ArenaError):
    """A machine whose code differs from the client's, so that its results would differ."""


@dataclass(frozen=True)
class Parcel:
    """A pickled task, and its pickled specs.

    code: the digest of the code that plays, including the endings that it uses. models: the models that it
    may read or write: digests by file name, empty for a file that does not exist.
    """

    task: bytes
    specs: bytes
    code: str
    models: Mapping[str, str]
    environ: Mapping[str, str]


class Packer(Pickler):
    """A pickler that records the specs and models that it pickles."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.specs: dict[tuple[str, str], Spec] = {}
        self.abouts: list[About] = []

    def persistent_id(self, thing: Any) -> None:
        if isinstance(thing, Spec):
            self.specs.setdefault((thing.text, thing.target), thing)
        elif isinstance(thing, About):
            self.abouts.append(thing)


class Sender:
    """Creates parcels from tasks, and caches digests of specs."""

    def __init__(self) -> None:
        self.codes: dict[tuple[tuple[str, str], ...], tuple[bytes, str]] = {}
        self.paths: dict[tuple[str, str], Path] = {}
        self.digests: dict[tuple[Path, int, int], str] = {}

    def parcel(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Parcel:
        """Return a task as a parcel; exceptions of pickling propagate."""
        file = io.BytesIO()
        packer = Packer(file)
        packer.dump((fn, args, kwargs))
        specs = list(packer.specs.values())
        key = tuple(packer.specs)
        if key not in self.codes:
            self.codes[key] = dumps(specs), code_here(specs)
        pickled, code = self.codes[key]
        paths = {model_file.path_of(about) for about in packer.abouts} | set(self.models(specs))
        models = {path.name: self.digest(path) for path in paths}
        environ = {name: os.environ[name] for name in PASSED if name in os.environ}
        return Parcel(file.getvalue(), pickled, code, models, environ)

    def models(self, specs: Sequence[Spec]) -> list[Path]:
        """Return the files of the models of learners in games, both among these specs."""
        games = [spec for spec in specs if issubclass(spec.cls, Game)]
        learners = [spec for spec in specs if issubclass(spec.cls, Learner)]
        for game, learner in product(games, learners):
            if (key := (game.text, learner.text)) not in self.paths:
                self.paths[key] = model_file.path_of(model_file.about_spec(learner, game.make()))
        return [self.paths[game.text, learner.text] for game, learner in product(games, learners)]

    def digest(self, path: Path) -> str:
        """Return the digest of a file's bytes; empty if the file does not exist."""
        try:
            about = path.stat()
        except OSError:
            return ""
        key = (path, about.st_size, about.st_mtime_ns)
        if key not in self.digests:
            self.digests[key] = digest_of(path.read_bytes())
        return self.digests[key]


def digest_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def code_here(specs: Sequence[Spec]) -> str:
    """Return the digest of the code of games and agents in this process; errors of imports propagate."""
    digest = code_of(*specs)
    if not any(spec.values.get("endings") for spec in specs):
        return digest
    folder = endings.default_folder()
    names = [f"{path.relative_to(folder)} {path.stat().st_size}" for path in sorted(folder.rglob("*.ending"))]
    return digest_of("\n".join([digest, *names]).encode())[:16]


def opened(parcel: Parcel, models: str) -> bytes:
    """Execute a parcel's task in this worker process, with models in a folder; return the pickled result.

    Raises Unlike if the code of games or agents is different here, or cannot be loaded.
    """
    os.environ.update(parcel.environ, ARENA_MODELS=models)
    worker = this_worker()
    worker.watch.turn(NOBODY, NOBODY, LOADING)
    worker.keep(("code of a parcel", parcel.code), lambda: check_code(parcel))
    worker.watch.clear()
    fn, args, kwargs = loads(parcel.task)
    return dumps(fn(*args, **kwargs))


def check_code(parcel: Parcel) -> bool:
    """Raise Unlike if games or agents differ from those on the machine that sent the parcel."""
    try:
        specs = loads(parcel.specs)
        code = code_here(specs)
    except Exception as error:
        raise Unlike(f"it cannot load the entries: {safe_text(one_line, error)}") from error
    if code != parcel.code:
        texts = ", ".join(spec.text for spec in specs)
        raise Unlike(f"it has other code, files or endings of {texts[:200]}")
    return True


@cache
def facts() -> dict[str, str]:
    """Return facts that must be equal on all machines: versions, and digests of arena and this package."""
    python = ".".join(platform.python_version_tuple()[:2])
    found = {"Python": python, "arena": __version__, **{name: version(name) for name in ARITHMETIC}}
    return found | {"arena's source": source(errors.__file__), "arena-dask's source": source(__file__)}


def source(file: str) -> str:
    """Return the digest of all modules in a file's folder and its subfolders."""
    home = Path(file).parent
    paths = sorted(home.rglob("*.py"), key=lambda path: path.relative_to(home).as_posix())
    return digest_of(b"".join(path.read_bytes() for path in paths))[:12]


def difference(wanted: Mapping[str, str]) -> str:
    """Describe the first fact that differs here: `it has arena 0.1.0, and not 0.2.0`; "" if none does."""
    here = facts()
    for name, value in wanted.items():
        if here.get(name) != value:
            return f"it has {name} {here.get(name)}, not {value}"
    return ""

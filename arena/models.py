"""Models on disk: what learners have learned, under a digest of all that made it.

A model is one file, a zip archive that `numpy.load` reads: an array a member, and `about.json`. It holds
numbers and texts, and nothing in it is ever executed. A file whose learning is not finished is a checkpoint
of it, from which it goes on. Arrays are read where they lie in the file, so that processes share them.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import json
import math
import os
import struct
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec
import numpy as np
import platformdirs

from arena.errors import ArenaError, one_line
from arena.game import Game, rules_digest
from arena.learner import Arrays, Learner
from arena.options import Configurable
from arena.spec import Spec

FORMAT = 1
ABOUT = "about.json"
SUFFIX = ".npz"
MADE_BY = ("format", "game", "rules", "agent", "options", "seed", "code")  # what the key is a digest of
KINDS = "biufcUS"  # of arrays, as numpy calls them: numbers and texts
LOCAL = 30 + 20  # bytes of a member's header: what all have, and the sizes of a large one; its name aside
ALIGNED = 64  # what bytes of an array begin at a multiple of
HEADER = 1 << 17  # bytes that numpy's own header fits in

# files in memory, by device, inode, size and time; and of those found to be whole the digest
maps: WeakValueDictionary[tuple[int, ...], mmap] = WeakValueDictionary()
whole: WeakKeyDictionary[mmap, str] = WeakKeyDictionary()


class About(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What made a model, and how far it is.

    key: the digest of all that decides what is in it, which is what comes before `versions`. sha256: of the
    arrays. seconds: spent learning, by the clock.
    """

    format: int
    key: str
    game: str
    rules: str  # a digest
    agent: str  # the entry's text
    options: dict[str, Any]
    seed: int
    code: str  # a digest of the learner's source
    versions: dict[str, str]
    planned: int  # episodes
    episodes: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    seconds: float = 0.0
    sha256: str = ""

    @property
    def finished(self) -> bool:
        return self.episodes == self.planned


class Model(msgspec.Struct):
    """Arrays by name, and what made them."""

    about: About
    arrays: dict[str, Any]


def folder() -> Path:
    return Path(os.environ.get("ARENA_MODELS") or platformdirs.user_data_path("arena", False) / "models")


def about(learner: Learner, versions: dict[str, str] | None = None) -> About:
    """Of the model that belongs to a learner: all that is known before anything is learned."""
    options = {name: plain_value(getattr(learner, name)) for name in learner.options}
    found = About(
        format=FORMAT,
        key="",
        game=str(learner.game),
        rules=rules_digest(learner.game),
        agent=learner.name or type(learner).__name__,
        options=options,
        seed=learner.seed,
        code="" if getattr(learner, "imported", "") else code_digest(learner),  # of another program's
        versions=versions or {},
        planned=learner.episodes,
    )
    found.key = key_of(found)
    return found


def key_of(about: About) -> str:
    """The key of a model that was made by what `about` says."""
    made_by = {name: getattr(about, name) for name in MADE_BY}
    return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:16]


def plain_value(value: Any) -> Any:
    """An option's value for JSON."""
    if isinstance(value, tuple):
        return list(map(plain_value, value))
    return value.text if isinstance(value, Spec) else value


def path_of(about: About) -> Path:
    """Where the model is kept."""
    name = about.agent.partition(":")[0]
    return folder() / f"{name}-{about.key}{SUFFIX}"


def finished(learner: Learner) -> Model:
    """The finished model of a learner, or ArenaError that says what to do."""
    wanted = about(learner)
    name = repr(wanted.agent)
    try:
        model = read(path_of(wanted))
    except NoModel as error:
        raise ArenaError(lacking(wanted)) from error
    if model.about.key != wanted.key:
        raise ArenaError(
            f"{path_of(wanted)} is another model, {model.about.key}; {remedy(wanted, anew=True)}"
        )
    if not model.about.finished:
        raise ArenaError(
            f"{name} has learned from {model.about.episodes:,} of {wanted.planned:,} episodes of "
            f"{wanted.game}; go on: {training(wanted)}"
        )
    return model


def take_up(learner: Learner, model: Model) -> None:
    """Have a learner recall a model that it would use, or ArenaError."""
    try:
        learner.recall(model.arrays)
    except Exception as error:
        why = one_line(error).removeprefix("ArenaError: ")
        raise ArenaError(
            f"{model.about.agent!r} cannot take up its model {model.about.key}: {why[:200]}; "
            f"{remedy(model.about, anew=True)}"
        ) from error


def lacking(about: About) -> str:
    """What to say where a model is not there, with its remedy."""
    lacks = "has no table of" if about.options.get("imported") else "has not learned"
    return f"{about.agent!r} {lacks} {about.game} yet; {remedy(about)}"


def remedy(about: About, anew: bool = False) -> str:
    """What makes a model, and with `anew` makes it in place of one that is there: words, and the command."""
    again = " anew" * anew
    if about.options.get("imported"):
        entry, game = quoted(about.agent), quoted(about.game)
        return f"bring it in{again}: arena models import {entry} FILE --game {game}{' --force' * anew}"
    return f"train it{again}: {training(about)}{' --again' * anew}"


def training(about: About) -> str:
    """The command that trains a model, or goes on with it."""
    return f"arena train {quoted(about.agent)} --game {quoted(about.game)}"


def misfit(made: About, learner: Learner) -> str:
    """Why a learner would not use a model that was so made, on one line; an empty text if it would."""
    own = about(learner)
    if made.key == own.key:
        return ""
    if made.rules != own.rules:
        return f"it learned other rules of {made.game} than are installed"
    if made.agent != own.agent or made.game != own.game:
        return f"{made.agent} at {made.game} is called {own.agent} at {own.game} here"
    names = sorted(made.options.keys() | own.options.keys())
    if changed := [name for name in names if made.options.get(name) != own.options.get(name)]:
        return f"{made.agent} has other options here: {', '.join(changed)}"
    return f"the source of {made.agent}, or of what it learns from, is another here"


def quoted(text: str) -> str:
    return f"'{text}'" if any(letter in text for letter in "() ;&|<>*") else text


# --- files ----------------------------------------------------------------------------------------------


class NoModel(ArenaError):
    """There is no such file."""


def write(model: Model, path: Path) -> None:
    """Write a model in place of what was there, at once or not at all, or ArenaError."""
    arrays = {name: np.asarray(array, order="C") for name, array in model.arrays.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in KINDS:
            raise ArenaError(
                f"{model.about.agent} gives {array.dtype} for {name!r} in its model; give numbers or texts"
            )
    model.about.sha256 = content_digest(arrays)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                for name, array in arrays.items():
                    entry = member(f"{name}.npy")
                    entry.extra = padding(file.tell() + LOCAL + len(entry.filename))
                    with archive.open(entry, "w", force_zip64=True) as stream:
                        np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
                archive.writestr(member(ABOUT), json.dumps(msgspec.to_builtins(model.about), indent=1))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise ArenaError(f"cannot write the model {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def member(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same model, the same bytes


def padding(at: int) -> bytes:
    """A field of a member's header that makes what follows it at `at` begin where arrays may."""
    return struct.pack("<HH", 0xD935, -(at + 4) % ALIGNED) + bytes(-(at + 4) % ALIGNED)


def read(path: Path) -> Model:
    """A model from its file, whole and as it was written, or ArenaError on one line.

    Its arrays lie in the file and cannot be written to.
    """
    with opened(path) as archive:
        about = read_about(archive, path)
        data = mapped(archive.fp)
        arrays = {
            entry.filename.removesuffix(".npy"): read_array(data, content(data, entry), entry.file_size)
            for entry in archive.infolist()
            if entry.filename != ABOUT
        }
        if data not in whole:
            if content_digest(arrays) != about.sha256:
                raise spoilt(path, "its arrays were altered")
            whole[data] = about.sha256
        if whole[data] != about.sha256:
            raise spoilt(path, "what it says of itself was altered")
        return Model(about, arrays)


def mapped(file: Any) -> mmap:
    """An open file in memory, the same object for the same file as long as that is in use."""
    facts = os.fstat(file.fileno())
    key = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
    data = maps.get(key)
    if data is None:
        data = maps[key] = mmap(file.fileno(), 0, access=ACCESS_COPY)  # whoever writes to it spoils a copy
    return data


def content(data: mmap, entry: zipfile.ZipInfo) -> int:
    """Where a member's content begins."""
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    return int(entry.header_offset + 30 + name + extra)


def glance(path: Path) -> About:
    """What a model says of itself, its arrays unread, or ArenaError."""
    with opened(path) as archive:
        return read_about(archive, path)


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """A model's file, open; whatever is wrong with it, there or in what is done with it, is an ArenaError.

    A member is as large in the file as in memory, and there once: no file claims more than it has.
    """
    try:
        if path.exists() and not path.is_file():
            raise ArenaError(f"{path} is no model: it is no file")
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            stored = all(
                m.compress_type == zipfile.ZIP_STORED and m.file_size == m.compress_size for m in members
            )
            once = len({m.filename for m in members}) == len(members)
            if not stored or not once or sum(m.file_size for m in members) > os.fstat(file.fileno()).st_size:
                raise ValueError("written by something else")
            yield archive
    except ArenaError:
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoModel(f"there is no model {path}") from error
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror or error}") from error
    except MemoryError as error:
        raise ArenaError(f"cannot read the model {path}: there is not enough memory") from error
    except Exception as error:  # of the many that zipfile, numpy, json and msgspec raise at bytes gone wrong
        raise spoilt(path, "it was cut off or altered") from error


def spoilt(path: Path, how: str) -> ArenaError:
    return ArenaError(f"{path} is no whole model: {how}; remove it, or get it anew")


def read_about(archive: zipfile.ZipFile, path: Path) -> About:
    said = json.loads(archive.read(ABOUT))
    version = said.get("format") if isinstance(said, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ArenaError(f"{path} was written by a newer arena (format {version}, not {FORMAT}); upgrade")
    about = msgspec.convert(said, About)
    far = 0 <= about.episodes <= about.planned == about.options.get("episodes")
    if about.key != key_of(about) or not far:
        raise spoilt(path, "what it says of itself was altered")
    return about


def read_array(data: mmap, start: int, size: int) -> Any:
    """An array in numpy's format, of `size` bytes from `start` on, or ValueError; nothing is unpickled."""
    file = io.BytesIO(data[start : start + min(size, HEADER)])
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("another version of numpy's format")
    shape, columns, dtype = np.lib.format.read_array_header_1_0(file)
    begin = start + file.tell()
    if dtype.kind not in KINDS or math.prod(shape) * dtype.itemsize != start + size - begin:
        raise ValueError("no such array")
    array: Any = np.ndarray(shape, dtype, data, begin, order="F" if columns else "C")
    if not array.flags.aligned:
        array = array.copy()
    array.flags.writeable = False
    return array


def content_digest(arrays: Arrays) -> str:
    """Of names, types, shapes and contents of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def kept() -> Iterator[Path]:
    """The files of all models kept, by name, or ArenaError."""
    try:
        yield from sorted(path for path in folder().iterdir() if path.suffix == SUFFIX)
    except FileNotFoundError:
        return  # none yet
    except OSError as error:
        raise ArenaError(f"cannot read the folder of models {folder()}: {error.strerror}") from error


def id_of(path: Path) -> str:
    """The key that a kept model's file is named by."""
    return path.stem.rpartition("-")[2]


# --- what models are made of ------------------------------------------------------------------------------


def code_digest(learner: Learner) -> str:
    """Of the source of a learner's distribution that it reaches, and of those of its bases and of the agents
    it names."""
    digest = hashlib.sha256()
    classes: set[type] = {type(learner)}
    for value in (getattr(learner, name) for name in learner.options):
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Spec):
                classes |= {part.cls for part in item.parts()}
    bases = {base for cls in classes for base in cls.__mro__ if issubclass(base, Configurable)}
    own: set[type] = {base for base in bases if base.__module__.partition(".")[0] != "arena"}
    for text in sorted({source_digest(base) for base in own}):
        digest.update(text.encode())
    return digest.hexdigest()[:16]


@cache
def source_digest(cls: type) -> str:
    """Of the modules of a class's own top-level package that it reaches; the framework has its version.

    They are found by what their sources import, so it does not depend on what else has been imported.
    """
    top = cls.__module__.partition(".")[0]
    found: dict[str, str] = {}

    def visit(name: str) -> None:
        if name.partition(".")[0] == top and name not in found:
            found[name] = source_of(name)
            for other in imports(name, found[name]):
                visit(other)

    for base in cls.__mro__:
        visit(base.__module__)
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(found[name].encode())
    return digest.hexdigest()


def source_of(name: str) -> str:
    """A module's source, or its name if that cannot be had: it was typed in, or compiled, or is no module."""
    with suppress(OSError, TypeError, ImportError, AttributeError):
        if name in sys.modules:
            return inspect.getsource(sys.modules[name]).strip()
        loader: Any = getattr(spec_of(name), "loader", None)
        return (loader.get_source(name) or name).strip()
    return name


def imports(name: str, source: str) -> Iterator[str]:
    """The modules of its own top-level package that a module imports, wherever in its source."""
    top = name.partition(".")[0]
    spec = spec_of(name)
    package = spec.parent if spec else name.rpartition(".")[0]
    with suppress(SyntaxError, ImportError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                home = resolve_name("." * node.level + (node.module or ""), package)
                if home.partition(".")[0] == top:
                    inner = (f"{home}.{alias.name}" for alias in node.names)
                    yield from (module if is_module(module) else home for module in inner)


def is_module(name: str) -> bool:
    return name in sys.modules or spec_of(name) is not None


def spec_of(name: str) -> ModuleSpec | None:
    with suppress(ImportError, ValueError):
        return find_spec(name)
    return None


# --- positions in arrays ----------------------------------------------------------------------------------


def pack_states(game: Game, states: Sequence[Any]) -> Any:
    """Positions as an array: int64 [positions, words] of a flat game, else texts."""
    if game.flat:
        return np.array(states, np.int64).reshape(len(states), len(game.initial()))
    texts = list(map(repr, states))
    for state, text in zip(states, texts, strict=True):
        try:
            same = ast.literal_eval(text) == state
        except (ValueError, SyntaxError):
            same = False
        if not same:
            raise ArenaError(
                f"positions of {game} cannot be kept: {text} is not made of ints, texts and tuples"
            )
    return np.array(texts, np.str_)


def unpack_states(packed: Any) -> list[Any]:
    """The positions again."""
    if packed.ndim == 2:
        return list(map(tuple, packed.tolist()))
    return [ast.literal_eval(text) for text in packed.tolist()]

"""Models on disk: what learners have learned, under a digest of all that made it.

A model is one file, a zip archive that `numpy.load` reads: an array a member, and `about.json`. It holds
numbers and texts, and nothing in it is ever executed. A file whose learning is not finished is a checkpoint of
it, from which it goes on.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import sys
import zipfile
import zlib
from ast import literal_eval
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import numpy as np
import platformdirs

from arena.errors import ArenaError
from arena.game import FastGame, Game, rules_digest
from arena.learner import Arrays, Learner
from arena.spec import Spec

FORMAT = 1
ABOUT = "about.json"
SUFFIX = ".npz"


class About(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What made a model, and how far it is.

    key: the digest of all that decides what is in it, up to `versions`. sha256: of the arrays. seconds:
    spent learning, by the clock.
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
    made_by: dict[str, Any] = {
        "format": FORMAT,
        "game": str(learner.game),
        "rules": rules_digest(learner.game),
        "agent": learner.name or type(learner).__name__,
        "options": options,
        "seed": learner.seed,
        "code": code_digest(learner),
    }
    key = hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:16]
    return About(**made_by, key=key, versions=versions or {}, planned=learner.episodes)


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
    path = path_of(wanted)
    name = repr(wanted.agent)
    if not path.exists():
        raise ArenaError(
            f"{name} has not learned {wanted.game} yet; train it: arena train {quoted(wanted.agent)} "
            f"--game {quoted(wanted.game)}"
        )
    model = read(path)
    if not model.about.finished:
        raise ArenaError(
            f"{name} has learned from {model.about.episodes:,} of {wanted.planned:,} episodes of {wanted.game}; "
            f"go on: arena train {quoted(wanted.agent)} --game {quoted(wanted.game)}"
        )
    return model


def quoted(text: str) -> str:
    return f"'{text}'" if any(letter in text for letter in "() ;&|<>*") else text


# --- files ----------------------------------------------------------------------------------------------


def write(model: Model, path: Path) -> None:
    """Write a model in place of what was there, at once or not at all, or ArenaError."""
    model.about.sha256 = content_digest(model.arrays)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(draft, "w") as archive:
            for name, array in model.arrays.items():
                with archive.open(member(f"{name}.npy"), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(member(ABOUT), json.dumps(msgspec.to_builtins(model.about), indent=1))
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ArenaError(f"cannot write the model {path}: {error.strerror or error}") from error


def member(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same model, the same bytes


def read(path: Path) -> Model:
    """A model from its file, whole and as it was written, or ArenaError on one line."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = read_about(archive, path)
            arrays = {
                name.removesuffix(".npy"): read_array(archive, name)
                for name in archive.namelist()
                if name != ABOUT
            }
    except FileNotFoundError as error:
        raise ArenaError(f"there is no model {path}") from error
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, NotImplementedError) as error:
        raise ArenaError(f"{path} is no whole model: it was cut off or altered") from error
    if content_digest(arrays) != about.sha256:
        raise ArenaError(f"{path} is no whole model: its arrays were altered")
    return Model(about, arrays)


def glance(path: Path) -> About:
    """What a model says of itself, its arrays unread, or ArenaError."""
    try:
        with zipfile.ZipFile(path) as archive:
            return read_about(archive, path)
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, NotImplementedError) as error:
        raise ArenaError(f"{path} is no whole model: it was cut off or altered") from error


def read_about(archive: zipfile.ZipFile, path: Path) -> About:
    said = json.loads(archive.read(ABOUT))
    version = said.get("format") if isinstance(said, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ArenaError(f"{path} was written by a newer arena (format {version}, not {FORMAT}); upgrade")
    return msgspec.convert(said, About)


def read_array(archive: zipfile.ZipFile, name: str) -> Any:
    data = io.BytesIO(archive.read(name))  # which checks its CRC
    return np.lib.format.read_array(data, allow_pickle=False)


def content_digest(arrays: Arrays) -> str:
    """Of names, types, shapes and contents of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data.cast("B") if array.size else b"")
    return digest.hexdigest()


def kept() -> Iterator[Path]:
    """The files of all models kept."""
    return iter(sorted(folder().glob(f"*{SUFFIX}")))


# --- what models are made of ------------------------------------------------------------------------------


def code_digest(learner: Learner) -> str:
    """Of the source of a learner's distribution that it reaches, and of that of the agents it names."""
    digest = hashlib.sha256()
    classes = {type(learner)}
    for value in (getattr(learner, name) for name in learner.options):
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Spec):
                classes |= {part.cls for part in item.parts()}
    for text in sorted(source_digest(cls) for cls in classes):
        digest.update(text.encode())
    return digest.hexdigest()[:16]


@cache
def source_digest(cls: type) -> str:
    """Of the modules of a class's own top-level package that it reaches; the framework has its version."""
    top = cls.__module__.partition(".")[0]
    found: dict[str, ModuleType] = {}

    def visit(name: str) -> None:
        module = sys.modules.get(name)
        if module is None or name in found or name.partition(".")[0] != top:
            return
        found[name] = module
        for value in list(vars(module).values()):
            if isinstance(value, ModuleType):
                visit(value.__name__)
            elif home := getattr(value, "__module__", None):
                visit(str(home))

    for base in cls.__mro__:
        visit(base.__module__)
    digest = hashlib.sha256()
    for name in sorted(found):
        try:
            digest.update(inspect.getsource(found[name]).encode())
        except (OSError, TypeError):  # typed in, or compiled
            digest.update(name.encode())
    return digest.hexdigest()


# --- positions in arrays ----------------------------------------------------------------------------------


def pack_states(game: Game, states: Sequence[Any]) -> Any:
    """Positions as an array: int64 [positions, words] of a fast game, else texts."""
    if isinstance(game, FastGame):
        return np.array(states, np.int64).reshape(len(states), len(game.initial()))
    texts = list(map(repr, states))
    for state, text in zip(states[:1], texts[:1], strict=True):
        try:
            same = literal_eval(text) == state
        except (ValueError, SyntaxError):
            same = False
        if not same:
            raise ArenaError(f"positions of {game} cannot be kept: {text} is not made of ints, texts and tuples")
    return np.array(texts, np.str_)


def unpack_states(packed: Any) -> list[Any]:
    """The positions again."""
    if packed.ndim == 2:
        return list(map(tuple, packed.tolist()))
    return [literal_eval(text) for text in packed.tolist()]

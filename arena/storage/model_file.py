"""Models on disk. The name of a model is its key: a digest of everything that determines the training.

A model is a zip archive that `numpy.load` can read: one member for each array, and `about.json`. It holds
numbers and texts, and nothing in it is ever executed. The file of an unfinished model is a checkpoint, from
which training resumes. Arrays are memory-mapped, so that processes share them.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec
import numpy as np
import platformdirs

from arena.api.game import Game
from arena.api.learner import Arrays, Learner
from arena.api.options import name_in
from arena.api.spec import Spec
from arena.errors import ArenaError, Untrained, one_line
from arena.file_io import draft_of, open_given
from arena.registry.digests import code_digest, rules_digest
from arena.texts import call, either

FORMAT = 1
ABOUT = "about.json"
SUFFIX = ".npz"
MADE_BY = ("format", "game", "rules", "agent", "options", "seed", "code")  # fields in the key
KINDS = "biufcUS"  # numpy's kinds of dtypes that a model may have: numbers and texts
LOCAL = 30 + 20  # bytes of a member's header without its name: the fixed part, and 64-bit sizes
ALIGNED = 64  # the data of each array begins at a multiple of this
HEADER = 1 << 17  # bytes; numpy's own header never takes more

# memory maps by device, inode, size and modification time, and the digests of verified ones
mapped_files: WeakValueDictionary[tuple[int, ...], mmap] = WeakValueDictionary()
verified: WeakKeyDictionary[mmap, str] = WeakKeyDictionary()


class About(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The origin of a model, and the progress of its training."""

    format: int  # version of the file format
    key: str  # digest of everything that determines the training
    game: str  # with its options
    rules: str  # digest of the game's rules
    agent: str  # the entry's text
    options: dict[str, Any]  # all options of the learner
    seed: int  # seed of the learner's random numbers
    code: str  # digest of the learner's source
    versions: dict[str, str]  # versions of the distributions involved
    planned: int  # episodes to learn from
    episodes: int = 0  # learned from so far
    wins: int = 0  # episodes won
    draws: int = 0  # episodes drawn
    losses: int = 0  # episodes lost
    seconds: float = 0.0  # elapsed time of learning
    sha256: str = ""  # digest of the arrays

    @property
    def finished(self) -> bool:
        """Whether all planned episodes have been learned from."""
        return self.episodes == self.planned

    def computed_key(self) -> str:
        """Compute the key from the fields in `MADE_BY`; `key` is the one that was written."""
        made_by = {name: getattr(self, name) for name in MADE_BY}
        return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:16]


class Model(msgspec.Struct):
    """Arrays by name, and their origin."""

    about: About
    arrays: dict[str, Any]


# --- files ----------------------------------------------------------------------------------------------


class NoModel(ArenaError):
    """Raised if a model's file does not exist."""


def write(model: Model, path: Path) -> None:
    """Write a model to a file atomically; raise ArenaError if that fails or a dtype is unsupported."""
    arrays = {name: np.asarray(array, order="C") for name, array in model.arrays.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in KINDS:
            raise ArenaError(
                f"{model.about.agent} returns {array.dtype} for {name!r} in its model; use numbers or texts"
            )
    model.about.sha256 = content_digest(arrays)
    with draft_of(path, f"the model {path}", kept=True) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            entry = member(f"{name}.npy")
            entry.extra = padding(file.tell() + LOCAL + len(entry.filename))
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
        archive.writestr(member(ABOUT), json.dumps(msgspec.to_builtins(model.about), indent=1))


class Member(zipfile.ZipInfo):
    """A member of a zip archive whose header has the same bytes in every Python version.

    Before Python 3.11.4 a 64-bit header did not declare its version or that the sizes follow.
    """

    def FileHeader(self, zip64: bool | None = None) -> bytes:
        """Return the header's bytes."""
        if not zip64:
            return super().FileHeader(zip64)
        self.create_version = self.extract_version = 45
        header = super().FileHeader(zip64)
        return header[:18] + b"\xff" * 8 + header[26:]  # the two 32-bit sizes are set to their maximum


def member(name: str) -> Member:
    """Return a member with a fixed date."""
    return Member(name, (1980, 1, 1, 0, 0, 0))  # equal models have identical files


def padding(at: int) -> bytes:
    """Return a header field that aligns the bytes after it to `ALIGNED`, when it starts at byte `at`."""
    return struct.pack("<HH", 0xD935, -(at + 4) % ALIGNED) + bytes(-(at + 4) % ALIGNED)


def read(path: Path) -> Model:
    """Read a model and verify its checksum; its arrays are memory-mapped and read-only.

    Raises:
        NoModel: If the file does not exist.
        ArenaError: If it cannot be read, or is damaged.
    """
    with open_archive(path) as archive:
        about = about_in(archive, path)
        data = mapped(archive.fp)
        arrays = {
            entry.filename.removesuffix(".npy"): read_array(data, content(data, entry), entry.file_size)
            for entry in archive.infolist()
            if entry.filename != ABOUT
        }
        if data not in verified:
            if content_digest(arrays) != about.sha256:
                raise damaged(path, "its arrays were altered")
            verified[data] = about.sha256
        if verified[data] != about.sha256:
            raise damaged(path, "its description was altered")
        return Model(about, arrays)


def is_there(path: Path) -> bool:
    """Return whether a file exists at a model's path; raise ArenaError if that cannot be determined."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror or error}") from error
    return True


def mapped(file: Any) -> mmap:
    """Return an open file's memory map, shared by all users of the same file."""
    facts = os.fstat(file.fileno())
    key = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
    data = mapped_files.get(key)
    if data is None:
        data = mapped_files[key] = mmap(
            file.fileno(), 0, access=ACCESS_COPY
        )  # copy-on-write: writing never changes the file
    return data


def content(data: mmap, entry: zipfile.ZipInfo) -> int:
    """Return the offset at which a member's content begins."""
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    return int(entry.header_offset + 30 + name + extra)


def read_about(path: Path) -> About:
    """Read a model's `About` without its arrays; raise ArenaError if it is missing or damaged."""
    with open_archive(path) as archive:
        return about_in(archive, path)


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a model's file, and turn any error in reading it or in the block into ArenaError.

    Members must be uncompressed and unique, so that arrays cannot be larger than the file.
    """
    try:
        with open_given(path) as file, zipfile.ZipFile(file) as archive:
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
    except Exception as error:  # zipfile, numpy, json and msgspec raise many kinds for damaged bytes
        raise damaged(path, "it was truncated or altered") from error


def damaged(path: Path, how: str) -> ArenaError:
    """Return the error for a model's file that was truncated or altered."""
    return ArenaError(f"{path} is not an intact model: {how}; remove it, or restore it")


def about_in(archive: zipfile.ZipFile, path: Path) -> About:
    """Read and check the `About` of an open archive."""
    stated = json.loads(archive.read(ABOUT))
    version = stated.get("format") if isinstance(stated, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ArenaError(f"{path} was written by a newer arena (format {version}, not {FORMAT}); upgrade")
    about = msgspec.convert(stated, About)
    planned = about.options.get("checkpoint") or about.options.get("episodes")
    plausible = 0 <= about.episodes <= about.planned == planned
    if about.key != about.computed_key() or not plausible:
        raise damaged(path, "its description was altered")
    return about


def read_array(data: mmap, start: int, size: int) -> Any:
    """Read an array in numpy's format without unpickling.

    Args:
        data: The mapped archive.
        start: Offset of the member's content.
        size: Bytes of the content.

    Returns:
        A read-only array, memory-mapped where it is aligned.

    Raises:
        ValueError: If the content is not such an array.
    """
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
    """Return the SHA-256 of the names, dtypes, shapes and contents of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


UNLEARNED = ("seeds", "checkpoints")  # options that do not influence what is learned


def folder() -> Path:
    """Return the folder of models: ARENA_MODELS, or else a folder in the user's data folder."""
    return Path(os.environ.get("ARENA_MODELS") or platformdirs.user_data_path("arena", False) / "models")


def about_learner(learner: Learner, versions: dict[str, str] | None = None) -> About:
    """Return the `About` of the model that belongs to a learner, see `about`."""
    if spec := getattr(learner, "spec", None):  # a learner in a sandboxed process
        return about_spec(spec, learner.game, versions)
    values = {name: getattr(learner, name) for name in learner.options}
    return about(type(learner), learner.name or type(learner).__name__, values, learner.game, versions)


def about_spec(spec: Spec, game: Game, versions: dict[str, str] | None = None) -> About:
    """Return the `About` of a learner's model without instantiating it, which would run its author's code."""
    return about(spec.cls, spec.text, spec.values, game, versions)


def about(
    cls: type[Learner], name: str, values: Mapping[str, Any], game: Game, versions: dict[str, str] | None
) -> About:
    """Return the `About` of a learner's model, with its key and 0 episodes.

    Args:
        cls: The learner's class.
        name: The entry's text.
        values: Values of all its options.
        game: The game it learns.
        versions: Versions of the distributions involved, by name; they do not influence the key.
    """
    found = About(
        format=FORMAT,
        key="",
        game=str(game),
        rules=rules_digest(game),
        agent=name,
        options={name: json_value(values[name]) for name in cls.options if decides(name, values[name])},
        seed=values["seed"],
        code="" if values.get("imported") else code_digest(cls, values),  # not learned by this code
        versions=versions or {},
        planned=values["checkpoint"] or values["episodes"],
    )
    found.key = found.computed_key()
    return found


def json_value(value: Any) -> Any:
    """Return an option's value in a form that JSON can represent."""
    if isinstance(value, tuple):
        return list(map(json_value, value))
    return value.text if isinstance(value, Spec) else value


def path_of(about: About) -> Path:
    """Return the path of a model's file."""
    name = name_in(about.agent)
    return folder() / f"{name}-{about.key}{SUFFIX}"


def decides(option: str, value: Any) -> bool:
    """Return whether an option's value influences what is learned, not just how many entries there are."""
    return option not in UNLEARNED and (option != "checkpoint" or value > 0)


def check_one(name: str, values: Mapping[str, Any]) -> None:
    """Check that options name a single learner whose checkpoint can be reached; else raise ArenaError."""
    if (seeds := values["seeds"]) > 1:
        raise ArenaError(f"{name!r} stands for {seeds} learners; choose one by its seed")
    if (points := values["checkpoints"]) > 1:
        raise ArenaError(f"{name!r} stands for {points} learners; choose one by its checkpoint")
    checkpoint, episodes = values["checkpoint"], values["episodes"]
    if checkpoint > episodes:
        raise ArenaError(f"{name!r} learns from {episodes:,} episodes; use a checkpoint up to that")
    if checkpoint and values.get("shards", 1) > 1:
        raise ArenaError(f"{name!r} learns in shards, which have no common checkpoint; leave out one of them")


def finished_model(learner: Learner) -> Model:
    """Read the finished model of a learner.

    Raises:
        Untrained: If there is no model, or its training is not finished; the message says how to train it.
        ArenaError: If the file holds another model, or is damaged.
    """
    check_one(learner.name, {name: getattr(learner, name) for name in learner.options})
    wanted = about_learner(learner)
    name = repr(wanted.agent)
    try:
        model = read(path_of(wanted))
    except NoModel as error:
        raise Untrained(missing_text(wanted)) from error
    if model.about.key != wanted.key:
        raise ArenaError(
            f"{path_of(wanted)} contains a different model, {model.about.key}; {remedy(wanted, fresh=True)}"
        )
    if not model.about.finished:
        raise Untrained(
            f"{name} has learned from {model.about.episodes:,} of {wanted.planned:,} episodes of "
            f"{wanted.game}; continue: {training(wanted)}"
        )
    return model


def recall(learner: Learner, model: Model) -> None:
    """Load a model into a learner; raise ArenaError with the remedy if the learner fails."""
    try:
        learner._recall_packed(model.arrays)
    except Exception as error:
        why = one_line(error).removeprefix("ArenaError: ")
        raise ArenaError(
            f"{model.about.agent!r} cannot recall its model {model.about.key}: {why[:200]}; "
            f"{remedy(model.about, fresh=True)}"
        ) from error


def recall_model(learner: Learner) -> None:
    """Load a learner's finished model into it; raise ArenaError with the remedy if there is none."""
    recall(learner, finished_model(learner))


def missing_text(about: About) -> str:
    """Return the error text for a model that does not exist, with the remedy."""
    lacks = "has no table of" if about.options.get("imported") else "has not learned"
    return f"{about.agent!r} {lacks} {about.game} yet; {remedy(about)}"


def remedy(about: About, fresh: bool = False) -> str:
    """Return how to create a model, in words and as a call; with `fresh`, replacing an existing one."""
    again = " again" * fresh
    if about.options.get("imported"):
        return f"import it{again}: {importing(about, fresh)}"
    return f"train it{again}: {training(about, fresh)}"


def importing(about: About, fresh: bool) -> str:
    """Return the call that imports a table; with `fresh`, replacing another."""
    what, how = (about.agent, "FILE"), {"game": about.game, "force": fresh or None}
    return either(call("models import", *what, **how), call("models import_table", *what, **how))


def training(about: About, fresh: bool = False) -> str:
    """Return the call that trains a model or resumes its training; with `fresh`, from the start."""
    return call("train", about.agent, game=about.game, retrain=fresh or None)


def why_unusable(about: About, learner: Learner) -> str:
    """Return in one line why a learner cannot use the model described by `about`; empty if it can."""
    wanted = about_learner(learner)
    if about.key == wanted.key:
        return ""
    if about.rules != wanted.rules:
        return f"it was trained with rules of {about.game} that differ from the installed ones"
    if about.agent != wanted.agent or about.game != wanted.game:
        return f"{about.agent} at {about.game} is called {wanted.agent} at {wanted.game} here"
    names = sorted(about.options.keys() | wanted.options.keys())
    if changed := [name for name in names if about.options.get(name) != wanted.options.get(name)]:
        return f"{about.agent} has other options here: {', '.join(changed)}"
    return f"the source of {about.agent}, or of what it learns from, differs here"


def model_files() -> Iterator[Path]:
    """Yield the files of all stored models, sorted by name; raise ArenaError if the folder is unreadable."""
    try:
        yield from sorted(path for path in folder().iterdir() if path.suffix == SUFFIX)
    except FileNotFoundError:
        return  # none yet
    except OSError as error:
        raise ArenaError(f"cannot read the folder of models {folder()}: {error.strerror}") from error


def id_of(path: Path) -> str:
    """Return the key in the name of a model's file."""
    return path.stem.rpartition("-")[2]

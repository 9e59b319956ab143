"""The functions of `arena.models`: list, show, copy, import and remove models of learners."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from arena.api.learner import Arrays, Learner
from arena.api.options import replaced, with_options
from arena.calls.arguments import Entry, GameEntry, agent_spec, game_spec, known_with
from arena.calls.results import Listing
from arena.commands.train.call import findings_grid, findings_of
from arena.errors import ArenaError, did_you_mean, one_line
from arena.file_io import read_given
from arena.plan.entries import check_entries, make_game
from arena.registry.plugins import registry
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown
from arena.storage import model_file
from arena.storage.model_file import SUFFIX, About
from arena.texts import argument, call, either
from arena.training.learners import learner_in, made_learner

__all__ = ("chosen", "export", "import_model", "import_table", "list", "remove", "show")  # public

MODELS: Columns = {
    "id": Column(str, "Name of the model."),
    "agent": Column(str, "The learner."),
    "game": Column(str, "The game."),
    "written": Column(str, "Time of writing."),
    "episodes": Column(int, "Number of episodes."),
    "seconds": Column(float, "Training time, in seconds."),
    "bytes": Column(int, "Size, in bytes."),
    "error": Column(str, "Why it cannot be read.", True),
}


@dataclass(frozen=True)
class KeptModel:
    """The file of a stored model.

    Attributes:
        id: Id of the model.
        path: Path of the file.
        bytes: Size of the file in bytes.
        written: Modification time of the file.
        about: Description of the model; None if the file cannot be read.
        error: Why the file cannot be read; empty if it can.
    """

    id: str
    path: Path
    bytes: int = 0
    written: str = ""
    about: About | None = None
    error: str = ""

    @classmethod
    def of(cls, path: Path) -> KeptModel:
        size, written = 0, ""
        try:
            size, written = on_disk(path)
            return cls(model_file.id_of(path), path, size, written, model_file.read_about(path))
        except ArenaError as error:
            return cls(model_file.id_of(path), path, size, written, error=str(error))

    def to_dict(self) -> dict[str, object]:
        """Return the description of the model and its file as a dictionary for JSON."""
        row: dict[str, Any] = {"model": self.id, "path": str(self.path)}
        if self.written:
            row |= {"bytes": self.bytes, "written": self.written}
        if not self.about:
            return {**row, "error": self.error}
        facts = {name: getattr(self.about, name) for name in ("agent", "game", "episodes", "planned")}
        return {**row, **facts, "imported": is_imported(self.about)}


class ModelList(Listing[KeptModel]):
    """All stored models; those that cannot be read are listed below the table."""

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        if self.grid.rows:
            yield self.grid
        for model in self:
            if model.error:
                yield f"{model.id}  failed: {model.error}"


@dataclass(frozen=True, repr=False)
class ModelFacts(Shown):
    """The details of a model.

    Attributes:
        path: Path of the file.
        bytes: Size of the file in bytes.
        written: Modification time of the file.
        about: Description of the model.
        misfit: Why no installed learner would use the model; empty if one would.
        findings: Findings of the learner, as columns by name.
        arrays: Name, type, shape and size of each array in the file.
    """

    frame_columns: ClassVar[Columns] = {
        "name": Column(str, "Name of an array."),
        "type": Column(str, "Type of its elements."),
        "shape": Column(str, "Its shape, such as `3 × 4`."),
        "bytes": Column(int, "Size, in bytes."),
    }

    path: Path
    bytes: int
    written: str
    about: About
    misfit: str
    findings: Mapping[str, Sequence[float | str]]
    arrays: Sequence[Mapping[str, Any]]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        about, said = self.about, msgspec.to_builtins(self.about)
        learned = f"{progress(about)} episodes, {about.seconds:,.1f} s of training"
        if is_imported(about):
            learned = "trained by another program"
        yield f"Model {about.key}: {about.agent} at {about.game}, {learned}"
        yield f"  fits: {f'no, {self.misfit}' if self.misfit else 'yes'}"
        if about.wins or about.losses:
            yield f"  in training: {about.wins:,} won, {about.draws:,} drawn, {about.losses:,} lost"
        facts = {"file": self.path, "bytes": f"{self.bytes:,}", "written": self.written}
        facts |= {name: said[name] for name in ("format", "rules", "code", "sha256", "seed")}
        for name, value in facts.items():
            yield f"  {name}: {value}"
        for name in ("versions", "options"):
            yield f"  {name}: {', '.join(f'{key} {value}' for key, value in said[name].items())}"
        rows = [
            [a["name"], a["type"], " × ".join(map(str, a["shape"])), f"{a['bytes']:,}"] for a in self.arrays
        ]
        yield Grid(["array", "type", "shape", "bytes"], rows, left=2)
        yield from findings_grid(self.findings)

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each array."""
        return [{**array, "shape": " × ".join(map(str, array["shape"]))} for array in self.arrays]

    def to_dicts(self) -> builtins.list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [dict(array) for array in self.arrays]

    def to_dict(self) -> dict[str, object]:
        """Return the details as a dictionary for JSON."""
        said = msgspec.to_builtins(self.about)
        facts = {
            "model": said.pop("key"),
            "path": str(self.path),
            "bytes": self.bytes,
            "written": self.written,
        }
        facts |= {**said, "fits": not self.misfit, "misfit": self.misfit or None}
        return {**facts, **({"findings": self.findings} if self.findings else {}), "arrays": self.to_dicts()}


def list() -> ModelList:
    """Return all stored models, sorted by name."""
    found = [KeptModel.of(path) for path in model_file.model_files()]
    rows = [
        [one.id, one.about.agent, one.about.game, one.written, progress(one.about), f"{one.bytes:,}"]
        for one in found
        if one.about
    ]
    columns = ["model", "agent", "game", "written", "episodes", "bytes"]
    grid = Grid(columns, rows, left=4, spare=("bytes", "written", "episodes"))
    frame = [
        {"id": one.id, "bytes": one.bytes, "written": one.written or None, "error": one.error or None}
        | ({name: getattr(one.about, name) for name in ("agent", "game", "seconds")} if one.about else {})
        | ({"episodes": one.about.episodes} if one.about else {})
        for one in found
    ]
    return ModelList(found, grid, [one.to_dict() for one in found], MODELS, frame)


def show(model: str | Path) -> ModelFacts:
    """Return the details of a model.

    Args:
        model: An id, a prefix of an id, or a file.

    Raises:
        ArenaError: If there is no such model, or it is damaged.
    """
    path = locate(model)
    whole = model_file.read(path)
    misfit = misfit_of(whole.about, path)
    found = {} if misfit else findings_of(user_of(whole.about), whole.arrays)
    arrays = [
        {"name": name, "type": str(array.dtype), "shape": [*array.shape], "bytes": array.nbytes}
        for name, array in whole.arrays.items()
    ]
    return ModelFacts(path, *on_disk(path), whole.about, misfit, found, arrays)


def export(model: str | Path, file: str | Path, *, force: bool = False) -> About:
    """Copy a model to a file after checking that it is complete, and return its description.

    Args:
        model: An id, a prefix of an id, or a file.
        file: Path of the copy.
        force: Overwrite the file.

    Raises:
        ArenaError: If the file exists or cannot be written.
    """
    found, file = model_file.read(locate(model)), Path(file)
    if not os.path.isdir(file.absolute().parent):
        raise ArenaError(f"cannot write {file}: there is no folder {file.parent}")
    if model_file.is_there(file) and not force:
        forced = argument("force", True)
        raise ArenaError(f"{file} already exists; name another file, or overwrite it with {forced}")
    model_file.write(found, file)
    return found.about


@dataclass(frozen=True)
class Imported:
    """A model that was imported, or that already existed.

    Attributes:
        about: Description of the model.
        path: Path of the file.
        new: Whether the model was imported.
        entry: For a table of another program, the entry that uses it.
    """

    about: About
    path: Path
    new: bool
    entry: str = ""


def import_model(file: str | Path) -> Imported:
    """Store the model in a file, unless a model that is trained as far is already stored.

    Args:
        file: Path of the file.

    Raises:
        ArenaError: If no installed learner would use the model.
    """
    found = model_file.read(Path(file))
    try:
        model_file.recall(user_of(found.about), found)
    except ArenaError as error:
        raise ArenaError(f"cannot import {file}: {error}") from error
    path = model_file.path_of(found.about)
    try:
        there = model_file.read(path).about
    except ArenaError:  # the stored model is missing or damaged
        there = None
    if there and there.episodes >= found.about.episodes:
        return Imported(there, path, False)
    model_file.write(found, path)
    return Imported(found.about, path, True)


def import_table(
    entry: Entry, file: str | Path, *, game: GameEntry = None, name: str | None = None, force: bool = False
) -> Imported:
    """Store a table trained by another program as the model of the only learner in an entry.

    Args:
        entry: The entry, as in `arena.match`.
        file: Path of the table.
        game: The game, as in `arena.match`. Default: the first installed.
        name: Name of the table, for the learner's option `imported`. Default: the value of that option, or
            the name of the file.
        force: Replace a table of that name.

    Raises:
        ArenaError: If the learner cannot read the table, or the name is taken.
    """
    known, file = known_with([entry], game), Path(file)
    spec, on = agent_spec(entry, known), game_spec(game, known)
    check_entries([spec], make_game(on))
    learner = learner_in(spec)
    if learner.cls.import_model is Learner.import_model:
        raise ArenaError(f"{learner.text!r} cannot import tables of other programs; name an entry that can")
    name = name or learner.values["imported"] or re.sub(r"[^\w.-]+", "-", file.stem).strip("-") or "table"
    if not re.fullmatch(r"[\w.-]+", name):
        raise ArenaError(f"{either('--name', 'name')} {name!r}: use only letters, digits, '-', '_' and '.'")
    named = with_options(learner, imported=name)
    made = made_learner(named, on)
    about = model_file.about_learner(made, known.versions(on, [named]))
    about.episodes = about.planned
    path = model_file.path_of(about)
    if model_file.is_there(path) and not force:
        forced = argument("force", True)
        raise ArenaError(
            f"{path} already exists, for the table {name!r}; "
            f"use another {argument('name')}, or overwrite it with {forced}"
        )
    try:
        found = model_file.Model(about, dict(imported_model(made, file)))
        model_file.recall(made, found)
    except ArenaError as error:
        raise ArenaError(f"cannot import {file}: {error}") from error
    model_file.write(found, path)
    return Imported(about, path, True, replaced(spec, learner, named).text)


def imported_model(learner: Learner, file: Path) -> Arrays:
    """Return the model that a learner reads from another program's file, or raise ArenaError."""
    try:
        return learner.import_model(read_given(file))
    except OSError as error:
        raise ArenaError(error.strerror or one_line(error)) from error
    except MemoryError as error:
        raise ArenaError("there is not enough memory for it") from error
    except (ArenaError, ValueError) as error:
        raise ArenaError(" ".join(str(error).split())) from error
    except Exception as error:
        raise ArenaError(one_line(error)) from error


def chosen(models: Sequence[str], *, unfit: bool = False) -> Sequence[KeptModel]:
    """Return the models with these ids or prefixes of ids.

    Args:
        models: The ids. If empty, all models.
        unfit: Return only models that no installed learner would use.
    """
    paths = [*dict.fromkeys(map(find, models))] or [*model_file.model_files()]
    found = [KeptModel.of(path) for path in paths]
    return [one for one in found if is_unused(one)] if unfit else found


def remove(*models: str | Path | KeptModel) -> int:
    """Remove models, and return the number of bytes freed.

    Args:
        models: Ids, prefixes of ids, or items of `list`.
    """
    paths = [one.path if isinstance(one, KeptModel) else find(str(one)) for one in models]
    size = 0
    for path in dict.fromkeys(paths):
        try:
            large = path.lstat().st_size
            path.unlink()
        except OSError as error:
            raise ArenaError(f"cannot remove {path}: {error.strerror}") from error
        size += large
    return size


# --- finding models, and the learners that use them -----------------------------------------------------


def find(text: str) -> Path:
    """Return the stored model with this id or prefix of an id, or raise ArenaError."""
    known = [*model_file.model_files()]
    found = [
        path for path in known if text == path.stem or (text and model_file.id_of(path).startswith(text))
    ]
    if len(found) > 1:
        names = ", ".join(path.stem for path in found)
        raise ArenaError(f"{len(found)} models begin with {text!r}: {names}; use more of the id")
    if not found:
        near = did_you_mean(text, map(model_file.id_of, known))
        raise ArenaError(f"no model {text!r}{near if '?' in near else ''} (see '{call('models list')}')")
    return found[0]


def locate(model: str | Path) -> Path:
    """Return the path of a model, given as an id or a file, or raise ArenaError."""
    if isinstance(model, Path) or os.sep in model or model.endswith(SUFFIX):
        return Path(model)
    return find(model)


def user_of(about: About) -> Learner:
    """Return the installed learner, untrained, that would use a model, or raise ArenaError."""
    game = registry().spec("game", about.game)
    spec = registry().spec("agent", about.agent)
    if not issubclass(spec.cls, Learner):
        raise ArenaError(f"{spec.text} is installed but does not learn")
    check_entries([spec], make_game(game))
    learner = made_learner(spec, game)
    if why_not := model_file.why_unusable(about, learner):
        raise ArenaError(why_not)
    return learner


def misfit_of(about: About, path: Path) -> str:
    """Return why no installed learner would use the model in a file, on one line; "" if one would."""
    try:
        user_of(about)
    except ArenaError as error:
        return str(error)
    if path.absolute() != model_file.path_of(about).absolute():
        again = either(f"arena models import {path}", call("models import_model", str(path)))
        return f"it is not where it is looked for: {again}"
    return ""


def is_unused(model: KeptModel) -> bool:
    """Return whether no installed learner would use a model."""
    return not model.about or bool(misfit_of(model.about, model.path))


def on_disk(path: Path) -> tuple[int, str]:
    """Return a file's size in bytes and its modification time, or raise ArenaError."""
    try:
        facts = path.stat()
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror}") from error
    return facts.st_size, datetime.fromtimestamp(facts.st_mtime, UTC).isoformat(timespec="seconds")


def is_imported(about: About) -> bool:
    """Return whether a model was trained by another program."""
    return bool(about.options.get("imported"))


def progress(about: About) -> str:
    """Return the episodes of a model, as `1,000` or `300 of 1,000`; `elsewhere` for an imported table."""
    if is_imported(about):
        return "elsewhere"
    done = f"{about.episodes:,}"
    return done if about.finished else f"{done} of {about.planned:,}"

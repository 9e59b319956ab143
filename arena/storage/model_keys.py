"""Keys of models: digests of all that determines what a learner learns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs

from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import name_in
from arena.api.spec import Spec
from arena.errors import ArenaError, Untrained, one_line
from arena.registry.digests import code_digest, rules_digest
from arena.storage.model_file import FORMAT, SUFFIX, About, Model, NoModel, read
from arena.texts import call, either

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
        code="" if values.get("imported") else code_digest(cls, values),  # learned by another program
        versions=versions or {},
        planned=values["checkpoint"] or values["episodes"],
    )
    found.key = found.computed_key()
    return found


def json_value(value: Any) -> Any:
    """Return an option's value as JSON can represent it."""
    if isinstance(value, tuple):
        return list(map(json_value, value))
    return value.text if isinstance(value, Spec) else value


def path_of(about: About) -> Path:
    """Return the path of a model's file."""
    name = name_in(about.agent)
    return folder() / f"{name}-{about.key}{SUFFIX}"


def decides(option: str, value: Any) -> bool:
    """Return whether an option's value influences what is learned, rather than how the learner is entered."""
    return option not in UNLEARNED and (option != "checkpoint" or value > 0)


def check_one(name: str, values: Mapping[str, Any]) -> None:
    """Check that options name a single learner whose checkpoint can be reached; else raise ArenaError."""
    if (seeds := values["seeds"]) > 1:
        raise ArenaError(f"{name!r} stands for {seeds} learners; name one by its seed")
    if (points := values["checkpoints"]) > 1:
        raise ArenaError(f"{name!r} stands for {points} learners; name one by its checkpoint")
    checkpoint, episodes = values["checkpoint"], values["episodes"]
    if checkpoint > episodes:
        raise ArenaError(f"{name!r} learns from {episodes:,} episodes; give a checkpoint up to that")
    if checkpoint and values.get("shards", 1) > 1:
        raise ArenaError(f"{name!r} learns in shards, which have no checkpoint in common; leave one out")


def finished_model(learner: Learner) -> Model:
    """Read the finished model of a learner.

    Raises:
        Untrained: If there is no model, or its training is not finished; says how to train it.
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
            f"{path_of(wanted)} is another model, {model.about.key}; {remedy(wanted, fresh=True)}"
        )
    if not model.about.finished:
        raise Untrained(
            f"{name} has learned from {model.about.episodes:,} of {wanted.planned:,} episodes of "
            f"{wanted.game}; go on: {training(wanted)}"
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
    """Return how to get a model, in words and as a call; with `fresh`, one that replaces the existing."""
    again = " again" * fresh
    if about.options.get("imported"):
        return f"bring it in{again}: {importing(about, fresh)}"
    return f"train it{again}: {training(about, fresh)}"


def importing(about: About, fresh: bool) -> str:
    """Return the call that imports a table; with `fresh`, replacing another."""
    what, how = (about.agent, "FILE"), {"game": about.game, "force": fresh or None}
    return either(call("models import", *what, **how), call("models import_table", *what, **how))


def training(about: About, fresh: bool = False) -> str:
    """Return the call that trains a model or resumes its training; with `fresh`, from the start."""
    return call("train", about.agent, game=about.game, retrain=fresh or None)


def why_unusable(about: About, learner: Learner) -> str:
    """Return in one line why a learner cannot use a model made as `about` says; empty if it can."""
    wanted = about_learner(learner)
    if about.key == wanted.key:
        return ""
    if about.rules != wanted.rules:
        return f"it learned other rules of {about.game} than are installed"
    if about.agent != wanted.agent or about.game != wanted.game:
        return f"{about.agent} at {about.game} is called {wanted.agent} at {wanted.game} here"
    names = sorted(about.options.keys() | wanted.options.keys())
    if changed := [name for name in names if about.options.get(name) != wanted.options.get(name)]:
        return f"{about.agent} has other options here: {', '.join(changed)}"
    return f"the source of {about.agent}, or of what it learns from, is another here"


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

"""Which model belongs to a learner: its key is a digest of all that decides what it learns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs

from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.names import name_in
from arena.api.spec import Spec
from arena.errors import ArenaError, Untrained, one_line
from arena.registry.sources import code_digest, rules_digest
from arena.storage.archive import FORMAT, SUFFIX, About, Model, NoModel, read
from arena.wording import call, either

UNLEARNED = ("seeds", "checkpoints")  # options by which a learner is entered, and does not learn


def folder() -> Path:
    """Where models are kept: the environment's ARENA_MODELS, else a folder of the user's data."""
    return Path(os.environ.get("ARENA_MODELS") or platformdirs.user_data_path("arena", False) / "models")


def about_learner(learner: Learner, versions: dict[str, str] | None = None) -> About:
    """What made the model that belongs to a learner, see `about`."""
    if spec := getattr(learner, "spec", None):  # of one in a sandboxed process
        return about_spec(spec, learner.game, versions)
    values = {name: getattr(learner, name) for name in learner.options}
    return about(type(learner), learner.name or type(learner).__name__, values, learner.game, versions)


def about_spec(spec: Spec, game: Game, versions: dict[str, str] | None = None) -> About:
    """The same of a learner that need not be made for it, which runs its author's code."""
    return about(spec.cls, spec.text, spec.values, game, versions)


def about(
    cls: type[Learner], name: str, values: Mapping[str, Any], game: Game, versions: dict[str, str] | None
) -> About:
    """What makes a learner's model, with its key; nothing is learned yet, episodes are 0.

    values: of all its options. versions: of the distributions that take part, by name, which the key does not
    depend on.
    """
    found = About(
        format=FORMAT,
        key="",
        game=str(game),
        rules=rules_digest(game),
        agent=name,
        options={name: json_value(values[name]) for name in cls.options if decides(name, values[name])},
        seed=values["seed"],
        code="" if values.get("imported") else code_digest(cls, values),  # of another program's
        versions=versions or {},
        planned=values["checkpoint"] or values["episodes"],
    )
    found.key = found.computed_key()
    return found


def json_value(value: Any) -> Any:
    """An option's value for JSON."""
    if isinstance(value, tuple):
        return list(map(json_value, value))
    return value.text if isinstance(value, Spec) else value


def path_of(about: About) -> Path:
    """Where the model is kept."""
    name = name_in(about.agent)
    return folder() / f"{name}-{about.key}{SUFFIX}"


def decides(option: str, value: Any) -> bool:
    """Whether what is learned depends on an option; not on those that say how it is entered."""
    return option not in UNLEARNED and (option != "checkpoint" or value > 0)


def check_one(name: str, values: Mapping[str, Any]) -> None:
    """ArenaError for a learner that stands for several, or has a checkpoint after its end."""
    if (seeds := values["seeds"]) > 1:
        raise ArenaError(f"{name!r} are {seeds} learners, for a tournament; name one, by its seed")
    if (points := values["checkpoints"]) > 1:
        raise ArenaError(f"{name!r} are {points} learners, for a tournament; name one, by its checkpoint")
    checkpoint, episodes = values["checkpoint"], values["episodes"]
    if checkpoint > episodes:
        raise ArenaError(f"{name!r} learns from {episodes:,} episodes; give a checkpoint up to that")
    if checkpoint and values.get("shards", 1) > 1:
        raise ArenaError(f"{name!r} learns in shards, which have no checkpoint in common; leave one out")


def finished_model(learner: Learner) -> Model:
    """The finished model of a learner, or ArenaError that says what to do."""
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
    """Have a learner recall a model that belongs to it, or ArenaError if it cannot, with the remedy."""
    try:
        learner.recall(model.arrays)
    except Exception as error:
        why = one_line(error).removeprefix("ArenaError: ")
        raise ArenaError(
            f"{model.about.agent!r} cannot recall its model {model.about.key}: {why[:200]}; "
            f"{remedy(model.about, fresh=True)}"
        ) from error


def recall_model(learner: Learner) -> None:
    """Have a learner recall its finished model, or ArenaError that says how to train it."""
    recall(learner, finished_model(learner))


def missing_text(about: About) -> str:
    """The error for a model that does not exist, with the remedy."""
    lacks = "has no table of" if about.options.get("imported") else "has not learned"
    return f"{about.agent!r} {lacks} {about.game} yet; {remedy(about)}"


def remedy(about: About, fresh: bool = False) -> str:
    """How to get a model: words and the call. fresh: in place of one that exists."""
    again = " again" * fresh
    if about.options.get("imported"):
        return f"bring it in{again}: {importing(about, fresh)}"
    return f"train it{again}: {training(about, fresh)}"


def importing(about: About, fresh: bool) -> str:
    """The call that brings a table in; in place of another if asked for."""
    what, how = (about.agent, "FILE"), {"game": about.game, "force": fresh or None}
    return either(call("models import", *what, **how), call("models import_table", *what, **how))


def training(about: About, fresh: bool = False) -> str:
    """The call that trains a model, or goes on with it; afresh if asked for."""
    return call("train", about.agent, game=about.game, retrain=fresh or None)


def why_unusable(about: About, learner: Learner) -> str:
    """Why a learner does not use a model that was made so, on one line; an empty text if it does."""
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
    """The files of all models that are kept, in the order of their names, or ArenaError."""
    try:
        yield from sorted(path for path in folder().iterdir() if path.suffix == SUFFIX)
    except FileNotFoundError:
        return  # none yet
    except OSError as error:
        raise ArenaError(f"cannot read the folder of models {folder()}: {error.strerror}") from error


def id_of(path: Path) -> str:
    """The key that a kept model's file is named by."""
    return path.stem.rpartition("-")[2]

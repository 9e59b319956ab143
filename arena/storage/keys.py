"""Which model belongs to a learner: by a digest of all that decides what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs

from arena.api.learner import Learner
from arena.api.spec import Spec
from arena.errors import ArenaError, one_line
from arena.registry.sources import code_digest, rules_digest
from arena.storage.archive import FORMAT, SUFFIX, About, Model, NoModel, read


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
    found.key = found.own_key()
    return found


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
            f"{path_of(wanted)} is another model, {model.about.key}; {remedy(wanted, fresh=True)}"
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
            f"{remedy(model.about, fresh=True)}"
        ) from error


def recall_model(learner: Learner) -> None:
    """Have a learner recall the finished model that belongs to it, or ArenaError that says how to train it."""
    take_up(learner, finished(learner))


def lacking(about: About) -> str:
    """What to say where a model is not there, with its remedy."""
    lacks = "has no table of" if about.options.get("imported") else "has not learned"
    return f"{about.agent!r} {lacks} {about.game} yet; {remedy(about)}"


def remedy(about: About, fresh: bool = False) -> str:
    """What makes a model, and with `fresh` makes it in place of one that is there: words, and the command."""
    again = " again" * fresh
    if about.options.get("imported"):
        entry, game = quoted(about.agent), quoted(about.game)
        return f"bring it in{again}: arena models import {entry} FILE --game {game}{' --force' * fresh}"
    return f"train it{again}: {training(about)}{' --retrain' * fresh}"


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

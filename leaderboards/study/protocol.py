"""The protocol of the study, as `families.toml` has it: games, families and their configurations."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from arena import ArenaError
from arena.api.options import format_value
from arena.registry.plugins import registry

Configuration = Mapping[str, Any]


@dataclass(frozen=True)
class Game:
    """A game, its budgets in seconds of training, its openings, and who is met.

    tuning: by whom configurations are chosen. gauntlet: who is met once that is done. references: searchers
    that meet the gauntlet likewise.
    """

    name: str
    budgets: Sequence[float]
    openings: str
    tuning: Sequence[str]
    gauntlet: Sequence[str]
    references: Sequence[str]


@dataclass(frozen=True)
class Family:
    """Learners of one kind, which differ in options.

    learner: an agent's name. player: the entry that plays, `{}` where the learner stands. games: all if there
    are none. plugin: the folder of the plugin that has the learner, where arena does not. most: episodes
    after which there is nothing more to learn, None without such an end. fixed: options of the learner.
    space, playing: the values of options that are tuned, of the learner and of the player, the first as it is
    by default.
    """

    name: str
    learner: str
    player: str = "{}"
    games: Sequence[str] = ()
    plugin: str = ""
    most: int | None = None
    fixed: Configuration = field(default_factory=dict)
    space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    playing: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def installed(self) -> bool:
        return self.learner in registry().offers["agent"]

    def configurations(self, count: int, seed: int) -> list[Configuration]:
        """So many different ones, or all where there are fewer: the default, then others drawn."""
        values = {**self.space, **self.playing}
        drawn = random.Random(f"{seed} {self.name}")
        found = [{name: choices[0] for name, choices in values.items()}]
        while len(found) < min(count, prod(map(len, values.values()))):
            new = {name: drawn.choice(choices) for name, choices in values.items()}
            if new not in found:
                found.append(new)
        return found

    def learner_entry(self, configuration: Configuration, episodes: int, seed: int) -> str:
        """What is trained."""
        own = {name: value for name, value in configuration.items() if name in self.space}
        return canonical(self.learner, {"episodes": episodes, "seed": seed, **self.fixed, **own})

    def entry(self, configuration: Configuration, episodes: int, seed: int) -> str:
        """What plays."""
        own = {name: value for name, value in configuration.items() if name in self.playing}
        return canonical(self.player.format(self.learner_entry(configuration, episodes, seed)), own)


@dataclass(frozen=True)
class Protocol:
    """All of a file; see there."""

    games: Mapping[str, Game]
    families: Mapping[str, Family]
    seed: int
    configurations: int
    kept: int
    shares: Sequence[float]
    tuning_seeds: Sequence[int]
    seeds: int
    matches: int

    @classmethod
    def read(cls, path: Path) -> Protocol:
        """ArenaError for a family at a game that is not there."""
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        games = {name: Game(name, **facts) for name, facts in told.pop("games").items()}
        families = {facts["name"]: Family(**facts) for facts in told.pop("family")}
        for family in families.values():
            for game in family.games:
                if game not in games:
                    raise ArenaError(
                        f"{path}: {family.name} has the game {game!r}; known: {', '.join(games)}"
                    )
        return cls(games, families, **told)

    def at(self, game: str) -> list[Family]:
        """The families that learn a game."""
        return [family for family in self.families.values() if game in (family.games or self.games)]

    def configurations_of(self, family: Family) -> list[Configuration]:
        return family.configurations(self.configurations, self.seed)


def canonical(entry: str, options: Configuration) -> str:
    """An entry with these options besides, as arena names it; those left out that are as by default."""
    more = ",".join(f"{name}={bracketed(value)}" for name, value in options.items())
    joint = "," if ":" in entry else ":"
    return registry().spec("agent", f"{entry}{joint}{more}" if more else entry).text


def bracketed(value: Any) -> str:
    """An option's value as an entry has it."""
    text = format_value(tuple(value) if isinstance(value, list) else value)
    return f"({text})" if set(text) & set(":,=") else text

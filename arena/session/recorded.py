"""`arena.tournaments`: the tournaments that a database holds, listed, shown, removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from arena.matches.recorder import sole_player
from arena.report.shown import Grid, Part
from arena.report.table import match_grid, pairings_markdown
from arena.results.code import tags
from arena.session.faults import faults
from arena.session.results import Listing, Tournament
from arena.session.tournaments import rated
from arena.storage import database
from arena.storage.database import DATABASE, Store

__all__ = ("facts_of", "faults", "list", "remove", "show")  # for callers


class Recorded(Tournament):
    """A tournament as it is recorded: its settings, and how every pairing went."""

    def parts(self) -> Iterator[Part]:
        played = "" if self.exact else f", {self.played:,} of {self.planned:,} matches"
        yield f"Tournament {self.number}: {self.game}, {state(self.exact, self.ended)}{played}"
        yield f"  begun: {self.begun}"
        for name, value in self.settings.items():
            if name != "published":
                yield f"  {name}: {value if isinstance(value, str | None) else joined(value)}"
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        yield f"  versions: {versions}; rules {self.rules}"
        short = tags([self.code, *self.codes.values()])
        codes = ", ".join(f"{name} {short[code]}" for name, code in self.codes.items())
        yield f"  code: {self.game} {short[self.code]}; {codes}"
        yield match_grid(self.rows())

    def remarks(self) -> Any:
        """None: it is shown as it is recorded."""
        return []

    def rows(self) -> Any:
        """A dictionary for each pairing."""
        return [row.to_dict() for row in self.pairings]

    def to_dicts(self) -> Any:
        """A dictionary for each pairing."""
        return self.rows()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.facts(), "pairings": self.rows()}

    def markdown(self) -> str:
        """The pairings as a Markdown table."""
        return pairings_markdown(self.rows())


def list(db: str | Path = DATABASE) -> Listing[database.Tournament]:
    """All tournaments in a database, in the order they were begun."""
    with closing(Store(db)) as store:
        found = store.tournaments()
    rows = [
        [str(t.id), t.game, t.format, t.created, state(t.exact, t.finished), str(t.seed), *counts(t)]
        for t in found
    ]
    grid = Grid(["#", "game", "format", "begun", "", "seed", "played", "planned"], rows, left=5)
    return Listing(found, grid, [facts(t) for t in found])


def show(number: int, db: str | Path = DATABASE) -> Recorded:
    """A tournament's settings, and how every pairing went, from either seat, or ArenaError."""
    with closing(Store(db)) as store:
        found = rated(store, number)
    return Recorded(**{field.name: getattr(found, field.name) for field in fields(found)})


def facts_of(number: int, db: str | Path = DATABASE) -> dict[str, Any]:
    """What is known of a tournament without its results, or ArenaError."""
    with closing(Store(db)) as store:
        return facts(store.tournament(number))


def remove(number: int, db: str | Path = DATABASE) -> int:
    """Remove a tournament with all its matches; how many these were. ArenaError while it is played."""
    with closing(Store(db)):  # which must be there
        pass
    with closing(Store(db, write=True)) as store:
        found = store.tournament(number)
        with sole_player(str(db), number):
            store.remove(number)
    return found.played


def counts(t: database.Tournament) -> Any:
    """How many matches were played and planned, nothing of a tournament that was evaluated."""
    return ["", ""] if t.exact else [f"{t.played:,}", f"{t.planned:,}"]


def state(exact: bool, ended: str | None) -> str:
    if exact:
        return "exact"
    return "finished" if ended else "unfinished"


def joined(value: Any) -> str:
    if isinstance(value, Mapping):
        value = [f"{name} ({told})" for name, told in value.items()]
    return ", ".join(value) if hasattr(value, "__iter__") else str(value)


def facts(t: database.Tournament) -> dict[str, Any]:
    """A tournament's row, for JSON."""
    return {
        "tournament": t.id,
        "game": t.game,
        "format": t.format,
        "seed": t.seed,
        "created": t.created,
        "finished": t.finished,
        "played": t.played,
        "planned": t.planned,
        "versions": t.versions,
        "rules": t.rules,
        "code": t.code,
        "codes": t.codes,
        "settings": t.settings,
    }

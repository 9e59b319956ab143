"""The functions of `arena.tournaments`: list, show and remove the tournaments in a database."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from arena.calls.results import Listing, Tournament, Usage, as_recorded, unusual
from arena.calls.results.figures import TournamentKind
from arena.calls.results.frames import PAIRINGS, pairing_rows
from arena.commands.tournament.call import rated
from arena.commands.tournaments.export import export
from arena.commands.tournaments.faults import faults
from arena.commands.tournaments.metadata import metadata
from arena.results.record import plain, tags
from arena.rng import seed_text
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.pooled_seeds import pooled
from arena.show.presentation import Part
from arena.show.table import crosstable, match_grid, pairings_markdown
from arena.storage import database
from arena.storage.database import DATABASE, Store
from arena.texts import argument, call, either

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ("export", "facts_of", "faults", "list", "metadata", "remove", "show", "usage")  # public

TOURNAMENTS: Columns = {
    "number": Column(int, "Number of the tournament."),
    "game": Column(str, "The game."),
    "format": Column(str, "The tournament format."),
    "created": Column(str, "Time of the start, in UTC."),
    "finished": Column(str, "Time of the end; missing if it has not ended."),
    "exact": Column(bool, "Whether it was evaluated exactly."),
    "played": Column(int, "Number of matches played."),
    "planned": Column(int, "Number of matches planned."),
}
USAGE: Columns = {
    "match": Column(int, "Number of the match."),
    "ply": Column(int, "Number of the ply, from 1."),
    "entry": Column(str, "The entry that moved."),
    "what": Column(str, "The resource used, as named by the entry."),
    "amount": Column(float, "The amount used, as reported by the entry."),
}
SUMS = 8  # maximum number of amounts shown of an entry's usage


@dataclass(frozen=True, repr=False)
class Recorded(Tournament):
    """A recorded tournament: its settings, and the results of its pairings.

    Attributes:
        seats: Whether to show pairings by seat instead of a crosstable.
    """

    frame_columns = PAIRINGS

    seats: bool = False

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        played = "" if self.exact else f", {self.played:,} of {self.planned:,} matches"
        yield f"Tournament {self.number}: {self.game}, {state(self.exact, self.ended)}{played}"
        yield f"  begun: {self.begun}"
        for name, value in self.settings.items():
            if name == "book":
                yield f"  {name}: {len(value):,} lines"
            elif name == "seeds":
                yield f"  {name}: {', '.join(value)}"
            elif name == "stages":
                yield f"  {name}: {len(value):,} of pairings that were missing"
            elif name != "published":
                yield f"  {name}: {value if isinstance(value, str | None) else joined(value)}"
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        yield f"  versions: {versions}; rules {self.rules}"
        short = tags([self.code, *self.codes.values()])
        codes = ", ".join(f"{name} {short[code]}" for name, code in self.codes.items())
        yield f"  code: {self.game} {short[self.code]}; {codes}"
        for name, usage in self.usage.items():
            yield f"  usage: {self.names.get(name, name)} {sums(usage)}"
        names = self.leaderboard.played
        if self.seats or self.exact or len(names) < 3 or "published" in self.settings:
            yield match_grid(self.rows()).with_names(self.leaderboard.names)
        else:
            entered = {one: name for name, each in self.settings.get("seeds", {}).items() for one in each}
            found = [
                {**row, **{seat: entered.get(row[seat], row[seat]) for seat in ("first", "second")}}
                for row in self.rows()
            ]
            yield crosstable(names, found).with_names(self.leaderboard.names)
            seats = argument("seats", True)
            yield f"Scores in percent over both seats; {seats} shows each seat separately."

    def remarks(self) -> builtins.list[str]:
        """Return no warnings, since the tournament is only shown as recorded."""
        return []

    def hints(self) -> builtins.list[str]:
        """Return the commands or functions that show more details."""
        db = unusual(self.db)
        faults = either(
            call("tournaments show", self.number, faults=True, db=db),
            call("tournaments faults", self.number, db=db),
        )
        told = [f"'{call('leaderboard', tournament=self.number, db=db)}' shows its table."]
        return [*told, *([f"'{faults}' says why matches were forfeited."] if self.forfeits else [])]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of the data frame: the results of each pairing."""
        return [*pairing_rows(self.pairings)]

    def to_frame(self, of: Literal["leaderboard", "pairings"] = "pairings") -> DataFrame:
        """Return the pairings by seat, or the leaderboard, as a data frame; see `arena.Tournament`."""
        return super().to_frame(of)

    def to_markdown(self) -> str:
        """Return the pairings as a table in Markdown, as `markdown` does."""
        return self.markdown()

    def plot(
        self, kind: TournamentKind = "crosstable", *, cost: str | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw the crosstable, or another figure; see `arena.Tournament`."""
        return super().plot(kind, cost=cost, ax=ax)

    def rows(self) -> builtins.list[dict[str, object]]:
        """Return a dictionary for each pairing."""
        return [row.to_dict() for row in self.pairings]

    def to_dicts(self) -> builtins.list[dict[str, object]]:
        """Return a dictionary for each pairing."""
        return self.rows()

    def to_dict(self) -> dict[str, object]:
        """Return the tournament as a dictionary for JSON."""
        usage = {name: asdict(found) for name, found in self.usage.items()}
        return {**self.facts(), "pairings": self.rows(), **({"usage": usage} if usage else {})}

    def markdown(self) -> str:
        """Return the pairings as a Markdown table, with the seeds of a learner pooled.

        If `seats` is set, the seeds are not pooled.
        """
        seeds = {} if self.seats else self.settings.get("seeds") or {}
        return pairings_markdown(pooled(self.rows(), seeds))


@dataclass(frozen=True)
class MoveUsage:
    """Resources that a move used, as reported by the entry.

    Attributes:
        match: Number of the match.
        ply: Number of the ply, from 1.
        entry: The entry.
        amounts: Amounts used, by name of the resource.
    """

    match: int
    ply: int
    entry: str
    amounts: Mapping[str, float]


def list(db: str | Path = DATABASE) -> Listing[database.Tournament]:
    """Return all tournaments in a database, in the order in which they began."""
    with closing(Store(db)) as store:
        found = store.tournaments()
    rows = [
        [str(t.id), t.game, t.format, t.created, state(t.exact, t.finished), seed_text(t.seed), *counts(t)]
        for t in found
    ]
    columns = ["#", "game", "format", "begun", "", "seed", "played", "planned"]
    grid = Grid(columns, rows, left=5, spare=("seed", "format", "planned", "begun"))
    frame = [{**as_recorded(t), "number": t.id, "exact": t.exact} for t in found]
    return Listing(found, grid, [as_recorded(t) for t in found], TOURNAMENTS, frame)


def show(number: int | None = None, db: str | Path = DATABASE, *, seats: bool = False) -> Recorded:
    """Return a tournament's settings and the results of its pairings.

    Args:
        number: Number of the tournament. Default: the newest.
        db: Path of the database.
        seats: Show every pairing by seat instead of a crosstable.

    Raises:
        ArenaError: If there is no such tournament.
    """
    with closing(Store(db)) as store:
        found = rated(store, store.tournament(number).id)
    return Recorded(**{field.name: getattr(found, field.name) for field in fields(found)}, seats=seats)


def usage(number: int | None = None, db: str | Path = DATABASE) -> Listing[MoveUsage]:
    """Return the resources that each move of a tournament used, in the order of the schedule.

    Only moves of entries that report them are included.

    Args:
        number: Number of the tournament. Default: the newest.
        db: Path of the database.

    Raises:
        ArenaError: If there is no such tournament.
    """
    with closing(Store(db)) as store:
        found = store.tournament(number)
        rows = store.usage_by_move(found.id)
    moves = [
        MoveUsage(match, ply, entry, {name: plain(amount) for *_, name, amount in group})
        for (match, ply, entry), group in groupby(rows, key=lambda row: row[:3])
    ]
    grid = Grid(
        ["match", "ply", "entry", "usage"],
        [[str(move.match), str(move.ply), move.entry, amounts(move.amounts)] for move in moves],
        left=4,
    ).with_names(found.settings.names or {})
    frame = [
        {**asdict(move), "amount": amount, "what": what}
        for move in moves
        for what, amount in move.amounts.items()
    ]
    return Listing(moves, grid, [asdict(move) for move in moves], USAGE, frame)


def facts_of(number: int, db: str | Path = DATABASE) -> dict[str, object]:
    """Return the settings and facts of a recorded tournament, without its results.

    The recorded sums over its matches are not checked, so that a tournament with wrong sums can be removed.

    Raises:
        ArenaError: If there is no such tournament.
    """
    with closing(Store(db, any_sums=True)) as store:
        return as_recorded(store.tournament(number))


def remove(number: int, db: str | Path = DATABASE) -> int:
    """Remove a tournament with all its matches, and return the number of matches.

    Raises:
        ArenaError: If there is no such tournament, or it is being played.
    """
    from arena.matches.event import sole_player  # imported only if needed, to save time

    with closing(Store(db)):  # raises if it does not exist
        pass
    with closing(Store(db, write=True, any_sums=True)) as store:
        found = store.tournament(number)
        with sole_player(str(db), found.id):
            store.remove(found.id)
    return found.played


def counts(t: database.Tournament) -> builtins.list[str]:
    """Return the numbers of matches played and planned as text; empty texts for an exact tournament."""
    return ["", ""] if t.exact else [f"{t.played:,}", f"{t.planned:,}"]


def sums(usage: Usage) -> str:
    """Return the sums of usage as text, such as `prompt_tokens 812, tries 24, in 24 moves`."""
    more = ", …" if len(usage.sums) > SUMS else ""
    of = f"{usage.moves:,} move{'s' * (usage.moves != 1)}"
    return f"{amounts(dict(islice(usage.sums.items(), SUMS)))}{more}, in {of}"


def amounts(found: Mapping[str, float]) -> str:
    """Return amounts as text, such as `prompt_tokens 812, tries 24`."""
    return ", ".join(f"{name} {amount:,.12g}" for name, amount in found.items())


def state(exact: bool, ended: str | None) -> str:
    if exact:
        return "exact"
    return "finished" if ended else "unfinished"


def joined(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ({told})" for name, told in value.items())
    return ", ".join(map(str, value)) if isinstance(value, Sequence) else str(value)

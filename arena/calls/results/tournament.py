"""A recorded tournament, finished or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from arena.calls.results.figures import KINDS, TournamentKind, crosstable, leaderboard_figure
from arena.calls.results.frames import LEADERBOARD, pairing_columns, pairing_rows
from arena.calls.results.leaderboard import Leaderboard
from arena.calls.results.pairing import (
    ExactPairing,
    Forfeit,
    Pairing,
    all_forfeited,
    fault_lines,
    forfeit_lines,
    pairings_of,
)
from arena.ratings import leaderboard as ratings
from arena.results.record import READINGS, plain
from arena.results.settings import LACKING
from arena.rng import seed_in_json, seed_text
from arena.show.figures import kind_of
from arena.show.frame import frame_of
from arena.show.presentation import Part, Shown
from arena.storage import database
from arena.storage.database import DATABASE
from arena.texts import call, either

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


@dataclass(frozen=True)
class Usage:
    """Resources used by the moves of an entry, as reported by the entry.

    Attributes:
        moves: Number of moves for which it reported resources.
        sums: Sums over these moves, by name.
    """

    moves: int
    sums: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Tournament(Shown):
    """A recorded tournament, finished or not: its plan, the results of pairings, and the leaderboard.

    Attributes:
        number: Number under which it is recorded.
        game: The game.
        seed: Seed of the random numbers.
        db: Path of the database.
        played: Number of matches played.
        planned: Number of matches planned.
        begun: Start time.
        ended: End time; None while it is not finished.
        settings: Settings, by name.
        versions: Versions of Python and of distributions.
        rules: Digest of the game's own modules.
        code: Digest of the game's code; `unknown` if none is recorded.
        codes: Digest of each entry's code, by entry; `unknown` if none is recorded.
        pairings: Results by pairing.
        leaderboard: The leaderboard.
        forfeits: Matches that were forfeited.
        faults: For exact results, why entries forfeit in some position, by entry.
        usage: Resources used by moves, by entry, for entries that report them.
        notes: Remarks on the outcome by the format.
    """

    frame_columns = LEADERBOARD

    number: int
    game: str
    seed: int
    db: str
    played: int
    planned: int
    begun: str
    ended: str | None
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    rules: str
    code: str
    codes: Mapping[str, str]
    pairings: Sequence[Pairing | ExactPairing]
    leaderboard: Leaderboard
    forfeits: list[Forfeit]
    faults: Mapping[str, str]
    usage: Mapping[str, Usage]
    notes: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        store: database.Store,
        t: database.Tournament,
        board: ratings.Leaderboard,
        notes: Sequence[str] = (),
    ) -> Tournament:
        """Return a tournament as recorded in a database."""
        places = {match: story.place for match, _, story in store.stories(t.id)}
        forfeits = [Forfeit(*found, places.get(found[1], "")) for found in store.forfeits(t.id)]
        perfect = store.against_perfect(t.id)
        faults = {name: found.fault for name, found in perfect.items() if found.fault}
        usage = {
            name: Usage(moves, {what: plain(sum) for what, sum in sums.items() if what not in READINGS})
            for name, (moves, sums) in store.usage(t.id).items()
        }
        return cls(
            number=t.id,
            game=t.game,
            seed=t.seed,
            db=store.path,
            played=t.played,
            planned=t.planned,
            begun=t.created,
            ended=t.finished,
            settings=t.as_stated,
            versions=t.versions,
            rules=t.rules,
            code=t.code,
            codes=t.codes,
            pairings=pairings_of(store, t),
            leaderboard=Leaderboard.of(board),
            forfeits=forfeits,
            faults=faults,
            usage=usage,
            notes=notes,
        )

    @property
    def names(self) -> Mapping[str, str]:
        """The short names of entries that have one, by entry."""
        return self.settings.get("names") or {}

    @property
    def exact(self) -> bool:
        """True if the scores are exact expected values and no matches were played."""
        return bool(self.settings.get("exact"))

    @property
    def finished(self) -> bool:
        """True once all planned matches have been played; always True for exact results."""
        return self.exact or self.played == self.planned

    @property
    def forfeited(self) -> bool:
        """True if every match was, or would be, forfeited; the scores are then meaningless."""
        return all_forfeited(self.pairings, self.forfeits)

    def remarks(self) -> list[str]:
        """Return a line for each entry that is left out or forfeits, with its first forfeit."""
        return [*left_out_lines(self.settings.get("left_out")), *self.failures()]

    def failures(self) -> list[str]:
        """Return a line for each entry that forfeits, with its first forfeit."""
        return [*forfeit_lines(self.forfeits, self.names), *fault_lines(self.faults, self.names)]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        how = "evaluated exactly" if self.exact else f"{self.played:,} matches, seed {seed_text(self.seed)}"
        yield f"Tournament {self.number}: {self.game}, {how}, in {self.db}"
        yield from self.leaderboard.parts()
        yield from self.notes

    def hints(self) -> list[str]:
        """Return an explanation of the columns, and calls that show more."""
        db = unusual(self.db)
        show = call("tournaments show", self.number, db=db)
        faults = either(f"{show} --faults", call("tournaments faults", self.number, db=db))
        more = f", '{faults}' why matches were forfeited" if self.forfeits else ""
        return [*self.leaderboard.hints(), f"'{show}' shows who beat whom{more}."]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of its leaderboard."""
        return self.leaderboard.frame_rows()

    def to_frame(self, of: Literal["leaderboard", "pairings"] = "leaderboard") -> DataFrame:
        """Return its leaderboard, or the results of pairings by seat, as a data frame.

        Args:
            of: The contents of the frame, "leaderboard" or "pairings".

        Raises:
            ArenaError: If `of` is neither, or pandas is not installed.
        """
        if kind_of(of, ("leaderboard", "pairings"), "a tournament's frame") == "leaderboard":
            return self.leaderboard.to_frame()
        return frame_of(pairing_columns(self.pairings), [*pairing_rows(self.pairings)])

    def to_markdown(self) -> str:
        """Return its leaderboard as a Markdown table with its notes."""
        return self.leaderboard.to_markdown()

    def plot(
        self, kind: TournamentKind = "ratings", *, cost: str | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw the tournament.

        Args:
            kind: "crosstable", the scores of all entries against each other, or a kind of `Leaderboard.plot`.
            cost: As in `Leaderboard.plot`.
            ax: Matplotlib axes to draw on. Default: those of a new figure.

        Raises:
            ArenaError: As in `Leaderboard.plot`.
        """
        kind_of(kind, (*KINDS, "crosstable"), "a tournament")
        if kind == "crosstable":
            return crosstable(self.pairings, self.leaderboard, ax=ax)
        return leaderboard_figure(self.leaderboard, kind, cost=cost, ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows of its leaderboard."""
        return self.leaderboard.to_dicts()

    def facts(self) -> dict[str, object]:
        """Return its plan and state without results, for JSON."""
        return {
            "tournament": self.number,
            "game": self.game,
            "format": self.settings["format"],
            "seed": seed_in_json(self.seed),
            "created": self.begun,
            "finished": self.ended,
            "played": self.played,
            "planned": self.planned,
            "versions": dict(self.versions),
            "rules": self.rules,
            "code": self.code,
            "codes": dict(self.codes),
            "settings": dict(self.settings),
        }

    def to_dict(self) -> dict[str, object]:
        """Return the tournament with its results as a dictionary for JSON."""
        pairings = [row.to_dict() for row in self.pairings]
        notes = [*self.leaderboard.notes, *self.notes]
        rated = replace(self.leaderboard, unrated=())
        unrated = [asdict(one) for one in self.leaderboard.unrated]
        board = {"leaderboard": rated.to_dicts(), "unrated": unrated, "notes": notes}
        return {**self.facts(), "pairings": pairings, **board}


def unusual(db: str) -> str | None:
    """Return the path of a database as the argument of a call; None for the default database."""
    return None if db == DATABASE else db


def resuming(number: int, db: str | None) -> str:
    """Return the call that continues a tournament."""
    return either(call("tournament", resume=number, db=db), call("resume", number, db=db))


def as_recorded(t: database.Tournament) -> dict[str, object]:
    """Return the database row of a tournament as a dictionary for JSON."""
    return {
        "tournament": t.id,
        "game": t.game,
        "format": t.format,
        "seed": seed_in_json(t.seed),
        "created": t.created,
        "finished": t.finished,
        "played": t.played,
        "planned": t.planned,
        "versions": t.versions,
        "rules": t.rules,
        "code": t.code,
        "codes": t.codes,
        "settings": t.as_stated,
    }


def left_out_lines(left_out: Mapping[str, str] | None) -> list[str]:
    """Return a line for each entry left out, and one for all entries that need a missing capability."""
    needs = {name: why for name, why in (left_out or {}).items() if why.endswith(LACKING)}
    lines = [f"{name} is left out: {why}" for name, why in (left_out or {}).items() if name not in needs]
    if needs:
        said = "; ".join(f"{name} {why.removesuffix(LACKING)}" for name, why in needs.items())
        lines.append(f"left out: {said}{LACKING}")
    return lines

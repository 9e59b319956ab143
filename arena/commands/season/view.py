"""The contents of a season's database, arranged for display."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from arena.commands.season.roster import News, Roster, State, roster_of
from arena.errors import ArenaError, did_you_mean
from arena.results.record import UNKNOWN_CODE
from arena.results.tally import Counts
from arena.storage import season as records
from arena.storage.database import Store, Tournament
from arena.storage.season import Event, Player, RatedVersion, Season, Step, Update, Version
from arena.texts import call

OfUpdate = TypeVar("OfUpdate", Event, Step)
SAID = {  # wording of events, in the order in which they are listed
    "out": "Withdrawn until its code changes",
    "broken": "Cannot be loaded",
    "unable": "Cannot play",
    "mended": "Can be loaded again",
    "changed": "Changed",
    "alike": "Edited, but plays as before",
    "reverted": "Back to an old version",
    "new": "New",
    "back": "Back",
    "gone": "Gone",
}
ENTERS = ("new", "changed", "reverted", "back", "mended")  # events with the version that plays afterwards
ORDER = ("plays", "broken", "out", "unable", "gone")


@dataclass(frozen=True)
class SeasonRow:
    """A player in the standings of a season.

    Attributes:
        player: Name of the player.
        status: "plays"; "broken" if its current file cannot play, so that its last version continues; "out"
            if it failed too often; "unable" if it cannot play the game; "gone" if its file was removed.
        why: Why it does not play, in words; empty if it does.
        baseline: Whether it is a baseline.
        rank: Rank among the players that play and are rated; None for others.
        best_rank: Best possible rank, with 95 % confidence for all players together; None if unknown.
        worst_rank: Worst possible rank, likewise; None if unknown.
        version: Number of its newest version that could be loaded; None without one.
        rating: Rating of this version in Elo points; None if it is not rated.
        low: Lower end of its 95 % interval; None if open.
        high: Upper end of its 95 % interval; None if open.
        matches: Number of matches that the rating is based on.
        step: Rating difference from the previous version, if the version was new in the last update.
        since: Time at which the version was entered, in ISO 8601 and UTC.
    """

    player: str
    status: str
    why: str
    baseline: bool
    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    version: int | None
    rating: float | None
    low: float | None
    high: float | None
    matches: float
    step: Step | None
    since: str

    @property
    def ranks(self) -> str:
        """The rank as text: `1`, or a range of plausible ranks such as `1–3`; empty without a rank."""
        if self.best_rank is None or self.worst_rank is None:
            return "" if self.rank is None else str(self.rank)
        if self.best_rank == self.worst_rank:
            return str(self.best_rank)
        return f"{self.best_rank}–{self.worst_rank}"


class SeasonView:
    """A season as recorded in a database, after its last update."""

    def __init__(self, store: Store, season: Season, news: News | None = None) -> None:
        """Read the season.

        Args:
            store: The database.
            season: The season.
            news: News that is not recorded yet.
        """
        more = news or News((), (), ())
        self.store, self.season = store, season
        self.settings: Mapping[str, Any] = season.settings
        self.players: Sequence[Player] = [*records.players(store), *more.players]
        self.versions: Sequence[Version] = [*records.versions(store), *more.versions]
        self.events: Sequence[Event] = [*records.events(store), *more.events]
        self.updates: Sequence[Update] = records.updates(store)
        self.ratings: Sequence[RatedVersion] = records.ratings(store)
        self.steps: Sequence[Step] = records.steps(store)

    @classmethod
    def of(cls, store: Store) -> SeasonView:
        """Return the season of a database, or raise ArenaError if the database has no season."""
        season = records.read_season(store)
        if season is None:
            again = call("season", "FOLDER", db=store.path)
            raise ArenaError(f"{store.path} has no season; begin one: {again}")
        return cls(store, season)

    @property
    def title(self) -> str:
        """The title of the season, which is the game."""
        return f"{self.season.game}"

    @cached_property
    def rules(self) -> str:
        """The digest of the rules under which the last update was played."""
        played = [one.tournament for one in self.updates if one.tournament is not None]
        return self.store.tournament(played[-1]).code if played else UNKNOWN_CODE

    @cached_property
    def tournaments(self) -> list[Tournament]:
        """The tournaments with matches of the game under the rules of the last update."""
        found = self.store.tournaments("game = ? AND code = ?", (self.season.game, self.rules))
        return [t for t in found if not t.exact]

    @cached_property
    def roster(self) -> Roster:
        """The players and their states."""
        failed = records.failures(self.store, self.season.game, self.rules)
        most = int(self.settings["forfeits"])
        return roster_of(self.players, self.versions, self.events, failed, most)

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of players, by id."""
        return {state.player.id: name for name, state in self.roster.states.items()}

    @cached_property
    def by_version(self) -> dict[int, RatedVersion]:
        """The last rating of each version that is not withdrawn, by id."""
        rated = records.latest(self.ratings, self.versions)
        return {id: one for id, one in rated.items() if id not in self.roster.out}

    @cached_property
    def rated_in(self) -> dict[tuple[int, int], RatedVersion]:
        """The recorded ratings by number of the update and id of the version."""
        return {(one.update, one.version): one for one in self.ratings}

    @cached_property
    def events_of(self) -> dict[int, list[Event]]:
        """The events of each update that has any, by number of the update."""
        return grouped(self.events)

    @cached_property
    def steps_of(self) -> dict[int, list[Step]]:
        """The comparisons of versions after each update that has any, by number of the update."""
        return grouped(self.steps)

    @cached_property
    def played(self) -> dict[int, int]:
        """The number of matches of each update with a tournament, by number of the tournament."""
        return {t.id: t.played for t in self.store.tournaments("format = 'season'")}

    @cached_property
    def dates(self) -> dict[int, str]:
        """The times at which updates began, by number."""
        return {one.number: one.begun for one in self.updates}

    @property
    def last(self) -> Update | None:
        """The last update; None if there is none."""
        return self.updates[-1] if self.updates else None

    def state(self, player: str) -> State:
        """Return the state of a player, or raise ArenaError."""
        if player not in self.roster.states:
            raise ArenaError(f"there is no player {player!r}{did_you_mean(player, self.roster.states)}")
        return self.roster.states[player]

    @cached_property
    def rows(self) -> list[SeasonRow]:
        """The players, best first; those that do not play come last."""
        steps = {one.version: one for one in self.steps_of.get(self.last.number, ())} if self.last else {}
        found: list[SeasonRow] = []
        for name, state in self.roster.states.items():
            status, why = self.roster.status(state)
            version = state.version
            rated = self.by_version.get(version.id) if version else None
            found.append(
                SeasonRow(
                    name,
                    status,
                    why,
                    state.player.baseline,
                    None,
                    rated.best if rated else None,
                    rated.worst if rated else None,
                    version.number if version else None,
                    rated.rating if rated else None,
                    rated.low if rated else None,
                    rated.high if rated else None,
                    rated.matches if rated else 0,
                    steps.get(version.id) if version else None,
                    self.dates[version.since] if version else "",
                )
            )
        found.sort(
            key=lambda row: (row.status not in ORDER[:2], row.rating is None, -(row.rating or 0), row.player)
        )
        originals = {one.id: one.original for one in self.versions}
        last = [one for one in self.ratings if one.update == self.ratings[-1].update]
        together = {originals[one.version]: one for one in last}
        if not any(one.best for one in together.values()):  # recorded by an old version without ranges
            return with_ranks([replace(row, best_rank=None, worst_rank=None) for row in found], [], [])
        ranked = (row for row in found if row.status in ORDER[:2] and row.rating is not None)
        playing = {row.player: self.roster.states[row.player].version for row in ranked}
        new = [name for name, one in playing.items() if one and one.original not in together]
        present = {one.original for one in playing.values() if one}
        return with_ranks(found, [one for id, one in together.items() if id not in present], new)

    # --- results --------------------------------------------------------------------------------------

    @cached_property
    def results(self) -> dict[tuple[int, int], Counts]:
        """The results of pairings, by `Version.original` of both players."""
        return records.results(self.store, self.season.game, self.rules, self.versions, unplayed=False)

    @cached_property
    def by_opponent(self) -> dict[int, dict[int, Counts]]:
        """The results of players' current versions against each version over both seats.

        Keys are `Version.original` of the current version and the id of the other one, which is the
        opponent's current version if that plays like it.
        """
        present = {
            state.version.original: state.version.id for state in self.roster.states.values() if state.version
        }
        found: dict[int, dict[int, Counts]] = {}
        for (one, other), counts in self.results.items():
            for a, b, swapped in ((one, other, False), (other, one, True)):
                if a in present:
                    row, own = found.setdefault(a, {}), counts.swapped() if swapped else counts
                    shown = present.get(b, b)
                    row[shown] = row[shown] + own if shown in row else own
        return found

    def called(self, version: int) -> str:
        """Return the name of a version, such as `anna 3`, or `random` for a baseline with one version."""
        one = self.roster.versions[version]
        name = self.names[one.player]
        return (
            name if self.roster.states[name].player.baseline and one.number == 1 else f"{name} {one.number}"
        )

    # --- news -----------------------------------------------------------------------------------------

    def played_as(self, player: str) -> dict[int, int]:
        """Return the id of the version that a player had in each update, by number of the update."""
        id = self.state(player).player.id
        own = {one.update: one.version for one in self.events if one.player == id and one.kind in ENTERS}
        found: dict[int, int] = {}
        version: int | None = None
        for update in self.updates:
            version = own.get(update.number, version)
            if version is not None:
                found[update.number] = version
        return found

    def news(
        self, update: int | None = None, player: str | None = None, detail: int | None = None
    ) -> list[str]:
        """Return what an update found, in sentences.

        Args:
            update: Number of the update. Default: the last.
            player: Name of a player whose news to return. Default: all players.
            detail: Maximum length of messages; 0 for no messages. Default: no limit.
        """
        number = update if update is not None else self.last.number if self.last else 0
        only = None if player is None else self.state(player).player.id
        lines = [*self.step_lines(number, only)]
        events = [one for one in self.events_of.get(number, ()) if only in (None, one.player)]
        stepped = {one.version for one in self.steps_of.get(number, ())}
        for kind, said in SAID.items():
            told = [
                one
                for one in events
                if self.kind_of(one) == kind
                and (kind not in ("changed", "reverted") or one.version not in stepped)
            ]
            details = {one: shortened(one.detail, detail) for one in told}
            if kind == "broken":
                lines += [self.broken_line(one, text) for one, text in details.items()]
                continue
            lines += [f"{said}: {self.about(one)}, {text}" for one, text in details.items() if text]
            if plain := [self.about(one) for one, text in details.items() if not text]:
                lines.append(f"{said}: {', '.join(plain)}")
        return lines

    def broken_line(self, event: Event, detail: str) -> str:
        """Return a sentence about a file that cannot be loaded, and the version that plays instead."""
        before = [
            one.version
            for one in self.events
            if one.player == event.player and one.kind in ENTERS and one.update <= event.update
        ]
        told = f"{SAID['broken']}: {self.names[event.player]}"
        if before and before[-1]:
            told += f"; {self.called(before[-1])} continues to play"
        return f"{told}; {detail}" if detail else told

    def kind_of(self, event: Event) -> str:
        """Return the kind of an event; `alike` if a new version plays exactly like an earlier one."""
        version = self.roster.versions.get(event.version or 0)
        return "alike" if event.kind == "changed" and version and version.same_as else event.kind

    def about(self, event: Event) -> str:
        """Return the subject of an event: its version if it has one, else its player."""
        if not event.version:
            return self.names[event.player]
        version = self.roster.versions[event.version]
        like = f" (like {self.called(version.original)})" if self.kind_of(event) == "alike" else ""
        return f"{self.called(event.version)}{like}"

    def step_lines(self, update: int, player: int | None) -> list[str]:
        """Return a sentence about the rating change of each new version, or of one player's new version."""
        found = [
            one
            for one in self.steps_of.get(update, ())
            if player in (None, self.roster.versions[one.version].player)
        ]
        found.sort(key=lambda one: (not one.sure, -one.difference))
        return [
            f"{self.called(one.version)} {verb(one)} {self.called(one.before)}: {points(one.difference)} "
            f"({interval(one.low, one.high)})"
            for one in found
        ]


def grouped(found: Iterable[OfUpdate]) -> dict[int, list[OfUpdate]]:
    """Group events or comparisons by the number of their update."""
    by_update: dict[int, list[OfUpdate]] = {}
    for one in found:
        by_update.setdefault(one.update, []).append(one)
    return by_update


def with_ranks(
    rows: Sequence[SeasonRow], gone: Sequence[RatedVersion], new: Sequence[str]
) -> list[SeasonRow]:
    """Return the rows with ranks added for players that play and are rated.

    Ranges of ranks are adjusted to the players that play. A version that no longer plays is assumed to have
    been above all players whose range begins later than its own, and below all whose range ends earlier.

    Args:
        rows: The players, best first, with ranges of ranks among the versions last rated.
        gone: Versions that were rated together with these, but do not play.
        new: Names of players that play, but were not rated together with these.
    """
    ranked = [row for row in rows if row.status in ORDER[:2] and row.rating is not None]
    found = list[SeasonRow]()
    for rank, row in enumerate(ranked, 1):
        best, worst = row.best_rank, row.worst_rank
        if row.player in new:
            best, worst = 1, len(ranked)
        elif best is not None and worst is not None:
            best -= sum(one.best is not None and one.best < best for one in gone)
            worst -= sum(one.worst is not None and one.worst <= worst for one in gone)
            best, worst = max(best, 1), min(worst + len(new), len(ranked))
        found.append(replace(row, rank=rank, best_rank=best, worst_rank=worst))
    others = (row for row in rows if row.status not in ORDER[:2] or row.rating is None)
    return [*found, *(replace(row, best_rank=None, worst_rank=None) for row in others)]


def shortened(text: str, most: int | None) -> str:
    """Return a text shortened to `most` characters, or in full if `most` is None."""
    return text if most is None or len(text) <= most else text[: max(most - 1, 0)] + "…" * (most > 0)


def verb(step: Step) -> str:
    """Return a verb phrase that compares a version with its previous version.

    A difference whose interval excludes 0 may still be due to chance among all comparisons of a season.
    """
    if step.sure:
        return "rose above" if step.difference > 0 else "fell below"
    if step.low is not None and step.low > 0:
        return "seems better than"
    if step.high is not None and step.high < 0:
        return "seems worse than"
    return "is not significantly better or worse than"


def points(value: float) -> str:
    """Return a difference in Elo points with its sign, such as `+85` or `−12`."""
    return f"{value:+.0f}".replace("-", "−")


def interval(low: float | None, high: float | None) -> str:
    """Return the 95 % interval of a difference in words."""
    if low is None and high is None:
        return "95 % open"
    if low is None or high is None:
        return f"95 % up to {points(high)}" if high is not None else f"95 % from {points(low or 0)}"
    return f"95 % from {points(low)} to {points(high)}"

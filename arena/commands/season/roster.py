"""The players of a season: the state of each, and the changes since the last update."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.commands.season.folder import Found, likeness
from arena.storage.season import Event, Player, Update, Version

FAULTY = ("illegal move", "crash", "clock", "stall")


@dataclass
class State:
    """The state of a player.

    Attributes:
        player: The player.
        version: The version that plays; None before the first.
        before: The version that played before the last change; None before the first change.
        gone: Whether its file no longer exists.
        broken: Why its current file cannot play; empty if it can.
        unable: Reasons why versions cannot play, by id of the version.
    """

    player: Player
    version: Version | None = None
    before: Version | None = None
    gone: bool = False
    broken: str = ""
    unable: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Roster:
    """The players of a season and their states.

    Attributes:
        states: The state of each player, by name, in the order in which they were entered.
        versions: All versions, by id.
        out: Reasons why versions are withdrawn, by id.
    """

    states: Mapping[str, State]
    versions: Mapping[int, Version]
    out: Mapping[int, str]

    def status(self, state: State) -> tuple[str, str]:
        """Return the status of a player (`plays`, `broken`, `out`, `unable` or `gone`), and the reason."""
        version = state.version
        if state.gone:
            return "gone", ""
        if version and version.id in self.out:
            return "out", self.out[version.id]
        if version and version.id in state.unable:
            return "unable", state.unable[version.id]
        if state.broken:
            return "broken", state.broken
        return "plays", ""

    def playing(self) -> list[Version]:
        """Return the versions that play, baselines first, then in the order in which players were entered.

        If a player's current file is broken, its last version continues to play.
        """
        states = sorted(self.states.values(), key=lambda state: (not state.player.baseline, state.player.id))
        return [
            state.version
            for state in states
            if state.version and self.status(state)[0] in ("plays", "broken")
        ]


def roster_of(
    players: Sequence[Player],
    versions: Sequence[Version],
    events: Iterable[Event],
    failed: Mapping[tuple[str, str], Mapping[str, int]],
    most: int,
) -> Roster:
    """Return the roster that results from all events.

    Args:
        players: All players.
        versions: All versions.
        events: All events, in the order of updates.
        failed: Numbers of forfeited matches by reason, by entry and code.
        most: Number of forfeits after which a version is withdrawn.
    """
    states = {player.id: State(player) for player in players}
    by_id = {version.id: version for version in versions}
    for event in events:
        state = states[event.player]
        version = by_id.get(event.version or 0)
        if event.kind in ("new", "changed", "reverted", "back", "mended"):
            if event.kind in ("changed", "reverted") or state.version is None:
                state.before = state.version
            state.version, state.gone, state.broken = version or state.version, False, ""
        elif event.kind == "gone":
            state.gone = True
        elif event.kind == "broken":
            state.broken, state.gone = event.detail, False
        elif event.kind == "unable" and version:
            state.unable[version.id] = event.detail
    times: dict[int, Counter[str]] = {}
    for one in versions:
        times.setdefault(one.original, Counter()).update(failed.get((one.entry, one.code), {}))
    out = {one.id: why for one in versions if (why := out_for(times[one.original], most))}
    return Roster({state.player.name: state for state in states.values()}, by_id, out)


def out_for(times: Mapping[str, int], most: int) -> str:
    """Return why a version is withdrawn; "" if it is not. times: its number of forfeits by reason."""
    if not times or (sum(times.values()) < most and "stall" not in times):
        return ""
    return "forfeited " + ", ".join(f"{times[why]} by {why}" for why in FAULTY if times.get(why))


@dataclass(frozen=True)
class News:
    """The changes that an update finds in the folder.

    Attributes:
        players: New players.
        versions: New versions.
        events: Events, such as `changed` or `gone`.
    """

    players: Sequence[Player]
    versions: Sequence[Version]
    events: Sequence[Event]


def news_of(roster: Roster, found: Sequence[Found], baselines: Sequence[Found], update: Update) -> News:
    """Compare the players in the folder with the roster, and return what is new, changed or gone.

    Args:
        roster: The players so far.
        found: The players in the folder.
        baselines: The baselines that the settings name.
        update: The update that finds the changes.
    """
    finder = Finder(roster, update.number)
    there = [*((one, True) for one in baselines), *((one, False) for one in without_twins(roster, found))]
    for one, baseline in there:
        finder.take(one, baseline)
    present = {one.player for one, _ in there}
    for name, state in roster.states.items():
        if name not in present and not state.gone:
            finder.add(state.player, "gone", state.version)
    return News(finder.players, finder.versions, finder.events)


class Finder:
    """A comparison of the players in the folder with the roster."""

    def __init__(self, roster: Roster, update: int) -> None:
        self.roster, self.update = roster, update
        self.players: list[Player] = []
        self.versions: list[Version] = []
        self.events: list[Event] = []
        self.next_player = 1 + max((state.player.id for state in roster.states.values()), default=0)
        self.next_version = 1 + max(roster.versions, default=0)

    def add(self, player: Player, kind: str, version: Version | None, detail: str = "") -> None:
        """Add an event."""
        self.events.append(Event(self.update, player.id, kind, version and version.id, detail))

    def take(self, one: Found, baseline: bool) -> None:
        """Compare the file of one player with the player's state in the roster."""
        state = self.roster.states.get(one.player)
        if state is None:
            state = State(Player(self.next_player, one.player, baseline))
            self.players.append(state.player)
            self.next_player += 1
        player, last = state.player, state.version
        if one.problem:
            if one.problem != state.broken or state.gone:
                self.add(player, "broken", None, one.problem)
            return
        version = self.version_of(player, one)
        if last is None:
            self.add(player, "new", version, self.namesake(one))
        elif version.id != last.id:
            self.add(player, "reverted" if version.id in self.roster.versions else "changed", version)
        elif state.gone:
            self.add(player, "back", version)
        elif state.broken:
            self.add(player, "mended", version)

    def version_of(self, player: Player, one: Found) -> Version:
        """Return the player's version with the code found, which is a new one if no version has it."""
        own = [version for version in self.roster.versions.values() if version.player == player.id]
        for version in own:
            if (version.entry, version.code) == (one.entry, one.code):
                return version
        number = 1 + max((version.number for version in own), default=0)
        new = Version(self.next_version, player.id, number, one.entry, one.code, one.file, self.update)
        self.versions.append(new)
        self.next_version += 1
        return new

    def namesake(self, one: Found) -> str:
        """Return a remark if another player has the same code as a new player; "" if none has."""
        for name, state in self.roster.states.items():
            version = state.version
            if version and likeness(version.code, version.file) == one.likeness and not state.player.baseline:
                line = f'# player = "{name}"'
                return f"has the code of {name}; to continue as {name}, write in the file: {line}"
        return ""


def without_twins(roster: Roster, found: Sequence[Found]) -> list[Found]:
    """Return the players in the folder; of several with the same code, only the oldest can play."""

    def age(one: Found) -> tuple[int, str]:
        state = roster.states.get(one.player)
        last = state.version if state and not state.gone else None
        has_it = last and likeness(last.code, last.file) == one.likeness
        return (state.player.id if state and has_it else 1 << 62), one.player

    first: dict[str, Found] = {}
    for one in sorted(found, key=age):
        if one.code:
            first.setdefault(one.likeness, one)
    return [
        one
        if not one.code or first[one.likeness] is one
        else Found(
            one.player,
            one.path,
            problem=f"{one.path} has the same code as {first[one.likeness].path}; remove one",
        )
        for one in found
    ]

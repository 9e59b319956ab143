"""Updates of a season, in which new players and versions from the folder play and are rated."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Set
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event as Stop

from msgspec import structs

from arena.calls.arguments import known_with
from arena.calls.execution import Execution, looked_at, train_first
from arena.commands.season.alike import Comparison
from arena.commands.season.folder import Found, found_in, with_place
from arena.commands.season.pairings import matches_in, missing, needed_for, participants, stages_of
from arena.commands.season.ratings import anchors_of, fitted
from arena.commands.season.roster import News, Roster, news_of, roster_of
from arena.commands.season.settings import SeasonSettings, of_tournament, seed_of
from arena.errors import ArenaError, Stopped
from arena.ledger.ledger import Ledger
from arena.matches.event import begin, reopen, run_recorded
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.registry.digests import code_of
from arena.registry.plugins import Registry, registry
from arena.results.settings import Settings
from arena.storage import season as records
from arena.storage.database import Store, Tournament
from arena.storage.season import Event, RatedVersion, Season, Update, Version
from arena.workers.pools import Pool

DETAIL = 200  # maximum length of the fault in an event `out`


class Deadline(Stop):
    """An event that is also set when another event is set, or from a point in time on."""

    def __init__(self, stop: Stop, due: float) -> None:
        super().__init__()
        self.stop, self.due = stop, due

    def is_set(self) -> bool:
        return super().is_set() or self.stop.is_set() or time.monotonic() >= self.due


@dataclass(frozen=True)
class Preview:
    """A preview of an update.

    Attributes:
        number: Number of the update.
        news: The changes in the folder.
        roster: The players, including the news.
        playing: The versions that play.
        matches: The matches to play, as pairs of indices of `playing`.
        missing: Number of matches that are missing, including those beyond the limit `matches`.
    """

    number: int
    news: News
    roster: Roster
    playing: Sequence[Version]
    matches: Sequence[tuple[int, int]]
    missing: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.news.events and not self.matches


@dataclass(frozen=True)
class Keeper:
    """The keeper of a season, which carries out updates.

    Attributes:
        store: The database.
        season: The season.
        settings: Settings of the season.
        bots: Folder of the players.
        code: Folder with the code of all versions.
        how: How to execute the work.
    """

    store: Store
    season: Season
    settings: SeasonSettings
    bots: Path
    code: Path
    how: Execution

    # --- reading --------------------------------------------------------------------------------------

    @property
    def rules(self) -> str:
        """The digest of the game's code."""
        return code_of(registry().spec("game", self.season.game))

    def roster(self, news: News | None = None) -> Roster:
        """Return the players of the season, including news that is not recorded yet, if passed."""
        more = news or News((), (), ())
        return roster_of(
            [*records.players(self.store), *more.players],
            [*records.versions(self.store), *more.versions],
            [*records.events(self.store), *more.events],
            records.failures(self.store, self.season.game, self.rules),
            self.settings.forfeits,
        )

    def expected(self, roster: Roster, last: Mapping[int, RatedVersion]) -> dict[int, float]:
        """Return the expected ratings of versions, by id: the last one, or that of the previous version."""
        found = {id: rated.rating for id, rated in last.items()}
        for state in roster.states.values():
            if state.version and state.before and state.version.id not in found and state.before.id in found:
                found[state.version.id] = found[state.before.id]
        return found

    def preview(self, code: Path | None = None) -> Preview:
        """Return what the next update would do.

        Args:
            code: The folder for copies of new files. Default: the season's folder of code.
        """
        last = records.updates(self.store)
        number = 1 + (last[-1].number if last else 0)
        roster = self.roster()
        found = found_in(self.bots, self.settings.players, code or self.code, known_files(roster))
        if not found and roster.states:
            raise ArenaError(
                f"there are no players in {self.bots}; put their files there, or name another folder"
            )
        update = Update(number, None, None, "", None, 0.0)
        news = news_of(roster, found, self.baselines(), update)
        return self.planned(number, news, self.roster(news))

    def planned(self, number: int, news: News, roster: Roster) -> Preview:
        """Return the preview of an update with the given news."""
        playing = roster.playing()
        anchors = sum(roster_is_baseline(roster, version) for version in playing)
        counting = {one.original for one in playing}
        versions = [one for one in roster.versions.values() if one.original in counting]
        results = records.results(self.store, self.season.game, self.rules, versions)
        met = {pair: int(counts.matches) for pair, counts in results.items()}
        last = records.latest(records.ratings(self.store), roster.versions.values())
        within, needed = self.settings.within, None
        if within is not None:
            needed = {one.id: needed_for(within, last.get(one.id)) for one in playing}
        wanted = missing(playing, met, self.settings.rounds, anchors, self.expected(roster, last), needed)
        return Preview(number, news, roster, playing, wanted[: self.settings.matches], len(wanted))

    def baselines(self) -> list[Found]:
        """Return the baselines as players.

        Raises:
            ArenaError: If a baseline is not installed, or is named twice.
        """
        found: dict[str, Found] = {}
        for text in self.settings.baselines:
            spec = registry().spec("agent", text)
            if spec.text in found:
                raise ArenaError(f"baselines: {spec.text!r} is named twice; remove one")
            found[spec.text] = Found(spec.text, "", spec.text, code_of(spec))
        return [*found.values()]

    def known(self, versions: Sequence[Version]) -> Registry:
        """Return a registry that includes the files of the given versions."""
        return known_with([with_place(one.entry, one.file, self.code) for one in versions if one.file])

    # --- playing --------------------------------------------------------------------------------------

    def complete_last(self) -> Update | None:
        """Complete the last update if it was interrupted, and return it; None if it was not interrupted.

        An interrupted update without a tournament is discarded, since the next update finds the same changes.
        """
        last = records.updates(self.store)
        if not last or last[-1].ended is not None:
            return None
        update = last[-1]
        if update.tournament is None:
            for left in records.left_behind(self.store):
                self.store.remove(left)
            records.forget_update(self.store, update.number, None)
            return None
        tournament = self.store.tournament(update.tournament)
        roster = self.roster()
        entered = {(name, tournament.codes[name]) for name in tournament.settings.entries or ()}
        playing = [one for one in roster.versions.values() if (one.entry, one.code) in entered]
        known = self.known(playing)
        _, plan = reopen(self.store, update.tournament, known)
        with looked_at(plan, known, self.how, (), ()) as (ready, _):
            self.play(update.number, update.tournament, plan, known, ready.how)
        return self.end(update.number)

    def carry_out(self, preview: Preview) -> Update:
        """Carry out a previewed update."""
        store = self.store
        with store.transaction():
            if records.read_season(store) is None:
                records.begin_season(store, self.season.game, self.season.seed, self.season.settings)
            records.keep_settings(store, structs.asdict(self.settings))
            records.add_update(store, preview.number)
            for player in preview.news.players:
                records.add_player(store, player)
            for version in preview.news.versions:
                records.add_version(store, version)
            records.add_events(store, preview.news.events)
        if preview.matches:
            self.enter_and_play(preview)
        return self.end(preview.number)

    def enter_and_play(self, preview: Preview, compared: Set[int] = frozenset()) -> None:
        """Check and train new entries, begin the tournament of an update, and play it.

        New versions that play exactly like the ones before need no matches, and the others are planned anew.

        Args:
            preview: What to play.
            compared: Ids of the versions that were compared with the ones before.
        """
        who, pairs = participants(preview.matches)
        versions = [preview.playing[i] for i in who]
        known = self.known(versions)
        settings, plan = self.plan(preview.number, versions, pairs, known)
        fresh = [i for i, one in enumerate(versions) if one.since == preview.number]
        with ExitStack() as opened:
            ready, unable = opened.enter_context(looked_at(plan, known, self.how, (), fresh))
            if slow := self.trained(plan, known):
                unable = {**slow, **unable}
            if unable:
                self.note_unable(preview.number, {versions[i]: why for i, why in unable.items()})
                preview = self.planned(preview.number, preview.news, self.roster())
                who, pairs = participants(preview.matches)
                versions = [preview.playing[i] for i in who]
                if not pairs:
                    return
                settings, plan = self.plan(preview.number, versions, pairs, known)
            with nullcontext(ready.pool) if ready.pool else ready.how.opened() as pool:
                alike = self.alike(preview, versions, compared, pool)
            if alike:
                with self.store.transaction():
                    for new, original in alike.items():
                        records.unite(self.store, new, original)
                again = self.planned(preview.number, preview.news, self.roster())
                if again.matches:
                    opened.close()
                    self.enter_and_play(again, compared | {one.id for one in versions})
                return
            number = self.begin(preview.number, settings, plan, known)
            self.play(preview.number, number, plan, known, ready.how)

    def plan(
        self, update: int, versions: Sequence[Version], pairs: Sequence[tuple[int, int]], known: Registry
    ) -> tuple[Settings, Plan]:
        """Return the settings and the plan of an update's tournament."""
        said = structs.replace(
            of_tournament(self.settings, self.season.game, seed_of(self.season.seed, update)),
            entries=[one.entry for one in versions],
            stages=stages_of(pairs),
            isolate=not self.settings.trust and ([one.entry for one in versions if one.file] or None),
        )
        return complete(said, known, trusting=True)

    def alike(
        self, preview: Preview, versions: Sequence[Version], compared: Set[int], pool: Pool
    ) -> dict[int, int]:
        """Return the new versions that play exactly like the ones before, with the `original` of those.

        Versions of programs are not compared, nor versions after one that is withdrawn.
        """
        roster = preview.roster
        states = {state.version.id: state for state in roster.states.values() if state.version}
        tournaments = self.tournaments
        found: dict[int, int] = {}
        for new in versions:
            old = states[new.id].before
            if old is None or old.id in roster.out or new.entry != old.entry or new.same_as:
                continue
            if new.id in compared or any(each.codes.get(new.entry) == new.code for each in tournaments):
                continue
            comparison = Comparison(
                self.store,
                new,
                [one for one in roster.versions.values() if one.original == old.original],
                [*roster.versions.values()],
                tournaments,
                2 * self.settings.rounds * (len(preview.playing) - 1),
                self.known,
            )
            if comparison.holds(pool, self.how):
                found[new.id] = old.original
        return found

    @property
    def tournaments(self) -> list[Tournament]:
        """The tournaments of the season under the current rules."""
        return self.store.tournaments(
            "format = 'season' AND game = ? AND code = ?", (self.season.game, self.rules)
        )

    def trained(self, plan: Plan, known: Registry) -> dict[int, str]:
        """Train learners without models, and return reasons why entries cannot play, by index."""
        slow = train_first(
            plan.entries,
            plan.game,
            known,
            self.how,
            plan.limits.stall_seconds,
            patience=self.settings.training_seconds,
        )
        return {
            i: slow[part.text]
            for i, spec in enumerate(plan.entries)
            for part in spec.walk()
            if part.text in slow
        }

    def note_unable(self, update: int, unable: dict[Version, str]) -> None:
        """Record that some versions cannot play, with the reasons."""
        with self.store.transaction():
            records.add_events(
                self.store,
                [Event(update, one.player, "unable", one.id, why) for one, why in unable.items()],
            )

    def begin(self, update: int, settings: Settings, plan: Plan, known: Registry) -> int:
        """Record the tournament of an update, which has no matches yet, and return its number."""
        number = begin(self.store, settings, plan, known)
        with self.store.transaction():
            records.set_tournament(self.store, update, number)
        return number

    def play(self, update: int, number: int, plan: Plan, known: Registry, how: Execution) -> None:
        """Play the remaining matches of the tournament of an update.

        After the time limit, the matches in progress are completed, and the tournament is shortened to the
        matches that were started.

        Raises:
            Stopped: If the user stops it.
        """
        minutes = self.settings.minutes
        due = float("inf") if minutes is None else time.monotonic() + 60 * minutes
        self.run(update, number, plan, replace(how, stop=Deadline(how.stop, due)))
        played = self.store.tournament(number)
        if played.finished:
            return
        if how.stop.is_set():
            raise Stopped(
                f"Stopped after {played.played:,} of {played.planned:,} matches; the same command continues."
            )
        ((last,),) = self.store.rows("SELECT max(number) FROM matches WHERE tournament = ?", (number,))
        planned = (last or 0) + 1
        stages = stages_of(matches_in(played.settings.stages or [])[:planned])
        rounds = sum(rounds for rounds, _ in stages)
        settings = structs.replace(played.settings, stages=stages, rounds=rounds)
        why = (
            f"its time limit of {minutes:g} minutes ended it after {planned:,} of {played.planned:,} matches"
        )
        records.shorten(self.store, update, number, settings, planned, why)
        _, plan = reopen(self.store, number, known)
        self.run(update, number, plan, how)
        if not self.store.tournament(number).finished:
            raise Stopped("Stopped; the same command continues.")

    def run(self, update: int, number: int, plan: Plan, how: Execution) -> None:
        """Play matches of an update, with a progress bar, and record the time taken."""
        ledger = Ledger(plan)
        begun = time.monotonic()
        try:
            with how.showing(f"Update {update}", "matches") as tell:
                for played, planned in run_recorded(self.store, number, ledger, how):
                    tell(played, planned)
        finally:
            records.add_seconds(self.store, update, time.monotonic() - begun)

    # --- rating ---------------------------------------------------------------------------------------

    def end(self, number: int) -> Update:
        """Rate all versions, record withdrawals, and end an update."""
        update = next(one for one in records.updates(self.store) if one.number == number)
        roster = self.roster()
        noted = {
            roster.versions[event.version].original
            for event in records.events(self.store)
            if event.kind == "out" and event.version is not None
        }
        out = [
            Event(number, roster.versions[id].player, "out", id, self.first_fault(roster.versions[id], why))
            for id, why in roster.out.items()
            if roster.versions[id].original not in noted
        ]
        ratings: list[records.RatedVersion] = []
        steps: list[records.Step] = []
        if update.tournament is not None:
            with self.how.busy("Rating all versions"):
                ratings, steps = rated(self.store, self.season.game, number, roster)
        records.end_update(self.store, update.number, ratings, steps, out)
        return next(one for one in records.updates(self.store) if one.number == number)

    def first_fault(self, version: Version, why: str) -> str:
        """Return why a version is withdrawn, with its first recorded fault."""
        codes = {one.code for one in records.versions(self.store) if one.original == version.original}
        found = [
            one for one in records.faults(self.store, self.season.game, version.entry) if one.code in codes
        ]
        if not found:
            return why
        first = min(found, key=lambda one: (one.tournament, one.match))
        where = f" at {first.place}" if first.place else ""
        match = f"match {first.match} of tournament {first.tournament}"
        return f"{why}; first in {match}{where}: {first.detail[:DETAIL]}"


def rated(
    store: Store, game: str, number: int, roster: Roster
) -> tuple[list[records.RatedVersion], list[records.Step]]:
    """Return the ratings after an update, and the differences of new versions from their previous versions.

    Only the current versions of players are rated. Other versions keep the rating of the last update in which
    they played.
    """
    versions = roster.versions.values()
    baselines = {state.player.id for state in roster.states.values() if state.player.baseline}
    joint = fitted(store, game, versions, anchors_of(versions, baselines), roster.out)
    if joint is None:
        return [], []
    changed = {
        event.player
        for event in records.events(store)
        if event.update == number and event.kind in ("changed", "reverted")
    }
    pairs = [
        (state.version.id, state.before.id)
        for state in roster.states.values()
        if state.player.id in changed and state.version and state.before
        if state.version.original != state.before.original
    ]
    present = {state.version.id for state in roster.states.values() if state.version and not state.gone}
    return joint.ratings(number, present), joint.steps(number, pairs)


def known_files(roster: Roster) -> dict[str, list[tuple[str, str, str]]]:
    """Return the player, entry and code of each version from a file, by path of the file's copy."""
    names = {state.player.id: name for name, state in roster.states.items()}
    found: dict[str, list[tuple[str, str, str]]] = {}
    for one in roster.versions.values():
        if one.file:
            found.setdefault(one.file, []).append((names[one.player], one.entry, one.code))
    return found


def roster_is_baseline(roster: Roster, version: Version) -> bool:
    """Return whether a version is the current version of a baseline."""
    return any(state.version is version and state.player.baseline for state in roster.states.values())

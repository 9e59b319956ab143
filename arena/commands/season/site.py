"""The web pages of a season, which are written only if they changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arena.api.game import Game
from arena.calls.results import Leaderboard
from arena.commands.coach.result import counted
from arena.commands.page.content import event_of, game_of
from arena.commands.season.coaching import findings_file, findings_in, page_of
from arena.commands.season.facts import facts_of, faults_of, news_of
from arena.commands.season.result import MOST_DETAIL, interval_of
from arena.commands.season.view import SeasonRow, SeasonView, points, shortened
from arena.errors import ArenaError
from arena.file_io import draft_of
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.registry.plugins import registry
from arena.show.page import page
from arena.show.page.coaching import Linked
from arena.show.page.event import Event
from arena.show.page.marked_board import MarkedBoards
from arena.show.page.season import Point, chart, render, spark
from arena.storage import season as records
from arena.storage.database import Store

BACK = ("../index.html", "Season")
Meetings = dict[tuple[int, int], int]  # see `last_meetings`
MOST_FAULTS = 20  # maximum number on the page of a player


def write_site(folder: str | Path, store: Store, public: bool) -> None:
    """Write the web pages of a season that changed.

    Args:
        folder: The folder, which is created if necessary.
        store: The database.
        public: Whether pages show why matches were forfeited.

    Raises:
        ArenaError: If a page cannot be written.
    """
    Site(Path(folder), SeasonView.of(store), public).write()


def address_of(tournament: int, match: int, ply: int | None) -> str:
    """Return the URL of a match, at a ply if one is passed, relative to the page of a player."""
    return f"../updates/{tournament}.html#match={match}" + (f"&ply={ply}" if ply is not None else "")


def game_of_season(view: SeasonView) -> Game | None:
    """Return the game of the last update; None if the same version is not installed."""
    last = [one.tournament for one in view.updates if one.tournament is not None]
    return game_of([view.store.tournament(last[-1])], registry()) if last else None


class Site:
    """The web pages of a season.

    Attributes:
        folder: The folder of the pages.
        view: The season.
        detail: Maximum length of messages; 0 for no messages.
    """

    def __init__(self, folder: Path, view: SeasonView, public: bool) -> None:
        self.folder, self.view, self.public = folder, view, public
        self.detail = MOST_DETAIL if public else 0
        self.linked = Linked(address_of, MarkedBoards(game_of_season(view)))
        self.places: dict[int, dict[str, int]] = {}  # indices of the entries on each tournament's page

    def write(self) -> None:
        """Write all pages that changed, and remove pages of players and updates that no longer exist."""
        try:
            self.write_updates()
            last = records.last_meetings(self.view.store, self.view.season.game, self.view.versions)
            self.put("index.html", render("index", "", self.index()))
            self.put("history.html", render("history", "", self.history()))
            for row in self.view.rows:
                text = render("player", "../", self.player(row, last))
                self.put(f"players/{page_of(row.player)}.html", text)
            self.remove_others("players", {page_of(name) for name in self.view.roster.states})
        except OSError as error:
            name = error.filename or self.folder
            raise ArenaError(f"cannot write {name}: {error.strerror or error}") from error

    def put(self, name: str, text: str) -> None:
        """Write a file, unless it already has this content."""
        path = self.folder / name
        content = text.encode("utf-8", "surrogatepass")
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft_of(path) as file:
                file.write(content)

    def remove_others(self, folder: str, kept: set[str]) -> None:
        """Remove the pages of a folder whose names are not in `kept`."""
        for path in [*(self.folder / folder).glob("*.html")]:
            if path.stem not in kept:
                path.unlink()
                path.with_suffix(".json").unlink(missing_ok=True)

    # --- matches of each update -----------------------------------------------------------------------

    def write_updates(self) -> None:
        """Write missing pages with the matches of updates, and read the entries from existing pages."""
        numbers = [one.tournament for one in self.view.updates if one.tournament is not None and one.ended]
        for number in numbers:
            facts = self.folder / f"updates/{number}.json"
            played = self.view.played[number]
            found = self.written(facts, played)
            if found is None:
                event = self.event(number)
                found = event.board.played
                self.put(f"updates/{number}.html", page([event], back=BACK))
                self.put(
                    f"updates/{number}.json",
                    json.dumps({"faults": self.public, "matches": played, "names": found}),
                )
            self.places[number] = {name: i for i, name in enumerate(found)}
        self.remove_others("updates", {str(number) for number in numbers})

    def written(self, facts: Path, matches: int) -> list[str] | None:
        """Return the entries on an update's page, in order; None if the page must be written."""
        try:
            read = json.loads(facts.read_text("utf-8"))
            as_now = read["faults"] is self.public and read["matches"] == matches
            if as_now and facts.with_suffix(".html").is_file():
                return [str(name) for name in read["names"]]
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None

    def event(self, number: int) -> Event:
        """Return the content of an update's page."""
        store = self.view.store
        found = store.tournament(number)
        board = leaderboard(store, found.game, [found], MaximumLikelihood())
        event = event_of(store, Leaderboard.of(board), [found], "latest")
        matches = [
            replace(one, detail=one.detail and (shortened(one.detail, self.detail) or None))
            for one in event.matches
        ]
        forfeits = [
            (entry, times, reason, shortened(detail, self.detail))
            for entry, times, reason, detail in event.forfeits
        ]
        if self.public:
            return replace(event, matches=matches, forfeits=forfeits)
        unrated = [replace(one, why="failed too often") for one in event.board.unrated]
        return replace(event, matches=matches, forfeits=[], board=replace(event.board, unrated=unrated))

    # --- pages ----------------------------------------------------------------------------------------

    def index(self) -> dict[str, object]:
        """Return the values for the page of standings."""
        last = self.view.last
        played = last and last.tournament and self.view.played[last.tournament]
        anchored = any(row.baseline for row in self.view.rows)
        return {
            "game": self.view.season.game,
            "update": last.number if last else 0,
            "date": last.begun[:10] if last else "",
            "played": f"{played or 0:,}",
            "stopped": last.stopped if last else None,
            "tournament": last and last.tournament,
            "rows": [*map(self.line_of, self.view.rows)],
            "news": self.view.news(detail=self.detail),
            "anchor": f"{'baselines' if anchored else 'the first players'} have a mean of 1500",
        }

    def line_of(self, row: SeasonRow) -> dict[str, object]:
        """Return the values for a row of the standings."""
        step = row.step
        return {
            "name": row.player,
            "page": page_of(row.player),
            "rank": row.ranks,
            "rating": "" if row.rating is None else f"{row.rating:.0f}",
            "interval": interval_of(row.rating, row.low, row.high),
            "line": spark(self.points(row.player), 1, len(self.view.updates)),
            "step": "" if step is None else f"{points(step.difference)}{'' if step.sure else '?'}",
            "version": "" if row.baseline or row.version is None else row.version,
            "matches": f"{row.matches:,.0f}" if row.matches else "",
            "status": "baseline" if row.baseline and row.status == "plays" else row.status,
        }

    def points(self, player: str) -> list[Point]:
        """Return the ratings of a player over time, using the version that played last in each update."""
        found: list[Point] = []
        for update, id in self.view.played_as(player).items():
            if one := self.view.rated_in.get((update, id)):
                version = self.view.roster.versions[id]
                label = f"update {update}, version {version.number}: {one.rating:.0f}"
                found.append(Point(update, one.rating, one.low, one.high, label))
        return found

    def player(self, row: SeasonRow, last: Meetings) -> dict[str, object]:
        """Return the values for the page of a player."""
        view = self.view
        state = view.state(row.player)
        own = [one for one in view.versions if one.player == state.player.id]
        rank = f", rank {row.ranks}" if row.ranks else ""
        why = f": {shortened(row.why, self.detail)}" if row.why and self.detail else ""
        faults = [fault for one in own for fault in faults_of(view.store, view, one)] if self.public else []
        versions = [facts_of(view, one) for one in reversed(own)]
        return {
            "name": row.player,
            "game": view.season.game,
            "status": f"{row.status}{rank}{why}",
            "chart": chart(self.points(row.player), 1, len(view.updates)),
            "version": row.version,
            "versions": [
                {
                    **one,
                    "since": str(one["since"])[:10],
                    "rating": f"{one['rating']:.0f}" if isinstance(one["rating"], float) else "",
                    "interval": interval_of(one["rating"], one["low"], one["high"]),
                    "matches": f"{one['matches']:,.0f}" if one["matches"] else "",
                }
                for one in versions
            ],
            "faults": [
                {**one, "place": one["place"] or "", "detail": shortened(str(one["detail"]), self.detail)}
                for one in faults[:MOST_FAULTS]
            ],
            "results": [*self.results(row, last)],
            **self.coached(row.player),
            "news": [(date[:10], line) for _, date, line in reversed(news_of(view, row.player, self.detail))],
        }

    def coached(self, player: str) -> dict[str, object]:
        """Return the values for the coach's findings about a player; `coach` is None without findings."""
        kept = findings_in(findings_file(self.folder, player))
        if kept is None or kept.version not in self.view.roster.versions:
            return {"coach": None}
        found = kept.found
        parts = self.linked.parts([*found.details()], found.entry)
        said = [self.linked.text(sentence) for sentence in found.sentences]
        of = f"Of {self.view.called(kept.version)}, over {counted(kept.matches, 'match', 'matches')}."
        ground = self.linked.boards.empty()
        return {"coach": of, "sentences": said, "findings": [*parts], "ground": ground}

    def results(self, row: SeasonRow, last: Meetings) -> Iterator[dict[str, object]]:
        """Yield the results of a player's current version against each opponent, the best result first."""
        view, version = self.view, self.view.state(row.player).version
        met = view.by_opponent.get(version.original, {}) if version else {}
        scored = [
            ((c.wins + c.draws / 2) / c.matches, view.called(id), id, c) for id, c in met.items() if c.matches
        ]
        for score, called, id, counts in sorted(scored, key=lambda one: (-one[0], one[1])):
            assert version
            other = view.roster.versions[id]
            seats = version.original, other.original
            tournament = max(last.get(seats, 0), last.get(seats[::-1], 0))
            places = self.places.get(tournament, {})
            link = ""
            if version.entry in places and other.entry in places:
                pairing = f"{places[version.entry]}-{places[other.entry]}"
                link = f"../updates/{tournament}.html#pairing-0-{pairing}"
            yield {
                "opponent": called,
                "page": page_of(view.names[other.player]),
                "score": f"{100 * score:.0f} %",
                "won": f"{counts.wins:,.0f}",
                "drawn": f"{counts.draws:,.0f}",
                "lost": f"{counts.losses:,.0f}",
                "link": link,
            }

    def history(self) -> dict[str, object]:
        """Return the values for the page of events, the newest first."""
        view = self.view
        return {
            "game": view.season.game,
            "updates": [
                {
                    "number": one.number,
                    "date": one.begun[:10],
                    "tournament": one.tournament,
                    "played": f"{view.played[one.tournament] if one.tournament else 0:,}",
                    "news": view.news(one.number, detail=self.detail),
                }
                for one in reversed(view.updates)
            ],
        }

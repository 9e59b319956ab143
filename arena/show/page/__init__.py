"""Leaderboards with their matches and learning curves, as a single HTML page that needs no network.

Tables are part of the HTML; a script sorts them and steps through matches.
"""

from __future__ import annotations

import gzip
import json
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.analysis.match_marks import Marks
from arena.results.cost import Cost
from arena.results.tally import Counts
from arena.show.curve import Plot
from arena.show.page import headline
from arena.show.page.coaching import Linked, in_parts, unbroken
from arena.show.page.event import Event
from arena.show.page.marked_board import MarkedBoards
from arena.show.page.replay import MOST_PLIES, Film
from arena.show.page.standings import Standings
from arena.texts import on_one_line, percent
from arena.wasm.scripts import classic

MOST_ENTRIES = 200  # maximum number of entries in a crosstable, and with a section of their own
MOST_FORFEITS = 100  # maximum number of rows in the table of forfeits
# the page makes no network requests, whatever its content
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; "
    "worker-src blob:; img-src data:"
)


SCRIPTS = ("page.js", "matches.js", "replay.js", "entries.js")


def page(
    events: Sequence[Event],
    plots: Sequence[Plot] = (),
    back: tuple[str, str] | None = None,
    title: str | None = None,
    running: float | None = None,
) -> str:
    """Return leaderboards with their details as one HTML page, followed by learning curves.

    Args:
        events: The leaderboards.
        plots: The learning curves.
        back: URL and text of a link at the top.
        title: The headline. Default: only the games.
        running: Interval in seconds after which the page reloads itself while matches are played.
    """
    environment, part = templates()
    most = MOST_PLIES // max(1, sum(bool(event.matches) for event in events))
    shown = [Section(event, number, most) for number, event in enumerate(events)]
    data = [section.data() for section in shown]
    playable = any(section.playable for section in shown)
    return environment.get_template("page.html").render(
        sections=shown,
        plots=plots,
        back=back,
        title=title,
        heading="h2" if title else "h1",
        running=running,
        written=round(time.time()),
        policy=POLICY,
        style=part("page.css"),
        script=Markup("\n").join(map(part, SCRIPTS)),
        play=part("play.js") if playable else "",
        arena=Markup(classic()) if playable else "",
        data=Markup(packed(data)),
        drawing=part("board.js"),
    )


def templates() -> tuple[Environment, Callable[[str], Markup]]:
    """Return the template environment, and a function that returns a file of its folder as markup."""
    loader = PackageLoader("arena.show", "page")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=visible,
    )  # fmt: skip
    environment.filters |= {"in_parts": in_parts, "unbroken": unbroken}

    def part(name: str) -> Markup:
        return Markup(loader.get_source(environment, name)[0])

    return environment, part


def visible(value: object) -> object:
    """Return a text with control characters escaped; markup is returned as it is."""
    return on_one_line(value) if type(value) is str else value


def packed(data: object) -> str:
    """Return data as JSON, compressed with gzip and in base64; `unpacked` in page.js reads it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


class Section:
    """The section of a game on the page.

    Args:
        event: The leaderboard and its details.
        number: Index of the section.
        plies: Maximum total number of plies of the matches to include.
    """

    def __init__(self, event: Event, number: int, plies: int = MOST_PLIES) -> None:
        self.event, self.board, self.number = event, event.board, number
        self.names = event.board.played
        self.shown = {one.entry: one.shown for one in event.board.entered}
        self.place = {name: i for i, name in enumerate(self.names)}
        self.standings = Standings(event)
        self.headline, self.outcome = [*headline.facts(event)], headline.outcome(event.board)
        self.playable = event.modules
        self.plain = [(self.shown[name], why) for name, why in event.plain.items()]
        self.absent = headline.listed([name for name, _ in self.plain]) if self.plain else ""
        self.several = any(row.seeds for row in event.board.rows if row.entry in event.modules)
        self.film = Film(event.game)
        order = {one["tournament"]: i for i, one in enumerate(event.tournaments)}
        self.matches = sorted(
            self.film.matches(event.matches, self.names, plies),
            key=lambda one: (order.get(one["tournament"], 0), one["number"]),
        )
        for one in self.matches:
            marks = event.marks.get((one["tournament"], one["number"]))
            one |= marked(marks, len(one["moves"])) if marks else {}
        self.places = {(one["tournament"], one["number"]) for one in self.matches}
        self.linked = Linked(self.match_address, MarkedBoards(event.game if event.advice else None, number))
        self.crossed = 1 < len(self.names) <= MOST_ENTRIES

    @property
    def forfeits(self) -> Sequence[tuple[str, int, str, str]]:
        return self.event.forfeits[:MOST_FORFEITS]

    @property
    def more_forfeits(self) -> int:
        return max(0, len(self.event.forfeits) - MOST_FORFEITS)

    def data(self) -> dict[str, object]:
        """Return the data for the script: names, matches with their positions, and drawings."""
        return {
            "game": on_one_line(self.board.title),
            "names": [on_one_line(self.shown[name]) for name in self.names],
            "sides": [on_one_line(side) for side in self.event.game.sides] if self.event.game else [],
            "crossed": self.crossed,
            "scores": self.scores() if self.crossed else [],
            "tournaments": [one["tournament"] for one in self.event.tournaments],
            "board": self.film.board(),
            "told": self.film.told() if self.playable else {},
            "texts": list(self.film.texts),
            "boards": list(self.film.boards),
            "of": self.event.of,
            "matches": self.matches,
            "playable": [
                {
                    "entry": self.place[name],
                    "module": b64encode(module.data).decode(),
                    "rates": module.rates,
                }
                for name, module in self.playable.items()
            ],
        }

    # --- results by opponent ---------------------------------------------------------------------------

    def between(self, one: str, other: str) -> Counts:
        """Return the results of one entry against another over both seats."""
        pairings = self.event.pairings
        ahead, back = pairings.get((one, other), Counts()), pairings.get((other, one), Counts())
        return ahead + back.swapped() if one != other else Counts()

    def scores(self) -> list[list[float]]:
        """Return the indices of each pair of entries that met, with wins, draws, losses and forfeits."""
        found = []
        for i, one in enumerate(self.names):
            for j, other in enumerate(self.names[i + 1 :], i + 1):
                c = self.between(one, other)
                if c.matches:
                    counts = (c.wins, c.draws, c.losses, c.first_forfeits, c.second_forfeits)
                    found.append([i, j, *(round(n, 6) for n in counts)])
        return found

    def address(self, name: str) -> str:
        """Return the URL of an entry's section within this page."""
        return self.query({"entry": on_one_line(self.shown[name])})

    def match_address(self, tournament: int, match: int, ply: int | None) -> str | None:
        """Return the URL of a match within this page, at a ply if passed; None if it is not included."""
        if (tournament, match) not in self.places:
            return None
        facts: dict[str, object] = {"match": match, **({} if ply is None else {"ply": ply})}
        return self.query(facts | ({"tournament": tournament} if len(self.event.tournaments) > 1 else {}))

    def query(self, facts: Mapping[str, object]) -> str:
        """Return a URL within this page; it includes the game unless this is the first section."""
        game = {"game": on_one_line(self.board.title)} if self.number else {}
        return f"#{urlencode({**facts, **game}, quote_via=quote, safe=':')}"

    # --- entries that are not rated --------------------------------------------------------------------

    def unrated(self) -> Iterator[tuple[str, int | None, str]]:
        """Yield the name, the index of the section (or None) and the reason of each unrated entry."""
        for one in self.board.unrated:
            results = Counts(one.wins, one.draws, one.losses, one.forfeits)
            said = [one.why, *([shares(results)] if one.matches else [])]
            said += [f"{one.unplayed:,.6g} unplayed"] if one.unplayed else []
            yield one.shown, self.place.get(one.entry), "; ".join(said)

    # --- facts of an entry ----------------------------------------------------------------------------

    def facts(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield facts about an entry, as label and text."""
        if self.shown[name] != name:
            yield "entry", name
        for row, (cells, _) in zip(self.board.rows, self.standings.rows, strict=True):
            if row.entry == name:
                yield self.standings.columns[2], self.standings.placed(cells)
        options = self.event.options.get(name, {})
        if options:
            yield "options", ", ".join(f"{key}={json.dumps(value)}" for key, value in options.items())
        cost = self.event.costs.get(name, Cost())
        if cost.per_move:
            yield "time per move", f"{seconds(cost.per_move)} ({cost.moves:,} moves)"
        if cost.episodes:
            yield "training", f"{cost.episodes:,} episodes in {seconds(cost.training)}"
        seats = (
            sum((c for pair, c in self.event.pairings.items() if pair[0] == name != pair[1]), Counts()),
            sum((c.swapped() for p, c in self.event.pairings.items() if p[1] == name != p[0]), Counts()),
        )
        for label, counts in zip(("as first", "as second"), seats, strict=True):
            if counts.matches:
                yield label, shares(counts)

    def seats(self) -> str:
        """Return a sentence on how often the first player won; "" if no matches were played."""
        rated = {row.entry for row in self.board.rows}
        counted = (c for (a, b), c in self.event.pairings.items() if a != b and rated.issuperset((a, b)))
        total = sum(counted, Counts())
        if not total.matches:
            return ""
        won, drawn, lost = (percent(n / total.matches) for n in (total.wins, total.draws, total.losses))
        return f"Whoever moved first won {won}, drew {drawn} and lost {lost}."

    def sampled(self) -> str:
        """Return a sentence on how many matches can be replayed; "" if none."""
        shown, of = len(self.matches), self.event.of
        if not shown:
            return ""
        return (
            f"All {of:,} matches can be replayed."
            if shown == of
            else (
                f"{shown:,} of {of:,} matches can be replayed: the first"
                f"{', and some of those forfeited' if self.event.forfeits else ''}."
            )
        )

    def settings(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the title of each tournament, and its settings and other facts as text by label."""
        for facts in self.event.tournaments:
            yield f"Tournament {facts['tournament']}", dict(in_words(facts))


def marked(marks: Marks, plies: int) -> dict[str, object]:
    """Return the judged moves of a match as data: the value of each position, and the mistakes by ply.

    Args:
        marks: The judged moves.
        plies: Number of moves.
    """
    signs = "".join({1: "+", 0: "=", -1: "-", None: "?"}[value] for value in marks.values)
    wrong = {
        one.ply: [one.seat, one.before, one.after, [*map(on_one_line, one.right)], [*one.cells]]
        for one in marks.slips
    }
    return {"worth": signs.ljust(plies, "?"), "wrong": wrong}


def in_words(facts: Any) -> Iterator[tuple[str, str]]:
    """Yield the recorded facts of a tournament, as label and text."""
    yield "played", f"{facts['played']:,} of {facts['planned']:,}"
    yield "begun", facts["created"]
    for key, value in chain([("seed", facts["seed"])], facts["settings"].items()):
        if key == "book":
            yield key, f"{len(value):,} lines"
        elif key not in ("entries", "published", "stages"):
            yield key, value if isinstance(value, str) else json.dumps(value)
    yield "versions", ", ".join(f"{name} {version}" for name, version in facts["versions"].items())


def shares(counts: Counts) -> str:
    """Return results as text, such as `won 12, drew 3, lost 5 of 20`."""
    won, drawn, lost, all_of = (
        f"{n:,.6g}" for n in (counts.wins, counts.draws, counts.losses, counts.matches)
    )
    forfeits = f", {counts.first_forfeits:,.6g} forfeited" if counts.first_forfeits else ""
    return f"won {won}, drew {drawn}, lost {lost} of {all_of}{forfeits}"


def seconds(time: float) -> str:
    """Return a duration as text, such as `812 ns`, `1.2 ms` or `3.1 s`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if time >= size:
            return f"{time / size:.3g} {unit}"
    return f"{time * 1e9:.3g} ns"

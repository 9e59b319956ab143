"""The results of calls: pairings, matches, tournaments, leaderboards, printed as the command line does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from typing import Any, Literal

from arena.faults.tracebacks import at_place
from arena.ledger.stages import Stages
from arena.plan.entries import LACKING
from arena.plan.sequential import Sequential, pairs_of, repeats
from arena.ratings import leaderboard as ratings
from arena.ratings.control import Controlled
from arena.ratings.verdict import Verdict, signed
from arena.results.exact import AgainstPerfect, Expected
from arena.results.record import READINGS, WITHDRAWN, plain
from arena.results.tally import COPY, Counts
from arena.show.grid import Grid
from arena.show.presentation import Item, Part, Shown, ShownSequence
from arena.show.table import SPARE, comma_separated, legend, markdown, match_grid, superiority, table
from arena.storage import database
from arena.storage.database import DATABASE
from arena.streams import seed_in_json, seed_text
from arena.wording import argument, call, either


@dataclass(frozen=True)
class Forfeit:
    """An entry that forfeited: in which match, by what (one of `arena.results.record.FORFEITS`), and why.

    place: the author's line, such as `mine.py:12 in choose`, of an entry's first faults that have one.
    """

    entry: str
    match: int
    reason: str
    detail: str
    place: str = ""


@dataclass(frozen=True)
class Pairing:
    """Matches of one entry as first player against another, from the first's side.

    forfeits are among wins and losses; copies, matches that repeat others move for move, among all, and so
    unplayed, matches that were not played, for one of the two was withdrawn, or both, which is a draw.
    published: how it went elsewhere, in per cent, if a tournament's file says so.
    """

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    forfeits: int
    copies: int
    published: Mapping[str, float] | None = None
    unplayed: int = 0

    @classmethod
    def of(cls, first: str, second: str, kinds: Mapping[str, Counts]) -> Pairing:
        """Counts by kind, put together."""
        sums = reduce(lambda a, b: a + b, kinds.values(), Counts())
        copies = int(kinds[COPY].matches) if COPY in kinds else 0
        wins, draws, losses = int(sums.wins), int(sums.draws), int(sums.losses)
        unplayed = int(kinds[WITHDRAWN].matches) if WITHDRAWN in kinds else 0
        return cls(first, second, wins, draws, losses, int(sums.forfeits), copies, unplayed=unplayed)

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """The first player's, from 0 to 1; None without matches."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None

    def to_dict(self) -> dict[str, object]:
        """For JSON; without what there is none of: published figures, matches unplayed."""
        found = asdict(self)
        if self.published is None:
            del found["published"]
        if not self.unplayed:
            del found["unplayed"]
        return found


@dataclass(frozen=True)
class ExactPairing:
    """What matches of one entry as first player against another come to, in probabilities, from its side.

    forfeits: the probability of any, among wins and losses. plies: of a match, on average. blunder rates: the
    share of moves that give away value, None where none is made.
    """

    first: str
    second: str
    wins: float
    draws: float
    losses: float
    forfeits: float
    plies: float
    first_blunder_rate: float | None
    second_blunder_rate: float | None
    published: Mapping[str, float] | None = None

    @classmethod
    def of(cls, first: str, second: str, found: Expected) -> ExactPairing:
        """Return the pairing of two entries from what was computed."""
        return cls(
            first,
            second,
            found.win,
            found.draw,
            found.loss,
            found.first_forfeit + found.second_forfeit,
            found.plies,
            found.first_blunders / found.first_moves if found.first_moves else None,
            found.second_blunders / found.second_moves if found.second_moves else None,
        )

    @property
    def score(self) -> float:
        """The first player's, from 0 to 1."""
        return self.wins + self.draws / 2

    def to_dict(self) -> dict[str, object]:
        """Return everything as one dictionary, for JSON."""
        found = asdict(self)
        if self.published is None:
            del found["published"]
        return found


def pairings_of(store: database.Store, t: database.Tournament) -> list[Pairing | ExactPairing]:
    """How the pairings of a tournament went, with published figures beside them if there are any."""
    kinds: dict[tuple[str, str], dict[str, Counts]] = {}
    for first, second, kind, counts in store.pairings(t.id):
        kinds.setdefault((first, second), {})[kind] = counts
    rows: list[Pairing | ExactPairing] = [Pairing.of(*seats, found) for seats, found in kinds.items()]
    rows += [ExactPairing.of(*seats, found) for seats, found in store.exact(t.id).items()]
    elsewhere = {(row.first, row.second): row for row in t.settings.published or ()}
    for i, row in enumerate(rows):
        if there := elsewhere.get((row.first, row.second)):
            rows[i] = replace(
                row, published={"wins": there.wins, "draws": there.draws, "losses": there.losses}
            )
    return rows


def unplayed_by(pairings: Iterable[tuple[str, str, str, Counts]]) -> dict[str, int]:
    """How many matches each entry has forfeited unplayed, be it that the other did, too.

    pairings: first, second, kind and counts.
    """
    found: Counter[str] = Counter()
    for first, second, kind, counts in pairings:
        if kind == WITHDRAWN:
            found[first] += int(counts.first_forfeits + counts.draws)
            found[second] += int(counts.second_forfeits + counts.draws)
    return {name: unplayed for name, unplayed in found.items() if unplayed}


def all_forfeited(pairings: Iterable[Pairing | ExactPairing], forfeits: Sequence[Forfeit]) -> bool:
    """Whether there are matches, and none of them came to its end, so that nothing was measured.

    forfeits: those of matches that were played.
    """
    rows = [*pairings]
    if exact := [row for row in rows if isinstance(row, ExactPairing)]:
        return all(row.forfeits > 1 - 1e-9 for row in exact)
    played = [row for row in rows if isinstance(row, Pairing)]
    return 0 < sum(row.matches for row in played) == len(forfeits) + sum(row.unplayed for row in played)


def fault_lines(faults: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """Return a line for every entry that forfeits in some position. names: short ones, by entry."""
    return [f"{names.get(name, name)} forfeits where it fails: {fault}" for name, fault in faults.items()]


def forfeit_lines(forfeits: Sequence[Forfeit], names: Mapping[str, str]) -> list[str]:
    """Return a line for every entry that forfeited, with the first time it did. names: short, by entry."""
    first: dict[str, Forfeit] = {}
    times: Counter[str] = Counter()
    for one in forfeits:
        first.setdefault(one.entry, one)
        times[one.entry] += 1
    return [
        f"{names.get(name, name)} forfeited {times[name]:,}, "
        f"the first match {one.match} by {one.reason}: {one.detail}{at_place(one.place)}"
        for name, one in first.items()
    ]


@dataclass(frozen=True)
class Tested:
    """How a sequential test of normalised differences ended, or stands; see `arena.ratings.sprt`.

    pairs: how many scored 0, 1/2, 1, 3/2 and 2 points for the first entry. ratio: the log likelihood ratio,
    with its bounds. decision: "low" or "high", which was accepted, None while it is open. elo, elo_low,
    elo_high: the difference in normalised Elo with its 95 % interval, once it is decided. repeats: whether it
    ended because matches repeat others.
    """

    low: float
    high: float
    alpha: float
    beta: float
    pairs: tuple[int, int, int, int, int]
    ratio: float
    bounds: tuple[float, float]
    decision: Literal["low", "high"] | None
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    repeats: bool = False

    @classmethod
    def of(cls, stages: Stages) -> Tested:
        """ValueError unless that is what is played for."""
        if not isinstance(stages.format, Sequential):
            raise ValueError("there is no test")
        test, standing = stages.format.test, stages.standing()
        (a, b, c, d, e) = counted = pairs_of(standing)
        decision = test.decision(counted)
        repeated = not decision and repeats(standing)
        found = cls(
            test.low, test.high, test.alpha, test.beta, (a, b, c, d, e), test.ratio(counted), test.bounds,
            decision, repeats=repeated,
        )  # fmt: skip
        if not decision:
            return found
        elo, low, high = test.estimate(counted)
        return replace(found, elo=elo, elo_low=low, elo_high=high)

    def lines(self) -> Iterator[str]:
        """In words."""
        a, b, c, d, e = (f"{count:,}" for count in self.pairs)
        lower, upper = self.bounds
        accepted = {"low": self.low, "high": self.high}
        what = f"{accepted[self.decision]:g} accepted" if self.decision else "open"
        yield (
            f"SPRT of {self.low:g} against {self.high:g} normalised Elo: {what} after {sum(self.pairs):,} "
            f"pairs, LLR {signed(self.ratio, 2)} (from {signed(lower, 2)} to {signed(upper, 2)})."
        )
        yield f"Points of a pair: 0 in {a}, 1/2 in {b}, 1 in {c}, 3/2 in {d}, 2 in {e}."
        if self.elo is not None:
            elo, low, high = (signed(number or 0.0, 1) for number in (self.elo, self.elo_low, self.elo_high))
            yield f"Normalised Elo {elo}, 95 % from {low} to {high}."
        if self.repeats:
            yield f"It ended as matches repeat others; {argument('openings', 'random:N')} makes them differ."


@dataclass(frozen=True, repr=False)
class Match(Shown):
    """Two entries against each other, from each seat.

    tournament, db: where it is recorded, if it is. names: short ones, by entry. test: the sequential test, if
    it was played for one. pairs: of matches of one opening from either seat, how many scored 0, 1/2, 1, 3/2
    and 2 points for the first entry; those that repeat others move for move are left out. controlled: the
    score less the luck in moves, if that was asked for. notes: what is to be known besides.
    """

    game: str
    seed: int
    played: int
    planned: int
    pairings: list[Pairing]
    forfeits: list[Forfeit]
    tournament: int | None = None
    db: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    test: Tested | None = None
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    notes: Sequence[str] = ()
    controlled: Controlled | None = None

    @property
    def finished(self) -> bool:
        """Whether it was not stopped before its end."""
        return self.played == self.planned

    @property
    def forfeited(self) -> bool:
        """Whether all matches were forfeited, so that nothing was measured."""
        return all_forfeited(self.pairings, self.forfeits)

    @property
    def verdict(self) -> Verdict | None:
        """How the first entry fared in `pairs`; None if there are none, or matches unplayed.

        Also where all repeat a single one.
        """
        ahead = self.pairings[0]
        if ahead.first == ahead.second or not any(self.pairs):
            return None
        if any(row.unplayed for row in self.pairings):
            return None
        if sum(self.pairs) == 1 and any(row.copies for row in self.pairings):
            return None
        return Verdict.of_pairs(self.pairs)

    def remarks(self) -> list[str]:
        """A line for every entry that forfeited, with the first time it did."""
        return forfeit_lines(self.forfeits, self.names)

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
        where = "" if self.tournament is None else f", tournament {self.tournament} in {self.db}"
        yield f"{self.game}, {self.played:,} matches, seed {seed_text(self.seed)}{where}"
        yield match_grid(self.to_dicts()).with_names(self.names)
        if verdict := self.verdict:
            ahead = self.pairings[0]
            yield verdict.text(*(self.names.get(entry, entry) for entry in (ahead.first, ahead.second)))
        if self.controlled:
            entry = self.pairings[0].first
            yield from self.controlled.lines(self.names.get(entry, entry))
        yield from self.test.lines() if self.test else ()
        yield from legend(self.names)
        yield from self.notes
        if any(row.copies for row in self.pairings):
            yield f"Copies repeat others move for move; {argument('openings', 'random:N')} makes them differ."

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [row.to_dict() for row in self.pairings]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        facts: dict[str, object] = {
            "game": self.game,
            "seed": seed_in_json(self.seed),
            "matches": self.played,
        }
        found = {**facts, "pairings": self.to_dicts(), "pairs": list(self.pairs)}
        if verdict := self.verdict:
            found["verdict"] = verdict.to_dict()
        if self.controlled:
            found["controlled"] = self.controlled.to_dict()
        if self.test:
            found["sprt"] = asdict(self.test)
        if self.notes:
            found["notes"] = list(self.notes)
        return found if self.tournament is None else {**found, "tournament": self.tournament}


@dataclass(frozen=True, repr=False)
class ExactMatch(Shown):
    """What matches come to exactly, up to `max_plies`. against_perfect: how entries fare, by entry.

    names: short ones, likewise.
    """

    game: str
    max_plies: int
    pairings: list[ExactPairing]
    against_perfect: Mapping[str, AgainstPerfect]
    tournament: int | None = None
    db: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def forfeited(self) -> bool:
        """Whether all matches would be forfeited."""
        return all_forfeited(self.pairings, ())

    def remarks(self) -> list[str]:
        """A line for every entry that forfeits somewhere."""
        failed = {name: own.fault for name, own in self.against_perfect.items() if own.fault}
        return fault_lines(failed, self.names)

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
        where = "" if self.tournament is None else f", tournament {self.tournament} in {self.db}"
        yield f"{self.game}, exactly, up to {self.max_plies:,} plies{where}"
        yield match_grid(self.to_dicts()).with_names(self.names)
        yield from legend(self.names)
        for name, own in self.against_perfect.items():
            yield (
                f"Against perfect play {self.names.get(name, name)} falls short by "
                f"{own.as_first:.4f} of a match's score as first, {own.as_second:.4f} as second."
            )

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [row.to_dict() for row in self.pairings]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        facts = {"game": self.game, "exact": True, "max_plies": self.max_plies, "pairings": self.to_dicts()}
        fared = [{"entry": name, **own._asdict()} for name, own in self.against_perfect.items()]
        number = {} if self.tournament is None else {"tournament": self.tournament}
        return {**facts, "against_perfect": fared, **number}


@dataclass(frozen=True, repr=False)
class Leaderboard(ratings.Leaderboard, Shown):
    """The rated table of a game. rows: best first. notes: what to know about them, in sentences."""

    __repr__ = Shown.__repr__

    @classmethod
    def of(cls, board: ratings.Leaderboard) -> Leaderboard:
        """Return a leaderboard that prints itself."""
        return cls(**vars(board))

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
        yield Grid(*table(self), left=2, spare=SPARE)
        yield from legend(self.names)
        yield from self.notes
        if self.doubts:
            yield from self.doubts.lines({row.entry: row.shown for row in self.rows})
            yield "The likelihood that a row is better than a column, in per cent:"
            yield superiority(self.doubts.superiority).with_names(self.names)

    def hints(self) -> list[str]:
        """What its columns mean."""
        worst = (
            " worst score: what is left against the best reply, ≤ where a search has found that."
            if any(row.worst_score is not None for row in self.rows)
            else ""
        )
        if self.exact:
            means = "rating: the Elo points by which these scores are expected; score: won and half of drawn."
            return [means + worst]
        elo = " Elo: by matches one after another." if any(row.elo is not None for row in self.rows) else ""
        open_ranks = any("–" in row.ranks for row in self.rows)
        ranks = " #: the ranks that the results leave open." if open_ranks else ""
        spread = " spread: the standard deviation between seeds." * any(row.seeds for row in self.rows)
        means = "rating: Elo points, by all matches at once, with their 95 % interval."
        return [f"{means}{elo}{ranks}{spread}{worst}"]

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        facts = {"game": self.game, "exact": self.exact, "rules": self.rules}
        facts |= {"doubts": asdict(self.doubts)} if self.doubts else {}
        return [{**asdict(row), **facts} for row in self.rows]


class Listing(ShownSequence[Item]):
    """Several things of a kind, as a table."""

    def __init__(self, items: Sequence[Item], grid: Grid, dicts: Sequence[Mapping[str, object]]) -> None:
        self.items, self.grid, self.dicts = list(items), grid, dicts

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
        yield self.grid

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [dict(row) for row in self.dicts]


class Leaderboards(ShownSequence[Leaderboard]):
    """The rated tables of several games."""

    def csv(self) -> str:
        """Every field of every row as comma-separated values, with a header."""
        return comma_separated(self.boards)

    def markdown(self) -> str:
        """As tables in Markdown."""
        return "\n".join(map(markdown, self.boards))

    def __init__(self, boards: Sequence[Leaderboard]) -> None:
        self.items = self.boards = list(boards)

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
        for i, board in enumerate(self.boards):
            if len(self.boards) > 1:
                yield from [""] * bool(i)
                yield board.title
            yield from board.parts()

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [row for board in self.boards for row in board.to_dicts()]


@dataclass(frozen=True)
class Usage:
    """What moves of an entry took by its own count. moves: how many say so. sums: of these, by name."""

    moves: int
    sums: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Tournament(Shown):
    """A tournament that is recorded, finished or not: what was planned, how pairings went, the leaderboard.

    code: which code of the game was played, codes: of each entry, by name; `unknown` where none is on record.
    rules: a digest of the game's own modules. faults: of an exact one, why entries forfeit in some position,
    by name. usage: what moves took, by entry, of those that say so. notes: what its format says came of it.
    """

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
        """Return what is recorded of a tournament."""
        places = {match: story.place for match, _, story in store.stories(t.id)}
        forfeits = [Forfeit(*found, places.get(found[1], "")) for found in store.forfeits(t.id)]
        perfect = store.against_perfect(t.id)
        faults = {name: found.fault for name, found in perfect.items() if found.fault}
        usage = {
            name: Usage(moves, {what: plain(sum) for what, sum in sums.items() if what not in READINGS})
            for name, (moves, sums) in store.usage(t.id).items()
        }
        return cls(
            t.id, t.game, t.seed, store.path, t.played, t.planned, t.created, t.finished, t.as_stated,
            t.versions, t.rules, t.code, t.codes, pairings_of(store, t), Leaderboard.of(board), forfeits,
            faults, usage, notes,
        )  # fmt: skip

    @property
    def names(self) -> Mapping[str, str]:
        """The short names of entries that have one, by entry."""
        return self.settings.get("names") or {}

    @property
    def exact(self) -> bool:
        """Whether it was evaluated, and has results without matches."""
        return bool(self.settings.get("exact"))

    @property
    def finished(self) -> bool:
        """Whether it was not stopped before its end."""
        return self.exact or self.played == self.planned

    @property
    def forfeited(self) -> bool:
        """Whether all matches were forfeited, or would be, so that nothing was measured."""
        return all_forfeited(self.pairings, self.forfeits)

    def remarks(self) -> list[str]:
        """A line for every entry that is left out or forfeited, with the first time it did, or would."""
        return [*left_out_lines(self.settings.get("left_out")), *self.failures()]

    def failures(self) -> list[str]:
        """Return a line for every entry that forfeited, with the first time it did, or would."""
        return [*forfeit_lines(self.forfeits, self.names), *fault_lines(self.faults, self.names)]

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
        how = "evaluated exactly" if self.exact else f"{self.played:,} matches, seed {seed_text(self.seed)}"
        yield f"Tournament {self.number}: {self.game}, {how}, in {self.db}"
        yield from self.leaderboard.parts()
        yield from self.notes

    def hints(self) -> list[str]:
        """What its columns mean, and what can be seen of it besides."""
        db = unusual(self.db)
        show = call("tournaments show", self.number, db=db)
        faults = either(f"{show} --faults", call("tournaments faults", self.number, db=db))
        more = f", '{faults}' why matches were forfeited" if self.forfeits else ""
        return [*self.leaderboard.hints(), f"'{show}' has who beat whom{more}."]

    def to_dicts(self) -> list[dict[str, object]]:
        """The rows of its leaderboard."""
        return self.leaderboard.to_dicts()

    def facts(self) -> dict[str, object]:
        """What is known of it without its results, for JSON."""
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
        """For JSON."""
        pairings = [row.to_dict() for row in self.pairings]
        notes = [*self.leaderboard.notes, *self.notes]
        board = {"leaderboard": self.leaderboard.to_dicts(), "notes": notes}
        return {**self.facts(), "pairings": pairings, **board}


def unusual(db: str) -> str | None:
    """A database for a call to name; None for the one that is meant where none is named."""
    return None if db == DATABASE else db


def resuming(number: int, db: str | None) -> str:
    """The call that goes on with a tournament."""
    return either(call("tournament", resume=number, db=db), call("resume", number, db=db))


def as_recorded(t: database.Tournament) -> dict[str, object]:
    """A tournament's row, for JSON."""
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
    """Return who does not play, and why: a line for each, but one for all whom the game does not fit."""
    needs = {name: why for name, why in (left_out or {}).items() if why.endswith(LACKING)}
    lines = [f"{name} is left out: {why}" for name, why in (left_out or {}).items() if name not in needs]
    if needs:
        said = "; ".join(f"{name} {why.removesuffix(LACKING)}" for name, why in needs.items())
        lines.append(f"left out: {said}{LACKING}")
    return lines

"""The results of calls: pairings, matches, tournaments and leaderboards, printed as on the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import reduce
from typing import Any, Literal

from arena.faults.tracebacks import at_place
from arena.ledger.stages import Stages
from arena.plan.sequential import Sequential, pairs_of, repeats
from arena.ratings import leaderboard as ratings
from arena.ratings.control import Controlled
from arena.ratings.row import SPARE, Row
from arena.ratings.verdict import Verdict, signed
from arena.results.exact import AgainstPerfect, Expected
from arena.results.record import READINGS, WITHDRAWN, plain
from arena.results.settings import LACKING
from arena.results.tally import COPY, Counts
from arena.rng import seed_in_json, seed_text
from arena.show.grid import Grid
from arena.show.presentation import Item, Part, Shown, ShownSequence
from arena.show.table import (
    RULE,
    comma_separated,
    legend,
    markdown,
    match_grid,
    superiority,
    table,
    unrated_table,
    worths_of_openings,
)
from arena.storage import database
from arena.storage.database import DATABASE
from arena.texts import argument, call, either


@dataclass(frozen=True)
class Forfeit:
    """A match that an entry forfeited.

    Attributes:
        entry: The entry.
        match: Number of the match.
        reason: One of `arena.results.record.FORFEITS`.
        detail: Description of the fault.
        place: Line of the author's code, such as `mine.py:12 in choose`, for an entry's first faults if
            known.
    """

    entry: str
    match: int
    reason: str
    detail: str
    place: str = ""


@dataclass(frozen=True)
class Pairing:
    """The matches of one entry as first player against another, from the first player's side.

    Attributes:
        first: First player.
        second: Second player.
        wins: Number of wins.
        draws: Number of draws.
        losses: Number of losses.
        forfeits: Number of forfeits, which are also among wins and losses.
        copies: Number of matches that repeat others move for move, which are also among wins, draws and
            losses.
        published: Published results in per cent, if the tournament file has them.
        unplayed: Number of matches that were not played since an entry was withdrawn, which are also among
            wins, draws and losses; a draw if both were.
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
        """Return a pairing from counts by kind."""
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
        """The first player's score, from 0 to 1; None without matches."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None

    def to_dict(self) -> dict[str, object]:
        """Return the pairing as a dictionary for JSON.

        Published results and unplayed matches are left out if there are none.
        """
        found = asdict(self)
        if self.published is None:
            del found["published"]
        if not self.unplayed:
            del found["unplayed"]
        return found


@dataclass(frozen=True)
class ExactPairing:
    """The exact expected result of one entry as first player against another, from the first player's side.

    Attributes:
        first: First player.
        second: Second player.
        wins: Probability of a win.
        draws: Probability of a draw.
        losses: Probability of a loss.
        forfeits: Probability of a forfeit by either, included in wins and losses.
        plies: Mean length of a match in plies.
        first_blunder_rate: Share of the first player's moves that give away value; None if it makes no moves.
        second_blunder_rate: The same share for the second player.
        published: Published results in per cent, if the tournament file has them.
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
        """Return the pairing of two entries from computed expectations."""
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
        """The first player's expected score, from 0 to 1."""
        return self.wins + self.draws / 2

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a dictionary for JSON."""
        found = asdict(self)
        if self.published is None:
            del found["published"]
        return found


def pairings_of(store: database.Store, t: database.Tournament) -> list[Pairing | ExactPairing]:
    """Return the results of a tournament by pairing, with published results if there are any."""
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
    """Return the number of matches that each entry forfeited unplayed, whether or not the other did, too.

    Args:
        pairings: First player, second player, kind and counts.
    """
    found: Counter[str] = Counter()
    for first, second, kind, counts in pairings:
        if kind == WITHDRAWN:
            found[first] += int(counts.first_forfeits + counts.draws)
            found[second] += int(counts.second_forfeits + counts.draws)
    return {name: unplayed for name, unplayed in found.items() if unplayed}


def all_forfeited(pairings: Iterable[Pairing | ExactPairing], forfeits: Sequence[Forfeit]) -> bool:
    """Return whether there are matches and all were forfeited, so that nothing was measured.

    Args:
        pairings: Results by pairing.
        forfeits: The forfeits of matches that were played.
    """
    rows = [*pairings]
    if exact := [row for row in rows if isinstance(row, ExactPairing)]:
        return all(row.forfeits > 1 - 1e-9 for row in exact)
    played = [row for row in rows if isinstance(row, Pairing)]
    return 0 < sum(row.matches for row in played) == len(forfeits) + sum(row.unplayed for row in played)


def fault_lines(faults: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """Return a line for every entry that forfeits in some position.

    Args:
        faults: Faults, by entry.
        names: Short names, by entry.
    """
    return [f"{names.get(name, name)} forfeits where it fails: {fault}" for name, fault in faults.items()]


def forfeit_lines(forfeits: Sequence[Forfeit], names: Mapping[str, str]) -> list[str]:
    """Return a line for every entry that forfeited, with its first forfeit.

    Args:
        forfeits: The forfeits.
        names: Short names, by entry.
    """
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
    """The state or outcome of a sequential test of normalised Elo differences; see `arena.ratings.sprt`.

    Attributes:
        low: Difference of the lower hypothesis, in normalised Elo.
        high: Difference of the higher hypothesis, in normalised Elo.
        alpha: Probability of accepting `high` if `low` is true.
        beta: Probability of accepting `low` if `high` is true.
        pairs: Number of pairs of matches in which the first entry scored 0, 1/2, 1, 3/2 and 2 points.
        ratio: Log-likelihood ratio.
        bounds: Lower and upper bound of the ratio.
        decision: The hypothesis accepted; None while the test is open.
        elo: Difference in normalised Elo, once decided.
        elo_low: Lower end of its 95 % interval.
        elo_high: Upper end of its 95 % interval.
        repeats: Whether the test ended without a decision since matches repeat others.
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
        """Return the state of the test that a tournament is played for.

        Raises:
            ValueError: If its format is not a sequential test.
        """
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
        """Yield sentences that describe the test."""
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
    """The matches of two entries against each other, from each seat.

    Attributes:
        game: The game.
        seed: Seed of the random numbers.
        played: Number of matches played.
        planned: Number of matches planned.
        pairings: Results by pairing.
        forfeits: Matches that were forfeited.
        tournament: Number under which it is recorded; None if it is not.
        db: Path of the database; None if it is not recorded.
        names: Short names, by entry.
        test: The sequential test, if there was one.
        pairs: Number of pairs of matches with one opening and both seats in which the first entry scored 0,
            1/2, 1, 3/2 and 2 points, without matches that repeat others move for move.
        notes: Remarks.
        controlled: The score corrected for luck in the choice of moves, if requested.
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
        """True once all planned matches have been played."""
        return self.played == self.planned

    @property
    def forfeited(self) -> bool:
        """Whether all matches were forfeited, so that nothing was measured."""
        return all_forfeited(self.pairings, self.forfeits)

    @property
    def verdict(self) -> Verdict | None:
        """The comparison of the two entries by `pairs`.

        It is None if there are no pairs, if matches are unplayed, or if all matches repeat a single pair.
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
        """Return a line for every entry that forfeited, with its first forfeit."""
        return forfeit_lines(self.forfeits, self.names)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
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
        """Return the result as a dictionary for JSON."""
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
    """The exact expected results of two entries, in matches of up to `max_plies` plies.

    Attributes:
        game: The game.
        max_plies: Plies after which a match is a draw.
        pairings: Expected results by pairing.
        against_perfect: Results against perfect play, by entry.
        tournament: Number under which it is recorded; None if it is not.
        db: Path of the database; None if it is not recorded.
        names: Short names, by entry.
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
        """Return a line for every entry that forfeits in some position."""
        failed = {name: own.fault for name, own in self.against_perfect.items() if own.fault}
        return fault_lines(failed, self.names)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
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
        """Return the result as a dictionary for JSON."""
        facts = {"game": self.game, "exact": True, "max_plies": self.max_plies, "pairings": self.to_dicts()}
        fared = [{"entry": name, **own._asdict()} for name, own in self.against_perfect.items()]
        number = {} if self.tournament is None else {"tournament": self.tournament}
        return {**facts, "against_perfect": fared, **number}


@dataclass(frozen=True, repr=False)
class Leaderboard(ratings.Leaderboard, Shown):
    """The rated entries of a game.

    Attributes:
        rows: Rated entries, best first.
        notes: Remarks on them, in sentences.
        unrated: Entries that failed too often to be rated.
    """

    __repr__ = Shown.__repr__

    @classmethod
    def of(cls, board: ratings.Leaderboard) -> Leaderboard:
        """Return a leaderboard that prints itself."""
        return cls(**vars(board))

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield Grid(*table(self), left=2, spare=SPARE)
        yield from self.below_the_line()
        yield from legend(self.names)
        yield from self.notes
        if self.doubts:
            yield from self.doubts.lines({row.entry: row.shown for row in self.rows})
            yield "The likelihood that a row is better than a column, in per cent:"
            yield superiority(self.doubts.superiority).with_names(self.names)
        if self.openings is not None:
            yield from worths_of_openings(self.game, self.openings)

    def below_the_line(self) -> Iterator[Part]:
        """Yield a rule and the entries that are not rated, if there are any."""
        if self.unrated:
            yield RULE
            yield Grid(*unrated_table(self), left=2, spare=SPARE)

    def hints(self) -> list[str]:
        """Return an explanation of the columns."""
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
        ranks = " #: ranges of ranks, of which all hold together." if open_ranks else ""
        spread = " spread: the standard deviation between seeds." * any(row.seeds for row in self.rows)
        means = "rating: Elo points, by all matches at once, each with its own 95 % interval."
        return [f"{means}{elo}{ranks}{spread}{worst}"]

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`.

        Entries that are not rated come last: their `rank` and `rating` are None, and `why` has the reason.
        """
        facts = {"game": self.game, "exact": self.exact, "rules": self.rules}
        facts |= {"doubts": asdict(self.doubts)} if self.doubts else {}
        if self.openings is not None:
            facts["openings"] = [{**asdict(one), "decides": one.decides} for one in self.openings]
        return [{**asdict(row), **facts} for row in self.rows] + [
            {**dict.fromkeys(column.name for column in fields(Row)), **asdict(one), **facts}
            for one in self.unrated
        ]


class Listing(ShownSequence[Item]):
    """Several results of one kind, shown as a table."""

    def __init__(self, items: Sequence[Item], grid: Grid, dicts: Sequence[Mapping[str, object]]) -> None:
        self.items, self.grid, self.dicts = list(items), grid, dicts

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield self.grid

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [dict(row) for row in self.dicts]


class Leaderboards(ShownSequence[Leaderboard]):
    """The leaderboards of several games."""

    def csv(self) -> str:
        """Return every field of every row as comma-separated values, with a header."""
        return comma_separated(self.boards)

    def markdown(self) -> str:
        """Return the leaderboards as tables in Markdown."""
        return "\n".join(map(markdown, self.boards))

    def __init__(self, boards: Sequence[Leaderboard]) -> None:
        self.items = self.boards = list(boards)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
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
    """Resources that the moves of an entry used, by its own count.

    Attributes:
        moves: Number of moves for which it reported them.
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
        begun: Time of the start.
        ended: Time of the end; None while it is not finished.
        settings: Settings, by name.
        versions: Versions of Python and of distributions.
        rules: Digest of the game's own modules.
        code: Digest of the game's code; `unknown` if none is recorded.
        codes: Digest of each entry's code, by entry; `unknown` if none is recorded.
        pairings: Results by pairing.
        leaderboard: The leaderboard.
        forfeits: Matches that were forfeited.
        faults: If it is exact, why entries forfeit in some position, by entry.
        usage: Resources that moves used, by entry, for entries that report them.
        notes: Remarks of its format on the outcome.
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
        """Whether the scores are exact expected values; no matches were played."""
        return bool(self.settings.get("exact"))

    @property
    def finished(self) -> bool:
        """True once all planned matches have been played; always for exact results."""
        return self.exact or self.played == self.planned

    @property
    def forfeited(self) -> bool:
        """Whether all matches were forfeited, or would be, so that nothing was measured."""
        return all_forfeited(self.pairings, self.forfeits)

    def remarks(self) -> list[str]:
        """Return a line for every entry that is left out or forfeits, with its first forfeit."""
        return [*left_out_lines(self.settings.get("left_out")), *self.failures()]

    def failures(self) -> list[str]:
        """Return a line for every entry that forfeits, with its first forfeit."""
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
        return [*self.leaderboard.hints(), f"'{show}' has who beat whom{more}."]

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
    """Return a database's path as a call must name it; None for the default one."""
    return None if db == DATABASE else db


def resuming(number: int, db: str | None) -> str:
    """Return the call that continues a tournament."""
    return either(call("tournament", resume=number, db=db), call("resume", number, db=db))


def as_recorded(t: database.Tournament) -> dict[str, object]:
    """Return a tournament's row as a dictionary for JSON."""
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
    """Return a line for each entry left out, and one for all that lack a capability of the game."""
    needs = {name: why for name, why in (left_out or {}).items() if why.endswith(LACKING)}
    lines = [f"{name} is left out: {why}" for name, why in (left_out or {}).items() if name not in needs]
    if needs:
        said = "; ".join(f"{name} {why.removesuffix(LACKING)}" for name, why in needs.items())
        lines.append(f"left out: {said}{LACKING}")
    return lines

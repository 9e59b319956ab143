"""The result of `arena.coach`: accuracy, mistakes, and the positions and openings that cost most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import ClassVar

from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Board, Marked, Part, Shown
from arena.texts import call

WORTH = {1: "won", 0: "drawn", -1: "lost"}

LIMITS, PER_MATCH = "95 %", "cost per match"
POINT = "a win is 1 point and a draw half a point"
COSTLIEST, OTHERS = "The costliest mistakes:", "Other positions in which it erred repeatedly:"


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of a group of an entry's moves, with numbers of moves and mistakes.

    Attributes:
        of: The group of moves, such as `all`, `opening`, `first` or an opponent.
        by: How moves are grouped: `all`, `phase`, `seat` or `opponent`.
        matches: Number of matches with judged moves.
        moves: Number of judged moves.
        mistakes: Number of moves that lost value.
        accuracy: Share of judged moves that are not mistakes, in percent; None without judged moves.
        low: Lower end of its 95 % interval.
        high: Upper end.
        given: Points that mistakes cost per match; a win is worth 1 point, a draw half a point.
    """

    of: str
    by: str
    matches: int
    moves: int
    mistakes: int
    accuracy: float | None
    low: float | None
    high: float | None
    given: float


@dataclass(frozen=True)
class Chances:
    """Numbers of immediate wins and threats in an entry's positions, and of those that it missed.

    Attributes:
        wins: Number of positions in which it could win at once.
        missed: Number of these in which it did not.
        threats: Number of positions in which the opponent threatened to win at once and could be stopped.
        unstopped: Number of these in which it did not stop the opponent.
    """

    wins: int
    missed: int
    threats: int
    unstopped: int


@dataclass(frozen=True)
class MistakeKind:
    """A kind of position in which an entry errs significantly more often than in others.

    Attributes:
        kind: The kind, as a clause after "when": `it could win at once`.
        moves: Number of judged moves in such positions.
        mistakes: Number of mistakes in such positions.
        rate: Share of mistakes in such positions, from 0 to 1.
        low: Lower end of its 95 % interval.
        high: Upper end.
        elsewhere: Share of mistakes in other positions.
        chance: P-value of the difference, corrected for the number of kinds compared.
    """

    kind: str
    moves: int
    mistakes: int
    rate: float
    low: float
    high: float
    elsewhere: float
    chance: float


@dataclass(frozen=True)
class Mistake:
    """A mistake, grouped with all others with the same move in the same or a symmetric position.

    Attributes:
        tournament: Number of the tournament of the first occurrence.
        match: Number of the match of the first occurrence.
        ply: Number of the ply, from 1.
        side: The entry's side in the game.
        opponent: The opponent.
        position: The position, as text.
        board: The position, as drawn by the game.
        played: The move played.
        right: Moves that lose no value, best first; empty if none is known.
        before: Value of the position before the move: 1 won, 0 drawn, -1 lost;
            None if it was estimated.
        after: Value after the move, for the same player; None if it was estimated.
        times: How often the mistake was made.
        reached: How often the position was reached.
        cost: Points that all of these mistakes cost; a win is worth 1 point, a draw half a point.
        punished: The move played, followed by best play.
        instead: The first right move, followed by best play.
        plies: Number of plies to the end, including the mistake, if the winner takes the shortest way; None
            if drawn or unknown.
        marked: The position as the game draws it, with the move played and the first right one; None if the
            game is not drawn.
    """

    tournament: int
    match: int
    ply: int
    side: str
    opponent: str
    position: str
    board: str
    played: str
    right: Sequence[str]
    before: int | None
    after: int | None
    times: int
    reached: int
    cost: float
    punished: Sequence[str]
    instead: Sequence[str]
    plies: int | None
    marked: Marked | None = None

    @property
    def change(self) -> str:
        """The value before and after, such as `from won to lost`, or an estimate of the points lost."""
        if self.before is None or self.after is None:
            return f"costing about {self.cost / self.times:.2f} points"
        return f"from {WORTH[self.before]} to {WORTH[self.after]}"


@dataclass(frozen=True)
class WeakOpening:
    """An opening in which an entry scores significantly less than its rating predicts.

    Attributes:
        opening: The moves, or the position, that the matches began with.
        seat: The entry's seat, `first` or `second`.
        matches: Number of matches.
        score: Mean score, from 0 to 1.
        expected: Score expected by the ratings and the seat.
        chance: P-value of the score, corrected for the number of openings.
    """

    opening: str
    seat: str
    matches: int
    score: float
    expected: float
    chance: float


@dataclass(frozen=True)
class HardOpponent:
    """An opponent against which an entry scores significantly less than its rating predicts.

    Attributes:
        opponent: The opponent.
        matches: Number of matches against it.
        score: Mean score, from 0 to 1.
        low: Lower end of its 95 % interval.
        high: Upper end.
        expected: Score expected by the ratings and the seats.
        chance: P-value of the score, corrected for the number of opponents.
    """

    opponent: str
    matches: int
    score: float
    low: float
    high: float
    expected: float
    chance: float


@dataclass(frozen=True)
class QuickLoss:
    """The shortest match that an entry lost, not counting forfeits.

    Attributes:
        tournament: Number of the tournament.
        match: Number of the match.
        plies: Length of the match in plies.
        opponent: The opponent.
        moves: Moves of the match.
    """

    tournament: int
    match: int
    plies: int
    opponent: str
    moves: str


@dataclass(frozen=True, repr=False)
class Coaching(Shown):
    """The mistakes of an entry in its recorded matches.

    Attributes:
        entry: The entry.
        game: The game.
        matches: Number of matches analysed.
        won: Number of wins.
        drawn: Number of draws.
        lost: Number of losses, including forfeits.
        forfeits: Number of forfeits, by reason.
        moves: Number of moves that the entry chose itself.
        judge: How moves were judged, in words.
        exact: Number of its moves that were judged exactly.
        estimated: Number of its moves that were judged by another entry.
        by_ply: For each ply, starting at 1, the number of its moves and the number of those judged exactly.
        phases: The last ply of the opening and of the middlegame.
        accuracy: Accuracy of all moves, by phase, by seat and by opponent.
        chances: Immediate wins and threats, and how many it missed.
        kinds: Kinds of positions in which it errs more often, the most explanatory first.
        mistakes: The costliest mistakes.
        repeated: Positions in which it erred more than once, the most frequent first.
        openings: Openings in which it scores less than its rating predicts.
        opponents: Opponents against which it scores less than its rating predicts, the worst first.
        shortest: The shortest match that it lost.
        known: For a learner, the share of its positions known from training; None if not reported.
        drawn_from: Number of its matches, if the report is about a random sample of them; otherwise None.
        seed: Seed by which the sample was drawn; None without one.
        notes: Further remarks.
        sentences: Findings and advice in sentences, most important first.
    """

    frame_columns: ClassVar[Columns] = {
        "tournament": Column(int, "Number of the tournament of the first mistake of this kind."),
        "match": Column(int, "Number of its match."),
        "ply": Column(int, "Number of the ply, from 1."),
        "side": Column(str, "The entry's side in the game."),
        "opponent": Column(str, "The opponent."),
        "position": Column(str, "The position, as text."),
        "played": Column(str, "The move played."),
        "right": Column(str, "Moves that lose no value, best first, separated by spaces."),
        "before": Column(int, "Value before the move: 1 won, 0 drawn, -1 lost; missing if it was estimated."),
        "after": Column(int, "Value after it, for the same player."),
        "times": Column(int, "How often it was played."),
        "reached": Column(int, "How often the position was reached."),
        "cost": Column(float, "Points that it cost in these matches; a win is 1 point."),
    }

    entry: str
    game: str
    matches: int
    won: int
    drawn: int
    lost: int
    forfeits: Mapping[str, int]
    moves: int
    judge: str
    exact: int
    estimated: int
    by_ply: Sequence[tuple[int, int]]
    phases: Sequence[int]
    accuracy: Sequence[Accuracy]
    chances: Chances
    kinds: Sequence[MistakeKind] = ()
    mistakes: Sequence[Mistake] = ()
    repeated: Sequence[Mistake] = ()
    openings: Sequence[WeakOpening] = ()
    opponents: Sequence[HardOpponent] = ()
    shortest: QuickLoss | None = None
    known: float | None = None
    drawn_from: int | None = None
    seed: int | None = None
    notes: Sequence[str] = field(default_factory=list)
    sentences: Sequence[str] = ()

    @property
    def overall(self) -> Accuracy:
        """The accuracy of all moves."""
        return self.accuracy[0]

    def exact_from(self, ply: int) -> float | None:
        """Return the share of its moves from a ply on that were judged exactly; None if there are none."""
        moves, exact = (sum(column) for column in zip(*self.by_ply[ply - 1 :], (0, 0), strict=True))
        return exact / moves if moves else None

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        drawn = "" if self.drawn_from is None else f"a random sample of {self.drawn_from:,}: "
        yield f"{self.entry} at {self.game}, {drawn}{counted(self.matches, 'match', 'matches')}"
        yield ""
        yield from self.sentences
        yield from self.details()

    def details(self) -> Iterator[Part]:
        """Yield the tables and boards that follow the sentences."""
        if self.overall.moves:
            yield ""
            yield self.accuracies()
        if self.kinds:
            yield from section(self.kinds_grid())
        if self.mistakes:
            yield from section(self.mistakes_grid(self.mistakes), COSTLIEST)
            for one in self.mistakes:
                yield from self.shown(one)
        shown = {one.position for one in self.mistakes}
        if others := [one for one in self.repeated if one.position not in shown]:
            yield from section(self.mistakes_grid(others), OTHERS)
        if self.opponents:
            yield from section(self.opponents_grid())
        if self.openings:
            yield from section(self.openings_grid())
        yield from self.notes

    def accuracies(self) -> Grid:
        """Return the table of accuracies."""
        rows = []
        for one in self.accuracy:
            if one.accuracy is None or one.low is None or one.high is None:
                continue
            numbers = [f"{one.matches:,}", f"{one.moves:,}", f"{one.mistakes:,}", f"{one.given:.2f}"]
            interval = f"{one.low:.1f} to {one.high:.1f}"
            by = "" if one.by == "all" else one.by
            rows.append([one.of, by, f"{one.accuracy:.1f} %", interval, *numbers])
        columns = ["moves", "by", "accuracy", LIMITS, "matches", "judged", "mistakes", PER_MATCH]
        return Grid(columns, rows, left=2, spare=("matches", PER_MATCH, "judged"))

    def kinds_grid(self) -> Grid:
        """Return the table of kinds of positions."""
        rows = []
        for one in self.kinds:
            rate = [f"{100 * one.rate:.1f} %", f"{100 * one.low:.1f} to {100 * one.high:.1f}"]
            numbers = [f"{one.mistakes:,}", f"{one.moves:,}", f"{one.chance:.1g}"]
            rows.append([one.kind, *rate, f"{100 * one.elsewhere:.1f} %", *numbers])
        columns = ["it errs more when", "errs", LIMITS, "elsewhere", "mistakes", "moves", "p"]
        return Grid(columns, rows, spare=("p", "moves", LIMITS))

    def mistakes_grid(self, found: Sequence[Mistake]) -> Grid:
        """Return a table of mistakes."""
        rows = []
        for one in found:
            right = ", ".join(one.right[:4]) + ", …" * (len(one.right) > 4)
            where = f"match {one.match} of tournament {one.tournament}, ply {one.ply}"
            numbers = [f"{one.times:,} of {one.reached:,}", f"{one.cost:,.1f}"]
            rows.append([one.played, right or "unknown", one.change, where, *numbers])
        columns = ["played", "right", "value", "first in", "times", "cost"]
        return Grid(columns, rows, left=4, spare=("first in",))

    def shown(self, one: Mistake) -> Iterator[Part]:
        """Yield the board of a mistake, with lines that show what it cost."""
        yield ""
        yield f"Match {one.match} of tournament {one.tournament}, ply {one.ply}: {one.side} to move"
        yield Board(one.board, marked=one.marked)
        end = f", in {counted(one.plies, 'ply', 'plies')}" if one.plies is not None else ""
        yield f"Played {one.played}, {one.change}{end}: {' '.join(one.punished)}"
        if one.right:
            yield f"Right: {' or '.join(one.right[:4])}; for example {' '.join(one.instead)}"

    def opponents_grid(self) -> Grid:
        """Return the table of opponents against which it scores less than its rating predicts."""
        rows = []
        for one in self.opponents:
            shares = [f"{100 * one.score:.1f} %", f"{100 * one.low:.1f} to {100 * one.high:.1f}"]
            numbers = [f"{100 * one.expected:.1f} %", f"{one.matches:,}", f"{one.chance:.1g}"]
            rows.append([one.opponent, *shares, *numbers])
        columns = ["hard opponent", "score", LIMITS, "expected", "matches", "p"]
        return Grid(columns, rows, spare=("p", "matches"))

    def openings_grid(self) -> Grid:
        """Return the table of weak openings."""
        rows = [
            [one.opening, one.seat, *shares, f"{one.matches:,}", f"{one.chance:.1g}"]
            for one in self.openings
            for shares in [(f"{100 * one.score:.1f} %", f"{100 * one.expected:.1f} %")]
        ]
        return Grid(["weak opening", "seat", "score", "expected", "matches", "p"], rows, left=2, spare=("p",))

    def hints(self) -> list[str]:
        """Return an explanation of the columns."""
        found = [
            "accuracy: share of judged moves that lose no value; its 95 % interval treats each match "
            f"as one sample. cost: points that mistakes cost, where {POINT}."
        ]
        if self.mistakes:
            first = self.mistakes[0]
            again = call("replay", first.tournament, first.match)
            found.append(f"'{again}' steps through the first mistake.")
        return found

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the costliest mistakes as dictionaries, for `pandas.DataFrame`."""
        return [asdict(one) for one in self.mistakes]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of the data frame: the costliest mistakes."""
        return [{**asdict(one), "right": " ".join(one.right)} for one in self.mistakes]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        found = asdict(self)
        return {"sentences": found.pop("sentences"), **found}


def section(grid: Grid, title: str = "") -> Iterator[Part]:
    """Yield a table below an empty line, with a title if there is one."""
    yield ""
    if title:
        yield title
    yield grid


def counted(number: int, one: str, more: str) -> str:
    """Return a number with its noun: `1 match`, `1,200 matches`."""
    return f"{number:,} {one if number == 1 else more}"

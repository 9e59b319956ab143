"""The judged moves of an entry in recorded matches, with the features of each position."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import NamedTuple, TypeAlias

from arena.analysis.blunders import CHUNK, SEARCHED, Judging, JudgingWork, judge_here, rules_of
from arena.analysis.glance import CAPTURES, KEPT, MOVES, SAFE, WINS, WON, Glance
from arena.analysis.move_grading import GraphJudge, SearchJudge
from arena.api.game import Game, Move, State
from arena.api.rulings import blaming, start_of
from arena.results.record import Record
from arena.workers.worker import RULES, this_worker

CORNER, EDGE, INSIDE, LEFT, MIDDLE, RIGHT, TOP, CENTRE, BOTTOM = (1 << i for i in range(9))
REMEMBERED = 100_000  # number of moves whose facts are cached in a worker


class Decision(NamedTuple):
    """A move that an entry chose itself.

    Attributes:
        match: Index of the match among those judged.
        ply: Number of the ply, from 1.
        seat: The entry's seat, 0 or 1.
        value: Value of the position before the move, for the entry: 1 won, 0 drawn, -1 lost; None if unknown.
        given: Value that the move loses: 0, 1 or 2, or an estimate; None if unknown.
        facts: The features of the position.
        exact: Whether `value` and `given` are exact.
    """

    match: int
    ply: int
    seat: int
    value: int | None
    given: float | None
    facts: Facts
    exact: bool = False


class Facts(NamedTuple):
    """The wins, threats and captures in a position, and how the move relates to them.

    Attributes:
        position: The position, or a representative of all symmetric positions.
        move: Text of the move in `position`.
        moves: Number of legal moves.
        wins: Number of moves that win at once.
        won: Whether the move is one of `wins`.
        safe: Number of moves after which the opponent cannot win at once.
        kept: Whether the move is one of `safe`.
        captures: Number of moves that capture.
        zones: Bits of the board zones of the cell to or from which a piece is moved; 0 without a grid.
        right_zones: Bits of the zones common to all moves that lose no value; 0 if unknown.
        piece: The piece that moves; 0 if a piece is placed on the board.
    """

    position: Hashable
    move: str
    moves: int
    wins: int
    won: bool
    safe: int
    kept: bool
    captures: int
    zones: int
    right_zones: int
    piece: int


Seated: TypeAlias = tuple[int, tuple[Record, int]]  # number and record of a match, and a seat


class Deciding(JudgingWork[Seated, list[Decision]]):
    """Judges an entry's moves in chunks of matches."""

    def __init__(self, judging: Judging, records: Iterable[tuple[Record, int]], executor: Executor) -> None:
        chunk = CHUNK // 4 if judging.nodes is None else SEARCHED
        super().__init__(judging, enumerate(records), chunk, executor)
        self.found: dict[int, list[Decision]] = {}

    @property
    def decisions(self) -> list[Decision]:
        """All decisions found, in order of the matches."""
        return [one for first in sorted(self.found) for one in self.found[first]]

    def question(self, some: list[Seated]) -> tuple[Callable[..., list[Decision]], tuple[object, ...]]:
        return decided, (self.judging, some)

    def put(self, some: list[Seated], answer: list[Decision]) -> None:
        self.found[some[0][0]] = answer


def decided(judging: Judging, some: Sequence[Seated]) -> list[Decision]:
    """Return the judged moves of an entry in some matches; runs in a worker.

    judging: how moves are judged. some: for each match, its index, its record and the seat of the entry.
    """
    worker, game = this_worker(), judging.game
    worker.watch.turn(0, RULES, 0.0)
    judge = judge_here(judging)
    facts = worker.keep(("facts", game.text, game.target), lambda: MoveFacts(rules_of(game)))
    found: list[Decision] = []
    for number, (record, seat) in some:
        worker.watch.turn(number, RULES, judging.stall_seconds)
        found += decisions_of(judge, facts, number, record, seat)
    worker.watch.clear()
    return found


def decisions_of(
    judge: GraphJudge | SearchJudge, facts: MoveFacts, number: int, record: Record, seat: int
) -> Iterator[Decision]:
    """Yield the judged moves of the entry in one seat of a match."""
    words, game = record.moves.split(), facts.game
    judged = list(judge.moves(words, record.start))
    places = judge.walk(words, record.start) if isinstance(judge, GraphJudge) else iter(())
    with blaming(game):
        state = start_of(game, record.start)
        for ply, (word, one) in enumerate(zip(words, judged, strict=False)):
            legal = list(game.moves(state))
            made = [game.move_text(move) for move in legal].index(word)
            place = next(places, None)
            if one.seat == seat and ply >= record.opening:
                right = right_moves(judge, place[0], legal) if isinstance(judge, GraphJudge) and place else []
                found = facts.of(state, legal, made, right)
                exact = one.given is not None
                yield Decision(number, ply + 1, seat, one.value, one.given, found, exact)
            state = game.play(state, legal[made])


def right_moves(judge: GraphJudge, i: int, legal: Sequence[Move]) -> list[Move]:
    """Return the moves of a position of a solved game that lose no value."""
    first = int(judge.graph.first[i])
    return [move for n, move in enumerate(legal) if judge.given_away[first + n] == 0]


class MoveFacts:
    """Finds the features of positions, and caches them.

    Attributes:
        game: The game.
        zones: Zones of each cell of the grid, as bits; empty without a grid.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.glance = game, Glance(game)
        self.zones = zones_of(game) if "grid" in game.capabilities else []
        self.symmetric = "symmetries" in game.capabilities
        self.known: dict[tuple[State, int], Facts] = {}

    def of(self, state: State, legal: Sequence[Move], made: int, right: Sequence[Move]) -> Facts:
        """Return the features of a position.

        Args:
            state: The position.
            legal: Its legal moves.
            made: Index of the move that was made.
            right: Moves that lose no value; empty if unknown.
        """
        key = state, made
        if key not in self.known:
            if len(self.known) == REMEMBERED:
                self.known.clear()
            self.known[key] = self.found(state, legal, made, right)
        return self.known[key]

    def found(self, state: State, legal: Sequence[Move], made: int, right: Sequence[Move]) -> Facts:
        """Return the features of a position; see `of`."""
        self.glance.look(state, made)
        facts = self.glance.facts
        position, move = self.without_symmetry(state, legal[made])
        common = 0
        if self.zones and right:
            common = -1
            for one in right:
                common &= self.zones[self.game.anchor(state, one)]
        anchor = self.game.anchor(state, legal[made]) if self.zones else 0
        return Facts(
            position,
            move,
            int(facts[MOVES]),
            int(facts[WINS]),
            bool(facts[WON]),
            int(facts[SAFE]),
            bool(facts[KEPT]),
            int(facts[CAPTURES]),
            self.zones[anchor] if self.zones else 0,
            common,
            int(self.game.piece(state, anchor)) if self.zones else 0,
        )

    def without_symmetry(self, state: State, move: Move) -> tuple[Hashable, str]:
        """Return the representative of all symmetric positions, and the text of the move in it."""
        game = self.game
        if not self.symmetric:
            return game.position_text(state), game.move_text(move)
        images = [(game.position_text(game.image(state, i)), i) for i in range(game.symmetries)]
        text = min(images)[0]
        return text, min(game.move_text(game.image_move(move, i)) for image, i in images if image == text)


def zones_of(game: Game) -> list[int]:
    """Return the zones of each cell of a grid, as bits."""
    last_x, last_y = (max(places) for places in zip(*game.cells, strict=True))
    found = []
    for x, y in game.cells:
        sides = (x in (0, last_x)) + (y in (0, last_y))
        zone = (INSIDE, EDGE, CORNER)[sides]
        zone |= (LEFT, MIDDLE, RIGHT)[min(2, 3 * x // (last_x + 1))]
        found.append(zone | (TOP, CENTRE, BOTTOM)[min(2, 3 * y // (last_y + 1))])
    return found

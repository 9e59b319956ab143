"""Judge the moves of recorded matches, and find correct moves instead of mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import islice
from typing import NamedTuple

from arena.analysis.better_moves import drawn_with
from arena.analysis.blunders import CHUNK, SEARCHED, Judging, JudgingWork, judge_here
from arena.analysis.decisions import right_moves
from arena.analysis.move_grading import GraphJudge, SearchJudge
from arena.api.game import Game, Move, State
from arena.api.rulings import blaming, start_of
from arena.workers.worker import RULES, this_worker


class Line(NamedTuple):
    """The moves of a match to judge.

    Attributes:
        tournament: Number of the tournament.
        match: Number of the match.
        moves: The moves, separated by spaces.
        start: Text of the position in which it began; None for the game's own start.
        opening: Number of plies of the opening, which no agent chose.
    """

    tournament: int
    match: int
    moves: str
    start: str | None
    opening: int


class Slip(NamedTuple):
    """A mistake.

    Attributes:
        ply: Number of the ply, from 1.
        seat: The seat of the player who made it, 0 or 1.
        before: Value of the position before the move, for that player: 1 won, 0 drawn, -1 lost.
        after: Value of the position after the move, for the same player.
        right: Moves that lose no value: all of them in a small game, the first one found in a large one.
        cells: Cells that the first of `right` changes; empty if the game has no drawing.
    """

    ply: int
    seat: int
    before: int
    after: int
    right: Sequence[str]
    cells: Sequence[int]


class Marks(NamedTuple):
    """The judged moves of a match.

    Attributes:
        values: Value of the position before each move, for the first player: 1 won, 0 drawn, -1 lost, None if
            unknown. There are fewer values than moves if a move is illegal.
        slips: The mistakes, except those in the opening.
    """

    values: Sequence[int | None]
    slips: Sequence[Slip]


def marks_of(judge: GraphJudge | SearchJudge, game: Game, line: Line) -> Marks:
    """Return the judged moves of a match.

    Args:
        judge: Judges the moves.
        game: The game.
        line: The match.
    """
    words = line.moves.split()
    judged = list(judge.moves(words, line.start))
    values = [None if one.value is None else one.value * (1 - 2 * one.seat) for one in judged]
    slips: list[Slip] = []
    if all(not one.given for one in judged[line.opening :]):
        return Marks(values, slips)
    places = [i for i, _ in judge.walk(words, line.start)] if isinstance(judge, GraphJudge) else []
    with blaming(game):
        state = start_of(game, line.start)
        for ply, (word, one) in enumerate(zip(words, judged, strict=False)):
            legal = list(game.moves(state))
            made = [game.move_text(move) for move in legal].index(word)
            if ply >= line.opening and one.given and one.value is not None:
                if isinstance(judge, GraphJudge):
                    right = right_moves(judge, places[ply], legal)
                else:
                    right = [*islice(keeping(judge, state, legal, one.value), 1)]
                cells = next(iter(drawn_with(game, state, right[:1])[1]), [])
                texts = [game.move_text(move) for move in right]
                slips.append(Slip(ply + 1, one.seat, one.value, one.value - one.given, texts, cells))
            state = game.play(state, legal[made])
    return Marks(values, slips)


def keeping(judge: SearchJudge, state: State, legal: Sequence[Move], value: int) -> Iterator[Move]:
    """Yield the moves that a search proves to keep the value of a position."""
    mover = judge.game.to_move(state)
    for move in legal:
        after = judge.game.play(state, move)
        worth = judge.worth_of(after)
        if worth is not None and (worth if judge.game.to_move(after) == mover else -worth) == value:
            yield move


class Marking(JudgingWork[Line, list[Marks]]):
    """Judges all moves of matches in chunks.

    Attributes:
        found: The judged moves, by tournament and match.
    """

    def __init__(self, judging: Judging, lines: Iterable[Line], executor: Executor) -> None:
        super().__init__(judging, lines, CHUNK if judging.nodes is None else SEARCHED, executor)
        self.found: dict[tuple[int, int], Marks] = {}

    def question(self, some: list[Line]) -> tuple[Callable[..., list[Marks]], tuple[object, ...]]:
        return marked, (self.judging, some)

    def put(self, some: list[Line], answer: list[Marks]) -> None:
        for line, marks in zip(some, answer, strict=True):
            self.found[line.tournament, line.match] = marks


def marked(judging: Judging, lines: Sequence[Line]) -> list[Marks]:
    """Return the judged moves of some matches; runs in a worker."""
    worker = this_worker()
    worker.watch.turn(0, RULES, 0.0)
    judge = judge_here(judging)
    game = judge.graph.game if isinstance(judge, GraphJudge) else judge.game
    found = []
    for number, line in enumerate(lines):
        worker.watch.turn(number, RULES, judging.stall_seconds)
        found.append(marks_of(judge, game, line))
    worker.watch.clear()
    return found

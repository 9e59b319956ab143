"""Find the correct moves instead of a mistake, and lines of play that show why."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from arena.analysis.blunders import Judging, judge_here
from arena.analysis.graph import Graph
from arena.analysis.move_grading import GraphJudge, SearchJudge
from arena.analysis.solution import Solution, solve
from arena.analysis.solving import Searched, Worth, after_move
from arena.api.game import Game, Move, State
from arena.api.game_drawing import drawing_of, pieces_on
from arena.api.rulings import blaming, start_of
from arena.workers.worker import RULES, this_worker

LONGEST = 16  # maximum plies of a line
UNKNOWN = 10_000  # stands for an unknown distance; more plies than any line has
QUIET = 6  # maximum plies of a drawn line, which is less instructive
ANSWER, LINE = 1_000_000, 50_000  # maximum numbers of positions searched: per move, and per line


class Question(NamedTuple):
    """A mistake in a match.

    Attributes:
        start: Text of the position in which the match began; None for the game's own start.
        before: The moves before the mistake.
        move: The mistake.
        exact: Whether the mistake was judged exactly, so that correct moves can be found.
        lines: Whether to find lines of play that demonstrate it.
    """

    start: str | None
    before: Sequence[str]
    move: str
    exact: bool
    lines: bool


class Better(NamedTuple):
    """The correct moves in a position in which an entry made a mistake.

    Attributes:
        position: The position, as text.
        board: The position, as drawn by the game.
        right: The moves that are known to lose no value, best first; empty if none is known.
        punished: A line that begins with the mistake and continues with best play.
        instead: A line that begins with the first correct move and continues with best play.
        number: Plies to the end, including the mistake, if the winner wins as fast as possible; None if drawn
            or unknown.
        pieces: Number of the piece on each cell of the game's drawing; empty if there is no drawing.
        changed: The cells that the mistake changes, and those that the first correct move changes.
    """

    position: str
    board: str
    right: Sequence[str]
    punished: Sequence[str]
    instead: Sequence[str]
    number: int | None
    pieces: Sequence[int] = ()
    changed: Sequence[Sequence[int]] = ()


class Worths(Protocol):
    """Finds the value of each move in a position for the side to move.

    Attributes:
        game: The game.
    """

    game: Game

    def of(self, state: State, nodes: int) -> list[Worth]:
        """Return the value of each legal move, in the order of the game.

        Args:
            state: The position.
            nodes: Maximum number of positions searched for each move.
        """
        ...


class GraphWorths:
    """Looks up moves in the solution of a game."""

    def __init__(self, graph: Graph) -> None:
        self.game, self.graph, self.solution = graph.game, graph, solve(graph)
        self.places: dict[State, int] = {}

    def of(self, state: State, nodes: int) -> list[Worth]:
        """Return the value of each legal move; see `Worths`."""
        i = self.places.get(state)
        if i is None:
            i = self.graph.number_of(state)
        if i is None:
            return []
        found, graph = [], self.graph
        for k, move in enumerate(self.graph.moves_of(i), int(graph.first[i])):
            j = int(graph.after[k])
            self.places[graph.game.play(state, move)] = j
            found.append(after_move(worth_at(self.solution, j), bool(graph.movers[i] != graph.movers[j])))
        return found


def worth_at(solution: Solution, i: int) -> Worth:
    """Return the value of a position of a solved game."""
    plies = int(solution.plies[i])
    return Worth(int(solution.values[i]), None if plies < 0 else plies)


class SearchWorths:
    """Searches for the values of moves, and then for the distances of wins and losses."""

    def __init__(self, judge: SearchJudge) -> None:
        self.game, solver, known = judge.game, judge.search.solver, judge.search.known
        self.plain = Searched(solver, distance=False, known=known)
        self.far = Searched(solver, distance=True, known=known)

    def of(self, state: State, nodes: int) -> list[Worth]:
        """Return the value of each legal move; see `Worths`."""
        found, mover = [], self.game.to_move(state)
        self.plain.nodes, self.far.nodes = nodes, min(nodes, LINE)
        for move in self.game.moves(state):
            after = self.game.play(state, move)
            worth = self.plain.worth(after)
            if worth.value:
                worth = Worth(worth.value, self.far.worth(after).plies)
            found.append(after_move(worth, self.game.to_move(after) != mover))
        return found


def better_move(judging: Judging, question: Question) -> Better:
    """Return the correct moves instead of a mistake; runs in a worker."""
    worker = this_worker()
    worker.watch.turn(0, RULES, 0.0)
    worths = worths_of(judge_here(judging))
    worker.watch.turn(0, RULES, judging.stall_seconds if isinstance(worths, GraphWorths) else 0.0)
    with blaming(worths.game):
        found = better_than(worths.game, worths, question)
    worker.watch.clear()
    return found


def worths_of(judge: GraphJudge | SearchJudge) -> GraphWorths | SearchWorths:
    """Return an object that finds the values of moves: from the worker's cached solution, or by search."""
    if isinstance(judge, SearchJudge):
        return SearchWorths(judge)
    return this_worker().keep(("worths", id(judge)), lambda: GraphWorths(judge.graph))


def better_than(game: Game, worths: Worths, question: Question) -> Better:
    """Return the correct moves instead of a mistake."""
    state = start_of(game, question.start)
    for word in question.before:
        state = game.play(state, game.read_move(state, word))
    legal, worth = list(game.moves(state)), worths.of(state, ANSWER) if question.exact else []
    texts = [game.move_text(move) for move in legal]
    made = texts.index(question.move)
    known = [one.value for one in worth if one.value is not None]
    best = max(known, default=None)
    order = sorted(range(len(worth)), key=lambda i: rank(worth[i]))
    right = [texts[i] for i in order if worth[i].value == best and best is not None and i != made]
    punished, instead = [question.move], right[:1]
    if question.lines and question.exact:
        punished += line(game, worths, game.play(state, legal[made]))
    if question.lines and right:
        first = legal[texts.index(right[0])]
        instead = [*instead, *line(game, worths, game.play(state, first))]
    plies = worth[made].plies if worth else None
    moves = [legal[made], *(legal[texts.index(text)] for text in right[:1])]
    found = Better(game.position_text(state), game.board_text(state), right, punished, instead, plies)
    pieces, changed = drawn_with(game, state, moves)
    return found._replace(pieces=pieces, changed=changed)


def drawn_with(game: Game, state: State, moves: Sequence[Move]) -> tuple[list[int], list[list[int]]]:
    """Return the pieces on the cells of a game's drawing, and for each move the cells that it changes.

    Both are empty if the game has no drawing, or cannot draw the position.
    """
    with suppress(Exception):  # a failure loses only the drawing, not the result
        if drawing := drawing_of(game):
            before = pieces_on(game, drawing, state)
            after = [pieces_on(game, drawing, game.play(state, move)) for move in moves]
            return before, [[i for i, old in enumerate(before) if old != new[i]] for new in after]
    return [], []


def rank(worth: Worth) -> tuple[int, int]:
    """Return a key that sorts moves from best to worst: fast wins, draws, slow losses, unknown values."""
    if worth.value is None:
        return 2, 0
    plies = UNKNOWN if worth.plies is None else worth.plies
    return -worth.value, plies if worth.value > 0 else -plies


def line(game: Game, worths: Worths, state: State) -> list[str]:
    """Return a line of best play from a position: to the end if it is won, a few plies if it is drawn."""
    found: list[str] = []
    while len(found) < LONGEST:
        legal, worth = list(game.moves(state)), worths.of(state, LINE)
        if not legal or not worth:
            break
        i = min(range(len(legal)), key=lambda i: rank(worth[i]))
        if worth[i].value is None or (worth[i].value == 0 and len(found) >= QUIET):
            break
        found.append(game.move_text(legal[i]))
        state = game.play(state, legal[i])
    return found

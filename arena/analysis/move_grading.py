"""Compare the moves of a match with perfect play, by the game's graph or by search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from arena.analysis.endings import most_pieces, probe
from arena.analysis.graph import Explorer, Graph, TooManyPositions, graph_of
from arena.analysis.position_codes import Codes
from arena.analysis.solution import solve
from arena.analysis.solvers import class_of_solver, judging_solver
from arena.analysis.solving import Searched
from arena.api.game import Game, State
from arena.api.rulings import blaming, start_of
from arena.faults.rule_check import check_offered
from arena.registry.plugins import registry
from arena.results.settings import STALL_SECONDS
from arena.storage.endings import default_folder

PATIENCE = 8  # after this many consecutive unsolved positions, earlier positions are not tried
KNOWN = 100_000  # number of positions whose values are cached


class Judged(NamedTuple):
    """A judged move; `value` and `given` are None if unknown.

    Attributes:
        seat: The seat of the player who made it, 0 or 1.
        value: Value of the position before it for that player: 1 won, 0 drawn, -1 lost.
        given: Value that the move loses: 0, 1 or 2.
    """

    seat: int
    value: int | None
    given: int | None


class Judge(Protocol):
    """Judges how much value the moves of a match lose."""

    def moves(self, texts: Iterable[str], start: str | None = None) -> Iterable[Judged]:
        """Yield the judged moves of a line, up to the first illegal one.

        Args:
            texts: The moves in the game's notation.
            start: Text of the position in which the line begins; None for the game's own start.
        """
        ...


def judge_of(game: Game, nodes: int) -> Judge:
    """Return a judge for a game: by its solver, by enumeration, or by general search.

    Args:
        game: The game.
        nodes: Maximum number of positions searched to solve a position. Positions in stored endings are
            looked up.
    """
    if class_of_solver(game, registry()) is None:
        with suppress(TooManyPositions):
            return GraphJudge(graph_of(game, Explorer(game).few))
    pieces = most_pieces(game, default_folder(), registry())
    return SearchJudge(game, nodes, probe(game, pieces) if pieces else None)


class GraphJudge:
    """Judges moves by the solution of all positions.

    Attributes:
        graph: The game's graph.
        values: int64 [positions], as in `Solution`.
        given_away: int64 [moves], as in `Solution`.
        moves_by_text: Indices of moves by text, for each position.
        starts: Indices of start positions by text; None for positions that cannot be reached.
    """

    def __init__(self, graph: Graph) -> None:
        solution = solve(graph)
        self.graph, self.values, self.given_away = graph, solution.values, solution.given_away
        self.moves_by_text: dict[int, dict[str, int]] = {}
        self.starts: dict[str, int | None] = {}

    def moves(self, texts: Iterable[str], start: str | None = None) -> Iterator[Judged]:
        """Yield the judged moves, see `Judge.moves`."""
        graph = self.graph
        if self.number_of(start) is None:
            yield from self.unjudged(texts, start)
            return
        for i, k in self.walk(texts, start):
            yield Judged(int(graph.movers[i]), int(self.values[i]), int(self.given_away[k]))

    def walk(self, texts: Iterable[str], start: str | None = None) -> Iterator[tuple[int, int]]:
        """Yield the indices of a line's positions and of the moves made in them, up to an unknown move."""
        start_here = self.number_of(start)
        if start_here is None:
            return
        i = start_here
        for text in texts:
            k = self.moves_of(i).get(text)
            if k is None:
                return
            yield i, k
            i = int(self.graph.after[k])

    def number_of(self, start: str | None) -> int | None:
        """Return the index of the position with this text; None if it cannot be reached from the start."""
        if start is None:
            return 0
        if start not in self.starts:
            with blaming(self.graph.game):
                state = self.graph.game.read_position(start)
            self.starts[start] = self.graph.number_of(state)
        return self.starts[start]

    def unjudged(self, texts: Iterable[str], start: str | None) -> Iterator[Judged]:
        """Yield the moves of a line as judged moves with unknown values."""
        game = self.graph.game
        with blaming(game):
            state = start_of(game, start)
            for text in texts:
                move = next((move for move in game.moves(state) if game.move_text(move) == text), None)
                if move is None:
                    return
                yield Judged(game.to_move(state), None, None)
                state = game.play(state, move)

    def moves_of(self, i: int) -> dict[str, int]:
        """Return the indices of a position's moves, by text."""
        if i not in self.moves_by_text:
            numbers = range(int(self.graph.first[i]), int(self.graph.first[i + 1]))
            with blaming(self.graph.game):
                texts = [self.graph.game.move_text(move) for move in self.graph.moves_of(i)]
            self.moves_by_text[i] = dict(zip(texts, numbers, strict=True))
        return self.moves_by_text[i]


class SearchJudge:
    """Judges moves by solving a match's positions from last to first, since late positions are easier.

    The judgements also depend on matches judged earlier, whose results remain in the table.

    Args:
        game: The game.
        nodes: Maximum number of positions searched to solve a position.
        endings: Endings in memory, which are looked up and at which searches end. Default: none.
    """

    def __init__(self, game: Game, nodes: int, endings: Codes | None = None) -> None:
        self.game, self.nodes = game, nodes
        solver = judging_solver(game, endings)
        check_offered(game, solver.uses, STALL_SECONDS)
        self.search = Searched(solver, distance=False, nodes=nodes, known=endings)
        self.known: dict[State, int | None] = {}

    def line(self, texts: Iterable[str], start: str | None = None) -> list[State]:
        """Return the positions of a match, up to the first illegal move."""
        with blaming(self.game):
            states = [start_of(self.game, start)]
            for text in texts:
                here = states[-1]
                for move in self.game.moves(here):
                    if self.game.move_text(move) == text:
                        states.append(self.game.play(here, move))
                        break
                else:
                    break
        return states

    def moves(self, texts: Iterable[str], start: str | None = None) -> Iterator[Judged]:
        """Yield the judged moves, see `Judge.moves`."""
        states = self.line(texts, start)
        movers, values = self.values(states)
        for i in range(len(states) - 1):
            before, after = values[i], values[i + 1]
            if before is None or after is None:
                yield Judged(movers[i], None, None)
            else:
                yield Judged(movers[i], before, before - (after if movers[i] == movers[i + 1] else -after))

    def values(self, states: Sequence[State]) -> tuple[list[int], list[int | None]]:
        """Return for each position the side to move and the value for this side; None if unknown."""
        values: list[int | None] = [None] * len(states)
        in_a_row = 0
        with blaming(self.game):
            movers = [self.game.to_move(state) for state in states]
            for i in range(len(states) - 1, -1, -1):
                after = values[i + 1] if i + 1 < len(states) else None
                if after is not None and movers[i] != movers[i + 1]:
                    after = -after
                values[i] = self.worth_of(states[i], -1 if after is None else after)
                in_a_row = in_a_row + 1 if values[i] is None else 0
                if in_a_row == PATIENCE:
                    break
        return movers, values

    def worth_of(self, state: State, least: int = -1) -> int | None:
        """Return the value of a position for the side to move; None if that takes too long.

        Args:
            state: The position.
            least: A lower bound of the value, from a move with known value.
        """
        if state not in self.known:
            if len(self.known) == KNOWN:
                self.known.clear()
            self.known[state] = 1 if least == 1 else self.search.worth(state, least).value
        return self.known[state]

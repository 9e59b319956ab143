"""Moves of a match held against perfect play, by the game's graph or by search."""

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
from arena.plan.settings import STALL_SECONDS
from arena.registry.plugins import registry
from arena.storage.endings import default_folder

PATIENCE = 8  # positions in a row that are not solved, before those that came earlier are not tried
KNOWN = 100_000  # positions whose worth is remembered


class Judged(NamedTuple):
    """A move. seat: who made it, 0 or 1. value: of the position before it, to who made it: 1 won, 0, -1 lost.

    given: by how much the position after it is worth less. Both are None where that is not known.
    """

    seat: int
    value: int | None
    given: int | None


class Judge(Protocol):
    """What moves give away."""

    def moves(self, texts: Iterable[str], start: str | None = None) -> Iterable[Judged]:
        """Each move of a line, up to the first that the rules do not know.

        start: the text of the position that the line begins in, None for the game's own start.
        """
        ...


def judge_of(game: Game, nodes: int) -> Judge:
    """By the game's solver, or all its positions, or a search that does for any: of so many nodes each.

    What is in endings of the game that are kept is not searched.
    """
    if class_of_solver(game, registry()) is None:
        with suppress(TooManyPositions):
            return GraphJudge(graph_of(game, Explorer(game).few))
    pieces = most_pieces(game, default_folder(), registry())
    return SearchJudge(game, nodes, probe(game, pieces) if pieces else None)


class GraphJudge:
    """Knows all positions of a game.

    moves_by_text: of positions: the numbers of their moves. starts: by their texts the numbers of positions
    that matches begin in.
    """

    def __init__(self, graph: Graph) -> None:
        solution = solve(graph)
        self.graph, self.values, self.given_away = graph, solution.values, solution.given_away
        self.moves_by_text: dict[int, dict[str, int]] = {}
        self.starts: dict[str, int | None] = {}

    def moves(self, texts: Iterable[str], start: str | None = None) -> Iterator[Judged]:
        """As `Judge` has it."""
        graph, i = self.graph, self.number_of(start)
        if i is None:
            yield from self.unjudged(texts, start)
            return
        for text in texts:
            k = self.moves_of(i).get(text)
            if k is None:
                return
            yield Judged(int(graph.movers[i]), int(self.values[i]), int(self.given_away[k]))
            i = int(graph.after[k])

    def number_of(self, start: str | None) -> int | None:
        """The number of the position with this text, None if play from the start never gets there."""
        if start is None:
            return 0
        if start not in self.starts:
            with blaming(self.graph.game):
                state = self.graph.game.read_position(start)
            self.starts[start] = self.graph.number_of(state)
        return self.starts[start]

    def unjudged(self, texts: Iterable[str], start: str | None) -> Iterator[Judged]:
        """Return the moves of a line unsolved: only who made each is known."""
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
        """The numbers of a position's moves, by their texts."""
        if i not in self.moves_by_text:
            numbers = range(int(self.graph.first[i]), int(self.graph.first[i + 1]))
            with blaming(self.graph.game):
                texts = [self.graph.game.move_text(move) for move in self.graph.moves_of(i)]
            self.moves_by_text[i] = dict(zip(texts, numbers, strict=True))
        return self.moves_by_text[i]


class SearchJudge:
    """Solves the positions of matches from the last to the first, since it is the late ones that are easy.

    What it says depends on the matches that it has seen, too, as these have left something in its table.
    endings: of the game, in memory, which are known and at which a search ends; None without.
    """

    def __init__(self, game: Game, nodes: int, endings: Codes | None = None) -> None:
        self.game, self.nodes = game, nodes
        solver = judging_solver(game, endings)
        check_offered(game, solver.uses, STALL_SECONDS)
        self.search = Searched(solver, distance=False, nodes=nodes, known=endings)
        self.known: dict[State, int | None] = {}

    def line(self, texts: Iterable[str], start: str | None = None) -> list[State]:
        """The positions of a match, as far as the rules know its moves."""
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
        """As `Judge` has it."""
        states = self.line(texts, start)
        movers, values = self.values(states)
        for i in range(len(states) - 1):
            before, after = values[i], values[i + 1]
            if before is None or after is None:
                yield Judged(movers[i], None, None)
            else:
                yield Judged(movers[i], before, before - (after if movers[i] == movers[i + 1] else -after))

    def values(self, states: Sequence[State]) -> tuple[list[int], list[int | None]]:
        """Who is to move in each position, and what that is worth to them; None where it is not known."""
        values: list[int | None] = [None] * len(states)
        in_a_row = 0
        with blaming(self.game):
            movers = [self.game.to_move(state) for state in states]
            for i in range(len(states) - 1, -1, -1):
                values[i] = self.worth_of(states[i])
                in_a_row = in_a_row + 1 if values[i] is None else 0
                if in_a_row == PATIENCE:
                    break
        return movers, values

    def worth_of(self, state: State) -> int | None:
        """What a position is worth to the player to move; None if that takes too long."""
        if state not in self.known:
            if len(self.known) == KNOWN:
                self.known.clear()
            self.known[state] = self.search.worth(state).value
        return self.known[state]

"""The function `arena.solve`, which computes the value of a position under perfect play."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.endings import kept, most_pieces, probe
from arena.analysis.enumeration import Enumeration
from arena.analysis.graph import Explorer, TooManyPositions
from arena.analysis.solvers import class_of_solver, made_solver
from arena.analysis.solving import LookedUp, Searched, Worth, after_move
from arena.api.game import Game, Move, State
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import telling
from arena.api.solver import Solver
from arena.calls.arguments import GameEntry, game_spec, known_with
from arena.calls.execution import Execution
from arena.commands.position.call import position_of
from arena.errors import ArenaError, Stopped
from arena.faults.rule_check import check_offered
from arena.plan.entries import make_game
from arena.registry.plugins import Registry
from arena.results.settings import STALL_SECONDS, check_range
from arena.show.board import standing
from arena.show.figures import bars
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.position_board import board_of
from arena.show.presentation import Part, Shown
from arena.storage.endings import default_folder
from arena.texts import either

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEMORY = 512  # default size of the transposition table in megabytes
MOST_THREADS = 1024
SLICE = 1 << 12  # positions between calls of `go_on`
WORDS = {1: "won", 0: "drawn", -1: "lost", None: "not solved"}


@dataclass(frozen=True, repr=False)
class Solved(Shown):
    """The value of a position under perfect play.

    Attributes:
        game: The game.
        state: The position.
        worth: Value for the side to move, and number of plies to the end.
        moves: Legal moves with their values for the side to move, in the game's order; empty if not
            requested.
        visited: Number of positions examined.
        seconds: Time taken in seconds.
    """

    frame_columns: ClassVar[Columns] = {
        "game": Column(str, "The game."),
        "position": Column(str, "The position, in the game's notation."),
        "move": Column(str, "A legal move; missing in the only row unless values of moves were requested."),
        "value": Column(int, "Value for the side to move: 1 won, 0 drawn, -1 lost; missing if unknown."),
        "plies": Column(int, "Plies to the end of the game, if requested and it is not drawn."),
    }

    game: Game
    state: State
    worth: Worth
    moves: Sequence[tuple[Move, Worth]]
    visited: int
    seconds: float

    @property
    def value(self) -> int | None:
        """1 if the side to move wins, 0 for a draw, -1 if it loses; None if unknown."""
        return self.worth.value

    @property
    def plies(self) -> int | None:
        """The number of plies left with the fastest win; None for a draw, or if not requested."""
        return self.worth.plies

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        with telling(self.game):
            text = self.game.position_text(self.state)
            said = standing(self.game, self.state)[0]
            rows = [[self.game.move_text(move), in_words(worth)] for move, worth in self.moves]
        yield board_of(self.game, self.state)
        yield f"{text}: {said}; {in_words(self.worth)}"
        if rows:
            yield Grid(["move", "worth"], rows, left=2)

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each move, or one for the position if values of moves were not requested."""
        with telling(self.game):
            about = {"game": str(self.game), "position": self.game.position_text(self.state)}
        if not self.moves:
            return [{**about, "value": self.value, "plies": self.plies}]
        return [{**about, **row} for row in self.to_dicts()]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the value of each move, or that of the position if values of moves were not requested.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        with telling(self.game):
            worths = [(self.game.move_text(move), worth) for move, worth in self.moves]
        worths = worths or [("position", self.worth)]
        values = {name: float(worth.value or 0) for name, worth in worths}
        texts = {name: in_words(worth) for name, worth in worths}
        ax = bars(values, "value for the side to move", texts=texts, ax=ax)
        ax.set_xlim(-1.9, 1.9)
        ax.set_xticks([-1, 0, 1], ["lost", "drawn", "won"])
        return ax

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each move, if values of moves were requested."""
        with telling(self.game):
            return [
                {"move": self.game.move_text(move), "value": worth.value, "plies": worth.plies}
                for move, worth in self.moves
            ]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        with telling(self.game):
            text = self.game.position_text(self.state)
        facts = {"game": str(self.game), "state": text, "value": self.value, "plies": self.plies}
        return {**facts, "visited": self.visited, "moves": self.to_dicts()}


def in_words(worth: Worth) -> str:
    """Return a value as text, such as `won in 7 plies`."""
    if worth.plies is None:
        return WORDS[worth.value]
    return f"{WORDS[worth.value]} in {worth.plies} {'ply' if worth.plies == 1 else 'plies'}"


def solve(
    game: GameEntry = None,
    position: str | None = None,
    *,
    moves: str = "",
    each: bool = False,
    distance: bool = False,
    memory: int = MEMORY,
    threads: int | None = None,
    nodes: int = 0,
    table: str | Path | None = None,
    endings: str | Path | None = None,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Solved:
    """Determine the value of a position under perfect play.

    If the endgame database has the position, its value is looked up. Otherwise a game with a solver is
    searched by the solver, a game with few positions is enumerated, and any other game is searched up to
    stored endings. Draws by repetition or length are disregarded.

    >>> import arena
    >>> found = arena.solve("tic-tac-toe", "XX.OO....", each=True)
    >>> found.value, found.plies, found.to_dicts()[0]
    (1, 1, {'move': '3', 'value': 1, 'plies': 1})

    Args:
        game: The game, as in `arena.match`. Default: the first installed.
        position: Text of the position. Default: the start.
        moves: Moves played from the position first, in the notation of the game.
        each: Also determine the value of each move.
        distance: Also determine the number of plies left, which may take several times as long.
        memory: Size of the transposition table in megabytes.
        threads: Number of search threads, which does not affect the value. Default: the number of processors.
        nodes: Maximum number of positions searched for each value; 0: no limit. A value not found is None.
        table: File that stores the transposition table for the next call; its size is `memory`.
        endings: Folder of endings. Default: the folder of `arena.endings`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The value: 1 won, 0 drawn, -1 lost for the player to move.

    Raises:
        ArenaError: If the position cannot be read.
        Stopped: If `stop` was set before the end.
    """
    check_range("memory", memory, 1, 1 << 20)
    check_range("nodes", nodes, 0, 1 << 62)
    known = known_with(game=game)
    on = game_spec(game, known)
    made = make_game(on)
    state = position_of(made, position, moves).state
    if threads is not None:
        check_range("threads", threads, 1, MOST_THREADS)
    how = Execution.of(known, progress=progress, stop=stop)
    began = perf_counter()
    with how.showing(f"Solving {on.text}", "positions") as tell, telling(made):

        def go_on(visited: int) -> None:
            tell(visited, 0, "")
            if how.stop.is_set():
                raise Stopped("Stopped before the position was solved.")

        codes = None
        by: LookedUp | Searched | None = looked_up(made, state, known, endings)
        if by is None:
            solver: Solver | None = None
            if class_of_solver(made, known) is None:
                solver = enumerated(made, state, go_on)
            if solver is None:
                folder = Path(endings) if endings else default_folder()
                pieces = most_pieces(made, folder, known)
                codes = probe(made, pieces, folder) if pieces else None
                solver = made_solver(made, on, known, memory << 20, table, codes, distance)
                check_offered(made, solver.uses, STALL_SECONDS)
            by = Searched(solver, distance or solver.exact, go_on, threads or how.count, nodes, codes)
        try:
            with foreign(ArenaError):
                worth = by.worth(state)
                of_moves = worth_of_moves(by, made, state) if each else []
        except Failed as error:
            raise ArenaError(f"solver {made} failed: {error}") from error
    return Solved(made, state, worth, of_moves, by.visited, perf_counter() - began)


def looked_up(game: Game, state: State, known: Registry, endings: str | Path | None) -> LookedUp | None:
    """Return a lookup in a folder of endings; None if the folder does not have the position.

    Raises:
        ArenaError: If `endings` is passed, and the folder has no endings of the game.
    """
    folder = Path(endings) if endings else default_folder()
    found = kept(game, folder, known)
    if found is None:
        if endings:
            maker = either("arena endings", "arena.endings")
            raise ArenaError(f"{folder} has no endings of {game}; create them with '{maker}'")
        return None
    try:
        with foreign(ArenaError):
            return LookedUp(game, found.worth) if found.worth(state) else None
    except Failed as error:
        raise ArenaError(f"endings of {game} failed: {error}") from error


def worth_of_moves(by: LookedUp | Searched, game: Game, state: State) -> list[tuple[Move, Worth]]:
    """Return each legal move with its value for the side to move."""
    found = []
    for move in game.moves(state):
        after = game.play(state, move)
        turns = game.to_move(after) != game.to_move(state)
        found.append((move, after_move(by.worth(after), turns)))
    return found


def enumerated(game: Game, state: State, go_on: Callable[[int], object]) -> Enumeration | None:
    """Solve all positions of a game.

    Args:
        game: The game.
        state: The position whose value is needed.
        go_on: Function that is called regularly with the number of positions examined.

    Returns:
        The solution; None if there are too many positions, or the position is not reachable.
    """
    explorer = Explorer(game)
    try:
        while not explorer.done:
            explorer.go_on(SLICE, explorer.few)
            go_on(explorer.expanded)
    except TooManyPositions:
        return None
    found = Enumeration(game, explorer)
    return found if found.knows(state) else None

"""The function `arena.explain`, which shows how an agent scores its moves."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arena.api.agent import Agent
from arena.api.answers import views
from arena.api.explanation import Facts, Reason, View
from arena.api.game import Game, Move, State
from arena.api.learner import Learner
from arena.api.plugin_guard import Failed, foreign, quiet
from arena.api.rulings import blaming, check_from, given_move, telling
from arena.api.spec import Spec
from arena.calls.arguments import Entry, GameEntry, agent_spec, game_spec, known_with
from arena.calls.execution import Execution, train_first
from arena.commands.position.call import state_after
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError
from arena.plan.entries import check_entries, make_game
from arena.registry.plugins import Registry
from arena.results.settings import STALL_SECONDS
from arena.rng import Rng
from arena.show.board import standing
from arena.show.figures import bars
from arena.show.figures.canvas import label
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.position_board import board_of
from arena.show.presentation import Part, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """An entry's views of its moves in a position, and the move it plays.

    Attributes:
        game: The game.
        state: The position.
        entry: The entry.
        moves: The legal moves, in the game's order.
        views: Views of the moves, in the same order.
        chosen: The move that it plays.
        best: Number of best moves to show with reasons.
        reasons: Number of reasons to show for each of these moves.
    """

    frame_columns: ClassVar[Columns] = {
        "entry": Column(str, "The entry."),
        "move": Column(str, "A legal move, in the game's notation."),
        "score": Column(float, "The entry's score for the move, in its own unit."),
        "verdict": Column(str, "The proven outcome, such as `won in 3 plies`; missing if there is none."),
        "chosen": Column(bool, "Whether the entry plays it."),
    }

    game: Game
    state: State
    entry: str
    moves: Sequence[Move]
    views: Sequence[View]
    chosen: Move
    best: int = 3
    reasons: int = 3

    def ranked(self) -> list[tuple[Move, View]]:
        """Return moves and their views, best first; among equals, the move that is played comes first."""

        def rank(row: tuple[Move, View]) -> tuple[float, bool]:
            move, view = row
            return -view.score if view.score is not None else float("inf"), move != self.chosen

        return sorted(zip(self.moves, self.views, strict=True), key=rank)

    def boards(self) -> Sequence[tuple[State | None, Part]]:
        """Return the output from top to bottom, each part with the position to draw above it, or None."""
        with telling(self.game):
            return [*described(self)]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        for state, part in self.boards():
            if state is not None:
                yield board_of(self.game, state)
            yield part

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each move, the best first."""
        with telling(self.game):
            return [
                {
                    "entry": self.entry,
                    "move": self.game.move_text(move),
                    "score": view.score,
                    "verdict": view.verdict or None,
                    "chosen": move == self.chosen,
                }
                for move, view in self.ranked()
            ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the score of each move, the best first; the move that is played has another colour.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        with telling(self.game):
            ranked = [(self.game.move_text(move), view) for move, view in self.ranked()]
            chosen = self.game.move_text(self.chosen)
        scores = {name: view.score or 0.0 for name, view in ranked}
        texts = {name: view.verdict for name, view in ranked if view.verdict}
        texts |= {name: "no score" for name, view in ranked if view.score is None and not view.verdict}
        return bars(scores, f"score by {label(self.entry)}", marked=[chosen], texts=texts, ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each move, in the game's order, with all reasons."""
        views = zip(self.moves, self.views, strict=True)
        with telling(self.game):
            return [describe(self.game, move, view) for move, view in views]

    def to_dict(self) -> dict[str, object]:
        """Return the explanation as a dictionary for JSON."""
        with telling(self.game):
            return {
                "entry": self.entry,
                "game": str(self.game),
                "state": self.game.position_text(self.state),
                "move": self.game.move_text(self.chosen),
                "moves": self.to_dicts(),
            }


def described(found: Explanation) -> Iterator[tuple[State | None, Part]]:
    """Yield the output of an explanation; see `Explanation.boards`."""
    game, rows = found.game, found.ranked()
    said, _ = standing(game, found.state)
    played = game.move_text(found.chosen)
    yield found.state, f"{game.position_text(found.state)}: {said}; {found.entry} plays {played}"
    names = list(dict.fromkeys(name for _, view in rows for name in view.facts))
    table = []
    for move, view in rows:
        told = {**texts(view.facts), **({"score": view.verdict} if view.verdict else {})}
        mark = "→" if move == found.chosen else ""
        table.append([mark, game.move_text(move), *(told.get(name, "") for name in names)])
    yield None, Grid(["", "move", *names], table, left=2)
    for move, view in rows[: found.best]:
        if view.reasons[: found.reasons]:
            yield None, ""
            yield None, f"{game.move_text(move)}, because of"
        for reason in view.reasons[: found.reasons]:
            facts = ", ".join(f"{name} {text}" for name, text in texts(reason.facts).items() if text)
            line = f"{game.position_text(reason.state)}: {game.move_text(reason.move)}"
            yield reason.state, line + (f" ({facts})" if facts else "")


def explain(
    entry: Entry,
    position: str | None = None,
    *,
    game: GameEntry = None,
    moves: str = "",
    seed: int = 0,
    best: int = 3,
    reasons: int = 3,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Explanation:
    """Show how an entry scores its moves in a position, and which move it plays.

    A learner without a model is trained first.

    >>> import arena
    >>> found = arena.explain("minimax:ties=first", "XX.OO....", game="tic-tac-toe")
    >>> found.game.move_text(found.chosen), found.ranked()[0][1].verdict
    ('3', 'won')

    Args:
        entry: The entry, as in `arena.match`.
        position: Text of the position. Default: the start.
        game: The game, as in `arena.match`. Default: the first installed.
        moves: Moves played from the position first, in the notation of the game.
        seed: Seed of all random numbers.
        best: Number of moves for which reasons are printed.
        reasons: Number of reasons printed for each.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The views of all moves, and the move that is played.

    Raises:
        ArenaError: If the entry does not explain its moves, or the game is over.
        Stopped: If `stop` was set before the end.
    """
    known = known_with([entry], game)
    on = game_spec(game, known)
    made = make_game(on)
    spec = agent_spec(entry, known)
    check_entries([spec], made)
    with telling(made):
        state = state_after(made, position, moves)
        legal = made.moves(state)
        if not legal:
            said, _ = standing(made, state)
            over = f"{made} is over in {made.position_text(state)!r}, {said}"
            raise ArenaError(f"{over}; name a position with moves")
    check_tells(spec)
    ready(spec, on, known, Execution.of(known, progress=progress, stop=stop))
    given, chosen = ask(spec, on, state, legal, seed)
    return Explanation(made, state, spec.text, legal, given, chosen, best, reasons)


def check_tells(spec: Spec) -> None:
    """Raise ArenaError if an entry cannot explain its moves."""
    if spec.cls.explain is Agent.explain:
        raise silent(spec)


def ready(spec: Spec, on: Spec, known: Registry, how: Execution) -> None:
    """Train the learners of an entry that have no model yet, or raise ArenaError."""
    if any(issubclass(part.cls, Learner) for part in spec.walk()):
        train_first([spec], on, known, how, STALL_SECONDS, strict=True)


def ask(spec: Spec, game: Spec, state: State, moves: list[Move], seed: int) -> tuple[Sequence[View], Move]:
    """Return an entry's views of its moves, and the move it plays.

    Raises:
        ArenaError: If it does not explain its moves, fails, or plays an illegal move.
    """
    try:
        with foreign(ArenaError):
            agent = spec.make(with_compiled_rules(game.make()))
            given = views(agent, state, moves)
            agent.begin(agent.game.to_move(state))
            chosen = agent.choose(state, list(moves), Rng(seed))
    except Failed as error:
        with quiet(), blaming(fresh := game.make()):  # the cause may be the game
            check_from(fresh, state)
        raise ArenaError(f"{spec.text} fails: {error}") from error
    if not given:
        raise silent(spec)
    if chosen not in moves:
        move = given_move(agent.game, chosen)
        raise ArenaError(f"{spec.text} plays {move}, which is not a move in this position")
    return given, chosen


def silent(spec: Spec) -> ArenaError:
    return ArenaError(f"{spec.text!r} does not explain its moves")


def texts(facts: Facts) -> dict[str, str]:
    """Return the values of facts as text, such as `1,234`, `0.8125` or `yes`; "" for None."""

    def text(number: float | None) -> str:
        if number is None:
            return ""
        if isinstance(number, bool):
            return "yes" if number else "no"
        return f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"

    return {name: text(number) for name, number in plain(facts).items()}


def plain(facts: Mapping[str, Any]) -> Mapping[str, float | None]:
    """Return facts with numpy numbers converted to Python numbers."""
    return {name: n.item() if hasattr(n, "item") else n for name, n in facts.items()}


def describe(game: Game, move: Move, view: View) -> dict[str, object]:
    """Return the view of a move as a dictionary for JSON."""
    return {
        "move": game.move_text(move),
        **plain(view.facts),
        "verdict": view.verdict or None,
        "reasons": [describe_reason(game, reason) for reason in view.reasons],
    }


def describe_reason(game: Game, reason: Reason) -> Mapping[str, object]:
    return {
        "state": game.position_text(reason.state),
        "move": game.move_text(reason.move),
        **plain(reason.facts),
    }

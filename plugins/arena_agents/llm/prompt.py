"""Prompts: descriptions of a game and a position, and of the fault in a model's first answer."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc

from arena import Game, State
from arena_agents.engines.line import Line
from arena_agents.llm.reading import CUT_OFF, EMPTY, ILLEGAL, Unread

HOW = (
    "Answer with one of the legal moves, written as it is above. You may think first. The last line of your "
    "answer has to be MOVE: and the move, such as\nMOVE: {example}"
)
WRONG = {
    CUT_OFF: "Your answer was too long and is cut off. Be brief.",
    EMPTY: "Your answer was empty.",
    ILLEGAL: "You answered {what}, which is no legal move here.",
}
NO_MOVE = "Your answer does not end with a move."


def question(game: Game, line: Line, legal: Sequence[str]) -> str:
    """Return the game's description, the position at the end of `line`, its moves, and the legal moves."""
    state = line.state
    side = game.sides[game.to_move(state)]
    parts = [
        f"You play a match of {game} as {side}.",
        f"The game:\n{described(game)}",
        f"{played(game, line)}",
        f"The position in the game's notation:\n{game.position_text(state)}",
        drawn(game, state),
        f"It is your move, as {side}. The legal moves:\n{' '.join(legal)}",
        HOW.format(example=legal[0]),
    ]
    return "\n\n".join(part for part in parts if part)


def described(game: Game) -> str:
    """Return the description of the game's class, and the names of its players."""
    said = cleandoc(type(game).__doc__ or "")
    first, second = game.sides
    return f"{said}\nThe players are {first}, who moves first, and {second}.".lstrip()


def played(game: Game, line: Line) -> str:
    """Return the moves that led to the current position, as far as they are known."""
    if not line.moves:
        return ""
    start = "" if line.start == game.initial() else f" from the position {line.start_text}"
    return f"The moves so far{start}, of both players:\n{' '.join(line.moves)}"


def drawn(game: Game, state: State) -> str:
    """Return the board as text; empty if that is a single line."""
    board = game.board_text(state)
    return "" if board == game.position_text(state) else f"The board:\n{board}"


def complaint(fault: Unread, legal: Sequence[str]) -> str:
    """Return a text that says what is wrong with an answer, and how to answer instead."""
    wrong = WRONG.get(fault.kind, NO_MOVE).format(what=repr(fault.what[:80]))
    return f"{wrong} The legal moves are:\n{' '.join(legal)}\n{HOW.format(example=legal[0])}"

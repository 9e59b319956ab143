"""The functions `arena.position` and `arena.perft`: positions, and numbers of lines of play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from arena.analysis.perft import perft as count
from arena.api.game import Game, Move, State
from arena.api.lines import read_word, words_of
from arena.api.rulings import check_position, telling
from arena.calls.arguments import GameEntry, game_spec, known_with
from arena.errors import ArenaError
from arena.plan.entries import make_game
from arena.results.settings import whole_number
from arena.show.board import standing, svg
from arena.show.frame import Column, Columns
from arena.show.position_board import board_of
from arena.show.presentation import Part, Shown


@dataclass(frozen=True, repr=False)
class Position(Shown):
    """A position of a game: its board, the side to move and the legal moves.

    Attributes:
        game: The game.
        state: The position, as the game's rules represent it.
    """

    frame_columns: ClassVar[Columns] = {
        "move": Column(str, "A legal move, in the game's notation."),
        "after": Column(str, "The position after it."),
    }

    game: Game
    state: State

    @property
    def text_of_state(self) -> str:
        """The position in the game's notation."""
        with telling(self.game):
            return self.game.position_text(self.state)

    @property
    def moves(self) -> list[str]:
        """The legal moves in the game's notation."""
        with telling(self.game):
            return [*map(self.game.move_text, self.game.moves(self.state))]

    @property
    def standing(self) -> str:
        """The side to move, or the winner, as text."""
        with telling(self.game):
            return standing(self.game, self.state)[0]

    def board(self) -> str:
        """Return the board as text, as the game draws it."""
        with telling(self.game):
            return self.game.board_text(self.state)

    def svg(self) -> str:
        """Return the board as an SVG document."""
        with telling(self.game):
            return svg(self.game, self.state)

    def _repr_svg_(self) -> str:
        return self.svg()

    def line(self) -> str:
        """Return the position, the side to move and the legal moves on one line."""
        moves = " ".join(self.moves)
        return f"{self.text_of_state}: {f'{self.standing}: {moves}' if moves else f'over, {self.standing}'}"

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield board_of(self.game, self.state)
        yield self.line()

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each move."""
        game, state = self.game, self.state
        with telling(game):
            return [
                {"move": game.move_text(move), "after": game.position_text(game.play(state, move))}
                for move in game.moves(state)
            ]

    def to_dict(self) -> dict[str, object]:
        """Return the position as a dictionary for JSON."""
        with telling(self.game):
            over = not self.game.moves(self.state)
            return {
                "state": self.text_of_state,
                "to_move": self.game.sides[self.game.to_move(self.state)],
                "over": over,
                "value": self.game.value(self.state) if over else None,
                "moves": self.to_dicts(),
            }


def position(game: GameEntry = None, text: str | None = None, *, moves: str = "") -> Position:
    """Return a position of a game.

    >>> import arena
    >>> arena.position("tic-tac-toe", "X.O......").moves
    ['2', '4', '5', '6', '7', '8', '9']
    >>> arena.position("tic-tac-toe", moves="1 3").text_of_state
    'X.O......'

    Args:
        game: The game, as in `arena.match`. Default: the first installed.
        text: Text of the position in the notation of the game. Default: the start.
        moves: Moves played from the position first, in the notation of the game.

    Returns:
        The position and its legal moves.

    Raises:
        ArenaError: If the position or a move cannot be read.
    """
    made = make_game(game_spec(game, known_with(game=game)))
    return position_of(made, text, moves)


def check_text(name: str, given: object) -> None:
    """Raise ArenaError unless an argument is a string."""
    if not isinstance(given, str):
        raise ArenaError(f"{name} is {given!r}, but must be a text")


def position_of(game: Game, text: str | None, moves: str = "") -> Position:
    """Return a position of a game instance; see `position`.

    Raises:
        ArenaError: If the position or a move cannot be read.
        GameFault: If the rules fail.
    """
    check_text("moves", moves)
    if text is not None:
        check_text("position", text)
    with telling(game):
        state = state_after(game, text, moves)
        for move in game.moves(state):
            check_position(game, game.play(state, move))
    return Position(game, state)


def state_after(game: Game, text: str | None, moves: str) -> State:
    """Return the position after some moves, checking each position on the way.

    Args:
        game: The game.
        text: The position to start from; None for the start of the game.
        moves: The moves.
    """
    state = game.initial() if text is None else game.read_position(text)
    check_position(game, state)
    for _, after in line_of(game, state, moves):
        check_position(game, after)
        state = after
    return state


def line_of(game: Game, state: State, text: str) -> list[tuple[Move, State]]:
    """Parse moves from text, and return each with the position after it.

    Raises:
        ArenaError: If a word of the text is not a legal move.
    """
    found: list[tuple[Move, State]] = []
    for number, word in enumerate(words_of(game, text), 1):
        try:
            found += read_word(game, state, word)
        except ArenaError as error:
            if not game.moves(state):
                said = f"{game} is over after the previous move; leave it out"
                raise ArenaError(f"move {number} is {word!r}: {said}") from error
            raise ArenaError(f"move {number}: {error}") from error
        state = found[-1][1]
    return found


def made_game(game: GameEntry) -> Game:
    """Return an instance of a game, or raise ArenaError."""
    return make_game(game_spec(game, known_with(game=game)))


def perft(game: GameEntry, depth: int, position: str | None = None, *, moves: str = "") -> list[int]:
    """Count the lines of play of 1, 2, … plies from a position.

    >>> import arena
    >>> arena.perft("tic-tac-toe", 4)
    [9, 72, 504, 3024]

    Args:
        game: The game, as in `arena.match`. Default: the first installed.
        depth: Maximum number of plies.
        position: Text of the position. Default: the start.
        moves: Moves played from the position first, in the notation of the game.

    Returns:
        The numbers of lines of 1 to `depth` plies.

    Raises:
        ArenaError: If the position or a move cannot be read.
    """
    return [*perft_lines(game, depth, position, moves)]


def perft_lines(game: GameEntry, depth: int, position: str | None = None, moves: str = "") -> Iterator[int]:
    """Yield the numbers of lines of play of 1, 2, … plies as they are counted; see `perft`."""
    depth = whole_number("depth", depth)
    made = position_of(made_game(game), position, moves)
    counts = count(made.game, made.state, depth)
    while True:
        with telling(made.game):
            lines = next(counts, None)
        if lines is None:
            return
        yield lines

"""The base class of games: rules in plain Python, notation, board drawings and optional capabilities."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from arena.api.component import make_arrays, make_lists
from arena.api.deprecated import take_old_names
from arena.api.drawing import Drawing
from arena.api.drawing_text import board_text, letter
from arena.api.generic import Generic, MoveT, StateT
from arena.api.lines import read_word, words_of
from arena.api.options import Configurable
from arena.api.words import TEXTS, is_nested, is_word, is_words, kind_of, same_shape
from arena.errors import ArenaError, did_you_mean
from arena.rng import Rng, derive

State = Any  # hashable; equal positions compare equal
Move = Any  # hashable; different moves are unequal
LONGEST_SHOWN = 20  # maximum number of characters shown of a text that is not a move


class Game(Configurable, Generic[StateT, MoveT]):
    """Rules of a deterministic game for two players with perfect information.

    A game must define `initial`, `moves`, `play`, `to_move` and `value`. Player 0 moves first. Everything
    else is optional: a game has a capability if it overrides all methods of that capability, and agents may
    require capabilities. `moves` and `features` may be generators.

    With type annotations, subclass `Game[State, Move]`. States and moves must be hashable, and states of
    equal positions must be equal.

    If states are tuples of ints, or texts of a fixed length, and moves are ints, the methods are compiled
    where possible, see `docs/compiling.md`. Attributes of the game are constants in compiled code.
    """

    name: str = ""  # the registered name with options; set when the game is created by name
    sides: ClassVar[tuple[str, str]] = ("first", "second")  # names of players 0 and 1
    max_moves: int = 256  # largest number of legal moves in a position
    max_plies: int = 10_000  # number of plies after which a match is a draw
    repetition: int = 0  # number of occurrences of a position that make a draw; 0 = never
    quiet_plies: int = 0  # number of plies without a capture that make a draw; 0 = never
    alternating: bool = False  # whether the players always alternate, without passes
    reachable: int | None = None  # number of reachable positions, if all can be enumerated
    drawing: Drawing | None = None  # how it is drawn, using `piece`; None: as its grid or its `board_text`

    def __init_subclass__(cls, **kwargs: object) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        make_arrays(cls)
        make_lists(cls, ("moves",))

    def __str__(self) -> str:
        return self.name or type(self).__name__

    def __getstate__(self) -> dict[str, object]:
        """Return the attributes without the compiled rules, since each process compiles its own."""
        return {name: value for name, value in vars(self).items() if not inspect.isbuiltin(value)}

    # --- the rules --------------------------------------------------------------------------------

    def initial(self) -> StateT:
        """Return the position at the start."""
        raise NotImplementedError  # subclasses implement it

    def moves(self, state: StateT) -> list[MoveT]:
        """Return the legal moves, always in the same order; empty when the game is over.

        May be a generator: callers receive a list in any case.
        """
        raise NotImplementedError  # subclasses implement it

    def play(self, state: StateT, move: MoveT) -> StateT:
        """Return the position after a legal move, without changing `state`."""
        raise NotImplementedError  # subclasses implement it

    def to_move(self, state: StateT) -> int:
        """Return the player to move, 0 or 1. Also defined when the game is over."""
        raise NotImplementedError  # subclasses implement it

    def value(self, state: StateT) -> int:
        """Return the outcome of a finished game for the player to move: 1 win, 0 draw, -1 loss."""
        raise NotImplementedError  # subclasses implement it

    def irreversible(self, state: StateT, move: MoveT) -> int:
        """Return whether a move is a capture or otherwise irreversible.

        Called only if `repetition` or `quiet_plies` is set. These two rules apply in matches only: search and
        learning ignore them.

        Returns:
            2 for a capture, and for any other move that resets the count of `quiet_plies`, such as a pawn
            move in chess; 1 for another move after which no earlier position can recur; otherwise 0.
        """
        return 0

    # --- notation -----------------------------------------------------------------------------------

    def move_text(self, move: MoveT) -> str:
        """Return a move in the notation of the game, without spaces and unique within its position."""
        return "".join(str(move).split())

    def read_move(self, state: StateT, text: str) -> MoveT:
        """Return the legal move with this text. Case is ignored if the move is still unique.

        Raises:
            ArenaError: If no legal move has this text.
        """
        legal = {self.move_text(move): move for move in self.moves(state)}
        if text in legal:
            return legal[text]
        alike = [name for name in legal if name.casefold() == text.casefold()]
        if len(alike) == 1:
            return legal[alike[0]]
        # the text may come from any file that is named in a tournament file
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        raise ArenaError(f"{self} has no move {shown!r} here{did_you_mean(text, legal)}")

    def split_moves(self, text: str) -> list[str]:
        """Split a text of several moves into texts for `read_move`. Default: at whitespace.

        Override it if moves are written without spaces between them, as in `4435`, or with annotations. Text
        that is not a move may be dropped: this is accepted in records of matches, but is an error in a line
        typed by a user. A move called `pass` may be omitted if it is the only legal move.
        """
        return text.split()

    def position_text(self, state: StateT) -> str:
        """Return a position as a one-line text."""
        return repr(state)

    def read_position(self, text: str) -> StateT:
        """Return the position with this text. Default: the text is a list of moves from the start.

        Raises:
            ArenaError: If the text is not a position.
        """
        state = self.initial()
        for word in words_of(self, text):
            state = read_word(self, state, word)[-1][1]
        return state

    def start_text(self, text: str) -> str:
        """Return the start position text that is recorded for a match that begins with this text.

        Default: `position_text` of the position. Override it if a text contains more than the position. FEN,
        for example, includes the number of plies since the last capture and the move number.
        """
        return self.position_text(self.read_position(text))

    def quiet_in(self, text: str) -> int:
        """Return the number of plies without a capture according to a position's text. Default: 0.

        A match that begins there starts counting towards `quiet_plies` from this number.
        """
        return 0

    def match_text(self, tags: Mapping[str, str], moves: Sequence[str]) -> str:
        """Return a match in a format for other programs for this game. Default: its moves on one line.

        `arena.api.tagged` helps to write PGN and PDN. There may be more tags than are listed here.

        Args:
            tags: `event`; `date` as 2026.01.31; `round`; `first` and `second`, the players; `result` as 1-0,
                1/2-1/2 or 0-1 from the first player's side; `termination`, the recorded reason. If the match
                was timed, `time_control`: `60+0.6`, or `1/5` for five seconds per move. If agents recorded
                usage, `usage`: a JSON list of objects with `ply` (1 for the first), `seat` (0 or 1) and the
                items of the agent's `move_usage`. If the match did not begin at the game's own start,
                `start`: the text of the start position.
            moves: The texts of the moves.
        """
        return f"{tags['start']} moves {' '.join(moves)}".strip() if "start" in tags else " ".join(moves)

    def board_text(self, state: StateT) -> str:
        """Return a position as a multi-line text.

        Default: the `drawing` of the game as plain text, or `position_text` if it has none.
        """
        if self.drawing is None:
            return self.position_text(state)
        found = (self.piece(state, cell) for cell in range(len(self.drawing.places)))
        return board_text(self.drawing, [letter(self, piece) if piece else "" for piece in found])

    def cell_text(self, cell: int) -> str:
        """Return the label of a cell on a drawn board, which may be empty. Default: 1, 2, and so on."""
        return str(cell + 1)

    def piece_text(self, piece: int) -> str:
        """Return the text on a piece of the grid, one or two columns wide and different for each piece.

        Default: none. Pieces 1 and 2 are then drawn as discs, 3 and 4 as discs with a crown.
        """
        return ""

    # --- capabilities: to offer one, override all its methods -------------------------------------------

    def evaluate(self, state: StateT) -> float:
        """*evaluation*: Return how good a position is for the player to move; 0 is even."""
        raise NotImplementedError  # subclasses implement it

    symmetries: int = 1  # *symmetries*: number of symmetries of the board; symmetry 0 is the identity

    def image(self, state: StateT, i: int) -> StateT:
        """*symmetries*: Return the position under symmetry `i`."""
        raise NotImplementedError  # subclasses implement it

    def image_move(self, move: MoveT, i: int) -> MoveT:
        """*symmetries*: Return the move under symmetry `i`.

        Playing it in the image of a position must lead to the image of the position after `move`.
        """
        raise NotImplementedError  # subclasses implement it

    cells: Sequence[tuple[int, int]] = ()  # *grid*: x, y of each playable cell, y = 0 at the top

    def piece(self, state: StateT, cell: int) -> int:
        """*grid*: Return the piece on a cell: 0 for none, odd for player 0, even for player 1."""
        raise NotImplementedError  # subclasses implement it

    def anchor(self, state: StateT, move: MoveT) -> int:
        """*grid*: Return the cell that a move starts from, or where it places a new piece."""
        raise NotImplementedError  # subclasses implement it

    def shape(self, state: StateT, move: MoveT) -> object:
        """*grid*: Return a move relative to its anchor, including the kinds of captured pieces in order.

        Moves that differ only in their location on the board have equal shapes, in any position.
        """
        raise NotImplementedError  # subclasses implement it

    pieces: int = 2  # *grid*: the highest piece number
    dark: int = 0  # *grid*: the player whose pieces are drawn dark

    def shape_image(self, shape: object, i: int) -> object:
        """*turning*: Return a shape on the transformed board.

        Args:
            shape: The shape, as `shape` returns it.
            i: The sum of the transformations, applied in this order: 4 exchanges x and y, 1 mirrors left and
                right, 2 mirrors top and bottom, 8 exchanges the players, and thus the pieces 1 and 2, 3 and
                4, …
        """
        raise NotImplementedError  # subclasses implement it

    feature_names: Sequence[str] = ()  # *features*: a name for each feature
    neutral_features: int = 0  # *features*: bit f is set if feature f does not depend on the player to move

    def features(self, state: StateT) -> Sequence[float]:
        """*features*: Return numbers that describe a position for the player to move, one for each name.

        Each number is that of the player to move minus that of the opponent: if the other player were to
        move, all but the neutral features would change sign. May be a generator.
        """
        raise NotImplementedError  # subclasses implement it

    @property
    def capabilities(self) -> tuple[str, ...]:
        """The names of the capabilities that the game has, in the order of `CAPABILITIES`."""
        return tuple(name for name, parts in CAPABILITIES.items() if all(self.offers(part) for part in parts))

    def offers(self, part: str) -> bool:
        """Return whether the game overrides a method or constant of `Game`."""
        inherited = getattr(Game, part)
        if callable(inherited):
            return getattr(type(self), part) is not inherited
        return bool(getattr(self, part) != inherited)

    @cached_property
    def flat(self) -> bool:
        """Whether every state is a tuple of the same number of 64-bit ints, and every move a 64-bit int.

        The tuple may contain tuples, such as the rows of a board, and texts, which have a fixed length, too.
        A state may also be a text, or bytes, of fixed length.
        Determined by random matches. Set `flat = False` in a game in which only late positions differ.
        """
        try:
            return unlike_flat(self) is None
        except (Exception, SystemExit):  # raised by the rules; it is raised again where they are used
            return False


FLAT_MATCHES, FLAT_PLIES = 4, 100  # random matches, and plies of each, to detect whether a game is flat


def unlike_flat(game: Game) -> tuple[str, str] | None:
    """Return the method that prevents a game from being flat, with a description of its result; else None."""
    start = game.initial()
    if not is_words(start):
        return "initial", f"{start!r}, which is not a tuple of ints"
    for seed in range(FLAT_MATCHES):
        state, rng = start, Rng(derive(seed))
        for _ in range(FLAT_PLIES):
            moves = game.moves(state)
            for move in moves:
                if not is_word(move):
                    return "moves", f"{move!r} in {state!r}, which is not an int"
            if not moves:
                break
            before, state = state, game.play(state, rng.choice(moves))
            if not is_words(state):
                return "play", f"{state!r} after {before!r}, which is not a tuple of ints"
            if not same_shape(state, start):
                return "play", f"{state!r} after {before!r}, which is {unlike(state, start)}"
    return None


def unlike(state: Sequence[object], start: Sequence[object]) -> str:
    """Return how the shape of a position differs from that of the initial one, for messages."""
    if kind_of(state) is not kind_of(start):
        return f"a {type(state).__name__}, and not a {type(start).__name__} as initial is"
    if isinstance(state, TEXTS):
        return f"of length {len(state)}, and not of {len(start)} as initial is"
    if is_nested(state) or is_nested(start):
        return "nested otherwise than initial is"
    return f"of {len(state)} numbers, and not of {len(start)} as initial is"


CAPABILITIES: Mapping[str, tuple[str, ...]] = {
    "evaluation": ("evaluate",),
    "symmetries": ("symmetries", "image", "image_move"),
    "grid": ("cells", "piece", "anchor", "shape"),
    "turning": ("shape_image",),
    "features": ("feature_names", "features"),
    "enumeration": ("reachable",),
}
CAPABILITY_USES: Mapping[str, str] = {  # what each capability is used for
    "evaluation": "searches with a depth limit evaluate positions with it",
    "symmetries": "learners and solvers treat symmetric positions as one",
    "grid": "the board can be drawn, and agents can read the pieces on it",
    "turning": "agents treat rotated or mirrored patterns as one",
    "features": "agents learn a weight for each",
    "enumeration": "the game is small enough to be solved, evaluated exactly and learned by value iteration",
}


def positions(game: Game, limit: int = 10_000_000) -> Iterator[State]:
    """Yield every position that can be reached from the start, each once, breadth first.

    Raises:
        ArenaError: If there are more than `limit` positions.
    """
    start = game.initial()
    seen = {start}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        yield state
        for move in game.moves(state):
            after = game.play(state, move)
            if after not in seen:
                if len(seen) == limit:
                    raise ArenaError(f"{game} has more than {limit:,} positions; raise the limit")
                seen.add(after)
                queue.append(after)


def canonical(game: Game, state: State) -> State:
    """Return the smallest of a position's images, which is the same for all symmetric positions."""
    return min(game.image(state, i) for i in range(game.symmetries))

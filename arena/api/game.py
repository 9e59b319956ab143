"""What a game is: rules in plain Python, and around them what people and agents need."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from arena.api.component import make_arrays, make_lists
from arena.api.deprecated import take_old_names
from arena.api.generic import Generic, MoveT, StateT
from arena.api.lines import read_word, words_of
from arena.api.options import Configurable
from arena.errors import ArenaError, did_you_mean
from arena.rng import Rng, derive

State = Any  # hashable, equal when the position is equal
Move = Any  # hashable, and equal to itself only
LONGEST_SHOWN = 20  # characters of what is no move


class Game(Configurable, Generic[StateT, MoveT]):
    """Rules of a deterministic game for two players, with perfect information.

    Write the first five methods and the game plays. Player 0 moves first. What else a game offers
    beyond them, its `capabilities`, agents may ask for. `moves` may yield, and so may `features`.

    A game whose positions are tuples of ints, and whose moves are ints, runs compiled if its methods can:
    see `docs/compiling.md`. Its attributes are constants then.
    """

    name: str = ""  # as registered, with options: set when the game is made by name
    sides: ClassVar[tuple[str, str]] = ("first", "second")  # what players 0 and 1 are called
    max_moves: int = 256  # no position has more
    max_plies: int = 10_000  # a match that gets this long is a draw
    repetition: int = 0  # the n-th occurrence of a position draws; 0 = never
    quiet_plies: int = 0  # n plies without a capture draw; 0 = never
    alternating: bool = False  # the players always move in turn, nobody passing or moving twice
    reachable: int | None = None  # number of positions that play can reach, if all can be visited

    def __init_subclass__(cls, **kwargs: Any) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        make_arrays(cls)
        make_lists(cls, ("moves",))

    def __str__(self) -> str:
        return self.name or type(self).__name__

    def __getstate__(self) -> dict[str, Any]:
        """Without the compiled rules, which each process gets for itself."""
        return {name: value for name, value in vars(self).items() if not inspect.isbuiltin(value)}

    # --- the rules --------------------------------------------------------------------------------

    def initial(self) -> StateT:
        """The position at the start."""
        raise NotImplementedError  # the author's to write

    def moves(self, state: StateT) -> list[MoveT]:
        """The legal moves, always in the same order; none when the game is over. May yield them."""
        raise NotImplementedError  # the author's to write

    def play(self, state: StateT, move: MoveT) -> StateT:
        """The position after a legal move; `state` itself is left as it was."""
        raise NotImplementedError  # the author's to write

    def to_move(self, state: StateT) -> int:
        """The player to move, 0 or 1, also when the game is over."""
        raise NotImplementedError  # the author's to write

    def value(self, state: StateT) -> int:
        """The outcome of a position without moves, for the player to move: 1 won, 0 drawn, -1 lost."""
        raise NotImplementedError  # the author's to write

    def irreversible(self, state: StateT, move: MoveT) -> int:
        """2 for a capture, 1 for another move after which no earlier position can come again, else 0.

        Also 2 for another move from which on `quiet_plies` are counted anew, such as a pawn's in chess.
        Asked only where `repetition` or `quiet_plies` makes a draw. These are the match's to watch:
        positions, and so search and learning, know nothing of them.
        """
        return 0

    # --- notation -----------------------------------------------------------------------------------

    def move_text(self, move: MoveT) -> str:
        """A move in the game's notation: no spaces, and different for different moves of a position."""
        return "".join(str(move).split())

    def read_move(self, state: StateT, text: str) -> MoveT:
        """Return the legal move with this text, in any case if that is clear, or raise ArenaError."""
        legal = {self.move_text(move): move for move in self.moves(state)}
        if text in legal:
            return legal[text]
        alike = [name for name in legal if name.casefold() == text.casefold()]
        if len(alike) == 1:
            return legal[alike[0]]
        # it may be a line of any file, which a tournament's file named
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        raise ArenaError(f"{self} has no move {shown!r} here{did_you_mean(text, legal)}")

    def split_moves(self, text: str) -> list[str]:
        """Split a text of several moves into texts that `read_move` reads. Default: at blanks.

        Override it if moves are written without blanks, as in `4435`, or with annotations between them. Text
        that is no move may be left out: records of matches are read without it, and where a line of moves is
        typed it is an error. A move called `pass` may be missing where it is the only one.
        """
        return text.split()

    def position_text(self, state: StateT) -> str:
        """A position on one line."""
        return repr(state)

    def read_position(self, text: str) -> StateT:
        """The position with this text, or ArenaError. Unless overridden: moves from the start."""
        state = self.initial()
        for word in words_of(self, text):
            state = read_word(self, state, word)[-1][1]
        return state

    def start_text(self, text: str) -> str:
        """Return the text under which a match is recorded that begins in the position with this text.

        Default: `position_text` of the position. Override it if a text says more than the position, as FEN
        does: how many plies there were without a capture, and the number of the move.
        """
        return self.position_text(self.read_position(text))

    def quiet_in(self, text: str) -> int:
        """Return the plies without a capture that a position's text states. Default: 0.

        In a match that begins there `quiet_plies` are counted on from this number.
        """
        return 0

    def match_text(self, tags: Mapping[str, str], moves: Sequence[str]) -> str:
        """Return a match as other programs of this game read it. Default: its moves on one line.

        `arena.api.tagged` has what PGN and PDN need. There may be more tags than are listed here.

        Args:
            tags: `event`; `date` as 2026.01.31; `round`; `first` and `second`, the players; `result` as 1-0,
                1/2-1/2 or 0-1 from the first player's side; `termination`, the reason as it is recorded.
                If the match was timed, `time_control`: `60+0.6`, or `1/5` for five seconds a move. If agents
                said something of their moves, `usage`: a list in JSON of objects with `ply`, 1 for the first,
                `seat`, 0 or 1, and what the agent recorded in `move_usage`. If the match did not begin at the
                game's own start, `start`: the text of the position.
            moves: Their texts.
        """
        return f"{tags['start']} moves {' '.join(moves)}".strip() if "start" in tags else " ".join(moves)

    def board_text(self, state: StateT) -> str:
        """A position as people draw it, on several lines."""
        return self.position_text(state)

    def cell_text(self, cell: int) -> str:
        """What a cell of the grid is called on a drawn board, or nothing. Unless overridden: 1, 2, …"""
        return str(cell + 1)

    def piece_text(self, piece: int) -> str:
        """What is written on a piece of the grid, in one or two columns, another for each piece.

        Nothing, unless overridden: pieces 1 and 2 are drawn as discs then, 3 and 4 with a crown.
        """
        return ""

    # --- capabilities: offer any of them by overriding all methods of its group ----------------------

    def evaluate(self, state: StateT) -> float:
        """*evaluation*: how good a position is for the player to move; 0 is even."""
        raise NotImplementedError  # the author's to write

    symmetries: int = 1  # *symmetries*: how many ways the board maps onto itself, 0 being none at all

    def image(self, state: StateT, i: int) -> StateT:
        """The position under symmetry `i`."""
        raise NotImplementedError  # the author's to write

    def image_move(self, move: MoveT, i: int) -> MoveT:
        """The move under symmetry `i`: playing it in the image gives the image of the move played."""
        raise NotImplementedError  # the author's to write

    cells: Sequence[tuple[int, int]] = ()  # *grid*: x, y of each playable cell, y = 0 on top

    def piece(self, state: StateT, cell: int) -> int:
        """*grid*: what stands on a cell: 0 nothing, odd a piece of player 0, even one of player 1."""
        raise NotImplementedError  # the author's to write

    def anchor(self, state: StateT, move: MoveT) -> int:
        """*grid*: the cell of the piece that a move moves, or where it puts one."""
        raise NotImplementedError  # the author's to write

    def shape(self, state: StateT, move: MoveT) -> Any:
        """*grid*: a move relative to its anchor, with the kinds of what it captures in order.

        Equal for moves that are the same but for where they are made, in any position.
        """
        raise NotImplementedError  # the author's to write

    pieces: int = 2  # *grid*: the highest number of a piece
    dark: int = 0  # *grid*: the player whose pieces are drawn dark

    def shape_image(self, shape: Any, i: int) -> Any:
        """*turning*: a shape on the board turned, `i` saying how, in this order.

        4 exchanges x and y, 1 mirrors left and right, 2 top and bottom, 8 exchanges the players and so the
        pieces 1 and 2, 3 and 4, …; their sums do several.
        """
        raise NotImplementedError  # the author's to write

    feature_names: Sequence[str] = ()  # *features*: one name a feature
    neutral_features: int = 0  # *features*: bit f is set if feature f is the same whoever is to move

    def features(self, state: StateT) -> Sequence[float]:
        """*features*: numbers that describe a position for the player to move, one a name.

        They are own minus other: if the other player were to move they would have the other sign, but for
        those that are neutral. May yield them.
        """
        raise NotImplementedError  # the author's to write

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the game offers of `CAPABILITIES`, in that order."""
        return tuple(name for name, parts in CAPABILITIES.items() if all(self.offers(part) for part in parts))

    def offers(self, part: str) -> bool:
        """Whether the game has a method or constant of its own in place of `Game`'s."""
        inherited = getattr(Game, part)
        if callable(inherited):
            return getattr(type(self), part) is not inherited
        return bool(getattr(self, part) != inherited)

    @cached_property
    def flat(self) -> bool:
        """Whether positions are tuples of equally many ints, and moves ints, below 2**63; some are seen.

        A game where only later positions are otherwise says so itself: `flat = False`.
        """
        try:
            return unlike_flat(self) is None
        except (Exception, SystemExit):  # of the rules; it shows again where they are played by
            return False


FLAT_MATCHES, FLAT_PLIES = 4, 100  # random matches, and plies of each, that show whether a game is flat


def unlike_flat(game: Game) -> tuple[str, str] | None:
    """The method by which a game is not flat, and what it gives; None if it is flat, as far as is seen."""
    start = game.initial()
    if not is_words(start):
        return "initial", f"{start!r}, which is no tuple of ints"
    for seed in range(FLAT_MATCHES):
        state, rng = start, Rng(derive(seed))
        for _ in range(FLAT_PLIES):
            moves = game.moves(state)
            for move in moves:
                if not is_word(move):
                    return "moves", f"{move!r} in {state!r}, which is no int"
            if not moves:
                break
            before, state = state, game.play(state, rng.choice(moves))
            if not is_words(state):
                return "play", f"{state!r} after {before!r}, which is no tuple of ints"
            if len(state) != len(start):
                lengths = f"{len(state)} numbers, and not of {len(start)} as initial is"
                return "play", f"{state!r} after {before!r}, which is of {lengths}"
    return None


def is_words(x: Any) -> bool:
    """Whether something is a tuple of ints of 64 bits, at least one."""
    return isinstance(x, tuple) and bool(x) and all(map(is_word, x))


def is_word(x: Any) -> bool:
    """Whether something is an int of 64 bits."""
    return isinstance(x, int) and -(2**63) <= x < 2**63


CAPABILITIES: Mapping[str, tuple[str, ...]] = {
    "evaluation": ("evaluate",),
    "symmetries": ("symmetries", "image", "image_move"),
    "grid": ("cells", "piece", "anchor", "shape"),
    "turning": ("shape_image",),
    "features": ("feature_names", "features"),
    "enumeration": ("reachable",),
}
CAPABILITY_USES: Mapping[str, str] = {  # what each is for
    "evaluation": "search that stops early judges positions by it",
    "symmetries": "learners and solvers take positions that mirror each other for one",
    "grid": "boards are drawn, and agents read what stands where",
    "turning": "agents take patterns that are turned or mirrored for one",
    "features": "agents learn what each is worth",
    "enumeration": "it is small enough to be solved, evaluated exactly and learned by iteration",
}


def positions(game: Game, limit: int = 10_000_000) -> Iterator[State]:
    """Every position that play can reach, each once, breadth first from the start.

    Raises ArenaError when there are more than `limit`.
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
    """The least of the position's images: the same for all positions that symmetry makes equal."""
    return min(game.image(state, i) for i in range(game.symmetries))

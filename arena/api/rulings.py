"""Checked calls of a game's methods: each result must follow the contract of `arena.Game`.

A violation is reported as a fault of the game.
"""

from __future__ import annotations

import dataclasses
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from inspect import isfunction, signature
from math import isfinite
from typing import Any

from arena.api.component import lack_of
from arena.api.explanation import RESERVED
from arena.api.game import Game, Move, State
from arena.api.plugin_guard import Failed, foreign
from arena.api.words import is_word
from arena.errors import ArenaError, Reported, one_line, safe_text
from arena.rng import Rng

RULES = ("initial", "moves", "play", "to_move", "value")  # methods that every game must define
MATCHES, PLIES = 20, 200  # number of random matches, and maximum plies of each


class GameFault(ArenaError):
    """The game's own code failed or broke a promise; no agent is to blame."""


@contextmanager
def blaming(game: Game) -> Iterator[None]:
    """Convert exceptions raised in the context, except ArenaError, to a one-line GameFault."""
    try:
        yield
    except (ArenaError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise GameFault(f"game {game} failed: {safe_text(one_line, error)}") from error


@contextmanager
def telling(game: Game) -> Iterator[None]:
    """Convert failures of a game in the context to GameFault, and send what it prints to standard error."""
    try:
        with foreign(ArenaError):
            yield
    except Failed as error:
        raise GameFault(f"game {game} failed: {error}") from error


def check_declared(game: Game) -> None:
    """Raise ValueError or Reported unless a game's methods and constants have the types stated in `Game`."""
    for name in RULES:
        if getattr(type(game), name) is getattr(Game, name):
            raise Reported(f"it {lack_of(type(game), name)}")
    check_arguments(game)
    for name, least in (("max_moves", 1), ("max_plies", 1), ("repetition", 0), ("quiet_plies", 0)):
        number = getattr(game, name)
        if not isinstance(number, int) or number < least:
            raise ValueError(f"{name} is {number!r}, not a whole number from {least} on")
    if not isinstance(game.alternating, bool):
        raise ValueError(f"alternating is {game.alternating!r}, not True or False")
    if game.dark not in (0, 1):
        raise ValueError(f"dark is {game.dark!r}, not 0 or 1")
    sides = game.sides
    if not isinstance(sides, tuple | list) or [type(side) for side in sides] != [str, str]:
        raise ValueError(f"sides are {sides!r}, not two names")


def check_arguments(game: Game) -> None:
    """Raise Reported if an overriding method cannot be called with the arguments of the method in `Game`."""
    for name, base in vars(Game).items():
        overridden = isfunction(base) and not name.startswith("_") and getattr(type(game), name) is not base
        if not overridden or not callable(own := getattr(game, name)):
            continue
        names = [*signature(base).parameters]
        try:
            signature(own).bind(*names[1:])
        except TypeError:
            raise Reported(f"{name} has the wrong arguments; write def {name}({', '.join(names)})") from None
        except ValueError:  # the method has no signature
            continue


def check_position(game: Game, state: State, before: int = -1) -> None:
    """Check the rules in a position; raise their exceptions, or ValueError if they break the contract.

    before: as in `player_to_move`.
    """
    try:
        hash(state)
    except TypeError as error:
        raise TypeError(f"{error}; let a position be a tuple, or a frozen dataclass of such") from error
    moves = legal_moves(game, state)
    check_texts(game, moves)
    if moves:
        player_to_move(game, state, before)
    else:
        outcome(game, state, before)
    for name in ("position_text", "board_text"):
        text = getattr(game, name)(state)
        if not isinstance(text, str):
            raise ValueError(f"{name} is {text!r}, not a text")


def check_texts(game: Game, moves: Sequence[Move]) -> None:
    """Raise ValueError unless each move has a different text."""
    meant: dict[str, Move] = {}
    for move in moves:
        text = notation(game, move)
        if text in meant:
            raise ValueError(f"move_text is {text!r} both for {meant[text]!r} and {move!r}")
        meant[text] = move


def check_beginning(game: Game) -> None:
    """Check the rules in the start position of a game, where player 0 is to move."""
    state = game.initial()
    check_position(game, state)
    if game.to_move(state) != 0:
        raise ValueError("player 1 is to move at the start; to_move must return 0 there")


def check_from(game: Game, state: State) -> None:
    """Check the rules in positions of random matches that begin in a position."""
    for seed in range(MATCHES):
        rng, reached = Rng(seed), state
        for _ in range(PLIES):
            check_position(game, reached)
            if not (moves := game.moves(reached)):
                break
            reached = played(game, reached, rng.choice(moves))


def start_of(game: Game, start: str | None) -> State:
    """Return the position with this text; if it is None, the game's own start position."""
    return game.initial() if start is None else game.read_position(start)


def played(game: Game, state: State, move: Move) -> State:
    """Return the position after a legal move, or raise ValueError if the game returns none."""
    after = game.play(state, move)
    if after is None:
        raise ValueError(f"play of {shown(game, move)} returns None, not a position")
    return after


def legal_moves(game: Game, state: State) -> list[Move]:
    """Return the legal moves; raise ValueError for duplicates or more than `max_moves` moves."""
    moves = game.moves(state)
    if len(set(moves)) < len(moves):
        distinct(moves)
    if len(moves) > game.max_moves:
        raise ValueError(f"moves returns {len(moves)} moves, but max_moves is {game.max_moves}")
    return moves


def distinct(moves: list[Move]) -> list[Move]:
    """Return the moves unchanged, or raise ValueError if one is listed twice."""
    if len(set(moves)) < len(moves):
        twice = next(move for i, move in enumerate(moves) if move in moves[:i])
        raise ValueError(f"moves returns {twice!r} twice")
    return moves


def player_to_move(game: Game, state: State, before: int = -1) -> int:
    """Return the player to move, 0 or 1, or raise ValueError. before: the last player, or -1."""
    seat = game.to_move(state)
    if seat not in (0, 1):
        raise ValueError(f"to_move is {seat!r}, not 0 or 1")
    if game.alternating and seat == before:
        raise ValueError(f"alternating is True, but player {seat} moves twice in a row")
    return seat


def outcome(game: Game, state: State, before: int = -1) -> int:
    """Return the result of a finished match for the first player: 1, 0 or -1; or raise ValueError.

    before: as in `player_to_move`.
    """
    value = game.value(state)
    if value not in (-1, 0, 1):
        raise ValueError(f"value is {value!r}, not 1, 0 or -1")
    return int(value) if player_to_move(game, state, before) == 0 else -int(value)


def shown(game: Game, move: Move) -> str:
    """Return a move in the game's notation, or its `repr` if that fails."""
    try:
        return str(game.move_text(move))
    except Exception:
        return safe_text(repr, move)


def given_move(game: Game, given: object, line: Sequence[Move] = ()) -> str:
    """Return a readable text for a value that an agent or a user passed as a move.

    A move that is legal in a position of `line`, a line of play from the start, is shown in the game's
    notation, anything else as its `repr`.
    """
    text = safe_text(repr, given)
    with suppress(Exception):
        for here in reached(game, line):
            for move in game.moves(here):
                if safe_text(repr, move) == text or same_move(move, given):
                    return shown(game, move)
    return text


def reached(game: Game, line: Sequence[Move]) -> Iterator[State]:
    """Yield the positions of a line of play from the start."""
    state = game.initial()
    yield state
    for move in line:
        state = game.play(state, move)
        yield state


def same_move(move: Move, given: object) -> bool:
    """Return whether a given value equals a move, by the comparison that matches use."""
    try:
        return bool(move == given)
    except Exception:
        return False


def notations(game: Game, moves: Sequence[Move]) -> str:
    """Return the texts of moves separated by spaces, or raise ValueError if one is not a valid text."""
    with suppress(TypeError):  # a value that is not a text, which is reported below
        text = " ".join(map(game.move_text, moves))
        if text.isprintable() and len(text.split()) == len(moves):
            return text
    return " ".join(notation(game, move) for move in moves)


def notation(game: Game, move: Move) -> str:
    """Return the text of a move, which must be one printable word; otherwise raise ValueError."""
    text = game.move_text(move)
    if not isinstance(text, str) or text.split() != [text] or not text.isprintable():
        raise ValueError(f"move_text of {move!r} is {text!r}, not one word")
    return text


def are_words(numbers: Iterable[object]) -> bool:
    """Return whether all numbers are 64-bit ints."""
    return all(type(x) is int and is_word(x) for x in numbers)


def evaluation(game: Game, state: State) -> None:
    """`evaluate` is a finite number.

    Look for a division by zero, or for infinity minus infinity.
    """
    assert isfinite(game.evaluate(state)), f"evaluate is {game.evaluate(state)!r}"


def symmetries(game: Game, state: State) -> None:
    """The images of a position are played as it is.

    Symmetry 0 must be the identity, the composition of two symmetries must be a symmetry, and `image_move`
    must agree with `image`.
    """
    moves = game.moves(state)
    images = [game.image(state, i) for i in range(game.symmetries)]
    assert images[0] == state, "symmetry 0 is not the identity"
    for i, image in enumerate(images):
        closed = Counter(game.image(other, i) for other in images) == Counter(images)
        assert closed, f"symmetry {i} after another is not one of the {game.symmetries}: they are not a group"
        assert game.to_move(image) == game.to_move(state), f"symmetry {i} changes the player to move"
        mapped = {game.image_move(move, i) for move in moves}
        assert mapped == {*game.moves(image)}, (
            f"symmetry {i} maps the moves to {mapped!r}, which are not the moves of the image"
        )
        for move in moves:
            same = game.play(image, game.image_move(move, i)) == game.image(game.play(state, move), i)
            assert same, (
                f"symmetry {i}: the image of {game.move_text(move)}, played in the image, leads elsewhere"
            )
        assert moves or game.value(image) == game.value(state), f"symmetry {i} changes the value"


def grid(game: Game, state: State) -> None:
    """Every move has a cell with a piece of its player, and a shape of its own there.

    Number cells as in `cells`; odd pieces belong to player 0, even pieces to player 1, up to `pieces`.
    """
    moves, mover, cells = game.moves(state), game.to_move(state), range(len(game.cells))
    for cell in cells:
        assert game.piece(state, cell) >= 0, f"piece on cell {cell} is {game.piece(state, cell)!r}"
    for move in moves:
        cell = game.anchor(state, move)
        assert cell in cells, (
            f"anchor of {game.move_text(move)} is {cell!r}, but there are {len(cells)} cells"
        )
        piece = game.piece(state, cell) or game.piece(game.play(state, move), cell)
        own = piece and piece % 2 != mover
        assert own, (
            f"piece is {piece} at the anchor of {game.move_text(move)} by player {mover}; odd are player 0's"
        )
    shapes = {(game.anchor(state, move), game.shape(state, move)) for move in moves}
    assert len(shapes) == len(moves), "two moves have the same anchor and shape"
    if game.flat:
        given = [game.piece(state, cell) for cell in cells] + [x for pair in shapes for x in pair]
        assert are_words(given), "piece, anchor or shape returns a value that is not an int"
    highest = max(game.piece(state, cell) for cell in cells)
    assert highest <= game.pieces, f"piece returns {highest}, but pieces is {game.pieces}"


def turning(game: Game, state: State) -> None:
    """A shape that is turned and turned back is itself again.

    Let `shape_image` mirror for bits 1 and 2, exchange x and y for bit 4, and the players for bit 8.
    """
    shapes = [game.shape(state, move) for move in game.moves(state)] if "grid" in game.capabilities else []
    for shape in shapes:
        assert game.shape_image(shape, 0) == shape, f"shape_image {shape!r}, 0 is another shape"
    for i in range(1, 16):
        back = (i & 12) | ((i & 1) << 1) | ((i & 2) >> 1) if i & 4 else i
        images = [game.shape_image(shape, i) for shape in shapes]
        for shape, image in zip(shapes, images, strict=True):
            again = game.shape_image(image, back)
            assert again == shape, (
                f"shape_image turns {shape!r} by {i} to {image!r}, and by {back} to {again!r}"
            )


def features(game: Game, state: State) -> None:
    """`features` gives a finite number for each of `feature_names`.

    With the other player to move all features but the `neutral_features` must change sign.
    """
    values, names = list(game.features(state)), game.feature_names
    taken = [name for name in names if name in (*RESERVED, "score")]
    assert not taken, f"calls a feature {taken[0]!r}, a name that is reserved in explanations"
    assert len(values) == len(names), f"features returns {len(values)} numbers for {len(names)} feature_names"
    assert all(map(isfinite, values)), f"features are {values}"
    if hasattr(game, "null_move"):
        for f, seen in enumerate(game.features(game.null_move(state))):
            turned = values[f] if game.neutral_features >> f & 1 else -values[f]
            assert seen == turned, f"{names[f]} is {values[f]}, and {seen} with the other player to move"


CAPABILITY_CHECKS: Mapping[str, Callable[[Game, State], None]] = {
    "evaluation": evaluation,
    "symmetries": symmetries,
    "grid": grid,
    "turning": turning,
    "features": features,
}


EXACT = frozenset({int, str, bool, float, bytes, type(None)})


def place_of(legal: Sequence[Move], move: Move) -> int:
    """Return the index of a move among the legal moves.

    Raises:
        ValueError: If it is not a legal move.
        Exception: Whatever the game's own comparison, or an `__index__`, raises.
    """
    if type(move) not in EXACT:
        move = plain(move, legal)
    return legal.index(move)


def plain(thing: Any, legal: Sequence[object]) -> object:
    """Convert a value returned by an agent to built-in types or types of the game, or raise ValueError."""
    if type(thing) in EXACT:
        return thing
    if isinstance(thing, tuple):
        return tuple([plain(item, legal) for item in tuple.__iter__(thing)])
    if isinstance(thing, int):
        return int.__int__(thing)
    if isinstance(thing, str):
        return str.__str__(thing)
    if isinstance(thing, float):
        return float.__float__(thing)
    if type(thing) in {*types_in(legal)}:
        if dataclasses.is_dataclass(thing):
            values = [getattr(thing, field.name) for field in dataclasses.fields(thing)]
            if any(plain(value, legal) is not value for value in values):
                raise ValueError("its values have other types than those of legal moves")
        return thing
    if hasattr(type(thing), "__index__"):
        return plain(operator.index(thing), legal)
    if hasattr(type(thing), "__float__"):
        return plain(float(thing), legal)
    raise ValueError(f"it is a {type(thing).__name__}")


def types_in(things: Iterable[object]) -> Iterator[type]:
    """Yield the types of values, including the items of tuples and fields of dataclasses."""
    for thing in things:
        yield type(thing)
        if isinstance(thing, tuple):
            yield from types_in(thing)
        elif dataclasses.is_dataclass(thing):
            yield from types_in(getattr(thing, field.name) for field in dataclasses.fields(thing))

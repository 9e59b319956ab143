"""What a game promises of each position, capability by capability."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any
from xml.etree import ElementTree

from arena.api.explanation import RESERVED
from arena.api.game import Game, Move, State, is_word
from arena.report.board import svg


def equals_its_copy(game: Game, state: State) -> None:
    """Positions are hashable, and equal to their copies.

    Keep a position in a tuple, a text or a frozen dataclass.
    """
    copy = pickle.loads(pickle.dumps(state))
    assert (copy, hash(copy)) == (state, hash(state)), "the state, or its hash, is not equal to its copy's"


def moves_repeat(game: Game, state: State) -> None:
    """`moves` gives a list, each move once, at most `max_moves`, and the same each time.

    Make a new list at every call, from the position alone, without repetitions.
    """
    moves = game.moves(state)
    assert isinstance(moves, list), f"moves gives a {type(moves).__name__}, not a list"
    assert len(moves) <= game.max_moves, f"max_moves is {game.max_moves}, and there are {len(moves)}"
    assert len(set(moves)) == len(moves), f"moves gives one twice: {moves!r}"
    first = list(moves)
    moves.clear()  # the list is the caller's to change
    again = game.moves(state)
    assert again == first, f"moves gives {first!r}, and {again!r} when asked again"


def play_repeats(game: Game, state: State) -> None:
    """`play` gives a new position, the same each time, and leaves the old one as it was.

    Make another position out of `state` and `move` alone, and return it.
    """
    before = pickle.loads(pickle.dumps(state))
    for move in game.moves(state):
        after = game.play(state, move)
        assert after is not None, f"play of {move!r} gives None"
        assert state == before, f"play of {move!r} changes the state it is given"
        assert game.play(state, move) == after, f"play of {move!r} leads elsewhere when played again"


def turn(game: Game, state: State) -> None:
    """`to_move` is 0 or 1 in every position.

    Tell from the position who is to move, also when the game is over.
    """
    assert game.to_move(state) in (0, 1), f"to_move is {game.to_move(state)!r}, not 0 or 1"


def outcome(game: Game, state: State) -> None:
    """`value` is 1, 0 or -1 where there are no moves.

    Give the outcome for the player to move: 1 for won, 0 for drawn, -1 for lost.
    """
    if not game.moves(state):
        assert game.value(state) in (-1, 0, 1), f"value is {game.value(state)!r}, not 1, 0 or -1"


def move_notation(game: Game, state: State) -> None:
    """`move_text` is one word, another for each move, and `read_move` reads it.

    Have the two be inverse to each other, or leave both out.
    """
    texts: dict[str, Move] = {}
    for move in game.moves(state):
        text = game.move_text(move)
        assert text.split() == [text], f"move_text of {move!r} is {text!r}, not one word"
        assert text not in texts, f"move_text is {text!r} both for {texts[text]!r} and {move!r}"
        texts[text] = move
    for text, move in texts.items():
        found = game.read_move(state, text)
        assert found == move, f"read_move takes {text!r} for {found!r}, not for {move!r}"


def position_notation(game: Game, state: State) -> None:
    """`position_text` is one line, `read_position` reads it, and the board can be drawn.

    Write all there is to a position on one line; leave `read_position` out if it cannot be read.
    """
    text = game.position_text(state)
    assert len(text.splitlines()) == 1, f"position_text is {text!r}, not one line"
    assert isinstance(game.board_text(state), str), f"board_text is {game.board_text(state)!r}"
    try:
        ElementTree.fromstring(svg(game, state))
    except ElementTree.ParseError as error:
        raise AssertionError(f"the board as SVG is not well-formed XML: {error}") from error
    if type(game).read_position is not Game.read_position:
        found = game.read_position(text)
        assert found == state, f"read_position takes {text!r}, its own position_text, for {found!r}"


def alternates(game: Game, state: State) -> None:
    """Players move in turn where `alternating` says so.

    Leave `alternating` out in a game where somebody may move twice or pass.
    """
    for move in game.moves(state) if game.alternating else ():
        in_turn = game.to_move(game.play(state, move)) != game.to_move(state)
        assert in_turn, f"alternating is stated, and a player moves twice in a row after {move!r}"


def numbers(game: Game, state: State) -> None:
    """Positions and moves are numbers in every position, or in none.

    Keep to tuples of equally many ints and to moves that are ints, or state `flat = False`.
    """
    if game.flat:
        words = len(game.initial())
        flat = isinstance(state, tuple) and len(state) == words and are_words(state)
        assert flat, f"a state is not {words} ints of 64 bits, as others are; such a game states flat = False"
        moves = game.moves(state)
        assert are_words(moves), f"moves are not ints of 64 bits, as others are: {moves!r}"


def are_words(numbers: Iterable[Any]) -> bool:
    return all(type(x) is int and is_word(x) for x in numbers)


def evaluation(game: Game, state: State) -> None:
    """`evaluate` is a finite number.

    Look for a division by nothing, and for infinity minus infinity.
    """
    assert isfinite(game.evaluate(state)), f"evaluate is {game.evaluate(state)!r}"


def symmetries(game: Game, state: State) -> None:
    """The images of a position are played as it is.

    Symmetry 0 is to change nothing, one after another to be a third, and `image_move` to go with `image`.
    """
    moves = game.moves(state)
    images = [game.image(state, i) for i in range(game.symmetries)]
    assert images[0] == state, "symmetry 0 is not the identity"
    for i, image in enumerate(images):
        closed = Counter(game.image(other, i) for other in images) == Counter(images)
        assert closed, f"symmetry {i} after another is none of the {game.symmetries}: they are no group"
        assert game.to_move(image) == game.to_move(state), f"symmetry {i} changes the player to move"
        mapped = {game.image_move(move, i) for move in moves}
        assert mapped == {*game.moves(image)}, f"symmetry {i} maps the moves to {mapped!r}, not the image's"
        for move in moves:
            same = game.play(image, game.image_move(move, i)) == game.image(game.play(state, move), i)
            assert same, f"symmetry {i}: the image of {move!r}, played in the image, leads elsewhere"
        assert moves or game.value(image) == game.value(state), f"symmetry {i} changes the value"


def grid(game: Game, state: State) -> None:
    """Every move has a cell with a piece of its player, and a shape of its own there.

    Count cells as in `cells`; odd pieces are player 0's, even ones player 1's, up to `pieces`.
    """
    moves, mover, cells = game.moves(state), game.to_move(state), range(len(game.cells))
    for cell in cells:
        assert game.piece(state, cell) >= 0, f"piece on cell {cell} is {game.piece(state, cell)!r}"
    for move in moves:
        cell = game.anchor(state, move)
        assert cell in cells, f"anchor of {move!r} is {cell!r}, and there are {len(cells)} cells"
        piece = game.piece(state, cell) or game.piece(game.play(state, move), cell)
        own = piece and piece % 2 != mover
        assert own, f"piece is {piece} at the anchor of {move!r} by player {mover}; odd are player 0's"
    shapes = {(game.anchor(state, move), game.shape(state, move)) for move in moves}
    assert len(shapes) == len(moves), "two moves have the same anchor and shape"
    if game.flat:
        given = [game.piece(state, cell) for cell in cells] + [x for pair in shapes for x in pair]
        assert are_words(given), "piece, anchor or shape gives what is not an int"
    highest = max(game.piece(state, cell) for cell in cells)
    assert highest <= game.pieces, f"piece gives {highest}, and pieces says {game.pieces}"


def turning(game: Game, state: State) -> None:
    """A shape that is turned and turned back is itself again.

    Have `shape_image` mirror by bits 1 and 2, exchange x and y by bit 4, and the players by bit 8.
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

    With the other player to move they have the other sign, but for `neutral_features`.
    """
    values, names = list(game.features(state)), game.feature_names
    taken = [name for name in names if name in (*RESERVED, "score")]
    assert not taken, f"calls a feature {taken[0]!r}, which an explanation has for something else"
    assert len(values) == len(names), f"features gives {len(values)} numbers for {len(names)} feature_names"
    assert all(map(isfinite, values)), f"features are {values}"
    if hasattr(game, "null_move"):
        for f, seen in enumerate(game.features(game.null_move(state))):
            turned = values[f] if game.neutral_features >> f & 1 else -values[f]
            assert seen == turned, f"{names[f]} is {values[f]}, and {seen} with the other player to move"


RULES = (equals_its_copy, moves_repeat, play_repeats, turn)  # by which a game can be played at all
CAPABILITY_CHECKS: Mapping[str, Callable[[Game, State], None]] = {
    "evaluation": evaluation,
    "symmetries": symmetries,
    "grid": grid,
    "turning": turning,
    "features": features,
}

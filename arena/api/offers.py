"""What a game promises of each position of what it offers besides its rules, capability by capability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import isfinite

from arena.api.explanation import RESERVED
from arena.api.game import Game, State, is_word


def are_words(numbers: Iterable[object]) -> bool:
    """Return whether all numbers are 64-bit ints."""
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
            assert same, (
                f"symmetry {i}: the image of {game.move_text(move)}, played in the image, leads elsewhere"
            )
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
        assert cell in cells, (
            f"anchor of {game.move_text(move)} is {cell!r}, and there are {len(cells)} cells"
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


CAPABILITY_CHECKS: Mapping[str, Callable[[Game, State], None]] = {
    "evaluation": evaluation,
    "symmetries": symmetries,
    "grid": grid,
    "turning": turning,
    "features": features,
}

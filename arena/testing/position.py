"""What is held against a game in one position, capability by capability."""

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


def equals_its_copy(state: State) -> None:
    twin = pickle.loads(pickle.dumps(state))
    assert (twin, hash(twin)) == (state, hash(state)), "the state, or its hash, is not equal to its copy's"


def moves_repeat(game: Game, state: State) -> None:
    moves = game.moves(state)
    assert isinstance(moves, list), f"moves gives a {type(moves).__name__}, not a list"
    assert len(moves) <= game.max_moves, f"max_moves is {game.max_moves}, and there are {len(moves)}"
    assert len(set(moves)) == len(moves), f"moves gives one twice: {moves!r}"
    first = list(moves)
    moves.clear()  # the list is the caller's to change
    again = game.moves(state)
    assert again == first, f"moves gives {first!r}, and {again!r} when asked again"


def play_repeats(game: Game, state: State) -> None:
    before = pickle.loads(pickle.dumps(state))
    for move in game.moves(state):
        after = game.play(state, move)
        assert state == before, f"play of {move!r} changes the state it is given"
        assert game.play(state, move) == after, f"play of {move!r} leads elsewhere when played again"


def turn_and_value(game: Game, state: State) -> None:
    assert game.to_move(state) in (0, 1), f"to_move is {game.to_move(state)!r}, not 0 or 1"
    if not game.moves(state):
        assert game.value(state) in (-1, 0, 1), f"value is {game.value(state)!r}, not 1, 0 or -1"


def notation(game: Game, state: State) -> None:
    texts: dict[str, Move] = {}
    for move in game.moves(state):
        text = game.move_text(move)
        assert text.split() == [text], f"move_text of {move!r} is {text!r}, not one word"
        assert text not in texts, f"move_text is {text!r} both for {texts[text]!r} and {move!r}"
        texts[text] = move
    for text, move in texts.items():
        found = game.read_move(state, text)
        assert found == move, f"read_move takes {text!r} for {found!r}, not for {move!r}"
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


def turns(game: Game, state: State) -> None:
    for move in game.moves(state) if game.alternating else ():
        in_turn = game.to_move(game.play(state, move)) != game.to_move(state)
        assert in_turn, f"alternating is stated, and a player moves twice in a row after {move!r}"


def numbers(game: Game, state: State) -> None:
    """The positions and moves of a flat game are numbers to the end."""
    if game.flat:
        words = len(game.initial())
        flat = isinstance(state, tuple) and len(state) == words and are_words(state)
        assert flat, f"a state is not {words} ints of 64 bits, as others are; such a game states flat = False"
        moves = game.moves(state)
        assert are_words(moves), f"moves are not ints of 64 bits, as others are: {moves!r}"


def are_words(numbers: Iterable[Any]) -> bool:
    return all(type(x) is int and is_word(x) for x in numbers)


def evaluation(game: Game, state: State) -> None:
    assert isfinite(game.evaluate(state)), f"evaluate is {game.evaluate(state)!r}"


def symmetries(game: Game, state: State) -> None:
    """The images are those of a group, and play, turn and value are the same in each."""
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
    """Turned, shapes are told apart as before, and turned twice as before they are themselves again."""
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
    values, names = list(game.features(state)), game.feature_names
    taken = [name for name in names if name in (*RESERVED, "score")]
    assert not taken, f"calls a feature {taken[0]!r}, which an explanation has for something else"
    assert len(values) == len(names), f"features gives {len(values)} numbers for {len(names)} feature_names"
    assert all(map(isfinite, values)), f"features are {values}"
    if hasattr(game, "null_move"):
        for f, seen in enumerate(game.features(game.null_move(state))):
            turned = values[f] if game.neutral_features >> f & 1 else -values[f]
            assert seen == turned, f"{names[f]} is {values[f]}, and {seen} with the other player to move"


CHECKS: Mapping[str, tuple[Callable[[Game, State], None], ...]] = {  # by capability, "" for all games
    "": (moves_repeat, play_repeats, turn_and_value, turns, notation, numbers),
    "evaluation": (evaluation,),
    "symmetries": (symmetries,),
    "grid": (grid,),
    "turning": (turning,),
    "features": (features,),
}

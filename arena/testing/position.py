"""The promises of a game for each position: its rules, and its notation."""

from __future__ import annotations

import pickle
from xml.etree import ElementTree

from arena.api.game import Game, Move, State
from arena.api.rulings import are_words, shown
from arena.api.words import is_words, same_shape, words_of
from arena.show.board import svg


def equals_its_copy(game: Game, state: State) -> None:
    """Positions are hashable, and equal to their copies.

    Represent a position by a tuple, a text or a frozen dataclass.
    """
    copy = pickle.loads(pickle.dumps(state))
    assert (copy, hash(copy)) == (state, hash(state)), "the state or its hash differs from that of its copy"


def moves_repeat(game: Game, state: State) -> None:
    """`moves` returns a list, each move once, at most `max_moves`, and the same each time.

    Create a new list at every call, from the position only, without repetitions.
    """
    moves = game.moves(state)
    assert isinstance(moves, list), f"moves returns a {type(moves).__name__}, not a list"
    assert len(moves) <= game.max_moves, f"max_moves is {game.max_moves}, but there are {len(moves)} moves"
    assert len(set(moves)) == len(moves), f"moves returns a move twice: {moves!r}"
    first = list(moves)
    moves.clear()  # callers may change the list
    again = game.moves(state)
    assert again == first, f"moves returns {first!r}, but {again!r} when called again"


def play_repeats(game: Game, state: State) -> None:
    """`play` returns a new position, the same each time, and leaves the old one as it was.

    Create a new position from `state` and `move` only, and return it.
    """
    before = pickle.loads(pickle.dumps(state))
    for move in game.moves(state):
        after = game.play(state, move)
        assert after is not None, f"play of {shown(game, move)} returns None"
        assert state == before, f"play of {shown(game, move)} modifies the state that it is passed"
        assert game.play(state, move) == after, (
            f"play of {shown(game, move)} leads to another state when played again"
        )


def turn(game: Game, state: State) -> None:
    """`to_move` is 0 or 1 in every position.

    Determine the player to move from the position, also when the game is over.
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

    Make the two methods inverse to each other, or remove both.
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

    Write the whole position on one line; remove `read_position` if it cannot be read. The result of
    `start_text` must be readable, too.
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
        start = game.start_text(text)
        assert game.read_position(start) == state, (
            f"read_position takes start_text {start!r} for another state"
        )
        assert game.start_text(start) == start, f"start_text of {start!r}, its own text, is another"
        quiet = game.quiet_in(start)
        counted = isinstance(quiet, int) and quiet >= 0
        assert counted, f"quiet_in is {quiet!r} of {start!r}, not a number of plies"


def alternates(game: Game, state: State) -> None:
    """Players move in turn where `alternating` says so.

    Remove `alternating` in a game in which a player may move twice or pass.
    """
    for move in game.moves(state) if game.alternating else ():
        in_turn = game.to_move(game.play(state, move)) != game.to_move(state)
        assert in_turn, f"alternating is True, but a player moves twice in a row after {shown(game, move)}"


def numbers(game: Game, state: State) -> None:
    """Positions and moves are numbers in every position, or in none.

    Use only tuples of equally many ints and moves that are ints, or set `flat = False`.
    """
    if game.flat:
        start = game.initial()
        flat = is_words(state) and same_shape(state, start) and are_words(words_of(state))
        words = len(words_of(start))
        assert flat, f"a state is not {words} ints of 64 bits, as others are; such a game states flat = False"
        moves = game.moves(state)
        assert are_words(moves), f"moves are not ints of 64 bits, as others are: {moves!r}"


RULES = (equals_its_copy, moves_repeat, play_repeats, turn)  # necessary for play

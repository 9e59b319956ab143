"""The promises of a game or an agent as a whole, before it plays."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import islice

from rich.cells import cell_len

from arena.api.agent import Agent
from arena.api.game import CAPABILITIES, Game, positions
from arena.api.options import Configurable, format_value, strip_brackets
from arena.api.rulings import check_declared
from arena.errors import ArenaError, one_line
from arena.testing.promise import Minor

COUNTED = 20_000  # maximum `reachable` that is checked by counting


def class_is_sound(cls: type[Configurable]) -> None:
    """The class has a docstring, can be imported, and has options that fit their defaults.

    Define it at the top level of a module, describe it in one line, and say what each option is for.
    """
    try:
        assert pickle.loads(pickle.dumps(cls)) is cls
    except Exception:
        raise AssertionError(f"cannot be imported as {cls.__module__}:{cls.__qualname__}") from None
    base = Agent if issubclass(cls, Agent) else Game
    for name, stated in cls.options.items():
        used = name in ("game", "name", "options") or callable(getattr(base, name, None))
        assert not used, f"option {name!r} has a name that arena uses"
        assert stated.help, f"option {name!r} has no help"
        for default in (stated.default, strip_brackets(format_value(stated.default))):
            try:
                assert stated.read(default) == stated.default
            except Exception:
                fault = f"option {name!r} takes {stated.describe()}, which its default, {default!r}, is not"
                raise AssertionError(fault) from None
    if not (cls.__doc__ or "").strip():
        raise Minor("has no docstring; its first line is shown to users")


def class_of_game(game: Game) -> None:
    class_is_sound(type(game))


class_of_game.__doc__ = class_is_sound.__doc__


def declarations(game: Game) -> None:
    """Methods and constants are as in `Game`, and capabilities are offered whole.

    Give methods and constants the arguments and types of those in `Game`, and override all methods of a
    capability or none.
    """
    check_declared(game)
    assert len({*game.sides} - {""}) == 2, f"sides are {game.sides!r}, not two names"
    assert game.max_plies > 0, f"max_plies is {game.max_plies}"
    for capability, parts in CAPABILITIES.items():
        lacking = [part for part in parts if not game.offers(part)]
        if game.drawing is not None and {*parts} - {*lacking} == {"piece"}:
            continue  # defined only for drawing the board
        assert len(lacking) in (0, len(parts)), (
            f"offers {capability} only in part; it lacks {', '.join(lacking)}"
        )
    for name in ("cells", "feature_names"):
        assert len({*getattr(game, name)}) == len(getattr(game, name)), f"{name} has duplicates"


def piece_texts(game: Game) -> None:
    """`piece_text` is one or two columns wide, and another for each piece.

    Return one or two letters, different for each piece from 1 to `pieces`.
    """
    texts: dict[str, int] = {}
    for piece in range(1, game.pieces + 1):
        text = game.piece_text(piece)
        fits = isinstance(text, str) and text.isprintable() and text == text.strip() != ""
        assert fits, f"piece_text of {piece} is {text!r}, not a letter or two"
        assert cell_len(text) <= 2, f"piece_text of {piece} is {text!r}, wider than two columns"
        assert text not in texts, f"piece_text is {text!r} both for {texts[text]} and {piece}"
        texts[text] = piece


def names_pieces(game: Game) -> bool:
    return game.offers("piece_text")


def begins(game: Game) -> None:
    """The game begins, with player 0 to move.

    Let `initial` return the first position, and `to_move` return 0 for it.
    """
    first = game.to_move(game.initial())
    assert first == 0, f"player {first!r} moves first, not player 0"


def travels(game: Game) -> None:
    """The game can be sent to another process, and is the same there.

    Do not store functions, files or similar objects in its attributes.
    """
    try:
        copy = pickle.loads(pickle.dumps(game))
    except Exception as error:
        raise AssertionError(f"cannot be pickled: {one_line(error)}") from error
    start = game.initial()
    same = (copy.name, copy.initial(), copy.moves(start)) == (game.name, start, game.moves(start))
    assert same, "is another game after pickling"


def refuses_nonsense(game: Game) -> None:
    """Text that is not a move or a position is refused with ArenaError.

    Raise ArenaError in `read_move` and `read_position`, with a message that says what is wrong.
    """
    for read in (partial(game.read_move, game.initial()), game.read_position):
        try:
            outcome = f"gives {read('nonsense')!r}"
        except ArenaError:
            continue
        except Exception as error:
            outcome = f"raises {one_line(error)}"
        raise AssertionError(
            f"reading 'nonsense' as a move or a position {outcome}, instead of raising ArenaError"
        )


def count(game: Game) -> None:
    """`reachable` is the number of positions that play can reach.

    Correct it, or remove it.
    """
    stated = game.reachable or 0
    found = sum(1 for _ in islice(positions(game), stated + 1))
    more = " or more" if found > stated else ""
    assert found == stated, f"reachable is {stated}, but play reaches {found}{more}"


def is_counted(game: Game) -> bool:
    return game.reachable is not None and game.reachable <= COUNTED

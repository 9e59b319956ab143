"""What is held against a game or an agent as a whole, before it plays."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import islice

from arena.api.agent import Agent
from arena.api.game import CAPABILITIES, Game, positions
from arena.api.options import Configurable, format_value, strip_brackets
from arena.errors import ArenaError, one_line

COUNTED = 20_000  # a `reachable` up to here is counted


def class_is_sound(cls: type[Configurable]) -> None:
    """What a class of either kind owes: a docstring, a place to import it from, good options."""
    assert (cls.__doc__ or "").strip(), "has no docstring; its first line is what users are shown"
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


def declarations(game: Game) -> None:
    class_is_sound(type(game))
    assert len({*game.sides} - {""}) == 2, f"sides are {game.sides!r}, not two names"
    assert game.max_plies > 0, f"max_plies is {game.max_plies}"
    first = game.to_move(game.initial())
    assert first == 0, f"player {first!r} moves first, not player 0"
    for capability, parts in CAPABILITIES.items():
        lacking = [part for part in parts if not game.offers(part)]
        assert len(lacking) in (0, len(parts)), f"offers {capability} in part; it lacks {', '.join(lacking)}"
    for name in ("cells", "feature_names"):
        assert len({*getattr(game, name)}) == len(getattr(game, name)), f"{name} has one twice"


def travels(game: Game) -> None:
    """A game can be sent to another process."""
    try:
        twin = pickle.loads(pickle.dumps(game))
    except Exception as error:
        raise AssertionError(f"cannot be pickled: {one_line(error)}") from error
    start = game.initial()
    same = (twin.name, twin.initial(), twin.moves(start)) == (game.name, start, game.moves(start))
    assert same, "is another game once pickled"


def refuses_nonsense(game: Game) -> None:
    for read in (partial(game.read_move, game.initial()), game.read_position):
        try:
            outcome = f"gives {read('nonsense')!r}"
        except ArenaError:
            continue
        except Exception as error:
            outcome = f"raises {one_line(error)}"
        raise AssertionError(
            f"reading 'nonsense' as a move or a position {outcome}, where ArenaError belongs"
        )


def count(game: Game) -> None:
    """The number of positions, where one is stated and small."""
    if game.reachable is not None and game.reachable <= COUNTED:
        found = sum(1 for _ in islice(positions(game), game.reachable + 1))
        more = " or more" if found > game.reachable else ""
        assert found == game.reachable, f"reachable is {game.reachable}, and play reaches {found}{more}"

"""Select a game's solver: the registered one, otherwise enumeration or a general search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from arena.analysis.enumeration import Enumeration
from arena.analysis.graph import LIMIT
from arena.analysis.position_codes import Codes
from arena.analysis.search import Search
from arena.analysis.table_file import Head, mapped, read_head
from arena.api.game import Game
from arena.api.plugin_guard import Failed, foreign
from arena.api.solver import Solver
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.registry.digests import code_of, code_of_classes
from arena.registry.plugins import Registry, registry
from arena.version import __version__


def solver_of(game: Game, memory: int = 64) -> Solver:
    """Return the solver of a game, for agents or interactive use.

    It is the solver registered for the game; otherwise, if the game has few enough positions, one that
    enumerates them all; otherwise a search that works for any game.

    Args:
        game: The game to solve.
        memory: Megabytes for the solver's table.

    Raises:
        ArenaError: If the solver cannot be loaded or created.
    """
    cls = class_of_solver(game, registry())
    if cls is None:
        small = game.reachable is not None and game.reachable <= LIMIT
        cls = Enumeration if small else Search
    return made_of(cls, game, memory << 20)


def judging_solver(game: Game, endings: Codes | None) -> Solver:
    """Return a game's solver for judging matches; a general search stops at endings and ignores distances."""
    if endings is None:
        return solver_of(game)
    return made_of(class_of_solver(game, registry()) or Search, game, 64 << 20, endings, distances=False)


def class_of_solver(game: Game, known: Registry) -> type[Solver] | None:
    """Return the class of the solver registered for a game; None if there is none."""
    for name in known.offers["solver"]:
        try:
            with foreign(ArenaError):
                if is_called(name, game, known):
                    found: type[Solver] = known.offer("solver", name).load()
                    return found
        except Failed as error:
            raise ArenaError(f"solver {name} cannot be loaded: {error}") from error
    return None


def is_called(name: str, game: Game, known: Registry) -> bool:
    """Return whether a game was created by this registered name, or is an unnamed instance of its class."""
    if game.name:
        return game.name.partition(":")[0] == name
    return name in known.offers["game"] and known.offer("game", name).load() is type(game)


def made_of(
    cls: type[Solver], game: Game, memory: int, endings: Codes | None = None, distances: bool = True
) -> Solver:
    """Create a solver of a class, or raise ArenaError if that fails.

    Args:
        cls: The solver's class.
        game: The game to solve.
        memory: Bytes for the solver's table.
        endings: Endings at which a general search stops; other solvers ignore them.
        distances: Whether a general search also finds how soon lines that reach endings are won.
    """
    try:
        with foreign(ArenaError):
            made = cls.of(game, memory)
            if endings is not None and isinstance(made, Search):
                return replace(made, endings=endings, distances=distances)
            return made
    except Failed as error:
        raise ArenaError(f"solver {str(game).partition(':')[0]} cannot be created: {error}") from error


def made_solver(
    game: Game,
    on: Spec,
    known: Registry,
    memory: int,
    file: str | Path | None = None,
    endings: Codes | None = None,
    distances: bool = True,
) -> Solver:
    """Return the solver of a game in a registry, with its table in a file if one is named.

    Args:
        game: The game to solve.
        on: The same game as a spec.
        known: The registry.
        memory: Bytes for the table; ignored if the file exists.
        file: File of the table. Default: a table in memory.
        endings: As for `made_of`.
        distances: As for `made_of`.

    Raises:
        ArenaError: If the solver cannot be created, or the file is the table of another solver or game.
    """
    cls = class_of_solver(game, known) or Search
    if file is None:
        return made_of(cls, game, memory, endings, distances)
    by = f"{cls.__name__} {code_of_classes([cls])} of arena {__version__}"
    if endings is not None and cls is Search:
        how = "with" if distances else "without"
        by += f" up to endings of {endings.endings.pieces} pieces {how} distances"
    table_of = f"{on.text} {code_of(on)} by {by}"
    head = read_head(Path(file), table_of) or Head(table_of, memory)
    made = made_of(cls, game, head.memory, endings, distances)
    if not hasattr(made, "table"):
        raise ArenaError(f"the solver of {game} has no table to store in {file}; leave the file out")
    made.table = mapped(Path(file), head, made.table)
    return made

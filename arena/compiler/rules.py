"""Compiles the rules of a game, for Python to call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import suppress
from inspect import getattr_static
from typing import TYPE_CHECKING, Any

from arena.api.component import author_of
from arena.api.game import Game, unlike_flat
from arena.api.rulings import distinct, notation, player_to_move
from arena.api.rulings import outcome as result
from arena.api.words import is_word, is_words
from arena.compiler.compare import LINES, Enough, bounded, check_overflow
from arena.compiler.errors import CannotCompile, placed_at
from arena.compiler.facts import hold
from arena.compiler.game_methods import GIVE_POSITIONS, METHODS, POSITION
from arena.compiler.instance import Entry
from arena.compiler.program import Program, Trial, program
from arena.compiler.types import GAME, ListOf, Tuple, Value, join
from arena.errors import one_line
from arena.rng import Rng, derive

if TYPE_CHECKING:
    from arena.compiler.unit import Unit

TIMES = 100  # approximate speed-up by compiled rules; benchmarks/readme.py measures 150 and more
MATCHES, PLIES = 20, 200  # random matches in which compiled and plain rules are compared


class Fails(Exception):
    """Raised when a game's rules raise an exception, which a match will report."""


def add_rule(unit: Unit, name: str, python: bool = True) -> None:
    """Add a method of the game to the entries of a unit.

    Args:
        unit: The unit.
        name: Name of the method.
        python: Whether Python calls it, too.
    """
    arguments = tuple(unit.state if kind is POSITION else kind for kind in METHODS[name].arguments)
    entry = Entry(name, arguments, python, else_plain=True)
    unit.add(entry, getattr(type(unit.game), name), {0: Value(GAME)})


def outcome(run: Callable[..., object], *given: object) -> Any:
    """Return the result of a function, or the class of the exception that it raises."""
    try:
        return run(*given)
    except Exception as error:
        return type(error)


def told(found: object) -> str:
    return found.__name__ if isinstance(found, type) else repr(found)


class Rules:
    """The compiled methods of a game.

    Attributes:
        cls: Class of its positions, if they are named tuples.
        checked: The program that also records overflow, while the rules are compared.
        builtins: Compiled methods, by name.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        cls = type(game.initial())
        self.checked: Program | None = None
        self.cls = cls if hasattr(cls, "_fields") else None
        key = f"rules {type(game).__module__}:{type(game).__qualname__}"
        self.program = program(game, key, (type(game),), self.add_all, self.compare, str(game))
        self.facts = self.program.facts
        code = self.program.code
        self.builtins: dict[str, Callable[..., Any]] = {
            name: code.builtin(name, getattr(type(game), name).__get__(game)) for name in code.builtins
        }
        if self.cls:
            for name in GIVE_POSITIONS & self.builtins.keys():
                self.builtins[name] = named(self.cls, self.builtins[name])

    def add_all(self, unit: Unit) -> None:
        """Add the required methods of the game, and the optional ones that compile, to a unit."""
        from arena.compiler.assembly import settle

        for name in self.own_methods():
            if METHODS[name].required or self.why_plain(name) is None:
                add_rule(unit, name)
            else:  # compile again when the method has been edited
                cls = type(self.game)
                unit.facts.function(author_of(getattr(cls, name)))
                unit.facts.member(cls, name, getattr_static(cls, name))
        settle(unit)
        for name in unit.entries:
            self.check(unit, name)

    def why_plain(self, name: str) -> CannotCompile | None:
        """Return why a method does not compile in a unit of its own; None if it does."""
        from arena.compiler.assembly import settle
        from arena.compiler.unit import Unit

        alone = Unit(self.game)
        try:
            add_rule(alone, name)
            settle(alone)
            self.check(alone, name)
        except CannotCompile as error:
            return error
        return None

    def methods(self) -> dict[str, str | None]:
        """Return, by name of each compilable method of the game, why it is not compiled; None if it is."""
        return {
            name: None if name in self.builtins else str(self.why_plain(name)) for name in self.own_methods()
        }

    def own_methods(self) -> list[str]:
        """Return the names of the methods that every game has, and of the optional ones that the game has."""
        return [name for name, method in METHODS.items() if method.required or is_own(self.game, name)]

    def check(self, unit: Unit, name: str) -> None:
        """Raise CannotCompile unless the result of a method has the right type."""
        result, state, wanted = unit.entries[name][1].result, unit.state, METHODS[name].result
        if wanted is POSITION:
            wanted = state
        fits = result == wanted
        if not fits and not isinstance(wanted, Tuple | ListOf):
            try:
                fits = join(result, wanted) == wanted
            except Exception:
                fits = False
        if not fits:
            text = f"{name} returns {result}, not {wanted}" + " as initial does" * (wanted is state)
            raise placed_at(author_of(getattr(type(unit.game), name)), text)

    def compare(self, made: Program, trial: Trial) -> None:
        """Raise CannotCompile unless compiled and plain rules agree in random matches, within a limit."""
        self.checked = trial()
        with suppress(Enough):
            bounded(lambda: self.play_both(made), [LINES])
        self.checked = None

    def play_both(self, made: Program) -> None:
        for seed in range(MATCHES):
            with suppress(Fails):
                self.play_match(made, Rng(derive(seed)))

    def play_match(self, made: Program, rng: Rng) -> None:
        game, own, state, mover = type(self.game), self.game, self.game.initial(), -1
        for _ in range(PLIES):
            moves = self.same(made, "moves", state)
            mover = self.check_rulings(state, moves, mover)
            for name in made.code.builtins:
                if (
                    name in ("to_move", "value", "evaluate", "features", "null_move")
                    and (name != "value" or not moves)
                    and (name != "null_move" or moves)
                ):
                    self.same(made, name, state)
            for move in moves[:8]:
                for name in ("play", "irreversible", "anchor", "shape"):
                    if name in made.code.builtins:
                        self.same(made, name, state, move)
            if "image" in made.code.builtins:
                for i in range(own.symmetries):
                    self.same(made, "image", state, i)
            if not moves:
                break
            state = game.play(own, state, rng.choice(moves))

    def check_rulings(self, state: object, moves: list[int], before: int) -> int:
        """Return the player to move, or raise CannotCompile if the rules violate the interface of games."""
        game = self.game
        try:
            for move in distinct(moves):
                notation(game, move)
            mover = player_to_move(game, state, before)
            if not moves:
                result(game, state)
        except Exception as error:
            text = f"{one_line(error).partition(': ')[2] or one_line(error)}, in {state!r}"
            raise CannotCompile(f"rules of {game}: {text}"[:300]) from error
        return mover

    def same(self, made: Program, name: str, *given: Any) -> Any:
        """Call a method both compiled and as plain Python, and return the result.

        Raises:
            CannotCompile: If the results differ.
            Fails: If both raise the same exception.
        """
        plain = outcome(getattr(type(self.game), name), self.game, *given)
        found = outcome(made.code.builtins[name], *given)
        if name == "features" and not isinstance(plain, type):
            plain = list(plain)
        if name == "moves" and isinstance(plain, list) and len(plain) > self.game.max_moves:
            said = f"{len(plain)} moves in {given[0]!r}, more than max_moves, which is {self.game.max_moves}"
            raise placed_at(author_of(type(self.game).moves), f"moves returns {said}")
        if found == plain and isinstance(plain, type):
            raise Fails
        if found != plain:
            raise placed_at(
                author_of(getattr(type(self.game), name)),
                f"compiled, {name}{given!r} results in {told(found)}, but in {told(plain)} in plain Python; "
                "use only ints from -2**63 to 2**63 - 1, and no information other than the position",
            )
        if self.checked and not isinstance(plain, type):
            function = author_of(getattr(type(self.game), name))
            code = self.checked.code
            check_overflow(function, name, code, code.builtins[name], given)
        return plain

    def bind(self, game: Game) -> None:
        """Replace the methods of a game by compiled ones."""
        for name, builtin in self.builtins.items():
            vars(game)[name] = builtin
        vars(game)["_bound"] = tuple(self.builtins)


def named(cls: Any, builtin: Callable[..., object]) -> Callable[..., object]:
    return lambda *given, **by_name: cls._make(builtin(*given, **by_name))


def is_own(game: Game, name: str) -> bool:
    own = getattr(type(game), name, None)
    return own is not None and own is not getattr(Game, name, None)


def not_flat(game: Game) -> CannotCompile:
    """Return the error for a game that is not flat.

    In a flat game, positions are tuples of a fixed number of ints, or texts, and moves are ints.
    """
    try:
        found = unlike_flat(game)
    except (Exception, SystemExit) as error:
        return CannotCompile(f"{game} fails in random play: {one_line(error)}")
    if found is None:
        return CannotCompile(f"{game} sets flat = False")
    name, text = found
    given = f"{name} returns {text}"[:300]
    return placed_at(author_of(getattr(type(game), name)), given + instead(game.initial(), name))


def instead(state: object, name: str) -> str:
    """Return advice on how to make a position flat, with the benefit; "" if it is flat already.

    Args:
        state: The position.
        name: The method whose result is not flat.
    """
    numbers = leaves(state)
    varies = name == "play" and isinstance(state, str | bytes)
    if is_words(state) and not varies:
        return ""
    if dataclasses.is_dataclass(state) and all(map(is_word, numbers)):
        said = "a NamedTuple with the same fields"
    elif isinstance(state, str | bytes):
        said = "a text of a fixed length"
    elif numbers and all(map(is_word, numbers)):
        said = f"one tuple of these {len(numbers)} ints"
    else:
        said = "a tuple of a fixed number of ints"
    return f"; {said} compiles, and plays about {TIMES} times as fast"


def leaves(state: Any) -> list[Any]:
    """Return the numbers and other items of a position at all levels of nesting."""
    if dataclasses.is_dataclass(state):
        state = tuple(vars(state).values()) if hasattr(state, "__dict__") else ()
    if isinstance(state, tuple | list):
        return [part for item in state for part in leaves(item)]
    return [state]


known: dict[str, Rules | CannotCompile] = {}


def rules_of(game: Game) -> Rules | None:
    """Return a game's compiled rules; None if they cannot be compiled."""
    try:
        return rules_or_why(game)
    except CannotCompile:
        return None


def rules_or_why(game: Game) -> Rules:
    """Return a game's compiled rules, or raise CannotCompile."""
    from arena.compiler.layout import class_name, describe_game
    from arena.compiler.switch import host

    key = f"{class_name(type(game))} {id(type(game))} {describe_game(game)}"
    facts = known[key].facts if key in known else None
    if key not in known or (facts is not None and not hold(facts, game, False)):
        try:
            if not game.flat:
                raise not_flat(game)
            known[key] = Rules(game)
        except CannotCompile as error:
            known[key] = error
            if error.text.startswith("compiled, "):
                host.get().say(f"Warning: {game} could not be compiled; runs interpreted: {error}")
    found = known[key]
    if isinstance(found, CannotCompile):
        raise found
    return found

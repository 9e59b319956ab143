"""The promises of a game, checked in positions near the start and in random matches."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from arena.api.game import Game, State
from arena.api.limits import history_rule
from arena.api.plugin_guard import Failed
from arena.api.rulings import CAPABILITY_CHECKS, shown
from arena.compiler import is_compiled, with_compiled_rules
from arena.rng import derive
from arena.testing import position, whole
from arena.testing.lines import breadth_first, positions_of, random_line, shortened
from arena.testing.processes import in_another_process
from arena.testing.promise import (
    Fault,
    Line,
    Looking,
    Place,
    Promise,
    Reached,
    at,
    compared,
    fault_of,
    promise,
    questions,
)

MATCHES = 50  # random matches
POSITIONS = 1000  # number of positions to check, a quarter of which follow the shortest lines
PLIES = 300  # maximum number of plies of a match in which `irreversible` is checked

Answers = list[tuple[str, Any]]  # answers in a position: pairs of a description and an answer


class GameInspection:
    """A game, and the positions in which its promises are checked.

    Attributes:
        places: Positions, those after short lines first.
        ended: Whether any random match ended.
        faults: First fault of each rule, by promise; the position of a fault is not in `places`.
    """

    def __init__(self, game: Game, matches: int, seed: int, positions: int) -> None:
        self.game = game
        self.seeds = [derive(seed, number) for number in range(matches)]
        self.positions = positions
        self.places: list[Place] = []
        self.ended = False
        self.faults: dict[str, Fault] = {}

    def look_around(self) -> None:
        """Collect positions in which the rules work."""
        try:
            with at():
                self.gather()
        except Fault as fault:
            self.faults = self.faults or {RULES[0].name: fault}
        self.places.sort(key=lambda place: len(place.line))

    def gather(self) -> None:
        self.places += islice(breadth_first(self.game, self.rely), max(1, self.positions // 4))
        seen = {place.state for place in self.places}
        for seed in self.seeds:
            for state, line in random_line(self.game, seed):
                if len(self.places) < self.positions and state not in seen:
                    place = Place(state, tuple(line))
                    if not self.rely(place):
                        break
                    seen.add(state)
                    self.places.append(place)
            else:
                self.ended = self.ended or not self.game.moves(state)
            if self.ended and len(self.places) >= self.positions:
                return

    def rely(self, place: Place) -> bool:
        """Return whether the rules work in a position, and record the first fault of each rule."""
        for rule in RULES:
            try:
                fault = fault_of(rule.look, self.game, place.state, place=place)
            except Reached as reached:
                reached.promise = rule.name
                raise  # with its traceback, which shows where a rule does not return
            if fault and rule.name not in self.faults:
                self.faults[rule.name] = shortened(self.game, fault, ending(rule.look, self.game))
            if fault:
                return False
        return True

    def relied(self, name: str) -> None:
        """Raise the recorded fault of a rule, if there is one."""
        if name in self.faults:
            raise self.faults[name]

    def everywhere(self, check: Callable[[Game, State], None]) -> None:
        """Run a check in all positions, and raise the first fault, with a short line that leads to it."""
        for place in self.places:
            if fault := fault_of(check, self.game, place.state, place=place):
                raise shortened(self.game, fault, ending(check, self.game))


def ending(check: Callable[..., None], game: Game) -> Callable[[list[State], Line], Fault | None]:
    """Return a function that checks the position at the end of a line."""
    return lambda states, line: fault_of(check, game, states[-1], place=Place(states[-1], line))


# --- promises that need the positions collected -------------------------------------------------------------


def can_be_played(inspection: GameInspection) -> None:
    inspection.look_around()
    inspection.relied(RULES[0].name)


def matches_end(inspection: GameInspection) -> None:
    """Matches end.

    Let `moves` return no moves once the game is over, or set `repetition`, `quiet_plies` or a higher
    `max_plies`.
    """
    plies, matches = inspection.game.max_plies, len(inspection.seeds)
    assert inspection.ended, f"none of {matches} random matches ends within max_plies, {plies}"


def irreversible_moves(inspection: GameInspection) -> None:
    """`irreversible` is 0, 1 or 2, and no earlier position recurs after such a move.

    Return 2 for a capture, 1 for another move that can never be undone, and 0 if in doubt.
    """
    game = inspection.game
    if game.quiet_plies:
        told = type(game).irreversible is not Game.irreversible
        assert told, f"quiet_plies is {game.quiet_plies}, but there is no `irreversible` to identify captures"
    for seed in inspection.seeds:
        line: Line = ()
        for _, moves in islice(random_line(game, seed), PLIES):
            line = tuple(moves)
        states = positions_of(game, line) or []
        if fault := taken_back(game, states, line):
            raise shortened(game, fault, lambda states, line: taken_back(game, states, line))


def taken_back(game: Game, states: Sequence[State], line: Line) -> Fault | None:
    """Return the first fault of `irreversible` on a line of play."""
    past: set[State] = set()
    gone: set[State] = set()
    for ply, move in enumerate(line):
        state, after = states[ply : ply + 2]
        with at(Place(state, line[:ply])):
            step = game.irreversible(state, move)
        place = Place(state, line[:ply])
        if step not in (0, 1, 2):
            return Fault(f"irreversible of {shown(game, move)} is {step!r}, not 0, 1 or 2", place)
        past.add(state)
        if step:
            gone, past = gone | past, set()
        if after in gone:
            return Fault(
                f"{shown(game, move)} leads back to a position from before an irreversible move", place
            )
    return None


def same_elsewhere(inspection: GameInspection) -> None:
    """The rules are the same in another process.

    Do not depend on the order of a set, on `hash` or `id`, or on what the process has done before.
    """
    game, states = inspection.game, [place.state for place in inspection.places]
    elsewhere = in_another_process([type(game)], answers_in, game, states)
    compare(inspection.places, answers_in(game, states), elsewhere, "in another process")


def same_compiled(inspection: GameInspection) -> None:
    """The rules are the same compiled.

    Keep all numbers, including intermediate results, below 2**63; docs/compiling.md says what else may
    differ.
    """
    game, states = inspection.game, [place.state for place in inspection.places]
    if not is_compiled(game):
        return
    compiled = with_compiled_rules(pickle.loads(pickle.dumps(game)))
    compare(inspection.places, answers_in(game, states), answers_in(compiled, states), "compiled")


def answers_in(game: Game, states: Sequence[State]) -> list[Answers]:
    """Return the answers of the rules in some positions."""
    return [[*answers(game, state)] for state in states]


def answers(game: Game, state: State) -> Iterator[tuple[str, object]]:
    """Yield the answers of the rules in a position, with descriptions, up to the first failure."""
    try:
        with at():
            moves = game.moves(state)
            yield "moves returns", moves
            for move in moves:
                yield f"play of {shown(game, move)} leads to", game.play(state, move)
            yield "to_move is", game.to_move(state)
            if not moves:
                yield "value is", game.value(state)
            if "evaluation" in game.capabilities:
                yield "evaluate is", game.evaluate(state)
            if "features" in game.capabilities:
                yield "features are", list(game.features(state))
    except Fault as fault:
        error = fault.__cause__  # without its line, which is unknown in compiled code
        yield "fails by", str(error) if isinstance(error, Failed) else fault.text


def compare(places: Sequence[Place], first: Sequence[Answers], second: Sequence[Answers], when: str) -> None:
    """Raise Fault for the first difference between answers of the rules.

    Args:
        places: The positions.
        first: The answers in each.
        second: The answers to compare with `first`.
        when: How the second answers were obtained, for the error.
    """
    for place, one, other in zip(places, first, second, strict=True):
        for (what, was), (now_what, now) in zip(one, other, strict=False):
            if what != now_what:
                raise Fault(f"{what} {was!r} at first, and {now_what} {now!r} {when}", place)
            if not same(was, now):
                raise Fault(f"{what} {was!r} at first, and {now!r} {when}", place)


def same(was: object, now: object) -> bool:
    """Return whether two answers are equal, or both NaN."""
    return bool(was == now or (was != was and now != now))


# --- all of them ------------------------------------------------------------------------------------------


def always(game: Game) -> bool:
    return True


def offers(capability: str, game: Game) -> bool:
    return capability in game.capabilities


def watches_draws(game: Game) -> bool:
    return bool(history_rule(game))


def of_game(
    function: Callable[[Game], None], vital: bool = False, applies: Callable[[Game], bool] = always
) -> Promise:
    look = partial(asked, function)
    return promise(function, look, vital, lambda inspection: applies(inspection.game), alone=True)


def asked(function: Callable[[Game], None], inspection: GameInspection) -> None:
    """Check a game as a whole, with the time limit of a single question."""
    with questions().asking():
        function(inspection.game)


def rule(function: Callable[[Game, State], None]) -> Promise:
    """Return a promise that all others depend on, and that is checked while positions are collected."""
    found = promise(function, vital=True)
    return promise(function, lambda inspection: inspection.relied(found.name), vital=True, alone=True)


def everywhere(function: Callable[[Game, State], None], applies: Callable[[Game], bool] = always) -> Promise:
    return promise(
        function,
        lambda inspection: inspection.everywhere(function),
        applies=lambda inspection: applies(inspection.game),
        alone=True,
    )


RULES = [promise(function) for function in position.RULES]
PROMISES = [
    of_game(whole.class_of_game),
    of_game(whole.declarations),
    of_game(whole.begins),
    promise(position.equals_its_copy, can_be_played, vital=True, alone=True),
    *(rule(function) for function in position.RULES[1:]),
    promise(matches_end),
    everywhere(position.outcome),
    everywhere(position.alternates, lambda game: game.alternating),
    everywhere(position.move_notation),
    everywhere(position.position_notation),
    everywhere(position.numbers, lambda game: game.flat),
    *(everywhere(check, partial(offers, name)) for name, check in CAPABILITY_CHECKS.items()),
    of_game(whole.piece_texts, applies=whole.names_pieces),
    promise(
        whole.count,
        lambda inspection: whole.count(inspection.game),
        applies=lambda inspection: whole.is_counted(inspection.game),
    ),
    promise(irreversible_moves, applies=lambda inspection: watches_draws(inspection.game)),
    of_game(whole.refuses_nonsense),
    of_game(whole.travels, vital=True),
    promise(same_elsewhere),
    promise(same_compiled, compared=lambda inspection: compared(inspection.game)),
]


def look_at_game(game: Game, matches: int = MATCHES, seed: int = 0, positions: int = POSITIONS) -> Looking:
    """Return the promises of a game, to be checked one at a time."""
    return Looking(PROMISES, GameInspection(game, matches, seed, positions), game)

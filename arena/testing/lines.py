"""Lines of play: those to the positions to check, and the shortest line that leads to a fault."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

from arena.api.game import Game, Move, State
from arena.rng import Rng
from arena.testing.promise import Fault, Line, Place, questions

SHORTENED = 400  # maximum number of lines to try when searching for a shorter one


def breadth_first(game: Game, look: Callable[[Place], object] = lambda place: None) -> Iterator[Place]:
    """Yield the reachable positions, each once, shortest lines first.

    Args:
        game: The game.
        look: Function that is called with each position before it is yielded. If it returns False, the
            position and those after it are left out; an exception ends the search.
    """
    start = Place(game.initial())
    queue = deque([] if look(start) is False else [start])
    seen = {place.state for place in queue}
    while queue:
        state, line = here = queue.popleft()
        yield here
        for move in game.moves(state):
            after = Place(game.play(state, move), (*line, move))
            if is_new(after.state, seen) and look(after) is not False:
                seen.add(after.state)
                queue.append(after)


def is_new(state: State, seen: Collection[State]) -> bool:
    """Return whether a position has not been seen; True for one that cannot be hashed."""
    try:
        return state not in seen
    except Exception:
        return True


def random_line(game: Game, seed: int) -> Iterator[tuple[State, list[Move]]]:
    """Yield the positions of a random match up to its end or `max_plies`, each with the moves so far.

    The list of moves is the same object each time.
    """
    rng = Rng(seed)
    state = game.initial()
    line: list[Move] = []
    yield state, line
    for _ in range(game.max_plies):
        with questions().asking(Place(state, tuple(line))):
            moves = game.moves(state)
            if moves:
                line.append(moves[rng.below(len(moves))])
                state = game.play(state, line[-1])
        if not moves:
            return
        yield state, line


def random_match(game: Game, seed: int) -> Iterator[State]:
    """Return an iterator over the positions of a random match up to its end or `max_plies`."""
    return (state for state, _ in random_line(game, seed))


def positions_of(game: Game, line: Line) -> list[State] | None:
    """Return the positions on a line, or None if one of its moves is not legal."""
    states = [game.initial()]
    for move in line:
        if move not in game.moves(states[-1]):
            return None
        states.append(game.play(states[-1], move))
    return states


def shortened(game: Game, fault: Fault, look: Callable[[list[State], Line], Fault | None]) -> Fault:
    """Return a fault of the same kind as `fault`, after fewer moves if possible.

    Moves are left out while the fault remains: halves of the line first, then smaller parts (delta debugging,
    Zeller & Hildebrandt 2002).

    Args:
        game: The game.
        fault: The fault.
        look: Function that returns the fault at the end of a line, if any, given its positions and moves.
    """
    tried = 0
    line = fault.place.line if fault.place else ()
    size = len(line)
    while size:
        for begin in range(0, len(line), size):
            if (tried := tried + 1) > SHORTENED:
                return fault
            less, shorter = line[:begin] + line[begin + size :], None
            with suppress(Exception):  # some of these lines are not legal
                states = positions_of(game, less)
                shorter = look(states, less) if states else None
            if shorter and shorter.place and alike(fault, shorter):
                fault, line = shorter, shorter.place.line
                break
        else:
            size //= 2
        size = min(size, len(line))
    return fault


def alike(one: Fault, other: Fault) -> bool:
    """Return whether two faults begin with the same word: the name of an exception, or a verb."""
    return one.text.partition(" ")[0] == other.text.partition(" ")[0]

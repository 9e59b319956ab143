"""The probabilities of an agent's moves, found by running `choose` with all possible random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.api.game import Move, State
from arena.api.rulings import place_of
from arena.rng import Rng

Choose = Callable[[State, list[Move], Rng], Move]  # an agent's `choose`: state, moves, random numbers -> move

MOST_SCRIPTS = 10_000  # maximum number of scripts tried in one position
LONGEST_SCRIPT = 1_000  # maximum number of random numbers drawn in one choice of a move


class EndlessScript(Exception):
    """A choice may draw random numbers endlessly, for example by repeating a draw until it differs."""


class ScriptedRng(Rng):
    """An `Rng` whose `below` returns the numbers of a script.

    script: the results of successive calls of `below`, each from 0 to n - 1; after its end they are 0.
    drawn: (number, n) of each call so far.

    Other draws, such as floats, have too many possible values to try them all. Such draws remain random, and
    `stream[1]` counts them.
    """

    def __init__(self, script: Sequence[int]) -> None:
        super().__init__()
        self.script = script
        self.drawn: list[tuple[int, int]] = []

    def below(self, n: int) -> int:
        """Return the script's next number, or raise EndlessScript."""
        step = len(self.drawn)
        if step == LONGEST_SCRIPT:
            raise EndlessScript
        number = self.script[step] if step < len(self.script) else 0
        self.drawn.append((number, n))
        return number

    _randbelow = below  # used by other methods of `random.Random`, such as randrange

    def next_script(self) -> list[int] | None:
        """Return the script that follows this one in lexicographic order, or None if this was the last."""
        for step in reversed(range(len(self.drawn))):
            number, n = self.drawn[step]
            if number + 1 < n:
                return [earlier for earlier, _ in self.drawn[:step]] + [number + 1]
        return None


def enumerated_probabilities(choose: Choose, state: State, moves: list[Move]) -> list[float] | None:
    """Return the probability of each of `moves`, in their order, by calling `choose` once for each script.

    Return None if this is impossible: `choose` draws floats, or there are too many scripts, or a script does
    not end.
    """
    probabilities = [0.0] * len(moves)
    rng = Rng()
    move = choose(state, list(moves), rng)
    if not rng.stream[1]:  # nothing was drawn
        probabilities[place_of(moves, move)] = 1.0
        return probabilities
    script: list[int] | None = []
    scripts = 0
    while script is not None:
        scripted = ScriptedRng(script)
        scripts += 1
        try:
            move = choose(state, list(moves), scripted)
        except EndlessScript:
            return None
        if scripted.stream[1] or scripts > MOST_SCRIPTS:
            return None
        probability = 1.0
        for _, n in scripted.drawn:
            probability /= n
        probabilities[place_of(moves, move)] += probability
        script = scripted.next_script()
    return probabilities

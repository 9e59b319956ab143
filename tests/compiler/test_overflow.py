"""Numbers beyond 64 bits: code in which they occur runs as plain Python, unless they are masked away."""

from __future__ import annotations

import pytest

from arena import Agent, Rng
from arena.compiler import plainly, reason
from both_ways import GROUND, Ground

MASK = (1 << 32) - 1
PRIME = 6364136223846793005


class Masked(Agent):
    def choose(self, state, moves, rng):
        h = 1 << 62
        for move in moves:
            h = ((h ^ move) * PRIME + state[0]) & MASK
            h = (h << 40 | h + (h << 33) * PRIME) & ((1 << 62) - 1)
        return moves[h % len(moves)]


class Cut(Agent):
    def choose(self, state, moves, rng):
        h = state[0] + 2**40
        h = h * PRIME  # cut off
        return moves[h - h]


class CutByAShift(Agent):
    def choose(self, state, moves, rng):
        h = (1 << (63 + state[0])) & MASK  # cut off
        return moves[h // (MASK + 1)]


class CutLater(Agent):
    """What is cut off is not in the result."""

    def choose(self, state, moves, rng):
        h = state[0] + 2**62
        h += h
        h += h  # cut off
        return moves[h & 0]


class CutByDivision(Agent):
    def choose(self, state, moves, rng):
        least = -(2**62) * (2 + 0 * state[0])
        h = least // (state[0] * 0 - 1)  # 2**63
        return moves[h - h]


class CutByNegation(Agent):
    def choose(self, state, moves, rng):
        least = -(2**62) * (2 + 0 * state[0])
        return moves[(-least != least) * 0]  # 2**63


class CutByAbs(Agent):
    def choose(self, state, moves, rng):
        least = -(2**62) * (2 + 0 * state[0])
        return moves[abs(least) & 0 or 0 * (abs(least) + state[0])]  # 2**63


class CutByAFarShift(Agent):
    """Whose low bits are wrong, too, though the result is masked."""

    def choose(self, state, moves, rng):
        h = (state[0] << (state[0] + 64)) & 0
        return moves[h]


class Fitting(Agent):
    def choose(self, state, moves, rng):
        h = (state[0] + 2**40) * 2**20
        return moves[h % len(moves)] if h * 0.5 > 0 else moves[0]


class Large(Ground):
    def play(self, state, move):
        return state[0] - move - 1, (1 - state[1]) + 0 * ((state[0] + 2**62) * 4)

    def initial(self):
        return (5, 0)


@pytest.mark.parametrize("cls", [Masked, Fitting])
def test_what_is_masked_or_fits_runs_compiled(cls):
    agent = cls(GROUND)
    assert reason(agent) is None
    for state in ((1, 0), (2, 1), (7, 0)):
        with plainly():
            expected = agent.choose(state, [0, 1, 2], Rng(1))
        assert agent.choose(state, [0, 1, 2], Rng(1)) == expected


@pytest.mark.parametrize(
    "cls", [Cut, CutByAShift, CutByAFarShift, CutByDivision, CutByNegation, CutByAbs, CutLater]
)
def test_what_is_cut_off_runs_in_plain_python_and_says_so(cls):
    found = reason(cls(Deeper()))
    assert found is not None
    assert "compiled, choose would lose high bits: a number is beyond the 64 bits of an int" in found
    assert "mask the result" in found


class Deeper(Ground):
    def initial(self):
        return (9, 0)


def test_a_game_whose_numbers_are_cut_off_runs_in_plain_python():
    assert "compiled, play would lose high bits" in str(reason(Large()))

"""Endings of checkers with four pieces against a slow solver: dictionaries, one ply after the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, product
from math import comb
from random import Random

import pytest

import arena
from arena.analysis.endings import kept
from arena.analysis.solving import Worth
from arena.compiler import with_compiled_rules
from arena.registry.plugins import registry

COUNTS = (120, 6972, 261_224, 7_092_774)  # positions with one piece to four, by E. Trice, Chinook
ALL = range(32)
DRAWN = Worth(0)


def turned(cells):
    return int(f"{cells:032b}"[::-1], 2)


def key(state):
    """A position as one number, with black to move: the board is turned if white is."""
    own, other, kings, side = state
    if side:
        own, other, kings = turned(own), turned(other), turned(kings)
    return own << 64 | other << 32 | kings


def state(key):
    return key >> 64, key >> 32 & 0xFFFFFFFF, key & 0xFFFFFFFF, 0


def sets(cells, size):
    return [sum(1 << cell for cell in some) for some in combinations(cells, size)]


def free(*taken):
    return [cell for cell in ALL if not any(cells >> cell & 1 for cells in taken)]


def placed(men, kings, other_men, other_kings):
    """All positions of one material, black to move: no man stands where it would be a king."""
    for a in sets(range(28), men):
        for b in sets([cell for cell in free(a) if cell > 3], other_men):
            for c in sets(free(a, b), kings):
                for d in sets(free(a, b, c), other_kings):
                    yield (a | c) << 64 | (b | d) << 32 | c | d


def groups(pieces, most_men):
    """Materials, each with that of the other side: few pieces first, then few men."""
    found = {}
    for one in product(range(pieces + 1), repeat=4):
        both = frozenset([one, (*one[2:], *one[:2])])
        if 1 <= sum(one) <= pieces and one[0] + one[2] <= most_men:
            found[both] = sum(one), one[0] + one[2]
    return sorted(found, key=found.__getitem__)


def solve(game, group, worth):
    """Find what positions are worth that lead to each other, and elsewhere to what `worth` has.

    worth: by position, twice the plies that are left, and one more for a win; nothing of a draw.
    """
    after, before, later = {}, defaultdict(list), defaultdict(list)
    reached = []
    inside = set(group)
    for one in inside:
        here = state(one)
        after[one] = [key(game.play(here, move)) for move in game.moves(here)]
        if not after[one]:
            worth[one] = 0
            reached.append(one)
        for to in after[one]:
            if to in inside:
                before[to].append(one)
            elif to in worth:
                later[worth[to] // 2 + 1].append(one)
    ply = 0
    while reached or later:
        ply += 1
        found = {}
        for one in {one for to in reached for one in before[to]} | set(later.pop(ply, ())):
            if one in worth:
                continue
            codes = [worth.get(to) for to in after[one]]
            known = [code for code in codes if code is not None and code // 2 < ply]
            if any(code % 2 == 0 for code in known):
                found[one] = 2 * ply + 1
            elif len(known) == len(codes):
                found[one] = 2 * ply
        worth.update(found)
        reached = list(found)
    return inside


def meant(code):
    return DRAWN if code is None else Worth(1 if code % 2 else -1, code // 2)


@pytest.mark.parametrize(
    ("most_men", "positions"),
    [
        pytest.param(0, sum(comb(32, n) * 2**n for n in range(1, 5)), marks=pytest.mark.slow),
        pytest.param(4, sum(COUNTS), marks=pytest.mark.campaign),
    ],
)
def test_ten_thousand_positions_are_worth_what_a_slow_solver_finds(most_men, positions, tmp_path):
    """And each slice has as many that are won, drawn and lost; of kings alone, then of all pieces."""
    game = with_compiled_rules(registry().spec("game", "checkers").make())
    told = {row.slice: row for row in arena.endings("checkers", pieces=4, to=tmp_path, progress=False).rows}
    known, rng = kept(game, tmp_path, registry()), Random(1)
    worth, seen, looked_at = {}, 0, 0
    for both in groups(4, most_men):
        inside = solve(game, (one for material in both for one in placed(*material)), worth)
        slice = known.slices[known.endings.slice(state(next(iter(inside))))].name
        results = Counter(meant(worth.get(one)).value for one in inside)
        row = told[slice]
        assert (row.positions, row.won, row.drawn, row.lost) == (
            len(inside), results[1], results[0], results[-1],
        )  # fmt: skip
        for one in rng.sample(sorted(inside), min(len(inside), 1 + 10_000 * len(inside) // positions)):
            assert known.worth(state(one)) == meant(worth.get(one)), game.position_text(state(one))
            looked_at += 1
        seen += len(inside)
    assert seen == positions
    assert looked_at >= 10_000

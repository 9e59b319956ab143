"""Matches judged move by move, compared with a solver of a few lines."""

from __future__ import annotations

import random
from functools import cache

from arena.analysis.match_marks import Line, marks_of
from arena.analysis.move_grading import SearchJudge, judge_of
from arena.registry.plugins import spec_named

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def won(cells):
    """Whether the player that moved last has three in a line."""
    return any(all(cell in cells for cell in line) for line in LINES)


@cache
def value(own, other):
    """The value for the side to move, by trying everything."""
    if won(other):
        return -1
    free = [cell for cell in range(9) if cell not in own | other]
    return max((-value(other, own | {cell}) for cell in free), default=0)


def some_match(rng):
    """Random moves to the end of a match of tic-tac-toe, as cells from 0."""
    sides, moves = (frozenset(), frozenset()), []
    while not won(sides[1]) and len(moves) < 9:
        moves.append(rng.choice([cell for cell in range(9) if cell not in moves]))
        sides = sides[1], sides[0] | {moves[-1]}
    return moves


def test_values_and_mistakes_are_those_of_a_full_search():
    game, rng = spec_named("game", "tic-tac-toe").make(), random.Random(1)
    judge, names = judge_of(game, 1), [game.move_text(move) for move in game.moves(game.initial())]
    searching = SearchJudge(game, 1_000_000)
    for number in range(500):
        moves = some_match(rng)
        line = Line(1, number, " ".join(names[move] for move in moves), None, 1)
        found = marks_of(judge, game, line)
        sides, values, slips = (frozenset(), frozenset()), [], []
        for ply, move in enumerate(moves):
            seat, here = ply % 2, value(*sides)
            values.append(here if seat == 0 else -here)
            free = [cell for cell in range(9) if cell not in sides[0] | sides[1]]
            kept = [cell for cell in free if -value(sides[1], sides[0] | {cell}) == here]
            after = -value(sides[1], sides[0] | {move})
            if ply and move not in kept:
                slips.append((ply + 1, seat, here, after, [names[cell] for cell in kept], [kept[0]]))
            sides = sides[1], sides[0] | {move}
        assert list(found.values) == values
        assert [tuple(slip) for slip in found.slips] == slips
        if number < 50:
            again = marks_of(searching, game, line)
            assert list(again.values) == values
            assert [slip[:4] for slip in again.slips] == [slip[:4] for slip in slips]
            assert all(set(one.right) <= set(two[4]) for one, two in zip(again.slips, slips, strict=True))

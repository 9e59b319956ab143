"""Find kinds of positions in which an entry makes more mistakes than in others, by testing many kinds.

The kinds are the same for every entry and game: immediate wins, threats and captures, the phase of the match,
the seat, the value, the number of moves, and zones of the board. Of the kinds with significantly more
mistakes than other positions, the one that explains mistakes best is reported first; further kinds are
searched for among the remaining positions. A kind that merely overlaps with the cause of mistakes explains
less than the cause itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.analysis import decisions as zones
from arena.analysis.decisions import Decision
from arena.ratings.clustered_share import Share, chance_of_more, corrected, gain_of, share_of

FEWEST = 5  # minimum number of mistakes in a kind, and of matches with them
LIKELY = 0.05  # largest corrected p-value of a reported kind
MOST = 5  # maximum number of kinds reported

Flags = NDArray[np.bool_]

ZONES = {
    zones.CORNER: "in a corner",
    zones.EDGE: "at the edge",
    zones.INSIDE: "away from the edge",
    zones.LEFT: "on the left",
    zones.MIDDLE: "between left and right",
    zones.RIGHT: "on the right",
    zones.TOP: "at the top",
    zones.CENTRE: "between top and bottom",
    zones.BOTTOM: "at the bottom",
}


class Kind(NamedTuple):
    """A kind of position in which an entry makes more mistakes than in others.

    Attributes:
        name: The kind, after "when": `it could win at once`.
        moves: Number of judged moves in such positions, except positions that are lost already.
        mistakes: Number of mistakes among them.
        rate: Share of mistakes, with its 95 % interval.
        elsewhere: Share of mistakes in other positions, except those of kinds reported earlier.
        chance: P-value of the difference, corrected for the number of kinds compared.
    """

    name: str
    moves: int
    mistakes: int
    rate: Share
    elsewhere: float
    chance: float


class Columns:
    """The judged moves in positions with something to lose, as arrays.

    Attributes:
        made: The moves.
        match: int64 [moves], numbers of the matches, consecutive from 0.
        erred: bool [moves], whether the move loses value.
    """

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self.made = [one for one in decisions if one.given is not None and one.value != -1]
        _, self.match = np.unique(np.array([one.match for one in self.made], np.int64), return_inverse=True)
        self.erred = np.array([bool(one.given) for one in self.made], bool)

    def flags(self, test: Callable[[Decision], bool]) -> Flags:
        """Return which moves pass a test, bool [moves]."""
        return np.array([test(one) for one in self.made], bool)

    def sums(self, where: Flags) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the numbers of mistakes and of selected moves, by match; float64 [matches] each."""
        size = int(self.match.max(initial=-1)) + 1
        hits = np.bincount(self.match[where & self.erred], minlength=size)
        return hits.astype(float), np.bincount(self.match[where], minlength=size).astype(float)


def kinds_of(decisions: Sequence[Decision], phases: Sequence[int], sides: Sequence[str]) -> list[Kind]:
    """Return the kinds of positions in which an entry makes more mistakes, the main cause first.

    Args:
        decisions: The entry's moves.
        phases: The last ply of the opening and of the middlegame.
        sides: Names of the sides.
    """
    columns = Columns(decisions)
    if not columns.made:
        return []
    candidates = {name: columns.flags(test) for name, test in tests(columns.made, phases, sides).items()}
    left, found = np.ones(len(columns.made), bool), list[Kind]()
    while len(found) < MOST and (kind := next_kind(columns, candidates, left)):
        found.append(kind)
        left = left & ~candidates[kind.name]
    return found


def next_kind(columns: Columns, candidates: Mapping[str, Flags], left: Flags) -> Kind | None:
    """Return the kind that explains mistakes best in the remaining positions; None if there is none."""
    looked, chances, gains = [], [], []
    for name, flags in candidates.items():
        inside, outside = columns.sums(flags & left), columns.sums(~flags & left)
        hits, moves = inside[0].sum(), inside[1].sum()
        if np.count_nonzero(inside[0]) < FEWEST or not outside[1].any():
            continue
        looked.append(name)
        chances.append(chance_of_more(*inside, *outside))
        gains.append(gain_of(hits, moves, outside[0].sum(), outside[1].sum()))
    sure = corrected(chances)
    likely = [i for i in range(len(looked)) if sure[i] <= LIKELY]
    if not likely:
        return None
    best = max(likely, key=gains.__getitem__)
    name = looked[best]
    inside, outside = columns.sums(candidates[name] & left), columns.sums(~candidates[name] & left)
    rate = share_of(*inside)
    assert rate
    elsewhere = float(outside[0].sum() / outside[1].sum())
    return Kind(name, int(inside[1].sum()), int(inside[0].sum()), rate, elsewhere, sure[best])


def tests(
    made: Sequence[Decision], phases: Sequence[int], sides: Sequence[str]
) -> dict[str, Callable[[Decision], bool]]:
    """Return the test for each kind, by name of the kind."""
    opening, middle = phases
    few, many = (float(q) for q in np.quantile([one.facts.moves for one in made], [1 / 3, 2 / 3]))
    found: dict[str, Callable[[Decision], bool]] = {
        "it could win at once": lambda one: one.facts.wins > 0,
        "the opponent threatened to win at once": lambda one: (
            not one.facts.wins and 0 < one.facts.safe < one.facts.moves
        ),
        "a capture was possible": lambda one: one.facts.captures > 0,
        "it was winning": lambda one: one.value == 1,
        "the position was drawn": lambda one: one.value == 0,
        f"the match was at its beginning, up to ply {opening}": lambda one: one.ply <= opening,
        f"the match was in its middle, plies {opening + 1} to {middle}": lambda one: (
            opening < one.ply <= middle
        ),
        f"the match was at its end, from ply {middle + 1} on": lambda one: one.ply > middle,
        f"it played {sides[0]}": lambda one: one.seat == 0,
        f"it played {sides[1]}": lambda one: one.seat == 1,
        f"it had at most {few:.0f} legal moves": lambda one: one.facts.moves <= few,
        f"it had at least {np.ceil(many):.0f} legal moves": lambda one: one.facts.moves >= many,
    }
    for zone, where in ZONES.items():
        found[f"every right move was {where}"] = partial(is_right_in, zone)
        found[f"it moved {where}"] = partial(moves_in, zone)
    for piece in sorted({one.facts.piece for one in made} - {0}):
        found[f"it moved piece {piece}"] = partial(moves_piece, piece)
    return found


def is_right_in(zone: int, one: Decision) -> bool:
    """Return whether all correct moves were in a zone of the board."""
    return one.facts.right_zones & zone > 0


def moves_in(zone: int, one: Decision) -> bool:
    """Return whether the move was in a zone of the board."""
    return one.facts.zones & zone > 0


def moves_piece(piece: int, one: Decision) -> bool:
    """Return whether the move was made with a kind of piece."""
    return one.facts.piece == piece

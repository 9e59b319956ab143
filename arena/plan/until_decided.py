"""The format `decided`, which plays until the ranking is decided."""

from __future__ import annotations

import math

import numpy as np

from arena.api.format import Format, Stage, Standing
from arena.api.options import option
from arena.errors import ArenaError
from arena.plan.certain_order import Order
from arena.plan.growing_stages import MATCHES, beginning, next_for
from arena.ratings.likelihood import Flags

NAMED = 12  # maximum number of places in a note


class Decided(Format):
    """Play until the ranking of the entries is decided, choosing the most informative pairings.

    The ranking is decided once, for each pair of neighbours, there is evidence that the upper one is better,
    or that they are closer than `indifference`. The probability that any of these claims is false is at most
    5 %, for the whole ranking and at any time. Ratings are those of the leaderboard; see
    `arena.plan.certain_order`. The tournament ends sooner if matches only repeat others.
    """

    optional_stopping = True
    indifference: float = option(
        25.0, "Elo difference below which entries need not be ranked", low=1, high=1000
    )

    def check_entries(self, entries: int) -> None:
        if entries < 2:
            raise ArenaError(
                f"{self.name or 'decided'}: {entries} entries cannot be ranked; name two or more"
            )

    def usual_rounds(self, entries: int) -> int:
        return math.ceil(MATCHES / max(entries * (entries - 1), 1))

    def order(self, standing: Standing) -> Order:
        """Return the significant ranking."""
        return Order(standing, self.indifference)

    def next_stage(self, standing: Standing) -> Stage | None:
        if standing.matches >= standing.limit:
            return None
        if not standing.stages:
            return beginning(standing)
        order = self.order(standing)
        questions = order.questions()
        return next_for(standing, order.fitted, questions) if questions else None

    def progress(self, standing: Standing) -> str:
        """Return for how many pairs of neighbours the order is decided: `14 of 17 neighbours decided`."""
        decided = self.order(standing).decided
        return f"{int(decided.sum())} of {len(decided)} neighbours decided"

    def notes(self, standing: Standing) -> list[str]:
        """Return how much of the ranking is decided, and which places are too close to call or undecided."""
        order = self.order(standing)
        neighbours = len(order.decided)
        if not neighbours:
            return []
        sure = int(order.cuts.sum())
        notes = [f"Ranking confirmed with 95 % simultaneous confidence: {sure} of {neighbours} neighbours."]
        if close := places(order.close):
            notes.append(f"Closer than {self.indifference:g} points, too close to call: places {close}.")
        if undecided := places(~order.decided):
            notes.append(f"Not decided: places {undecided}.")
        return notes


def places(neighbours: Flags) -> str:
    """Return pairs of neighbouring places as text, `2–3, 5–6`; pairs beyond the first `NAMED` are counted."""
    named = [f"{place + 1}–{place + 2}" for place in np.flatnonzero(neighbours).tolist()]
    more = len(named) - NAMED
    return ", ".join(named) if more <= 0 else f"{', '.join(named[:NAMED])} and {more} more"

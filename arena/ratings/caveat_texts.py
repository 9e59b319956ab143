"""Sentences about how reliable the ranking of a table is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.api.rating import Results
from arena.ratings.caveats import Doubts
from arena.ratings.maximum_likelihood import MaximumLikelihood

MOST = 10  # maximum number of cycles that are listed
BAD = 0.05  # significance level of misfit


@dataclass(frozen=True)
class Doubted:
    """Reasons to doubt the ranking of a leaderboard; see `arena.ratings.caveats`.

    Attributes:
        misfit: P-value of the test that the results of all pairings fit the ratings.
        cyclic_share: Cyclic share of the differences between entries, from 0 to 1.
        cycles: Triples of entries in which each beats the next, with the score of each against the next.
        swaps: Number of results that would have to be reversed to rank the second entry above the first; None
            for a single entry.
        superiority: For each entry, in the order of the table, the likelihoods that it is better than each of
            the others.
    """

    misfit: float
    cyclic_share: float
    cycles: Sequence[tuple[tuple[str, str, str], tuple[float, float, float]]]
    swaps: int | None
    superiority: Mapping[str, Sequence[float]]

    @classmethod
    def of(cls, results: Results, order: Sequence[int]) -> Doubted:
        """Analyse results.

        Args:
            results: Results of the table.
            order: Indices of the entries in the order of the table.
        """
        names = results.entries
        fit = MaximumLikelihood().fit(results)
        doubts = Doubts(fit.likelihood, *fit.maximum, fit.errors)
        cycles = []
        for cycle in doubts.cycles:
            a, b, c = (names[entry] for entry in cycle.entries)
            cycles.append(((a, b, c), cycle.scores))
        better = doubts.superiority[order][:, order].tolist()
        return cls(
            doubts.misfit,
            doubts.cyclic_share,
            cycles,
            doubts.swaps(order[0], order[1]) if len(order) > 1 else None,
            {names[entry]: row for entry, row in zip(order, better, strict=True)},
        )

    def lines(self, shown: Mapping[str, str]) -> Iterator[str]:
        """Yield the reasons as sentences.

        Args:
            shown: Name to show, by entry.
        """
        fits = "do not fit" if self.misfit < BAD else "fit"
        yield f"The pairings {fits} the ratings (Pearson's test, {chance(self.misfit)})."
        for entries, scores in self.cycles[:MOST]:
            legs = zip(entries, (*entries[1:], entries[0]), scores, strict=True)
            said = [f"{shown[a]} scores {100 * s:.0f} % against {shown[b]}" for a, b, s in legs]
            yield f"A cycle: {', '.join(said)}."
        if len(self.cycles) > MOST:
            yield f"And {len(self.cycles) - MOST:,} more cycles."
        begin = "Of" if self.cycles else "No cycle is certain; of"
        yield f"{begin} the differences between entries {share(self.cyclic_share)} is cyclic."
        if self.swaps is not None:
            first, second = (shown[entry] for entry in list(self.superiority)[:2])
            results = "1 result" if self.swaps == 1 else f"{self.swaps:,} results"
            yield f"{second} would be above {first} if {results} had been reversed."


def chance(p: float) -> str:
    """Return a p-value as text: `p = .31`, `p under .0001`."""
    return "p under .0001" if p < 1e-4 else f"p = {f'{p:.2g}'.removeprefix('0')}"


def share(of: float) -> str:
    """Return a share as text: `31 %`, `0.42 %`, `under 0.01 %`."""
    if of < 1e-4:
        return "under 0.01 %"
    return f"{100 * of:.2g} %" if of < 0.995 else f"{100 * of:.0f} %"

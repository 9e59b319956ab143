"""Several results of one kind, shown as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.show.grid import Grid
from arena.show.presentation import Item, Part, ShownSequence


class Listing(ShownSequence[Item]):
    """Several results of one kind, shown as a table."""

    def __init__(self, items: Sequence[Item], grid: Grid, dicts: Sequence[Mapping[str, object]]) -> None:
        self.items, self.grid, self.dicts = list(items), grid, dicts

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield self.grid

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [dict(row) for row in self.dicts]

"""Several results of one kind, shown as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from arena.show.frame import Columns, frame_of
from arena.show.grid import Grid
from arena.show.presentation import Item, Part, ShownSequence

if TYPE_CHECKING:
    from pandas import DataFrame


class Listing(ShownSequence[Item]):
    """Several results of one kind, shown as a table."""

    def __init__(
        self,
        items: Sequence[Item],
        grid: Grid,
        dicts: Sequence[Mapping[str, object]],
        columns: Columns | None = None,
        rows: Sequence[Mapping[str, object]] | None = None,
    ) -> None:
        self.items, self.grid, self.dicts = list(items), grid, dicts
        self.columns, self.rows = columns or {}, dicts if rows is None else rows

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of its data frame."""
        return self.rows

    def to_frame(self) -> DataFrame:
        """Return the list as a pandas data frame.

        Raises:
            ArenaError: If pandas is not installed.
        """
        return frame_of(self.columns, self.rows)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield self.grid

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [dict(row) for row in self.dicts]

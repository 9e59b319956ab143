"""Leaderboards that print themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from arena.calls.results.figures import Kind, leaderboard_figure
from arena.calls.results.frames import LEADERBOARD, leaderboard_rows
from arena.ratings import leaderboard as ratings
from arena.ratings.row import SPARE, Row
from arena.show.figures.canvas import column, rows_height
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown, ShownSequence
from arena.show.table import (
    RULE,
    comma_separated,
    legend,
    markdown,
    superiority,
    table,
    unrated_table,
    worths_of_openings,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Leaderboard(ratings.Leaderboard, Shown):
    """The rated entries of a game.

    Attributes:
        rows: Rated entries, best first.
        notes: Remarks on the results.
        unrated: Entries that failed too often to be rated.
    """

    frame_columns = LEADERBOARD

    __repr__ = Shown.__repr__

    @classmethod
    def of(cls, board: ratings.Leaderboard) -> Leaderboard:
        """Return a leaderboard that prints itself."""
        return cls(**vars(board))

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield Grid(*table(self), left=2, spare=SPARE)
        yield from self.below_the_line()
        yield from legend(self.names)
        yield from self.notes
        if self.doubts:
            yield from self.doubts.lines({row.entry: row.shown for row in self.rows})
            yield "Likelihood that the row entry is better than the column entry, in percent:"
            yield superiority(self.doubts.superiority).with_names(self.names)
        if self.openings is not None:
            yield from worths_of_openings(self.game, self.openings)

    def below_the_line(self) -> Iterator[Part]:
        """Yield a horizontal rule and the unrated entries, if there are any."""
        if self.unrated:
            yield RULE
            yield Grid(*unrated_table(self), left=2, spare=SPARE)

    def hints(self) -> list[str]:
        """Return an explanation of the columns."""
        worst = (
            " worst score: the score against the best response, ≤ where a search found the response."
            if any(row.worst_score is not None for row in self.rows)
            else ""
        )
        if self.exact:
            means = (
                "rating: the Elo points that predict these scores; score: share of wins plus half the draws."
            )
            return [means + worst]
        elo = " Elo: updated match by match." if any(row.elo is not None for row in self.rows) else ""
        open_ranks = any("–" in row.ranks for row in self.rows)
        ranks = (
            " #: range of ranks; all ranges hold simultaneously with 95 % confidence." if open_ranks else ""
        )
        spread = " spread: standard deviation between seeds." * any(row.seeds for row in self.rows)
        means = "rating: Elo points, fitted to all matches at once, each with its own 95 % interval."
        return [f"{means}{elo}{ranks}{spread}{worst}"]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each entry, unrated entries last."""
        return [*leaderboard_rows(self)]

    def to_markdown(self) -> str:
        """Return the leaderboard as a Markdown table with its notes."""
        return markdown(self)

    def plot(self, kind: Kind = "ratings", *, cost: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the leaderboard.

        Args:
            kind: "ratings", with their 95 % intervals; "results", the shares of matches won, drawn and lost;
                "cost", ratings against a cost of the entries; or "training", ratings of learners at their
                checkpoints over the cost of training.
            cost: "move_seconds", "training_seconds" or "episodes". Default: the first one that is known; for
                "training", "episodes".
            ax: Axes of matplotlib to draw on. Default: those of a new figure.

        Raises:
            ArenaError: If there is no such figure, the cost is not known, or matplotlib is not installed.
        """
        return leaderboard_figure(self, kind, cost=cost, ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`.

        Unrated entries come last: their `rank` and `rating` are None, and `why` has the reason.
        """
        facts = {"game": self.game, "exact": self.exact, "rules": self.rules}
        facts |= {"doubts": asdict(self.doubts)} if self.doubts else {}
        if self.openings is not None:
            facts["openings"] = [{**asdict(one), "decides": one.decides} for one in self.openings]
        return [{**asdict(row), **facts} for row in self.rows] + [
            {**dict.fromkeys(column.name for column in fields(Row)), **asdict(one), **facts}
            for one in self.unrated
        ]


class Leaderboards(ShownSequence[Leaderboard]):
    """The leaderboards of several games."""

    frame_columns = LEADERBOARD

    def csv(self) -> str:
        """Return all fields of all rows as comma-separated values, with a header."""
        return comma_separated(self.boards)

    def markdown(self) -> str:
        """Return the leaderboards as Markdown tables."""
        return "\n".join(map(markdown, self.boards))

    def __init__(self, boards: Sequence[Leaderboard]) -> None:
        self.items = self.boards = list(boards)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        for i, board in enumerate(self.boards):
            if len(self.boards) > 1:
                yield from [""] * bool(i)
                yield board.title
            yield from board.parts()

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each entry of each game."""
        return [row for board in self.boards for row in leaderboard_rows(board)]

    def to_markdown(self) -> str:
        """Return the leaderboards as Markdown tables, as `markdown` does."""
        return self.markdown()

    def plot(self, kind: Kind = "ratings", *, cost: str | None = None) -> Figure:
        """Draw all leaderboards in one figure, one below the other.

        Args:
            kind: The kind of figure, as in `Leaderboard.plot`.
            cost: The cost, as in `Leaderboard.plot`.

        Raises:
            ArenaError: As in `Leaderboard.plot`.
        """
        heights = [rows_height(len(board.rows)) for board in self.boards]
        figure, panels = column(heights)
        for board, ax in zip(self.boards, panels, strict=True):
            leaderboard_figure(board, kind, cost=cost, ax=ax).set_title(board.title, loc="left")
        return figure

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [row for board in self.boards for row in board.to_dicts()]

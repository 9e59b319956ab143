"""A book of openings that leave both sides about equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from arena.errors import ArenaError
from arena.show.figures.canvas import COLOURS, canvas
from arena.show.frame import Column, Columns
from arena.show.presentation import Part, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Book(Shown):
    """A book of openings, the most balanced first.

    Attributes:
        game: The game.
        how: Command that recreates the book.
        lines: Moves of each opening.
        scores: Score of the best move after each opening for the side to move, in the judge's own unit. If
            the openings were chosen by results: value of each for the first player, in Elo points.
        judged: Number of openings that were examined.
        played: Whether the openings were chosen by the results of recorded matches.
    """

    frame_columns: ClassVar[Columns] = {
        "game": Column(str, "The game."),
        "moves": Column(str, "Moves of the opening, in the game's notation."),
        "score": Column(float, "Value of the opening, as in `scores`."),
    }

    game: str
    how: str
    lines: list[str]
    scores: list[float]
    judged: int
    played: bool = False

    @property
    def file_text(self) -> str:
        """The book as the text of a file that the condition `openings` accepts."""
        head = [
            f"# {len(self.lines):,} openings of {self.game}, the most even of {self.judged:,}: {self.how}",
            "# each with its value for the first player, in Elo points"
            if self.played
            else "# each with the value of the best move for the side to move",
        ]
        width = max(map(len, self.lines), default=0)
        rows = [f"{line:{width}}  # {score:.6g}" for line, score in zip(self.lines, self.scores, strict=True)]
        return "\n".join([*head, *rows]) + "\n"

    def write(self, path: str | Path) -> None:
        """Write the book to a file that the condition `openings` accepts; raise ArenaError if that fails."""
        try:
            Path(path).write_text(self.file_text, encoding="utf-8")
        except OSError as error:
            raise ArenaError(f"cannot write {path}: {error.strerror}; name another file") from error

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield from self.file_text.splitlines()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw a histogram of the scores of the openings.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        ax = canvas(ax)
        ax.hist(self.scores, bins="auto", color=COLOURS[0], edgecolor="white")
        judged = "score for the side to move (unit of the judge)"
        ax.set_xlabel("value for the first player (Elo)" if self.played else judged)
        ax.set_ylabel("number of openings")
        return ax

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each opening."""
        pairs = zip(self.lines, self.scores, strict=True)
        return [{"game": self.game, "moves": line, "score": score} for line, score in pairs]

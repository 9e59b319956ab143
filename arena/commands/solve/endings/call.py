"""The function `arena.endings`, which solves and stores all positions with few pieces."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.building import Building
from arena.analysis.endings import Folder, endings_of
from arena.calls.arguments import GameEntry, game_spec, known_with
from arena.calls.execution import Execution
from arena.plan.entries import make_game
from arena.results.settings import check_range
from arena.show.figures import shares
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown
from arena.storage.endings import default_folder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PIECES = 32
MOST_THREADS = 1024
MEMORY = 4000  # default memory limit in megabytes


@dataclass(frozen=True)
class SliceRow:
    """A slice of an endgame database.

    Attributes:
        slice: Name of the slice.
        positions: Number of positions.
        won: Number of positions won for the side to move.
        drawn: Number of drawn positions.
        lost: Number of positions lost for the side to move.
        plies: Length of the longest win or loss, in plies.
        bytes: Size of the file.
    """

    slice: str
    positions: int
    won: int
    drawn: int
    lost: int
    plies: int
    bytes: int


@dataclass(frozen=True, repr=False)
class Built(Shown):
    """The endings of a game up to a number of pieces.

    Attributes:
        game: The game.
        pieces: Maximum number of pieces in a position.
        folder: Folder of the files.
        rows: The slices, which are the files of the database.
        solved: Number of positions solved by this call; the other positions had been solved before.
        checked: Whether all positions were verified.
        seconds: Time taken in seconds.
    """

    frame_columns: ClassVar[Columns] = {
        "slice": Column(str, "The pieces of the slice."),
        "positions": Column(int, "Number of positions."),
        "won": Column(int, "Number of positions won for the side to move."),
        "drawn": Column(int, "Number drawn."),
        "lost": Column(int, "Number lost."),
        "plies": Column(int, "Plies of the longest win."),
        "bytes": Column(int, "Size of its file, in bytes."),
    }

    game: str
    pieces: int
    folder: str
    rows: Sequence[SliceRow]
    solved: int
    checked: bool
    seconds: float

    @property
    def positions(self) -> int:
        """The number of positions."""
        return sum(row.positions for row in self.rows)

    @property
    def bytes(self) -> int:
        """The size on disk, in bytes."""
        return sum(row.bytes for row in self.rows)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        cells = [
            [row.slice, *(f"{n:,}" for n in (row.positions, row.won, row.drawn, row.lost, row.plies))]
            for row in self.rows
        ]
        yield Grid(["slice", "positions", "won", "drawn", "lost", "plies"], cells)
        said = ", each verified against its successors" if self.checked else ""
        yield f"{self.game}: {self.positions:,} positions of up to {self.pieces} pieces{said}"
        yield f"{self.folder}: {self.bytes / self.positions:.1f} bytes per position"

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the shares of won, drawn and lost positions of each slice.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        found = {row.slice: (row.won, row.drawn, row.lost) for row in self.rows}
        return shares(found, "share of positions (%)", ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each slice."""
        return [asdict(row) for row in self.rows]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        facts = {"game": self.game, "pieces": self.pieces, "folder": self.folder, "positions": self.positions}
        return {
            **facts, "bytes": self.bytes, "solved": self.solved, "checked": self.checked,
            "seconds": self.seconds, "slices": self.to_dicts(),
        }  # fmt: skip


def endings(
    game: GameEntry = None,
    *,
    pieces: int,
    to: str | Path | None = None,
    threads: int | None = None,
    memory: int = MEMORY,
    check: bool = False,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Built:
    """Solve all positions with up to a number of pieces by retrograde analysis, and store their values.

    Existing slices are kept, so a build that was stopped continues. Draws by repetition or
    length are disregarded.

    >>> import arena, tempfile
    >>> found = arena.endings("checkers", pieces=1, to=tempfile.mkdtemp())
    >>> [(row.slice, row.positions, row.won, row.drawn, row.lost) for row in found.rows]
    [('K-0', 64, 32, 0, 32), ('M-0', 56, 28, 0, 28)]

    Args:
        game: The game, as in `arena.match`. Default: the first installed.
        pieces: Maximum number of pieces in a position.
        to: Folder. Default: the environment variable ARENA_ENDINGS, or a folder of the user's data.
        threads: Number of threads. Default: the number of processors.
        memory: Memory limit in megabytes; threads wait for one another if it is low.
        check: First check the game's numbering of positions, and verify every position at the end.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The slices, with counts of positions that are won, drawn and lost.

    Raises:
        ArenaError: If the game has no endings, or files are damaged or belong to another game.
        Stopped: If `stop` was set before the end.
    """
    check_range("pieces", pieces, 1, MOST_PIECES)
    check_range("memory", memory, 1, 1 << 20)
    if threads is not None:
        check_range("threads", threads, 1, MOST_THREADS)
    known = known_with(game=game)
    on = game_spec(game, known)
    made = make_game(on)
    how = Execution.of(known, progress=progress, stop=stop)
    began = perf_counter()
    folder = Folder(lambda: endings_of(made, pieces, known), Path(to) if to else default_folder())
    workers = threads or how.count
    missing = folder.missing()
    building = Building(folder, workers, memory * 10**6, how.stop)
    if check:
        with how.showing(f"Checking the position numbers of {on.text}", "slices") as tell:
            building.look(tell)
    if missing:
        with how.showing(f"Solving {on.text}", "positions") as tell:
            building.build(tell)
    if check:
        with how.showing(f"Verifying {on.text}", "positions") as tell:
            building.verify(tell)
    rows = []
    for i, slice in enumerate(folder.slices):
        file = folder.file(i)
        assert file
        about = file.about
        rows.append(
            SliceRow(slice.name, slice.size, about.won, about.drawn, about.lost, about.plies, file.bytes)
        )
    solved = sum(folder.slices[i].size for i in missing)
    return Built(on.text, pieces, str(folder.folder), rows, solved, check, perf_counter() - began)

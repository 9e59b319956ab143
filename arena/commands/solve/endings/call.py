"""`arena.endings`: what all positions with few pieces are worth, solved and kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from arena.analysis.building import Building
from arena.analysis.endings import Folder, endings_of
from arena.calls.entries import GameEntry, game_spec, known_with
from arena.calls.execution import Execution
from arena.plan.entries import make_game
from arena.plan.settings import check_range
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown
from arena.storage.endings import default_folder

MOST_PIECES = 32
MOST_THREADS = 1024
MEMORY = 4000  # megabytes


@dataclass(frozen=True)
class SliceRow:
    """A slice. won, drawn, lost: positions, for who is to move. plies: that the longest win or loss takes."""

    slice: str
    positions: int
    won: int
    drawn: int
    lost: int
    plies: int
    bytes: int


@dataclass(frozen=True, repr=False)
class Built(Shown):
    """A game's endings up to some pieces, in a folder.

    solved: how many positions were solved now; the others were there. checked: whether all were verified.
    """

    game: str
    pieces: int
    folder: str
    rows: Sequence[SliceRow]
    solved: int
    checked: bool
    seconds: float

    @property
    def positions(self) -> int:
        return sum(row.positions for row in self.rows)

    @property
    def bytes(self) -> int:
        return sum(row.bytes for row in self.rows)

    def parts(self) -> Iterator[Part]:
        cells = [
            [row.slice, *(f"{n:,}" for n in (row.positions, row.won, row.drawn, row.lost, row.plies))]
            for row in self.rows
        ]
        yield Grid(["slice", "positions", "won", "drawn", "lost", "plies"], cells)
        said = ", each verified by what its moves lead to" if self.checked else ""
        yield f"{self.game}: {self.positions:,} positions of up to {self.pieces} pieces{said}"
        yield f"{self.folder}: {self.bytes / self.positions:.1f} bytes a position"

    def to_dicts(self) -> list[dict[str, object]]:
        """A dictionary for each slice."""
        return [asdict(row) for row in self.rows]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
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
    """Solve all positions with up to so many pieces, backward from the ends, and keep what they are worth.

    to: a folder, by default ARENA_ENDINGS or one of the user's data. What is there already is left as it is,
    so that a build that was stopped goes on. threads: as many as there are processors if None. memory:
    megabytes that may be taken; threads wait for one another where that is little. check: look whether what
    the game's plugin promises holds, and verify every position afterwards. Draws by repetition or length are
    left out. ArenaError for a game without endings, for files that are damaged or another's; Stopped if
    `stop` is set before the end.

    >>> import arena, tempfile
    >>> found = arena.endings("checkers", pieces=1, to=tempfile.mkdtemp())
    >>> [(row.slice, row.positions, row.won, row.drawn, row.lost) for row in found.rows]
    [('K-0', 64, 32, 0, 32), ('M-0', 56, 28, 0, 28)]
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
        with how.showing(f"Looking at the numbers of {on.text}", "slices") as tell:
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

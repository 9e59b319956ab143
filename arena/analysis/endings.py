"""The endings of a game, stored in a folder."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from arena.analysis.position_codes import DRAWN, Codes
from arena.analysis.solving import Worth
from arena.api.endings import Endings, Slice
from arena.api.game import Game, State
from arena.api.plugin_guard import Failed, foreign
from arena.errors import ArenaError
from arena.registry.plugins import Registry, registry
from arena.storage.endings import (
    BLOCK,
    FORMAT,
    SUFFIX,
    About,
    SliceFile,
    default_folder,
    folder_of,
    pieces_in,
    write,
)
from arena.texts import call, either, in_python

Make = Callable[[], Endings]
COUNTED = 1 << 20  # number of codes counted at a time, since numpy converts them to int64

# codes of the endings loaded into memory, by folder, pieces and version
loaded: WeakValueDictionary[tuple[str, int, int], NDArray[Any]] = WeakValueDictionary()
loading = threading.Lock()


def endings_of(game: Game, pieces: int, known: Registry) -> Endings:
    """Return the endings registered for a game; raise ArenaError if there are none."""
    name = str(game).partition(":")[0]
    if name not in known.offers["endings"]:
        others = ", ".join(known.offers["endings"])
        raise ArenaError(f"{game} has no endgame database; games that have one: {others}")
    try:
        with foreign(ArenaError):
            made: Endings = known.offer("endings", name).load().of(game, pieces)
    except Failed as error:
        raise ArenaError(f"endings {name} cannot be created: {error}") from error
    return made


def kept(game: Game, folder: Path, known: Registry) -> Folder | None:
    """Return a game's endings in a folder of endings; None if there are none."""
    if str(game).partition(":")[0] not in known.offers["endings"]:
        return None
    pieces = pieces_in(folder_of(folder, endings_of(game, 1, known).rules()))
    return up_to(pieces, game, folder, known) if pieces else None


def up_to(pieces: int, game: Game, folder: Path, known: Registry) -> Folder:
    """Return a game's endings with up to `pieces` pieces, whether or not their files exist."""
    return Folder(lambda: endings_of(game, pieces, known), folder)


def most_pieces(game: Game, folder: Path, known: Registry) -> int:
    """Return the largest number of pieces up to which all endings are stored; 0 if there are none."""
    found = kept(game, folder, known)
    numbers = range(found.endings.pieces if found else 0, 0, -1)
    return next((n for n in numbers if not up_to(n, game, folder, known).missing()), 0)


def pieces_kept(game: Game, pieces: int = 0) -> int:
    """Return the number of pieces up to which all of a game's endings are stored.

    Args:
        game: The game.
        pieces: Number of pieces required; 0 for as many as are stored.

    Raises:
        ArenaError: If no endings are stored, or some of the required ones are missing.
    """
    known, folder = registry(), default_folder()
    if pieces:
        check_there(up_to(pieces, game, folder, known))
        return pieces
    rules = endings_of(game, 1, known).rules()
    if found := most_pieces(game, folder, known):
        return found
    made = either(f"arena endings {rules} --pieces N", f"arena.endings({in_python(rules)}, pieces=N)")
    raise ArenaError(f"{folder} has no endings of {game}; create them: {made}")


def check_there(found: Folder) -> None:
    """Raise ArenaError if a slice is missing."""
    if missing := found.missing():
        made = call("endings", found.rules, pieces=found.endings.pieces)
        raise ArenaError(
            f"{found.folder} has no endings {found.slices[missing[0]].name} of {found.endings.game}; "
            f"create them: {made}"
        )


def probe(game: Game, pieces: int, folder: Path | None = None) -> Codes:
    """Load all of a game's endings into memory.

    Args:
        game: The game.
        pieces: Largest number of pieces.
        folder: Folder of endings. Default: the user's folder.

    Raises:
        ArenaError: If a slice is missing or damaged.
    """
    found = up_to(pieces, game, folder or default_folder(), registry())
    check_there(found)
    key = str(found.folder), pieces, found.endings.version
    with loading:
        codes = loaded.get(key)
        if codes is not None:
            found.codes = codes
        else:
            found.make_room()
            for i in range(len(found.slices)):
                found.load(i)
            loaded[key] = found.codes
    return Codes(found.endings, found.codes, found.starts)


class Folder:
    """The endings of a game up to some number of pieces, in a folder.

    Attributes:
        make: Creates an `Endings` object; it is called once for each thread.
        endings: The `Endings` object of this thread.
        takes_back: Whether the endings define `unmoves`.
        rules: The game with the options that affect the values of endings.
        folder: The folder of the files.
        slices: All slices, in order.
        starts: int64 [slices + 1], index in `codes` at which each slice begins, then the total size.
        kind: dtype of the codes, uint8 or uint16.
        codes: [positions], the codes in memory; empty before `make_room`.
        files: The files opened so far, by slice.
    """

    def __init__(self, make: Make, folder: Path) -> None:
        self.make = make
        self.endings = make()
        self.takes_back = type(self.endings).unmoves is not Endings.unmoves
        self.rules = self.endings.rules()
        self.folder = folder_of(folder, self.rules)
        try:
            with foreign(ArenaError):
                self.slices: list[Slice] = list(self.endings.slices())
        except Failed as error:
            raise ArenaError(f"endings of {self.endings.game} failed: {error}") from error
        names = [slice.name for slice in self.slices]
        for i, slice in enumerate(self.slices):
            if not re.fullmatch(r"[\w-]+", slice.name) or slice.name in names[:i]:
                raise ArenaError(
                    f"endings of {self.endings.game} violate the contract: slice name {slice.name!r} must "
                    "consist of letters, digits and hyphens, and be unique"
                )
            if not all(0 <= lead < i for lead in slice.leads) or slice.size < 1:
                raise ArenaError(
                    f"endings of {self.endings.game} violate the contract: {slice.name} must have a size "
                    "of at least 1, and lead only to earlier slices"
                )
        self.starts = np.cumsum([0, *(slice.size for slice in self.slices)])
        most = self.endings.longest + 1 if self.endings.paired else 2 * self.endings.longest + 3
        self.kind = np.dtype(np.uint8 if most < 1 << 8 else np.uint16)
        self.codes: NDArray[Any] = np.zeros(0, self.kind)
        self.files: dict[int, SliceFile] = {}

    def make_room(self) -> None:
        """Allocate memory for the codes of all positions."""
        self.codes = np.zeros(self.starts[-1], self.kind)

    def path(self, i: int) -> Path:
        """Return the path of a slice's file."""
        return self.folder / f"{self.slices[i].name}{SUFFIX}"

    def file(self, i: int) -> SliceFile | None:
        """Return the file of a slice, None if missing; raise ArenaError if it is damaged or does not fit."""
        if i not in self.files:
            if not self.path(i).exists():
                return None
            found = SliceFile(self.path(i))
            found.check(self.rules, self.endings.version, self.slices[i].name, self.slices[i].size)
            self.files[i] = found
        return self.files[i]

    def missing(self) -> list[int]:
        """Return the indices of the slices without a file."""
        return [i for i in range(len(self.slices)) if self.file(i) is None]

    def codes_of(self, i: int) -> NDArray[Any]:
        """Return a view of a slice's codes in memory."""
        return self.codes[self.starts[i] : self.starts[i + 1]]

    def load(self, i: int) -> None:
        """Read a slice into memory."""
        file = self.file(i)
        assert file
        file.read(self.codes_of(i))

    def worth(self, state: State) -> Worth | None:
        """Return the value of a position; None if its slice is not stored."""
        i = self.endings.slice(state)
        file = self.file(i) if i >= 0 else None
        if file is None:
            return None
        return Codes(self.endings, self.codes, self.starts).meaning(file.code(self.endings.number(state)))

    def keep(self, i: int) -> None:
        """Write a solved slice to its file."""
        codes = self.codes_of(i)
        counts = np.zeros(1 << 8 * self.kind.itemsize, np.int64)
        for first in range(0, len(codes), COUNTED):
            counts += np.bincount(codes[first : first + COUNTED], minlength=len(counts))
        last = int(np.flatnonzero(counts)[-1])
        about = About(
            format=FORMAT,
            rules=self.rules,
            version=self.endings.version,
            name=self.slices[i].name,
            size=self.slices[i].size,
            width=self.kind.itemsize,
            paired=self.endings.paired,
            pieces=self.endings.pieces,
            block=BLOCK,
            won=int(counts[2::2].sum()),
            drawn=int(counts[DRAWN]),
            lost=int(counts[1::2].sum()),
            plies=Codes(self.endings, self.codes, self.starts).plies(last) if last else 0,
        )
        write(self.path(i), about, codes)

"""The function `arena.export`, which compiles an entry to WebAssembly for web pages."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from arena.api.agent import Agent
from arena.api.plugin_guard import Failed, foreign, quiet
from arena.api.rulings import blaming, check_from
from arena.api.spec import Spec
from arena.calls.arguments import Entry, GameEntry, agent_spec, game_spec, known_with
from arena.calls.execution import Execution, train_first
from arena.compiler import wanted, with_compiled_rules
from arena.errors import ArenaError, Reported, one_line
from arena.plan.entries import check_entries, make_game
from arena.results.settings import STALL_SECONDS
from arena.show.frame import Column, Columns
from arena.show.presentation import Part, Shown
from arena.texts import on_one_line
from arena.wasm.module import Module, module_of
from arena.wasm.scripts import classic, script, types
from arena.workers.processes import undisturbed
from arena.workers.worker import own_watch

LIMIT = 4.0  # default maximum size of the data in megabytes
SECONDS = 60.0  # time limit for compiling an agent from a file
NAME = 80  # maximum length of a file name


@dataclass(frozen=True, repr=False)
class Export(Shown):
    """An entry that was exported for web pages.

    Attributes:
        entry: The entry.
        game: The game.
        module: Path of the WebAssembly file.
        size: Size of that file in bytes.
        code: Size of the code in the file, in bytes.
        memory: Memory that the module needs, in bytes.
        files: All files that were written.
        functions: Functions of the game and the agent that a page can call.
        values: Whether the module provides scores of moves.
        all_move_texts: Whether the module's list of move texts is known to be complete.
        by_clock: Whether the entry's choices depend on a clock.
        approximate: Functions that browsers may round differently.
    """

    frame_columns: ClassVar[Columns] = {
        "file": Column(str, "Path of a written file."),
    }

    entry: str
    game: str
    module: str
    size: int
    code: int
    memory: int
    files: Sequence[str]
    functions: Sequence[str]
    values: bool
    all_move_texts: bool
    by_clock: bool
    approximate: Sequence[str]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        told = "with values of moves" if self.values else "without values of moves"
        yield f"{self.module}: {self.size:,} bytes, {self.code:,} of them code, {told}"
        yield from self.files[1:]

    def remarks(self) -> list[str]:
        """Return warnings about differences between play in a page and in arena."""
        found = []
        if self.by_clock:
            found.append(f"{self.entry} uses a clock, so it may play differently in a page")
        if self.approximate:
            names = ", ".join(self.approximate)
            found.append(f"browsers may round {names} differently and then choose other moves")
        return found

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [{"file": file} for file in self.files]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        return asdict(self)


def export(
    entry: Entry,
    *,
    wasm: str | Path,
    game: GameEntry = None,
    limit: float = LIMIT,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Export:
    """Write an entry for web pages to a folder: a WebAssembly module and the scripts that play it.

    A learner without a model is trained first.

    Args:
        entry: The entry, as in `arena.match`.
        wasm: The folder, created if missing.
        game: The game, as in `arena.match`. Default: the first installed.
        limit: Maximum size of the data in the module, in megabytes.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The files that were written.

    Raises:
        ArenaError: If the entry cannot be compiled or is too large.
        Stopped: If `stop` was set before the end.
    """
    spec, on = entry_of(entry, game, progress, stop)
    made = module_for(spec, on, int(limit * 1e6))
    about, shown = made.about, (on_one_line(spec.text), on_one_line(on.text))
    folder, name = Path(wasm), f"{file_name(shown[1])}.{file_name(shown[0])}.wasm"
    files = {
        name: made.data,
        "arena.js": script().encode(),
        "arena.classic.js": classic().encode(),
        "arena.d.ts": types().encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in files.items():
            (folder / path).write_bytes(data)
    except OSError as error:
        raise ArenaError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    return Export(
        *shown, str(folder / name), len(made.data), made.code, made.memory,
        [str(folder / path) for path in files], [*about["functions"]], "scores" in about["places"],
        about["all_move_texts"], about["by_clock"], about["approximate"],
    )  # fmt: skip


def agent_of(
    entry: Entry,
    game: GameEntry = None,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Agent:
    """Return an agent that is ready to play, trained if it is a learner, or raise ArenaError."""
    return ready(*entry_of(entry, game, progress, stop))


def entry_of(
    entry: Entry,
    game: GameEntry = None,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> tuple[Spec, Spec]:
    """Return the specs of an entry, trained if it is a learner, and of the game; or raise ArenaError."""
    known = known_with([entry], game)
    on, spec = game_spec(game, known), agent_spec(entry, known)
    check_entries([spec], make_game(on))
    how = Execution.of(known, progress=progress, stop=stop)
    train_first([spec], on, known, how, STALL_SECONDS, strict=True)
    return spec, on


def module_for(spec: Spec, on: Spec, most: int) -> Module:
    """Return the WebAssembly module of a trained entry.

    An agent from a file is instantiated and compiled in the sandbox.

    Args:
        spec: The entry.
        on: The game.
        most: Maximum size of the data, in bytes.

    Raises:
        ArenaError: If it cannot be compiled or is too large.
    """
    if not wanted():
        raise ArenaError("only compiled code can be exported; unset ARENA_COMPILED, which is 0")
    if not any(part.is_confined for part in spec.walk()):
        return module_of(ready(spec, on), most)
    from arena.api.limits import UNLIMITED
    from arena.matches.remote_agent import Child, Remote

    with undisturbed():
        child = Child(spec, on, UNLIMITED, confined=True)
    try:
        return Remote(child, own_watch, (0, 0), SECONDS).exported(most)
    except Reported as error:
        raise ArenaError(f"{spec.text} cannot be exported: {one_line(error)}") from error
    finally:
        child.close()


def ready(spec: Spec, on: Spec) -> Agent:
    """Return an agent that is trained and ready to play a game, or raise ArenaError."""
    try:
        with foreign(ArenaError):
            agent: Agent = spec.make(with_compiled_rules(on.make()))
            return agent
    except Failed as error:
        with quiet(), blaming(fresh := on.make()):  # an error may be the game's fault
            check_from(fresh, fresh.initial())
        raise ArenaError(f"{spec.text} fails: {error}") from error


def file_name(text: str) -> str:
    """Return a text in a form valid in file names and URLs; long texts are truncated and end in a digest."""
    name = re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-.") or "entry"
    if len(name) > NAME:
        name = f"{name[: NAME - 9]}-{sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()[:8]}"
    return name

"""Solve and verify endings with several threads, slice by slice; finished slices are stored."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from arena.analysis.endings import Folder
from arena.analysis.position_codes import Codes
from arena.analysis.retrograde import Retrograde
from arena.analysis.sweeps import Sweeps
from arena.analysis.verifier import KINDS, PROMISES, Verifier
from arena.api.plugin_guard import Failed, foreign
from arena.errors import ArenaError, Stopped, safe_text
from arena.texts import either

EVERY = 0.1  # seconds between updates of progress
WORKING = 9  # bytes of memory needed to solve a position, besides its code
SAMPLE = 4096  # approximate number of positions checked in a slice
RANGE = 1 << 20  # number of positions verified in a task

Run = Callable[[Any], None]
ProgressCallback = Callable[[int, int], object]


@dataclass
class Task:
    """Work on a slice.

    Attributes:
        number: Number of the task.
        slice: Index of the slice.
        run: Function that does the work; its argument is the thread's own `Codes`.
        after: Numbers of the tasks that must finish first.
        size: Bytes of memory that it needs.
    """

    number: int
    slice: int
    run: Run
    after: set[int] = field(default_factory=set)
    size: int = 0


class Building:
    """Works on the slices of a folder with several threads; `tell` is called with work done and total work.

    Args:
        folder: The endings.
        threads: Number of threads.
        memory: Bytes that may be used.
        stop: Event that stops the work; methods then raise Stopped.
    """

    def __init__(self, folder: Folder, threads: int, memory: int, stop: threading.Event) -> None:
        self.folder, self.threads, self.memory, self.stop = folder, threads, memory, stop
        self.done = 0
        self.ended = threading.Event()
        self.lock = threading.Lock()

    def go_on(self, positions: int) -> None:
        """Add to the work done; raise Stopped if `stop` is set."""
        with self.lock:
            self.done += positions
        if self.stop.is_set() or self.ended.is_set():
            raise Stopped("Stopped; finished slices are kept, and the same command continues.")

    # --- tasks ----------------------------------------------------------------------------------------------

    def build(self, tell: ProgressCallback) -> None:
        """Solve and store the slices that are missing."""
        folder = self.folder
        missing = set(folder.missing())
        if not missing:
            return
        folder.make_room()
        needed = {lead for i in missing for lead in folder.slices[i].leads} - missing
        tasks = {i: Task(i, i, self.loading(i)) for i in needed}
        for i in missing:
            slice = folder.slices[i]
            tasks[i] = Task(i, i, self.solving(i, slice.size), set(slice.leads), WORKING * slice.size)
        all = 2 * sum(folder.slices[i].size for i in missing)
        way = Retrograde if folder.takes_back else Sweeps
        self.run(tasks, lambda: way(folder.make(), folder.codes, folder.starts), tell, all)

    def loading(self, i: int) -> Run:
        """Return a task function that loads a slice."""
        return lambda _: self.folder.load(i)

    def solving(self, i: int, size: int) -> Run:
        """Return a task function that solves and stores a slice."""

        def run(solver: Retrograde | Sweeps) -> None:
            solver.solve(i, size, self.go_on)
            self.folder.keep(i)

        return run

    def verify(self, tell: ProgressCallback) -> None:
        """Raise ArenaError if the stored code of a position is inconsistent with those of its successors."""
        folder = self.folder
        if not len(folder.codes):
            folder.make_room()
        everything = range(len(folder.slices))
        tasks = {i: Task(i, i, self.loading(i)) for i in everything}
        for i in everything:
            size = folder.slices[i].size
            for first in range(0, size, RANGE):
                number, last = len(tasks), min(first + RANGE, size)
                after = {i, *folder.slices[i].leads}
                tasks[number] = Task(number, i, self.verifying(i, first, last), after)
        self.run(tasks, self.verifier, tell, int(folder.starts[-1]))

    def verifier(self) -> Verifier:
        """Return a verifier for a thread."""
        return Verifier(self.folder.make(), self.folder.codes, self.folder.starts, self.folder.slices)

    def verifying(self, i: int, first: int, last: int) -> Run:
        """Return a task function that verifies a range of positions."""

        def run(verifier: Verifier) -> None:
            wrong = verifier.wrong(i, first, last)
            if wrong >= 0:
                raise ArenaError(
                    f"{self.folder.path(i)} has a wrong value for {self.named(verifier, i, wrong)}; "
                    f"remove it, and recreate it with '{either('arena endings', 'arena.endings')}'"
                )
            self.go_on(last - first)

        return run

    def look(self, tell: ProgressCallback) -> None:
        """Raise ArenaError if the numbering of the endings is invalid, checking a sample of each slice."""
        slices = self.folder.slices
        tasks = {i: Task(i, i, self.looking(i)) for i in range(len(slices))}
        self.run(tasks, self.verifier, tell, len(slices))

    def looking(self, i: int) -> Run:
        """Return a task function that checks the numbering of a slice."""

        def run(verifier: Verifier) -> None:
            found = verifier.broken(i, 1 + self.folder.slices[i].size // SAMPLE)
            if found >= 0:
                number, promise = divmod(found, KINDS)
                raise ArenaError(
                    f"endings of {verifier.game} violate the contract: {PROMISES[promise]}, "
                    f"in {self.named(verifier, i, number)}"
                )
            self.go_on(1)

        return run

    def named(self, codes: Codes, i: int, number: int) -> str:
        """Describe a position, for error messages."""
        text = safe_text(codes.game.position_text, codes.endings.position(i, number))
        return f"{self.folder.slices[i].name}, number {number:,}: {text}"

    # --- threads --------------------------------------------------------------------------------------------

    def run(
        self, tasks: dict[int, Task], make: Callable[[], Codes], tell: ProgressCallback, all: int
    ) -> None:
        """Run all tasks; of the tasks that are ready, the largest begins first.

        Args:
            tasks: The tasks, by number.
            make: Creates the codes for a thread.
            tell: Called with the work done and the total work.
            all: The total work.
        """
        self.done = 0
        left, running = dict(tasks), dict[Future[None], tuple[int, Codes]]()
        idle = [make() for _ in range(self.threads)]
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while left or running:
                    for i in self.ready(left, [tasks[i] for i, _ in running.values()], len(idle)):
                        task, own = left.pop(i), idle.pop()
                        running[pool.submit(copy_context().run, self.work, task, own)] = i, own
                    for finished in wait(running, EVERY, FIRST_COMPLETED).done:
                        idle.append(running.pop(finished)[1])
                        finished.result()
                    tell(self.done, all)
            finally:
                self.ended.set()
        self.ended.clear()

    def ready(self, left: dict[int, Task], running: list[Task], most: int) -> list[int]:
        """Return the numbers of up to `most` tasks that can begin within the memory limit."""
        waiting = set(left) | {task.number for task in running}
        able = [i for i, task in left.items() if waiting.isdisjoint(task.after)]
        taken = self.folder.codes.nbytes + sum(task.size for task in running)
        found = list[int]()
        for i in sorted(able, key=lambda i: -left[i].size):
            idle = not running and not found
            if len(found) < most and (idle or taken + left[i].size <= self.memory):
                found.append(i)
                taken += left[i].size
        return found

    def work(self, task: Task, own: Codes) -> None:
        """Run a task; raise ArenaError if the endings fail."""
        try:
            with foreign(ArenaError):
                task.run(own)
        except Failed as error:
            name = self.folder.slices[task.slice].name
            raise ArenaError(f"endings of {own.game} failed in {name}: {error}") from error

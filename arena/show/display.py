"""The status lines at the bottom of a terminal while a command works, which disappear afterwards.

There is one display per process. Tasks form a stack, and the display shows the last one.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from arena.activity import activity
from arena.show.grid import folded
from arena.show.rate import Rate, clock, pace
from arena.stream_encoding import MARK, signs
from arena.texts import on_one_line

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

PATIENCE = 0.3  # seconds before anything is shown
EVERY = 0.2  # seconds between redraws
MARGIN = 3  # columns at the right, where the terminal writes ^C
BAR = (8, 30)  # smallest and largest width of a bar, in columns
TAIL = 12  # maximum number of characters kept at the end of a shortened text
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@dataclass(eq=False)
class Task:
    """A piece of work in progress.

    Attributes:
        what: Description of the work.
        unit: Unit of `done` and `all`, in the plural.
        done: Amount done so far.
        all: Total amount; None while it is unknown.
        note: Remark on the progress.
        below: Lines to show below the task, styled for a terminal.
        began: Start time, from `time.monotonic`.
        rate: Speed so far.
    """

    what: str
    unit: str = ""
    done: int = 0
    all: int | None = None
    note: str = ""
    below: Sequence[str] = ()
    began: float = field(default_factory=lambda: monotonic())
    rate: Rate = field(default_factory=Rate)

    def tell(self, done: int, all: int, note: str = "") -> None:
        """Set the progress of the task."""
        self.rate.of(done)
        self.done, self.all, self.note = done, all, on_one_line(note)

    def line(self, width: int, compiling: str = "") -> tuple[str, tuple[int, int]]:
        """Return the status line, and where to draw a progress bar in it.

        If the line is too long, the bar is left out first, then the speed, then the note; finally the
        description is shortened.

        Args:
            width: Columns available.
            compiling: Message of the compiler. It replaces the description until there is progress; then it
                is shown if there is no note.

        Returns:
            The line, and the column and the width of the bar; the width is 0 without a bar.
        """
        now = monotonic()
        seconds = now - self.began
        time = clock(seconds)
        if self.all is None or (compiling and not self.done):
            what = compiling or self.what
            return f"{cut(what, width - len(time) - 1)} {time}", (0, 0)
        speed = self.rate.of(self.done)
        if self.done < self.all and self.rate.settled(self.done, self.all) and speed:
            time += f", {clock((self.all - self.done) / speed)} left"
        count = f"{self.done:,}/{self.all:,}"
        notes = [text for text in (pace(speed, self.unit) if speed else "", self.note or compiling) if text]
        for rest in ([count, *notes, time], [count, *notes[1:], time], [count, time]):
            tail = "  ".join(rest)
            if len(self.what) + 2 + len(tail) <= width:
                break
        what = cut(self.what, width - len(tail) - 2)
        room = min(BAR[1], width - len(what) - len(tail) - 4)
        if room < BAR[0]:
            return f"{what}  {tail}", (0, 0)
        return f"{what}  {' ' * room}  {tail}", (len(what) + 2, room)


def cut(text: str, width: int) -> str:
    """Shorten a text to at most `width` characters by leaving out its middle."""
    text = on_one_line(text)
    if len(text) <= width:
        return text
    mark = signs(MARK)
    end = max(0, min(TAIL, width // 3))
    return text[: max(0, width - end - len(mark))] + mark + text[len(text) - end :]


class Display:
    """The display of the last task on standard error, which appears after `PATIENCE` seconds of work.

    Attributes:
        asked: An additional line to show, such as the answer to Ctrl-C; empty for none.
    """

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.last = Task("")
        self.asked = ""
        self.lock = threading.RLock()
        self.hidden = self.height = 0
        self.asking = False  # whether other code has written an unfinished line, such as a prompt
        self.live: Live | None = None  # None while hidden
        self.over = threading.Event()
        self.stream: TextIO = sys.stderr

    # --- showing -----------------------------------------------------------------------------------------

    @contextmanager
    def showing(self, task: Task) -> Iterator[Task]:
        """Show a task in this context."""
        with self.at_work() if not self.tasks else unchanged():
            self.tasks.append(task)
            try:
                yield task
            finally:
                self.tasks.remove(task)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Draw the display in a separate thread in this context; printed text appears above it."""
        self.asked, self.asking = "", False
        self.stream, self.over = sys.stderr, threading.Event()
        before = sys.stdout, sys.stderr
        sys.stderr = Above(self, sys.stderr)
        if sys.stdout is not None and sys.stdout.isatty():
            sys.stdout = Above(self, sys.stdout)
        thread = threading.Thread(target=self.draw, args=(self.over,), name="arena-display", daemon=True)
        thread.start()
        try:
            yield
        finally:
            used = sys.stdout, sys.stderr
            sys.stdout, sys.stderr = before
            self.over.set()
            thread.join()
            for stream in used:
                if isinstance(stream, Above):
                    stream.flush()  # write out an unfinished line

    def put_below(self, lines: Sequence[str]) -> None:
        """Show lines below the last task, until they are replaced."""
        if self.tasks:
            self.tasks[-1].below = lines

    def draw(self, over: threading.Event) -> None:
        """Draw the display at intervals until `over` is set."""
        over.wait(PATIENCE)
        with suppress(OSError):  # if the terminal is closed
            while not over.is_set():
                with self.lock:
                    if self.tasks and not self.hidden and not self.asking:
                        self.refresh()
                over.wait(EVERY)
            self.erase()

    def refresh(self) -> None:
        if self.live is None:
            from rich.console import Console
            from rich.live import Live

            self.live = Live(
                console=Console(file=self.stream, highlight=False),
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
                get_renderable=self.picture,
            )
            self.live.start(refresh=True)
        else:
            self.live.refresh()

    def erase(self) -> None:
        """Remove the display from the terminal until it is drawn again."""
        with self.lock:
            live, self.live = self.live, None
            if live:
                live.stop()
                self.height = 0

    def picture(self) -> Text:
        """Return the lines to show, fitted to the current size of the terminal."""
        from rich.text import Text

        columns, rows = size_of(self.stream)
        width = max(columns - MARGIN, 12)
        found = Text(no_wrap=True, overflow="crop", end="")
        self.last = task = next(reversed([*self.tasks]), self.last)
        line, (at, room) = task.line(width - 2, activity.text)
        found.append(SPINNER[int(monotonic() / EVERY) % len(SPINNER)] + " ", "cyan")
        filled = round(room * task.done / task.all) if task.all and room else 0
        found.append(line[:at])
        found.append("━" * filled, "green")
        found.append("━" * (room - filled), "dim")
        found.append(line[at + room :])
        lines = [*task.below, *([cut(self.asked, width)] if self.asked else [])][: max(rows - 2, 0)]
        for text in lines:
            found.append("\n")
            found.append_text(Text.from_ansi(text))
        self.height = 1 + len(lines)
        return found

    # --- hiding ------------------------------------------------------------------------------------------

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hide the display while other code uses the terminal."""
        with self.lock:
            self.hidden += 1
            self.erase()
        try:
            yield
        finally:
            with self.lock:
                self.hidden -= 1

    def ask(self, text: str) -> bool:
        """Show an additional line, and return whether the display is visible.

        A signal handler may call this, since no lock is acquired.
        """
        if self.live is not None:
            self.asked = text
        return self.live is not None

    def leave(self) -> bytes:
        """Return the bytes that make a terminal erase the display, for a process that is about to exit."""
        if self.live is None:
            return b""
        return b"\r\x1b[2K" + b"\x1b[1A\x1b[2K" * (self.height - 1) + b"\x1b[?25h"


@contextmanager
def unchanged() -> Iterator[None]:
    yield


class Above:
    """A terminal stream that writes whole lines above the display.

    An unfinished line, such as a debugger's prompt, stays at the bottom, and the display is hidden until the
    line is complete.
    """

    def __init__(self, display: Display, stream: TextIO) -> None:
        self.display, self.stream = display, stream
        self.begun = ""  # unfinished line

    def write(self, text: str) -> int:
        with self.display.lock:
            *lines, self.begun = (self.begun + text).split("\n")
            if lines:
                self.display.asking = False
                self.display.erase()
                width = size_of(self.stream).columns
                self.stream.write("".join(part + "\n" for line in lines for part in fitted(line, width)))
                self.stream.flush()
        return len(text)

    def flush(self) -> None:
        with self.display.lock:
            if self.begun:
                self.display.asking = True
                self.display.erase()
                self.stream.write(self.begun)
                self.begun = ""
            self.stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def fitted(line: str, width: int) -> Iterator[str]:
    """Wrap a line to the width of the terminal; a line with escape sequences stays as it is."""
    return iter([line]) if len(line) <= width or "\x1b" in line else folded(line, width)


def size_of(stream: TextIO) -> os.terminal_size:
    """Return the size of a stream's terminal, which may differ from the terminal of standard output."""
    if not os.environ.get("COLUMNS"):
        with suppress(OSError, ValueError):
            return os.get_terminal_size(stream.fileno())
    return shutil.get_terminal_size()


display = Display()


def at_terminal() -> bool:
    """Return whether standard error is a terminal on which lines can be redrawn."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

"""The lines at the end of a terminal that say what a command is at, while it is, and are gone after it.

There is one display for each process. What is being done is a stack of tasks, of which it shows the last.
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

PATIENCE = 0.3  # seconds that a command may take before anything is shown
EVERY = 0.2  # seconds between two pictures
MARGIN = 3  # columns at the right, where the terminal writes ^C
BAR = (8, 30)  # columns of a bar: at least, at most
TAIL = 12  # characters at the end of a text that is cut, at most
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@dataclass(eq=False)
class Task:
    """Something that is being done. all: how much there is to do, None while that is unknown.

    below: lines to be shown under it, which are styled as for a terminal.
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
        """How far it is."""
        self.rate.of(done)
        self.done, self.all, self.note = done, all, on_one_line(note)

    def line(self, width: int, compiling: str = "") -> tuple[str, tuple[int, int]]:
        """What it is, how far, and since when, in so many columns; and where in it a bar is to be drawn.

        The bar goes where there is no room for one, then the pace, then the note; then what it is is cut.
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
    """A text, with a mark in place of some of its middle where it is longer than that."""
    text = on_one_line(text)
    if len(text) <= width:
        return text
    mark = signs(MARK)
    end = max(0, min(TAIL, width // 3))
    return text[: max(0, width - end - len(mark))] + mark + text[len(text) - end :]


class Display:
    """Shows the last task on standard error while there is any, once the first has taken a moment.

    asked: a line that is shown besides, once it is set.
    """

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.last = Task("")
        self.asked = ""
        self.lock = threading.RLock()
        self.hidden = self.height = 0
        self.asking = False  # whether somebody else's prompt stands at the end
        self.live: Live | None = None  # while it can be seen
        self.over = threading.Event()
        self.stream: TextIO = sys.stderr

    # --- what is shown -----------------------------------------------------------------------------------

    @contextmanager
    def showing(self, task: Task) -> Iterator[Task]:
        """A task is being done meanwhile."""
        with self.at_work() if not self.tasks else unchanged():
            self.tasks.append(task)
            try:
                yield task
            finally:
                self.tasks.remove(task)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Draw what is to be seen, in a thread of its own; what is printed meanwhile is printed above it."""
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
                    stream.flush()  # a line that was begun

    def put_below(self, lines: Sequence[str]) -> None:
        """Have these lines under what is being done, until others are."""
        if self.tasks:
            self.tasks[-1].below = lines

    def draw(self, over: threading.Event) -> None:
        """Until it is over."""
        over.wait(PATIENCE)
        with suppress(OSError):  # the terminal has gone
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
        """Nothing is to be seen, for now."""
        with self.lock:
            live, self.live = self.live, None
            if live:
                live.stop()
                self.height = 0

    def picture(self) -> Text:
        """The lines, which fit the terminal as it is now."""
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

    # --- what is not -------------------------------------------------------------------------------------

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Nothing is to be seen meanwhile: the terminal is somebody else's."""
        with self.lock:
            self.hidden += 1
            self.erase()
        try:
            yield
        finally:
            with self.lock:
                self.hidden -= 1

    def ask(self, text: str) -> bool:
        """Show a line besides, if anything is shown; for handlers of signals, which may wait for nothing."""
        if self.live is not None:
            self.asked = text
        return self.live is not None

    def leave(self) -> bytes:
        """What has a terminal erase what is to be seen, for whoever ends the process at once."""
        if self.live is None:
            return b""
        return b"\r\x1b[2K" + b"\x1b[1A\x1b[2K" * (self.height - 1) + b"\x1b[?25h"


@contextmanager
def unchanged() -> Iterator[None]:
    yield


class Above:
    """A stream of a terminal with a display at its end: what is written comes above that, line by line.

    The beginning of a line, a debugger's prompt say, stays alone at the end until there is a whole one.
    """

    def __init__(self, display: Display, stream: TextIO) -> None:
        self.display, self.stream = display, stream
        self.begun = ""  # of a line

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
    """A line in as many as the terminal takes; as it is where it is styled."""
    return iter([line]) if len(line) <= width or "\x1b" in line else folded(line, width)


def size_of(stream: TextIO) -> os.terminal_size:
    """The columns and rows of a terminal, which may be another than that of standard output."""
    if not os.environ.get("COLUMNS"):
        with suppress(OSError, ValueError):
            return os.get_terminal_size(stream.fileno())
    return shutil.get_terminal_size()


display = Display()


def at_terminal() -> bool:
    """Whether standard error is a terminal on which lines can be drawn anew."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

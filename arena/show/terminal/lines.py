"""Lines that somebody types, or that come from a file or a pipe."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from arena.errors import ArenaError
from arena.show.terminal.screen import Screen

# gives the words that a word may go on as, from all that stands before it and its beginning
Complete = Callable[[str, str], Sequence[str]]


class Lines:
    """Asks for one line after another. Where there is a terminal they can be edited, and Tab completes."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    @property
    def typed(self) -> bool:
        """Whether somebody types them."""
        return sys.stdin is not None and sys.stdin.isatty()

    def ask(self, prompt: str, complete: Complete) -> str | None:
        """The next line without its end, None if there is none. Ctrl-C is KeyboardInterrupt.

        ArenaError for what is no text.
        """
        try:
            return self.next_line(prompt, complete)
        except UnicodeDecodeError as error:
            raise ArenaError(f"what is typed is not a text in {error.encoding}") from error

    def next_line(self, prompt: str, complete: Complete) -> str | None:
        with interruptible():
            if self.typed and sys.__stdout__ is not None and sys.__stdout__.isatty():
                with completing(complete):
                    return edited(prompt)
            if self.typed:
                self.screen.write(prompt)
            line = sys.stdin.readline() if sys.stdin else ""
            if line and not self.typed:
                self.screen.line(prompt + line.rstrip("\r\n"))  # as it would stand there
            return line.rstrip("\r\n") if line else None


def edited(prompt: str) -> str | None:
    """A line typed at the terminal, which Python edits only if its own streams are in place."""
    stdout, sys.stdout = sys.stdout, sys.__stdout__
    try:
        return input(prompt)
    except EOFError:
        print()
        return None
    finally:
        sys.stdout = stdout


@contextmanager
def completing(complete: Complete) -> Iterator[None]:
    """Tab completes words, where Python has readline."""
    try:
        import readline
    except ImportError:  # as on Windows
        yield
        return

    def candidate(text: str, number: int) -> str | None:
        found: list[str] = []
        with suppress(Exception):  # readline would swallow it without a word
            found = [*complete(readline.get_line_buffer()[: readline.get_begidx()], text)]
        return found[number] if number < len(found) else None

    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(candidate)
    readline.set_completer_delims(" ")
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C is KeyboardInterrupt meanwhile, whatever the command makes of it otherwise."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

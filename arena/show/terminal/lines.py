"""Lines of input from a terminal, a file or a pipe."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from arena.errors import ArenaError
from arena.show.terminal.screen import Screen

# function that returns the completions of a word, given the text before it and the word's beginning
Complete = Callable[[str, str], Sequence[str]]


class Lines:
    """A reader of lines; at a terminal they can be edited, and Tab completes words."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    @property
    def typed(self) -> bool:
        """Whether input is from a terminal."""
        return sys.stdin is not None and sys.stdin.isatty()

    def ask(self, prompt: str, complete: Complete) -> str | None:
        """Return the next line; None at the end of input. Ctrl-C raises KeyboardInterrupt.

        Raises:
            ArenaError: If the line cannot be decoded.
        """
        try:
            return self.next_line(prompt, complete)
        except UnicodeDecodeError as error:
            raise ArenaError(f"the input is not valid {error.encoding} text") from error

    def next_line(self, prompt: str, complete: Complete) -> str | None:
        with interruptible():
            if self.typed and sys.__stdout__ is not None and sys.__stdout__.isatty():
                with completing(complete):
                    return edited(prompt)
            if self.typed:
                self.screen.write(prompt)
            line = sys.stdin.readline() if sys.stdin else ""
            if line and not self.typed:
                self.screen.line(prompt + line.rstrip("\r\n"))  # echo the line as if it had been typed
            return line.rstrip("\r\n") if line else None


def edited(prompt: str) -> str | None:
    """Return a line that the user edits at the terminal; this requires Python's original standard output."""
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
    """Let Tab complete words in this context, if Python has readline."""
    try:
        import readline
    except ImportError:  # for example on Windows
        yield
        return

    def candidate(text: str, number: int) -> str | None:
        found: list[str] = []
        with suppress(Exception):  # readline would hide exceptions
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
    """Let Ctrl-C raise KeyboardInterrupt in this context, whatever handler is set."""
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

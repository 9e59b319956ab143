"""A recorded match at the terminal, stepped through with keys or printed in full."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from arena.show.progress import busy
from arena.show.terminal.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.commands.replay.call import Replay

# escape sequences of arrow keys and others, and equivalent letters
KEYS = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", "n", " ", "\r", "\n"), "next"),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "b", "\x7f", "\x08"), "back"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "s"), "start"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "e"), "end"),
    "m": "mistake",
    "x": "explain",
    "f": "turn",
    "q": "quit",
    "\x1b": "quit",
}
KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)
HELP = "n next, b back, s start, e end, a number and Enter, {more}f turn, q quit"


def print_all(found: Replay) -> None:
    """Print all positions, from the start."""
    with busy("Scoring the moves"):
        screen = Screen(sys.stdout)
        for state, part in found.boards():
            if state is not None:
                screen.board(found.game, state)
            screen.part(part)


@contextmanager
def typing() -> Iterator[Callable[[], str]]:
    """Yield a function that waits for key presses and returns all keys pressed since the last call.

    Keys pressed while a position is drawn are not lost. The function raises EOFError at the end of input.
    """
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield click.getchar
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def typed() -> str:
        if not (keys := os.read(terminal, 1024)):
            raise EOFError
        return keys.decode(errors="replace")

    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield typed
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


class Stepping:
    """A match that is shown one position at a time.

    Attributes:
        at: Number of plies before the position shown.
    """

    def __init__(self, found: Replay) -> None:
        self.found, self.screen = found, Screen(sys.stdout)
        self.at, self.typed = 0, ""
        self.turned = self.explained = False

    def run(self) -> None:
        """Show the match until the user quits, by `q`, Ctrl-C or Ctrl-D."""
        with typing() as typed:
            self.show()
            while True:
                try:
                    keys = KEY.findall(typed())
                except (KeyboardInterrupt, EOFError):
                    break
                if not all(self.press(key) for key in keys):
                    break
        self.screen.line()

    def press(self, key: str) -> bool:
        """Handle a key press, and return False if the key quits."""
        if key in ("\x03", "\x04"):
            return False
        if key.isdecimal():
            self.typed += key
            self.screen.write(key)
            return True
        what = "number" if self.typed and key in "\r\n" else KEYS.get(key, "")
        last = len(self.found.plies)
        later = [ply.number for ply in self.found.mistakes if ply.number > self.at]
        places = {
            "next": self.at + 1,
            "back": self.at - 1,
            "start": 0,
            "end": last,
            "number": int(self.typed[:9] or 0),
            "mistake": later[0] if later else self.at,
        }
        self.at = max(0, min(last, places.get(what, self.at)))
        self.turned ^= what == "turn"
        self.explained ^= what == "explain"
        self.typed = ""
        if what not in ("", "quit"):
            self.show()
        return what != "quit"

    def show(self) -> None:
        """Print the position, the move that led to it, and the keys."""
        found, screen = self.found, self.screen
        click.clear()
        for line in found.head():
            screen.line(line)
        screen.line()
        screen.board(found.game, found.states[self.at], self.turned and "grid" in found.game.capabilities)
        screen.line(found.line(self.at))
        if self.at and (thought := found.thought(self.at)):
            screen.line(f"   {thought}")
        if self.explained:
            with busy("Scoring the moves"):
                thoughts = found.explained(self.at)
            for _, part in thoughts.boards() if thoughts else ():
                screen.part(part)
        if self.at == len(found.plies):
            for part in found.foot():
                screen.part(part)
        more = "m mistake, " * bool(found.mistakes) + "x explain, " * bool(found.adviser)
        screen.line()
        screen.line(f"{self.at} of {len(found.plies)} plies; {HELP.format(more=more)}")

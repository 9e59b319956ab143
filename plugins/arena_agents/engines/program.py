"""A running program: sending and receiving lines, and descriptions of failures.

A program can neither block the caller beyond its deadline nor fill up memory with its output.
"""

from __future__ import annotations

import atexit
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter, sleep
from weakref import WeakSet

from arena import ArenaError, Reported
from arena_agents.engines import keeper

HOME = "ARENA_PROGRAMS"  # environment variable: the folder to which other folders are relative
LONGEST = 1 << 20  # maximum bytes of a line
MOST = 1 << 24  # maximum bytes of output before an answer; a line counts at least `LEAST`
LEAST = 64
TAIL = 4000  # bytes of standard error that are stored, the last ones
PIECE = 1 << 16
LOOK = 500  # ms between checks of whether the program still runs
SHOWN = 120  # maximum characters of output shown in messages
PATIENCE = 2 * keeper.GRACE  # seconds for the keeper to end the program; then the keeper is ended, too
LAST = 1.0  # seconds to wait for the exit status of a program that has closed its output

# programs that are being ended, each with the deadline by `perf_counter`
ended: list[tuple[subprocess.Popen[bytes], float]] = []
living: WeakSet[Program] = WeakSet()  # programs that were started


class Overdue(Exception):
    """A program has not answered in time."""


def words_of(command: str) -> list[str]:
    """Split a command into words like a shell, or raise ArenaError."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ArenaError(f"command {command!r} cannot be read: {str(error).lower()}") from error
    if not words:
        raise ArenaError("the command is empty; write command=PROGRAM ARGUMENT …")
    return words


def place_of(folder: str) -> str:
    """Return the folder in which a program runs, relative to `ARENA_PROGRAMS` if that is set."""
    return os.path.join(os.environ.get(HOME, ""), folder) if folder else ""


def found(command: str, folder: str) -> str:
    """Return the path of a command's program, relative to a folder, or raise ArenaError."""
    word = words_of(command)[0]
    if folder and not os.path.isdir(folder):
        raise ArenaError(f"there is no folder {folder!r}")
    if os.sep in word:
        path = str(Path(folder or ".").absolute() / word)
        if not os.path.isfile(path):
            raise ArenaError(f"there is no program {word!r}{remedy(word, command, folder)}")
        if not os.access(path, os.X_OK):
            raise ArenaError(f"{word!r} is not executable; run chmod +x on it, or name its interpreter")
        return path
    there = shutil.which(word)
    if there is None:
        raise ArenaError(f"there is no program {word!r} in PATH{remedy(word, command, folder)}")
    return os.path.abspath(there)


def remedy(word: str, command: str, folder: str) -> str:
    """Return the remedy for a program that was not found."""
    if " " in word:
        return "; leave the quotes around the whole command out"
    if word.startswith("~"):
        return f"; there is no shell, so write {os.path.expanduser(word)}"
    words = command.split(" ")
    for n in range(2, len(words) + 1):
        if (Path(folder or ".") / (path := " ".join(words[:n]))).is_file():
            return f"; put quotes around its path, '{path}'"
    if os.sep not in word and (Path(folder or ".") / word).is_file():
        return f"; write ./{word}"
    return f", as seen from {folder!r}" if folder and os.sep in word else ""


def files_of(command: str, folder: str) -> list[str]:
    """Return the files that a command names: its program, and files such as scripts among its arguments."""
    _, *words = words_of(command)
    paths = [str(Path(folder or ".").absolute() / word) for word in words]
    return [found(command, folder), *filter(os.path.isfile, paths)]


class Program:
    """A running program. Failures raise Reported and end the program."""

    def __init__(self, command: str, folder: str) -> None:
        words = words_of(command)
        self.name = cut(command, 60)
        self.heard, self.searched = bytearray(), 0
        self.told = bytearray()
        self.tail = b""
        self.last: str | None = None  # last line of output
        self.room = MOST
        self.owner = os.getpid()
        living.add(self)
        see_off()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(self.owner), found(command, folder), *words],
            cwd=folder or None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self.pipes = [self.process.stdin, self.process.stdout, self.process.stderr]
        self.input, self.output, self.errors = (pipe.fileno() for pipe in self.pipes if pipe)
        for descriptor in (self.input, self.output, self.errors):
            os.set_blocking(descriptor, False)
        self.poll = select.poll()
        self.poll.register(self.output, select.POLLIN)
        self.poll.register(self.errors, select.POLLIN)

    def running(self) -> bool:
        """Return whether the program has not ended yet."""
        return self.process.poll() is None

    def say(self, line: str) -> None:
        """Send a line as far as possible without blocking; the rest is sent while waiting for an answer."""
        self.told += line.encode(errors="replace") + b"\n"
        self.room = MOST
        self.send()

    def line(self, until: float | None = None) -> str:
        """Return the next line that is not empty; raise Overdue after a deadline by `perf_counter`."""
        while True:
            end = self.heard.find(b"\n", self.searched)
            if end >= 0:
                line = self.heard[:end].decode(errors="replace").strip()
                del self.heard[: end + 1]
                self.searched = 0
                self.spend(LEAST)
                if line:
                    self.last = line
                    return line
            else:
                self.searched = len(self.heard)
                if self.searched > LONGEST:
                    raise self.failed(f"says over {LONGEST >> 20} MB on one line")
                self.exchange(until)

    def exchange(self, until: float | None) -> None:
        """Wait until something can be read or written, and read or write it."""
        patience = LOOK
        if until is not None:
            patience = min(patience, int(1000 * (until - perf_counter())) + 1)
            if perf_counter() >= until:
                raise Overdue
        events = self.poll.poll(patience)
        for descriptor, _ in events:
            if descriptor == self.output:
                self.hear()
            elif descriptor == self.errors:
                self.drain()
            else:
                self.send()
        if not events and not self.running():
            raise self.gone()

    def hear(self) -> None:
        """Read some of the program's output."""
        with suppress(BlockingIOError):
            piece = os.read(self.output, PIECE)
            if not piece:
                raise self.gone()
            self.heard += piece
            self.spend(len(piece))

    def spend(self, size: int) -> None:
        """Count bytes of output; raise Reported if there are too many before an answer."""
        self.room -= size
        if self.room < 0:
            raise self.failed("sends a lot of output and no answer")

    def drain(self) -> bool:
        """Read some of the program's standard error; return whether there was any."""
        try:
            piece = os.read(self.errors, PIECE)
        except BlockingIOError:
            return False
        if not piece:
            with suppress(KeyError):
                self.poll.unregister(self.errors)
        self.tail = (self.tail + piece)[-TAIL:]
        return bool(piece)

    def send(self) -> None:
        """Write pending input as far as the program accepts it."""
        try:
            while self.told:
                del self.told[: os.write(self.input, self.told)]
        except BlockingIOError:
            self.poll.register(self.input, select.POLLOUT)
            return
        except BrokenPipeError:
            self.turn_deaf()
        with suppress(KeyError):
            self.poll.unregister(self.input)

    def turn_deaf(self) -> None:
        """Raise Reported because the program has closed its standard input."""
        raise self.gone("has closed its standard input") from None

    def silence(self) -> str:
        """Describe output since the last request that is not an answer, with a likely cause."""
        if self.heard:
            said = cut(self.heard.decode(errors="replace"))
            return self.faulty(f"sent {said!r} without a newline")
        if self.told:
            return self.faulty("does not read its input")
        if self.room < MOST:
            return self.faulty(f"has not answered after {cut(self.last or '')!r}")
        return self.faulty("has not answered; does it flush its output?")

    def gone(self, otherwise: str = "has closed its standard output") -> Reported:
        """Return the error for a program that has ended or is ending, with its status if known."""
        until = perf_counter() + LAST
        while self.running() and perf_counter() < until:
            if not self.drain():
                sleep(0.005)
        status = self.process.poll()
        self.drain()
        if status == keeper.NOT_STARTED and self.tail.startswith(keeper.WHY):
            why = self.tail.removeprefix(keeper.WHY).decode(errors="replace")
            self.close()
            return Reported(f"{self.name} cannot be started: {why.lower()}")
        return self.failed(otherwise if status is None else described(status))

    def failed(self, how: str) -> Reported:
        """End the program, and return an error with its last output and what it did wrong."""
        after = "before any output" if self.last is None else f"after {cut(self.last)!r}"
        return self.wrong(f"{how} {after}")

    def wrong(self, how: str) -> Reported:
        """End the program, and return an error that says what it did wrong."""
        self.close()
        return Reported(self.faulty(how))

    def faulty(self, how: str) -> str:
        """Return a line about the program, with the last line of its standard error."""
        lines = self.tail.decode(errors="replace").split("\n")
        complaint = next((line.strip() for line in reversed(lines) if line.strip()), "")
        told = f"; on standard error: {cut(complaint)!r}" if complaint else ""
        return f"{self.name} {how}{told}"

    def close(self) -> None:
        """Begin to end the program with all processes that it has started, without waiting."""
        if os.getpid() != self.owner:  # a process that an agent forked does not own the program
            return
        for pipe in self.pipes:
            if pipe:
                pipe.close()
        see_off()
        if self.running():
            for number in (signal.SIGTERM, signal.SIGCONT):  # the program may have stopped its keeper
                with suppress(OSError):
                    self.process.send_signal(number)
            ended.append((self.process, perf_counter() + PATIENCE))

    def __del__(self) -> None:
        if "pipes" in vars(self) and any(pipe and not pipe.closed for pipe in self.pipes):
            self.close()


def see_off(stopped: bool = False) -> None:
    """Reap programs that have ended, and kill those that are overdue with all their descendants.

    stopped: Also kill programs whose keeper is currently stopped and cannot end them.
    """
    for process, until in [*ended]:
        overdue = perf_counter() > until or (stopped and keeper.is_stopped(process.pid))
        if process.poll() is None and overdue:
            keeper.end_tree(process.pid)
            process.wait()
    ended[:] = [(process, until) for process, until in ended if process.poll() is None]


def end_at_exit() -> None:
    """End all programs and wait until they have ended, at most `PATIENCE` seconds.

    If a program keeps stopping its keeper, only this process can end it.
    """
    for program in [*living]:
        program.close()
    while ended:
        see_off(stopped=True)
        if ended:
            sleep(0.005)


atexit.register(end_at_exit)


def described(status: int) -> str:
    """Return a status in words: `ended with status 3`, `was ended by SIGSEGV`."""
    if status < 0:
        named = {number.value: number.name for number in signal.Signals}
        return f"was ended by {named.get(-status, f'signal {-status}')}"
    return f"ended with status {status}"


def cut(text: str, most: int = SHOWN) -> str:
    """Return a text, or its beginning."""
    return text if len(text) <= most else text[: most - 1] + "…"


def checked(command: str, folder: str) -> Sequence[str]:
    """Return the words of a command; raise ArenaError if its program does not exist."""
    if not hasattr(os, "fork"):
        raise ArenaError("programs can play only on Linux and macOS")
    words = words_of(command)
    found(command, folder)
    return words

"""The command line. Until `main` runs Ctrl-C cannot be told in one line, so this imports next to nothing."""

from __future__ import annotations

import os
import signal
import sys

from arena.stream_encoding import use_signs

TYPE_CHECKING = False  # as in typing, without its import
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

PLAYING = ("match", "tournament", "train")  # commands that take worker processes, unless told otherwise


def main(args: list[str] | None = None) -> None:
    """Run a command, by default that of this process, and end: see `arena.cli.commands`."""
    if args is None:
        have_streams()
    use_signs()
    try:
        if args is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, interrupt)
        if args is None and sys.argv[1:2] and sys.argv[1] in PLAYING and plays(sys.argv[2:]):
            from arena.calls.preload import get_ready

            get_ready()  # which takes as long as all that is imported here, and goes on beside it
        from arena.cli.commands import run

        run(args)
    except KeyboardInterrupt:  # as `run`, which tells of it otherwise, was about to end
        if signal.getsignal(signal.SIGINT) is not interrupt:
            raise
        end()
    finally:
        leave()


def leave() -> None:
    """Have Ctrl-C end the process at once from now on, for Python's own end would give a traceback."""
    if signal.getsignal(signal.SIGINT) is interrupt:
        signal.signal(signal.SIGINT, end)


def have_streams() -> None:
    """Whoever closed standard input, output or error gets nothing of it, and no file takes its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            if os.open(os.devnull, os.O_RDWR) == number:
                os.set_inheritable(number, True)
                stream = open(number, "r" if number == 0 else "w", closefd=False)  # noqa: SIM115 # to the end
                setattr(sys, name, stream)


def plays(args: list[str]) -> bool:
    """Whether a command of `PLAYING` is going to play in worker processes, as far as its first look tells."""
    return not any(arg in ("-h", "--help") or arg.startswith("--executor") for arg in args)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Ctrl-C as KeyboardInterrupt, but within an import, which may wrap or swallow that, as the end."""
    while frame:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            end()
        frame = frame.f_back
    raise KeyboardInterrupt


def end(number: int = signal.SIGINT, frame: FrameType | None = None) -> NoReturn:
    os.write(2, b"Error: interrupted\n")
    os._exit(130)

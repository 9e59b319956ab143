"""The entry point of the command line, with few imports: until `main` runs, Ctrl-C prints a traceback."""

from __future__ import annotations

import os
import signal
import sys

from arena.stream_encoding import use_signs

TYPE_CHECKING = False  # as `typing.TYPE_CHECKING`, without importing typing
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

PLAYING = ("match", "tournament", "train")  # commands that use worker processes by default


def main(args: list[str] | None = None) -> None:
    """Run a command, by default the one in `sys.argv`, and exit; see `arena.cli.commands`."""
    if args is None:
        have_streams()
    use_signs()
    try:
        if args is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, interrupt)
        if args is None and sys.argv[1:2] and sys.argv[1] in PLAYING and plays(sys.argv[2:]):
            from arena.calls.execution import get_ready

            get_ready()  # workers start during the imports below, which take about as long
        from arena.cli.commands import run

        run(args)
    except KeyboardInterrupt:  # raised outside `run`, which handles its own
        if signal.getsignal(signal.SIGINT) is not interrupt:
            raise
        end()
    finally:
        leave()


def leave() -> None:
    """Make Ctrl-C exit at once from now on, since Python would print a traceback during shutdown."""
    if signal.getsignal(signal.SIGINT) is interrupt:
        signal.signal(signal.SIGINT, end)


def have_streams() -> None:
    """Replace closed standard streams with the null device; otherwise files would get their descriptors."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            if os.open(os.devnull, os.O_RDWR) == number:
                os.set_inheritable(number, True)
                stream = open(number, "r" if number == 0 else "w", closefd=False)  # noqa: SIM115 # never closed
                setattr(sys, name, stream)


def plays(args: list[str]) -> bool:
    """Return whether a command of `PLAYING` will probably use worker processes, judging by its arguments."""
    return not any(arg in ("-h", "--help") or arg.startswith("--executor") for arg in args)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt at Ctrl-C, or exit during an import, which could swallow the exception."""
    while frame:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            end()
        frame = frame.f_back
    raise KeyboardInterrupt


def end(number: int = signal.SIGINT, frame: FrameType | None = None) -> NoReturn:
    os.write(2, b"Error: interrupted\n")
    os._exit(130)

"""Report uncaught exceptions in threads and in `__del__` on one line."""

from __future__ import annotations

import sys
import threading

from arena.errors import one_line, safe_text


def tell_unheard() -> None:
    """Report uncaught exceptions on standard error from now on, each on one line without a traceback."""
    sys.unraisablehook = unraisable
    threading.excepthook = in_a_thread


def unraisable(unheard: sys.UnraisableHookArgs) -> None:
    """Report an exception as `sys.unraisablehook`."""
    where = getattr(unheard.object, "__qualname__", type(unheard.object).__name__)
    say(f"in {where}", unheard.exc_value or unheard.exc_type())


def in_a_thread(unheard: threading.ExceptHookArgs) -> None:
    """Report an exception as `threading.excepthook`."""
    if unheard.exc_type is not SystemExit:
        say("in a thread", unheard.exc_value or unheard.exc_type())


def say(where: str, error: BaseException) -> None:
    """Write a line about an ignored exception to standard error, if that is possible."""
    text = f"Ignored {where}: {safe_text(one_line, error)[:500]}\n"
    try:
        (sys.__stderr__ or sys.stderr).write(text)
    except Exception:
        return

"""The line at which a plugin's code failed, and the traceback without arena's own frames."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from traceback import FrameSummary, TracebackException, extract_tb

from arena.errors import AsksTerminal, Reported
from arena.results.fault_story import LONGEST, bounded

ARENA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OWN = (ARENA + os.sep, "<frozen ")  # prefixes of arena's files, and of Python's import system
PYTHONS = os.path.dirname(os.__file__) + os.sep  # prefix of the standard library
COMPILER = os.path.join(ARENA, "compiler") + os.sep
UNTOLD = "Raised in compiled code, which has no line numbers; 'arena debug' runs it as plain Python.\n"
FRAMES = 200  # maximum number of lines of a traceback, counted from its end
MARKS = re.compile(r"^ +[~^]+ *\n", re.MULTILINE)  # markers, which differ between versions of Python
DUMPED = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)  # a line written by faulthandler


def told(error: BaseException) -> tuple[str, str]:
    """Return the plugin's line that failed, and the traceback, as texts, which are empty if unknown."""
    try:
        said = TracebackException(
            type(error), error, error.__traceback__, limit=-FRAMES, lookup_lines=True, compact=True
        )
        if isinstance(error, Reported) and not isinstance(
            error, AsksTerminal
        ):  # raised by arena, or in another process
            return "", ""
        place = place_of(said.stack)
        if isinstance(error, SyntaxError) and said.filename:
            place = f"{short(said.filename)}:{said.lineno}"
        compiled = said.stack and said.stack[-1].filename.startswith(COMPILER)
        for one in chain(said):
            tidy(one)
        if compiled:
            return place, UNTOLD + "".join(said.format_exception_only())
        return place, bounded(MARKS.sub("", "".join(said.format())), int(LONGEST.traceback))
    except BaseException:  # an exception may be of any class
        return "", ""


def chain(said: TracebackException) -> Iterator[TracebackException]:
    """Yield an exception and the exceptions that led to it."""
    left, seen = [said], set()
    while left:
        one = left.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            left += [other for other in (one.__cause__, one.__context__) if other]
            left += getattr(one, "exceptions", None) or []


def tidy(said: TracebackException) -> None:
    """Remove arena's frames above the plugin's frames, and shorten the file names."""
    entered = next((i for i, frame in enumerate(said.stack) if not is_own(frame.filename)), len(said.stack))
    del said.stack[:entered]
    for frame in said.stack:
        frame.line  # noqa: B018 # looks the line up, which needs the full path
        frame.filename = short(frame.filename)


def place_of(frames: Sequence[FrameSummary]) -> str:
    """Return the last frame in the code that arena called, as `mine.py:12 in choose`; "" if there is none."""
    at = author_frame(frames)
    return "" if at is None else f"{short(frames[at].filename)}:{frames[at].lineno} in {frames[at].name}"


def at_place(place: str) -> str:
    """Return a place as the end of a message, such as `, at mine.py:12 in choose`; "" for an empty place."""
    return f", at {place}" if place else ""


def author_frame(frames: Sequence[FrameSummary]) -> int | None:
    """Return the index of the last frame in the code that arena called; None if there is none."""
    theirs = [i for i, frame in enumerate(frames) if not is_own(frame.filename)]
    if not theirs:
        return None
    entered = home(frames[theirs[0]].filename)
    return [i for i in theirs if home(frames[i].filename) == entered][-1]


def below_author(error: BaseException) -> int:
    """Return the number of frames of an error's traceback below the plugin's line."""
    frames = list(extract_tb(error.__traceback__))
    at = author_frame(frames)
    return 0 if at is None else len(frames) - 1 - at


def is_own(file: str) -> bool:
    """Return whether a file belongs to arena or to Python."""
    pythons = file.startswith(PYTHONS) and f"{os.sep}site-packages{os.sep}" not in file
    return file.startswith(OWN) or pythons or f"{os.sep}importlib{os.sep}" in file


def home(file: str) -> str:
    """Return the folder of a file; for a module in a package, the folder of its outermost package."""
    folder = os.path.dirname(file)
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, inner = os.path.dirname(folder), folder
        if not os.path.isfile(os.path.join(folder, "__init__.py")):
            return inner
    return folder


def short(file: str) -> str:
    """Return the name of a file with its packages, but without the folder that contains them."""
    folder, name = os.path.split(file)
    while folder and os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}/{name}"
    return name


def dumped(text: str) -> tuple[str, str]:
    """Return the plugin's line and the traceback of a process that hung, from its faulthandler output."""
    found = [FrameSummary(file, int(line), name) for file, line, name in reversed(DUMPED.findall(text))]
    called = next((i for i, frame in enumerate(found) if is_own(frame.filename)), 0)  # by Python itself
    entered = next((i for i in range(called, len(found)) if not is_own(found[i].filename)), len(found))
    found = found[entered:]
    lines = [f'  File "{short(f.filename)}", line {f.lineno}, in {f.name}\n' for f in found]
    shown = "".join(["It was stopped here, most recent call last:\n", *lines]) if lines else ""
    return place_of(found), bounded(shown, int(LONGEST.traceback))

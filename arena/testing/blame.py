"""Faults as assertions that name the culprit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.api.game import State
from arena.errors import one_line


@contextmanager
def blaming(thing: Any, *state: State) -> Iterator[None]:
    """Whatever is raised inside becomes an AssertionError that names the culprit and the position."""
    try:
        yield
    except Exception as error:
        fault = str(error) if type(error) is AssertionError and str(error) else one_line(error)
        name = thing.__name__ if isinstance(thing, type) else type(thing).__name__
        where = f", in {state[0]!r}" if state else ""
        raise AssertionError(f"{name}: {fault}{where}") from error

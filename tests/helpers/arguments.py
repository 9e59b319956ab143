"""The arguments that calls take by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from arena.calls.arguments import NAMES


def arguments_of(call: Callable[..., Any]) -> set[str]:
    """The names of a call's arguments, with those of conditions where it takes them one by one."""
    parameters = inspect.signature(call).parameters.values()
    found = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD}
    return found | ({*NAMES} if len(found) < len(parameters) else set())

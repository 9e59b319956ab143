"""Options that an engine announces by UCI, and values for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from arena import ArenaError

ANNOUNCED = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>\w+)(?P<rest>.*)")
FIELD = re.compile(r"\s(default|min|max|var)(?=\s|$)")
EMPTY = "<empty>"  # stands for an empty text


class UciOption(NamedTuple):
    """An option announced by an engine. choices: all values of an option of type combo."""

    name: str
    type: str
    low: int | None = None
    high: int | None = None
    choices: Sequence[str] = ()

    @classmethod
    def read(cls, line: str) -> UciOption | None:
        """Return the option that a line announces, None if it announces none."""
        found = ANNOUNCED.fullmatch(line)
        if not found:
            return None
        words = FIELD.split(found["rest"])
        fields = [(name, value.strip()) for name, value in zip(words[1::2], words[2::2], strict=True)]
        bounds = {name: int(value) for name, value in fields if re.fullmatch(r"[+-]?\d{1,18}", value)}
        choices = tuple(value for name, value in fields if name == "var")
        return cls(found["name"], found["type"], bounds.get("min"), bounds.get("max"), choices)

    def value(self, text: str) -> str:
        """Return a value in the engine's spelling; raise ArenaError if the option does not allow it."""
        if self.type == "check" and text.lower() in ("true", "false"):
            return text.lower()
        if self.type == "spin" and re.fullmatch(r"[+-]?\d{1,18}", text) and self.within(int(text)):
            return str(int(text))
        if self.type == "combo":
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
        if self.type not in ("check", "spin", "combo", "button"):
            return text or EMPTY
        raise ArenaError(f"{self.name} takes {self.range}, not {text!r}")

    def within(self, number: int) -> bool:
        """Return whether a number is in the range of a spin."""
        return (self.low is None or self.low <= number) and (self.high is None or number <= self.high)

    @property
    def range(self) -> str:
        """The allowed values, in words."""
        if self.type == "check":
            return "true or false"
        if self.type == "combo":
            return f"one of {', '.join(self.choices)}"
        if self.type == "button":
            return "no value"
        if self.type != "spin":
            return "a text"
        ends = [f"from {self.low}"] if self.low is not None else []
        ends += [f"to {self.high}"] if self.high is not None else []
        return " ".join(["a whole number", *ends])

    def command(self, text: str | None) -> str:
        """Return the line that sets the option, or presses a button; raise ArenaError for an invalid value.

        text: The value; None if there is none.
        """
        if text is None and self.type != "button":
            raise ArenaError(f"{self.name} needs a value: {self.range}")
        return f"setoption name {self.name}" + ("" if text is None else f" value {self.value(text)}")

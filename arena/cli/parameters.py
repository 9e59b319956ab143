"""Parameter types, with shell completion of the names of installed plugins and of models."""

from __future__ import annotations

import shlex

import click
from click import Context, Parameter
from click.shell_completion import CompletionItem


class Offered(click.ParamType[str]):
    """The name and options of a game, an agent or another kind of plugin."""

    def __init__(self, kind: str) -> None:
        self.kind = self.name = kind

    def shell_complete(self, ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
        from arena.calls.shell_completion import completions

        return [CompletionItem(text) for text in completions(self.kind, incomplete)]


GAME = Offered("game")
AGENT = Offered("agent")
EXECUTOR = Offered("executor")
EVALUATION = Offered("evaluation")
FORMAT = Offered("format")
RATING = Offered("rating system")


class ModelParam(click.ParamType[str]):
    """The id of a stored model, or a prefix of one."""

    name = "model"

    def shell_complete(self, ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
        from arena.calls.shell_completion import models

        found = [CompletionItem(id, help=name) for id, name in models(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


class EntryOrFile(click.ParamType[str]):
    """An agent or a file; completes agents first, and files after a file or if no agent matches."""

    name = "entry"

    def shell_complete(self, ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
        found = [] if ctx.params.get("file") else AGENT.shell_complete(ctx, param, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


MODEL = ModelParam()


class Points(click.ParamType[int | list[int]]):
    """A number of points, or a comma-separated list of episodes; `100,` is a list with one element."""

    name = "number or list"

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> int | list[int]:
        listed = "," in value
        try:
            numbers = sorted({int(text) for text in value.split(",") if text})
        except ValueError:
            numbers = []
        if not numbers or numbers[0] < (0 if listed else 1) or numbers[-1] >= 2**63:
            self.fail(
                f"{value!r} is neither a number of points nor a list of episode numbers such as 10,100,1000"
            )
        return numbers if listed else numbers[0]


class Bounds(click.ParamType[tuple[float, float]]):
    """Two numbers separated by a comma, such as `0,5`."""

    name = "low,high"

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> tuple[float, float]:
        try:
            low, high = map(float, value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not LOW,HIGH, such as 0,5")
        return low, high


BOUNDS = Bounds()


class Anchor(click.ParamType[tuple[str, float]]):
    """An entry and its rating, such as `random=0`."""

    name = "entry=rating"

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> tuple[str, float]:
        entry, _, rating = value.rpartition("=")
        try:
            return entry, float(rating)
        except ValueError:
            self.fail(f"{value!r} is not ENTRY=RATING, such as random=0")


ANCHOR = Anchor()


class Until(click.ParamType[float | str]):
    """A number of Elo points, such as `±20` or `20`, or the word `decided`."""

    name = "±N|decided"

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> float | str:
        if value == "decided":
            return value
        try:
            return float(value.removeprefix("±").removeprefix("+/-").removeprefix("+-"))
        except ValueError:
            self.fail(f"{value!r} is neither a number of Elo points, such as 20, nor 'decided'")


UNTIL = Until()


class Pieces(click.ParamType[int | bool]):
    """A number of pieces, or `kept` for as many as the endgame database covers."""

    name = "[pieces]"

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> int | bool:
        if value == KEPT:
            return True
        try:
            return int(value)
        except ValueError:
            self.fail(f"{value!r} is not a number of pieces, such as 4")


KEPT = "kept"
PIECES = Pieces()


def misplaced(file: str) -> str:
    """Return how to correct a file argument that is a list of files."""
    return f"{file} is several files; separate them by spaces: {' '.join(map(shlex.quote, file.split(',')))}"

"""Formatting of `--help`: options in groups, details after them, lines that fit the terminal.

A command of a plugin uses `@click.command(cls=Command)` and `@option_group("Output", ...)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from inspect import cleandoc
from typing import Any

import click
from click.formatting import wrap_text

from arena.show.grid import folded

COMMON = "Options"  # heading for options without a group, which come first
FIRST, LAST = (COMMON, "Entries", "Schedule"), ("Conditions", "Output", "Resources")  # others in between
RANGE = re.compile(  # click's text for the range of a number, removed because errors state the range
    r"  \[(?:[\d.]+<=)?x[<>]=[\d.]+\]|; (?:[\d.]+<=)?x[<>]=[\d.]+|(?:[\d.]+<=)?x[<>]=[\d.]+; "
)
GROUP = "arena_group"  # attribute of an option with the title of its group

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


class Formatter(click.HelpFormatter):
    """A formatter like click's, except that long examples are wrapped too."""

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        wrapped = wrap_text(text, self.width, indent, indent, preserve_paragraphs=True)
        lines = (part for line in wrapped.split("\n") for part in folded(line, self.width))
        self.write("\n".join(lines) + "\n")


def option_group(title: str, *options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command; its help shows them in this order, under a title."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        before = len(getattr(command, "__click_params__", ()))
        command = decorated(command, *options)
        for option in command.__click_params__[before:]:  # type: ignore[attr-defined]
            setattr(option, GROUP, title)
        return command

    return decorate


def decorated(command: Callable[..., None], *options: Decorator) -> Callable[..., None]:
    """Return a command with options added; its help shows them in this order."""
    return reduce(lambda command, option: option(command), reversed(options), command)


class Command(click.Command):
    """A command whose help shows options in groups, followed by the text after the examples.

    page: path of the command's documentation page, relative to the root of the repository.
    renamed: new names of options by their names in the last release, which still work, with a warning.
    """

    def __init__(self, *args: Any, page: str = "", renamed: Mapping[str, str] | None = None, **attrs: Any):
        super().__init__(*args, **attrs)
        self.page = page
        self.renamed = renamed or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_new_names(args, self.renamed))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        whole = self.help
        try:
            self.help = parted(whole or "")[0]
            super().format_help_text(ctx, formatter)
        finally:
            self.help = whole

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) and record[1]:  # arguments have no help text
                text = RANGE.sub("", record[1])
                groups.setdefault(getattr(param, GROUP, COMMON), []).append((record[0], text))
        between = [title for title in groups if title not in (*FIRST, *LAST)]
        for title in (*FIRST, *between, *LAST):
            if records := groups.get(title):
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if details := parted(self.help or "")[1]:
            with formatter.section("Details"):
                formatter.write_text(details)
        super().format_epilog(ctx, formatter)
        write_page(ctx, formatter)


def write_page(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the path of a command's documentation page, or of its group's page if it has none."""
    above = ctx.parent.command if ctx.parent else None
    if page := getattr(ctx.command, "page", "") or getattr(above, "page", ""):
        formatter.write_paragraph()
        formatter.write_text(f"Documentation: {page}")


def parted(text: str) -> tuple[str, str]:
    """Split a command's help into the text up to the examples and the text after them."""
    paragraphs = cleandoc(text).split("\n\n")  # before Python 3.13 a docstring has its indentation
    ends = [i + 1 for i, one in enumerate(paragraphs) if one.lstrip("\b\n ").startswith("Example")]
    end = ends[0] if ends else len(paragraphs)
    return "\n\n".join(paragraphs[:end]), "\n\n".join(paragraphs[end:])


def with_new_names(args: list[str], renamed: Mapping[str, str]) -> list[str]:
    """Replace renamed options by their new names, with a warning for each."""
    found: list[str] = []
    for i, arg in enumerate(args):
        if arg == "--":
            return found + args[i:]
        old, equals, value = arg.partition("=")
        if new := renamed.get(old):
            click.echo(f"Warning: {old} is now called {new}", err=True)
            arg = new + equals + value
        found.append(arg)
    return found

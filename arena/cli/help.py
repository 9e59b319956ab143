"""The texts of `--help`: options in groups, details after them, lines that fit the terminal.

A plugin's command takes part with `@click.command(cls=Command)` and `@option_group("Output", ...)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import reduce
from typing import Any

import click
from click.formatting import wrap_text

from arena.show.grid import folded

SENTENCE = 1000  # characters of a command's first sentence, which is shown whole
COMMON = "Options"  # the heading of options in no group, which come first
FIRST, LAST = (COMMON, "Entries", "Schedule"), ("Conditions", "Output", "Resources")  # others in between
RANGE = re.compile(  # what click says of a number's range, which an error says soon enough
    r"  \[(?:[\d.]+<=)?x[<>]=[\d.]+\]|; (?:[\d.]+<=)?x[<>]=[\d.]+|(?:[\d.]+<=)?x[<>]=[\d.]+; "
)
GROUP = "arena_group"  # the attribute of an option that holds the title of its group

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


class Formatter(click.HelpFormatter):
    """As click's, but for examples, which go on in a second line where there is no room in one."""

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        wrapped = wrap_text(text, self.width, indent, indent, preserve_paragraphs=True)
        lines = (part for line in wrapped.split("\n") for part in folded(line, self.width))
        self.write("\n".join(lines) + "\n")


def option_group(title: str, *options: Decorator) -> Decorator:
    """Add options to a command, shown in this order under a title of their own."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        before = len(getattr(command, "__click_params__", ()))
        command = decorated(command, *options)
        for option in command.__click_params__[before:]:  # type: ignore[attr-defined]
            setattr(option, GROUP, title)
        return command

    return decorate


def decorated(command: Callable[..., None], *options: Decorator) -> Callable[..., None]:
    """Return a command with options, shown in this order."""
    return reduce(lambda command, option: option(command), reversed(options), command)


class Command(click.Command):
    """A command whose help has options in groups, and after them what follows the examples.

    page: the page of the documentation about it, from the root of the repository.
    renamed: options that had other names in the last release; these work, with a warning.
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
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in FIRST}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) and record[1]:  # arguments have no text
                text = RANGE.sub("", record[1])
                groups.setdefault(getattr(param, GROUP, COMMON), []).append((record[0], text))
        for title, records in sorted(
            groups.items(), key=lambda group: ("", *LAST).index(group[0] if group[0] in LAST else "")
        ):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if details := parted(self.help or "")[1]:
            with formatter.section("Details"):
                formatter.write_text(details)
        super().format_epilog(ctx, formatter)
        if self.page:
            formatter.write_paragraph()
            formatter.write_text(f"Documentation: {self.page}")


class Group(click.Group):
    """Commands whose list has the first sentence of each, and all of that."""

    command_class = Command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_command(args[0], self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = (
            (name, self.commands[name].get_short_help_str(SENTENCE)) for name in sorted(self.commands)
        )
        with formatter.section("Commands"):
            formatter.write_dl([*commands])


def unknown_command(word: str, known: Iterable[str], ctx: click.Context) -> click.UsageError:
    """Return the error for a command that does not exist, with the nearest one: the same beginning counts."""
    near = get_close_matches(word, known, n=3, cutoff=0.5)
    near.sort(key=lambda name: [name[: i + 1] != word[: i + 1] for i in range(4)])
    hint = f", did you mean {near[0]!r}?" if near else ""
    return click.UsageError(f"no command called {word!r}{hint}", ctx)


def parted(text: str) -> tuple[str, str]:
    """Split a command's help after its examples."""
    paragraphs = text.split("\n\n")
    ends = [i + 1 for i, one in enumerate(paragraphs) if one.lstrip("\b\n ").startswith("Example")]
    end = ends[0] if ends else len(paragraphs)
    return "\n\n".join(paragraphs[:end]), "\n\n".join(paragraphs[end:])


def with_new_names(args: list[str], renamed: Mapping[str, str]) -> list[str]:
    """Replace options that are called something else now, with a warning for each."""
    found: list[str] = []
    for i, arg in enumerate(args):
        if arg == "--":
            return found + args[i:]
        old, equals, value = arg.partition("=")
        if new := renamed.get(old):
            click.echo(f"Warning: {old} is called {new} now", err=True)
            arg = new + equals + value
        found.append(arg)
    return found

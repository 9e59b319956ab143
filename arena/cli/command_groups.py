"""Commands with subcommands, such as `arena models`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import click

from arena.cli.help import Command, write_page

SENTENCE = 1000  # maximum length of a command's first sentence, large enough to show it in full


class Group(click.Group):
    """A command group whose list shows the full first sentence of each command. page: see `Command`."""

    command_class = Command

    def __init__(self, *args: Any, page: str = "", **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.page = page

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        write_page(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_command(args[0], self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = (
            (name, self.commands[name].get_short_help_str(SENTENCE)) for name in sorted(self.commands)
        )
        with formatter.section("Commands"):
            formatter.write_dl([*commands])


class DefaultGroup(Group):
    """A command group that runs the command `default` if none is named, as in `arena season bots/`."""

    def __init__(self, *args: Any, default: str, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first not in self.commands and first not in ctx.help_option_names:
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        pieces = self.commands[self.default].collect_usage_pieces(ctx)
        return [*pieces, "|", "COMMAND"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.commands[self.default].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


def unknown_command(word: str, known: Iterable[str], ctx: click.Context) -> click.UsageError:
    """Return the error for a command that does not exist, with a similar command as a suggestion."""
    near = get_close_matches(word, known, n=3, cutoff=0.5)
    near.sort(key=lambda name: [name[: i + 1] != word[: i + 1] for i in range(4)])
    hint = f", did you mean {near[0]!r}?" if near else ""
    return click.UsageError(f"no command called {word!r}{hint}", ctx)

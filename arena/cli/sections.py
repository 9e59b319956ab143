"""`arena --help` and `arena help`: lists of commands in sections, without importing the commands."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from arena.calls.command_plugins import commands
from arena.cli.command_groups import unknown_command
from arena.cli.help import Command
from arena.cli.isolation import STRICT
from arena.errors import ArenaError
from arena.texts import on_one_line

SECTIONS = ("Play", "Look", "Learn", "Write", "Analyse", "Share")
OTHERS = "Plugins"  # the section of commands that name no section of SECTIONS
HELP, HELP_LINE = "help", "Show the help of a command, or a line for each of them."


class Commands(click.Group):
    """The group of all registered commands and `help`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [STRICT if arg == "--isolate=strict" else arg for arg in args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*commands(), HELP]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name == HELP:
            return help_command
        offer = commands().get(name)
        if offer is None:
            return None
        command = offer.load()
        if not isinstance(command, click.Command):
            raise ArenaError(
                f"command {name!r} of plugin {offer.plugin.name}: {offer.target} is not a click command"
            )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise unknown_command(args[0], known, ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return named_commands(incomplete) + click.Command.shell_complete(self, ctx, incomplete)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(title, "  ".join(found)) for title, found in by_section().items()])


def by_section() -> dict[str, dict[str, str]]:
    """Return the one-line help of each command, by section and by name."""
    found: dict[str, dict[str, str]] = {title: {} for title in (*SECTIONS, OTHERS)}
    for name, offer in commands().items():
        found[offer.section if offer.section in SECTIONS else OTHERS][name] = on_one_line(offer.help)
    return {title: lines for title, lines in found.items() if lines}


def named_commands(incomplete: str) -> list[CompletionItem]:
    """Return the commands whose names start with a prefix, for shell completion."""
    lines = {name: on_one_line(offer.help) for name, offer in commands().items()} | {HELP: HELP_LINE}
    return [CompletionItem(name, help=line) for name, line in lines.items() if name.startswith(incomplete)]


class CommandName(click.ParamType[str]):
    """The name of a command or subcommand, with shell completion."""

    name = "command"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [] if ctx.params.get("names") else named_commands(incomplete)


@click.command(HELP, cls=Command, page="docs/reference/commands.md")
@click.argument("names", nargs=-1, metavar="[COMMAND]...", type=CommandName())
@click.option("--all", "everything", is_flag=True, help="List all commands, with a line for each.")
@click.pass_context
def help_command(context: click.Context, names: tuple[str, ...], everything: bool) -> None:
    """Show the help of COMMAND, or of arena.

    \b
    Examples:
      arena help tournament
      arena help tournaments show
      arena help --all
    """
    above = context.find_root()
    if everything:
        formatter = above.make_formatter()
        for title, lines in by_section().items():
            with formatter.section(title):
                formatter.write_dl([*lines.items()])
        click.echo(formatter.getvalue().strip("\n"))
        return
    for name in names:
        if not isinstance(above.command, click.Group):
            raise click.UsageError(f"'{above.command_path}' has no commands of its own", context)
        _, command, _ = above.command.resolve_command(above, [name])
        if command is not None:
            above = click.Context(command, above, name)
    click.echo(above.get_help())

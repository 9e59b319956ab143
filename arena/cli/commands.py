"""The commands: `arena COMMAND`, each a plugin's or arena's own, imported when it is used."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem, add_completion_class, shell_complete

from arena.calls.command_plugins import commands
from arena.cli import leave
from arena.cli.help import Formatter
from arena.cli.isolation import STRICT
from arena.cli.printing import say, warnings_as_lines
from arena.errors import ArenaError, Stopped, did_you_mean
from arena.texts import on_one_line
from arena.version import __version__
from arena.wording import at_the_command_line

click.Context.formatter_class = Formatter  # of all commands, those of plugins too
COMPLETE = "_ARENA_COMPLETE"  # which shells ask for completions by


class Commands(click.Group):
    """All registered commands, none of them imported for the sake of `--help`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [STRICT if arg == "--isolate=strict" else arg for arg in args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        offer = commands().get(name)
        if offer is None:
            return None
        command = offer.load()
        if not isinstance(command, click.Command):
            raise ArenaError(
                f"command {name!r} of plugin {offer.plugin.name}: {offer.target} is no click command"
            )
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in commands() and not args[0].startswith("-"):
            known = commands()
            raise click.UsageError(f"no command called {args[0]!r}{did_you_mean(args[0], known)}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[object]]:
        offers = [offer for name, offer in commands().items() if name.startswith(incomplete)]
        found = [CompletionItem(offer.name, help=on_one_line(offer.help)) for offer in offers]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, on_one_line(offer.help)) for name, offer in commands().items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arena")
def cli() -> None:
    """Tournaments among game-playing programs: reproducible, and rated with error bars.

    \b
    Begin with:
      arena tournament      a round robin at the first game installed
      arena leaderboard     its table again
    """


def run(args: list[str] | None = None) -> None:
    """Run a command. A user's error is one line on standard error and status 1, a usage error 2."""
    if asked := os.environ.get(COMPLETE):
        from arena.cli.bash import Bash

        add_completion_class(Bash)
        if asked.endswith("_complete"):
            sys.stderr = io.StringIO()  # what is wrong with plugins is not for the middle of a line
        sys.exit(shell_complete(cli, {}, "arena", COMPLETE, asked))
    try:
        words = sys.argv[1:] if args is None else list(args)
        # click's own main would say an empty line at Ctrl-C
        with at_the_command_line(), warnings_as_lines(), cli.make_context("arena", words) as context:
            status = cli.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
        leave()  # here, where Ctrl-C is told in one line before it
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.NoSuchOption as error:
        fail(entrys_own(error.option_name, words) or line_of(error), error.exit_code)
    except click.ClickException as error:
        fail(line_of(error), error.exit_code)
    except Stopped as stopped:
        say(str(stopped), err=True)
        sys.exit(130)
    except ArenaError as error:
        fail(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        fail("interrupted", 130)
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except OSError as error:  # the machine's fault, where nothing more could be said of it
        if error.errno == errno.ENOSPC and not error.filename:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            fail("cannot write the output: no space left", 1)
        if error.errno == errno.ENOENT and not error.filename:
            fail("a folder is gone: the one that this was called from, or one of temporary files", 1)
        where = f"{error.filename}: " if error.filename else ""
        fail(where + (error.strerror or str(error)), 1)


def line_of(error: click.ClickException) -> str:
    """A usage error on one line, with the command whose help tells more."""
    text = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{text} (see '{context.command_path} --help')" if context else text


def entrys_own(option: str, words: Sequence[str]) -> str:
    """How to give an option that no command has, but an entry among these words; nothing if none has it."""
    from arena.calls.entries import with_option  # imported only for an error message

    for word in words:
        with suppress(ArenaError):
            if not word.startswith("-"):
                told = with_option(word, option.lstrip("-").replace("-", "_"))
                return f"{option} is an option of the entry, and is given with it: {told}"
    return ""


def fail(text: str, status: int) -> NoReturn:
    say(f"Error: {text}", err=True)
    sys.exit(status)

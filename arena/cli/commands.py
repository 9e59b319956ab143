"""The command `arena`, which runs the commands of `arena.cli.sections` and prints errors as one line."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import click
from click.shell_completion import add_completion_class, shell_complete

from arena.cli import leave
from arena.cli.help import Formatter
from arena.cli.printing import say, warnings_as_lines
from arena.cli.sections import Commands
from arena.errors import ArenaError, Stopped
from arena.texts import at_the_command_line
from arena.version import __version__

click.Context.formatter_class = Formatter  # for all commands, including those of plugins
COMPLETE = "_ARENA_COMPLETE"  # environment variable with which shells request completions


BEGIN = """\b
Begin with:
  arena tournament      play all installed agents against each other
  arena leaderboard     show the ratings again
  arena COMMAND --help  show the options of a command
  arena help --all      show a line for each command
"""


@click.group(cls=Commands, epilog=BEGIN, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arena")
def cli() -> None:
    """Play tournaments between game-playing programs, with reproducible matches and ratings with confidence
    intervals."""


def run(args: list[str] | None = None) -> None:
    """Run a command and exit; errors are one line on standard error, with status 1, or 2 for usage errors."""
    if asked := os.environ.get(COMPLETE):
        from arena.cli.bash import Bash

        add_completion_class(Bash)
        if asked.endswith("_complete"):
            sys.stderr = io.StringIO()  # warnings about plugins would garble the line being completed
        sys.exit(shell_complete(cli, {}, "arena", COMPLETE, asked))
    try:
        words = sys.argv[1:] if args is None else list(args)
        # click's own main would print an empty line at Ctrl-C
        with at_the_command_line(), warnings_as_lines(), cli.make_context("arena", words) as context:
            status = cli.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
        leave()  # only now, since until here Ctrl-C is handled below
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.NoSuchOption as error:
        fail(as_argument(error) or entrys_own(error.option_name, words) or line_of(error), error.exit_code)
    except click.ClickException as error:
        fail(line_of(error), error.exit_code)
    except Stopped as stopped:
        say(str(stopped), err=True)
        sys.exit(130)
    except ArenaError as error:
        fail(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        fail("interrupted", 130)
    except BrokenPipeError:  # the reader of the output has exited, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except OSError as error:  # a system error that is not handled elsewhere
        if error.errno == errno.ENOSPC and not error.filename:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            fail("cannot write the output: no space left on the device", 1)
        if error.errno == errno.ENOENT and not error.filename:
            fail("the current folder or the folder for temporary files no longer exists", 1)
        where = f"{error.filename}: " if error.filename else ""
        fail(where + (error.strerror or str(error)), 1)


def line_of(error: click.ClickException) -> str:
    """Return a usage error as one line that names the command whose `--help` explains the usage."""
    text = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{text} (see '{context.command_path} --help')" if context else text


def as_argument(error: click.NoSuchOption) -> str:
    """Return how to write an option that is an argument of the command; '' if the command has none."""
    context, name = error.ctx, error.option_name.lstrip("-").replace("-", "_")
    if context is None:
        return ""
    arguments = [one for one in context.command.params if isinstance(one, click.Argument)]
    if all(argument.name != name for argument in arguments):
        return ""
    usage = " ".join([context.command_path, *(argument.make_metavar(context) for argument in arguments)])
    return f"{error.option_name} is an argument; write '{usage}' (see '{context.command_path} --help')"


def entrys_own(option: str, words: Sequence[str]) -> str:
    """Return how to write an option inside the entry that has it; '' if no entry in `words` has it."""
    from arena.calls.arguments import with_option  # imported only for an error message

    for word in words:
        with suppress(ArenaError):
            if not word.startswith("-"):
                told = with_option(word, option.lstrip("-").replace("-", "_"))
                return f"{option} is an option of the entry; write it as {told}"
    return ""


def fail(text: str, status: int) -> NoReturn:
    say(f"Error: {text}", err=True)
    sys.exit(status)

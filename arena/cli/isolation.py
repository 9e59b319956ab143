"""The options `--isolate`, `--isolate=strict` and `--no-isolate`."""

from __future__ import annotations

from collections.abc import Callable

import click

from arena.cli.help import decorated

STRICT = "--isolate-strict"  # replaces `--isolate=strict`, since flags of click take no value


def strict_or(context: click.Context, parameter: click.Parameter, value: bool | None) -> bool | str | None:
    return "strict" if context.meta.get(STRICT) else value


def note_strict(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta[STRICT] = value


def isolate_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for sandboxing entries to a command."""
    return decorated(
        command,
        click.option(
            STRICT, is_flag=True, is_eager=True, hidden=True, expose_value=False, callback=note_strict
        ),
        click.option(
            "--isolate/--no-isolate",
            default=None,
            callback=strict_or,
            help="Run entries in a sandbox; with --isolate=strict fail where the system lacks part of it.  "
            "[default: entries from files]",
        ),
    )

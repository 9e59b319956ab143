"""Options for what a command may take of the machine."""

from __future__ import annotations

from collections.abc import Callable

import click


def threads_option(help: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """How many threads, by default as many as there are processors. help: what they do."""
    return click.option(
        "--threads",
        metavar="N",
        type=click.IntRange(1, 1024),
        help=f"{help}; as many as there are processors.",
    )


def memory_option(default: int, help: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """How many megabytes. help: what for."""
    return click.option(
        "--memory",
        metavar="MB",
        type=click.IntRange(1, 1 << 20),
        default=default,
        show_default=True,
        help=help,
    )

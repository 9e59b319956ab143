"""Options that limit the resources of a command."""

from __future__ import annotations

import click

from arena.cli.help import Decorator, option_group


def resource_options(megabytes: int, memory: str) -> Decorator:
    """Return the options for threads and memory. memory: purpose of the memory, for the help."""
    return option_group(
        "Resources",
        click.option(
            "--threads",
            metavar="N",
            type=click.IntRange(1, 1024),
            help="Number of threads.  [default: all CPUs]",
        ),
        click.option(
            "--memory",
            metavar="MB",
            type=click.IntRange(1, 1 << 20),
            default=megabytes,
            show_default=True,
            help=memory,
        ),
    )

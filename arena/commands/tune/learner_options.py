"""Options of `arena tune` for learners."""

from __future__ import annotations

from collections.abc import Callable

import click

from arena.cli.help import option_group
from arena.cli.parameters import AGENT


def learner_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for learners to the command."""
    return option_group(
        "Learners",
        click.option(
            "--against", multiple=True, type=AGENT, help="An opponent; repeatable.  [default: random]"
        ),
        click.option(
            "--candidates",
            type=click.IntRange(2, 1000),
            metavar="N",
            help="Number of candidates, if an option has a range.  [default: 16]",
        ),
        click.option(
            "--trainings",
            type=click.IntRange(2),
            metavar="N",
            help="Limit on training runs of the search.  [default: 4 times the candidates]",
        ),
        click.option(
            "--rounds",
            type=click.IntRange(1),
            metavar="N",
            help="Matches of each trained learner against each opponent, from either seat.  [default: 100]",
        ),
    )(command)

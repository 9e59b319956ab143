"""Command-line options for match conditions, such as time limits."""

from __future__ import annotations

from collections.abc import Callable

import click

from arena.cli.help import option_group
from arena.cli.isolation import isolate_options
from arena.cli.parameters import KEPT, PIECES


def condition_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for match conditions to a command."""
    return option_group(
        "Conditions",
        click.option(
            "--shared-openings",
            is_flag=True,
            default=None,
            help="Use the same opening for all pairings of a round.  [default: each has its own]",
        ),
        click.option(
            "--move-seconds",
            type=float,
            metavar="S",
            help="Seconds per move; slower moves lose.",
        ),
        click.option(
            "--clock",
            metavar="BASE[+INCREMENT]",
            help="Time control in seconds, for each player and match: 60+0.6.",
        ),
        click.option(
            "--equal-time",
            type=float,
            metavar="S",
            help="Set each entry's search budget, such as nodes, to take S seconds per move.",
        ),
        click.option(
            "--max-plies",
            type=int,
            metavar="N",
            help="Adjudicate longer matches as draws.  [default: by game]",
        ),
        click.option(
            "--adjudicate",
            type=PIECES,
            is_flag=False,
            flag_value=KEPT,
            help="Adjudicate by the endgame database at PIECES or fewer.  "
            "[without a number: the most that are solved]",
        ),
        click.option(
            "--exact",
            is_flag=True,
            default=None,
            help="Compute exact expected scores instead of playing; small games only.",
        ),
        click.option(
            "--stall-seconds",
            type=float,
            metavar="S",
            help="Seconds after which an agent that has not answered loses.  "
            "[default: 60, or 10 if files play]",
        ),
        click.option(
            "--withdraw-after",
            type=int,
            metavar="N",
            help="Withdraw an entry after N crashes or stalls; 0 = never.  [default: 3; agents from files "
            "also after one stall]",
        ),
        click.option(
            "--keep-going",
            is_flag=True,
            default=None,
            help="Leave out entries that cannot play the game; those that fail to start forfeit.",
        ),
        isolate_options,
    )(command)

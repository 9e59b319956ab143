"""Options of `arena tournament` for the schedule."""

from __future__ import annotations

import click

from arena.cli.help import option_group
from arena.cli.parameters import AGENT, FORMAT, UNTIL

schedule_options = option_group(
    "Schedule",
    click.option(
        "--format", type=FORMAT, help="Who plays whom; see 'arena formats'.  [default: round-robin]"
    ),
    click.option(
        "--until",
        type=UNTIL,
        metavar="±N|decided",
        help="Choose matches adaptively until every rating is known to ±N Elo, or the ranking is decided.",
    ),
    click.option(
        "--indifference",
        type=float,
        metavar="ELO",
        help="With --until decided: treat smaller differences as equal.  [default: 25]",
    ),
    click.option(
        "--add",
        multiple=True,
        type=AGENT,
        metavar="[NAME=]AGENT",
        help="Add an entry to the last tournament, or to that of --resume; the others do not play again.",
    ),
    click.option(
        "--shard",
        metavar="N/OF",
        help="Play one of several parts, e.g. 3/8; combine them with 'arena merge'.",
    ),
)

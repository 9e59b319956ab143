"""Command-line options for ratings and analyses."""

from __future__ import annotations

import click

from arena.cli.help import option_group
from arena.cli.parameters import ANCHOR, RATING

rating_options = option_group(
    "Ratings",
    click.option(
        "--rating",
        default="maximum-likelihood",
        metavar="SYSTEM",
        type=RATING,
        show_default=True,
        help="The rating system.",
    ),
    click.option("--anchor", type=ANCHOR, help="Fix the rating of an entry: random=0."),
    click.option(
        "--code",
        type=click.Choice(["latest", "all"]),
        default="latest",
        show_default=True,
        help="Rate only results of the latest code of entries and rules, or each version separately.",
    ),
)


analysis_options = option_group(
    "Analysis",
    click.option("--blunders", is_flag=True, help="Show how often moves lose value, judged by perfect play."),
    click.option(
        "--nodes",
        metavar="N",
        type=click.IntRange(1, 1 << 62),
        default=20_000,
        show_default=True,
        help="Search limit of --blunders per position, in large games.",
    ),
    click.option(
        "--worst-case",
        "worst",
        type=click.FloatRange(0.001),
        is_flag=False,
        flag_value=50.0,
        metavar="[SECONDS]",
        help="Show each entry's score against its best response, searched for 50 s in large games.",
    ),
    click.option("--cost", is_flag=True, help="Show the time per move and of training."),
    click.option(
        "--diagnostics",
        "doubts",
        is_flag=True,
        help="Report misfit of the rating model, cycles, and differences that are not significant.",
    ),
    click.option("--openings", is_flag=True, help="Show what each opening is worth to the first player."),
)

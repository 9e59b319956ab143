"""`arena coach`: why an entry lost and what to improve."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.help import Command, option_group
from arena.cli.options import db_option, get_ready, json_option, wide_option, worker_options
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import show


@click.command(cls=Command, page="docs/how-to/find-out-why-it-lost.md")
@click.argument("entry")
@click.option("--game", type=GAME, help="The game.  [default: the one that ENTRY played last]")
@click.option("--tournament", type=int, metavar="NUMBER", help="Analyse only this tournament.")
@click.option("--match", type=int, metavar="N", help="Analyse only this match, of the last tournament.")
@click.option(
    "--sample",
    type=click.IntRange(0),
    metavar="N",
    default=10_000,
    show_default=True,
    help="Draw about N matches at random if there are more; 0 = analyse all.",
)
@click.option(
    "--seed", type=click.IntRange(0), metavar="N", help="Seed of the sample.", default=0, show_default=True
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="In a large game: search limit per position.  [default: 5,000 to 100,000, lower for more matches]",
)
@click.option(
    "--judge",
    type=AGENT,
    metavar="ENTRY",
    help="Estimate moves that cannot be judged exactly by the scores of ENTRY.",
)
@db_option
@option_group("Output", json_option, wide_option)
@worker_options
def coach(entry: str, as_json: bool, **options: Any) -> None:
    """Find out why ENTRY lost and what to improve, over all its recorded matches.

    \b
    Examples:
      arena coach greedy
      arena coach greedy --game connect-four --tournament 3
      arena coach greedy --match 17
      arena coach greedy --game checkers --judge alpha-beta:depth=8

    The moves of ENTRY are compared with perfect play: in a small game by solving all positions, otherwise by
    the game's solver or a search, and stored endings. The output states the method, and the share of the
    moves judged exactly. Accuracy is the share of judged moves that lose no value.
    """
    get_ready(options["executor"])
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Judging the moves of {entry}") as stop:
        found = arena.coach(entry, progress=True, stop=stop, **options)
    show(found, found.to_dict() if as_json else None)

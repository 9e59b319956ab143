"""`arena check`: a game or an agent held to its promises."""

from __future__ import annotations

import click

from arena.cli.options import json_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import print_json, say
from arena.show.progress import busy

HANG = 8  # columns before what is promised


@click.command()
@click.argument("entry", type=AGENT, metavar="ENTRY|GAME")
@click.option("--game", type=GAME, help="Where an agent plays; by default the first game that it can play.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides all chance.")
@click.option(
    "--matches",
    type=click.IntRange(1, 1_000_000),
    help="How many: an agent's, against random moves, by default 10; a game's, at random, by default 50.",
)
@click.option(
    "--positions",
    type=click.IntRange(1, 1_000_000),
    help="Of a game, how many to look at closely; by default 1,000.",
)
@click.option(
    "--stall-seconds",
    type=click.FloatRange(0, 10**6),
    default=60.0,
    show_default=True,
    help="What takes so long in a position breaks its promise; 0: nothing.",
)
@json_option
def check(
    entry: str,
    game: str | None,
    seed: int,
    matches: int | None,
    positions: int | None,
    stall_seconds: float,
    as_json: bool,
) -> None:
    """Look whether a game, or an agent at a game, keeps the promises that tournaments rely on.

    Each promise has a line. Of a broken one it is said what breaks it, in which position, after which moves,
    as few as are found, and what to do. The exit status is 1 if one is broken. At the end it says which
    methods are compiled, and of the others why not.

    \b
    Examples:
      arena check random
      arena check minimax:depth=2 --game connect-four
      arena check connect-four --positions 200 --json
    """
    from dataclasses import replace

    from arena.commands.check.call import found_apart, lines, quietly, wanted_of

    found = []
    with busy(f"Checking {entry}"):
        with quietly():
            wanted = wanted_of(entry, game, seed, matches, positions)
        for one in found_apart(wanted, stall_seconds):
            found.append(one)
            for line in () if as_json else lines(one):
                say(line, hang=HANG if line.strip() == line else 2)
    done = replace(wanted.begun(), findings=found)
    print_json(done.to_dict()) if as_json else say(done.summary())
    if not done.kept:
        click.get_current_context().exit(1)

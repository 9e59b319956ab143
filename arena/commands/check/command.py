"""`arena check`: the API contract of a game or an agent."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import fixed_seed_option, json_option, limit_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import print_json, say
from arena.show.progress import busy

HANG = 8  # columns before a rule of the contract


@click.command(cls=Command, page="docs/how-to/write-an-agent.md")
@click.argument("entry", type=AGENT, metavar="ENTRY|GAME")
@click.option("--game", type=GAME, help="The game to check an agent in.  [default: the first it can play]")
@click.option(
    "--matches",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Number of random test matches.  [default: 10 for an agent, 50 for a game]",
)
@click.option(
    "--positions",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Number of positions of a game to test.  [default: 1000]",
)
@fixed_seed_option()
@limit_option("Time limit per position, in seconds; 0 = none.")
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
    """Check that a game, or an agent in a game, fulfils the API contract that tournaments rely on.

    \b
    Examples:
      arena check random
      arena check minimax:depth=2 --game connect-four
      arena check connect-four --positions 200 --json

    The output has a line for each rule of the contract. For a violation it shows the position, the shortest
    move sequence found that leads there, and how to fix it. At the end it lists which methods are compiled,
    and why others are not. The exit status is 1 if a rule is violated.
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

"""The command line of `arena perft`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option, moves_option
from arena.cli.parameters import GAME
from arena.cli.printing import print_json
from arena.show.progress import busy


@click.command(cls=Command, page="docs/how-to/write-a-game.md")
@click.argument("game", type=GAME)
@click.argument("depth", type=click.IntRange(1, 1000))
@click.option("--position", metavar="TEXT", help="A position in the game's notation.  [default: the start]")
@moves_option
@json_option
def perft(game: str, depth: int, position: str | None, moves: str, as_json: bool) -> None:
    """Count the move sequences of GAME of each length from 1 to DEPTH plies.

    \b
    Example:
      arena perft tic-tac-toe 9
    """
    from arena.commands.position.call import perft_lines

    counts = []
    with busy(f"Counting move sequences of {game}"):
        for ply, lines in enumerate(perft_lines(game, depth, position, moves), 1):
            counts.append(lines)
            if not as_json:
                click.echo(f"{ply} {lines}")
    if as_json:
        print_json({"counts": counts})

"""`arena perft`."""

from __future__ import annotations

import click

from arena.cli.common import GAME, json_option


@click.command()
@click.argument("game", type=GAME)
@click.argument("depth", type=click.IntRange(1))
@click.option("--position", help="Where to begin, in the game's notation; by default the start.")
@json_option
def perft(game: str, depth: int, position: str | None, as_json: bool) -> None:
    """Count the lines of play of GAME by their length, 1 to DEPTH plies.

    \b
    Example:
      arena perft tic-tac-toe 9
    """
    from arena.analysis.perft import perft as count
    from arena.cli.common import print_json
    from arena.matches.settings import make_game
    from arena.registry.plugins import registry

    made = make_game(registry().spec("game", game))
    state = made.initial() if position is None else made.read_position(position)
    counts = []
    for ply, lines in enumerate(count(made, state, depth), 1):
        counts.append(lines)
        if not as_json:
            click.echo(f"{ply} {lines}")
    if as_json:
        print_json({"counts": counts})

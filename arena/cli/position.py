"""`arena position`."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from typing import Any

import click

from arena.cli.common import GAME, json_option


@click.command()
@click.argument("game", type=GAME)
@click.argument("text", required=False)
@json_option
def position(game: str, text: str | None, as_json: bool) -> None:
    """Show a position of GAME: its board, who is to move, the moves.

    TEXT is a position in the game's notation, by default the start; '-' reads one a line from
    standard input, and so does leaving it out when something is piped in.

    \b
    Examples:
      arena position tic-tac-toe X.O......
      arena position tic-tac-toe --json < positions.txt
    """
    import json

    from arena.cli.common import print_json
    from arena.errors import ArenaError
    from arena.plugins import registry
    from arena.settings import make_game

    made = make_game(registry().spec("game", game))
    if text is not None and text != "-":
        state = made.read_position(text)
        print_json(describe(made, state)) if as_json else show(made, state)
        return
    read = False
    for number, line in enumerate(sys.stdin if text == "-" else piped(), 1):
        if not line.strip():
            continue
        try:
            state = made.read_position(line.strip())
        except ArenaError as error:
            raise ArenaError(f"line {number}: {error}") from error
        if as_json:
            click.echo(json.dumps(describe(made, state), ensure_ascii=False))
        else:
            if read:
                click.echo()
            show(made, state)
        read = True
    if not read and text is None:
        print_json(describe(made, made.initial())) if as_json else show(made, made.initial())


def piped() -> Iterator[str]:
    """Lines from standard input, if it is a file or a pipe with something in it."""
    try:
        if sys.stdin is None or sys.stdin.isatty():
            return
        ready, _, _ = select.select([sys.stdin], [], [], 0.2)
    except (OSError, ValueError):  # what cannot be waited for is read
        ready = [sys.stdin]
    if ready:
        yield from sys.stdin


def describe(game: Any, state: Any) -> dict[str, Any]:
    moves = game.moves(state)
    return {
        "state": game.position_text(state),
        "to_move": game.sides[game.to_move(state)],
        "over": not moves,
        "value": None if moves else game.value(state),
        "moves": [
            {"move": game.move_text(move), "after": game.position_text(game.play(state, move))}
            for move in moves
        ],
    }


def show(game: Any, state: Any) -> None:
    click.echo(game.board_text(state))
    told = describe(game, state)
    if told["over"]:
        other = game.sides[1 - game.to_move(state)]
        won = {1: f"{told['to_move']} has won", 0: "drawn", -1: f"{other} has won"}[told["value"]]
        click.echo(f"{told['state']}: over, {won}")
    else:
        click.echo(
            f"{told['state']}: {told['to_move']} to move: {' '.join(m['move'] for m in told['moves'])}"
        )

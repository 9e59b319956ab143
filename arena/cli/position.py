"""`arena position`."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click

from arena.cli.common import GAME, json_option


@click.command()
@click.argument("game", type=GAME)
@click.argument("text", required=False)
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Draw the board, as SVG; '-' is standard output.",
)
@json_option
def position(game: str, text: str | None, svg: str | None, as_json: bool) -> None:
    """Show a position of GAME: its board, who is to move, the moves.

    TEXT is a position in the game's notation, by default the start; '-' reads one a line from
    standard input, and so does leaving it out when something is piped in.

    \b
    Examples:
      arena position tic-tac-toe X.O......
      arena position checkers --svg start.svg
      arena position tic-tac-toe --json < positions.txt
    """
    import json

    from arena.cli.common import print_json
    from arena.matches.settings import make_game
    from arena.registry.plugins import registry

    if as_json and svg == "-":
        raise click.UsageError("choose one of --json and --svg -", click.get_current_context())
    made = make_game(registry().spec("game", game))
    asked = positions(made, text)
    if svg:
        asked = iter(draw(made, list(islice(asked, 2)), svg))
        if not as_json:
            return
    for number, (state, is_line) in enumerate(asked):
        if not as_json:
            if number:
                click.echo()
            show(made, state)
        elif is_line:
            click.echo(json.dumps(describe(made, state), ensure_ascii=False))
        else:
            print_json(describe(made, state))


def positions(game: Any, text: str | None) -> Iterator[tuple[Any, bool]]:
    """The positions asked for, each with whether it is one of several lines that are read."""
    from arena.errors import ArenaError

    if text is not None and text != "-":
        yield game.read_position(text), False
        return
    read = False
    for number, line in enumerate(sys.stdin if text == "-" else piped(), 1):
        if line.strip():
            try:
                state = game.read_position(line.strip())
            except ArenaError as error:
                raise ArenaError(f"line {number}: {error}") from error
            yield state, True
            read = True
    if not read and text is None:
        yield game.initial(), False


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


def draw(game: Any, asked: list[tuple[Any, bool]], file: str) -> list[tuple[Any, bool]]:
    """Write the one position asked for as SVG, and give it back."""
    from arena.errors import ArenaError
    from arena.report.board import svg

    if len(asked) != 1:
        raise ArenaError(f"--svg draws one position; standard input has {'more' if asked else 'none'}")
    drawing = svg(game, asked[0][0])
    if file == "-":
        click.echo(drawing, nl=False)
    else:
        try:
            Path(file).write_text(drawing, encoding="utf-8")
        except OSError as error:
            raise ArenaError(f"cannot write {file}: {error.strerror}") from error
    return asked


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
    from arena.report.board import standing

    show_board(game, state)
    said, _ = standing(game, state)
    moves = " ".join(map(game.move_text, game.moves(state)))
    click.echo(f"{game.position_text(state)}: {f'{said}: {moves}' if moves else f'over, {said}'}")


def show_board(game: Any, state: Any) -> None:
    """The board, in colours if standard output is a terminal that has them."""
    from rich.console import Console

    from arena.report.board import coloured

    console = Console(highlight=False)
    if "grid" in game.capabilities and console.is_terminal and console.color_system and not console.no_color:
        console.print(coloured(game, state), soft_wrap=True)
    else:
        click.echo(game.board_text(state))

"""The command line of `arena position`."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from arena.cli.help import Command
from arena.cli.options import json_option, moves_option
from arena.cli.parameters import GAME
from arena.cli.printing import print_json, usage_error, write_or_echo

if TYPE_CHECKING:
    from arena.commands.position.call import Position


@click.command(cls=Command, page="docs/how-to/solve-a-position.md")
@click.argument("game", type=GAME)
@click.argument("text", required=False)
@moves_option
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Draw the board as SVG; '-' for standard output.",
)
@json_option
def position(game: str, text: str | None, svg: str | None, moves: str, as_json: bool) -> None:
    """Show a position of GAME: the board, the side to move and the legal moves.

    TEXT is a position in the game's notation, by default the start. With '-', or if something is piped in,
    each line of standard input is a position.

    \b
    Examples:
      arena position tic-tac-toe X.O......
      arena position connect-four --moves "4 4 3"
      arena position checkers --svg start.svg
      arena position tic-tac-toe --json < positions.txt
    """
    if as_json and svg == "-":
        raise usage_error("choose one of --json and --svg -")
    asked = positions(game, text, moves)
    if svg:
        asked = iter(draw(list(islice(asked, 2)), svg))
        if not as_json:
            return
    for number, (found, is_line) in enumerate(asked):
        if not as_json:
            if number:
                click.echo()
            show(found)
        elif is_line:
            print_json(found.to_dict(), indent=None)
        else:
            print_json(found.to_dict())


def positions(game: str, text: str | None, moves: str) -> Iterator[tuple[Position, bool]]:
    """Yield each requested position, and whether it was read from a line of standard input."""
    from arena.commands.position.call import made_game, position_of
    from arena.errors import ArenaError

    made = made_game(game)
    if text is not None and text != "-":
        yield position_of(made, text, moves), False
        return
    read = False
    for number, line in enumerate(sys.stdin if text == "-" else piped(), 1):
        if line.strip():
            try:
                found = position_of(made, line.strip(), moves)
            except ArenaError as error:
                raise ArenaError(f"line {number}: {error}") from error
            yield found, True
            read = True
    if not read and text is None:
        yield position_of(made, None, moves), False


def piped() -> Iterator[str]:
    """Yield lines from standard input, if it is a file or a pipe with content."""
    try:
        if sys.stdin is None or sys.stdin.isatty():
            return
        ready, _, _ = select.select([sys.stdin], [], [], 0.2)
    except (OSError, ValueError):  # read input on which `select` does not work
        ready = [sys.stdin]
    if ready:
        yield from sys.stdin


def draw(asked: list[tuple[Position, bool]], file: str) -> list[tuple[Position, bool]]:
    """Write the requested position to a file as SVG, and return the positions; only one is allowed."""
    from arena.errors import ArenaError

    if len(asked) != 1:
        raise ArenaError(f"--svg draws one position; standard input has {'more' if asked else 'none'}")
    write_or_echo(asked[0][0].svg(), file)
    return asked


def show(found: Position) -> None:
    from arena.show.terminal.screen import Screen

    screen = Screen(sys.stdout)
    screen.board(found.game, found.state)
    screen.line(found.line())

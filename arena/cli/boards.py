"""Boards in a terminal."""

from __future__ import annotations

from typing import Any

import click

from arena.texts import on_lines


def show_board(game: Any, state: Any) -> None:
    """The board, in colours if standard output is a terminal that has them."""
    from rich.console import Console

    from arena.report.board import coloured
    from arena.session.positions import telling

    console = Console(highlight=False)
    colours = console.is_terminal and console.color_system and not console.no_color
    if "grid" in game.capabilities and colours:
        with telling(game):
            board = coloured(game, state)
        console.print(board, soft_wrap=True)
    else:
        with telling(game):
            text = game.board_text(state)
        click.echo(on_lines(text))

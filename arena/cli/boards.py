"""Boards in a terminal."""

from __future__ import annotations

from typing import Any

import click


def show_board(game: Any, state: Any) -> None:
    """The board, in colours if standard output is a terminal that has them."""
    from rich.console import Console

    from arena.report.board import coloured

    console = Console(highlight=False)
    if "grid" in game.capabilities and console.is_terminal and console.color_system and not console.no_color:
        console.print(coloured(game, state), soft_wrap=True)
    else:
        click.echo(game.board_text(state))

"""Boards in a terminal."""

from __future__ import annotations

import sys
from typing import Any


def show_board(game: Any, state: Any) -> None:
    """The board, in colours if standard output is a terminal that has them."""
    from arena.terminal.screen import Screen

    Screen(sys.stdout).board(game, state)

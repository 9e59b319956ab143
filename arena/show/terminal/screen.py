"""Text output to a terminal or a pipe, with control characters escaped."""

from __future__ import annotations

import shutil
from typing import TextIO

from arena.api.game import Game, State
from arena.api.rulings import telling
from arena.show.board import coloured, plain
from arena.show.grid import folded
from arena.show.presentation import Part, text_of
from arena.stream_encoding import MARK, signs
from arena.texts import on_lines, on_one_line


class Screen:
    """A writer of lines, boards and results to a stream, no wider than its terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    @property
    def width(self) -> int | None:
        """The number of columns of the terminal; None if the stream is not a terminal."""
        return shutil.get_terminal_size().columns if self.stream.isatty() else None

    def write(self, text: str) -> None:
        """Write text and flush the stream."""
        self.stream.write(text)
        self.stream.flush()

    def line(self, text: str = "") -> None:
        """Write a line, wrapped to the width of the terminal."""
        width = self.width
        self.write("\n".join([on_one_line(text)] if width is None else folded(text, width)) + "\n")

    def part(self, part: Part) -> None:
        """Write a part of a result: a line, a table or a board."""
        self.write(text_of(part, styled=self.width is not None, width=self.width) + "\n")

    def board(self, game: Game, state: State, turned: bool = False) -> None:
        """Write the board of a position, in colour if the terminal supports it.

        Lines that are wider than the terminal are truncated.

        Args:
            game: The game.
            state: The position.
            turned: Show the board from the other side.

        Raises:
            GameFault: If the game fails.
        """
        from rich.console import Console

        console = Console(file=self.stream, highlight=False)
        colours = console.is_terminal and console.color_system and not console.no_color
        with telling(game):
            has_grid = "grid" in game.capabilities
            drawn = coloured(game, state, turned, self.width) if has_grid and colours else None
            text = "" if drawn else plain(game, state) if turned and has_grid else game.board_text(state)
        if drawn:
            console.print(drawn, soft_wrap=True)
            return
        for line in on_lines(text).split("\n"):
            self.write((line if not self.width or len(line) <= self.width else cut(line, self.width)) + "\n")


def cut(line: str, width: int) -> str:
    """Truncate a line to a width, with an ellipsis at the end."""
    mark = signs(MARK)
    return line[: width - len(mark)] + mark

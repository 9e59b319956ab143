"""What is shown at a terminal over and over, each time in the place of the last."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text


class Area:
    """Lines on standard output, drawn while it is entered; the last ones stay.

    rows: how many fit the terminal.
    """

    def __init__(self) -> None:
        self.console = Console(highlight=False)
        self.live = Live(console=self.console, auto_refresh=False, vertical_overflow="ellipsis")

    @property
    def rows(self) -> int:
        return self.console.height - 1

    def __enter__(self) -> Area:
        self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.live.stop()

    def draw(self, text: str, wraps: bool) -> None:
        """Show a text, which may be coloured, in place of the one before. wraps: what is too long."""
        self.live.update(Text.from_ansi(text, no_wrap=not wraps), refresh=True)

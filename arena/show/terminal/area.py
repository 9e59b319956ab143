"""An area of the terminal that is redrawn in place."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text


class Area:
    """An area on standard output that is redrawn in this context; its last text remains.

    Attributes:
        rows: Number of rows that fit the terminal.
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
        """Replace the text of the area, which may be coloured. wraps: whether long lines are wrapped."""
        self.live.update(Text.from_ansi(text, no_wrap=not wraps), refresh=True)

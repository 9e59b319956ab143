"""Matches as data from which a script draws every position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.api.game import Game, State
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import start_of
from arena.errors import ArenaError
from arena.show.board import EDGE, SQUARE, drawn, squares, standing
from arena.show.page.event import Played
from arena.texts import on_lines, on_one_line

MOST_PLIES = 60_000  # of all matches of a page together; about two megabytes


class Film:
    """The positions of matches of one game.

    For a game with a grid these are the changes of each ply, otherwise boards as text.

    Attributes:
        texts: Status lines, each once, with their numbers.
        boards: Boards of a game without a grid, each once, with their numbers.
    """

    def __init__(self, game: Game | None) -> None:
        self.game = game
        self.texts: dict[str, int] = {}
        self.boards: dict[str, int] = {}
        self.has_grid = game is not None and "grid" in game.capabilities

    def board(self) -> dict[str, object] | None:
        """Return the empty board and the pieces as SVG, and the centre of each cell; None without a grid."""
        if self.game is None or not self.has_grid:
            return None
        body = squares(self.game)[2]
        half = EDGE + SQUARE // 2
        return {
            "size": [*self.size()],
            "squares": "".join(body),
            "pieces": [drawn(self.game, piece) for piece in range(1, self.game.pieces + 1)],
            "places": [[half + x * SQUARE, half + y * SQUARE] for x, y in self.game.cells],
        }

    def size(self) -> tuple[int, int]:
        """Return the width and height of the board of a game with a grid, in pixels."""
        assert self.game is not None
        width, height, _ = squares(self.game)
        return 2 * EDGE + width, 2 * EDGE + height

    def matches(
        self, played: Iterable[Played], names: Sequence[str], most: int = MOST_PLIES
    ) -> Iterator[dict[str, Any]]:
        """Yield matches as data, up to a total number of plies.

        Args:
            played: The matches.
            names: Entries; a match refers to them by number.
            most: Plies of all matches together, at most.
        """
        place = {name: i for i, name in enumerate(names)}
        plies = 0
        for one in played:
            moves = one.moves.split()
            plies += len(moves)
            if plies > most:
                return
            yield {
                "tournament": one.tournament,
                "number": one.number,
                "seats": [place[one.first], place[one.second]],
                "result": one.result,
                "reason": one.reason,
                "detail": on_one_line(one.detail or ""),
                "opening": one.opening,
                "moves": [on_one_line(move) for move in moves],
                **self.frames(moves, one.start),
            }

    def frames(self, moves: Sequence[str], start: str | None = None) -> dict[str, object]:
        """Return the positions of a match, as far as the installed rules accept the moves."""
        if self.game is None:
            return {"fault": "the game is not installed here as it was played"}
        frames: dict[str, Any] = {"said": [], "fault": ""}
        frames |= {"start": [], "changes": []} if self.has_grid else {"boards": []}
        try:
            with foreign(ArenaError):
                state = start_of(self.game, start)
                cells = self.add(frames, state, [])
                for move in moves:
                    state = self.game.play(state, self.game.read_move(state, move))
                    cells = self.add(frames, state, cells)
        except (Failed, ArenaError) as error:
            frames["fault"] = on_one_line(str(error))
        return frames

    def add(self, frames: dict[str, Any], state: State, before: list[int]) -> list[int]:
        """Add a position to the frames, and return the pieces on its cells; empty without a grid."""
        assert self.game is not None
        said = on_one_line(standing(self.game, state)[0])
        if not self.has_grid:
            drawn = on_lines(self.game.board_text(state))
            frames["boards"].append(self.boards.setdefault(drawn, len(self.boards)))
            cells = []
        else:
            cells = [int(self.game.piece(state, cell)) for cell in range(len(self.game.cells))]
            if before:
                pairs = (
                    (i, new) for i, (old, new) in enumerate(zip(before, cells, strict=True)) if old != new
                )
                frames["changes"].append([number for pair in pairs for number in pair])
            else:
                frames["start"] = cells
        frames["said"].append(self.texts.setdefault(said, len(self.texts)))
        return cells

"""Matches as data from which a script draws each position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from arena.api.drawing import Drawing
from arena.api.game import Game, State, positions
from arena.api.game_drawing import drawing_of, pieces_on
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import start_of
from arena.api.words import words_of
from arena.errors import ArenaError, one_line
from arena.show.board import standing
from arena.show.page.event import Played
from arena.show.pieces import looks
from arena.show.places import Ground, outline, pixel, turned
from arena.texts import on_lines, on_one_line

MOST_TOLD = 2000  # maximum number of positions of a game for which a page includes boards as text
MOST_PLIES = 45_000  # maximum number of plies of all matches on a page, 0.1 to 0.4 MB compressed


class Undrawn(ArenaError):
    """Raised if a game fails to draw a position."""


class Film:
    """The positions of matches of one game.

    For a game with a drawing, they are represented by the changes of each ply, otherwise by boards as text.

    Attributes:
        texts: The index of each distinct status line.
        boards: The index of each distinct board, for a game that is not drawn.
        fault: Why the game's drawing fails; empty if it does not fail, or the game has no drawing.
    """

    def __init__(self, game: Game | None) -> None:
        self.game = game
        self.texts: dict[str, int] = {}
        self.boards: dict[str, int] = {}
        self.drawing: Drawing | None = None
        self.empty: dict[str, object] | None = None
        self.fault = ""
        if game is not None:
            try:
                with foreign(ArenaError):
                    self.drawing = drawing_of(game)
                    self.empty = self.ground()
            except (Failed, ArenaError) as error:
                self.undrawn(str(error))

    def undrawn(self, why: str) -> None:
        """Stop using the drawing, because of an error: from now on boards are shown as text."""
        self.drawing = self.empty = None
        self.fault = on_one_line(f"The boards are shown as text, since they cannot be drawn: {why}.")

    def board(self) -> dict[str, object] | None:
        """Return the empty board, the pieces for each kind of cell, and the cells; None without a drawing."""
        return self.empty

    def ground(self) -> dict[str, object] | None:
        """Compute the result of `board`; exceptions of the game are not handled."""
        if self.game is None or self.drawing is None:
            return None
        ground, places = Ground(self.game, self.drawing), self.drawing.places
        return {
            "size": [ground.width, ground.height],
            "squares": "".join(ground.body),
            "pieces": looks(self.game, self.drawing),
            "places": [[*pixel(place.centre)] for place in places],
            "kinds": [place.kind for place in places],
            "at": [turned(place) for place in places],
            "outlines": [outline(place) for place in places],
            "clicks": {on_one_line(move): [*cells] for move, cells in self.drawing.clicks.items()},
            "first": self.drawing.first,
        }

    def told(self) -> dict[str, str]:
        """Return all boards of a small game without a drawing as text, by position; empty for other games."""
        if self.game is None or self.drawing is not None or not self.game.flat:
            return {}
        with suppress(Exception):  # errors in the rules are reported when matches are played
            found = {
                ",".join(str(int(word)) for word in words_of(state)): on_lines(self.game.board_text(state))
                for state in islice(positions(self.game), MOST_TOLD + 1)
            }
            return found if len(found) <= MOST_TOLD else {}
        return {}

    def matches(
        self, played: Iterable[Played], names: Sequence[str], most: int = MOST_PLIES
    ) -> list[dict[str, Any]]:
        """Return matches as data, up to a total number of plies.

        If the game fails to draw a position, all boards are shown as text.

        Args:
            played: The matches.
            names: The entries, to which matches refer by index.
            most: Maximum number of plies of all matches together.
        """
        try:
            return [*self.filmed(played, names, most)]
        except Undrawn as error:
            self.undrawn(str(error))
            self.texts.clear()
            return [*self.filmed(played, names, most)]

    def filmed(self, played: Iterable[Played], names: Sequence[str], most: int) -> Iterator[dict[str, Any]]:
        """Yield matches as data; see `matches`."""
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
        """Return the positions of a match as data, up to the first move that the installed rules reject."""
        if self.game is None:
            return {"fault": "the version of the game that was played is not installed"}
        frames: dict[str, Any] = {"said": [], "fault": ""}
        frames |= {"start": [], "changes": []} if self.drawing else {"boards": []}
        try:
            with foreign(ArenaError):
                state = start_of(self.game, start)
                cells = self.add(frames, state, [])
                for move in moves:
                    state = self.game.play(state, self.game.read_move(state, move))
                    cells = self.add(frames, state, cells)
        except Undrawn:
            raise
        except (Failed, ArenaError) as error:
            frames["fault"] = on_one_line(str(error))
        return frames

    def add(self, frames: dict[str, Any], state: State, before: list[int]) -> list[int]:
        """Add a position to the frames. Return the pieces on its cells; empty without a drawing."""
        assert self.game is not None
        said = on_one_line(standing(self.game, state)[0])
        if self.drawing is None:
            drawn = on_lines(self.game.board_text(state))
            frames["boards"].append(self.boards.setdefault(drawn, len(self.boards)))
            cells = []
        else:
            cells = self.pieces(self.game, self.drawing, state)
            if before:
                pairs = (
                    (i, new) for i, (old, new) in enumerate(zip(before, cells, strict=True)) if old != new
                )
                frames["changes"].append([number for pair in pairs for number in pair])
            else:
                frames["start"] = cells
        frames["said"].append(self.texts.setdefault(said, len(self.texts)))
        return cells

    def pieces(self, game: Game, drawing: Drawing, state: State) -> list[int]:
        """Return the pieces on the cells of a position; raise Undrawn if the game fails."""
        try:
            return pieces_on(game, drawing, state)
        except Exception as error:  # raised by the game
            raise Undrawn(one_line(error)) from error

"""An interactive replay of a match in a notebook, or in a page converted from one, without a server.

The match is a separate document within the output, so that its styles and script affect nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.api.game import Game, State
from arena.api.rulings import telling
from arena.show.page import templates
from arena.show.page.replay import Film
from arena.show.places import Ground
from arena.texts import on_lines, on_one_line

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
LARGEST = 400  # maximum width and height of a board, in pixels
LINE = 21  # height of a line of a board that is text, in pixels
ROOM = 96  # height of the controls and the line below the board, in pixels
HEAD = 26  # height of a line above the board, or of a further line below, in pixels


def stepper(
    game: Game,
    states: Sequence[State],
    moves: Sequence[str],
    lines: Sequence[str],
    *,
    head: Sequence[str] = (),
    opening: int = 0,
    at: int = 0,
) -> str:
    """Return a match as HTML for the output of a notebook's cell.

    Args:
        game: The game.
        states: The positions, from the start to the last one.
        moves: The moves, in the game's notation.
        lines: The line of text below each position.
        head: Lines above the board.
        opening: Number of moves of the opening.
        at: Index of the position that is shown first.

    Raises:
        GameFault: If the game fails.
    """
    with telling(game):
        data, width, height = drawings(game, states)
    data |= {"lines": [on_one_line(line) for line in lines], "at": at}
    loader = PackageLoader("arena.show", "stepper")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

    def part(name: str) -> Markup:
        return Markup(loader.get_source(environment, name)[0])

    page = environment.get_template("stepper.html").render(
        policy=POLICY,
        title=on_one_line(" ".join(head)),
        head=[on_one_line(line) for line in head],
        moves=[on_one_line(move) for move in moves],
        opening=opening,
        height=height,
        style=part("stepper.css"),
        board=templates()[1]("board.js"),
        script=part("stepper.js"),
        data=Markup(in_script({**data, "width": width})),
    )
    whole = height + ROOM + HEAD * len(head)
    style = f"width:100%;height:{whole}px;border:1px solid #ddd;border-radius:4px"
    name = escape(on_one_line(f"A match of {game}, to step through"))
    return f'<iframe title="{name}" sandbox="allow-scripts" style="{style}" srcdoc="{escape(page)}"></iframe>'


def drawings(game: Game, states: Sequence[State]) -> tuple[dict[str, object], int, int]:
    """Return the data from which a script draws positions, and the width and height of a board in pixels."""
    film = Film(game)
    board = film.board()
    if board is None:
        boards = [on_lines(game.board_text(state)) for state in states]
        rows = max(text.count("\n") + 1 for text in boards)
        return {"board": None, "boards": boards}, 0, LINE * rows + 16
    frames: dict[str, list[object]] = {"said": [], "start": [], "changes": []}
    cells: list[int] = []
    for state in states:
        cells = film.add(frames, state, cells)
    assert film.drawing is not None
    ground = Ground(game, film.drawing)
    width, height = ground.width, ground.height
    scale = min(1.0, LARGEST / max(width, height))
    shown: dict[str, object] = {"board": board, "start": frames["start"], "changes": frames["changes"]}
    return shown, round(scale * width), round(scale * height)


def in_script(data: object) -> str:
    """Return data as JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")

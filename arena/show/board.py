"""Positions drawn as SVG for pages, and in colour for terminals.

The players' pieces are distinguishable without colour: one player's pieces are dark, the other's light.
A piece shows its text from the game; a king without a text shows a crown or a capital letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.api.drawing import Drawing
from arena.api.drawing_text import letter
from arena.api.game import Game, State
from arena.api.game_drawing import drawing_of, pieces_on
from arena.show.pieces import colours, look_of, looks, sign
from arena.show.places import EDGE, LIGHT, PLAYABLE, Ground, outline, turned
from arena.show.svg_text import INK, WHITE, escape
from arena.texts import on_lines, on_one_line

if TYPE_CHECKING:
    from rich.text import Text

CHANGED = 'class="changed" fill="none" stroke="#05c" stroke-width="3"'
LINE = 24  # height of a line of text in pixels


def svg(game: Game, state: State, before: State | None = None) -> str:
    """Return a position as an SVG document; a game without a drawing is shown as its `board_text` in SVG.

    Args:
        game: The game.
        state: The position to draw.
        before: An earlier position; cells whose piece has changed since are framed.
    """
    drawing = drawing_of(game)
    width, height, body = position(game, drawing, state, before) if drawing else text(game, state)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    title = escape(f"{game}: {game.position_text(state)}, {standing(game, state)[0]}")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">',
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
            *body,
            "</svg>\n",
        ]
    )


def standing(game: Game, state: State) -> tuple[str, int | None]:
    """Return the status of a position as text, and the player that it names.

    Returns:
        `"X to move"`, `"X has won"` or `"drawn"`, where X is the name of the side; and the index of that
        player, 0 or 1, or None after a draw.
    """
    mover = game.to_move(state)
    if game.moves(state):
        return f"{game.sides[mover]} to move", mover
    value = game.value(state)
    if value == 0:
        return "drawn", None
    winner = mover if value == 1 else 1 - mover
    return f"{game.sides[winner]} has won", winner


def position(game: Game, drawing: Drawing, state: State, before: State | None) -> tuple[int, int, list[str]]:
    """Draw a board with a status line below.

    Returns:
        The width and height in pixels, and the SVG elements.
    """
    ground = Ground(game, drawing)
    body, now = ground.body, pieces_on(game, drawing, state)
    then = now if before is None else pieces_on(game, drawing, before)
    shown = looks(game, drawing)
    cells = zip(drawing.places, now, then, strict=True)
    for place, piece, old in sorted(cells, key=lambda cell: cell[0].kind != "area"):
        if piece:
            drawn = shown[place.kind][piece - 1]
            body.append(f'<g class="piece" transform="{turned(place)}">{drawn}</g>')
        if piece != old:
            body.append(f"<{outline(place)} {CHANGED}/>")
    said, player = standing(game, state)
    mark = "" if player is None else sign(drawing, shown, player)
    base, left = ground.height + LINE, EDGE + (24 if mark else 0)
    if mark:
        body.append(f'<g transform="translate({EDGE + 9} {base - 14}) scale(.5)">{mark}</g>')
    body.append(f'<text x="{left}" y="{base - 9}" font-size="14" fill="{INK}">{escape(said)}</text>')
    return max(ground.width, 2 * EDGE + 24 + 10 * len(said)), base, body


def text(game: Game, state: State) -> tuple[int, int, list[str]]:
    """Draw a board as text in a monospaced font, with a status line below.

    Returns:
        The width and height in pixels, and the SVG elements.
    """
    lines = [*on_lines(game.board_text(state)).split("\n"), "", standing(game, state)[0]]
    style = f'font-family="monospace" font-size="16" fill="{INK}" xml:space="preserve"'
    body = [
        f'<text x="{EDGE}" y="{EDGE + LINE * i - 7}" {style}>{escape(line)}</text>'
        for i, line in enumerate(lines, 1)
    ]
    return 2 * EDGE + 10 * max(map(len, lines)), 2 * EDGE + LINE * len(lines), body


# --- in a terminal --------------------------------------------------------------------------------------


def coloured(game: Game, state: State, turned: bool = False, width: int | None = None) -> Text:
    """Return the board of a game with a grid for a terminal, in colour, with the names of empty cells.

    Args:
        game: The game.
        state: The position to draw.
        turned: Draw the board from the other side.
        width: Columns of the terminal. Cells become narrower to fit, and names that do not fit are left out;
            lines that are still too long are truncated and end in an ellipsis.
    """
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    drawing = drawing_of(game)
    names = [on_one_line(game.cell_text(cell)) for cell in range(len(game.cells))]
    columns, rows = (1 + max(places) for places in zip(*game.cells, strict=True))
    longest = max(2, *map(len, names))
    room = max(1, (width or 10**6) // columns)
    size = min(2 + longest, room)
    board = [[(" " * size, f"on {LIGHT}")] * columns for _ in range(rows)]
    for cell, (x, y) in enumerate(game.cells):
        if turned:
            x, y = columns - 1 - x, rows - 1 - y
        if piece := game.piece(state, cell):
            paper, ink = colours(game, piece, look_of(drawing, piece) if drawing else "")
            text, style = on_one_line(letter(game, piece)), f"bold {ink} on {paper}"
        else:
            text, style = names[cell] if size >= longest else "", f"#665540 on {PLAYABLE}"
        text = set_cell_size(text, min(size, cell_len(text)))
        board[y][x] = text.center(size - cell_len(text) + len(text)), style
    lines = [Text.assemble(*row) for row in board]
    if width:
        for line in lines:
            line.truncate(width, overflow="ellipsis")
    return Text("\n").join(lines)


def plain(game: Game, state: State) -> str:
    """Return the board of a game with a grid as plain text, rotated by 180°; empty cells are dots."""
    from rich.cells import cell_len

    columns, rows = (1 + max(places) for places in zip(*game.cells, strict=True))
    board = [[" "] * columns for _ in range(rows)]
    for cell, (x, y) in enumerate(game.cells):
        piece = game.piece(state, cell)
        board[rows - 1 - y][columns - 1 - x] = on_one_line(letter(game, piece)) if piece else "."
    size = max(cell_len(text) for row in board for text in row)
    padded = ([text + " " * (size - cell_len(text)) for text in row] for row in board)
    return "\n".join(" ".join(row).rstrip() for row in padded)

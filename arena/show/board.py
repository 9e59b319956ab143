"""Positions drawn as SVG for pages, and in colour for terminals.

Both tell the players and their pieces apart without colour: one player's pieces are dark, the other's light.
A piece bears the text that the game gives it; otherwise a king bears a crown or a capital letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax import saxutils

from arena.api.game import Game, State
from arena.texts import on_lines, on_one_line

if TYPE_CHECKING:
    from rich.text import Text

SQUARE = 48  # of a cell, in pixels, as all lengths
EDGE = 8  # margin around the board
LINE = 24  # height of a line of text
LIGHT, PLAYABLE, INK, WHITE = "#f6efe2", "#d8c3a0", "#222222", "#ffffff"
DARK_PIECE, LIGHT_PIECE = (INK, WHITE), (WHITE, INK)  # colours of the disc, and of the mark on it
CROWN = '<path d="M-10 7V-5L-5 1L0 -9L5 1L10 -5V7Z" fill="{}"/>'
LETTER = '<text y="7" font-size="20" font-weight="bold" text-anchor="middle" fill="{}">{}</text>'


def svg(game: Game, state: State, before: State | None = None) -> str:
    """Return a position as an SVG document, or as the game's `board_text` in SVG if the game has no grid.

    Args:
        game: The game.
        state: The position to draw.
        before: An earlier position; cells whose piece differs from it are framed.
    """
    has_grid = "grid" in game.capabilities
    width, height, body = grid(game, state, before) if has_grid else text(game, state)
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


def escape(text: str) -> str:
    """Return a text as one line, escaped for SVG."""
    return saxutils.escape(on_one_line(text))


def standing(game: Game, state: State) -> tuple[str, int | None]:
    """Return the status of a position in words, and the player it names.

    Returns:
        `"X to move"`, `"X has won"` or `"drawn"`, with X the name of the side; and the number of that player,
        0 or 1, or None after a draw.
    """
    mover = game.to_move(state)
    if game.moves(state):
        return f"{game.sides[mover]} to move", mover
    value = game.value(state)
    if value == 0:
        return "drawn", None
    winner = mover if value == 1 else 1 - mover
    return f"{game.sides[winner]} has won", winner


def grid(game: Game, state: State, before: State | None) -> tuple[int, int, list[str]]:
    """Draw a board of cells with its status line below.

    Returns:
        The width and height in pixels, and the SVG elements.
    """
    width, height, body = squares(game)
    for cell, (x, y) in enumerate(game.cells):
        left, top = EDGE + x * SQUARE, EDGE + y * SQUARE
        piece = game.piece(state, cell)
        if before is not None and piece != game.piece(before, cell):
            frame = f'x="{left + 1.5}" y="{top + 1.5}" width="{SQUARE - 3}" height="{SQUARE - 3}"'
            body.append(f'<rect class="changed" {frame} fill="none" stroke="#05c" stroke-width="3"/>')
        if piece:
            place = f"translate({left + SQUARE // 2} {top + SQUARE // 2})"
            body.append(f'<g class="piece" transform="{place}">{drawn(game, piece)}</g>')
    said, player = standing(game, state)
    base = 2 * EDGE + height + LINE
    if player is not None:
        body.append(f'<g transform="translate({EDGE + 9} {base - 14}) scale(.5)">{disc(game, player)}</g>')
    body.append(f'<text x="{EDGE + 24}" y="{base - 9}" font-size="14" fill="{INK}">{escape(said)}</text>')
    return max(2 * EDGE + width, 2 * EDGE + 24 + 10 * len(said)), base, body


def squares(game: Game) -> tuple[int, int, list[str]]:
    """Draw an empty board.

    Returns:
        The width and height of the squares in pixels, without the edge, and the SVG elements.
    """
    columns, rows = (1 + max(places) for places in zip(*game.cells, strict=True))
    width, height = columns * SQUARE, rows * SQUARE
    body = [f'<rect x="{EDGE}" y="{EDGE}" width="{width}" height="{height}" fill="{LIGHT}" stroke="{INK}"/>']
    for cell, (x, y) in enumerate(game.cells):
        left, top = EDGE + x * SQUARE, EDGE + y * SQUARE
        square = f'x="{left}" y="{top}" width="{SQUARE}" height="{SQUARE}"'
        body.append(f'<rect class="cell" {square} fill="{PLAYABLE}" stroke="{INK}" stroke-width=".5"/>')
        if name := escape(game.cell_text(cell)):
            place = f'x="{left + 3.5}" y="{top + 10.5}"'
            body.append(f'<text class="name" {place} font-size="9" fill="#444">{name}</text>')
    return width, height, body


def colours(game: Game, player: int) -> tuple[str, str]:
    """Return the colour of a player's pieces, and of the marks on them."""
    return DARK_PIECE if player == game.dark else LIGHT_PIECE


def disc(game: Game, player: int) -> str:
    return f'<circle r="17" fill="{colours(game, player)[0]}" stroke="{INK}" stroke-width="1.5"/>'


def drawn(game: Game, piece: int) -> str:
    """Return the SVG of a piece, centred on the origin: a disc with a mark on it.

    The mark is the text that the game gives the piece. If there is none, a man gets its side's name if that
    is one letter, a king a crown, and any further kind the piece's number.
    """
    player, kind = (piece - 1) % 2, (piece - 1) // 2
    ink = colours(game, player)[1]
    if text := game.piece_text(piece):
        mark = LETTER.format(ink, escape(text))
    elif kind == 0:
        side = game.sides[player]
        mark = LETTER.format(ink, escape(side)) if len(side) == 1 else ""
    else:
        mark = CROWN.format(ink) if kind == 1 else LETTER.format(ink, piece)
    return disc(game, player) + mark


def text(game: Game, state: State) -> tuple[int, int, list[str]]:
    """Draw a board in a monospaced font with its status line below.

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
    """Return the board of a game with a grid in colour, with the names of the empty cells.

    Args:
        game: The game.
        state: The position to draw.
        turned: Draw the board from the other side.
        width: Columns of the terminal. Cells get narrower to fit, and leave out the names if they do not fit;
            lines that are still too long are cut and end in an ellipsis.
    """
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

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
            paper, ink = colours(game, (piece - 1) % 2)
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


def letter(game: Game, piece: int) -> str:
    """Return the text of a piece: that of the game, or the initial of its side.

    The initial is lower case for men and capital for kings. Men of a side whose name is one letter bear it as
    it is; kings of such a side, and further kinds of pieces, bear a number, too.
    """
    if text := game.piece_text(piece):
        return text
    side, kind = game.sides[(piece - 1) % 2], (piece - 1) // 2
    if kind == 0:
        return side if len(side) == 1 else side[0].lower()
    return side[0].upper() + (str(kind) if kind > 1 or len(side) == 1 else "")

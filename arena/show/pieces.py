"""Pieces as SVG, centred on the origin: discs, kings, pieces of chess, cards, bars on lines, filled areas.

One player's pieces are dark and the other's light, or they have different marks, so that colour is never the
only difference between players.
"""

from __future__ import annotations

from arena.api.drawing import COLOURS, Drawing, chessman
from arena.api.game import Game
from arena.show.safe_svg import safe
from arena.show.svg_text import INK, WHITE, escape

FILLS = dict(
    zip(
        COLOURS,
        [
            (INK, WHITE),
            (WHITE, INK),
            ("#b3261e", WHITE),
            ("#ffd54a", INK),
            ("#1f5fa8", WHITE),
            ("#2e7d4f", WHITE),
        ],
        strict=True,
    )
)  # colours of a piece, and of the mark on it
COIN = "#b9822b"
RED = "#b3261e"  # colour of hearts and diamonds
CROWN = '<path d="M-10 7V-5L-5 1L0 -9L5 1L10 -5V7Z" fill="{}"/>'
LETTER = '<text y="{}" font-size="{}" font-weight="bold" text-anchor="middle" fill="{}">{}</text>'
BASE = "M-12 17V13Q-12 11 -10 11H10Q12 11 12 13V17Z"
CHESSMEN = {
    "pawn": "M-8 11Q-7 3 -3 0H-6V-3H-3.5A6.5 6.5 0 1 1 3.5 -3H6V0H3Q7 3 8 11Z",
    "rook": "M-8 11L-6.5 -5H-9.5V-15H-5.5V-11.5H-2V-15H2V-11.5H5.5V-15H9.5V-5H6.5L8 11Z",
    "knight": "M-9 11Q-8 2 0 -3Q-5 -1 -8 2L-12 -1Q-11 -7 -6 -12L-6 -17L-1 -14Q10 -12 9 11Z",
    "bishop": "M-8 11Q-6 5 -4 4Q-9 0 -8 -4Q-7 -9 -1.8 -12.5A3 3 0 1 1 1.8 -12.5Q7 -9 8 -4Q9 0 4 4Q6 5 8 11Z",
    "queen": "M-9 11L-14 -9L-7 -1L-7 -13L-2 -3L0 -16L2 -3L7 -13L7 -1L14 -9L9 11Z",
    "king": "M-9 11Q-15 3 -12 -3Q-8 -8 -2 -5V-10H-5V-13H-2V-17H2V-13H5V-10H2V-5Q8 -8 12 -3Q15 3 9 11Z",
}


def looks(game: Game, drawing: Drawing) -> dict[str, list[str]]:
    """Return the SVG of each piece, from piece 1 on, for each kind of place in the drawing."""
    numbers = range(1, max(game.pieces, len(drawing.pieces)) + 1)
    kinds = dict.fromkeys(place.kind for place in drawing.places)
    return {kind: [drawn(game, drawing, number, kind) for number in numbers] for kind in kinds}


def look_of(drawing: Drawing, piece: int) -> str:
    return drawing.pieces[piece - 1] if piece <= len(drawing.pieces) else ""


def colours(game: Game, piece: int, look: str = "") -> tuple[str, str]:
    """Return the colours of a piece and of the mark on it."""
    return FILLS.get(look) or FILLS["dark" if (piece - 1) % 2 == game.dark else "light"]


def drawn(game: Game, drawing: Drawing, piece: int, kind: str) -> str:
    """Return the SVG of a piece on a place of the given kind."""
    look = look_of(drawing, piece)
    if look.startswith("<"):
        return safe(f'<svg xmlns="http://www.w3.org/2000/svg">{look}</svg>')
    if man := chessman(look):
        return chess_piece(*man)
    if kind == "card":
        return card(look or game.piece_text(piece) or str(piece))
    if kind == "object" and look not in COLOURS:
        return f'<circle r="17" fill="{COIN}" stroke="{INK}" stroke-width="1.5"/>' + lettered(look, WHITE, 13)
    paper, ink = colours(game, piece, look)
    if kind == "line":
        return f'<rect x="-19" y="-3.5" width="38" height="7" rx="3" fill="{paper}" stroke="{INK}"/>'
    text = "" if look in COLOURS else look
    if kind == "area":
        return f'<rect x="-17" y="-17" width="34" height="34" rx="3" fill="{paper}" stroke="{INK}"/>' + (
            mark(game, piece, text, ink)
        )
    return disc(paper) + mark(game, piece, text, ink)


def disc(paper: str) -> str:
    return f'<circle r="17" fill="{paper}" stroke="{INK}" stroke-width="1.5"/>'


def mark(game: Game, piece: int, text: str, ink: str) -> str:
    """Return the mark on a piece.

    The mark is the text from the drawing or the game. Without a text, a man has its side's name if that is
    one letter, a king a crown, and any other kind of piece its number.
    """
    player, kind = (piece - 1) % 2, (piece - 1) // 2
    if text := text or game.piece_text(piece):
        return lettered(text, ink)
    if kind == 0:
        return lettered(game.sides[player], ink) if len(game.sides[player]) == 1 else ""
    return CROWN.format(ink) if kind == 1 else lettered(str(piece), ink)


def lettered(text: str, ink: str, size: int = 20) -> str:
    return LETTER.format(round(0.35 * size), size, ink, escape(text)) if text else ""


def chess_piece(colour: str, kind: str) -> str:
    """Return a piece of chess: White's are white with dark lines, Black's dark with light lines."""
    paper, ink = (WHITE, INK) if colour == "white" else (INK, WHITE)
    path = CHESSMEN[kind] + BASE
    style = 'stroke-width="1.5" stroke-linejoin="round"'
    eye = f'<circle cx="-3.5" cy="-8" r="1.4" fill="{ink}"/>' if kind == "knight" else ""
    return f'<path d="{path}" fill="{paper}" stroke="{ink}" {style}/>{eye}'


def card(text: str) -> str:
    """Return a face-up card with a text on it, in red for hearts and diamonds."""
    ink = RED if {*text} & {*"♥♦"} else INK
    size = 18 if len(text) < 4 else 11
    paper = f'<rect x="-21" y="-33" width="42" height="66" rx="5" fill="{WHITE}" stroke="{INK}"/>'
    return paper + lettered(text, ink, size)


def sign(drawing: Drawing, shown: dict[str, list[str]], player: int) -> str:
    """Return the SVG that represents a player in the status line; empty if pieces have no owner."""
    *_, kind = shown
    return (
        ""
        if kind in ("object", "card") or look_of(drawing, player + 1).startswith("<")
        else shown[kind][player]
    )

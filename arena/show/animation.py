"""A match as an animated SVG image, which needs no script and can be shown by `<img>`.

Every element is in the document once, and CSS makes it visible during the positions that contain it. Without
animation the last position is visible: in programs that do not support CSS animations, and for readers who
prefer reduced motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from arena.api.drawing import Drawing
from arena.api.game import Game, State
from arena.api.game_drawing import drawing_of, pieces_on
from arena.show.board import CHANGED, LINE, standing, text
from arena.show.pieces import looks, sign
from arena.show.places import EDGE, Ground, outline, turned
from arena.show.svg_text import INK, WHITE, escape

WIDEST = 480  # maximum width in pixels to which an image is widened for its captions
HELD = 4.0  # time that the last position is shown, as a multiple of that of the others
LETTER = 7.0  # width in pixels of a letter at the font size of captions, 12

Element = tuple[str, list[bool]]  # an SVG element, and whether it is visible in each position


def animated(game: Game, states: Sequence[State], title: str, captions: Sequence[str], seconds: float) -> str:
    """Return an SVG document that shows positions one after another.

    Args:
        game: The game.
        states: The positions.
        title: A line of text below all positions.
        captions: A line of text for each position.
        seconds: Time in seconds that each position is shown; the last one is shown longer.
    """
    drawing = drawing_of(game)
    board_width, board_height, ground, elements = (
        boards(game, drawing, states) if drawing else texts(game, states)
    )
    longest = max(map(len, [title, *captions]))
    width = max(board_width, min(WIDEST, 2 * EDGE + int(LETTER * longest)))
    height = board_height + 2 * LINE
    below: list[Element] = [
        (caption(line, width, board_height + LINE), [i == j for j in range(len(states))])
        for i, line in enumerate(captions)
    ]
    classes: dict[tuple[bool, ...], str] = {}
    shown = [drawn(element, seen, classes) for element, seen in elements]
    shown_below = [drawn(element, seen, classes) for element, seen in below]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">',
            f"<title>{escape(title)}</title>",
            *style(classes, len(states), seconds),
            f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
            f'<g transform="translate({(width - board_width) / 2:g} 0)">',
            *ground,
            *shown,
            "</g>",
            *shown_below,
            caption(title, width, board_height + 2 * LINE - 4),
            "</svg>\n",
        ]
    )


def drawn(element: str, seen: Sequence[bool], classes: dict[tuple[bool, ...], str]) -> str:
    """Return an element in a group whose class determines when it is visible.

    Args:
        element: The element.
        seen: Whether it is visible in each position.
        classes: Class names by such sequences, to which a new one is added.
    """
    if all(seen):
        return element
    return f'<g class="{classes.setdefault((*seen,), f"a{len(classes)}")}">{element}</g>'


def caption(line: str, width: int, base: int) -> str:
    """Return a text element, shortened to fit the width of an image.

    Args:
        line: The text.
        width: Width of the image in pixels.
        base: Bottom of the line, in pixels from the top of the image.
    """
    most = int((width - 2 * EDGE) / LETTER)
    fitting = line if len(line) <= most else f"{line[: most - 1]}…"
    return f'<text x="{EDGE}" y="{base - 12}" font-size="12" fill="{INK}">{escape(fitting)}</text>'


def style(classes: dict[tuple[bool, ...], str], number: int, seconds: float) -> Iterator[str]:
    """Yield the lines of a style element that animates the visibility of each class.

    Args:
        classes: Class names, by whether an element is visible in each position.
        number: Number of positions.
        seconds: Time in seconds that each position but the last is shown.
    """
    steps = number - 1 + HELD
    yield "<style>"
    for seen, name in classes.items():
        yield f".{name}{{visibility:{visibility(seen[-1])}}}"
    yield "@media (prefers-reduced-motion: no-preference){"
    for seen, name in classes.items():
        changes = [i for i, now in enumerate(seen) if i == 0 or now != seen[i - 1]]
        frames = "".join(f"{100 * i / steps:.3f}%{{visibility:{visibility(seen[i])}}}" for i in changes)
        yield f"@keyframes {name}{{{frames}100%{{visibility:{visibility(seen[-1])}}}}}"
        yield f".{name}{{animation:{name} {steps * seconds:.2f}s step-end infinite}}"
    yield "}</style>"


def visibility(is_seen: bool) -> str:
    """Return the value of the CSS property `visibility`."""
    return "visible" if is_seen else "hidden"


def boards(
    game: Game, drawing: Drawing, states: Sequence[State]
) -> tuple[int, int, list[str], list[Element]]:
    """Draw the boards of several positions, each with a status line below.

    Returns:
        The width and height in pixels, the elements of the empty board, and those of the positions.
    """
    ground, shown = Ground(game, drawing), looks(game, drawing)
    pieces = [pieces_on(game, drawing, state) for state in states]
    elements: list[Element] = []
    places = enumerate(drawing.places)
    for i, place in sorted(places, key=lambda one: one[1].kind != "area"):
        column = [cells[i] for cells in pieces]
        for piece in sorted({*column} - {0}):
            element = f'<g transform="{turned(place)}">{shown[place.kind][piece - 1]}</g>'
            elements.append((element, [one == piece for one in column]))
        changed = [False, *(now != old for old, now in pairwise(column))]
        if any(changed):
            elements.append((f"<{outline(place)} {CHANGED}/>", changed))
    base, widest = ground.height + LINE, ground.width
    status = [standing(game, state) for state in states]
    for said, player in dict.fromkeys(status):
        mark = "" if player is None else sign(drawing, shown, player)
        line = f'<text x="{EDGE + (24 if mark else 0)}" y="{base - 9}" font-size="14" fill="{INK}">'
        element = f"{line}{escape(said)}</text>"
        if mark:
            element += f'<g transform="translate({EDGE + 9} {base - 14}) scale(.5)">{mark}</g>'
        elements.append((element, [one == (said, player) for one in status]))
        widest = max(widest, 2 * EDGE + 24 + 10 * len(said))
    return widest, base, ground.body, elements


def texts(game: Game, states: Sequence[State]) -> tuple[int, int, list[str], list[Element]]:
    """Draw the positions of a game without a drawing as text.

    Returns:
        The width and height in pixels, an empty list instead of an empty board, and the elements of the
        positions.
    """
    sizes = [text(game, state) for state in states]
    lines = dict.fromkeys(line for _, _, body in sizes for line in body)
    elements = [(line, [line in body for _, _, body in sizes]) for line in lines]
    return max(size[0] for size in sizes), max(size[1] for size in sizes), [], elements

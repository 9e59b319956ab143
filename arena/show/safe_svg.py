"""Sanitising of untrusted SVG: only elements and attributes known to be harmless are kept."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.sax import saxutils

from arena.errors import ArenaError
from arena.texts import on_one_line

NAMESPACE = "{http://www.w3.org/2000/svg}"
# elements that neither run nor load anything
ELEMENTS = {
    "svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan",
    "title", "desc",
}  # fmt: skip
ATTRIBUTES = {
    "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "d", "points", "width",
    "height", "viewBox", "transform", "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width",
    "stroke-opacity", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "opacity", "font-size",
    "font-family", "font-weight", "font-style", "text-anchor", "dominant-baseline",
}  # fmt: skip
VALUE = re.compile(r"[\w\s.,%#+()-]*")  # no URLs, no quotes
ADDRESS = re.compile(r"\burl\b", re.IGNORECASE)  # reference to another element or a file


def safe(svg: str) -> str:
    """Return the content of an SVG document with only the allowed elements and attributes.

    Raises:
        ArenaError: If the document is not SVG.
    """
    return "".join(map(element, root_of(svg)))


def root_of(svg: str) -> ElementTree.Element:
    """Return the root of an SVG document.

    Raises:
        ArenaError: If it is not SVG.
    """
    if "<!" in re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL):  # entities may expand without limit
        raise ArenaError("the SVG of a drawing has a declaration with <!, which is not allowed; leave it out")
    try:
        root = ElementTree.fromstring(svg)
    except (ElementTree.ParseError, ValueError) as error:
        raise ArenaError(f"the SVG of a drawing cannot be read: {error}") from error
    if root.tag.removeprefix(NAMESPACE) != "svg":
        raise ArenaError(f"the SVG of a drawing begins with <{root.tag}>; begin it with <svg>")
    return root


def size_of(svg: str) -> tuple[float, float]:
    """Return the width and height from the `viewBox` of an SVG document.

    Raises:
        ArenaError: If the document has no `viewBox` that begins at 0 0.
    """
    view = root_of(svg).get("viewBox", "")
    found = re.fullmatch(r"\s*0[\s,]+0[\s,]+(\d+(?:\.\d+)?)[\s,]+(\d+(?:\.\d+)?)\s*", view)
    if not found:
        raise ArenaError(f"the SVG of a drawing has the viewBox {view!r}; use one such as '0 0 480 480'")
    return float(found[1]), float(found[2])


def element(one: ElementTree.Element) -> str:
    """Return an element with its content and the text after it; only that text if it is not allowed."""
    tail = words(one.tail)
    name = one.tag.removeprefix(NAMESPACE) if isinstance(one.tag, str) else ""
    if name not in ELEMENTS:
        return tail
    known = {key: value if harmless(value) else "none" for key, value in one.items() if key in ATTRIBUTES}
    kept = "".join(f' {key}="{value}"' for key, value in known.items())
    return f"<{name}{kept}>{words(one.text)}{''.join(map(element, one))}</{name}>{tail}"


def harmless(value: str) -> bool:
    return bool(VALUE.fullmatch(value)) and not ADDRESS.search(value)


def words(text: str | None) -> str:
    return saxutils.escape(on_one_line(" ".join((text or "").split())))

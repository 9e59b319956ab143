"""Replace characters that a stream's encoding cannot represent: − by -, … by ..., ± by +/-.

Texts keep all their characters until they are written. `use_signs` makes the standard streams replace what
they cannot encode; `signs` does the same for a text whose width is needed before it is written.
"""

from __future__ import annotations

import codecs
import sys
from typing import Any

REPLACED = "arena-signs"  # error handler: a readable replacement
IN_JSON = "arena-json"  # error handler: an escape that JSON understands
ASCII = "arena-ascii"  # ASCII under another name, because click writes UTF-8 to a stream called "ascii"
CHOSEN = ("replace", "ignore", "xmlcharrefreplace", "namereplace")  # handlers that users may choose

MARK = "…"  # replaces the omitted middle of a text
# pairs of a character and its replacement
PAIRS = """
… ... ± +/- × x · . ÷ / ≤ <= ≥ >= ≠ != ≈ ~ µ u μ u ² ^2 ³ ^3 ½ 1/2 √ sqrt ∞ inf ° deg
→ -> ← <- ↔ <-> ⇒ => ↑ ^ ↓ v ▴ ^ ▾ v ▲ ^ ▼ v • * ✓ v ✔ v ✕ x ✗ x ✘ x
‘ ' ’ ' ‚ ' “ " ” " „ " « " » " ‹ < › >
"""
READABLE = {
    **dict(zip(PAIRS.split()[::2], PAIRS.split()[1::2], strict=True)),
    **dict.fromkeys("\u00a0\u2007\u2009\u202f", " "),
    **dict.fromkeys("−–—‐‑‒―", "-"),
    **dict.fromkeys("─━═┄┅┈┉╌╍╴╶╸╺╼╾", "-"),
    **dict.fromkeys("│┃║┆┇┊┋╎╏╵╷╹╻╽╿", "|"),
    **dict.fromkeys(map(chr, range(0x250C, 0x254C)), "+"),  # box-drawing corners and crossings
    **dict.fromkeys(map(chr, range(0x2552, 0x256D)), "+"),
    **dict.fromkeys("╭╮╯╰", "+"),
    **dict.fromkeys("▁▂▃", "_"),
    **dict.fromkeys("▄▅▆▇█▉▊▋▌▍▎▏▐▀■▪◼⬛", "#"),
    **dict.fromkeys("░▒▓", ":"),
    **dict.fromkeys("□▫◻⬜", "."),
    **dict.fromkeys("●⬤⚫◆♦★", "x"),
    **dict.fromkeys("○◯⚪◇♢☆", "o"),
    **dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟⛀⛁⛂⛃", "KQRBNPkqrbnpmkMK", strict=True)),
    **dict(zip("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\|/-\\|/", strict=True)),
}


def use_signs() -> None:
    """Make stdout and stderr replace what they cannot encode, unless the user chose an error handler."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and stream.errors not in CHOSEN:
            is_ascii = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=ASCII if is_ascii else None, errors=REPLACED)


def signs(text: str) -> str:
    """Return a text in which characters that standard output cannot encode are replaced."""
    return text if text.isascii() else encodable(text, REPLACED)


def signs_in_json(text: str) -> str:
    r"""Return JSON in which characters that standard output cannot encode are escaped, as in `\u2212`."""
    return text if text.isascii() else encodable(text, IN_JSON)


def encodable(text: str, errors: str) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, errors).decode(encoding)


def readable(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error with readable replacements, or Python's escapes where there are none."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(READABLE.get(sign) or escaped(sign) for sign in found), error.end


def escaped(sign: str) -> str:
    return sign.encode("ascii", "backslashreplace").decode()


def in_json(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error with JSON escapes; characters above U+FFFF become surrogate pairs."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4)), error.end


def ascii_codec(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != ASCII:
        return None
    found: Any = codecs.lookup("ascii")
    return codecs.CodecInfo(
        found.encode,
        found.decode,
        found.streamreader,
        found.streamwriter,
        found.incrementalencoder,
        found.incrementaldecoder,
        name=ASCII,
    )


codecs.register(ascii_codec)
codecs.register_error(REPLACED, readable)
codecs.register_error(IN_JSON, in_json)

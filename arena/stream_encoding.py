"""Replace the characters that a stream's encoding lacks: − by -, … by ..., ± by +/-.

Text keeps all its signs until it is written. `use_signs` has the standard streams replace what they cannot
encode; `signs` does the same to a text whose width matters before it is written.
"""

from __future__ import annotations

import codecs
import sys
from typing import Any

REPLACED = "arena-signs"  # error handler: a readable replacement
IN_JSON = "arena-json"  # error handler: an escape that JSON understands
ASCII = "arena-ascii"  # ASCII under a name of its own, for click writes UTF-8 to a stream called "ascii"
CHOSEN = ("replace", "ignore", "xmlcharrefreplace", "namereplace")  # error handlers that a user asked for

MARK = "…"  # stands for what is missing in the middle of a text
# a sign and what is written in its place, in pairs
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
    **dict.fromkeys(map(chr, range(0x250C, 0x254C)), "+"),  # corners and crossings
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
    """Have standard output and standard error replace what they cannot encode, unless a user chose how."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and stream.errors not in CHOSEN:
            is_ascii = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=ASCII if is_ascii else None, errors=REPLACED)


def signs(text: str) -> str:
    """Return a text with what standard output cannot encode replaced."""
    return text if text.isascii() else encodable(text, REPLACED)


def signs_in_json(text: str) -> str:
    r"""Return JSON with what standard output cannot encode as `\u2212`, which means the same."""
    return text if text.isascii() else encodable(text, IN_JSON)


def encodable(text: str, errors: str) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, errors).decode(encoding)


def readable(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error by readable replacements; escape what has none, as Python writes it."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(READABLE.get(sign) or escaped(sign) for sign in found), error.end


def escaped(sign: str) -> str:
    return sign.encode("ascii", "backslashreplace").decode()


def in_json(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error by JSON's escapes, two of them beyond the first 65,536 characters."""
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

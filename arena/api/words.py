"""64-bit words: positions as words, one after the other, and the bits of words.

Arguments of the functions of bits are ints from 0 to 2**63 - 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

TEXTS = str, bytes  # the words of a text are the code points of its characters, those of bytes its ints


def is_word(x: object) -> bool:
    """Return whether a value is a 64-bit int."""
    return isinstance(x, int) and -(2**63) <= x < 2**63


def is_words(x: object) -> bool:
    """Return whether a value is a non-empty tuple of 64-bit ints, texts and such tuples, or a text."""
    return is_text(x) or (isinstance(x, tuple) and bool(x) and all(map(is_part, x)))


def is_part(x: object) -> bool:
    """Return whether a value may be an item of a position: a word, a text, or a tuple, not a named one."""
    return is_word(x) or is_text(x) or (type(x) is tuple and is_words(x))


def is_text(x: object) -> bool:
    """Return whether a value is a non-empty text, or non-empty bytes."""
    return type(x) in TEXTS and bool(x)


def codes_of(text: str | bytes) -> Iterable[int]:
    """Return the words of a text or of bytes."""
    return map(ord, text) if isinstance(text, str) else text


def text_of(cls: type, words: Iterable[int]) -> str | bytes:
    """Return the text, or the bytes, with these words."""
    return "".join(map(chr, words)) if cls is str else bytes(words)


def is_nested(state: Iterable[object]) -> bool:
    """Return whether a position is a text, or contains tuples or texts."""
    return isinstance(state, TEXTS) or any(isinstance(item, (tuple, *TEXTS)) for item in state)


def same_shape(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether two positions have equally many items, and tuples and texts of equal length in them."""
    if len(one) != len(other) or kind_of(one) is not kind_of(other):
        return False
    if isinstance(one, TEXTS):
        return True
    for a, b in zip(one, other, strict=True):
        if kind_of(a) is not kind_of(b) or (not isinstance(a, int) and not same_shape(a, b)):
            return False
    return True


def kind_of(part: object) -> type:
    """Return the class of texts, or of tuples, that an item of a position belongs to; `int` for a word."""
    return next((cls for cls in (tuple, *TEXTS) if isinstance(part, cls)), int)


def words_of(state: Sequence[Any]) -> tuple[int, ...]:
    """Return the words of a position."""
    if isinstance(state, TEXTS):
        return tuple(codes_of(state))
    if not is_nested(state):
        return tuple(state)
    parts = (words_of(item) if isinstance(item, (tuple, *TEXTS)) else (item,) for item in state)
    return tuple(word for part in parts for word in part)


def state_of(start: Any, words: Sequence[int]) -> Any:
    """Return the position with these words.

    Args:
        start: A position of the same shape, such as the initial one.
        words: The words.
    """
    if isinstance(start, TEXTS):
        return text_of(type(start), words)
    if is_nested(start):
        left = iter(words)
        items: Sequence[Any] = [rebuilt(part, left) for part in start]
    else:
        items = words
    return type(start)(*items) if hasattr(start, "_fields") else tuple(items)


def rebuilt(part: Any, words: Iterator[int]) -> Any:
    """Return an item of a position, after taking its words from an iterator."""
    if isinstance(part, TEXTS):
        return text_of(type(part), islice(words, len(part)))
    return tuple(rebuilt(item, words) for item in part) if isinstance(part, tuple) else next(words)


def popcount(x: int) -> int:
    """Return the number of bits that are set."""
    return int(x).bit_count()


def lowest(x: int) -> int:
    """Return the index of the lowest set bit; `x` must not be 0."""
    x = int(x)
    return (x & -x).bit_length() - 1


def bits(x: int) -> Iterator[int]:
    """Yield the indices of the set bits in increasing order."""
    while x:
        yield lowest(x)
        x &= x - 1

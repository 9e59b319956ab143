"""64-bit words: positions as words, one after the other, and the bits of words.

Arguments of the functions of bits are ints from 0 to 2**63 - 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def is_word(x: object) -> bool:
    """Return whether a value is a 64-bit int."""
    return isinstance(x, int) and -(2**63) <= x < 2**63


def is_words(x: object) -> bool:
    """Return whether a value is a non-empty tuple of 64-bit ints, or of such tuples."""
    return isinstance(x, tuple) and bool(x) and all(map(is_part, x))


def is_part(x: object) -> bool:
    """Return whether a value may be an item of a position: a word, or a tuple that is not a named one."""
    return is_word(x) or (type(x) is tuple and is_words(x))


def is_nested(state: Iterable[object]) -> bool:
    """Return whether a position contains tuples."""
    return any(isinstance(item, tuple) for item in state)


def same_shape(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether two positions have equally many items, and tuples of equally many at the same places."""
    if len(one) != len(other):
        return False
    for a, b in zip(one, other, strict=True):
        pair = isinstance(a, tuple), isinstance(b, tuple)
        if any(pair) and not (all(pair) and same_shape(a, b)):
            return False
    return True


def words_of(state: Sequence[Any]) -> tuple[int, ...]:
    """Return the words of a position."""
    if not is_nested(state):
        return tuple(state)
    return tuple(word for item in state for word in (words_of(item) if isinstance(item, tuple) else (item,)))


def state_of(start: Any, words: Sequence[int]) -> Any:
    """Return the position with these words.

    Args:
        start: A position of the same shape, such as the initial one.
        words: The words.
    """
    if is_nested(start):
        left = iter(words)
        items: Sequence[Any] = [rebuilt(part, left) for part in start]
    else:
        items = words
    return type(start)(*items) if hasattr(start, "_fields") else tuple(items)


def rebuilt(part: Any, words: Iterator[int]) -> Any:
    """Return an item of a position, after taking its words from an iterator."""
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

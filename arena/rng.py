"""Counter-based random numbers: the same on any machine, in any process, in plain and compiled code.

A stream is two integers, a seed and a count of the numbers drawn; number i of a stream is a hash of
the two (splitmix64, Steele, Lea & Flood 2014). Streams are told apart by hashing what they are for,
never by adding to a seed, so that neighbouring seeds share nothing. (Counts begin at 1, so a stream
is splitmix64's from its second number on.)

splitmix64 is fast and can be inverted: whoever knows a stream's seed can compute what it was derived
from. `derive` is therefore for streams that nobody gains by predicting. Seeds of the streams that
opponents draw from come from `keyed`, which cannot be inverted; see `arena.streams`.
"""

from __future__ import annotations

import random
from collections.abc import MutableSequence, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
Item = TypeVar("Item")
MOST = 1 << 31  # numbers to draw one of


def mix(x: int) -> int:
    """Return a hash of a 64-bit integer, 63 bits."""
    x = (int(x) + GOLDEN) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return (x ^ (x >> 31)) >> 1


def draw(stream: list[int]) -> int:
    """Return the next 63 random bits of a stream, [seed, numbers drawn so far]."""
    stream[1] += 1
    return mix((stream[0] + stream[1] * GOLDEN) & MASK)


def below(stream: list[int], n: int) -> int:
    """Return a whole number from 0 to n - 1. One draw, bias under n / 2**31.

    Raises:
        ValueError: If `n` is not from 1 to 2**31.
    """
    if not 1 <= n <= MOST:
        raise ValueError(f"cannot draw a number below {n}; give a number from 1 to 2**31")
    return ((draw(stream) >> 32) * n) >> 31


def derive(seed: int, *words: int) -> int:
    """Return the seed of the stream that `words` name under `seed`: 63 bits."""
    for word in words:
        seed = mix(mix(seed) ^ word)
    return mix(seed)


def siphash(key: tuple[int, int], data: bytes) -> tuple[int, int]:
    """Return SipHash-2-4 of 128 bits as two 64-bit words (Aumasson & Bernstein 2012).

    Args:
        key: Two words of 64 bits.
        data: What to hash.
    """
    a, b = key
    v = (a ^ 0x736F6D6570736575, b ^ 0x646F72616E646F83, a ^ 0x6C7967656E657261, b ^ 0x7465646279746573)
    whole = len(data) // 8 * 8
    last = int.from_bytes(data[whole:], "little") | (len(data) & 255) << 56
    for word in (*(int.from_bytes(data[i : i + 8], "little") for i in range(0, whole, 8)), last):
        v0, v1, v2, v3 = siphash_rounds(2, v[0], v[1], v[2], v[3] ^ word)
        v = v0 ^ word, v1, v2, v3
    v0, v1, v2, v3 = siphash_rounds(4, v[0], v[1], v[2] ^ 0xEE, v[3])
    low = v0 ^ v1 ^ v2 ^ v3
    v0, v1, v2, v3 = siphash_rounds(4, v0, v1 ^ 0xDD, v2, v3)
    return low, v0 ^ v1 ^ v2 ^ v3


def siphash_rounds(n: int, v0: int, v1: int, v2: int, v3: int) -> tuple[int, int, int, int]:
    """Return the state after `n` rounds of SipHash."""
    for _ in range(n):
        v0, v2 = v0 + v1 & MASK, v2 + v3 & MASK
        v1, v3 = (v1 << 13 & MASK | v1 >> 51) ^ v0, (v3 << 16 & MASK | v3 >> 48) ^ v2
        v0, v2 = (v0 << 32 & MASK | v0 >> 32) + v3 & MASK, v2 + v1 & MASK
        v3, v1 = (v3 << 21 & MASK | v3 >> 43) ^ v0, (v1 << 17 & MASK | v1 >> 47) ^ v2
        v2 = v2 << 32 & MASK | v2 >> 32
    return v0, v1, v2, v3


def keyed(key0: int, key1: int, word: int) -> tuple[int, int]:
    """Return the seeds of two streams, 63 bits each, that `word` names under a key of 128 bits.

    One-way: a seed tells nothing about the key, the other seed, or the seeds of other words. The
    arguments are taken modulo 2**64.
    """
    low, high = siphash((key0 & MASK, key1 & MASK), (word & MASK).to_bytes(8, "little"))
    return low >> 1, high >> 1


def hash_state(state: Any) -> int:
    """Return a hash of a position, 63 bits, the same in every process."""
    if isinstance(state, tuple) and all(isinstance(word, int) for word in state):
        hashed = 0
        for word in state:
            hashed = mix(hashed ^ word)
        return hashed
    return text_word(repr(state))


def hash_move(move: object) -> int:
    """Return a hash of a move, 63 bits, the same in every process."""
    return mix(move) if isinstance(move, int) else text_word(repr(move))


def text_word(text: str) -> int:
    """Return a hash of a text, 63 bits, as a word for `derive`."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 1


class Rng(random.Random):
    """A stream of random numbers, with all methods of `random.Random`.

    The numbers are the same on every machine, and in plain and compiled code.

    Attributes:
        stream: [seed, numbers drawn so far].
    """

    stream: list[int]

    def __new__(cls, seed: int = 0) -> Rng:
        """Create the object without asking the system for entropy."""
        return super().__new__(cls, 0)  # type: ignore[call-arg] # 0: spares it fetching entropy

    def __init__(self, seed: int = 0) -> None:
        self.stream = [seed, 0]
        self.gauss_next = None

    def bits(self) -> int:
        """Return the next 63 random bits."""
        return draw(self.stream)

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1, as the function `below` does."""
        return below(self.stream, n)

    def random(self) -> float:
        """Return a number from 0 up to, but not including, 1. One draw."""
        return (draw(self.stream) >> 10) * 2.0**-53

    def choice(self, items: SupportsLenAndGetItem[Item]) -> Item:
        """Return one of `items`. One draw.

        Raises:
            IndexError: If there are none; nothing is drawn then.
        """
        n = len(items)
        if n == 0:
            raise IndexError("cannot choose from an empty sequence")
        return items[self.below(n)]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle a list in place (Fisher & Yates), with len(items) - 1 draws."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[Item], k: int) -> list[Item]:  # type: ignore[override] # no counts
        """Return a list of `k` different items in random order; k draws.

        Raises:
            ValueError: If there are fewer than `k` items.
        """
        pool = list(items)
        if not 0 <= k <= len(pool):
            raise ValueError(f"a sample of {k} cannot be taken of {len(pool)}")
        for i in range(k):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def restart(self, seed: int) -> None:
        """Restart as the stream of another seed."""
        self.stream[:] = [seed & MASK, 0]

    def getrandbits(self, k: int) -> int:
        """Return an int of `k` random bits."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        value = 0
        for _ in range(-(-k // 32)):
            value = (value << 32) | (self.bits() >> 31)
        return value >> (-k % 32)

    def seed(self, a: object = None, version: int = 2) -> None:
        """Refuse to change the seed, since results could not be repeated.

        Raises:
            TypeError: Always. Create a `random.Random` instead.
        """
        raise TypeError("an arena stream cannot be reseeded; make a random.Random of your own")

    def getstate(self) -> tuple[Any, ...]:
        """Return the state of the stream."""
        return (*self.stream, self.gauss_next)

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Restore a state that `getstate` returned."""
        *self.stream, self.gauss_next = state

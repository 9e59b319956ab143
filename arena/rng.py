"""Counter-based random numbers, and the seeds of a tournament's random streams.

Numbers are the same on any machine, in any process, in plain and compiled code. A stream is two integers, a
seed and the count of numbers drawn so far; number i of a stream is a hash of the seed and i (splitmix64,
Steele, Lea & Flood 2014). The seed of each stream is a hash that includes the purpose of the stream. Nothing
is ever added to a seed, so neighbouring seeds share no numbers. (Counts begin at 1, so a stream equals that
of splitmix64 from its second number on.)

splitmix64 is fast but invertible: anyone who knows the seed of a stream can compute what it was derived from.
`derive` is therefore only for streams whose prediction gives no advantage. An agent sees the seed of its own
stream, `rng.stream[0]`. This seed reveals nothing about its opponent's stream, other rounds, other pairings
or the tournament's seed: `Streams` derives seeds with keyed one-way functions, BLAKE2b once per pairing and
SipHash once per match. Older tournaments are replayed with the scheme that they were played with, see
`SCHEMES`.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from arena.errors import ArenaError

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
Item = TypeVar("Item")
Word: TypeAlias = Any  # an int, or an array of uint64
MOST = 1 << 31  # maximum size of the range to draw from


def mix(x: int) -> int:
    """Return a 63-bit hash of a 64-bit integer."""
    x = (int(x) + GOLDEN) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return (x ^ (x >> 31)) >> 1


def draw(stream: list[int]) -> int:
    """Return the next 63 random bits of a stream, which is the list [seed, numbers drawn so far]."""
    stream[1] += 1
    return mix((stream[0] + stream[1] * GOLDEN) & MASK)


def below(stream: list[int], n: int) -> int:
    """Return a random integer from 0 to n - 1, using one draw; the bias is under n / 2**31.

    Raises:
        ValueError: If `n` is not from 1 to 2**31.
    """
    if not 1 <= n <= MOST:
        raise ValueError(f"cannot draw a number below {n}; pass a number from 1 to 2**31")
    return ((draw(stream) >> 32) * n) >> 31


def derive(seed: int, *words: int) -> int:
    """Return the 63-bit seed of the stream that `words` identify under `seed`."""
    for word in words:
        seed = mix(mix(seed) ^ word)
    return mix(seed)


def siphash(key: tuple[int, int], data: bytes) -> tuple[int, int]:
    """Return the 128-bit SipHash-2-4 of data as two 64-bit words (Aumasson & Bernstein 2012).

    Args:
        key: Two words of 64 bits.
        data: The bytes to hash.
    """
    whole = len(data) // 8 * 8
    words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, whole, 8)]
    return siphash_words(*key, [*words, int.from_bytes(data[whole:], "little") | (len(data) & 255) << 56])


def siphash_words(key0: Word, key1: Word, words: Sequence[Word]) -> tuple[Word, Word]:
    """Return the SipHash of data as `siphash` does, or of many data at once.

    Args:
        key0: The first word of the key, or an array of uint64 for many hashes.
        key1: The second word.
        words: The data in words of 64 bits; the last word contains the number of bytes.
    """
    v0, v1 = key0 ^ 0x736F6D6570736575, key1 ^ 0x646F72616E646F83
    v2, v3 = key0 ^ 0x6C7967656E657261, key1 ^ 0x7465646279746573
    for word in words:
        v0, v1, v2, v3 = siphash_rounds(2, v0, v1, v2, v3 ^ word)
        v0 = v0 ^ word
    v0, v1, v2, v3 = siphash_rounds(4, v0, v1, v2 ^ 0xEE, v3)
    low = v0 ^ v1 ^ v2 ^ v3
    v0, v1, v2, v3 = siphash_rounds(4, v0, v1 ^ 0xDD, v2, v3)
    return low, v0 ^ v1 ^ v2 ^ v3


def siphash_rounds(n: int, v0: Word, v1: Word, v2: Word, v3: Word) -> tuple[Word, Word, Word, Word]:
    """Return the state after `n` rounds of SipHash."""
    for _ in range(n):
        v0, v2 = v0 + v1 & MASK, v2 + v3 & MASK
        v1, v3 = (v1 << 13 & MASK | v1 >> 51) ^ v0, (v3 << 16 & MASK | v3 >> 48) ^ v2
        v0, v2 = (v0 << 32 & MASK | v0 >> 32) + v3 & MASK, v2 + v1 & MASK
        v3, v1 = (v3 << 21 & MASK | v3 >> 43) ^ v0, (v1 << 17 & MASK | v1 >> 47) ^ v2
        v2 = v2 << 32 & MASK | v2 >> 32
    return v0, v1, v2, v3


def keyed(key0: int, key1: int, word: int) -> tuple[int, int]:
    """Return the 63-bit seeds of the two streams that `word` identifies under a 128-bit key.

    One-way: a seed reveals nothing about the key, the other seed, or the seeds of other words. The
    arguments are taken modulo 2**64.
    """
    low, high = siphash_words(key0 & MASK, key1 & MASK, (word & MASK, 8 << 56))
    return low >> 1, high >> 1


def keyed_many(keys: Sequence[tuple[int, int]], words: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return an iterator over `keyed` of many keys and words, which takes less than a microsecond each."""
    import numpy as np

    key0, key1 = np.array(keys, np.uint64).reshape(-1, 2).T
    low, high = siphash_words(key0, key1, (np.array(words, np.uint64), 8 << 56))
    return zip((low >> 1).tolist(), (high >> 1).tolist(), strict=True)


def hash_state(state: Any) -> int:
    """Return a 63-bit hash of a position, the same in every process."""
    hashed = hash_words(state, 0) if isinstance(state, (tuple, str, bytes)) else None
    return text_word(repr(state)) if hashed is None else hashed


def hash_words(items: tuple[Any, ...] | str | bytes, hashed: int) -> int | None:
    """Return `hashed`, to which the words of a position are added; None for other items than ints and texts.

    The words are the ints, and the codes of characters, of a tuple or a text, and of those in it.
    """
    for item in map(ord, items) if isinstance(items, str) else items:
        if isinstance(item, int):
            hashed = mix(hashed ^ item)
            continue
        inner = hash_words(item, hashed) if type(item) in (tuple, str, bytes) else None
        if inner is None:
            return None
        hashed = inner
    return hashed


def hash_move(move: object) -> int:
    """Return a 63-bit hash of a move, the same in every process."""
    return mix(move) if isinstance(move, int) else text_word(repr(move))


def text_word(text: str) -> int:
    """Return a 63-bit hash of a text, as a word for `derive`."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 1


class Rng(random.Random):
    """A stream of random numbers, with all methods of `random.Random`.

    The numbers are the same on every machine, and in plain and compiled code.

    Attributes:
        stream: [seed, numbers drawn so far].
    """

    stream: list[int]

    def __new__(cls, seed: int = 0) -> Rng:
        """Create the object without reading entropy from the system."""
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
            IndexError: If `items` is empty; nothing is drawn then.
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
        """Return a list of `k` different items in random order, using k draws.

        Raises:
            ValueError: If there are fewer than `k` items.
        """
        pool = list(items)
        if not 0 <= k <= len(pool):
            raise ValueError(f"a sample of {k} cannot be taken from {len(pool)}")
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
        """Raise TypeError: changing the seed would make results irreproducible.

        Raises:
            TypeError: Always. Create a `random.Random` instead.
        """
        raise TypeError("an arena stream cannot be reseeded; create your own random.Random")

    def getstate(self) -> tuple[Any, ...]:
        """Return the state of the stream."""
        return (*self.stream, self.gauss_next)

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Restore a state that `getstate` returned."""
        *self.stream, self.gauss_next = state


SEED_BITS = 128  # number of bits of a seed
LARGEST_SEED = (1 << SEED_BITS) - 1
SHORT = 64  # seeds with fewer bits can be found by brute force
SCHEMES = (1, 2)  # 1: `derive`, with seeds of 63 bits, until 0.1; 2: `keyed`
NEWEST = SCHEMES[-1]
EXACT_IN_JSON = 1 << 53  # JSON parsers may round larger integers
OPENING = text_word("opening")


@dataclass(frozen=True)
class Streams:
    """Derives the seeds of all streams of a tournament.

    seed: The tournament's seed. scheme: How seeds are derived, one of `SCHEMES`.
    """

    seed: int
    scheme: int = NEWEST

    def pairing(self, game: str, first: str, second: str, reversed: bool) -> tuple[int, int]:
        """Return the key of a pairing, two words of 64 bits.

        The key depends only on the texts of the game and of both entries, so a match does not change when
        other entries are added. `reversed` distinguishes the two seat orders if an entry plays itself.
        """
        if self.scheme == 1:
            return derive(self.seed, *map(text_word, (game, first, second)), int(reversed)), 0
        return self.key("pairing", game, first, second, str(int(reversed)))

    def seats(self, pairing: tuple[int, int], round: int) -> tuple[int, int]:
        """Return the seeds of the first and the second player in a round of a pairing."""
        if self.scheme == 1:
            seed = derive(pairing[0], round)
            return derive(seed, 0), derive(seed, 1)
        return keyed(*pairing, round)

    def seats_of_many(
        self, pairings: Sequence[tuple[int, int]], rounds: Sequence[int]
    ) -> Iterable[tuple[int, int]]:
        """Return the seeds of both players in matches, given the keys of their pairings, and rounds."""
        if self.scheme == 1 or "numpy" not in sys.modules:  # importing it takes longer than most blocks
            return map(self.seats, pairings, rounds)
        return keyed_many(pairings, rounds)

    def opening_key(self, *texts: str) -> tuple[int, int]:
        """Return the key of openings, two 64-bit words.

        Args:
            texts: The game and both entries of the pairing that the openings are for, in any seat order.
                Empty for openings that all pairings share, which scheme 1 always uses.
        """
        if self.scheme == 1:
            return self.seed, OPENING
        return self.key("openings", *texts[:1], *sorted(texts[1:]))

    def opening(self, key: tuple[int, int], number: int) -> int:
        """Return the seed of a round's opening, or of the order in which an opening book is repeated."""
        return derive(*key, number) if self.scheme == 1 else keyed(*key, number)[0]

    def key(self, purpose: str, *texts: str) -> tuple[int, int]:
        """Return 128 bits derived from the seed, a purpose and texts, as two words."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        data = b"".join(len(text).to_bytes(8, "little") + text for text in encoded)
        secret = self.seed.to_bytes(SEED_BITS // 8, "little")
        digest = blake2b(data, digest_size=16, key=secret, person=purpose.encode()).digest()
        return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")


def new_seed(scheme: int = NEWEST) -> int:
    """Return a seed from the system's random numbers, as large as the scheme allows."""
    return int.from_bytes(os.urandom(SEED_BITS // 8), "big") & largest(scheme)


def largest(scheme: int) -> int:
    """Return the largest seed of a scheme."""
    return LARGEST_SEED if scheme > 1 else (1 << 63) - 1


def seed_text(seed: int) -> str:
    """Return a seed as it is shown and stored: `1`, or `0x…` with 32 digits if it is large."""
    return str(seed) if seed < EXACT_IN_JSON else f"0x{seed:032x}"


def seed_in_json(seed: int) -> int | str:
    """Return a seed for JSON: a number, or a text if readers might round the number."""
    return seed if seed < EXACT_IN_JSON else seed_text(seed)


def read_seed(text: str) -> int:
    """Return the seed that a text contains, in decimal or as `0x…`.

    Raises:
        ArenaError: If the text is not a seed.
    """
    if re.fullmatch(r"[0-9]{1,40}", text):
        return int(text)
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,32}", text):
        return int(text, 16)
    raise ArenaError(f"seed takes a whole number, or 0x and up to 32 digits, not {text[:60]!r}")

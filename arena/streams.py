"""The seeds of a tournament's streams of random numbers, none of which gives away another.

An agent sees the seed of its own stream, `rng.stream[0]`. From it nothing follows about its
opponent's stream, other rounds, other pairings or the tournament's seed: everything is derived by
keyed one-way functions, BLAKE2b once a pairing and SipHash once a match. Within a stream numbers are
made by splitmix64, which is faster and has nothing to hide from the stream's owner.

Tournaments from before this was so are replayed by the scheme of their time, see `SCHEMES`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from hashlib import blake2b

from arena.errors import ArenaError
from arena.rng import derive, keyed, text_word

BITS = 128  # of a seed
LARGEST = (1 << BITS) - 1
SHORT = 64  # bits below which a seed can be found by trying all
SCHEMES = (1, 2)  # 1: `derive`, with seeds of 63 bits, until 0.1; 2: `keyed`
NEWEST = SCHEMES[-1]
EXACT_IN_JSON = 1 << 53  # from which on readers of JSON may round whole numbers
OPENING = text_word("opening")


@dataclass(frozen=True)
class Streams:
    """Derives the seeds of all streams of a tournament.

    seed: The tournament's.
    scheme: How, one of `SCHEMES`.
    """

    seed: int
    scheme: int = NEWEST

    def pairing(self, game: str, first: str, second: str, reversed: bool) -> tuple[int, int]:
        """Return the key of a pairing, two words of 64 bits.

        It is decided by the texts of the game and of both entries, so that a match is the same
        whatever else is entered. `reversed` tells the two seat orders apart where an entry meets
        itself.
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

    def opening_key(self, *texts: str) -> tuple[int, int]:
        """Return the key of openings, two 64-bit words.

        Args:
            texts: The game and both entries of the pairing that the openings are for, in any order of seats;
                nothing for openings that all pairings share, the only ones of scheme 1.
        """
        if self.scheme == 1:
            return self.seed, OPENING
        return self.key("openings", *texts[:1], *sorted(texts[1:]))

    def opening(self, key: tuple[int, int], number: int) -> int:
        """Return the seed of the opening of a round, or of the order in which a book is played again."""
        return derive(*key, number) if self.scheme == 1 else keyed(*key, number)[0]

    def key(self, purpose: str, *texts: str) -> tuple[int, int]:
        """Return 128 bits that the seed decides for a purpose and texts, as two words."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        data = b"".join(len(text).to_bytes(8, "little") + text for text in encoded)
        secret = self.seed.to_bytes(BITS // 8, "little")
        digest = blake2b(data, digest_size=16, key=secret, person=purpose.encode()).digest()
        return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")


def new_seed(scheme: int = NEWEST) -> int:
    """Return a seed from the system's random numbers, as large as the scheme allows."""
    return int.from_bytes(os.urandom(BITS // 8), "big") & largest(scheme)


def largest(scheme: int) -> int:
    """Return the largest seed of a scheme."""
    return LARGEST if scheme > 1 else (1 << 63) - 1


def seed_text(seed: int) -> str:
    """Return a seed as it is shown and stored: `1`, or `0x…` with 32 digits if it is large."""
    return str(seed) if seed < EXACT_IN_JSON else f"0x{seed:032x}"


def seed_in_json(seed: int) -> int | str:
    """Return a seed for JSON: a number, or as a text if readers might round the number."""
    return seed if seed < EXACT_IN_JSON else seed_text(seed)


def read_seed(text: str) -> int:
    """Return the seed that a text gives in decimal, or as `0x…`.

    Raises:
        ArenaError: If it gives none.
    """
    if re.fullmatch(r"[0-9]{1,40}", text):
        return int(text)
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,32}", text):
        return int(text, 16)
    raise ArenaError(f"seed takes a whole number, or 0x and up to 32 digits, not {text[:60]!r}")

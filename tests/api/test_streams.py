"""Streams of random numbers: derived by a one-way function, and independent of each other."""

from __future__ import annotations

import hashlib
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena import ArenaError, Rng, compiled
from arena.rng import (
    LARGEST_SEED,
    Streams,
    derive,
    keyed,
    keyed_many,
    new_seed,
    read_seed,
    seed_in_json,
    seed_text,
    siphash,
)
from both_ways import Part
from oracle import Blind, Oracle, seeds_of_opponent
from tiers import slow

WORD = st.integers(0, 2**64 - 1)
SEED = st.integers(0, LARGEST_SEED)
MATCHES = 1_000_000

# SipHash-2-4 of 128 bits, of 0 to 63 bytes 00 01 02 … under the key 00 01 … 0f: the vectors of the
# reference implementation (Aumasson & Bernstein, github.com/veorq/SipHash, vectors.h)
VECTORS = bytes.fromhex("""
    a3817f04ba25a8e66df67214c7550293 da87c1d86b99af44347659119b22fc45 8177228da4a45dc7fca38bdef60affe4
    9c70b60c5267a94e5f33b6b02985ed51 f88164c12d9c8faf7d0f6e7c7bcd5579 1368875980776f8854527a07690e9627
    14eeca338b208613485ea0308fd7a15e a1f1ebbed8dbc153c0b84aa61ff08239 3b62a9ba6258f5610f83e264f31497b4
    264499060ad9baabc47f8b02bb6d71ed 00110dc378146956c95447d3f3d0fbba 0151c568386b6677a2b4dc6f81e5dc18
    d626b266905ef35882634df68532c125 9869e247e9c08b10d029934fc4b952f7 31fcefac66d7de9c7ec7485fe4494902
    5493e99933b0a8117e08ec0f97cfc3d9 6ee2a4ca67b054bbfd3315bf85230577 473d06e8738db89854c066c47ae47740
    a426e5e423bf4885294da481feaef723 78017731cf65fab074d5208952512eb1 9e25fc833f2290733e9344a5e83839eb
    568e495abe525a218a2214cd3e071d12 4a29b54552d16b9a469c10528eff0aae c9d184ddd5a9f5e0cf8ce29a9abf691c
    2db479ae78bd50d8882a8a178a6132ad 8ece5f042d5e447b5051b9eacb8d8f6f 9c0b53b4b3c307e87eaee08678141f66
    abf248af69a6eae4bfd3eb2f129eeb94 0664da1668574b88b935f3027358aef4 aa4b9dc4bf337de90cd4fd3c467c6ab7
    ea5c7f471faf6bde2b1ad7d4686d2287 2939b0183223fafc1723de4f52c43d35 7c3956ca5eeafc3e363e9d556546eb68
    77c6077146f01c32b6b69d5f4ea9ffcf 37a6986cb8847edf0925f0f1309b54de a705f0e69da9a8f907241a2e923c8cc8
    3dc47d1f29c448461e9e76ed904f6711 0d62bf01e6fc0e1a0d3c4751c5d3692b 8c03468bca7c669ee4fd5e084bbee7b5
    528a5bb93baf2c9c4473cce5d0d22bd9 df6a301e95c95dad97ae0cc8c6913bd8 801189902c857f39e73591285e70b6db
    e617346ac9c231bb3650ae34ccca0c5b 27d93437efb721aa401821dcec5adf89 89237d9ded9c5e78d8b1c9b166cc7342
    4a6d8091bf5e7d651189fa94a250b14c 0e33f96055e7ae893ffc0e3dcf492902 e61c432b720b19d18ec8d84bdc63151b
    f7e5aef549f782cf379055a608269b16 438d030fd0b7a54fa837f2ad201a6403 a590d3ee4fbf04e3247e0d27f286423f
    5fe2c1a172fe93c4b15cd37caef9f538 2c97325cbd06b36eb2133dd08b3a017c 92c814227a6bca949ff0659f002ad39e
    dce850110bd8328cfbd50841d6911d87 67f14984c7da791248e32bb5922583da 1938f2cf72d54ee97e94166fa91d2a36
    74481e9646ed49fe0f6224301604698e 57fca5de98a9d6d8006438d0583d8a1d 9fecde1cefdc1cbed4763674d9575359
    e3040c00eb28f15366ca73cbd872e740 7697009a6a831dfecca91c5993670f7a 5853542321f567a005d547a4f04759bd
    5150d1772f50834a503e069a973fbd7c
""")


def test_siphash_gives_the_published_vectors():
    key = int.from_bytes(bytes(range(8)), "little"), int.from_bytes(bytes(range(8, 16)), "little")
    found = [word.to_bytes(8, "little") for n in range(64) for word in siphash(key, bytes(range(n)))]
    assert b"".join(found) == VECTORS


@given(WORD, WORD, WORD)
def test_a_key_gives_two_seeds_of_63_bits_a_word(key0, key1, word):
    low, high = siphash((key0, key1), word.to_bytes(8, "little"))
    assert keyed(key0, key1, word) == (low >> 1, high >> 1)
    signed = (x - 2**64 if x >= 2**63 else x for x in (key0, key1, word))  # as int64 has them
    assert keyed(*signed) == (low >> 1, high >> 1)


@given(st.lists(st.tuples(WORD, WORD, WORD)))
def test_many_seeds_at_once_equal_those_one_at_a_time(given):
    keys, words = [key for *key, _ in given], [word for *_, word in given]
    assert [*keyed_many(keys, words)] == [keyed(*key, word) for key, word in zip(keys, words, strict=True)]


# What streams depend on


@given(SEED)
def test_the_key_of_a_pairing_is_blake2b_of_its_texts(seed):
    """Laid out by hand: each text after its length in eight bytes."""
    data = b"".join(
        len(text).to_bytes(8, "little") + text for text in (b"tic-tac-toe", b"random", b"mini\xc3\xa9", b"1")
    )
    secret = seed.to_bytes(16, "little")
    digest = hashlib.blake2b(data, digest_size=16, key=secret, person=b"pairing").digest()
    words = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")
    assert Streams(seed).pairing("tic-tac-toe", "random", "minié", True) == words


def test_a_key_depends_on_all_that_it_is_for():
    found = {
        Streams(seed).pairing(game, first, second, reversed)
        for seed, game, first, second, reversed in product(
            (0, 1, 2**64, LARGEST_SEED), ("a", "ab"), ("b", "c", ""), ("c", "bc"), (False, True)
        )
    }
    assert len(found) == 4 * 2 * 3 * 2 * 2


def test_no_two_streams_of_a_tournament_are_the_same():
    streams = Streams(7)
    pairings = [streams.pairing("g", a, b, False) for a in "abcd" for b in "abcd"]
    seeds = [seed for pairing in pairings for round in range(100) for seed in streams.seats(pairing, round)]
    seeds += [streams.opening(streams.opening_key(), number) for number in range(100)]
    assert len({*seeds}) == len(seeds)


def test_the_first_scheme_is_as_it_was():
    """By hand, with `derive`: recorded tournaments are played again by it."""
    streams, words = Streams(5, 1), (hashlib.sha256(text).digest()[:8] for text in (b"g", b"a", b"b"))
    pairing = derive(5, *(int.from_bytes(word, "big") >> 1 for word in words), 0)
    match = derive(pairing, 3)
    assert streams.seats(streams.pairing("g", "a", "b", False), 3) == (derive(match, 0), derive(match, 1))


# What an agent can find out


@pytest.mark.parametrize("seat", [0, 1])
def test_what_inverts_the_first_scheme_predicts_nothing_of_the_second(seat):
    """The attack found in a trial, without the game: how many of the opponent's first draws it predicts."""
    hits = {1: 0, 2: 0}
    for scheme in hits:
        streams = Streams(new_seed(scheme), scheme)
        pairing = streams.pairing("tic-tac-toe", "oracle", "random", False)
        for round in range(2000):
            seeds = streams.seats(pairing, round)
            guesses = seeds_of_opponent(seeds[seat], seat) or [0]
            hits[scheme] += Rng(guesses[0]).below(9) == Rng(seeds[1 - seat]).below(9)
    assert hits[1] > 1000  # of two guesses, of which the first is taken
    assert abs(hits[2] - 2000 / 9) < 5 * (2000 * 1 / 9 * 8 / 9) ** 0.5


@pytest.mark.parametrize("matches", slow(4000))
def test_an_oracle_scores_no_better_than_one_that_is_blind(tmp_path, matches):
    """Both search as deep, one with what it works out of its stream, the other with a guess."""
    scores = {}
    for cls in (Oracle, Blind):
        found = arena.match(cls, "random", game="tic-tac-toe", matches=matches, progress=False)
        scores[cls] = (found.pairings[0].wins + found.pairings[1].losses) / matches
    assert abs(scores[Oracle] - scores[Blind]) < 5 * (2 * 0.25 / matches) ** 0.5


@pytest.mark.slow
def test_under_the_first_scheme_it_wins_nine_of_ten(tmp_path):
    (tmp_path / "t.toml").write_text('game = "tic-tac-toe"\nseed = 1\nstreams = 1\nrounds = 20\n')
    found = arena.tournament(
        [Oracle, "random"], file=tmp_path / "t.toml", db=tmp_path / "t.db", progress=False
    )
    assert found.leaderboard.rows[0].entry == "oracle"
    row = found.leaderboard.rows[0]
    assert row.wins >= 0.9 * row.matches  # it has two guesses at each match's numbers


def found_by_trying(own: int, tried: range) -> list[int]:
    """The seeds of a tournament among those tried that give a player its stream in round 0."""
    keys = [Streams(seed).pairing("tic-tac-toe", "oracle", "random", False) for seed in tried]
    made = Filled(len(keys))
    made.keys[:] = np.array(keys, np.uint64).view(np.int64).T
    made.fill(len(keys))
    return [tried[i] for i in np.flatnonzero(made.seeds[0] == own).tolist()]


def own_stream(seed: int) -> int:
    streams = Streams(seed)
    return streams.seats(streams.pairing("tic-tac-toe", "oracle", "random", False), 0)[0]


def test_a_short_seed_is_found_by_trying_all():
    assert found_by_trying(own_stream(1234), range(2000)) == [1234]


@pytest.mark.campaign
def test_a_seed_of_its_own_making_is_not_found_by_trying_ten_million():
    own = own_stream(new_seed())
    assert not any(found_by_trying(own, range(i, i + 10**6)) for i in range(0, 10**7, 10**6))


# How random it is


class Filled(Part):
    """The streams of both seats for many rounds of a pairing, or for many pairings.

    keys, seeds: int64 [2, n].
    """

    def __init__(self, n: int):
        super().__init__()
        self.rounds = np.zeros(n, np.int64)
        self.keys, self.seeds = np.zeros((2, n), np.int64), np.zeros((2, n), np.int64)

    @compiled
    def fill(self, n: int) -> int:
        for i in range(n):
            first, second = keyed(self.keys[0, i], self.keys[1, i], self.rounds[i])
            self.seeds[0, i] = first
            self.seeds[1, i] = second
        return 0


def first_numbers(n: int) -> np.ndarray:
    """The first numbers of both seats' streams in `n` rounds, from 0 to 63, int64 [2, n]."""
    made = Filled(n)
    key = Streams(new_seed()).pairing("tic-tac-toe", "random", "random", False)
    made.keys[:] = np.array(key, np.uint64).view(np.int64)[:, None]
    made.rounds[:] = np.arange(n)
    made.fill(n)
    with np.errstate(over="ignore"):  # splitmix64, Vigna's C, of a seed and a count of 1
        z = made.seeds.astype(np.uint64) + np.uint64(2 * 0x9E3779B97F4A7C15 % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found = ((z ^ (z >> np.uint64(31))) >> np.uint64(58)).astype(np.int64)
    assert found[:, 5].tolist() == [Rng(seed).below(64) for seed in made.seeds[:, 5].tolist()]
    return found


@pytest.mark.parametrize("n", [100_000, pytest.param(MATCHES, marks=pytest.mark.slow)])
def test_first_numbers_are_uniform_and_independent_between_seats_and_rounds(n):
    """A chi-square of k degrees of freedom has mean k and variance 2k; the bounds are 5 deviations."""
    first, second = first_numbers(n)
    pairs = {
        "first": first, "second": second, "seats": 64 * first + second,
        "rounds": 64 * first[1:] + first[:-1], "crosswise": 64 * first[1:] + second[:-1],
    }  # fmt: skip
    for name, numbers in pairs.items():
        cells = 64 if name in ("first", "second") else 4096
        expected = len(numbers) / cells
        chi_square = ((np.bincount(numbers, minlength=cells) - expected) ** 2 / expected).sum()
        k = cells - 1
        assert abs(chi_square - k) < 5 * (2 * k) ** 0.5, name


# Seeds as texts


@given(SEED)
def test_a_seed_survives_its_text_and_its_json(seed):
    assert read_seed(seed_text(seed)) == seed
    shown = seed_in_json(seed)
    assert (shown if isinstance(shown, int) else read_seed(shown)) == seed
    assert isinstance(shown, int) == (seed < 2**53)  # from which a double has no odd numbers


@pytest.mark.parametrize("text", ["", "-1", "0x", "1.5", "0x" + "f" * 33, "1" * 41, "١", "one", "0b1", "1_0"])
def test_what_is_no_seed_is_refused(text):
    with pytest.raises(ArenaError, match="whole number"):
        read_seed(text)


def test_default_seeds_have_128_bits():
    seeds = [new_seed() for _ in range(64)]
    assert max(seeds) >= 2**120
    assert all(0 <= seed <= LARGEST_SEED for seed in seeds)
    assert all(0 <= new_seed(1) < 2**63 for _ in range(64))

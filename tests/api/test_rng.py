from __future__ import annotations

import copy
import hashlib
import pickle
from collections import Counter
from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Rng
from arena.rng import derive, mix, text_word

WORD = st.integers(0, 2**64 - 1)
SEED = st.integers(0, 2**63 - 1)


def splitmix64(seed):
    """The generator as published (Steele, Lea & Flood 2014; Vigna's C), in numpy's 64-bit integers."""
    state = np.uint64(seed)
    with np.errstate(over="ignore"):
        while True:
            state += np.uint64(0x9E3779B97F4A7C15)
            z = state
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            yield int(z ^ (z >> np.uint64(31)))


def first(generator, n):
    return list(islice(generator, n))


def numbers(rng, n):
    return [rng.bits() for _ in range(n)]


# The generator


def test_the_generator_compared_with_is_splitmix64():
    """Its reference outputs, as Rosetta Code and many test suites have them."""
    assert first(splitmix64(1234567), 5) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert first(splitmix64(0), 3) == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@given(WORD)
def test_a_hash_is_the_first_number_of_splitmix64_less_its_lowest_bit(word):
    assert mix(word) == first(splitmix64(word), 1)[0] >> 1


@given(SEED)
def test_a_stream_is_splitmix64_from_its_second_number_on(seed):
    assert numbers(Rng(seed), 20) == [x >> 1 for x in first(splitmix64(seed), 21)[1:]]


def test_numbers_have_63_bits_and_use_them_all():
    drawn = numbers(Rng(1), 1000)
    for bit in range(63):
        ones = sum(x >> bit & 1 for x in drawn)
        assert abs(ones - 500) < 5 * 1000**0.5 / 2, bit
    assert max(drawn) < 2**63


def test_a_stream_is_its_seed_and_the_numbers_drawn():
    rng = Rng(99)
    numbers(rng, 7)
    assert rng.stream == [99, 7]
    again = Rng(99)
    again.stream[1] = 7
    assert rng.bits() == again.bits()


# Streams told apart


@given(SEED, WORD, WORD)
def test_a_derived_seed_hashes_one_word_after_another(seed, a, b):
    def hashed(word):
        return first(splitmix64(word), 1)[0] >> 1

    assert derive(seed) == hashed(seed)
    assert derive(seed, a) == hashed(hashed(hashed(seed) ^ a))
    assert derive(seed, a, b) == hashed(hashed(hashed(hashed(hashed(seed) ^ a)) ^ b))


def test_seeds_of_many_neighbouring_streams_are_all_different():
    seeds = {derive(seed, a, b) for seed in range(20) for a in range(40) for b in range(40)}
    assert len(seeds) == 20 * 40 * 40
    assert derive(1, 2, 3) != derive(1, 3, 2)
    assert derive(1, 0) not in (derive(1), derive(1, 0, 0))


def test_streams_of_neighbouring_seeds_share_no_number():
    drawn = [x for seed in range(100) for x in numbers(Rng(derive(5, seed)), 200)]
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("bit", range(0, 63, 3))
def test_one_bit_of_a_seed_changes_half_of_the_bits_drawn(bit):
    changed = [
        (Rng(derive(seed, 0)).bits() ^ Rng(derive(seed ^ (1 << bit), 0)).bits()).bit_count()
        for seed in range(200)
    ]
    # 200 sums of 63 fair coins: the mean has a standard deviation of .28
    assert abs(sum(changed) / 200 - 31.5) < 1.4


def test_neighbouring_streams_are_not_correlated():
    streams = np.array(
        [[rng.random() for _ in range(2000)] for rng in (Rng(derive(3, i)) for i in range(12))]
    )
    between = np.corrcoef(streams)[np.triu_indices(12, 1)]
    assert abs(between).max() < 5 / 2000**0.5
    along = np.corrcoef(streams[:, :-1].ravel(), streams[:, 1:].ravel())[0, 1]
    assert abs(along) < 5 / 24000**0.5


@pytest.mark.slow
@given(st.text())
def test_a_text_is_the_first_63_bits_of_its_digest(text):
    assert text_word(text) == int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) >> 1


# Drawing from a stream. 99.9 % of samples have a chi-square below these, by degrees of freedom.

CHI_SQUARE = {5: 20.52, 6: 22.46, 9: 27.88, 19: 43.82, 23: 49.73, 255: 330.52}


def is_uniform(sample, kinds):
    counts = Counter(sample)
    mean = len(sample) / kinds
    assert len(counts) <= kinds
    chi_square = sum((n - mean) ** 2 for n in counts.values()) / mean + (kinds - len(counts)) * mean
    return chi_square < CHI_SQUARE[kinds - 1]


@given(SEED, st.integers(1, 2**31))
def test_below_stays_below_at_the_cost_of_one_number(seed, n):
    rng = Rng(seed)
    assert 0 <= rng.below(n) < n
    assert rng.stream[1] == 1


@pytest.mark.parametrize("kinds", [6, 7, 10])
def test_below_is_uniform(kinds):
    rng = Rng(4)
    assert is_uniform([rng.below(kinds) for _ in range(20_000)], kinds)


def test_below_reaches_both_ends_of_a_wide_range():
    rng = Rng(4)
    drawn = [rng.below(2**31) for _ in range(20_000)]
    assert min(drawn) < 2**31 / 2000
    assert max(drawn) > 2**31 * (1 - 1 / 2000)


def test_random_is_uniform_from_0_to_1_in_steps_of_53_bits():
    rng = Rng(8)
    drawn = [rng.random() for _ in range(20_000)]
    assert 0 <= min(drawn) < max(drawn) < 1
    assert is_uniform([int(20 * x) for x in drawn], 20)
    assert all((x * 2**53).is_integer() for x in drawn)
    assert any((x * 2**53) % 2 for x in drawn)


@given(SEED, st.integers(0, 200))
def test_getrandbits_gives_so_many_bits(seed, k):
    assert 0 <= Rng(seed).getrandbits(k) < 2**k


def test_getrandbits_is_uniform_and_refuses_less_than_no_bits():
    rng = Rng(2)
    drawn = [rng.getrandbits(80) for _ in range(20_000)]
    for shift in (0, 24, 36, 72):  # within a draw, across two, the top
        assert is_uniform([(x >> shift) & 255 for x in drawn], 256)
    with pytest.raises(ValueError, match="non-negative"):
        rng.getrandbits(-1)


# The standard library's methods


METHODS = {
    "randrange": lambda rng: rng.randrange(3, 1000, 7),
    "randint": lambda rng: rng.randint(1, 10**30),
    "choice": lambda rng: rng.choice("abcdefghij"),
    "choices": lambda rng: rng.choices(range(100), weights=range(100), k=5),
    "sample": lambda rng: rng.sample(range(1000), 5),
    "randbytes": lambda rng: rng.randbytes(9),
    "uniform": lambda rng: rng.uniform(-1, 1),
    "triangular": lambda rng: rng.triangular(0, 1, 0.2),
    "gauss": lambda rng: rng.gauss(0, 1),
    "normalvariate": lambda rng: rng.normalvariate(0, 1),
    "expovariate": lambda rng: rng.expovariate(2),
    "betavariate": lambda rng: rng.betavariate(2, 3),
    "gammavariate": lambda rng: rng.gammavariate(2, 3),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_method_of_random_repeats_with_the_seed_and_counts_what_it_draws(method):
    draw = METHODS[method]
    one, same, other = Rng(10), Rng(10), Rng(11)
    drawn = [draw(one) for _ in range(20)]
    assert [draw(same) for _ in range(20)] == drawn
    assert [draw(other) for _ in range(20)] != drawn
    assert one.stream[1] > 0


def test_shuffle_is_uniform():
    rng = Rng(12)

    def shuffled():
        cards = [1, 2, 3, 4]
        rng.shuffle(cards)
        return tuple(cards)

    sample = [shuffled() for _ in range(12_000)]
    assert set(sample) == set(permutations([1, 2, 3, 4]))
    assert is_uniform(sample, 24)


def test_choice_randrange_and_sample_are_uniform():
    rng = Rng(13)
    assert is_uniform([rng.choice("abcdefghij") for _ in range(10_000)], 10)
    assert is_uniform([rng.randrange(6) for _ in range(10_000)], 6)
    assert is_uniform([x for _ in range(5_000) for x in rng.sample(range(10), 2)], 10)


def test_gauss_has_its_mean_and_its_spread():
    rng = Rng(14)
    drawn = np.array([rng.gauss(5, 2) for _ in range(20_000)])
    assert abs(drawn.mean() - 5) < 5 * 2 / 20_000**0.5
    assert abs(drawn.std() - 2) < 5 * 2 / 40_000**0.5


def test_a_stream_cannot_be_reseeded():
    with pytest.raises(TypeError, match="cannot be reseeded"):
        Rng(1).seed(2)


# Copies


COPIES = {
    "pickle": lambda rng: pickle.loads(pickle.dumps(rng)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "state": lambda rng: with_state(Rng(0), rng.getstate()),
}


def with_state(rng, state):
    rng.setstate(state)
    return rng


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_goes_on_where_the_stream_was_and_apart_from_it(way):
    rng = Rng(2**63 - 1)
    rng.gauss()  # of the pair it makes, one number is kept for the next call
    twin = COPIES[way](rng)
    assert type(twin) is Rng
    assert twin.stream == rng.stream
    assert twin.stream is not rng.stream
    ahead = [twin.gauss(), twin.random(), twin.bits()]
    assert twin.stream != rng.stream
    assert [rng.gauss(), rng.random(), rng.bits()] == ahead


def test_streams_do_not_touch_the_generator_of_the_module_random():
    import random

    random.seed(1)
    state = random.getstate()
    rng = Rng(1)
    rng.random()
    rng.shuffle([1, 2, 3])
    assert random.getstate() == state

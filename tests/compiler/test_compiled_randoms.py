"""Random numbers: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import pytest

from arena import Rng
from arena.rng import derive, hash_move, hash_state, keyed, mix
from both_ways import Part, both_cases, claims, compiled
from language import CORNERS, told


class Randoms(Part):
    """Random numbers."""

    @compiled
    def drawn(self, a: int, rng: Rng):
        return rng.below(10), rng.random(), rng.below(abs(a) + 1), rng.random() < 0.5, rng.bits() > 0

    @compiled
    def chosen(self, items: list[int], rng: Rng):
        if not items:
            return 0, 0
        return rng.choice(items), rng.choice(CORNERS)

    @compiled
    def shuffled(self, items: list[int], rng: Rng):
        kept = list(items)
        rng.shuffle(kept)
        rng.shuffle(kept)
        return told(kept)

    @compiled
    def sampled(self, items: list[int], rng: Rng):
        return told(rng.sample(items, len(items))), told(rng.sample(items, len(items) // 2)), rng.below(1000)

    @compiled
    def sampled_too_many(self, items: list[int], rng: Rng):
        return told(rng.sample(items, 3))

    @compiled
    def restarted(self, a: int, rng: Rng):
        first = rng.random()
        rng.restart(abs(a))
        second = rng.random()
        rng.restart(derive(abs(a), 1, 2))
        return first, second, rng.random()

    @compiled
    def given_on(self, a: int, rng: Rng):
        return self.roll(rng) + self.roll(rng), rng.below(6), told([rng.below(4) for _ in range(abs(a) % 5)])

    def roll(self, rng):
        return rng.below(6) + 1

    @compiled
    def hashed(self, a: int, b: int):
        return (
            mix(abs(a)),
            hash_state((a, b)),
            hash_state((a, b, a > b)),
            hash_move(abs(a)),
            derive(abs(a), abs(b), 7),
            keyed(a, b, a ^ b),
            keyed(b, 0, 7)[1],
        )

    @compiled
    def hashed_positions(self, state: State):
        return hash_state(state), hash_state(self.game.initial())


@pytest.mark.parametrize(("cls", "name"), claims(Randoms))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


class Lucky(Rng):
    """Whose numbers compiled code does not know."""

    def below(self, n):
        return n - 1


def test_a_class_derived_from_rng_is_left_to_plain_python():
    assert Randoms().chosen([4, 5, 6], Lucky(1)) == (6, CORNERS[-1])


def test_numbers_drawn_are_counted_in_the_stream_of_the_rng():
    rng, plain = Rng(-1), Rng(-1)
    stream = rng.stream
    first = Randoms().chosen([4, 5, 6], rng)
    assert first == (plain.choice([4, 5, 6]), plain.choice(CORNERS))
    assert rng.stream is stream
    assert stream == [-1, 2]


def test_a_stream_that_is_none_leads_to_the_error_of_plain_python():
    rng = Rng(1)
    rng.stream = None
    with pytest.raises(TypeError, match="not subscriptable"):
        Randoms().chosen([4], rng)

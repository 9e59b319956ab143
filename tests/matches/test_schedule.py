"""Who meets whom, and with which seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.api.format import Stage
from arena.errors import ArenaError
from arena.plan.completion import complete
from arena.plan.schedule import Fixture, Schedule, round_robin, unplayed
from arena.registry.plugins import registry
from arena.results.settings import Settings


def plan_of(entries=("random", "first", "greedy"), **settings):
    settings = {"game": "tic-tac-toe", "entries": list(entries), "rounds": 4, "seed": 7, **settings}
    return complete(Settings(**settings), registry())[1]


@given(st.integers(2, 15))
def test_a_round_robin_has_each_pairing_once_from_either_seat(n):
    expected = {(a, b) for a in range(n) for b in range(n) if a != b}
    pairings = round_robin(n)
    assert len(pairings) == len(expected)
    assert set(pairings) == expected


@given(st.integers(2, 15))
def test_matches_of_a_leg_can_be_played_at_once(n):
    pairings = round_robin(n)
    leg = n // 2  # matches in which everyone plays at most once
    for i in range(0, len(pairings), leg):
        players = [player for pairing in pairings[i : i + leg] for player in pairing]
        assert len(players) == len(set(players))


@given(st.integers(2, 15))
def test_seats_are_balanced_within_one_in_the_first_half_of_a_round(n):
    pairings = round_robin(n)
    half = pairings[: len(pairings) // 2]
    first = Counter(a for a, _ in half)
    assert max(first[i] for i in range(n)) - min(first[i] for i in range(n)) <= 1


def test_every_match_has_a_seed_of_its_own():
    plan = plan_of(rounds=500)
    assert len({plan.seat_seeds(number) for number in range(plan.matches)}) == plan.matches


def test_neighbouring_tournament_seeds_share_no_seat_seeds():
    seeds = [plan_of(rounds=200, seed=seed) for seed in range(5)]
    all_seeds = [plan.seat_seeds(number) for plan in seeds for number in range(plan.matches)]
    assert len(set(all_seeds)) == len(all_seeds)


def test_a_pairings_matches_do_not_depend_on_who_else_is_entered():
    def seeds(plan):
        return {
            (plan.entries[f.first].text, plan.entries[f.second].text, f.round): plan.seat_seeds(f.number)
            for f in map(plan.fixture, range(plan.matches))
        }

    few, many = seeds(plan_of(["random", "first"])), seeds(plan_of(["greedy", "minimax", "first", "random"]))
    assert few.items() <= many.items()


stages = st.lists(
    st.tuples(
        st.permutations([(a, b) for a in range(3) for b in range(3) if a != b]),
        st.integers(1, 6),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=5,
)


@given(stages, st.integers(0, 10))
def test_each_match_has_its_place_in_any_stages(drawn, less):
    """Held against a list of all matches."""
    stages = [Stage(tuple(pairings[:size]), rounds) for pairings, size, rounds in drawn]
    expected, met, ends = [], Counter(), [0]
    for pairings, rounds in stages:
        for _ in range(rounds):
            for pairing in pairings:
                expected.append(Fixture(len(expected), met[pairing], *pairing))
                met[pairing] += 1
            ends.append(len(expected))
    schedule = Schedule.of(*stages, matches=max(1, len(expected) - less))
    expected = expected[: schedule.matches]
    assert [schedule.fixture(number) for number in range(schedule.matches)] == expected
    for number in range(schedule.matches + 1):
        rounds = next(i for i, end in enumerate(ends) if end >= number)
        assert schedule.rounds_by(number) == (rounds, ends[rounds] == number)
    for round, end in enumerate(ends):
        assert schedule.start_of(round) == min(end, schedule.matches) or end > schedule.matches
    for start in range(0, schedule.matches, 3):
        numbers = range(start, min(start + 5, schedule.matches))
        part = schedule.part(numbers)
        assert [part.fixture(number) for number in numbers] == expected[numbers.start : numbers.stop]
        assert schedule.start_of(schedule.rounds) == schedule.matches


def test_a_match_between_two_is_the_same_in_any_stage():
    plan = plan_of(rounds=6)
    parted = replace(
        plan,
        schedule=Schedule.of(
            Stage(((0, 1), (1, 0)), 2), Stage(((2, 0), (0, 2), (1, 0)), 3), Stage(((0, 1),), 4)
        ),
    )
    whole = {
        fixture[1:]: plan.seat_seeds(fixture.number) for fixture in map(plan.fixture, range(plan.matches))
    }
    for fixture in map(parted.fixture, range(parted.matches)):
        assert parted.seat_seeds(fixture.number) == whole[fixture[1:]]


def test_an_entry_against_itself_plays_other_matches_in_the_other_seats():
    plan = plan_of(["random", "random"], format="match", matches=10)
    assert len({plan.seat_seeds(number) for number in range(10)}) == 10


def openings_of(plan, first, second, rounds=20):
    game = plan.game.make()
    return [plan.opening(game, Fixture(0, round, first, second)).moves for round in range(rounds)]


def test_an_opening_is_the_same_for_both_seats_of_a_pairing_and_whatever_else_is_entered():
    plan = plan_of(openings="random:3")
    openings = openings_of(plan, 0, 1)
    assert all(len(opening) == 3 for opening in openings)
    assert len(set(openings)) > 10
    assert openings_of(plan, 1, 0) == openings
    more = replace(plan, schedule=Schedule.of(Stage(((0, 1), (1, 0)))))
    assert openings_of(more, 0, 1) == openings
    two = replace(plan, entries=(plan.entries[1], plan.entries[0]))
    assert openings_of(two, 0, 1) == openings


def test_pairings_have_openings_of_their_own_unless_they_share_them():
    plan = plan_of(openings="random:6")
    pairings = [(0, 1), (0, 2), (1, 2)]
    own = [tuple(openings_of(plan, *pairing)) for pairing in pairings]
    assert len(set(own)) == 3
    assert sum(one == other for one, other in zip(own[0], own[1], strict=True)) < 3
    shared = plan_of(openings="random:6", shared_openings=True)
    assert len({tuple(openings_of(shared, *pairing)) for pairing in pairings}) == 1


def test_an_opening_leaves_a_match_to_be_played():
    plan = plan_of(openings="random:8")
    game = plan.game.make()
    for round in range(50):
        state = game.initial()
        for move in plan.opening(game, Fixture(0, round, 0, 1)).moves:
            assert move in game.moves(state)
            state = game.play(state, move)
        assert game.moves(state)


@pytest.mark.parametrize("text", ["random", "random:", "random:-1", "random:x", "book:3"])
def test_other_openings_are_refused(text):
    with pytest.raises(ArenaError, match="write 'random:N'"):
        plan_of(openings=text)


@given(st.sets(st.integers(0, 40)), st.integers(0, 41))
def test_missing_numbers_are_those_not_done(done, matches):
    done = {number for number in done if number < matches}
    gaps = unplayed(sorted(done), matches)
    assert [n for gap in gaps for n in gap] == sorted(set(range(matches)) - done)
    assert all(gaps)

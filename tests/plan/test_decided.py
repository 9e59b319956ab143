"""A tournament until the order is decided: it ends soon, and what it says is seldom wrong."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy

from arena.errors import ArenaError
from arena.plan.until_decided import Decided
from simulated import CHECKERS, Field, Informed, RoundRobin, by_gaps, evenly, nothing, play, wrongly
from tiers import campaign, slow, tiers

FIELDS = {
    "gaps, seats": Field(by_gaps(10, 40, 0), first_move=100.0),
    "at the edge": Field(by_gaps(25, 25, 25, 25), first_move=100.0),
    "no draws": Field(by_gaps(0.01, 200, 0.01, 25, 0.01), drawn=0.001),
    "checkers": Field(CHECKERS, first_move=100.0),
}


@pytest.fixture(scope="module")
def midway():
    """A standing in the middle of a tournament of six."""
    return play(Decided(), Field(evenly(6, 300), first_move=100.0), seed=3, limit=2000)


def once_more(standing, **changes):
    return replace(standing, limit=10**6, **changes)


def test_at_first_everybody_meets_everybody_from_either_seat():
    stage = Decided().next_stage(nothing(5, 1000))
    assert Counter(stage.pairings) == Counter((a, b) for a in range(5) for b in range(5) if a != b)
    assert stage.rounds == 1


def test_a_stage_has_each_pairing_once_and_from_either_seat(midway):
    stage = Decided().next_stage(once_more(midway))
    assert len({*stage.pairings}) == len(stage.pairings)
    assert {(b, a) for a, b in stage.pairings} == {*stage.pairings}
    assert all(type(entry) is int for pairing in stage.pairings for entry in pairing)
    assert type(stage.rounds) is int


def test_the_same_standing_gives_the_same_stage_and_stays_as_it_is(midway):
    standing = once_more(midway)
    before = copy.deepcopy(standing)
    stage = Decided().next_stage(standing)
    assert Decided().next_stage(before) == stage
    for name in ("results", "played", "fresh", "pairs"):
        assert (getattr(standing, name) == getattr(before, name)).all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_tournament():
    field = Field(by_gaps(100, 0), first_move=50.0)
    one, other = (play(Decided(indifference=60), field, seed=8) for _ in range(2))
    assert one.stages == other.stages
    assert (one.results == other.results).all()


@pytest.mark.slow
def test_it_plays_until_all_neighbours_are_decided_and_then_nothing():
    format = Decided(indifference=60)
    standing = play(format, Field(by_gaps(150, 0), first_move=100.0), seed=1)
    assert format.progress(standing) == "2 of 2 neighbours decided"
    assert format.next_stage(standing) is None
    assert format.notes(standing) == [
        "Ranking confirmed with 95 % simultaneous confidence: 1 of 2 neighbours.",
        "Closer than 60 points, too close to call: places 2–3.",
    ]


def test_at_its_limit_it_ends_and_says_what_is_open():
    format = Decided()
    standing = play(format, Field(by_gaps(0, 0)), seed=1, limit=100)
    assert standing.matches == 100
    assert format.next_stage(standing) is None
    assert format.progress(standing) == "0 of 2 neighbours decided"
    assert format.notes(standing)[-1] == "Not decided: places 1–2, 2–3."


@pytest.mark.slow
def test_most_is_played_where_neighbours_are_hard_to_tell():
    standing = play(Decided(), Field(by_gaps(400, 30, 400)), seed=5)
    played = standing.played + standing.played.T
    assert played[1, 2] > 0.7 * standing.matches


def test_matches_that_only_repeat_others_end_it():
    field = Field(by_gaps(10, 10, 10))
    everybody = frozenset(frozenset((a, b)) for a in range(4) for b in range(a))
    standing = play(Decided(), field, seed=1, repeats=everybody)
    assert standing.stages <= 3
    assert standing.results.sum() == 12


@pytest.mark.slow
def test_pairings_that_only_repeat_others_are_left_out():
    field = Field(by_gaps(10, 10, 10))
    standing = play(Decided(), field, seed=1, limit=20_000, repeats=frozenset({frozenset((0, 1))}))
    assert standing.matches == 20_000
    assert standing.played[0, 1] < 50
    stage = Decided().next_stage(once_more(standing))
    assert (0, 1) not in stage.pairings
    met = standing.played + standing.played.T
    assert min(met[0, 2:].max(), met[1, 2:].max()) > 2_000  # compared through others


def test_the_withdrawn_are_not_met(midway):
    stage = Decided().next_stage(once_more(midway, withdrawn=frozenset({2})))
    assert 2 not in {entry for pairing in stage.pairings for entry in pairing}
    assert "of 4 neighbours" in Decided().progress(replace(midway, withdrawn=frozenset({2})))
    alone = once_more(midway, withdrawn=frozenset({0, 1, 2, 3, 4}))
    assert Decided().next_stage(alone) is None
    assert Decided().notes(alone) == []
    assert Decided().next_stage(replace(nothing(2, 100), withdrawn=frozenset({0, 1}))) is None


def test_one_entry_has_no_order():
    with pytest.raises(ArenaError, match=r"^decided: 1 entries cannot be ranked; name two or more$"):
        Decided().check_entries(1)
    Decided().check_entries(2)


def wrong_families(field, events, indifference=25.0):
    """In how many events anything that was ever said to be sure is wrong; and the mean of matches."""
    wrong, matches = 0, 0

    class Watched(Decided):
        def order(self, standing):
            nonlocal said_wrongly
            order = super().order(standing)
            said_wrongly |= wrongly(order, field, indifference)
            return order

    for seed in range(events):
        said_wrongly = False
        format = Watched(indifference=indifference)
        standing = play(format, field, seed)
        assert format.order(standing).decided.all()
        wrong += said_wrongly
        matches += standing.matches
    return wrong, matches / events


@pytest.mark.parametrize("name", tiers([name for name in FIELDS if name != "checkers"], slow=["gaps, seats"]))
def test_what_it_says_is_seldom_wrong(name):
    events = 10
    wrong, _ = wrong_families(FIELDS[name], events)
    assert wrong <= scipy.stats.binom.ppf(0.999, events, 0.05)


@pytest.mark.campaign
@pytest.mark.parametrize("name", FIELDS)
def test_at_most_5_percent_of_2000_events_are_wrong(name):
    wrong, _ = wrong_families(FIELDS[name], 2000)
    assert wrong <= 100


@pytest.mark.parametrize(
    "ratings", [*campaign([*CHECKERS]), *slow([*evenly(16, 400)])], ids=["checkers", "even"]
)
def test_it_saves_most_of_what_a_design_that_knows_the_truth_saves(ratings):
    field = Field(tuple(ratings))
    own, informed, robin = (
        np.mean([play(format, field, seed).matches for seed in range(2)])
        for format in (Decided(), Informed(field), RoundRobin())
    )
    assert robin - own >= 0.6 * (robin - informed) > 0

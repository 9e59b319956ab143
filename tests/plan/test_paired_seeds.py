"""The format `paired-seeds`: who meets whom, and with which openings."""

from __future__ import annotations

from itertools import pairwise

import pytest

from arena.errors import ArenaError
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.settings import settings_of

ENTRIES = ["q-table:seeds=3", "minimax", "random"]


def planned(entries=ENTRIES, format="paired-seeds", **how):
    asked = {"game": "tic-tac-toe", "entries": entries, "format": format, "rounds": 2, "seed": 1}
    return complete(
        settings_of({**asked, "openings": "random:3", "shared_openings": True, **how}), registry()
    )


def matches(plan):
    game = plan.game.make()
    found = []
    for number in range(plan.matches):
        fixture = plan.fixture(number)
        names = plan.entries[fixture.first].text, plan.entries[fixture.second].text
        found.append((fixture.round, *names, plan.opening(game, fixture).moves))
    return found


def test_the_seeds_of_a_number_meet_one_after_the_other():
    _, plan = planned()
    rounds = [{name for round, *names, _ in matches(plan) if round == n for name in names} for n in range(6)]
    seeds = ["q-table", "q-table:seed=1", "q-table:seed=2"]
    assert rounds == [{seed, "minimax", "random"} for seed in seeds for _ in range(2)]
    pairs = [{(a, b) for round, a, b, _ in matches(plan) if round == n} for n in range(6)]
    assert all(len(found) == 6 and {(b, a) for a, b in found} == found for found in pairs)


def test_all_matches_of_a_round_share_an_opening_and_no_two_seeds_have_the_same_ones():
    _, plan = planned()
    openings = [{tuple(moves) for round, _, _, moves in matches(plan) if round == n} for n in range(6)]
    assert all(len(found) == 1 for found in openings)
    assert all(a != b for a, b in pairwise(openings))
    assert len({*map(tuple, openings)}) > 4


def test_methods_need_not_meet_each_other():
    _, plan = planned(format="paired-seeds:each_other=false")
    assert all("random" in names for _, *names, _ in matches(plan))


@pytest.mark.parametrize(
    ("entries", "format", "why"),
    [
        (ENTRIES, "paired-seeds:methods=4", "methods is 4, but there are 3 entries"),
        (ENTRIES[:2], "paired-seeds:each_other=false", "there are no pairings"),
        (["q-table:seeds=3", "double-q:seeds=2"], "paired-seeds", "2 seeds and another 3"),
    ],
)
def test_what_cannot_be_paired_is_refused(entries, format, why):
    with pytest.raises(ArenaError) as error:
        planned(entries, format)
    assert why in str(error.value)


def test_nobody_joins_later():
    with pytest.raises(ArenaError, match="no entry can join later"):
        planned(added=[2])

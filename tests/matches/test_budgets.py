"""Budgets by which moves take equally long."""

import threading
from contextlib import closing
from dataclasses import replace

import pytest

import arena
from arena import Agent, option
from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.calls.equal_time import rename
from arena.errors import ArenaError
from arena.matches.budgets import MOST, budgeted, find_budgets, with_budgets
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.registry.plugins import registry
from arena.results.settings import Published, Settings
from arena.rng import Streams
from arena.storage.database import Store


def a_plan(*entries):
    specs = tuple(registry().spec("agent", text) for text in entries)
    stage = Schedule.of(Stage([(0, 1)]))
    return Plan(
        registry().spec("game", "tic-tac-toe"), specs, stage, Streams(1), Openings(), Limits(9, 0.0, 60.0)
    )


@pytest.mark.parametrize(
    ("overhead", "each", "power", "wanted", "budget"),
    [
        (0, 1e-6, 1.0, 1e-3, 1000),
        (0, 1e-8, 1.0, 1e-3, 100_000),
        (0, 1e-4, 1.0, 1e-3, 10),
        (0, 1e-9, 1.0, 10.0, 10**10),
        (4e-4, 1e-8, 1.0, 1e-3, 60_000),
        (0, 1e-6, 0.5, 1e-3, 10**6),
    ],
)
def test_a_move_takes_as_long_as_is_asked_for(overhead, each, power, wanted, budget):
    """Of a move that takes overhead + each * budget ** power seconds: the budget by that formula."""

    def measure(budgets, moves):
        return {i: overhead + each * n**power for i, n in budgets.items()}

    found = find_budgets(wanted, {5: MOST}, measure)[5]
    assert found.seconds == pytest.approx(wanted, rel=0.05)
    assert found.budget == pytest.approx(budget, rel=0.1)


def test_each_entry_gets_its_own():
    def measure(budgets, moves):
        return {i: n * 10.0**-i for i, n in budgets.items()}

    found = find_budgets(0.5, {6: MOST, 7: MOST, 8: MOST}, measure)
    assert [found[i].budget for i in (6, 7, 8)] == [500_000, 5_000_000, 50_000_000]


def test_a_budget_stays_where_more_makes_no_difference():
    """A search that is over after 3,000 nodes takes 3 ms at most, and never a second."""

    def measure(budgets, moves):
        return {i: 1e-6 * min(n, 3000) for i, n in budgets.items()}

    found = find_budgets(1.0, {0: MOST, 1: 2000}, measure)
    assert 3000 <= found[0].budget <= 20_000
    assert found[1].budget == 2000


def test_an_unsteady_clock_does_not_keep_it_from_an_end():
    jumps = iter([3.0, 0.3] * 1000)

    def measure(budgets, moves):
        return {i: 1e-6 * n * next(jumps) for i, n in budgets.items()}

    assert 300 <= find_budgets(1e-3, {0: MOST}, measure)[0].budget <= 10_000


def test_entries_that_say_their_budget_or_have_none_are_left_alone():
    plan = a_plan("random", "alpha-beta", "alpha-beta:nodes=70", "minimax", "alpha-beta:depth=3")
    assert budgeted(plan) == {1: "nodes", 4: "nodes"}
    texts = {i: spec.text for i, spec in with_budgets(plan, {1: 90, 4: 80}).items()}
    assert texts == {1: "alpha-beta:nodes=90", 4: "alpha-beta:depth=3,nodes=80"}


class Wrong(Agent):
    """Names what is not a number."""

    budget = "style"
    style: str = option("", "how it plays")

    def choose(self, state, moves, rng):
        return moves[0]


def test_a_budget_that_is_no_whole_number_is_its_authors_mistake():
    plan = replace(a_plan("random", "first"), entries=(Spec("wrong", f"{__name__}:Wrong", {"style": ""}),))
    with pytest.raises(ArenaError, match="wrong: budget is 'style', which is not an option for a whole"):
        budgeted(plan)


class Patient(Agent):
    """Does nothing so many times."""

    budget = "times"
    times: int = option(0, "how often", low=0, high=10**6)

    def choose(self, state, moves, rng):
        done = 0
        for i in range(self.times):
            done += i & 1
        return moves[done % len(moves)]


@pytest.mark.slow
def test_tournaments_in_equal_time_are_played_with_budgets_and_resumed_with_the_same(tmp_path):
    """Budgets are part of the entries' names, so that nothing is timed again."""
    db, stop = tmp_path / "arena.db", threading.Event()
    how = {"game": "connect-four", "openings": "random:4", "rounds": 4, "seed": 1, "db": db}
    found = arena.tournament(
        {"A": "alpha-beta", "B": Patient, "C": "greedy"}, equal_time=1e-4, **how, stop=stop
    )
    texts = found.settings["entries"]
    assert [text.partition("=")[0] for text in texts] == ["alpha-beta:nodes", "patient:times", "greedy"]
    assert found.settings["names"] == dict(zip(texts, "ABC", strict=True))
    assert all(row.move_seconds is not None for row in found.leaderboard.rows)
    assert [note.partition(",")[0] for note in found.notes] == ["Equal time"]
    again = arena.tournament([texts[0], found.settings["entries"][2]], **how)
    assert again.notes == []
    joined = arena.resume(1, add=["alpha-beta:ordering=false"], own=[Patient], db=db)
    assert joined.settings["entries"][:3] == texts
    assert joined.settings["entries"][3].startswith("alpha-beta:nodes=")
    with closing(Store(db)) as store:
        assert store.tournament(1).finished


def test_what_is_exact_takes_no_time(tmp_path):
    how = {"game": "tic-tac-toe", "exact": True, "db": tmp_path / "arena.db"}
    with pytest.raises(ArenaError, match="exact plays none; leave out one of them"):
        arena.tournament(["alpha-beta", "first"], equal_time=0.01, **how)


def test_who_has_no_budget_cannot_be_given_one():
    with pytest.raises(ArenaError, match="no entry has one; leave it out"):
        arena.match("random", "first", game="tic-tac-toe", equal_time=0.01)


@pytest.mark.slow
def test_matches_in_equal_time_say_what_moves_took():
    found = arena.match("alpha-beta", "random", game="connect-four", matches=4, seed=1, equal_time=1e-4)
    assert found.pairings[0].first.startswith("alpha-beta:nodes=")
    assert found.notes[0].startswith("Equal time, 100 µs per move, as timed before: alpha-beta:nodes=")
    assert found.notes[0] in str(found)
    assert found.to_dict()["notes"] == list(found.notes)


def test_all_that_names_an_entry_names_it_with_its_budget():
    settings = Settings(
        entries=["a", "b", "c"],
        names={"a": "A", "c": "C"},
        seeds={"s": ["b", "c"]},
        isolate=["c", "b"],
        published=[Published(first="a", second="b", wins=1, draws=2, losses=97)],
    )
    settings = rename(settings, {"a": "a:n=1", "b": "b:n=2"})
    assert settings.entries == ["a:n=1", "b:n=2", "c"]
    assert settings.names == {"a:n=1": "A", "c": "C"}
    assert settings.seeds == {"s": ["b:n=2", "c"]}
    assert settings.isolate == ["c", "b:n=2"]
    assert [(row.first, row.second) for row in settings.published] == [("a:n=1", "b:n=2")]

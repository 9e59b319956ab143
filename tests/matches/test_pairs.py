"""Pairs of matches: one opening from either seat, counted the same however they are played."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise, permutations

import pytest

import arena
from arena import Agent
from arena.api.reasons import WITHDRAWN
from arena.matches.block import play_block
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from arena.results.tally import Pairs, Summary, Tally


class Faulty(Agent):
    """Fails at once."""

    def choose(self, state, moves, rng):
        raise ValueError


def by_hand(records: list[Record], a: int, b: int) -> tuple[int, ...]:
    """In the order of rounds, pairs left out of two matches each of which has been before."""
    seen: set[tuple[int, str]] = set()
    counts = [0] * 5
    rounds: dict[int, list[Record]] = {}
    for record in sorted(records):
        if {record.first, record.second} == {a, b} and record.reason != WITHDRAWN:
            rounds.setdefault(record.round, []).append(record)
    for pair in rounds.values():
        if len(pair) == 2:
            known = [(r.first, r.moves) for r in pair if not r.chance and r.reason == "rules"]
            if len(known) < 2 or not seen.issuperset(known):
                points = sum(1 + (r.result if r.first == a else -r.result) for r in pair)
                counts[points] += 1
            seen.update(known)
    return tuple(counts)


def drawn(seed: int) -> list[Record]:
    """A round robin of three, in which one never draws a random number, and of each few matches differ."""
    rng = random.Random(seed)
    numbers = iter(range(1000))
    records = []
    for round in range(rng.randrange(1, 30)):
        opening = rng.randrange(8)
        for a, b in permutations(range(3), 2):
            always = random.Random(f"{opening} {a} {b}")  # what a match comes to if nobody draws
            chance = int(2 in (a, b) and always.random() < 0.6)
            by = rng if chance else always
            result, moves = by.randrange(-1, 2), f"{opening} {a}"
            reason = WITHDRAWN if rng.random() < 0.05 else by.choices(["rules", "crash"], [20, 1])[0]
            if reason != "rules":
                result = -1
            records.append(
                Record(next(numbers), round, a, b, result, reason, None, 9, 0, moves, chance, 0.0, 0.0)
            )
    return records


def parts_of(items: list, rng: random.Random) -> list[list]:
    """In any order, cut anywhere."""
    items = rng.sample(items, len(items))
    cuts = sorted(rng.choices(range(len(items) + 1), k=rng.randrange(8)))
    return [items[i:j] for i, j in zip([0, *cuts], [*cuts, len(items)], strict=True)]


@pytest.mark.parametrize("seed", range(60))
def test_pairs_are_the_same_in_any_order_and_in_any_parts(seed):
    records, rng = drawn(seed), random.Random(seed)
    expected = {seats: by_hand(records, *seats) for seats in ((0, 1), (0, 2), (1, 2))}
    for _ in range(5):
        tally = Tally()
        for part in parts_of(records, rng):
            tally.add_summary(Summary.of(part))
        assert {seats: tally.pairs.by_score(*seats) for seats in expected} == expected
    assert all(len(half) == 3 for half in tally.pairs.halves.values())


def test_what_is_drawn_has_all_kinds_of_pairs():
    """Or the test above proves little."""
    found = Counter()
    for seed in range(60):
        records = drawn(seed)
        for a, b in ((0, 1), (0, 2)):
            found.update({(a, b, i): n for i, n in enumerate(by_hand(records, a, b))})
            rounds = len({record.round for record in records})
            found[a, b, "left out"] += rounds - sum(by_hand(records, a, b))
    assert all(found[a, b, i] > 0 for a, b in ((0, 1), (0, 2)) for i in (*range(5), "left out"))


def test_a_match_of_an_entry_against_itself_is_in_no_pair():
    pairs = Pairs()
    pairs.add(1, 1, 0, 1, None)
    assert not pairs.halves


COMPILED = [
    ("tic-tac-toe", ["random", "greedy"], "none"),
    ("connect-four", ["first", "alpha-beta:depth=2,ties=first"], "random:1"),
    ("tic-tac-toe", ["first", "alpha-beta:depth=2"], "random:4"),  # it draws where moves are equally good
    ("tic-tac-toe", ["first", "random", "minimax:ties=first", "alpha-beta:depth=2"], "random:3"),
]


@pytest.mark.parametrize(("game", "entries", "openings"), COMPILED)
def test_compiled_blocks_count_pairs_as_records_do(game, entries, openings):
    """In blocks that part pairs and rounds."""
    said = Settings(game=game, entries=entries, rounds=60, seed=3, openings=openings)
    plan = complete(said, registry())[1]
    records = play_block(plan, range(plan.matches), Records).played
    expected = {(a, b): by_hand(records, a, b) for b in range(len(entries)) for a in range(b)}
    assert sum(map(sum, expected.values())) > 5
    rng = random.Random(1)
    for _ in range(4):
        cuts = [0, *sorted(rng.sample(range(1, plan.matches), 7)), plan.matches]
        blocks = [range(i, j) for i, j in pairwise(cuts)]
        rng.shuffle(blocks)
        tally = Tally()
        for block in blocks:
            tally.add_summary(play_block(plan, block, Summary).played)
        assert {seats: tally.pairs.by_score(*seats) for seats in expected} == expected


@pytest.mark.parametrize("openings", ["none", "random:2"])
def test_they_are_the_same_recorded_and_by_any_workers(tmp_path, openings):
    how = {"game": "tic-tac-toe", "matches": 301, "seed": 4, "openings": openings}
    found = [
        arena.match("greedy", "minimax:ties=first", **how, executor=executor, workers=workers, db=db)
        for executor, workers, db in (
            ("serial", 1, None),
            ("threads", 2, None),
            ("processes", 2, None),
            ("processes", 2, tmp_path / "arena.db"),
        )
    ]
    assert len({one.pairs for one in found}) == 1
    assert {one.verdict for one in found} == {found[0].verdict}
    assert found[0].to_dict()["pairs"] == list(found[0].pairs)


def test_they_are_those_of_the_test_where_there_is_one():
    how = {"game": "tic-tac-toe", "sprt": (0, 60), "seed": 3}
    for entries in (("greedy", "random"), ("first", "minimax:ties=first")):
        found = arena.match(*entries, **how, openings="random:2")
        assert found.pairs == found.test.pairs


@pytest.mark.slow
def test_a_match_that_is_in_no_pair_is_not_in_the_verdict():
    whole, more = (arena.match("random", "first", game="tic-tac-toe", matches=n, seed=1) for n in (20, 21))
    assert whole.verdict == more.verdict
    assert sum(more.pairs) == 10
    assert arena.match("random", "first", game="tic-tac-toe", matches=1, seed=1).verdict is None


@pytest.mark.slow
def test_copies_are_left_out_of_a_verdict_and_a_single_pair_gives_none():
    alone = arena.match("first", "minimax:ties=first", game="tic-tac-toe", matches=100, seed=1)
    assert sum(alone.pairs) == 1
    assert alone.verdict is None
    how = {"game": "tic-tac-toe", "seed": 1, "openings": "random:1"}
    some = arena.match("first", "minimax:ties=first", matches=1000, **how)
    assert sum(some.pairs) == 9  # first moves
    assert some.verdict == arena.match("first", "minimax:ties=first", matches=2000, **how).verdict


@pytest.mark.slow
def test_what_is_forfeited_unplayed_is_in_no_pair(tmp_path):
    for db in (None, tmp_path / "arena.db"):
        found = arena.match(
            Faulty,
            "random",
            game="tic-tac-toe",
            matches=40,
            seed=1,
            withdraw_after=6,
            executor="serial",
            db=db,
        )
        assert sum(row.unplayed for row in found.pairings) == 34
        assert found.pairs == (3, 0, 0, 0, 0)
        assert found.verdict is None

"""Matches evaluated exactly: known fractions, a recursion over fractions, and matches that are played."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from arena import Agent, Game
from arena.analysis.exact import evaluate, evaluator_of
from arena.api.answers import Unsaid
from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.ledger.ledger import Ledger
from arena.ledger.sums import Sums
from arena.matches.driver import run
from arena.plan.entries import all_entries
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.registry.plugins import registry
from arena.results.exact import AgainstPerfect, Expected
from arena.rng import Streams
from arena.workers.pools import Serial, Threads, Workers
from arena.workers.processes import Processes
from by_fractions import anyhow, best, first_best, match, perfect, score, squares
from commands import arena_compiled, in_a_new_worker
from paths import DATA
from tiers import slow, tiers

FACTS = json.loads((DATA / "tictactoe_facts.json").read_text())
NAMES = {"rand": "random", "mmrand": "minimax", "mmfirst": "minimax:ties=first"}


def plan_of(entries, game="tic-tac-toe", openings="none", most=None, matches=0, book=None):
    """A plan of every entry against every one and itself, from either seat."""
    of = registry().spec("game", game)
    specs = tuple(e if isinstance(e, Spec) else registry().spec("agent", e) for e in entries)
    pairings = tuple(product(range(len(specs)), repeat=2))
    limits = Limits(most or of.make().max_plies, 0.0, 60.0)
    begun = Openings.of(openings, book, of.make(), Streams(1), limits.plies)
    return Plan(of, specs, Schedule.of(Stage(pairings, matches)), Streams(1), begun, limits)


def evaluator(plan, executor=Serial):
    return evaluator_of(plan, Workers(executor, 1), lambda done, all: None)


def result_of(plan, executor=Serial, workers=1):
    return evaluate(plan, evaluator(plan, executor), Workers(executor, workers), lambda done, all: None)


def exactly(*entries, **settings):
    """What pairings come to, by names, and how entries fare against perfect play."""
    plan = plan_of(entries, **settings)
    found = result_of(plan)
    names = [entry.text for entry in plan.entries]
    pairings = {(names[a], names[b]): expected for (a, b), expected in found.pairings.items()}
    return pairings, dict(zip(names, found.against_perfect, strict=True))


def check(found, wanted):
    """An `Expected` is what the fractions say, to 12 decimals."""
    assert found._asdict() == pytest.approx({key: float(x) for key, x in wanted.items()}, abs=1e-12, rel=0)


# --- what is known -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def known():
    return exactly(*NAMES.values(), "first", "greedy")


@pytest.mark.parametrize(
    "pair", tiers([pair for pair in FACTS["matches_exact_XOD"] if "opt" not in pair], quick=["rand|rand"])
)
def test_tic_tac_toe_ends_with_the_chances_that_are_known(known, pair):
    found = known[0][tuple(NAMES[name] for name in pair.split("|"))]
    win, loss, draw = (float(Fraction(text)) for text in FACTS["matches_exact_XOD"][pair])
    assert (found.win, found.draw, found.loss) == pytest.approx((win, draw, loss), abs=1e-12, rel=0)


POLICIES = {"random": anyhow, "minimax": best, "minimax:ties=first": first_best}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"), tiers(product(POLICIES, repeat=2), quick=[("random", "random")])
)
def test_all_that_is_said_of_a_pairing_is_what_fractions_say(known, first, second):
    check(known[0][first, second], match(POLICIES[first], POLICIES[second]))


@pytest.mark.slow
def test_what_is_lost_to_perfect_play_is_what_fractions_say(known):
    value = score(match(perfect, perfect))
    assert value == Fraction(1, 2)
    for name, policy in POLICIES.items():
        lost = value - score(match(policy, perfect)), score(match(perfect, policy)) - value
        found = known[1][name]
        assert (found.as_first, found.as_second) == pytest.approx(tuple(map(float, lost)), abs=1e-12)
        assert found.expected_loss == pytest.approx(float(sum(lost)) / 2, abs=1e-12)
        assert found.fault is None
        assert (name == "random") == (sum(lost) > 0)


@pytest.mark.slow
def test_chances_sum_to_one(known):
    pairings = {**known[0], **exactly("random", "greedy", "first", game="checkers-4x4", most=1000)[0]}
    assert len(pairings) == 25
    for found in pairings.values():
        assert abs(found.win + found.draw + found.loss - 1) <= 1e-12
        assert found.first_forfeit == found.second_forfeit == 0
        assert all(0 <= x <= 1 + 1e-12 for x in found[:3])
        assert abs(found.plies - found.first_moves - found.second_moves) <= 1e-9
        assert 0 <= found.first_blunders <= found.first_moves
        assert 0 <= found.second_blunders <= found.second_moves


def test_checkers_on_4_by_4_comes_to_what_is_known():
    found = exactly("random", game="checkers-4x4", most=1000)[0]["random", "random"]
    assert round(100 * found.win, 2) == 63.04
    assert found.win + found.loss == pytest.approx(1)


@pytest.mark.slow
def test_value_iteration_as_published_and_as_it_should_be(tmp_path):
    """At checkers on 4 x 4, where it is the agent that moves first, against random replies."""
    wins = {}
    for entry in ("value-iteration:published=true,episodes=40", "value-iteration"):
        args = ("--exact", "--game", "checkers-4x4", "--max-plies", "1000", "--json")
        shown = json.loads(arena_compiled(tmp_path, "match", entry, "random", *args).stdout)
        wins[entry] = 100 * shown["pairings"][0]["wins"]
    published, right = wins.values()
    assert round(published, 4) == 64.0568
    assert round(right, 2) == 100.00


# --- openings, and an end by length ------------------------------------------------------------------------


@pytest.mark.parametrize("plies", [2, 5, 7])
@pytest.mark.slow
def test_openings_are_those_on_which_a_match_goes_on(plies):
    pairings, fared = exactly("random", "minimax:ties=first", openings=f"random:{plies}")
    for (first, second), found in pairings.items():
        check(found, match(POLICIES[first], POLICIES[second], opening=plies))
    value = score(match(perfect, perfect, opening=plies))
    for name, lost in fared.items():
        policy = POLICIES[name]
        as_first = value - score(match(policy, perfect, opening=plies))
        as_second = score(match(perfect, policy, opening=plies)) - value
        assert (lost.as_first, lost.as_second) == pytest.approx(
            (float(as_first), float(as_second)), abs=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("most", [6, *slow(9)])
def test_the_lines_of_a_book_are_equally_likely(most):
    """What matches after each come to, the line played by both, is averaged."""
    lines = ("5", "1 5", "1 2 3", "5 1 9 3", "5 2")
    alone = [exactly("random", "minimax", openings="book", book=[line], most=most)[0] for line in lines]
    for pairing, found in exactly("random", "minimax", openings="book", book=lines, most=most)[0].items():
        for field in ("win", "draw", "loss", "plies", "first_moves", "second_blunders"):
            mean = sum(getattr(one[pairing], field) for one in alone) / len(lines)
            assert getattr(found, field) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("plies", [1, *slow(2, 3)])
def test_a_book_of_all_lines_is_as_good_as_random_plies(plies):
    """Where each position has as many moves as any other of its ply, as in tic-tac-toe before an end."""
    book = [" ".join(squares) for squares in permutations("123456789", plies)]
    book_of_all = exactly("random", "minimax", "minimax:ties=first", openings="book", book=book)
    at_random = exactly("random", "minimax", "minimax:ties=first", openings=f"random:{plies}")
    for pairing, found in book_of_all[0].items():
        assert tuple(found) == pytest.approx(tuple(at_random[0][pairing]), abs=1e-12)


@pytest.mark.parametrize("most", [1, *slow(5, 6, 8)])
def test_a_match_that_gets_too_long_is_a_draw(most):
    for opening in (0, 3):
        pairings, _ = exactly("random", "minimax", openings=f"random:{opening}", most=most)
        for (first, second), found in pairings.items():
            check(found, match(POLICIES[first], POLICIES[second], opening=opening, most=most))


def test_nothing_is_lost_to_perfect_play_where_no_match_can_be_won():
    """After two random plies much is won, but not within four."""
    fared = exactly("random", "minimax", openings="random:2", most=4)[1]
    assert {lost.expected_loss for lost in fared.values()} == {0}


class Settled(Game):
    """Over before it begins: the player to move, who is the first, has won."""

    max_moves = 1

    def initial(self):
        return 0

    def to_move(self, state):
        return 0

    def moves(self, state):
        return []

    def value(self, state):
        return 1


def test_a_game_that_is_over_at_once_is_evaluated():
    of = Spec("settled", "test_exact:Settled", {})
    plan = replace(plan_of(["random", "first"]), game=of)
    found = result_of(plan)
    assert set(found.pairings.values()) == {Expected(1, 0, 0, 0, 0, 0, 0, 0, 0, 0)}
    assert set(found.against_perfect) == {AgainstPerfect(0, 0, None)}


# --- entries of all kinds ----------------------------------------------------------------------------------


class Cornered(Agent):
    """A corner, if one is free, but any move in a third of all cases."""

    def choose(self, state, moves, rng):
        corners = [move for move in moves if move in (0, 2, 6, 8)]
        return rng.choice(moves if rng.below(3) == 0 or not corners else corners)


def cornered(board):
    free = squares(board)
    corners = [i for i in free if i in (0, 2, 6, 8)] or free
    third = Fraction(1, 3)
    return {i: third / len(free) + (i in corners) * 2 * third / len(corners) for i in free}


class Arrayed(Cornered):
    """Any move, as numpy says it."""

    def choose(self, state, moves, rng):
        return rng.choice(moves)

    def distribution(self, state, moves):
        return np.full(len(moves), 1 / len(moves))


class Squeamish(Cornered):
    """Raises an error when the centre is taken and not more than six moves are left."""

    def choose(self, state, moves, rng):
        if 4 not in moves and len(moves) <= 6:
            raise ValueError("somebody sits there")
        return super().choose(state, moves, rng)


def squeamish(board):
    return {} if board[4] != "." and len(squares(board)) <= 6 else cornered(board)


class Short(Agent):
    """Says chances that are nine tenths in all."""

    def choose(self, state, moves, rng):
        return moves[0]

    def distribution(self, state, moves):
        return [0.9] + [0] * (len(moves) - 1)


class Fractional(Agent):
    """Chooses by a fraction, of which there are too many to try."""

    def choose(self, state, moves, rng):
        return moves[int(len(moves) * rng.random())]


def own(cls, **options):
    return Spec(cls.__name__.lower(), f"test_exact:{cls.__name__}", options)


@pytest.mark.slow
def test_an_agent_in_plain_python_needs_nothing_more():
    pairings, _ = exactly("random", own(Cornered))
    policies = {"random": anyhow, "cornered": cornered}
    for (first, second), found in pairings.items():
        check(found, match(policies[first], policies[second]))


def test_chances_may_be_an_array():
    assert exactly(own(Arrayed))[0]["arrayed", "arrayed"] == exactly("random")[0]["random", "random"]


@pytest.mark.slow
def test_an_entry_forfeits_where_it_raises():
    pairings, fared = exactly("random", own(Cornered), own(Squeamish))
    policies = {"random": anyhow, "cornered": cornered, "squeamish": squeamish}
    for (first, second), found in pairings.items():
        check(found, match(policies[first], policies[second]))
        assert (found.first_forfeit > 0) == (first == "squeamish")
        assert (found.second_forfeit > 0) == (second == "squeamish")
    why, where = fared["squeamish"].fault.split(", in ")
    assert why == "ValueError: somebody sits there"
    assert where[4] != "."
    assert where.count(".") == 6  # the first position of such a kind
    assert fared["cornered"].fault is fared["random"].fault is None


@pytest.mark.slow
def test_chances_that_do_not_sum_to_one_are_a_fault():
    pairings, fared = exactly("random", own(Short))
    assert pairings["random", "short"][:5] == (1, 0, 0, 0, 1)
    assert pairings["short", "random"][:5] == (0, 0, 1, 1, 0)
    assert pairings["short", "short"][:5] == (0, 0, 1, 1, 0)
    check(pairings["random", "random"], match(anyhow, anyhow))
    said = "distribution returns [0.9, 0, 0, 0, 0, 0, 0, 0, 0], not probabilities that sum to 1"
    assert fared["short"].fault == f"ValueError: {said}, in ........."


def test_an_entry_that_does_not_say_its_chances_is_named():
    told = "fractional does not report the probabilities of its moves; leave it out, or play matches instead"
    with pytest.raises(Unsaid, match=told):
        exactly("random", own(Fractional))


@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("checkers", "checkers has draws by repetition, .*; play matches instead"),
        ("checkers:repetition=0", "100 plies without a capture, .*; play matches instead"),
        pytest.param(
            "connect-four",
            "connect-four has more than 1,000,000 positions: .*; play matches instead",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_games_that_cannot_be_evaluated_are_named(game, told):
    with pytest.raises(ArenaError, match=told):
        exactly("random", game=game)


def test_a_clock_has_no_exact_chances():
    plan = plan_of(["random"])
    with pytest.raises(
        ArenaError, match=r"a time limit per move .*; leave out the time limit, or play matches instead"
    ):
        result_of(replace(plan, limits=plan.limits._replace(move_seconds=1.0)))


def test_an_evaluation_that_is_stopped_is_none():
    plan, stop = plan_of(["random", "first"]), threading.Event()
    asked = []

    def tell(done, all):
        asked.append((done, all))
        stop.set()

    assert evaluate(plan, evaluator(plan), Workers(Serial, 1, stop), tell) is None
    assert asked == [(0, 2 * 5478)]


def test_progress_goes_from_nothing_to_all_positions():
    plan, told = plan_of(["random", "first"]), []
    evaluate(plan, evaluator(plan), Workers(Serial, 1), lambda *counts: told.append(counts))
    assert told == sorted(told)
    assert told[0] == (0, 10956)
    assert told[-1] == (10956, 10956)


# --- wherever it is worked out -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("executor", "workers"),
    [(Processes, 1), *slow((Processes, 2), (Processes, 4), (Threads, 1), (Threads, 4))],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_results_are_the_same_to_the_bit_for_any_workers(executor, workers):
    plan = plan_of(["random", "greedy", "minimax:depth=2", "alpha-beta:depth=2,ties=first"])
    assert result_of(plan, executor, workers) == result_of(plan)


@pytest.mark.slow
def test_plain_python_comes_to_the_same_to_the_bit(monkeypatch):
    plan = plan_of(["random", "greedy", "first"])
    compiled = result_of(plan)
    monkeypatch.setenv("ARENA_COMPILED", "0")
    assert in_a_new_worker(result_of, plan) == compiled


def test_both_seats_are_one_result_from_two_sides():
    found = Expected(0.5, 0.2, 0.3, 0.01, 0.02, 7.5, 4.0, 3.5, 0.25, 0.75)
    assert found.swapped() == Expected(0.3, 0.2, 0.5, 0.02, 0.01, 7.5, 3.5, 4.0, 0.75, 0.25)
    assert found.swapped().swapped() == found
    assert found.score + found.swapped().score == 1
    assert AgainstPerfect(0.5, 0.25, None).expected_loss == 0.375


# --- held against matches ----------------------------------------------------------------------------------


def summaries(plan):
    """What the matches of a plan come to, block by block."""
    found, ledger = [], Ledger(replace(plan, withdraw_after=0))
    for _ in run(ledger, Sums(ledger, found.append), Workers(Processes, 2)):
        pass
    return found


def check_played(plan, sure=4.0):
    """Each result of a plan's matches comes as often as it should, within so many standard errors."""
    exact = result_of(plan, Processes, 2)
    assert [fared.fault for fared in exact.against_perfect if fared.fault] == []
    counts = {seats: [0, 0, 0] for seats in plan.pairings}
    for block in summaries(plan):
        assert not block.forfeits
        for seats, found in block.chance.items():
            for i, n in enumerate((found.wins, found.draws, found.losses)):
                counts[seats][i] += n
        for first, second, result, _ in block.fixed:
            counts[first, second][1 - result] += 1
    n = plan.matches // len(plan.pairings)
    wrong = {}
    for seats, expected in exact.pairings.items():
        for seen, p in zip(counts[seats], expected[:3], strict=True):
            p = min(max(p, 0.0), 1.0)
            if abs(seen - n * p) > 1e-6 + sure * (n * p * (1 - p)) ** 0.5:
                wrong[tuple(plan.entries[seat].text for seat in seats)] = (counts[seats], expected)
    assert all(sum(found) == n for found in counts.values())
    assert not wrong


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("tic-tac-toe", {}),
        ("tic-tac-toe", {"openings": "random:3", "most": 7}),
        ("checkers-4x4", {}),
        ("checkers-4x4", {"openings": "random:2", "most": 9}),
    ],
)
@pytest.mark.slow
def test_matches_that_are_played_end_as_often_as_they_should(game, settings):
    entries = ["random", "first", "greedy", "minimax:depth=1"]
    check_played(plan_of(entries, game, matches=5000, **settings))


SEARCHING = ("minimax", "minimax:ties=first", "alpha-beta", "sarsa")
OTHERS = ("greedy:ties=first",)  # beside all that are installed and can play the game


@pytest.mark.parametrize(
    ("game", "many", "fewer"),
    [
        pytest.param("tic-tac-toe", 5_000, 200, marks=pytest.mark.slow),
        pytest.param("tic-tac-toe", 20_000, 500, marks=pytest.mark.campaign),
        pytest.param("checkers-4x4", 4_000, 50, marks=pytest.mark.campaign),
    ],
)
def test_many_matches_of_all_pairs_end_as_often_as_they_should(tmp_path, game, many, fewer):
    """So many from either seat, and fewer where somebody searches."""
    of = registry().spec("game", game).make()
    ours = [name for name in all_entries(of, registry())[0] if name != "keep-training"]  # which does not say
    entries = [*ours, "minimax:ties=first", *OTHERS]
    args = [word for entry in entries for word in ("--entry", entry)]
    arena_compiled(tmp_path, "tournament", "--exact", "--game", game, *args)  # those that learn have learned
    plan = plan_of(entries, game, matches=many)
    searching = {i for i, entry in enumerate(entries) if entry in SEARCHING}
    assert len(searching) == len(SEARCHING)
    quick = tuple(pair for pair in plan.pairings if not searching & {*pair})
    slow = tuple(pair for pair in plan.pairings if searching & {*pair})
    check_played(replace(plan, schedule=Schedule.of(Stage(quick, many))))
    check_played(replace(plan, schedule=Schedule.of(Stage(slow, fewer))))

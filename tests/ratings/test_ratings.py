from __future__ import annotations

import math
import re
import sqlite3
from importlib.metadata import EntryPoint
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.api.rating import Rating, Results
from arena.errors import ArenaError
from arena.ratings.elo import Elo, EloRatings, elo_update
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.profile import ends
from arena.registry.plugins import Registry
from arena.texts import error_text
from commands import arena
from paths import ROOT

EXAMPLE = ROOT / "examples" / "arena-elo"
WHEEL = "its wheel is built under Python 3.11, see examples/arena-elo/README.md"
POINTS = 400 / math.log(10)


def results(entries, totals=(), sequence=()):
    return Results([f"entry {i}" for i in range(entries)], list(totals), lambda: iter(sequence))


def fit(entries, totals, **options):
    return MaximumLikelihood(**options).fit(results(entries, totals))


def width(rating):
    return rating.high - rating.low


def chances(first, second, first_move, draw):
    """Win, draw and loss of the first player in Davidson & Beaver's form (1977): strengths, not logs."""
    pi, pj, gamma, nu = (10 ** (points / 400) for points in (first, second, first_move, draw))
    weights = np.array([pi * gamma**0.5, nu * (pi * pj) ** 0.5, pj / gamma**0.5])
    return weights / weights.sum()


def drawn_tournament(rng, truth, first_move, draw, matches):
    """Totals of a double round robin with so many matches a pairing, drawn from the model."""
    return [
        (i, j, *rng.multinomial(matches, chances(truth[i], truth[j], first_move, draw)).tolist())
        for i, j in permutations(range(len(truth)), 2)
    ]


# Maximum likelihood


def log_linear_model(entries, totals):
    """The same model as a Poisson regression: by entry, then first move and draws, in log odds.

    A free constant for each pairing makes independent Poisson counts out of each pairing's matches. Beside it
    a matrix that makes ratings that sum to 0, first move and draws of its parameters.
    """
    api = pytest.importorskip("statsmodels.api", reason="statsmodels is what the fit is compared with")
    played = [row for row in totals if sum(row[2:])]
    rating = np.vstack([np.eye(entries - 1), -np.ones(entries - 1)])  # they sum to 0
    rows = []
    for number, (i, j, *_) in enumerate(played):
        pairing = np.eye(len(played))[number]
        rows += [
            [*rating[i], 0.5, 0, *pairing],
            [*(rating[i] + rating[j]) / 2, 0, 1, *pairing],
            [*rating[j], -0.5, 0, *pairing],
        ]
    counts = np.concatenate([row[2:] for row in played])
    model = api.GLM(counts, np.array(rows), family=api.families.Poisson())
    wanted = np.zeros((entries + 2, len(rows[0])))
    wanted[:entries, : entries - 1] = rating
    wanted[-2:, entries - 1 : entries + 1] = np.eye(2)
    return model, wanted


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.slow
def test_the_fit_without_prior_is_that_of_a_poisson_regression(seed):
    rng = np.random.default_rng(seed)
    entries = 4 + seed
    truth = rng.normal(0, 200, entries)
    totals = [
        (i, j, *rng.multinomial(rng.integers(0, 60), chances(truth[i], truth[j], 50, -60)).tolist())
        for i, j in permutations(range(entries), 2)
    ]
    model, wanted = log_linear_model(entries, totals)
    found = model.fit(tol=1e-12, maxiter=200)
    fitted = fit(entries, totals, prior=0, mean=0)
    assert fitted.values == pytest.approx(wanted @ found.params * POINTS, abs=1e-3)
    covariance = wanted @ found.cov_params() @ wanted.T * POINTS**2
    assert fitted.covariance == pytest.approx(covariance, rel=1e-4, abs=1e-3)

    # an end is where the best regression that has it is less likely by so much
    fall = 1.96**2 * (1 + 1.5 * (entries + 1) / sum(sum(row[2:]) for row in totals))
    for what, rating in (
        (wanted[0], fitted.ratings[0]),
        (wanted[entries - 1], fitted.ratings[-1]),
        (wanted[0] - wanted[1], fitted.difference(0, 1)),
        (wanted[-2], fitted.first_move),
        (wanted[-1], fitted.draw),
    ):
        for end in (rating.low, rating.high):
            there = model.fit_constrained((what[None], [end / POINTS]), tol=1e-12, maxiter=200)
            assert 2 * (found.llf - there.llf) == pytest.approx(fall, abs=1e-4)
        assert rating.low < rating.value < rating.high


def test_ends_with_a_prior_are_those_of_a_search_over_all_the_rest():
    optimize = pytest.importorskip("scipy.optimize", reason="searches the profile")
    entries, prior = 3, 700
    totals = [(0, 1, 9, 2, 1), (1, 0, 2, 1, 7), (1, 2, 5, 0, 0), (2, 1, 0, 3, 4)]
    fitted = fit(entries, totals, prior=prior, mean=0)

    def loss(points):
        likely = sum(
            np.dot(outcomes, np.log(chances(points[i], points[j], points[-2], points[-1])))
            for i, j, *outcomes in totals
        )
        ratings = points[:entries] - points[:entries].mean()
        return (sum(ratings**2) + sum(points[entries:] ** 2)) / (2 * prior**2) - likely

    least = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).fun
    parameters = entries + 1 - np.trace(fitted.covariance) / prior**2
    fall = 1.96**2 / 2 * (1 + 1.5 * parameters / sum(sum(row[2:]) for row in totals))
    one, other = fitted.ratings[0], fitted.ratings[2]
    for place, end in ((0, one.low), (0, one.high), (2, other.low), (2, other.high)):
        rest = [k for k in range(entries) if k != place]

        def constrained(free, place=place, end=end, rest=rest):
            points = np.array([0.0, 0, 0, *free[1:]])
            points[place] = end  # about the mean, which is 0
            points[rest[0]], points[rest[1]] = -end / 2 + free[0], -end / 2 - free[0]
            return loss(points)

        there = optimize.minimize(constrained, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).fun
        assert there - least == pytest.approx(fall, abs=1e-4)


@pytest.mark.slow
def test_a_scaled_profile_has_the_ends_of_as_much_more_or_less_evidence():
    totals = [(0, 1, 9, 2, 1), (1, 0, 2, 1, 7), (1, 2, 5, 0, 0), (2, 1, 0, 3, 4)]
    fitted = fit(3, totals, prior=0)
    model, wanted = log_linear_model(3, totals)
    best = model.fit(tol=1e-12, maxiter=200).llf
    contrasts = np.eye(5)[:3] - np.array([1, 1, 1, 0, 0]) / 3
    closed = np.zeros(3, bool)
    scale = np.array([0.25, 0.5, 1])
    lows, highs = ends(fitted.likelihood, *fitted.maximum, contrasts, closed, closed, scale)
    for what, low, high, factor in zip(wanted, lows, highs, scale, strict=False):
        for end in (low, high):
            there = model.fit_constrained((what[None], [end]), tol=1e-12, maxiter=200).llf
            assert 2 * factor * (best - there) == pytest.approx(1.96**2 * (1 + 1.5 * 4 / 34), abs=1e-4)


def test_a_match_between_two_is_solved_by_hand():
    # as the first player one wins 4 to 1, as the second 1 to 1, so that both odds of 2 are the
    # seat's and the player's; draws are the geometric mean of wins and losses
    fitted = fit(2, [(0, 1, 40, 20, 10), (1, 0, 20, 20, 20)], prior=0)
    twice = 400 * math.log10(2)
    assert fitted.first_move.value == pytest.approx(twice)
    assert fitted.draw.value == pytest.approx(0)
    assert fitted.difference(0, 1).value == pytest.approx(twice)
    assert [rating.value for rating in fitted.ratings] == pytest.approx([1500 + twice / 2, 1500 - twice / 2])


@pytest.mark.slow
def test_95_percent_of_the_intervals_hold_the_truth():
    binom = pytest.importorskip("scipy.stats", reason="gives the binomial bounds").binom
    rng = np.random.default_rng(2027)
    truth, first_move, draw = np.array([-180.0, -60, 10, 80, 150]), 52.0, -40.0
    held = []
    for _ in range(400):
        fitted = fit(5, drawn_tournament(rng, truth, first_move, draw, 30), mean=0)
        quantities = [
            *zip(fitted.ratings, truth, strict=True),
            *((fitted.difference(i, j), truth[i] - truth[j]) for i, j in ((0, 1), (0, 4), (3, 2))),
            (fitted.first_move, first_move),
            (fitted.draw, draw),
        ]
        held.append([rating.low <= true <= rating.high for rating, true in quantities])
    low, high = binom.interval(0.9999, 400, 0.95)
    shares = np.sum(held, axis=0)
    assert (low <= shares).all(), shares
    assert (shares <= high).all(), shares


def test_intervals_shrink_as_the_root_of_the_matches():
    totals = drawn_tournament(np.random.default_rng(3), [-100, 0, 100], 30, 0, 40)
    few = fit(3, totals, prior=0)
    many = fit(3, [(i, j, *(100 * count for count in counts)) for i, j, *counts in totals], prior=0)
    for one, other in zip(few.ratings, many.ratings, strict=True):
        assert other.value == pytest.approx(one.value, abs=1e-4)
        assert width(other) == pytest.approx(width(one) / 10, rel=0.02)  # so few skew the likelihood


def test_the_default_prior_moves_a_rating_by_a_small_part_of_its_interval():
    totals = drawn_tournament(np.random.default_rng(4), [-150, -50, 50, 150], 30, 0, 20)
    for free, held in zip(fit(4, totals, prior=0).ratings, fit(4, totals).ratings, strict=True):
        assert abs(free.value - held.value) < width(free) / 100


EXTREMES = {  # entries, totals, who must be rated in falling order
    "no entry": (0, [], []),
    "one entry": (1, [], [0]),
    "one entry against itself": (1, [(0, 0, 5, 3, 2)], [0]),
    "no matches": (3, [], []),
    "a pairing without matches": (2, [(0, 1, 0, 0, 0)], []),
    "one match": (2, [(0, 1, 1, 0, 0)], [0, 1]),
    "shut-out": (3, [(0, 1, 9, 0, 0), (1, 0, 0, 0, 9), (1, 2, 9, 0, 0), (2, 1, 0, 0, 9)], [0, 1, 2]),
    "no draws": (2, [(0, 1, 7, 0, 3), (1, 0, 4, 0, 6)], [0, 1]),
    "only draws": (3, [(i, j, 0, 50, 0) for i, j in permutations(range(3), 2)], []),
    "first always wins": (3, [(i, j, 50, 0, 0) for i, j in permutations(range(3), 2)], []),
    "groups that never met": (4, [(0, 1, 7, 1, 3), (2, 3, 9, 0, 0), (3, 2, 0, 0, 9)], [2, 0, 1, 3]),
    "a million to none": (2, [(0, 1, 10**6, 0, 0), (1, 0, 0, 0, 10**6)], [0, 1]),
    "a million to one": (3, [(0, 1, 10**6, 0, 0), (1, 0, 0, 0, 10**6), (1, 2, 1, 0, 0)], [0, 1]),
    "a chain of shut-outs": (
        50,
        [row for i in range(49) for row in [(i, i + 1, 10**4, 0, 0), (i + 1, i, 0, 0, 10**4)]],
        range(50),
    ),
    "a chain of first players' wins": (50, [(i, i + 1, 10**4, 0, 0) for i in range(49)], [0, 25, 49]),
}


@pytest.mark.parametrize("prior", [10, 1000, pytest.param(10000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", EXTREMES)
def test_ratings_are_finite_whatever_the_results(case, prior):
    entries, totals, order = EXTREMES[case]
    fitted = fit(entries, totals, prior=prior)
    for rating in [*fitted.ratings, fitted.first_move, fitted.draw]:
        assert np.isfinite([end for end in rating if end is not None]).all()
        assert rating.low is None or rating.low <= rating.value
        assert rating.high is None or rating.value <= rating.high
    values = [rating.value for rating in fitted.ratings]
    assert len(values) == entries
    assert sum(values) == pytest.approx(1500 * entries)
    assert all(values[one] > values[other] for one, other in pairwise(order))


@pytest.mark.parametrize("case", ["no matches", "only draws", "first always wins"])
def test_entries_that_did_alike_are_rated_alike(case):
    entries, totals, _ = EXTREMES[case]
    assert [rating.value for rating in fit(entries, totals).ratings] == pytest.approx([1500] * entries)


OPEN = {  # case: for each entry, then the first move and the draws, which ends are open
    "one entry": ["", "<>", "<>"],
    "one entry against itself": ["", "", ""],
    "no matches": ["<>", "<>", "<>", "<>", "<>"],
    "shut-out": [">", "", "<", "", "<"],
    "no draws": ["", "", "", "<"],
    "only draws": ["", "", "", "", ">"],
    "first always wins": ["", "", "", ">", "<"],
    "groups that never met": ["", "", ">", "<", "", ""],
    "a million to none": [">", "<", "", "<"],
    "one match": [">", "<", ">", "<"],
}


@pytest.mark.parametrize("case", OPEN)
def test_an_interval_is_open_where_no_result_bounds_it(case):
    entries, totals, _ = EXTREMES[case]
    fitted = fit(entries, totals)
    opened = [
        "<" * (rating.low is None) + ">" * (rating.high is None)
        for rating in [*fitted.ratings, fitted.first_move, fitted.draw]
    ]
    assert opened == OPEN[case]


def test_one_shut_out_leaves_the_others_their_ends():
    totals = [
        (i, j, *((10, 0, 0) if i == 0 else (0, 0, 10) if j == 0 else (4, 2, 4)))
        for i, j in permutations(range(5), 2)
    ]
    first, *others = fit(5, totals).ratings
    assert first.high is None
    assert first.low > 1900
    for rating in others:
        assert 800 < rating.low < rating.value < rating.high < 1500
    ahead = fit(5, totals).difference(0, 1)
    assert ahead.high is None
    assert ahead.low > 400


@pytest.mark.parametrize("matches", [3, 20, 1000])
def test_the_lower_end_after_a_shut_out_is_where_it_has_a_chance_of_5_percent(matches):
    # half of them from either seat, so that what moving first is worth makes none of them likelier
    fitted = fit(2, [(0, 1, matches, 0, 0), (1, 0, 0, 0, matches)], prior=10000)
    chance = 0.05 ** (1 / (2 * matches))  # to win one; draws, which never happened, are rare
    lead = 400 * math.log10(chance / (1 - chance))
    assert fitted.difference(0, 1) == (
        pytest.approx(fitted.difference(0, 1).value),
        pytest.approx(lead, abs=25),
        None,
    )


def test_a_longer_shut_out_rates_higher():
    leads = [fit(2, [(0, 1, n, 0, 0), (1, 0, 0, 0, n)]).difference(0, 1).value for n in (1, 10, 100, 10**6)]
    assert leads == sorted(leads)
    assert leads[-1] < 4000


def test_an_entry_against_itself_tells_of_the_first_move_and_the_draws_alone():
    fitted = fit(1, [(0, 0, 40, 20, 10)], prior=0)
    assert fitted.ratings == [Rating(1500, 1500, 1500)]
    assert fitted.first_move.value == pytest.approx(400 * math.log10(4))
    assert fitted.draw.value == pytest.approx(0)
    others = fit(3, [(0, 0, 40, 20, 10), (1, 1, 10, 0, 0)])
    assert [rating.value for rating in others.ratings] == pytest.approx([1500] * 3)


@pytest.mark.parametrize(
    "case",
    [
        "no matches",
        "shut-out",
        "no draws",
        "only draws",
        "first always wins",
        "groups that never met",
        "a million to none",
        "one match",
    ],
)
def test_without_prior_what_has_no_maximum_is_refused_in_one_line(case):
    entries, totals, _ = EXTREMES[case]
    with pytest.raises(ArenaError, match="prior=1000") as refusal:
        fit(entries, totals, prior=0)
    assert "\n" not in str(refusal.value)


@pytest.mark.slow
def test_without_prior_it_is_refused_exactly_when_linear_programming_finds_no_maximum():
    linprog = pytest.importorskip("scipy.optimize", reason="decides whether there is a maximum").linprog
    rng = np.random.default_rng(6)
    seen = set()
    for _ in range(300):
        entries, matches = int(rng.integers(1, 6)), int(rng.choice([1, 2, 5, 1000]))
        totals = [
            (i, j, *rng.multinomial(matches, rng.dirichlet([0.5] * 3)).tolist())
            for i in range(entries)
            for j in range(entries)
            if rng.random() < 0.7
        ]
        # there is none if in some direction no outcome that happened loses to one that did not
        leads = [np.zeros(entries + 2)]
        unit = np.eye(entries + 2)
        for i, j, *counts in totals:
            x = (unit[i] - unit[j] + unit[-2]) / 2
            odds = [x, unit[-1], -x]
            leads += [odds[a] - odds[b] for a in range(3) if counts[a] for b in range(3) if a != b]
        leads = np.array(leads)
        found = linprog(-leads.sum(axis=0), A_ub=-leads, b_ub=np.zeros(len(leads)), bounds=(-1, 1))
        finite = found.fun > -1e-7 and np.linalg.matrix_rank(leads) == entries + 1
        try:
            fit(entries, totals, prior=0)
        except ArenaError:
            assert not finite, totals
        else:
            assert finite, totals
        seen.add(finite)
    assert seen == {True, False}


counts = st.integers(0, 1000)


@st.composite
def tournaments(draw):
    entries = draw(st.integers(1, 5))
    index = st.integers(0, entries - 1)
    return entries, draw(st.lists(st.tuples(index, index, counts, counts, counts), max_size=12))


@given(tournaments(), st.randoms(use_true_random=False))
@pytest.mark.slow
def test_the_order_of_entries_and_pairings_changes_no_rating(tournament, random):
    entries, totals = tournament
    place = random.sample(range(entries), entries)
    shuffled = [(place[i], place[j], *outcomes) for i, j, *outcomes in random.sample(totals, len(totals))]
    ratings, others = fit(entries, totals).ratings, fit(entries, shuffled).ratings
    for i in range(entries):
        assert others[place[i]] == pytest.approx(ratings[i], abs=1e-3)


@given(tournaments())
@pytest.mark.slow
def test_turning_all_results_round_turns_the_ratings_round(tournament):
    entries, totals = tournament
    fitted = fit(entries, totals, mean=0)
    turned = fit(entries, [(i, j, losses, draws, wins) for i, j, wins, draws, losses in totals], mean=0)
    for one, other in zip(fitted.ratings, turned.ratings, strict=True):
        assert other.value == pytest.approx(-one.value, abs=1e-3)
        for end, mirrored in ((one.low, other.high), (one.high, other.low)):
            assert mirrored == (None if end is None else pytest.approx(-end, abs=1e-3))
    assert turned.first_move.value == pytest.approx(-fitted.first_move.value, abs=1e-3)
    assert turned.draw.value == pytest.approx(fitted.draw.value, abs=1e-3)


def test_rate_gives_the_ratings_of_the_fit_and_does_not_read_the_matches():
    def sequence():
        raise AssertionError

    system = MaximumLikelihood()
    given = Results(["a", "b"], [(0, 1, 3, 2, 1)], sequence)
    assert system.rate(given) == system.fit(given).ratings


def test_the_notes_say_what_moving_first_is_worth():
    # the log of W / L has the variance 1 / W + 1 / L
    (note,) = MaximumLikelihood(prior=0).notes(results(1, [(0, 0, 4000, 2000, 1000)]))
    error = 1.96 * POINTS * math.sqrt(1 / 4000 + 1 / 1000)
    assert note == f"Moving first is worth {400 * math.log10(4):.0f} ± {error:.0f} points."
    (note,) = MaximumLikelihood().notes(results(1, [(0, 0, 9, 0, 0)]))
    assert re.fullmatch(r"Moving first is worth \d+ points \(≥ \d+\)\.", note)


@pytest.mark.parametrize(
    ("rating", "text"),
    [
        (Rating(1500, 1464, 1536), "± 36"),
        (Rating(1500, 1462, 1536), "± 37"),
        (Rating(1500, 1460, 1585), "−40 +85"),
        (Rating(1900, 1812.4, None), "≥ 1812"),
        (Rating(100, None, 212.3), "≤ 212"),
        (Rating(1500), ""),
    ],
)
def test_an_interval_as_text(rating, text):
    assert error_text(*rating) == text


# Elo


@pytest.mark.parametrize(
    ("first", "second", "result", "k", "expected"),
    [
        (1500, 1500, 1, 16, (1508, 1492)),
        (1500, 1500, 0, 16, (1500, 1500)),
        (1500, 1500, -1, 16, (1492, 1508)),
        (1700, 1300, 1, 22, (1702, 1298)),  # 400 more: a score of 10/11 is expected
        (1700, 1300, -1, 22, (1680, 1320)),
        (1300, 1700, 0, 22, (1309, 1691)),
        (10**6, 0, -1, 16, (10**6 - 16, 16)),
    ],
)
def test_an_elo_update_by_hand(first, second, result, k, expected):
    assert elo_update(first, second, result, k) == pytest.approx(expected, abs=1e-9)


ratings = st.floats(-10000, 10000)
outcomes = st.sampled_from([1, 0, -1])
factors = st.floats(0, 1000)


@given(ratings, ratings, outcomes, factors)
def test_elo_keeps_the_sum_and_is_the_same_from_either_side(first, second, result, k):
    after = elo_update(first, second, result, k)
    assert sum(after) == pytest.approx(first + second, abs=1e-6)
    assert elo_update(second, first, -result, k) == after[::-1]


def test_elo_follows_the_schedule_order():
    # at 1508 : 1492 a draw moves by 16 (1/2 - 1 / (1 + 10^(-16/400))) = -.368153
    elo = EloRatings(3)
    elo.play([(0, 1, 1), (0, 1, 0)])
    assert elo.ratings == pytest.approx([1507.631847, 1492.368153, 1500], abs=1e-6)
    rated = Elo().rate(results(3, sequence=[(0, 1, 1), (0, 1, 0)]))
    assert rated == [Rating(value) for value in elo.ratings]
    assert rated != Elo().rate(results(3, sequence=[(0, 1, 0), (0, 1, 1)]))


def test_elo_options_set_the_start_and_the_step():
    assert Elo(k=32, initial=1200).rate(results(2, sequence=[(1, 0, 1)])) == [Rating(1184), Rating(1216)]


def test_an_entry_against_itself_keeps_its_elo():
    assert Elo().rate(results(2, sequence=[(0, 0, 1), (1, 1, -1)])) == [Rating(1500), Rating(1500)]


def test_elo_agrees_number_by_number_with_the_package_elo(monkeypatch):
    pytest.importorskip("elo", reason=WHEEL)
    monkeypatch.syspath_prepend(EXAMPLE)
    registry = Registry([EntryPoint("arena_elo", "arena_elo", "arena")])
    assert registry.warnings() == []
    package = registry.spec("rating system", "elo-package:k=24,initial=1400").make()
    own = registry.spec("rating system", "elo:k=24,initial=1400").make()
    rng = np.random.default_rng(5)
    sequence = [(*rng.integers(0, 6, 2).tolist(), int(rng.integers(-1, 2))) for _ in range(3000)]
    for matches in (1, 10, 100, 1000, 3000):
        played = results(6, sequence=sequence[:matches])
        ours = [rating.value for rating in own.rate(played)]
        assert ours == pytest.approx([rating.value for rating in package.rate(played)], abs=1e-9)


def test_elo_as_recorded_is_what_the_package_elo_makes_of_the_matches(tmp_path):
    """Match by match, in the order of the schedule; the database has it after each round."""
    package = pytest.importorskip("elo", reason=WHEEL)
    entries = [
        word for name in ("random", "greedy", "minimax:depth=1", "first") for word in ("--entry", name)
    ]
    arena(tmp_path, "tournament", *entries, "--rounds", "12", "--seed", "4", "--db", "a.db")
    with sqlite3.connect(tmp_path / "a.db") as database:
        matches = database.execute(
            "SELECT round, first, second, result FROM matches ORDER BY number"
        ).fetchall()
        recorded = database.execute("SELECT rounds, entry, rating FROM elo ORDER BY rounds, entry").fetchall()
    assert len(matches) == 12 * 12
    system, ratings, expected = package.Elo(k_factor=16), {}, []
    for number, (played, first, second, result) in enumerate(matches):
        one, other, score = ratings.get(first, 1500), ratings.get(second, 1500), (result + 1) / 2
        ratings[first] = system.rate(one, [(score, other)])
        ratings[second] = system.rate(other, [(1 - score, one)])
        if number + 1 == len(matches) or matches[number + 1][0] != played:
            expected += [(played + 1, entry, ratings[entry]) for entry in sorted(ratings)]
    assert [row[:2] for row in recorded] == [row[:2] for row in expected]
    assert [row[2] for row in recorded] == pytest.approx([row[2] for row in expected], abs=1e-9)

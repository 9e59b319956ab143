from __future__ import annotations

import math
from importlib.metadata import EntryPoint
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.api.rating import Rating, Results
from arena.errors import ArenaError
from arena.ratings.elo import Elo, EloRatings, elo_update
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.registry.plugins import Registry
from paths import ROOT

EXAMPLE = ROOT / "examples" / "arena-elo"
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


def log_linear_fit(entries, totals):
    """The same model as a Poisson regression: by entry, then first move and draws; Elo points.

    A free constant for each pairing makes independent Poisson counts out of each pairing's matches.
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
    found = api.GLM(counts, np.array(rows), family=api.families.Poisson()).fit(tol=1e-12, maxiter=200)
    wanted = np.zeros((entries + 2, len(found.params)))
    wanted[:entries, : entries - 1] = rating
    wanted[-2:, entries - 1 : entries + 1] = np.eye(2)
    return wanted @ found.params * POINTS, wanted @ found.cov_params() @ wanted.T * POINTS**2


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_without_prior_is_that_of_a_poisson_regression(seed):
    rng = np.random.default_rng(seed)
    entries = 4 + seed
    truth = rng.normal(0, 200, entries)
    totals = [
        (i, j, *rng.multinomial(rng.integers(0, 60), chances(truth[i], truth[j], 50, -60)).tolist())
        for i, j in permutations(range(entries), 2)
    ]
    values, covariance = log_linear_fit(entries, totals)
    fitted = fit(entries, totals, prior=0, mean=0)
    ours = np.array([*fitted.ratings, fitted.first_move, fitted.draw])
    assert ours[:, 0] == pytest.approx(values, abs=1e-3)
    errors = 1.96 * np.sqrt(covariance.diagonal())
    assert ours[:, 1] == pytest.approx(values - errors, abs=1e-3)
    assert ours[:, 2] == pytest.approx(values + errors, abs=1e-3)
    assert fitted.covariance == pytest.approx(covariance, rel=1e-4, abs=1e-3)

    contrast = np.eye(entries + 2)[0] - np.eye(entries + 2)[1]
    error = 1.96 * math.sqrt(contrast @ covariance @ contrast)
    assert width(fitted.difference(0, 1)) == pytest.approx(2 * error, abs=1e-3)


def test_a_match_between_two_is_solved_by_hand():
    # as the first player one wins 4 to 1, as the second 1 to 1, so that both odds of 2 are the
    # seat's and the player's; draws are the geometric mean of wins and losses
    fitted = fit(2, [(0, 1, 40, 20, 10), (1, 0, 20, 20, 20)], prior=0)
    twice = 400 * math.log10(2)
    assert fitted.first_move.value == pytest.approx(twice)
    assert fitted.draw.value == pytest.approx(0)
    assert fitted.difference(0, 1).value == pytest.approx(twice)
    assert [rating.value for rating in fitted.ratings] == pytest.approx([1500 + twice / 2, 1500 - twice / 2])


def test_95_percent_of_the_intervals_hold_the_truth():
    binom = pytest.importorskip("scipy.stats", reason="gives the binomial bounds").binom
    rng = np.random.default_rng(2027)
    truth, first_move, draw = np.array([-180.0, -60, 10, 80, 150]), 52.0, -40.0
    held = []
    for _ in range(1000):
        fitted = fit(5, drawn_tournament(rng, truth, first_move, draw, 30), mean=0)
        quantities = [
            *zip(fitted.ratings, truth, strict=True),
            *((fitted.difference(i, j), truth[i] - truth[j]) for i, j in combinations(range(5), 2)),
            (fitted.first_move, first_move),
            (fitted.draw, draw),
        ]
        held.append([rating.low <= true <= rating.high for rating, true in quantities])
    low, high = binom.interval(0.9999, 1000, 0.95)
    shares = np.sum(held, axis=0)
    assert (low <= shares).all(), shares
    assert (shares <= high).all(), shares


def test_intervals_shrink_as_the_root_of_the_matches():
    totals = drawn_tournament(np.random.default_rng(3), [-100, 0, 100], 30, 0, 40)
    few = fit(3, totals, prior=0)
    many = fit(3, [(i, j, *(100 * count for count in counts)) for i, j, *counts in totals], prior=0)
    for one, other in zip(few.ratings, many.ratings, strict=True):
        assert other.value == pytest.approx(one.value, abs=1e-4)
        assert width(other) == pytest.approx(width(one) / 10, rel=1e-4)


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


@pytest.mark.parametrize("prior", [10, 1000, 10000])
@pytest.mark.parametrize("case", EXTREMES)
def test_ratings_are_finite_whatever_the_results(case, prior):
    entries, totals, order = EXTREMES[case]
    fitted = fit(entries, totals, prior=prior)
    for rating in [*fitted.ratings, fitted.first_move, fitted.draw]:
        assert np.isfinite(rating).all()
        assert rating.low <= rating.value <= rating.high
    values = [rating.value for rating in fitted.ratings]
    assert len(values) == entries
    assert sum(values) == pytest.approx(1500 * entries)
    assert all(values[one] > values[other] for one, other in pairwise(order))


@pytest.mark.parametrize("case", ["no matches", "only draws", "first always wins"])
def test_entries_that_did_alike_are_rated_alike(case):
    entries, totals, _ = EXTREMES[case]
    assert [rating.value for rating in fit(entries, totals).ratings] == pytest.approx([1500] * entries)


def test_without_matches_the_interval_is_the_priors():
    fitted = fit(4, [], prior=1000)
    # the deviation of one of four independent values from their mean is sqrt(3/4) of theirs
    assert [width(rating) for rating in fitted.ratings] == pytest.approx([2 * 1960 * math.sqrt(3 / 4)] * 4)
    assert fitted.first_move == pytest.approx((0, -1960, 1960))
    assert fitted.draw == pytest.approx((0, -1960, 1960))


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
def test_the_order_of_entries_and_pairings_changes_no_rating(tournament, random):
    entries, totals = tournament
    place = random.sample(range(entries), entries)
    shuffled = [(place[i], place[j], *outcomes) for i, j, *outcomes in random.sample(totals, len(totals))]
    ratings, others = fit(entries, totals).ratings, fit(entries, shuffled).ratings
    for i in range(entries):
        assert others[place[i]] == pytest.approx(ratings[i], abs=1e-3)


@given(tournaments())
def test_turning_all_results_round_turns_the_ratings_round(tournament):
    entries, totals = tournament
    fitted = fit(entries, totals, mean=0)
    turned = fit(entries, [(i, j, losses, draws, wins) for i, j, wins, draws, losses in totals], mean=0)
    for one, other in zip(fitted.ratings, turned.ratings, strict=True):
        assert other.value == pytest.approx(-one.value, abs=1e-3)
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
    (note,) = MaximumLikelihood(prior=0).notes(results(1, [(0, 0, 400, 200, 100)]))
    error = 1.96 * POINTS * math.sqrt(1 / 400 + 1 / 100)
    assert note == f"Moving first is worth {400 * math.log10(4):.0f} ± {error:.0f} points."


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
    elo.play(0, 1, 1)
    elo.play(0, 1, 0)
    assert elo.ratings == pytest.approx([1507.631847, 1492.368153, 1500], abs=1e-6)
    rated = Elo().rate(results(3, sequence=[(0, 1, 1), (0, 1, 0)]))
    assert rated == [Rating(value) for value in elo.ratings]
    assert rated != Elo().rate(results(3, sequence=[(0, 1, 0), (0, 1, 1)]))


def test_elo_options_set_the_start_and_the_step():
    assert Elo(k=32, initial=1200).rate(results(2, sequence=[(1, 0, 1)])) == [Rating(1184), Rating(1216)]


def test_an_entry_against_itself_keeps_its_elo():
    assert Elo().rate(results(2, sequence=[(0, 0, 1), (1, 1, -1)])) == [Rating(1500), Rating(1500)]


def test_elo_agrees_number_by_number_with_the_package_elo(monkeypatch):
    pytest.importorskip("elo", reason="builds on Python 3.11 only, see examples/arena-elo/README.md")
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

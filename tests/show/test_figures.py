"""Figures: what is drawn is what was measured."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import arena
from arena.results.curve_row import Row
from arena.show.figures.canvas import label
from arena.show.figures.lines import Band
from arena.show.figures.points import Point, frontier


@pytest.fixture
def pyplot():
    """matplotlib without a screen; figures are closed at the end."""
    matplotlib = pytest.importorskip("matplotlib", reason="needs: pip install -e '.[test-slow]'")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def widths(ax):
    """The widths of the bars, by the label of their part."""
    return {
        part.get_label(): [round(bar.get_width(), 6) for bar in part]
        for part in ax.containers
    }  # fmt: skip


# --- without matplotlib -----------------------------------------------------------------------------------


def test_the_band_is_students_interval_of_the_mean():
    """With three degrees of freedom it is 3.182446 standard errors wide to either side, as in tables."""
    values, mean = [0.2, 0.5, 0.4, 0.9], 0.5
    error = math.sqrt((0.09 + 0 + 0.01 + 0.16) / 3 / 4)
    ends = mean - 3.182446 * error, mean + 3.182446 * error
    assert Band.INTERVAL.about(values) == pytest.approx(ends, abs=1e-6)
    assert Band.RANGE.about(values) == (0.2, 0.9)
    assert Band.NONE.about(values) == pytest.approx((mean, mean))


def test_the_frontier_has_what_no_cheaper_one_beats():
    cheap, dear, good, best = Point(1, 10), Point(2, 5), Point(2, 20), Point(9, 30)
    assert frontier([best, dear, good, cheap]) == [cheap, good, best]


# --- matches, leaderboards, tournaments -------------------------------------------------------------------


@pytest.mark.slow
def test_a_match_is_drawn_as_its_shares(pyplot):
    pairings = [arena.Pairing("a", "b", 6, 1, 1, 0, 0), arena.Pairing("b", "a", 0, 2, 2, 0, 0)]
    ax = arena.Match("nim", 1, 12, 12, pairings, []).plot()
    assert widths(ax) == {"won": [75, 0], "drawn": [12.5, 50], "lost": [12.5, 50]}
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a – b", "b – a"]


@pytest.mark.slow
def test_an_exact_match_is_drawn_as_the_profile_of_its_results(pyplot):
    """Random against random at tic-tac-toe: 737/1260 won, 121/420 lost, 8/63 drawn (by counting, Gardner)."""
    ax = arena.exact("random", "random", game="tic-tac-toe").plot()
    found = {part: row[0] for part, row in widths(ax).items()}
    exact = {"won": Fraction(737, 1260), "drawn": Fraction(8, 63), "lost": Fraction(121, 420)}
    assert found == pytest.approx({part: float(100 * share) for part, share in exact.items()}, abs=1e-5)
    assert ax.get_xlabel() == "probability (%)"


@pytest.fixture(scope="module")
def tournament(tmp_path_factory):
    db = tmp_path_factory.mktemp("figures") / "a.db"
    return arena.tournament(
        ["minimax", "q-table:episodes=100", "first", "random"], game="tic-tac-toe", rounds=3, seed=1, db=db,
        executor="serial",
    )  # fmt: skip


@pytest.mark.slow
def test_ratings_are_drawn_with_their_intervals(pyplot, tournament):
    ax = tournament.plot()
    rows = tournament.leaderboard.rows
    drawn = {tuple(line.get_xdata()) for line in ax.lines}
    for row in rows:
        assert (row.rating,) in drawn
        assert row.low is None or (row.rating, row.low) in drawn
        assert row.high is None or (row.rating, row.high) in drawn
    assert [text.get_text() for text in ax.get_yticklabels()] == [row.shown for row in rows]


@pytest.mark.slow
def test_a_crosstable_has_a_score_for_each_pair(pyplot, tournament):
    ax = tournament.plot("crosstable")
    (image,) = ax.images
    cells = image.get_array()
    names = [row.entry for row in tournament.leaderboard.rows]
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            if one == other:
                assert cells.mask[i, j]
                continue
            (as_first,) = [p for p in tournament.pairings if (p.first, p.second) == (one, other)]
            (as_second,) = [p for p in tournament.pairings if (p.first, p.second) == (other, one)]
            won = as_first.wins + as_second.losses + (as_first.draws + as_second.draws) / 2
            assert cells[i, j] == pytest.approx(100 * won / 6)


@pytest.mark.slow
def test_cost_is_drawn_against_strength(pyplot, tournament):
    (board,) = arena.leaderboard(db=tournament.db, cost=True)
    ax = board.plot("cost", cost="training_seconds")
    (row,) = [row for row in board.rows if row.training_seconds]
    drawn = {tuple(map(float, line.get_xydata()[0])) for line in ax.lines}
    assert (row.training_seconds, row.rating) in drawn
    assert ax.get_xlabel() == "time of training (s)"
    with pytest.raises(arena.ArenaError, match=r"no costs; compute them with cost=True"):
        tournament.plot("cost")
    with pytest.raises(arena.ArenaError, match="no figure of kind 'rating', did you mean 'ratings'"):
        tournament.plot("rating")


@pytest.mark.slow
def test_checkpoints_become_a_curve_of_ratings(pyplot, tmp_path):
    """Two checkpoints are a curve over 20 and 40 episodes; an entry that does not learn is a line."""
    entries = [
        "q-table:episodes=40,checkpoints=2",
        "psv:learner=(q-backprop:episodes=30,checkpoints=3)",
        "random",
    ]
    played = arena.tournament(
        entries, game="tic-tac-toe", rounds=10, seed=1, db=tmp_path / "a.db", executor="serial"
    )
    (board,) = arena.leaderboard(db=played.db, cost=True)
    rows = {row.entry: row for row in board.rows}
    ax = board.plot("training")
    curves = {line.get_label(): line for line in ax.lines}
    for name, texts in {
        "q-table:episodes=40": {20: "q-table:episodes=40,checkpoint=20", 40: "q-table:episodes=40"},
        "psv:learner=(q-backprop:episodes=30)": {
            10: "psv:learner=(q-backprop:episodes=30,checkpoint=10)",
            20: "psv:learner=(q-backprop:episodes=30,checkpoint=20)",
            30: "psv:learner=(q-backprop:episodes=30)",
        },
    }.items():
        assert list(curves[label(name)].get_xdata()) == list(texts)
        assert list(curves[label(name)].get_ydata()) == [rows[text].rating for text in texts.values()]
    assert set(curves["random"].get_ydata()) == {rows["random"].rating}
    assert "95 % interval" in ax.get_xlabel()
    shaded = ax.collections[0].get_paths()[0].vertices[:, 1]
    ends = [(row.low, row.high) for text, row in rows.items() if "=40" in text and row.low and row.high]
    assert {end for pair in ends for end in pair} <= {*shaded}
    assert board.plot("training", cost="training_seconds").get_xlabel().startswith("time of training (s)")
    with pytest.raises(arena.ArenaError, match="compute it with cost=True, and enter learners with check"):
        played.plot("training")


@pytest.mark.slow
def test_a_figure_goes_on_the_axes_of_the_caller(pyplot, tournament):
    _, (left, right) = pyplot.subplots(1, 2)
    assert tournament.plot(ax=left) is left
    assert tournament.leaderboard.plot("results", ax=right) is right


# --- learning curves --------------------------------------------------------------------------------------


def curve(entry, scores, opponent="b", seconds=0.0):
    """A curve of two points, 0 and 10 episodes; wins of 100 matches from either seat, by seed and point."""
    rows = [
        Row(entry, "nim", seed, episodes, opponent, seat, wins, 0, 100 - wins, wins / 100,
            seconds=seconds * episodes)
        for seed, points in enumerate(scores)
        for episodes, wins in zip((0, 10), points, strict=True)
        for seat in (1, 2)
    ]  # fmt: skip
    return arena.LearningCurve("file.csv", rows, len(scores), (0, 10))


@pytest.mark.slow
def test_curves_of_several_learners_share_a_figure_with_their_bands(pyplot, tmp_path):
    one, other = curve("one", [(40, 60), (60, 90)], seconds=0.5), curve("other", [(10, 20), (30, 20)])
    ax = one.plot(other, band="range")
    assert [list(line.get_ydata()) for line in ax.lines] == [[50, 75], [20, 20]]
    low, high = (extreme(ax.collections[0].get_paths()[0].vertices[:, 1]) for extreme in (min, max))
    assert (low, high) == (40, 90)
    assert "mean of 2 runs; band: from the lowest to the highest run" in ax.get_xlabel()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["one\n10 episodes, 5 s", "other\n10 episodes"]
    for name in ("curves.svg", "curves.pdf"):
        ax.figure.savefig(tmp_path / name)
    assert (tmp_path / "curves.pdf").read_bytes().startswith(b"%PDF")
    assert b"<svg" in (tmp_path / "curves.svg").read_bytes()


@pytest.mark.slow
def test_a_rating_over_one_opponent_is_the_logit_of_the_score(pyplot):
    """Elo's formula: a score of 3/4 is worth 400 log10(3) = 190.8 points."""
    ax = curve("one", [(50, 75)]).plot(kind="rating")
    (line,) = ax.lines
    assert list(line.get_ydata()) == pytest.approx([0, 400 * math.log10(3)], abs=0.1)
    assert ax.get_ylabel() == "nim: rating (Elo, b = 0)"


@pytest.mark.slow
def test_curves_over_seconds_need_recorded_times(pyplot):
    ax = curve("one", [(50, 75), (70, 85)], seconds=0.25).plot(over="seconds")
    assert [list(line.get_xdata()) for line in ax.lines] == [[0, 2.5]]
    with pytest.raises(arena.ArenaError, match="training times were not recorded; cost=True records them"):
        curve("one", [(50, 75)]).plot(over="seconds")
    with pytest.raises(arena.ArenaError, match="no figure of kind 'c'; known: b"):
        curve("one", [(50, 75)]).plot(against="c")


@pytest.mark.slow
def test_times_of_learning_are_written_read_and_grow(tmp_path):
    file = tmp_path / "q.csv"
    drawn = arena.curve(
        "q-table:episodes=200", file, game="tic-tac-toe", seeds=1, points=[0, 20, 200], matches=2, cost=True,
        executor="serial",
    )  # fmt: skip
    seconds = [row.seconds for row in drawn.rows if row.seat == 1]
    assert seconds[0] == 0 < seconds[1] < seconds[2]
    assert arena.LearningCurve.read(file).rows == drawn.rows
    assert file.read_text().splitlines()[0].endswith(",seconds")


# --- other results ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_values_of_moves_are_drawn_for_the_side_to_move(pyplot):
    """X wins at 3, draws at 6, where it stops O, and loses elsewhere."""
    ax = arena.solve("tic-tac-toe", "XX.OO....", each=True).plot()
    (bars,) = ax.containers
    assert [bar.get_width() for bar in bars] == [1, 0, -1, -1, -1]


@pytest.mark.slow
def test_the_best_reply_is_drawn_from_either_seat(pyplot):
    found = arena.exploit("first", game="tic-tac-toe")
    drawn = widths(found.plot())
    assert drawn["won"] == pytest.approx([100 * reply.win for reply in found.replies])

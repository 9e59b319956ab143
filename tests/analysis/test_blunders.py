"""Moves that give away value: counted by hand, over fractions, and as leaderboards show them."""

from __future__ import annotations

import csv
import json
import re
import statistics
from collections import Counter

import pytest

from arena.analysis.blunders import BlunderCounts, Seat, count_blunders
from arena.matches.block import play_block
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.exact import AgainstPerfect, Expected
from arena.results.mastery import mastery_of
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from by_fractions import START, after, anyhow, match, perfect, score, worth
from commands import arena, inside
from records import query

KEEPER = "keep-training:learner=(q-backprop:episodes=20),games=3"
PLUGIN = """
from arena import Agent, Game, hookimpl

@hookimpl
def register_agents(register): register("scout", "faulty:Scout")

@hookimpl
def register_games(register): register("race", "faulty:Race")

class Scout(Agent):
    def choose(self, state, moves, rng): return rng.choice(moves)

class Race(Game):
    "Two steps or one, up to 4; whoever gets there wins. Its third time a position would draw."
    repetition = 3
    def initial(self): return (0, 0)
    def moves(self, state): return [n for n in (1, 2) if state[0] + n <= 4]
    def play(self, state, move): return (state[0] + move, 1 - state[1])
    def to_move(self, state): return state[1]
    def value(self, state): return -1
    def irreversible(self, state, move): return 0
"""


def run(folder, *args, status=0, **env):
    """`arena` in a process of its own, if there is something to tell it there."""
    return (arena if env else inside)(folder, *args, status=status, **env)


@pytest.fixture(scope="module")
def env(plugin):
    return plugin(faulty=PLUGIN)


def board_of(folder, *args, **env):
    """Rows of a leaderboard with blunders, by entry."""
    done = run(folder, "leaderboard", "--blunders", "--json", *args, **env)
    return {row["entry"]: row for row in json.loads(done.stdout)}


def blunders_by_hand(moves, opening):
    """Of X and of O: moves of their own, and how many of those give away value."""
    seen, board = ([0, 0], [0, 0]), START
    for ply, text in enumerate(moves.split()):
        later = after(board, int(text) - 1)
        if ply >= opening:
            seen[ply % 2][0] += 1
            seen[ply % 2][1] += -worth(later) < worth(board)
        board = later
    return seen


def counted_by_hand(db):
    """Of each entry and match, moves and blunders; what repeats another match move for move counts once."""
    found, seen = {}, set()
    sql = "SELECT a.name, b.name, moves, opening, chance, reason FROM matches"
    sql += " JOIN entries a ON a.id = first JOIN entries b ON b.id = second"
    for first, second, moves, opening, chance, reason in query(db, sql):
        if not chance and reason in ("rules", "max plies"):
            if (first, second, moves) in seen:
                continue
            seen.add((first, second, moves))
        for name, own in zip((first, second), blunders_by_hand(moves, opening), strict=True):
            found.setdefault(name, []).append(own)
    return found


# --- a played tournament -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("played")
    args = ["--entry", "random", "--entry", "first", "--entry", "greedy:ties=first", "--entry", KEEPER]
    run(folder, "tournament", *args, "--rounds", "25", "--seed", "3", "--openings", "random:2")
    return folder


@pytest.fixture(scope="module")
def shown(played):
    return board_of(played)


@pytest.mark.slow
def test_rates_are_those_of_the_recorded_moves(played, shown):
    by_hand = counted_by_hand(played / "arena.db")
    assert len(by_hand) == 4
    assert sum(map(len, by_hand.values())) < 2 * 12 * 25  # some were copies
    for name, matches in by_hand.items():
        moves, blunders = (sum(column) for column in zip(*matches, strict=True))
        rate = blunders / moves
        spread = sum((b - rate * n) ** 2 for n, b in matches)
        assert 0 < rate < 1
        assert shown[name]["blunder_rate"] == pytest.approx(rate, abs=1e-12)
        assert shown[name]["blunder_error"] == pytest.approx(1.96 * spread**0.5 / moves, abs=1e-12)
        assert shown[name]["matches"] == len(matches)


@pytest.mark.slow
def test_plies_of_openings_are_not_counted(played):
    """As they are not an entry's own: with them the rates would be others."""
    db = played / "arena.db"
    assert query(db, "SELECT DISTINCT opening FROM matches") == [(2,)]
    whole = Counter()
    for moves in query(db, "SELECT moves FROM matches"):
        for own, all_of_them in zip(blunders_by_hand(*moves, 2), blunders_by_hand(*moves, 0), strict=True):
            whole["own"] += own[1]
            whole["all"] += all_of_them[1]
            assert all_of_them[0] == own[0] + 1
    assert whole["own"] < whole["all"]


@pytest.mark.slow
def test_expected_losses_are_those_of_fractions(shown):
    value = score(match(perfect, perfect))
    lost = [value - score(match(anyhow, perfect)), score(match(perfect, anyhow)) - value]
    assert shown["random"]["expected_loss"] == pytest.approx(float(sum(lost)) / 2, abs=1e-12)
    # the first of all squares, always, loses against perfect play from either seat
    assert shown["first"]["expected_loss"] == pytest.approx(0.5, abs=1e-12)
    assert 0 < shown["greedy:ties=first"]["expected_loss"] < 0.5


@pytest.mark.slow
def test_what_does_not_say_its_chances_has_a_rate_and_no_loss(played, shown):
    name = next(name for name in shown if name.startswith("keep-training"))
    assert shown[name]["blunder_rate"] > 0
    assert shown[name]["expected_loss"] is None
    lines = run(played, "leaderboard", "--blunders").stdout.splitlines()
    assert lines[0].endswith("blunders  expected loss")
    for line in lines[1:5]:
        row = shown[re.split("  +", line)[1]]
        rate, error = 100 * row["blunder_rate"], 100 * row["blunder_error"]
        loss = row["expected_loss"]
        assert line.endswith(
            f"  {rate:.2f} ± {error:.2f} %" + ("" if loss is None else f"         {loss:.4f}")
        )


@pytest.mark.slow
def test_blunders_are_shown_in_every_form_where_they_are_asked_for(played, shown):
    without = run(played, "leaderboard").stdout
    assert "blunders" not in without
    rows = csv.DictReader(run(played, "leaderboard", "--csv", "--blunders").stdout.splitlines())
    for row in rows:
        assert float(row["blunder_rate"]) == shown[row["entry"]]["blunder_rate"]
        assert row["exact"] == "0"
    markdown = run(played, "leaderboard", "--markdown", "--blunders").stdout.splitlines()
    assert markdown[0].endswith("| forfeits | blunders | expected loss |")
    run(played, "leaderboard", "--blunders", "--html", "page.html")
    loss = re.escape(f"{shown['random']['expected_loss']:.4f}")
    assert re.search(f"<td[^>]*>{loss}</td>", (played / "page.html").read_text())
    rows = json.loads(run(played, "leaderboard", "--json").stdout)
    assert {row["blunder_rate"] for row in rows} == {None}


# --- whatever is in the way --------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_agent_that_is_no_longer_there_has_a_rate(tmp_path, env):
    args = ("--entry", "scout", "--entry", "random", "--rounds", "20", "--seed", "1")
    run(tmp_path, "tournament", *args, **env)
    here, gone = board_of(tmp_path, **env), board_of(tmp_path)
    assert here["scout"]["expected_loss"] == pytest.approx(here["random"]["expected_loss"])
    assert gone["scout"]["expected_loss"] is None
    assert gone["scout"]["blunder_rate"] == here["scout"]["blunder_rate"] > 0
    assert gone["random"] == here["random"]


@pytest.mark.slow
def test_where_repetition_draws_there_are_rates_and_no_losses(tmp_path, env):
    args = ("--entry", "random", "--entry", "first", "--game", "race", "--rounds", "20", "--seed", "1")
    run(tmp_path, "tournament", *args, **env)
    found = board_of(tmp_path, **env)
    # whoever is to move at 1 has lost; so from 0 the step of 1 keeps the win, as do all from 2 and 3 to 4
    assert {row["expected_loss"] for row in found.values()} == {None}
    worth_ = {4: -1, 3: 1, 2: 1, 1: -1, 0: 1}
    counts = {name: [0, 0] for name in found}
    sql = "SELECT first, second, moves FROM results"
    seen = set()
    for row in query(tmp_path / "arena.db", sql):
        if row in seen and "random" not in row[:2]:
            continue
        seen.add(row)
        place = 0
        for ply, step in enumerate(map(int, row[2].split())):
            count = counts[row[ply % 2]]
            count[0] += 1
            count[1] += -worth_[place + step] < worth_[place]
            place += step
    for name, (moves, blunders) in counts.items():
        assert found[name]["blunder_rate"] == pytest.approx(blunders / moves)
    assert counts["random"][1] > 0


# --- counts and intervals ----------------------------------------------------------------------------------


def record(moves, opening=0, first=0, second=1):
    return Record(0, 0, first, second, 0, "rules", None, len(moves.split()), opening, moves, 1, 0.0, 0.0)


def counts(*records, entries=2):
    game = registry().spec("game", "tic-tac-toe").make()
    return [(own.moves, own.blunders) for own in count_blunders(game, records, entries)]


def test_blunders_of_a_match_by_hand():
    # X takes the centre, O an edge, which loses; X the opposite edge, which does not win any more
    assert counts(record("5 2 8 1")) == [(2, 1), (2, 1)]
    assert counts(record("5 2 8 1", opening=2)) == [(1, 1), (1, 0)]
    assert blunders_by_hand("5 2 8 1", 0) == ([2, 1], [2, 1])
    assert blunders_by_hand("5 2 8 1", 2) == ([1, 1], [1, 0])


def test_matches_count_up_to_where_the_rules_do_not_know_them():
    assert counts(record("5 2 5 1")) == [(1, 0), (1, 1)]
    assert counts(record("king takes")) == [(0, 0), (0, 0)]


def test_an_entry_against_itself_answers_for_both_seats():
    assert counts(record("5 2 8 1", second=0), entries=1) == [(4, 2)]


def test_no_moves_have_no_rate():
    assert BlunderCounts().rate is BlunderCounts().error is None
    alone = BlunderCounts()
    alone.add(Seat(4, 1))
    assert alone.rate == 0.25
    assert alone.error == 0  # of one match alone nothing is known of how they differ


@pytest.mark.slow
def test_intervals_of_played_matches_cover_the_exact_rate():
    """95 in a hundred should; what they say is how far rates differ from sample to sample."""
    rates, errors, covered = [], [], 0
    hand = match(anyhow, anyhow)
    exact = float(
        (hand["first_blunders"] + hand["second_blunders"]) / (hand["first_moves"] + hand["second_moves"])
    )
    for seed in range(60):
        said = Settings(entries=["random", "random"], format="match", matches=200, seed=seed)
        _, plan = complete(said, registry())
        records = play_block(plan, range(plan.matches), Records).played
        one = [r._replace(first=0, second=0) for r in records]
        (own,) = count_blunders(plan.game.make(), one, 1)
        rates.append(own.rate)
        errors.append(own.error)
        covered += abs(own.rate - exact) <= own.error
    assert 52 <= covered <= 60
    assert statistics.mean(errors) == pytest.approx(1.96 * statistics.stdev(rates), rel=0.3)


def test_rates_of_exact_results_are_weighed_by_matches():
    """By hand: 3 matches as first with 1 blunder in 4 moves each, 1 as second with 2 in 3."""
    met = {
        ("a", "b"): (Expected(1, 0, 0, 0, 0, 7, 4, 3, 1, 0), 3.0),
        ("b", "a"): (Expected(0, 1, 0, 0, 0, 6, 3, 3, 0, 2), 1.0),
    }
    fared = {"a": AgainstPerfect(0.25, 0.5, None), "b": AgainstPerfect(0.0, 0.0, None)}
    found = mastery_of(met, fared)
    assert found["a"] == (pytest.approx((3 * 1 + 2) / (3 * 4 + 3)), None, 0.375)
    assert found["b"] == (0, None, 0)


@pytest.mark.slow
def test_an_exact_board_has_the_rates_of_fractions(tmp_path):
    args = ("--entry", "random", "--entry", "first", "--exact", "--json")
    found = json.loads(run(tmp_path, "tournament", *args).stdout)
    (row,) = (row for row in found["leaderboard"] if row["entry"] == "random")

    def first(board):
        return {min(i for i in range(9) if board[i] == "."): 1}

    one, two = match(anyhow, first), match(first, anyhow)
    moves = one["first_moves"] + two["second_moves"]
    rate = (one["first_blunders"] + two["second_blunders"]) / moves
    assert row["blunder_rate"] == pytest.approx(float(rate), abs=1e-12)

"""Entries that fail too often stand below the line, and the others are rated as if these were not there."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import arena
from arena.show.page import page
from arena.show.page.event import Event
from arena.show.page.standings import Standings
from page_data import data_of

SOUND = ["random", "greedy", "first"]


class Breaks(arena.Agent):
    """Crashes."""

    def choose(self, state, moves, rng):
        raise ValueError("no idea")


class Cheats(arena.Agent):
    """Makes illegal moves, except in the middle of a match."""

    def choose(self, state, moves, rng):
        return moves[0] if len(moves) == 5 else -7


class Slips(arena.Agent):
    """Makes illegal moves once the opponent has made another move than the first of all."""

    def choose(self, state, moves, rng):
        expected = {8: 0, 7: 1}.get(len(moves))
        return -7 if expected in moves else moves[0]


class Moody(arena.Learner):
    """Learns nothing, and crashes with seed 1."""

    episodes: int = arena.option(1, "how many", low=1)

    def learn(self, episode, rng):
        return 0

    def model(self):
        return {"seed": np.array([self.seed])}

    def recall(self, model):
        pass

    def choose(self, state, moves, rng):
        if self.seed == 1:
            raise ValueError("not today")
        return moves[rng.below(len(moves))]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_COMPILED", "0")


def play(entries, **settings):
    settings = {"game": "tic-tac-toe", "rounds": 6, "seed": 1, "db": "arena.db", **settings}
    return arena.tournament(entries, executor="serial", progress=False, **settings)


def why(board):
    return {one.entry: one.why for one in board.unrated}


def test_the_others_are_rated_as_in_a_tournament_without_the_failing_entries():
    both = play([*SOUND, Breaks, Cheats])
    alone = play(SOUND, db="alone.db").leaderboard
    # Elo is updated match by match as played, so it knows of all opponents
    rated = [[replace(row, elo=None) for row in board.rows] for board in (both.leaderboard, alone)]
    assert rated[0] == rated[1]
    forfeits = sum(one.entry == "cheats" for one in both.forfeits)
    pairings = [row for row in both.pairings if "cheats" in (row.first, row.second)]
    played = sum(row.matches - row.unplayed for row in pairings)
    assert played / 2 < forfeits
    assert why(both.leaderboard) == {
        "breaks": "withdrawn after 3 crashes",
        "cheats": f"forfeited {forfeits} of {played} matches",
    }


def test_other_rating_systems_do_not_get_their_matches():
    play([*SOUND, Breaks])
    play(SOUND, db="alone.db")
    both, alone = (arena.leaderboard(rating="elo", db=db)[0] for db in ("arena.db", "alone.db"))
    assert [(row.entry, row.rating) for row in both.rows] == [(row.entry, row.rating) for row in alone.rows]
    assert why(both) == {"breaks": "withdrawn after 3 crashes"}


def test_what_is_below_the_line_are_all_its_matches():
    found = play([*SOUND, Breaks])
    (one,) = found.leaderboard.unrated
    assert (one.matches, one.wins, one.draws, one.losses, one.forfeits) == (3, 0, 0, 3, 3)
    assert one.unplayed == 6 * 2 * len(SOUND) - 3
    assert one.score == 0
    rated = sum(row.matches for row in found.pairings if "breaks" not in (row.first, row.second))
    assert f"3 of {rated + 3} matches are with entries that are not rated, and are ignored." in (
        found.leaderboard.notes
    )


def test_copies_count_in_the_share_of_forfeits():
    """Of its matches against `first` all are alike, and it forfeits most of those against `random`."""
    found = play(["first", "random", Slips], rounds=10)
    forfeits = sum(one.entry == "slips" for one in found.forfeits)
    played = [row for row in found.pairings if "slips" in (row.first, row.second)]
    apart = sum(row.matches - row.copies for row in played)
    assert apart / 2 < forfeits <= sum(row.matches for row in played) / 2
    assert why(found.leaderboard) == {}


def test_if_all_but_one_fail_all_are_rated():
    found = play(["random", Breaks, Cheats])
    assert len(found.leaderboard.rows) == 3
    assert found.leaderboard.unrated == []
    assert (
        "Withdrawn for repeated failures: breaks; unplayed matches are not rated." in found.leaderboard.notes
    )


def test_who_met_only_failing_entries_is_not_rated_either():
    play(["random", "first"])
    play(["greedy", Breaks])
    (board,) = arena.leaderboard()
    assert {row.entry for row in board.rows} == {"random", "first"}
    assert why(board) == {
        "breaks": "withdrawn after 3 crashes",
        "greedy": "met only entries that are not rated",
    }


@pytest.mark.slow
def test_exact_results_with_failing_entries_are_left_out_too():
    both = play([*SOUND, Cheats], exact=True, keep_going=True).leaderboard
    alone = play(SOUND, exact=True, db="alone.db").leaderboard
    assert both.rows == alone.rows
    (one,) = both.unrated
    assert re.match(r"forfeits \d+ % of its matches: ", one.why)
    assert one.forfeits > one.matches / 2
    assert "6 of 12 pairings are with entries that are not rated, and are ignored." in both.notes


def test_a_learner_is_not_rated_if_one_of_its_seeds_is_withdrawn():
    both = play([*SOUND, partial(Moody, seeds=3)]).leaderboard
    alone = play(SOUND, db="alone.db").leaderboard
    assert [(row.entry, row.rating, row.low, row.high) for row in both.rows] == [
        (row.entry, row.rating, row.low, row.high) for row in alone.rows
    ]
    (one,) = both.unrated
    assert (one.entry, one.why) == ("moody:seeds=3", "1 of 3 seeds withdrawn after 3 crashes")
    assert one.matches + one.unplayed == 3 * 6 * 2 * len(SOUND)


def test_entries_that_could_not_play_are_named():
    with open("broken.py", "w", encoding="utf-8") as file:
        file.write("import arena\nthis is no Python\n")
    found = play(["random", "first"], agents=["broken.py"])
    (one,) = found.leaderboard.unrated
    assert one.entry == "broken.py"
    assert one.why.startswith("could not play: ")
    assert (one.matches, one.score) == (0, None)


def test_an_anchor_that_is_not_rated_is_refused():
    play([*SOUND, Breaks])
    with pytest.raises(arena.ArenaError, match="withdrawn after 3 crashes; name an entry that is rated"):
        arena.leaderboard(rating="maximum-likelihood:anchor=breaks")


def test_a_score_that_contradicts_the_rating_is_explained():
    """Matches of `first` with the strongest are copies, so fewer of its losses count than of the weakest."""
    board = play(["random", "first", "greedy", "minimax:depth=2,ties=first"], rounds=5).leaderboard
    rows = {row.entry: row for row in board.rows}
    assert rows["greedy"].rank + 1 == rows["first"].rank
    greedy, first = ((row.wins + row.draws / 2) / row.matches for row in (rows["greedy"], rows["first"]))
    assert (rows["greedy"].score, rows["first"].score) == (greedy, first)
    assert greedy < first
    assert (
        "Ratings account for unequal numbers of matches per opponent, scores do not: "
        f"greedy with {100 * greedy:.1f} % is above first with {100 * first:.1f} %."
    ) in board.notes


def test_where_all_meet_equally_often_no_score_is_explained():
    board = play(SOUND, rounds=3).leaderboard
    assert {row.matches for row in board.rows} == {12}
    assert not [note for note in board.notes if note.startswith("Ratings account")]


def test_every_export_has_them():
    found = play([*SOUND, Breaks])
    (reason,) = why(found.leaderboard).values()
    boards = arena.leaderboard()
    table, below = boards.markdown().split("\n---\n")
    assert "breaks" not in table
    assert f"| breaks | {reason} |" in below
    *rated, last = csv.DictReader(io.StringIO(boards.csv()))
    assert [row["why"] for row in rated] == [""] * 3
    assert (last["entry"], last["rank"], last["rating"], last["why"]) == ("breaks", "", "", reason)
    *rated, last = boards.to_dicts()
    assert all(row["rating"] for row in rated)
    assert (last["entry"], last["rank"], last["rating"], last["why"]) == ("breaks", None, None, reason)
    said = found.to_dict()
    assert [row["entry"] for row in said["leaderboard"]] == [row["entry"] for row in rated]
    assert [(one["entry"], one["why"]) for one in said["unrated"]] == [("breaks", reason)]
    above, below = str(found).split("-" * 20)
    assert "breaks" not in above.replace("Breaks", "")
    assert reason in below


def test_a_page_has_them_below_the_table_and_outside_of_its_scale():
    board = play([*SOUND, Breaks]).leaderboard
    shown = Standings(Event(board))
    assert len(shown.rows) == 3
    assert shown.most == max(row.high or row.rating for row in board.rows)
    text = page([Event(board)])
    body = re.search(r'<tbody class="unrated">(.*?)</tbody>', text, re.DOTALL)[1]
    assert "withdrawn after 3 crashes; won 0, drew 0, lost 3 of 3, 3 forfeited; 33 unplayed" in body
    arena.leaderboard(html="page.html")
    with open("page.html", encoding="utf-8") as file:
        data = data_of(file.read())
    assert data[0]["names"] == [*(row.entry for row in board.rows), "breaks"]
    assert any(data[0]["names"].index("breaks") in match["seats"] for match in data[0]["matches"])


def test_tables_of_who_beat_whom_have_them_last():
    play([*SOUND, Breaks])
    lines = str(arena.tournaments.show(1)).splitlines()
    assert any(re.match(r"4 +breaks\b", line) for line in lines)


def test_standings_that_are_watched_have_them():
    play([*SOUND, Breaks])
    (said,) = map(str, arena.watch(1))
    assert "withdrawn after 3 crashes" in said.split("-" * 20)[1]

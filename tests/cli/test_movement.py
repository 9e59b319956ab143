"""No command stands still: within a second a terminal says what it is at, and nothing of that is left."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

import arena
from arena.show.display import SPINNER
from commands import arena as command
from recording import recorded
from tiers import slow, tiers

SLOW = """
import time
from arena import Agent, Learner, View, hookimpl, option

class Slow(Agent):
    '''Waits before each move.'''

    def choose(self, state, moves, rng):
        time.sleep(0.6)
        return rng.choice(moves)

    def begin(self, seat):
        pass

class Telling(Slow):
    '''Says what it thinks, in its time.'''

    def distribution(self, state, moves):
        time.sleep(0.001)
        return [1.0 / len(moves)] * len(moves)

    def explain(self, state, moves):
        time.sleep(0.3 * len(moves))
        return [View({"score": 0}) for _ in moves]

class SlowLearner(Learner):
    '''Waits before it has learned.'''

    episodes: int = option(4, "how many", low=1)

    def learn(self, episode, rng):
        time.sleep(0.5)
        return 0

    def choose(self, state, moves, rng):
        return moves[0]

    def model(self):
        return {"nothing": [0]}

    def recall(self, arrays):
        pass

@hookimpl
def register_agents(register):
    register("slow", "slow:Slow")
    register("telling", "slow:Telling")
    register("slow-learner", "slow:SlowLearner")
"""
LONG = {
    "tournament --entry slow --entry first --rounds 1 --workers 1": "Tournament 2",
    "match slow first --matches 2 --workers 1": "slow v first",
    "train slow-learner --retrain": "Training slow-learner",
    "train slow-learner --curve q.csv --points 1 --seeds 1 --matches 1": "Curve of slow-learner",
    "match telling first --exact": "Evaluating 2 entries",
    "explain telling": "Asking telling",
    "check slow --matches 1": "Checking slow",
    "replay 1 1 --all --explain telling": "Scoring the moves",
    "debug 1 1 --no-debugger": "Replaying the match",
}


def words(line):
    return line.split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, plugin):
    """A recorded match of one who is slow; and the environment it is found in."""
    folder, env = tmp_path_factory.mktemp("movement"), plugin(slow=SLOW)
    command(folder, *words("tournament --entry slow --entry first --rounds 1 --seed 1"), **env)
    return folder, env


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "what"),
    tiers(
        LONG.items(),
        quick=["tournament --entry slow --entry first --rounds 1 --workers 1"],
        slow=[
            "match slow first --matches 2 --workers 1",
            "train slow-learner --curve q.csv --points 1 --seeds 1 --matches 1",
            "explain telling",
            "replay 1 1 --all --explain telling",
        ],
    ),
    ids=LONG,
)
def test_a_long_command_says_what_it_is_at_and_moves(folder, line, what):
    seen = recorded(folder[0], *line.split(), **folder[1])
    assert seen.status == 0, seen.text
    assert what in "\n".join(seen.moved)
    assert "0:01" in "\n".join(seen.moved)  # the clock of what takes longer than a second
    assert len({turn for frame in seen.moved for turn in SPINNER if turn in frame}) > 4
    assert not any(turn in seen.text for turn in SPINNER)
    assert seen.wrapped == []


@pytest.mark.slow
def test_an_entry_that_thinks_while_you_play_is_seen_to(folder):
    keys = [("X>", "1\n"), ("O plays", "q\n")]
    seen = recorded(folder[0], "play", "slow", keys=keys, **folder[1])
    assert seen.status == 0, seen.text
    assert "slow is thinking" in "\n".join(seen.moved)
    assert "thinking" not in seen.text


@pytest.mark.slow
def test_compiling_is_told_entry_by_entry(tmp_path):
    env = {"ARENA_COMPILED": "1", "ARENA_CACHE": str(tmp_path / "cache")}
    line = "match minimax:depth=2 greedy --game checkers --matches 2 --workers 1"
    seen = recorded(tmp_path, *line.split(), **env)
    told = "\n".join(seen.moved)
    assert seen.status == 0, seen.text
    assert "Compiling checkers" in told
    assert "Compiling checkers, minimax:depth=2 (1 of 2)" in told
    assert "Compiling" not in seen.text


@pytest.mark.slow
def test_machine_code_that_searches_for_long_lets_the_display_move(tmp_path):
    env = {"ARENA_COMPILED": "1"}
    seen = recorded(tmp_path, *words("perft connect-four 12"), **env)
    assert seen.text.endswith("\n12 12418296244")  # as published
    assert len(seen.moved) > 4
    seen = recorded(tmp_path, *words("explain alpha-beta:depth=17 --game connect-four"), **env)
    assert seen.status == 0
    assert len(seen.moved) > 4


# --- standings -----------------------------------------------------------------------------------------

MANY = [
    f"{agent}:depth={depth},ties={ties}"
    for agent in ("minimax", "alpha-beta")
    for depth in range(1, 5)
    for ties in ("first", "random")
]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, *slow(100)])
def test_standings_so_far_are_under_the_bar(folder, columns):
    entries = [part for entry in MANY for part in ("--entry", entry)]
    more = words(f"--entry slow --rounds 1 --seed 1 --db {columns}.db")
    keys = [("more", "\x03")]
    seen = recorded(folder[0], "tournament", *entries, *more, columns=columns, keys=keys, **folder[1])
    assert seen.status == 130, seen.text
    frame = next(frame for frame in seen.moved if "more" in frame)
    lines = frame.splitlines()
    assert re.search(r"Tournament \d+ .*\d+/272", lines[0])
    assert lines[1].split()[:3] == ["#", "entry", "rating"]
    assert re.fullmatch(r"… \d+ more", lines[-1])
    assert len(lines) <= 16
    assert any("Stopping once the work" in frame for frame in seen.moved)
    assert "Stopping" not in seen.text
    assert "^C" not in seen.text
    assert not any(turn in seen.text for turn in SPINNER)
    assert f"resume with: arena tournament --resume 1 --db {columns}.db" in " ".join(seen.text.split())
    assert seen.wrapped == []


@pytest.mark.slow
def test_there_are_no_standings_in_a_pipe(folder):
    typed = words("tournament --entry slow --entry first --rounds 2 --seed 1 --workers 1 --db pipe.db")
    said = command(folder[0], *typed, **folder[1])
    assert said.stdout.count("rating") == 1
    assert "rating" not in said.stderr


@pytest.mark.slow
def test_the_second_ctrl_c_leaves_a_clean_screen(folder):
    typed = words("tournament --entry slow --entry first --rounds 50 --seed 1 --workers 1 --db twice.db")
    keys = [("/100", "\x03"), ("Stopping", "\x03")]
    seen = recorded(folder[0], *typed, keys=keys, **folder[1])
    assert seen.status == 130
    assert seen.text.splitlines() == ["Error: interrupted"]
    assert not seen.cursor.hidden


def test_the_best_are_shown_and_how_many_more_there_are(tmp_path):
    db = tmp_path / "arena.db"
    entries = [f"minimax:depth={n}" for n in range(1, 7)]
    arena.tournament(entries, game="tic-tac-toe", rounds=1, db=db, progress=False, executor="serial")
    found = next(arena.watch(db=db))
    assert len(found.top(7, 80)) == 7
    lines = found.top(5, 80)
    assert len(lines) == 5
    assert lines[-1] == "… 3 more"
    assert found.top(2, 80) == []


@pytest.mark.slow
def test_a_watched_tournament_of_many_fits_the_terminal(tmp_path):
    entries, db = [f"alpha-beta:depth=1,table={n}" for n in range(1, 31)], tmp_path / "arena.db"
    arena.tournament(entries, game="tic-tac-toe", rounds=1, seed=1, db=db, progress=False, executor="serial")
    with closing(sqlite3.connect(db)) as store, store:
        store.execute("UPDATE tournaments SET finished = NULL")
    seen = recorded(tmp_path, "watch", keys=[("more", "\x03")])
    assert seen.status == 130
    lines = next(frame for frame in seen.frames if "more" in frame).splitlines()
    assert lines[0] == "Tournament 1, tic-tac-toe: 870 of 870 matches"
    assert lines[-1] == f"… {30 - (len(lines) - 3)} more"
    assert len(lines) < 24

"""`arena watch`: a tournament that another process plays."""

from __future__ import annotations

import signal
import threading

import pytest

import arena
from arena.calls.results import Leaderboard
from arena.commands.tournament.standings import Standings
from arena.texts import at_the_command_line
from commands import arena as command
from typing_at import end_of, typing_at

SLOW = """
import time
from arena import Agent, hookimpl

class Slow(Agent):
    '''Waits before each move.'''

    def choose(self, state, moves, rng):
        time.sleep(0.02)
        return rng.choice(moves)

@hookimpl
def register_agents(register):
    register("slow", "slow:Slow")
"""
PLAYED = ("tournament", "--entry", "slow", "--entry", "first", "--game", "tic-tac-toe", "--workers", "1")


def begun(launch, tmp_path, rounds, env):
    """A tournament that is being played."""
    running = launch(*PLAYED, "--rounds", str(rounds), **env)
    db = tmp_path / "arena.db"
    for _ in range(600):
        if db.exists():
            try:
                if next(arena.watch(db=db)).played:
                    return running
            except arena.ArenaError:  # it has no tables yet
                pass
        threading.Event().wait(0.1)
    raise AssertionError(running.ended())


@pytest.mark.slow
def test_it_follows_a_running_tournament_and_ends_with_it(tmp_path, launch, plugin):
    running = begun(launch, tmp_path, 30, plugin(slow=SLOW))
    looks = list(arena.watch(db=tmp_path / "arena.db", every=0.2))
    assert running.ended().returncode == 0
    played = [look.played for look in looks]
    assert played == sorted(played)
    assert len(set(played)) > 2
    assert [look.finished for look in looks] == [*[False] * (len(looks) - 1), True]
    assert played[-1] == looks[-1].planned == 60
    assert any(look.fresh for look in looks)
    assert any(look.speed > 0 for look in looks)


@pytest.mark.slow
def test_over_a_pipe_there_is_a_line_now_and_then_and_the_standings_at_the_end(tmp_path, launch, plugin):
    running = begun(launch, tmp_path, 20, plugin(slow=SLOW))
    said = command(tmp_path, "watch").stdout.splitlines()
    assert running.ended().returncode == 0
    assert said[0].startswith("Tournament 1, tic-tac-toe: ")
    assert " of 40 matches" in said[0]
    assert "Tournament 1, tic-tac-toe: 40 of 40 matches, finished" in said
    heads = [line.split()[:2] for line in said if "rating" in line]
    assert heads == [["#", "entry"]]


@pytest.mark.slow
def test_at_a_terminal_it_is_drawn_anew_and_ctrl_c_ends_the_watch_alone(tmp_path, launch, plugin):
    env = plugin(slow=SLOW)
    running = begun(launch, tmp_path, 2000, env)
    child = typing_at(tmp_path, "watch", **env)
    child.expect("1 +slow|1 +first")
    child.send("\x03")
    seen, status = end_of(child)
    assert "Stopped watching; the tournament continues." in seen
    assert "Traceback" not in seen
    assert status == 130
    assert running.process.poll() is None
    running.send(signal.SIGINT)
    running.ended()


@pytest.mark.slow
def test_there_has_to_be_a_tournament(tmp_path):
    told = command(tmp_path, "watch", status=1).stderr
    assert told == "Error: there is no database arena.db; play a tournament first, or use --db\n"


def stands(silent=0.0, finished=False):
    """A tournament in which nobody has played yet."""
    board = Leaderboard("g", [], [])
    return Standings(7, "arena.db", "g", 1, 4, finished, board, {}, frozenset(), 0.5, silent)


def test_a_line_says_what_to_do_if_nothing_happens_any_more():
    assert stands().line() == "Tournament 7, g: 1 of 4 matches, 0.5 matches/s, 6 s left"
    said = "No match for 1 min 30 s; if no process is playing it: {}"
    assert said.format("arena.resume(7)") in stands(silent=90.0).text().splitlines()
    with at_the_command_line():
        assert said.format("arena tournament --resume 7") in stands(silent=90.0).text().splitlines()
        assert "if no process is playing it" not in stands(silent=90.0, finished=True).text()


@pytest.mark.parametrize(("risen", "mark"), [(2, "↑2"), (-1, "↓1"), (0, "·")])
def test_a_mark_says_who_has_moved(risen, mark):
    board = Leaderboard("g", [], [], False, "", 0)
    found = Standings(1, "arena.db", "g", 1, 2, False, board, {"a": risen}, frozenset({"a"}))
    assert (found.mark("a"), found.mark("b")) == (mark, "")

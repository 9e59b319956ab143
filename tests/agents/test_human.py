"""Whoever sits at the terminal plays like any entry: where it is named, in the first process, unhurried."""

from __future__ import annotations

import io
import subprocess
import time
from multiprocessing import active_children

import pytest

import arena
from arena.errors import ArenaError
from arena.plan.entries import all_entries
from arena.registry.plugins import registry
from commands import arena as command
from commands import inside
from typing_at import end_of, typing_at

OPPONENT = """
from arena import Agent

class Last(Agent):
    '''Plays the last move.'''

    def choose(self, state, moves, rng):
        return moves[-1]
"""
ASKING = """
import sys
from arena import Agent, hookimpl

class Asking(Agent):
    '''Takes the numbers of moves from standard input.'''

    interactive = True

    def choose(self, state, moves, rng):
        rng.below(2)
        return moves[int(sys.stdin.readline())]

@hookimpl
def register_agents(register):
    register("asking", "asking:Asking")
"""
WON = "1\n3\n5\n7\n"  # as X against `first`, which plays 2, 4 and 6
QUIET = ("--game", "tic-tac-toe", "--seed", "1")


@pytest.mark.slow
def test_moves_are_read_from_a_pipe_and_the_match_is_recorded(tmp_path):
    done = command(tmp_path, "match", "human", "first", "--matches", "1", "--record", *QUIET, input=WON)
    assert done.stdout.splitlines()[0] == "tic-tac-toe, 1 matches, seed 1, tournament 1 in arena.db"
    assert done.stderr.count("A match of tic-tac-toe: you are X.") == 1
    assert "O plays 2." in done.stderr
    assert "matches/s" not in done.stderr  # no bar beside the board
    found = arena.tournaments.show(1, tmp_path / "arena.db")
    assert [(row.first, row.wins) for row in found.pairings] == [("human", 1)]


@pytest.mark.slow
def test_what_was_played_before_quitting_is_kept(tmp_path):
    done = command(
        tmp_path,
        "match",
        "human",
        "first",
        "--matches",
        "4",
        "--record",
        *QUIET,
        input=WON + "quit\n",
        status=130,
    )
    assert "Stopped after 1 of 4 matches." in done.stderr
    assert "Traceback" not in done.stderr
    assert arena.tournaments.show(1, tmp_path / "arena.db").played == 1


def test_in_a_tournament_it_plays_in_the_first_process_whatever_the_workers(tmp_path):
    entries = ("--entry", "first", "--entry", "human:who=Ann")
    args = ("tournament", *entries, "--rounds", "1", "--workers", "3", *QUIET)
    # as O against `first`: X plays 1, 2, …; O takes 5, 3 and 7, the diagonal
    done = command(tmp_path, *args, input="5\n3\n7\n" + WON)
    found = arena.tournaments.show(1, tmp_path / "arena.db")
    assert found.finished, done.stderr
    assert {(row.first, row.wins, row.losses) for row in found.pairings} == {
        ("human:who=Ann", 1, 0),
        ("first", 0, 1),
    }


@pytest.mark.slow
def test_thinking_is_no_stall_and_the_clock_counts(tmp_path, launch):
    args = ("match", "human", "first", "--matches", "1", *QUIET)
    running = launch(*args, "--stall-seconds", "0.5", stdin=subprocess.PIPE)
    for line in WON.splitlines(keepends=True):
        time.sleep(1)
        running.process.stdin.write(line)
        running.process.stdin.flush()
    done = running.ended()
    assert done.returncode == 0, done.stderr
    assert "forfeit" not in done.stderr
    done = command(tmp_path, *args, "--move-seconds", "0.000001", input=WON, status=1)
    assert "human forfeited 1, the first match 0 by clock" in done.stderr


@pytest.mark.slow
def test_it_plays_against_a_file_that_is_sandboxed(tmp_path):
    (tmp_path / "last.py").write_text(OPPONENT)
    done = command(tmp_path, "match", "human", "last.py", "--matches", "1", *QUIET, input="1\n2\n3\n")
    assert "O plays 9." in done.stderr
    assert "human last.py 1 0 0" in " ".join(done.stdout.split())


def test_where_nobody_names_entries_it_does_not_play():
    known = registry()
    names, _ = all_entries(known.spec("game", "tic-tac-toe").make(), known)
    assert "first" in names
    assert "human" not in names


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            "match human first --isolate",
            "isolate: 'human' plays at the terminal, which the sandbox does not have; "
            "list only other entries: isolate = [...]",
        ),
        (
            "match human first --exact",
            "human plays at the terminal and cannot be evaluated exactly; leave it out, or play matches",
        ),
        (
            "match human first --executor threads",
            "human plays at the terminal, which only the executor 'serial' allows; leave --executor out",
        ),
        (
            "check human --game tic-tac-toe",
            "human plays at the terminal and cannot be checked; play against it: arena match",
        ),
    ],
)
def test_what_cannot_be_is_told_in_one_line(tmp_path, args, said):
    assert inside(tmp_path, *args.split(), status=1).stderr.splitlines()[-1] == f"Error: {said}"


def test_it_does_not_claim_to_run_compiled():
    (found,) = arena.agents("human", game="tic-tac-toe")
    assert (found.facts["compiled"], found.facts["reason"]) == (False, "it plays at the terminal")


def test_in_a_process_without_a_terminal_it_says_so(tmp_path):
    done = command(tmp_path, "train", "q-table:opponent=human,episodes=10", "--game", "tic-tac-toe", status=1)
    assert "human plays at the terminal, which worker processes do not have; enter it" in done.stderr


def test_any_agent_may_be_interactive(tmp_path, plugin):
    env = plugin(asking=ASKING)
    args = ("match", "asking", "first", "--matches", "2", "--workers", "2", *QUIET)
    done = command(tmp_path, *args, input="0\n0\n0\n0\n" * 2, **env)
    assert done.stdout.splitlines()[0] == "tic-tac-toe, 2 matches, seed 1"
    assert "forfeit" not in done.stderr


def test_probabilities_of_what_is_interactive_cannot_be_said():
    from arena_agents.baselines.human import Human
    from arena_games.tic_tac_toe import TicTacToe

    game = TicTacToe()
    assert Human(game).distribution(game.initial(), game.moves(game.initial())) is None
    with pytest.raises(ArenaError, match="plays at the terminal"):
        arena.exact("human", "first", game="tic-tac-toe")


@pytest.mark.slow
def test_at_a_terminal_ctrl_c_ends_the_command_and_keeps_what_was_played(tmp_path):
    child = typing_at(tmp_path, "match", "human", "first", "--matches", "4", "--record", *QUIET)
    for move in WON.split():
        child.expect_exact("X> ")
        child.sendline(move)
    child.expect_exact("you are O")
    child.expect_exact("O> ")
    child.send("\x03")
    seen, status = end_of(child)
    assert "Stopped after 1 of 4 matches." in seen
    assert "Traceback" not in seen
    assert "━" not in seen  # no bar beside the board
    assert status == 130
    assert arena.tournaments.show(1, tmp_path / "arena.db").played == 1
    done = command(tmp_path, "tournament", "--resume", input="5\n3\n7\n" + WON + "5\n3\n7\n")
    assert "4 matches" in done.stdout


def test_a_match_for_python_users_ends_with_ctrl_c_as_any(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(WON + "quit\n"))
    with pytest.raises(KeyboardInterrupt) as raised:
        arena.match("human", "first", game="tic-tac-toe", matches=2, seed=1)
    # what is told of the error holds on to everything, but the opponent's process has ended
    assert raised.traceback
    assert [child for child in active_children() if child.name == "arena-player"] == []

"""`arena play`: a match at the terminal, and over a pipe."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from uuid import uuid4

import pytest

import arena
from arena.storage.database import Store
from commands import arena as command
from running import marked, until
from tiers import slow
from typing_at import end_of, typing_at

# `first` plays the first cell that is free; X on 1, 3, 5, 7 against its 2, 4, 6 has a diagonal
WON = ("1", "3", "5", "7")
FIRST = ("play", "first", "--game", "tic-tac-toe", "--seed", "1")


def typed(*lines):
    return "\n".join(lines) + "\n"


def matches(db):
    """First, second, result, reason, opening and moves of each match in a database."""
    with closing(Store(db)) as store:
        found = [store.whole_match(one.id, number) for one in store.tournaments() for number in [0]]
    return [
        (first, second, result, reason, opening, moves)
        for first, second, result, reason, _, opening, moves, _ in found
    ]


@pytest.mark.slow
def test_a_whole_match_with_undo_and_hint_is_played_at_a_terminal(tmp_path):
    child = typing_at(tmp_path, *FIRST, "--record")
    child.expect_exact("tic-tac-toe: you are X against first; 'help' says what to type.")
    child.expect_exact("X> ")
    child.sendline("hint minimax:ties=first")
    child.expect_exact("minimax:ties=first would play 1.")  # all nine moves draw
    child.sendline("9")
    child.expect_exact("O plays 1.")
    child.expect_exact("X> ")
    child.sendline("u")  # a beginning of undo alone
    child.expect_exact("Taken back: 2 plies.")
    for move, answer in zip(WON, ("2", "4", "6", None), strict=True):
        child.expect_exact("X> ")
        child.sendline(move)
        if answer:
            child.expect_exact(f"O plays {answer}.")
    child.expect_exact("The match is over: you have won, after 7 plies.")
    seen, status = end_of(child)
    assert "Recorded as tournament 1 in arena.db" in seen
    assert status == 0
    assert matches(tmp_path / "arena.db") == [("human", "first", 1, "rules", 0, "1 2 3 4 5 6 7")]
    usage = [
        (row.ply, row.entry, dict(row.amounts)) for row in arena.tournaments.usage(1, tmp_path / "arena.db")
    ]
    assert usage == [(1, "human", {"hints": 1, "undone": 1})]


@pytest.mark.slow
def test_tab_completes_what_is_typed(tmp_path):
    pytest.importorskip("readline")
    child = typing_at(tmp_path, *FIRST)
    child.expect_exact("X> ")
    child.send("hist\t\r")
    child.expect_exact("No move has been played yet.")
    child.expect_exact("X> ")
    child.send("hint mini\t:ties=fi\t\r")
    child.expect_exact("minimax:ties=first would play 1.")
    child.sendline("q")
    assert end_of(child)[1] == 0


@pytest.mark.parametrize("end", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
@pytest.mark.slow
def test_it_is_left_politely(tmp_path, end):
    child = typing_at(tmp_path, *FIRST, "--record")
    child.expect_exact("X> ")
    child.sendline("1")
    child.expect_exact("X> ")
    child.send(end)
    child.expect_exact("You have left the match.")
    seen, status = end_of(child)
    assert "Warning: the match is not over and was not recorded" in seen
    assert "Traceback" not in seen
    assert status == 0
    assert not (tmp_path / "arena.db").exists()


STUBBORN = """
from arena import Agent, hookimpl

class Stubborn(Agent):
    def choose(self, state, moves, rng):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

@hookimpl
def register_agents(register):
    register("stubborn", "stubborn:Stubborn")
"""


@pytest.mark.slow
def test_ctrl_c_is_heard_whatever_the_entry_does(tmp_path, plugin):
    env = plugin(stubborn=STUBBORN)
    child = typing_at(tmp_path, "play", "stubborn", "--game", "tic-tac-toe", **env)
    child.expect_exact("X> ")
    child.sendline("1")
    child.expect_exact("1\r\n")
    time.sleep(0.5)  # it thinks
    child.send("\x03")
    child.expect_exact("You have left the match.")
    assert end_of(child)[1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["stubborn", *slow("loops.py")])
def test_who_thinks_ends_with_who_has_asked_however_that_ends(tmp_path, plugin, entry):
    (tmp_path / "loops.py").write_text(STUBBORN.partition("@hookimpl")[0])
    env = {"MARK": uuid4().hex, **plugin(stubborn=STUBBORN)}
    child = typing_at(tmp_path, "play", entry, "--game", "tic-tac-toe", nohup=True, **env)
    child.expect_exact("X> ")
    child.sendline("1")
    child.expect_exact("1\r\n")
    time.sleep(1)  # it thinks
    assert len(marked(env["MARK"])) > 2
    child.kill(signal.SIGKILL)
    assert until(lambda: not marked(env["MARK"]))


def test_lines_may_come_from_a_pipe(tmp_path):
    done = command(tmp_path, *FIRST, input=typed(*WON))
    assert done.stdout.splitlines()[-1] == "The match is over: you have won, after 7 plies."
    assert done.stderr == ""
    assert [line for line in done.stdout.splitlines() if "> " in line] == [f"X> {move}" for move in WON]


def test_the_end_of_a_pipe_is_no_fault(tmp_path):
    assert command(tmp_path, *FIRST, input="1\n").stdout.splitlines()[-1] == "You have left the match."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "hnit",
            "no move 'hnit' here, did you mean 'hint'?; 'moves' lists the moves, 'help' the commands",
        ),
        ("undo", "you have made no move to take back"),
        ("save no/where.json", "cannot write no/where.json: No such file or directory; name another file"),
        ("explain first", "'first' does not explain its moves"),
        *slow(
            ("h", "'h' may be hint, history, help; type more of it"),
            ("save", "save takes the name of a file: save match.json"),
            ("hint q", "no agent called 'q', did you mean 'psv'?"),
            ("hint human", "human plays at the terminal and cannot give advice; name another entry"),
            ("moves", "1 2 3 4 5 6 7 8 9"),
        ),
    ],
)
def test_what_is_typed_wrong_gets_one_line_that_says_what_to_do(tmp_path, line, said):
    done = command(tmp_path, *FIRST, input=typed(line))
    shown = done.stdout.splitlines()
    assert shown[shown.index("X to move") + 1] == f"X> {line}"
    at = shown.index("X to move") + 2
    if line == "hint q":
        assert shown[at].startswith("no agent called 'q'")
    else:
        assert shown[at] == said
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("first", "--side", "Z"), "no side of tic-tac-toe is called 'Z'; known: X, O, first, second"),
        (("first", "--as", "first"), "first is not played by a person; you play as 'human', or human:who=…"),
        (("human",), "for two people at the terminal, use 'arena match human human'"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(tmp_path, args, said):
    done = command(tmp_path, "play", *args, "--game", "tic-tac-toe", status=1)
    assert done.stderr == f"Error: {said}\n"


@pytest.mark.slow
def test_a_match_is_saved_and_gone_on_with(tmp_path):
    command(tmp_path, *FIRST, input=typed("1", "save m.json"))
    assert json.loads((tmp_path / "m.json").read_text())["moves"] == "1 2"
    done = command(tmp_path, "play", "--from", "m.json", "--record", input=typed(*WON[1:]))
    assert "you have won, after 7 plies" in done.stdout
    # what was saved nobody chose this time
    assert matches(tmp_path / "arena.db") == [("human", "first", 1, "rules", 2, "1 2 3 4 5 6 7")]


def test_the_other_side_is_taken_by_the_games_name_and_a_match_begins_after_moves(tmp_path):
    args = (*FIRST, "--side", "o", "--from", "9 5", "--record", "--as", "human:who=Ann")
    done = command(tmp_path, *args, input=typed("3", "7"))
    # X plays 1, O 3, X 2, O 7: the diagonal 3 5 7
    assert "you have won, after 6 plies" in done.stdout
    assert matches(tmp_path / "arena.db") == [("first", "human:who=Ann", -1, "rules", 2, "9 5 1 3 2 7")]


def test_a_match_from_a_position_is_recorded_with_it(tmp_path):
    args = (*FIRST, "--from", "XX.OO....", "--record")
    done = command(tmp_path, *args, input=typed("3"))
    assert "you have won, after 1 ply" in done.stdout
    assert matches(tmp_path / "arena.db") == [("human", "first", 1, "rules", 0, "3")]
    replay = arena.replay(1, db=tmp_path / "arena.db")
    game = replay.game
    assert [*map(game.position_text, replay.states)] == ["XX.OO....", "XXXOO...."]
    assert arena.verify(tmp_path / "arena.db", executor="serial").agrees


def test_who_resigns_has_lost_and_it_is_recorded_so(tmp_path):
    done = command(tmp_path, *FIRST, "--record", input=typed("1", "resign"))
    assert "The match is over: first has won, because you resigned, after 2 plies." in done.stdout
    assert matches(tmp_path / "arena.db") == [("human", "first", -1, "resignation", 0, "1 2")]
    (pairing,) = arena.tournaments.show(1, tmp_path / "arena.db").pairings
    assert (pairing.losses, pairing.forfeits) == (1, 0)


FAILING = """
from arena import Agent

class Failing(Agent):
    def choose(self, state, moves, rng):
        raise ValueError("worn out")
"""


@pytest.mark.slow
def test_an_entry_that_fails_behind_its_walls_loses_and_its_story_is_kept(tmp_path):
    (tmp_path / "failing.py").write_text(FAILING)
    done = command(tmp_path, "play", "failing.py", "--game", "tic-tac-toe", "--record", input=typed("1"))
    said = (
        "you have won, because it forfeits by crash: ValueError: worn out, at failing.py:6 in choose, after"
    )
    assert said in done.stdout
    (fault,) = arena.tournaments.faults(1, tmp_path / "arena.db").told
    assert (fault.entry, fault.place) == ("failing.py", "failing.py:6 in choose")


CHEATING = """
from arena import Agent

class Cheating(Agent):
    def choose(self, state, moves, rng):
        print("nobody looks")
        return 99
"""


@pytest.mark.parametrize("side", ["X", *slow("O")])
def test_an_entry_that_cheats_loses_and_what_it_printed_is_kept(tmp_path, side):
    (tmp_path / "cheating.py").write_text(CHEATING)
    args = ("play", "cheating.py", "--game", "tic-tac-toe", "--side", side, "--record")
    done = command(tmp_path, *args, input=typed("1"))
    assert "you have won, because it forfeits by illegal move: 99 in " in done.stdout
    (fault,) = arena.tournaments.faults(1, tmp_path / "arena.db").told
    assert fault.printed == "nobody looks\n"


def test_the_same_seed_and_the_same_moves_get_the_same_answers_also_after_undo(tmp_path):
    args = ("play", "random", "--game", "connect-four", "--seed", "7")
    plain = command(tmp_path, *args, input=typed("4", "4", "3"))
    again = command(tmp_path, *args, input=typed("4", "1", "undo", "4", "undo", "4", "3", "history"))
    answers = [line for line in plain.stdout.splitlines() if line.startswith("O plays")]
    history = again.stdout.splitlines()[-2]  # before it is left
    assert history.split()[1::2] == [line.split()[-1].rstrip(".") for line in answers]


@pytest.mark.slow
def test_what_is_no_text_is_told_in_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "arena", *FIRST],
        cwd=tmp_path,
        input=b"\xff\xfe\n",
        capture_output=True,
        timeout=600,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict", "ARENA_COMPILED": "0"},
    )
    assert (done.returncode, done.stderr) == (1, b"Error: the input is not valid utf-8 text\n")

"""`arena.play` and `arena.replay` from Python."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

import arena
from arena import Agent, ArenaError, Game

FIRST = "first"
ADVISING = """
from arena import Agent

class Last(Agent):
    def choose(self, state, moves, rng):
        return moves[-1]
"""


class Steps(Game):
    """Take one or two of five steps; who takes the last one wins."""

    def initial(self):
        return (5, 0)

    def moves(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


class Remembering(Agent):
    """Plays a move by how many it was asked for since the match began."""

    def begin(self, seat):
        self.asked = 0

    def choose(self, state, moves, rng):
        self.asked += 1
        return moves[self.asked % len(moves)]


def played(entry, *moves, **how):
    match = arena.play(entry, progress=False, **how)
    for move in moves:
        match.move(move)
        match.reply()
    return match


def test_a_match_is_played_move_by_move_and_shows_itself():
    match = played(FIRST, "1", "3", game="tic-tac-toe")
    assert match.texts() == ["1", "2", "3", "4"]
    assert str(match) == ("tic-tac-toe: you are X against first\nX O X\nO . .\n. . .\n1 2 3 4\nX to move")
    assert [row["after"] for row in match.to_dicts()][-1] == "XOXO....."
    assert match.to_dict()["ending"] is None
    match.close()


def test_a_class_of_yours_is_played_at_a_game_of_yours():
    # of five steps 1 is taken, and you take 1; asked for the first time it takes 2, and you the last one
    match = played(Remembering, "1", "1", game=Steps, side="second", start="1")
    assert match.texts() == ["1", "1", "2", "1"]
    assert match.said == "you have won, after 4 plies"


def test_an_entry_begins_anew_after_undo():
    match = played(Remembering, "1", game="tic-tac-toe")
    first = match.texts()
    match.undo()
    assert match.texts() == []
    match.move("1")
    match.reply()
    assert match.texts() == first


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda match: match.reply() or match.move("1"), "tic-tac-toe has no move '1' here; known: 3, 4"),
        (lambda match: match.undo() and match.undo(), "you have made no move to take back"),
        (
            lambda match: match.record("arena.db"),
            "the match is not over, and only finished matches are recorded",
        ),
        (lambda match: match.resign() or match.hint(), "the match is over, so there is no move to advise"),
        (lambda match: match.resign() or match.move("5"), "the match is over; use undo to take moves back"),
        (lambda match: match.hint("alpha-beta:depth=x"), "depth"),
    ],
)
def test_what_cannot_be_is_an_error_of_one_line(ask, said):
    with closing(played(FIRST, "1", game="tic-tac-toe")) as match, pytest.raises(ArenaError) as raised:
        ask(match)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_it_is_not_your_turn_while_the_entry_is_to_move():
    match = arena.play(FIRST, game="tic-tac-toe", side="O")
    with pytest.raises(ArenaError, match="it is first's turn; use reply to let it play"):
        match.move("1")
    assert match.reply() == ["1"]


def test_an_adviser_from_a_file_stays_behind_its_walls(tmp_path):
    (tmp_path / "last.py").write_text(ADVISING)
    with closing(played(FIRST, "1", game="tic-tac-toe")) as match:
        assert match.hint(f"{tmp_path}/last.py") == "9"
        pids = [child.process.pid for child in match.children]
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize(("side", "seat"), [(None, 0), ("X", 0), ("o", 1), ("first", 0), ("sec", 1)])
def test_sides_go_by_the_games_names_and_by_their_order(side, seat):
    assert arena.play(FIRST, game="tic-tac-toe", side=side).seat == seat


def test_repetition_draws_as_in_any_match():
    # kings that go to and fro: the third time the same position is there with the same player to move
    match = arena.play(FIRST, game="checkers-4x4", start="B:WK8:BK1")
    game = match.game
    assert game.repetition or game.quiet_plies or game.max_plies
    while match.ending is None:
        match.move(game.move_text(game.moves(match.state)[0]))
        match.reply()
    assert match.ending.reason in ("rules", "repetition", "no capture", "max plies")


def test_a_match_is_recorded_once(tmp_path):
    db = tmp_path / "arena.db"
    match = played(FIRST, "1", "3", "5", "7", game="tic-tac-toe")
    assert match.record(db) == match.record(db) == 1
    assert [row.wins for row in arena.tournaments.show(1, db).pairings] == [1]
    with pytest.raises(ArenaError, match="recorded; start another one"):
        match.undo()


@pytest.mark.slow
def test_a_replay_takes_a_game_of_yours(tmp_path):
    db = tmp_path / "arena.db"
    how = {"db": db, "executor": "serial", "progress": False}
    arena.tournament([FIRST, "random"], game=Steps, rounds=1, seed=1, **how)
    found = arena.replay(db=db, own=[Steps], mistakes=True)
    assert found.states[0] == (5, 0)
    # who may leave three, and does not, gives the win away
    for ply, before in zip(found.plies, found.states, strict=False):
        left = before[0] - int(ply.move)
        assert bool(ply.mistake) == (before[0] % 3 != 0 and left % 3 != 0)

"""What speaks against an order is told; ratings go from an anchor."""

import json
import re

import pytest

import arena
from arena.errors import ArenaError
from commands import arena as command


class Rock(arena.Agent):
    """Loses to paper, beats scissors; `Game` below knows who moves what."""

    def choose(self, state, moves, rng):
        return moves[0] if rng.below(10) < 8 else rng.choice(moves)


class Paper(arena.Agent):
    """Likewise."""

    def choose(self, state, moves, rng):
        return moves[1] if rng.below(10) < 8 else rng.choice(moves)


class Scissors(arena.Agent):
    """Likewise."""

    def choose(self, state, moves, rng):
        return moves[2] if rng.below(10) < 8 else rng.choice(moves)


class Hands(arena.Game):
    """Rock, paper, scissors, one after the other, the second not looking."""

    max_plies = 2

    def initial(self):
        return (-1, -1)

    def moves(self, state):
        if state[1] < 0:
            yield 0
            yield 1
            yield 2

    def play(self, state, move):
        return (move, -1) if state[0] < 0 else (state[0], move)

    def to_move(self, state):
        return 0 if state[0] < 0 else 1

    def value(self, state):
        if state[0] == state[1]:
            return 0
        return 1 if (state[1] - state[0]) % 3 == 1 else -1  # for the second, whose turn it would be


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_cycle_is_named():
    entries = {"Rock": Rock, "Paper": Paper, "Scissors": Scissors}
    arena.tournament(entries, game=Hands, rounds=100, seed=1, executor="serial")
    (board,) = arena.leaderboard(doubts=True)
    assert len(board.doubts.cycles) == 1
    assert board.doubts.cyclic_share > 0.9
    text = str(board)
    (line,) = re.findall(r"^A cycle: .*$", text, re.M)
    pairs = re.findall(r"(\w+) scores (\d+) % against (\w+)", line)
    beats = {("Rock", "Scissors"), ("Scissors", "Paper"), ("Paper", "Rock")}
    assert {(a, b) for a, _, b in pairs} == beats
    assert all(int(score) > 60 for _, score, _ in pairs)
    assert "The pairings do not fit the ratings (Pearson's test, p" in text


def test_of_an_order_that_is_sure_nothing_is_said_but_how_sure():
    arena.tournament(
        ["minimax", "random", "first"], game="tic-tac-toe", rounds=100, seed=1, executor="serial"
    )
    (board,) = arena.leaderboard(doubts=True)
    assert board.doubts.cycles == []
    names = [row.entry for row in board.rows]
    assert list(board.doubts.superiority) == names
    assert board.doubts.superiority[names[0]][-1] > 0.999
    assert "No cycle is certain" in str(board)
    assert arena.leaderboard()[0].doubts is None


def test_ratings_and_intervals_go_from_an_anchor():
    arena.tournament(["minimax", "random", "first"], game="tic-tac-toe", rounds=50, seed=1, executor="serial")
    plain = {row.entry: row for row in arena.leaderboard()[0].rows}
    rows = {row.entry: row for row in arena.leaderboard(anchor=("random", 100))[0].rows}
    assert (rows["random"].rating, rows["random"].low, rows["random"].high) == (100, 100, 100)
    for name, row in rows.items():
        assert row.rating - 100 == pytest.approx(plain[name].rating - plain["random"].rating)
    assert rows["first"].high - rows["first"].low > plain["first"].high - plain["first"].low


def test_an_anchor_that_is_none():
    arena.tournament(["minimax", "random"], game="tic-tac-toe", rounds=5, seed=1, executor="serial")
    with pytest.raises(ArenaError, match="the anchor 'first' is not in the table"):
        arena.leaderboard(anchor=("first", 0))
    with pytest.raises(ArenaError, match="rating system 'elo' takes no anchor"):
        arena.leaderboard(anchor=("random", 0), rating="elo")


@pytest.mark.slow
def test_on_the_command_line(tmp_path):
    words = ("--entry", "random", "--entry", "first", "--game", "tic-tac-toe", "--rounds", "5", "--seed", "1")
    command(tmp_path, "tournament", *words)
    said = command(tmp_path, "leaderboard", "--anchor", "random=0", "--diagnostics").stdout
    assert re.search(r"^\S+ +random +0 ", said, re.M)
    assert "had been reversed" in said
    below = command(tmp_path, "leaderboard", "--diagnostics", "--markdown").stdout.partition("\n\n")[2]
    assert below.splitlines()[-1] in said.splitlines()
    (row,) = (
        row
        for row in json.loads(command(tmp_path, "leaderboard", "--anchor", "random=-5.5", "--json").stdout)
        if row["entry"] == "random"
    )
    assert row["rating"] == -5.5
    row = json.loads(command(tmp_path, "leaderboard", "--diagnostics", "--json").stdout)[0]
    assert set(row["doubts"]) == {"misfit", "cyclic_share", "cycles", "swaps", "superiority"}
    refused = command(tmp_path, "leaderboard", "--diagnostics", "--csv", status=2)
    assert "--diagnostics cannot be written as CSV; use --json" in refused.stderr
    wrong = command(tmp_path, "leaderboard", "--anchor", "random", status=2)
    assert "'random' is not ENTRY=RATING, such as random=0" in wrong.stderr

"""Moves of games that are too large to be enumerated, judged by search; Nim is as Bouton (1901) has it."""

from __future__ import annotations

import json
import random
from functools import reduce
from operator import xor

import pytest

import arena
from arena.analysis.graph import graph_of
from arena.analysis.judging import GraphJudge, Judged, SearchJudge
from arena.compiler import with_compiled_rules
from arena_games.tic_tac_toe import TicTacToe
from commands import arena_compiled as command
from records import query

NIM = """
from arena import Game, hookimpl

class Nim(Game):
    "Six heaps of nine, any number from one of them; who takes the last wins. A million positions and more."
    max_moves = 54
    max_plies = 54
    alternating = True
    def initial(self): return (0x999999, 0)
    def moves(self, state):
        for i in range(6):
            for n in range(1, (state[0] >> 4 * i & 15) + 1):
                yield 10 * i + n
    def play(self, state, move): return (state[0] - (move % 10 << 4 * (move // 10)), 1 - state[1])
    def to_move(self, state): return state[1]
    def value(self, state): return -1

@hookimpl
def register_games(register): register("nim", "nim:Nim")
"""


def judged_by_hand(moves):
    """Of each move of Nim what its position was worth, and what the move gave away."""
    heaps = [9] * 6
    for text in moves.split():
        i, n = divmod(int(text), 10)
        before = 1 if reduce(xor, heaps) else -1
        heaps[i] -= n
        yield before, before - (-1 if reduce(xor, heaps) else 1)


def test_a_plugins_game_is_judged_with_no_code_of_its_own(tmp_path, plugin):
    env = plugin(nim=NIM)
    entries = ("--entry", "random", "--entry", "first")
    command(tmp_path, "tournament", "--game", "nim", *entries, "--rounds", "2", "--seed", "1", **env)
    asked = ("leaderboard", "--blunders", "--nodes", "3000")
    text = " ".join(command(tmp_path, *asked, **env).stdout.split())
    rows = json.loads(command(tmp_path, *asked, "--json", **env).stdout)
    judge = SearchJudge(with_compiled_rules(nim()), 3000)
    given = {"random": [], "first": []}
    sql = "SELECT a.name, b.name, moves FROM matches JOIN entries a ON a.id = first"
    for first, second, moves in query(tmp_path / "arena.db", f"{sql} JOIN entries b ON b.id = second"):
        found = list(judge.moves(moves.split()))
        for ply, (one, hand) in enumerate(zip(found, judged_by_hand(moves), strict=True)):
            assert one in (Judged(ply % 2, *hand), Judged(ply % 2, None, None))
            given[(first, second)[ply % 2]].append(one.given)
    moves = [one for own in given.values() for one in own]
    share = sum(one is not None for one in moves) / len(moves)
    assert 0.2 < share < 1
    assert f"among the {100 * share:.1f} % of moves that a search of 3,000 positions each could judge" in text
    for row in rows:
        own = [one for one in given[row["entry"]] if one is not None]
        assert row["blunder_rate"] == pytest.approx(sum(one > 0 for one in own) / len(own))
        assert row["expected_loss"] == pytest.approx(sum(own) / 2 / 4)


def nim():
    space = {}
    exec(NIM.replace("@hookimpl", ""), space)  # the text of a plugin, here as a class
    return space["Nim"]()


def test_both_judges_say_the_same_where_both_can():
    game = TicTacToe()
    by_graph, by_search = GraphJudge(graph_of(game)), SearchJudge(game, 100_000)
    rng = random.Random(1)
    for _ in range(50):
        state, words = game.initial(), []
        while moves := game.moves(state):
            move = rng.choice(moves)
            words.append(game.move_text(move))
            state = game.play(state, move)
        assert list(by_graph.moves(words)) == list(by_search.moves(words))


def test_it_ends_with_the_first_move_that_the_rules_do_not_know():
    assert list(SearchJudge(TicTacToe(), 100_000).moves(["1", "1", "2"])) == [Judged(0, 0, 0)]


def test_connect_four_replayed_shows_who_lost_where(tmp_path):
    db = str(tmp_path / "c4.db")
    arena.match("first", "random", game="connect-four", matches=2, seed=1, db=db, progress=False)
    replay = arena.replay(match=0, db=db)
    judged = [ply for ply in replay.plies if ply.worth is not None]
    assert judged
    final = replay.plies[-1]
    assert final.worth is not None

"""Moves of games that are too large to be enumerated, judged by search; Nim is as Bouton (1901) has it."""

from __future__ import annotations

import json
import random
from functools import reduce
from itertools import pairwise
from operator import xor

import pytest

import arena
from arena.analysis.graph import graph_of
from arena.analysis.move_grading import GraphJudge, Judged, SearchJudge
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


@pytest.mark.slow
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


ENDINGS = """
from functools import cache
from itertools import combinations

from arena import Endings, Slice, hookimpl

@cache
def heaps(total):
    "All ways to have so many in six heaps, with the numbers they have among these."
    bars = combinations(range(total + 5), 5)
    sizes = [[b - a - 1 for a, b in zip((-1, *cut), (*cut, total + 5))] for cut in bars]
    states = sorted(sum(size << 4 * i for i, size in enumerate(six)) for six in sizes)
    return states, {state: number for number, state in enumerate(states)}

def total(state):
    return sum(state[0] >> 4 * i & 15 for i in range(6))

class NimEndings(Endings):
    "A slice for each number that is left."
    paired = True
    def __init__(self, game, pieces): self.game, self.pieces = game, pieces
    @classmethod
    def of(cls, game, pieces): return cls(game, pieces)
    def slices(self):
        return [Slice(str(n), len(heaps(n)[0]), tuple(range(n))) for n in range(self.pieces + 1)]
    def slice(self, state): return total(state) if total(state) <= self.pieces else -1
    def number(self, state): return heaps(total(state))[1][state[0]]
    def position(self, slice, number): return (heaps(slice)[0][number], 0)

@hookimpl
def register_endings(register): register("nim", "nim:NimEndings")
"""


@pytest.mark.slow
def test_a_plugins_endings_are_known_without_search(tmp_path, plugin):
    """Nim's last six are, and what leads there to a loss: a search of one position finds no more."""
    env = plugin(nim=NIM + ENDINGS) | {"ARENA_ENDINGS": str(tmp_path / "endings")}
    entries = ("--entry", "random", "--entry", "first")
    command(tmp_path, "tournament", "--game", "nim", *entries, "--rounds", "5", "--seed", "1", **env)
    command(tmp_path, "endings", "nim", "--pieces", "6", **env)
    text = " ".join(command(tmp_path, "leaderboard", "--blunders", "--nodes", "1", **env).stdout.split())
    lines = [line for (line,) in query(tmp_path / "arena.db", "SELECT moves FROM matches")]
    known = [[is_known(heaps) for heaps in heaps_of(line)] for line in lines]
    judged = sum(before and after for each in known for before, after in pairwise(each))
    share = judged / sum(len(each) - 1 for each in known)
    assert 0 < share < 1
    assert (
        f"among the {100 * share:.1f} % of moves that a search of 1 positions each and endings of up to 6"
        in text
    )


def heaps_of(moves):
    """The heaps before each move of Nim, and at the end."""
    heaps = [9] * 6
    yield list(heaps)
    for text in moves.split():
        i, n = divmod(int(text), 10)
        heaps[i] -= n
        yield list(heaps)


def is_known(heaps):
    """Whether six or fewer are left, or a move leads to such a position that is lost."""
    total, odd = sum(heaps), reduce(xor, heaps)
    taken = [size - (size ^ odd) for size in heaps if size ^ odd < size]
    return total <= 6 or any(total - n <= 6 for n in taken)


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


@pytest.mark.slow
def test_connect_four_replayed_shows_who_lost_where(tmp_path):
    db = str(tmp_path / "c4.db")
    arena.match("first", "random", game="connect-four", matches=2, seed=1, db=db, progress=False)
    replay = arena.replay(match=0, db=db)
    judged = [ply for ply in replay.plies if ply.worth is not None]
    assert judged
    final = replay.plies[-1]
    assert final.worth is not None

"""The agents that search: values, ties, budgets, evaluations."""

from __future__ import annotations

import math
import sqlite3

import pytest

from arena import Rng
from arena.api.game import Game
from arena.compiler import with_compiled_rules
from arena.registry.plugins import registry
from arena.rng import derive
from arena_games.tic_tac_toe import TicTacToe
from commands import arena_compiled as arena
from searching import agent, game_called, positions, value_of
from tiers import slow, tiers

DEPTHS = {"tic-tac-toe": 9, "connect-four": 4, "checkers": 3, "checkers-4x4": 4}


def scores(player, n: int) -> list[float]:
    """What the agent found of each move when it chose last."""
    return getattr(player, "search", player).scores[:n].tolist()


@pytest.mark.parametrize("name", DEPTHS)
@pytest.mark.slow
def test_minimax_and_alpha_beta_find_the_value_that_is_defined(name):
    game = game_called(name)
    depth = min(DEPTHS[name], 4)
    full = agent(f"minimax:depth={depth},wins=soonest", game)
    cut = agent(f"alpha-beta:depth={depth}", game)
    for state in positions(game, 30):
        moves = game.moves(state)
        expected = [value_of(game, state, move, depth) for move in moves]
        full.choose(state, moves, Rng(1))
        assert scores(full, len(moves)) == expected
        move = cut.choose(state, moves, Rng(1))
        assert max(scores(cut, len(moves))) == max(expected)
        assert expected[moves.index(move)] == max(expected)


@pytest.mark.parametrize("name", tiers(DEPTHS, slow=["tic-tac-toe", "checkers"]))
def test_alpha_beta_and_minimax_choose_moves_of_equal_value_in_ten_thousand_positions(name):
    """With ordering, transpositions of equal depth and deepening, alone or together, the value stays."""
    game, depth = game_called(name), DEPTHS[name]
    full = agent(f"minimax:depth={depth},wins=soonest", game)
    ways = [
        agent(f"alpha-beta:depth={depth},{way}", game)
        for way in (
            "ordering=false",
            "ordering=false,ties=first",
            "ordering=true",
            "ordering=false,table=20000",
            "ordering=true,table=20000,deepening=true",
        )
    ]
    for number, state in enumerate(positions(with_compiled_rules(game), 10_000)):
        moves = game.moves(state)
        full.choose(state, moves, Rng(number))
        expected = scores(full, len(moves))
        cut = ways[number % len(ways)]
        cut.begin(0)
        move = cut.choose(state, moves, Rng(number))
        assert expected[moves.index(move)] == max(expected)
        assert max(scores(cut, len(moves))) == max(expected)
    assert number == 9_999


@pytest.mark.slow
def test_the_whole_game_of_tic_tac_toe_is_a_draw():
    game = game_called("tic-tac-toe")
    for text in (
        "minimax",
        "alpha-beta",
        "alpha-beta:table=5000,deepening=true",
        "alpha-beta:ordering=false",
    ):
        player = agent(text, game)
        player.choose(game.initial(), game.moves(game.initial()), Rng(1))
        found = scores(player, 9)
        assert max(found) == 0
        if text == "minimax":
            assert found == [0] * 9


@pytest.mark.parametrize("text", ["alpha-beta:depth=3", "alpha-beta:depth=3,deepening=true,table=1000"])
@pytest.mark.slow
def test_ties_are_broken_evenly_among_all_best_moves_or_by_the_first(text):
    """In connect four without evaluation, all seven first moves are worth as much at depth 3."""
    game = game_called("connect-four")
    moves = game.moves(game.initial())
    player = agent(f"{text},evaluation=none", game)
    times = [0] * 7
    for seed in range(2100):
        times[player.choose(game.initial(), moves, Rng(derive(seed)))] += 1
    assert all(abs(count - 300) < 5 * math.sqrt(300 * 6 / 7) for count in times)
    first = agent(f"{text},evaluation=none,ties=first", game)
    rng = Rng(1)
    assert first.choose(game.initial(), moves, rng) == moves[0]
    assert rng.stream[1] == 0


@pytest.mark.slow
def test_of_two_wins_the_shorter_is_played():
    """X wins at once with 7, and in three plies with 3; ties by the first move would show the difference."""
    game = game_called("tic-tac-toe")
    state = game.read_position("XO.XO....")
    moves = game.moves(state)
    assert game.move_text(agent("alpha-beta:ties=first", game).choose(state, moves, Rng(1))) == "7"
    found = agent("minimax:wins=any", game)
    found.choose(state, moves, Rng(1))
    won = {game.move_text(m) for m, v in zip(moves, scores(found, len(moves)), strict=True) if v > 0}
    assert "7" in won


@pytest.mark.parametrize("nodes", [1, 10, 1000, 30_000])
@pytest.mark.slow
def test_a_budget_of_nodes_is_kept_and_used(nodes):
    game = game_called("checkers")
    player = agent(f"alpha-beta:nodes={nodes}", game)
    again = agent(f"alpha-beta:nodes={nodes}", game)
    for state in positions(game, 20):
        moves = game.moves(state)
        move = player.choose(state, moves, Rng(3))
        assert player.search.visited <= nodes + 1
        assert again.choose(state, moves, Rng(3)) == move
    if nodes == 30_000:
        state = game.initial()
        player.choose(state, game.moves(state), Rng(3))
        assert player.search.visited > nodes // 2


@pytest.mark.slow
def test_a_search_that_has_seen_the_end_of_every_line_does_not_use_up_its_budget():
    game = game_called("tic-tac-toe")
    player = agent("alpha-beta:nodes=100000000", game)
    state = game.read_position("XOX.O....")
    player.choose(state, game.moves(state), Rng(1))
    assert player.search.visited < 2000


@pytest.mark.slow
def test_a_budget_of_seconds_ends_a_search_that_would_take_forever():
    game = game_called("connect-four")
    player = agent("alpha-beta:seconds=0.05", game)
    assert player.choose(game.initial(), game.moves(game.initial()), Rng(1)) in range(7)
    assert player.search.stopped


@pytest.mark.slow
def test_deeper_values_may_stand_for_shallower_ones_where_that_is_asked_for():
    """The table then saves more, and what it saves is seen in the positions visited."""
    game = game_called("connect-four")
    visited = {}
    for deeper in ("false", "true"):
        player = agent(f"alpha-beta:depth=9,table=200000,deeper={deeper},deepening=true", game)
        total = 0
        state = game.initial()
        for _ in range(6):
            move = player.choose(state, game.moves(state), Rng(1))
            total += player.search.visited
            state = game.play(state, move)
        visited[deeper] = total
    assert visited["true"] != visited["false"]


@pytest.mark.slow
def test_alpha_beta_finds_a_shot_in_checkers():
    """Black gives one man and takes three: 15-19 24x15 10x19x26 ... seen from depth 3 on."""
    game = game_called("checkers")
    state = game.read_position("B:W24,23,30:B10,15,6")
    found = {move: value_of(game, state, move, 5) for move in game.moves(state)}
    player = agent("alpha-beta:depth=5", game)
    assert found[player.choose(state, game.moves(state), Rng(1))] == max(found.values())


# --- evaluations ----------------------------------------------------------------------------------------


def judged(name: str, position: str, text: str) -> float:
    """An evaluation of a position in which a search begins."""
    game = game_called(name)
    state = game.read_position(position)
    made = registry().spec("evaluation", text).make(game)
    made.root(state)
    return made.evaluate(state)


@pytest.mark.parametrize(
    ("name", "position", "text", "expected"),
    [
        ("checkers", "B:W21,22,30:B1,2,12", "piece-and-board", 0),
        # men of black beyond 16 and of white up to 16 are in the enemy's half: 5 + 7 + 10 against 5
        ("checkers", "B:W30:B1,17,K5", "piece-and-board", 17),
        ("checkers", "W:W30:B1,17,K5", "piece-and-board", -17),
        ("checkers", "W:W16,K9:B1", "piece-and-board", 12),
        ("checkers", "B:W30:B1,17,K5", "piece-and-board:man=1,advanced=2,king=4", 6),
        # two kings on the corners of a square of 3 by 3 from one king: 3 * sqrt 2 and 3 * sqrt 2
        ("checkers-4x4", "B:WK8:BK1", "piece-and-board", 0),
        ("checkers-4x4", "B:WK8:BK1,K3", "piece-and-board", -(3 * math.sqrt(2) + math.sqrt(8))),
        ("checkers-4x4", "W:WK8:BK1,K3", "piece-and-board", 3 * math.sqrt(2) + math.sqrt(8)),
        ("checkers-4x4", "B:WK8:BK1,K3", "piece-and-board:sum-of-dist=false", 10),
        ("checkers", "B:W30:B1,17,K5", "material", 0),  # nothing has changed since the search began
        ("checkers", "B:W30:B1,17,K5", "own", 3),
        ("checkers", "B:W30:B1,17,K5", "none", 0),
    ],
)
def test_evaluations_worked_by_hand(name, position, text, expected):
    assert judged(name, position, text) == pytest.approx(expected, abs=1e-12)


def test_material_is_the_change_since_the_search_began():
    game = game_called("checkers")
    made = registry().spec("evaluation", "material").make(game)
    made.root(game.read_position("W:W30,K9:B1,17"))
    # black, to move now, has lost a man: from 2 against 3 to 1 against 3
    assert made.evaluate(game.read_position("B:W30,K9:B17")) == -1
    assert made.evaluate(game.read_position("W:W30,K9:B17")) == 1


@pytest.mark.parametrize("text", ["piece-and-board", "material", "piece-and-board:sum-of-dist=false"])
@pytest.mark.parametrize("name", ["checkers", "checkers-4x4"])
@pytest.mark.slow
def test_a_search_with_an_evaluation_finds_the_value_that_is_defined(name, text):
    game = game_called(name)
    made = registry().spec("evaluation", text).make(game)
    player = agent(f"alpha-beta:depth=3,table=1000,evaluation=({text})", game)
    for state in positions(game, 60, seed=2):
        made.root(state)
        moves = game.moves(state)
        expected = [value_of(game, state, move, 3, made.evaluate) for move in moves]
        player.choose(state, moves, Rng(1))
        assert max(scores(player, len(moves))) == pytest.approx(max(expected), rel=1e-12)


@pytest.mark.slow
def test_a_game_without_an_evaluation_of_its_own_counts_every_position_as_even():
    class Bare(TicTacToe):
        evaluate = Game.evaluate

    game = Bare()
    assert "evaluation" not in game.capabilities
    player = registry().spec("agent", "alpha-beta:depth=1").make(game)
    player.choose(game.initial(), game.moves(game.initial()), Rng(1))
    assert max(scores(player, 9)) == 0


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("alpha-beta:evaluation=piece-and-board", "piece-and-board needs enemy_half, which connect-four"),
        *slow(
            ("greedy:evaluation=material", "material needs enemy_half"),
            ("alpha-beta:evaluation=mobility", "no evaluation called 'mobility'"),
            ("alpha-beta:deeper=true", "table"),
            (
                "alpha-beta:depth=500",
                "option 'depth' of alpha-beta takes a whole number from 0 to 127, not '500'",
            ),
        ),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line_before_anything_is(tmp_path, entry, said):
    error = arena(tmp_path, "match", entry, "random", "--game", "connect-four", status=1).stderr
    assert said in error
    assert error.count("\n") == 1


def test_plain_games_are_searched_by_the_same_source():
    """Nim with two heaps, positions not flat tuples of ints: who takes the last coin wins."""

    class Nim(Game):
        max_plies = 12

        def initial(self):
            return "3 5 first"

        def moves(self, state):
            a, b, _ = state.split()
            return [(h, k) for h, heap in enumerate((a, b)) for k in range(1, int(heap) + 1)]

        def play(self, state, move):
            *heaps, side = state.split()
            heaps[move[0]] = str(int(heaps[move[0]]) - move[1])
            return f"{heaps[0]} {heaps[1]} {'second' if side == 'first' else 'first'}"

        def to_move(self, state):
            return int(state.endswith("second"))

        def value(self, state):
            return -1

    game = Nim()
    assert not game.flat
    for text in ("minimax:depth=8", "alpha-beta:depth=8", "alpha-beta:depth=8,table=1000,deepening=true"):
        player = registry().spec("agent", text).make(game)
        assert player.choose(game.initial(), game.moves(game.initial()), Rng(1)) == (1, 2)  # leaves 3 and 3


@pytest.mark.slow
def test_an_evaluation_of_somebody_elses_is_an_option(tmp_path, plugin):
    """One that likes moves on the right: the agent plays there."""
    env = plugin(
        leaning="""
from arena import Evaluation, hookimpl, option

class Right(Evaluation):
    "Coins in the rightmost column."
    weight: float = option(1.0, "worth of a coin there")

    def evaluate(self, state):
        own, coins = state
        column = 63 << 42
        return self.weight * ((own & column).bit_count() - ((own ^ coins) & column).bit_count())

@hookimpl
def register_evaluations(register):
    register("right", "leaning:Right")
"""
    )
    args = ("--game", "connect-four", "--matches", "2", "--seed", "1", "--record")
    entry = "alpha-beta:depth=1,evaluation=(right:weight=2),ties=first"
    arena(tmp_path, "match", entry, "first", *args, **env)

    (moves,) = (
        sqlite3.connect(tmp_path / "arena.db")
        .execute("select moves from matches where number = 0")
        .fetchone()
    )
    assert moves.split()[::2][:3] == ["7", "7", "7"]

"""Perfect play: what it loses, by exact evaluation, and what it plays, by other programs."""

from __future__ import annotations

import pytest

import arena
from arena import ArenaError, Rng
from arena_agents.search.perfect import Perfect
from arena_games.checkers.game_8x8 import Checkers
from arena_games.connect_four import ConnectFour
from commands import arena as command
from tiers import slow, tiers

# of 12 plies each: a move that keeps the best value, and whether the player to move wins, by BitBully 0.0.79
LINES = {"766111427771": 1, "762222421243": 1, "634422434624": -1, "532144764564": 0, "662774643354": -1}


@pytest.mark.parametrize("game", ["tic-tac-toe", *slow("checkers-4x4")])
def test_it_loses_nothing(game):
    """`exact` solves games by itself; by hand nobody plays worse than always losing what is drawn."""
    lost = arena.exact("perfect", "random", game=game, progress=False).against_perfect
    assert lost["perfect"].expected_loss == pytest.approx(0, abs=1e-12)
    assert 0.1 < lost["random"].expected_loss <= 0.75


@pytest.mark.slow
def test_epsilon_is_a_ladder_down_to_random():
    losses = [
        arena.exact(f"perfect:epsilon={epsilon}", "random", game="tic-tac-toe", progress=False)
        .against_perfect[f"perfect:epsilon={epsilon}" if epsilon < 1 else "perfect:epsilon=1"]
        .expected_loss
        for epsilon in (0.1, 0.3, 0.6, 1)
    ]
    random = arena.exact("random", "first", game="tic-tac-toe", progress=False).against_perfect["random"]
    assert losses == sorted(losses)
    assert losses[0] > 0.01
    assert losses[-1] == pytest.approx(random.expected_loss, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("line", tiers(LINES, quick=["766111427771", "762222421243", "532144764564"]))
def test_connect_four_by_its_solver(line):
    """A move keeps a win or a draw if the solver, checked against BitBully elsewhere, says so."""
    game = ConnectFour()
    state = game.read_position(line)
    agent, moves = Perfect(game, memory=8), game.moves(state)
    worth = {move: -arena.solve("connect-four", f"{line}{move + 1}", memory=8).value for move in moves}
    assert max(worth.values()) == LINES[line]
    agent.rate(state, moves)
    assert [agent.scores[i] for i in range(len(moves))] == [worth[move] for move in moves]
    chosen = {agent.choose(state, moves, Rng(seed)) for seed in range(40)}
    assert chosen == {move for move in moves if worth[move] == LINES[line]}
    first = Perfect(game, memory=8, ties="first").choose(state, moves, Rng(1))
    assert first == next(move for move in moves if worth[move] == LINES[line])
    shares = agent.distribution(state, moves)
    assert shares == [(worth[move] == LINES[line]) / len(chosen) for move in moves]


def test_from_the_first_move_it_knows_where_to_begin():
    """Connect four is won from the middle, drawn beside it, lost elsewhere (Allen, Allis 1988)."""
    game = ConnectFour()
    agent, moves = Perfect(game, memory=8), game.moves(game.initial())
    agent.rate(game.initial(), moves)
    assert dict(zip(moves, agent.scores, strict=False)) == {3: 1, 2: 0, 4: 0, 1: -1, 5: -1, 0: -1, 6: -1}


@pytest.mark.slow
def test_a_game_that_a_search_may_not_end_takes_a_budget(tmp_path):
    done = command(tmp_path, "match", "perfect", "random", "--game", "checkers", status=1)
    assert "checkers has no solver, and a search may not end; set nodes=N; " in done.stderr
    game = Checkers()
    won = game.read_position("B:W30:BK14,K23")
    agent, moves = Perfect(game, nodes=20_000), game.moves(won)
    agent.rate(won, moves)
    scores = {game.move_text(move): agent.scores[i] for i, move in enumerate(moves)}
    assert scores == {text: 1.0 - (text == "23-26") for text in scores}  # see `arena solve`
    assert agent.distribution(won, moves) is None


def test_with_a_budget_it_moves_as_if_it_had_played_no_match_before():
    """So that results do not depend on who plays which matches."""
    game = ConnectFour()
    state = game.read_position("634422434")

    def scores(agent):
        agent.begin(0)
        agent.rate(state, game.moves(state))
        return list(agent.scores)

    fresh, again = Perfect(game, nodes=200), Perfect(game, nodes=200)
    for _ in range(50):
        again.rate(state, game.moves(state))
    assert list(again.scores) != scores(fresh)  # it has found out more meanwhile
    assert scores(again) == scores(fresh)


@pytest.mark.parametrize("options", ["epsilon=1.5", "memory=0", "nodes=-1"])
def test_what_is_out_of_range_is_refused(options):
    with pytest.raises(ArenaError, match=r"epsilon|memory|nodes"):
        arena.match(f"perfect:{options}", "random", game="tic-tac-toe", matches=1)

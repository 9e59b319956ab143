"""Temporal differences over lines: worked by hand, the games of the table, the same to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from arena import ArenaError, Rng
from arena.compiler import is_compiled, plainly
from arena_agents.linear.td_lines import TDLines
from arena_games.tic_tac_toe import TicTacToe
from learning import digest, learner, spec, taught
from tiers import slow


def scores(pupil, state):
    moves = pupil.game.moves(state)
    return dict(zip(moves, (view.facts["score"] for view in pupil.explain(state, moves)), strict=True))


class Opening(TicTacToe):
    """Tic-tac-toe of which only the given line is played."""

    line = (4, 0, 2, 1, 6)  # the first player has a diagonal

    def moves(self, state):
        played = sum(bin(word).count("1") for word in state)
        return [self.line[played]] if played < len(self.line) else []


def test_the_values_of_a_match_learned_by_hand():
    """Five moves of five positions that share no weights: the winner's last three towards 1, in turn.

    With a learning rate of a half the last move has .5, the one before .25 and the first .125; the loser's
    have -.5 and -.25, and either's is a sum of as many weights as there are lines, and one.
    """
    pupil = TDLines(Opening(), episodes=1, alpha=0.5, epsilon=1)
    tally = [0, 0, 0]
    pupil.learn_many(range(1), tally)
    assert tally == [0, 0, 1]
    state, found = pupil.game.initial(), []
    for move in pupil.game.line:
        pupil.board.look(state)
        found.append(pupil.value(state, move))
        state = pupil.game.play(state, move)
    # classes are one in tic-tac-toe for each side, so that moves share the weight of their class and of lines
    # that look alike; values are walked from the last move to the first, each by what is there then
    weights = len(pupil.active)
    assert weights == pupil.lines + 1
    expected = by_dictionary(pupil, 0.5, 1.0)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found[4] > 0 > found[3]


def by_dictionary(pupil, alpha, gamma):
    """The same by a dictionary from what is seen to a weight, with tuples for keys."""
    game, positions, state = pupil.game, [], pupil.game.initial()
    for move in game.line:
        positions.append((state, move))
        state = game.play(state, move)
    weights: dict[tuple[object, ...], float] = {}

    def keys(state, move):
        pupil.board.look(state)
        side, anchor = game.to_move(state), game.anchor(state, move)
        lines = [(side, line, pupil.board.three(line, anchor, 0)) for line in range(pupil.lines)]
        return [(side, "class"), *lines]

    later, last = {0: 1.0, 1: -1.0}, {0: True, 1: True}
    for state, move in reversed(positions):
        side, here = game.to_move(state), keys(state, move)
        before = sum(weights.get(key, 0.0) for key in here)
        target = later[side] * (1.0 if last[side] else gamma)
        for key in here:
            weights[key] = weights.get(key, 0.0) + alpha * (target - before) / len(here)
        later[side], last[side] = before, False
    return [sum(weights.get(key, 0.0) for key in keys(state, move)) for state, move in positions]


@pytest.mark.parametrize("game", ["tic-tac-toe", *slow("checkers")])
def test_it_learns_from_the_games_of_the_table(game):
    """Whose table comes out equal to the bit."""
    pupil, table = taught("td-lines:episodes=30,games=table", game), taught("q-backprop:episodes=30", game)
    assert digest(pupil.source) == digest(table)
    assert np.any(pupil.weights != 0)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["td-lines:episodes=40", "td-lines:episodes=40,games=table,fall=linear"])
def test_learning_is_the_same_plain_compiled_and_cut_anywhere(text):
    whole = taught(text)
    assert is_compiled(whole)
    assert digest(taught(text, cuts=(7, 23))) == digest(whole)
    with plainly():
        assert digest(taught(text)) == digest(whole)


@pytest.mark.slow
def test_boards_turned_share_their_weights():
    pupil = taught("td-lines:episodes=60,symmetry=reflection,quarter-turn")
    found = scores(pupil, pupil.game.initial())
    assert len({round(found[corner], 9) for corner in (0, 2, 6, 8)}) == 1
    assert len({round(found[edge], 9) for edge in (1, 3, 5, 7)}) == 1
    assert found[4] != found[0]


@pytest.mark.slow
def test_it_beats_random_play_at_tic_tac_toe():
    pupil = taught("td-lines:episodes=3000")
    game, rng, score = pupil.game, Rng(3), 0
    for match in range(200):
        state = game.initial()
        while moves := game.moves(state):
            own = game.to_move(state) == match % 2
            state = game.play(state, pupil.choose(state, moves, rng) if own else rng.choice(moves))
        score += game.value(state) * (1 if game.to_move(state) == match % 2 else -1)
    assert score > 100


def test_what_cannot_be_is_told():
    with pytest.raises(ArenaError, match="symmetry names flip twice"):
        spec("td-lines:symmetry=flip,flip")
    with pytest.raises(ArenaError, match="exceed the 1024 available places"):
        learner("td-lines:places=10").recall({"places": np.array([5000]), "weights": np.ones(1)})

"""Value iteration and policy iteration: against published and exact figures, and against linear algebra."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from arena import Rng
from arena.api.game import positions
from arena.registry.plugins import registry
from arena_agents.planning.value_iteration import PolicyIteration, ValueIteration
from fixpoint import Again, fixpoint
from learning import taught
from tiers import slow, tiers

BOTH = ["value-iteration", "policy-iteration"]
TIED = "checkers-4x4:capture_to_win=true"


def known(pupil):
    """Of each position: what it is worth for the learner if it is to move, and if the opponent is."""
    model = pupil.model()
    assert model["converged"].tolist() == [1]
    states = map(tuple, model["states"].tolist())
    return dict(zip(states, zip(model["own"].tolist(), model["other"].tolist(), strict=True), strict=True))


def check_known(pupil, wanted, within=1e-6):
    """wanted: what it should know, a function of a position that gives both values."""
    for state, values in known(pupil).items():
        assert values == pytest.approx(wanted(state), abs=within)


def scores(pupil, position=None):
    game = pupil.game
    state = game.read_position(position) if position else game.initial()
    moves = game.moves(state)
    views = pupil.explain(state, moves)
    return {game.move_text(move): view.facts["score"] for move, view in zip(moves, views, strict=True)}


# --- checkers on 4 x 4 against random moves ---------------------------------------------------------------


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.slow
def test_the_start_of_checkers_is_worth_what_is_published(name):
    pupil = taught(name, "checkers-4x4")
    assert scores(pupil) == pytest.approx({"7-6": 5963.2398, "8-6": 5844.6520, "7-5": 5124.3124}, abs=5e-5)
    assert max(scores(taught(name, TIED)).values()) == pytest.approx(5790.0106, abs=5e-5)
    game, start = pupil.game, pupil.game.initial()
    assert game.move_text(pupil.choose(start, game.moves(start), Rng())) == "7-6"
    assert pupil.findings()["start"][-1] == max(scores(pupil).values())


def worth(game, state, seat):
    return 10000.0 * game.value(state) * (1 if game.to_move(state) == seat else -1)


def by_algebra(game, seat, chances, discount, reward):
    """By position that the player is to move in, what its moves are worth, the other moving at random.

    chances: of the player's moves, a function of position and moves. reward: of an end, a function of game,
    position and seat; where the player's own move brings it, it is not discounted.
    """
    states = [state for state in positions(game) if game.to_move(state) == seat and game.moves(state)]
    number = {state: i for i, state in enumerate(states)}
    a, b = np.eye(len(states)), np.zeros(len(states))
    for i, state in enumerate(states):
        moves = game.moves(state)
        for move, chance in zip(moves, chances(state, moves), strict=True):
            after = game.play(state, move)
            replies = game.moves(after)
            if chance and not replies:
                b[i] += chance * reward(game, after, seat)
            for reply in replies:
                later, part = game.play(after, reply), chance * discount / len(replies)
                if later in number:
                    a[i, number[later]] -= part
                else:
                    b[i] += part * reward(game, later, seat)
    return dict(zip(states, np.linalg.solve(a, b), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["checkers-4x4", *slow(TIED)])
@pytest.mark.parametrize("name", tiers(BOTH, quick=["value-iteration"]))
def test_values_are_those_of_the_moves_made_and_no_move_is_better(name, game):
    pupil = taught(f"{name}:gamma=.8", game)
    game, values = pupil.game, known(pupil)

    def for_other(state, own, seat):
        afters = [game.play(state, move) for move in game.moves(state)]
        worths = [own[after] if after in own else worth(game, after, seat) for after in afters]
        return sum(worths) / len(worths)

    for seat in (0, 1):
        own = by_algebra(game, seat, pupil.distribution, 0.8, worth)
        for state, value in own.items():
            assert values[state][0] == pytest.approx(value, abs=1e-6)
            for move in game.moves(state):
                after = game.play(state, move)
                over = not game.moves(after)
                score = worth(game, after, seat) if over else 0.8 * for_other(after, own, seat)
                assert score <= value + 1e-6
        for state, (_, value) in values.items():
            if game.to_move(state) != seat and game.moves(state):
                assert value == pytest.approx(for_other(state, own, seat), abs=1e-6)
    assert sum(not game.moves(state) for state in values) > 94
    over = {state: pair for state, pair in values.items() if not game.moves(state)}
    assert over == {state: (10000 * game.value(state), -10000 * game.value(state)) for state in over}


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", *slow("optimal", "first", "minimax:depth=2")])
def test_value_iteration_and_policy_iteration_agree(opponent):
    one, other = (taught(f"{name}:opponent=({opponent})", "checkers-4x4") for name in BOTH)
    values = known(other)
    check_known(one, values.get)
    assert len(other.findings()["round"]) < 12


# --- tic-tac-toe ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOTH)
def test_who_never_loses_at_tic_tac_toe_wins_as_often_as_can_be(name):
    """Ceilings against random moves, by exact enumeration; a loss costs more than any number of wins."""
    pupil = taught(f"{name}:win=1,draw=0,loss=-1000000,gamma=1")
    own, other = known(pupil)[pupil.game.initial()]
    assert own == pytest.approx(float(Fraction(191, 192)), abs=1e-12)
    assert other == pytest.approx(float(Fraction(866, 945)), abs=1e-12)


def by_recursion(game, opponent, gamma):
    """What a position is worth for the learner if it is to move, and if the opponent is, in a game that ends.

    opponent: what its choice comes to, a function of the position, those after its moves, and their values.
    """

    @cache
    def both(state):
        moves = game.moves(state)
        if not moves:
            return 10000.0 * game.value(state), -10000.0 * game.value(state)
        afters = [game.play(state, move) for move in moves]
        again = [game.to_move(after) == game.to_move(state) for after in afters]
        mine = [both(after)[not on] for after, on in zip(afters, again, strict=True)]
        theirs = [both(after)[on] for after, on in zip(afters, again, strict=True)]
        own = max(m * (gamma if game.moves(after) else 1) for m, after in zip(mine, afters, strict=True))
        return own, opponent(state, afters, theirs)

    return both


def mean(state, afters, values):
    return sum(values) / len(values)


def worst(state, afters, values):
    return min(values)


def two_plies(game):
    """Minimax of depth 2, open lines counting where it ends, any of the best moves."""

    def ahead(state, depth):
        if not game.moves(state):
            return 10**15 * game.value(state)
        if depth == 0:
            return game.evaluate(state)
        return max(-ahead(game.play(state, move), depth - 1) for move in game.moves(state))

    def choose(state, afters, values):
        found = [-ahead(after, 1) for after in afters]
        best = [value for value, score in zip(values, found, strict=True) if score == max(found)]
        return sum(best) / len(best)

    return choose


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.slow
def test_any_opponent_whose_chances_are_known_will_do(name):
    game = registry().spec("game", "tic-tac-toe").make()
    for opponent, moves in {"random": mean, "optimal": worst, "minimax:depth=2": two_plies(game)}.items():
        check_known(taught(f"{name}:gamma=.7,opponent=({opponent})"), by_recursion(game, moves, 0.7))


@pytest.mark.parametrize(("opponent", "moves"), [("random", mean), ("optimal", worst)])
@pytest.mark.parametrize("cls", [ValueIteration, PolicyIteration])
def test_a_player_may_move_twice_in_a_row(cls, opponent, moves):
    pupil = cls(Again(), gamma=0.7, opponent=opponent)
    pupil.learn_many(range(20), [0, 0, 0])
    check_known(pupil, by_recursion(Again(), moves, 0.7))


@pytest.mark.parametrize("name", tiers(BOTH, quick=["value-iteration"]))
@pytest.mark.parametrize("game", ["tic-tac-toe", *slow("checkers-4x4")])
def test_against_the_best_there_is_values_say_who_wins_and_how_soon(name, game):
    """A reward comes with the move that ends the match; each of the learner's own before takes half."""
    pupil = taught(f"{name}:opponent=optimal,gamma=.5,threshold=0", game)
    ends = fixpoint(pupil.game, list(known(pupil)))

    def wanted(state):
        value, plies = ends[state]
        own = (plies - 1) // 2 if value == 1 else plies // 2
        other = (plies - 1) // 2 if value == 1 else max(plies // 2 - 1, 0)
        return value * 10000 * 0.5**own, -value * 10000 * 0.5**other

    check_known(pupil, wanted, within=0)

"""Sarsa over a game's features: worked by hand, against a slow implementation, the same to the bit."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from arena import ArenaError, Game, Rng
from arena.compiler import is_compiled, plainly, with_compiled_rules
from arena.registry.plugins import registry
from arena.rng import derive
from arena.testing import check_agent
from arena_agents.linear import sarsa
from arena_agents.linear.phases import read_schedule, until
from arena_agents.linear.sarsa import Sarsa
from arena_agents.search.alpha_beta import ALL, ONE, AlphaBeta
from commands import inside
from learning import digest, learner, spec, taught
from searching import positions
from slow_counts import count_slowly
from tiers import slow, tiers

WIN = 1e15


def game(text):
    return registry().spec("game", text).make()


# --- worked by hand ---------------------------------------------------------------------------------------


class Line(Game):
    """Two moves each, one at a time; then `result` for player 0. The second feature is neutral."""

    max_moves = 1
    max_plies = 4
    result = 1
    feature_names = ("a", "b")
    neutral_features = 0b10
    seen = ((1, 2), (2, 1), (3, -1), (-1, 4), (9, 9))

    def initial(self):
        return 0

    def moves(self, state):
        return ["on"] if state < 4 else []

    def play(self, state, move):
        return state + 1

    def to_move(self, state):
        return state % 2

    def value(self, state):
        return self.result

    def features(self, state):
        return list(map(float, self.seen[state]))


class Short(Line):
    """Cut off before the end."""

    max_plies = 3


class Drawn(Line):
    result = 0


def learned(played, episodes, **options):
    """The learner after so many episodes, at learning rate 1/8, reward 1/4 a move and discount 1/2."""
    chosen = {"schedule": ("1x1v1@.125",), "reward": 0.25, "gamma": 0.5, **options}
    pupil = Sarsa(played, episodes=max(episodes, 1), **chosen)
    pupil.learn_many(range(episodes), [0, 0, 0])
    return pupil


def weights(pupil):
    """Of players 0 and 1, and as they were when the iteration began."""
    return pupil.model()["weights"]


def close(expected):
    return pytest.approx(np.array(expected), abs=1e-15, rel=0)


def test_one_game_of_the_first_player_by_hand():
    # in place 2: off by 1/4, so a = (1/4)(1/8)(1, 2) = (1, 2)/32, which scores (3, -1) as 1/32
    # at the end: off by 1/4 + 1/2 - 1/32 = 23/32, so (1, 2)/32 + (23/32)(1/8)(3, -1) = (8 + 69, 16 - 23)/256
    pupil = learned(Line(), 1)
    assert weights(pupil)[:2] == close([[77 / 256, -7 / 256], [0, 0]])
    assert pupil.model()["updates"].tolist() == [2, 0]


def test_one_game_of_the_second_player_by_hand():
    # in place 3: (1/4)(1/8)(2, 1) = (2, 1)/32, which scores (-1, 4) as 2/32
    # lost: off by 1/4 - 1/2 - 2/32 = -5/16, so (2, 1)/32 - (5/16)(1/8)(-1, 4) = (8 + 5, 4 - 20)/128
    pupil = learned(Line(), 2)
    assert weights(pupil)[:2] == close([[77 / 256, -7 / 256], [13 / 128, -16 / 128]])
    assert pupil.model()["updates"].tolist() == [2, 2]


def test_a_second_game_by_hand():
    # (77, -7)/256 scores (1, 2) as 63/256 and (3, -1) as 238/256: off by (64 + 119 - 63)/256 = 120/256
    # so (77 + 15, -7 + 30)/256 = (92, 23)/256, which scores (3, -1) as 253/256: off by (192 - 253)/256
    # so (92 * 8 - 61 * 3, 23 * 8 + 61)/2048
    pupil = learned(Line(), 3)
    assert weights(pupil)[0] == close([553 / 2048, 245 / 2048])
    assert weights(pupil)[1:].tolist() == [[13 / 128, -1 / 8], [77 / 256, -7 / 256], [13 / 128, -1 / 8]]


def test_without_reward_and_discount_the_end_alone_counts():
    # alpha .1: nothing in place 2; then (.1)(3, -1), or for the second player -(.1)(-1, 4)
    pupil = learned(Line(), 2, schedule=("1x1v1@.1",), reward=0, gamma=1)
    assert weights(pupil)[:2] == close([[0.3, -0.1], [0.1, -0.4]])


@pytest.mark.parametrize("played", [Drawn(), Short()])
def test_a_draw_has_a_score_and_so_has_what_is_cut_short(played):
    # drawn: (3/4)(.1)(3, -1) and (3/4)(.1)(-1, 4); cut short after place 2, the other was in place 1 alone
    pupil = learned(played, 2, schedule=("1x1v1@.1",), reward=0, gamma=1, draw=0.75)
    other = [0.15, 0.075] if isinstance(played, Short) else [-0.075, 0.3]
    assert weights(pupil)[:2] == close([[0.225, -0.075], other])
    tally = [0, 0, 0]
    pupil.learn_many(range(2, 9), tally)
    assert tally == [0, 7, 0]


def test_who_never_moves_learns_nothing():
    class Once(Line):
        max_plies = 1

    assert learned(Once(), 2).model()["updates"].tolist() == [1, 0]


# --- against a slow implementation ------------------------------------------------------------------------

TTT = game("tic-tac-toe")
NAMES = TTT.feature_names


@cache
def counts(board):
    counter = count_slowly(board)
    return {name: counter[name] for name in NAMES}


def linear(values, board):
    return sum(values[name] * counts(board)[name] for name in NAMES)


def best_value(values, state, depth, drawn):
    """Minimax by its definition, for the player to move; a win is worth more the more plies are left.

    drawn: what a draw is worth for that player.
    """
    if not (moves := TTT.moves(state)):
        return TTT.value(state) * (WIN + depth) or drawn
    if depth == 0:
        return linear(values, TTT.position_text(state))
    return max(-best_value(values, TTT.play(state, move), depth - 1, -drawn) for move in moves)


def scores_of(values, state, depth, drawn=0):
    return [-best_value(values, TTT.play(state, move), depth - 1, -drawn) for move in TTT.moves(state)]


def choice(values, state, depth, ties, drawn, rng):
    scores = scores_of(values, state, depth, drawn)
    best = [move for move, score in zip(TTT.moves(state), scores, strict=True) if score == max(scores)]
    return best[rng.below(len(best))] if ties == "random" and len(best) > 1 else best[0]


def slowly(stages, floor, gamma, reward, drawn, ties, first=0.0):
    """Weights by player and name; stages: of each its episodes, both depths and the learning rate."""
    live = [dict.fromkeys(NAMES, first) for _ in range(2)]
    updates = [0, 0]
    for episode, depth, opponents, alpha in (
        (episode, *rest) for episodes, *rest in stages for episode in episodes
    ):
        rng, player = Rng(derive(0, episode)), episode % 2
        if player == 0:
            frozen = [dict(values) for values in live]
        state, before = TTT.initial(), None

        def learn(target, before=before, values=live[player], player=player, alpha=alpha):
            error = reward + gamma * target - linear(values, before)
            for name in NAMES:
                values[name] += alpha * error * counts(before)[name]
            updates[player] += 1

        while moves := TTT.moves(state):
            if TTT.to_move(state) != player:
                move = choice(frozen[1 - player], state, opponents, ties, drawn, rng)
            else:
                board = TTT.position_text(state)
                if before is not None:
                    learn(linear(live[player], board), before)
                before = board
                if rng.random() < max(floor, 1 / max(1, updates[player])):
                    move = moves[rng.below(len(moves))]
                else:
                    move = choice(live[player], state, depth, ties, drawn, rng)
            state = TTT.play(state, move)
        won = TTT.value(state) * (1 if TTT.to_move(state) == player else -1)
        learn(won or drawn, before)
    return [[values[name] for name in NAMES] for values in live]


CASES = [
    ("episodes=30", [(range(30), 3, 3, 0.001)], (0.05, 1, 0, 0, "first")),
    (
        "episodes=60,schedule=1x1v1@.05,epsilon-floor=.3,gamma=.9,reward=-.02,draw=.4,ties=random",
        [(range(60), 1, 1, 0.05)],
        (0.3, 0.9, -0.02, 0.4, "random"),
    ),
    (
        "episodes=40,schedule=1x4v3@.05,epsilon-floor=.4,draw=-.7,first-weight=.125",
        [(range(40), 4, 3, 0.05)],
        (0.4, 1, 0, -0.7, "first", 0.125),
    ),
    (
        # a fourth of 42 is 10.5, of which the even number next is 10
        "episodes=42,schedule=1x2v1@.1,2x1v2@.02,1x3v1@.04,epsilon-floor=0,ties=random",
        [(range(10), 2, 1, 0.1), (range(10, 32), 1, 2, 0.02), (range(32, 42), 3, 1, 0.04)],
        (0, 1, 0, 0, "random"),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "stages", "terms"), tiers(CASES, quick=["episodes=30"]))
def test_it_learns_what_a_slow_implementation_does(options, stages, terms):
    pupil = taught(f"sarsa:{options}")
    expected = slowly(stages, *terms)
    assert weights(pupil)[:2] == pytest.approx(np.array(expected), abs=1e-12)
    assert np.abs(expected).max() > 0.01


# --- an iteration -----------------------------------------------------------------------------------------


def after(model, episodes, start, text="sarsa:episodes=100,schedule=1x2v2@.05"):
    """A learner's model after these episodes more, begun from a model."""
    pupil = learner(text)
    pupil.recall(model)
    pupil.learn_many(range(start, start + episodes), [0, 0, 0])
    return pupil.model()


def with_rows(model, rows, values):
    changed = np.array(model["weights"])
    changed[rows] = values
    return {**model, "weights": changed}


STRANGE = (3.0, -2.0, 1.0, 5.0, 0.5)


@pytest.mark.slow
def test_both_games_of_an_iteration_play_from_the_weights_with_which_it_began():
    begun = taught("sarsa:episodes=20,schedule=1x2v2@.05").model()
    whole = after(begun, 2, 20)
    assert (whole["weights"][2:] == begun["weights"][:2]).all()
    assert (whole["weights"][:2] != begun["weights"][:2]).any(axis=1).all()
    # nothing is left of what the iteration before began with
    strange = with_rows(begun, slice(2, 4), STRANGE)
    assert (after(strange, 2, 20)["weights"] == whole["weights"]).all()
    # the second game does not see what the first has learned, but what the first one saw
    half = after(begun, 1, 20)
    learned_otherwise = with_rows(half, 0, STRANGE)
    assert (after(learned_otherwise, 1, 21)["weights"][1] == whole["weights"][1]).all()
    began_otherwise = with_rows(half, 2, STRANGE)
    assert (after(began_otherwise, 1, 21)["weights"][1] != whole["weights"][1]).any()
    # nor does it touch what the first has learned
    assert (after(half, 1, 21)["weights"][0] == half["weights"][0]).all()


# --- exploration ------------------------------------------------------------------------------------------


class Choice(Game):
    """Player 0 loses with the first move and wins with the second; player 1 never moves."""

    max_moves = 2
    max_plies = 1
    feature_names = ("one",)

    def initial(self):
        return 0

    def moves(self, state):
        return [1, 2] if state == 0 else []

    def play(self, state, move):
        return move

    def to_move(self, state):
        return 0

    def value(self, state):
        return 2 * state - 3

    def features(self, state):
        return [1.0]


def tally_of(floor, episodes=2000):
    pupil = Sarsa(Choice(), episodes=episodes, epsilon_floor=floor)
    tally = [0, 0, 0]
    pupil.learn_many(range(episodes), tally)
    return tally


@pytest.mark.parametrize("floor", [0, 0.1, 1])
def test_the_chance_of_a_random_move_is_one_in_as_many_as_there_were_updates_but_for_a_floor(floor):
    lost = 0
    for episode in range(0, 2000, 2):  # each updates once; in the others player 0 is the opponent, and wins
        rng = Rng(derive(0, episode))
        explores = rng.random() < max(floor, 1 / max(1, episode // 2))
        lost += explores and rng.below(2) == 0
    losses, draws, wins = tally_of(floor)
    assert draws == 0
    assert losses + wins == 2000
    # in the odd episodes player 1 loses, for its opponent chooses by what it knows
    assert losses == lost + 1000
    # on average sum of 1 / n over 1000 updates, and twice 1 for the first two, halved; sd is the root of that
    expected = {0: (7.49 + 1) / 2, 0.1: 50 + (1 + 2.93 - 1) / 2, 1: 500}[floor]
    assert abs(lost - expected) < 4 * expected**0.5


# --- schedules --------------------------------------------------------------------------------------------


def test_the_documents_schedule():
    assert read_schedule(("document",)) == [
        (1, 3, 1, 0.001),
        (1, 3, 2, 0.0001),
        (2, 3, 3, 0.0001),
        (2, 5, 5, 0.0001),
    ]
    # two games an iteration: 100,000, 100,000, 200,000 and 200,000 iterations
    assert until(read_schedule(("document",)), 1_200_000)[:-1] == [200_000, 400_000, 800_000]
    assert [phase.depth for phase in learner("sarsa:schedule=document").phases] == [3, 3, 3, 5]


@pytest.mark.parametrize("episodes", [1, 2, 7, 10, 101, 1000])
@pytest.mark.parametrize("shares", [(1, 1), (1, 2, 3), (0.5, 0.25, 5)])
def test_shares_divide_the_episodes_at_even_numbers(episodes, shares):
    stops = until(read_schedule([f"{share}x1v1@.1" for share in shares]), episodes)
    for i, stop in enumerate(stops[:-1]):
        assert stop % 2 == 0
        assert abs(stop - episodes * sum(shares[: i + 1]) / sum(shares)) <= 1
    assert stops[-1] > episodes


def test_a_phase_begins_where_the_one_before_ends():
    pupil = Sarsa(Line(), episodes=11, schedule=("1x1v1@0", "1x1v1@.1"))  # 5.5, so 6
    changed = []
    for episode in range(11):
        before = weights(pupil)[:2]
        pupil.learn_many(range(episode, episode + 1), [0, 0, 0])
        changed.append(bool((weights(pupil)[:2] != before).any()))
    assert changed == [False] * 6 + [True] * 5


@pytest.mark.parametrize(
    "phase",
    [
        "2x5v3",
        "x5v3@.1",
        "0x5v3@.1",
        "1x0v3@.1",
        "1x5v0@.1",
        "1x5v3@",
        "1x5v3@-1",
        "1x61v1@.1",
        "1x1v61@.1",
        "papers",
        "9" * 310 + "x5v3@.1",
        "1x" + "5" * 5001 + "v3@.1",
        "1x5v3@" + "9" * 310,
    ],
    ids=lambda phase: phase[:9],
)
def test_a_malformed_phase_is_told(phase):
    for schedule in (phase, f"1x1v1@.1,{phase}"):
        with pytest.raises(ArenaError) as told:
            spec(f"sarsa:schedule={schedule}")
        assert str(told.value) == (
            f"schedule: {phase!r} is not a phase; write share, own and opponent's depth from 1 to "
            "60, and learning rate as in 2x3v3@.0001"
        )


def test_an_empty_schedule_is_told():
    with pytest.raises(ArenaError, match=r"schedule is empty; write phases, such as 1x3v1@\.001"):
        spec("sarsa:schedule=")


@pytest.mark.slow
def test_a_learning_rate_at_which_weights_grow_beyond_all_numbers_is_told():
    with pytest.raises(ArenaError) as told:
        taught("sarsa:episodes=5000,schedule=1x1v1@9")
    assert re.fullmatch(
        r"sarsa:episodes=5000,schedule=1x1v1@9: weights overflow by episode \d+; "
        "lower the learning rates in schedule",
        str(told.value),
    )


class Longer(Game):
    """Of twelve plies; whoever makes the last one wins or loses by it. Its only feature grows with plies."""

    max_moves, max_plies, feature_names = 2, 40, ("a",)

    def initial(self):
        return (0, 0)

    def moves(self, state):
        return [0, 1] if state[0] < 12 else []

    def play(self, state, move):
        return (state[0] + 1, move)

    def to_move(self, state):
        return state[0] % 2

    def value(self, state):
        return 2 * state[1] - 1

    def features(self, state):
        return [1.0 + state[0] + state[1]]


@pytest.mark.parametrize("depth", [3, 5])  # from 5 on moves are sorted by what they look worth
@pytest.mark.slow
def test_such_a_learning_rate_is_told_in_plain_python_too(depth):
    pupil = Sarsa(Longer(), schedule=(f"1x{depth}v1@9",), episodes=300)
    with pytest.raises(ArenaError, match="weights overflow by episode"):
        pupil.learn_many(range(300), [0, 0, 0])


def test_a_game_without_features_is_told():
    class Bare(Line):
        feature_names = ()

    with pytest.raises(ArenaError) as told:
        Sarsa(Bare())
    assert re.fullmatch(
        r"Sarsa needs features, which .* does not offer \(it offers: none\); add .*", str(told.value)
    )


# --- moves ------------------------------------------------------------------------------------------------


def knowing(values, text="sarsa:depth=4", on="tic-tac-toe"):
    """A learner with these weights, of either player."""
    pupil = learner(text, on)
    size = len(pupil.game.feature_names)
    pupil.recall({"weights": np.resize(values, (4, size)), "updates": np.array([5, 5])})
    return pupil


@pytest.mark.parametrize("values", [STRANGE, [-500.0] * 5, [500.0] * 5])
def test_a_win_comes_before_all_weights_and_the_sooner_one_first(values):
    """3 wins at once, and 5 threatens to win in two ways."""
    pupil, state = knowing(values), TTT.read_position("XX.O...O.")
    views = pupil.explain(state, TTT.moves(state))
    said = {TTT.move_text(move): view.verdict for move, view in zip(TTT.moves(state), views, strict=True)}
    assert (said["3"], said["5"]) == ("won in 1 ply", "won in 3 plies")
    assert TTT.move_text(pupil.choose(state, TTT.moves(state), Rng())) == "3"


@pytest.mark.parametrize("draw", [0, *slow(-0.7, 0.9)])
def test_the_sooner_win_and_the_later_loss_are_played(draw):
    values, pupil = dict(zip(NAMES, STRANGE, strict=True)), knowing(STRANGE, f"sarsa:depth=4,draw={draw}")
    wins = losses = 0
    for state in positions(TTT, 1000, seed=6):
        if TTT.position_text(state).count(".") > 6:
            continue
        scores = scores_of(values, state, 4, draw)
        found = scores[TTT.moves(state).index(pupil.choose(state, TTT.moves(state), Rng()))]
        assert found == pytest.approx(max(scores), abs=1e-12)
        wins += len({score for score in scores if score >= WIN}) > 1
        losses += max(scores) <= -WIN and len(set(scores)) > 1
    assert wins > 10
    assert losses > 10


SOME = (0.02, 0.03, -0.05, 0.07, 0.2, 0.11, 0.13, 0.4, -0.3, 0.25, -0.17, 0.5, -0.6, 1.0)


def slow_score(played, values, state, depth, player):
    """Minimax without pruning, for the player whose weights these are."""
    sign = 1 if played.to_move(state) == player else -1
    if not (moves := played.moves(state)):
        return sign * played.value(state) * (WIN + depth)
    if depth == 0:
        signs = [1 if played.neutral_features >> f & 1 else sign for f in range(len(values))]
        told = played.features(state)
        return sum(w * x * s for w, x, s in zip(values, told, signs, strict=True))
    scores = [slow_score(played, values, played.play(state, move), depth - 1, player) for move in moves]
    return max(scores) if sign == 1 else min(scores)


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.slow
def test_scores_at_connect_four_are_those_of_minimax_without_pruning(depth):
    quick = with_compiled_rules(game("connect-four"))
    values = np.array([SOME, SOME[::-1]] * 2)  # either player's own
    pupil = knowing(values, f"sarsa:depth={depth}", "connect-four")
    for state in positions(quick, 10 if depth == 4 else 40, seed=7):
        moves, player = quick.moves(state), quick.to_move(state)
        expected = [
            slow_score(quick, values[player], quick.play(state, move), depth - 1, player) for move in moves
        ]
        found = [view.facts["score"] for view in pupil.explain(state, moves)]
        assert found == pytest.approx(expected, abs=1e-12)
        assert expected[moves.index(pupil.choose(state, moves, Rng()))] >= max(expected) - 1e-12


@pytest.mark.parametrize("name", ["connect-four", "tic-tac-toe", "checkers-4x4"])
@pytest.mark.slow
def test_what_features_add_is_the_score_after_the_move(name):
    pupil = knowing(SOME, "sarsa:depth=1", name)
    played, names, added = pupil.game, set(pupil.game.feature_names), 0
    for state in positions(played, 50, seed=8):
        for view in pupil.explain(state, played.moves(state)):
            if view.verdict == "":
                parts = {name: fact for name, fact in view.facts.items() if name in names}
                assert [*view.facts] == ["score", *parts]
                assert sum(parts.values()) == pytest.approx(view.facts["score"], abs=1e-12)
                added += len(parts) > 1
    assert added > 30


@pytest.mark.slow
def test_chances_are_those_with_which_it_moves():
    pupil = knowing([1, 0, 0, 0, 0], "sarsa:depth=1,ties=random")
    start = TTT.initial()
    # "one of three" is 4 in the middle, 3 in the corners
    assert pupil.distribution(start, TTT.moves(start)) == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    board = TTT.read_position("....X....")
    chances = pupil.distribution(board, TTT.moves(board))
    assert chances == [0.25, 0, 0.25, 0, 0, 0.25, 0, 0.25]
    played = [
        TTT.moves(board).index(pupil.choose(board, TTT.moves(board), Rng(seed))) for seed in range(2000)
    ]
    assert np.bincount(played, minlength=8) / 2000 == pytest.approx(chances, abs=0.05)  # sd is below .01
    first = knowing([1, 0, 0, 0, 0], "sarsa:depth=1")
    assert first.distribution(board, TTT.moves(board)) == [1, 0, 0, 0, 0, 0, 0, 0]
    assert {first.choose(board, TTT.moves(board), Rng(seed)) for seed in range(20)} == {0}


# --- the order in which alpha-beta looks at moves ---------------------------------------------------------


@pytest.mark.parametrize("exact", [ALL, ONE])
@pytest.mark.slow
def test_values_are_the_same_whatever_order_moves_are_searched_in(exact):
    played = with_compiled_rules(game("connect-four"))
    ways = []
    for judged in (0, 2):
        for table in (0, 4096):
            way = AlphaBeta(played, depth=4, table=table, ties="first")
            way.search = replace(way.search, judged_from=judged, exact=exact)
            ways.append(way)
    for state in positions(played, 300, seed=9):
        moves, found, chosen = played.moves(state), [], []
        for way in ways:
            way.begin(0)
            chosen.append(way.choose(state, moves, Rng()))
            scores = way.search.scores[: len(moves)].tolist()
            found.append(scores if exact == ALL else max(scores))
        assert found == [found[0]] * 4
        assert chosen == [chosen[0]] * 4


# --- the same to the bit, and sound -----------------------------------------------------------------------

SAME = [
    ("sarsa:episodes=90,schedule=1x2v1@.02,1x1v2@.01,ties=random", "tic-tac-toe"),
    ("sarsa:episodes=70,schedule=1x2v1@.02,epsilon-floor=.2", "checkers-4x4"),
    ("sarsa:episodes=6,schedule=1x1v2@.001,1x5v1@.001", "connect-four"),
]


@pytest.mark.parametrize(("text", "on"), SAME)
@pytest.mark.slow
def test_plain_and_compiled_come_to_the_same(text, on):
    text = text.replace("5v1", "2v1")
    compiled = taught(text, on)
    assert is_compiled(compiled)
    with plainly():
        plain = taught(text, on)
    assert digest(plain) == digest(compiled)


@pytest.mark.parametrize(
    ("text", "on"),
    tiers(
        SAME,
        slow=[
            "sarsa:episodes=90,schedule=1x2v1@.02,1x1v2@.01,ties=random",
            "sarsa:episodes=70,schedule=1x2v1@.02,epsilon-floor=.2",
        ],
    ),
)
def test_learning_cut_anywhere_also_between_the_games_of_an_iteration_comes_to_the_same(text, on):
    whole = taught(text, on)
    assert digest(whole) == digest(taught(text, on, cuts=(1, 2, 5)))
    assert digest(whole) != digest(taught(f"{text},gamma=.8", on))
    pupil = learner(text, on)
    for episode in range(pupil.episodes):
        pupil.learn_many(range(episode, episode + 1), [0, 0, 0])
    assert digest(whole) == digest(pupil)


@pytest.fixture
def threads(monkeypatch):
    """Where games of an iteration may be played at once: two processors, and compiled code."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(sarsa, "is_compiled", lambda pupil: True)


@pytest.mark.parametrize(("text", "on"), SAME)
@pytest.mark.parametrize("cuts", [(), (1,), (2, 3)])
@pytest.mark.slow
@pytest.mark.usefixtures("threads")
def test_games_of_an_iteration_played_at_once_come_to_the_same(monkeypatch, text, on, cuts):
    monkeypatch.setattr(sarsa, "FEW", 1)
    tallies, digests, twins = [], [], []
    for long in (1e9, -1):
        monkeypatch.setattr(sarsa, "LONG", long)
        pupil, tally, start = learner(text, on), [0, 0, 0], 0
        for stop in (*cuts, pupil.episodes):
            pupil.learn_many(range(start, stop), tally)
            model, twin, start = pupil.model(), pupil.twin, stop
            if stop == 3:  # another takes it up
                pupil = learner(text, on)
                pupil.recall(model)
            elif stop == 2:  # itself
                pupil.recall(model)
        tallies.append(tally)
        digests.append(digest(pupil))
        twins.append(twin is not None)
    assert twins == [False, True]
    assert tallies[0] == tallies[1]
    assert sum(tallies[0]) == pupil.episodes
    assert digests[0] == digests[1]


@pytest.mark.slow
@pytest.mark.usefixtures("threads")
def test_games_are_played_at_once_wherever_lessons_begin(monkeypatch):
    monkeypatch.setattr(sarsa, "LONG", -1)
    pupil, begun = learner("sarsa:episodes=12"), []
    monkeypatch.setattr(pupil, "learn_both", lambda episode, tally: begun.append(episode))
    for start, stop in ((0, 5), (5, 10), (10, 12)):
        pupil.learn_many(range(start, stop), [0, 0, 0])
    assert begun == [0, 2, 6, 8, 10]


@pytest.mark.usefixtures("threads")
@pytest.mark.slow
def test_the_clock_decides_whether_games_are_played_at_once(monkeypatch):
    """Each game takes a tenth of a second, an iteration no longer where its games are played at once."""
    seconds = itertools.count()
    monkeypatch.setattr(sarsa, "perf_counter", lambda: next(seconds) / 10)
    pupil, begun = learner("sarsa:episodes=300"), []
    monkeypatch.setattr(pupil, "learn_both", lambda episode, tally: begun.append(episode))
    for long in (0.11, 0.09):
        pupil.pace = 0.1
        monkeypatch.setattr(sarsa, "LONG", long)
        pupil.learn_many(range(10), [0, 0, 0])
    assert begun == [0, 2, 4, 6, 8]


@pytest.mark.slow
def test_a_training_game_that_gets_too_long_is_a_draw():
    tally = [0, 0, 0]
    learner("sarsa:max_plies=4").learn_many(range(20), tally)
    assert tally == [0, 20, 0]


@pytest.mark.slow
def test_the_source_of_a_learner_is_read_once_and_not_for_every_episode(monkeypatch):
    pupil = taught("sarsa:episodes=2")
    pupil.learn_many(range(2, 3), [0, 0, 0])
    monkeypatch.setattr("arena.compiler.source.source", None)
    for episode in range(3, 5):
        pupil.learn_many(range(episode, episode + 1), [0, 0, 0])


@pytest.mark.parametrize("on", ["tic-tac-toe", "connect-four", "checkers-4x4"])
@pytest.mark.slow
def test_it_conforms(on):
    options = {"schedule": ("1x2v1@.005", "1x1v2@.001"), "depth": 2, "episodes": 20}
    check_agent(Sarsa, game(on), matches=4, options=options)


@pytest.mark.slow
def test_a_plain_game_with_neutral_features_conforms():
    check_agent(Sarsa, Line(), options={"episodes": 20, "depth": 2})


@pytest.mark.slow
def test_a_model_that_does_not_fit_is_told():
    model = taught("sarsa:episodes=2").model()
    with pytest.raises(ArenaError, match=r"its weights are \[4, 4\], not \[4, 5\]"):
        learner("sarsa:episodes=2").recall({**model, "weights": model["weights"][:, :4]})


@pytest.mark.slow
def test_weights_are_listed_by_feature(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path))
    entry = "sarsa:episodes=30,schedule=1x1v1@.05"
    known = weights(taught(entry))
    listed = {"feature": list(NAMES), "X": known[0].tolist(), "O": known[1].tolist()}
    said = inside(tmp_path, "train", entry, "--game", "tic-tac-toe").stdout
    (kept,) = json.loads(inside(tmp_path, "models", "list", "--json").stdout)
    shown = inside(tmp_path, "models", "show", kept["model"]).stdout
    for text in (said, shown):
        for name, x in zip(NAMES, known[0].tolist(), strict=True):
            (line,) = (line for line in text.splitlines() if line.strip().startswith(f"{name} "))
            assert float(line.strip().removeprefix(name).split()[0]) == pytest.approx(x, abs=1e-3)
    facts = json.loads(inside(tmp_path, "models", "show", kept["model"], "--json").stdout)
    assert facts["findings"] == listed
    assert taught(entry).findings() == listed

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import ClassVar

import pytest

from arena import Agent, ArenaError, Evaluation, Game, Rng, option
from arena.api.game import positions
from arena_agents.baselines.first import First
from arena_agents.baselines.greedy import Greedy
from arena_agents.baselines.random import Random
from arena_agents.search.alpha_beta import AlphaBeta
from arena_agents.search.minimax import Minimax
from arena_games.tic_tac_toe import TicTacToe
from tiers import slow

GAME = TicTacToe()
GOING = [state for state in positions(GAME) if GAME.moves(state)]
STREAMS = 100  # one of nine moves is missed by all of these in one case of 130,000


def board(text):
    return GAME.read_position(text.replace(" ", ""))


def chosen(agent, state):
    """The moves that an agent plays in a position, over many streams."""
    moves = agent.game.moves(state)
    return {agent.choose(state, list(moves), Rng(seed)) for seed in range(STREAMS)}


def first_best(agent):
    return cache(lambda state: [agent.choose(state, GAME.moves(state), Rng(0))])


def any_best(agent):
    return cache(lambda state: sorted(chosen(agent, state)))


def exact(x, o):
    """Chances that X wins, O wins and neither, when both play uniformly among the moves that `x` and
    `o` give for a position: by way of every line of play."""

    @cache
    def chances(state):
        if not GAME.moves(state):
            result = GAME.value(state) * (1 if GAME.to_move(state) == 0 else -1)
            return tuple(Fraction(result == r) for r in (1, -1, 0))
        moves = (x, o)[GAME.to_move(state)](state)
        parts = [chances(GAME.play(state, move)) for move in moves]
        return tuple(sum(part[i] for part in parts) / len(moves) for i in range(3))

    return chances(GAME.initial())


# Minimax at tic-tac-toe. The fractions come from an enumeration made before this code and apart from it.

MINIMAX_FIRST = first_best(Minimax(GAME, ties="first"))
MINIMAX_RANDOM = any_best(Minimax(GAME))
ANY = GAME.moves


@pytest.mark.slow
def test_minimax_with_first_ties_never_loses_to_random_and_wins_as_often_as_it_must():
    assert exact(MINIMAX_FIRST, ANY) == (Fraction(191, 192), 0, Fraction(1, 192))
    assert exact(ANY, MINIMAX_FIRST) == (0, Fraction(254, 315), Fraction(61, 315))


@pytest.mark.slow
def test_minimax_with_random_ties_never_loses_to_random_and_wins_as_often_as_it_must():
    assert exact(MINIMAX_RANDOM, ANY) == (Fraction(75257, 77760), 0, Fraction(2503, 77760))
    assert exact(ANY, MINIMAX_RANDOM) == (0, Fraction(2645, 3402), Fraction(757, 3402))


@pytest.mark.slow
@pytest.mark.parametrize("x", [MINIMAX_FIRST, *slow(MINIMAX_RANDOM)])
@pytest.mark.parametrize("o", [MINIMAX_FIRST, *slow(MINIMAX_RANDOM)])
def test_minimax_always_draws_with_minimax(x, o):
    assert exact(x, o) == (0, 0, 1)


@pytest.mark.slow
def test_random_against_random_gives_the_chances_this_file_counts_with():
    assert exact(ANY, ANY) == (Fraction(737, 1260), Fraction(121, 420), Fraction(8, 63))


# Minimax against a search of few lines


def best_moves(game, state, depth):
    """Every move of the highest score for whoever moves, by plain recursion; a score is player 0's."""

    def score(state, depth):
        moves, sign = game.moves(state), 1 - 2 * game.to_move(state)
        if not moves:
            return sign * game.value(state)
        if depth == 0:
            guess = game.evaluate(state) if "evaluation" in game.capabilities else 0
            return sign * guess / (1 + abs(guess))
        return sign * max(sign * score(game.play(state, move), depth - 1) for move in moves)

    sign = 1 - 2 * game.to_move(state)
    scores = {move: sign * score(game.play(state, move), depth - 1) for move in game.moves(state)}
    return [move for move in scores if scores[move] == max(scores.values())]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_minimax_of_a_depth_plays_the_best_moves_of_that_depth(depth):
    first, any = Minimax(GAME, depth=depth, ties="first"), Minimax(GAME, depth=depth)
    for state in GOING[:: 25 * depth]:
        best = best_moves(GAME, state, depth)
        assert first.choose(state, GAME.moves(state), Rng(0)) == best[0]
        assert chosen(any, state) == set(best)


def test_minimax_without_depth_plays_the_best_moves_to_the_end():
    first, any = Minimax(GAME, ties="first"), Minimax(GAME)
    for state in GOING[60::25]:
        best = best_moves(GAME, state, 9)
        assert first.choose(state, GAME.moves(state), Rng(0)) == best[0]
        assert chosen(any, state) == set(best)


class Pairs(Game):
    """Take one to three coins, two turns each; whoever takes the last has won."""

    coins: int = option(9, "coins to begin with")
    reachable = 30

    def initial(self):
        return (self.coins, 0)

    def moves(self, state):
        return [n for n in (3, 1, 2) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, (state[1] + 1) % 4)

    def to_move(self, state):
        return state[1] // 2

    def value(self, state):
        last = (state[1] - 1) % 4 // 2  # who took the last coin, and may be to move still
        return 1 if last == self.to_move(state) else -1


@pytest.mark.parametrize("depth", [0, *slow(1, 2, 3, 5)])
def test_minimax_knows_whose_turn_it_is_where_players_move_twice_running(depth):
    game = Pairs()
    for state in positions(game):
        if game.moves(state):
            best = best_moves(game, state, depth or 20)
            assert chosen(Minimax(game, depth=depth), state) == set(best)


class UncountedPairs(Pairs):
    """The same, and nobody has counted the positions."""

    coins: int = option(3000, "coins to begin with")
    reachable = None


def test_minimax_looks_four_plies_ahead_at_a_game_of_many_positions():
    game = UncountedPairs()
    for state in [
        (30, 0),
        (10, 3),
        (9, 0),
        (7, 2),
    ]:  # one ply less or more gives other moves in the last three
        assert chosen(Minimax(game), state) == set(best_moves(game, state, 4))


@pytest.mark.slow
def test_minimax_finds_out_that_a_game_is_small():
    game = UncountedPairs(coins=12)
    assert Minimax(game).plies == AlphaBeta(game).plies == 12  # coins taken one by one
    for state in positions(game):
        if game.moves(state):
            assert chosen(Minimax(game), state) == set(best_moves(game, state, 20))


class Circle(UncountedPairs):
    """Play comes back to where it was."""

    coins: int = option(5, "coins to begin with")
    max_plies = 40

    def play(self, state, move):
        return ((state[0] - move) % 6 or 5, (state[1] + 1) % 4)


@pytest.mark.parametrize("game", [Circle(), UncountedPairs(coins=1300), UncountedPairs()])
def test_a_game_of_which_not_all_positions_are_seen_is_not_searched_to_the_end(game):
    assert (Minimax(game).plies, AlphaBeta(game).plies) == (4, 6)


def test_minimax_remembers_nothing_that_changes_its_moves():
    fresh, used = Minimax(GAME, depth=3, ties="first"), Minimax(GAME, depth=3, ties="first")
    for state in reversed(GOING):
        used.choose(state, GAME.moves(state), Rng(0))
    for state in GOING[:500]:
        assert used.choose(state, GAME.moves(state), Rng(0)) == fresh.choose(state, GAME.moves(state), Rng(0))


# Greedy


def test_greedy_wins_in_every_position_where_one_move_wins():
    greedy = Greedy(GAME)
    for state in GOING:
        wins = {m for m in GAME.moves(state) if GAME.value(GAME.play(state, m)) == -1}
        if wins:
            assert greedy.choose(state, GAME.moves(state), Rng(1)) in wins


def test_greedy_plays_a_last_move_that_only_draws():
    state = board("XOX XOO O.X")
    assert Greedy(GAME).choose(state, [7], Rng(0)) == 7


@pytest.mark.parametrize(
    ("position", "best"),
    [
        ("... ... ...", {4}),  # the middle takes 4 lines from the opponent, a corner 3
        ("... .X. ...", {0, 2, 6, 8}),  # a corner leaves 5 lines to X, an edge 6
        ("X.. .O. ...", {2, 5, 6, 7, 8}),  # these take 2 of the 5 lines left to O, 1 and 3 take one
    ],
)
def test_greedy_plays_for_open_lines(position, best):
    state = board(position)
    assert chosen(Greedy(GAME), state) == best
    assert chosen(Greedy(GAME, ties="first"), state) == {min(best)}


class Crossroads(Game):
    """One move leads to an end, or to a position of known worth that has one move more."""

    worth: ClassVar = {"won": -1, "good": -5.0, "drawn": 0, "bad": 5.0, "lost": 1}  # for who is to move there

    def initial(self):
        return "start"

    def moves(self, state):
        return {"start": list(self.worth), "good": ["drawn"], "bad": ["drawn"]}.get(state, [])

    def play(self, state, move):
        return move

    def to_move(self, state):
        return int(state != "start")

    def value(self, state):
        return self.worth[state]

    evaluate = value


def test_greedy_puts_a_win_before_everything_a_draw_at_nothing_and_a_loss_last():
    greedy = Greedy(Crossroads())
    best_first = ["won", "good", "drawn", "bad", "lost"]
    for rank, best in enumerate(best_first):
        assert greedy.choose("start", best_first[rank:][::-1], Rng(0)) == best


def test_greedy_needs_an_evaluation():
    with pytest.raises(ArenaError, match=r"^Greedy needs evaluation, which Pairs .*; add evaluate to"):
        Greedy(Pairs())


@pytest.mark.parametrize("base", [Agent, Evaluation])
@pytest.mark.parametrize(
    ("attribute", "stated", "told"),
    [
        ("needs", "grid", r"^needs of Mine is 'grid'; write a tuple, such as \('grid',\)$"),
        ("uses", (1,), r"^uses of Mine is \(1,\); write a tuple"),
        (
            "uses",
            ("mirrors",),
            r"^uses of Mine names 'mirrors', which is not one of: evaluation, symmetries, ",
        ),
    ],
)
def test_what_is_asked_of_a_game_is_stated_as_names_in_a_tuple(base, attribute, stated, told):
    with pytest.raises(TypeError, match=told):
        type("Mine", (base,), {attribute: stated})


# Random and first

# 99.9 % of samples have a chi-square below this, by degrees of freedom
CHI_SQUARE = {1: 10.83, 2: 13.82, 3: 16.27, 4: 18.47, 5: 20.52, 6: 22.46, 7: 24.32, 8: 26.12}


def chi_square(counts, kinds):
    mean = sum(counts.values()) / kinds
    return sum((counts[k] - mean) ** 2 for k in counts) / mean + (kinds - len(counts)) * mean


@pytest.mark.parametrize("agent", [Random(GAME), Minimax(GAME), Greedy(GAME)], ids=lambda a: type(a).__name__)
def test_random_choices_are_uniform_along_a_stream_and_across_streams(agent):
    for text in ("... ... ...", "X.. ... ...", "XO. ... ...", "XOX .O. .X.", "XOX OXO .X."):
        state = board(text)
        moves = GAME.moves(state)
        kinds = len(chosen(agent, state))
        stream = Rng(7)
        along = Counter(agent.choose(state, moves, stream) for _ in range(3000))
        across = Counter(agent.choose(state, moves, Rng(seed)) for seed in range(3000))
        for counts in (along, across):
            assert len(counts) == kinds
            assert kinds == 1 or chi_square(counts, kinds) < CHI_SQUARE[kinds - 1]


def test_random_plays_every_legal_move():
    for state in GOING[::50]:
        assert chosen(Random(GAME), state) == set(GAME.moves(state))


def test_first_plays_the_first_move():
    for state in GOING:
        moves = GAME.moves(state)
        assert First(GAME).choose(state, moves, Rng(0)) == moves[0]


@pytest.mark.parametrize(
    "agent",
    [First(GAME), Minimax(GAME, ties="first"), Greedy(GAME, ties="first")],
    ids=lambda a: type(a).__name__,
)
def test_an_agent_without_chance_draws_no_random_number(agent):
    for state in GOING:
        stream = Rng(3)
        agent.choose(state, GAME.moves(state), stream)
        assert stream.stream == [3, 0]


def test_a_single_best_move_costs_no_random_number():
    stream = Rng(3)
    assert Minimax(GAME).choose(board("XX. OO. ..."), [2, 5, 6, 7, 8], stream) == 2
    assert stream.stream == [3, 0]


# Options


DEPTH = "option 'depth' of Minimax takes a whole number from 0 to 1000"


@pytest.mark.parametrize(
    ("cls", "options", "complaint"),
    [
        (Minimax, {"depth": -1}, f"{DEPTH}, not '-1'"),
        (Minimax, {"depth": 1.5}, f"{DEPTH}, not '1.5'"),
        (Minimax, {"depth": "deep"}, f"{DEPTH}, not 'deep'"),
        (Minimax, {"ties": "last"}, "option 'ties' of Minimax takes first | random, not 'last'"),
        (Minimax, {"dept": 1}, "Minimax has no option 'dept', did you mean 'depth'?"),
        (Greedy, {"ties": True}, "option 'ties' of Greedy takes first | random, not 'True'"),
        (First, {"depth": 1}, "First has no option 'depth'; it has none"),
    ],
)
def test_an_option_that_is_wrong_is_refused_in_one_line(cls, options, complaint):
    with pytest.raises(ArenaError) as refused:
        cls(GAME, **options)
    assert str(refused.value) == complaint

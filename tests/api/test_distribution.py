"""The chances with which agents say they move: by hand, and held against the moves that they make."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import factorial

import numpy as np
import pytest

from arena import Agent, Game, Learner, Rng
from arena.analysis.graph import graph_of
from arena.analysis.policy import policy
from arena.api.agent import missing_needs
from arena.api.answers import Unsaid, probabilities
from arena.api.distribution import LONGEST_SCRIPT, MOST_SCRIPTS
from arena.api.options import required
from arena.registry.plugins import OWN, registry
from arena.testing.learning import train_named
from arena.training.learners import trained_here
from arena_agents.baselines.first import First
from arena_agents.baselines.random import Random
from arena_agents.search.minimax import Minimax
from arena_games.tic_tac_toe import TicTacToe
from tiers import slow, tiers

SEEDS = 500  # of the random numbers that choices are sampled with


class FirstOfAll(Minimax):
    """A minimax that overrides its choice, and not what it says of that."""

    def choose(self, state, moves, rng):
        return moves[0]


class Sure(FirstOfAll):
    """The same, which says what it does."""

    def distribution(self, state, moves):
        return [1.0] + [0.0] * (len(moves) - 1)


class Remembers(FirstOfAll):
    """The same, of which arena cannot know on what its choice depends."""

    def begin(self, seat):
        self.seat = seat


@pytest.mark.parametrize("cls", [FirstOfAll, Sure])
def test_a_choice_that_is_overridden_is_not_that_of_the_class_above(cls):
    game = TicTacToe()
    state = game.initial()
    assert probabilities(cls(game), state, game.moves(state)) == [1.0] + [0.0] * 8
    assert len({*probabilities(Minimax(game), state, game.moves(state))}) == 1


def test_of_one_that_may_remember_nothing_is_said():
    game = TicTacToe()
    with pytest.raises(Unsaid, match=r"^Remembers does not report"):
        probabilities(Remembers(game), game.initial(), game.moves(game.initial()))


class Any5(Game):
    """One move, any of five."""

    def initial(self):
        return 0

    def moves(self, state):
        return list("abcde") if state == 0 else []

    def play(self, state, move):
        return 1

    def to_move(self, state):
        return state

    def value(self, state):
        return -1


def by(choose, begin=None):
    """What an agent says that chooses so, in that game."""
    body = {"choose": lambda self, state, moves, rng: choose(moves, rng)}
    agent = type("Scripted", (Agent,), body | ({"begin": begin} if begin else {}))(Any5())
    return agent.distribution(0, list("abcde"))


# --- a choice among several --------------------------------------------------------------------------------


def pair(moves, rng):
    return min(rng.sample(moves, 2))


def now_and_then(moves, rng):
    return rng.choice(moves) if rng.below(10) == 0 else moves[2]


def shuffled(moves, rng):
    rng.shuffle(moves)
    return min(moves[:2])


def bad_luck(moves, rng):
    """The number of times in a row that it is not c, of three at most."""
    misses = 0
    while misses < 3 and rng.choice(moves) != "c":
        misses += 1
    return moves[misses]


@pytest.mark.parametrize(
    ("choose", "fifths"),
    [
        (lambda moves, rng: moves[3], "0 0 0 1 0"),
        (lambda moves, rng: moves[rng.below(3)], "1/3 1/3 1/3 0 0"),
        (lambda moves, rng: rng.choice(moves), "1/5 1/5 1/5 1/5 1/5"),
        (lambda moves, rng: moves[rng.randrange(1, 5, 2)], "0 1/2 0 1/2 0"),
        (lambda moves, rng: moves[rng.randint(0, 6) // 2], "2/7 2/7 2/7 1/7 0"),
        (lambda moves, rng: moves[rng.below(2) + rng.below(3)], "1/6 2/6 2/6 1/6 0"),
        # of the ten pairs of five, four have a as the first in the alphabet, three b, two c, one d
        (pair, "4/10 3/10 2/10 1/10 0"),
        (shuffled, "4/10 3/10 2/10 1/10 0"),
        (now_and_then, "1/50 1/50 46/50 1/50 1/50"),
        (bad_luck, "1/5 4/25 16/125 64/125 0"),
    ],
)
def test_choices_among_several_are_found_out(choose, fifths):
    wanted = [float(Fraction(text)) for text in fifths.split()]
    assert by(choose) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize(
    "choose",
    [
        lambda moves, rng: moves[int(5 * rng.random())],
        lambda moves, rng: moves[rng.random() < 0.1],
        lambda moves, rng: moves[rng.gauss(0, 1) > 1],
        lambda moves, rng: moves[rng.getrandbits(2)],
        lambda moves, rng: moves[rng.bits() % 5],
        lambda moves, rng: rng.choices(moves, [1, 2, 3, 4, 5])[0],
        lambda moves, rng: moves[rng.below(2) and int(5 * rng.random())],  # only where it is 1
    ],
)
def test_chances_of_other_kinds_are_not(choose):
    assert by(choose) is None


def test_a_choice_that_may_go_on_for_ever_is_given_up():
    asked = Counter()

    def again(moves, rng):
        while (move := rng.choice(moves)) in "ae":
            asked[move] += 1
        return move

    assert by(again) is None
    assert asked.total() < 2 * LONGEST_SCRIPT


def test_more_ways_than_can_be_tried_are_given_up():
    tried = Counter()

    def many(moves, rng):
        tried[0] += 1
        numbers = list(range(size))
        rng.shuffle(numbers)
        return moves[numbers[0] % 5]

    size = 7
    assert factorial(size) < MOST_SCRIPTS < factorial(size + 1)
    assert by(many) == pytest.approx([2 / 7, 2 / 7, 1 / 7, 1 / 7, 1 / 7], abs=1e-12)
    assert tried.pop(0) == 1 + factorial(size)  # once to see whether there is chance in it
    size = 8
    assert by(many) is None
    assert tried[0] <= 1 + MOST_SCRIPTS + 1


def test_who_watches_matches_begin_has_no_chances_that_go_with_positions():
    assert by(lambda moves, rng: moves[0], begin=lambda self, seat: None) is None
    watching = type("Watching", (First,), {"begin": lambda self, seat: None})(TicTacToe())
    graph = graph_of(TicTacToe())
    with pytest.raises(Unsaid, match="Watching does not report the probabilities of its moves"):
        policy(watching, graph)


def test_chances_are_found_out_of_agents_that_run_compiled():
    game = TicTacToe()
    moves = game.moves((1, 2))
    assert First(game).distribution((1, 2), moves) == [1, 0, 0, 0, 0, 0, 0]
    assert Agent.distribution(Random(game), (1, 2), moves) == pytest.approx([1 / 7] * 7, abs=1e-14)
    assert Random(game).distribution((1, 2), moves) == [1 / 7] * 7


def test_who_draws_no_random_number_is_asked_once():
    asked = Counter()

    def last(moves, rng):
        asked[type(rng)] += 1
        return moves[-1]

    assert by(last) == [0, 0, 0, 0, 1]
    assert asked == {Rng: 1}


@pytest.mark.parametrize(
    "said", [[0.5, 0.5], [0.5] * 5, [-0.5, 0.5, 0.5, 0.5, 0], [float("nan"), 0, 0, 0, 1]]
)
def test_what_are_no_chances_is_told(said):
    liar = type("Liar", (Agent,), {"distribution": lambda self, state, moves: said})(Any5())
    with pytest.raises(
        ValueError, match=r"not probabilities that sum to 1|returns 2 probabilities for 5 moves"
    ):
        probabilities(liar, 0, list("abcde"))


# --- agents that come with arena ---------------------------------------------------------------------------

KNOWN = [  # name and options
    ("random", {}),
    ("first", {}),
    ("greedy", {}),
    ("greedy", {"ties": "first"}),
    ("minimax", {"depth": 3}),
    ("minimax", {"depth": 2, "ties": "first"}),
    ("minimax", {"depth": 4, "wins": "soonest", "evaluation": "none"}),
    ("alpha-beta", {"depth": 4}),
    ("alpha-beta", {"depth": 3, "ties": "first"}),
    ("alpha-beta", {"depth": 4, "table": 5000}),
    ("alpha-beta", {"nodes": 40}),
    ("q-table", {"episodes": 500}),
    ("q-table", {"episodes": 20, "ties": "random", "draw": 0}),
    ("double-q", {"episodes": 500}),
    ("q-backprop", {"episodes": 200}),
    ("q-backprop", {"episodes": 200, "ties": "random"}),
    ("q-random", {"learner": "q-backprop:episodes=200,ties=random"}),
    ("psv", {"learner": "q-backprop:episodes=20,ties=random"}),
    ("psv", {"learner": "q-backprop:episodes=20"}),
    ("value-iteration", {"episodes": 5}),
    ("policy-iteration", {"episodes": 5}),
]
UNSAID = [
    ("keep-training", {"learner": "q-backprop:episodes=20"}),
    ("alpha-beta", {"seconds": 0.01}),
    ("alpha-beta", {"depth": 2, "table": 5000, "deeper": True}),
    ("alpha-beta", {"nodes": 40, "table": 5000}),
]


def others():
    """Agents that come with arena and are not named above, as they are, or taught a little."""
    offered = registry().offers["agent"].items()
    named = {name for name, _ in KNOWN + UNSAID}
    left = [name for name, offer in offered if offer.plugin.distribution == OWN and name not in named]
    return [
        (name, {"episodes": 20} if issubclass(registry().spec("agent", name).cls, Learner) else {})
        for name in left
        if not required(registry().cls("agent", name)) and not registry().cls("agent", name).interactive
    ]


GAMES = [registry().spec("game", name).make() for name in ("tic-tac-toe", "checkers-4x4")]
PLAYED = [
    (name, options, game)
    for game in GAMES
    for name, options in KNOWN + others()
    if not missing_needs(registry().spec("agent", name).cls, game)
]


def made(name, options, game):
    """The agent, taught if it learns, as is the learner it names."""
    text = ",".join(f"{option}=({value})" for option, value in options.items())
    spec = registry().spec("agent", f"{name}:{text}".rstrip(":"))
    if issubclass(spec.cls, Learner):
        return trained_here(spec, game)
    train_named(spec.cls, game, options)
    return spec.make(game)


def some_positions(game):
    """Three dozen in which there is a choice, some of them near the start, some near the end."""
    graph = graph_of(game)
    of_choice = np.flatnonzero(np.diff(graph.first) > 1)
    return [graph.position(i) for i in of_choice[np.geomspace(1, len(of_choice), 36).astype(int) - 1]]


def check_probabilities(agent):
    """What it says it does: moves of no chance are not made, others about as often as they should be."""
    for state in some_positions(agent.game):
        moves = agent.game.moves(state)
        said = dict(zip(moves, probabilities(agent, state, moves), strict=True))
        agent.begin(agent.game.to_move(state))
        made = Counter(agent.choose(state, list(moves), Rng(seed)) for seed in range(SEEDS))
        assert made.keys() == {move for move, chance in said.items() if chance > 0}
        for move, chance in said.items():
            assert abs(made[move] - SEEDS * chance) <= 5 * (SEEDS * chance * (1 - chance)) ** 0.5


@pytest.mark.parametrize(
    ("name", "options", "game"),
    tiers(
        PLAYED,
        quick=[("random", {}, "tic-tac-toe")],
        slow=[
            "first",
            ("minimax", {"depth": 2, "ties": "first"}),
            ("alpha-beta", {"nodes": 40}),
            ("q-backprop", {"episodes": 200}),
            "value-iteration",
        ],
    ),
    ids=str,
)
def test_agents_do_as_they_say(name, options, game):
    check_probabilities(made(name, options, game))


@pytest.mark.parametrize(("name", "options"), UNSAID, ids=str)
@pytest.mark.slow
def test_agents_whose_chances_no_position_decides_say_so(name, options):
    game = registry().spec("game", "checkers-4x4").make()
    agent = made(name, options, game)
    for state in some_positions(game)[:5]:
        assert agent.distribution(state, game.moves(state)) is None


class Lying(Minimax):
    """Says something else of its chances than they are."""

    said = staticmethod(lambda found: found)

    def distribution(self, state, moves):
        return self.said(super().distribution(state, moves))


def any_move(found):
    return [1 / len(found)] * len(found)


def the_first_best(found):
    return [float(i == found.index(max(found))) for i in range(len(found))]


def the_best_unevenly(found):
    weights = [i + 1 if chance else 0 for i, chance in enumerate(found)]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.slow
@pytest.mark.parametrize("said", [any_move, *slow(the_first_best, the_best_unevenly)])
def test_agents_that_say_otherwise_than_they_do_are_found(said):
    agent = Lying(TicTacToe(), depth=2, evaluation="none")
    check_probabilities(agent)
    agent.said = said
    with pytest.raises(AssertionError):
        check_probabilities(agent)

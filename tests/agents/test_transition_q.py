"""Q-learning over transitions between abstract states: worked by hand, and against a slow implementation."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from arena import ArenaError, Game, Rng
from arena.api.table import places
from arena.compiler import is_compiled, plainly
from arena.registry.plugins import registry
from arena.rng import derive
from arena.testing import check_agent
from arena.training.learners import untrained
from arena_agents.abstract.transition_q import TransitionQ
from tiers import campaign, slow

NAMES = ("own men", "their men", "own kings", "their kings", "edges", "own row", "their row")


def game(text):
    return registry().spec("game", text).make()


def learner(text, on="checkers"):
    return untrained(registry().spec("agent", text), registry().spec("game", on))


def unpacked(packed, widths):
    numbers = {}
    for name, width in zip(NAMES, widths, strict=True):
        numbers[name] = packed & ((1 << width) - 1)
        packed >>= width
    assert packed == 0
    return numbers


def features(packed):
    return tuple(unpacked(packed, WIDTHS["checkers"]).values())


# --- abstract states -------------------------------------------------------------------------------------

WIDTHS = {"checkers": (6, 6, 6, 6, 6, 3, 3), "checkers-4x4": (4, 4, 4, 4, 4, 2, 2)}

# Black, b and B, is at home at the bottom and white at the top; at 4 x 4 these are BLUE and RED, r and R.
BOARDS = {
    "men, kings, edges": (
        "checkers",
        """
        . . . . . . . .
        w . . . w . . .
        . . . . . . . .
        . . . . . . B .
        . . . . . . . w
        b . . . . . . .
        . . . . . . . b
        W . . . B . . .
        """,
        # black: rows 2, 1, 4, 0 from the bottom, 7 / 4; white: rows 1, 1, 4, 7 from the top, 13 / 4
        (2, 3, 2, 1, 2, 1, 3),
        (3, 2, 1, 2, 3, 3, 1),
    ),
    "nothing left of black": (
        "checkers",
        """
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . w
        . . . . . . . .
        . . . . . . . .
        W . . . . . . .
        """,
        (0, 1, 0, 1, 0, 0, 5),  # white: rows 4, 7, 11 / 2
        (1, 0, 1, 0, 2, 5, 0),
    ),
    "the start": (
        "checkers",
        """
        . w . w . w . w
        w . w . w . w .
        . w . w . w . w
        . . . . . . . .
        . . . . . . . .
        b . b . b . b .
        . b . b . b . b
        b . b . b . b .
        """,
        (12, 12, 0, 0, 3, 1, 1),
        (12, 12, 0, 0, 3, 1, 1),
    ),
    "4 x 4": (
        "checkers-4x4",
        """
        B . . .
        . . . r
        . . . .
        . R . b
        """,
        # BLUE: rows 3, 0 from the bottom, 3 / 2; RED: rows 1, 3 from the top, 4 / 2
        (1, 1, 1, 1, 2, 1, 2),
        (1, 1, 1, 1, 1, 2, 1),
    ),
}


def drawn(name, board, side):
    """The position on a board drawn in letters, with this player to move."""
    played = game(name)
    rows = [line.split() for line in board.split("\n") if line.strip()]
    own = other = kings = 0
    for cell, (x, y) in enumerate(played.cells):
        letter = rows[y][x]
        if letter != ".":
            kings |= letter.isupper() << cell
            if (letter in "bB") == (side == 0):
                own |= 1 << cell
            else:
                other |= 1 << cell
    return (own, other, kings, side)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("case", BOARDS)
def test_abstract_states_of_either_player_whoever_is_to_move(case, side):
    name, board, *wanted = BOARDS[case]
    state = drawn(name, board, side)
    assert [bin(pieces).count("1") for pieces in state[:2]] == [
        sum(board.count(letter) for letter in letters) for letters in (("bB", "wrWR"), ("wrWR", "bB"))[side]
    ]
    for player in (0, 1):
        packed = game(name).abstract(state, player)
        assert unpacked(packed, WIDTHS[name]) == dict(zip(NAMES, wanted[player], strict=True))


def read(state, player):
    """A position's seven numbers at 8 x 8, taken from its text."""
    text = game("checkers").position_text(state)
    sides = [part[1:].split(",") if part[1:] else [] for part in text.split(":")[1:]]
    white, black = sides
    own, theirs = (black, white) if player == 0 else (white, black)
    rows = []
    for squares, home_is_bottom in ((own, player == 0), (theirs, player == 1)):
        ups = [(int(square.strip("K")) - 1) // 4 for square in squares]
        rows.append(int(sum(up if home_is_bottom else 7 - up for up in ups) / max(1, len(ups))))
    on_edges = sum(int(square.strip("K")) % 8 in (4, 5) for square in own)
    kings = [sum(square[0] == "K" for square in squares) for squares in (own, theirs)]
    return (len(own) - kings[0], len(theirs) - kings[1], *kings, on_edges, *rows)


@pytest.mark.slow
def test_abstract_states_tell_apart_what_the_seven_numbers_do_and_no_more():
    played, rng = game("checkers"), Rng(1)
    seen = {}
    for _ in range(50):
        state = played.initial()
        while moves := played.moves(state):
            for player in (0, 1):
                packed = played.abstract(state, player)
                assert unpacked(packed, WIDTHS["checkers"]) == dict(
                    zip(NAMES, read(state, player), strict=True)
                )
                assert seen.setdefault(packed, read(state, player)) == read(state, player)
            state = played.play(state, rng.choice(moves))
    assert len(seen) > 1000


# --- worked by hand --------------------------------------------------------------------------------------


class Line(Game):
    """Two moves each, one at a time, and `result` for player 0; worth these numbers to player 0."""

    max_moves = 1
    max_plies = 4
    worths = (0, 1, 3, 2, -1)
    result = 0

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

    def evaluate(self, state):
        return float(self.worths[state] * (1 - 2 * self.to_move(state)))

    def abstract(self, state, player):
        return 100 * player + state


def learned(played, episodes=1, **options):
    """The values learned, by (before, after), at learning rate 1/2; the opponent plays the first move."""
    pupil = TransitionQ(
        played, episodes=episodes, **{"opponent": "first", "alpha": 0.5, "epsilon": 0.0, **options}
    )
    pupil.learn_many(range(episodes), [0, 0, 0])
    known = pupil.model()
    pairs = zip(known["before"].tolist(), known["after"].tolist(), strict=True)
    return dict(zip(pairs, known["values"].tolist(), strict=True))


def close(expected):
    return pytest.approx(expected, abs=1e-12)


def line(result=0):
    played = Line()
    played.result = result
    return played


def test_before_the_own_move_and_at_the_end():
    # 10 + (3 + .3 * 10 - 10) / 2, the 3 being what 0 to 3 gains; 10 + (-1 - 3) / 2
    assert learned(line(), seats="first") == close({(0, 1): 8.0, (2, 3): 8.0})


def test_a_win_and_a_loss_have_a_reward():
    assert learned(line(1), seats="first") == close({(0, 1): 8.0, (2, 3): 14.0})  # 10 + (-4 + 12) / 2
    assert learned(line(-1), seats="first") == close({(0, 1): 8.0, (2, 3): 2.0})  # 10 + (-4 - 12) / 2
    assert learned(line(1), seats="first", win=1) == close({(0, 1): 8.0, (2, 3): 8.5})


def test_as_published_a_win_or_a_loss_is_a_reward_whatever_was_captured():
    assert learned(line(1), seats="first", decided="alone") == close(
        {(0, 1): 8.0, (2, 3): 16.0}
    )  # 10 + 12 / 2
    assert learned(line(-1), seats="first", decided="alone") == close({(0, 1): 8.0, (2, 3): 4.0})
    # who ties has what was captured: 10 + (-1 - 3) / 2
    assert learned(line(), seats="first", decided="alone") == close({(0, 1): 8.0, (2, 3): 8.0})


def test_the_second_player_gains_what_the_first_loses():
    # 10 + (-1 + 3 - 10) / 2; 10 + (3 + 12) / 2
    assert learned(line(-1), seats="second") == close({(101, 102): 6.0, (103, 104): 17.5})


def test_both_seats_are_taken_by_turns():
    assert learned(line(), 2) == close({(0, 1): 8.0, (2, 3): 8.0, (101, 102): 6.0, (103, 104): 11.5})


def test_a_second_match_goes_on_from_what_was_learned():
    # 8 + (3 + .3 * 14 - 8) / 2; 14 + 8 / 2
    assert learned(line(1), 2, seats="first") == close({(0, 1): 7.6, (2, 3): 18.0})


def test_the_end_may_be_a_target():
    # 10 + (8 - 10) / 2; then 8 + (3 + .3 * 9 - 8) / 2 and 9 + (8 - 9) / 2
    assert learned(line(1), 2, seats="first", ending="target") == close({(0, 1): 6.85, (2, 3): 8.5})


def test_the_first_value_and_the_discount_are_options():
    # 2 + (3 + .5 * 2 - 2) / 2; 2 - 4 / 2
    assert learned(line(), seats="first", first_value=2, discount=0.5) == close({(0, 1): 3.0, (2, 3): 0.0})


def test_a_training_game_may_be_cut_short():
    # after one ply, where 0 has become 1; after two, 3
    assert learned(line(), seats="first", max_plies=1) == close({(0, 1): 10.5})
    assert learned(line(), seats="first", max_plies=2) == close({(0, 1): 11.5})


class Roads(Line):
    """Two moves first, and two from either place, whose abstract states are one: 7."""

    max_moves = 2
    steps = {"": "ab", "a": "-", "b": "-", "a-": "cd", "b-": "de"}  # noqa: RUF012

    def initial(self):
        return ""

    def moves(self, state):
        return list(self.steps.get(state, ""))

    def play(self, state, move):
        return state + move

    def to_move(self, state):
        return len(state) % 2

    def evaluate(self, state):
        return 0.0

    def abstract(self, state, player):
        return 7 if state in ("a-", "b-") else sum(map(ord, state[-1:]))


def roads():
    played = Roads()
    played.result = -1  # for player 1, who is to move at the end
    return played


def test_what_counts_later_is_what_can_be_done():
    a, b, c, d, e = map(ord, "abcde")
    # a, then c, which is won; b, then d, for a has become less; neither d nor e was known there
    half = 10 + (0.3 * 10 - 10) / 2
    assert learned(roads(), 2, seats="first") == close(
        {(0, a): half, (0, b): half, (7, c): 16.0, (7, d): 16.0, (7, e): 10.0}
    )


def test_as_published_what_is_known_counts_later_though_it_cannot_be_done():
    a, b, c, d, e = map(ord, "abcde")
    # a, with nothing known later, then c; a again, with 16 later, then c; b, with 22 later, then d
    assert learned(roads(), 3, seats="first", later="known") == close(
        {
            (0, a): 10 + (0.3 * 16 - 10) / 2,
            (0, b): 10 + (0.3 * 22 - 10) / 2,
            (7, c): 22.0,
            (7, d): 16.0,
            (7, e): 10.0,
        }
    )


class Corner(Line):
    """One position: moves 0 and 1 make one transition, 2 and 3 one each; 0 wins, 1 draws, 2 and 3 lose."""

    max_moves = 4

    def moves(self, state):
        return [0, 1, 2, 3] if state == 0 else []

    def play(self, state, move):
        return state + 1 + move

    def to_move(self, state):
        return 0

    def value(self, state):
        return max(2 - state, -1)

    def evaluate(self, state):
        return 0.0

    def abstract(self, state, player):
        return max(state, 2)


def ended(n, **options):
    """The shares of matches lost, drawn and won, in which nothing is learned."""
    pupil = TransitionQ(Corner(), opponent="first", seats="first", alpha=0, **options)
    tally = [0, 0, 0]
    pupil.learn_many(range(n), tally)
    return [count / n for count in tally]


@pytest.mark.slow
def test_chances_in_training_are_those_of_transitions_and_then_of_moves():
    # the best is made, the first of three alike, or with .25 one of the three; sd are below .0035
    assert ended(20_000) == pytest.approx(
        [0.25 * 2 / 3, (0.75 + 0.25 / 3) / 2, (0.75 + 0.25 / 3) / 2], abs=0.014
    )
    assert ended(20_000, ties="random") == pytest.approx([2 / 3, 1 / 6, 1 / 6], abs=0.014)
    assert ended(20_000, epsilon=1) == pytest.approx([2 / 3, 1 / 6, 1 / 6], abs=0.014)
    assert ended(1000, epsilon=0)[0] == 0


def test_chances_and_explanations_where_transitions_have_values():
    played = Corner()
    pupil = TransitionQ(played, opponent="first")
    moves = played.moves(0)
    assert pupil.distribution(0, moves) == [0.5, 0.5, 0, 0]
    assert TransitionQ(played, ties="random", opponent="first").distribution(0, moves) == close(
        [1 / 6, 1 / 6, 1 / 3, 1 / 3]
    )
    pupil.recall({"before": np.array([2, 2]), "after": np.array([2, 4]), "values": np.array([9.0, 11.5])})
    assert pupil.distribution(0, moves) == [0, 0, 0, 1]
    views = [(view.facts["score"], view.facts["known"]) for view in pupil.explain(0, moves)]
    assert views == [(9.0, True), (9.0, True), (10.0, False), (11.5, True)]
    assert {pupil.choose(0, moves, Rng(seed)) for seed in range(20)} == {3}
    last = TransitionQ(played, ties="last", opponent="first")
    assert last.distribution(0, moves) == [0, 0, 0, 1]
    assert {last.choose(0, moves, Rng(seed)) for seed in range(20)} == {3}
    last.recall({"before": np.array([2]), "after": np.array([4]), "values": np.array([9.0])})
    assert last.distribution(0, moves) == [0, 0, 1, 0]
    assert {last.choose(0, moves, Rng(seed)) for seed in range(20)} == {2}
    pupil.recall({"before": np.array([2, 5]), "after": np.array([2, 4]), "values": np.array([10.5, 11.5])})
    assert Counter(pupil.choose(0, moves, Rng(seed)) for seed in range(200)).keys() == {0, 1}


class From(type(game("checkers"))):
    """Checkers from a position."""

    def __init__(self, text):
        super().__init__()
        self.start = self.read_position(text)

    def initial(self):
        return self.start


@pytest.mark.slow
def test_a_capture_at_checkers_is_a_reward_at_the_own_next_turn():
    # a man takes another, 12-8 is all that White has, then either crowns a man, and the game is cut short
    known = learned(From("B:W23,12:B18"), seats="first", max_plies=4)
    assert sorted(known.values()) == close([10 + (1 + 0.3 * 10 - 10) / 2, 10.0])


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("B:W23:B18", 1 + 12),  # takes all there is
        ("B:W27:B20", -1 - 12),  # moves to where it is taken
    ],
)
@pytest.mark.slow
def test_what_ends_a_match_at_checkers_is_a_reward(text, reward):
    assert list(learned(From(text), seats="first").values()) == close([10 + reward / 2])


@pytest.mark.slow
def test_who_is_beaten_before_the_first_own_move_learns_nothing():
    assert learned(From("B:W23:B18"), seats="second") == {}


@pytest.mark.slow
def test_where_a_transition_leads_may_say_what_the_other_can_gain_at_once():
    # 4-8, then 18-23, which gives the man to 27x18, and 18-22, which does not, but is like it in all else
    played = From("B:W27,32:B18,4")
    alike = [after for _, after in learned(played, seats="first", max_plies=1)]
    told_apart = [after for _, after in learned(played, seats="first", max_plies=1, replies=True)]
    assert len(alike) == 2
    assert told_apart == [64 * alike[0], 64 * alike[1] + 1, 64 * alike[1]]


# --- against a slow implementation -----------------------------------------------------------------------


PLAINEST = {
    "alpha": 0.1,
    "first_value": 10.0,
    "later": "available",
    "ending": "added",
    "ties": "first",
    "seats": "both",
    "replies": False,
    "decided": "besides",
}


def slowly(played, opponent, episodes, alpha, first_value, later, ending, ties, seats, replies, decided):
    """The table after so many episodes, in the order met, worked out with dictionaries."""
    table = {}
    for episode in range(episodes):
        rng = Rng(derive(0, episode))
        seat = {"first": 0, "second": 1, "both": episode % 2}[seats]
        opponent.begin(1 - seat)
        state, last, before, plies = played.initial(), None, None, 0

        def worth(state, seat=seat):
            men, theirs, kings, their_kings, *_ = read(state, seat)
            return men + 2 * kings - theirs - 2 * their_kings

        def lead(state, seat=seat):
            if not replies:
                return read(state, seat)
            after = [worth(played.play(state, move)) for move in played.moves(state)]
            return (*read(state, seat), max(0, worth(state) - min(after, default=worth(state))))

        while (moves := played.moves(state)) and plies < 500:
            if played.to_move(state) == seat:
                now = read(state, seat)
                leads = [lead(played.play(state, move)) for move in moves]
                known = {after for start, after in table if start == now}
                best = max((table[now, after] for after in known), default=None)
                if later == "available":
                    best = max(table.get((now, after), first_value) for after in leads)
                choices = list(dict.fromkeys(leads))
                for after in choices:
                    table.setdefault((now, after), first_value)
                if last:
                    reward = worth(state) - before
                    table[last] += alpha * (reward if best is None else reward + 0.3 * best - table[last])
                if rng.random() < 0.25:
                    after = choices[rng.below(len(choices))]
                else:
                    most = max(table[now, after] for after in choices)
                    tied = [after for after in choices if table[now, after] == most]
                    after = tied[-1 if ties == "last" else 0]
                    if ties == "random" and len(tied) > 1:
                        after = tied[rng.below(len(tied))]
                made = [move for move, lead in zip(moves, leads, strict=True) if lead == after]
                move = made[rng.below(len(made)) if len(made) > 1 else 0]
                last, before = (now, after), worth(state)
            else:
                move = opponent.choose(state, moves, rng)
            state = played.play(state, move)
            plies += 1
        won = 0
        if not moves:
            won = played.value(state) * (1 if played.to_move(state) == seat else -1)
        if last:
            reward = 12 * won if won and decided == "alone" else worth(state) - before + 12 * won
            table[last] += alpha * (reward - (table[last] if ending == "target" else 0))
    return table


@pytest.mark.parametrize("on", ["checkers", "checkers:capture_to_win=true"])
@pytest.mark.parametrize(
    "options",
    [
        *slow(
            {},
            {"later": "known", "seats": "first", "decided": "alone", "ties": "last"},  # as published
        ),
        *campaign(
            {"later": "known", "seats": "first"},
            {"ending": "target", "ties": "random", "first_value": 0.0, "alpha": 0.5},
            {"replies": True, "seats": "second"},
        ),
    ],
)
def test_a_slow_implementation_learns_the_same(on, options):
    options = {**PLAINEST, **options}
    opponent = registry().spec("agent", "alpha-beta:depth=2,evaluation=material").make(game(on))
    expected = slowly(game(on), opponent, 40, **options)
    pupil = learner("transition-q:" + ",".join(f"{name}={value}" for name, value in options.items()), on)
    pupil.learn_many(range(40), [0, 0, 0])
    known = pupil.model()
    afters = known["after"].tolist()
    if options["replies"]:
        afters = [(*features(after // 64), after % 64) for after in afters]
    else:
        afters = list(map(features, afters))
    pairs = list(zip(map(features, known["before"].tolist()), afters, strict=True))
    assert pairs == list(expected)
    assert known["values"].tolist() == close(list(expected.values()))
    assert len(pairs) > 500
    assert len(set(expected.values())) > 40


# --- as an agent -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("on", "options"),
    [
        *slow(
            ("checkers", {"alpha": 0.1}),
            ("checkers-4x4", {"alpha": 0.1, "ending": "target", "replies": True}),
        ),
        *campaign(("checkers:capture_to_win=true", {"ties": "random", "later": "known"})),
    ],
)
def test_it_keeps_the_promises_of_an_agent(on, options):
    check_agent(TransitionQ, game(on), options={"episodes": 60, **options})


@pytest.mark.slow
def test_plain_python_learns_the_same_to_the_bit():
    fast = learner("transition-q:alpha=.1")
    fast.learn_many(range(5), [0, 0, 0])
    assert is_compiled(fast)
    with plainly():
        plain = learner("transition-q:alpha=.1")
        plain.learn_many(range(5), [0, 0, 0])
    for name, array in fast.model().items():
        assert array.tolist() == plain.model()[name].tolist()
        assert len(array) > 100


@pytest.mark.slow
def test_a_table_that_fills_its_memory_says_what_to_do():
    with pytest.raises(
        ArenaError, match=r"its table of 0 transitions reaches .* set memory=\d+ \(megabytes\)"
    ):
        learner("transition-q:memory=1").learn_many(range(1), [0, 0, 0])


@pytest.mark.slow
def test_a_table_that_is_taken_up_needs_no_more_memory_than_one_that_went_on():
    text = "transition-q:episodes=60"
    whole = learner(text)
    whole.learn_many(range(60), [0, 0, 0])
    pupil = learner(text)
    room, spare = whole.table.room, whole.table.spare
    pupil.table.memory = 8 * (3 * room + places(room)) / 1e6
    for episode in range(60):
        pupil.learn_many(range(episode, episode + 1), [0, 0, 0])
        known = pupil.model()
        pupil.recall(known)
    assert 2 * len(known["values"]) + spare > room  # there is none for as much again
    for name, array in whole.model().items():
        assert known[name].tolist() == array.tolist()


def test_a_model_of_something_else_is_refused():
    with pytest.raises(ArenaError, match=r"its after is int64\[1\], not int64\[2\]"):
        learner("transition-q").recall(
            {"before": np.zeros(2, int), "after": np.zeros(1, int), "values": np.zeros(2)}
        )


def test_a_game_without_abstract_states_is_refused():
    with pytest.raises(ArenaError, match="needs abstract, which"):
        learner("transition-q", "connect-four")


def test_findings_count_transitions_and_the_states_they_are_from():
    pupil = TransitionQ(line(1), seats="first", opponent="first", alpha=0.5)
    assert pupil.findings() == {}
    pupil.learn_many(range(1), [0, 0, 0])
    assert pupil.findings() == {
        "transitions": [2],
        "states": [2],
        "least value": [8.0],
        "mean value": [11.0],
        "highest value": [14.0],
    }

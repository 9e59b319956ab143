"""Positions that are texts or bytes: games, agents, tables and models do the same compiled."""

from __future__ import annotations

import numpy as np
import pytest

import text_games
from arena import Component, Game, Rng, States, Table, hash_state, pack_states, unpack_states
from arena.analysis.graph import graph_of
from arena.compiler import plainly, reason
from arena.compiler.errors import CannotCompile
from arena.compiler.rules import rules_or_why
from arena_agents.baselines.greedy import Greedy
from arena_agents.search.alpha_beta import AlphaBeta
from arena_agents.search.minimax import Minimax
from arena_agents.tabular.q_table import QTable
from both_ways import Part, both, both_cases, claims, compiled, compiles, random_matches, recorded_both_ways
from tiers import slow

GAMES = [
    cls
    for cls in vars(text_games).values()
    if isinstance(cls, type) and issubclass(cls, Game) and cls not in (Game, text_games.Shrinking)
]
BOARD = text_games.Text()
PAIR = text_games.Pair()


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_a_game_plays_the_same_compiled(cls):
    game = cls()
    assert game.flat
    assert reason(game) is None
    names = ("moves", "play", "to_move", "value")
    plain = {name: getattr(game, name) for name in names}
    found = random_matches(game, rules_or_why(game).builtins, 200)
    assert found == random_matches(game, plain, 200)
    assert {type(state) for state, *_ in found} == {type(game.initial())}
    if "evaluate" in vars(cls):
        evaluate = rules_or_why(game).builtins["evaluate"]
        assert all(evaluate(state) == game.evaluate(state) for state, *_ in found)


class Opening(Component):
    """Plays from the initial position, as a whole match does."""

    def __init__(self, game):
        self.game = game

    @compiled
    def play(self, move: int):
        first = self.game.play(self.game.initial(), move)
        second = self.game.play(first, self.game.moves(first)[0])
        return sum(self.game.moves(second)), self.game.to_move(second), hash_state(second)


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_a_game_starts_the_same_compiled(cls):
    compiles(Opening(cls()), "play")
    for move in (cls().moves(cls().initial()))[:3]:
        both(lambda: Opening(cls()), "play", move)


@pytest.mark.parametrize("cls", [text_games.Pair, *slow(text_games.Text, text_games.Named, text_games.Four)])
def test_whole_matches_are_recorded_the_same_compiled(cls, tmp_path):
    fast, plain = recorded_both_ways(tmp_path, "greedy", cls)
    assert fast == plain


class Wide(text_games.Pair):
    """The board is longer than the lists of games with few moves."""

    def initial(self):
        return "." * 9 + "#" * 91, 0

    def play(self, state, move):
        board, player = state
        cells = list(board[:move])
        cells.append("XO"[player])
        return "".join(cells) + board[move + 1 :], 1 - player


def test_a_text_may_be_longer_than_the_lists_of_other_games():
    game = Wide()
    assert reason(game) is None
    names = ("moves", "play", "to_move", "value")
    plain = {name: getattr(game, name) for name in names}
    assert random_matches(game, rules_or_why(game).builtins, 20) == random_matches(game, plain, 20)


@pytest.mark.parametrize(
    ("made", "cls", "options"),
    [
        (Greedy, text_games.Pair, {}),
        (Minimax, text_games.Text, {"depth": 3}),
        pytest.param(AlphaBeta, text_games.Replaced, {"depth": 3}, marks=pytest.mark.slow),
        pytest.param(QTable, text_games.Stones, {}, marks=pytest.mark.slow),
        pytest.param(QTable, text_games.Text, {}, marks=pytest.mark.slow),
        pytest.param(AlphaBeta, text_games.Four, {"depth": 3}, marks=pytest.mark.slow),
        pytest.param(AlphaBeta, text_games.FourText, {"depth": 3}, marks=pytest.mark.slow),
    ],
)
def test_an_agent_chooses_the_same_compiled(made, cls, options):
    plain, fast = made(cls(), **options), made(cls(), **options)
    assert reason(fast) is None
    if made is QTable:
        for learner in (plain, fast):
            learner._begin_learning()
        fast._learn_episodes(0, 20, Rng(3))
        with plainly():
            plain._learn_episodes(0, 20, Rng(3))
        assert all((plain.model()[name] == array).all() for name, array in fast.model().items())
    for state, *of in random_matches(fast.game, rules_or_why(fast.game).builtins, 2):
        if len(of) == 2:
            with plainly():
                expected = plain.choose(state, list(of[0]), Rng(1))
            assert fast.choose(state, list(of[0]), Rng(1)) == expected


def test_the_graph_has_the_positions_of_tic_tac_toe():
    graph = graph_of(BOARD)
    assert len(graph) == 5478
    state = graph.position(700)
    assert isinstance(state, str)
    assert len(state) == 9
    assert graph.number_of(state) == 700
    assert [one[1] for one in graph.open_positions(range(3))] == [graph.position(i) for i in range(3)]


@pytest.mark.parametrize(
    ("game", "state", "words"),
    [
        (BOARD, "X.O..○.\U0001f600.", [88, 46, 79, 46, 46, 9675, 46, 128512, 46]),
        (text_games.Four(), bytes(range(42)), [*range(42)]),
        (text_games.Marks(), ("×________", "○"), [215, *[95] * 8, 9675]),
        (text_games.Named(), text_games.Place("X........", 1), [88, *[46] * 8, 1]),
    ],
    ids=["text", "bytes", "tuple", "named tuple"],
)
def test_positions_are_stored_as_numbers_and_come_back(game, state, words):
    packed = pack_states(game, [state, game.initial()])
    assert packed[0].tolist() == words
    assert unpack_states(packed, game) == [state, game.initial()]
    states = States(game, 2)
    states[1] = state
    assert states[1] == state
    assert type(states[1]) is type(state)
    assert states.holds(1, state)
    assert not states.holds(0, state)
    assert hash_state(state) == hash_state(tuple(words))


class Store(Component):
    """Stores positions, in an array and in a table."""

    def __init__(self, game):
        self.game = game
        self.states = States(game, 3)
        self.table = Table(game)
        self.table.grow()

    @compiled
    def keep(self, move: int):
        state = self.game.play(self.game.initial(), move)
        self.states[1] = state
        self.table[state] = 0.5
        self.table[self.game.initial()] = 1.5
        same = self.states[1] == state and self.states.holds(1, state)
        return same, self.states.holds(0, state), self.table[state] + self.table[self.game.initial()]

    @compiled
    def load(self, i: int):
        return self.game.moves(self.states[i])[0], hash_state(self.states[i])


@pytest.mark.parametrize("cls", [text_games.Text, *slow(text_games.Marks, text_games.Four, text_games.Named)])
def test_compiled_code_stores_positions_as_plain_python_does(cls):
    for move in range(3):
        assert both(lambda: Store(cls()), "keep", move)[0][:2] == (True, False)

    def filled():
        made = Store(cls())
        made.states[2] = cls().play(cls().initial(), 1)
        return made

    assert both(filled, "load", 2)[1] is None


def test_a_table_of_texts_from_before_such_games_compiled_is_taken_up():
    boards = ["X........", "XO......."]
    table = Table(BOARD)
    table.recall({"states": np.array(list(map(repr, boards))), "values": np.array([[0.5], [-0.25]])})
    assert [table[board] for board in boards] == [0.5, -0.25]


def test_a_table_with_moves_knows_positions_from_pairs_of_position_and_move():
    for game in (BOARD, PAIR):
        table = Table(game, keyed=True)
        table.grow()
        state = game.initial()
        table[state, 4] = 0.75
        assert table[state].tolist() == [0.75 if move == 4 else 0 for move in range(9)]


class Longer(text_games.Text):
    """A text with one more character."""

    def play(self, state, move):
        return state + "X"


class Turned(text_games.Text):
    """Bytes instead of a text."""

    def play(self, state, move):
        return b"........."


class LateGrowth(text_games.Stones):
    """Only late positions have another length."""

    max_plies = 300

    def initial(self):
        return "o" * 200, 0

    def play(self, state, move):
        text = state[0].replace("o", "-", 1)
        return text if text.count("o") > 90 else text + "-", 1 - state[1]


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (text_games.Shrinking(), "nested otherwise than initial is"),
        (Longer(), "of length 10, and not of 9 as initial is; a text of a fixed length compiles"),
        (Turned(), "which is a bytes, and not a str as initial is"),
    ],
    ids=["shrinking", "longer", "turned"],
)
def test_a_game_whose_texts_change_their_length_is_refused(game, said):
    assert not game.flat
    assert said in reason(game)


@pytest.mark.slow
def test_a_game_whose_texts_change_their_length_late_does_not_compile():
    assert LateGrowth().flat  # as far as random play shows
    assert reason(LateGrowth()) is not None


NAMES = {"a": 1, "b": 2}
PAIRS = ("ab", "ba", "ca")
GROWN = "caba" * 9


class Texts(Part):
    """Texts of fixed length and of any length."""

    @compiled
    def items(self, a: int, b: int):
        text = chr(97 + a % 3) + "bc" + chr(97 + b % 3)
        i = a % 4
        return text[i], text[-1], text[i - 4], text[1:3], text[-2:], "abc"[b % 3], text[2] == "c", len(text)

    @compiled
    def items_out_of_range(self, a: int, b: int):
        return (chr(97 + a % 3) + "bc")[b]

    @compiled
    def items_of_a_constant_out_of_range(self, a: int):
        return "abc"[a], b"abc"[a]

    @compiled
    def beyond_ascii(self, a: int):
        text = "é○\U0001f600" + chr(200 + a % 200)
        return (
            text[a % 4],
            ord(text[a % 4]),
            text.find("○"),
            "\U0001f600" in text,
            text > "é○",
            chr(9675) == "○",
        )

    @compiled
    def characters_by_number(self, a: int):
        return ord(chr(a)), ord("○"), chr(97) == "a"

    @compiled
    def slices_of_any_length(self, a: int, b: int):
        text = "abcab" + chr(97 + a % 3)
        cut = text[a % 7 : b % 7]
        total = 0
        for i, c in enumerate(cut):
            total = total * 10 + i * ord(c)
        last = cut[-1] if cut else "-"
        return len(cut), total, cut == "bc", cut != text, last, cut == text[1:b], "ca" in cut, cut.find("ab")

    @compiled
    def slices_beyond_the_ends(self, a: int, b: int):
        text = "abcab" + chr(97 + a % 3)
        cut, other = text[a:b], GROWN[b:a]
        return (
            len(cut),
            len(other),
            cut in ("ab", "", "cab"),
            cut + "x" == "abx",
            other.count("a"),
            cut == other,
        )

    @compiled
    def replaced_by_slices(self, a: int, b: int):
        text = "....." + chr(97 + b % 3)
        i = a % 7
        made = text[:i] + "X" + text[i + 1 :]
        text = made[: b % 5] + made[b % 5 :]
        return len(made), made == ".X...c", made.index("X"), made.count("."), text == made

    @compiled
    def replaced_in_a_loop(self, a: int, b: int):
        text = "......"
        first = text
        for i in range(a % 5):
            before = text
            text = text[:i] + "XO"[(i + b) % 2] + text[i + 1 :]
            if before == text:
                break
            if i == 1:
                first = before
        return text.count("X"), text.count("O"), text == "XO....", first.count("."), first == text

    @compiled
    def exchanged_in_a_loop(self, a: int, b: int):
        x, y = "abc"[: a % 4], "abcd"[b % 4 :]
        for _ in range(3):
            x, y = y, x
        before, both = x, x + y
        for _ in range(a % 3):
            x, y = y, x + y
        return len(x), y == both, before == "abcd"[b % 4 :], x.count("a"), before in y

    @compiled
    def changed_in_loops_over_it(self, a: int, b: int):
        text, other, seen = "abc"[: a % 4], "xy"[: b % 3], ""
        for k in range(3):
            for c in text if k else other:
                text = c + text[:5]
            for c in text:
                text = text[1:] + c + "q"
            for c in reversed(text):
                text = (c + text)[:6]
            for x, y in zip(text, other or text, strict=False):
                text = y + text[:4]
                seen = (seen + x + y)[-9:]
        return len(text), text.count("q"), text[:2] == "ab", seen.count("x"), sum(ord(c) for c in text + seen)

    @compiled
    def best_of_a_list(self, a: int, b: int):
        cuts = ["abcdef"[i : a % 7] for i in range(b % 5)]
        best, last = "", ""
        for cut in cuts:
            if len(best) < len(cut) < 3:
                best = cut
            last = cut
        return len(best), best == "bc", len(last), max(map(len, cuts), default=0)

    @compiled
    def results_of_functions(self, a: int, b: int):
        text = "......"

        def both(other):
            return other + text[b % 4 :]

        first = self.put(text, a % 6, "X")
        second = self.put(self.put(first, b % 6, "O"), 0, "Y")
        pair = self.cut(second, a)
        return first.count("X"), second.count("O"), second == text, pair[0] == "Y...", len(both(first))

    def put(self, text, i, mark):
        return text[:i] + mark + text[i + 1 :]

    def cut(self, text, a):
        return text[: a % 5], a

    @compiled
    def slices_with_a_step(self, a: int, b: int):
        text, numbers = "abcdefg" + chr(97 + a % 3), (1, 2, a, b, 5)
        x, y, z = text[a % 3 :: 3], text[a:b:2], text[a:][::-1]
        return (
            text[::-1],
            text[1::3] + text[-2::-2],
            x == "adg",
            y.count("c"),
            len(z),
            z[:1] == text[-1:],
            numbers[::-1],
            sum(list(numbers)[a:b:2]),
            len(numbers[a::2]),
        )

    @compiled
    def grown(self, a: int, b: int):
        text = ""
        for i in range(a % 6):
            text += chr(97 + i) if i % 2 else "x"
        other = text
        text = "y" + text
        return len(text), len(other), text == "yxbx", other in text, "xb" in text, text in other + "!"

    @compiled
    def grown_to_the_limit(self, a: int):
        text = ""
        for _ in range(a % 33):
            text += "ab"
        return len(text)

    @compiled
    def contained(self, a: int, b: int):
        text = chr(97 + a % 4) + "ab" + chr(97 + b % 4)
        c = chr(97 + a % 3)
        return (
            c in text,
            "ab" in text,
            "ba" in text,
            "" in text,
            c in "ab",
            c not in "xyz",
            text in "aabb",
            c in ("a", "c"),
        )

    @compiled
    def counted_and_sought(self, a: int, b: int):
        text = chr(97 + a % 3) + "ab" + chr(97 + b % 3)
        return (
            text.count("a"),
            text.count(chr(97 + b % 3)),
            text.find("b"),
            text.find("ab"),
            text.find("zz"),
            text.index("b"),
        )

    @compiled
    def sought_in_vain(self, a: int):
        return ("ab" + chr(97 + a % 4)).index("d")

    @compiled
    def replaced(self, a: int, b: int):
        text = chr(97 + a % 3) + "abab"
        cut = text[: b % 6].replace("a", "c")
        return (
            text.replace("a", "x"),
            text.replace("a", "b", b % 3),
            text.replace("a", "b", -1),
            cut == "cb",
            cut.count("c"),
        )

    @compiled
    def beginnings_and_ends(self, a: int):
        text = chr(97 + a % 3) + "ab"
        return (
            text.startswith("a"),
            text.startswith("ba"),
            text.endswith("b"),
            text.endswith("aabb"),
            text.startswith(""),
        )

    @compiled
    def ordered(self, a: int, b: int):
        one, other = chr(97 + a % 3) + chr(97 + b % 2), chr(97 + b % 3) + "a"
        return (
            one < other,
            one <= other,
            one > other,
            one >= other,
            one < "b",
            one >= "b",
            one + "a" > one,
            max(one, other),
            sorted([one, other])[0],
        )

    @compiled
    def joined(self, a: int, b: int):
        cells = list("ab." + chr(97 + b % 3))
        cells[a % 4] = "X"
        cells.append("z")
        text, same = "".join(cells), "".join(c for c in "abcd" if c != "b")
        rows = ["ab", "cd", chr(97 + a % 3) + "x"]
        return (
            text == "Xb.az",
            len(text),
            same == "acd",
            "".join(reversed(text)) == text,
            len("".join(rows)),
            "".join(rows)[4:] == "bx",
        )

    @compiled
    def joined_to_a_fixed_length(self, a: int):
        at, text = a % 4, "a" + chr(97 + a % 2)
        return "".join("X" if i == at else "." for i in range(4)), "".join([c for c in text])

    @compiled
    def chosen(self, a: int, b: int):
        mark = "X" if a > 0 else "O"
        other = "O" if mark == "X" else "X"
        word = "one" if a > 1 else "more" if b else ""
        return mark, other, mark != other, len(word), word == "one", mark * 3, mark * 3 == "XXX"

    @compiled
    def perhaps_none(self, a: int):
        found = None
        for c in "abc":
            if ord(c) == 97 + a:
                found = c
        return found, found is None, found == "b", found != "c"

    @compiled
    def keys(self, a: int, b: int):
        c = "ab"[a % 2]
        seen = {c: 1, "c": 2}
        seen["ab"[b % 2]] = 3
        known = {"ab" + c, "abc", "ab" + "ab"[b % 2]}
        return (
            NAMES[c],
            NAMES.get("abc"[b % 3], 7),
            seen.get("a", 0),
            len(seen),
            len(known),
            "aba" in known,
            c in NAMES,
        )

    @compiled
    def lists_of_texts(self, a: int, b: int):
        words = ["ab", "ba", chr(97 + a % 3) + "a"]
        parts = ["abcab"[: i + 1] for i in range(b % 5)]
        marks = ["."] * 3
        marks[a % 3] = "X"
        return (
            words.index("ba"),
            words.count("aa"),
            "ca" in words,
            len(parts),
            sum(len(p) for p in parts),
            "ab" in parts,
            marks[0] + marks[1] + marks[2],
            PAIRS[a % 3],
        )

    @compiled
    def unpacked(self, a: int):
        x, y = "XO"
        p, q = "ab" if a > 0 else "ba"
        first, second, third = tuple("ab" + chr(97 + a % 3))
        pairs = list(zip("ab", p + q, strict=True))
        return x == "X", y + p, p + q, first + second, third, pairs[1][0] + pairs[1][1]

    @compiled
    def loops_over_many_characters(self, a: int):
        text, total = GROWN + chr(97 + a % 3), 0
        for i, c in enumerate(text):
            if c == "a":
                total += i
        for c in GROWN:
            total = total * 2 % 1009 + ord(c)
        return total, sum(c == "c" for c in text), min(text), max(text[1:3]), sorted(text)[1], len(set(text))

    @compiled
    def not_equal_to_other_things(self, a: int):
        c = chr(97 + a % 3)
        return (
            c == 97,
            c != 5,
            c == ("a",),
            (c, 1) == ("a", 1),
            c == b"a",
            c[:a] == 3,
        )

    @compiled
    def digits(self, a: int, b: int):
        text = chr(48 + a % 10) + "5" + chr(1632 + b % 10) + chr(120 + b)
        return int(text[0]), int(text[1]) + int("12"), int(text[2]), int(text[a % 3]), int(text[3])

    @compiled
    def no_digits(self, a: int):
        return int(chr(97 + a % 3)), int(chr(a))

    @compiled
    def ints_as_texts(self, a: int, b: int):
        text, same = str(a), str(-(2**63) + b % 3)
        before = text
        for i in range(b % 4):
            text = str(i * 10)
        made = f"{a}:{b}{chr(97 + a % 3)}"
        return (
            len(before),
            before == "-9",
            len(text),
            text == "20",
            same[1:] == "9223372036854775807",
            len(made),
            made == "70:8b",
            "0" + str(b) == "08",
        )

    @compiled
    def matched(self, a: int):
        c = chr(97 + a % 4)
        match c:
            case "a" | "b":
                return 1
            case "c":
                return 2
        return 3


class Loose(Part):
    """Texts of any length where they could be overwritten."""

    @compiled
    def in_an_inner_function(self, a: int):
        text = "abc"[:a]

        def cut():
            nonlocal text
            text = text[1:]

        cut()
        return len(text)

    @compiled
    def list_in_an_inner_function(self, a: int):
        items = [1]

        def other():
            nonlocal items
            items = [a, 2]

        other()
        return len(items)

    @compiled
    def in_an_expression(self, a: int):
        return len("ab" + (text := "abc"[:a]) + text)

    @compiled
    def in_a_tuple(self, a: int):
        kept = (0, "")
        for pair in enumerate(self.cuts(a)):
            if pair[0] == 1:
                kept = pair
        return len(kept[1])

    def cuts(self, a):
        for i in range(3):
            yield "abcdef"[i:a]


@pytest.mark.parametrize(("cls", "name"), claims(Loose))
def test_what_could_be_overwritten_is_refused(cls, name):
    with pytest.raises(
        CannotCompile, match=r"inner function cannot assign|with a text of any length in it|by :="
    ):
        compiles(cls(), name)


class Bytes(Part):
    """Bytes."""

    @compiled
    def items(self, a: int, b: int):
        data = bytes([a & 255, 2, 3]) + b"\x04"
        return (
            data[b % 4],
            data[1:3],
            data[0] == 255,
            data == b"\xff\x02\x03\x04",
            2 in data,
            data.count(2),
            data.find(3),
            sum(data),
        )

    @compiled
    def items_out_of_range(self, a: int):
        return bytes([a, 2])

    @compiled
    def items_that_are_no_bytes(self, a: int):
        return (a + 250) in b"abc", bytes(2).count(a + 250)

    @compiled
    def replaced_by_slices(self, a: int, b: int):
        data = bytes(4)
        for i in range(a % 4):
            data = data[:i] + bytes([i + b % 3]) + data[i + 1 :]
        return (
            len(data),
            data[2],
            data.index(0),
            data == b"\x00\x01\x02\x00",
            max(data),
            [x for x in data][-1],
        )

    @compiled
    def changed(self, a: int, b: int):
        board = bytearray(b"abcd")
        board[a % 4] = 120
        board[-1] += b % 3
        made = bytes(board)
        return (
            made == b"xbcd",
            made.count(120),
            len(board),
            board[a % 4],
            98 in board,
            bytes(x + 1 for x in made)[0],
            sum(board),
        )

    @compiled
    def changed_to_what_is_no_byte(self, a: int):
        board = bytearray(3)
        board[1] = a - 4
        return board[1]

    @compiled
    def made(self, a: int):
        return (
            bytes(3) == b"\x00" * 3,
            len(bytes(0)),
            len(bytes([1] * (a % 3))),
            bytes(range(3)) == b"\x00\x01\x02",
            bytes(b"ab" if a > 0 else b"ba"),
        )


@pytest.mark.parametrize(("cls", "name"), claims(Texts, Bytes))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


class Refused(Part):
    """Methods that do not compile."""

    @compiled
    def upper(self, a: int):
        return chr(97 + a % 3).upper() == "A"

    @compiled
    def plus(self, a: int):
        return chr(97 + a % 3) + 1

    @compiled
    def mixed(self, a: int):
        return chr(97 + a % 3) in b"abc"

    @compiled
    def joined(self, a: int):
        return len("-".join(["a", "b"]))

    @compiled
    def counted(self, a: int):
        return ("ab" + chr(97 + a % 3)).count("ab")

    @compiled
    def returned(self, a: int):
        return "abc"[:a]

    @compiled
    def array(self, a: int):
        return len(np.array("ab" + chr(97 + a % 3)))

    @compiled
    def added(self, a: int):
        return len(list("ab"[:a]) + "a"[:a])

    @compiled
    def bytearrays(self, a: int):
        return bytearray(b"ab") == b"ab"

    @compiled
    def lists(self, a: int):
        return len(["a", "bc", chr(97 + a % 3)])

    @compiled
    def formatted(self, a: int):
        return len(f"{a:02}")


REFUSALS = {
    "upper": "a text of 1 character has no upper",
    "plus": "cannot be combined by this operator",
    "mixed": "a text of 1 character cannot be sought in bytes of length 3",
    "joined": 'only "".join',
    "counted": "only for one character",
    "returned": "a text of any length",
    "array": "cannot be converted to an array",
    "added": "cannot be combined by this operator",
    "bytearrays": "cannot be compared",
    "lists": "cannot contain",
    "formatted": "f-strings compile only without formats",
}


@pytest.mark.parametrize("name", REFUSALS)
def test_other_uses_of_texts_are_refused(name):
    with pytest.raises(CannotCompile, match=REFUSALS[name]):
        compiles(Refused(), name)

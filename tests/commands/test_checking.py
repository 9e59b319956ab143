"""`arena.check` names the promise that is broken, and where it shows first; of what is sound it says so."""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from functools import partial

import pytest

import arena
from arena import Agent, ArenaError, Game, option
from arena.commands.check.call import check_here, wanted_of
from arena.registry.plugins import registry
from arena.testing.agent import PROMISES as OF_AGENTS
from arena.testing.game import PROMISES as OF_GAMES
from arena.testing.learning import PROMISES_OF_LEARNERS
from broken import (
    AGENTS,
    AGENTS_COMPILED,
    FATAL,
    GAMES,
    GAMES_COMPILED,
    Careful,
    Dies,
    DiesEarly,
    Divides,
    HangingRules,
    Hangs,
    Heaps,
    MovesTwice,
)
from commands import inside
from tiers import slow, tiers

BROKEN_GAMES = [(cls, "0") for cls in GAMES] + [(cls, "1") for cls in GAMES | GAMES_COMPILED]
BROKEN_AGENTS = [(cls, "0") for cls in AGENTS] + [(cls, "1") for cls in AGENTS | AGENTS_COMPILED]


@pytest.fixture
def compiled(monkeypatch):
    return partial(monkeypatch.setenv, "ARENA_COMPILED")


def broken(found):
    return [one.promise for one in found.findings if one.kept is False]


# --- what is broken ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "as_machine_code"),
    tiers(
        BROKEN_GAMES,
        quick=["Undocumented", "MovesTwice", "Points", "LateFraction", "TurnsOneWay", "FalseIrreversible"],
    ),
)
def test_of_a_broken_game_the_promise_is_told_that_it_breaks(compiled, cls, as_machine_code):
    compiled(as_machine_code)
    first, *_ = broken(arena.check(cls))  # others may follow from it
    assert first == (GAMES | GAMES_COMPILED)[cls]


@pytest.mark.parametrize(("cls", "as_machine_code"), tiers(BROKEN_AGENTS, quick=["NoDefault", "OwnChance"]))
def test_of_a_broken_agent_the_promise_is_told_that_it_breaks(compiled, cls, as_machine_code):
    compiled(as_machine_code)
    first, *_ = broken(arena.check(cls, game=Heaps))
    assert first == (AGENTS | AGENTS_COMPILED)[cls]


def test_every_promise_is_broken_by_something():
    assert {one.name for one in OF_GAMES} == {*(GAMES | GAMES_COMPILED).values()}
    lessons = {lesson.__name__.replace("_", "-") for lesson in PROMISES_OF_LEARNERS}
    assert {one.name for one in OF_AGENTS} - lessons == {*(AGENTS | AGENTS_COMPILED).values()}


def test_every_promise_says_what_it_is_and_what_to_do():
    for one in OF_GAMES + OF_AGENTS:
        assert one.title
        assert one.remedy.endswith(".")
        assert "\n" not in one.title + one.remedy


@pytest.mark.parametrize("as_machine_code", ["0", *slow("1")])
@pytest.mark.parametrize(
    ("cls", "fault", "left"),
    [
        (Dies, "the process ended itself with status 0", "(0, "),
        *slow(
            (Hangs, "ran for over 1 s", "(0, "),
            (DiesEarly, "the process ended itself with status 3", None),
            (HangingRules, "ran for over 1 s", ("(1, 0", "(0, 1")),
        ),
    ],
)
def test_what_takes_its_process_down_or_hangs_is_told_too(compiled, cls, fault, left, as_machine_code):
    compiled(as_machine_code)
    at = {} if cls is HangingRules else {"game": Heaps}
    found = arena.check(cls, stall_seconds=1, **at)
    assert broken(found) == [FATAL.get(cls, "moves-repeat")]
    line = ", at broken.py:" if cls in (Hangs, HangingRules) else ""
    assert found.findings[-1].fault.startswith(fault + line)
    assert "the process" not in fault or found.findings[-1].remedy.startswith("Do not end")
    if left is not None:
        taken = sum(int(move) % 10 for move in found.findings[-1].moves)
        assert found.findings[-1].position.startswith(left)
        assert taken == 6 - sum(map(int, re.findall(r"\d", found.findings[-1].position)[:2]))


# --- what is sound ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_machine_code", ["0", *slow("1")])
def test_nothing_is_broken_in_what_is_sound(compiled, as_machine_code):
    compiled(as_machine_code)
    kept = {True} if as_machine_code == "1" else {True, None}  # where nothing can be compared
    for found in (arena.check(Heaps), arena.check(Careful, game=Heaps)):
        assert {one.kept for one in found.findings} == kept


@pytest.mark.parametrize("name", tiers(registry().offers["game"], quick=["tic-tac-toe"]))
def test_every_game_installed_keeps_its_promises(name):
    assert broken(arena.check(name, positions=200)) == []


@pytest.mark.parametrize(
    "name", ["random", *slow("minimax:depth=1", "q-table:episodes=20", "sarsa:episodes=20")]
)
def test_agents_keep_their_promises(name):
    assert broken(arena.check(name, matches=4)) == []


# --- what is compiled -------------------------------------------------------------------------------------


class Remembers(Agent):
    """Counts how often it has met a position."""

    def prepare(self):
        self.seen = Counter()

    def choose(self, state, moves, rng):
        self.seen[state] += 1
        return moves[0]


class Halving(Heaps):
    """Has an evaluation that takes a text."""

    def evaluate(self, state):
        return float(str(state[0]).strip())


class InWords(Game):
    """One to three letters are taken in turn."""

    def initial(self):
        return "aaaaa"

    def moves(self, state):
        return [n for n in (1, 2, 3) if n <= len(state)]

    def play(self, state, move):
        return state[move:]

    def to_move(self, state):
        return 0

    def value(self, state):
        return 1


def note(found, name):
    (one,) = [one for one in found.findings if one.promise == name]
    return one.kept, one.note


@pytest.mark.slow
def test_what_is_compiled_is_told_method_by_method(compiled):
    compiled("1")
    found = check_here(wanted_of(Careful, Heaps, matches=2))
    assert note(found, "plays-the-same-in-plain-python") == (True, "compiled: choose")
    assert str(found).splitlines()[-2:] == [
        "        compiled: choose",
        "careful at heaps passes 8 checks",
    ]
    kept, text = note(check_here(wanted_of(Halving, matches=2, positions=20)), "same-compiled")
    ours, _, others = text.partition("; ")
    assert kept is True
    assert ours.startswith("compiled: moves, play, to_move, value, irreversible, ")
    assert re.fullmatch(r"not evaluate: test_checking\.py, line \d+: .+", others)


@pytest.mark.slow
def test_of_what_is_not_compiled_it_is_told_why_and_nothing_is_compared(compiled):
    compiled("1")
    found = check_here(wanted_of(Remembers, Heaps, matches=2))
    kept, text = note(found, "plays-the-same-in-plain-python")
    assert kept is None
    assert re.match(r"not compiled: test_checking\.py, line \d+: self\.seen is a Counter; ", text)
    lines = str(found).splitlines()
    assert lines[-3] == "-       It plays the same compiled and in plain Python"
    assert lines[-2] == f"        {text}"
    assert lines[-1] == "remembers at heaps passes 7 checks"
    assert found.kept
    kept, text = note(check_here(wanted_of(InWords, matches=2)), "same-compiled")
    assert kept is None
    assert re.match(r"not compiled: .*test_checking\.py, line \d+: (initial|play) returns ", text)


@pytest.mark.slow
def test_where_nothing_is_to_be_compiled_it_says_so(compiled):
    compiled("0")
    for one, name in ((Heaps, "same-compiled"), (Careful, "plays-the-same-in-plain-python")):
        at = None if one is Heaps else Heaps
        assert note(check_here(wanted_of(one, at, matches=2)), name) == (
            None,
            "not compiled: ARENA_COMPILED is 0",
        )


@pytest.mark.slow
def test_of_a_learner_learning_and_playing_are_told_apart(compiled):
    compiled("1")
    found = check_here(wanted_of("q-table:episodes=20", "tic-tac-toe", matches=2))
    assert note(found, "learns-the-same-in-plain-python") == (True, "compiled: learn")
    assert note(found, "plays-the-same-in-plain-python") == (True, "compiled: choose")


# --- where it shows first ---------------------------------------------------------------------------------


def test_a_fault_is_told_after_the_fewest_moves():
    """One coin is left after five of six are taken: 2 and 2 or 1, in three moves."""
    (fault,) = [one for one in arena.check(MovesTwice).findings if one.kept is False]
    assert len(fault.moves) == 3
    assert sum(int(move) % 10 for move in fault.moves) == 5
    assert fault.position in ("(1, 0, 1)", "(0, 1, 1)")


class Roads(Game):
    """Each step goes along one of six roads; the game ends after thirty."""

    wrong = 12  # steps along road 3 after which the game fails
    max_plies = 30
    max_moves = 6

    def initial(self):
        return (0,) * 6

    def moves(self, state):
        return list(range(6)) if sum(state) < 30 else []

    def play(self, state, move):
        return (*state[:move], state[move] + 1, *state[move + 1 :])

    def to_move(self, state):
        return sum(state) % 2

    def value(self, state):
        return 0

    def evaluate(self, state):
        return 1 / (state[3] - self.wrong)


class LateRoads(Roads):
    """Fails where nobody comes by the shortest lines."""

    wrong = 9


@pytest.mark.slow
def test_a_fault_far_from_the_start_is_shortened_to_the_moves_that_it_takes():
    found = arena.check(LateRoads)
    (fault,) = [one for one in found.findings if one.kept is False]
    assert fault.promise == "evaluation"
    assert fault.moves == ("3",) * 9


class Tired(Agent):
    """Goes along road 0, and fails once that has been gone nine times."""

    def choose(self, state, moves, rng):
        return moves[0 // (state[0] < 9)]


@pytest.mark.slow
def test_an_agents_fault_is_shortened_to_the_moves_that_it_takes():
    (fault,) = [one for one in arena.check(Tired, game=Roads).findings if one.kept is False]
    assert fault.promise == "plays-legal-moves"
    assert fault.fault.startswith("ZeroDivisionError")
    assert fault.moves == ("0",) * 9


class Endless(Agent):
    """Goes on and on."""

    def choose(self, state, moves, rng):
        while True:
            pass


class Outside(Agent):
    """Wants a move that there is not."""

    def choose(self, state, moves, rng):
        return moves[42]


class OfTwo(Agent):
    """Does without random numbers."""

    def choose(self, state, moves):
        return moves[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "fault", "remedy"),
    [
        (Endless, r"ran for over 1 s, at test_checking\.py:\d+ in choose", "Make it terminate there"),
        (Outside, r"IndexError: .*, at test_checking\.py:\d+ in choose", "Fix the exception"),
        (OfTwo, r"TypeError: .* takes 3 positional arguments but 4 were given", "Write it as `def choose("),
    ],
)
def test_what_is_no_matter_of_moves_has_a_remedy_of_its_own(cls, fault, remedy):
    (found,) = [one for one in arena.check(cls, game=Roads, stall_seconds=1).findings if one.kept is False]
    assert re.fullmatch(fault, found.fault)
    assert found.remedy.startswith(remedy)


class Counting(Game):
    """Count to 3000; one of its methods never comes back."""

    max_plies = 3000
    hanging = ""

    def go(self, name, wrong):
        while wrong and name == self.hanging:
            pass

    def initial(self):
        self.go("initial", True)
        return (0, 0)

    def moves(self, state):
        self.go("moves", state[0] == 1200)  # which is further than what is looked at closely
        return [1] if state[0] < 3000 else []

    def play(self, state, move):
        self.go("play", state[0] == 3)
        return (state[0] + 1, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return 0


class NeverBegins(Counting):
    """Has no first position."""

    hanging = "initial"


class HangsEarly(Counting):
    """Is played up to 3."""

    hanging = "play"


class HangsLate(Counting):
    """Has no moves, and no end, at 1200."""

    hanging = "moves"


class FirstMove(Agent):
    """Plays the first legal move."""

    def choose(self, state, moves, rng):
        return moves[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "promise", "where"),
    [
        (NeverBegins, "begins", None),
        (HangsEarly, "play-repeats", "(3, 1)"),
        *slow((HangsLate, "equals-its-copy", "(1200, 0)")),
    ],
)
def test_of_rules_that_never_come_back_the_line_is_told(compiled, cls, promise, where):
    compiled("0")
    found = arena.check(cls, stall_seconds=1, positions=20)
    assert broken(found) == [promise]
    fault = found.findings[-1]
    assert re.match(r"ran for over 1 s, at test_checking\.py:\d+ in go", fault.fault)
    assert (fault.position, fault.remedy[:24]) == (where, "Make it terminate there,")


@pytest.mark.slow
def test_a_game_that_hangs_as_an_agent_plays_it_is_told_so(compiled):
    compiled("0")
    found = arena.check(FirstMove, game=HangsEarly, stall_seconds=1, matches=1)
    assert broken(found) == ["plays-legal-moves"]
    assert re.match(r"ran for over 1 s, at test_checking\.py:\d+ in go", found.findings[-1].fault)
    assert found.findings[-1].position == "(3, 1)"


# --- as it is told ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_is_told_in_lines_and_as_json():
    found = arena.check(Divides, game=Heaps)
    lines = str(found).splitlines()
    assert (
        lines[0]
        == "ok      The class has a docstring, can be imported, and has options that fit their defaults"
    )
    at = lines.index("broken  It plays legal moves to the end, and leaves the list of moves as it was")
    assert lines[at + 1].startswith("        ZeroDivisionError: ")
    assert lines[at + 2].startswith("        after ")
    assert lines[-1] == "divides at heaps fails 1 of 8 checks"
    told = json.loads(json.dumps(found.to_dict()))
    assert (told["entry"], told["kind"], told["game"], told["kept"]) == ("divides", "agent", "heaps", False)
    assert [one["kept"] for one in told["promises"]] == [True, True, False, *[True] * 5]


class Loud(Careful):
    """Prints in Python and past it."""

    def choose(self, state, moves, rng):
        print("thinking of", len(moves), "moves\nand of", state)
        os.write(1, b"from C\n")
        os.write(2, b"an error\n")
        return super().choose(state, moves, rng)


class LoudHeaps(Heaps):
    """Prints its moves."""

    def moves(self, state):
        print("asked for moves")
        return super().moves(state)


@pytest.mark.slow
def test_what_is_printed_is_counted_and_told_in_a_line(capfd):
    found = arena.check(Loud, game=Heaps, matches=1)
    line = str(found).splitlines()[-2]
    told = r"-       loud printed ([\d,]+) lines \(first: 'thinking of \d moves'\); matches discard them"
    match = re.fullmatch(told, line)
    assert match, line
    assert int(match[1].replace(",", "")) % 4 == 0  # four at each move
    assert str(found).endswith("loud at heaps passes 8 checks") or found.findings[-2].kept is None
    game = arena.check(LoudHeaps, positions=20, matches=1)
    assert re.search(r"printed [\d,]+ lines \(first: 'asked for moves'\); matches show them", str(game))
    seen = capfd.readouterr()
    assert seen.out == ""
    assert "thinking" not in seen.err
    assert "from C" not in seen.err


class Wrong(Careful):
    luck: int = option(50, "how often it takes the first move, in a hundred", low=0, high=100)

    def choose(self, state, moves, rng):
        if len(moves) == 1:
            return 99
        return random.choice(moves)


Wrong.__doc__ = ""


class WrongHeaps(Heaps):
    """Its texts of moves are alike, its value is in points, a piece has no text, and moves come twice."""

    def moves(self, state):
        found = [*super().moves(state)]
        return found * 2 if state[0] + state[1] == 1 else found

    def value(self, state):
        return -2

    def move_text(self, move):
        return str(move % 10)

    def piece_text(self, piece):
        return "c"


@pytest.mark.slow
def test_all_that_is_broken_is_told_and_not_the_first_alone():
    found = broken(arena.check(Wrong, game=Heaps))
    assert found == ["class-of-agent", "plays-legal-moves", "plays-the-same-again"]
    assert broken(arena.check(WrongHeaps)) == ["moves-repeat", "outcome", "move-notation", "piece-texts"]


@pytest.mark.slow
def test_the_command_ends_with_status_1_if_a_promise_is_broken(tmp_path):
    said = inside(tmp_path, "check", "random", "--matches", "2")
    assert said.stdout.splitlines()[-1] == "random at tic-tac-toe passes 8 checks"
    (tmp_path / "two.py").write_text(
        '''
from arena import Agent, Game

class Line(Game):
    """Five steps, one each."""

    max_plies = 5
    def initial(self): return 0
    def moves(self, state): return ["step"] if state < 5 else []
    def play(self, state, move): return state + 1
    def to_move(self, state): return state % 2
    def value(self, state): return 3

class Nobody(Agent):
    """Plays nothing."""

    def choose(self, state, moves, rng): pass
'''
    )
    said = inside(tmp_path, "check", "two.py::Line", status=1)
    assert "value is 3, not 1, 0 or -1, in 5\n        after step step step step step\n" in said.stdout
    assert said.stdout.count("broken") == 1
    told = json.loads(inside(tmp_path, "check", "two.py::Nobody", "--json", status=1).stdout)
    assert [one["promise"] for one in told["promises"] if one["kept"] is False] == ["plays-legal-moves"]
    told = json.loads(inside(tmp_path, "check", "first", "--game", "two.py::Line", "--json").stdout)
    assert told["kept"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody"], "no agent and no game is called 'nobody'"),
        (["tic-tac"], "did you mean 'tic-tac-toe'?"),
        (["psv", "--game", "nowhere"], "no game called 'nowhere'"),
        (["random", "--positions", "5"], "positions applies only to games"),
        (["minimax:depth=x"], "option 'depth' of minimax takes"),
        (["none.py"], "there is no file none.py"),
    ],
    ids=str,
)
def test_what_cannot_be_checked_is_told_in_one_line(tmp_path, words, said):
    (line,) = inside(tmp_path, "check", *words, status=1).stderr.splitlines()
    assert line.startswith("Error: ")
    assert said in line


def test_of_a_file_with_an_unfinished_game_what_that_lacks_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.py").write_text(
        "import arena\nclass G(arena.Game):\n def initial(self): return 0\n def move(self, s): return []\n"
    )
    with pytest.raises(ArenaError, match=r"^g\.py has no game: G has no 'moves'; rename 'move'$"):
        arena.check("g.py")


def test_a_method_that_the_game_needs_is_not_to_be_renamed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules = "initial", "moves", "play", "value"
    methods = "".join(f" def {name}(self, *args): return 0\n" for name in rules)
    (tmp_path / "g.py").write_text(f"import arena\nclass G(arena.Game):\n{methods}")
    with pytest.raises(ArenaError, match=r"^game g\.py cannot be created: it has no 'to_move'; write it$"):
        arena.match("random", "random", game="g.py")


@pytest.mark.slow
def test_an_agent_is_checked_at_the_first_game_that_it_can_play():
    class_needs = arena.check("psv:learner=(q-backprop:episodes=5)", matches=2)
    assert class_needs.game == "tic-tac-toe"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("matches", 0, "matches is 0, but must be a whole number from 1 to 1,000,000"),
        ("positions", -1, "positions is -1, but must be"),
        ("matches", "many", "matches takes a whole number, not 'many'"),
        ("matches", 10**20, "matches is 1(0{20}), but must be"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(name, value, told):
    with pytest.raises(ArenaError, match=told):
        arena.check("tic-tac-toe", **{name: value})

"""A fault is told in full: line, traceback, position, moves, what was printed; and it is played again."""

from __future__ import annotations

import json
import os
import re

import pytest

import arena
from bad_agents import IMPORTS
from commands import arena as command
from records import query, rows

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")

SOURCE = f"""{IMPORTS}
@hookimpl
def register_agents(register):
    for name in ("deep", "cheats", "hangs", "slow", "loud", "hostile", "unready", "lacking", "sleepy"):
        register(name, "faulty:" + name.title())

class Deep(Agent):
    "Fails from the third move on, two functions deep, in what another calls."
    def choose(self, state, moves, rng):
        print("there are", len(moves), object())
        return self.pick(moves) if len(moves) < 6 else rng.choice(moves)
    def pick(self, moves):
        return max(moves, key=lambda move: 1 // 0)

class Cheats(Agent):
    def choose(self, state, moves, rng):
        print("I cheat")
        return -7

class Hangs(Agent):
    def choose(self, state, moves, rng):
        print("for ever")
        while len(moves) < 6: pass
        return moves[0]

class Slow(Agent):
    def choose(self, state, moves, rng):
        print("slowly")
        time.sleep(0.5)
        return moves[0]

class Loud(Agent):
    def choose(self, state, moves, rng):
        for i in range(100_000): print("line", i)
        print("error", file=sys.stderr)
        raise ValueError

class Hostile(Agent):
    def choose(self, state, moves, rng):
        print("\\x1b[2J\\u202e" + "x" * 300)
        raise type("\\x1b[31m", (ValueError,), dict(__str__=lambda self: "\\x1b[2J" + "y" * 10_000_000))

class Unready(Agent):
    def prepare(self): self.weights = [][0]
    def choose(self, state, moves, rng): return moves[0]

class Lacking(Agent):
    def chose(self, state, moves, rng): return moves[0]

class Sleepy(Agent):
    def prepare(self): time.sleep(100)
    def choose(self, state, moves, rng): return moves[0]

class Forgetful(Learner):
    episodes: int = option(10, "how many")
    def learn(self, episode, tally): return {{}}["lesson"]
    def choose(self, state, moves, rng): return moves[0]
    def model(self): return {{}}
    def recall(self, model): pass

@hookimpl(specname="register_agents")
def register_forgetful(register): register("forgetful", "faulty:Forgetful")
"""


def line_of(text):
    """Where a line of the source begins so."""
    return 1 + next(i for i, line in enumerate(SOURCE.splitlines()) if line.strip().startswith(text))


@pytest.fixture(scope="module")
def faulty(plugin):
    return plugin(faulty=SOURCE)


@pytest.fixture(scope="module")
def told(tmp_path_factory, faulty):
    """Where a tournament with such agents is recorded, and what was said meanwhile."""
    folder = tmp_path_factory.mktemp("told")
    entries = [word for name in ("random", "deep", "cheats", "hostile") for word in ("--entry", name)]
    (folder / "t.toml").write_text("streams = 1\n")  # under which somebody wins before anybody fails
    args = ("t.toml", *entries, "--rounds", "5", "--seed", "1", "--workers", "1")
    return folder, command(folder, "tournament", *args, "--json", **faulty)


def faults_in(folder, *more, **env):
    return json.loads(command(folder, "tournaments", "show", "1", "--faults", "--json", *more, **env).stdout)


@pytest.mark.slow
def test_a_crash_tells_the_authors_line_and_the_whole_traceback(told):
    found = [fault for fault in faults_in(told[0])["faults"] if fault["entry"] == "deep"]
    assert len(found) == 3  # its first ones, though it failed more often
    fault = found[0]
    at = line_of("return max(")
    assert fault["place"] == f"faulty.py:{at} in <lambda>"
    assert fault["detail"] == "ZeroDivisionError: integer division or modulo by zero"
    lines = fault["traceback"].splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    places = [line.strip() for line in lines if line.startswith("  File")]
    assert places == [
        f'File "faulty.py", line {line_of("return self.pick")}, in choose',
        f'File "faulty.py", line {at}, in pick',
        f'File "faulty.py", line {at}, in <lambda>',
    ]
    assert lines[-1] == fault["detail"]
    assert fault["position"].count(".") < 6
    assert len(fault["moves"].split()) == 9 - fault["position"].count(".")
    assert fault["board"].split() == [*fault["position"]]
    assert re.fullmatch(r"there are \d <object object at 0x…>", fault["printed"].splitlines()[-1])


@pytest.mark.slow
def test_an_illegal_move_tells_the_position_and_what_was_printed(told):
    fault = next(fault for fault in faults_in(told[0])["faults"] if fault["entry"] == "cheats")
    assert (fault["reason"], fault["printed"]) == ("illegal move", "I cheat\n")
    assert fault["detail"] == f"-7 in {fault['position']}"
    assert fault["board"].split() == [*fault["position"]]


def test_what_agents_print_is_neither_in_the_json_nor_beside_the_progress(told):
    json.loads(told[1].stdout)
    assert "there are" not in told[1].stderr
    assert "I cheat" not in told[1].stderr


def test_who_failed_how_often_is_counted_and_all_fits_80_columns(told):
    counted = query(
        told[0] / "arena.db",
        "SELECT CASE result WHEN 1 THEN second ELSE first END, reason, count(*) FROM results"
        " WHERE detail IS NOT NULL GROUP BY 1, 2",
    )
    counts = faults_in(told[0])["counts"]
    assert [(name, reason, counts[name][reason]) for name, reason, _ in counted] == counted
    text = command(told[0], "tournaments", "show", "1", "--faults").stdout
    assert max(map(len, text.splitlines())) < 80
    assert re.search(r"^cheats: illegal move \d+$", text, re.MULTILINE)
    assert re.search(r"^deep: crash 3; withdrawn, \d+ unplayed$", text, re.MULTILINE)


def test_what_is_hostile_is_bounded_and_shown_as_text(told):
    text = command(told[0], "tournaments", "show", "1", "--faults").stdout
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[2J" in text
    sizes = query(told[0] / "arena.db", "SELECT max(length(traceback)), max(length(printed)) FROM faults")
    assert max(sizes[0]) <= 8192


@pytest.mark.parametrize("executor", ["processes", "threads", "serial"])
@pytest.mark.slow
def test_the_stories_are_the_same_wherever_it_is_played(tmp_path, told, faulty, executor):
    entries = [word for name in ("random", "deep", "cheats", "hostile") for word in ("--entry", name)]
    (tmp_path / "t.toml").write_text("streams = 1\n")
    args = ("t.toml", *entries, "--rounds", "5", "--seed", "1", "--workers", "3", "--executor", executor)
    command(tmp_path, "tournament", *args, **faulty)
    assert rows(tmp_path / "arena.db") == rows(told[0] / "arena.db")


@posix
@pytest.mark.slow
def test_a_stall_tells_where_it_was_and_a_slow_move_what_was_printed(tmp_path, faulty):
    args = ("--stall-seconds", "1", "--matches", "1", "--seed", "1", "--record")
    command(tmp_path, "match", "random", "hangs", *args, status=1, **faulty)
    args = ("--move-seconds", "0.1", "--matches", "1", "--record")
    command(tmp_path, "match", "slow", "random", *args, status=1, **faulty)
    (fault,) = faults_in(tmp_path)["faults"]
    assert (fault["reason"], fault["detail"]) == ("stall", "no move within 1 s")
    assert fault["place"] == f"faulty.py:{line_of('while len(moves)')} in choose"
    assert fault["printed"].endswith("for ever\n")
    assert len(fault["moves"].split()) == 9 - fault["position"].count(".") >= 4
    told = json.loads(command(tmp_path, "tournaments", "show", "2", "--faults", "--json").stdout)["faults"]
    assert [(fault["reason"], fault["printed"]) for fault in told] == [("clock", "slowly\n")]


@pytest.mark.slow
def test_of_what_is_printed_without_end_the_last_is_kept(tmp_path, faulty):
    command(tmp_path, "match", "loud", "random", "--matches", "1", "--record", status=1, **faulty)
    (fault,) = faults_in(tmp_path)["faults"]
    assert fault["printed"].endswith("line 99998\nline 99999\nerror\n")
    assert len(fault["printed"]) <= 8192


def test_a_tournament_without_faults_says_so(tmp_path):
    db = tmp_path / "arena.db"
    arena.tournament(["random", "first"], game="tic-tac-toe", rounds=1, seed=1, db=db, progress=False)
    assert arena.tournaments.faults(1, db).to_dict() == {"tournament": 1, "counts": {}, "faults": []}
    assert str(arena.tournaments.faults(1, db)) == f"No entry failed in tournament 1 of {db}."


# Played again


def debug(folder, *args, input="", status=0, **env):
    return command(folder, "debug", *args, input=input, status=status, **env)


@pytest.mark.slow
def test_a_match_is_played_again_to_the_same_fault_under_the_debugger(told, faulty):
    fault = next(fault for fault in faults_in(told[0])["faults"] if fault["entry"] == "deep")
    done = debug(told[0], "1", str(fault["match"]), "--debugger", input="p move\np moves\nup\nq\n", **faulty)
    said = done.stdout
    assert f"recorded: deep by crash: {fault['detail']}" in said.replace("\n   ", "")
    assert f"  moves: {fault['moves']}\n" in said
    assert f"  position: {fault['position']}\n" in said
    assert re.search(rf"> \S+faulty.py\({line_of('return max(')}\)<lambda>\(\)", said)
    assert re.search(r"\(Pdb\) \d\n", said)
    assert "there are" not in said.partition("(Pdb)")[0]  # but on standard error
    assert "there are" in done.stderr


def test_without_a_terminal_the_whole_traceback_is_shown(told, faulty):
    fault = next(fault for fault in faults_in(told[0])["faults"] if fault["entry"] == "deep")
    said = debug(told[0], "1", str(fault["match"]), **faulty).stdout
    assert "(Pdb)" not in said
    assert re.search(r'File "/\S*faulty.py", line', said.replace("\n    ", ""))


@pytest.mark.slow
def test_a_match_in_which_nobody_fails_says_how_it_ends(told, faulty):
    number = query(told[0] / "arena.db", "SELECT min(number) FROM matches WHERE detail IS NULL AND plies")[0][
        0
    ]
    said = debug(told[0], "1", str(number), "--debugger", **faulty).stdout
    assert re.search(r"now: (a draw|the (first|second) player wins) by rules, in \d plies; no failure", said)


def test_a_match_that_there_is_not_is_told(told, faulty):
    assert debug(told[0], "1", "600", status=1, **faulty).stderr == (
        "Error: tournament 1 has no match 600; its matches are 0 to 59\n"
    )


@posix
@pytest.mark.slow
def test_who_was_sandboxed_is_not_played_outside(tmp_path, faulty):
    args = ("--matches", "1", "--isolate", "--record")
    command(tmp_path, "match", "cheats", "random", *args, status=1, **faulty)
    assert (
        "plays sandboxed; if you trust it, --trust runs it here"
        in debug(tmp_path, "1", "0", status=1, **faulty).stderr
    )
    assert "by illegal move" in debug(tmp_path, "1", "0", "--trust", **faulty).stdout


# Before the first match

REFUSED = {
    "unready": "IndexError: list index out of range, "
    f"at faulty.py:{line_of('def prepare(self): self')} in prepare",
    "lacking": "it has no method 'choose'",
    "sleepy": f"it is not ready within 1 s, at faulty.py:{line_of('class Sleepy') + 1} in prepare",
}


@pytest.mark.parametrize("name", [*REFUSED])
def test_who_cannot_play_is_refused_in_one_line(tmp_path, faulty, name):
    done = command(tmp_path, "match", name, "random", "--stall-seconds", "1", status=1, **faulty)
    remedy = "fix it, leave it out, or continue with --keep-going"
    assert done.stderr == f"Error: {name} cannot play: {REFUSED[name]}; {remedy}\n"


@pytest.mark.slow
def test_nothing_is_recorded_of_a_tournament_that_is_refused(tmp_path, faulty):
    args = ("--entry", "random", "--entry", "unready", "--entry", "lacking", "--rounds", "1")
    done = command(tmp_path, "tournament", *args, status=1, **faulty)
    assert "unready cannot play" in done.stderr
    assert "(nor can 1 more)" in done.stderr
    assert query(tmp_path / "arena.db", "SELECT * FROM tournaments") == []
    command(tmp_path, "tournament", *args, "--keep-going", status=1, **faulty)
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM matches") == [(6,)]


@pytest.mark.slow
@posix
def test_who_cannot_be_made_behind_walls_is_refused_there(tmp_path, faulty):
    done = command(tmp_path, "match", "unready", "random", "--isolate", status=1, **faulty)
    assert f"unready cannot play: {REFUSED['unready']}; " in done.stderr


@pytest.mark.slow
def test_a_learner_that_cannot_learn_is_refused_with_its_line(tmp_path, faulty):
    done = command(tmp_path, "match", "forgetful", "random", status=1, **faulty)
    at = f"at faulty.py:{line_of('def learn(self')} in learn"
    assert f"Error: forgetful failed while learning: KeyError: 'lesson', {at}; fix it, " in done.stderr
    args = ("--matches", "2", "--keep-going")
    done = command(tmp_path, "match", "forgetful", "random", *args, status=1, **faulty)
    assert "it will forfeit" in done.stderr


def test_a_plugin_without_a_hook_is_told_so(tmp_path, plugin):
    env = plugin(hookless="def register_agents(register): register('a', 'hookless:A')\n")
    said = command(tmp_path, "games", **env).stderr
    assert re.match(r"Warning: plugin hookless \(faulty 1.0\): it has no hook, .*@arena.hookimpl", said)


MADE = """import arena
class Made(arena.Agent):
    def choose(self, state, moves, rng):
        return moves[0]
"""
UNMADE = """from arena import Agent, hookimpl
class Unmade(Agent):
    def prepare(self): raise OSError('no weights')
@hookimpl
def register_agents(register): register('unmade', 'unmade:Unmade')
"""


@pytest.mark.slow
def test_who_cannot_be_made_is_refused_if_named_and_forfeits_among_a_folders_files(tmp_path):
    (tmp_path / "made.py").write_text(MADE)
    (tmp_path / "unmade.py").write_text(
        f"{MADE}    def prepare(self):\n        raise OSError('no weights')\n"
    )
    args = ("made.py", "--entry", "random", "--rounds", "3", "--seed", "1")
    refused = command(tmp_path, "tournament", *args, "--entry", "unmade.py", status=1).stderr
    said = "Error: unmade.py cannot play: OSError: no weights, at unmade.py:6 in prepare; "
    assert refused.splitlines()[-1].startswith(said)  # below the warning of a short seed
    assert query(tmp_path / "arena.db", "SELECT * FROM tournaments") == []
    done = command(tmp_path, "tournament", *args, "unmade.py")
    told = "^Warning: unmade.py forfeited 3, .* OSError: no weights, at unmade.py:6 in prepare$"
    assert re.search(told, done.stderr, re.M)


@pytest.mark.slow
def test_where_nobody_is_named_others_play_without_those_that_cannot_be_made(tmp_path, plugin):
    env = {**plugin(unmade=UNMADE), "ARENA_MODELS": str(tmp_path / "models")}
    args = ("--game", "checkers-4x4", "--rounds", "1", "--seed", "1")
    done = command(tmp_path, "tournament", *args, **env, ARENA_COMPILED="1")
    told = "^Warning: unmade forfeited 3, .* OSError: no weights, at unmade.py:3 in prepare$"
    assert re.search(told, done.stderr, re.M)

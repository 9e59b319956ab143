"""Whatever an agent, a game or a plugin does wrong costs itself, and nobody else."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path

import pytest

from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.matches.driver import play
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.results.records import Records
from arena.rng import Streams
from arena.workers.pools import Workers
from arena.workers.processes import Processes
from bad_agents import AGENTS, IMPORTS, plugin_source
from commands import arena, taught
from records import check_sums, query, rows
from tiers import slow, tiers

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and /proc")

PATIENCE = 30.0  # seconds for a move of what does not hang, however busy the machine is


@pytest.fixture(scope="module")
def faulty(plugin):
    return plugin(faulty=plugin_source(AGENTS))


@contextmanager
def importable(env):
    """A plugin's modules can be imported here, and in worker processes that are started from here."""
    folder = env["PYTHONPATH"].split(os.pathsep)[0]
    sys.path.insert(0, folder)
    sys.modules.pop("faulty", None)
    try:
        yield
    finally:
        sys.path.remove(folder)


# As the command line tells it


def tournament(folder, entries, *args, status=0, **env):
    named = [word for entry in entries for word in ("--entry", entry)]
    all_play = ("--keep-going", "--withdraw-after", "0")
    given = (*named, "--seed", "1", "--rounds", "1", *all_play, *args, "--db", "arena.db")
    return arena(folder, "tournament", *given, status=status, **env)


SOME = ["raises", "leaves", "recurses", "off-the-board", "unspeakable", "fails-to-begin"]
DEADLY = ["exits-with-0", "segfaults", "dies-at-birth"]


def results(db: Path) -> dict[tuple[str, str], tuple]:
    sql = "SELECT first, second, result, reason, detail, moves FROM results"
    return {tuple(row[:2]): tuple(row[2:]) for row in query(db, sql)}


@pytest.fixture(scope="module")
def told(tmp_path_factory, faulty):
    """A tournament with faulty agents: its database and what it printed."""
    folder = tmp_path_factory.mktemp("told")
    entries = ["random", "greedy", *SOME, *DEADLY, "prints", "writes-to-file-1"]
    done = tournament(folder, entries, "--json", "--workers", "4", **faulty)
    return folder / "arena.db", done


@pytest.mark.slow
def test_a_tournament_with_faulty_agents_finishes(told):
    db, _ = told
    met = results(db)
    assert len(met) == 13 * 12
    assert query(db, "SELECT finished IS NOT NULL FROM tournaments") == [(1,)]
    check_sums(db)


@pytest.mark.slow
def test_of_two_faulty_agents_the_first_to_be_asked_loses(told):
    met = results(told[0])
    assert {met[pair][0] for pair in permutations([*SOME[:5], *DEADLY[:2]], 2)} == {-1}


@pytest.mark.slow
def test_what_agents_print_does_not_reach_the_json(told):
    said = json.loads(told[1].stdout)
    assert len([*said["leaderboard"], *said["unrated"]]) == 13


@pytest.mark.slow
def test_each_forfeiter_is_warned_about_once(told):
    for name in SOME + DEADLY:
        assert len(re.findall(rf"^Warning: {name} forfeited ", told[1].stderr, re.MULTILINE)) == 1


@pytest.mark.parametrize("executor", ["threads", "serial"])
@pytest.mark.slow
def test_exceptions_cost_the_same_in_this_process(tmp_path, told, faulty, executor):
    entries = ["random", "greedy", *SOME, "prints"]
    done = tournament(tmp_path, entries, "--json", "--executor", executor, "--workers", "2", **faulty)
    assert json.loads(done.stdout)["played"] == 9 * 8
    assert results(tmp_path / "arena.db").items() <= results(told[0]).items()


@pytest.mark.slow
def test_a_thread_that_raises_keyboard_interrupt_loses(tmp_path, faulty):
    """The user's own Ctrl-C reaches the main thread alone."""
    tournament(tmp_path, ["random", "interrupts"], "--executor", "threads", status=1, **faulty)
    reasons = [row[1:3] for row in results(tmp_path / "arena.db").values()]
    assert reasons == [("crash", "KeyboardInterrupt")] * 2


# Going on for ever


@posix
@pytest.mark.slow
def test_a_tournament_with_a_stall_ends_well(tmp_path, faulty):
    args = ("--stall-seconds", "1", "--workers", "4", "--json")
    done = tournament(tmp_path, ["random", "greedy", "sleeps"], *args, **faulty)
    said = json.loads(done.stdout)
    forfeits = {row["entry"]: row["forfeits"] for row in [*said["leaderboard"], *said["unrated"]]}
    assert forfeits == {"random": 0, "greedy": 0, "sleeps": 4}
    assert "Warning: sleeps forfeited 4, the first match 0 by stall: no move within 1 s, at " in done.stderr


@pytest.mark.slow
def test_a_slow_move_loses_by_the_clock(tmp_path, plugin):
    env = plugin(
        faulty=f"{IMPORTS}\n@hookimpl\ndef register_agents(register): register('slow', 'faulty:Slow')\n"
        "class Slow(Agent):\n"
        "    def choose(self, state, moves, rng):\n"
        "        if len(moves) < 8: time.sleep(0.8)\n"
        "        return moves[0]\n"
    )
    tournament(tmp_path, ["random", "slow"], "--move-seconds", "0.5", "--seed", "1", status=1, **env)
    met = results(tmp_path / "arena.db")
    assert met["random", "slow"][:3] == (1, "clock", "ply 4 took over 0.5 s")
    assert met["slow", "random"][:3] == (-1, "clock", "ply 3 took over 0.5 s")


# Games


GAME = """
@hookimpl
def register_games(register): register("pile", "faulty:Pile")

class Pile(Game):
    "Whoever takes the last of twenty wins. What goes wrong does so where four threes have been taken."
    part: str = option("", "what goes wrong; by default what the environment says")
    def fault(self, part, state):
        return (self.part or os.environ.get("FAULT")) == part and state[2] >= 4
    def initial(self):
        return (20, 0, 0)
    def moves(self, state):
        if self.fault("moves", state): raise LookupError("no such pile")
        if self.fault("leaves", state): sys.exit(0)
        if self.fault("dies", state): os._exit(3)
        return list(range(1, min(state[0], 3) + 1))
    def play(self, state, move):
        while self.fault("loops", state): pass
        return (state[0] - move, 1 - state[1], state[2] + (move == 3))
    def to_move(self, state):
        return 7 if self.fault("turn", state) else state[1]
    def value(self, state):
        return 2 if self.fault("value", state) else -1
    def move_text(self, move):
        return 1 / 0 if self.part == "text" else str(move)
    def position_text(self, state):
        return 1 / 0 if self.part == "position" else str(state[0])

@hookimpl
def register_agents(register): register("wrong", "faulty:Wrong")

class Wrong(Agent):
    def choose(self, state, moves, rng): return 99
"""

PLAYED = r"game pile:part=.* failed in match \d+ after the moves [123 ]+"
AT = r", at faulty\.py:\d+ in {}"
GAME_FAULTS = {
    "moves": PLAYED + ": LookupError: no such pile" + AT.format("moves"),
    "leaves": PLAYED + ": SystemExit: 0" + AT.format("moves"),
    "turn": PLAYED + ": ValueError: to_move is 7, not 0 or 1",
    "value": PLAYED + ": ValueError: value is 2, not 1, 0 or -1",
    "text": PLAYED + ": ZeroDivisionError: division by zero" + AT.format("move_text"),
    "dies": r"game pile:part=dies failed in match \d+: the process ended itself with status 3",
    "loops": r"game pile:part=loops failed in match \d+: ran for over 1 s" + AT.format("(play|fault)"),
}


@pytest.fixture(scope="module")
def pile(plugin):
    return plugin(faulty=IMPORTS + GAME)


def match_at(part, second, pile):
    """Blocks of a match of `first` at a game where this part fails."""
    entries = (Spec("first", "arena_agents.baselines.first:First", {}), second)
    game = Spec(f"pile:part={part}", "faulty:Pile", {"part": part})
    limits = Limits(99, 0.0, 1.0 if part == "loops" else PATIENCE)
    plan = Plan(game, entries, Schedule.of(Stage(((0, 1), (1, 0)), 100)), Streams(1), Openings(), limits)
    with importable(pile), Workers(Processes, 1).opened() as pool:
        yield from play(plan, [range(200)], pool, Records)


@posix
@pytest.mark.parametrize("part", tiers(GAME_FAULTS, quick=["moves", "value"]))
def test_a_game_that_fails_ends_the_match_in_one_line(pile, part):
    blocks = match_at(part, Spec("random", "arena_agents.baselines.random:Random", {}), pile)
    with pytest.raises(ArenaError) as error:
        assert sum(map(len, blocks)) < 200
    assert re.fullmatch(GAME_FAULTS[part], str(error.value))


@pytest.mark.slow
def test_a_game_that_cannot_show_a_position_is_at_fault_itself(pile):
    """It is asked for the position of an illegal move."""
    with pytest.raises(ArenaError, match=r"^game pile:part=position failed .*: ZeroDivisionError"):
        list(match_at("position", Spec("wrong", "faulty:Wrong", {}), pile))


@posix
@pytest.mark.slow
def test_what_was_played_before_a_game_failed_stays(tmp_path, pile):
    args = ("--game", "pile", "--rounds", "100", "--workers", "1")
    done = tournament(tmp_path, ["random", "first"], *args, status=1, **pile, FAULT="dies")
    line = r"Error: game pile failed in match \d+: the process ended itself with status 3\n"
    assert re.fullmatch(line, done.stderr)
    assert done.stdout == ""
    db = tmp_path / "arena.db"
    check_sums(db)
    before = set(rows(db)["matches"])
    assert 0 < len(before) < 200
    arena(tmp_path, "tournament", "--resume", **pile)  # it is well again
    assert before < set(rows(db)["matches"])
    assert len(rows(db)["matches"]) == 200


# Plugins

HOOK = "from arena import Agent, Game, hookimpl\n@hookimpl"
BROKEN = {
    "a_syntax": "def (:",
    "b_import": "import no_such_module",
    "c_exit": "raise SystemExit('bye')",
    "d_taken": HOOK + "\ndef register_games(register): register('tic-tac-toe', 'd_taken:Game')",
    "e_name": HOOK + "\ndef register_agents(register): register('Big Name', 'e_name:Agent')",
    "f_target": HOOK + "\ndef register_agents(register): register('pointless', 'f_target')",
    "g_hook": HOOK + "\ndef register_wonders(register): pass",
    "h_raises": HOOK + "\ndef register_agents(register): 1 / 0",
    "i_lazy": HOOK + "\ndef register_agents(register): register('lazy', 'no_such_module:Agent')",
    "j_attribute": HOOK + "\ndef register_agents(register): register('absent', 'j_attribute:Absent')",
    "k_no_agent": HOOK
    + "\ndef register_agents(register): register('number', 'k_no_agent:NUMBER')\nNUMBER = 3",
    "l_odd_name": HOOK + "\ndef register_agents(register): register(3, 'l_odd_name:Agent')",
    "m_arguments": HOOK + "\ndef register_agents(registers): pass",
    "n_command": HOOK + "\ndef register_commands(register): register('leaderboard', 'n_command:Agent')",
    "p_sound": HOOK
    + "\ndef register_agents(register): register('sound', 'p_sound:Sound')"
    + "\nclass Sound(Agent):\n    def choose(self, state, moves, rng): return moves[-1]",
}

ERRORS = {
    "a_syntax": "SyntaxError",
    "b_import": "ModuleNotFoundError: No module named 'no_such_module'",
    "c_exit": "SystemExit: bye",
    "d_taken": "game 'tic-tac-toe' is already offered by plugin arena_games",
    "e_name": "agent 'Big Name': a name must be words of a-z and 0-9 joined by hyphens",
    "f_target": "agent 'pointless': target 'f_target' is not 'module:attribute'",
    "g_hook": "register_wonders",
    "h_raises": "register_agents: ZeroDivisionError: division by zero",
    "l_odd_name": "agent 3: a name must be words",
    "m_arguments": "registers",
    "n_command": "command 'leaderboard' is already offered by plugin arena",
}


@pytest.fixture(scope="module")
def broken(plugin):
    return plugin(**BROKEN)


def test_broken_plugins_are_listed_with_what_is_wrong(tmp_path, broken):
    found = {
        found["name"]: found for found in json.loads(arena(tmp_path, "plugins", "--json", **broken).stdout)
    }
    for name in BROKEN:
        assert found[name]["distribution"] == "faulty"
        errors = found[name]["errors"]
        if name in ERRORS:
            assert len(errors) == 1
            assert ERRORS[name] in errors[0]
            assert "\n" not in errors[0]
        else:
            assert errors == []
    assert found["p_sound"]["offers"] == {"agent": ["sound"]}
    assert found["arena_games"]["errors"] == found["arena_agents"]["errors"] == []


def test_a_plugin_cannot_leave(tmp_path, plugin):
    source = HOOK + "\ndef register_agents(register): raise SystemExit('bye')"
    assert "register_agents: SystemExit: bye" in arena(tmp_path, "plugins", **plugin(faulty=source)).stdout


def test_broken_plugins_are_shown_and_warned_about_once(tmp_path, broken):
    done = arena(tmp_path, "plugins", **broken)
    for name, error in ERRORS.items():
        assert sum(error in line for line in done.stdout.splitlines()) >= 1
        warned = [line for line in done.stderr.splitlines() if line.startswith(f"Warning: plugin {name} ")]
        assert len(warned) == 1
        assert error in warned[0]
    assert len(done.stderr.splitlines()) == len(ERRORS)


@pytest.mark.slow
def test_everything_else_works_beside_broken_plugins(tmp_path, broken):
    sound = tournament(tmp_path, ["sound", "random", "greedy"], "--json", "--workers", "2", **broken)
    assert len(json.loads(sound.stdout)["leaderboard"]) == 3
    alone = tmp_path / "alone"
    alone.mkdir()
    tournament(alone, ["random", "greedy"])
    sql = "SELECT first, moves FROM results WHERE 'sound' NOT IN (first, second) ORDER BY first"
    assert query(tmp_path / "arena.db", sql) == query(alone / "arena.db", sql)


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ("lazy", "agent 'lazy' of plugin i_lazy cannot be loaded: ModuleNotFoundError"),
        *slow(
            ("absent", "agent 'absent' of plugin j_attribute cannot be loaded: AttributeError"),
            ("number", "agent 'number' of plugin k_no_agent: k_no_agent:NUMBER is not a class of that kind"),
        ),
    ],
)
def test_a_target_that_is_not_there_is_told_when_it_is_asked_for(tmp_path, broken, entry, error):
    done = tournament(tmp_path, ["random", entry], status=1, **broken)
    assert done.stderr.splitlines()[-1].startswith(f"Error: {error}")
    assert not (tmp_path / "arena.db").exists()


@pytest.mark.slow
def test_a_tournament_of_all_agents_goes_without_those_that_are_not_there(tmp_path, broken):
    taught()
    done = arena(tmp_path, "tournament", "--rounds", "1", "--json", **broken)
    entries = {row["entry"] for row in json.loads(done.stdout)["leaderboard"]}
    assert "sound" in entries
    assert not entries & {"lazy", "absent", "number"}


def test_agents_are_listed_beside_those_that_are_not_there(tmp_path, broken):
    assert "sound" in arena(tmp_path, "agents", **broken).stdout

"""Whatever an agent, a game or a plugin does wrong costs itself, and nobody else."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from contextlib import contextmanager, suppress
from itertools import permutations
from pathlib import Path
from time import monotonic, sleep

import pytest

from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.matches.match import Limits
from arena.matches.playing import play
from arena.matches.schedule import Plan
from arena.workers.processes import Processes
from commands import arena, taught
from records import check_sums, query, rows

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and /proc")

IMPORTS = """
import ctypes, os, re, signal, subprocess, sys, threading, time
from arena import Agent, ArenaError, Game, hookimpl, option
"""

# what an agent does in the place of choosing a move; the reason and the detail for which it loses
FORFEITS = {
    "raises": ("raise ValueError('no idea')", "crash", "ValueError: no idea"),
    "raises-lines": ("raise ValueError('one\\ntwo')", "crash", "ValueError: one two"),
    "raises-arena-error": ("raise ArenaError('not mine')", "crash", "ArenaError: not mine"),
    "raises-mute": (
        "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})",
        "crash",
        "<Mute>",
    ),
    "raises-half-a-character": ("raise ValueError('\\ud800')", "crash", r"ValueError: \?"),
    "raises-at-length": ("raise ValueError('x' * 10**7)", "crash", "ValueError: x{488}"),
    "leaves": ("sys.exit(0)", "crash", "SystemExit: 0"),
    "interrupts": ("raise KeyboardInterrupt", "crash", "KeyboardInterrupt"),
    "recurses": ("return self.choose(state, moves, rng)", "crash", "RecursionError: maximum recursion.*"),
    "allocates": ("bytearray(10**16)", "crash", "MemoryError"),
    "reads-input": ("input()", "crash", "EOFError.*"),
    "asks-too-much-of-rng": ("rng.seed(1)", "crash", "TypeError: an arena stream cannot be reseeded.*"),
    "off-the-board": ("return 99", "illegal move", r"99 in [XO.]{9}"),
    "says-nothing": ("return None", "illegal move", r"None in [XO.]{9}"),
    "unhashable": ("return [moves[0]]", "illegal move", r"\[\d\] in [XO.]{9}"),
    "nameless": ("return object()", "illegal move", r"<object object at 0x…> in [XO.]{9}"),
    "half-a-character": ("return '\\ud800'", "illegal move", r"'\\ud800' in [XO.]{9}"),
    "incomparable": (
        "return type('Odd', (), {'__eq__': lambda a, b: 1 / 0, '__repr__': lambda a: 'odd'})()",
        "illegal move",
        r"odd in [XO.]{9}",
    ),
    "incomparable-exit": (
        "return type('Odd', (), {'__eq__': lambda a, b: sys.exit(), '__repr__': lambda a: 'odd'})()",
        "illegal move",
        r"odd in [XO.]{9}",
    ),
    "unspeakable": (
        "return type('Odd', (), {'__repr__': lambda a: sys.exit()})()",
        "illegal move",
        r"<Odd> in [XO.]{9}",
    ),
    "exits-with-3": ("os._exit(3)", "crash", "the process ended itself with status 3"),
    "exits-with-0": ("os._exit(0)", "crash", "the process ended itself with status 0"),
    "segfaults": ("ctypes.string_at(0)", "crash", "the process was ended by SIGSEGV"),
    "kills-itself": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        "crash",
        "the process was ended by SIGKILL",
    ),
    "closes-its-files": ("os.closerange(3, 1000); os._exit(4)", "crash", ".* status 4"),
}

# the same, where it goes wrong before the first move
EARLY = {
    "fails-to-begin": ("def begin(self, seat): 1 / 0", "ZeroDivisionError: division by zero"),
    "fails-to-prepare": ("def prepare(self): 1 / 0", "ZeroDivisionError: division by zero"),
    "fails-to-be": ("def __init__(self, game): 1 / 0", "ZeroDivisionError: division by zero"),
    "dies-at-birth": ("def prepare(self): os._exit(3)", "the process ended itself with status 3"),
}

# what may look like a fault and is none: they go on to play the first legal move
ODD = {
    "spoils-its-list": "first = moves[0]; moves.clear(); return first",
    "prints": "print('hello'); sys.stdout.write('{'); sys.stdout.flush()",
    "writes-to-file-1": "os.write(1, b'[')",
    "leaves-threads": "threading.Thread(target=time.sleep, args=(10**6,)).start()",
    "leaves-busy-threads": "threading.Thread(target=lambda: [*map(self.game.moves, [state] * 9**5)]).start()",
    "goes-elsewhere": "os.chdir('/'); os.environ.clear()",
    "sets-alarms": "signal.signal(signal.SIGALRM, lambda *_: 1 / 0); signal.setitimer(0, 0.01)",
    "blocks-signals": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))",
    "forks": "os.fork()",
    "returns-a-float": "return float(moves[0])",
}

PATIENCE = 30.0  # seconds for a move of what does not hang, however busy the machine is
LONG = 10**7 + os.getpid()  # seconds, a number of our own among pytest's workers

# what goes on for ever, as methods
STALLS = {
    "sleeps": "def choose(self, state, moves, rng): time.sleep(10**6)",
    "loops": "def choose(self, state, moves, rng):\n        while True: pass",
    "searches-for-ever": "def choose(self, state, moves, rng): re.match('(a+)+$', 'a' * 64 + 'b')",
    "counts-for-ever": "def choose(self, state, moves, rng): 10 ** 10**8",
    "will-not-stop": """def choose(self, state, moves, rng):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        while True:
            try: time.sleep(10**6)
            except BaseException: pass""",
    "waits-for-a-child": f"def choose(self, state, moves, rng): subprocess.run(['sleep', '{LONG}'])",
    "never-begins": "def begin(self, seat): time.sleep(10**6)",
    "never-is-ready": "def prepare(self): time.sleep(10**6)",
    "never-says": "def choose(self, state, moves, rng):\n"
    "        return type('Odd', (), {'__repr__': lambda a: time.sleep(10**6)})()",
}


def class_name(name: str) -> str:
    return name.title().replace("-", "")


def agents() -> str:
    """A plugin of all these agents."""
    bodies = {name: body for name, (body, *_) in FORFEITS.items()} | ODD
    methods = {
        name: f"def choose(self, state, moves, rng): {body}; return moves[0]" for name, body in bodies.items()
    }
    methods |= {name: body for name, (body, _) in EARLY.items()} | STALLS
    lines = [IMPORTS, "@hookimpl", "def register_agents(register):"]
    lines += [f"    register({name!r}, 'faulty:{class_name(name)}')" for name in methods]
    lines += [
        f"class {class_name(name)}(Agent):\n"
        f"    def choose(self, state, moves, rng): return moves[0]\n"
        f"    {text}"
        for name, text in methods.items()
    ]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def faulty(plugin):
    return plugin(faulty=agents())


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


@contextmanager
def closing(pool):
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def played(faulty, names, workers, opponents=("random", "greedy", "first"), stall=PATIENCE):
    """Records by first and second name: each of these against each opponent, opponents among themselves."""
    game = Spec("tic-tac-toe", "arena_games.tic_tac_toe:TicTacToe", {})
    targets = {name: f"arena_agents.baselines.{name}:{name.title()}" for name in opponents}
    targets |= {name: f"faulty:{class_name(name)}" for name in names}
    entries = tuple(Spec(name, target, {}) for name, target in targets.items())
    pairings = tuple(p for p in permutations(range(len(entries)), 2) if min(p) < len(opponents))
    plan = Plan(game, entries, pairings, len(pairings), 1, "none", Limits(9, 0.0, stall))
    with importable(faulty), closing(Processes(workers)) as pool:
        blocks = list(play(plan, [range(plan.matches)], pool, workers, threading.Event(), list))
    records = {(entries[r.first].text, entries[r.second].text): r for block in blocks for r in block}
    assert len(records) == sum(map(len, blocks)) == plan.matches
    return records


@pytest.fixture(scope="module")
def crowd(faulty):
    """Records of everything that does not hang, in four worker processes that all of it goes through."""
    return played(faulty, [*FORFEITS, *EARLY, *ODD], 4)


def outcomes(records, name):
    """The matches of an entry: whether it lost, why, how and the moves."""
    return [
        ((-1 if first == name else 1) == r.result, r.reason, r.detail, r.moves)
        for (first, second), r in sorted(records.items())
        if name in (first, second)
    ]


@pytest.mark.parametrize("name", FORFEITS)
@pytest.mark.slow
def test_a_fault_costs_the_agent_its_match(crowd, name):
    _, reason, detail = FORFEITS[name]
    matches = outcomes(crowd, name)
    assert len(matches) == 6
    for lost, why, how, _ in matches:
        assert (lost, why) == (True, reason)
        assert re.fullmatch(detail, how)
        assert len(how) <= 500


@pytest.mark.parametrize("name", EARLY)
@pytest.mark.slow
def test_a_fault_before_the_first_move_costs_the_agent_its_match(crowd, name):
    assert set(outcomes(crowd, name)) == {(True, "crash", EARLY[name][1], "")}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.slow
def test_odd_habits_cost_nothing(crowd, name):
    assert {reason for _, reason, *_ in outcomes(crowd, name)} == {"rules"}
    # two who play the first free cell: X has 3, 5 and 7 at the seventh ply
    assert crowd[name, "first"].moves == crowd["first", name].moves == "1 2 3 4 5 6 7"


@pytest.mark.slow
def test_other_matches_are_as_without_the_faulty(crowd, faulty):
    """A match's seed depends on the two who play it."""
    alone = played(faulty, [], 1)
    assert len(alone) == 6
    for pair, record in alone.items():
        assert (record.result, record.moves) == (crowd[pair].result, crowd[pair].moves)


# As the command line tells it


def tournament(folder, entries, *args, status=0, **env):
    named = [word for entry in entries for word in ("--entry", entry)]
    given = (*named, "--seed", "1", "--rounds", "1", *args, "--db", "arena.db")
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
def test_a_tournament_with_faulty_agents_finishes(told, crowd):
    db, _ = told
    met = results(db)
    assert len(met) == 13 * 12
    assert query(db, "SELECT finished IS NOT NULL FROM tournaments") == [(1,)]
    check_sums(db)
    for pair, record in crowd.items():
        if pair in met:
            assert met[pair] == (record.result, record.reason, record.detail, record.moves)


def test_of_two_faulty_agents_the_first_to_be_asked_loses(told):
    met = results(told[0])
    assert {met[pair][0] for pair in permutations([*SOME[:5], *DEADLY[:2]], 2)} == {-1}


def test_what_agents_print_does_not_reach_the_json(told):
    assert len(json.loads(told[1].stdout)["leaderboard"]) == 13


def test_each_forfeiter_is_warned_about_once(told):
    for name in SOME + DEADLY:
        assert len(re.findall(rf"^Warning: {name} forfeited ", told[1].stderr, re.MULTILINE)) == 1


@pytest.mark.parametrize("executor", ["threads", "serial"])
def test_exceptions_cost_the_same_in_this_process(tmp_path, told, faulty, executor):
    entries = ["random", "greedy", *SOME, "prints"]
    done = tournament(tmp_path, entries, "--json", "--executor", executor, "--workers", "2", **faulty)
    assert json.loads(done.stdout)["played"] == 9 * 8
    assert results(tmp_path / "arena.db").items() <= results(told[0]).items()


def test_a_thread_that_raises_keyboard_interrupt_loses(tmp_path, faulty):
    """The user's own Ctrl-C reaches the main thread alone."""
    tournament(tmp_path, ["random", "interrupts"], "--executor", "threads", **faulty)
    reasons = [row[1:3] for row in results(tmp_path / "arena.db").values()]
    assert reasons == [("crash", "KeyboardInterrupt")] * 2


# Going on for ever


@pytest.fixture(scope="module")
def stalled(faulty):
    """Records of everything that hangs, all at the same time."""
    return played(faulty, STALLS, 2 * len(STALLS), ("random",), stall=1.0)


@posix
@pytest.mark.parametrize("name", STALLS)
@pytest.mark.slow
def test_going_on_for_ever_costs_the_agent_its_match(stalled, name):
    matches = [match[:3] for match in outcomes(stalled, name)]
    assert matches == [(True, "stall", "no move within 1 s")] * 2


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_what_a_stalled_agent_started_is_gone(stalled):
    """It was sent SIGKILL; on a busy machine it may still be there for a moment."""
    deadline = monotonic() + 30
    while f"sleep\0{LONG}\0".encode() in commands_running():
        assert monotonic() < deadline
        sleep(0.05)


def commands_running():
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (folder / "cmdline").read_bytes()


@posix
def test_a_tournament_with_a_stall_ends_well(tmp_path, faulty):
    args = ("--stall-seconds", "1", "--workers", "4", "--json")
    done = tournament(tmp_path, ["random", "greedy", "sleeps"], *args, **faulty)
    forfeits = {row["entry"]: row["forfeits"] for row in json.loads(done.stdout)["leaderboard"]}
    assert forfeits == {"random": 0, "greedy": 0, "sleeps": 4}
    assert "Warning: sleeps forfeited 4, the first match 0 by stall: no move within 1 s\n" in done.stderr


def test_a_slow_move_loses_by_the_clock(tmp_path, plugin):
    env = plugin(
        faulty=f"{IMPORTS}\n@hookimpl\ndef register_agents(register): register('slow', 'faulty:Slow')\n"
        "class Slow(Agent):\n"
        "    def choose(self, state, moves, rng):\n"
        "        if len(moves) < 8: time.sleep(0.8)\n"
        "        return moves[0]\n"
    )
    tournament(tmp_path, ["random", "slow"], "--move-seconds", "0.5", "--seed", "1", **env)
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
GAME_FAULTS = {
    "moves": PLAYED + ": LookupError: no such pile",
    "leaves": PLAYED + ": SystemExit: 0",
    "turn": PLAYED + ": ValueError: to_move is 7, not 0 or 1",
    "value": PLAYED + ": ValueError: value is 2, not 1, 0 or -1",
    "text": PLAYED + ": ZeroDivisionError: division by zero",
    "dies": r"game pile:part=dies failed in match \d+: the process ended itself with status 3",
    "loops": r"game pile:part=loops failed in match \d+: ran for over 1 s",
}


@pytest.fixture(scope="module")
def pile(plugin):
    return plugin(faulty=IMPORTS + GAME)


def match_at(part, second, pile):
    """Blocks of a match of `first` at a game where this part fails."""
    entries = (Spec("first", "arena_agents.baselines.first:First", {}), second)
    game = Spec(f"pile:part={part}", "faulty:Pile", {"part": part})
    limits = Limits(99, 0.0, 1.0 if part == "loops" else PATIENCE)
    plan = Plan(game, entries, ((0, 1), (1, 0)), 200, 1, "none", limits)
    with importable(pile), closing(Processes(1)) as pool:
        yield from play(plan, [range(200)], pool, 1, threading.Event(), list)


@posix
@pytest.mark.parametrize("part", GAME_FAULTS)
def test_a_game_that_fails_ends_the_match_in_one_line(pile, part):
    blocks = match_at(part, Spec("random", "arena_agents.baselines.random:Random", {}), pile)
    with pytest.raises(ArenaError) as error:
        assert sum(map(len, blocks)) < 200
    assert re.fullmatch(GAME_FAULTS[part], str(error.value))


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
    "e_name": "agent 'Big Name': a name is words of a-z and 0-9 joined by hyphens",
    "f_target": "agent 'pointless': target 'f_target' is not 'module:attribute'",
    "g_hook": "register_wonders",
    "h_raises": "register_agents: ZeroDivisionError: division by zero",
    "l_odd_name": "agent 3: a name is words",
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
        ("absent", "agent 'absent' of plugin j_attribute cannot be loaded: AttributeError"),
        ("number", "agent 'number' of plugin k_no_agent: k_no_agent:NUMBER is no agent class"),
    ],
)
@pytest.mark.always(1)
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

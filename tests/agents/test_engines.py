"""Programs in any language play by the protocol; what goes wrong with one costs its own matches alone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
import engines
import gauntlet
from arena import ArenaError, Rng
from arena.api.limits import Limits
from arena.api.options import required
from arena.api.spec import Spec
from arena.errors import Reported
from arena.matches.match import play_match
from arena.plan.opening_book import Opening
from arena.registry.digests import code_digest, code_of
from arena.registry.plugins import registry
from arena.testing import check_agent
from arena.testing.matches import random_match
from arena.workers.worker import Watch
from arena_agents.engines.engine import Engine
from arena_agents.engines.line import Line
from arena_agents.engines.outside import Said
from arena_agents.engines.program import see_off
from arena_games.checkers.game_4x4 import Checkers4x4
from arena_games.tic_tac_toe import TicTacToe
from commands import inside
from engines import FAULTS, HARMLESS, LONG, STALLS, TYPICAL, Fault, entry
from last import Last
from records import check_sums, query
from running import hear_ctrl_c, processes, until
from tiers import slow, tiers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs can play only on Linux and macOS")

GAME = TicTacToe()
GOOD = {"good": Fault()}


@pytest.fixture
def program(tmp_path):
    """Writes a program and gives its path."""

    def write(fault=None, name="bot"):
        engines.write(tmp_path, {name: fault or Fault()})
        return str(tmp_path / name)

    return write


def match(agents, limits=None, number=0, game=GAME):
    """The record of a match between two agents, in this process."""
    limits, seeds = limits or Limits(100, 0.0, 0.0), (1 + number, 2 + number)
    return play_match(
        game,
        lambda seat: agents[seat],
        (number, 0, 0, 1),
        seeds,
        Opening(),
        limits,
        Watch(),
    )


# --- the protocol -----------------------------------------------------------------------------------------

# notes down all that it is told, and plays the last move
NOTES = """
import json, sys
sys.stdout.reconfigure(encoding="utf-8")
for line in open(0, encoding="utf-8"):
    print(line, end="", file=open(sys.argv[1], "a"))
    q = json.loads(line)
    if q["type"] == "hello": print(json.dumps({"id": q["id"], "protocol": 1, "name": "Notes"}), flush=True)
    if q["type"] == "move": print(json.dumps({"id": q["id"], "move": q["moves"][-1]}), flush=True)
"""


@pytest.fixture
def notes(tmp_path):
    """A command that notes down what it is told, and what that was."""
    (tmp_path / "notes.py").write_text(NOTES)

    def told():
        return [json.loads(line) for line in (tmp_path / "told").read_text().splitlines()]

    return f"python3 {tmp_path}/notes.py {tmp_path}/told", told


def test_a_program_is_told_what_the_protocol_says(notes):
    """Of a match by hand: both sides play the last of the free cells, so 9, 8, 7, 6, 5, 4, 3."""
    command, told = notes
    record = match([Engine(GAME, command=command, deterministic=True), Last(GAME)])
    assert record.moves == "9 8 7 6 5 4 3"
    assert record.reason == "rules"
    hello, begin, *moves = told()
    version = hello.pop("arena")
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert hello == {
        "id": 0, "type": "hello", "protocol": 1, "game": "TicTacToe", "options": {}, "sides": ["X", "O"],
    }  # fmt: skip
    assert begin == {"type": "begin", "seat": 0}
    assert moves[0] == {
        "id": 1, "type": "move", "position": ".........", "moves": list("123456789"),
        "start": ".........", "played": [],
    }  # fmt: skip
    assert moves[1] == {
        "id": 2, "type": "move", "position": ".......OX", "moves": list("1234567"),
        "start": ".........", "played": ["9", "8"],
    }  # fmt: skip
    assert [move["played"] for move in moves] == [list("987654")[:n] for n in (0, 2, 4, 6)]


def test_a_program_has_a_seed_that_repeats(notes):
    command, told = notes
    agent = Engine(GAME, command=command)
    for _ in range(2):
        assert match([agent, Last(GAME)]).chance == 1
    seeds = [said["seed"] for said in told() if said["type"] == "move"]
    rng = Rng(0)
    assert len(set(seeds)) == len(seeds) // 2 == 4
    assert seeds[:4] == seeds[4:]
    assert all(0 <= seed < 2**53 for seed in seeds)
    agent.choose(GAME.initial(), GAME.moves(GAME.initial()), rng)
    assert rng.stream[1] == 1


def test_a_program_that_is_said_to_be_deterministic_has_no_chance(notes):
    command, told = notes
    assert match([Engine(GAME, command=command, deterministic=True), Last(GAME)]).chance == 0
    assert not any("seed" in said for said in told())


@pytest.mark.slow
def test_a_program_is_told_the_clock(notes, tmp_path):
    """In the worker, and apart."""
    command, told = notes
    args = ("--matches", "2", "--move-seconds", "20", "--executor", "serial")
    inside(tmp_path, "match", f"engine:command={command}", "first", *args)
    assert {said["seconds"] for said in told() if said["type"] != "hello"} == {20}
    os.remove(tmp_path / "told")
    (tmp_path / "apart.toml").write_text(
        f'entries = ["engine:command={command}", "random"]\nrounds = 1\nmove_seconds = 30\n'
        'isolate = ["random"]\n'
    )
    inside(tmp_path, "tournament", "apart.toml")
    assert {said["seconds"] for said in told() if said["type"] != "hello"} == {30}


@pytest.mark.slow
def test_a_program_is_told_the_options_of_the_game(notes, tmp_path):
    command, told = notes
    game = ("--game", "checkers:repetition=4")
    inside(
        tmp_path,
        "match",
        f"engine:command={command}",
        "first",
        *game,
        "--matches",
        "1",
        "--executor",
        "serial",
    )
    hello = told()[0]
    assert hello["game"] == "checkers:repetition=4"
    assert hello["options"]["repetition"] == 4


@pytest.mark.slow
def test_a_program_that_is_late_loses_by_the_clock_and_is_ended(program):
    """It is not the watch that ends it, which would end more than it."""
    late = Engine(GAME, command=program(Fault(f"time.sleep({LONG})")))
    late.move_seconds = 0.3
    record = match([late, Last(GAME)], Limits(100, 0.3, 0.0))
    assert (record.result, record.reason, record.detail) == (-1, "clock", "ply 3 took over 0.3 s")
    assert until(lambda: not processes(late.command))


def test_a_program_that_says_what_it_thinks_explains(tmp_path, program):
    """The scores are those it gives; where it gives none it does not say."""
    says = program(name="silent")
    scores = "say(id=q['id'], move='5', scores={'5': 0.5, '1': -1, '2': 'good', 'z': 3})"
    program(Fault(scores, at=0), "thinks")
    told = json.loads(inside(tmp_path, "explain", "engine:command=./thinks", "--json").stdout)
    assert told["move"] == "5"
    assert {move["move"]: move["score"] for move in told["moves"]} == {
        **dict.fromkeys("2346789"), "5": 0.5, "1": -1.0,
    }  # fmt: skip
    silent = inside(tmp_path, "explain", f"engine:command={says}", status=1)
    assert "does not explain its moves" in silent.stderr


@pytest.mark.slow
def test_one_process_plays_all_matches_unless_told_otherwise(tmp_path, program):
    pids = tmp_path / "pids"
    path = program(Fault(begin=f"print(os.getpid(), file=open({str(pids)!r}, 'a'))"))
    for restart, expected in ((False, 1), (True, 3)):
        pids.unlink(missing_ok=True)
        agent = Engine(GAME, command=path, restart=restart)
        for number in range(3):
            assert match([agent, Last(GAME)], number=number).reason == "rules"
        assert len(pids.read_text().split()) == expected


@pytest.mark.slow
def test_a_program_conforms(program):
    check_agent(Engine, GAME, 4, options={"command": program()})


@pytest.mark.parametrize("game", [GAME, Checkers4x4()], ids=str)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_moves_that_a_player_is_told_lead_to_the_position(game, seat):
    """Those of random matches, of which the player sees the positions where it is to move."""
    for seed in range(20):
        line = Line(game)
        states = list(random_match(game, seed))
        for ply, (state, after) in enumerate(pairwise(states)):
            if game.to_move(state) != seat:
                continue
            line.reach(state)
            replayed = game.initial()
            assert line.start == replayed
            for text in line.moves:
                replayed = game.play(replayed, game.read_move(replayed, text))
            assert replayed == state
            assert len(line.moves) == ply
            line.play(next(move for move in game.moves(state) if game.play(state, move) == after))


def test_a_line_that_cannot_be_found_begins_where_it_is():
    line = Line(GAME)
    state = GAME.read_position("XXOO.....")
    line.reach(state)
    line.play(4)
    assert (line.start, line.moves) == (state, ["5"])


# --- options ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "engine",
            "engine needs the option 'command', the program and its arguments; write 'engine:command=…'",
        ),
        ("engine:command=", "the command is empty; write command=PROGRAM ARGUMENT …"),
        ("engine:command=./none", "there is no program './none'"),
        ("engine:command=no-such-program", "there is no program 'no-such-program' in PATH"),
        (
            "engine:command='./bot -x'",
            "there is no program './bot -x'; leave the quotes around the whole command out",
        ),
        ("engine:command=bot", "there is no program 'bot' in PATH; write ./bot"),
        (
            "engine:command=./a folder/plain -x",
            "there is no program './a'; put quotes around its path, './a folder/plain'",
        ),
        (
            "engine:command=~/none",
            f"there is no program '~/none'; there is no shell, so write {os.path.expanduser('~/none')}",
        ),
        (
            "engine:command=./plain",
            "'./plain' is not executable; run chmod +x on it, or name its interpreter",
        ),
        ("engine:command='open", 'command "\'open" cannot be read: no closing quotation'),
        ("engine:command=./bot,folder=nowhere", "there is no folder 'nowhere'"),
        ("engine:command=./plain,folder=sub", "there is no program './plain', as seen from 'sub'"),
    ],
)
def test_what_cannot_be_run_is_told_before_anything_is_played(tmp_path, program, text, said):
    program()
    (tmp_path / "plain").write_text("")
    (tmp_path / "sub").mkdir()
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "plain").write_text("")
    done = inside(tmp_path, "match", text, "random", status=1)
    assert done.stderr == f"Error: {said}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "engine:command=(./bot --set a=1,b=2)",
        "engine:command=./bot --level 3",
        "engine:command=./bot --level=3",
        "engine:command=./bot 'two words'",
    ],
)
def test_a_command_with_arguments_is_entered_alike_everywhere(tmp_path, text):
    """From the command line and in a file, with results under a name that is entered again."""
    source = Fault(begin="open('args', 'w').write(repr(sys.argv[1:]))").source()
    (tmp_path / "bot").write_text(source)
    (tmp_path / "bot").chmod(0o755)
    (tmp_path / "t.toml").write_text(f'entries = ["{text}", "random"]\nrounds = 1')
    found = []
    for args in (("match", text, "random", "--matches", "2", "--record"), ("tournament", "t.toml")):
        inside(tmp_path, *args, "--executor", "serial")
        found.append((tmp_path / "args").read_text())
    (name,) = query(tmp_path / "arena.db", "SELECT DISTINCT name FROM entries WHERE name != 'random'")
    inside(tmp_path, "match", *name, "random", "--matches", "2", "--executor", "serial")
    found.append((tmp_path / "args").read_text())
    assert len(set(found)) == 1


def test_a_program_runs_in_the_folder_that_is_named(tmp_path):
    (tmp_path / "sub").mkdir()
    engines.write(tmp_path / "sub", {"bot": Fault(begin="open('here', 'w')")})
    inside(
        tmp_path,
        "match",
        "engine:command=./bot,folder=sub",
        "random",
        "--matches",
        "1",
        "--executor",
        "serial",
    )
    assert (tmp_path / "sub" / "here").exists()


def test_an_agent_that_needs_an_option_is_entered_by_name_alone(tmp_path):
    (tmp_path / "t.toml").write_text("rounds = 1")
    assert required(registry().cls("agent", "engine")) == ["command"]
    listed = json.loads(inside(tmp_path, "agents", "engine", "--json").stdout)[0]
    assert listed["options"][0]["name"] == "command"
    assert "error" not in listed


def test_the_code_of_an_engine_is_that_of_its_program(tmp_path, program):
    """And of scripts that it is given."""
    path = program()
    (tmp_path / "script").write_text("one")

    def code(command):
        return code_of(registry().spec("agent", f"engine:command={command}"))

    before = (
        code(path),
        code(f"python3 {tmp_path}/script"),
        code_of(Spec("first", "arena_agents.baselines.first:First", {})),
    )
    assert len(set(before)) == 3
    assert code(path) == before[0]
    Path(path).write_text(Fault("time.sleep(0)").source())
    assert code(path) != before[0]
    (tmp_path / "script").write_text("two")
    assert code(f"python3 {tmp_path}/script") != before[1]


def test_a_model_that_was_taught_by_a_program_is_told_by_the_program(program):
    path = program()
    text = f"q-table:opponent=(engine:command={path})"
    spec = registry().spec("agent", text)
    before = code_digest(spec.cls, spec.values)
    assert code_digest(spec.cls, spec.values) == before
    Path(path).write_text(Fault("time.sleep(0)").source())
    assert code_digest(spec.cls, spec.values) != before


@pytest.mark.slow
def test_a_program_plays_sandboxed_as_it_does_without(tmp_path, program):
    program()
    how = ("match", "engine:command=./bot", "random", "--matches", "6", "--seed", "1", "--json")
    found = [inside(tmp_path, *how, *isolate).stdout for isolate in ([], ["--isolate"])]
    assert found[0] == found[1]


# --- what goes wrong --------------------------------------------------------------------------------------


def check(found, expected, faults):
    """Each fault is its program's own, told as it should be; all other matches are as expected."""
    assert found.status == 0, found.said
    assert "Traceback" not in found.said
    assert not found.running
    assert not found.temporary
    check_sums(found.database)
    guilty = {entry(name): fault for name, fault in faults.items() if fault.reason}
    for name, fault in guilty.items():
        for lost, reason, detail, _ in found.of(name):
            assert (lost, reason) == (True, fault.reason), (name, reason, detail)
            assert re.fullmatch(fault.detail, detail), (name, detail)
            assert len(detail) <= 500
    for pair, record in expected.records.items():
        if not guilty.keys() & set(pair):
            assert found.records[pair] == record, pair


@pytest.fixture
def against(plugin, tmp_path):
    """What came of these programs, and of ones of the same names that do nothing wrong."""

    def play(faults, innocent=("random", "careful"), stall=100.0, workers=3):
        for folder, table in (("bad", faults), ("good", dict.fromkeys(faults, Fault()))):
            (tmp_path / folder).mkdir()
            names = engines.write(tmp_path / folder, table)
            env = plugin(**gauntlet.plugins({}))
            yield gauntlet.play(tmp_path / folder, env, "tic-tac-toe", names, innocent, stall, 0, workers)

    return play


@pytest.mark.slow
def test_what_goes_wrong_most_costs_its_program_alone(against):
    faults = {name: FAULTS[name] for name in TYPICAL} | {"starts-others": HARMLESS["starts-others"]}
    check(*against(faults, ("careful",)), faults)


@pytest.mark.parametrize(
    "innocent",
    [
        pytest.param(("careful",), marks=pytest.mark.slow),
        pytest.param(("random", "careful"), marks=pytest.mark.campaign),
    ],
)
def test_whatever_goes_wrong_costs_its_program_alone(against, innocent):
    check(*against(FAULTS | HARMLESS, innocent), FAULTS | HARMLESS)


@pytest.mark.slow
def test_what_goes_on_for_ever_costs_its_program_alone(against):
    check(*against(STALLS | GOOD, ("random",), 1.0, 6), STALLS | GOOD)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", tiers(STALLS, quick=["hangs"], slow=["does-not-end-its-line", "hangs-at-once", "stops"])
)
def test_it_is_told_what_a_program_that_hangs_has_said(program, tmp_path, name):
    program(STALLS[name])
    entries, db = [f"engine:command=./bot,folder={tmp_path}", "first"], tmp_path / "arena.db"
    arena.tournament(entries=entries, rounds=1, seed=1, stall_seconds=1, db=db, progress=False)
    for (detail,) in query(db, "SELECT detail FROM matches"):
        assert re.fullmatch(STALLS[name].detail, detail)


@pytest.mark.slow
def test_a_check_says_that_a_program_may_not_flush(program, tmp_path):
    program(STALLS["hangs"])
    entry = f"engine:command=./bot,folder={tmp_path}"
    finding = arena.check(entry, game="tic-tac-toe", stall_seconds=1).findings[-1]
    assert finding.kept is False
    said = "./bot has not answered; does it flush its output?"
    assert finding.fault == f"ran for over 1 s: {said}"


@pytest.mark.parametrize("name", tiers(FAULTS, quick=["dies", "gives-a-number", "never-ends-a-line"]))
def test_a_fault_is_told_and_the_next_match_has_a_new_program(program, name):
    """In this process, and nothing of it is left."""
    path = program(FAULTS[name], name)
    agent = Engine(GAME, command=path)
    for number in range(2):
        record = match([agent, Last(GAME)], number=number)
        assert (record.result, record.reason) == (-1, FAULTS[name].reason)
        assert re.fullmatch(FAULTS[name].detail.replace(r"\./\S+", r"\S+"), record.detail)
    Path(path).write_text(Fault().source())
    assert match([agent, Last(GAME)]).reason == "rules"
    agent.end()
    assert until(lambda: not processes(path))


@pytest.mark.parametrize("name", tiers(HARMLESS, quick=["answers-twice"]))
def test_what_is_merely_odd_is_played_on(program, name):
    record = match([Engine(GAME, command=program(HARMLESS[name]), deterministic=True), Last(GAME)])
    expected = match([Engine(GAME, command=program(), deterministic=True), Last(GAME)])
    assert record[:11] == expected[:11]
    assert record.reason == "rules"


def test_a_program_that_cannot_be_executed_says_why(tmp_path):
    (tmp_path / "bot").write_text("#!/no/such/interpreter\n")
    (tmp_path / "bot").chmod(0o755)
    agent = Engine(GAME, command=str(tmp_path / "bot"))
    with pytest.raises(Reported, match=r"cannot be started: no such file or directory$"):
        agent.begin(0)


def test_a_program_that_reads_nothing_is_no_reason_to_wait(program):
    """What does not fit into the pipe to it waits until it reads, or ends."""
    agent = Engine(GAME, command=program(Fault(hello="say(id=0, protocol=1); time.sleep(0.3); os._exit(5)")))
    agent.begin(0)
    assert agent.program is not None
    agent.program.say("x" * 10**6)
    with pytest.raises(Reported, match=r"(ended with status 5|has closed its standard input)"):
        agent.program.line()


class Scripted:
    """Says these lines, and then nothing any more."""

    name = "it"

    def __init__(self, lines):
        self.lines = list(lines)

    def running(self):
        return True

    def say(self, line):
        assert json.loads(line)

    def line(self, until=None):
        if not self.lines:
            raise Reported("it has said all")
        return self.lines.pop(0)

    def failed(self, how):
        return Reported(f"it {how}")

    wrong = failed

    def close(self):
        pass


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
answers = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(-1, 3) | values,
        "protocol": st.just(1) | values,
        "move": st.sampled_from("123456789") | values,
        "scores": st.dictionaries(st.sampled_from("123x"), values) | values,
        "error": values,
    },
)


@given(st.lists(answers.map(json.dumps) | st.text(min_size=1) | values.map(json.dumps), max_size=8))
@pytest.mark.slow
def test_whatever_a_program_says_it_is_a_move_or_a_fault(lines):
    agent = Engine(GAME, command="true")
    agent.program = Scripted(lines)
    agent.asked = 0
    state = GAME.initial()
    with suppress(Reported):
        move = agent.choose(state, GAME.moves(state), Rng(0))
        assert move in GAME.moves(state) or isinstance(move, Said)


# --- nothing is left --------------------------------------------------------------------------------------

FAMILY = Fault(  # starts a child, and one in a session of its own; both would outlive it
    begin=f"os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '{LONG}')\n"
    f"if os.fork() == 0: os.setsid(); os.execlp('sleep', 'sleep', '{LONG}')\n"
    "for n in (1, 2, 13, 15): signal.signal(n, signal.SIG_IGN)",
    move="time.sleep(0.02)",
    end=f"time.sleep({LONG})",
)

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@pytest.mark.slow
@linux
@pytest.mark.parametrize("how", ["ctrl-c", *slow("kill", "kill the workers")])
def test_nothing_is_left_running(tmp_path, launch, how):
    engines.write(tmp_path, {"bot": FAMILY})
    names = ("--entry", "engine:command=./bot", "--entry", "random", "--rounds", "2000", "--workers", "2")
    command = launch("tournament", *names)
    assert until(lambda: len(processes("sleep " + str(LONG))) >= 2)
    time.sleep(0.3)
    if how == "kill the workers":
        for keeper in processes("keeper.py"):
            if keeper in command.running():
                os.kill(parent(keeper), signal.SIGKILL)
        assert until(lambda: len(processes("sleep " + str(LONG))) >= 2)
        command.send(signal.SIGINT)
        command.ended()
    else:
        command.send(signal.SIGKILL if how == "kill" else signal.SIGINT)
        command.process.communicate(timeout=600)
    assert command.nothing_left()
    assert not [pid for pid in processes("sleep " + str(LONG)) if pid in command.running()]


SERIAL = f"""
import os, signal, subprocess, threading, time
import arena
threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    arena.match("engine:command=./bot", "random", matches=10**6, seed=1, progress=False, executor="serial")
except KeyboardInterrupt:
    for _ in range(100):
        time.sleep(0.1)
        found = subprocess.run(["pgrep", "-fc", "sleep {LONG}"], capture_output=True, text=True).stdout
        if found.strip() == "0":
            break
    print(found)
"""


@pytest.mark.slow
@linux
def test_nor_where_matches_are_played_in_this_process(tmp_path):
    engines.write(tmp_path, {"bot": FAMILY})
    (tmp_path / "script.py").write_text(SERIAL)
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        preexec_fn=hear_ctrl_c,
    )
    assert done.stdout.strip() == "0", done.stderr


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@linux
@pytest.mark.slow
def test_a_program_ends_with_all_that_it_has_started(program):
    agent = Engine(GAME, command=program(FAMILY))
    assert match([agent, Last(GAME)]).reason == "rules"
    assert len(processes(f"sleep {LONG}")) == 2
    del agent
    assert until(lambda: not processes(f"sleep {LONG}") and not processes(program()))


STOPS = "os.kill(os.getppid(), signal.SIGSTOP)"
STOPPERS = {
    "once": Fault(begin=STOPS),
    "again and again": Fault(
        begin="signal.signal(15, signal.SIG_IGN)\nkeeper = os.getppid()\nif os.fork() == 0:\n"
        "    while True: os.kill(keeper, signal.SIGSTOP); time.sleep(0.0005)",
        end=f"time.sleep({LONG})",
    ),
}


@linux
@pytest.mark.parametrize("how", ["once", *slow("again and again")])
def test_a_program_that_stops_its_keeper_is_ended_all_the_same(program, how):
    agent = Engine(GAME, command=program(STOPPERS[how]))
    assert match([agent, Last(GAME)]).reason == "rules"
    assert agent.program is not None
    keeper = agent.program.process.pid
    command = agent.command
    del agent

    def gone():
        see_off()
        return not processes(command) and not Path(f"/proc/{keeper}").exists()

    assert until(gone)


ONCE = """
import arena
arena.match("engine:command=./bot", "random", matches=2, seed=1, progress=False, executor="serial")
"""


@linux
@pytest.mark.parametrize("how", slow(*STOPPERS))
def test_nor_is_it_left_where_arena_ends(tmp_path, how):
    engines.write(tmp_path, {"bot": STOPPERS[how]})
    (tmp_path / "script.py").write_text(ONCE)
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True)
    assert until(lambda: not processes(str(tmp_path / "bot")))


@linux
def test_a_program_whose_keeper_is_killed_goes_with_it(program):
    agent = Engine(GAME, command=program(Fault(begin="signal.signal(15, signal.SIG_IGN)")))
    agent.begin(0)
    assert agent.program is not None
    agent.program.process.kill()
    assert until(lambda: not processes(agent.command))


def test_arguments_that_no_program_takes_are_one_line():
    with pytest.raises(ArenaError, match=r"^Engine needs the option 'command'"):
        Engine(GAME)

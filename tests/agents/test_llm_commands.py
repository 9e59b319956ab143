"""Language models that are commands: prompts go in, answers come out, and nothing is left running."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from arena.testing import check_agent
from arena_agents.llm.llm import LLM
from llm_matches import GAME, match, posix, sums
from models import write_command
from running import processes, until

pytestmark = pytest.mark.usefixtures("no_waits")


@posix
@pytest.mark.slow
def test_a_command_answers(tmp_path):
    path = write_command(tmp_path / "bot", "open('prompt', 'w').write(prompt)")
    agent = LLM(GAME, command=path, folder=str(tmp_path))
    record = match(agent)
    assert (record.moves, record.reason) == ("1 9 2 8 3", "rules")
    assert sums(record) == {"tries": 3}
    assert (tmp_path / "prompt").read_text().startswith("You play a match of TicTacToe as X.\n\nThe game:\n")
    check_agent(LLM, GAME, 2, options={"command": path, "folder": str(tmp_path), "temperature": 0})


@posix
def test_a_command_has_its_second_try_in_one_text(tmp_path):
    does = "open('prompts', 'a').write(prompt + '=====')\nif 'You answered' not in prompt: legal = ['77']"
    agent = LLM(GAME, command=write_command(tmp_path / "bot", does), folder=str(tmp_path))
    record = match(agent)
    assert (record.reason, sums(record)) == ("rules", {"illegal": 3, "tries": 6})
    first, second, *_ = (tmp_path / "prompts").read_text().split("=====")
    said = "You answered:\nMOVE: 77\n\n\nYou answered '77', which is no legal move here."
    assert second.startswith(f"{first.rstrip()}\n\n{said}")


@posix
def test_a_command_need_not_read(tmp_path):
    (tmp_path / "deaf").write_text(f"#!{sys.executable} -IS\nprint('MOVE: 1', flush=True)\n")
    (tmp_path / "deaf").chmod(0o755)
    record = match(LLM(GAME, command=str(tmp_path / "deaf")))
    assert record.moves.startswith("1 9")
    assert record.detail.startswith("an illegal move, '1', in the second try,")


FAULTS = {
    "dies": ("sys.stderr.write('no quota\\n'); sys.exit(3)",
             "ended with status 3 before any output; on standard error: 'no quota'"),
    "says something and dies": ("print('well', flush=True); os._exit(1)", "ended with status 1 after 'well'"),
    "is killed": ("os.kill(os.getpid(), 9)", "was ended by SIGKILL before any output"),
    "hangs": ("time.sleep(10**7)", None),
    "answers and hangs": ("print('MOVE: 1', flush=True); os.close(1); time.sleep(10**7)", None),
    "never ends": ("while True: os.write(1, b'x' * 10**5)", "says over 1 MB before any output"),
}  # fmt: skip


@posix
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.slow
def test_a_command_that_fails_loses(tmp_path, name):
    does, told = FAULTS[name]
    path = write_command(tmp_path / "bot", does)
    record = match(LLM(GAME, command=path, timeout=2.0 if told is None else 20.0))
    assert (record.result, record.reason) == (-1, "crash")
    short = path if len(path) <= 60 else path[:59] + "…"
    assert record.detail == (f"{short} {told}" if told else f"{path}: no answer within 2 s")
    assert until(lambda: not processes(path))


@pytest.mark.slow
@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(tmp_path, launch, how):
    does = "if os.fork() == 0: os.setsid(); os.execlp('sleep', 'sleep', str(10**7))\ntime.sleep(10**7)"
    write_command(tmp_path / "bot", does)
    running = launch("match", "llm:command=./bot", "random", "--matches", "2")
    assert until(lambda: [pid for pid in processes("sleep 10000000") if pid in running.running()])
    running.send(how)
    time.sleep(0.2)
    running.send(how)
    running.process.communicate(timeout=600)
    assert running.nothing_left()

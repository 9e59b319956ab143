"""Programs that play by the protocol of engines, and what they do wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

LONG = 10**7 + os.getpid()  # seconds, a number of our own among pytest's workers

# plays by the position alone: the move whose number is that of the moves played so far, counted round
PROGRAM = f"""#!{sys.executable} -IS
import json, os, signal, sys, time
def say(**answer): print(json.dumps(answer), flush=True)
def act(q, fault): exec(fault, globals() | {{"q": q, "good": good(q)}})
def good(q): return q["moves"][len(q["played"]) % len(q["moves"])] if "moves" in q else None
def play(hello, fault, at):
    for line in sys.stdin:
        q = json.loads(line)
        if q["type"] == "hello":
            act(q, hello or 'say(id=q["id"], protocol=1)')
        elif q["type"] == "move":
            act(q, fault if len(q["played"]) >= at else "")
            say(id=q["id"], move=good(q))
"""


class Fault(NamedTuple):
    """What a program does where it is asked for a move, or greeted, or at its end, and what that costs it.

    reason, detail: of its forfeits, the detail as a regular expression; nothing where it plays on.
    """

    move: str = ""
    reason: str = ""
    detail: str = ""
    hello: str = ""
    begin: str = ""
    end: str = ""
    at: int = 2  # ply, from which on it does it

    def source(self) -> str:
        return f"{PROGRAM}{self.begin}\nplay({self.hello!r}, {self.move!r}, {self.at})\n{self.end}\n"


def crash(move: str = "", detail: str = "", **more) -> Fault:
    return Fault(move, "crash", rf"\./\S+ {detail}", **more)


NO_JSON = r'which is not a JSON object, such as \{"id":1,"move":"5"\}'
ANSWER = r"after '\{.*\}'"

FAULTS = {
    "dies": crash("os._exit(3)", rf"ended with status 3 {ANSWER}"),
    "is-killed": crash("os.kill(os.getpid(), 9)", rf"was ended by SIGKILL {ANSWER}"),
    "breaks-down": crash("os.kill(os.getpid(), 11)", rf"was ended by SIGSEGV {ANSWER}"),
    "complains": crash(
        "sys.stderr.write('one\\nno idea\\n\\n'); os._exit(1)",
        rf"ended with status 1 {ANSWER}; on standard error: 'no idea'",
    ),
    "raises": crash(
        "1 / 0", rf"ended with status 1 {ANSWER}; on standard error: 'ZeroDivisionError: division by zero'"
    ),
    "ends-at-once": crash(detail="ended with status 9 before any output", begin="sys.exit(9)"),
    "lies": Fault("say(id=q['id'], move='z9')", "illegal move", r"'z9' in \S+"),
    "lies-at-length": Fault("say(id=q['id'], move='z' * 9999)", "illegal move", r"'z{119}…' in \S+"),
    "draws-on-the-screen": Fault(
        "say(id=q['id'], move='\\x1b[2J')", "illegal move", r"'\\x1b\[2J' in \S+"
    ),
    "gives-a-number": crash("say(id=q['id'], move=5)", "answers without a move, which must be a text, .*"),
    "gives-no-move": crash("say(id=q['id'])", "answers without a move, which must be a text, after .*"),
    "gives-up": crash("say(id=q['id'], error='I am lost')", "says: 'I am lost' after .*"),
    "talks": crash("print('well, e4', flush=True)", rf"says 'well, e4', {NO_JSON}"),
    "babbles": crash(
        "os.write(1, bytes(range(11, 256)) + b'\\n')", rf"says .{{119}}…, {NO_JSON}"
    ),
    "says-a-list": crash("print([1], flush=True)", rf"says '\[1\]', {NO_JSON}"),
    "says-too-deep": crash("print('[' * 10**5, flush=True)", rf"says '\[+…, {NO_JSON}"),
    "answers-another": crash(
        "say(id=99, move=good)", r"answers question 99, not \d+, after '\{.*\}'"
    ),
    "answers-a-text": crash("say(id='one')", r"answers question 'one', not \d+, after '\{.*\}'"),
    "never-ends-a-line": crash(
        "while True: os.write(1, b'x' * 60000)", rf"says over 1 MB on one line {ANSWER}"
    ),
    "never-ends-its-lines": crash(
        "while True: os.write(1, b'{}\\n' * 9999)", "sends a lot of output and no answer after '{}'"
    ),
    "closes-its-output": crash(
        f"os.close(1); time.sleep({LONG})", rf"has closed its standard output {ANSWER}"
    ),
    "closes-its-input": crash(
        f"os.close(0); say(id=q['id'], move=good); time.sleep({LONG})",
        rf"has closed its standard input {ANSWER}",
        at=0,
    ),
    "closes-everything": crash(
        f"os.closerange(0, 3); time.sleep({LONG})", rf"has closed its standard output {ANSWER}"
    ),
    "speaks-another-protocol": crash(
        hello="say(id=0, protocol=2)", detail=r"uses protocol 2, not 1, after '\{.*\}'"
    ),
    "speaks-none": crash(hello="say(id=0)", detail="uses protocol None, not 1, after .*"),
    "refuses-the-game": crash(
        hello="say(id=0, error='I play chess alone')", detail="says: 'I play chess alone' after .*"
    ),
    "dies-and-leaves-others": crash(
        f"os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '{LONG}'); os._exit(4)",
        rf"ended with status 4 {ANSWER}",
    ),
}  # fmt: skip

HARMLESS = {  # play on as if nothing were
    "answers-twice": Fault("say(id=q['id'], move=good)"),
    "answers-late": Fault("say(id=q['id'] - 1, move='z9'); say(id=0, protocol=7)"),
    "makes-remarks": Fault("say(info='well'); print(); say(type='thought', depth=3)"),
    "says-more-than-asked": Fault("say(id=q['id'], move=good, scores=[1], mood={}, info=None)"),
    "writes-piecemeal": Fault(
        "for x in json.dumps(dict(id=q['id'], move=good)).encode() + b'\\r\\n': os.write(1, bytes([x]))"
    ),
    "complains-a-lot": Fault("sys.stderr.write('x' * 10**6)"),
    "complains-early": Fault(begin="os.write(2, b'x' * 60000)"),
    "starts-others": Fault(
        f"os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '{LONG}')\n"
        f"if os.fork() == 0: os.setsid(); os.execlp('sleep', 'sleep', '{LONG}')"
    ),
    "ignores-the-end": Fault(
        begin="for n in (1, 2, 13, 15): signal.signal(n, signal.SIG_IGN)",
        end=f"time.sleep({LONG})",
    ),
}

SILENT = r"has not answered; does it flush its output\?"
STALLS = {
    name: fault._replace(reason="stall", detail=rf"no move within 1 s: \./\S+ {fault.detail or SILENT}")
    for name, fault in {
        "hangs": Fault(f"time.sleep({LONG})"),
        "does-not-end-its-line": Fault(
            f"os.write(1, b'good'); time.sleep({LONG})", detail="sent 'good' without a newline"
        ),
        "talks-and-hangs": Fault(
            f"os.write(2, b'hm'); say(id=0); time.sleep({LONG})",
            detail=r"""has not answered after '\{"id": 0\}'; on standard error: 'hm'""",
        ),
        "hangs-at-once": Fault(begin=f"time.sleep({LONG})"),
        "spins": Fault("while True: pass"),
        "stops": Fault("os.kill(os.getpid(), signal.SIGSTOP)"),
        "hangs-with-others": Fault(
            f"os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '{LONG}')\ntime.sleep({LONG})"
        ),
    }.items()
}

TYPICAL = ("dies", "lies", "talks", "never-ends-a-line", "dies-and-leaves-others")


def write(folder: Path, faults: dict[str, Fault]) -> list[str]:
    """Write the programs into a folder, and give their entries, as they are to be seen from there."""
    for name, fault in faults.items():
        (folder / name).write_text(fault.source())
        (folder / name).chmod(0o755)
    return [entry(name) for name in faults]


def entry(name: str) -> str:
    return f"engine:command=./{name},deterministic=true"

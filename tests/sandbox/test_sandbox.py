"""A sandboxed process reads, writes, starts and reaches nothing but what it needs."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

import escapes
from arena.errors import ArenaError
from arena.sandbox import Sandboxed, confined, landlock, missing, process, readable, seccomp
from arena.sandbox.channel import Channel, Garbled
from arena.sandbox.server import Server, remove
from arena.sandbox.system_calls import LIMITED, numbers
from commands import arena as run
from tiers import slow

complete = pytest.mark.skipif(bool(missing()), reason="this system lacks a part of the sandbox")


def sent(function, *args, seconds=60.0, **how):
    """What a function sends from a sandboxed process."""
    made = Sandboxed(function, *args, targets=["escapes"], **how)
    with closing(made):
        message = made.channel.receive(seconds, 1 << 20)
        assert message is not None
        return json.loads(message)


# --- reading, writing, reaching ---------------------------------------------------------------------------


@complete
def test_nothing_of_the_user_can_be_read_or_written(tmp_path):
    (tmp_path / "bots").mkdir()
    for name in ("arena.db", "notes.txt", "bots/other.py"):
        (tmp_path / name).write_text("mine")
    there = [tmp_path / name for name in ("arena.db", "notes.txt", "bots/other.py", "bots", ".")]
    home = Path.home()
    paths = [
        *map(str, there),
        "/etc/passwd",
        "/etc/shadow",
        "/root",
        "/home",
        str(home),
        "/tmp",
        "/proc",
        "/sys",
    ]
    assert sent(escapes.files, paths) == []
    assert (tmp_path / "arena.db").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena.db", "bots", "notes.txt"]


@complete
def test_what_is_installed_can_be_read_and_not_written():
    import msgspec

    path = msgspec.__file__
    before = Path(path).stat()
    done = sent(escapes.files, [path])
    assert done == [f"read {path}", f"lock {path}"][: len(done)]
    assert Path(path).stat().st_mtime_ns == before.st_mtime_ns


@complete
def test_what_is_named_can_be_read(tmp_path):
    (tmp_path / "model.zip").write_text("learned")
    (tmp_path / "other.zip").write_text("another's")
    mine, other = str(tmp_path / "model.zip"), str(tmp_path / "other.zip")
    assert sent(escapes.files, [mine, other], files=[mine]) == [f"read {mine}"]


@complete
def test_files_of_some_folders_are_read_by_who_knows_their_names(tmp_path):
    (tmp_path / "q-table-1234.npz").write_text("learned")
    folder, file = str(tmp_path), str(tmp_path / "q-table-1234.npz")
    assert sent(escapes.files, [folder, file], known=[folder]) == [f"read {file}"]


@complete
def test_there_are_no_other_processes_no_terminal_and_no_network():
    assert sent(escapes.surroundings) == []


@complete
@pytest.mark.slow
def test_a_terminal_of_this_process_cannot_be_reached(tmp_path):
    """In a process that has one: it is started in a session with a terminal."""
    script = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "import escapes\n"
        "from arena.sandbox import Sandboxed\n"
        "open('/dev/tty').close()\n"
        "process = Sandboxed(escapes.surroundings, targets=['escapes'])\n"
        "open(sys.argv[2], 'wb').write(process.channel.receive(60, 1 << 20))\n"
        "process.close()\n"
    )
    pid, terminal = pty.fork()
    if not pid:
        os.environ.pop("ARENA_SANDBOX", None)
        helpers = str(Path(escapes.__file__).parent)
        os.execv(sys.executable, [sys.executable, "-c", script, helpers, str(tmp_path / "sent")])
    said = b""
    while True:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # as Linux ends it
            break
        if not data:
            break
        said += data
    assert os.waitpid(pid, 0)[1] == 0, said.decode()
    assert json.loads((tmp_path / "sent").read_text()) == []


def test_the_environment_stays_outside(monkeypatch):
    monkeypatch.setenv("A_SECRET", "hush")
    monkeypatch.setenv("ARENA_DB", "mine.db")
    monkeypatch.setenv("ARENA_CACHE", "/cache")
    found, secret, folder, listed = sent(escapes.environment)
    assert secret is None
    assert {"A_SECRET", "ARENA_DB", "PATH", "ARENA_SANDBOX"}.isdisjoint(found)
    assert found["ARENA_CACHE"] == "/cache"
    assert found["HOME"] == found["TMPDIR"] == folder
    assert listed == []


def test_numpy_and_machine_code_work():
    assert sent(escapes.work) == [64.0**3, 7, True]


def test_modules_that_are_not_installed_are_found_with_those_that_they_import(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("")
    (tmp_path / "mine" / "deep.py").write_text("import json\nfrom first_helper import x\n")
    (tmp_path / "first_helper.py").write_text("def f():\n    import second_helper\n")
    (tmp_path / "second_helper.py").write_text("import numpy, first_helper\n")
    (tmp_path / "secret.py").write_text("password = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = readable.modules(["mine.deep"])
    names = {
        "mine": "mine/__init__.py",
        "first_helper": "first_helper.py",
        "second_helper": "second_helper.py",
    }
    assert found == {name: (str(tmp_path / file), name == "mine") for name, file in names.items()}


# --- limits -----------------------------------------------------------------------------------------------


@complete
@pytest.mark.slow
def test_threads_files_and_memory_are_limited():
    assert 1 < sent(escapes.start_threads) < 64
    assert 4 <= sent(escapes.fill_disk) <= 64
    assert 1 <= sent(escapes.take_memory) < 16


@pytest.fixture
def on_disk(monkeypatch):
    """A server that has no namespaces, so that folders lie on the disk."""
    without = (
        "from arena.sandbox import namespaces; namespaces.enter = lambda: False; from arena.sandbox.server"
    )
    monkeypatch.setattr(process, "START", process.START.replace("from arena.sandbox.server", without))
    monkeypatch.setattr(process, "owned", [])
    monkeypatch.delenv(process.SERVER, raising=False)
    monkeypatch.setenv(process.SERVER, "/nonexistent")
    yield
    for server in process.owned:
        server.lifeline.close()
        server.process.wait(30)
        assert not Path(server.folder).exists()


@pytest.mark.slow
def test_nothing_is_left_of_folders_in_folders():
    made = Sandboxed(escapes.dig, targets=["escapes"])
    assert json.loads(made.channel.receive(60.0, 100)) == 3000
    made.close()
    assert not made.left_behind


@pytest.mark.slow
@pytest.mark.parametrize("function", [escapes.fill_disk, escapes.dig])
def test_on_a_disk_who_writes_too_much_is_ended(on_disk, function):
    made = Sandboxed(function, targets=["escapes"])
    with closing(made), pytest.raises(EOFError):
        made.channel.receive(60.0, 100)
    assert made.why == "it has written more than 64 MB, or 4096 files"
    assert not made.left_behind


@pytest.mark.slow
def test_a_deep_folder_is_removed(tmp_path):
    here = os.getcwd()
    top = tmp_path / "top"
    top.mkdir()
    os.chdir(top)
    try:
        for _ in range(2500):
            os.mkdir("d")
            os.chdir("d")
        Path("file").write_text("x")
    finally:
        os.chdir(here)
    assert remove(str(top))
    assert not top.exists()


def test_each_client_has_a_processor_of_its_own_as_long_as_there_are_enough():
    server = SimpleNamespace(children={})
    for pid, client in enumerate([70, 72, 70, 74, 76, 72]):
        processor = Server.processor(server, client, [3, 5, 8])
        server.children[pid] = SimpleNamespace(client=client, processor=processor)
    placed = {child.client: child.processor for child in server.children.values()}
    assert [child.processor for child in server.children.values()] == [3, 5, 3, 8, placed[76], 5]
    assert placed[76] in (3, 5, 8)
    assert Server.processor(server, 72, [3]) == 3  # it may no longer run on 5
    assert Server.processor(server, 78, []) is None


# --- stopping and ending ----------------------------------------------------------------------------------


@complete
def test_what_is_stopped_uses_no_processor():
    made = Sandboxed(escapes.count, targets=["escapes"])
    with closing(made):
        made.channel.send(b"?", 5.0)
        assert made.channel.receive(30.0, 100)
        made.signal(signal.SIGSTOP)
        while Path(f"/proc/{made.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.01)
        before = made.processor_seconds()
        time.sleep(0.3)
        assert made.processor_seconds() == before
        made.signal(signal.SIGCONT)
        made.channel.send(b"?", 5.0)
        assert made.channel.receive(30.0, 100)


@complete
@pytest.mark.slow
def test_it_ends_with_the_process_that_asked_for_it_even_if_it_is_stopped(tmp_path):
    script = (
        "import sys, signal, os; sys.path.insert(0, sys.argv[1])\n"
        "import escapes\n"
        "from arena.sandbox import Sandboxed\n"
        "process = Sandboxed(escapes.ignore_signals, targets=['escapes'])\n"
        "process.channel.receive(60, 100)\n"
        "process.signal(signal.SIGSTOP)\n"
        "print(process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    helpers = str(Path(escapes.__file__).parent)
    clean = {name: value for name, value in os.environ.items() if name != "ARENA_SANDBOX"}
    done = subprocess.run(
        [sys.executable, "-c", script, helpers], capture_output=True, env=clean, check=False
    )
    pid = int(done.stdout)
    until = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < until
        time.sleep(0.05)


# --- messages ---------------------------------------------------------------------------------------------


def test_a_message_is_bounded_and_a_part_of_one_does_not_wait():
    here, there = socket.socketpair()
    channel = Channel(here)
    there.send(b"\0\0\0\5hel")
    assert channel.receive(0.05, 10) is None
    there.send(b"lo")
    assert channel.receive(5.0, 10) == b"hello"
    for head in (b"\xff\xff\xff\xff", b"\0\1\0\0", b"\x7f\xff\xff\xff"):
        here, there = socket.socketpair()
        there.send(head)
        with pytest.raises(Garbled):
            Channel(here).receive(5.0, 10)
    here, there = socket.socketpair()
    channel = Channel(here)
    assert channel.quiet()
    there.send(b"x")
    assert not channel.quiet()
    here, there = socket.socketpair()
    there.close()
    with pytest.raises(EOFError):
        Channel(here).quiet()


def test_who_reads_nothing_is_not_waited_for():
    here, there = socket.socketpair()
    with pytest.raises(TimeoutError):
        Channel(here).send(bytes(1 << 24), 0.1)
    there.close()
    with pytest.raises(BrokenPipeError):
        Channel(here).send(b"x", 0.1)


# --- the tables -------------------------------------------------------------------------------------------

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
OLD_NAMES = {"fstatat": "newfstatat"}


@pytest.mark.parametrize("machine", HEADERS)
def test_calls_have_the_numbers_of_the_kernels_headers(machine):
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip("needs the kernel's headers")
    defined = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", header.read_text(), re.MULTILINE)
    there = {OLD_NAMES.get(name, name): int(number) for name, number in reversed(defined)}
    found = numbers(machine)
    assert found == {name: there.get(name) for name in found}
    assert set(LIMITED) <= numbers(machine).keys()


@pytest.mark.parametrize("machine", HEADERS)
def test_a_filter_is_no_longer_than_the_kernel_takes(machine):
    assert len(seccomp.program(machine, 1234)) // 8 < 4096


# --- what a system lacks ----------------------------------------------------------------------------------


def test_this_process_is_not_confined():
    assert not confined()


@pytest.mark.parametrize(("lacks", "what"), [(landlock, "files"), (seccomp, "network")])
def test_what_is_missing_is_said_and_refused_if_asked(lacks, what, monkeypatch):
    import arena
    from arena.sandbox import confine

    name = "version" if lacks is landlock else "has_seccomp"
    monkeypatch.setattr(confine, name, lambda: 0)
    with pytest.raises(ArenaError, match=f"cannot prevent .*{what}.*isolate=True plays anyway"):
        arena.match("random", "first", matches=2, isolate="strict", seed=1)


@complete
@pytest.mark.parametrize("how", ["--isolate=strict", *slow("--isolate")])
def test_a_complete_sandbox_is_strict(tmp_path, how):
    done = run(tmp_path, "match", "random", "first", "--matches", "2", "--seed", "1", how)
    assert "cannot prevent" not in done.stderr


@pytest.mark.slow
def test_where_nothing_can_be_forked_an_agent_plays_in_a_process_of_its_own(monkeypatch):
    """As on Windows, where there is no more."""
    from arena.matches import remote_agent as remote
    from arena.sandbox.spawned import Spawned

    monkeypatch.setattr(remote, "Sandboxed", Spawned)
    monkeypatch.delattr("select.poll")
    how = {"game": "tic-tac-toe", "matches": 4, "seed": 1, "progress": False, "executor": "serial"}
    import arena

    found = arena.match("random", "greedy", isolate=True, **how)
    assert found.to_dict()["pairings"] == arena.match("random", "greedy", **how).to_dict()["pairings"]


KILLS = """
import threading, time
import arena
from pathlib import Path
from types import SimpleNamespace
from arena.sandbox import process

def kill():
    "Kill the process that sandboxed ones are forked from, once it has some."
    while not process.owned:
        time.sleep(0.01)
    server = process.owned[0].process
    while not Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text():
        time.sleep(0.01)
    time.sleep(0.5)  # so that matches are being played
    server.kill()

if __name__ == "__main__":
    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    how = {"game": "connect-four", "matches": 8000, "seed": 1 << 100, "progress": False, "workers": 2}
    found = arena.match("random", "greedy", isolate=True, **how)
    assert not thread.is_alive()
    assert found.played == 8000
    assert not found.forfeits, found.remarks()
"""


@complete
@pytest.mark.slow
def test_nobody_is_blamed_for_the_end_of_the_process_that_all_are_forked_from(tmp_path):
    (tmp_path / "kills.py").write_text(KILLS)
    env = {name: value for name, value in os.environ.items() if name != "ARENA_SANDBOX"}
    command = [sys.executable, str(tmp_path / "kills.py")]
    done = subprocess.run(command, capture_output=True, env=env, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr

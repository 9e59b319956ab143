"""What several test modules need: plugins that are not installed, commands that go on running, rows."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import settings

settings.register_profile("arena", deadline=None)  # the first example may have to wait for compiling
settings.load_profile("arena")


def pytest_xdist_auto_num_workers(config):
    """One more than there are processors, for tests also wait: for processes, for locks, for time to pass."""
    return 1 + (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is slow
def pytest_collection_modifyitems(items):
    """Marks the cases of a test as slow, but for as many as are to run always, spread evenly over them."""
    cases = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("always"):
            cases[item.fspath, item.originalname, *mark.args].append(item)
    for (*_, always), those in cases.items():
        chosen = {i * len(those) // always for i in range(always)}
        for i, item in enumerate(those):
            if i not in chosen:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def models_folder(tmp_path_factory):
    """What is learned in tests is kept with them, in one folder for all of pytest's workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "models"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_MODELS", str(folder))
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # or hundreds of commands compile all modules
        yield


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """Writes modules as one distribution of plugins; gives the environment in which they are found."""

    def write(**sources: str) -> dict[str, str]:
        folder = tmp_path_factory.mktemp("plugin")
        info = folder / "faulty-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
        points = "".join(f"{name} = {name}\n" for name in sources)
        (info / "entry_points.txt").write_text(f"[arena]\n{points}")
        for name, source in sources.items():
            (folder / f"{name}.py").write_text(source)
        return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])}

    return write


class Running:
    """A command that goes on while the test does something to it; in plain Python unless told otherwise."""

    def __init__(
        self, folder: Path, *args: str, python: tuple[str, ...] = ("-m", "arena"), **env: str
    ) -> None:
        self.mark = uuid4().hex  # in the environment of all its processes
        clean = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
        clean.setdefault("ARENA_COMPILED", "0")
        self.process = subprocess.Popen(
            [sys.executable, *python, *args],
            cwd=folder,
            env={**clean, **env, "ARENA_TEST": self.mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=hear_ctrl_c,
        )

    def send(self, number: int, group: bool = False) -> None:
        (os.killpg if group else os.kill)(self.process.pid, number)

    def ended(self, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """What it said, and its status, when it has ended."""
        out, err = self.process.communicate(timeout=seconds)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, err)

    def running(self) -> list[int]:
        """The processes it has started, and those have, that still run; itself too."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
        return found

    def nothing_left(self, seconds: float = 5) -> bool:
        """Whether all its processes end within some seconds."""
        return until(lambda: not self.running(), seconds)


def hear_ctrl_c() -> None:
    """A shell has what it starts in the background ignore it, and what that starts in its turn."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def until(claim, seconds: float = 20) -> bool:
    """Whether a claim comes true within some seconds."""
    deadline = time.monotonic() + seconds
    while not (true := claim()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(true)


@pytest.fixture
def launch(tmp_path):
    """Starts `arena` in the test's folder and gives it running; at the end nothing of it is left."""
    started = []

    def start(*args: str, **how) -> Running:
        started.append(Running(tmp_path, *args, **how))
        return started[-1]

    yield start
    for running in started:
        for pid in running.running():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        running.process.communicate()


def rows(db: Path, tournament: int = 1) -> dict[str, list[tuple]]:
    """All that is recorded of a tournament but the times, table by table."""
    names = dict(query(db, "SELECT id, name FROM entries"))
    asked = {
        "matches": "SELECT number, round, first, second, result, reason, detail, plies, opening, moves,"
        " chance FROM matches WHERE tournament = ? ORDER BY number",
        "pairings": "SELECT first, second, kind, wins, draws, losses, first_forfeits, second_forfeits"
        " FROM pairings WHERE tournament = ? ORDER BY first, second, kind",
        "elo": "SELECT rounds, entry, rating FROM elo WHERE tournament = ? ORDER BY rounds, entry",
    }
    found = {table: query(db, sql, tournament) for table, sql in asked.items()}
    return {**found, "entries": sorted(names.items())}


def query(db: Path, sql: str, *values: object) -> list[tuple]:
    """Rows of a database that is there, be it written to at the same time."""
    connection = sqlite3.connect(f"{Path(db).as_uri()}?mode=rw", uri=True, timeout=60)
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


def played(db: Path, tournament: int = 1) -> int:
    """How many matches of a tournament are recorded; 0 if there is no such thing yet."""
    try:
        return query(db, "SELECT count(*) FROM matches WHERE tournament = ?", tournament)[0][0]
    except sqlite3.OperationalError:
        return 0


def check_sums(db: Path) -> None:
    """The sums by pairing are those of the matches, and of matches that repeat each other one counts."""
    sums: dict[tuple, list[int]] = {}
    seen = set()
    matches = query(db, "SELECT tournament, first, second, result, reason, moves, chance FROM matches")
    for tournament, first, second, result, reason, moves, chance in matches:
        forfeit = reason not in ("rules", "max plies")
        kind = "chance"
        if not chance and not forfeit:
            match = (tournament, first, second, moves)
            kind = "copy" if match in seen else "fixed"
            seen.add(match)
        counts = sums.setdefault((tournament, first, second, kind), [0] * 5)
        counts[1 - result] += 1
        if forfeit:
            counts[3 if result == -1 else 4] += 1
    assert sums == {row[:4]: list(row[4:]) for row in query(db, "SELECT * FROM pairings")}

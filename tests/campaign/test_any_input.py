"""Whatever is typed, whatever a file says: one line, no traceback, and nothing written."""

from __future__ import annotations

import random
import re
import shutil
import signal
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from hashlib import sha256

import pytest

import drawn
from commands import ended, inside

SECONDS = 0.7  # after which a command is interrupted: what is typed may be valid and last for days
WRITES = {"tournament", "match", "train", "models", "leaderboard", "position"}
HIDDEN = re.compile("(?!\n)[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
PROGRESS = ("Tournament ", "Exploring ", "Judging ", "Evaluating ", "Training ")
STOPPING = "Stopping once the work in progress is saved; press Ctrl-C again to stop at once."


def share(hundredth):
    """A case that is run with the slow tests, and the whole."""
    return [
        pytest.param(hundredth, marks=pytest.mark.slow),
        pytest.param(100 * hundredth, marks=pytest.mark.campaign),
    ]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with a database, models, a curve, a tournament's file, and files that are none of these."""
    folder = tmp_path_factory.mktemp("world") / "world"
    folder.mkdir()
    env = {"ARENA_MODELS": str(folder / "models")}
    entries = ("--entry", "random", "--entry", "first", "--executor", "serial")
    inside(folder, "tournament", *entries, "--rounds", "3", "--seed", "1", **env)
    inside(folder, "tournament", *entries, "--exact", **env)
    inside(folder, "tournament", *entries, "--rounds", "2", "--seed", "2", "--isolate", **env)
    curve = (
        "--curve",
        "curve.csv",
        "--points",
        "2",
        "--seeds",
        "1",
        "--matches",
        "2",
        "--executor",
        "serial",
    )
    inside(folder, "train", "q-table:episodes=2", *curve, **env)
    inside(folder, "train", "q-table:episodes=2", "--executor", "serial", **env)
    model = inside(folder, "models", "list", **env).stdout.split("\n")[1].split()[0]
    inside(folder, "models", "export", model, "model.npz", **env)
    (folder / "t.toml").write_text(drawn.TOML)
    (folder / "text.txt").write_text("a line\n")
    (folder / "cut.db").write_bytes((folder / "arena.db").read_bytes()[:5000])
    return folder


class World:
    """The folder again as it was, before each command."""

    def __init__(self, template, folder):
        self.template, self.folder = template, folder
        self.renew()

    def renew(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder)
        self.before = self.seen()

    def seen(self):
        found = {}
        for path in self.folder.rglob("*"):
            status = path.lstat()
            found[str(path)] = (status.st_size, status.st_mtime_ns, status.st_ino)
        return found

    def run(self, words, writes=True):
        """How a command ended and what was wrong with that, if anything."""
        with interrupted_after(SECONDS):
            try:
                done = ended(self.folder, *words, ARENA_MODELS=str(self.folder / "models"))
            except BaseException as error:
                self.renew()
                return None, "".join(traceback.format_exception(error))[-3000:]
        fault = unlike_one_line(done)
        if self.seen() != self.before:
            kept = words[0] == "leaderboard" and done.returncode == 0  # ratings, in a database that is sound
            if done.returncode not in (0, 130) or not (writes or kept):
                changed = {path for path, _ in self.before.items() ^ self.seen().items()}
                fault = (
                    fault or f"status {done.returncode}, and written: {sorted(changed)}: {done.stderr[-200:]}"
                )
            self.renew()
        return done, fault


def unlike_one_line(done):
    """What is wrong with how a command ended; an empty text if it ended well or with one line."""
    lines = done.stderr.removesuffix("\n").split("\n") if done.stderr else []
    told = [line for line in lines if line.startswith("Error: ")]
    if "Traceback" in done.stdout + done.stderr:
        return "a traceback: " + done.stderr[-500:]
    if HIDDEN.search(done.stdout + done.stderr.replace("\r", "")):
        return "not shown as text"
    if done.returncode == 0:
        return "status 0 with an error" if told else ""
    if done.returncode == 2 and lines[0].startswith("Usage: "):
        return ""  # a group without a command
    if done.returncode == 130:
        return (
            "" if told == ["Error: interrupted"] or STOPPING in lines or not told else f"interrupted: {told}"
        )
    others = [line for line in lines if not line.startswith(("Error: ", "Warning: ", *PROGRESS))]
    if done.returncode not in (1, 2) or len(told) != 1 or others:
        return f"status {done.returncode}: {done.stderr[-500:]}"
    return ""


@contextmanager
def interrupted_after(seconds):
    """As by Ctrl-C; once more after a while, should Python have swallowed it where it tidies up."""
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, seconds, 20.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def hold(count, draw):
    """Draw so many cases and run them; how it went, which `pytest -s` shows, and no fault.

    draw: gives a case, and what has become of running it.
    """
    ends, faults, began = Counter(), [], time.monotonic()
    for _ in range(count):
        case, (done, fault) = draw()
        ends[done and done.returncode] += 1
        if fault:
            faults.append((case, fault))
    print(f"\n{count} in {time.monotonic() - began:.0f} s, by status: {dict(ends)}")
    assert not faults, f"{len(faults)}: " + "\n".join(f"{case!r}\n    {fault}" for case, fault in faults[:20])


@pytest.mark.parametrize("count", share(1000))
def test_any_command_line(tmp_path, world, count):
    here, rng = World(world, tmp_path / "world"), random.Random(count)

    def draw():
        words = drawn.command_line(rng)
        return words, here.run(words)

    hold(count, draw)


@pytest.mark.parametrize("count", share(200))
def test_any_tournament_file(tmp_path, world, count):
    here, rng = World(world, tmp_path / "world"), random.Random(count)

    def draw():
        text = drawn.toml(rng)
        (here.folder / "t.toml").write_bytes(text.encode(errors="surrogateescape"))
        here.before = here.seen()
        return text, here.run(["tournament", "t.toml", "--executor", "serial"])

    hold(count, draw)


READERS = (
    *("tournaments list", "tournaments list --json", "tournaments show 1", "tournaments show 2 --json"),
    *(
        "tournaments show 3 --markdown",
        "leaderboard",
        "leaderboard --rating elo --json",
        "leaderboard --code all",
    ),
    *("leaderboard --blunders --csv", "leaderboard --tournament 3"),
)
WRITERS = (
    *(
        "tournament --resume --executor serial",
        "tournaments remove 2 --yes",
        "match random first --matches 2 --record",
    ),
    "tournament --entry random --entry first --rounds 1 --executor serial",
)


@pytest.mark.parametrize("count", share(200))
def test_any_database(tmp_path, world, count):
    here, rng = World(world, tmp_path / "world"), random.Random(count)
    content = (world / "arena.db").read_bytes()

    def draw():
        data = drawn.altered(rng, content)
        (here.folder / "arena.db").write_bytes(data)
        here.before = here.seen()
        writes = rng.random() < 0.2
        command = rng.choice(WRITERS if writes else READERS)
        done, fault = here.run(command.split(), writes)
        if fault:
            (tmp_path / f"{sha256(data).hexdigest()}.db").write_bytes(data)
        return command, (done, fault)

    hold(count, draw)

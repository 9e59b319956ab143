"""What killed processes leave among temporary files goes with the next, and nothing else does."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from arena.workers import temporary
from commands import arena
from running import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fcntl")

ENDLESS = ("match", "random", "first", "--matches", "100000000", "--workers", "1")
SHORT = ("match", "random", "first", "--matches", "2", "--workers", "1")


@pytest.fixture
def folder(tmp_path):
    """For temporary files, with a short path, for the sake of sockets."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield folder


def folders(folder):
    """Those that processes have claimed in the folder of all."""
    shared = Path(folder, f"arena-{os.getuid()}")
    return {claim.parent.name for claim in shared.glob(f"*/{temporary.ALIVE}")}


def test_a_command_that_ends_leaves_nothing(tmp_path, folder):
    arena(tmp_path, *SHORT, TMPDIR=folder)
    assert os.listdir(folder) == []


@pytest.mark.slow
def test_what_a_killed_command_leaves_goes_with_the_next(tmp_path, folder, launch):
    living = launch(*ENDLESS, TMPDIR=folder)
    assert until(lambda: len(folders(folder)) == 1)
    (lives,) = folders(folder)
    killed = launch(*ENDLESS, TMPDIR=folder)
    assert until(lambda: len(folders(folder)) == 2)
    (left,) = folders(folder) - {lives}
    killed.send(signal.SIGKILL)
    killed.process.wait()
    assert killed.nothing_left()
    assert folders(folder) == {lives, left}
    arena(tmp_path, *SHORT, TMPDIR=folder)
    assert folders(folder) == {lives}
    assert os.listdir(folder) == [f"arena-{os.getuid()}"]
    living.send(signal.SIGINT)
    living.ended()
    assert os.listdir(folder) == []


@pytest.fixture
def shared(folder, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", folder)
    return temporary.shared_folder()


def test_only_what_is_no_processs_is_swept(shared, tmp_path):
    mine, lock = temporary.claimed()
    (tmp_path / "precious").write_text("mine")
    left, closed = temporary.claimed()
    os.symlink(tmp_path, os.path.join(left, "link"))
    os.close(closed)
    os.symlink(tmp_path, shared / "elsewhere")
    begun, old = shared / "begun", shared / "old"
    for made in (begun, old):
        made.mkdir()
    os.utime(old, (0, 0))
    temporary.sweep(shared)
    assert {path.name for path in shared.iterdir()} == {os.path.basename(mine), "elsewhere", "begun"}
    assert (tmp_path / "precious").exists()
    os.close(lock)


def test_a_folder_that_others_can_write_to_is_not_used(shared):
    shared.chmod(0o777)
    with pytest.raises(OSError, match="not a private folder of this user"):
        temporary.shared_folder()
    shared.rmdir()
    shared.symlink_to("/")
    with pytest.raises(OSError, match="not a private folder of this user"):
        temporary.shared_folder()


def test_a_folder_that_is_removed_meanwhile_is_made_again(shared):
    shared.rmdir()
    folder, lock = temporary.claimed()
    assert os.path.dirname(folder) == str(shared)
    os.close(lock)

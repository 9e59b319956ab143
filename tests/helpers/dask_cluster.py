"""A cluster of Dask's on this machine, whose workers a test adds and kills."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

from arena.registry.plugins import registry
from running import marked, until


def skip_without_dask() -> None:
    """Skip the test unless arena-dask is installed, so that commands and workers find it, too."""
    if "dask" not in registry().offers["executor"]:
        pytest.skip("arena-dask is not installed")


class DaskCluster:
    """A scheduler with its workers, each a process group of its own, with a folder of models of its own."""

    def __init__(self, folder: Path, workers: int, **env: str) -> None:
        self.folder, self.mark = folder, uuid4().hex
        clean = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
        self.env = {**clean, "TMPDIR": str(folder), "ARENA_MODELS": str(folder / "unused"), **env}
        self.workers: list[subprocess.Popen[bytes]] = []
        log = folder / "scheduler.log"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", log=log)
        found = until(lambda: re.search(r"tcp://(127\.0\.0\.1:[0-9]+)", log.read_text()))
        assert found, log.read_text()
        self.address = re.search(r"tcp://(127\.0\.0\.1:[0-9]+)", log.read_text())[1]
        for _ in range(workers):
            self.add()

    def start(self, kind: str, *args: str, log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as file:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{kind}", *args, "--no-dashboard"],
                cwd=self.folder,
                env={**self.env, "ARENA_TEST": self.mark},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def add(self, *args: str) -> None:
        """Add a worker, which a nanny looks after, and would begin again, as `dask worker` has it."""
        log = self.folder / f"worker{len(self.workers)}.log"
        args = (f"tcp://{self.address}", "--nthreads", "1", "--local-directory", str(self.folder), *args)
        self.workers.append(self.start("worker", *args, log=log))

    def kill(self, number: int) -> None:
        """Kill a worker with all that is its, as a machine goes that is switched off."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()

    def playing(self) -> list[int]:
        """The processes in which games are played on the cluster."""
        found = []
        for pid in marked(self.mark):
            with suppress(OSError, ValueError):
                parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                if b"forkserver" in Path(f"/proc/{parent}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        assert until(lambda: not marked(self.mark), 10)

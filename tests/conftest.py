"""Fixtures of all tests: plugins that are not installed, commands that go on running."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from contextlib import suppress

import pytest
from hypothesis import settings

from browsing import browser, opened  # noqa: F401
from running import Running

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # where all processors are busy more of them only wait
settings.register_profile("arena", deadline=None)  # the first example may have to wait for compiling
settings.load_profile("arena")


def pytest_xdist_auto_num_workers(config):
    """Two for each processor, for tests also wait: for processes, for locks, for time to pass."""
    return 2 * (os.cpu_count() or 1)


def spread(few: int, of: int) -> set[int]:
    """So many numbers below another, evenly."""
    return {i * of // few for i in range(few)}


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is slow
def pytest_collection_modifyitems(config, items):
    """Marks the cases of a test as slow, but for as many as are to run always, spread evenly over them.

    Where it says how many are slow, the others are campaigns. Campaigns are left out unless they are asked
    for, even where all marks are taken.
    """
    cases = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("always")
        if mark and not item.get_closest_marker("campaign"):
            cases[item.fspath, item.originalname, *mark.args, *mark.kwargs.values()].append(item)
    for those in cases.values():
        mark = those[0].get_closest_marker("always")
        chosen = spread(mark.args[0], len(those))
        left = [item for i, item in enumerate(those) if i not in chosen]
        slow = spread(mark.kwargs.get("slow", len(left)), len(left))
        for i, item in enumerate(left):
            item.add_marker(pytest.mark.slow if i in slow else pytest.mark.campaign)
    if "campaign" not in config.option.markexpr:
        items[:] = [item for item in items if not item.get_closest_marker("campaign")]


@pytest.fixture(scope="session", autouse=True)
def models_folder(tmp_path_factory):
    """What is learned in tests is kept with them, in one folder for all of pytest's workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "models"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_MODELS", str(folder))
        patch.setenv("ARENA_ENDINGS", str(folder.parent / "endings"))
        patch.setenv("ARENA_TRUSTED", str(folder.parent / "trusted"))
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

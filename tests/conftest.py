"""Fixtures of all tests: plugins that are not installed, commands that go on running."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from arena.sandbox import get_server_ready
from browsing import browser, opened  # noqa: F401
from installed import Installed
from paths import CHESS
from running import Running

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # where all processors are busy more of them only wait
settings.register_profile("arena", deadline=None)  # the first example may have to wait for compiling
settings.load_profile("arena")


def pytest_xdist_auto_num_workers(config):
    """Use two workers for each processor, since tests also wait."""
    return 2 * (os.cpu_count() or 1)


def pytest_configure(config):
    """Import a share of all test modules in each worker, so that not every worker compiles all of them.

    Compiling takes most of the time of collecting. What one has compiled is in the cache for the others.
    """
    if hasattr(config, "workerinput") and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        number, of = int(config.workerinput["workerid"].removeprefix("gw")), config.workerinput["workercount"]
        for path in sorted(Path(__file__).parent.rglob("test_*.py"))[number::of]:
            sys.path.insert(0, str(path.parent))  # as pytest does
            with suppress(Exception, pytest.skip.Exception):  # which collecting it tells
                importlib.import_module(path.stem)
            del sys.path[0]


def pytest_collection_modifyitems(config, items):
    """Leave campaigns out unless the expression of `-m` names them, even where it is empty."""
    if "campaign" not in config.option.markexpr:
        campaigns = [item for item in items if item.get_closest_marker("campaign")]
        config.hook.pytest_deselected(items=campaigns)
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
        yield folder


@pytest.fixture(scope="session", autouse=True)
def sandbox_server():
    """The process that sandboxed ones are forked from, one for all commands of a worker of pytest."""
    get_server_ready()


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
def installed(models_folder, tmp_path):
    """Arena in a virtual environment, which all of pytest's workers share, one test at a time."""
    environment = models_folder.parent / "installed"
    with FileLock(f"{environment}.lock"):
        yield Installed(environment, tmp_path)


@pytest.fixture
def chess(monkeypatch):
    """The class of the example's chess, imported from its folder."""
    monkeypatch.syspath_prepend(CHESS)
    from arena_chess import Chess

    return Chess


@pytest.fixture
def offered(plugin):
    """The environment in which `arena` offers the example's chess."""
    return plugin(arena_chess=(CHESS / "arena_chess.py").read_text(encoding="utf-8"))


@pytest.fixture
def no_waits(monkeypatch):
    """Language models are asked again without a wait, and without the user's key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("arena_agents.llm.server.FIRST_WAIT", 0.01)


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

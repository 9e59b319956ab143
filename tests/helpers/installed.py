"""Arena installed as users install it, in a virtual environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

from paths import ROOT


class Installed:
    """A virtual environment with arena in it, and a folder to run commands in.

    environment: the folder of the virtual environment, which is made unless it exists. Making it takes some
    twenty seconds, so tests share one, and leave it as they found it.
    """

    def __init__(self, environment: Path, folder: Path) -> None:
        self.scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
        self.folder = folder / "elsewhere"
        self.folder.mkdir()
        apart = ("ARENA_DB", "PYTHONPATH")
        self.env = {name: value for name, value in os.environ.items() if name not in apart}
        self.env["ARENA_MODELS"] = str(folder / "models")
        if not (self.scripts / "arena").exists():
            venv.create(environment, with_pip=True, clear=True)
            self.run("python", "-m", "pip", "install", "--quiet", str(ROOT))

    def run(self, *words, status=0):
        command = [self.scripts / words[0], *words[1:]]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == status, (words, done.stdout, done.stderr)
        return done

    def lacks(self, distribution):
        """Whether there is no wheel of a distribution that could be installed."""
        command = [self.scripts / "python", "-m", "pip", "download", "--quiet", "--no-deps", distribution]
        done = subprocess.run([*command, "--only-binary", ":all:"], cwd=self.folder, capture_output=True)
        return done.returncode != 0

    def told(self, *words):
        """What a command says as JSON."""
        return json.loads(self.run("arena", *words, "--json").stdout)

    def agents(self):
        return [agent["name"] for agent in self.told("agents")]

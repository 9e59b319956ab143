"""Does what the pages tell their reader to do, and puts in what comes out.

    python docs/examples.py [PAGE …]

A block below "`name`:" is a file. Modules called `arena_…` are plugins, installed once they are written. A
block of Python without a name is a script, and a block of text after it is what that prints. A `console` has
commands, and what they print if that is shown; `< FILE` at the end is their standard input, `> FILE` where it
goes. A test does the same, and compares.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

DOCS = Path(__file__).parent
FENCE = re.compile(r"(?:^`(?P<file>[\w./-]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
NOT_RUN = (  # beginnings of lines of sh: what is installed before, and what takes a file from elsewhere
    *("pip ", "python3 -m venv ", ". .venv/", "uv ", "datasette "),
    *("arena models import psv ", "arena match psv:learner=(q-backprop:imported="),
)


def main() -> None:
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else pages():
        with TemporaryDirectory() as folder:
            text = Reader(Path(folder)).read(page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")


def pages() -> list[Path]:
    """Those that have something to run."""
    found = [*DOCS.glob("tutorial*.md"), *DOCS.glob("how-to/*.md"), *DOCS.glob("explanation/*.md")]
    return sorted(
        page for page in found if re.search(r"```(python|console)\n", page.read_text(encoding="utf-8"))
    )


class Reader:
    """Reads a page in a folder of its own, where it finds what it writes there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = ""  # by the script before
        path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.env = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
        self.env["PYTHONPATH"] = path

    def read(self, page: str) -> str:
        """The page with what its commands and scripts print here."""
        last = ""
        pieces, at, scripts = [], 0, 0
        for block in FENCE.finditer(page):
            text = block["text"]
            if block["file"]:
                self.write(block["file"], text)
            elif block["kind"] == "python":
                scripts += 1
                name = f"script_{scripts}.py"
                self.write(name, text)
                self.said = self.run(sys.executable, name)
            elif block["kind"] == "console":
                text = COMMAND.sub(self.typed, text)
            elif block["kind"] == "text" and last == "python":
                text = self.said
            elif block["kind"] == "sh" and not all(line.startswith(NOT_RUN) for line in text.splitlines()):
                raise ValueError(f"what is run is a `console`: {text}")
            pieces += [page[at : block.start("text")], text]
            at = block.end("text")
            last = "" if block["file"] else block["kind"]
        return "".join([*pieces, page[at:]])

    def typed(self, found: re.Match[str]) -> str:
        """A command with what it prints, if that is shown."""
        *words, sign, file = ["", *shlex.split(found["command"])]
        typed = (self.folder / file).read_text(encoding="utf-8") if sign == "<" else ""
        said = self.run(*(words[1:] if sign in ("<", ">") else [*words, sign, file][1:]), typed=typed)
        if sign == ">":
            self.write(file, said)
        return f"$ {found['command']}\n" + (said if found["shown"] else "")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        module = Path(name).stem
        if name.endswith(".py") and module.startswith("arena_"):
            self.install(module)
        if name == "pyproject.toml":
            points = tomllib.loads(text)["project"]["entry-points"]["arena"]
            missing = [module for module in points.values() if not (self.folder / f"{module}.py").exists()]
            if missing:
                raise ValueError(f"{name} names {missing[0]}, which the page has not written")

    def install(self, module: str) -> None:
        """Have it found as a plugin."""
        info = self.folder / f"{module}-1.0.dist-info"
        info.mkdir(exist_ok=True)
        name = module.replace("_", "-")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[arena]\n{module} = {module}\n")

    def run(self, program: str, *words: str, typed: str = "") -> str:
        """What a program says, which must end well and warn of nothing. typed: its standard input."""
        programs = {"arena": [sys.executable, "-m", "arena"], "python": [sys.executable]}
        command = [*programs.get(program, [program]), *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, input=typed, capture_output=True, text=True, timeout=300
        )
        if done.returncode or "Warning" in done.stderr:
            raise ValueError(f"{shlex.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout


if __name__ == "__main__":
    main()

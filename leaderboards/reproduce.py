"""Makes published results again, and says whether they are the same.

    python leaderboards/reproduce.py                    what there is, and what it costs
    python leaderboards/reproduce.py NAME…              these: psv/keep-training, or all of a folder: psv
    python leaderboards/reproduce.py all                all of them
    python leaderboards/reproduce.py --small NAME…      small versions of them, in seconds

Results are made in a folder of their own, `reproduced` unless --to says otherwise, with the published files
of other results beside them. What is there is not made again, and what was stopped is gone on with. --write
takes over what came out, in place of what is published, and what it took.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from graphlib import TopologicalSorter
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
ROOT = HERE.parent
SMALL = "SMALL"  # in commands, the folder that small versions are written to
WRITTEN = re.compile(r"(<!-- written by \S+ -->\n).*?(<!-- to t?here -->)", re.S)  # parts of a page
BECOME_SUBREAPER = 36  # prctl(2)
UNSTABLE = "code"  # a column of learning curves that says by which code they were drawn
COST = "## What it took"  # a table of times, at the end of a page


@dataclass(frozen=True)
class Result:
    """A figure, a table or both, and what makes it.

    name: FOLDER/NOUN. shows: what, and where it was published. commands: run from the project's folder, or
    one like it, in order; they write `files`. seconds: of CPU time, to two digits. clock: the files with
    times that were measured, which come out otherwise each time. needs: results, or folders of these, whose
    files are read. plugins: folders to be installed. small: commands that write `small_files`, as they lie in
    the folder `small` beside.
    """

    name: str
    shows: str
    commands: tuple[str, ...]
    files: tuple[str, ...]
    seconds: float
    clock: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    small_files: tuple[str, ...] = ()

    def is_called(self, name: str) -> bool:
        """Whether it has this name, or lies in the folder of this name."""
        return self.name == name or self.name.startswith(f"{name}/")

    def is_made_of(self, other: Result) -> bool:
        return any(map(other.is_called, self.needs))

    @property
    def folder(self) -> Path:
        """Of its small versions."""
        return HERE / self.name.rpartition("/")[0] / "small"


def results() -> dict[str, Result]:
    """All results by name."""
    found = {}
    for path in sorted(HERE.rglob("results.toml")):
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["result"]:
            lists = {name: tuple(value) for name, value in table.items() if isinstance(value, list)}
            found[table["name"]] = Result(**{**table, **lists})
    return found


def chosen(names: Sequence[str], known: dict[str, Result]) -> list[Result]:
    """Those of these names and folders, each after those that it needs; or the script ends."""
    found = []
    for name in names:
        these = [r for r in known.values() if name == "all" or r.is_called(name)]
        if not these:
            sys.exit(f"There is no result {name!r}; without a name all are listed.")
        found += these
    needed = {r: [other for other in found if other is not r and r.is_made_of(other)] for r in found}
    return [*TopologicalSorter(needed).static_order()]


def listing(known: Iterable[Result]) -> Iterator[str]:
    """A line for each, and their sum."""
    total = 0.0
    for result in known:
        total += result.seconds
        yield f"{result.name:32} {minutes(result.seconds):>9}  {result.shows}"
    yield f"{'all of them':32} {minutes(total):>9}  of CPU time"


def minutes(seconds: float) -> str:
    """`35 min`, `.5 min`."""
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def adopt() -> None:
    """On Linux, become the parent of processes that outlive theirs, so that the time of workers counts."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)


def wait_for_all() -> None:
    """Until no process is left that this one began or adopted."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def cpu_seconds() -> float:
    """Of commands that have ended, with what they began; 0 where the system does not tell."""
    wait_for_all()
    used = os.times()
    return used.children_user + used.children_system


def lacking(result: Result) -> list[str]:
    """The plugins that are to be installed first."""
    there = {point.value.partition(":")[0] for point in entry_points(group="arena")}
    return [folder for folder in result.plugins if Path(folder).name.replace("-", "_") not in there]


# --- making them ---------------------------------------------------------------------------------------


def lay_out(to: Path, wanted: Iterable[Result], known: Iterable[Result]) -> None:
    """Copy this folder, without what is to be made there or was begun.

    Of a page that is written by hand and by scripts, the parts of scripts are left out.
    """
    begun = [result for result in known if is_stamped(result, to, "begun")]
    begin = [result for result in wanted if result not in begun]
    new = {file for result in begin for file in result.files}
    made = new | {file for result in begun for file in result.files}
    for path in sorted(HERE.rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        there = to / name
        if not path.is_file() or "__pycache__" in name or (there.exists() and name not in new):
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        if name not in made:
            shutil.copyfile(path, there)
        elif path.suffix == ".md" and WRITTEN.search(text := path.read_text(encoding="utf-8")):
            there.write_text(WRITTEN.sub(r"\1\n\2", text), encoding="utf-8")
        else:
            there.unlink(missing_ok=True)
    for result in begin:
        stamp(result, to, "done").unlink(missing_ok=True)
        put_stamp(result, to, "begun")


def stamp(result: Result, to: Path, what: str) -> Path:
    """The file that says of a result that it was `begun` there, or is `done`, by which commands."""
    return to / what / result.name


def is_stamped(result: Result, to: Path, what: str) -> bool:
    """Whether that was so by the commands that the result has now."""
    path = stamp(result, to, what)
    return path.exists() and path.read_text(encoding="utf-8") == "\n".join(result.commands)


def put_stamp(result: Result, to: Path, what: str) -> None:
    path = stamp(result, to, what)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(result.commands), encoding="utf-8")


def run(commands: Iterable[str], folder: Path) -> None:
    """Run commands there, or end as the first does that fails."""
    env = os.environ | {"ARENA_MODELS": str(folder / "models")}
    programs = {"arena": [sys.executable, "-m", "arena"], "python": [sys.executable]}
    for command in commands:
        print(f"$ {command}", flush=True)
        program, *words = shlex.split(command)
        done = subprocess.run([*programs[program], *words], cwd=folder, env=env)
        if done.returncode:
            sys.exit(done.returncode)


def contents(path: Path) -> object:
    """What two results of one kind have to have in common."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8").partition(f"\n{COST}\n")[0]
    if path.suffix != ".csv":
        return path.read_bytes()
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [{name: value for name, value in row.items() if name != UNSTABLE} for row in rows]


def compared(pairs: Iterable[tuple[Path, Path]]) -> bool:
    """Whether files are as they are published; says so of each."""
    same = True
    for made, published in pairs:
        equal = published.exists() and contents(made) == contents(published)
        print(f"{published.relative_to(ROOT)}: {'the same' if equal else 'DIFFERS'}")
        same = same and equal
    return same


def make(result: Result, to: Path, write: bool) -> bool:
    """Make a result; whether it is as it is published."""
    print(f"{result.name}: {result.shows}; {minutes(result.seconds)}")
    if not is_stamped(result, to, "done"):
        begun = cpu_seconds()
        run(result.commands, to)
        if seconds := float(f"{cpu_seconds() - begun:.2g}"):
            print(f"{minutes(seconds)} of CPU time")
        if write and seconds:
            note_cost(result, seconds)
        put_stamp(result, to, "done")
    for file in result.clock:
        print(f"{file}: measured by the clock, and so not compared")
    same = compared((to / file, ROOT / file) for file in result.files if file not in result.clock)
    for file in result.files if write else ():
        shutil.copyfile(to / file, ROOT / file)
    for file in () if write else result.clock:
        put_back(to / file, ROOT / file)
    return same


def put_back(made: Path, published: Path) -> None:
    """Leave a page that is made of these times those that are published, and what was measured beside it."""
    beside = made.with_name(f"{made.name}.measured")
    if published.exists() and not beside.exists():
        made.replace(beside)
        shutil.copyfile(published, made)


def note_cost(result: Result, seconds: float) -> None:
    """Write into a result's table what it took."""
    path = HERE / result.name.rpartition("/")[0] / "results.toml"
    before, name, rest = path.read_text(encoding="utf-8").partition(f'name = "{result.name}"\n')
    text = before + name + re.sub(r"(?m)^seconds = .*$", f"seconds = {seconds:g}", rest, count=1)
    path.write_text(text, encoding="utf-8")


def make_small(result: Result, write: bool) -> bool:
    """Make the small version of a result; whether it is as it is kept."""
    with TemporaryDirectory() as folder:
        lay_out(Path(folder), (), ())
        small = Path(folder) / "small"
        small.mkdir()
        run([command.replace(SMALL, str(small)) for command in result.small], Path(folder))
        if write:
            for file in result.small_files:
                (result.folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(small / file, result.folder / file)
        return compared((small / file, result.folder / file) for file in result.small_files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--to", type=Path, default=Path("reproduced"), help="the folder to make them in")
    parser.add_argument("--small", action="store_true", help="small versions, where there are some")
    parser.add_argument("--write", action="store_true", help="take over what came out")
    args = parser.parse_args()
    known = results()
    if not args.names:
        print("\n".join(listing(known.values())))
        return
    wanted = [r for r in chosen(args.names, known) if r.small or not args.small]
    if missing := sorted({folder for result in wanted for folder in lacking(result)}):
        sys.exit(f"First: pip install {' '.join(f'./{folder}' for folder in missing)}")
    if args.small:
        same = [make_small(result, args.write) for result in wanted]
    else:
        adopt()
        lay_out(args.to, wanted, known.values())
        same = [make(result, args.to.resolve(), args.write) for result in wanted]
    if not all(same):
        sys.exit(f"{same.count(False)} of {len(same)} came out otherwise than published.")
    print(f"All {len(same)} are as published.")


if __name__ == "__main__":
    main()

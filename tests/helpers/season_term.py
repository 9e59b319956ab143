"""A term of a season in fast motion: a folder of players that changes from night to night."""

from __future__ import annotations

import random
import shutil
import sqlite3
import threading
from contextlib import closing
from itertools import combinations
from pathlib import Path

HEAD = "import arena\n\n\nclass Bot(arena.Agent):\n    def choose(self, state, moves, rng):\n"
BODIES = [
    "        return moves[0]\n",
    "        return moves[-1]\n",
    "        return moves[len(moves) // 2]\n",
    "        return rng.choice(moves)\n",
    "        return rng.choice(moves[:2])\n",
    "        return rng.choice(moves[-2:])\n",
    "        return moves[(7 * len(moves)) % 3 % len(moves)]\n",
]
CRASHES = "        return moves[1000]\n"
NOISE = {  # columns with times, which differ from run to run
    *("created", "finished", "begun", "ended", "seconds", "first_seconds", "second_seconds", "made"),
    "traceback",
}


class Folder:
    """A folder of players, with nights of edits drawn by a seed."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.random = path, random.Random(seed)
        path.mkdir()
        self.bodies: dict[str, list[str]] = {}  # of each player there, all that its file had, the newest last
        self.names = [f"p{i}" for i in range(100)]
        for _ in range(3):
            self.arrive()

    def fresh(self) -> str:
        """Return a body that no present player has."""
        marks = self.random.randrange(10**6)
        return f"        unused = {marks}\n{self.random.choice(BODIES)}"

    def write(self, name: str, body: str) -> None:
        (self.path / f"{name}.py").write_text(HEAD + body)
        self.bodies.setdefault(name, []).append(body)

    def arrive(self) -> None:
        self.write(self.names.pop(0), self.fresh())

    def night(self) -> None:
        """Change the folder as one day of a term does."""
        kinds = ["edit", "edit", "new", "comment", "revert", "gone", "crash", "broken", "rename"]
        for kind in self.random.sample(kinds, 2):
            name = self.random.choice(sorted(self.bodies))
            file = self.path / f"{name}.py"
            if kind == "new":
                self.arrive()
            elif kind == "edit":
                self.write(name, self.fresh())
            elif kind == "comment":
                file.write_text(file.read_text() + "# a remark\n")
            elif kind == "revert":
                self.write(name, self.bodies[name][0])
            elif kind == "crash":
                self.write(name, f"        unused = {self.random.randrange(10**6)}\n{CRASHES}")
            elif kind == "broken":
                file.write_text("def (:\n")
            elif kind == "gone" and len(self.bodies) > 2:
                file.unlink()
                del self.bodies[name]
            elif kind == "rename":
                file.rename(self.path / f"{name}_final.py")
                text = (self.path / f"{name}_final.py").read_text()
                (self.path / f"{name}_final.py").unlink()
                file.write_text(f'# player = "{name}"\n{text}')


class StopAfter(threading.Event):
    """An event that is set once it was asked a number of times, as a kill at a random moment."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0 or super().is_set()


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of all tables of a database but for times and places, in order."""
    found: dict[str, list[tuple[object, ...]]] = {}
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in sorted(tables):
            if table.startswith(("sqlite_", "_")) or table == "checksums":  # digests of times, too
                continue
            columns = [row[1] for row in db.execute(f"SELECT * FROM pragma_table_info('{table}')")]
            kept = ", ".join(f'"{name}"' for name in columns if name not in NOISE)
            found[table] = sorted(db.execute(f"SELECT {kept} FROM {table}"), key=repr)
    return found


def met(path: Path) -> dict[tuple[str, str, str, str], int]:
    """Return how many matches each two entries with their codes have had in each seat."""
    sql = (
        "SELECT a.name, ca.code, b.name, cb.code, count(*) FROM matches m"
        " JOIN entries a ON a.id = m.first JOIN entries b ON b.id = m.second"
        " JOIN codes ca ON ca.tournament = m.tournament AND ca.entry = m.first"
        " JOIN codes cb ON cb.tournament = m.tournament AND cb.entry = m.second GROUP BY 1, 2, 3, 4"
    )
    with closing(sqlite3.connect(path)) as db:
        return {tuple(row[:4]): row[4] for row in db.execute(sql)}


def matches(path: Path) -> int:
    """Return how many matches a database has."""
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM matches").fetchone()[0])


def updates(path: Path) -> int:
    """Return how many updates the season of a database has had."""
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM season_updates").fetchone()[0])


def copy(folder: Path, to: Path) -> None:
    """Copy a folder in place of another."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)


def pairs_of(names: list[str]) -> int:
    """Return how many pairings there are among players, from either seat."""
    return 2 * len([*combinations(names, 2)])


def records_left(path: Path) -> int:
    """Return how many matches are planned and not recorded yet in tournaments that are not finished."""
    sql = (
        "SELECT coalesce(sum(planned - (SELECT count(*) FROM matches WHERE tournament = t.id)), 0)"
        " FROM tournaments t WHERE finished IS NULL"
    )
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute(sql).fetchone()[0])

"""Bad agents against good ones, by a command of a plugin's, so that all is as in a tournament by hand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from tempfile import mkdtemp

from bad_agents import Bad, plugin_source
from records import query
from running import Running

INNOCENT = ("random", "first", "careful")

# a command that plays named agents against the innocent, and the innocent among themselves; two games; and
# an agent that needs its process to be in order
GAUNTLET = '''
import threading
from contextlib import closing
from dataclasses import replace
from itertools import permutations
import click
from arena import Agent, Game, Stage, hookimpl
from arena.ledger.ledger import Ledger
from arena.plan.schedule import Schedule
from arena.plan.completion import complete
from arena.results.settings import Settings
from arena.matches.event import begin, run_recorded
from arena.registry.plugins import registry
from arena.calls.execution import get_ready
from arena.calls.execution import Execution, train_entries
from arena.storage.database import Store
from arena.workers.pools import Workers
from arena.workers.processes import Processes

@hookimpl
def register_commands(register): register("gauntlet", "gauntlet:gauntlet")

@hookimpl
def register_games(register):
    register("cells", "gauntlet:Cells")
    register("letters", "gauntlet:Letters")

@hookimpl
def register_agents(register): register("careful", "gauntlet:Careful")

@click.command()
@click.argument("names", nargs=-1)
@click.option("--innocent", multiple=True)
@click.option("--game")
@click.option("--stall", type=float)
@click.option("--workers", type=int)
def gauntlet(names, innocent, game, stall, workers):
    get_ready()
    known = registry()
    entries = [*innocent, *names]
    settings, plan = complete(
        Settings(game=game, entries=entries, seed=1, rounds=1, stall_seconds=stall, withdraw_after=0), known
    )
    pairings = tuple(p for p in permutations(range(len(entries)), 2) if min(p) < len(innocent))
    plan = replace(plan, schedule=Schedule.of(Stage(pairings)))
    train_entries(plan, known, Execution.of(known, workers, progress=False))
    with closing(Store("arena.db", write=True)) as store:
        number = begin(store, settings, plan, known)
        for _ in run_recorded(store, number, Ledger(plan), Workers(Processes, workers)):
            pass

class Cells(Game):
    """Two take cells 1 to 9; whoever has 20 together wins."""

    max_moves = max_plies = 9
    alternating = True

    def initial(self): return (0,) * 9

    def moves(self, state):
        own = sum([i + 1 for i in range(9) if state[i] == 1])
        other = sum([i + 1 for i in range(9) if state[i] == 2])
        if own < 20 and other < 20:
            for i in range(9):
                if state[i] == 0:
                    yield i + 1

    def play(self, state, move):
        seat = self.to_move(state)
        return tuple([seat + 1 if i == move - 1 else state[i] for i in range(9)])

    def to_move(self, state): return sum([1 for i in range(9) if state[i] > 0]) % 2

    def value(self, state): return -1

    def position_text(self, state): return "".join(map(str, state))

class Letters(Cells):
    """The same, in letters."""

    def initial(self): return "." * 9

    def moves(self, state):
        if all(sum(i + 1 for i in range(9) if state[i] == who) < 20 for who in "ab"):
            return [i + 1 for i in range(9) if state[i] == "."]
        return []

    def play(self, state, move):
        return state[: move - 1] + "ab"[self.to_move(state)] + state[move:]

    def to_move(self, state): return (9 - state.count(".")) % 2

    def position_text(self, state): return state

class Careful(Agent):
    """Plays the last move, if all is in order that an agent may count on."""

    def choose(self, state, moves, rng):
        import decimal, json, os, subprocess, warnings
        import numpy as np
        self.deep(150)
        np.float64(1e300) * np.float64(1e300)
        warnings.warn("")
        with open(__file__) as file: file.read()
        assert json.loads(json.dumps({"a": 1})) == {"a": 1}
        assert decimal.Decimal(1) / 8 == decimal.Decimal("0.125")
        assert os.environ["PATH"] and os.getcwd() != "/"
        print(end="")
        return moves[-1]

    def deep(self, n): return self.deep(n - 1) if n else 0
'''


@dataclass
class Gauntlet:
    """What came of it: the records by first and second, what was said, and what is left of it."""

    records: dict[tuple[str, str], tuple[int, str, str | None, str]]
    said: str
    status: int
    database: Path
    running: list[str]
    temporary: list[str]

    def of(self, name: str) -> list[tuple[bool, str, str | None, str]]:
        """The matches of an agent: whether it lost, why, how, and the moves."""
        return [
            ((-1 if first == name else 1) == result, reason, detail, moves)
            for (first, second), (result, reason, detail, moves) in sorted(self.records.items())
            if name in (first, second)
        ]


def play(
    folder: Path, env: dict[str, str], game: str, names, innocent=INNOCENT, stall=30.0, compiled=0, workers=3
) -> Gauntlet:
    """Have it played by a command in a folder. env: where the plugins are, see `plugins`."""
    temporary = Path(mkdtemp(prefix="gauntlet-"))  # a short path, as sockets in it have to have
    args = [word for name in innocent for word in ("--innocent", name)]
    args += ["--game", game, "--stall", str(stall), "--workers", str(workers), *names]
    env = {**env, "ARENA_COMPILED": str(compiled), "TMPDIR": str(temporary)}
    command = Running(folder, "gauntlet", *args, **env)
    try:
        done = command.ended(1500)
        command.nothing_left()
    finally:
        left = [(Path("/proc") / str(pid) / "cmdline").read_text() for pid in command.running()]
    assert (folder / "arena.db").exists(), done.stderr
    sql = "SELECT first, second, result, reason, detail, moves FROM results"
    records = {tuple(row[:2]): tuple(row[2:]) for row in query(folder / "arena.db", sql)}
    entries = [*innocent, *names]
    if not done.returncode:
        assert set(records) == {p for p in permutations(entries, 2) if set(p) & set(innocent)}
    return Gauntlet(
        records,
        done.stderr,
        done.returncode,
        folder / "arena.db",
        left,
        [p.name for p in temporary.iterdir()],
    )


def plugins(bad: dict[str, Bad]) -> dict[str, str]:
    """The modules of it, with these agents."""
    return {"faulty": plugin_source(bad), "gauntlet": GAUNTLET}


def harmless(bad: dict[str, Bad]) -> dict[str, Bad]:
    """Agents of the same names that all play the first move."""
    return dict.fromkeys(bad, Bad("pass"))

"""Files that attack get nothing, leave nothing, and cost nobody but themselves anything."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from time import perf_counter

import pytest

from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.errors import Reported
from arena.matches.match import Told
from arena.matches.remote_agent import Child, Remote
from arena.registry.file_offers import opened
from arena.registry.files import Reference
from arena.registry.plugins import registry
from arena.rng import Rng
from arena.sandbox import missing
from arena.workers.worker import DEADLINE, RULES, WORDS, ProcessWatch
from attacks import HANGS, LIES, PROBES, attacker, prober
from commands import arena, ended, inside
from records import query
from typing_at import end_of, typing_at

pytestmark = pytest.mark.skipif(bool(missing()), reason="this system lacks a part of the sandbox")

ALL = HANGS | LIES
TOGETHER = 10  # attackers in a tournament
QUICK = ("answers-too-early", "answers-nan", "plays-what-equals-all", "spoils-its-numbers", "prints-codes")
CODES = ("\x1b]", "\x07", "\u202e", "\0", "\x1b[2J", "\x1b[31m")
STALL = ("--stall-seconds", "1", "--withdraw-after", "1")
ONCE = ("--entry", "random", "--format", "gauntlet", "--rounds", "1", "--seed", "1", *STALL)


@pytest.fixture
def user(tmp_path, monkeypatch):
    """A user's folder, with a secret and a rival's file; a password in the environment."""
    (tmp_path / "secret.txt").write_text("hush")
    (tmp_path / "alice.py").write_text("raise SystemExit\n")
    monkeypatch.setenv("PASSWORD", "hush-hush")
    return tmp_path


def kept(folder: Path) -> dict[str, tuple]:
    """Return what is in a folder, the database and what Python writes aside."""
    return {
        path.name: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith("arena.db")
    }


def attacked(user, bodies, play=ended):
    """Play attackers against `random`, and check that they lose by it or play on; return what was said."""
    files = {f"m_{name.replace('-', '_')}.py": attacker(str(user), body) for name, body in bodies.items()}
    for name, text in files.items():
        (user / name).write_text(text)
    before = kept(user)
    done = play(user, "tournament", *files, *ONCE)
    assert kept(user) == before
    blamed = query(
        user / "arena.db",
        "SELECT DISTINCT entries.name, reason FROM matches JOIN entries"
        " ON entries.id = CASE result WHEN 1 THEN second ELSE first END"
        " WHERE reason IN ('crash', 'stall', 'illegal move', 'clock') AND result != 0",
    )
    assert "random" not in dict(blamed)
    assert "Traceback" not in done.stdout + done.stderr
    assert "Error: game" not in done.stderr
    for code in CODES:
        assert code not in done.stdout + done.stderr
    for line in done.stderr.splitlines():
        known = ("Tournament 1: ", "Note: m_", "Warning: ", "Error: every match", *files)
        assert line.startswith(known), line
    return dict(blamed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(list(ALL)[start : start + TOGETHER], id=f"{start}")
        for start in range(0, len(ALL), TOGETHER)
    ],
)
def test_who_lies_or_hangs_costs_nobody_anything(user, names):
    blamed = attacked(user, {name: ALL[name] for name in names})
    hanging = {f"m_{name.replace('-', '_')}.py" for name in names if name in HANGS}
    assert hanging <= set(blamed)


@pytest.mark.slow
def test_some_liars_cost_nobody_anything(user):
    attacked(user, {name: ALL[name] for name in QUICK})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "moves"),
    [
        *(pytest.param(name, 9, id=name) for name in ALL),
        pytest.param("holds-it-in-a-thread", 10**6, id="reads-no-question"),  # which its pipe cannot hold
    ],
)
def test_a_question_costs_its_limit_and_a_second_at_most(user, name, moves):
    """Time that an agent waits for a free processor is not counted."""
    limit, took = 0.5, []
    (user / "liar.py").write_text(attacker(str(user), ALL[name]))
    (offer,) = opened([("agent", Reference(str(user / "liar.py")))])
    game = registry().spec("game", "tic-tac-toe")
    watch = ProcessWatch([0] * WORDS, lambda text: None)
    with closing(Child(offer.spec("liar.py", {}), game, Limits(9, 0.0, limit), confined=True)) as child:
        remote, rules = Remote(child, watch, (0, 0), limit), game.make()
        remote.begin(0)
        while len(took) < 3 and not remote.failed:
            waited, began = child.waited(), perf_counter()
            with suppress(Told, Reported):
                remote.choose(rules.initial(), [*range(moves)], Rng())
            took.append(perf_counter() - began - max(0.0, child.waited() - waited))
    watch.clear()
    assert max(took) < limit + 1


@pytest.mark.slow
def test_nothing_can_be_had(user):
    """At a terminal, where what is typed meanwhile stays for the shell."""
    (user / "mallory.py").write_text(prober(str(user), PROBES))
    before = kept(user)
    child = typing_at(user, "tournament", "mallory.py", *ONCE)
    child.setecho(False)
    child.send("typed\n")
    seen, status = end_of(child)
    found = query(user / "arena.db", "SELECT detail FROM matches WHERE reason NOT IN ('rules', 'max plies')")
    assert found == [], (seen, found)
    assert status == 0, seen
    assert kept(user) == before
    assert not any(Path(place, "arena-attack").exists() for place in ("/tmp", "/dev/shm"))


def test_a_few_things_cannot_be_had(user):
    few = {name: PROBES[name] for name in ("reads-SECRET", "reads-DB", "locks the database", "forks")}
    (user / "mallory.py").write_text(prober(str(user), few))
    inside(user, "tournament", "mallory.py", *ONCE)


def test_asking_what_an_agent_printed_takes_nothing_of_the_games_time():
    """Or a game would be blamed for an agent that does not answer."""
    watch = ProcessWatch([0] * WORDS, print)
    targets = "arena_agents.baselines.random:Random", "arena_games.tic_tac_toe:TicTacToe"
    agent, game = (
        Spec(name, target, {}) for name, target in zip(("random", "tic-tac-toe"), targets, strict=True)
    )
    with closing(Child(agent, game, Limits(9, 0.0, 1.0), confined=True)) as child:
        watch.turn(0, RULES, 1.0)
        deadline = watch.mark[DEADLINE]
        Remote(child, watch, (0, 0), 1.0).printed()
        assert watch.mark[DEADLINE] > deadline
    watch.clear()


@pytest.mark.slow
def test_an_agent_cannot_hide_what_it_takes(user):
    """Its clock stands still; that of its process does not."""
    body = (
        "until = time.process_time() + 0.05\n        while time.process_time() < until: pass\n"
        "        import arena.matches.agent_process as player; player.perf_counter = lambda: 0.0\n"
        "        return moves[0]"
    )
    (user / "mallory.py").write_text(attacker(str(user), body))
    inside(user, "tournament", "mallory.py", *ONCE, "--move-seconds", "60")
    took = query(user / "arena.db", "SELECT plies, first_seconds + second_seconds FROM matches")
    assert all(seconds > 0.02 * (plies // 2) for plies, seconds in took)


def test_too_few_entries_says_why_others_are_left_out(user):
    (user / "mallory.py").write_text("raise RuntimeError('no')\n")
    done = inside(user, "tournament", "mallory.py", "--entry", "random", status=1)
    assert "there is only 'random'" in done.stderr
    assert "mallory.py is left out: mallory.py:1: RuntimeError: no" in done.stderr


CALM = """
import time
from arena import Agent

class Calm{n}(Agent):
    "Thinks for 20 ms of its processor, and then moves at random."
    def choose(self, state, moves, rng):
        until = time.process_time() + 0.02
        while time.process_time() < until: pass
        return rng.choice(moves)
"""
BURNER = """
import hashlib, threading
from arena import Agent

class Burner(Agent):
    "Burns every processor while others think."
    burns = False
    def choose(self, state, moves, rng):
        if not self.burns:
            self.burns, data = True, bytes(1 << 24)
            def burn():
                while True: hashlib.sha256(data).digest()
            for _ in range(16): threading.Thread(target=burn, daemon=True).start()
        return rng.choice(moves)
"""


def between_innocents(folder: Path, *others: str) -> list[tuple]:
    """Return how timed matches between two innocents end, whoever else plays."""
    db = folder / f"{len(list(folder.iterdir()))}.db"
    limits = ("--move-seconds", "0.2", "--stall-seconds", "20", "--rounds", str(ROUNDS), "--seed", "1")
    arena(folder, "tournament", "calm1.py", "calm2.py", *others, *limits, "--db", db.name)
    return query(
        db,
        "SELECT one.name, two.name, reason, result FROM matches JOIN entries one ON one.id = first"
        " JOIN entries two ON two.id = second WHERE one.name != 'burner.py' AND two.name != 'burner.py'",
    )


ROUNDS = 100  # from either seat


@pytest.mark.campaign
def test_a_burner_decides_nothing_between_others(tmp_path):
    for number in (1, 2):
        (tmp_path / f"calm{number}.py").write_text(CALM.format(n=number))
    (tmp_path / "burner.py").write_text(BURNER)
    alone, again, burnt = (between_innocents(tmp_path, *others) for others in ((), (), ("burner.py",)))
    assert len(alone) == len(again) == len(burnt) == 2 * ROUNDS

    def lost(found):
        return sum(reason == "clock" for *_, reason, _ in found)

    assert lost(burnt) <= max(lost(alone), lost(again)) + abs(lost(alone) - lost(again)), [
        lost(found) for found in (alone, again, burnt)
    ]

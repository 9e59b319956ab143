"""Learning curves: what is taught and tried for them, and the files it is kept in."""

from __future__ import annotations

import csv
import functools
import json
import signal

import pytest

from arena.plan.entries import check_entries
from arena.registry.plugins import registry
from arena.training.curve import Curve, check
from arena.training.learners import learner_in
from commands import arena
from running import until
from tiers import slow

HEADER = "entry,game,seed,episodes,opponent,seat,wins,draws,losses,score"

# A heap of 21 coins, of which whoever takes the last wins, and "first", who takes one at a time. Who does the
# same wins as first player and loses as second; who plays well wins both times.
PUPILS = """
import os
import time
from pathlib import Path
import numpy as np
from arena import Agent, Game, Learner, Protocol, Spec, hookimpl, option

class Nim(Game):
    def initial(self):
        return (21, 0)

    def moves(self, state):
        return [n for n in (1, 2, 3) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1

def move(state, moves, well):
    return state[0] % 4 if well and state[0] % 4 else moves[0]

class Schooled(Learner):  # plays well at the end of its episodes, and not before
    episodes: int = option(20, "how many", low=1)
    shards: int = option(1, "side by side", low=1)
    seconds: float = option(0.0, "what an episode takes")
    fails: bool = option(False, "whether it fails at its fifth episode")
    killed: int = option(0, "how often its process is killed at its fifth episode")
    protocols = {
        "short": Protocol("nim", ("first", "random"), points=(2, 20), seeds=3, matches=4),
        "fresh": Protocol("nim", ("first",), points=(2, 5), seeds=1, matches=2, fresh_per_point=True),
    }

    def prepare(self):
        self.known = 0

    def learn(self, episode, rng):
        time.sleep(self.seconds)
        assert episode == self.known
        if episode == 4 and self.fails:
            raise KeyError("lost")
        if episode == 4 and self.killed > len(list(Path().glob("death-*"))):
            Path(f"death-{os.getpid()}").touch()
            os.kill(os.getpid(), 9)
        self.known += 1
        return 0

    def model(self):
        return {"known": np.array(self.known)}

    def recall(self, model):
        self.known = int(model["known"])

    def merge(self, models):
        self.known = sum(int(model["known"]) for model in models)

    def choose(self, state, moves, rng):
        return move(state, moves, self.known == self.episodes)

class Student(Agent):  # plays well if its learner had had enough episodes when it was made
    learner: Spec = option("schooled", "who learns", kind="agent")
    other: Spec | str = option("nobody", "who learns, too", kind="agent", also=("nobody",))
    enough: int = option(5, "episodes")

    def prepare(self):
        self.known = self.learner.make(self.game).known

    def choose(self, state, moves, rng):
        return move(state, moves, self.known >= self.enough)

class Copy(Agent):  # plays as its learner does
    learner: Spec = option("schooled", "who learns", kind="agent")

    def prepare(self):
        self.known = self.learner.make(self.game)

    def choose(self, state, moves, rng):
        return self.known.choose(state, moves, rng)

@hookimpl
def register_games(register):
    register("nim", "pupils:Nim")

@hookimpl
def register_agents(register):
    register("schooled", "pupils:Schooled")
    register("student", "pupils:Student")
    register("copy", "pupils:Copy")
"""


@pytest.fixture
def train(tmp_path, plugin):
    """Trains for a learning curve of nim, into c.csv unless told otherwise."""
    env = {**plugin(pupils=PUPILS), "ARENA_MODELS": str(tmp_path / "models")}

    def run(entry, *options, file="c.csv", status=0):
        args = ("--game", "nim", "--against", "first", "--matches", "3", "--curve", file, *options)
        return arena(tmp_path, "train", entry, *args, status=status, **env)

    run.env = env
    return run


def results(path):
    """The rows of a file, as dicts of texts."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def won_as_second(path, **where):
    """Of 3 matches at each point; as first player it must have won them all."""
    found = [row for row in results(path) if all(row[name] == value for name, value in where.items())]
    assert {row["wins"] for row in found if row["seat"] == "1"} == {"3"}
    return [(int(row["episodes"]), int(row["wins"])) for row in found if row["seat"] == "2"]


def entries(path):
    return {row["entry"] for row in results(path)}


@pytest.mark.slow
def test_one_death_of_a_worker_is_forgiven_and_the_second_at_the_same_point_is_the_learners(train, tmp_path):
    args = ("--points", "2,9", "--seeds", "1")
    train("schooled:episodes=9", *args, file="whole.csv")
    train("schooled:episodes=9,killed=1", *args, file="once.csv")
    assert len(list(tmp_path.glob("death-*"))) == 1
    whole, once = ((tmp_path / name).read_text().splitlines()[1:] for name in ("whole.csv", "once.csv"))
    assert [line.partition(",nim,")[2] for line in once] == [line.partition(",nim,")[2] for line in whole]
    for mark in tmp_path.glob("death-*"):
        mark.unlink()
    asked = ("train", "schooled:episodes=9,killed=9", "--game", "nim", "--curve", "c.csv", *args)
    done = arena(tmp_path, *asked, status=1, **train.env)
    said = "schooled:episodes=9,killed=9 failed while learning: the process was ended by SIGKILL"
    assert done.stderr.splitlines()[-1] == f"Error: {said}"
    assert len(list(tmp_path.glob("death-*"))) == 2


@pytest.mark.slow
def test_a_point_on_the_way_is_not_the_end_and_anew_it_is(train, tmp_path):
    done = train("schooled:episodes=9,seed=3", "--points", "9,2,0,5", "--seeds", "2")
    assert done.stdout.startswith("c.csv: 16 rows, 2 seeds, 4 points up to 9 episodes\n")
    train(
        "schooled:episodes=9,seed=3",
        "--points",
        "2,5,12",
        "--seeds",
        "2",
        "--fresh-per-point",
        file="anew.csv",
    )
    for seed in "34":
        assert won_as_second(tmp_path / "c.csv", seed=seed) == [(0, 0), (2, 0), (5, 0), (9, 3)]
        assert won_as_second(tmp_path / "anew.csv", seed=seed) == [(2, 3), (5, 3), (12, 3)]
    assert entries(tmp_path / "c.csv") == {"schooled:episodes=9"}
    assert entries(tmp_path / "anew.csv") == {"schooled:episodes=n"}
    assert not (tmp_path / "models").exists()


@pytest.mark.slow
def test_an_agent_plays_with_what_the_learner_in_it_knows_at_each_point(train, tmp_path):
    train("student:learner=(schooled:episodes=9,seed=3)", "--points", "4,5,9", "--seeds", "2")
    assert entries(tmp_path / "c.csv") == {"student:learner=(schooled:episodes=9)"}
    for seed in "34":
        assert won_as_second(tmp_path / "c.csv", seed=seed) == [(4, 0), (5, 3), (9, 3)]
    train("student", "--points", "4,5,40", "--seeds", "1", "--fresh-per-point", file="anew.csv")
    assert entries(tmp_path / "anew.csv") == {"student:learner=(schooled:episodes=n)"}
    assert won_as_second(tmp_path / "anew.csv") == [(4, 0), (5, 3), (40, 3)]


def test_an_opponent_by_the_learners_name_has_learned_all(train, tmp_path):
    entry = "schooled:episodes=6"
    train(entry, "--points", "3,6", "--seeds", "1", "--against", entry)
    rows = [row for row in results(tmp_path / "c.csv") if row["opponent"] == entry]
    found = [(row["episodes"], row["seat"], row["wins"]) for row in rows]
    assert found == [("3", "1", "0"), ("3", "2", "0"), ("6", "1", "3"), ("6", "2", "0")]


@pytest.mark.slow
def test_learners_in_shards_are_trained_for_each_point(train, tmp_path):
    train("student:learner=(schooled:shards=3)", "--points", "3,4,7", "--seeds", "1", "--fresh-per-point")
    assert entries(tmp_path / "c.csv") == {"student:learner=(schooled:episodes=n,shards=3)"}
    assert won_as_second(tmp_path / "c.csv") == [(3, 0), (4, 0), (7, 3)]
    train(
        "schooled:shards=3,episodes=27",
        "--points",
        "3",
        "--seeds",
        "1",
        "--fresh-per-point",
        file="number.csv",
    )
    assert won_as_second(tmp_path / "number.csv") == [(3, 3), (9, 3), (27, 3)]


def followed(folder, entry, *options, **env):
    """The rows of a curve of which no more is said than the options do: seed, point, opponent, matches."""
    arena(folder, "train", entry, "--curve", "p.csv", *options, **env)
    rows = results(folder / "p.csv")
    (folder / "p.csv").unlink()
    assert {row["game"] for row in rows} == {"nim"}
    counts = ("wins", "draws", "losses")
    return [
        (int(row["seed"]), int(row["episodes"]), row["opponent"], sum(int(row[name]) for name in counts))
        for row in rows
        if row["seat"] == "1"
    ]


@pytest.mark.slow
def test_a_protocol_says_what_nobody_does(train, tmp_path):
    of = functools.partial(followed, tmp_path, **train.env)
    whole = [(seed, n, o, 4) for seed in (0, 1, 2) for n in (2, 20) for o in ("first", "random")]
    assert sorted(of("schooled", "--protocol", "short")) == sorted(whole)
    given = ("--points", "1,3", "--seeds", "1", "--against", "first", "--matches", "500")
    assert of("schooled", "--protocol", "short", *given) == [(0, 1, "first", 500), (0, 3, "first", 500)]
    fresh = arena(tmp_path, "train", "schooled", "--curve", "f.csv", "--protocol", "fresh", **train.env)
    assert fresh.stdout.startswith("f.csv: 4 rows, 1 seed, 2 points up to 5 episodes\n")
    assert entries(tmp_path / "f.csv") == {"schooled:episodes=n"}
    assert {row["wins"] for row in results(tmp_path / "f.csv")} == {"2"}  # all learned at either point


def test_agents_shows_protocols(train, tmp_path):
    said = arena(tmp_path, "agents", "schooled", **train.env).stdout
    short = "first and random at nim, 4 matches from either seat after 2, 20 episodes; 3 seeds"
    assert f"    protocol short: {short}\n" in said
    (found,) = json.loads(arena(tmp_path, "agents", "schooled", "--json", **train.env).stdout)
    assert found["protocols"]["short"] == short
    assert found["protocols"]["fresh"].endswith("after 2, 5 episodes, a new learner for each; 1 seed")


@pytest.mark.parametrize("name", ["psv", "transition-q"])
def test_published_protocols_are_of_games_opponents_and_points_that_there_are(name):
    spec = registry().spec("agent", name)
    for found in spec.cls.protocols.values():
        game = registry().spec("game", found.game)
        opponents = [registry().spec("agent", text) for text in found.against]
        made = game.make()
        check_entries([spec, *opponents], made)
        learner, numbers = learner_in(spec), range(found.seeds)
        check(
            Curve(
                spec, learner, game, numbers, found.points, opponents, found.matches, 9, found.fresh_per_point
            )
        )


@pytest.mark.parametrize("anew", [(), ("--fresh-per-point",)], ids=str)
@pytest.mark.slow
def test_any_number_of_workers_writes_the_same(train, tmp_path, anew):
    points = ("--points", "1,3,9", "--seeds", "3", *anew)
    for workers in "12":
        train("schooled:episodes=9", *points, "--workers", workers, file=f"{workers}.csv")
    train("schooled:episodes=9", *points, "--workers", "2", "--executor", "serial", file="serial.csv")
    files = {(tmp_path / f"{name}.csv").read_bytes() for name in (1, 2, "serial")}
    assert len(files) == 1
    assert len(files.pop().splitlines()) == 1 + 3 * 3 * 2


@pytest.mark.parametrize("anew", [(), ("--fresh-per-point",)], ids=str)
@pytest.mark.slow
def test_ctrl_c_writes_what_is_there_and_the_same_command_goes_on(train, tmp_path, launch, anew):
    entry = "schooled:episodes=30,seconds=0.03"
    options = ("--points", "1,5,10,20,30", "--seeds", "2", *anew)
    cut, whole = tmp_path / "c.csv", tmp_path / "whole.csv"
    train(entry, *options, file="whole.csv")
    args = ("--game", "nim", "--against", "first", "--matches", "3", "--curve", "c.csv", *options)
    running = launch("train", entry, *args, **train.env)
    assert until(lambda: cut.exists() and len(cut.read_text().splitlines()) > 3)
    running.send(signal.SIGINT)
    done = running.ended()
    assert done.returncode == 130
    rows = cut.read_text().splitlines()
    points = (len(rows) - 1) // 2
    assert 2 <= points < 10
    last = f"Stopped after {points} of 10 points; c.csv keeps them, and the same command continues."
    assert done.stderr.splitlines()[-1] == last
    assert set(rows) < set(whole.read_text().splitlines())
    train(entry, *options)
    assert cut.read_bytes() == whole.read_bytes()
    assert running.nothing_left()


@pytest.mark.slow
def test_openings_begin_the_matches_of_a_curve_and_stand_in_its_file(train, tmp_path):
    """Both take one coin at a time: whoever took the first wins, but where that was not one, but two."""
    points = ("schooled:episodes=9", "--points", "0,", "--seeds", "2", "--matches", "60")
    train(*points, "--openings", "random:1")
    rows = results(tmp_path / "c.csv")
    assert {row["openings"] for row in rows} == {"random:1"}
    first, second = ([int(row["wins"]) for row in rows if row["seat"] == seat] for seat in "12")
    twos = second[0]
    assert 0 < twos < 60
    assert (first, second) == ([60 - twos] * 2, [twos] * 2)  # all learners and both seats have the same
    done = train(*points, "--openings", "random:2", status=1)
    assert done.stderr.splitlines()[-1] == (
        "Error: c.csv is of another curve, with openings 'random:1'; remove it, or name another file"
    )


def test_a_curve_that_fails_keeps_the_points_before(train, tmp_path):
    entry = "schooled:episodes=9,fails=true"
    done = train(entry, "--points", "3,9", "--seeds", "1", status=1)
    assert done.stderr.splitlines()[-1] == f"Error: {entry} failed while learning: KeyError: 'lost'"
    assert won_as_second(tmp_path / "c.csv") == [(3, 0)]


@pytest.mark.slow
def test_points_seeds_and_opponents_are_added_to_what_is_there(train, tmp_path):
    entry = "schooled:episodes=9"
    train(entry, "--points", "2,9", "--seeds", "1")
    once = (tmp_path / "c.csv").read_text().splitlines()
    more = ("--points", "2,4,9", "--seeds", "2", "--against", "random")
    train(entry, *more)
    train(entry, *more, file="whole.csv")
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert set(once) < set((tmp_path / "c.csv").read_text().splitlines())
    slow = "schooled:episodes=9,seconds=100"  # which has learned already, so that it takes no time
    text = (tmp_path / "c.csv").read_text().replace("schooled:episodes=9", f'"{slow}"')
    (tmp_path / "slow.csv").write_text(text)
    assert train(slow, *more, file="slow.csv").stdout.startswith("slow.csv: 24 rows")
    assert (tmp_path / "slow.csv").read_text() == text


@pytest.mark.slow
def test_an_empty_file_is_begun(train, tmp_path):
    for content in ("", HEADER + "\n"):
        (tmp_path / "c.csv").write_text(content)
        train("schooled", "--points", "2,", "--seeds", "1")
        assert won_as_second(tmp_path / "c.csv") == [(2, 0)]


@pytest.mark.slow
def test_a_curve_is_not_gone_on_with_by_other_code(train, tmp_path, plugin):
    points = ("--points", "2,", "--seeds", "1")
    train("schooled:episodes=9", *points)
    before = (tmp_path / "c.csv").read_text()
    train.env |= plugin(pupils=PUPILS + "\n# the end\n")
    train("schooled:episodes=9", *points)
    assert (tmp_path / "c.csv").read_text() == before
    train.env |= plugin(pupils=PUPILS.replace("state[0] % 4 if", "1 if"))
    done = train("schooled:episodes=9", "--points", "2,9", "--seeds", "1", status=1)
    assert done.stderr == (
        "Error: c.csv was computed with different code of schooled:episodes=9, first or nim; "
        "remove it, name another file, or restore that code\n"
    )
    assert (tmp_path / "c.csv").read_text() == before


@pytest.mark.slow
def test_a_file_of_before_codes_is_gone_on_with_and_a_line_says_so(train, tmp_path):
    lost, won = "2,0,0,3,0.0", "1,3,0,0,1.0"
    old = [f"schooled:episodes=9,nim,0,2,first,{how}" for how in (won, lost)]
    (tmp_path / "c.csv").write_text("\n".join([HEADER, *old]) + "\n")
    train("schooled:episodes=9", "--points", "2,", "--seeds", "1")
    assert (tmp_path / "c.csv").read_text() == "\n".join([HEADER, *old]) + "\n"
    done = train("schooled:episodes=9", "--points", "2,9", "--seeds", "1")
    (code,) = {row["code"] for row in results(tmp_path / "c.csv") if row["episodes"] == "9"}
    assert {row["code"] for row in results(tmp_path / "c.csv") if row["episodes"] == "2"} == {"unknown"}
    assert done.stderr.splitlines()[-1] == (
        f"Warning: c.csv: schooled:episodes=9 against first is of several codes: {code[:4]}, unknown."
    )


@pytest.mark.parametrize(
    ("entry", "options", "said"),
    [
        ("schooled:episodes=8", "", "entry 'schooled:episodes=9'"),
        *slow(
            ("schooled:episodes=9", "--fresh-per-point", "entry 'schooled:episodes=9'"),
            ("schooled:episodes=9,seed=1", "", "seed 0"),
            ("schooled:episodes=9", "--matches 4", "matches 3"),
            ("schooled:episodes=9", "--points 3,", "episodes 2"),
        ),
    ],
)
def test_a_file_of_another_curve_is_left_alone(train, tmp_path, entry, options, said):
    (tmp_path / "c.csv").write_text(f"{HEADER}\nschooled:episodes=9,nim,0,2,first,1,3,0,0,1.0\n")
    before = (tmp_path / "c.csv").read_bytes()
    done = train(entry, "--points", "2,", "--seeds", "1", *options.split(), status=1)
    remedy = "remove it, or name another file"
    assert done.stderr == f"Error: c.csv is of another curve, with {said}; {remedy}\n"
    assert (tmp_path / "c.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("entry", "options", "said", "status"),
    [
        ("random", "", "'random' does not learn, nor do its options; name a learner such as 'q-table'", 1),
        *slow(
            (
                "student:other=(schooled:seed=1)",
                "",
                "names 2 learners, schooled:seed=1 and schooled; use an entry with one",
                1,
            ),
            (
                "student:learner=(schooled:shards=2)",
                "",
                "schooled:shards=2 learns in shards, which are merged at the end; add --fresh-per-point",
                1,
            ),
            (
                "schooled",
                "--points 5,21",
                "point 21 is beyond the 20 episodes of schooled; set episodes=21, or add --fresh-per-point",
                1,
            ),
            (
                "schooled:shards=3",
                "--fresh-per-point --points 2,9",
                "schooled:episodes=2,shards=3 has 3 shards and 2 episodes; a shard needs at least one",
                1,
            ),
            (
                "q-table",
                "--fresh-per-point --points 0,9",
                "option 'episodes' of q-table takes a whole number from 1",
                1,
            ),
            (
                "schooled",
                "--protocol shirt",
                "schooled has no protocol called 'shirt', did you mean 'short'?",
                1,
            ),
            ("copy", "--protocol short", "copy has no protocol called 'short'; it has none; pass", 1),
            ("schooled", "--points 0", "'0' is neither a number of points nor a list of episode numbers", 2),
            (
                "schooled",
                "--points 5,many",
                "'5,many' is neither a number of points nor a list of episode numbers",
                2,
            ),
            (
                "schooled",
                "--points -1,5",
                "'-1,5' is neither a number of points nor a list of episode numbers",
                2,
            ),
            (
                "schooled:episodes=14000",
                "--points 14000",
                "points is 14000, but at most 100 points are possible; for a single point after 14000 "
                "episodes pass --points '14000,' or points=[14000]",
                1,
            ),
            ("schooled", "--points ,", "',' is neither a number of points nor a list of episode numbers", 2),
            ("schooled", "--curve none/c.csv", "cannot write none/c.csv: No such file or directory", 1),
            ("schooled", "--curve /dev/null", "cannot write /dev/null: it is not a file", 1),
        ),
    ],
)
def test_a_curve_that_cannot_be_is_told_in_one_line(train, tmp_path, entry, options, said, status):
    *_, line = train(entry, *options.split(), status=status).stderr.splitlines()
    assert line.startswith("Error: ")
    assert said in line
    assert not (tmp_path / "c.csv").exists()


@pytest.mark.parametrize("option", ["--fresh-per-point", "--protocol=short"])
def test_settings_of_curves_need_one(train, tmp_path, option):
    done = arena(tmp_path, "train", "schooled", option, status=2, **train.env)
    assert f"Error: {option.partition('=')[0]} needs --curve FILE" in done.stderr


@pytest.mark.parametrize("entry", ["q-table:episodes=60", "copy:learner=(q-table:episodes=60)"])
@pytest.mark.slow
def test_the_last_point_is_what_a_match_of_the_trained_entry_gives(train, tmp_path, entry):
    """A point's matches are those with its number of episodes as seed, by the first scheme of streams."""
    game = ("--game", "tic-tac-toe")
    scores = []
    for anew in ((), ("--fresh-per-point",)):
        file = f"c{len(anew)}.csv"
        args = ("--curve", file, "--points", "20,60", "--seeds", "1", "--matches", "30", *anew)
        arena(tmp_path, "train", entry, *game, *args, **train.env)
        scores.append([row for row in results(tmp_path / file) if row["episodes"] == "60"])
    entries = f"entries = ['{entry}', 'random']\n"
    (tmp_path / "played.toml").write_text("rounds = 30\nseed = 60\nstreams = 1\n" + entries)
    args = ("played.toml", "--json")
    played = json.loads(arena(tmp_path, "tournament", *game, *args, **train.env).stdout)
    first, second = played["pairings"]
    for rows in scores:
        assert [int(row["wins"]) for row in rows] == [first["wins"], second["losses"]]
        assert [int(row["losses"]) for row in rows] == [first["losses"], second["wins"]]

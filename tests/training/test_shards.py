"""Learning in shards: what several have learned, merged, is the same however it came about."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from arena import Agent, ArenaError, Learner, Spec, option
from arena.api.options import join_text, read_options
from arena.rng import Rng, derive
from arena.storage import model_file
from arena.testing import check_agent
from arena.training import jobs
from arena.training.learners import untrained
from arena.workers.pools import Serial, Workers
from arena.workers.processes import Processes
from commands import arena
from heaps import Heap
from paths import TESTS

NUMBERS = 8


class Lots(Learner):
    """Counts the lots that it draws; put together, those of shard i count i times."""

    episodes: int = option(1000, "how many lots it draws", low=1)
    shards: int = option(1, "how many learn its episodes side by side", low=1)
    teacher: Spec | str = option("nobody", "whose counts add to its own", kind="agent", also=("nobody",))
    accident: str = option("", "a file that is not there before its process is killed, once")
    fails: bool = option(False, "whether it fails at its third lot")

    def prepare(self):
        self.counts = np.zeros(NUMBERS, np.int64)

    def learn(self, episode, rng):
        if episode == 2 and self.fails:
            raise KeyError("lot")
        if episode == 2 and self.accident and not Path(self.accident).exists():
            Path(self.accident).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if isinstance(self.teacher, Spec):
            self.counts += self.teacher.make(self.game).counts
        lot = rng.below(NUMBERS)
        self.counts[lot] += 1
        return lot % 3 - 1

    def model(self):
        return {"counts": self.counts}

    def recall(self, model):
        self.counts = model["counts"].copy()

    def merge(self, models):
        self.counts = sum(i * model["counts"] for i, model in enumerate(models, 1))

    def choose(self, state, moves, rng):
        return moves[self.counts[0] % len(moves)]


class Around(Agent):
    """Plays as its learner does."""

    learner: Spec = option("lots", "which", kind="agent")

    def prepare(self):
        self.known = self.learner.make(self.game)

    def choose(self, state, moves, rng):
        return self.known.choose(state, moves, rng)


PILE = Spec("pile", "heaps:Heap", {})


def lots(**options) -> Spec:
    values = read_options(Lots, options, "lots")
    return Spec(join_text("lots", Lots, values), "test_shards:Lots", values)


def drawn(episodes: int, seed: int) -> list[int]:
    """The lots that are drawn in so many episodes."""
    return [Rng(derive(seed, episode)).below(NUMBERS) for episode in range(episodes)]


def by_hand(shares: list[int], seed: int, weigh: bool = True) -> list[int]:
    """How often each lot is drawn by shards with so many episodes, those of shard i counted i times."""
    counts = [0] * NUMBERS
    for part, episodes in enumerate(shares):
        for lot in drawn(episodes, derive(seed, part)):
            counts[lot] += part + 1 if weigh else 1
    return counts


def left_of(*specs: Spec) -> list[jobs.Job]:
    return jobs.jobs(specs, PILE, lambda spec: {})


def train(left, executor=Serial, workers=1) -> None:
    jobs.train(left, PILE, Workers(executor, workers), lambda *_: None, strict=True)


def path(spec: Spec) -> Path:
    return model_file.path_of(model_file.about_learner(untrained(spec, PILE)))


def counts(spec: Spec) -> list[int]:
    return model_file.read(path(spec)).arrays["counts"].tolist()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where models are kept that this process learns itself."""
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.mark.parametrize("executor", [Processes, Serial])
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.slow
def test_the_model_is_what_comes_of_merging_the_shards_by_hand(executor, workers):
    seed = 100 + 2 * workers + (executor is Serial)  # models of their own, where worker processes keep them
    entry = lots(episodes=11, shards=4, seed=seed)
    left = left_of(entry)
    shards = [job.spec for job in left[:-1]]
    assert [shard.text for shard in shards] == [
        f"lots:episodes={n},seed={derive(seed, i)}" for i, n in enumerate((3, 3, 3, 2))
    ]
    train(left, executor, workers)
    assert counts(entry) == by_hand([3, 3, 3, 2], seed)
    about = model_file.read(path(entry)).about
    ends = by_hand([3, 3, 3, 2], seed, weigh=False)
    assert (about.losses, about.draws, about.wins) == tuple(sum(ends[i::3]) for i in range(3))
    assert (about.episodes, about.planned) == (11, 11)
    assert about.seconds == pytest.approx(sum(job.about.seconds for job in left[:-1]))
    assert not any(path(shard).exists() for shard in shards)
    assert left_of(entry) == []


def test_what_is_interrupted_comes_to_the_same(folder, monkeypatch):
    monkeypatch.setattr(jobs, "SLICE_SECONDS", 0)  # slices of one episode
    entry = lots(episodes=40, shards=3)
    reached = []
    while left := left_of(entry):
        reached.append(sum(job.about.episodes for job in left if not job.shards))
        stop = threading.Event()
        calls = itertools.count()

        def tell(*_, stop=stop, calls=calls):
            if next(calls) >= 5:
                stop.set()

        jobs.train(left, PILE, Workers(Serial, 2, stop), tell, strict=True)
    assert len(reached) > 3
    assert all(before < after for before, after in pairwise(reached))
    assert counts(entry) == by_hand([14, 13, 13], 0)
    assert len(list(folder.iterdir())) == 1


@pytest.mark.slow
def test_a_worker_killed_in_a_shard_costs_nothing(tmp_path):
    entry = lots(episodes=12, shards=2, seed=7, accident=str(tmp_path / "killed"))
    train(left_of(entry), Processes, 2)
    assert (tmp_path / "killed").exists()
    assert counts(entry) == by_hand([6, 6], 7)


def test_more_shards_than_episodes_are_told_in_one_line(folder):
    with pytest.raises(ArenaError) as refused:
        left_of(lots(episodes=3, shards=4))
    said = "lots:episodes=3,shards=4 has 4 shards and 3 episodes; a shard needs at least one"
    assert str(refused.value) == said


def test_a_learner_in_shards_is_found_in_an_entry_and_taught_before_who_learns_from_it(folder):
    teacher = lots(episodes=4, shards=2, seed=1)
    pupil = lots(episodes=3, teacher=teacher, shards=3)
    entry = Spec("around", "test_shards:Around", {"learner": pupil})
    left = left_of(entry)
    texts = [job.spec.text for job in left]
    assert len(texts) == 2 + 1 + 3 + 1
    assert texts[2] == teacher.text
    assert texts[-1] == pupil.text
    train(left)
    taught = np.array(by_hand([2, 2], 1))
    assert counts(teacher) == taught.tolist()
    assert counts(pupil) == (by_hand([1, 1, 1], 0) + (1 + 2 + 3) * taught).tolist()
    assert sorted(folder.iterdir()) == sorted([path(teacher), path(pupil)])
    assert entry.make(PILE.make()).known.counts.tolist() == counts(pupil)


def test_shards_that_several_need_stay_as_long_as_they_do_and_such_as_are_entered_for_good(folder):
    two, three = lots(episodes=10, shards=2), lots(episodes=15, shards=3)  # the first two shards are the same
    own = lots(episodes=5, seed=derive(0, 2))  # and this is the third
    left = left_of(two, three, own)
    assert len(left) == 3 + 2
    train(left)
    assert counts(two) == by_hand([5, 5], 0)
    assert counts(three) == by_hand([5, 5, 5], 0)
    assert sorted(folder.iterdir()) == sorted(map(path, (two, three, own)))


def test_what_another_process_has_put_together_is_not_learned_again(folder):
    entry = lots(episodes=9, shards=3)
    mine, its = left_of(entry), left_of(entry)
    train(its)
    train(mine)
    assert mine[-1].about.finished
    assert [job.about.episodes for job in mine[:-1]] == [0, 0, 0]
    assert list(folder.iterdir()) == [path(entry)]


def provided(left, strict):
    """Whether all is done, and what progress was told."""
    told = []
    done = jobs.train(left, PILE, Workers(Serial, 1), lambda *now: told.append(now), strict)
    return done, told


def test_each_episode_is_counted_once(folder):
    entry = lots(episodes=9, shards=3)
    train(left_of(lots(episodes=3, seed=derive(0, 1))))  # its second shard
    left = left_of(entry)
    done, told = provided(left, strict=True)
    assert done
    assert told[0] == (3, 9, "")
    assert told[-1][:2] == (9, 9)
    assert {all for _, all, _ in told} == {9}


def test_a_shard_that_fails_fails_the_whole_and_who_learns_from_it(folder, capsys):
    whole = lots(episodes=7, shards=3, fails=True)  # the first part has three episodes
    left = left_of(lots(episodes=2, teacher=whole), lots(episodes=5, seed=3))
    assert provided(left, strict=False)[0]
    said = capsys.readouterr().err.splitlines()
    failed = next(
        number
        for number, line in enumerate(Path(__file__).read_text().splitlines(), 1)
        if "raise KeyError" in line
    )
    where = f"at {Path(__file__).name}:{failed} in learn"
    assert said == [
        f"Warning: {whole.text} failed while learning: KeyError: 'lot', {where}; it will forfeit",
        f"Warning: lots:episodes=2,teacher=({whole.text}) failed while learning: "
        f"RuntimeError: {whole.text}, which it learns from, failed; it will forfeit",
    ]
    assert counts(lots(episodes=5, seed=3)) == np.bincount(drawn(5, 3), minlength=NUMBERS).tolist()
    with pytest.raises(ArenaError, match=f"^{whole.text} failed while learning: KeyError: 'lot', {where}$"):
        provided(left_of(whole), strict=True)


# --- what the kit says ------------------------------------------------------------------------------------


class NoMerge(Lots):
    """Has an option that does nothing."""

    merge = Learner.merge


class NoOption(Learner):
    """Can merge, and is never asked to."""

    learn, model, recall = Lots.learn, Lots.model, Lots.recall
    prepare, choose, merge = Lots.prepare, Lots.choose, Lots.merge
    teacher, accident, fails = "nobody", "", False


class Writes(Lots):
    """Merges into the first of the arrays it is given."""

    def merge(self, models):
        self.counts = models[0]["counts"]
        self.counts += 1


class OwnChance(Lots):
    """Merges by lot, from Python's own generator."""

    def merge(self, models):
        self.counts = np.full(NUMBERS, random.getrandbits(30))


@pytest.mark.parametrize(
    ("cls", "fault"),
    [
        (NoMerge, "NoMerge: has the option 'shards', but no `merge` to combine the shards"),
        (NoOption, "NoOption: has `merge`, but no option 'shards'"),
        (Writes, "Writes: modifies the arrays passed to merge"),
        (OwnChance, "at first, and .* merging again"),
    ],
)
def test_a_faulty_learner_in_shards_is_told_its_fault(cls, fault):
    with pytest.raises(AssertionError, match=fault):
        check_agent(cls, Heap(), matches=2)


@pytest.mark.slow
def test_a_sound_one_passes_and_so_does_who_names_it(folder):
    check_agent(Lots, Heap(), matches=2)
    entry = lots(episodes=9, shards=2)
    check_agent(Around, PILE.make(), matches=2, options={"learner": entry})
    assert counts(entry) == by_hand([5, 4], 0)


# --- the command ------------------------------------------------------------------------------------------

PLUGIN = """
from arena import hookimpl

@hookimpl
def register_agents(register):
    register("lots", "test_shards:Lots")

@hookimpl
def register_games(register):
    register("pile", "heaps:Heap")
"""


@pytest.mark.slow
def test_the_command_learns_in_shards_and_again_if_told(tmp_path, plugin):
    folders = [plugin(lots_plugin=PLUGIN)["PYTHONPATH"], str(Path(__file__).parent), str(TESTS / "helpers")]
    env = {"PYTHONPATH": os.pathsep.join(folders), "ARENA_MODELS": str(tmp_path / "kept")}
    command = ("train", "lots:episodes=10,shards=3", "--game", "pile")
    done = arena(tmp_path, *command, **env)
    assert "Training lots:episodes=10,shards=3: 10 of 10 episodes" in done.stderr
    assert "lots:episodes=10,shards=3 has learned pile from 10 episodes" in done.stdout
    (file,) = (tmp_path / "kept").iterdir()
    before = model_file.read(file)
    assert before.arrays["counts"].tolist() == by_hand([4, 3, 3], 0)
    assert "Training" not in arena(tmp_path, *command, **env).stderr
    assert "10 of 10 episodes" in arena(tmp_path, *command, "--retrain", **env).stderr
    assert model_file.read(file).about.sha256 == before.about.sha256

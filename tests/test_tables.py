"""Tables of values where they are shared, full, or cannot be kept."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from test_learning import Line, digest, learner

from arena import ArenaError, models
from arena.index import LOW
from arena_agents.q_backprop import QBackprop
from arena_agents.value_table import INDEX


def kept(pupil, path: Path):
    """The model of a learner, written and read again."""
    about = models.about(pupil)
    about.episodes = about.planned
    models.write(models.Model(about, dict(pupil.model())), path)
    return models.read(path)


@pytest.mark.slow
def test_learners_that_read_one_file_share_it_until_one_learns_on(tmp_path):
    teacher = learner("q-table:episodes=200,opponent=self", "connect-four")
    teacher.learn_many(range(100), [0, 0, 0])
    model = kept(teacher, tmp_path / "model.npz")
    before = digest(teacher)
    pupils = [learner("q-table:episodes=200,opponent=self", "connect-four") for _ in range(3)]
    for pupil in pupils:
        pupil.recall(model.arrays)
    one, other, third = pupils
    assert one.player.arrays[INDEX] is other.player.arrays[INDEX]
    one.learn_many(range(100, 200), [0, 0, 0])
    teacher.learn_many(range(100, 200), [0, 0, 0])
    assert digest(one) == digest(teacher) != before
    for pupil in (other, third):
        assert digest(pupil) == before
        entries = (pupil.player.arrays[INDEX] & LOW).max()
        assert entries == pupil.entries() == len(model.arrays["states"])
    assert not model.arrays["values"].flags.writeable


def ends(pupil, numbers):
    """At which episode a learner's table is full, or None."""
    for number in numbers:
        try:
            pupil.learn(number, None)
        except ArenaError:
            return number
    return None


@pytest.mark.slow
def test_a_table_is_full_at_the_same_episode_wherever_learning_was_interrupted():
    text = "q-backprop:episodes=10000,memory=1"
    whole = learner(text, "connect-four")
    full = ends(whole, range(10_000))
    assert 100 < full < 9000
    assert whole.megabytes(whole.entries()) <= 1 < whole.megabytes(whole.entries() + whole.game.max_plies)
    with pytest.raises(ArenaError, match="fills the memory it may take; set memory=2 "):
        whole.learn(full, None)
    for cut in (full - 1, full - 20, full // 2):
        first, second = learner(text, "connect-four"), learner(text, "connect-four")
        assert ends(first, range(cut)) is None
        second.recall(first.model())
        assert ends(second, range(cut, 10_000)) == full


def test_a_model_may_be_replaced_while_it_is_read(tmp_path):
    pupil = QBackprop(Line(), episodes=9)
    pupil.learn_many(range(9), [0, 0, 0])
    path = tmp_path / "model.npz"
    kept(pupil, path)
    longer = QBackprop(Line(), episodes=9, gamma=0.5)
    longer.learn_many(range(5), [0, 0, 0])
    stop = threading.Event()

    def replace():
        while not stop.is_set():
            for one in (pupil, longer):
                about = models.about(one)
                about.episodes = 9
                models.write(models.Model(about, dict(one.model())), path)

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        found = [models.read(path).about.sha256]
        while len(found) < 300 or (len({*found}) < 2 and len(found) < 100_000):
            found.append(models.read(path).about.sha256)
    finally:
        stop.set()
        writer.join()
    assert len({*found}) == 2


def test_a_learner_whose_opponent_is_untrained_says_so_each_time(monkeypatch, tmp_path):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path))
    pupil = learner("q-table:episodes=60,opponent=(q-table:episodes=30)")
    for _ in range(2):
        with pytest.raises(ArenaError, match="has not learned tic-tac-toe yet; train it"):
            pupil.learn_many(range(60), [0, 0, 0])


class Step(NamedTuple):
    """A move that comes back from its text as another thing."""

    size: int


class Steps(Line):
    """The same match, with such moves."""

    def moves(self, state):
        return [Step(move) for move in super().moves(state)]

    def play(self, state, move):
        return super().play(state, move.size)


def test_moves_that_cannot_be_kept_are_told_when_that_is_tried():
    pupil = QBackprop(Steps(), episodes=1)
    pupil.learn_many(range(1), [0, 0, 0])
    with pytest.raises(ArenaError, match="moves of Steps cannot be kept: they are not made of ints, texts"):
        pupil.model()


def test_a_table_of_nothing_is_a_model_too(tmp_path):
    pupil = learner("q-backprop", "checkers")
    model = kept(pupil, tmp_path / "model.npz")
    assert model.arrays["states"].shape == (0, 4)
    assert model.arrays["states"].dtype == model.arrays["moves"].dtype == np.int64
    other = learner("q-backprop", "checkers")
    other.recall(model.arrays)
    assert other.entries() == 0

"""Tables of values where they are shared, full, or cannot be kept."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from arena import ArenaError, Game, Table
from arena.api.packing import pack_states
from arena.api.table import ENTRY
from arena.rng import hash_state
from arena.storage import model_file
from arena_agents.tabular.q_backprop import QBackprop
from learning import Line, digest, learner

# --- a table by itself --------------------------------------------------------------------------------------


class Pairs(Game):
    """Positions are pairs of numbers; nobody plays it."""

    max_plies = 1000

    def initial(self):
        return (0, 0)

    def moves(self, state):
        return []


class Texts(Pairs):
    """Positions are texts of any length."""

    flat = False

    def initial(self):
        return "0 0"


def named(game, i):
    """One position of many."""
    pair = (i * i % 1009, i - 500)
    return pair if game.flat else "{} {}".format(*pair)


@pytest.mark.parametrize("game", [Pairs(), Texts()], ids=["flat", "texts"])
def test_a_table_keeps_what_it_is_told_and_grows(game):
    table, known = Table(game), {}
    for i in range(5000):
        if table.full():
            table.grow()
        state = named(game, i * 7 % 3000)
        assert table[state] == known.get(state, 0.0)
        table[state] = known[state] = float(i)
    assert [table.find(state) for state in known] == list(range(table.size)) == list(range(3000))
    assert table.room < 1.25 * 3000 + 1000
    assert {state: table[state] for state in known} == known
    assert table.find(named(game, 3001)) == -1
    assert table[named(game, 3001)] == 0.0
    table.empty()
    assert table[named(game, 7)] == 0.0
    other = Table(game)
    other.recall({"states": pack_states(game, list(known)), "values": np.array([*known.values()])[:, None]})
    assert {state: other[state] for state in known} == known


def test_a_table_may_have_several_values_and_several_moves_of_a_position():
    table = Table(Pairs(), width=3, keyed=True)
    table.grow()
    for i in range(12):
        state = (i % 3, 1)
        table.add_move(hash_state(state), state, i, i / 4)
        table.values[table.size - 1, 1:] = -i
    scores = np.zeros(4)
    assert table.look_up(hash_state((1, 1)), (1, 1), [7, 2, 10, 4], scores) == 3
    assert scores.tolist() == [7 / 4, 0, 10 / 4, 4 / 4]
    assert sorted(table.entries_of(hash_state((2, 1)), (2, 1))) == [2, 5, 8, 11]
    assert table.model()["moves"].tolist() == list(range(12))
    twice = Table(Pairs(), width=3, keyed=True)
    twice.merge([table.model(), {name: array[5:] for name, array in table.model().items()}])
    assert all((twice.model()[name] == array).all() for name, array in table.model().items())


def test_what_an_episode_adds_beyond_the_spare_room_is_an_error():
    table = Table(Pairs(), spare=2)
    assert table.full()
    table.grow()
    for i in range(table.room):
        table[named(table.game, i)] = 1.0
    with pytest.raises(MemoryError, match="adds more entries to a table than its `spare`"):
        table[named(table.game, table.room)] = 1.0


def test_what_was_learned_when_a_game_was_not_flat_is_taken_up():
    table = Table(Pairs(), keyed=True)
    texts = {"states": np.array(["(1, 2)", "(3, -4)"]), "moves": np.array(["5", "6"])}
    table.recall({**texts, "values": np.array([[0.5], [0.25]])})
    assert (table[(1, 2), 5], table[(3, -4), 6], table[(1, 2), 6]) == (0.5, 0.25, 0)
    assert table.model()["states"].tolist() == [[1, 2], [3, -4]]
    assert table.model()["moves"].tolist() == [5, 6]


# --- learners with a table ----------------------------------------------------------------------------------


def kept(pupil, path: Path):
    """The model of a learner, written and read again."""
    about = model_file.about_learner(pupil)
    about.episodes = about.planned
    model_file.write(model_file.Model(about, dict(pupil.model())), path)
    return model_file.read(path)


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
    assert one.table.index is other.table.index
    one.learn_many(range(100, 200), [0, 0, 0])
    teacher.learn_many(range(100, 200), [0, 0, 0])
    assert digest(one) == digest(teacher) != before
    for pupil in (other, third):
        assert digest(pupil) == before
        entries = (pupil.table.index & ENTRY).max() + 1
        assert entries == pupil.table.size == len(model.arrays["states"])
    assert not model.arrays["values"].flags.writeable


def ends(pupil, numbers):
    """At which episode a learner's table is full, or None."""
    for number in numbers:
        try:
            pupil.learn_many(range(number, number + 1), [0, 0, 0])
        except ArenaError:
            return number
    return None


@pytest.mark.slow
def test_a_table_is_full_at_the_same_episode_wherever_learning_was_interrupted():
    text = "q-backprop:episodes=10000,memory=1"
    whole = learner(text, "connect-four")
    full = ends(whole, range(10_000))
    assert 100 < full < 9000
    table = whole.table
    assert table.megabytes(table.size) <= 1 < table.megabytes(table.size + whole.game.max_plies)
    with pytest.raises(ArenaError, match=r"^q-backprop.*: .* reaches its memory limit; set memory=2 "):
        whole.learn_many(range(full, full + 1), [0, 0, 0])
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
                about = model_file.about_learner(one)
                about.episodes = 9
                model_file.write(model_file.Model(about, dict(one.model())), path)

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        found = [model_file.read(path).about.sha256]
        while len(found) < 300 or (len({*found}) < 2 and len(found) < 100_000):
            found.append(model_file.read(path).about.sha256)
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
    with pytest.raises(
        ArenaError, match="moves of Steps cannot be stored: they do not consist of ints, texts"
    ):
        pupil.model()


def test_a_table_of_nothing_is_a_model_too(tmp_path):
    pupil = learner("q-backprop", "checkers")
    model = kept(pupil, tmp_path / "model.npz")
    assert model.arrays["states"].shape == (0, 4)
    assert model.arrays["states"].dtype == model.arrays["moves"].dtype == np.int64
    other = learner("q-backprop", "checkers")
    other.recall(model.arrays)
    assert other.table.size == 0

"""A learner at points of its training, as entries: each as far as its checkpoint, of one training."""

from __future__ import annotations

import pytest

import arena
from arena.api.options import with_options
from arena.errors import ArenaError
from arena.registry.plugins import registry
from arena.storage import model_file
from arena.training.learners import untrained

QUIET = {"progress": False, "executor": "serial"}
GAME = "tic-tac-toe"


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def model_of(text):
    spec, on = registry().spec("agent", text), registry().spec("game", GAME)
    return model_file.read(model_file.path_of(model_file.about_spec(spec, on.make())))


def learned(text, n):
    """What a learner knows after n of its episodes, one after the other, here."""
    spec, on = registry().spec("agent", text), registry().spec("game", GAME)
    learner = untrained(with_options(spec, checkpoint=0), on)
    learner.learn_many(range(n), [0, 0, 0])
    return learner.model()


def same(one, other):
    return one.keys() == other.keys() and all((one[name] == other[name]).all() for name in one)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["q-table", "double-q"])
def test_each_is_the_learner_after_so_many_of_its_episodes(tmp_path, models, name):
    found = arena.tournament(
        [f"{name}:episodes=600,checkpoints=3", "random"], game=GAME, rounds=2, seed=1, **QUIET,
        db=tmp_path / "arena.db",
    )  # fmt: skip
    texts = [
        f"{name}:episodes=600,checkpoint=200",
        f"{name}:episodes=600,checkpoint=400",
        f"{name}:episodes=600",
    ]
    assert found.settings["entries"] == [*texts, "random"]
    for text, n in zip(texts, (200, 400, 600), strict=True):
        model = model_of(text)
        assert (model.about.episodes, model.about.planned) == (n, n)
        assert model.about.wins + model.about.draws + model.about.losses == n
        assert same(model.arrays, learned(text, n))


@pytest.mark.slow
def test_a_later_one_goes_on_from_an_earlier_one(models):
    arena.train("q-table:episodes=600,checkpoint=200", game=GAME, **QUIET)
    before = model_of("q-table:episodes=600,checkpoint=200")
    on = registry().spec("game", GAME)
    from arena.training.jobs import jobs

    specs = [registry().spec("agent", f"q-table:episodes=600{end}") for end in (",checkpoint=200", "")]
    (job,) = jobs(specs, on, lambda spec: {})
    path = model_file.path_of(job.about)
    job.begin_from_earlier(path)
    assert same(model_file.read(path).arrays, before.arrays)
    assert model_file.read(path).about.episodes == 200


def test_models_of_before_are_those_without_a_checkpoint():
    about = model_file.about_spec(
        registry().spec("agent", "q-table:seeds=3"), registry().spec("game", GAME).make()
    )
    assert not {"seeds", "checkpoints", "checkpoint"} & about.options.keys()


def test_with_seeds_each_checkpoint_is_a_row(tmp_path, models):
    found = arena.tournament(
        ["q-table:episodes=60,checkpoints=2,seeds=2", "random"], game=GAME, rounds=2, seed=1, **QUIET,
        db=tmp_path / "arena.db",
    )  # fmt: skip
    assert {row.entry: row.seeds for row in found.leaderboard.rows} == {
        "q-table:episodes=60,checkpoint=30,seeds=2": 2,
        "q-table:episodes=60,seeds=2": 2,
        "random": None,
    }


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("q-table:episodes=4,checkpoints=5", "use fewer"),
        ("q-table:episodes=4,checkpoint=2,checkpoints=2", "leave one out"),
        ("A=q-table:episodes=4,checkpoints=2", "cannot share a short name"),
        ("q-table:episodes=4,checkpoint=5", "use a checkpoint up to that"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, models, entry, told):
    with pytest.raises(ArenaError, match=told) as error:
        arena.tournament([entry, "random"], game=GAME, rounds=1, db=tmp_path / "arena.db", **QUIET)
    assert "\n" not in str(error.value)

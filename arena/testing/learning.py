"""The promises of a learner: its model contains all that it learned, and depends only on its episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import read_options
from arena.api.spec import Spec
from arena.compiler import plainly
from arena.storage import model_file
from arena.storage.model_file import KINDS, content_digest
from arena.testing.processes import in_another_process
from arena.training.learners import learners, trained_here, untrained_at

EPISODES = 100  # default number of episodes
SECONDS = 5.0  # time limit for the default number of episodes, after which the rest are omitted
LEAST = 8  # number of episodes that are never omitted, and that are repeated in plain Python

Model = dict[str, Any]
Make = Callable[[], Any]


class Learning:
    """A learner in training, and the promises about learning.

    Attributes:
        make: Function that creates an untrained instance that learns from few episodes.
        untrained: Function that creates one that learns from the number of episodes in its options.
        learner: The instance that has learned from `n` episodes.
        tally: Episodes lost, drawn and won.
        n: Number of episodes.
        model: Its model after `n` episodes.
        few: Number of episodes to repeat in plain Python.
        plain: Model after `few` episodes in plain Python.
        in_shards: Whether the learner has the option `shards`, and whether it has the method `merge`.
    """

    def __init__(self, cls: type[Learner], game: Game, options: Mapping[str, object]) -> None:
        self.cls = cls
        self.game = game
        self.make: Make = partial(cls, game, **{"episodes": EPISODES, **options})
        self.untrained: Make = partial(cls, game, **options)
        self.seconds = inf if "episodes" in options else SECONDS
        self.in_shards = "shards" in cls.options, cls.merge is not Learner.merge

    def shards_are_merged(self) -> None:
        """The option `shards` and the method `merge` go together.

        Write both or neither.
        """
        alone = "has the option 'shards', but no `merge` to combine the shards"
        assert self.in_shards != (True, False), alone
        assert self.in_shards != (False, True), "has `merge`, but no option 'shards'"

    def learns(self) -> None:
        """It learns from its episodes, and has a model of arrays by name.

        Let `learn` return 1, 0 or -1, and `model` a dictionary of arrays of numbers or texts.
        """
        self.learner = self.make()
        self.few = min(LEAST, self.learner.episodes)
        with plainly():
            self.plain = trained(self.make, self.few)
        self.tally = one_by_one(self.learner, self.seconds)
        self.n = sum(self.tally)
        self.model = model_of(self.learner)

    def model_is_given_again(self) -> None:
        """`model` returns the same when called again.

        Return copies, and do not change state in `model`.
        """
        assert_same(self.model, model_of(self.learner), "when called again")

    def model_is_kept_in_a_file(self) -> None:
        """The model is the same after it is written to a file and read again.

        Use texts as names of arrays.
        """
        assert_same(self.model, saved_and_read(self.learner, self.model), "written to a file and read again")

    def model_is_recalled(self) -> None:
        """A learner that recalls a model has that model.

        Restore in `recall` everything that `model` returns.
        """
        assert_same(self.model, model_of(recalled(self.make, self.model)), "recalled by another learner")

    def learns_the_same_again(self) -> None:
        """Another instance learns the same from the same episodes.

        Use only `rng` for random numbers, and store nothing in the class.
        """
        assert_same(self.model, trained(self.make, self.n), "learning again")

    def learns_the_same_in_one_go(self) -> None:
        """It learns the same from many episodes at once, and counts them.

        Remove `learn_many`, or let it learn from each episode in order.
        """
        assert_same(self.model, in_one_go(self.make, self.n, self.tally), "with learn_many for all episodes")

    def learns_the_same_when_watched(self) -> None:
        """It learns the same if its model is requested in between.

        Do not change state in `model`.
        """
        assert_same(self.model, in_pieces(self.make, self.n), "called in between")

    def learns_the_same_when_interrupted(self) -> None:
        """It learns the same if another instance continues from its model.

        Put everything that learning depends on into the model; copy the arrays passed to `recall`.
        """
        assert_same(self.model, interrupted(self.make, self.n), "recalled by another learner in between")

    def learns_the_same_in_plain_python(self) -> None:
        """It learns the same compiled and in plain Python.

        Keep all numbers, including intermediate results, below 2**63; docs/compiling.md says what else may
        differ.
        """
        assert_same(trained(self.make, self.few), self.plain, "learning in plain Python")

    def merges_the_same_again(self) -> None:
        """Merging models again gives the same model, which can be recalled.

        Let `merge` depend only on the models, copy their arrays, and leave nothing out of the model.
        """
        together = merged(self.make, self.model)
        assert_same(together, merged(self.make, self.model), "merging again")
        assert_same(
            together, model_of(recalled(self.make, together)), "recalled by another learner after merging"
        )

    def learns_the_same_elsewhere(self) -> None:
        """It learns the same in another process.

        Do not depend on the order of a set, on `hash` or `id`, or on what the process has done before.
        """
        another = in_another_process([self.cls, type(self.game)], trained, self.make, self.n)
        assert_same(self.model, another, "learning in another process")


PROMISES_OF_LEARNERS = (
    Learning.shards_are_merged,
    Learning.learns,
    Learning.model_is_given_again,
    Learning.model_is_kept_in_a_file,
    Learning.model_is_recalled,
    Learning.learns_the_same_again,
    Learning.learns_the_same_in_one_go,
    Learning.learns_the_same_when_watched,
    Learning.learns_the_same_when_interrupted,
    Learning.learns_the_same_in_plain_python,
    Learning.merges_the_same_again,
    Learning.learns_the_same_elsewhere,
)


def train_named(cls: type[Agent], game: Game, options: Mapping[str, object]) -> None:
    """Train the learners named in an agent's options and store their models, unless they exist."""
    within = [value for value in read_options(cls, options, cls.__name__).values() if isinstance(value, Spec)]
    for spec in learners(within):
        about = model_file.about_learner(untrained_at(spec, game))
        if not model_file.path_of(about).exists():
            learner = trained_here(spec, game)
            about.episodes = about.planned
            model_file.write(
                model_file.Model(about, dict(learner._packed_model())), model_file.path_of(about)
            )


# --- ways to learn ----------------------------------------------------------------------------------------


def one_by_one(learner: Learner, seconds: float) -> list[int]:
    """Train a learner episode by episode for some seconds; return the numbers of losses, draws and wins."""
    tally = [0, 0, 0]
    for episode in range(learner.episodes):
        learner.learn_many(range(episode, episode + 1), tally)
        if episode == 0:
            deadline = monotonic() + seconds  # the first one may include compilation
        elif episode + 1 >= LEAST and monotonic() > deadline:
            break
    return tally


def trained(make: Make, n: int) -> Model:
    """Return the model of a learner after `n` episodes, one at a time."""
    learner = make()
    for episode in range(n):
        learner.learn_many(range(episode, episode + 1), [0, 0, 0])
    return model_of(learner)


def in_one_go(make: Make, n: int, tally: list[int]) -> Model:
    """Return the model of a learner after `n` episodes in one call, which must count them as in `tally`."""
    learner, counted = make(), [0, 0, 0]
    learner.learn_many(range(n), counted)
    assert counted == tally, (
        f"learn_many counts {counted} lost, drawn and won; one at a time, learn counts {tally}"
    )
    return model_of(learner)


def in_pieces(make: Make, n: int) -> Model:
    """Return the model of a learner after `n` episodes in several calls, with its model read after each."""
    learner = make()
    for piece in pieces(n):
        learner.learn_many(piece, [0, 0, 0])
        model_of(learner)
    return model_of(learner)


def interrupted(make: Make, n: int) -> Model:
    """Return the model after `n` episodes in pieces, each in a new learner that continues from a file."""
    model: Model = {}
    for piece in pieces(n):
        learner = recalled(make, model) if model else make()
        before = content_digest(model)
        learner.learn_many(piece, [0, 0, 0])
        assert content_digest(model) == before, "modifies the arrays passed to recall"
        model = saved_and_read(learner, model_of(learner))
    return model


def merged(make: Make, model: Model) -> Model:
    """Return the model that results when a learner merges a model with itself."""
    learner, before = make(), content_digest(model)
    learner._merge_packed([model, model])
    assert content_digest(model) == before, "modifies the arrays passed to merge"
    return model_of(learner)


def pieces(n: int) -> list[range]:
    """Return ranges of episodes: 0, 1 to 2, 3 to 6, 7 to 14, … up to `n`."""
    return [range(2**i - 1, min(2 ** (i + 1) - 1, n)) for i in range(n.bit_length()) if 2**i <= n]


# --- models -----------------------------------------------------------------------------------------------


def model_of(learner: Learner) -> Model:
    """Return a copy of a learner's model, or raise AssertionError if it cannot be stored in a file."""
    model = learner._packed_model()
    for name, array in model.items():
        kind = array.dtype
        assert kind.kind in KINDS, f"model returns an array of {kind} for {name!r}; return numbers or texts"
    return {name: np.array(array) for name, array in model.items()}


def recalled(make: Make, model: Model) -> Any:
    """Return a new learner that has loaded a model with `recall`."""
    learner = make()
    learner._recall_packed(model)
    return learner


def saved_and_read(learner: Learner, model: Model) -> Model:
    """Return a model after it was written to a file and read again."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"model{model_file.SUFFIX}"
        model_file.write(model_file.Model(model_file.about_learner(learner), model), path)
        return model_file.read(path).arrays


def assert_same(first: Model, second: Model, when: str) -> None:
    """Raise AssertionError unless two models are bit-for-bit equal."""
    names = sorted(first), sorted(second)
    assert names[0] == names[1], f"model returns {names[0]} at first, but {names[1]} {when}"
    for name, array in first.items():
        other = second[name]
        shapes = [f"{a.dtype} {list(a.shape)}" for a in (array, other)]
        assert shapes[0] == shapes[1], (
            f"model returns {name!r} as {shapes[0]} at first, but as {shapes[1]} {when}"
        )
        if array.tobytes() != other.tobytes():
            at = next(i for i in np.ndindex(array.shape) if array[i].tobytes() != other[i].tobytes())
            was, now = array[at].item(), other[at].item()
            raise AssertionError(
                f"model returns {was!r} at {list(at)} of {name!r} at first, but {now!r} {when}"
            )

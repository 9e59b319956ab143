"""The base class of learners: agents that learn from episodes and store what they learned in a model."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from typing import Any, ClassVar

from arena.api.agent import Agent
from arena.api.component import lack_of
from arena.api.deprecated import Formerly
from arena.api.game import Game
from arena.api.generic import MoveT, StateT
from arena.api.model_packing import pack, unpack
from arena.api.options import option
from arena.api.spec import recall_model
from arena.errors import ArenaError
from arena.rng import Rng, derive

Arrays = Mapping[str, Any]  # name -> numpy array of numbers or texts
Model = Mapping[str, Any]  # name -> a value that `model` may return
Tally = MutableSequence[int]  # episodes lost, drawn and won

ENOUGH = 64  # maximum number of calls of `grow` for one episode


class Learner(Agent[StateT, MoveT]):
    """An agent that learns from episodes and stores what it learned in a model.

    Define four methods: `choose`, `learn`, `model` and `recall`. Set up anything needed only for learning,
    such as an opponent, in `prepare_learning`. With type annotations, subclass `Learner[State, Move]`.

    Episodes are numbered from 0. An episode may depend only on what was learned before, on its number, and on
    its random numbers, and `model` must return everything that later episodes and `choose` depend on. Then
    the model is bit-for-bit the same, however often learning is interrupted.

    `learn` and what it calls are compiled where possible. Attributes that are tables (`arena.Table`) grow
    between episodes. Override `full` and `grow` if other attributes can run out of room.

    Optional methods:

    - `merge` combines models of several learners. It requires the option
      `shards: int = option(1, "how many learn its episodes side by side", low=1)`. With `shards=4` the
      episodes are divided among four learners with `shards=1` and different seeds.
    - `import_model` reads a model that another program wrote. It requires the option
      `imported: str = option("", "the name of a table brought in with 'arena models import'")`. A learner
      with this option set does not learn.
    - `findings` returns what was learned in a readable form.

    In a tournament, a learner with `seeds=10` plays as ten entries, with its seed and the nine following
    seeds, which are rated as one. A learner with `checkpoints=4` plays as four entries, one for its state
    after each quarter of its training.
    """

    plays: ClassVar[bool] = True  # whether episodes are games that the learner wins, draws or loses

    episodes: int = option(10_000, "number of training games", low=1)
    seed: int = option(0, "seed of all random numbers in training", low=0, high=2**63 - 1)
    checkpoint: int = option(0, "episode after which its model is used; 0 = the last", low=0)
    checkpoints: int = option(
        1, "number of points of its training at which a tournament enters it", low=1, high=1000
    )
    seeds: int = option(
        1, "number of independently trained learners that a tournament rates as one", low=1, high=1000
    )

    compiled_methods: ClassVar[tuple[str, ...]] = (*Agent.compiled_methods, "learn", "_learn_episodes")

    def __init__(self, game: Game[StateT, MoveT], **options: object) -> None:
        import numpy as np

        self._tally = np.zeros(3, np.int64)  # episodes lost, drawn and won in a call of `_learn_episodes`
        self._bad_result = 0  # what `learn` returned instead of 1, 0 or -1
        self._learning = False
        super().__init__(game, **options)

    def prepare_learning(self) -> None:
        """Set up learning. Called once, before the first episode."""

    def learn(self, episode: int, rng: Rng) -> int:
        """Learn from one episode.

        Args:
            episode: Its number, from 0.
            rng: Random numbers of this episode, the only source of randomness to use.

        Returns:
            The result of the episode: 1 for a win, 0 for a draw, -1 for a loss.
        """
        raise lacking(type(self), "learn")

    def model(self) -> Model:
        """Return everything that was learned, by name.

        Values are arrays, numbers, texts, tables (`arena.Table`), and dictionaries, lists, tuples and sets of
        these. Equal states of learning must yield equal models.
        """
        raise lacking(type(self), "model")

    def recall(self, model: Model) -> None:
        """Restore a result of `model`, from this process or another. The arrays are read-only."""
        raise lacking(type(self), "recall")

    def merge(self, models: Sequence[Model]) -> None:
        """Combine the models of several learners in this untrained learner. The arrays are read-only."""
        raise NotImplementedError  # optional; subclasses may implement it

    def import_model(self, data: bytes) -> Arrays:
        """Return a model converted from a file of another program.

        Args:
            data: The contents of the file.

        Raises:
            ValueError: If the file cannot be read; the message says what is wrong, and where.
        """
        raise NotImplementedError  # optional; subclasses may implement it

    def findings(self) -> Mapping[str, Sequence[float | str]]:
        """Return what was learned as a readable table: columns of equal length by name."""
        return {}

    def learn_many(self, numbers: range, tally: Tally) -> None:
        """Learn from several episodes in order. Call this method to train a learner in your own code.

        The first call prepares learning, even if `numbers` is empty.

        Args:
            numbers: Numbers of the episodes; the first call begins at 0, the next where the last ended.
            tally: Three counts, to which the numbers of episodes lost, drawn and won are added.
        """
        self._begin_learning()
        grown = 0
        while numbers:
            self._tally[:] = 0
            stop = self._learn_episodes(numbers.start, numbers.stop, Rng())
            if stop < 0:
                raise ValueError(f"learn returns {self._bad_result}, not 1, 0 or -1, in episode {~stop}")
            left = range(stop, numbers.stop)
            for ended, times in enumerate(self._tally.tolist()):
                tally[ended] += times
            grown = grown + 1 if left == numbers else 0
            if grown > ENOUGH:
                raise RuntimeError(
                    f"episode {left.start} does not fit into its table after {grown} calls of grow"
                )
            numbers = left
            try:
                if numbers:
                    self.grow()
            except ArenaError as error:
                raise ArenaError(f"{self.name or type(self).__name__}: {error}") from error

    def _learn_episodes(self, start: int, stop: int, rng: Rng) -> int:
        """Learn from episodes `start` to `stop` - 1, or stop earlier if there is no room for another episode.

        Returns:
            The number of the next episode. If `learn` returns anything other than 1, 0 or -1, the value is
            stored in `_bad_result`, and ~episode is returned.
        """
        for episode in range(start, stop):
            if self.full():
                return episode
            rng.restart(derive(self.seed, episode))
            ended = self.learn(episode, rng)
            if ended not in (-1, 0, 1):
                self._bad_result = ended
                return ~episode
            self._tally[ended + 1] += 1
        return stop

    def _packed_model(self) -> Arrays:
        """Return the model as arrays of numbers or texts, as it is stored in files."""
        return pack(self.game, self.model())

    def _recall_packed(self, arrays: Arrays) -> None:
        """Restore a result of `_packed_model`."""
        self.recall(unpack(self.game, arrays))

    def _merge_packed(self, models: Sequence[Arrays]) -> None:
        """Combine results of `_packed_model`."""
        self.merge([unpack(self.game, arrays) for arrays in models])

    def _begin_learning(self) -> None:
        """Call `prepare_learning`, unless it was called before."""
        if not self._learning:
            check_methods(type(self))
            self.prepare_learning()
            self._learning = True

    def ready(self) -> None:
        """Load the model of this entry and game, or raise ArenaError that says how to train it."""
        recall_model(self)

    learning, tally, bad_result = Formerly("_learning"), Formerly("_tally"), Formerly("_bad_result")
    begin_learning, learn_episodes = Formerly("_begin_learning"), Formerly("_learn_episodes")


LINES = {  # code that the author of a learner can copy for a missing method
    "choose": "def choose(self, state, moves, rng): return moves[0]",
    "learn": "def learn(self, episode, rng): return 0",
    "model": 'def model(self): return {"values": self.values}',
    "recall": 'def recall(self, model): self.values = model["values"]',
}


def lacking(cls: type, name: str) -> NotImplementedError:
    """Return the error for a method missing from a learner's class, with a line to copy."""
    return NotImplementedError(f"{cls.__name__} {lack_of(cls, name)}: {LINES[name]}")


def check_methods(cls: type[Learner]) -> None:
    """Raise NotImplementedError for the first required method that a learner's class lacks."""
    for name in LINES:
        lacks = getattr(cls, name) is getattr(Learner, name)
        if lacks and not (name == "learn" and cls.learn_many is not Learner.learn_many):
            raise lacking(cls, name)


def is_learning(learner: Learner) -> bool:
    """Return whether `learn_many` has prepared a learner for learning."""
    return bool(learner._learning)

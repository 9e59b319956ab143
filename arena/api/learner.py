"""What a learner is: an agent that learns from episodes, keeps what it learned as a model, and then plays."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from typing import Any, ClassVar

from arena.api.agent import Agent
from arena.api.deprecated import Formerly
from arena.api.game import Game
from arena.api.generic import MoveT, StateT
from arena.api.lazy import recall_model
from arena.api.options import option
from arena.errors import ArenaError
from arena.rng import Rng, derive

Arrays = Mapping[str, Any]  # name -> numpy array of numbers or texts
Tally = MutableSequence[int]  # episodes lost, drawn and won

ENOUGH = 64  # times that `grow` is called for one episode


class Learner(Agent[StateT, MoveT]):
    """An agent that learns. Write `choose`, and `learn`, `model` and `recall`.

    Episodes are numbered from 0. What an episode brings may depend on what was learned before, on its
    number and on its random numbers alone, and `model` gives all that later episodes and `choose` depend
    on: then a model comes out the same, to the bit, however often learning is interrupted. What only
    learning takes, an opponent say, is made in `prepare_learning`.

    `learn` and what it calls run compiled where they can. Tables (`arena.Table`) among the attributes grow
    between episodes; what else outgrows its room has `full` and `grow`.

    A learner that can put together what several have learned also writes `merge`, and states the option

        shards: int = option(1, "how many learn its episodes side by side", low=1)

    With more than one the episodes are divided among as many learners, the same entry with shards=1 and seeds
    of their own, and its model is what `merge` makes of theirs.

    A learner that can take what another program has learned also writes `import_model`, with the option

        imported: str = option("", "the name of a table brought in with 'arena models import'")

    With a name it does not learn: its model is what `import_model` made of a file.

    A tournament enters one with `seeds=10` ten times, with its seed and those after it, and rates them
    together; one with `checkpoints=4` as it is after each quarter of its training.
    """

    plays: ClassVar[bool] = True  # whether its episodes are games, which it wins or loses

    episodes: int = option(10_000, "how many games it learns from", low=1)
    seed: int = option(0, "decides all random numbers in learning", low=0, high=2**63 - 1)
    checkpoint: int = option(0, "after how many of its episodes it plays; 0 = all", low=0)
    checkpoints: int = option(
        1, "at how many points of its training a tournament enters it", low=1, high=1000
    )
    seeds: int = option(1, "how many, trained apart, a tournament rates as one", low=1, high=1000)

    compiled_methods: ClassVar[tuple[str, ...]] = (*Agent.compiled_methods, "learn", "_learn_episodes")

    def __init__(self, game: Game[StateT, MoveT], **options: Any) -> None:
        import numpy as np

        self._tally = np.zeros(3, np.int64)  # episodes lost, drawn and won, of a call of `_learn_episodes`
        self._bad_result = 0  # what `learn` gave in place of 1, 0 or -1
        self._learning = False
        super().__init__(game, **options)

    def prepare_learning(self) -> None:
        """Get ready to learn, once, before the first episode that is learned from."""

    def learn(self, episode: int, rng: Rng) -> int:
        """Learn from one more episode, and return its result: 1 won, 0 drawn, -1 lost."""
        raise NotImplementedError  # the author's to write

    def model(self) -> Arrays:
        """All that was learned, as named arrays of numbers or texts, the same whenever the content is."""
        raise NotImplementedError  # the author's to write

    def recall(self, model: Arrays) -> None:
        """Restore what `model` gave, in this process or another; the arrays are not to be written to."""
        raise NotImplementedError  # the author's to write

    def merge(self, models: Sequence[Arrays]) -> None:
        """Combine several learners' models in this untrained one; the arrays are not to be written to."""
        raise NotImplementedError  # the author's to write, if at all

    def import_model(self, data: bytes) -> Arrays:
        """A model from a file that another program wrote, or ValueError that says what is wrong where."""
        raise NotImplementedError  # the author's to write, if at all

    def findings(self) -> Mapping[str, Sequence[float | str]]:
        """What it has learned, for people to read: columns of a table by name, all of one length."""
        return {}

    def learn_many(self, numbers: range, tally: Tally) -> None:
        """Learn from these episodes in order, and count them in `tally`."""
        self.begin_learning()
        grown = 0
        while numbers:
            self._tally[:] = 0
            stop = self._learn_episodes(numbers.start, numbers.stop, Rng())
            if stop < 0:
                raise ValueError(f"learn gives {self._bad_result}, not 1, 0 or -1, in episode {~stop}")
            left = range(stop, numbers.stop)
            for ended, times in enumerate(self._tally.tolist()):
                tally[ended] += times
            grown = grown + 1 if left == numbers else 0
            if grown > ENOUGH:
                raise RuntimeError(f"episode {left.start} has no room after {grown} times grow")
            numbers = left
            try:
                if numbers:
                    self.grow()
            except ArenaError as error:
                raise ArenaError(f"{self.name or type(self).__name__}: {error}") from error

    def _learn_episodes(self, start: int, stop: int, rng: Rng) -> int:
        """Learn from episodes `start` up to `stop`, or to one without room; the number after the last.

        If `learn` gives something else than 1, 0 or -1, that is in `_bad_result`, and ~episode is returned.
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

    def begin_learning(self) -> None:
        """Have `prepare_learning` called, unless it was."""
        if not self._learning:
            self.prepare_learning()
            self._learning = True

    def ready(self) -> None:
        """Recall the model that belongs to this name and game, or ArenaError that says how to train it."""
        recall_model(self)

    learning, tally, bad_result = Formerly("_learning"), Formerly("_tally"), Formerly("_bad_result")
    learn_episodes = Formerly("_learn_episodes")


def is_learning(learner: Any) -> bool:
    """Return whether a learner has been made ready to learn, by `begin_learning`."""
    return bool(learner._learning)

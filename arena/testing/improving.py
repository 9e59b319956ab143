"""Check that a learner improves, in matches against random moves before and after learning."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, stdev
from time import monotonic
from typing import Any, NamedTuple

from arena.api.agent import Agent
from arena.api.learner import Learner
from arena.rng import Rng, derive
from arena.storage.model_file import content_digest
from arena.testing.promise import Compared, Fault

MATCHES = 200
SECONDS = 5.0  # time limit of learning, and of the matches before and after it
ERRORS = 3.0  # number of standard errors for a significant difference


class Improvement(NamedTuple):
    """A learner's scores against random moves, match by match, before and after learning.

    Attributes:
        episodes: Number of episodes.
        before: Scores of an untrained instance: 1, 0.5 or 0.
        after: Scores of a trained instance, in matches with the same random moves.
        changed: Whether its model has changed by learning.
    """

    episodes: int
    before: list[float]
    after: list[float]
    changed: bool

    @property
    def errors(self) -> float:
        """The mean difference in standard errors; 0 if there is none."""
        differences = [after - before for after, before in zip(self.after, self.before, strict=True)]
        if len(differences) < 2 or not any(differences):
            return 0.0
        spread = stdev(differences) / len(differences) ** 0.5
        return fmean(differences) / spread if spread else ERRORS * fmean(differences)

    def text(self) -> str:
        """Return both scores in words."""
        return (
            f"scores {100 * fmean(self.after):.1f} % in {len(self.after)} matches against random moves, "
            f"after {self.episodes:,} episodes; {100 * fmean(self.before):.1f} % before"
        )


def improvement(make: Callable[[], Learner], seed: int) -> Improvement:
    """Train a learner and measure its improvement, as far as time allows.

    Args:
        make: Function that creates an untrained learner.
        seed: Seed of the matches.
    """
    new, learner = make(), make()
    new.learn_many(range(0), [0, 0, 0])
    start = content_digest(new._packed_model())
    episodes = learn(learner)
    before, after = [], []
    deadline = monotonic() + SECONDS
    for number in range(MATCHES):
        if number >= 2 and monotonic() > deadline:
            break
        before.append(score(new, number % 2, derive(seed, number)))
        after.append(score(learner, number % 2, derive(seed, number)))
    return Improvement(episodes, before, after, content_digest(learner._packed_model()) != start)


def learn(learner: Learner) -> int:
    """Train a learner for some seconds, and return the number of episodes."""
    done, size, deadline = 0, 1, monotonic() + SECONDS
    while done < learner.episodes and monotonic() < deadline:
        stop = min(done + size, learner.episodes)
        begun = monotonic()
        learner.learn_many(range(done, stop), [0, 0, 0])
        done = stop
        if monotonic() - begun < SECONDS / 10:
            size *= 2
    return done


def score(agent: Agent, seat: int, seed: int) -> float:
    """Return an agent's score in a match against random moves: 1, 0.5 or 0."""
    game: Any = agent.game
    streams = Rng(derive(seed, 0)), Rng(derive(seed, 1))
    state, plies = game.initial(), 0
    agent.begin(seat)
    while (moves := game.moves(state)) and plies < game.max_plies:
        mover = game.to_move(state)
        own = mover == seat
        move = agent.choose(state, moves, streams[mover]) if own else streams[mover].choice(moves)
        state, plies = game.play(state, move), plies + 1
    if moves:
        return 0.5
    value: int = game.value(state) if game.to_move(state) == seat else -game.value(state)
    return (1 + value) / 2


def improves(inspection: Any) -> None:
    """It plays better after learning than before, against random moves.

    Check the signs: `value` is the result for the player to move, who is the opponent after the learner's own
    move.
    """
    found = improvement(inspection.learning.untrained, inspection.seeds[0])
    inspection.improvement = found
    if not found.changed:
        said = f"learns nothing: its model is unchanged after {found.episodes:,} episodes"
        raise Fault(said, remedy="Make `learn` change what `model` returns.")
    assert found.errors > -ERRORS, f"{found.text()}: it learns to lose"


def compared_improvement(inspection: Any) -> Compared:
    """Return whether the improvement was significant, with a description."""
    found: Improvement = inspection.improvement
    better = found.errors > ERRORS
    return Compared(better, found.text() if better else f"{found.text()}: no significant improvement")

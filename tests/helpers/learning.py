"""Learners, and a game to learn by hand."""

from __future__ import annotations

from arena import Game
from arena.registry.plugins import registry
from arena.storage import model_file
from arena.training.learners import untrained


def spec(text):
    return registry().spec("agent", text)


def learner(text, game="tic-tac-toe"):
    return untrained(spec(text), registry().spec("game", game))


def taught(text, game="tic-tac-toe", cuts=()):
    """A learner that has learned all, its learning cut at these episodes and taken up by another."""
    pupil = learner(text, game)
    start = 0
    for stop in (*cuts, pupil.episodes):
        pupil.learn_many(range(start, stop), [0, 0, 0])
        start, known = stop, pupil.model()
        if stop < pupil.episodes:
            pupil = learner(text, game)
            pupil.recall(known)
    return pupil


def digest(pupil):
    return model_file.content_digest(pupil.model())


class Line(Game):
    """One move each, five in all; whoever makes the last one wins. So the first player moves three times."""

    max_plies = 5
    max_moves = 2

    def initial(self):
        return 0

    def moves(self, state):
        return [1] if state < 5 else []

    def play(self, state, move):
        return state + move

    def to_move(self, state):
        return state % 2

    def value(self, state):
        return -1

"""OpenSpiel's games by name: which can be played here, and why others cannot."""

import os
from contextlib import contextmanager
from functools import cache

import pyspiel

from arena import ArenaError, did_you_mean

KIND = pyspiel.GameType


@cache
def loaded(text):
    """OpenSpiel's game of a text such as `go(board_size=5)`, and its first state; ArenaError if there is none
    that can be played here."""
    name = text.partition("(")[0]
    if name not in pyspiel.registered_names():
        raise ArenaError(f"OpenSpiel has no game called {name!r}{did_you_mean(name, playable())}")
    try:
        with silence():
            game = pyspiel.load_game(text)
            start = game.new_initial_state()
    except pyspiel.SpielError as error:
        raise ArenaError(f"OpenSpiel cannot make {text!r}: {' '.join(str(error).split())}") from error
    if lacks := lacking(game.get_type(), game.num_players(), start.is_chance_node()):
        raise ArenaError(
            f"{text!r} cannot be played: it is not {' and not '.join(lacks)}; "
            "'arena openspiel' lists games that are"
        )
    return game, start


def lacking(kind, players, begins_by_chance=False):
    """What a type of game, which so many play, is not and would have to be; in words, such as `zero-sum`."""
    without_chance = kind.chance_mode == KIND.ChanceMode.DETERMINISTIC
    needed = {
        "for two players": players == 2,
        "sequential": kind.dynamics == KIND.Dynamics.SEQUENTIAL,
        "without chance": without_chance and not begins_by_chance,
        "of perfect information": kind.information == KIND.Information.PERFECT_INFORMATION,
        "zero-sum": kind.utility == KIND.Utility.ZERO_SUM,
        "rewarded at its end alone": kind.reward_model == KIND.RewardModel.TERMINAL,
    }
    return [words for words, has in needed.items() if not has]


def playable():
    """The names of the games that can be played, as far as their types tell."""
    kinds = (kind for kind in pyspiel.registered_games() if kind.default_loadable)
    return sorted(
        kind.short_name
        for kind in kinds
        if not lacking(kind, 2 if kind.min_num_players <= 2 <= kind.max_num_players else 0)
    )


@contextmanager
def silence():
    """Without what OpenSpiel writes to standard error itself, beside the exception that it raises."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)

"""Bots of OpenSpiel as agents."""

import pyspiel

from arena import Agent, ArenaError, did_you_mean, option

SEEDS = 2**31


class SpielBot(Agent):
    """Plays as a bot of OpenSpiel does: any object with a method `step`, which takes a state of OpenSpiel's.

    Subclasses write `make_bot`. Each match has a bot of its own.
    """

    needs = ("spiel_game",)

    def make_bot(self, player, seed):
        """Return a bot that plays as OpenSpiel's player 0 or 1, with random numbers from a seed."""
        raise NotImplementedError("write it: def make_bot(self, player, seed): return …")

    def begin(self, seat):
        self.seat, self.bot = seat, None

    def choose(self, state, moves, rng):
        if self.bot is None:
            self.bot = self.make_bot(self.seat ^ self.game.first, rng.below(SEEDS))
        return self.bot.step(state.spiel)


class RegisteredBot(SpielBot):
    """A bot that is registered with OpenSpiel, by its name there."""

    load: str = option("", "its name at OpenSpiel, uniform_random for example", required=True)

    @classmethod
    def check(cls, options):
        known = pyspiel.registered_bots()
        if options["load"] not in known:
            raise ArenaError(
                f"OpenSpiel has no bot called {options['load']!r}{did_you_mean(options['load'], known)}"
            )

    def make_bot(self, player, seed):
        if self.load == "uniform_random":  # whose seed is otherwise taken from the clock
            return pyspiel.make_uniform_random_bot(player, seed)
        return pyspiel.load_bot(self.load, self.game.spiel_game, player)

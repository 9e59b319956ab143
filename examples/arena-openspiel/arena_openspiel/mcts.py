"""OpenSpiel's Monte Carlo tree search as an agent."""

import pyspiel

from arena import Agent, option

SEEDS = 2**31
MEGABYTES = 1000


class Mcts(Agent):
    """OpenSpiel's Monte Carlo tree search with random rollouts, in C++ (Kocsis & Szepesvári 2006)."""

    needs = ("spiel_game",)
    simulations: int = option(1000, "lines that it looks at for a move", low=1)
    rollouts: int = option(1, "games played at random from the end of a line", low=1)
    exploration: float = option(2.0, "the constant of UCT", low=0)

    def choose(self, state, moves, rng):
        evaluator = pyspiel.RandomRolloutEvaluator(self.rollouts, rng.below(SEEDS))
        bot = pyspiel.MCTSBot(
            self.game.spiel_game,
            evaluator,
            self.exploration,
            self.simulations,
            MEGABYTES,
            True,  # it proves positions won or lost where it can
            rng.below(SEEDS),
            False,
        )
        return bot.step(state.spiel)

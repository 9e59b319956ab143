"""Agents that play by an externally trained policy."""

from __future__ import annotations

from typing import Any, ClassVar

from arena.api.agent import Agent
from arena.api.game import Move, State
from arena.errors import ArenaError
from arena.gymnasium.encoding import Actions, Encoding, Observe
from arena.rng import Rng


class PolicyAgent(Agent):
    """Plays by a policy, a function of the observation and the mask of legal actions.

    Subclasses define `act`, and `load` if there is something to load. Observations and actions are those of
    `arena.gymnasium.make`, for the player to move.

    Attributes:
        shape: Shape of the policy's observations. None: any.
        observe: The `observe` function with which the policy was trained, if any.
        actions: The `actions` setting with which the policy was trained, if not the default.
        encoding: The encoding of positions and moves for the policy.
    """

    shape: ClassVar[tuple[int, ...] | None] = None
    observe: ClassVar[Observe | None] = None
    actions: ClassVar[Actions | None] = None

    def prepare(self) -> None:
        """Load the policy."""
        observe = vars(type(self)).get("observe", type(self).observe)
        observe = getattr(observe, "__func__", observe)
        self.encoding = Encoding(self.game, observe, self.actions)
        if self.shape not in (None, self.encoding.shape):
            raise ArenaError(
                f"{type(self).__name__} takes observations of shape {self.shape}, but those of {self.game} "
                f"have {self.encoding.shape}"
            )
        self.load()

    def load(self) -> None:
        """Load what `act` needs, such as a trained network. Called after the game and the options are set."""

    def act(self, observation: Any, mask: Any, rng: Rng) -> int:
        """Return an action.

        Args:
            observation: The player's observation, as in the environment.
            mask: int8 [actions], 1 for legal actions.
            rng: Random numbers, the only source of randomness to use.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no 'act'; write it: def act(self, observation, mask, rng): "
            "return mask.argmax()"
        )

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        """Return the move for the policy's action."""
        observation = self.encoding.observation(state, self.game.to_move(state))
        action = int(self.act(observation, self.encoding.mask(moves), rng))
        move = self.encoding.move(moves, action)
        if move is None:
            raise ValueError(f"act returns {action}, which is not legal; choose an action whose mask is 1")
        return move

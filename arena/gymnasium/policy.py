"""Agents that play by a policy that something else has trained."""

from __future__ import annotations

from typing import Any, ClassVar

from arena.api.agent import Agent
from arena.api.game import Move, State
from arena.errors import ArenaError
from arena.gymnasium.encoding import Actions, Encoding, Observe
from arena.rng import Rng


class PolicyAgent(Agent):
    """Plays by a policy: a function of what is observed, and of which actions are legal.

    Subclasses write `act`, and `load` if there is something to load. Observations and actions are those of
    `arena.gymnasium.make`, for the player to move.

    Attributes:
        shape: Shape of the observations that the policy takes. None: any.
        observe: Function that shows positions, if the policy was trained with one.
        actions: What actions stand for, if the policy was trained with other than the default.
        encoding: How positions and moves are shown to the policy.
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
        """Load what `act` needs, such as a trained network. The game and the options are set by then."""

    def act(self, observation: Any, mask: Any, rng: Rng) -> int:
        """Return an action.

        Args:
            observation: What the player sees, as in the environment.
            mask: int8 [actions], 1 for those that are legal.
            rng: Random numbers, the only source of randomness to use.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no 'act'; write it: def act(self, observation, mask, rng): "
            "return mask.argmax()"
        )

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        """Return the move that the policy's action stands for."""
        observation = self.encoding.observation(state, self.game.to_move(state))
        action = int(self.act(observation, self.encoding.mask(moves), rng))
        move = self.encoding.move(moves, action)
        if move is None:
            raise ValueError(f"act returns {action}, which is not legal; choose an action whose mask is 1")
        return move

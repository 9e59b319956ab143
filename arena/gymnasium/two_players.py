"""A game as a PettingZoo AEC environment: two players, who move in turn."""

from __future__ import annotations

from typing import Any

from arena.calls.arguments import GameEntry, game_spec, known_with
from arena.compiler import with_compiled_rules
from arena.gymnasium.encoding import Actions, Encoding, Observe
from arena.gymnasium.match import EnvironmentMatch
from arena.gymnasium.needed import needed
from arena.plan.entries import make_game

AECEnv: Any = needed("pettingzoo").AECEnv
Info = dict[str, Any]  # the `info` of a step, as typed by the package

PLAYERS = ("player_0", "player_1")


class AECEnvironment(AECEnv):  # type: ignore[misc] # its type is not known where it is not installed
    """A PettingZoo AEC environment for a game. Created by `aec`.

    The observation of a player is a dictionary with the keys `observation`, an array, see `Encoding`, and
    `action_mask`, int8, the mask of legal actions, which is all zeros for the player who is not to move. The
    reward at the end is 1, 0 or -1. An illegal action loses the match. A match that reaches the game's
    maximum number of plies is truncated.

    Attributes:
        game: The game.
        encoding: The encoding of positions and moves.
        match: The current match, with `state` and the legal `moves`.
    """

    metadata: Info = {  # noqa: RUF012 # as PettingZoo has it
        "name": "arena_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, game: Any, encoding: Encoding, render_mode: str | None = None) -> None:
        super().__init__()
        spaces = needed("gymnasium.spaces")
        self.game, self.encoding, self.render_mode = game, encoding, render_mode
        self.metadata = {**type(self).metadata, "name": f"arena_{game}"}
        self.possible_agents = list(PLAYERS)
        self.action_spaces = {name: spaces.Discrete(encoding.count) for name in PLAYERS}
        self.observation_spaces = {
            name: spaces.Dict(
                {
                    "observation": spaces.Box(encoding.low, encoding.high, encoding.shape, encoding.dtype),
                    "action_mask": spaces.Box(0, 1, (encoding.count,), "int8"),
                }
            )
            for name in PLAYERS
        }

    def observation_space(self, agent: str) -> Any:
        """Return a player's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return a player's action space."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Info | None = None) -> None:
        """Begin a match. The environment is deterministic, so the seed has no effect."""
        self.match = EnvironmentMatch(self.game)
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.infos: dict[str, Info] = {name: {} for name in PLAYERS}
        self.look()
        self.agent_selection = PLAYERS[self.match.player]

    def observe(self, agent: str) -> Info:
        """Return the observation of a player."""
        player, match = PLAYERS.index(agent), self.match
        moves = match.moves if match.player == player else []
        return {
            "observation": self.encoding.observation(match.state, player),
            "action_mask": self.encoding.mask(moves),
        }

    def step(self, action: Any) -> None:
        """Play an action for the player to move; the action is None if the match is over for that player."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        move = self.encoding.move(self.match.moves, int(action))
        if move is None:
            self.match.forfeit()
        else:
            self.match.play(move)
        self.look()
        if not self.match.is_over:
            self.agent_selection = PLAYERS[self.match.player]
        else:
            self.agent_selection = PLAYERS[1 - PLAYERS.index(self.agent_selection)]
        self._accumulate_rewards()

    def look(self) -> None:
        """Update the attributes from the state of the match."""
        over, cut = self.match.is_over, self.match.is_cut
        self.terminations = dict.fromkeys(PLAYERS, over and not cut)
        self.truncations = dict.fromkeys(PLAYERS, cut)
        for player, name in enumerate(PLAYERS):
            self.rewards[name] = float(self.match.reward(player)) if over else 0.0

    def render(self) -> str | None:
        """Return the board as text."""
        return self.game.board_text(self.match.state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is no window."""


def aec(
    game: GameEntry = None,
    *,
    observe: Observe | None = None,
    actions: Actions | None = None,
    render_mode: str | None = None,
) -> AECEnvironment:
    """Return a PettingZoo AEC environment for a game.

    Args:
        game: The game, as in `arena.match`. Default: the first installed game.
        observe: As in `make`.
        actions: As in `make`.
        render_mode: "ansi" for boards as text.

    Raises:
        ArenaError: If PettingZoo is not installed.
    """
    made = with_compiled_rules(make_game(game_spec(game, known_with(game=game))))
    return AECEnvironment(made, Encoding(made, observe, actions), render_mode)

"""A game as a Gymnasium environment: one player against an entry."""

from __future__ import annotations

from typing import Any

from arena.calls.arguments import Entry, GameEntry, agent_spec, game_spec, known_with
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError
from arena.gymnasium.encoding import Actions, Encoding, Observe
from arena.gymnasium.match import EnvironmentMatch
from arena.gymnasium.needed import needed
from arena.plan.entries import check_entries, make_game
from arena.rng import Rng

Env: Any = needed("gymnasium").Env
Info = dict[str, Any]  # the `info` of a step, as typed by the package

SEEDS = 2**63 - 1


class Environment(Env):  # type: ignore[misc] # its type is not known where it is not installed
    """A Gymnasium environment for a game against an entry. Created by `make`.

    Observations are arrays, see `Encoding`. The reward at the end of a match is 1, 0 or -1. The dictionary
    `info` has the keys `action_mask`, the mask of legal actions; `player`, 0 or 1; and at the end `result`.
    An illegal action loses the match. A match that reaches the game's maximum number of plies is truncated.

    Attributes:
        game: The game.
        opponent: The opponent.
        encoding: The encoding of positions and moves.
        match: The current match, with `state` and the legal `moves`.
    """

    metadata: Info = {"render_modes": ["ansi"]}  # noqa: RUF012 # as Gymnasium has it

    def __init__(
        self,
        game: Any,
        opponent: Any,
        encoding: Encoding,
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        spaces = needed("gymnasium.spaces")
        self.game, self.opponent, self.encoding, self.seat = game, opponent, encoding, seat
        self.render_mode = render_mode
        self.observation_space = spaces.Box(encoding.low, encoding.high, encoding.shape, encoding.dtype)
        self.action_space = spaces.Discrete(encoding.count)
        self.match = EnvironmentMatch(game)
        self.player = 0

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        """Begin a match, and return the observation of the first position in which the player is to move.

        Args:
            seed: Seed of the seats and of the opponent's random numbers.
            options: `{"seat": 0}` or `{"seat": 1}` to play this match in that seat.
        """
        super().reset(seed=seed)
        drawn, stream = self.np_random.integers(2), self.np_random.integers(SEEDS)
        seat = (options or {}).get("seat", self.seat)
        self.player = int(drawn) if seat is None else check_seat(seat)
        self.rng = Rng(int(stream))
        self.match = EnvironmentMatch(self.game)
        self.opponent.begin(1 - self.player)
        self.answer()
        return self.seen(), self.info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Play an action, and the opponent's answer."""
        if self.match.is_over:
            raise ArenaError("the match is over; call reset")
        move = self.encoding.move(self.match.moves, int(action))
        if move is None:
            self.match.forfeit()
        else:
            self.match.play(move)
            self.answer()
        over, cut = self.match.is_over, self.match.is_cut
        reward = float(self.match.reward(self.player)) if over else 0.0
        return self.seen(), reward, over and not cut, cut, self.info()

    def answer(self) -> None:
        """Let the opponent move until it is the player's turn."""
        match = self.match
        while not match.is_over and match.player != self.player:
            move = self.opponent.choose(match.state, list(match.moves), self.rng)
            if move not in match.moves:
                raise ArenaError(f"{self.opponent.name} plays {move!r}, which is not legal")
            match.play(move)

    def seen(self) -> Any:
        return self.encoding.observation(self.match.state, self.player)

    def info(self) -> Info:
        found: Info = {"action_mask": self.action_masks(), "player": self.player}
        return {**found, "result": self.match.reward(self.player)} if self.match.is_over else found

    def action_masks(self) -> Any:
        """Return the mask of legal actions, for MaskablePPO of sb3-contrib."""
        return self.encoding.mask(self.match.moves)

    def render(self) -> str | None:
        """Return the board as text."""
        return self.game.board_text(self.match.state) if self.render_mode == "ansi" else None


def check_seat(seat: object) -> int:
    if seat not in (0, 1):
        raise ArenaError(f"seat is {seat!r}; pass 0 or 1")
    return int(seat == 1)


def make(
    game: GameEntry = None,
    opponent: Entry = "random",
    *,
    seat: int | None = None,
    observe: Observe | None = None,
    actions: Actions | None = None,
    render_mode: str | None = None,
) -> Environment:
    """Return a Gymnasium environment for a game against an entry.

    Args:
        game: The game, as in `arena.match`. Default: the first installed game.
        opponent: The opponent, an entry as in `arena.match`. It plays in this process.
        seat: The player's seat: 0, which moves first, or 1. Default: drawn at random for each match.
        observe: Function that returns an array for a game, a position, and the observing player. Default: see
            `Encoding`.
        actions: "moves" if actions are moves, "places" if they are indices into the list of legal moves.
            Default: "moves" if moves are integers below `max_moves`.
        render_mode: "ansi" for boards as text.

    Raises:
        ArenaError: If Gymnasium is not installed, or the opponent cannot play the game.
    """
    known = known_with([opponent], game)
    made, spec = with_compiled_rules(make_game(game_spec(game, known))), agent_spec(opponent, known)
    check_entries([spec], made)
    if seat is not None:
        check_seat(seat)
    return Environment(made, spec.make(made), Encoding(made, observe, actions), seat, render_mode)

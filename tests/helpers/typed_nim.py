"""A game, agents, an evaluation and a learner whose authors write types, and what calls give back."""

from __future__ import annotations

import arena
from arena import Agent, Evaluation, Game, Learner, Rng, Table, hookimpl, option

State = tuple[int, int]
Move = int


class Nim(Game[State, Move]):
    """One heap; take one, two or three. Whoever takes the last wins."""

    heap: int = option(21, "things on the heap", low=1)

    def initial(self) -> State:
        return (self.heap, 0)

    def moves(self, state: State) -> list[Move]:
        return [n for n in (1, 2, 3) if n <= state[0]]

    def play(self, state: State, move: Move) -> State:
        return (state[0] - move, 1 - state[1])

    def to_move(self, state: State) -> int:
        return state[1]

    def value(self, state: State) -> int:
        return -1

    def evaluate(self, state: State) -> float:
        return 1.0 if state[0] % 4 else -1.0


class Eager(Agent[State, Move]):
    """Wins if it can win at once."""

    care: int = option(100, "how often it looks", low=0, high=100)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        if rng.below(100) < self.care:
            for move in moves:
                after = self.game.play(state, move)
                if not self.game.moves(after) and self.game.value(after) < 0:
                    return move
        return rng.choice(moves)


class Lazy(Agent):
    """The first move, in any game."""

    def choose(self, state: arena.State, moves: list[arena.Move], rng: Rng) -> arena.Move:
        return moves[0]


class Count(Evaluation[State]):
    """Counts what is left of a heap."""

    def evaluate(self, state: State) -> float:
        return float(state[0] % 4)


class Learns(Learner[State, Move]):
    """Learns what the start is worth."""

    def prepare(self) -> None:
        self.values = Table(self.game)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        return max(moves, key=lambda move: self.values[self.game.play(state, move)])

    def learn(self, episode: int, rng: Rng) -> int:
        self.values[self.game.initial()] = 1.0
        return 1

    def model(self) -> arena.Arrays:
        return self.values.model()

    def recall(self, model: arena.Arrays) -> None:
        self.values.recall(model)


@hookimpl
def register_games(register: arena.Register) -> None:
    register("nim", "nim:Nim")


def results(db: str) -> list[str]:
    """What calls give back has types that can be named."""
    found: arena.Match = arena.match(Eager, "random", game=Nim, matches=4, seed=1)
    pairing: arena.Pairing | None = next(iter(found.pairings), None)
    played: arena.Tournament = arena.tournament([Eager, Lazy, "minimax"], game=Nim, rounds=2, seed=1, db=db)
    board: arena.Leaderboard = played.leaderboard
    rows: list[arena.Row] = list(board.rows)
    assert pairing is not None
    return [pairing.first, *(row.entry for row in rows)]

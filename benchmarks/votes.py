"""Measure Prior State Voting where its table does not help, beside the published scan of a table."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Any

from decisions import Decisions
from timed_training import TimedTraining

from arena import Rng
from arena.api.format import Stage
from arena.api.game import Move, State
from arena.api.limits import Limits
from arena.api.options import with_options
from arena.api.spec import InstanceSpec
from arena.compiler import is_compiled
from arena.matches.block import play_block
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.registry.plugins import registry
from arena.results.tally import Summary
from arena.rng import Streams, hash_state
from arena.testing.matches import random_match

GAME = registry().spec("game", "checkers")
SIDE = 8  # squares of the board


class Voter:
    """`psv` with an existing learner."""

    def __init__(self, learner: Any, entry: str = "psv") -> None:
        spec = registry().spec("agent", entry)
        name = registry().spec("agent", learner.name)
        given = InstanceSpec(name.text, name.target, name.values, learner)
        self.spec = with_options(spec, learner=given)
        self.agent = self.spec.make(learner.game)
        if not is_compiled(Decisions(self.agent, [])):
            raise SystemExit("psv is not compiled here: is ARENA_COMPILED set to 0?")

    def choose(self, states: Sequence[State]) -> list[Move]:
        """Return the moves it chooses in some positions."""
        decisions = Decisions(self.agent, states)
        decisions.decide(1, Rng())
        moves: list[Move] = decisions.chosen.tolist()
        return moves

    def rate(self, states: Sequence[State], times: int = 10) -> float:
        """Return the decisions per second of CPU time, in these positions in sequence, `times` times."""
        decisions, rng = Decisions(self.agent, states), Rng()
        decisions.decide(0, rng)  # by which time it has been compiled
        start = process_time()
        decisions.decide(times, rng)
        return times * len(states) / (process_time() - start)

    def matches_rate(self, matches: int) -> float:
        """Return the matches against a random player per second of CPU time, half of them from each seat."""
        entry = InstanceSpec(self.spec.text, self.spec.target, self.spec.values, self.agent)
        limits = Limits(self.agent.game.max_plies, 0.0, 0.0)
        entries = entry, registry().spec("agent", "random")
        plan = Plan(
            GAME, entries, Schedule.of(Stage(((0, 1), (1, 0)), matches // 2)), Streams(1), Openings(), limits
        )
        play_block(plan, range(2), Summary)  # by which time it has been compiled
        start = process_time()
        play_block(plan, range(matches), Summary)
        return matches / (process_time() - start)


def trained(episodes: int) -> Any:
    """Return a learner that has learned from a number of matches."""
    training = TimedTraining(GAME.text, f"q-backprop:episodes={episodes}")
    training.rate()
    return training.learner


def known(learner: Any) -> str:
    """Return as text how many moves a learner has values for."""
    return f"{learner.table.size:,} known moves"


def unknown(learners: Sequence[Any], matches: int) -> list[State]:
    """Return positions of random matches, with two moves or more, for which no learner has a value."""
    game, found = GAME.make(), []
    for seed in range(matches):
        for state in random_match(game, seed):
            moves = game.moves(state)
            if len(moves) > 1 and not any(knows(learner, state, moves) for learner in learners):
                found.append(state)
    return found


def knows(learner: Any, state: State, moves: list[Move]) -> bool:
    """Return whether a learner has a value for any of the moves in a position."""
    return bool(learner.look_up(hash_state(state), state, moves))


# --- the published scan -----------------------------------------------------------------------------------


class Scan:
    """Algorithm 2 of "Prior State Voting (PSV)", in Python: each decision scans the whole table.

    As in its published program, a move with a value of 0 does not vote.

    Attributes:
        table: Values of moves by board and player to move. Moves are given by their starting square and
            shape, a board by the text of its squares, row by row.
    """

    def __init__(self, learner: Any) -> None:
        self.game = GAME.make()
        self.table: dict[tuple[str, int], dict[tuple[int, int, Any], float]] = {}
        known = [learner.model()[name].tolist() for name in ("states", "moves", "values")]
        for state, move, (value,) in zip(*known, strict=True):
            moves = self.table.setdefault((self.board(state), self.game.to_move(state)), {})
            moves[self.relative(state, move)] = value

    def board(self, state: State) -> str:
        squares = ["-"] * SIDE**2
        for cell, (x, y) in enumerate(self.game.cells):
            squares[SIDE * y + x] = ".bwBW"[self.game.piece(state, cell)]
        return "".join(squares)

    def relative(self, state: State, move: Move) -> tuple[int, int, Any]:
        x, y = self.game.cells[self.game.anchor(state, move)]
        return x, y, self.game.shape(state, move)

    def scores(self, state: State) -> dict[Move, float]:
        """Return the mean of the votes for each move."""
        board, side = self.board(state), self.game.to_move(state)
        scores = {}
        for move in self.game.moves(state):
            x, y, shape = self.relative(state, move)
            score, n = 0.0, 0
            for (prior, mover), moves in self.table.items():
                if mover == side:
                    for (prior_x, prior_y, prior_shape), value in moves.items():
                        if prior_shape == shape:
                            score += matching(prior, board, prior_x - x, prior_y - y) * value
                            n += 1
            scores[move] = score / n if n else 0.0
        return scores

    def rate(self, states: Sequence[State], played: Sequence[Move]) -> float:
        """Return the decisions per second of CPU time.

        Exit with an error if a move in `played` is not among the best.
        """
        start = process_time()
        scores = [self.scores(state) for state in states]
        seconds = process_time() - start
        for state, scored, move in zip(states, scores, played, strict=True):
            if scored[move] < max(scored.values()) - 1e-12:
                text = self.game.position_text(state)
                raise SystemExit(f"{text}: psv plays {self.game.move_text(move)}, not the best of the scan")
        return len(states) / seconds


def matching(prior: str, board: str, dx: int, dy: int) -> float:
    """Return the share of equal squares if one board is laid on the other, moved right and down.

    Args:
        prior: The board that is known.
        board: The other board.
        dx: Squares to the right.
        dy: Squares down.
    """
    alike = 0
    for y in range(max(0, dy), min(SIDE, SIDE + dy)):
        for x in range(max(0, dx), min(SIDE, SIDE + dx)):
            if prior[SIDE * y + x] == board[SIDE * (y - dy) + x - dx]:
                alike += 1
    return alike / SIDE**2

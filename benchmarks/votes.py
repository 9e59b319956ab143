"""Prior State Voting, timed where its table does not help, and the published scan of a table beside it."""

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
    """`psv` over a learner that is there already."""

    def __init__(self, learner: Any, entry: str = "psv") -> None:
        spec = registry().spec("agent", entry)
        name = registry().spec("agent", learner.name)
        given = InstanceSpec(name.text, name.target, name.values, learner)
        self.spec = with_options(spec, learner=given)
        self.agent = self.spec.make(learner.game)
        if not is_compiled(Decisions(self.agent, [])):
            raise SystemExit("psv is not compiled here: is ARENA_COMPILED set to 0?")

    def choose(self, states: Sequence[State]) -> list[Move]:
        """What it plays in each of these positions."""
        decisions = Decisions(self.agent, states)
        decisions.decide(1, Rng())
        moves: list[Move] = decisions.chosen.tolist()
        return moves

    def rate(self, states: Sequence[State], times: int = 10) -> float:
        """Decisions in a second of CPU time, in these positions one after the other, so many times over."""
        decisions, rng = Decisions(self.agent, states), Rng()
        decisions.decide(0, rng)  # by which time it has been compiled
        start = process_time()
        decisions.decide(times, rng)
        return times * len(states) / (process_time() - start)

    def matches_rate(self, matches: int) -> float:
        """Matches against a random player in a second of CPU time, half of them as either player."""
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
    """A learner that has learned from so many matches."""
    training = TimedTraining(GAME.text, f"q-backprop:episodes={episodes}")
    training.rate()
    return training.learner


def known(learner: Any) -> str:
    """How many moves a learner has values of, to be shown."""
    return f"{learner.table.size:,} known moves"


def unknown(learners: Sequence[Any], matches: int) -> list[State]:
    """Positions of random matches that none of these learners knows, with two moves at least."""
    game, found = GAME.make(), []
    for seed in range(matches):
        for state in random_match(game, seed):
            moves = game.moves(state)
            if len(moves) > 1 and not any(knows(learner, state, moves) for learner in learners):
                found.append(state)
    return found


def knows(learner: Any, state: State, moves: list[Move]) -> bool:
    """Whether a learner has a value for any of a position's moves."""
    return bool(learner.look_up(hash_state(state), state, moves))


# --- the published scan -----------------------------------------------------------------------------------


class Scan:
    """Algorithm 2 of "Prior State Voting (PSV)", in Python: each decision goes through the whole table.

    As its program has it: a move whose value is 0 does not vote.

    table: by board and player to move, the values of moves, by the square they start from and their shape.
    A board is a text of its squares, by row.
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
        """By move, the mean of the votes for it."""
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
        """Decisions in a second of CPU time; the best moves have to be those that were `played`."""
        start = process_time()
        scores = [self.scores(state) for state in states]
        seconds = process_time() - start
        for state, scored, move in zip(states, scores, played, strict=True):
            if scored[move] < max(scored.values()) - 1e-12:
                text = self.game.position_text(state)
                raise SystemExit(f"{text}: psv plays {self.game.move_text(move)}, not the best of the scan")
        return len(states) / seconds


def matching(prior: str, board: str, dx: int, dy: int) -> float:
    """The share of squares that are alike where one board lies on the other, so far to the right and down."""
    alike = 0
    for y in range(max(0, dy), min(SIDE, SIDE + dy)):
        for x in range(max(0, dx), min(SIDE, SIDE + dx)):
            if prior[SIDE * y + x] == board[SIDE * (y - dy) + x - dx]:
                alike += 1
    return alike / SIDE**2

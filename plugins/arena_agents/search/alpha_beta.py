"""Alpha-beta search (Knuth & Moore 1975) for any game, in its fail-soft form (Fishburn 1983)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from arena import Agent, ArenaError, Move, Rng, Spec, State, View, compiled, option, probe
from arena_agents.search.minimax import plies_to_the_end
from arena_agents.search.ordering import Ordering
from arena_agents.search.transposition import EXACT, LOWER, NO_MOVE, UPPER, TranspositionTable
from arena_agents.ties import pick_best, probabilities
from arena_agents.verdicts import WIN, view

INFINITE = 1e18
DEEPEST = 127  # maximum depth in plies
LOOK = 1023  # positions between checks of the clock, a bit mask
ONE, TIED, ALL = range(3)  # root moves with exact values: one of the best, all best, all


@dataclass(eq=False, kw_only=True)
class Search(Ordering):
    """Alpha-beta search: scores the moves of a position, the root, to a depth or within a budget.

    scores: float64 [max_moves], the scores of the root's moves at the last completed depth; found: those at
    the current depth. root_order: int64 [max_moves], indices of the moves in search order. visited: the
    number of positions visited. reached: the last completed depth. cut_short: whether some line was not
    searched to the end of the game.
    """

    exact: int = ONE  # or TIED or ALL; other moves get a bound that is not above the best score
    soonest: bool = True  # whether faster wins and slower losses are better
    places: int = 0  # size of the transposition table, a power of two; 0 = none
    deeper: bool = False  # whether values of deeper searches may be used
    probe: Any = None  # endings in memory, in which positions are looked up
    nodes: int = 0  # maximum number of positions visited; 0 = no limit
    nanoseconds: int = 0  # time limit; 0 = no limit

    def prepare(self) -> None:
        super().prepare()
        self.budgeted = self.nodes > 0 or self.nanoseconds > 0
        self.has_table = self.places > 0
        self.probing = self.probe is not None
        # the score of a win at the horizon; wins in endings lie up to `beyond` plies behind it
        self.beyond = self.probe.longest if self.probing else 0
        self.win = float(WIN + self.beyond)
        self.table = TranspositionTable(self.game, self.places)
        self.root_order = np.zeros(self.game.max_moves, np.int64)
        self.scores = np.zeros(self.game.max_moves)
        self.found = np.zeros(self.game.max_moves)
        self.visited = self.reached = self.deadline = 0
        self.stopped = self.cut_short = False

    def negamax(self, state: State, depth: int, alpha: float, beta: float) -> float:
        """Return the value of `state` for the player to move, searched `depth` plies.

        The result is exact between alpha and beta; otherwise it is an upper bound if at most alpha, and a
        lower bound if at least beta.
        """
        if self.budgeted and self.is_spent():
            return 0.0
        if self.probing:
            code = self.probe.look(state)
            if code >= 0:
                return self.looked_up(code, depth)
        if depth == 0:
            return self.judge(state)
        hint = NO_MOVE
        if self.has_table:
            place = self.table.find(state)
            if place >= 0:
                if self.settles(place, depth, alpha, beta):
                    self.cut_short = True  # possibly
                    return self.table.values[place]
                hint = self.table.moves[place]
        best, best_move, floor = -INFINITE, NO_MOVE, alpha
        for move in self.moves_of(state, depth, hint):
            after = self.game.play(state, move)
            self.visited += 1
            if self.game.alternating or self.game.to_move(after) != self.game.to_move(state):
                value = -self.negamax(after, depth - 1, -beta, -alpha)
            else:
                value = self.negamax(after, depth - 1, alpha, beta)
            if self.budgeted and self.stopped:
                return 0.0
            if value > best:
                best, best_move = value, move
            alpha = max(alpha, best)
            if alpha >= beta:
                if self.ordering and depth >= self.sorted_from:
                    self.remember(move, depth)
                break
        if best == -INFINITE:
            return self.outcome(state, depth)
        if self.has_table:
            bound = LOWER if best >= beta else UPPER if best <= floor else EXACT
            self.table.store(state, depth, bound, best_move, best)
        return best

    def judge(self, state: State) -> float:
        """Return the value of a position at the horizon for the player to move."""
        if not self.game.moves(state):
            return self.outcome(state, 0)
        if self.budgeted:
            self.cut_short = True
        return self.evaluation.evaluate(state)

    def looked_up(self, code: int, depth: int) -> float:
        """Return the value of a position in the endings for the player to move, at this remaining depth."""
        if code == 0:
            return 0.0
        value = self.win - self.probe.plies(code) + (depth if self.soonest else 0)
        return -value if code & 1 else value

    def outcome(self, state: State, depth: int) -> float:
        """Return the value of a position without moves for the player to move, at this remaining depth."""
        return self.game.value(state) * (self.win + depth if self.soonest else self.win)

    def settles(self, place: int, depth: int, alpha: float, beta: float) -> bool:
        """Return whether the table entry in a place makes a search unnecessary."""
        searched = self.table.depth(place)
        if searched != depth and not (self.deeper and searched > depth):
            return False
        bound, value = self.table.bound(place), self.table.values[place]
        return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)

    def is_spent(self) -> bool:
        """Return whether the budget is used up; the clock is checked only at intervals."""
        if 0 < self.nodes < self.visited:
            self.stopped = True
        if self.nanoseconds > 0 and self.visited & LOOK == 0 and time.perf_counter_ns() > self.deadline:
            self.stopped = True
        return self.stopped

    @compiled
    def value(self, state: State, depth: int) -> float:
        """Return the value of `state` for the player to move, searched `depth` plies."""
        self.visited = 1
        self.evaluation.root(state)
        return self.negamax(state, depth, -INFINITE, INFINITE)

    def score(self, state: State, moves: list[Move], depth: int, last: int) -> None:
        """Score moves by searches of `depth` plies, then one more, up to `last` or the end of the budget."""
        self.start(state, len(moves))
        while depth <= last:
            self.cut_short = False
            best = self.score_at(state, moves, depth)
            if not self.stopped or depth == 1:
                for i in range(len(moves)):
                    self.scores[i] = self.found[i]
            if self.stopped:
                break
            self.reached = depth
            self.put_best_first(len(moves))
            if self.budgeted and (not self.cut_short or abs(best) >= WIN):
                break  # deeper searches would not change the result
            depth += 1

    def start(self, state: State, n: int) -> None:
        """Prepare to score `n` moves."""
        self.visited = self.reached = 0
        self.stopped = False
        if self.budgeted:
            self.deadline = time.perf_counter_ns() + self.nanoseconds
        if self.ordering:
            self.forget()
        if self.evaluation.rooted:
            self.table.age += 1  # its values are for another root
        self.evaluation.root(state)
        for i in range(n):
            self.root_order[i] = i
            self.scores[i] = 0.0

    def score_at(self, state: State, moves: list[Move], depth: int) -> float:
        """Compute the scores of moves by a search of this depth; return the best score."""
        best = -INFINITE
        for i in range(len(moves)):
            self.found[i] = -INFINITE
        for j in range(len(moves)):
            i = self.root_order[j]
            after = self.game.play(state, moves[i])
            self.visited += 1
            least = self.least(best)
            if self.game.alternating or self.game.to_move(after) != self.game.to_move(state):
                value = -self.negamax(after, depth - 1, -INFINITE, -least)
            else:
                value = self.negamax(after, depth - 1, least, INFINITE)
            if self.stopped:
                break
            self.found[i] = value
            best = max(best, value)
        return best

    def least(self, best: float) -> float:
        """Return the score up to which a bound suffices for further moves, given the best score so far."""
        if self.exact == ALL or best == -INFINITE:
            return -INFINITE
        return math.nextafter(best, -math.inf) if self.exact == TIED else best

    def put_best_first(self, n: int) -> None:
        """Move the best of `n` moves to the front, and keep the order of the others."""
        order, best = self.root_order, 0
        for j in range(n):
            if self.scores[order[j]] > self.scores[order[best]]:
                best = j
        first = order[best]
        for j in range(best, 0, -1):
            order[j] = order[j - 1]
        order[0] = first


class AlphaBeta(Agent):
    """Plays a move with the best value found by alpha-beta search, to a depth or within a budget.

    At the maximum depth a position is evaluated. With a budget of nodes or seconds it searches one ply, then
    two, and so on, and uses the last completed depth. Draws by repetition are not taken into account. If a
    clock limits the search, results differ from run to run.
    """

    budget = "nodes"
    by_clock = ("seconds",)
    kept_attributes = ("search", "scores")  # `begin` invalidates the table

    depth: int = option(
        0, "maximum depth in plies; 0 = to the end of a small game, else 6, or as deep as a budget allows",
        low=0, high=DEEPEST,
    )  # fmt: skip
    nodes: int = option(0, "maximum number of positions per move; 0 = no limit", low=0)
    seconds: float = option(0.0, "seconds per move; 0 = no limit", low=0)
    evaluation: Spec = option("own", "evaluation of positions at the depth limit", kind="evaluation")
    ties: Literal["first", "random"] = option("random", "choice among equally good moves")
    wins: Literal["soonest", "any"] = option("soonest", "whether faster wins are preferred")
    ordering: bool = option(True, "whether captures and moves that caused cutoffs are searched first")
    table: int = option(0, "size of the transposition table in positions; 0 = none", low=0, high=1 << 32)
    deeper: bool = option(False, "whether values of deeper searches in the table are used")
    deepening: bool = option(False, "whether to deepen iteratively also without a budget")
    endings: int = option(
        0, "number of pieces up to which the endgame database is probed; 0 = never", low=0, high=32
    )  # fmt: skip

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["deeper"] and options["table"] < 2:
            raise ArenaError("alpha-beta: deeper=true needs a table, such as table=1000000")

    def prepare(self) -> None:
        budget = self.nodes > 0 or self.seconds > 0
        deepening = self.deepening or budget
        self.plies = self.depth or (DEEPEST if budget else plies_to_the_end(self.game, otherwise=6))
        self.first = 1 if deepening else self.plies  # depth of the first search
        self.search = Search(
            game=self.game,
            evaluation=self.evaluation.make(self.game),
            deepest=self.plies,
            exact=TIED if deepening or self.ties == "random" else ONE,
            soonest=self.wins == "soonest",
            ordering=self.ordering,
            places=1 << (self.table.bit_length() - 1) if self.table > 1 else 0,
            deeper=self.deeper,
            probe=probe(self.game, self.endings) if self.endings else None,
            nodes=self.nodes,
            nanoseconds=math.ceil(self.seconds * 1e9),
        )
        self.scores = self.search.scores

    def begin(self, seat: int) -> None:
        self.search.table.age += 1

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.search.score(state, moves, self.first, self.plies)
        return moves[pick_best(self.search.scores, len(moves), self.ties == "random", rng)]

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float] | None:
        if self.seconds or (self.search.has_table and (self.deeper or self.nodes)):
            return None  # earlier searches also influence the choice
        self.choose(state, moves, Rng())
        return probabilities(self.search.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the evaluation after best play, at least 10**15 for a win, and the depth.

        The search that chooses a move only finds bounds for moves that are not better; a second search of the
        same depth finds their scores. There are no scores with deeper=true, or for moves that the budget did
        not allow to search.
        """
        self.rate(state, moves)
        depth = self.search.reached
        horizon = depth + self.search.beyond if self.wins == "soonest" and not self.deeper else None
        return [
            view(None if math.isnan(score) else score, horizon, {"depth": depth})
            for score in self.scores[: len(moves)]
        ]

    @compiled
    def rate(self, state: State, moves: list[Move]) -> None:
        """Search like `choose`, then to the same depth for the exact value of every move without a budget."""
        search = self.search
        search.score(state, moves, self.first, self.plies)
        depth = search.reached
        if depth > 0 and not self.deeper:
            exact, nodes, nanoseconds = search.exact, search.nodes, search.nanoseconds
            search.exact, search.nodes, search.nanoseconds = ALL, 0, 0
            search.score(state, moves, depth, depth)
            search.exact, search.nodes, search.nanoseconds = exact, nodes, nanoseconds
        best = -INFINITE
        for i in range(len(moves)):
            best = max(best, self.scores[i])
        for i in range(len(moves)):
            if self.scores[i] == -INFINITE or (self.deeper and self.scores[i] < best):
                self.scores[i] = math.nan

"""Alpha-beta search (Knuth & Moore 1975) over any game, in the fail-soft form (Fishburn 1983)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from arena import ArenaError, FastAgent, Rng, Spec, View, option
from arena.evaluation import evaluate, root
from arena.game import Move
from arena.kernel import (
    Arrays,
    Float,
    FloatPointer,
    Int,
    IntPointer,
    Ints,
    Rules,
    State,
    alternating,
    clock,
    floats,
    hash_move,
    ints,
    next_below,
    number,
    pointer,
    progress,
    variant,
)
from arena_agents import table
from arena_agents.table import EXACT, LOWER, NOWHERE, UPPER, depth_at, find, store
from arena_agents.ties import RANDOM, TIES, chances, pick_best
from arena_agents.verdicts import view

WIN = 10**15  # more than any evaluation; as a float it still tells one ply from the next
INFINITE = 1e18
HUGE = 1e12  # evaluations from here on do not order moves

# what a variant of this module may change: its machine code then has no trace of what it does not use
SOONEST = 1  # 1: of two wins the shorter is better, and the longer of two losses
TABLE = 0  # 1: values are kept in a transposition table
DEEPER = 0  # 1: so that a value of a deeper search may stand for one of this depth
ORDER = 0  # 1: moves are searched in the order in which they look best
JUDGED = 0  # plies to go, from which on that is by the evaluation of where they lead; 0 = never
DRAWN = 0  # 1: a draw counts what `drawn` says, and not 0
ROOTED = 0  # 1: evaluations depend on where the search begins, so values kept count for one search alone
WORTH_SORTING = 3  # plies to go, from which on sorting moves saves more time than it takes
BUDGET = 0  # 1: the search stops after so many positions or so much time

# the agent's arrays
SETTINGS, WEIGHTS, COUNTS, STATES, TAGS, MOVES, VALUES, ORDERING, SCORES, WORK = range(10)

# settings
DEPTH, TIES_PICKED, DEEPEN, NODES, NANOSECONDS, PLACES, WHOLE = range(7)

# counts
VISITED, STOPPED, DEADLINE, AGE, HORIZON, REACHED = range(6)
LOOK = 1023  # positions between looks at the clock, a mask

ONE, TIED, ALL = range(3)  # which of the root's moves get their true value: one of the best, all best, all

# ordering: two moves a ply that cut lately, then counts of how often a move did, by its hash
KILLERS, HISTORY = 256, 4096
DEEPEST = KILLERS // 2 - 1
FIRST_OF_ALL, CAPTURE, KILLER = 1 << 60, 1 << 50, 1 << 40


def is_over(counts: IntPointer, settings: IntPointer) -> Int:
    """1 once the budget is spent."""
    if counts[STOPPED] == 0:
        if settings[NODES] > 0 and counts[VISITED] > settings[NODES]:
            counts[STOPPED] = 1
        if settings[NANOSECONDS] > 0 and counts[VISITED] & LOOK == 0 and clock() > counts[DEADLINE]:
            counts[STOPPED] = 1
    return counts[STOPPED]


def look_up(s: State, arrays: Arrays) -> Int:
    """Its place in the table, or NOWHERE."""
    age, places = ints(arrays, COUNTS)[AGE], ints(arrays, SETTINGS)[PLACES]
    return find(s, age, ints(arrays, STATES), ints(arrays, TAGS), places)


def put_down(s: State, depth: Int, bound: Int, move: Int, value: Float, arrays: Arrays) -> Int:
    """Put a position in the table; where."""
    age, places = ints(arrays, COUNTS)[AGE], ints(arrays, SETTINGS)[PLACES]
    states, tags, moves = ints(arrays, STATES), ints(arrays, TAGS), ints(arrays, MOVES)
    return store(s, age, depth, bound, move, value, states, tags, moves, floats(arrays, VALUES), places)


def sort(G: Rules, s: State, depth: Int, hint: Int, work: IntPointer, k: Int, n: Int, arrays: Arrays) -> Int:
    """Put behind `n` moves how good each looks: the hint, captures, killers, then by history.

    Or the hint, then by the evaluation of where they lead, in millionths.
    """
    ordering = ints(arrays, ORDERING)
    for i in range(n):
        move = work[k + i]
        if move == hint:
            rank = FIRST_OF_ALL
        elif JUDGED and depth >= JUDGED:
            after = G.play(s, move)
            value = evaluate(G, after, floats(arrays, WEIGHTS))
            if not abs(value) < HUGE:  # nor a number
                value = 0.0
            rank = int(1e6 * (-value if alternating(G) or G.to_move(after) != G.to_move(s) else value))
        elif progress(G, s, move) == 2:
            rank = CAPTURE
        elif move == ordering[2 * depth] or move == ordering[2 * depth + 1]:
            rank = KILLER
        else:
            rank = ordering[KILLERS + (hash_move(move) & (HISTORY - 1))]
        work[k + n + i] = rank
    return n


def bring_best(work: IntPointer, k: Int, n: Int, i: Int) -> Int:
    """Swap the best-looking of the moves from the i-th on to place i."""
    best = i
    for j in range(i + 1, n):
        if work[k + n + j] > work[k + n + best]:
            best = j
    move, rank = work[k + best], work[k + n + best]
    work[k + best], work[k + n + best] = work[k + i], work[k + n + i]
    work[k + i], work[k + n + i] = move, rank
    return move


def remember(move: Int, depth: Int, ordering: IntPointer) -> Int:
    """A move has cut."""
    if ordering[2 * depth] != move:
        ordering[2 * depth + 1] = ordering[2 * depth]
        ordering[2 * depth] = move
    place = KILLERS + (hash_move(move) & (HISTORY - 1))
    ordering[place] += depth * depth
    return place


def drawn(G: Rules, s: State, weights: FloatPointer) -> Float:
    """What a drawn position counts for the player to move; for a variant to change."""
    return 0.0


def negamax(G: Rules, s: State, depth: Int, alpha: Float, beta: Float, k: Int, arrays: Arrays) -> Float:
    """The value of `s` for the player to move, searched `depth` plies, if it lies between alpha and beta.

    Else a bound of it: what is at most alpha may be less in truth, what is at least beta more. Moves go to
    the agent's own room for them from `k` on.
    """
    if BUDGET and is_over(ints(arrays, COUNTS), ints(arrays, SETTINGS)):
        return 0.0
    work = ints(arrays, WORK)
    n: int = G.moves(s, work, k)
    if n == 0:
        outcome: int = G.value(s)
        if DRAWN and outcome == 0:
            return drawn(G, s, floats(arrays, WEIGHTS))
        return float(outcome * (WIN + depth if SOONEST else WIN))
    if depth == 0:
        if BUDGET:
            ints(arrays, COUNTS)[HORIZON] = 1
        return evaluate(G, s, floats(arrays, WEIGHTS))
    counts = ints(arrays, COUNTS)
    hint = -1
    floor = alpha
    if TABLE:
        place = look_up(s, arrays)
        if place != NOWHERE:
            tag = ints(arrays, TAGS)[place]
            hint = ints(arrays, MOVES)[place]
            if depth_at(tag) == depth or (DEEPER and depth_at(tag) > depth):
                known = floats(arrays, VALUES)[place]
                bound = tag & 3
                if (
                    bound == EXACT
                    or (bound == LOWER and known >= beta)
                    or (bound == UPPER and known <= alpha)
                ):
                    if BUDGET:
                        counts[HORIZON] = 1  # perhaps
                    return known
    room = k + n
    ordered = ORDER and depth >= WORTH_SORTING
    if ordered:
        sort(G, s, depth, hint, work, k, n, arrays)
        room = k + n + n
    best = -INFINITE
    best_move = -1
    for i in range(n):
        if ordered:
            bring_best(work, k, n, i)
        move = work[k + i]
        after = G.play(s, move)
        counts[VISITED] += 1
        if alternating(G) or G.to_move(after) != G.to_move(s):
            value = -negamax(G, after, depth - 1, -beta, -alpha, room, arrays)
        else:
            value = negamax(G, after, depth - 1, alpha, beta, room, arrays)
        if BUDGET and counts[STOPPED]:
            return 0.0
        if TABLE and value > best:
            best_move = move
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            if ordered:
                remember(move, depth, ints(arrays, ORDERING))
            break
    if TABLE:
        bound = LOWER if best >= beta else UPPER if best <= floor else EXACT
        put_down(s, depth, bound, best_move, best, arrays)
    return best


def search(G: Rules, s: State, depth: Int, arrays: Ints) -> Float:
    """The value of `s` for the player to move, searched `depth` plies, for whoever asks from outside."""
    ints(pointer(arrays), COUNTS)[VISITED] = 1
    root(G, s, floats(pointer(arrays), WEIGHTS))
    return negamax(G, s, depth, -INFINITE, INFINITE, number(0), pointer(arrays))


def score_moves(
    G: Rules,
    s: State,
    depth: Int,
    exact: Int,
    n: Int,
    work: IntPointer,
    order: Int,
    scores: Int,
    arrays: Arrays,
) -> Float:
    """The value of `s` searched `depth` plies; each move's goes to the scores, from `scores` on.

    order: where in `work` the numbers of the moves stand in the order to search them. exact: ONE, TIED or
    ALL, the others get some bound that is no greater than the best.
    """
    found = floats(arrays, SCORES)
    best = -INFINITE
    for i in range(n):
        found[scores + i] = -INFINITE
    for j in range(n):
        i = work[order + j]
        after = G.play(s, work[i])
        ints(arrays, COUNTS)[VISITED] += 1
        if exact == ALL:
            least = -INFINITE
        else:
            least = next_below(best) if exact == TIED and best > -INFINITE else best
        if alternating(G) or G.to_move(after) != G.to_move(s):
            value = -negamax(G, after, depth - 1, -INFINITE, -least, number(0), arrays)
        else:
            value = negamax(G, after, depth - 1, least, INFINITE, number(0), arrays)
        if ints(arrays, COUNTS)[STOPPED]:
            return best
        found[scores + i] = value
        best = max(best, value)
    return best


def keep_scores(scores: FloatPointer, n: Int) -> Int:
    """Those found become those chosen by."""
    for i in range(n):
        scores[i] = scores[n + i]
    return n


def put_best_first(scores: FloatPointer, work: IntPointer, n: Int) -> Int:
    """Of the order that moves are searched in: the best one to the front, the others in their order."""
    best = 0
    for j in range(n):
        if scores[work[n + j]] > scores[work[n + best]]:
            best = j
    first = work[n + best]
    for j in range(best, 0, -1):
        work[n + j] = work[n + j - 1]
    work[n] = first
    return first


def begin(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """A match begins: what the table holds counts no more."""
    ints(arrays, COUNTS)[AGE] += 1
    return 0


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings, counts, ordering = ints(arrays, SETTINGS), ints(arrays, COUNTS), ints(arrays, ORDERING)
    scores = floats(arrays, SCORES)
    counts[VISITED] = 0
    counts[STOPPED] = 0
    counts[REACHED] = 0
    if BUDGET:
        counts[DEADLINE] = clock() + settings[NANOSECONDS]
    if ORDER:
        for i in range(KILLERS + HISTORY):
            ordering[i] = 0
    if ROOTED:
        counts[AGE] += 1
    root(G, s, floats(arrays, WEIGHTS))
    for i in range(n):
        work[n + i] = i
        scores[i] = 0.0
    depth = 1 if settings[DEEPEN] else settings[DEPTH]
    exact = TIED if settings[DEEPEN] or settings[TIES_PICKED] == RANDOM else ONE
    if settings[WHOLE]:
        exact = ALL
    while depth <= settings[DEPTH]:
        counts[HORIZON] = 0
        best = score_moves(G, s, depth, exact, n, work, n, n, arrays)
        if counts[STOPPED]:
            if depth == 1:
                keep_scores(scores, n)
            break
        keep_scores(scores, n)
        counts[REACHED] = depth
        put_best_first(scores, work, n)
        if BUDGET and (counts[HORIZON] == 0 or best >= WIN or best <= -WIN):
            break  # no deeper search knows better
        depth += 1
    return pick_best(scores, n, settings[TIES_PICKED], stream)


class AlphaBeta(FastAgent):
    """Plays a move of the best value by alpha-beta search, to a depth or within a budget.

    Where the depth runs out a position counts as its evaluation. With a budget of nodes or seconds it
    searches one ply, then two, and so on, and goes by the last depth that it finished. A search knows nothing
    of draws by repetition. By the clock, results differ from run to run.
    """

    depth: int = option(
        0, "plies searched at most; 0 = to the end of a small game, else 6, or all that a budget allows",
        low=0, high=DEEPEST,
    )  # fmt: skip
    nodes: int = option(0, "positions visited at most for a move; 0 = no limit", low=0)
    seconds: float = option(0.0, "time for a move; 0 = no limit", low=0)
    evaluation: Spec = option("own", "what a position counts where the depth runs out", kind="evaluation")
    ties: Literal["first", "random"] = option("random", "which of several best moves is played")
    wins: Literal["soonest", "any"] = option("soonest", "whether of two wins the shorter is better")
    ordering: bool = option(True, "search first the moves that captured, or cut elsewhere")
    table: int = option(0, "positions kept in a transposition table; 0 = none", low=0, high=1 << 32)
    deeper: bool = option(False, "let values of deeper searches, if in the table, stand for this depth")
    deepening: bool = option(False, "search one ply, then two, and so on, also without a budget")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["deeper"] and options["table"] < 2:
            raise ArenaError("alpha-beta: deeper=true is about a table, and needs one, such as table=1000000")

    lists = 2  # the root's moves, and the order they are searched in

    def prepare(self) -> None:
        budget = self.nodes > 0 or self.seconds > 0
        self.plies = self.depth or (DEEPEST if budget else table.plies_to_the_end(self.game, otherwise=6))
        self.places = 1 << (self.table.bit_length() - 1) if self.table > 1 else 0
        self.judge = self.evaluation.make(self.game)
        self.kernel = variant(
            sys.modules[__name__],
            {
                "SOONEST": int(self.wins == "soonest"),
                "TABLE": int(self.places > 0),
                "DEEPER": int(self.deeper),
                "ORDER": int(self.ordering),
                "BUDGET": int(budget),
                **self.judge.parts(),
            },
        )

    def arrays(self) -> Sequence[Any]:
        deepen = self.deepening or self.nodes > 0 or self.seconds > 0
        nanoseconds = int(self.seconds * 1e9)
        settings = [self.plies, TIES.index(self.ties), int(deepen), self.nodes, nanoseconds, self.places, 0]
        return (
            settings,
            list(map(float, self.judge.weights())),
            [0] * 6,
            *table.arrays(self.places),
            [0] * (KILLERS + HISTORY),
            [0.0] * (2 * self.game.max_moves),
            [0] * ((2 * self.plies + 1) * self.game.max_moves),
        )

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float] | None:
        if self.seconds or (
            self.places and (self.deeper or self.nodes)
        ):  # what was searched before decides too
            return None
        self.choose(state, moves, Rng())
        return chances(self.player.arrays[SCORES][: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the evaluation that best play leads to, from 10**15 on for a win; depth: plies searched.

        The search that chooses leaves moves open once they are known to be no better; one as deep after it
        finds their scores. With deeper=true, and of moves that a budget was spent before, there are none.
        """
        self.choose(state, moves, Rng())
        settings, counts, scores = (self.player.arrays[i] for i in (SETTINGS, COUNTS, SCORES))
        depth = int(counts[REACHED])
        if depth and not self.deeper:
            kept = list(settings)
            settings[DEPTH], settings[WHOLE] = depth, 1
            settings[DEEPEN] = settings[NODES] = settings[NANOSECONDS] = 0
            self.choose(state, moves, Rng())
            settings[:] = kept
        found = scores[: len(moves)]
        known = [score > -INFINITE and (score == max(found) or not self.deeper) for score in found]
        horizon = depth if self.wins == "soonest" and not self.deeper else None
        return [
            view(score if sure else None, horizon, {"depth": depth})
            for score, sure in zip(found, known, strict=True)
        ]

"""Agents, learners, evaluations and games: agents as students write them."""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations
import math, random
from collections import defaultdict, namedtuple, Counter, deque
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
import numpy as np
from arena import Agent, Evaluation, Game, Learner, option


class DictTable(Agent):
    depth: int = option(4, "plies")

    def prepare(self):
        self.table = {}

    def negamax(self, state, depth):
        key = (state, depth)
        if key in self.table:
            return self.table[key]
        moves = self.game.moves(state)
        if not moves:
            v = float(self.game.value(state)) * 1000
        elif depth == 0:
            v = self.game.evaluate(state)
        else:
            v = max(-self.negamax(self.game.play(state, m), depth - 1) for m in moves)
        self.table[key] = v
        return v

    def choose(self, state, moves, rng):
        return max(moves, key=lambda m: -self.negamax(self.game.play(state, m), self.depth - 1))


class ArgMax(Agent):
    def choose(self, state, moves, rng):
        scores = np.zeros(len(moves))
        for i, m in enumerate(moves):
            scores[i] = -self.game.evaluate(self.game.play(state, m))
        return moves[int(np.argmax(scores))]


class Dot(Agent):
    def prepare(self):
        self.w = np.ones(len(self.game.feature_names))

    def choose(self, state, moves, rng):
        return max(
            moves, key=lambda m: -np.dot(self.w, np.array(self.game.features(self.game.play(state, m))))
        )


class Board2D(Agent):
    def choose(self, state, moves, rng):
        board = [[0] * 3 for _ in range(3)]
        for c in range(9):
            if state[0] >> c & 1:
                board[c // 3][c % 3] = 1
            elif state[1] >> c & 1:
                board[c // 3][c % 3] = -1
        for m in moves:
            r, c = divmod(m, 3)
            if sum(board[r]) == 2:
                return m
        return rng.choice(moves)


class Nested(Agent):
    depth: int = option(3, "plies")

    def choose(self, state, moves, rng):
        def search(s, d):
            ms = self.game.moves(s)
            if not ms:
                return float(self.game.value(s))
            if d == 0:
                return 0.0
            best = -2.0
            for m in ms:
                best = max(best, -search(self.game.play(s, m), d - 1))
            return best

        return max(moves, key=lambda m: -search(self.game.play(state, m), self.depth))


class ClassCache(Agent):
    cache = {}

    def choose(self, state, moves, rng):
        if state not in ClassCache.cache:
            ClassCache.cache[state] = moves[0]
        return ClassCache.cache[state]


class Node:
    def __init__(self, state, parent=None, move=None):
        self.state, self.parent, self.move = state, parent, move
        self.children, self.visits, self.wins = [], 0, 0.0


class Mcts(Agent):
    playouts: int = option(50, "n")

    def choose(self, state, moves, rng):
        root = Node(state)
        for _ in range(self.playouts):
            node = root
            while node.children:
                node = max(
                    node.children,
                    key=lambda c: (
                        c.wins / (c.visits + 1e-9)
                        + math.sqrt(2 * math.log(node.visits + 1) / (c.visits + 1e-9))
                    ),
                )
            for m in self.game.moves(node.state):
                node.children.append(Node(self.game.play(node.state, m), node, m))
            s = node.state
            ms = self.game.moves(s)
            while ms:
                s = self.game.play(s, rng.choice(ms))
                ms = self.game.moves(s)
            v = (
                self.game.value(s)
                if self.game.to_move(s) == self.game.to_move(node.state)
                else -self.game.value(s)
            )
            while node:
                node.visits += 1
                node.wins -= v
                v = -v
                node = node.parent
        return max(root.children, key=lambda c: c.visits).move


class NpWhere(Agent):
    def choose(self, state, moves, rng):
        board = np.array([(state[0] >> c & 1) - (state[1] >> c & 1) for c in range(9)]).reshape(3, 3)
        rows = np.where(board.sum(axis=1) == 2)[0]
        for r in rows:
            for m in moves:
                if m // 3 == r:
                    return m
        return moves[0]


class SortedTuples(Agent):
    def choose(self, state, moves, rng):
        scored = [(-self.game.evaluate(self.game.play(state, m)), m) for m in moves]
        scored.sort(reverse=True)
        return scored[0][1]


class History(Agent):
    def prepare(self):
        self.count = defaultdict(int)

    def choose(self, state, moves, rng):
        m = min(moves, key=lambda m: self.count[m])
        self.count[m] += 1
        return m


class Prints(Agent):
    verbose: bool = option(False, "talk")

    def choose(self, state, moves, rng):
        m = rng.choice(moves)
        if self.verbose:
            print(f"I play {m}")
        return m


class Lru(Agent):
    def choose(self, state, moves, rng):
        return max(moves, key=lambda m: -self.score(self.game.play(state, m)))

    @lru_cache(maxsize=None)
    def score(self, s):
        ms = self.game.moves(s)
        if not ms:
            return self.game.value(s)
        return max(-self.score(self.game.play(s, m)) for m in ms)


class QDict(Learner):
    def prepare(self):
        self.q = {}

    def choose(self, state, moves, rng):
        return max(moves, key=lambda m: self.q.get((state, m), 0.0))

    def learn(self, episode, rng):
        s = self.game.initial()
        trail = []
        ms = self.game.moves(s)
        while ms:
            m = rng.choice(ms) if rng.random() < 0.2 else self.choose(s, ms, rng)
            trail.append((s, m))
            s = self.game.play(s, m)
            ms = self.game.moves(s)
        r = float(self.game.value(s))
        for s2, m in reversed(trail):
            r = -r
            self.q[(s2, m)] = self.q.get((s2, m), 0.0) + 0.1 * (r - self.q.get((s2, m), 0.0))
        return 0

    def model(self):
        return {}

    def recall(self, model):
        pass


import time


class Timed(Agent):
    def choose(self, state, moves, rng):
        end = time.perf_counter() + 0.001
        best = moves[0]
        d = 1
        while time.perf_counter() < end and d < 4:
            best = max(moves, key=lambda m: -self.look(self.game.play(state, m), d))
            d += 1
        return best

    def look(self, s, d):
        ms = self.game.moves(s)
        if not ms:
            return 100.0 * self.game.value(s)
        if d == 0:
            return self.game.evaluate(s)
        best = -1e9
        for m in ms:
            best = max(best, -self.look(self.game.play(s, m), d - 1))
        return best


class PieceSquare(Evaluation):
    table = np.array([3, 2, 3, 2, 4, 2, 3, 2, 3])

    def evaluate(self, state):
        total = 0
        for c in range(9):
            if (state[0] >> c) & 1:
                total += self.table[c]
            elif (state[1] >> c) & 1:
                total -= self.table[c]
        return float(total)


class StringBoard(Game):
    """3x3 as text."""

    max_plies = 9
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def initial(self):
        return "." * 9

    def won(self, s):
        return any(s[a] != "." and s[a] == s[b] == s[c] for a, b, c in self.lines)

    def moves(self, s):
        return [] if self.won(s) else [i for i in range(9) if s[i] == "."]

    def to_move(self, s):
        return (9 - s.count(".")) % 2

    def play(self, s, m):
        return s[:m] + "XO"[self.to_move(s)] + s[m + 1 :]

    def value(self, s):
        return -1 if self.won(s) else 0


class NimHeaps(Game):
    """Nim, heaps in a tuple."""

    def initial(self):
        return (1, 3, 5, 7, 0)

    def moves(self, s):
        for h in range(4):
            for k in range(1, s[h] + 1):
                yield h * 8 + k

    def to_move(self, s):
        return s[4]

    def play(self, s, m):
        h, k = divmod(m, 8)
        return s[:h] + (s[h] - k,) + s[h + 1 : 4] + (1 - s[4],)

    def value(self, s):
        return -1


@dataclass(frozen=True)
class Pos:
    own: int
    other: int


class DataclassState(Game):
    """3x3, frozen dataclass."""

    max_plies = 9

    def initial(self):
        return Pos(0, 0)

    def moves(self, s):
        return [c for c in range(9) if not (s.own | s.other) >> c & 1]

    def to_move(self, s):
        return (s.own | s.other).bit_count() % 2

    def play(self, s, m):
        return Pos(s.other, s.own | 1 << m)

    def value(self, s):
        return 0


class Centre(Agent):
    def choose(self, state, moves, rng):
        return min(moves, key=lambda m: abs(m // 3 - 1) + abs(m % 3 - 1) + 0.01 * rng.random())


class Counter2:
    def __init__(self):
        self.n = 0

    def bump(self):
        self.n += 1
        return self.n


class UsesHelper(Agent):
    def prepare(self):
        self.counter = Counter2()

    def choose(self, state, moves, rng):
        return moves[self.counter.bump() % len(moves)]

"""Twenty agents, evaluations, games and learners as students write them, with the README and guides at hand."""

# ruff: noqa
# mypy: ignore-errors

import itertools
import math
import random
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from arena import Agent, Evaluation, Game, Learner, View, option

# 1 ------------------------------------------------------------------ a book of openings in a dictionary

WIN_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Bookworm(Agent):
    """Knows the first moves by heart, wins or blocks if it can, or else plays by a list of preferences."""

    BOOK = {(0, 0): 4, (0, 1): 4, (0, 16): 0, (0, 2): 4, (0, 256): 4}
    PREFERENCE = [4, 0, 2, 6, 8, 1, 3, 5, 7]

    def winning_cell(self, coins, free):
        for line in WIN_LINES:
            mine = [cell for cell in line if coins >> cell & 1]
            empty = [cell for cell in line if cell in free]
            if len(mine) == 2 and len(empty) == 1:
                return empty[0]
        return None

    def choose(self, state, moves, rng):
        if state in self.BOOK:
            return self.BOOK[state]
        own, other = state
        win = self.winning_cell(own, moves)
        if win is not None:
            return win
        block = self.winning_cell(other, moves)
        if block is not None:
            return block
        for cell in self.PREFERENCE:
            if cell in moves:
                return cell
        return rng.choice(moves)


# 2 ------------------------------------------------------- negamax, transposition dictionary with flags

EXACT, LOWER, UPPER = 0, 1, 2


class Transposer(Agent):
    """Negamax with alpha-beta and a transposition table (after the article in Wikipedia)."""

    depth: int = option(4, "how many plies it looks ahead", low=1, high=9)

    def prepare(self):
        self.table = {}
        self.nodes = 0
        self.hits = 0

    def negamax(self, state, depth, alpha, beta):
        self.nodes += 1
        original = alpha
        entry = self.table.get(state)
        if entry is not None and entry[0] >= depth:
            self.hits += 1
            _, flag, value = entry
            if flag == EXACT:
                return value
            elif flag == LOWER:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                return value
        moves = list(self.game.moves(state))
        if not moves:
            return 100.0 * self.game.value(state)
        if depth == 0:
            return self.game.evaluate(state)
        best = -math.inf
        for move in moves:
            best = max(best, -self.negamax(self.game.play(state, move), depth - 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        if best <= original:
            flag = UPPER
        elif best >= beta:
            flag = LOWER
        else:
            flag = EXACT
        self.table[state] = (depth, flag, best)
        return best

    def choose(self, state, moves, rng):
        best_move, best = None, -math.inf
        for move in moves:
            score = -self.negamax(self.game.play(state, move), self.depth - 1, -math.inf, math.inf)
            if score > best:
                best_move, best = move, score
        return best_move

    def explain(self, state, moves):
        return [
            View(
                {"score": -self.negamax(self.game.play(state, m), self.depth - 1, -math.inf, math.inf)},
                f"{m}",
            )
            for m in moves
        ]


# 3 ------------------------------------------------------------ MCTS, objects, children in a dictionary


class TreeNode:
    def __init__(self, state, untried, parent=None):
        self.state = state
        self.untried = untried
        self.parent = parent
        self.children = {}
        self.visits = 0
        self.value = 0.0

    def ucb(self, c):
        return self.value / self.visits + c * math.sqrt(math.log(self.parent.visits) / self.visits)

    def is_expanded(self):
        return len(self.untried) == 0


class TreeSearch(Agent):
    """Monte Carlo tree search with UCT."""

    iterations: int = option(40, "iterations per move", low=1)
    c: float = option(1.4, "exploration")

    def choose(self, state, moves, rng):
        root = TreeNode(state, list(moves))
        for _ in range(self.iterations):
            node = root
            # selection
            while node.is_expanded() and node.children:
                node = max(node.children.values(), key=lambda child: child.ucb(self.c))
            # expansion
            if node.untried:
                move = node.untried.pop(rng.below(len(node.untried)))
                new_state = self.game.play(node.state, move)
                child = TreeNode(new_state, list(self.game.moves(new_state)), node)
                node.children[move] = child
                node = child
            # simulation
            s = node.state
            ms = list(self.game.moves(s))
            while ms:
                s = self.game.play(s, rng.choice(ms))
                ms = list(self.game.moves(s))
            result = self.game.value(s)
            if self.game.to_move(s) == self.game.to_move(node.state):
                result = -result
            # backpropagation: result is for whoever moved into the node
            while node is not None:
                node.visits += 1
                node.value += result
                result = -result
                node = node.parent
        return max(root.children.items(), key=lambda item: item[1].visits)[0]


# 4 ------------------------------------------------------------------ killer and history heuristics


class KillerHistory(Agent):
    """Alpha-beta with killer moves and the history heuristic."""

    depth: int = option(4, "plies")

    def prepare(self):
        self.killers = [[-1, -1] for _ in range(32)]
        self.history = [[0] * 64 for _ in range(2)]

    def order(self, state, moves, ply):
        side = self.game.to_move(state)

        def score(move):
            if move in self.killers[ply]:
                return 1_000_000
            return self.history[side][move]

        return sorted(moves, key=score, reverse=True)

    def search(self, state, depth, alpha, beta, ply):
        moves = list(self.game.moves(state))
        if not moves:
            return self.game.value(state) * (1000 - ply)
        if depth == 0:
            return 0
        for move in self.order(state, moves, ply):
            value = -self.search(self.game.play(state, move), depth - 1, -beta, -alpha, ply + 1)
            if value >= beta:
                if self.killers[ply][0] != move:
                    self.killers[ply][1] = self.killers[ply][0]
                    self.killers[ply][0] = move
                self.history[self.game.to_move(state)][move] += depth * depth
                return beta
            alpha = max(alpha, value)
        return alpha

    def choose(self, state, moves, rng):
        scores = {}
        for move in moves:
            scores[move] = -self.search(self.game.play(state, move), self.depth - 1, -10_000, 10_000, 1)
        best = max(scores.values())
        return rng.choice([move for move, score in scores.items() if score == best])


# 5 ---------------------------------------------------------------------- numpy masks of lines


class NumpyLines(Agent):
    """Counts lines with a matrix of masks."""

    def prepare(self):
        self.lines = np.zeros((len(WIN_LINES), 9), dtype=int)
        for i, line in enumerate(WIN_LINES):
            self.lines[i, list(line)] = 1

    def to_array(self, state):
        own, other = state
        board = np.zeros(9, dtype=int)
        for cell in range(9):
            if own & (1 << cell):
                board[cell] = 1
            elif other & (1 << cell):
                board[cell] = -1
        return board

    def evaluate(self, state):
        sums = self.lines @ self.to_array(state)
        counts = self.lines @ np.abs(self.to_array(state))
        mine = np.sum((sums == counts) * sums)
        theirs = np.sum((sums == -counts) * -sums)
        return mine - theirs

    def choose(self, state, moves, rng):
        values = np.array([-self.evaluate(self.game.play(state, move)) for move in moves])
        return moves[int(np.argmax(values))]


# 6 ------------------------------------------------------------------------ softmax policy


class Softmax(Agent):
    """Samples moves by a softmax of their evaluations."""

    temperature: float = option(0.5, "how random it is", low=0.01)

    def probabilities(self, state, moves):
        scores = [-self.game.evaluate(self.game.play(state, move)) / self.temperature for move in moves]
        top = max(scores)
        weights = [math.exp(score - top) for score in scores]
        total = sum(weights)
        return [w / total for w in weights]

    def choose(self, state, moves, rng):
        r = rng.random()
        for move, p in zip(moves, self.probabilities(state, moves)):
            r -= p
            if r <= 0:
                return move
        return moves[-1]

    def distribution(self, state, moves):
        return self.probabilities(state, moves)

    def explain(self, state, moves):
        return [View({"probability": p}, f"p = {p:.3f}") for p in self.probabilities(state, moves)]


# 7 ------------------------------------------------------------- position as a string, by dictionary


class PatternStrings(Agent):
    """Turns the board into a string, as in the tutorial, and looks patterns up."""

    PATTERNS = {
        "XX.": 50,
        "X.X": 50,
        ".XX": 50,
        "OO.": -40,
        "O.O": -40,
        ".OO": -40,
        "X..": 5,
        ".X.": 5,
        "..X": 5,
    }

    def board_string(self, state):
        own, other = state
        text = ""
        for cell in range(9):
            if own >> cell & 1:
                text += "X"
            elif other >> cell & 1:
                text += "O"
            else:
                text += "."
        return text

    def score(self, state):
        board = self.board_string(state)
        total = 0
        for a, b, c in WIN_LINES:
            total += self.PATTERNS.get(board[a] + board[b] + board[c], 0)
        return total

    def choose(self, state, moves, rng):
        return min(moves, key=lambda m: self.score(self.game.play(state, m)))


# 8 ------------------------------------------------------------------- breadth-first with a deque


class BreadthFirst(Agent):
    """Looks for the nearest win by breadth-first search, within a number of positions."""

    budget: int = option(200, "positions")

    def choose(self, state, moves, rng):
        me = self.game.to_move(state)
        queue = deque()
        seen = set()
        for move in moves:
            queue.append((self.game.play(state, move), move, 1))
        count = 0
        while queue and count < self.budget:
            position, first, depth = queue.popleft()
            count += 1
            if position in seen:
                continue
            seen.add(position)
            following = list(self.game.moves(position))
            if not following:
                if self.game.value(position) < 0 and self.game.to_move(position) != me:
                    return first
                continue
            for move in following:
                queue.append((self.game.play(position, move), first, depth + 1))
        return rng.choice(moves)


# 9 ----------------------------------------------------------------- playouts and a Counter


class Playouts(Agent):
    """Flat Monte Carlo: plays each move out at random and counts."""

    n: int = option(10, "playouts per move")

    def playout(self, state, rng):
        player = self.game.to_move(state)
        moves = list(self.game.moves(state))
        while moves:
            state = self.game.play(state, rng.choice(moves))
            moves = list(self.game.moves(state))
        value = self.game.value(state)
        return value if self.game.to_move(state) == player else -value

    def choose(self, state, moves, rng):
        wins = Counter()
        for move in moves:
            after = self.game.play(state, move)
            for _ in range(self.n):
                wins[move] -= self.playout(after, rng)
        return wins.most_common(1)[0][0]


# 10 ------------------------------------------------------------------ iterative deepening, nodes, move_usage


class Iterative(Agent):
    """Iterative deepening within a budget of nodes; reports what it spent."""

    budget = "nodes"
    nodes: int = option(300, "positions per move")

    class OutOfNodes(Exception):
        pass

    def prepare(self):
        self.visited = 0
        self.reached = 0
        self.pv = {}

    def search(self, state, depth, alpha, beta):
        self.visited += 1
        if self.visited > self.nodes:
            raise self.OutOfNodes
        moves = list(self.game.moves(state))
        if not moves:
            return float(self.game.value(state)) * 100
        if depth == 0:
            return float(self.game.evaluate(state))
        if state in self.pv and self.pv[state] in moves:
            first = self.pv[state]
            moves = [first] + [m for m in moves if m != first]
        for move in moves:
            value = -self.search(self.game.play(state, move), depth - 1, -beta, -alpha)
            if value > alpha:
                alpha = value
                self.pv[state] = move
            if alpha >= beta:
                break
        return alpha

    def choose(self, state, moves, rng):
        self.visited = 0
        self.pv.clear()
        best = moves[0]
        try:
            for depth in range(1, 10):
                self.search(state, depth, -math.inf, math.inf)
                best = self.pv[state]
                self.reached = depth
        except self.OutOfNodes:
            pass
        self.move_usage = {"nodes": self.visited, "depth": self.reached}
        return best


# 11 ----------------------------------------------------------- connect four: helper class Board with bits


class Board:
    """A board of connect four, unpacked from the bits."""

    def __init__(self, state):
        own, every = state
        self.cells = [0] * 42
        self.heights = [0] * 7
        for column in range(7):
            for row in range(6):
                bit = 1 << (7 * column + row)
                if every & bit:
                    self.cells[column * 6 + row] = 1 if own & bit else -1
                    self.heights[column] = row + 1

    def at(self, column, row):
        return self.cells[column * 6 + row]

    def windows(self):
        for column in range(7):
            for row in range(6):
                for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    if 0 <= column + 3 * dx < 7 and 0 <= row + 3 * dy < 6:
                        yield [self.at(column + i * dx, row + i * dy) for i in range(4)]


class WindowCounter(Agent):
    """Connect four by counting windows, one ply."""

    GAME = "connect-four"

    def score(self, state):
        board = Board(state)
        total = 0
        for window in board.windows():
            mine, theirs = window.count(1), window.count(-1)
            if mine and theirs:
                continue
            if mine:
                total += 10**mine
            elif theirs:
                total -= 10**theirs
        return total

    def choose(self, state, moves, rng):
        best, choices = None, []
        for move in moves:
            score = self.score(self.game.play(state, move))
            if best is None or score < best:
                best, choices = score, [move]
            elif score == best:
                choices.append(move)
        return rng.choice(choices)


# 12 -------------------------------------------------------------- Zobrist keys and a table of arrays


class Zobrist(Agent):
    """Negamax at connect four with Zobrist keys into numpy arrays."""

    GAME = "connect-four"
    depth: int = option(3, "plies")
    bits: int = option(12, "size of the table")

    def prepare(self):
        numbers = np.random.default_rng(2024)
        self.keys = numbers.integers(0, 2**62, size=(2, 49), dtype=np.int64)
        size = 1 << self.bits
        self.mask = size - 1
        self.table_key = np.zeros(size, dtype=np.int64)
        self.table_value = np.zeros(size)
        self.table_depth = np.full(size, -1)

    def key(self, state):
        own, every = state
        h = 0
        for square in range(49):
            if every >> square & 1:
                h ^= self.keys[0 if own >> square & 1 else 1, square]
        return int(h)

    def search(self, state, depth):
        key = self.key(state)
        i = key & self.mask
        if self.table_key[i] == key and self.table_depth[i] >= depth:
            return self.table_value[i]
        moves = list(self.game.moves(state))
        if not moves:
            v = self.game.value(state) * 1e6
        elif depth == 0:
            v = self.game.evaluate(state)
        else:
            v = max(-self.search(self.game.play(state, m), depth - 1) for m in moves)
        self.table_key[i], self.table_value[i], self.table_depth[i] = key, v, depth
        return v

    def choose(self, state, moves, rng):
        scored = [(-self.search(self.game.play(state, m), self.depth - 1), -abs(m - 3), m) for m in moves]
        return max(scored)[2]


# 13 ----------------------------------------------------------- checkers, generator of bits, tactics in a loop


def squares(bits):
    """The numbers of the set bits."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


class Advance(Agent):
    """Checkers: counts pieces and how far they are."""

    GAME = "checkers"
    man: float = option(1.0, "worth of a man")
    king: float = option(1.6, "worth of a king")

    def worth(self, state):
        own, other, kings = state[0], state[1], state[2]
        score = self.man * (bin(own & ~kings).count("1") - bin(other & ~kings).count("1"))
        score += self.king * (bin(own & kings).count("1") - bin(other & kings).count("1"))
        score += 0.01 * sum(s for s in squares(own)) - 0.01 * sum(31 - s for s in squares(other))
        return score

    def quiescence(self, state, depth):
        moves = list(self.game.moves(state))
        if not moves:
            return -100.0
        if len(moves) > 1 or depth == 0:
            return self.worth(state)
        return -self.quiescence(self.game.play(state, moves[0]), depth - 1)

    def choose(self, state, moves, rng):
        ranked = sorted(
            ((-self.quiescence(self.game.play(state, m), 6), i) for i, m in enumerate(moves)), reverse=True
        )
        best = ranked[0][0]
        return moves[rng.choice([i for value, i in ranked if value > best - 1e-9])]


# 14 ------------------------------------------------------------------ an evaluation with numpy


class Positional(Evaluation):
    """Tic-tac-toe or connect four by a table of squares."""

    weight: float = option(0.1, "worth of a square")
    centre: float = option(2.0, "how much more the middle is worth")

    def prepare(self):
        cells = np.arange(64)
        distance = np.abs(cells % 8 - 3.5) + np.abs(cells // 8 - 3.5)
        self.squares = self.centre * (7 - distance) / 7

    def evaluate(self, state):
        own = np.array([(state[0] >> i) & 1 for i in range(64 - 1)])
        other = np.array([(state[1] >> i) & 1 for i in range(64 - 1)])
        return float(self.weight * np.dot(self.squares[:63], own - other))


# 15 --------------------------------------------------------- an evaluation with itertools and all/any


class Threats(Evaluation):
    """Open threats at tic-tac-toe: lines with two of one side and a free cell."""

    def evaluate(self, state):
        own, other = state
        cells = [1 if own >> i & 1 else 2 if other >> i & 1 else 0 for i in range(9)]
        score = 0
        for line in WIN_LINES:
            values = [cells[i] for i in line]
            if values.count(1) == 2 and values.count(0) == 1:
                score += 10
            elif values.count(2) == 2 and values.count(0) == 1:
                score -= 10
            elif not any(v == 2 for v in values):
                score += 1
            elif all(v != 1 for v in values):
                score -= 1
        for a, b in itertools.combinations((0, 2, 6, 8), 2):
            if cells[a] == cells[b] == 1:
                score += 0.5
        return score


# 16 -------------------------------------------------------------- a game: Pig-like... kayles with a tuple


class Kayles(Game):
    """Kayles: a row of pins; knock down one or two neighbours. Whoever takes the last pin wins."""

    max_moves = 32

    def __init__(self, pins: int = 9):
        self.pins = pins

    def initial(self):
        return (tuple([1] * self.pins), 0)

    def moves(self, state):
        pins, _ = state
        single = [i for i in range(len(pins)) if pins[i]]
        double = [100 + i for i in range(len(pins) - 1) if pins[i] and pins[i + 1]]
        return single + double

    def play(self, state, move):
        pins, player = state
        row = list(pins)
        row[move % 100] = 0
        if move >= 100:
            row[move % 100 + 1] = 0
        return (tuple(row), 1 - player)

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


# 17 ---------------------------------------------------------------- a game: Domineering in a frozen dataclass


class Side(IntEnum):
    VERTICAL = 0
    HORIZONTAL = 1


@dataclass(frozen=True)
class Domineering4:
    taken: int
    side: int


class Domineering(Game):
    """Domineering on 4 x 4: one places dominoes upright, the other lying. Whoever cannot, loses."""

    SIZE = 4
    max_moves = 16

    def initial(self):
        return Domineering4(taken=0, side=Side.VERTICAL)

    def cells(self, move, side):
        return (1 << move) | (1 << (move + (self.SIZE if side == Side.VERTICAL else 1)))

    def moves(self, state):
        found = []
        for row in range(self.SIZE):
            for column in range(self.SIZE):
                if state.side == Side.VERTICAL and row == self.SIZE - 1:
                    continue
                if state.side == Side.HORIZONTAL and column == self.SIZE - 1:
                    continue
                move = row * self.SIZE + column
                if not state.taken & self.cells(move, state.side):
                    found.append(move)
        return found

    def play(self, state, move):
        return Domineering4(state.taken | self.cells(move, state.side), 1 - state.side)

    def to_move(self, state):
        return state.side

    def value(self, state):
        return -1


# 18 --------------------------------------------------------------------- a learner: Q by defaultdict, epsilon decays


class DictQ(Learner):
    """Q-learning in a dictionary of positions and moves."""

    episodes: int = option(1000, "games")
    alpha: float = option(0.3, "learning rate")
    gamma: float = option(0.95, "discount")
    epsilon: float = option(0.2, "exploration")

    def prepare(self):
        self.q = defaultdict(float)

    def best(self, state, moves):
        values = [self.q[(state, move)] for move in moves]
        return moves[values.index(max(values))]

    def choose(self, state, moves, rng):
        return self.best(state, moves)

    def learn(self, episode, rng):
        state = self.game.initial()
        epsilon = self.epsilon * 0.999**episode
        trace = []
        moves = list(self.game.moves(state))
        while moves:
            move = rng.choice(moves) if rng.random() < epsilon else self.best(state, moves)
            trace.append((state, move))
            state = self.game.play(state, move)
            moves = list(self.game.moves(state))
        reward = float(self.game.value(state))
        for state, move in reversed(trace):
            reward = -reward
            self.q[(state, move)] += self.alpha * (reward - self.q[(state, move)])
            reward *= self.gamma
        return 0 if reward == 0 else 1 if len(trace) % 2 == 1 else -1

    def model(self):
        keys = list(self.q)
        return {
            "states": np.array([list(state) for state, _ in keys]),
            "moves": np.array([move for _, move in keys]),
            "values": np.array([self.q[key] for key in keys]),
        }

    def recall(self, model):
        self.q = defaultdict(float)
        for state, move, value in zip(model["states"], model["moves"], model["values"]):
            self.q[(tuple(int(x) for x in state), int(move))] = float(value)


# 19 ---------------------------------------------------------------- a learner: TD with a linear function of features


class LinearTD(Learner):
    """TD(lambda) with a linear value function and tanh."""

    episodes: int = option(500, "games")
    rate: float = option(0.01, "step")
    decay: float = option(0.7, "lambda")

    def prepare(self):
        self.weights = np.zeros(18)

    def encode(self, state):
        own, other = state
        x = np.zeros(18)
        for i in range(9):
            x[i] = own >> i & 1
            x[9 + i] = other >> i & 1
        return x

    def predict(self, state):
        return np.tanh(self.weights @ self.encode(state))

    def choose(self, state, moves, rng):
        return min(moves, key=lambda m: self.predict(self.game.play(state, m)))

    def learn(self, episode, rng):
        state = self.game.initial()
        trace = np.zeros(18)
        moves = list(self.game.moves(state))
        plies = 0
        while moves:
            x = self.encode(state)
            value = np.tanh(self.weights @ x)
            move = rng.choice(moves) if rng.random() < 0.1 else self.choose(state, moves, rng)
            state = self.game.play(state, move)
            moves = list(self.game.moves(state))
            target = -self.predict(state) if moves else -self.game.value(state)
            trace = self.decay * -trace + (1 - value**2) * x
            self.weights += self.rate * (target - value) * trace
            plies += 1
        result = self.game.value(state)
        return -result if plies % 2 == 1 else result

    def model(self):
        return {"weights": self.weights}

    def recall(self, model):
        self.weights = model["weights"]


# 20 ---------------------------------------------------------- random policy with weights, memory of the match, mixed


class Moody(Agent):
    """Prefers corners and the middle, and remembers what it played in the match."""

    corner: int = option(3, "weight of a corner")

    def prepare(self):
        self.weights = {cell: 1 for cell in range(9)}
        for cell in (0, 2, 6, 8):
            self.weights[cell] = self.corner
        self.weights[4] = 5
        self.played = []
        self.mood = 0.0

    def begin(self, seat):
        self.seat = seat
        self.played = []
        self.mood = 0.0

    def choose(self, state, moves, rng):
        total = sum(self.weights[m] for m in moves)
        pick = rng.random() * total
        chosen = moves[-1]
        for m in moves:
            pick -= self.weights[m]
            if pick < 0:
                chosen = m
                break
        self.played.append(chosen)
        self.mood = 0.9 * self.mood + len(self.played) / 10
        if self.mood > 0.5 and rng.random() < 0.3:
            rng.shuffle(moves)
            chosen = moves[0]
        return chosen

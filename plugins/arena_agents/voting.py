"""Kernels of Prior State Voting: what known moves say of a move in a position that is not known.

A known move votes for one of the same shape made by the same player, with its value times the share of the
board that is alike when one move is laid on the other (Algorithm 2 of "Prior State Voting (PSV)"). How alike
is a sum over cells, so what all known moves say can be gathered once: for each shape and each cell that it
was made from, the values added up by cell and by what stood there. A vote then costs the same however many
moves are known.
"""

from __future__ import annotations

from arena.kernel import (
    Arrays,
    Float,
    Int,
    IntPointer,
    Rules,
    State,
    floats,
    hash_move,
    ints,
    state_at,
)
from arena_agents.backpropagation import SCORES, TIES_PICKED, recall
from arena_agents.ties import pick_best
from arena_agents.value_table import MOVES, OWN, SETTINGS, STATES, VALUES

# the agent's arrays after those of the learner: of the board, of shapes, and of groups, which are the known
# moves of one shape from one cell
BOARD, COLUMNS, ROWS, CELL_AT, UNPLAYED, NOW = range(OWN + 2, OWN + 8)
SHAPES, SIDES, FIRSTS, VOTES = range(OWN + 8, OWN + 12)
ANCHORS, NEXTS, SUMS, WEIGHTS = range(OWN + 12, OWN + 16)

# of the board: cells, width, height, kinds of pieces with nothing as one; then places - 1 for shapes, a power
# of two, shapes and groups there are, and how many of either there may be
CELLS, WIDTH, HEIGHT, KINDS, SHAPE_MASK, SHAPES_TAKEN, GROUPS_TAKEN, SHAPES_ROOM, GROUPS_ROOM = range(9)


def most_kinds(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """One more than the highest number of a piece in the positions of the first `n` places."""
    states, values, cells = ints(arrays, STATES), floats(arrays, VALUES), ints(arrays, BOARD)[CELLS]
    most = 0
    for place in range(n):
        if values[place] == values[place]:
            known = state_at(states, place, s)
            for cell in range(cells):
                most = max(most, G.piece(known, cell))
    return most + 1


def place_of(G: Rules, s: State, m: Int, arrays: Arrays) -> Int:
    """Where a move's shape is, or is to go."""
    shapes, sides, firsts = ints(arrays, SHAPES), ints(arrays, SIDES), ints(arrays, FIRSTS)
    shape, side, mask = G.shape(s, m), G.to_move(s), ints(arrays, BOARD)[SHAPE_MASK]
    place = (hash_move(shape) + side) & mask
    while firsts[place] >= 0 and (shapes[place] != shape or sides[place] != side):
        place = (place + 1) & mask
    return place


def gather(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Add up the votes in the learner's first `n` places; gives n, or the place that there is no room for."""
    board, states = ints(arrays, BOARD), ints(arrays, STATES)
    moves, values = ints(arrays, MOVES), floats(arrays, VALUES)
    firsts, votes = ints(arrays, FIRSTS), ints(arrays, VOTES)
    anchors, nexts = ints(arrays, ANCHORS), ints(arrays, NEXTS)
    shapes, sides = ints(arrays, SHAPES), ints(arrays, SIDES)
    sums, weights = floats(arrays, SUMS), floats(arrays, WEIGHTS)
    cells, kinds = board[CELLS], board[KINDS]
    for at in range(n):
        value = values[at]
        if value != value or value == 0:
            continue
        if board[SHAPES_TAKEN] == board[SHAPES_ROOM] or board[GROUPS_TAKEN] == board[GROUPS_ROOM]:
            return at
        known = state_at(states, at, s)
        anchor = G.anchor(known, moves[at])
        place = place_of(G, known, moves[at], arrays)
        if firsts[place] < 0:
            shapes[place] = G.shape(known, moves[at])
            sides[place] = G.to_move(known)
            board[SHAPES_TAKEN] += 1
        group = firsts[place]
        while group >= 0 and anchors[group] != anchor:
            group = nexts[group]
        if group < 0:
            group = board[GROUPS_TAKEN]
            board[GROUPS_TAKEN] += 1
            anchors[group] = anchor
            nexts[group] = firsts[place]
            firsts[place] = group
        votes[place] += 1
        sums[group] += value
        for cell in range(cells):
            weights[(group * cells + cell) * kinds + G.piece(known, cell)] += value
    return n


def look(G: Rules, s: State, arrays: Arrays) -> Int:
    """Note what stands on each cell of a position; gives how many cells there are."""
    board, now = ints(arrays, BOARD), ints(arrays, NOW)
    for cell in range(board[CELLS]):
        now[cell] = G.piece(s, cell)
    return board[CELLS]


def vote(G: Rules, s: State, m: Int, arrays: Arrays) -> Float:
    """The sum of the votes for a move, in a position that was looked at."""
    board, now = ints(arrays, BOARD), ints(arrays, NOW)
    columns, rows, cell_at = ints(arrays, COLUMNS), ints(arrays, ROWS), ints(arrays, CELL_AT)
    anchors, nexts, sums = ints(arrays, ANCHORS), ints(arrays, NEXTS), floats(arrays, SUMS)
    weights, unplayed = floats(arrays, WEIGHTS), floats(arrays, UNPLAYED)
    cells, width, height, kinds = board[CELLS], board[WIDTH], board[HEIGHT], board[KINDS]
    to = G.anchor(s, m)
    group = ints(arrays, FIRSTS)[place_of(G, s, m, arrays)]
    total = 0.0
    while group >= 0:
        right = columns[to] - columns[anchors[group]]
        down = rows[to] - rows[anchors[group]]
        total += sums[group] * unplayed[(down + height - 1) * (2 * width - 1) + right + width - 1]
        for cell in range(cells):
            x = columns[cell] + right
            y = rows[cell] + down
            if 0 <= x < width and 0 <= y < height:
                over = cell_at[y * width + x]
                if over >= 0 and now[over] < kinds:
                    total += weights[(group * cells + cell) * kinds + now[over]]
        group = nexts[group]
    return total / (width * height)


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    scores = floats(arrays, SCORES)
    if recall(s, n, work, arrays) == 0:
        look(G, s, arrays)
        for i in range(n):
            votes = ints(arrays, VOTES)[place_of(G, s, work[i], arrays)]
            scores[i] = vote(G, s, work[i], arrays) / votes if votes else 0.0
    return pick_best(scores, n, ints(arrays, SETTINGS)[TIES_PICKED], stream)

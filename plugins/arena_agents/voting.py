"""Kernels of Prior State Voting: what known moves say of a move in a position that is not known.

A known move votes for one of the same shape made by the same player, with its value times the share of the
board that is alike when one move is laid on the other (Algorithm 2 of "Prior State Voting (PSV)"). How alike
is a sum over cells, and of a cell it only matters how far it is from the move's own and what stands there. So
what all known moves say is added up once: for each class of moves, by that offset and that piece. A vote then
costs the same however many moves are known.

By another rule not cells are compared but lines of three cells near the move's own, and each line says how
much better than others of their class those known moves were that had the same three there.
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
    hash_state,
    ints,
    shape_image,
    state_at,
)
from arena_agents.backpropagation import SCORES, TIES_PICKED, recall
from arena_agents.ties import pick_best
from arena_agents.value_table import MOVES, OWN, SETTINGS, STATES, VALUES

# what a variant of this module may change
LINES = 0  # 1: lines of three vote
TABLE = 1  # 0: known positions are voted on as well
TURNS = 1  # in how many ways the board may be turned, not at all being one

# the agent's arrays after those of the learner: of the board, of classes and where they are found, of how the
# board lies on itself, and for a while
BOARD, PLACES, SHAPES, SIDES, VOTES, SUMS, SAID = range(OWN + 2, OWN + 9)
OFFSETS, TURNED, WAYS, UNPLAYED, CELL_AT, THREES, IMAGES = range(OWN + 9, OWN + 16)
NOW, FOUND, TOTALS = range(OWN + 16, OWN + 19)
ASKED, ASKED_MOVE, WANTED, HEAVIEST, HEAVY = range(OWN + 19, OWN + 24)  # to find the votes that weigh most

# of the board: its cells, offsets of one cell from another, sites and patterns on each that SAID has votes of
# (offsets and pieces, or lines and threes of pieces), kinds of pieces with nothing as one, squares, places
# for classes - 1 (they are a power of two), classes there are, how many there may be, moves gathered
CELLS, WIDE, SITES, PATTERNS, KINDS, SQUARES, CLASS_MASK, CLASSES, CLASS_ROOM, GATHERED = range(10)

SUM, COUNT = 0, 1  # of votes: TOTALS, and what SAID has of a site and what stands there
ENTRY, TURN = 0, 1  # of each of the HEAVIEST: the learner's, and the way it is turned
WEIGHT, ALIKE = 0, 1  # and HEAVY: its weight without the sign, and how much is alike
DOUBT = 10.0  # votes for nothing that a mean begins with
LOUD = 0.3  # what a line counts for beside its class


def class_at(shape: Int, side: Int, arrays: Arrays) -> Int:
    """The place where the class of a shape and a player is, or is to go."""
    places, shapes, sides = ints(arrays, PLACES), ints(arrays, SHAPES), ints(arrays, SIDES)
    mask = ints(arrays, BOARD)[CLASS_MASK]
    place = (hash_move(shape) + side) & mask
    while places[place] > 0 and (shapes[places[place] - 1] != shape or sides[places[place] - 1] != side):
        place = (place + 1) & mask
    return place


def enter_classes(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Put the first `n` classes into places that are empty; gives n."""
    places, shapes, sides = ints(arrays, PLACES), ints(arrays, SHAPES), ints(arrays, SIDES)
    for group in range(n):
        places[class_at(shapes[group], sides[group], arrays)] = group + 1
    return n


def look(G: Rules, s: State, arrays: Arrays) -> Int:
    """Note what stands on each cell of a position, for either player; gives how many cells there are."""
    board, now = ints(arrays, BOARD), ints(arrays, NOW)
    cells = board[CELLS]
    for cell in range(cells):
        piece = min(G.piece(s, cell), board[KINDS] - 1)
        now[cell] = piece
        if TURNS > 1:
            now[cells + cell] = ((piece - 1) ^ 1) + 1 if piece > 0 else piece
    return cells


def three(line: Int, anchor: Int, side: Int, arrays: Arrays) -> Int:
    """What stands on a line of three about a cell, as `look` noted it for a side.

    Off the board is a kind too.
    """
    board, threes, cell_at = ints(arrays, BOARD), ints(arrays, THREES), ints(arrays, CELL_AT)
    now, kinds = ints(arrays, NOW), board[KINDS] + 1
    pattern = 0
    for i in range(3):
        cell = cell_at[anchor * board[WIDE] + threes[3 * line + i]]
        pattern = pattern * kinds + (now[side * board[CELLS] + cell] if cell >= 0 else kinds - 1)
    return pattern


def reversed_three(pattern: Int, kinds: Int) -> Int:
    """The same from its other end."""
    return (pattern % kinds * kinds + pattern // kinds % kinds) * kinds + pattern // (kinds * kinds)


def gather(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Add up the votes of the learner's first `n` moves, while there is room for classes; gives how far."""
    board, states, places = ints(arrays, BOARD), ints(arrays, STATES), ints(arrays, PLACES)
    moves, values, offsets = ints(arrays, MOVES), floats(arrays, VALUES), ints(arrays, OFFSETS)
    votes, sums, said = ints(arrays, VOTES), floats(arrays, SUMS), floats(arrays, SAID)
    now, cells, sites, patterns = ints(arrays, NOW), board[CELLS], board[SITES], board[PATTERNS]
    for at in range(board[GATHERED], n):
        value = values[at]
        if value != 0:
            known = state_at(states, at, s)
            shape, side = G.shape(known, moves[at]), G.to_move(known)
            place = class_at(shape, side, arrays)
            if places[place] == 0:
                if board[CLASSES] == board[CLASS_ROOM]:
                    board[GATHERED] = at
                    return at
                ints(arrays, SHAPES)[board[CLASSES]] = shape
                ints(arrays, SIDES)[board[CLASSES]] = side
                board[CLASSES] += 1
                places[place] = board[CLASSES]
            group = places[place] - 1
            anchor = G.anchor(known, moves[at])
            votes[group] += 1
            sums[group * cells + anchor] += value
            look(G, known, arrays)
            for site in range(sites if LINES else cells):
                if LINES:
                    i = (group * sites + site) * patterns + three(site, anchor, 0, arrays)
                else:
                    i = (group * sites + offsets[anchor * cells + site]) * patterns + now[site]
                said[2 * i + SUM] += value
                said[2 * i + COUNT] += 1.0
    board[GATHERED] = n
    return n


def find(G: Rules, s: State, m: Int, arrays: Arrays) -> Int:
    """Put the class of a move for each way to turn the board into FOUND, -1 = none; gives all their votes."""
    places, votes = ints(arrays, PLACES), ints(arrays, VOTES)
    ways, found = ints(arrays, WAYS), ints(arrays, FOUND)
    shape, side = G.shape(s, m), G.to_move(s)
    total = 0
    for turn in range(TURNS):
        image = shape_image(G, shape, ways[turn]) if TURNS > 1 else shape
        found[turn] = places[class_at(image, side ^ (ways[turn] >> 3), arrays)] - 1
        if found[turn] >= 0:
            total += votes[found[turn]]
    return total


def poll(G: Rules, s: State, m: Int, arrays: Arrays) -> Float:
    """What the votes say of a move, 0 without any, in a position that was looked at.

    TOTALS has their sum and number.
    """
    board, now, found = ints(arrays, BOARD), ints(arrays, NOW), ints(arrays, FOUND)
    offsets, turned, ways = ints(arrays, OFFSETS), ints(arrays, TURNED), ints(arrays, WAYS)
    sums, said, totals = floats(arrays, SUMS), floats(arrays, SAID), floats(arrays, TOTALS)
    cells, wide, sites, patterns = board[CELLS], board[WIDE], board[SITES], board[PATTERNS]
    votes = find(G, s, m, arrays)
    totals[SUM] = 0.0
    totals[COUNT] = float(votes)
    if votes == 0:
        return 0.0
    to = G.anchor(s, m)
    total = 0.0
    if LINES:
        images = ints(arrays, IMAGES)
        for turn in range(TURNS):
            if found[turn] >= 0:
                for anchor in range(cells):
                    total += sums[found[turn] * cells + anchor]
        totals[SUM] = total
        mean = total / votes
        score = total / (votes + DOUBT)
        for line in range(sites):
            better = 0.0
            number = DOUBT
            for turn in range(TURNS):
                image = images[turn * sites + line]
                if found[turn] >= 0:
                    pattern = three(line, to, ways[turn] >> 3, arrays)
                    if image & 1:
                        pattern = reversed_three(pattern, board[KINDS] + 1)
                    i = (found[turn] * sites + (image >> 1)) * patterns + pattern
                    better += said[2 * i + SUM] - mean * said[2 * i + COUNT]
                    number += said[2 * i + COUNT]
            score += LOUD * better / number
        return score
    unplayed = floats(arrays, UNPLAYED)
    for turn in range(TURNS):
        group = found[turn]
        if group >= 0:
            side = (ways[turn] >> 3) * cells
            for cell in range(cells):
                offset = turned[turn * wide + offsets[to * cells + cell]]
                total += said[2 * ((group * sites + offset) * patterns + now[side + cell]) + SUM]
            for anchor in range(cells):
                total += sums[group * cells + anchor] * unplayed[(turn * cells + to) * cells + anchor]
    totals[SUM] = total / board[SQUARES]
    return totals[SUM] / votes


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    scores = floats(arrays, SCORES)
    if not TABLE or recall(s, hash_state(s), n, work, 0, arrays, 0) == 0:
        look(G, s, arrays)
        for i in range(n):
            scores[i] = poll(G, s, work[i], arrays)
    return pick_best(scores, n, ints(arrays, SETTINGS)[TIES_PICKED], stream)


# --- which votes weigh most -------------------------------------------------------------------------------


def want(G: Rules, s: State, m: Int, arrays: Arrays) -> Int:
    """Note in WANTED what would be alike on each site, by way to turn the board, and last the move's anchor.

    The position was looked at. Gives the number of votes for the move, whose classes FOUND has then.
    """
    board, now, ways, wanted = (
        ints(arrays, BOARD),
        ints(arrays, NOW),
        ints(arrays, WAYS),
        ints(arrays, WANTED),
    )
    offsets, turned, images = ints(arrays, OFFSETS), ints(arrays, TURNED), ints(arrays, IMAGES)
    cells, wide, sites, to = board[CELLS], board[WIDE], board[SITES], G.anchor(s, m)
    for i in range(TURNS * sites):
        wanted[i] = -1
    wanted[TURNS * sites] = to
    for turn in range(TURNS):
        side = ways[turn] >> 3
        if LINES:
            for line in range(sites):
                image = images[turn * sites + line]
                if image >= 0:
                    pattern = three(line, to, side, arrays)
                    if image & 1:
                        pattern = reversed_three(pattern, board[KINDS] + 1)
                    wanted[turn * sites + (image >> 1)] = pattern
        else:
            for cell in range(cells):
                offset = turned[turn * wide + offsets[to * cells + cell]]
                wanted[turn * sites + offset] = now[side * cells + cell]
    return find(G, s, m, arrays)


def likeness(anchor: Int, turn: Int, arrays: Arrays) -> Float:
    """The share of the board, or of lines, that is wanted and found in a position that was looked at."""
    board, now, wanted = ints(arrays, BOARD), ints(arrays, NOW), ints(arrays, WANTED)
    offsets, cells, sites = ints(arrays, OFFSETS), board[CELLS], board[SITES]
    alike = 0
    if LINES:
        for line in range(sites):
            if wanted[turn * sites + line] == three(line, anchor, 0, arrays):
                alike += 1
        return alike / sites
    for cell in range(cells):
        if wanted[turn * sites + offsets[anchor * cells + cell]] == now[cell]:
            alike += 1
    to = wanted[TURNS * sites]
    return (alike + floats(arrays, UNPLAYED)[(turn * cells + to) * cells + anchor]) / board[SQUARES]


def keep(entry: Int, turn: Int, weight: Float, alike: Float, kept: Int, most: Int, arrays: Arrays) -> Int:
    """Put a vote among the heaviest, behind those that weigh as much; gives how many there are then."""
    heaviest, heavy = ints(arrays, HEAVIEST), floats(arrays, HEAVY)
    if kept == most:
        kept -= 1
    place = kept
    while place > 0 and heavy[2 * (place - 1) + WEIGHT] < weight:
        for i in range(2):
            heaviest[2 * place + i] = heaviest[2 * (place - 1) + i]
            heavy[2 * place + i] = heavy[2 * (place - 1) + i]
        place -= 1
    heaviest[2 * place + ENTRY] = entry
    heaviest[2 * place + TURN] = turn
    heavy[2 * place + WEIGHT] = weight
    heavy[2 * place + ALIKE] = alike
    return kept + 1


def weigh(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Put the `n` heaviest votes for the move ASKED about into HEAVIEST and HEAVY; gives how many there are.

    A vote weighs its value times the share of the board that is alike; with LINES, of the lines. As heavy
    ones stay in the order of the table. TOTALS has the number of all votes.
    """
    asked = state_at(ints(arrays, ASKED), 0, s)
    look(G, asked, arrays)
    floats(arrays, TOTALS)[COUNT] = float(want(G, asked, ints(arrays, ASKED_MOVE)[0], arrays))
    board, states, places = ints(arrays, BOARD), ints(arrays, STATES), ints(arrays, PLACES)
    moves, values, found = ints(arrays, MOVES), floats(arrays, VALUES), ints(arrays, FOUND)
    heavy = floats(arrays, HEAVY)
    kept = 0
    for at in range(board[GATHERED]):
        value = abs(values[at])
        if value > 0 and (kept < n or value > heavy[2 * (n - 1) + WEIGHT]):  # which it can outweigh
            known = state_at(states, at, s)
            group = places[class_at(G.shape(known, moves[at]), G.to_move(known), arrays)] - 1
            looked = False
            for turn in range(TURNS):
                if found[turn] == group:
                    if not looked:
                        look(G, known, arrays)
                        looked = True
                    alike = likeness(G.anchor(known, moves[at]), turn, arrays)
                    if kept < n or value * alike > heavy[2 * (n - 1) + WEIGHT]:
                        kept = keep(at, turn, value * alike, alike, kept, n, arrays)
    return kept

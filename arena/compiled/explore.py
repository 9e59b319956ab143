"""All positions that play can reach, breadth first, and the moves between them."""

from __future__ import annotations

from arena.index import place_for, put, seek
from arena.kernel import Int, Ints, Rules, hash_state, pointer, put_state, state_at

# how far it has got: positions whose moves were found, positions, moves, plies from the start of the position
# whose moves come next, and the first position that is a ply further
EXPANDED, FOUND, MOVES, PLY, NEXT_PLY = range(5)


def explore(
    G: Rules,
    most: Int,
    reached: Ints,
    index: Ints,
    states: Ints,
    first: Ints,
    movers: Ints,
    values: Ints,
    moves: Ints,
    after: Ints,
    work: Ints,
) -> Int:
    """Go on from where `reached` says, until all is found, or more than `most` positions, or room runs out.

    Gives 1 when all is found, else 0. See `arena.graph.Graph` for what is written. work: int64 [G.MAX_MOVES].
    """
    mask = len(index) - 1
    s = G.initial()
    if reached[FOUND] == 0:
        put_state(pointer(states), 0, s)
        put(place_for(hash_state(s), 0), pointer(index), mask)
        reached[FOUND] = 1
        reached[NEXT_PLY] = 1
    position = reached[EXPANDED]
    found = reached[FOUND]
    edges = reached[MOVES]
    while position < found and found <= most:
        s = state_at(pointer(states), position, s)
        n: int = G.moves(s, pointer(work), 0)
        if found + n > len(movers) or edges + n > len(moves):
            break
        if position == reached[NEXT_PLY]:
            reached[PLY] += 1
            reached[NEXT_PLY] = found
        first[position] = edges
        movers[position] = G.to_move(s)
        values[position] = 0
        if n == 0:
            values[position] = G.value(s)
        for i in range(n):
            child = G.play(s, work[i])
            hashed = hash_state(child)
            entry = seek(hashed, child, mask, pointer(index), pointer(states))
            if entry < 0:
                index[~entry] = place_for(hashed, found)
                put_state(pointer(states), found, child)
                entry = found
                found += 1
            moves[edges] = work[i]
            after[edges] = entry
            edges += 1
        position += 1
    reached[EXPANDED] = position
    reached[FOUND] = found
    reached[MOVES] = edges
    if position < found:
        return 0
    first[position] = edges
    return 1


def enter(G: Rules, n: Int, index: Ints, states: Ints) -> Int:
    """Enter the first `n` positions into an empty index; gives n."""
    s = G.initial()
    for position in range(n):
        hashed = hash_state(state_at(pointer(states), position, s))
        put(place_for(hashed, position), pointer(index), len(index) - 1)
    return n

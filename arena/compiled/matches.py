"""Whole matches between agents that have kernels, as `arena.match.play_match` plays them, in blocks.

A match is played here exactly as there: the same seeds, openings, draws and moves. Whatever here goes
wrong or is odd, such as a choice that is no move, is left to be played there, where faults are handled.
"""

from __future__ import annotations

from arena.kernel import (
    Arrays,
    Int,
    IntPointer,
    Ints,
    Rules,
    State,
    alternating,
    ask,
    clock,
    ints,
    is_state,
    number,
    pointer,
    progress,
    put_state,
)
from arena.rng import below, mix

# terms, what holds for all matches of a plan
OPENING_SEED, OPENING_PLIES, REPETITION, QUIET_PLIES, MAX_PLIES, PAIRINGS, KEEP = range(7)
TERMS = 7

# of each pairing: its seed, whether it can be played here, then choose and begin of either seat, 0 = none
SEED, PLAYABLE, CHOOSE, BEGIN = range(4)
PAIRING = 6

# a row of results: as in `Record`; where the moves begin in the trace, -1 if they are not kept
RESULT, REASON, PLIES, OPENING, CHANCE, FIRST_NS, SECOND_NS, MOVES = range(8)
COLUMNS = 8
REASONS = ("rules", "repetition", "no capture", "max plies")
ELSEWHERE = -1  # a reason: to be played in plain Python

# the mark that is watched from outside, see `arena.watch`
NUMBER, SEAT, BEATS = 1, 2, 3
RULES = 2

OPENING_TRIES = 1000


def open_randomly(
    G: Rules, seed: Int, plies: Int, work: IntPointer, opened: IntPointer, stream: IntPointer
) -> Int:
    """Write random moves that leave a match to be played to `opened`; how many, or -1 if none are found."""
    stream[0] = seed
    stream[1] = 0
    for _ in range(OPENING_TRIES):
        s = G.initial()
        n: int = G.moves(s, work, 0)
        ply = 0
        while n > 0 and ply < plies:
            move = work[below(stream, n)]
            opened[ply] = move
            ply += 1
            s = G.play(s, move)
            n = G.moves(s, work, 0)
        if n > 0:
            return ply
    return -1


def times_seen(s: State, past: IntPointer, kept: Int) -> Int:
    """How many of the `kept` positions in `past` are this one."""
    times = 0
    for i in range(kept):
        times += is_state(past, i, s)
    return times


def play_match(
    G: Rules,
    opening: Int,
    terms: IntPointer,
    pairings: IntPointer,
    k: Int,
    players: Arrays,
    memory: Arrays,
    trace: IntPointer,
    at: Int,
    results: IntPointer,
    row: Int,
    mark: IntPointer,
) -> Int:
    """Play one match and fill in its row of results; how many plies, or -1: to be played in plain Python.

    opening: how many moves it begins with that no agent chose. at: where its moves go in the trace.
    """
    work, past, opened = ints(memory, 0), ints(memory, 1), ints(memory, 2)
    stream0, stream1 = ints(memory, 3), ints(memory, 4)
    arrays0, arrays1 = ints(players, 2 * k), ints(players, 2 * k + 1)
    choose0, choose1 = pairings[k * PAIRING + CHOOSE], pairings[k * PAIRING + CHOOSE + 2]
    begin0, begin1 = pairings[k * PAIRING + BEGIN], pairings[k * PAIRING + BEGIN + 2]
    watching = terms[REPETITION] > 0 or terms[QUIET_PLIES] > 0
    clocked = terms[KEEP] > 0
    s = G.initial()
    if begin0 != 0:
        mark[SEAT] = 0
        ask(begin0, G, s, number(0), work, stream0, arrays0)
    if begin1 != 0:
        mark[SEAT] = 1
        ask(begin1, G, s, number(1), work, stream1, arrays1)
    mark[SEAT] = RULES
    kept = 0
    if watching:
        put_state(past, 0, s)
        kept = 1
    quiet = 0
    plies = 0
    seat: int = G.to_move(s)
    before = 0
    times0 = 0
    times1 = 0
    while True:
        n: int = G.moves(s, work, 0)
        if not alternating(G):
            seat = G.to_move(s)
        if n == 0:
            value: int = G.value(s)
            if value < -1 or value > 1:
                return -1
            results[row + RESULT] = value if seat == 0 else -value
            results[row + REASON] = 0
            break
        if plies < opening:
            move = opened[plies]
        else:
            if watching and times_seen(s, past, kept) == terms[REPETITION]:
                results[row + RESULT] = 0
                results[row + REASON] = 1
                break
            if watching and quiet >= terms[QUIET_PLIES] > 0:
                results[row + RESULT] = 0
                results[row + REASON] = 2
                break
            if plies >= terms[MAX_PLIES]:
                results[row + RESULT] = 0
                results[row + REASON] = 3
                break
            mark[SEAT] = seat
            mark[BEATS] += 1
            if clocked:
                before = clock()
            if seat == 0:
                chosen = ask(choose0, G, s, n, work, stream0, arrays0)
            else:
                chosen = ask(choose1, G, s, n, work, stream1, arrays1)
            mark[SEAT] = RULES
            if clocked:
                taken = clock() - before
                if seat == 0:
                    times0 += taken
                else:
                    times1 += taken
            if chosen < 0 or chosen >= n:
                return -1
            move = work[chosen]
        if watching:
            step = progress(G, s, move)
            if step > 0:
                kept = 0
            quiet = 0 if step == 2 else quiet + 1
        s = G.play(s, move)
        if watching:
            put_state(past, kept, s)
            kept += 1
        trace[at + plies] = move
        plies += 1
        if alternating(G):
            seat = 1 - seat
    results[row + PLIES] = plies
    results[row + OPENING] = opening
    results[row + CHANCE] = 1 if stream0[1] + stream1[1] > 0 else 0
    results[row + FIRST_NS] = times0
    results[row + SECOND_NS] = times1
    results[row + MOVES] = -1
    return plies


def play_matches(
    G: Rules,
    start: Int,
    stop: Int,
    terms: Ints,
    pairings: Ints,
    players: Ints,
    memory: Ints,
    trace: Ints,
    results: Ints,
    mark: Ints,
) -> Int:
    """Play the matches from `start` up to `stop`, or to where the trace is full; the number after the last.

    players: the arrays of each pairing's two seats. memory: arrays to work with, 0 for moves, 1 for
    positions, 2 for the opening, 3 and 4 for a stream of random numbers of either seat. trace: gets the
    moves, with terms[KEEP] of all matches, else of those without chance. results: a row for each match.
    """
    arrays = pointer(memory)
    work = ints(arrays, 0)
    opened = ints(arrays, 2)
    opening = 0
    opened_round = -1
    at = 0
    for match in range(start, stop):
        round = match // terms[PAIRINGS]
        k = match - round * terms[PAIRINGS]
        row = (match - start) * COLUMNS
        results[row + REASON] = ELSEWHERE
        if pairings[k * PAIRING + PLAYABLE] == 0:
            continue
        if at + terms[MAX_PLIES] > len(trace):
            return match
        mark[NUMBER] = match
        if terms[OPENING_PLIES] > 0 and round != opened_round:
            opened_round = round
            seed = mix(mix(mix(terms[OPENING_SEED]) ^ round))
            opening = open_randomly(G, seed, terms[OPENING_PLIES], work, opened, ints(arrays, 3))
        if opening < 0:
            continue
        seed = mix(mix(mix(pairings[k * PAIRING + SEED]) ^ round))
        for seat in range(2):
            stream = ints(arrays, 3 + seat)
            stream[0] = mix(mix(mix(seed) ^ seat))
            stream[1] = 0
        plies = play_match(
            G, opening, pointer(terms), pointer(pairings), k, pointer(players), arrays, pointer(trace), at,
            pointer(results), row, pointer(mark),
        )  # fmt: skip
        if plies >= 0 and (terms[KEEP] > 0 or results[row + CHANCE] == 0):
            results[row + MOVES] = at
            at += plies
    return stop

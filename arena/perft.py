"""Counting lines of play, which tests rules against published counts."""

from __future__ import annotations

from collections.abc import Iterator

from arena.game import Game, State

MANY = 50_000  # positions, from which on compiling pays


def perft(game: Game, state: State, depth: int) -> Iterator[int]:
    """How many lines of play of 1, 2, … `depth` plies begin at `state`.

    In plain Python lines that meet in a position go on together; where there are many positions, and
    the game's rules compile, compiled code counts each line.
    """
    lines = {state: 1}
    for ply in range(1, depth + 1):
        if len(lines) > MANY:
            from arena.compiled import engine, perft

            if compiled := engine(game):
                count = compiled.kernels(perft, "perft").perft
                work = compiled.ints(depth * game.max_moves)
                yield from (count(state, deeper, work) for deeper in range(ply, depth + 1))
                return
        after: dict[State, int] = {}
        total = 0
        for position, ways in lines.items():
            moves = game.moves(position)
            total += ways * len(moves)
            for move in moves if ply < depth else ():
                reached = game.play(position, move)
                after[reached] = after.get(reached, 0) + ways
        yield total
        lines = after

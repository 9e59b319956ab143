"""Matches of a game or an agent, and whether they go the same way in another process and later on."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, TypeVar

from arena.api.agent import Agent
from arena.api.game import Game, Move, State
from arena.rng import Rng, derive
from arena.testing.blame import blaming

PLIES = 300  # matches are compared up to here

Asked = list[list[tuple[State, Any]]]  # match by match: a position, and what was answered there
Found = TypeVar("Found")


def random_match(game: Game, seed: int) -> Iterator[State]:
    """The positions of a random match to its end, or to max_plies."""
    rng = Rng(seed)
    state = game.initial()
    yield state
    for _ in range(game.max_plies):
        if not (moves := game.moves(state)):
            return
        state = game.play(state, moves[rng.below(len(moves))])
        yield state


def random_matches(game: Game, seeds: Sequence[int]) -> Asked:
    """Of random matches: each position and its moves."""
    return [[(state, game.moves(state)) for state in islice(random_match(game, s), PLIES)] for s in seeds]


def agent_matches(make: Callable[[], Agent], seeds: Sequence[int]) -> Asked:
    """Of an agent's matches against random moves, from both seats by turns: each position and its move."""
    agent = make()
    return [agent_match(agent, number % 2, seed) for number, seed in enumerate(seeds)]


def agent_match(agent: Agent, seat: int, seed: int, plies: int = PLIES) -> list[tuple[State, Move]]:
    game = agent.game
    streams = Rng(derive(seed, 0)), Rng(derive(seed, 1))
    asked = []
    agent.begin(seat)
    state = game.initial()
    for _ in range(min(game.max_plies, plies)):
        if not (moves := game.moves(state)):
            break
        mover = game.to_move(state)
        if mover == seat:
            with blaming(type(agent), state):
                given = list(moves)
                move = agent.choose(state, given, streams[seat])
                assert move in moves, f"plays {move!r}, none of the moves {moves!r}"
                assert given == moves, "changes the list of moves that it is given"
            asked.append((state, move))
        else:
            move = moves[streams[mover].below(len(moves))]
        state = game.play(state, move)
    return asked


def check_irreversible(game: Game, seed: int) -> None:
    """In a random match no position comes again from before a move that is said to be irreversible."""
    past: set[State] = set()
    gone: set[State] = set()
    for state, after in pairwise(islice(random_match(game, seed), PLIES)):
        move = next(move for move in game.moves(state) if game.play(state, move) == after)
        with blaming(game, state):
            step = game.irreversible(state, move)
            assert step in (0, 1, 2), f"irreversible of {move!r} is {step!r}, not 0, 1 or 2"
            past.add(state)
            if step:
                gone, past = gone | past, set()
            assert after not in gone, f"{move!r} brings back a position from before an irreversible move"


def compare(thing: Any, first: Asked, second: Asked, does: str, when: str) -> None:
    """AssertionError at the first position where the answers differ."""
    for one, other in zip(first, second, strict=True):
        for (state, answer), (_, changed) in zip(one, other, strict=False):
            with blaming(thing, state):
                assert changed == answer, f"{does} {answer!r} at first, and {changed!r} {when}"


def in_another_process(thing: Any, function: Callable[..., Found], *args: Any) -> Found:
    """What a function gives in a new process, where sets of texts have another order."""
    if thing.__module__ == "__main__":  # typed in, and so nowhere else
        return function(*args)
    with blaming(thing):
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE],
            input=pickle.dumps(sys.path) + pickle.dumps((function, args)),
            env={**os.environ, "PYTHONHASHSEED": "1"},
            capture_output=True,
        )
        said = done.stderr.decode(errors="replace").split("\n")[-2:]
        assert done.returncode == 0, f"fails in another process: {said[0]}"
        found: Found = pickle.loads(done.stdout)
    return found


ELSEWHERE = """
import pickle, sys
answer, sys.stdout = sys.stdout.buffer, sys.stderr
sys.path[:] = pickle.load(sys.stdin.buffer)
function, args = pickle.load(sys.stdin.buffer)
pickle.dump(function(*args), answer)
"""

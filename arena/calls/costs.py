"""The time spent on the moves and the training of entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from arena.calls.results import Leaderboard
from arena.ratings.pool import Pool
from arena.results.cost import Cost
from arena.storage.database import Store


def costs_of(store: Store, pool: Pool) -> dict[str, Cost]:
    """Return the costs of the contestants of a pool, by contestant, for those with recorded costs."""
    found: dict[str, Cost] = {}
    for t in pool.tournaments:
        here = {name: Cost(seconds, moves) for name, seconds, moves in store.efforts(t.id)}
        for name, learned in store.learned(t.id).items():
            training = sum(one.episodes for one in learned), sum(one.seconds for one in learned)
            here[name] = here.get(name, Cost()).and_of(Cost(0.0, 0, *training))
        for name, cost in here.items():
            if contestant := pool.contestants.names.get((t.id, name)):
                found[contestant] = found.get(contestant, Cost()).and_of(cost)
    return found


def with_costs(board: Leaderboard, costs: Mapping[str, Cost]) -> Leaderboard:
    """Return a leaderboard with the costs of its entries."""
    rows = []
    for row in board.rows:
        cost = costs.get(row.entry, Cost())
        seconds, episodes = (cost.training, cost.episodes) if cost.episodes else (None, None)
        rows.append(replace(row, move_seconds=cost.per_move, training_seconds=seconds, episodes=episodes))
    return replace(board, rows=rows)

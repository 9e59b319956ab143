"""A worker keeps the agents that it plays with, and not all that it has ever played with."""

from __future__ import annotations

from contextvars import copy_context
from dataclasses import replace

from arena.matches.block import INSTANCES, OTHERS, play_block
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.settings import settings_of
from arena.results.tally import Summary
from arena.workers.worker import Worker, current, own_watch


def test_agents_of_other_plans_are_dropped_once_they_are_many(monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "0")
    asked = {"game": "tic-tac-toe", "entries": ["random", "random"], "format": "match", "matches": 2}
    plan = complete(settings_of(asked), registry())[1]
    worker = Worker(own_watch)

    def kept():
        current.set(worker)
        for nodes in range(1, 40):
            texts = "random", f"alpha-beta:nodes={nodes}"
            entries = tuple(registry().spec("agent", text) for text in texts)
            play_block(replace(plan, entries=entries), range(2), Summary)
        return [*worker.kept[INSTANCES]]

    keys = copy_context().run(kept)
    assert len(keys) <= OTHERS + 4 + 4
    assert ("tic-tac-toe", None) in [(key[0], key[2]) for key in keys]
    assert {"random", "alpha-beta:nodes=39"} <= {key[0] for key in keys}

"""Training goes in slices, wherever it is done."""

from __future__ import annotations

import arena
from arena.workers.pools import Serial

EPISODES = 2000


class Counting(Serial):
    """Counts what it is given to do."""

    tasks = 0

    def submit(self, fn, /, *args, **kwargs):
        Counting.tasks += 1
        return super().submit(fn, *args, **kwargs)


def test_a_slice_in_this_process_has_as_many_episodes_as_its_time_has_room_for(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path))
    found = arena.train(f"q-table:episodes={EPISODES}", game="tic-tac-toe", executor=Counting, workers=1)
    assert found.about.episodes == EPISODES
    assert 1 < Counting.tasks < EPISODES / 10

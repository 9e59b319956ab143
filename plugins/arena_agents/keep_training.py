"""Training that goes on during play: kernels in `practice`, options here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena import option
from arena.index import places
from arena.kernel import States, variant
from arena_agents import backpropagation, practice
from arena_agents.over_table import OverTable
from arena_agents.value_table import OWN

ENTRIES = 1 << 17  # of what it learns in a match; when they are used up it begins with none again


class KeepTraining(OverTable):
    """Plays as its learner where that knows the position, else first plays games against itself from there.

    What these teach is laid over the learner's table for the rest of the match. Keep training, in "Prior
    State Voting (PSV)", the sign of whose rewards is mended here.
    """

    games: int = option(100, "how many games it plays from a position that it does not know", low=1)
    lists = 2

    def prepare(self) -> None:
        super().prepare()
        over = variant(backpropagation, {**self.teacher.constants(), "OVERLAY": 1})
        self.kernel = variant(
            practice, {name: getattr(over, name) for name in ("recall_all", "play_and_learn")}
        )

    def arrays(self) -> Sequence[Any]:
        teacher, room = self.teacher, ENTRIES + self.game.max_plies
        index = np.zeros(places(room), np.int64)
        table = index, States(room), np.zeros(room, np.int64), np.zeros(room), ()
        settings = [len(index) - 1, 0, room, self.game.max_plies, *teacher.own_settings()]
        settings[backpropagation.EPISODES] = self.games
        return settings, *table, *teacher.arrays_for(self.game.max_plies), *teacher.player.arrays[:OWN]

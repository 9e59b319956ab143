"""The words in which a season compares versions."""

from __future__ import annotations

import pytest

from arena.commands.season.view import verb
from arena.storage.season import Step


@pytest.mark.parametrize(
    ("difference", "low", "high", "sure", "said"),
    [
        (90.0, 40.0, 150.0, True, "rose above"),
        (-90.0, -150.0, -40.0, True, "fell below"),
        (90.0, 4.0, 150.0, False, "seems better than"),
        (-140.0, -291.0, -4.0, False, "seems worse than"),
        (-24.0, -265.0, 213.0, False, "is not significantly better or worse than"),
        (90.0, 4.0, None, False, "seems better than"),
        (90.0, None, 150.0, False, "is not significantly better or worse than"),
    ],
)
def test_what_is_said_agrees_with_the_interval_beside_it(difference, low, high, sure, said):
    assert verb(Step(2, 5, 1, difference, low, high, sure)) == said

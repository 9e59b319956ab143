"""Each of many ways in which a learner goes wrong is told as its own, and costs its own matches alone."""

from __future__ import annotations

import os
import re

import pytest

import gauntlet
from bad_learners import FAILING, FORFEITING, LEARNERS, SOUND, plugin_source
from records import check_sums

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="needs signals and /proc"), pytest.mark.slow]


@pytest.mark.parametrize("compiled", [pytest.param(0, marks=pytest.mark.campaign), 1])
def test_a_learners_fault_costs_its_own_matches(plugin, tmp_path, compiled):
    env = plugin(learners=plugin_source(), gauntlet=gauntlet.GAUNTLET) | {
        "ARENA_MODELS": str(tmp_path / "models")
    }
    found = gauntlet.play(tmp_path, env, "cells", LEARNERS, ("random", "first"), 8.0, compiled, 4)
    assert found.status == 0, found.said
    assert "Traceback" not in found.said
    assert not found.running
    assert not found.temporary
    check_sums(found.database)
    for name, (_, detail) in FAILING.items():
        told = re.search(rf"^Warning: {name} failed while learning: (.*); it will forfeit$", found.said, re.M)
        assert told, name
        assert re.fullmatch(rf"{detail}(, at [^ ]*:\d+ in \w+)?", told[1]), (name, told[1])
        assert all(lost and reason in ("crash", "stall") for lost, reason, *_ in found.of(name)), name
    for name in SOUND:
        assert {reason for _, reason, *_ in found.of(name)} == {"rules"}, name
    for name, (_, reason, detail) in FORFEITING.items():
        for lost, why, how, _ in found.of(name):
            assert (lost, why) == (True, reason), name
            assert re.fullmatch(detail, how), (name, how)

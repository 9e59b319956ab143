"""Each of many ways in which an agent goes wrong costs itself what it should, and nobody else anything."""

from __future__ import annotations

import os
import re

import pytest

import bad_agents
import gauntlet
from bad_agents import AGENTS, DELIBERATE, STALLS, TYPICAL
from records import check_sums

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals and /proc")

SOON = {name: bad for name, bad in AGENTS.items() if name not in STALLS}
SOME = {name: AGENTS[name] for name in TYPICAL}
NATIVE = {  # where it matters whether an agent may run compiled
    name: bad for table in (bad_agents.ILLEGAL, bad_agents.MISSHAPEN) for name, bad in [*table.items()][::4]
} | SOME


def check(found, expected, table):
    """Every fault is its agent's, told as it should be; all other matches are as they were expected."""
    assert found.status == 0, found.said
    assert "Traceback" not in found.said
    assert not found.running
    assert not found.temporary
    check_sums(found.database)
    faults = {name: bad for name, bad in table.items() if bad.reason}
    for name, bad in faults.items():
        for lost, reason, detail, _ in found.of(name):
            assert (lost, reason) == (True, bad.reason), (name, reason, detail)
            assert re.fullmatch(bad.detail, detail), (name, detail)
            assert len(detail) <= 500
    for pair, record in expected.records.items():
        if not faults.keys() & set(pair):
            assert found.records[pair] == record, pair


@pytest.fixture(scope="module")
def against(plugin, tmp_path_factory):
    """What came of these agents, and of harmless ones of the same names."""

    def play(game, compiled, table, innocent=gauntlet.INNOCENT, stall=100.0, workers=3):
        for agents in (table, gauntlet.harmless(table)):
            env = plugin(**gauntlet.plugins(agents))
            folder = tmp_path_factory.mktemp("gauntlet")
            yield gauntlet.play(folder, env, game, table, innocent, stall, compiled, workers)

    return play


@pytest.mark.slow
def test_what_goes_wrong_most_costs_its_agent_alone(against):
    check(*against("letters", 0, SOME, ("first", "careful")), SOME)


@pytest.mark.parametrize("game", ["tic-tac-toe", "letters"])
@pytest.mark.campaign
def test_whatever_goes_wrong_costs_its_agent_alone(against, game):
    check(*against(game, 0, SOON), SOON)


@pytest.mark.slow
def test_the_same_where_the_others_run_compiled(against):
    check(*against("cells", 1, NATIVE), NATIVE)


@pytest.mark.parametrize(
    "compiled", [pytest.param(0, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.campaign)]
)
def test_what_goes_on_for_ever_costs_its_agent_alone(against, compiled):
    found, expected = against("tic-tac-toe", compiled, STALLS, ("random",), 5.0, 2 * len(STALLS))
    check(found, expected, STALLS)


@pytest.mark.parametrize("name", DELIBERATE)
@pytest.mark.slow
def test_what_is_done_on_purpose_leaves_nothing_behind(plugin, tmp_path, name):
    """What it costs others is for `--isolate` to prevent."""
    env = plugin(**gauntlet.plugins({name: DELIBERATE[name]}))
    found = gauntlet.play(tmp_path, env, "letters", [name])
    assert found.status in (0, 1)
    assert "Traceback" not in found.said
    assert not found.running
    assert not found.temporary

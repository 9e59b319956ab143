"""Replays of recorded matches, and differences between replay and record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from arena.api.reasons import FORFEITS
from arena.api.spec import Spec
from arena.commands.verify.rules import Wrong, ended
from arena.matches.driver import play
from arena.plan.plan import Plan
from arena.registry.files import files_in
from arena.results.record import Record
from arena.results.records import Records
from arena.workers.pools import Pool

BY_TIME = ("clock", "stall")  # reasons that depend on the speed of the machine


def again(plan: Plan, records: Mapping[int, Record], pool: Pool) -> Iterator[tuple[int, Record]]:
    """Replay recorded matches, and yield the number and the record of each replay.

    Agents from files play in a sandbox.
    """
    files = {i for i, spec in enumerate(plan.entries) if files_in(spec)}
    plan = replace(plan, isolated=plan.isolated | files)
    numbers = [range(number, number + 1) for number in sorted(records)]
    for played in play(plan, numbers, pool, Records):
        for record in played:
            yield record.number, record


def difference(recorded: Record, played: Record, entries: tuple[Spec, Spec]) -> Wrong | None:
    """Return how a replay differs from the recorded match; None if it agrees.

    Times and details of forfeits are not compared.

    Args:
        recorded: The recorded match.
        played: The replay.
        entries: First and second player.
    """
    if recorded.start != played.start:
        starts = recorded.start or "the game's own", played.start or "the game's own"
        return Wrong(f"its start is recorded as {starts[0]}, and was {starts[1]}", None, *starts)
    words, others = recorded.moves.split(), played.moves.split()
    both = min(len(words), len(others))
    at = next((i for i in range(both) if words[i] != others[i]), both)
    if at < both:
        text = f"ply {at + 1} is recorded as {words[at]}, but the replay played {others[at]}"
        return Wrong(text, at + 1, words[at], others[at])
    end, other = (ended(record.result, record.reason) for record in (recorded, played))
    if len(words) != len(others) or end != other:
        failed = ""
        if played.reason in FORFEITS:
            failed = f" ({entries[0 if played.result < 0 else 1].text}: {played.detail})"
        plies = f" after {len(words)} plies", f" after {len(others)} plies"
        told = f"it is recorded as {end}{plies[0]}, and was {other}{plies[1]} again{failed}"
        return Wrong(told, None, end + plies[0], other + plies[1])
    if recorded.opening != played.opening or recorded.plies != played.plies:
        return Wrong(f"its opening is recorded as {recorded.opening} plies, and was {played.opening}")
    recorded = recorded.as_played()
    if recorded.chance != played.chance and recorded.reason not in FORFEITS:
        drew = {0: "no agent drew", 1: "an agent drew"}
        told = f"it is recorded that {drew[recorded.chance]} a random number, and {drew[played.chance]} one"
        return Wrong(told, None, drew[recorded.chance], drew[played.chance])
    return None

"""Control variates for matches of two entries: scores corrected for luck in the choice of moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

import numpy as np

from arena.analysis.luck import Question, decisions_of
from arena.api.spec import Spec
from arena.calls.execution import Execution
from arena.errors import Stopped
from arena.plan.plan import Plan
from arena.ratings.control_variates import Controlled
from arena.results.record import Record

STOPPED = "Stopped before all moves were judged."


def controlled(
    plan: Plan,
    records: Sequence[Record],
    control: Spec,
    names: Mapping[str, str],
    how: Execution,
    played_seconds: float,
) -> Controlled | None:
    """Return the corrected score of a plan's first entry; None if there are fewer than two pairs.

    Args:
        plan: The plan.
        records: The matches of the plan.
        control: The agent that scores moves.
        names: Short names, by entry.
        how: How to execute the work.
        played_seconds: Time taken by the matches.

    Raises:
        Stopped: If the user stopped the computation.
    """
    begun = perf_counter()
    question = Question(plan.game, plan.entries, control, plan.limits.stall_seconds)
    with how.showing(f"Asking {control.text}", "matches") as tell:
        found = decisions_of(question, records, how, tell)
    if found is None:
        raise Stopped(STOPPED)
    decisions, unsaid = found
    return Controlled.of(
        control.text,
        decisions,
        np.array([(1 + record.result) / 2 for record in records]),
        np.array([record.first for record in records]),
        np.array([record.round for record in records]),
        [names.get(text, text) for text in (plan.entries[i].text for i in sorted(unsaid))],
        played_seconds,
        perf_counter() - begun,
    )

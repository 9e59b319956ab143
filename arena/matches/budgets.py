"""Determine search budgets with which the moves of all entries take equal time.

A budget is an option that limits the search, such as the number of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np

from arena.api.agent import agent_class
from arena.api.format import Stage
from arena.api.options import with_options
from arena.api.spec import Spec
from arena.errors import ArenaError, Stopped
from arena.matches.driver import play
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.results.records import Facts, Records
from arena.workers.pools import Pool

START = 1000  # first budget to try
ROUGH, FINE = 20, 200  # number of moves to time: in the search for a budget, and in the final measurement
LEAST = 0.2  # minimum duration of a measurement in seconds
NEAR = 1.25  # the rough search ends if measured and target time differ by at most this factor
STEP = 16.0  # maximum factor by which a budget changes in one step
FELT, ENOUGH = 1.1, 10  # a budget is too large if ENOUGH times it makes moves less than FELT times as long
LOOKS = 16  # maximum number of rough measurements
DIGITS = 3  # significant digits of a budget
MOST = 10**12  # maximum budget if the option has no upper bound
MORE = 1000.0  # maximum factor by which the number of matches is increased to reach LEAST


class Timed(NamedTuple):
    """A budget and the time that a move takes with it.

    Attributes:
        budget: The budget.
        seconds: Seconds per move, the median over matches.
    """

    budget: int
    seconds: float


# function of budgets by entry and the number of moves to time; it returns the seconds per move by entry
Measure = Callable[[Mapping[int, int], int], Mapping[int, float]]


def budgeted(plan: Plan) -> dict[int, str]:
    """Return, by index, the name of the budget option of each entry that leaves it at the default."""
    found = {}
    for i, spec in enumerate(plan.entries):
        name = agent_class(spec).budget
        if name and check_budget(spec, name) == spec.cls.options[name].default:
            found[i] = name
    return found


def check_budget(spec: Spec, name: str) -> int:
    """Return an entry's budget.

    Args:
        spec: The entry.
        name: The option that its class names as the budget.

    Raises:
        ArenaError: If that is not an option of type int.
    """
    stated = spec.cls.options.get(name)
    if stated is None or stated.type is not int:
        raise ArenaError(f"{spec.text}: budget is {name!r}, which is not an option for a whole number")
    value: int = spec.values[name]
    return value


def with_budgets(plan: Plan, budgets: Mapping[int, int]) -> dict[int, Spec]:
    """Return the specs of entries with these budgets, by index."""
    found = {}
    for i, budget in budgets.items():
        spec = plan.entries[i]
        found[i] = with_options(spec, **{spec.cls.budget: budget})
    return found


def equal_time(
    plan: Plan,
    seconds: float,
    pool: Pool,
    only: Sequence[int] | None = None,
) -> dict[int, Timed]:
    """Return budgets with which a move takes `seconds`, measured in matches of an entry against itself.

    If a larger budget makes no difference, because the search is already complete, the budget is not
    increased further.

    Args:
        plan: The plan.
        seconds: Target seconds per move.
        pool: Plays the matches.
        only: Indices of entries. Default: all entries that leave their budget option at the default.

    Returns:
        The budgets by entry, with the seconds per move.

    Raises:
        Stopped: If the pool was stopped.
        ArenaError: If an entry cannot be timed.
    """
    names = budgeted(plan)
    highest = {}
    for i in names if only is None else only:
        most = plan.entries[i].cls.options[names[i]].high
        highest[i] = MOST if most is None else int(most)
    length = dict.fromkeys(highest, 1.0)  # moves per match in the last measurement

    def measure(budgets: Mapping[int, int], moves: int) -> dict[int, float]:
        specs = with_budgets(plan, budgets)
        matches = ceil(max(moves / length[i] for i in specs))
        found = time_moves(plan, specs, matches, pool)
        shortest = min(matches * took.moves * took.seconds for took in found.values())
        if shortest < LEAST:
            matches = ceil(matches * min(LEAST / shortest, MORE))
            found = time_moves(plan, specs, matches, pool)
        length.update({i: took.moves for i, took in found.items()})
        return {i: took.seconds for i, took in found.items()}

    return find_budgets(seconds, highest, measure)


class Took(NamedTuple):
    """Measurements in matches of an entry against itself.

    They are medians over the matches, so that an interrupted match has no effect.

    Attributes:
        seconds: Seconds per move.
        moves: Moves per match.
    """

    seconds: float
    moves: float


def time_moves(
    plan: Plan,
    specs: Mapping[int, Spec],
    matches: int,
    pool: Pool,
) -> dict[int, Took]:
    """Return the time per move of entries, by index, in matches of each entry against itself.

    Args:
        plan: The plan.
        specs: The entries by index, with the budgets to measure.
        matches: The number of matches for each entry.
        pool: Plays the matches.

    Raises:
        Stopped: If the pool was stopped.
        ArenaError: If an entry fails or makes no moves.
    """
    order = [*specs]
    alone = replace(
        plan,
        entries=tuple(specs.values()),
        schedule=Schedule.of(Stage([(k, k) for k in range(len(order))], matches)),
        isolated=frozenset(k for k, i in enumerate(order) if i in plan.isolated),
        stall_once=frozenset(),
        withdraw_after=0,
        format=None,
    )
    played: list[Facts] = []
    failed: dict[int, str] = {}
    for records in play(alone, [range(alone.matches)], pool, Records):
        played.append(records.facts)
        for number, detail in records.details.items():
            failed.setdefault(alone.fixture(number).first, detail)
    if pool.stop.is_set():
        raise Stopped("Stopped before the first match; nothing was played.")
    facts = np.concatenate(played)
    moves = facts["plies"] - facts["opening"]
    facts, moves = facts[moves > 0], moves[moves > 0]
    seconds = (facts["first_seconds"] + facts["second_seconds"]) / moves
    found = {}
    for k, (i, spec) in enumerate(specs.items()):
        own = facts["first"] == k
        if k in failed or not own.any():
            why = failed.get(k, "it played no moves")
            raise ArenaError(f"{spec.text} cannot be timed: {why}; set its {spec.cls.budget} by hand")
        found[i] = Took(float(np.median(seconds[own])), float(np.median(moves[own])))
    return found


def find_budgets(seconds: float, highest: Mapping[int, int], measure: Measure) -> dict[int, Timed]:
    """Return, by entry, budgets with which moves take `seconds`.

    Args:
        seconds: Target seconds per move.
        highest: Maximum budget by entry.
        measure: Measures seconds per move.
    """
    budgets = {i: min(START, high) for i, high in highest.items()}
    felt: dict[int, Timed] = {}  # the last budget of each entry with which moves took noticeably longer
    left, idle = set(budgets), set[int]()
    for _ in range(LOOKS):
        for i, spent in measure({i: budgets[i] for i in left}, ROUGH).items():
            now = Timed(budgets[i], spent)
            before = felt.setdefault(i, now)
            if spent > FELT * before.seconds or now.budget < before.budget:
                felt[i] = now
            fitting = fitted(now, seconds, highest[i])
            if 1 / NEAR < spent / seconds < NEAR or fitting == now.budget:
                left.discard(i)
            elif now.budget >= ENOUGH * felt[i].budget:
                left.discard(i)
                idle.add(i)
                budgets[i] = felt[i].budget
            else:
                budgets[i] = fitting
        if not left:
            break
    for _ in range(2):
        if busy := {i: budget for i, budget in budgets.items() if i not in idle}:
            for i, spent in measure(busy, FINE).items():
                budgets[i] = fitted(Timed(budgets[i], spent), seconds, highest[i])
    return {i: Timed(budgets[i], spent) for i, spent in measure(budgets, FINE).items()}


def fitted(now: Timed, seconds: float, highest: int) -> int:
    """Return a rounded budget with which moves take `seconds` if time is proportional to the budget."""
    found = now.budget * min(max(seconds / now.seconds, 1 / STEP), STEP)
    return max(1, min(highest, int(float(f"{found:.{DIGITS - 1}e}"))))

"""Budgets with which moves take equally long: as many nodes for each entry as it searches in that time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np

from arena.api.format import Stage
from arena.api.options import with_options
from arena.api.spec import Spec
from arena.errors import ArenaError, Stopped
from arena.matches.driver import play
from arena.plan.schedule import Plan, Schedule
from arena.results.records import Facts, Records
from arena.workers.pools import Pool

START = 1000  # the first budget that is tried
ROUGH, FINE = 20, 200  # moves that are timed while a budget is looked for, and to settle it
LEAST = 0.2  # seconds that are timed at least
NEAR = 1.25  # how many times too long or too short a move may take before it is timed finely
STEP = 16.0  # times that a budget grows or shrinks at most from one look to the next
FELT, ENOUGH = 1.1, 10  # times as long is longer; a budget so many times as large without that is too large
LOOKS = 16  # rough ones; then it stays as it is
DIGITS = 3  # of a budget
MOST = 10**12  # of one whose option has no bound
MORE = 1000.0  # times as many matches as were thought to do, at most


class Timed(NamedTuple):
    """A budget, and seconds that a move took with it, in the middle of its matches."""

    budget: int
    seconds: float


# seconds a move by entry, of these budgets, when so many moves are timed
Measure = Callable[[Mapping[int, int], int], Mapping[int, float]]


def budgeted(plan: Plan) -> dict[int, str]:
    """The entries that have a budget which nobody has set, each with the name of that option."""
    found = {}
    for i, spec in enumerate(plan.entries):
        name = getattr(spec.cls, "budget", "")
        if name and check_budget(spec, name) == spec.cls.options[name].default:
            found[i] = name
    return found


def check_budget(spec: Spec, name: str) -> int:
    """An entry's budget, or ArenaError if its class is wrong about it."""
    stated = spec.cls.options.get(name)
    if stated is None or stated.type is not int:
        raise ArenaError(f"{spec.text}: budget names {name!r}, which is no option that is a whole number")
    value: int = spec.values[name]
    return value


def with_budgets(plan: Plan, budgets: Mapping[int, int]) -> dict[int, Spec]:
    """The entries, by index, with these budgets."""
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
    """Budgets with which a move takes so many seconds, in matches of an entry against itself.

    Of the entries that have one which nobody has set, or of `only` some of these. Where more of it makes no
    difference, since all is searched to the end, it stays as it is. Stopped if that was.
    """
    names = budgeted(plan)
    highest = {}
    for i in names if only is None else only:
        most = plan.entries[i].cls.options[names[i]].high
        highest[i] = MOST if most is None else int(most)
    length = dict.fromkeys(highest, 1.0)  # moves of a match, as of the last one seen

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
    """Seconds a move, and moves a match, in the middle of all matches: some may have been interrupted."""

    seconds: float
    moves: float


def time_moves(
    plan: Plan,
    specs: Mapping[int, Spec],
    matches: int,
    pool: Pool,
) -> dict[int, Took]:
    """What moves of these entries took, by index, each against itself in so many matches."""
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
            why = failed.get(k, "it makes no moves")
            raise ArenaError(f"{spec.text} cannot be timed: {why}; set its {spec.cls.budget} by hand")
        found[i] = Took(float(np.median(seconds[own])), float(np.median(moves[own])))
    return found


def find_budgets(seconds: float, highest: Mapping[int, int], measure: Measure) -> dict[int, Timed]:
    """Budgets with which moves take so many seconds, by entry. highest: what each may be at most."""
    budgets = {i: min(START, high) for i, high in highest.items()}
    felt: dict[int, Timed] = {}  # the last budgets that made moves longer than those before
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
    """A budget with which moves take so long, if that grows with it, of few digits."""
    found = now.budget * min(max(seconds / now.seconds, 1 / STEP), STEP)
    return max(1, min(highest, int(float(f"{found:.{DIGITS - 1}e}"))))

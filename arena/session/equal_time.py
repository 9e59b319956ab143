"""Entries with budgets by which their moves take equally long."""

from __future__ import annotations

from arena.errors import ArenaError
from arena.matches.budgets import Timed, budgeted, equal_time, with_budgets
from arena.matches.schedule import Plan
from arena.matches.settings import Settings, complete
from arena.registry.plugins import Registry
from arena.report.rate import three_digits
from arena.session.running import How
from arena.workers.pools import working


def in_equal_time(
    settings: Settings, plan: Plan, known: Registry, how: How, since: int = 0
) -> tuple[Settings, Plan, list[str]]:
    """Settings and plan whose entries have the budgets that `equal_time` asks for, and what that came to.

    since: the entries from there on alone. They are trained, and can play. ArenaError if none has a budget
    that is to be set.
    """
    if settings.equal_time is None:
        return settings, plan, []
    wanted = [i for i in budgeted(plan) if i >= since]
    if not wanted and not since:
        raise ArenaError(
            "equal_time sets budgets, such as nodes of alpha-beta, and no entry has one to set; leave it out"
        )
    text = three_digits(settings.equal_time)
    with how.busy(f"Finding what takes {text} a move"), working(how.executor, how.workers) as pool:
        found = equal_time(plan, settings.equal_time, pool, how.workers, how.stop, wanted)
    entries = list(settings.entries or ())
    names = dict(settings.names or {})
    for i, spec in with_budgets(plan, {i: timed.budget for i, timed in found.items()}).items():
        if name := names.pop(entries[i], None):
            names[spec.text] = name
        for row in settings.published or ():
            row.first, row.second = (
                spec.text if text == entries[i] else text for text in (row.first, row.second)
            )
        if isinstance(settings.isolate, list):
            settings.isolate = [spec.text if text == entries[i] else text for text in settings.isolate]
        entries[i] = spec.text
    settings.entries, settings.names = entries, names or None
    settings, plan = complete(settings, known)
    return settings, plan, lines(plan, settings.equal_time or 0.0, found)


def lines(plan: Plan, seconds: float, found: dict[int, Timed]) -> list[str]:
    """What moves took with the budgets that were found."""
    took = [f"{plan.entries[i].text} {three_digits(timed.seconds)}" for i, timed in found.items()]
    return (
        [f"Equal time, {three_digits(seconds)} a move, as timed before: {', '.join(took)}."] if took else []
    )

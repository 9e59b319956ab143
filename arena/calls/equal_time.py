"""Entries with budgets by which their moves take equally long."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from arena.calls.execution import Execution
from arena.errors import ArenaError
from arena.matches.budgets import Timed, budgeted, equal_time, with_budgets
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.plan.settings import renamed
from arena.registry.plugins import Registry
from arena.results.settings import Settings
from arena.show.rate import short_duration


def in_equal_time(
    settings: Settings, plan: Plan, known: Registry, how: Execution, since: int = 0
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
    text = short_duration(settings.equal_time)
    with how.busy(f"Finding what takes {text} a move"), how.opened() as pool:
        found = equal_time(plan, settings.equal_time, pool, wanted)
    budgets = {i: timed.budget for i, timed in found.items()}
    settings = rename(
        settings, {plan.entries[i].text: spec.text for i, spec in with_budgets(plan, budgets).items()}
    )
    settings, plan = complete(settings, known)
    return settings, plan, lines(plan, settings.equal_time or 0.0, found)


def rename(settings: Settings, now: Mapping[str, str]) -> Settings:
    """Return settings that call entries by their new texts, given by the old ones."""

    def new(text: str) -> str:
        return now.get(text, text)

    return replace(
        renamed(settings, now),
        entries=[*map(new, settings.entries or ())],
        names={new(text): name for text, name in (settings.names or {}).items()} or None,
        seeds={name: [*map(new, texts)] for name, texts in (settings.seeds or {}).items()} or None,
    )


def lines(plan: Plan, seconds: float, found: dict[int, Timed]) -> list[str]:
    """What moves took with the budgets that were found."""
    took = [f"{plan.entries[i].text} {short_duration(timed.seconds)}" for i, timed in found.items()]
    return (
        [f"Equal time, {short_duration(seconds)} a move, as timed before: {', '.join(took)}."] if took else []
    )

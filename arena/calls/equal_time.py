"""Search budgets with which the moves of all entries take equal time."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from arena.calls.execution import Execution
from arena.errors import ArenaError
from arena.matches.budgets import Timed, budgeted, equal_time, with_budgets
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.registry.plugins import Registry
from arena.results.settings import Settings, renamed
from arena.show.rate import short_duration


def in_equal_time(
    settings: Settings, plan: Plan, known: Registry, how: Execution, seconds: float, since: int = 0
) -> tuple[Settings, Plan, list[str]]:
    """Return settings and plan with the budgets for `equal_time`, and a remark on the measured times.

    The entries must be trained and able to play.

    Args:
        settings: The settings.
        plan: The plan.
        known: The registry.
        how: How to execute the work.
        seconds: `equal_time` of the settings.
        since: Index of the first entry whose budget is set.

    Raises:
        ArenaError: If no entry has a budget option.
    """
    wanted = [i for i in budgeted(plan) if i >= since]
    if not wanted and not since:
        raise ArenaError(
            "equal_time sets search budgets, such as nodes of alpha-beta, but no entry has one; leave it out"
        )
    text = short_duration(seconds)
    with how.busy(f"Finding budgets that take {text} per move"), how.opened() as pool:
        found = equal_time(plan, seconds, pool, wanted)
    budgets = {i: timed.budget for i, timed in found.items()}
    settings = rename(
        settings, {plan.entries[i].text: spec.text for i, spec in with_budgets(plan, budgets).items()}
    )
    settings, plan = complete(settings, known)
    return settings, plan, lines(plan, seconds, found)


def rename(settings: Settings, now: Mapping[str, str]) -> Settings:
    """Return settings in which entries are replaced; `now` is the new text of each entry by its old text."""

    def new(text: str) -> str:
        return now.get(text, text)

    return replace(
        renamed(settings, now),
        entries=[*map(new, settings.entries or ())],
        names={new(text): name for text, name in (settings.names or {}).items()} or None,
        seeds={name: [*map(new, texts)] for name, texts in (settings.seeds or {}).items()} or None,
    )


def lines(plan: Plan, seconds: float, found: dict[int, Timed]) -> list[str]:
    """Return a list with a remark on the measured time per move with the chosen budgets."""
    took = [f"{plan.entries[i].text} {short_duration(timed.seconds)}" for i, timed in found.items()]
    return (
        [f"Equal time, {short_duration(seconds)} per move, as timed before: {', '.join(took)}."]
        if took
        else []
    )

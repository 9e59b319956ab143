"""Put the cases of a parametrized test into tiers: quick (no mark), slow and campaign.

A case that is a tuple has one value for each argument of the test; any other case is a single value.
A case with several marks is in the most expensive of their tiers.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def values(case) -> tuple:
    """Return the values of a case."""
    if hasattr(case, "marks"):
        return case.values
    return case if isinstance(case, tuple) else (case,)


def is_called(value, name) -> bool:
    """Check whether a name means a value: it is equal to the value, its text or its `__name__`."""
    return value == name or name in (str(value), getattr(value, "__name__", None))


def marked(case, tier: pytest.MarkDecorator):
    """Add a mark to a case; its id and its other marks stay."""
    others, id = (case.marks, case.id) if hasattr(case, "marks") else ((), None)
    return pytest.param(*values(case), marks=[*others, tier], id=id)


def slow(*cases) -> list:
    """Mark cases of a parametrized test as slow."""
    return [marked(case, pytest.mark.slow) for case in cases]


def campaign(*cases) -> list:
    """Mark cases of a parametrized test as campaigns."""
    return [marked(case, pytest.mark.campaign) for case in cases]


def tiers(cases: Iterable, *, quick: Iterable = (), slow: Iterable | None = None) -> list:
    """Put the cases of a computed list into tiers by name, without changing their order.

    Args:
        cases: All cases.
        quick: Names of the quick cases.
        slow: Names of the slow cases. All others are campaigns. Default: all others are slow.

    A name is the first value of a case, or a tuple of its first values, and stands for all cases that begin
    with it. A class or a game may be given by its name. A case that both lists name is quick.
    """
    cases, quick = list(cases), list(quick)
    rest = pytest.mark.slow if slow is None else pytest.mark.campaign
    slow = list(slow or ())

    def named(case, name) -> bool:
        return all(map(is_called, values(case), values(name)))

    for name in quick + slow:
        if not any(named(case, name) for case in cases):
            raise ValueError(f"no case begins with {name!r}; give the first value or values of a case")

    def placed(case):
        if any(named(case, name) for name in quick):
            return case
        return marked(case, pytest.mark.slow if any(named(case, name) for name in slow) else rest)

    return [placed(case) for case in cases]

"""Cases of tests are put into tiers by name."""

from __future__ import annotations

import pytest

from tiers import campaign, slow, tiers


def described(cases):
    """Return the values, the marks and the id of each case."""
    whole = [case if hasattr(case, "marks") else pytest.param(case) for case in cases]
    return [(case.values, [mark.name for mark in case.marks], case.id) for case in whole]


def test_marks_are_added_to_cases_and_tuples_are_unpacked():
    kept = pytest.param([1], marks=pytest.mark.xfail, id="one")
    assert described([0, *slow((1, 2), "ab", kept), *campaign({})]) == [
        ((0,), [], None),
        ((1, 2), ["slow"], None),
        (("ab",), ["slow"], None),
        (([1],), ["xfail", "slow"], "one"),
        (({},), ["campaign"], None),
    ]


def test_a_name_that_no_case_begins_with_is_refused():
    with pytest.raises(ValueError, match="no case begins with 'chess'"):
        tiers(["tic-tac-toe"], quick=["chess"])

"""What the page on being sure of an order says about numbers of matches."""

from __future__ import annotations

import re

import numpy as np
import pytest

from arena.plan.until_precise import Precise
from paths import ROOT
from simulated import Field, play

PAGE = (ROOT / "docs" / "how-to" / "be-sure-of-an-order.md").read_text(encoding="utf-8")


def formula(entries, drawn, points):
    """As the page has it."""
    return 2 * (entries - 1) ** 2 / (entries * (1 - drawn)) * (340 / points) ** 2


def table():
    head, _, *rows = re.findall(r"^\|(.*)\|$", PAGE, re.MULTILINE)
    points = [int(cell.strip(" ±")) for cell in head.split("|")[1:]]
    for row in rows:
        entries, *cells = row.split("|")
        for width, cell in zip(points, cells, strict=True):
            yield int(entries), width, int(cell.replace(",", ""))


def test_the_table_is_the_formula_to_two_digits():
    assert len([*table()]) == 12
    for entries, points, matches in table():
        assert matches == pytest.approx(formula(entries, 0.3, points), rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("entries", "points"), [(2, 20), (5, 50), (10, 50)])
def test_equals_take_about_so_many(entries, points):
    took = [play(Precise(points=points), Field((0.0,) * entries), seed).matches for seed in range(5)]
    assert np.mean(took) == pytest.approx(formula(entries, 0.3, points), rel=0.2)

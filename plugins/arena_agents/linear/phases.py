"""Phases of learning by search, as an option states them: `1x3v1@.001,2x3v3@.0001`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena import ArenaError

PRESETS = {
    "document": ("1x3v1@.001", "1x3v2@.0001", "2x3v3@.0001", "2x5v5@.0001"),
    "equal": ("1x3v3@.001", "1x3v3@.0001", "2x3v3@.0001", "2x5v5@.0001"),  # both search as deep
}
NUMBER = r"\d{0,9}\.?\d{1,9}"  # of a phase, without an exponent
DEEPEST = 60  # plies that are ever searched


class Phase(NamedTuple):
    """A part of learning: its share, how deep the learner and its opponent search, the learning rate."""

    share: float
    depth: int
    opponent: int
    alpha: float


def read_phase(text: str) -> Phase:
    """`2x5v3@.0001`, or ArenaError."""
    found = re.fullmatch(rf"({NUMBER})x(\d{{1,3}})v(\d{{1,3}})@({NUMBER})", text)
    if not found or not float(found[1]) or not all(1 <= int(found[i]) <= DEEPEST for i in (2, 3)):
        raise ArenaError(
            f"schedule: {text!r} is not a phase; write share, own and opponent's depth from 1 to "
            f"{DEEPEST}, and learning rate as in 2x3v3@.0001"
        )
    return Phase(float(found[1]), int(found[2]), int(found[3]), float(found[4]))


def read_schedule(schedule: Sequence[str]) -> list[Phase]:
    """Return the phases of a schedule, a preset's if it names one; ArenaError if it is none."""
    if len(schedule) == 1 and schedule[0] in PRESETS:
        schedule = PRESETS[schedule[0]]
    if not schedule:
        raise ArenaError(
            "schedule is empty; write phases, such as 1x3v1@.001,2x3v3@.0001, or 'document' or 'equal'"
        )
    return list(map(read_phase, schedule))


def until(phases: Sequence[Phase], episodes: int) -> list[int]:
    """Return the first episode after each phase, an even number; the last phase goes on to the end."""
    whole = math.fsum(phase.share for phase in phases)
    ends = np.cumsum([phase.share for phase in phases]) / whole * episodes
    return [2 * round(end / 2) for end in ends[:-1].tolist()] + [2**62]

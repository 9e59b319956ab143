"""Phases of learning by search, as written in an option: `1x3v1@.001,2x3v3@.0001`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena import ArenaError

PRESETS = {
    "document": ("1x3v1@.001", "1x3v2@.0001", "2x3v3@.0001", "2x5v5@.0001"),
    "equal": ("1x3v3@.001", "1x3v3@.0001", "2x3v3@.0001", "2x5v5@.0001"),  # both players search equally deep
}
NUMBER = r"\d{0,9}\.?\d{1,9}"  # a number in a phase, without an exponent
DEEPEST = 60  # maximum depth in plies


class Phase(NamedTuple):
    """A part of training: its share, the search depths of learner and opponent, and the learning rate."""

    share: float
    depth: int
    opponent: int
    alpha: float


def read_phase(text: str) -> Phase:
    """Parse a phase such as `2x5v3@.0001`, or raise ArenaError."""
    found = re.fullmatch(rf"({NUMBER})x(\d{{1,3}})v(\d{{1,3}})@({NUMBER})", text)
    if not found or not float(found[1]) or not all(1 <= int(found[i]) <= DEEPEST for i in (2, 3)):
        raise ArenaError(
            f"schedule: {text!r} is not a phase; write share, own and opponent's depth from 1 to "
            f"{DEEPEST}, and learning rate as in 2x3v3@.0001"
        )
    return Phase(float(found[1]), int(found[2]), int(found[3]), float(found[4]))


def read_schedule(schedule: Sequence[str]) -> list[Phase]:
    """Return the phases of a schedule or of the preset that it names; raise ArenaError if invalid."""
    if len(schedule) == 1 and schedule[0] in PRESETS:
        schedule = PRESETS[schedule[0]]
    if not schedule:
        raise ArenaError(
            "schedule is empty; write phases, such as 1x3v1@.001,2x3v3@.0001, or 'document' or 'equal'"
        )
    return list(map(read_phase, schedule))


def until(phases: Sequence[Phase], episodes: int) -> list[int]:
    """Return the first episode after each phase, an even number; the last phase lasts until the end."""
    whole = math.fsum(phase.share for phase in phases)
    ends = np.cumsum([phase.share for phase in phases]) / whole * episodes
    return [2 * round(end / 2) for end in ends[:-1].tolist()] + [2**62]

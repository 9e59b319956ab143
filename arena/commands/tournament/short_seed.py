"""A warning where sandboxed files play with a seed that they can guess."""

from __future__ import annotations

import sys

from arena.calls.execution import Execution
from arena.plan.schedule import Plan
from arena.streams import SHORT, seed_text
from arena.wording import argument


def warn_of_short_seed(given: object, plan: Plan, how: Execution) -> None:
    """Print a line if somebody chose a seed of under 64 bits and sandboxed entries play.

    Args:
        given: The seed as somebody gave it, None if nobody did.
        plan: What is played.
        how: Says whether anything is printed.
    """
    if given is not None and plan.isolated and plan.seed < 1 << SHORT and how.progress:
        seed = seed_text(plan.seed)
        print(
            f"Warning: seed {seed} is short enough to guess, and who guesses it knows all random numbers; "
            f"leave {argument('seed')} out, or give 0x and 32 digits that nobody knows",
            file=sys.stderr,
        )

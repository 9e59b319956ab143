"""The accuracy of an entry's moves: overall, by phase, by seat and by opponent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from arena.analysis.decisions import Decision
from arena.commands.coach.result import Accuracy, Chances
from arena.ratings.clustered_share import share_of

PHASES = ("opening", "middle", "ending")
SEATS = ("first", "second")


def accuracies(
    decisions: Sequence[Decision], opponents: Sequence[str], phases: Sequence[int]
) -> list[Accuracy]:
    """Return the accuracy of all judged moves, overall and by phase, seat and opponent.

    Args:
        decisions: The entry's moves.
        opponents: The opponent in each match.
        phases: The last ply of the opening and of the middlegame.
    """
    judged = [one for one in decisions if one.given is not None]
    found = [accuracy("all", "all", judged)]

    def grouped(by: str, names: Sequence[str], of: Callable[[Decision], str]) -> None:
        groups: dict[str, list[Decision]] = {name: [] for name in names}
        for one in judged:
            groups[of(one)].append(one)
        found.extend(accuracy(name, by, group) for name, group in groups.items() if group)

    grouped("phase", PHASES, lambda one: PHASES[sum(one.ply > last for last in phases)])
    grouped("seat", SEATS, lambda one: SEATS[one.seat])
    often = [name for name, _ in Counter(opponents).most_common()]
    grouped("opponent", often, lambda one: opponents[one.match])
    return found


def accuracy(of: str, by: str, judged: Sequence[Decision]) -> Accuracy:
    """Return the accuracy of a group of judged moves."""
    _, match = np.unique(np.array([one.match for one in judged], np.int64), return_inverse=True)
    erred = np.array([bool(one.given) for one in judged], bool)
    matches = int(match.max(initial=-1)) + 1
    right = np.bincount(match[~erred], minlength=matches).astype(float)
    share = share_of(right, np.bincount(match, minlength=matches).astype(float))
    low, high, value = (None, None, None)
    if share:
        value, low, high = (100 * part for part in share)
    given = sum(one.given or 0 for one in judged) / 2 / matches if matches else 0.0
    return Accuracy(of, by, matches, len(judged), int(erred.sum()), value, low, high, given)


def chances(decisions: Sequence[Decision]) -> Chances:
    """Count the immediate wins and threats in an entry's positions, and those that it missed."""
    facts = [one.facts for one in decisions]
    wins = [one for one in facts if one.wins]
    threats = [one for one in facts if not one.wins and 0 < one.safe < one.moves]
    return Chances(
        len(wins),
        sum(not one.won for one in wins),
        len(threats),
        sum(not one.kept for one in threats),
    )

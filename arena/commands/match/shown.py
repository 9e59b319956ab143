"""The example match that notebooks show for a result."""

from __future__ import annotations

from collections.abc import Mapping

from arena.commands.replay.call import Replay, plies_of, positions
from arena.plan.entries import make_game
from arena.plan.plan import Plan
from arena.results.record import Record


def replay_of(plan: Plan, record: Record, tournament: int | None, names: Mapping[str, str]) -> Replay:
    """Return a match of a plan, position by position.

    Args:
        plan: The plan.
        record: The match, with entries as indices into the plan.
        tournament: Number of the tournament; None if it is not recorded.
        names: Short names, by entry.
    """
    game = make_game(plan.game)
    words = record.moves.split()
    states, seats = positions(game, words, record.start)
    return Replay(
        tournament=tournament,
        match=record.number,
        game=game,
        entries=(plan.entries[record.first].text, plan.entries[record.second].text),
        states=states,
        plies=plies_of(game, words[: len(seats)], seats, record.opening, None, record.start),
        result=record.result,
        reason=record.reason,
        detail=record.detail,
        unread=words[len(seats) :],
        start=record.start,
        names=names,
    )

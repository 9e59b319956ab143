"""What is left to entries against their best replies, beside their ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from arena.errors import ArenaError, Stopped
from arena.matches.planned import files_of
from arena.ratings.contestants import Which
from arena.ratings.leaderboard import evaluated_pool, pooled_results
from arena.registry.codes import code_of
from arena.registry.files import placed
from arena.registry.plugins import Registry
from arena.results.code import UNKNOWN_CODE
from arena.session.exploiting import exploit
from arena.session.replies import Exploited
from arena.session.results import Leaderboard
from arena.session.running import How
from arena.storage.database import Store, Tournament
from arena.wording import argument

STOPPED = "Stopped before all replies were found; leave {} out for the table alone."


def worst_of(
    store: Store, tournaments: Sequence[Tournament], code: Which, seconds: float, how: How, known: Registry
) -> dict[str, Exploited]:
    """The best replies to the entries of tournaments of one game, by contestant.

    Without those that are not known as they played. seconds: for the search of each in a large game. known:
    what is installed, and files.
    """
    game = known.spec("game", tournaments[0].game)
    pool = (evaluated_pool if tournaments[0].exact else pooled_results)(store, tournaments, code)
    if not {t.code for t in pool.tournaments} <= {UNKNOWN_CODE, code_of(game)}:
        return {}
    found: dict[str, Exploited] = {}
    for name, own in sorted(pool.contestants.codes.items()):
        with suppress(ArenaError):
            spec = known.spec("agent", name)
            if own in (UNKNOWN_CODE, code_of(spec)):
                files = files_of((game, spec)) or {}
                found[name] = replies_to(placed(name, files), placed(game.text, files), seconds, how)
        if how.stop.is_set():
            raise Stopped(STOPPED.format(argument("worst")))
    return found


def replies_to(entry: str, game: str, seconds: float, how: How) -> Exploited:
    """The best replies, exactly in a small game."""
    return exploit(
        entry,
        game=game,
        seconds=seconds,
        executor=how.executor,
        workers=how.count,
        progress=how.progress,
        stop=how.stop,
    )


def with_worst(board: Leaderboard, replies: Mapping[str, Exploited]) -> Leaderboard:
    """The table with what is left to entries."""
    rows = [
        replace(row, worst_score=found.worst, worst_exact=all(reply.exact for reply in found.replies))
        if (found := replies.get(row.entry))
        else row
        for row in board.rows
    ]
    return replace(board, rows=rows)

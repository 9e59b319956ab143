"""How an entry fares against opponents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from protocol import Game
from training import HERE

import arena


class Met(NamedTuple):
    """Matches against an opponent, from both seats, from the entry's side."""

    opponent: str
    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float:
        """From 0 to 1."""
        return (self.wins + self.draws / 2) / (self.wins + self.draws + self.losses)


def met(entry: str, opponents: Sequence[str], game: Game, matches: int, seed: int) -> Iterator[Met]:
    """So many matches against each, half of them from either seat. A forfeit is an error, not a result."""
    for opponent in opponents:
        settings = {"game": game.name, "matches": matches, "openings": game.openings, "seed": seed}
        found = arena.match(entry, opponent, **settings, streams=1, **HERE)
        if found.forfeits:
            raise arena.ArenaError(f"{entry} against {opponent}: {found.forfeits[0].detail}")
        first, second = found.pairings
        yield Met(
            opponent, first.wins + second.losses, first.draws + second.draws, first.losses + second.wins
        )

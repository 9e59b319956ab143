"""Who meets whom, when, with which seed: pure functions of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arena.api.game import Game, Move
from arena.api.spec import Spec
from arena.matches.match import Limits
from arena.matches.openings import Openings
from arena.ratings.sprt import Sprt
from arena.rng import derive, text_word


class Fixture(NamedTuple):
    """A match to be played; first and second are entries by index."""

    number: int
    round: int
    first: int
    second: int


@dataclass(frozen=True)
class Plan:
    """Everything that decides the results of a tournament, in a form that travels between processes.

    pairings: first and second entry, in the order of a round; the rounds follow one another and
    the last may be cut short, `matches` being the number of all matches. isolated: entries that play behind
    walls, see `arena.workers.sandbox`. withdraw_after: so many failures, see `arena.matches.withdrawing`, 0 =
    never. stall_once: entries that one stall is enough for. sprt: decides when a match of two is over, at the
    latest after all matches.
    """

    game: Spec
    entries: tuple[Spec, ...]
    pairings: tuple[tuple[int, int], ...]
    matches: int
    seed: int
    openings: Openings
    limits: Limits
    isolated: frozenset[int] = frozenset()
    withdraw_after: int = 0
    stall_once: frozenset[int] = frozenset()
    sprt: Sprt | None = None

    @cached_property
    def interactive(self) -> frozenset[int]:
        """The entries that ask at the terminal, and so play in the first process."""
        return frozenset(
            i
            for i, spec in enumerate(self.entries)
            if any(getattr(part.cls, "interactive", False) for part in spec.walk())
        )

    def place(self, entry: int) -> str:
        """The game and an entry, and which of all that is, for whoever waits: `chess, minimax (2 of 5)`."""
        return f"{self.game.text}, {self.entries[entry].text} ({entry + 1} of {len(self.entries)})"

    def fixture(self, number: int) -> Fixture:
        """Match `number`, from 0."""
        round, k = divmod(number, len(self.pairings))
        return Fixture(number, round, *self.pairings[k])

    @cached_property
    def pairing_seeds(self) -> tuple[int, ...]:
        """A seed for each pairing, decided by the game and the two entries alone.

        So match r of a pairing is the same whatever else is entered. Where an entry meets itself
        both seat orders read alike, and are told apart by a count.
        """
        seeds: list[int] = []
        met: dict[tuple[str, str], int] = {}
        for first, second in self.pairings:
            texts = (self.entries[first].text, self.entries[second].text)
            met[texts] = met.get(texts, -1) + 1
            seeds.append(derive(self.seed, *map(text_word, (self.game.text, *texts)), met[texts]))
        return tuple(seeds)

    def match_seed(self, number: int) -> int:
        """The seed of match `number`: of its pairing and its round."""
        round, k = divmod(number, len(self.pairings))
        return derive(self.pairing_seeds[k], round)

    def opening(self, game: Game, round: int) -> list[Move]:
        """The moves that the matches of a round begin with, the same for all pairings and both seats."""
        return self.openings.opening(game, self.seed, round)


def round_robin(entries: int) -> list[tuple[int, int]]:
    """Each entry against each other once from either seat, so that nobody plays twice in a row of pairs.

    The circle method (Schurig 1886): one entry stays, the others turn around it.
    """
    ring: list[int | None] = list(range(entries))
    if entries % 2:
        ring.append(None)  # whoever meets it rests
    half = len(ring) // 2
    pairings = []
    for _ in range(len(ring) - 1):
        for i in range(half):
            a, b = ring[i], ring[-1 - i]
            if a is not None and b is not None:
                # by parity, so that halfway everyone has been first as often as second, or nearly
                pairings.append((min(a, b), max(a, b)) if (a - b) % 2 else (max(a, b), min(a, b)))
        ring.insert(1, ring.pop())
    return pairings + [(b, a) for a, b in pairings]


FORMATS = {"round-robin": round_robin}


def unplayed(done: Sequence[int], matches: int, start: int = 0) -> list[range]:
    """The numbers from `start` to below `matches` that the increasing sequence `done` lacks."""
    gaps = []
    for number in done:
        if number > start:
            gaps.append(range(start, number))
        start = number + 1
    if start < matches:
        gaps.append(range(start, matches))
    return gaps

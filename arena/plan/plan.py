"""A plan: everything that determines the results of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from arena.api.game import Game
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.plan.opening_book import Opening
from arena.plan.openings import Openings, random_opening
from arena.plan.schedule import Fixture, Schedule
from arena.results.opening_order import Key, OpeningOrder
from arena.rng import Streams

NO_KEY: Key = (0, 0)  # key of openings if there are none


@dataclass(frozen=True)
class Plan:
    """Everything that determines the results of a tournament, in a form that can be sent to workers.

    Attributes:
        game: The game.
        entries: The entries.
        schedule: The schedule so far.
        streams: The random streams.
        openings: The openings.
        limits: Time limits, maximum plies and adjudication.
        isolated: Entries that are sandboxed, see `arena.sandbox`.
        untrusted: Entries whose random draws do not decide whether a repeated match counts, see
            `arena.results.varying_entries`.
        withdraw_after: The number of failures after which an entry is withdrawn, 0 = never.
        stall_once: Entries that are withdrawn after one stall.
        format: The format that adds stages to the schedule depending on results; None if the schedule is
            complete.
        rounds: See `arena.api.format.Standing`.
        limit: See `arena.api.format.Standing`.
        interactive: Entries that read from the terminal and therefore play in the main process.
    """

    game: Spec
    entries: tuple[Spec, ...]
    schedule: Schedule
    streams: Streams
    openings: Openings
    limits: Limits
    isolated: frozenset[int] = frozenset()
    untrusted: frozenset[int] = frozenset()
    withdraw_after: int = 0
    stall_once: frozenset[int] = frozenset()
    format: Spec | None = None
    rounds: int = 0
    limit: int = 0
    interactive: frozenset[int] = frozenset()

    def __getstate__(self) -> dict[str, object]:
        """Pickle the fields without the caches."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def seed(self) -> int:
        """The tournament's seed."""
        return self.streams.seed

    @property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """All scheduled pairings, each once."""
        return self.schedule.pairings

    @property
    def matches(self) -> int:
        """The number of scheduled matches."""
        return self.schedule.matches

    @property
    def most(self) -> int:
        """The maximum number of matches."""
        return max(self.limit, self.matches)

    def place(self, entry: int) -> str:
        """Return a text that identifies an entry when progress is shown: `chess, minimax (2 of 5)`."""
        return f"{self.game.text}, {self.entries[entry].text} ({entry + 1} of {len(self.entries)})"

    def fixture(self, number: int) -> Fixture:
        """Return match `number`, from 0."""
        return self.schedule.fixture(number)

    def part(self, numbers: range) -> Plan:
        """Return a plan with only the stages that contain these matches."""
        part = self.schedule.part(numbers)
        return self if part is self.schedule else replace(self, schedule=part)

    def alike(self, other: Plan) -> bool:
        """Return whether two plans differ only in their schedules."""
        return replace(other, schedule=self.schedule) == self

    def pairing_key(self, first: int, second: int) -> tuple[int, int]:
        """Return the key from which the seeds of a pairing's matches are derived.

        It depends only on the seed, the game and the two entries, so match r of a pairing is the same in any
        schedule and whichever other entries there are.
        """
        if (first, second) not in self.pairing_keys:
            texts = self.entries[first].text, self.entries[second].text
            reversed = texts[0] == texts[1] and first > second
            self.pairing_keys[first, second] = self.streams.pairing(self.game.text, *texts, reversed)
        return self.pairing_keys[first, second]

    @cached_property
    def pairing_keys(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Cache of `pairing_key`."""
        return {}

    def seat_seeds(self, number: int) -> tuple[int, int]:
        """Return the seeds of both players' random numbers in match `number`."""
        _, round, first, second = self.fixture(number)
        return self.streams.seats(self.pairing_key(first, second), round)

    def seeds_of_many(self, numbers: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return `seat_seeds` of many matches, by number; this is faster than one at a time."""
        fixtures = [self.fixture(number) for number in numbers]
        keys = [self.pairing_key(first, second) for _, _, first, second in fixtures]
        rounds = [fixture.round for fixture in fixtures]
        return dict(zip(numbers, self.streams.seats_of_many(keys, rounds), strict=True))

    def opening(self, game: Game, fixture: Fixture) -> Opening:
        """Return the opening of a match, the same for both seats of a pairing in a round."""
        return self.drawn_opening(game, self.opening_key(fixture.first, fixture.second), fixture.round)

    def drawn_opening(self, game: Game, key: Key, round: int) -> Opening:
        """Return the opening of a round of the pairing with this key, see `opening_key`."""
        if self.openings.book:
            return self.openings.book[self.opening_order.line(key, round)]
        if not self.openings.plies:
            return Opening()
        seed = self.streams.opening(key, round)
        return Opening(tuple(random_opening(game, seed, self.openings.plies)))

    def start(self, fixture: Fixture) -> str | None:
        """Return the text of the position in which a match begins, None for the game's own start."""
        if not self.openings.book:
            return None
        key = self.opening_key(fixture.first, fixture.second)
        return self.openings.book[self.opening_order.line(key, fixture.round)].start

    def opening_key(self, first: int, second: int) -> Key:
        """Return the key from which the openings of a pairing are drawn, see `OpeningOrder.key`."""
        if not self.openings.some:
            return NO_KEY
        if (first, second) not in self.opening_keys:
            key = self.opening_order.key(self.entries[first].text, self.entries[second].text)
            self.opening_keys[first, second] = self.opening_keys[second, first] = key
        return self.opening_keys[first, second]

    @cached_property
    def opening_order(self) -> OpeningOrder:
        """The order in which pairings play openings."""
        openings = self.openings
        return OpeningOrder(self.streams, self.game.text, len(openings.book), openings.shared)

    @cached_property
    def opening_keys(self) -> dict[tuple[int, int], Key]:
        """Cache of `opening_key`."""
        return {}

"""The recount of a recorded tournament: its schedule, withdrawals, sums and Elo."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from arena.api.reasons import WITHDRAWN
from arena.commands.verify.rules import Wrong, ended
from arena.ledger.ledger import Ledger
from arena.ledger.recorder import PAUSE
from arena.plan.plan import Plan
from arena.results.record import VARIED, Record
from arena.results.records import Records
from arena.results.tally import CHANCE, COPY, FIXED, Counts, Replays
from arena.storage import checksums
from arena.storage.database import Store, Tournament
from arena.storage.sums import contradiction, in_words

CLOSE = 1e-6  # tolerance in Elo points


class Recount:
    """The matches of a tournament, read once in the order of the schedule.

    After all matches were read by `records`, the attributes are complete, and `plan` has the whole schedule.

    Attributes:
        matches: Errors in matches, by number.
        seated: First and second entry of each match with an error, by number.
        whole: Errors in the tournament as a whole.
    """

    def __init__(self, store: Store, found: Tournament, plan: Plan) -> None:
        self.store, self.found = store, found
        # without checksums, an earlier version may have stored Elo less often
        self.complete = checksums.kept(store, found.id) is not None
        self.ledger = Ledger(plan)
        self.elo: list[tuple[int, list[float]]] = []  # ratings after a number of rounds
        self.replays = Replays()
        self.counts: dict[tuple[str, str, str], Counts] = {}
        self.matches: dict[int, Wrong] = {}
        self.seated: dict[int, tuple[str, str]] = {}
        self.whole: list[Wrong] = []
        # number of matches without random numbers, by first and second entry and whether marked as varying
        self.marks = Counter[tuple[int, int, bool]]()
        self.names = [spec.text for spec in plan.entries]
        ids = store.entry_ids(plan.game.text)
        self.ids = [ids.get(name, -1) for name in self.names]

    @property
    def plan(self) -> Plan:
        """The plan, with the schedule so far."""
        return self.ledger.plan

    def records(self) -> Iterator[Record]:
        """Yield all matches, with entries as indices into the plan; afterwards compare sums and ratings."""
        index = {id: i for i, id in enumerate(self.ids)}
        some: list[Record] = []
        for record in self.store.matches(self.found.id, index):
            if record.number >= self.plan.matches or len(some) == PAUSE:
                self.take(some)
                some = []
                self.ledger.schedule_to(record.number)
            self.marks[record.first, record.second, record.chance == VARIED] += record.chance != 1
            planned = self.ledger.as_planned(record.as_played(), self.ids)
            if planned is None:
                self.note(record, "this pairing was not scheduled for that match")
            else:
                some.append(planned)
            yield planned or record
        self.take(some)
        self.compare()

    def note(self, record: Record, what: str) -> None:
        """Record an error in a match."""
        self.matches[record.number] = Wrong(what)
        self.seated[record.number] = self.names[record.first], self.names[record.second]

    def take(self, some: Sequence[Record]) -> None:
        """Count some matches, and check that withdrawals agree with the matches played."""
        records = Records.of(some)
        self.elo += self.ledger.add(records).elo
        for record in some:
            if record.number < self.ledger.next:
                unplayed = self.ledger.is_unplayed(record.number)
                if unplayed != (record.reason == WITHDRAWN):
                    how = "was played" if unplayed else "was not played"
                    due = "of the entries one was withdrawn" if unplayed else "neither entry was withdrawn"
                    self.note(record, f"it {how}, though {due}")
                elif unplayed and record.result != self.ledger.unplayed_record(record.number).result:
                    of = ended(record.result, record.reason)
                    self.note(record, f"it is recorded as {of}, and another was withdrawn")
        for (first, second, kind), counts in records.counts(self.replays).items():
            key = self.names[first], self.names[second], kind
            self.counts[key] = self.counts.get(key, Counts()) + counts

    def compare(self) -> None:
        """Compare the sums, the ratings and the end of the tournament with its matches."""
        recorded = {
            (first, second, kind): counts
            for first, second, kind, counts in self.store.pairings(self.found.id)
        }
        self.compare_marks()
        for key in sorted(recorded.keys() | self.counts.keys()):
            sums, played = recorded.get(key, Counts()), self.counts.get(key, Counts())
            if sums != played:
                first, second, kind = key
                how = contradiction(first, second, kind, sums, played)
                self.whole.append(Wrong(how, None, in_words(sums), in_words(played)))
        if self.found.finished and self.ledger.next < self.plan.matches:
            self.whole.append(Wrong(f"it is recorded as finished, and has no match {self.ledger.next}"))
        self.compare_elo()

    def compare_marks(self) -> None:
        """Count matches of entries whose play varies as random, and compare the recorded marks."""
        varied = {self.names[entry] for entry in self.ledger.varied}
        for first, second, kind in [*self.counts]:
            if kind in (FIXED, COPY) and not varied.isdisjoint((first, second)):
                key = first, second, CHANCE
                self.counts[key] = self.counts.get(key, Counts()) + self.counts.pop((first, second, kind))
        for (a, b, said), matches in sorted(self.marks.items()):
            first, second = self.names[a], self.names[b]
            if matches and said == varied.isdisjoint((first, second)):
                of = "one of them varies", "neither of them varies"
                recorded, instead = of if said else of[::-1]
                text = f"{matches:,} matches of {first} against {second} say that {recorded}, and {instead}"
                self.whole.append(Wrong(text, None, recorded, instead))

    def compare_elo(self) -> None:
        """Compare recorded Elo ratings with those computed from the matches."""
        recorded = self.store.elo_rows(self.found.id)
        due = {rounds: self.by_id(ratings) for rounds, ratings in self.elo}
        if self.found.finished and self.ledger.next == self.plan.matches:
            due.setdefault(self.plan.schedule.rounds, self.by_id(self.ledger.elo.ratings))
        names = dict(zip(self.ids, self.names, strict=True))
        # ratings from before entries were added have fewer entries and other numbers of rounds
        added = self.found.settings.added
        for rounds in sorted(recorded.keys() | (due.keys() if self.complete else recorded.keys())):
            said, come = recorded.get(rounds, {}), due.get(rounds, {})
            if added and (not said or not come):
                continue
            for id in sorted(said.keys() | (set() if added else come.keys())):
                if abs(said.get(id, math.nan) - come.get(id, math.nan)) <= CLOSE:
                    continue
                words = elo_text(said.get(id)), elo_text(come.get(id))
                who = f"Elo of {names.get(id, f'entry {id}')} after {rounds:,} rounds"
                text = f"{who} is {words[0]}, and its matches come to {words[1]}"
                self.whole.append(Wrong(text, None, *words))
                return  # then later ratings are wrong as well

    def by_id(self, ratings: Sequence[float]) -> dict[int, float]:
        """Return ratings by id of the entry; if several entries have an id, the first one's rating."""
        found: dict[int, float] = {}
        for id, rating in zip(self.ids, ratings, strict=True):
            found.setdefault(id, rating)
        return found


def elo_text(rating: float | None) -> str:
    """Return a rating as text, such as `1512.345`; `none` if it is None."""
    return "none" if rating is None else f"{rating:.3f}"

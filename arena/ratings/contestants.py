"""The rated entries, with the versions of their code and of the rules of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from arena.api.reasons import FAILURES
from arena.errors import ArenaError
from arena.results.record import UNKNOWN_CODE, tags
from arena.results.settings import LACKING
from arena.results.tally import Counts
from arena.texts import argument

if TYPE_CHECKING:
    from arena.storage.database import Store, Tournament

Which: TypeAlias = Literal["latest", "all"]
SHOWN = 3  # maximum number of entries named in a sentence
ISOLATED = "met only entries that are not rated"


def check_which(code: str) -> None:
    """Raise ArenaError unless `code` is one of `Which`."""
    if code not in get_args(Which):
        raise ArenaError(f"code is {code!r}, but must be {' or '.join(map(repr, get_args(Which)))}")


def by_rules(tournaments: Sequence[Tournament]) -> dict[str, list[Tournament]]:
    """Group tournaments of one game by its rules; the rules used most recently come last.

    Rules are identified by the game's code. A tournament without a record of that code is grouped with the
    next tournament in which the game's own modules were the same; if there is none, the modules identify the
    rules.

    Args:
        tournaments: The tournaments, oldest first.

    Returns:
        The tournaments, by digest of the rules.
    """
    code_of = {t.rules: t.code for t in reversed(tournaments) if t.code != UNKNOWN_CODE}
    groups: dict[str, list[Tournament]] = {}
    for t in tournaments:
        rules = code_of.get(t.rules, t.rules) if t.code == UNKNOWN_CODE else t.code
        groups[rules] = [*groups.pop(rules, []), t]
    return groups


@dataclass(frozen=True)
class Contestants:
    """The entries of tournaments of one game, all exact or all played, under one set of rules.

    Attributes:
        names: The name in the table for each tournament number and name of an entry, without entries whose
            results are left out. All seeds of a learner have the same name.
        codes: Digest of each contestant's code, by name in the table.
        notes: Sentences about results that are left out.
    """

    names: Mapping[tuple[int, str], str]
    codes: Mapping[str, str]
    notes: list[str]

    @classmethod
    def of(cls, store: Store, tournaments: Sequence[Tournament], which: Which) -> Contestants:
        """Return the contestants of some tournaments.

        Args:
            store: The database.
            tournaments: Tournaments of one game, oldest first.
            which: `latest` keeps only the results of each entry's most recent code; unknown code is assumed
                to be the code with which the entry played next. `all` makes each version of the code a
                separate contestant, and adds tags to the names of older ones.
        """
        played = {t.id: entries_of(store, t) for t in tournaments}
        recorded = {
            (t.id, name): t.codes.get(name, UNKNOWN_CODE) for t in tournaments for name in played[t.id]
        }
        latest = {name: code for (_, name), code in recorded.items()}
        if which == "all":
            of_entry: dict[str, list[str]] = {}
            for (_, name), code in recorded.items():
                of_entry.setdefault(name, []).append(code)
            tagged = {name: tags(codes) for name, codes in of_entry.items()}
            names = {
                (id, name): name if code == latest[name] else f"{name} [{tagged[name][code]}]"
                for (id, name), code in recorded.items()
            }
            return cls(names, {names[key]: code for key, code in recorded.items()}, []).with_seeds(
                tournaments
            )
        taken = taken_for(recorded)
        kept = {key: key[1] for key, code in taken.items() if code == latest[key[1]]}
        guessed = [name for (id, name) in kept if recorded[id, name] != taken[id, name]]
        return cls(kept, latest, list(unknown_note(guessed))).with_seeds(tournaments)

    def with_seeds(self, tournaments: Sequence[Tournament]) -> Contestants:
        """Return the contestants with all seeds of a learner merged into one."""
        names, codes = dict(self.names), dict(self.codes)
        for t in tournaments:
            for learner, entries in (t.settings.seeds or {}).items():
                for name in entries:
                    if shown := names.get((t.id, name)):
                        names[t.id, name] = learner + shown.removeprefix(name)
                        codes[names[t.id, name]] = self.codes[shown]
        return Contestants(names, codes, self.notes)

    def left_out(
        self, out: Mapping[tuple[int, str, str], float], kept: Mapping[tuple[str, str], float], what: str
    ) -> Iterator[str]:
        """Yield a sentence about results that are left out, if there are any.

        Args:
            out: Number of results that are left out, by tournament, first and second entry.
            kept: Number of results in the table, by first and second contestant.
            what: The beginning of the sentence, subject and verb, which describes the results.
        """
        if out:
            older = {name for id, *pair in out for name in pair if (id, name) not in self.names}
            rows = {shown for pair in kept for shown in pair}
            rated = {name for (_, name), shown in self.names.items() if shown in rows}
            lost = {name for _, *pair in out for name in pair} - rated
            also = f", and with them {listed(lost)}" if lost else ""
            left = sum(out.values())
            yield (
                f"{left:,.0f} of {left + sum(kept.values()):,.0f} {what} with older code of "
                f"{listed(older)} and are left out{also}; {argument('code', 'all')} shows them."
            )

    def shown(self, tournament: int) -> dict[str, str]:
        """Return the contestant for each entry of a tournament, by name."""
        return self.by_tournament.get(tournament, {})

    @cached_property
    def by_tournament(self) -> dict[int, dict[str, str]]:
        """The contestant for each entry, by tournament and by name."""
        found: dict[int, dict[str, str]] = {}
        for (id, name), shown in self.names.items():
            found.setdefault(id, {})[name] = shown
        return found

    def has(self, tournament: int, first: str, second: str) -> bool:
        """Return whether the results of two entries of a tournament are in the table."""
        return (tournament, first) in self.names and (tournament, second) in self.names


def entries_of(store: Store, t: Tournament) -> list[str]:
    """Return the entries of a tournament that have results."""
    if not t.exact:
        return store.entries_with_results(t.id)
    return list(dict.fromkeys(name for pair in store.exact(t.id) for name in pair))


def taken_for(recorded: dict[tuple[int, str], str]) -> dict[tuple[int, str], str]:
    """Replace unknown code with the code with which the entry played next, if it played again.

    Args:
        recorded: Digest of the code by tournament and entry, oldest first.
    """
    following: dict[str, str] = {}
    taken: dict[tuple[int, str], str] = {}
    for id, name in reversed(recorded):
        code = recorded[id, name]
        taken[id, name] = following.get(name, code) if code == UNKNOWN_CODE else code
        following[name] = taken[id, name]
    return taken


def unknown_note(names: Sequence[str]) -> Iterator[str]:
    """Yield a sentence about entries with unknown code in older results, if there are any."""
    if names:
        yield (
            f"Older results of {listed(names)} have no recorded code and count with the next results; "
            f"{argument('code', 'all')} separates them."
        )


def listed(names: Iterable[str]) -> str:
    """Return names as a list of limited length: `first, greedy and 2 more`."""
    ordered = sorted({*names})
    more = len(ordered) - SHOWN
    return ", ".join(ordered[:SHOWN]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class Unrated:
    """An entry without a rank and a rating.

    Attributes:
        entry: The entry.
        name: The entry's short name; empty if there is none.
        why: Why it is unrated, for example `withdrawn after 3 crashes`.
        matches: Number of matches, including those that repeat others move for move. For exact results, the
            following counts are expected values.
        wins: Number of wins.
        draws: Number of draws.
        losses: Number of losses.
        forfeits: Number of forfeits, which are also among the losses.
        unplayed: Number of further matches, forfeited unplayed because the entry was withdrawn.
        score: Score in these matches, from 0 to 1; None without matches.
        code: Digest of its code; `unknown` if none is recorded.
    """

    entry: str
    name: str
    why: str
    matches: float = 0
    wins: float = 0
    draws: float = 0
    losses: float = 0
    forfeits: float = 0
    unplayed: float = 0
    score: float | None = None
    code: str = UNKNOWN_CODE

    @classmethod
    def of(cls, entry: str, why: str, counts: Counts, unplayed: float, code: str) -> Unrated:
        """Return an unrated entry with these counts, which are from its own side."""
        c = counts
        score = (c.wins + c.draws / 2) / c.matches if c.matches else None
        results = c.matches, c.wins, c.draws, c.losses, c.first_forfeits
        return cls(entry, "", why, *results, unplayed, score, code)

    @property
    def shown(self) -> str:
        """The name in tables."""
        return self.name or self.entry


def forfeited(counts: Counts, fault: str | None, exact: bool) -> str:
    """Return why an entry with these counts is not rated; "" if it forfeits at most half of its matches."""
    forfeits, matches = counts.first_forfeits, counts.matches
    if 2 * forfeits <= matches * (1 + 1e-9):
        return ""
    if not exact:
        return f"forfeited {forfeits:,.0f} of {matches:,.0f} matches"
    share = f"forfeits {100 * forfeits / matches:.0f} % of its matches"
    return f"{share}: {fault}" if fault else share


def withdrawn(store: Store, where: Collection[tuple[int, str]], seeds: int) -> str:
    """Return a text that says that an entry was withdrawn.

    Args:
        store: The database.
        where: Tournament and entry of each withdrawal; several entries are the seeds of one learner.
        seeds: Number of seeds of the learner; 0 if the entry is not a learner with seeds.
    """
    times: Counter[str] = Counter()
    for tournament in sorted({tournament for tournament, _ in where}):
        for entry, count, reason, *_ in store.forfeits_by_reason(tournament):
            if reason in FAILURES and (tournament, entry) in where:
                times[reason] += count
    entries, tournaments = ({*each} for each in ((e for _, e in where), (t for t, _ in where)))
    who = f"{len(entries)} of {seeds} seeds withdrawn" if seeds > 1 else "withdrawn"
    out_of = f" from {len(tournaments)} tournaments" if len(tournaments) > 1 else ""
    after = " and ".join(number_of(n, reason) for reason, n in sorted(times.items()))
    return f"{who}{out_of}{f' after {after}' if after else ''}"


def number_of(n: int, reason: str) -> str:
    """Return a number of failures in words: `1 stall`, `3 crashes`."""
    plural = "es" if reason.endswith("sh") else "s"
    return f"{n:,} {reason}{plural if n > 1 else ''}"


def left_out(tournaments: Iterable[Tournament]) -> dict[str, str]:
    """Return, for each entry that could not play at all, the reason.

    Agents that need capabilities that the game lacks are not included.
    """
    return {
        name: f"could not play: {why}"
        for t in tournaments
        for name, why in (t.settings.left_out or {}).items()
        if not why.endswith(LACKING)
    }


def rated_among(pairs: Iterable[tuple[str, str]], failed: Mapping[str, str]) -> list[str]:
    """Return the contestants, sorted, of all pairs in which neither contestant has failed."""
    return sorted({name for pair in pairs if failed.keys().isdisjoint(pair) for name in pair})

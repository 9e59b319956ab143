"""Who is rated: the code that each entry played with, and the rules it played under."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from arena.errors import ArenaError
from arena.results.record import UNKNOWN_CODE, tags
from arena.texts import argument

if TYPE_CHECKING:
    from arena.storage.database import Store, Tournament

Which: TypeAlias = Literal["latest", "all"]
SHOWN = 3  # maximum number of entries named in a sentence


def check_which(code: str) -> None:
    """Check that `code` is one of `Which`.

    Raises:
        ArenaError: If it is not.
    """
    if code not in get_args(Which):
        raise ArenaError(f"code is {code!r}, and must be {' or '.join(map(repr, get_args(Which)))}")


def by_rules(tournaments: Sequence[Tournament]) -> dict[str, list[Tournament]]:
    """Group tournaments of one game by its rules, with the rules that were played last at the end.

    Rules are identified by the game's code. A tournament without a record of that code belongs to the next
    one in which the game's own modules were the same; if there is none, its modules identify its rules.

    Args:
        tournaments: The tournaments, oldest first.

    Returns:
        The tournaments by a digest of their rules.
    """
    code_of = {t.rules: t.code for t in reversed(tournaments) if t.code != UNKNOWN_CODE}
    groups: dict[str, list[Tournament]] = {}
    for t in tournaments:
        rules = code_of.get(t.rules, t.rules) if t.code == UNKNOWN_CODE else t.code
        groups[rules] = [*groups.pop(rules, []), t]
    return groups


@dataclass(frozen=True)
class Contestants:
    """Who played in tournaments of one game and one kind, under one set of rules.

    Attributes:
        names: Name in the table by number of the tournament and name of the entry. Entries whose results are
            left out are missing. All seeds of a learner have one name.
        codes: Digest of the code by name in the table.
        notes: Sentences about what was left out.
    """

    names: Mapping[tuple[int, str], str]
    codes: Mapping[str, str]
    notes: list[str]

    @classmethod
    def of(cls, store: Store, tournaments: Sequence[Tournament], which: Which) -> Contestants:
        """Return who played in some tournaments.

        Args:
            store: The database.
            tournaments: Tournaments of one game, oldest first.
            which: `latest` keeps each entry only with the code that played last; unknown code counts as the
                code that played next. `all` keeps each code as a contestant of its own and tags the names of
                older ones.
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
        """Yield a sentence about the results that are left out, if there are any.

        Args:
            out: Number of results that are left out, by tournament, first and second entry.
            kept: Number of results in the table, by first and second contestant.
            what: What the results are, as the subject of the sentence and its verb.
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
        """Return the contestants of a tournament by the names of their entries."""
        return {name: shown for (id, name), shown in self.names.items() if id == tournament}

    def has(self, tournament: int, first: str, second: str) -> bool:
        """Return whether the results of two entries of a tournament are in the table."""
        return (tournament, first) in self.names and (tournament, second) in self.names


def entries_of(store: Store, t: Tournament) -> list[str]:
    """Return the entries of a tournament that have results."""
    if not t.exact:
        return store.entries_with_results(t.id)
    return list(dict.fromkeys(name for pair in store.exact(t.id) for name in pair))


def taken_for(recorded: dict[tuple[int, str], str]) -> dict[tuple[int, str], str]:
    """Replace unknown code by the code with which the entry played next, if it did.

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
    """Yield a sentence about entries whose code is unknown in older results, if there are any."""
    if names:
        yield (
            f"Older results of {listed(names)} have no code on record and count with those that came next; "
            f"{argument('code', 'all')} parts them."
        )


def listed(names: Iterable[str]) -> str:
    """Return names as a list of limited length: `first, greedy and 2 more`."""
    ordered = sorted({*names})
    more = len(ordered) - SHOWN
    return ", ".join(ordered[:SHOWN]) + (f" and {more} more" if more > 0 else "")

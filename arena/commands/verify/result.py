"""The result of `arena.verify`: the extent of the check, differences, and what may have been missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from arena.commands.verify.sample import CONFIDENCE, missed, most_wrong
from arena.show.figures import bars
from arena.show.frame import Column, Columns
from arena.show.presentation import Line, Part, Shown
from arena.texts import argument, either, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE = 0.01  # share of forged results for which the probability of detection is printed
LISTED = 50  # maximum number of differences printed


@dataclass(frozen=True)
class Difference:
    """An error found in a database.

    Attributes:
        tournament: Number of the tournament; None for the database as a whole.
        match: Number of the match; None for the tournament as a whole.
        first: First player of the match.
        second: Second player of the match.
        what: Description of the error.
        ply: Ply of the first wrong move, from 1; None if the error is not a move.
        recorded: The move or end of the match as recorded; empty if unknown.
        instead: The correct move or end of the match; empty if unknown.
    """

    tournament: int | None
    match: int | None
    first: str
    second: str
    what: str
    ply: int | None = None
    recorded: str = ""
    instead: str = ""

    @property
    def line(self) -> str:
        """The error as a line of text."""
        if self.tournament is None:
            return self.what
        if self.match is None:
            return f"tournament {self.tournament}: {self.what}"
        match = f"match {self.match} of tournament {self.tournament}"
        return f"{match}, {self.first} against {self.second}: {self.what}"


@dataclass(frozen=True)
class Unrepeated:
    """An entry whose matches were not replayed.

    Attributes:
        tournament: Number of the tournament.
        entry: The entry.
        why: The reason.
        other: Whether the reason is different code or a different model.
        matches: Number of its matches in the tournament.
    """

    tournament: int
    entry: str
    why: str
    other: bool
    matches: int

    @property
    def line(self) -> str:
        """The entry and the reason as a line of text."""
        return (
            f"{self.entry} of tournament {self.tournament}: {self.why}; {counted(self.matches)} not replayed"
        )


@dataclass(frozen=True)
class Unread:
    """A tournament, or ratings, that were not checked.

    Attributes:
        tournament: Number of the tournament; None for ratings over all tournaments.
        matches: Number of matches of the tournament.
        why: The reason.
        other: Whether the reason is that the game has different rules.
    """

    tournament: int | None
    matches: int
    why: str
    other: bool = False

    @property
    def line(self) -> str:
        """The tournament and the reason as a line of text."""
        if self.tournament is None:
            return self.why
        matches = f"{counted(self.matches)} of " if self.matches else ""
        return f"{matches}tournament {self.tournament}: {self.why}"


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """The result of verifying a database.

    Attributes:
        db: Path of the database.
        seed: Seed of the sample.
        tournaments: Number of tournaments checked.
        matches: Number of matches in these, without matches that were not played because of a withdrawal.
        sampled: Number of matches in the sample, all of which were checked against the rules.
        repeatable: Number of matches that can be replayed.
        repeated: Number of matches in the sample that were replayed.
        differing: Number of replayed matches that differ or break the rules.
        differences: The errors found.
        unrepeated: Entries whose matches were not replayed.
        unread: Tournaments that were not checked.
        notes: Remarks on versions.
    """

    frame_columns: ClassVar[Columns] = {
        "db": Column(str, "Path of the database."),
        "matches": Column(int, "Number of matches in the tournaments checked."),
        "sampled": Column(int, "Number of matches in the sample."),
        "repeatable": Column(int, "Number of matches that can be replayed here."),
        "repeated": Column(int, "Number of matches in the sample that were replayed."),
        "differing": Column(int, "Number of these that differ."),
        "most_wrong": Column(int, "Most repeatable matches that may be wrong, at 95 % confidence."),
        "agrees": Column(bool, "Whether nothing differs."),
    }

    db: str
    seed: int
    tournaments: int
    matches: int
    sampled: int
    repeatable: int
    repeated: int
    differing: int
    differences: Sequence[Difference]
    unrepeated: Sequence[Unrepeated]
    unread: Sequence[Unread]
    notes: Sequence[str] = ()

    @property
    def agrees(self) -> bool:
        """Whether there are no errors, and rules, code and models are the same as when they were recorded.

        Rules, code and models that are not installed are ignored.
        """
        return not self.differences and not self.others

    @property
    def others(self) -> list[Unread | Unrepeated]:
        """The tournaments and entries whose recorded rules, code or models differ from the installed ones."""
        return [*(one for one in self.unread if one.other), *(one for one in self.unrepeated if one.other)]

    @property
    def most_wrong(self) -> int | None:
        """The largest number of repeatable matches that may be wrong, at 95 % confidence.

        It is None if no match was replayed.
        """
        if not self.repeated:
            return None
        return most_wrong(self.repeatable, self.repeated, self.differing)

    def found_with(self, forged: int) -> float:
        """Return the probability that the sample finds at least one of `forged` forged results."""
        return 1 - missed(self.repeatable, self.repeated, forged)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        if self.repeatable:
            differ = f"{self.differing:,} differ" if self.differing > 1 else "1 differs"
            none = "none differs" if not self.differing else differ
            of = "matches" if self.repeatable == self.matches else "matches that can be played again"
            yield Line(f"{self.repeated:,} of {self.repeatable:,} {of} replayed, {none}.")
        yield from map(Line, self.chances())
        if rest := self.sampled - self.repeated:
            yield Line(
                f"{rest:,} other{'s' * (rest != 1)} of the {self.matches:,} matches checked only against the "
                "rules, which accept forged moves as long as they are legal."
            )
        whole = [one for one in self.unrepeated if not one.other]
        for (tournament, why), some in groupby(whole, key=lambda one: (one.tournament, one.why)):
            of = ", ".join(f"{one.entry} ({counted(one.matches)})" for one in some)
            yield Line(f"Not replayed, in tournament {tournament}: {of}: {why}.")
        for one in self.unread:
            if not one.other:
                yield Line(f"Not checked: {one.line}.")
        if not self.agrees:
            yield ""
        for other in self.others:
            yield Line(f"DIFFERS: {other.line}.")
        for difference in self.differences[:LISTED]:
            yield Line(f"DIFFERS: {difference.line}")
        if (more := len(self.differences) - LISTED) > 0:
            yield Line(f"… and {more:,} more, which {either('--json', 'differences')} lists.")

    def chances(self) -> Iterator[str]:
        """Yield sentences about the probability of finding forgeries, and how many results may be wrong."""
        if self.most_wrong is None or self.repeated == self.repeatable:
            return
        if not self.differing:
            many = max(1, round(SHARE * self.repeatable))
            one = chance_text(self.found_with(1))
            chances = (
                f"If one of the results had been forged, it would have been found with probability {one}"
            )
            if many > 1:
                found = (
                    "at least one would have been found with probability "
                    f"{chance_text(self.found_with(many))}"
                )
                chances = (
                    f"If 1 % of the results ({many:,}) had been forged, {found}; "
                    f"if one had, with probability {one}"
                )
            yield f"{chances}."
        share = self.most_wrong / self.repeatable
        yield (
            f"With {100 * CONFIDENCE:.0f} % confidence, at most {self.most_wrong:,} of them ("
            f"{chance_text(share)}) are wrong."
        )

    def remarks(self) -> list[str]:
        """Return remarks on versions."""
        return [*self.notes]

    def hints(self) -> list[str]:
        """Return a hint on how to check the same matches again."""
        return [f"{argument('seed', self.seed)} looks at the same matches again."]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return one row with the numbers of matches; `to_dicts` returns the differences."""
        return [{name: getattr(self, name) for name in self.frame_columns}]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the numbers of matches: all, checked against the rules, replayed, and different.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        counts = {
            "matches": self.matches,
            "checked against the rules": self.sampled,
            "replayed": self.repeated,
            "differing": self.differing,
        }
        return bars(counts, "number of matches", marked=["differing"], ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each difference."""
        return [asdict(difference) for difference in self.differences]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        found = asdict(self)
        many = max(1, round(SHARE * self.repeatable))
        chance = {
            "one_forged_found": self.found_with(1) if self.repeatable else None,
            "percent_forged_found": self.found_with(many) if self.repeatable else None,
            "most_wrong": self.most_wrong,
        }
        return {**found, "agrees": self.agrees, **chance}


def counted(matches: int) -> str:
    """Return a number of matches as text, such as `1 match` or `3 matches`."""
    return f"{matches:,} match{'es' * (matches != 1)}"


def chance_text(share: float) -> str:
    """Return a probability as text, such as `99.4 %`, with more digits instead of 0.0 or 100.0."""
    for digits in (1, 2, 3, 4):
        text = percent(share, digits)
        if share in (0, 1) or float(text.removesuffix(" %")) not in (0.0, 100.0):
            return text
    return "over 99.9999 %" if share > 0.5 else "under 0.0001 %"

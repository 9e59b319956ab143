"""The results of `arena.match`, from played matches or from exact evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from arena.calls.results.figures import outcomes
from arena.calls.results.frames import EXACT_PAIRINGS, PAIRINGS, pairing_rows
from arena.calls.results.pairing import (
    ExactPairing,
    Forfeit,
    Pairing,
    all_forfeited,
    fault_lines,
    forfeit_lines,
)
from arena.calls.results.tested import Tested
from arena.ratings.control_variates import Controlled
from arena.ratings.verdict import Verdict
from arena.results.exact import AgainstPerfect
from arena.rng import seed_in_json, seed_text
from arena.show.presentation import Part, Shown
from arena.show.table import legend, match_grid
from arena.texts import argument

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Match(Shown):
    """The matches of two entries against each other, with each entry in each seat.

    Attributes:
        game: The game.
        seed: Seed of the random numbers.
        played: Number of matches played.
        planned: Number of matches planned.
        pairings: Results by pairing.
        forfeits: Matches that were forfeited.
        tournament: Number under which it is recorded; None if it is not recorded.
        db: Path of the database; None if it is not recorded.
        names: Short names, by entry.
        test: The sequential test, if there was one.
        pairs: Number of match pairs (the same opening, seats exchanged) in which the first entry scored 0,
            1/2, 1, 3/2 and 2 points, without matches that repeat others move for move.
        notes: Remarks.
        controlled: The score corrected for luck in the choice of moves, if requested.
        shown: Returns the match to show in notebooks; None if no moves are kept.
    """

    frame_columns = PAIRINGS

    game: str
    seed: int
    played: int
    planned: int
    pairings: list[Pairing]
    forfeits: list[Forfeit]
    tournament: int | None = None
    db: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    test: Tested | None = None
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    notes: Sequence[str] = ()
    controlled: Controlled | None = None
    shown: Callable[[], Shown] | None = field(default=None, compare=False)

    @property
    def finished(self) -> bool:
        """True once all planned matches have been played."""
        return self.played == self.planned

    @property
    def forfeited(self) -> bool:
        """True if every match was forfeited; the scores are then meaningless."""
        return all_forfeited(self.pairings, self.forfeits)

    @property
    def verdict(self) -> Verdict | None:
        """The comparison of the two entries based on `pairs`.

        None if there are no pairs, if matches are unplayed, or if all matches repeat a single pair.
        """
        ahead = self.pairings[0]
        if ahead.first == ahead.second or not any(self.pairs):
            return None
        if any(row.unplayed for row in self.pairings):
            return None
        if sum(self.pairs) == 1 and any(row.copies for row in self.pairings):
            return None
        return Verdict.of_pairs(self.pairs)

    def remarks(self) -> list[str]:
        """Return a line for each entry that forfeited, with its first forfeit."""
        return forfeit_lines(self.forfeits, self.names)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        where = "" if self.tournament is None else f", tournament {self.tournament} in {self.db}"
        yield f"{self.game}, {self.played:,} matches, seed {seed_text(self.seed)}{where}"
        yield match_grid(self.to_dicts()).with_names(self.names)
        if verdict := self.verdict:
            ahead = self.pairings[0]
            yield verdict.text(*(self.names.get(entry, entry) for entry in (ahead.first, ahead.second)))
        if self.controlled:
            entry = self.pairings[0].first
            yield from self.controlled.lines(self.names.get(entry, entry))
        yield from self.test.lines() if self.test else ()
        yield from legend(self.names)
        yield from self.notes
        if any(row.copies for row in self.pairings):
            yield f"Copies repeat others move for move; {argument('openings', 'random:N')} makes them differ."

    def _repr_html_(self) -> str:
        table = super()._repr_html_()
        return f"{table}\n{self.shown()._repr_html_()}" if self.shown else table

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each seat."""
        return [*pairing_rows(self.pairings)]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the shares of matches that the first player won, drew and lost, for each seat.

        Args:
            ax: Matplotlib axes to draw on. Default: those of a new figure.
        """
        return outcomes(self.pairings, self.names, ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [row.to_dict() for row in self.pairings]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        facts: dict[str, object] = {
            "game": self.game,
            "seed": seed_in_json(self.seed),
            "matches": self.played,
        }
        found = {**facts, "pairings": self.to_dicts(), "pairs": list(self.pairs)}
        if verdict := self.verdict:
            found["verdict"] = verdict.to_dict()
        if self.controlled:
            found["controlled"] = self.controlled.to_dict()
        if self.test:
            found["sprt"] = asdict(self.test)
        if self.notes:
            found["notes"] = list(self.notes)
        return found if self.tournament is None else {**found, "tournament": self.tournament}


@dataclass(frozen=True, repr=False)
class ExactMatch(Shown):
    """The exact expected results of two entries, in matches of up to `max_plies` plies.

    Attributes:
        game: The game.
        max_plies: Plies after which a match is a draw.
        pairings: Expected results by pairing.
        against_perfect: Results against perfect play, by entry.
        tournament: Number under which it is recorded; None if it is not recorded.
        db: Path of the database; None if it is not recorded.
        names: Short names, by entry.
    """

    frame_columns = EXACT_PAIRINGS

    game: str
    max_plies: int
    pairings: list[ExactPairing]
    against_perfect: Mapping[str, AgainstPerfect]
    tournament: int | None = None
    db: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def forfeited(self) -> bool:
        """True if every match would be forfeited."""
        return all_forfeited(self.pairings, ())

    def remarks(self) -> list[str]:
        """Return a line for each entry that forfeits in some position."""
        failed = {name: own.fault for name, own in self.against_perfect.items() if own.fault}
        return fault_lines(failed, self.names)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        where = "" if self.tournament is None else f", tournament {self.tournament} in {self.db}"
        yield f"{self.game}, exactly, up to {self.max_plies:,} plies{where}"
        yield match_grid(self.to_dicts()).with_names(self.names)
        yield from legend(self.names)
        for name, own in self.against_perfect.items():
            yield (
                f"Against perfect play {self.names.get(name, name)} falls short by "
                f"{own.as_first:.4f} of a match's score as first, {own.as_second:.4f} as second."
            )

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each seat."""
        return [*pairing_rows(self.pairings)]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the exact probabilities that the first player wins, draws and loses, for each seat.

        Args:
            ax: Matplotlib axes to draw on. Default: those of a new figure.
        """
        return outcomes(self.pairings, self.names, ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [row.to_dict() for row in self.pairings]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        facts = {"game": self.game, "exact": True, "max_plies": self.max_plies, "pairings": self.to_dicts()}
        fared = [{"entry": name, **own._asdict()} for name, own in self.against_perfect.items()]
        number = {} if self.tournament is None else {"tournament": self.tournament}
        return {**facts, "against_perfect": fared, **number}

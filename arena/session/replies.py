"""What `arena.exploit` gives: the best replies to an entry, and the matches that show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from arena.report.grid import Grid
from arena.report.shown import Part, Shown

SEATS = ("first", "second")
EQUAL = 1e-9  # scores that differ by less are equal
SPARE = ("trials", "lost", "drawn", "won", "matches")


@dataclass(frozen=True)
class BestReply:
    """What the best reply makes of an entry from a seat, `first` or `second`.

    win, draw, loss: probabilities, for the reply, or shares of `matches` that were played to show it. score:
    from 0 to 1; low, high: its 95 % interval, of which both ends are the score where that is exact. match:
    the moves of one, won if that can be; likelihood: that the entry makes its moves there, None if that is
    not known. result: how it ends.

    trials: by how many it was found, 0 if by all positions of the game. least: the score that it reaches
    whatever the entry's chance is; most: no reply reaches more.
    """

    reply: str
    win: float
    draw: float
    loss: float
    score: float
    match: list[str]
    likelihood: float | None
    result: str
    low: float
    high: float
    least: float
    most: float
    trials: int = 0
    matches: int = 0

    @property
    def exact(self) -> bool:
        """Whether no reply is better, and the score is no estimate."""
        return self.most - self.least < EQUAL

    @property
    def beats(self) -> bool:
        """Whether it is sure to score more than a half, or as sure as matches can tell."""
        return max(self.least, self.low) > 0.5

    def words(self, entry: str) -> str:
        """What is known of it."""
        seat = f"as {self.reply}"
        if self.trials and self.least > 1 - EQUAL:
            chance = "" if self.likelihood == 1 else f", whatever {entry} does by chance"
            return f"It wins {seat}{chance}."
        if self.exact:
            return "" if self.score > 0.5 else f"Nobody beats it {seat}."
        if self.beats:
            return f"There may be a better one {seat}."
        return f"None that beats it {seat} was found by {self.trials:,} trials; there may be one."


@dataclass(frozen=True, repr=False)
class Exploited(Shown):
    """The best replies to an entry, from either seat.

    score: of the better of them. fault: why the entry forfeits in some position, if it does. exact: whether
    they come of all positions of the game; else of trials, with this seed. stopped: whether that was stopped.
    """

    game: str
    entry: str
    max_plies: int
    replies: Sequence[BestReply]
    fault: str | None = None
    exact: bool = True
    seed: int = 0
    stopped: bool = False

    @property
    def score(self) -> float:
        return max(reply.score for reply in self.replies)

    @property
    def worst(self) -> float:
        """What is left to the entry against them, the mean of both seats."""
        return 1 - fmean(reply.score for reply in self.replies)

    def remarks(self) -> list[str]:
        return [f"Warning: {self.entry} forfeits: {self.fault}"] if self.fault else []

    def parts(self) -> Iterator[Part]:
        if self.exact:
            yield f"{self.game}: the best reply to {self.entry}, exactly, up to {self.max_plies:,} plies"
        else:
            yield f"{self.game}: replies to {self.entry} found by trials, seed {self.seed}"
        yield self.grid()
        for one in self.replies:
            yield ""
            if words := one.words(self.entry):
                yield words
            if one.match and (one.score > 0.5 or not self.exact):
                how = f", with probability {one.likelihood:.4g}" if one.likelihood not in (None, 1) else ""
                yield f"A match as {one.reply}{how}: {one.result}"
                yield " ".join(one.match)

    def grid(self) -> Grid:
        """A row for each seat."""
        columns = ["reply", "score", "won", "drawn", "lost"]
        rows = [
            [one.reply, *(f"{number:.4f}" for number in (one.score, one.win, one.draw, one.loss))]
            for one in self.replies
        ]
        if self.exact:
            return Grid(columns, rows)
        columns[2:2] = ["95 %", "at least"]
        for row, one in zip(rows, self.replies, strict=True):
            interval = "" if one.high - one.low < EQUAL else f"{one.low:.4f} to {one.high:.4f}"
            row[2:2] = [interval, f"{one.least:.4f}"]
            row += [f"{one.matches:,}", f"{one.trials:,}"]
        return Grid([*columns, "matches", "trials"], rows, spare=SPARE)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for each seat."""
        return [asdict(reply) for reply in self.replies]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        facts = {"game": self.game, "entry": self.entry, "max_plies": self.max_plies, "score": self.score}
        facts |= {"exact": self.exact, "seed": self.seed, "stopped": self.stopped}
        return {**facts, "fault": self.fault, "replies": self.to_dicts()}

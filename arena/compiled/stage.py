"""Where compiled agents play whole matches of a plan, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.agent import FastAgent
from arena.compiled import matches
from arena.compiled.player import Player, table_of
from arena.match import Record
from arena.rng import mix
from arena.schedule import OPENING, opening_plies
from arena.tally import Summary
from arena.watch import APART

if TYPE_CHECKING:
    from arena.agent import Agent
    from arena.compiled.engines import Engine
    from arena.game import Game, Move
    from arena.plugins import Spec
    from arena.schedule import Plan
    from arena.watch import Watch

CHUNK = 16_384  # matches at a time
ROOM = 1 << 18  # moves of them


class Stage:
    """What it takes to play a plan's matches compiled, kept for all its blocks.

    made: gives the agent of an entry's spec, the game's and a seat. Pairings of two agents with compiled
    kernels are played here, the others left out.
    """

    def __init__(
        self, plan: Plan, game: Game, engine: Engine, made: Callable[[Spec, Spec, int], Agent], watch: Watch
    ) -> None:
        self.plan, self.game, self.made, self.watch = plan, game, made, watch
        self.play_matches = engine.kernels(matches, "play_matches").play_matches
        self.ready: set[int] = set()  # pairings that were looked at
        self.pairings = np.zeros((len(plan.pairings), matches.PAIRING), np.int64)
        self.pairings[:, matches.SEED] = plan.pairing_seeds
        self.players: dict[int, Player] = {}  # of seat s in pairing k at 2 * k + s, kept alive
        self.tables = [table_of([])] * (2 * len(plan.pairings))
        plies = opening_plies(plan.openings)
        self.memory = [
            engine.ints(game.max_moves),
            engine.ints((plan.limits.plies + 1) * len(game.initial())),
            engine.ints(plies),
            engine.ints(2),
            engine.ints(2),
        ]
        self.trace = engine.ints(max(ROOM, plan.limits.plies))
        self.results = engine.ints(CHUNK * matches.COLUMNS)
        self.terms = engine.ints(matches.TERMS)
        base = mix(mix(plan.seed) ^ OPENING)
        terms = (base, plies, game.repetition, game.quiet_plies, plan.limits.plies, len(plan.pairings))
        self.terms[: len(terms)] = terms
        self.mark = np.frombuffer(watch.mark, np.int64) if watch.expendable else engine.ints(APART)
        self.texts: dict[Move, str] = {}

    def prepare(self, numbers: range) -> None:
        """Make the agents of the pairings met in these matches."""
        for number in numbers[: len(self.plan.pairings)]:
            k = number % len(self.plan.pairings)
            if k not in self.ready:
                self.ready.add(k)
                first, second = self.plan.pairings[k]
                players = self.player(number, 0, first), self.player(number, 1, second)
                self.enter(k, [player for player in players if player])

    def player(self, number: int, seat: int, entry: int) -> Player | None:
        """The compiled player of an entry; None if it has none or cannot be made, as matches will show."""
        spec = self.plan.entries[entry]
        if not issubclass(spec.cls, FastAgent):
            return None
        self.watch.turn(number, seat, self.plan.limits.stall_seconds)
        try:
            agent = self.made(spec, self.plan.game, seat)
        except (Exception, SystemExit):
            return None
        player = getattr(agent, "player", None)
        return player if isinstance(player, Player) else None

    def enter(self, k: int, players: Sequence[Player]) -> None:
        """Have a pairing played here, if both players are there."""
        if len(players) < 2:
            return
        self.pairings[k, matches.PLAYABLE] = 1
        for seat, player in enumerate(players):
            at = matches.CHOOSE + 2 * seat
            self.pairings[k, at : at + 2] = player.address, player.begin_address
            self.tables[2 * k + seat] = player.table
            self.players[2 * k + seat] = player
            if len(player.work) > len(self.memory[0]):
                self.memory[0] = player.work.copy()

    def play(self, numbers: range, keep: bool) -> Iterator[tuple[range, Any, list[int]]]:
        """Play what can be played here: of each chunk the numbers, rows of results, and numbers left out.

        keep: whether all moves are kept in the trace, and times taken.
        """
        self.prepare(numbers)
        tables, memory = table_of(self.tables), table_of(self.memory)
        self.terms[matches.KEEP] = keep
        while numbers:
            chunk = numbers[:CHUNK]
            self.watch.turns(self.plan.limits.stall_seconds)
            try:
                stop = self.play_matches(
                    chunk.start, chunk.stop, self.terms, self.pairings.ravel(), tables, memory,
                    self.trace, self.results, self.mark,
                )  # fmt: skip
            except Exception:  # in checked mode; this match is left out, and shows it again elsewhere
                stop = int(self.mark[matches.NUMBER]) + 1
            self.watch.clear()
            chunk = range(chunk.start, stop)
            rows = self.results[: len(chunk) * matches.COLUMNS].reshape(-1, matches.COLUMNS)
            left = np.flatnonzero(rows[:, matches.REASON] == matches.ELSEWHERE) + chunk.start
            yield chunk, rows, left.tolist()
            numbers = numbers[len(chunk) :]

    def records(self, chunk: range, rows: Any) -> Iterator[Record]:
        """The records of a chunk's rows."""
        trace = self.trace.tolist()
        for match, row in zip(chunk, rows.tolist(), strict=True):
            if row[matches.REASON] != matches.ELSEWHERE:
                yield self.record(match, row, trace)

    def record(self, match: int, row: Sequence[int], trace: Sequence[int]) -> Record:
        result, reason, plies, opening, chance, first_ns, second_ns, at = row
        return Record(
            *self.plan.fixture(match),
            result,
            matches.REASONS[reason],
            None,
            plies,
            opening,
            " ".join(map(self.text, trace[at : at + plies])),
            chance,
            first_ns / 1e9,
            second_ns / 1e9,
        )

    def text(self, move: int) -> str:
        if move not in self.texts:
            self.texts[move] = self.game.move_text(move)
        return self.texts[move]

    def sum_up(self, chunk: range, rows: Any, summary: Summary) -> None:
        """Add a chunk's rows to a summary."""
        pairing = np.arange(chunk.start, chunk.stop) % len(self.plan.pairings)
        played = rows[:, matches.REASON] != matches.ELSEWHERE
        chance = played & (rows[:, matches.CHANCE] == 1)
        place = 3 * pairing[chance] + rows[chance, matches.RESULT] + 1
        sums = np.bincount(place, minlength=3 * len(self.plan.pairings)).reshape(-1, 3).tolist()
        for seats, (losses, draws, wins) in zip(self.plan.pairings, sums, strict=True):
            if losses or draws or wins:
                counts = summary.counts(*seats)
                counts.wins += wins
                counts.draws += draws
                counts.losses += losses
        fixed = np.flatnonzero(played & ~chance)
        trace = self.trace.tolist() if len(fixed) else []
        for row in fixed.tolist():
            summary.add(self.record(chunk.start + row, rows[row].tolist(), trace))

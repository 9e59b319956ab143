"""The function `arena.play`: a match between you and an entry, move by move."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import ClassVar

from arena.api.game import Move, State
from arena.api.learner import Learner
from arena.api.limits import UNLIMITED, Draws
from arena.api.plugin_guard import noticing, quiet
from arena.api.reasons import FORFEITS, RESIGNED
from arena.api.rulings import check_position, legal_moves, notations, outcome, telling
from arena.api.spec import Spec
from arena.calls.arguments import Entry, GameEntry, agent_spec, game_text, known_with, text_of
from arena.calls.execution import Execution, train_entries
from arena.commands.play.start import Saved, Start, seat_of_side, start_of
from arena.commands.replay.explain import call as explaining
from arena.commands.replay.explain.call import Explanation
from arena.errors import ArenaError
from arena.faults.captured_output import Tail, listening
from arena.faults.rule_check import Suspect, check_rules_elsewhere
from arena.faults.tracebacks import at_place
from arena.ledger.ledger import Ledger
from arena.ledger.recorder import Recorder
from arena.matches.event import begin, sole_player
from arena.matches.match import Forfeit, Player, ask, begin_match, told_of
from arena.matches.remote_agent import Child, Remote
from arena.plan.completion import complete
from arena.plan.entries import all_entries, check_entries, is_interactive, make_game
from arena.plan.opening_book import Opening
from arena.plan.plan import Plan
from arena.plan.schedule import Fixture
from arena.registry.plugins import Registry
from arena.results.fault_story import Story
from arena.results.record import Record, Used
from arena.results.records import Records
from arena.results.settings import STALL_SECONDS, Settings, settings_of
from arena.rng import Rng, seed_in_json
from arena.show.board import standing, svg
from arena.show.frame import Column, Columns
from arena.show.position_board import board_of
from arena.show.presentation import Part, Shown
from arena.storage.database import Store
from arena.texts import call
from arena.workers.worker import own_watch

PLAYER = "human"  # default entry that represents you in records


@dataclass(frozen=True)
class Ending:
    """The end of a match.

    Attributes:
        result: Result from the first player's side: 1, 0 or -1.
        reason: As in `Record`.
        detail: As in `Record`.
        story: As in `Record`.
    """

    result: int
    reason: str
    detail: str | None = None
    story: Story | None = None


class Play(Shown):
    """A match between you and an entry.

    `move` plays your move, `reply` lets the entry play, and `close` ends the entry's process.

    Attributes:
        game: The rules of the game.
        seat: Your seat, 0 or 1.
        entries: The entries in both seats.
        moves: The moves so far.
        states: The positions so far, from the start to the current one.
        opening: Number of moves that the match began with.
        ending: The end of the match; None while it is being played.
        tournament: Number of the tournament in the database; None if the match is not recorded.
    """

    frame_columns: ClassVar[Columns] = {
        "ply": Column(int, "Number of the ply, from 1."),
        "move": Column(str, "The move, in the game's notation."),
        "opening": Column(bool, "Whether it is part of the opening."),
        "seconds": Column(float, "Time taken, in seconds, if known."),
        "after": Column(str, "The position after it."),
    }

    def __init__(
        self, settings: Settings, plan: Plan, known: Registry, seat: int, start: Start, how: Execution
    ) -> None:
        self.settings, self.plan, self.known, self.how = settings, plan, known, how
        self.game, self.seat, self.start = start.game, seat, start
        self.entries = (plan.entries[0].text, plan.entries[1].text)
        self.moves: list[Move] = [*start.moves]
        self.states: list[State] = [*start.states]
        self.opening = len(start.moves)
        self.ending: Ending | None = None
        self.tournament: int | None = None
        self.rng = Rng(plan.seat_seeds(0)[1 - seat])
        self.streams: dict[int, list[int]] = {}  # states of the entry's random number generator, by ply
        self.seconds: dict[int, float] = {}  # time of each ply
        self.helped: Counter[tuple[int, str]] = Counter()  # hints and moves taken back, by ply
        self.players: dict[tuple[str, int], Player] = {}
        self.children: list[Child] = []
        self.pressed = threading.Event()  # set by Ctrl-C while an entry thinks
        self.tail = Tail()
        self.begun = False
        self.look()

    # --- status -----------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The current position."""
        return self.states[-1]

    @property
    def entry(self) -> str:
        """The entry that you play against."""
        return self.entries[1 - self.seat]

    @property
    def your_turn(self) -> bool:
        """True if you are to move, and also once the match has ended."""
        with telling(self.game):
            return self.ending is not None or self.game.to_move(self.state) == self.seat

    def texts(self) -> list[str]:
        """Return the moves so far, in the game's notation."""
        with telling(self.game):
            return [*map(self.game.move_text, self.moves)]

    @property
    def said(self) -> str:
        """The side to move, or how the match ended, as text."""
        if self.ending is None:
            with telling(self.game):
                return standing(self.game, self.state)[0]
        ending, own = self.ending, self.ending.result * (1 if self.seat == 0 else -1)
        won = {1: "you have won", 0: "drawn", -1: f"{self.entry} has won"}[own]
        how = {"rules": "", RESIGNED: ", because you resigned"}.get(ending.reason, f" by {ending.reason}")
        if ending.reason in FORFEITS:
            at = at_place(ending.story.place if ending.story else "")
            how = f", because it forfeits by {ending.reason}: {ending.detail}{at}"
        return f"{won}{how}, after {len(self.moves)} {'ply' if len(self.moves) == 1 else 'plies'}"

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        sides = self.game.sides
        yield f"{self.plan.game.text}: you are {sides[self.seat]} against {self.entry}"
        yield board_of(self.game, self.state)
        if self.moves:
            yield " ".join(self.texts())
        yield self.said

    def to_dict(self) -> dict[str, object]:
        """Return the match as a dictionary for JSON."""
        with telling(self.game):
            state = self.game.position_text(self.state)
        found = {"game": self.plan.game.text, "entries": [*self.entries], "seat": self.seat, "state": state}
        ending = self.ending and {"result": self.ending.result, "reason": self.ending.reason}
        return {**found, "moves": self.texts(), "ending": ending, "tournament": self.tournament}

    def _repr_html_(self) -> str:
        from arena.show.stepper import stepper  # its templates are loaded in notebooks only

        head = [f"{self.plan.game.text}: you are {self.game.sides[self.seat]} against {self.entry}"]
        texts = self.texts()
        lines = ["start", *(f"{number}. {move}" for number, move in enumerate(texts, 1))]
        lines[-1] += f"; {self.said}"
        last = len(texts)
        return stepper(self.game, self.states, texts, lines, head=head, opening=self.opening, at=last)

    def _repr_svg_(self) -> str:
        with telling(self.game):
            return svg(self.game, self.state)

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each move."""
        return [
            {"ply": i, **row, "opening": i <= self.opening, "seconds": self.seconds.get(i - 1)}
            for i, row in enumerate(self.to_dicts(), 1)
        ]

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each move."""
        with telling(self.game):
            pairs = zip(self.texts(), self.states[1:], strict=True)
            return [{"move": move, "after": self.game.position_text(after)} for move, after in pairs]

    # --- playing ----------------------------------------------------------------------------------------

    def move(self, move: str) -> None:
        """Play your move.

        Args:
            move: The move, in the game's notation.

        Raises:
            ArenaError: If it is not a legal move, or not your turn.
        """
        if self.ending is not None:
            raise ArenaError("the match is over; use undo to take moves back")
        if not self.your_turn:
            raise ArenaError(f"it is {self.entry}'s turn; use reply to let it play")
        with telling(self.game):
            read = self.game.read_move(self.state, move)
        self.play(read)

    def reply(self) -> list[str]:
        """Let the entry play until it is your turn or the match is over, and return its moves."""
        before = len(self.moves)
        while not self.your_turn:
            self.streams[len(self.moves)] = [*self.rng.stream]
            begun = perf_counter()
            try:
                move = self.chosen(self.plan.entries[1 - self.seat], 1 - self.seat, self.rng, self.tail)
            except Forfeit as forfeit:
                self.forfeit(forfeit)
                break
            finally:
                self.seconds[len(self.moves)] = perf_counter() - begun
            self.play(move)
        return self.texts()[before:]

    def chosen(self, spec: Spec, seat: int, rng: Rng, tail: Tail, fresh: bool = False) -> Move:
        """Return the move that an entry chooses in the current position.

        Args:
            spec: The entry.
            seat: The entry's seat.
            rng: Its random number generator.
            tail: Receives the last lines of its output.
            fresh: Whether to create the entry in the current position, as for an adviser.

        Raises:
            Forfeit: If the entry fails.
        """
        key = ("adviser " * fresh + spec.text, seat)
        with noticing(self.pressed), listening(aloud=False), quiet():
            if fresh or not self.begun:  # `begun` is False again after `undo`
                make = self.maker(spec, key)
                before = Opening(tuple(self.moves), self.start.position)
                self.players[key] = begin_match(make, seat, 0, self.plan.limits, own_watch, tail, before)
                self.begun = self.begun or not fresh
            with telling(self.game):
                legal = legal_moves(self.game, self.state)
            line = self.moves if self.start.position is None else ()
            return ask(self.players[key], seat, self.game, self.state, legal, rng, own_watch, line)

    def maker(self, spec: Spec, key: tuple[str, int]) -> Callable[[int], Player]:
        """Return a function that creates an entry in a separate process, so that Ctrl-C can interrupt it.

        An entry from a file is sandboxed.
        """

        def make(seat: int) -> Player:
            if key in self.players:
                return self.players[key]
            child = Child(spec, self.plan.game, UNLIMITED, is_file(spec))
            self.children.append(child)
            return Remote(child, own_watch, (0, seat), self.plan.limits.stall_seconds, self.pressed)

        return make

    def play(self, move: Move) -> None:
        """Play a legal move for the side to move, and check whether the match is over."""
        with telling(self.game):
            self.states.append(self.game.play(self.state, move))
        self.moves.append(move)
        self.look()

    def look(self) -> None:
        """Check whether the match is over."""
        game, plan = self.game, self.plan
        with telling(game):
            check_position(game, self.state)
            if not game.moves(self.state):
                self.ending = Ending(outcome(game, self.state), "rules")
                return
            draws = Draws(game, self.states[0], plan.limits, self.start.position)
            for before, move, after in zip(self.states, self.moves, self.states[1:], strict=False):
                draws.add_move(before, move, after)
            if reason := draws.reason(self.state, len(self.moves)):
                self.ending = Ending(0, reason)

    def forfeit(self, forfeit: Forfeit) -> None:
        """End the match with a forfeit of the entry, or raise GameFault if the game caused its failure."""
        suspect = Suspect(self.plan.entries[1 - self.seat], forfeit.detail)
        start = self.start.position
        check_rules_elsewhere(self.how.executor, self.plan.game, STALL_SECONDS, suspect, self.moves, start)
        player = self.players.get((self.entry, 1 - self.seat))
        with telling(self.game):
            players, tails = [player] * 2 if player else [], (self.tail, self.tail)
            told = told_of(forfeit, self.game, self.state, players, tails)
        result = -1 if 1 - self.seat == 0 else 1
        self.ending = Ending(result, forfeit.reason, forfeit.detail, told)

    def undo(self) -> int:
        """Take back your last move and those after it, and return the number of plies.

        Raises:
            ArenaError: If you have made no move, or the match is already recorded.
        """
        with telling(self.game):
            movers = [self.game.to_move(state) for state in self.states[:-1]]
        own = [ply for ply in range(self.opening, len(movers)) if movers[ply] == self.seat]
        if not own:
            raise ArenaError("you have made no move to take back")
        if self.tournament is not None:
            raise ArenaError("the match is already recorded; start another one")
        back = len(self.moves) - own[-1]
        replied = [ply for ply in self.streams if ply >= own[-1]]
        if replied:
            self.rng.stream[:] = self.streams[min(replied)]
        for ply in replied:
            del self.streams[ply]
        del self.moves[own[-1] :], self.states[own[-1] + 1 :]
        self.ending, self.begun = None, False
        self.helped[own[-1], "undone"] += 1
        return back

    def resign(self) -> None:
        """Resign: the entry wins."""
        if self.ending is not None:
            raise ArenaError("the match is over")
        self.ending = Ending(-1 if self.seat == 0 else 1, RESIGNED)

    # --- advice -----------------------------------------------------------------------------------------

    def adviser(self, entry: Entry | None) -> tuple[Spec, Registry]:
        """Return the entry to ask for advice, trained if it is a learner, and its registry.

        Args:
            entry: The entry. Default: the one you play against.

        Raises:
            ArenaError: If the match is over, or the entry cannot advise.
        """
        if self.ending is not None:
            raise ArenaError("the match is over, so there is no move to advise")
        if entry is None:
            return self.plan.entries[1 - self.seat], self.known
        known = known_with([entry])
        spec = agent_spec(entry, known)
        check_entries([spec], self.game)
        if is_interactive(spec):
            raise ArenaError(f"{spec.text} plays at the terminal and cannot give advice; name another entry")
        explaining.ready(spec, self.plan.game, known, self.how)
        return spec, known

    def hint(self, entry: Entry | None = None) -> str:
        """Return the move that an entry would play in the current position, or raise ArenaError.

        Args:
            entry: The entry. Default: the one you play against.
        """
        spec, _ = self.adviser(entry)
        with telling(self.game):
            seat = self.game.to_move(self.state)
        try:
            move = self.chosen(spec, seat, Rng(self.plan.seat_seeds(0)[self.seat]), Tail(), fresh=True)
        except Forfeit as forfeit:
            self.players.pop((f"adviser {spec.text}", seat), None)
            raise ArenaError(f"{spec.text} fails: {forfeit.detail}; ask another entry") from forfeit
        self.helped[len(self.moves), "hints"] += 1
        with telling(self.game):
            return self.game.move_text(move)

    def explain(self, entry: Entry | None = None, best: int = 3, reasons: int = 3) -> Explanation:
        """Return how an entry scores the moves in the current position, or raise ArenaError.

        Args:
            entry: The entry. Default: the one you play against.
            best: Number of moves to show.
            reasons: Number of reasons to show for each.
        """
        spec, _ = self.adviser(entry)
        explaining.check_tells(spec)
        with telling(self.game):
            legal = legal_moves(self.game, self.state)
        seed = self.plan.seat_seeds(0)[self.seat]  # a random stream that is not used otherwise
        views, chosen = explaining.ask(spec, self.plan.game, self.state, legal, seed)
        self.helped[len(self.moves), "hints"] += 1
        return Explanation(self.game, self.state, spec.text, legal, views, chosen, best, reasons)

    # --- files ------------------------------------------------------------------------------------------

    def save(self, file: str | Path) -> None:
        """Write the match to a file from which `arena.play(start=…)` continues, or raise ArenaError."""
        Saved(
            game=self.plan.game.text,
            entry=self.entry,
            player=self.entries[self.seat],
            seat=self.seat,  # type: ignore[arg-type] # 0 or 1
            seed=seed_in_json(self.plan.seed),
            streams=self.plan.streams.scheme,
            position=self.start.position,
            moves=" ".join(self.texts()),
        ).write(file)

    def record(self, db: str | Path) -> int:
        """Record the match in a database as a tournament of one match, and return its number.

        Raises:
            ArenaError: If the match is not over, or began in a position that the game cannot read.
        """
        if self.ending is None:
            raise ArenaError(
                "the match is not over, and only finished matches are recorded; use save to keep it"
            )
        if self.start.position is not None and not self.game.offers("read_position"):
            raise ArenaError(
                f"the match began in a position that {self.game} cannot read back; use save to keep it"
            )
        if self.tournament is None:
            with closing(Store(db, write=True)) as store:
                number = begin(store, self.settings, self.plan, self.known)
                with sole_player(store.path, number):
                    ledger = Ledger(self.plan)
                    recorder = Recorder(store, number, ledger)
                    for _ in recorder.take_up():
                        pass
                    recorder.write(ledger.add(Records.of([self.as_record(self.plan.fixture(0))])))
            self.tournament = number
        return self.tournament

    def as_record(self, fixture: Fixture) -> Record:
        """Return the record of the match, marked as one that involves randomness."""
        assert self.ending is not None
        with telling(self.game):
            movers = [self.game.to_move(state) for state in self.states[:-1]]
            moves = notations(self.game, self.moves)
            position = self.start.position
            start = None if position is None else self.game.start_text(position)
        spent = [0.0, 0.0]
        for ply, mover in enumerate(movers):
            spent[mover] += self.seconds.get(ply, 0.0)
        amounts: dict[int, dict[str, float]] = {}
        for (ply, name), times in sorted(self.helped.items()):
            if ply < len(movers):
                amounts.setdefault(ply, {})[name] = times
        usage = tuple(Used(ply + 1, self.seat, found) for ply, found in amounts.items())
        ending = self.ending
        return Record(
            *fixture, ending.result, ending.reason, ending.detail, len(self.moves), self.opening, moves, 1,
            spent[0], spent[1], start, ending.story, usage,
        )  # fmt: skip

    def close(self) -> None:
        """End the entry's processes."""
        for child in self.children:
            child.close()
        self.children.clear()
        self.players.clear()


def is_file(spec: Spec) -> bool:
    """Return whether an entry is from a file, so that it must run in another process."""
    from arena.registry.files import files_in

    return bool(files_in(spec))


def play(
    entry: Entry | None = None,
    *,
    game: GameEntry = None,
    side: str | None = None,
    start: str | Path | None = None,
    seed: int | str | None = None,
    player: Entry = PLAYER,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Play:
    """Begin a match between you and an entry, to be played move by move.

    >>> import arena
    >>> match = arena.play("minimax:ties=first", game="tic-tac-toe", start="1 5")
    >>> match.move("9")
    >>> match.reply()  # corners would lose
    ['2']
    >>> match.close()

    Args:
        entry: The entry. Default: the strongest of the built-in agents that need no training.
        game: The game, as in `arena.match`. Default: the first installed.
        side: Your side: "first", "second", or the game's name for it. Default: first.
        start: Moves, a position, or a file that `save` wrote.
        seed: Seed of the entry's random numbers. Default: a new seed.
        player: The interactive entry that represents you in records.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The match. Call its `close` at the end.

    Raises:
        ArenaError: If the entry cannot play the game.
        Stopped: If `stop` was set before the end.
    """
    streams = None
    saved = Saved.read(start) if start is not None and os.path.isfile(start) else None
    if saved:
        entry, game = entry or saved.entry, game or saved.game
        player = saved.player if player == PLAYER else player
        if seed is None:
            seed, streams = saved.seed, saved.streams
    if entry is None:
        entry = opponent(game)
    known = known_with([entry, player], game)
    made = make_game(known.spec("game", game_text(game, known)))
    seat = saved.seat if saved and side is None else seat_of_side(made, side)
    texts = [text_of(one, "agent", known) for one in (player, entry)]
    patience = None if is_file(known.spec("agent", texts[1])) else 0.0  # no limit: the user can press Ctrl-C
    stated = {
        "game": game_text(game, known),
        "entries": texts if seat == 0 else texts[::-1],
        "format": "match",
        "matches": 1,
        "seed": seed,
        "streams": streams,
        "stall_seconds": patience,
    }
    settings, plan = complete(settings_of(stated), known, trusting=True)
    check_seats(plan, seat)
    at = saved.position if saved else str(start or "")
    begun = start_of(made, at, saved.moves if saved else "")
    how = Execution.of(known, progress=progress, stop=stop)
    train_entries(plan, known, how, remedy="; name another entry")
    return Play(settings, plan, known, seat, begun, how)


def opponent(game: GameEntry) -> str:
    """Return the default opponent: the last agent of the first plugin that needs no training.

    Arena's own agents are listed from the weakest to the strongest, so this is the strongest of them.
    """
    known = known_with(game=game)
    on = known.spec("game", game_text(game, known))
    made = make_game(on)
    names, _ = all_entries(made, known)
    offers = known.offers["agent"]
    for name in reversed([name for name in names if offers[name].plugin is offers[names[0]].plugin]):
        spec = known.spec("agent", name)
        if not any(issubclass(part.cls, Learner) for part in spec.walk()):
            with suppress(ArenaError):
                spec.make(made)
                return name
    raise ArenaError(
        f"no installed agent can play {on.text} without training; name an entry, or a saved match"
    )


def check_seats(plan: Plan, seat: int) -> None:
    """Raise ArenaError unless your entry is interactive and the opponent's is not."""
    if seat not in plan.interactive:
        raise ArenaError(
            f"{plan.entries[seat].text} is not played by a person; you play as {PLAYER!r}, or {PLAYER}:who=…"
        )
    if 1 - seat in plan.interactive:
        raise ArenaError(f"for two people at the terminal, use '{call('match', PLAYER, PLAYER)}'")

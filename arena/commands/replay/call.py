"""The function `arena.replay`, which returns a recorded match, position by position."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.move_grading import judge_of
from arena.analysis.solvers import class_of_solver
from arena.api.explanation import View
from arena.api.game import Game, State
from arena.api.reasons import FORFEITS, WITHDRAWN
from arena.api.rulings import start_of, telling
from arena.api.spec import Spec
from arena.calls.arguments import Entry, agent_spec, known_with, own_classes
from arena.calls.execution import Execution
from arena.commands.replay.explain import call as explaining
from arena.commands.replay.explain.call import Explanation
from arena.commands.tournaments.faults import Fault, fault_of
from arena.errors import ArenaError
from arena.plan.entries import check_entries, make_game
from arena.registry.files import placed
from arena.registry.plugins import Registry, registry
from arena.results.fault_story import Story
from arena.results.settings import whole_number
from arena.show.board import standing, svg
from arena.show.figures.canvas import COLOURS, canvas, label
from arena.show.frame import Column, Columns
from arena.show.position_board import board_of
from arena.show.presentation import Part, Shown, html_of
from arena.storage.database import DATABASE, Store, Tournament
from arena.texts import call

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL = 100_000  # largest number of positions of a game that is solved by default
NODES = 200_000  # maximum number of positions searched to solve one
WORTH = {1: "won", 0: "drawn", -1: "lost"}
LISTED = 5  # maximum number of other matches listed in a warning


@dataclass(frozen=True)
class Ply:
    """A move of a match.

    Attributes:
        number: Number of the ply, from 1.
        seat: The player that moved, 0 or 1.
        move: The move, in the game's notation.
        opening: Whether it is part of the opening.
        worth: Value of the position before and after the move for the player that moved: 1 won, 0 drawn, -1
            lost. None if unknown.
    """

    number: int
    seat: int
    move: str
    opening: bool
    worth: tuple[int, int] | None = None

    @property
    def mistake(self) -> str:
        """The value given away, such as `from won to drawn`; "" if there is none."""
        if self.worth is None or self.worth[0] == self.worth[1]:
            return ""
        return f"from {WORTH[self.worth[0]]} to {WORTH[self.worth[1]]}"


@dataclass(frozen=True, repr=False)
class Replay(Shown):
    """A recorded match.

    Attributes:
        tournament: Number of the tournament; None if the match is not recorded.
        match: Number of the match.
        game: The game.
        entries: First and second player.
        states: The positions, from the start to the last one.
        plies: The moves.
        result: Result from the first player's side: 1, 0 or -1.
        reason: As in `Record`.
        detail: As in `Record`.
        fault: Details of the forfeit, if there was one.
        unread: The moves from the first one on that the installed rules do not allow.
        others: Numbers of further matches that fit the request.
        adviser: The entry that explains moves, and the game; None without such an entry.
        thoughts: Explanations so far, by ply.
        start: The position that the match began in, as text; None for the start of the game.
        names: Short names, by entry.
    """

    frame_columns: ClassVar[Columns] = {
        "ply": Column(int, "Number of the ply, from 1."),
        "entry": Column(str, "The entry in that seat."),
        "side": Column(str, "The side that moved."),
        "move": Column(str, "The move, in the game's notation."),
        "opening": Column(bool, "Whether it is part of the opening."),
        "value_before": Column(int, "Value before it for that player: 1 won, 0 drawn, -1 lost."),
        "value_after": Column(int, "Value after it for that player; missing if unknown."),
        "after": Column(str, "The position after the move."),
    }

    tournament: int | None
    match: int
    game: Game
    entries: tuple[str, str]
    states: Sequence[State]
    plies: Sequence[Ply]
    result: int
    reason: str
    detail: str | None
    fault: Fault | None = None
    unread: Sequence[str] = ()
    others: Sequence[int] = ()
    adviser: tuple[Spec, Spec] | None = None
    thoughts: dict[int, Explanation] = field(default_factory=dict)
    start: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def called(self) -> tuple[str, str]:
        """The names under which the first and the second player are shown."""
        first, second = (self.names.get(name, name) for name in self.entries)
        return first, second

    @property
    def mistakes(self) -> list[Ply]:
        """The moves, other than those of the opening, that gave value away, as far as values are known."""
        return [ply for ply in self.plies if ply.mistake and not ply.opening]

    def remarks(self) -> list[str]:
        """Return warnings about other matches that fit the request, and about moves that cannot be shown."""
        found = []
        if self.unread:
            number = len(self.plies) + 1
            found.append(
                f"ply {number}, {self.unread[0]!r}, is not legal by the installed rules of {self.game}; "
                "the match was played under other rules"
            )
        if self.others:
            listed = ", ".join(map(str, self.others[:LISTED])) + ", …" * (len(self.others) > LISTED)
            found.append(f"{len(self.others):,} other matches fit, too: {listed}")
        return found

    def head(self) -> list[str]:
        """Return lines with the players and the result."""
        first, second = (f"{name} ({side})" for name, side in zip(self.called, self.game.sides, strict=True))
        of = "" if self.tournament is None else f" of tournament {self.tournament}"
        about = f"Match {self.match}{of}, {self.game}: {first} against {second}"
        return [about, f"{self.ended}, after {len(self.plies) + len(self.unread)} plies"]

    @property
    def ended(self) -> str:
        """How the match ended, as text: `minimax has won` or `a draw by repetition`."""
        if self.reason == WITHDRAWN:
            return "not played, because an entry was withdrawn"
        won = {1: f"{self.called[0]} has won", 0: "a draw", -1: f"{self.called[1]} has won"}[self.result]
        if self.reason in FORFEITS:
            return f"{won}, because the other forfeited by {self.reason}: {self.detail}"
        return won if self.reason == "rules" else f"{won} by {self.reason}"

    def line(self, number: int) -> str:
        """Return the text below a position: the move that led to it. number: the ply; 0 for the start."""
        if number == 0:
            with telling(self.game):
                return f"start: {standing(self.game, self.states[0])[0]}"
        ply = self.plies[number - 1]
        who = "opening" if ply.opening else self.called[ply.seat]
        mistake = f"; a mistake, {ply.mistake}" if ply.mistake and not ply.opening else ""
        return f"{number}. {self.game.sides[ply.seat]} {ply.move}  {who}{mistake}"

    def thought(self, number: int) -> str:
        """Return a line with the adviser's view of a ply; "" without an adviser or legal moves."""
        found = self.explained(number - 1)
        if found is None:
            return ""
        with telling(self.game):
            texts = [self.game.move_text(move) for move in found.moves]
            chosen = self.game.move_text(found.chosen)
        views = dict(zip(texts, found.views, strict=True))
        played = self.plies[number - 1].move
        said = f"{found.entry} would play {chosen}{told(views[chosen])}"
        if chosen == played:
            return said
        if told(views[chosen]) and told(views[chosen]) == told(views[played]):
            return f"{found.entry} would play {chosen} or {played}{told(views[played])}"
        return f"{said}, not {played}{told(views[played])}"

    def explained(self, number: int) -> Explanation | None:
        """Return the adviser's views of the moves in a position; None without an adviser or legal moves."""
        if self.adviser is None:
            return None
        with telling(self.game):
            legal = list(self.game.moves(self.states[number]))
        if not legal:
            return None
        if number not in self.thoughts:
            spec, on = self.adviser
            views, chosen = explaining.ask(spec, on, self.states[number], legal, 0)
            made = Explanation(self.game, self.states[number], spec.text, legal, views, chosen)
            self.thoughts[number] = made
        return self.thoughts[number]

    def boards(self) -> Iterator[tuple[State | None, Part]]:
        """Yield the output from top to bottom, each part with the position to draw above it, or None."""
        for line in self.head():
            yield None, line
        for number, state in enumerate(self.states):
            yield None, ""
            yield state, self.line(number)
            if number and (thought := self.thought(number)):
                yield None, f"   {thought}"
        yield from ((None, part) for part in self.foot())

    def foot(self) -> Iterator[Part]:
        """Yield the details of a forfeit, and the mistakes of each player."""
        if self.fault:
            yield ""
            yield from self.fault.parts(self.names)
        if any(ply.worth for ply in self.plies):
            yield ""
            for seat, name in enumerate(self.called):
                numbers = [str(ply.number) for ply in self.mistakes if ply.seat == seat]
                listed = f"ply {', '.join(numbers)}" if numbers else "none"
                yield f"Mistakes of {name} ({self.game.sides[seat]}): {listed}"

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        for state, part in self.boards():
            if state is not None:
                yield board_of(self.game, state)
            yield part

    def _repr_html_(self) -> str:
        from arena.show.stepper import stepper  # its templates are loaded in notebooks only

        lines = [self.line(number) for number in range(len(self.states))]
        moves, opening = [ply.move for ply in self.plies], sum(ply.opening for ply in self.plies)
        match = stepper(self.game, self.states, moves, lines, head=self.head(), opening=opening, at=opening)
        below = [part for part in self.foot() if part != ""]
        below += [f"Warning: {remark}" for remark in self.remarks()]
        return "\n".join([match, *map(html_of, below)])

    def _repr_svg_(self) -> str:
        with telling(self.game):
            return svg(self.game, self.states[-1])

    def svg(self, seconds: float = 0.8) -> str:
        """Return the match as an animated SVG document that shows the positions one after another.

        Args:
            seconds: Time in seconds that each position is shown; the last one is shown longer.
        """
        from arena.show.animation import animated

        if not 0.05 <= seconds <= 60:
            raise ArenaError(f"seconds is {seconds:g}, but must be between 0.05 and 60")
        captions = [self.line(number).replace("  ", " ") for number in range(len(self.states))]
        first, second = (f"{name} ({side})" for name, side in zip(self.called, self.game.sides, strict=True))
        with telling(self.game):
            return animated(self.game, self.states, f"{first} against {second}", captions, seconds)

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each ply."""
        with telling(self.game):
            texts = [self.game.position_text(state) for state in self.states]
        return [
            {
                "ply": ply.number,
                "entry": self.entries[ply.seat],
                "side": self.game.sides[ply.seat],
                "move": ply.move,
                "opening": ply.opening,
                "value_before": ply.worth and ply.worth[0],
                "value_after": ply.worth and ply.worth[1],
                "after": texts[ply.number],
            }
            for ply in self.plies
        ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the value of each position for the first player, as far as values are known.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        ax = canvas(ax, 2.6)
        known = [(ply.number, ply.worth[1] * (1, -1)[ply.seat]) for ply in self.plies if ply.worth]
        ax.step([0, *(number for number, _ in known)], [0, *(value for _, value in known)], where="post")
        for ply in self.mistakes:
            ax.plot(ply.number, (ply.worth or (0, 0))[1] * (1, -1)[ply.seat], "o", color=COLOURS[1])
        ax.set_ylim(-1.2, 1.2)
        ax.set_yticks([-1, 0, 1], ["lost", "drawn", "won"])
        ax.set_xlabel("ply; a dot is a mistake")
        ax.set_ylabel(f"for {label(self.called[0])}")
        return ax

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each ply."""
        with telling(self.game):
            texts = [self.game.position_text(state) for state in self.states]
        found = []
        for ply in self.plies:
            worth = ply.worth and {"before": ply.worth[0], "after": ply.worth[1]}
            row = {
                "ply": ply.number,
                "entry": self.entries[ply.seat],
                "side": self.game.sides[ply.seat],
                "opening": ply.opening,
                "before": texts[ply.number - 1],
                "move": ply.move,
                "after": texts[ply.number],
                "worth": worth,
            }
            if thoughts := self.explained(ply.number - 1):
                row["explained"] = thoughts.to_dict()
            found.append(row)
        return found

    def to_dict(self) -> dict[str, object]:
        """Return the match as a dictionary for JSON."""
        return {
            "tournament": self.tournament,
            "match": self.match,
            "game": str(self.game),
            "entries": [*self.entries],
            "names": dict(self.names),
            "result": self.result,
            "reason": self.reason,
            "detail": self.detail,
            "start": self.start,
            "fault": self.fault and asdict(self.fault),
            "plies": self.to_dicts(),
            "unread": [*self.unread],
            "others": [*self.others],
        }


def told(view: View) -> str:
    """Return the view of a move as text, such as ` (won in 3 plies)` or ` (score 0.5)`; "" without one."""
    if view.verdict:
        return f" ({view.verdict})"
    text = explaining.texts({"score": view.score})["score"]
    return f" (score {text})" if text else ""


def replay(
    tournament: int | None = None,
    match: int | None = None,
    *,
    lost_by: str | None = None,
    explain: Entry | None = None,
    mistakes: bool | None = None,
    own: Sequence[object] = (),
    db: str | Path = DATABASE,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Replay:
    """Return a recorded match, position by position.

    >>> import arena
    >>> found = arena.tournament(["first", "minimax:ties=first"], game="tic-tac-toe", rounds=1, db="some.db")
    >>> replay = arena.replay(found.number, lost_by="first", db="some.db")
    >>> replay.ended, len(replay.states), replay.mistakes[0].mistake
    ('minimax:ties=first has won', 7, 'from drawn to lost')

    Args:
        tournament: Number of the tournament. Default: the newest with matches.
        match: Number of the match. Default: the first.
        lost_by: Choose the first match that this entry lost.
        explain: An entry that explains each move.
        mistakes: Mark moves that lose value; in a large game, only those found by searches of up to 200,000
            positions. Default: only if the game is known to be small, or has a solver.
        own: The class of the game, if it is defined in your code.
        db: Path of the database.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The match.

    Raises:
        ArenaError: If there is no such match.
        Stopped: If `stop` was set before the end.
    """
    with closing(Store(db)) as store:
        found = newest(store) if tournament is None else store.tournament(tournament)
        if found.exact:
            raise ArenaError(f"tournament {found.id} was evaluated exactly and has no matches")
        numbers = wanted(store, found, match, lost_by)
        first, second, result, reason, detail, opening, moves, start = store.whole_match(found.id, numbers[0])
        stories = {number: story for number, _, story in store.stories(found.id) if number == numbers[0]}
    spec, known = game_again(found, own)
    game = make_game(spec)
    words = moves.split()
    states, seats = positions(game, words, start)
    fault = None
    if detail is not None:
        story = stories.get(numbers[0], Story())
        fault = fault_of(numbers[0], (first, second), result, reason, detail, moves, story)
    plies = plies_of(game, words[: len(seats)], seats, opening, mistakes, start)
    adviser = adviser_of(explain, spec, game, Execution.of(known, 1, "serial", progress, stop))
    return Replay(
        tournament=found.id,
        match=numbers[0],
        game=game,
        entries=(first, second),
        states=states,
        plies=plies,
        result=result,
        reason=reason,
        detail=detail,
        fault=fault,
        unread=words[len(seats) :],
        others=numbers[1:],
        adviser=adviser,
        start=start,
        names={
            entry: name for entry, name in (found.settings.names or {}).items() if entry in (first, second)
        },
    )


def newest(store: Store) -> Tournament:
    """Return the latest tournament that has matches, or raise ArenaError."""
    for found in reversed(store.tournaments()):
        if found.played:
            return found
    raise ArenaError(f"{store.path} has no matches to show; play some: {call('tournament')}")


def wanted(store: Store, found: Tournament, match: int | None, lost_by: str | None) -> list[int]:
    """Return the numbers of the matches that fit the request, the one to show first; or raise ArenaError."""
    if match is not None:
        if lost_by is not None:
            raise ArenaError(
                f"a match, {match}, and lost_by, {lost_by}, exclude each other; pass one of them"
            )
        match = whole_number("match", match)
        if not -(2**63) <= match < 2**63:
            raise ArenaError(f"tournament {found.id} has no match {match}")
        return [match]
    if lost_by is None:
        return store.numbers(found.id)[:1] or [0]
    names = found.settings.entries or []
    called = {name: entry for entry, name in (found.settings.names or {}).items()}
    lost_by = called.get(lost_by, lost_by)
    if lost_by not in names:
        known = ", ".join(names)
        raise ArenaError(f"tournament {found.id} has no entry {lost_by!r}; its entries are {known}")
    numbers = store.numbers(found.id, lost_by)
    if not numbers:
        raise ArenaError(f"{lost_by} has lost no match of tournament {found.id}")
    return numbers


def game_again(found: Tournament, own: Sequence[object]) -> tuple[Spec, Registry]:
    """Return a tournament's game, which may be from a file or a class of the caller, and the registry."""
    known = known_with(game=placed(found.game, found.settings.files or {}), named=False)
    known = known.including([(kind, cls) for kind, cls in own_classes(own) if kind == "game"])
    return known.spec("game", found.game), known


def positions(game: Game, words: Sequence[str], start: str | None = None) -> tuple[list[State], list[int]]:
    """Return a match's positions up to the first illegal move, and the player that moved in each."""
    with telling(game):
        states, seats = [start_of(game, start)], []
        for word in words:
            legal = {game.move_text(move): move for move in game.moves(states[-1])}
            if word not in legal:
                break
            seats.append(game.to_move(states[-1]))
            states.append(game.play(states[-1], legal[word]))
        return states, seats


def plies_of(
    game: Game,
    words: Sequence[str],
    seats: Sequence[int],
    opening: int,
    mistakes: bool | None,
    start: str | None = None,
) -> list[Ply]:
    """Return the moves of a match, with the values of positions if requested and available."""
    worth: list[tuple[int, int] | None] = []
    small = game.reachable is not None and game.reachable <= SMALL
    if mistakes or (mistakes is None and (small or class_of_solver(game, registry()))):
        try:
            with telling(game):
                for _, value, given in judge_of(game, NODES).moves(words, start):
                    worth.append(None if value is None or given is None else (value, value - given))
        except ArenaError:
            if mistakes:
                raise
    moves = zip_longest(seats, words, worth)
    return [Ply(i + 1, seat, word, i < opening, value) for i, (seat, word, value) in enumerate(moves)]


def adviser_of(entry: Entry | None, on: Spec, game: Game, how: Execution) -> tuple[Spec, Spec] | None:
    """Return an entry that explains moves, trained if it is a learner, and the game; or raise ArenaError."""
    if entry is None:
        return None
    known = known_with([entry])
    spec = agent_spec(entry, known)
    check_entries([spec], game)
    explaining.check_tells(spec)
    explaining.ready(spec, on, known, how)
    return spec, on

"""Play many matches simultaneously, with each agent in a separate process.

One message requests moves in the positions of all matches that wait for the agent of a process. Each match
has its own instance of the agent in that process. If a fault occurs in a match, the match is played again
separately, which shows which agent is to blame.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

from arena.api.game import Game
from arena.errors import Reported
from arena.matches.block import endings_of
from arena.matches.children import Children
from arena.matches.course import Course
from arena.matches.remote_agent import ON_THE_WAY, Answer, Child, Item, Remote
from arena.plan.opening_book import Opening
from arena.plan.plan import Plan
from arena.plan.schedule import Fixture
from arena.results.record import Record
from arena.workers.worker import RULES, Watch

LEAST = 8  # minimum number of matches for which simultaneous play is worthwhile
SLOTS = 64  # maximum number of simultaneous matches of a process
AT_ONCE = 2  # maximum number of processes with an open request: one that thinks, and the next one
PATIENCE = 1.0  # seconds to wait for an answer, after which matches are played one at a time
FAULTS = 8  # maximum number of failed matches in a process, after which others are played one at a time


class Desk:
    """An agent's process and the matches that the agent plays.

    Attributes:
        waiting: Seats that wait for a move of the agent.
        is_asked: Whether a request has not been answered yet.
        playing: Matches, by number.
        free: Slots that are not in use.
        faults: The number of matches that have failed in this process.
    """

    def __init__(self, child: Child, key: tuple[object, ...]) -> None:
        self.child, self.key = child, key
        self.waiting: deque[Seat] = deque()
        self.playing: dict[int, Seats] = {}
        self.free = [*range(SLOTS)]
        self.is_asked = False
        self.faults = 0


@dataclass(eq=False)
class Seat:
    """A seat in a match.

    Attributes:
        course: The match.
        number: 0 or 1.
        desk: The process of its agent.
        slot: The slot of the agent's instance in that process.
        begun: Whether the agent has begun the match.
        waiting: Whether the seat waits for the agent.
        is_playing: Whether the match has not ended.
    """

    course: Course
    number: int
    desk: Desk
    slot: int
    begun: bool = False
    waiting: bool = False
    is_playing: bool = True

    def item(self) -> Item:
        """Return the item for the next request: to begin the match, to choose a move, or both."""
        course, opening = self.course, self.course.opening
        beginning = None if self.begun else (self.number, opening.start, tuple(opening.moves))
        if course.is_over or course.seat != self.number:
            return self.slot, beginning, None, [], [0, 0]
        return self.slot, beginning, course.state, course.legal, course.streams[self.number]


Seats = tuple[Seat, Seat]


class Question(NamedTuple):
    """A request to an agent that has not been answered.

    Attributes:
        desk: The process.
        remote: The proxy of the agent.
        seats: The seats for which a move is requested.
        items: The request for each seat.
        used: CPU seconds that the process had used before the request.
        sent: The time at which the request was sent, in seconds.
    """

    desk: Desk
    remote: Remote
    seats: list[Seat]
    items: list[Item]
    used: float
    sent: float


class Batch:
    """Matches of a plan that are played simultaneously.

    Args:
        plan: The plan.
        game: The game.
        children: The processes of agents.
        watch: Records whose turn it is.
    """

    def __init__(self, plan: Plan, game: Game, children: Children, watch: Watch) -> None:
        self.plan, self.game, self.children, self.watch = plan, game, children, watch
        self.stall = plan.limits.stall_seconds
        self.endings: object = None
        self.seeds: dict[int, tuple[int, int]] = {}
        self.desks: dict[tuple[object, ...], Desk] = {}
        self.records: dict[int, Record] = {}
        self.begun: tuple[object, Opening] | None = None  # the key and the opening of the last match
        self.asked: deque[Question] = deque()
        self.patience = min(self.stall or PATIENCE, PATIENCE)

    def play(self, numbers: Sequence[int]) -> dict[int, Record]:
        """Play matches, and return the records of those without faults, by number."""
        if self.plan.limits.timed or self.plan.interactive or len(numbers) < LEAST:
            return {}
        self.endings = endings_of(self.plan, self.game, numbers[0], self.watch)
        self.seeds = self.plan.seeds_of_many(numbers)
        left = deque(numbers)
        while left or self.asked or any(desk.playing for desk in self.desks.values()):
            while left and self.begin(left[0]):
                left.popleft()
            while len(self.asked) < AT_ONCE and (desk := self.busiest()):
                self.ask(desk)
            if self.asked:
                self.receive(self.asked.popleft())
        for desk in self.desks.values():
            if desk.faults:
                self.drop(desk)
        return self.records

    def begin(self, number: int) -> bool:
        """Begin a match unless it must be played separately; return False if other matches must end first."""
        fixture = self.plan.fixture(number)
        desks: list[Desk] = []
        for seat, entry in enumerate(fixture[2:]):
            key = self.children.key(self.plan, fixture, seat)
            if self.children.plays_alone(self.plan, entry, key):
                return True
            if key not in self.desks and not self.has_room(desks):
                return False
            desks.append(self.desk(fixture, seat, key))
        if any(desk.faults >= FAULTS for desk in desks):
            return True
        if not all(desk.free for desk in desks):
            return False
        self.watch.turn(number, RULES, self.stall)
        try:
            opening = self.opening(fixture)
            course = Course(self.game, fixture, self.seeds[number], opening, self.plan.limits, self.endings)
        except Exception:
            return True
        first, second = (Seat(course, i, desk, desk.free.pop()) for i, desk in enumerate(desks))
        for one in (first, second):
            one.desk.playing[number] = first, second
            self.wait(one)
        return True

    def has_room(self, needed: Sequence[Desk]) -> bool:
        """Return whether another process may be started, after ending an unneeded one if necessary."""
        if len(self.desks) < self.children.most:
            return True
        left = (desk for desk in self.desks.values() if not (desk.playing or desk.is_asked or desk in needed))
        idle = next(left, None)
        if idle is not None:
            self.drop(idle)
            del self.desks[idle.key]
        return idle is not None

    def desk(self, fixture: Fixture, seat: int, key: tuple[object, ...]) -> Desk:
        """Return the desk for the entry in a seat, after starting the process if needed."""
        if key not in self.desks:
            with self.watch.paused():
                self.desks[key] = Desk(self.children.child(self.plan, fixture, seat), key)
        return self.desks[key]

    def drop(self, desk: Desk) -> None:
        """End a process."""
        with self.watch.paused():
            self.children.drop(desk.child)

    def opening(self, fixture: Fixture) -> Opening:
        """Return the opening of a match; the last one is cached for the match with exchanged seats."""
        place = self.plan.opening_key(fixture.first, fixture.second), fixture.round
        if self.begun is None or self.begun[0] != place:
            self.begun = place, self.plan.opening(self.game, fixture)
        return self.begun[1]

    def wait(self, seat: Seat) -> None:
        """Add a seat to those that wait for a move of their agent."""
        if not seat.waiting:
            seat.waiting = True
            seat.desk.waiting.append(seat)

    def busiest(self) -> Desk | None:
        """Return the desk with the most waiting seats among those without an open request; None if none."""
        idle = (desk for desk in self.desks.values() if desk.waiting and not desk.is_asked)
        return max(idle, key=lambda desk: len(desk.waiting), default=None)

    def ask(self, desk: Desk) -> None:
        """Send a request for the moves in all matches that wait for an agent."""
        seats, items = [*desk.waiting], [seat.item() for seat in desk.waiting]
        desk.waiting.clear()
        for seat in seats:
            seat.waiting = False
        place = seats[0].course.fixture[0], seats[0].number
        remote = Remote(desk.child, self.watch, place, self.stall)
        used, sent = desk.child.process.processor_seconds(), perf_counter()
        try:
            remote.send(items, self.patience)
        except Reported:
            self.close(desk, ends=True)
            return
        desk.is_asked = True
        self.asked.append(Question(desk, remote, seats, items, used, sent))

    def receive(self, question: Question) -> None:
        """Wait for the answer of an agent, and continue the matches."""
        desk, seats = question.desk, question.seats
        desk.is_asked = False
        try:
            said = question.remote.receive()
        except Reported:
            self.close(desk, ends=True)
            return
        if said.alone or not 0 < len(said.done) <= len(seats) or not all(said.done):
            self.close(desk)
            return
        used = desk.child.process.processor_seconds() - question.used
        desk.child.asked += used
        most = int(1e6 * (perf_counter() - question.sent))
        more = hidden(said, used) if all(item[1] is None for item in question.items) else 0
        for i, (seat, item, answer) in enumerate(zip(seats, question.items, said.done, strict=False)):
            answer[-1] = min(answer[-1] + more, most)
            self.take(seat, bool(item[3]), answer, said.used.get(i))
        for seat in seats[len(said.done) :]:
            if seat.is_playing:
                self.wait(seat)

    def close(self, desk: Desk, ends: bool = False) -> None:
        """Give up simultaneous play for an agent, whose current and later matches are played one at a time.

        Args:
            desk: The agent's process.
            ends: Whether to end the process as well.
        """
        self.children.alone.add(desk.key)
        for seats in [*desk.playing.values()]:
            self.give_up(seats)
        if ends:
            self.drop(desk)
            del self.desks[desk.key]

    def take(self, seat: Seat, is_move: bool, answer: list[int], used: Any) -> None:
        """Continue a match after an answer.

        Args:
            seat: The seat whose agent answered.
            is_move: Whether a move was requested.
            answer: The answer, see `arena.matches.agent_process.Player.together`.
            used: The usage of the move that the agent reports.
        """
        course = seat.course
        if not seat.is_playing:
            return
        seat.begun = fine = len(answer) == 4 and answer[0] != -1
        if fine and is_move:
            self.watch.turn(course.fixture[0], RULES, self.stall)
            try:
                fine = course.take(answer, used)
            except Exception:  # the rules fail, which is reported when the match is played separately
                fine = False
        seats = seat.desk.playing[course.fixture[0]]
        if not fine:
            seat.desk.faults += 1
            self.give_up(seats)
        elif not course.is_over:
            if is_move or course.seat == seat.number:
                self.wait(seats[course.seat])
        elif all(one.begun for one in seats):
            self.finish(seats)

    def finish(self, seats: Seats) -> None:
        """Store the record of a match that is over."""
        course = seats[0].course
        with suppress(Exception):
            self.records[course.fixture[0]] = course.record(self.plan.untrusted)
        self.give_up(seats)

    def give_up(self, seats: Seats) -> None:
        """Stop a match, which is then played separately."""
        for seat in seats:
            seat.is_playing = False
            del seat.desk.playing[seat.course.fixture[0]]
            seat.desk.free.append(seat.slot)
            if seat.waiting:
                seat.desk.waiting.remove(seat)


def hidden(said: Answer, used: float) -> int:
    """Return the microseconds per move that a process used beyond those that its agent reports.

    Args:
        said: The answer.
        used: CPU time in seconds.
    """
    admitted = sum(answer[-1] for answer in said.done)
    return max(0, int(1e6 * (used - ON_THE_WAY)) - admitted) // len(said.done)

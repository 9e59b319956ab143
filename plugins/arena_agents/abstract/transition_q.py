"""Q-learning over transitions from the abstract state before a move to the abstract state after it.

Learning follows the document "Checkers-Reinforcement-Learning": the value of a transition is the gain until
the player's next turn, by the game's evaluation, plus a share of the best value at that time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from arena import (
    ArenaError,
    Arrays,
    Component,
    Game,
    Learner,
    Move,
    Protocol,
    Rng,
    Spec,
    State,
    View,
    compiled,
    hash_move,
    option,
)
from arena_agents.ties import pick_best, probabilities

FILLED = 0.8  # maximum load factor of the index
# a place of the index, as in `Table`: this bit if taken, the entry below it, bits of the hash above it
TAKEN = 1 << 31
ENTRY = TAKEN - 1
NAMED = 0x7FFFFFFF
KINDS = {"before": np.int64, "after": np.int64, "values": np.float64}  # dtypes of a table's arrays
UNKNOWN = -math.inf  # the best value if there are no transitions
STEPS = 64  # number of levels of a reply's gain: 0, 1, 2, …; the last level includes greater gains


class Transitions(Component):
    """A table of transitions from one abstract state to another, in the order in which they were met.

    size, room: the number of transitions and the current capacity. spare: the maximum number that one episode
    adds. before, after: int64 [room], abstract states. values: float64 [room]. index: int64 [mask + 1], as in
    `Table`, but by the state before, so that all transitions from a state are in one run of places.
    """

    def __init__(self, game: Game, spare: int, memory: int) -> None:
        self.game, self.spare, self.memory = game, spare, memory
        self.hold({name: np.zeros(0, kind) for name, kind in KINDS.items()})

    def hold(self, known: Arrays, more: int = 0) -> None:
        """Use these transitions, with room for more."""
        self.size = len(known["values"])
        self.room = self.size + more
        self.before, self.after, self.values = (
            np.concatenate([known[name], np.zeros(more, kind)]) for name, kind in KINDS.items()
        )
        self.index = np.zeros(places(self.room), np.int64)
        self.mask = len(self.index) - 1
        self.enter_all()

    def known(self) -> Arrays:
        """Return the transitions as arrays, for `hold`."""
        return {name: np.array(getattr(self, name)[: self.size]) for name in KINDS}

    @compiled
    def enter_all(self) -> None:
        """Insert all transitions into an empty index."""
        for entry in range(self.size):
            self.enter(entry)

    def enter(self, entry: int) -> None:
        """Insert a transition into the index."""
        hashed = hash_move(self.before[entry])
        index, mask = self.index, self.mask & NAMED
        place = hashed & mask
        while index[place] != 0:
            place = (place + 1) & mask
        index[place] = (hashed & NAMED) << 32 | TAKEN | entry

    def leaving(self, before: int) -> Iterator[int]:
        """Yield the entries of all transitions from an abstract state."""
        hashed = hash_move(before)
        index, mask = self.index, self.mask & NAMED
        place = hashed & mask
        while index[place] != 0:
            entry = index[place] & ENTRY
            if index[place] >> 32 == hashed & NAMED and self.before[entry] == before:
                yield entry
            place = (place + 1) & mask

    def add(self, before: int, after: int, value: float) -> int:
        """Add a new transition, and return its entry."""
        entry = self.size
        if entry >= self.room:
            raise MemoryError("an episode adds more transitions to a table than its `spare`")
        self.before[entry] = before
        self.after[entry] = after
        self.values[entry] = value
        self.enter(entry)
        self.size += 1
        return entry

    def full(self) -> bool:
        """Return whether there is not enough room for another episode."""
        return self.size + self.spare > self.room

    def grow(self) -> None:
        """Double the room, or make room for one episode; raise ArenaError if memory suffices for neither."""
        for more in (self.size + self.spare, self.spare):
            megabytes = 8 * (3 * (self.size + more) + places(self.size + more)) / 1e6
            if megabytes <= self.memory:
                self.hold(self.known(), more)
                return
        raise ArenaError(
            f"its table of {self.size:,} transitions reaches its memory limit; "
            f"set memory={math.ceil(megabytes)} (megabytes), or fewer episodes"
        )


class TransitionQ(Learner):
    """Learns the values of transitions between abstract states: a few numbers instead of a position.

    The game's method `abstract(state, player)` returns the abstract state of a position for player 0 or 1, an
    integer from 0 to 2**56 - 1. A reward is a change of the game's evaluation.

    With alpha a and discount l, the value T of a transition is learned at the player's next turn, from the
    reward R until then and the best value T' at that time: T += a (R + l T' - T). At the end of a match the
    update is T += a R, as published, so that the value of a transition that repeatedly loses decreases
    without limit; with ending=target it is T += a (R - T). In the published program T' is the best value of
    all known transitions from the abstract state, even if no move makes them in this position, and the term l
    T' - T is omitted if none is known; later=known does the same. In that program a win is worth 12 and a
    loss -12 whatever was captured last (decided=alone), and of equal transitions the last one found is made
    (ties=last).

    In checkers, an abstract state can contain both safe and lost positions. With replies=true the state to
    which a move leads also includes the gain of the best reply, by the evaluation; this helps with
    first_value=0.
    """

    game: Any  # a game with the method `abstract`, which `Game` does not have

    episodes: int = option(2500, "number of training games", low=1)
    opponent: Spec = option("alpha-beta:depth=2,evaluation=(material)", "training opponent", kind="agent")
    seats: Literal["both", "first", "second"] = option("both", "training seats, both alternating")
    alpha: float = option(0.005, "learning rate", low=0, high=1)
    discount: float = option(0.3, "discount from one of its turns to the next", low=0, high=1)
    epsilon: float = option(0.25, "probability of a random transition in training", low=0, high=1)
    first_value: float = option(10.0, "value of an unknown transition")
    win: float = option(12.0, "reward for a win, subtracted for a loss")
    decided: Literal["besides", "alone"] = option(
        "besides", "whether the reward is added to the change of the evaluation, or replaces it"
    )
    later: Literal["available", "known"] = option(
        "available", "transitions that count as the next ones: those available, or all known ones"
    )
    ending: Literal["added", "target"] = option("added", "how the end of a match is learned")
    replies: bool = option(
        False, "whether a transition also includes the best immediate gain of the opponent"
    )
    ties: Literal["first", "last", "random"] = option("first", "choice among equally good transitions")
    max_plies: int = option(500, "training games are tied after this many plies", low=1)
    memory: int = option(1000, "memory limit of its table in megabytes", low=1)
    needs = ("abstract", "evaluation")
    kept_attributes = ("table", "made", "leads", "entry_of", "scores")
    protocols: ClassVar[Mapping[str, Protocol]] = {
        "document": Protocol(
            "checkers:capture_to_win=true,repetition=0,quiet_plies=0",
            ("alpha-beta:depth=3,evaluation=material",),
            points=tuple(range(100, 2501, 100)),
            seeds=1,
            matches=5,
        )
    }

    def prepare(self) -> None:
        """Allocate the arrays that `look` fills.

        made: int64 [moves], the transition that each move makes; transitions are numbered from 0 to found - 1
        in the order in which moves first make them. leads, entry_of, scores: for each transition, the
        abstract state to which it leads, its entry in the table or -1, and its value. best_known: the highest
        value of all known transitions from the abstract state.
        """
        moves = self.game.max_moves
        self.plies = min(self.max_plies, self.game.max_plies)
        self.table = Transitions(self.game, self.plies * moves, self.memory)
        self.made, self.leads, self.entry_of = (np.zeros(moves, np.int64) for _ in range(3))
        self.scores = np.zeros(moves)
        self.found, self.best_known = 0, UNKNOWN

    def prepare_learning(self) -> None:
        self.trainer = self.opponent.make(self.game)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.look(state, moves)
        return self.any_move(moves, self.pick(rng), rng)

    # --- the transitions from a position --------------------------------------------------------------------

    def look(self, state: State, moves: list[Move]) -> int:
        """Find the transitions that the moves make; return the abstract state from which they start."""
        made, leads, entry_of, scores = self.made, self.leads, self.entry_of, self.scores
        player = self.game.to_move(state)
        found = 0
        for i, move in enumerate(moves):
            after = self.lead(self.game.play(state, move), player)
            j = 0
            while j < found and leads[j] != after:
                j += 1
            if j == found:
                leads[j] = after
                entry_of[j] = -1
                scores[j] = self.first_value
                found += 1
            made[i] = j
        self.found = found
        before = self.game.abstract(state, player)
        self.look_up(before)
        return before

    def look_up(self, before: int) -> None:
        """Look up the transitions found, and the highest value of all from this abstract state."""
        leads, found = self.leads, self.found
        best = UNKNOWN
        for entry in self.table.leaving(before):
            after, value = self.table.after[entry], self.table.values[entry]
            best = max(best, value)
            for j in range(found):
                if leads[j] == after:
                    self.entry_of[j] = entry
                    self.scores[j] = value
        self.best_known = best

    def lead(self, state: State, player: int) -> int:
        """Return the abstract state after a move, including the gain of the best reply if replies=true."""
        abstract = self.game.abstract(state, player)
        if self.replies:
            worth = self.worth(state, player)
            most = 0.0
            for reply in self.game.moves(state):
                most = max(most, worth - self.worth(self.game.play(state, reply), player))
            return abstract * STEPS + int(min(most, STEPS - 1.0))
        return abstract

    def worth(self, state: State, player: int) -> float:
        """Return the evaluation of a position for a player."""
        value = self.game.evaluate(state)
        return value if self.game.to_move(state) == player else -value

    def pick(self, rng: Rng) -> int:
        """Return the best of the transitions found."""
        best = pick_best(self.scores, self.found, self.ties == "random", rng)
        if self.ties == "last":
            for j in range(best, self.found):
                if self.scores[j] == self.scores[best]:
                    best = j
        return best

    def any_move(self, moves: list[Move], transition: int, rng: Rng) -> Move:
        """Return one of the moves that make a transition, uniformly at random."""
        makers = [move for i, move in enumerate(moves) if self.made[i] == transition]
        return rng.choice(makers) if len(makers) > 1 else makers[0]

    # --- learning -------------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        seat = self.seat(episode)
        self.trainer.begin(1 - seat)
        last = -1  # the entry of the learner's last transition
        before = 0.0  # the evaluation of the position in which it was made
        won = 0
        plies = 0
        state = self.game.initial()
        moves = self.game.moves(state)
        while moves and plies < self.plies:
            if self.game.to_move(state) == seat:
                self.meet(self.look(state, moves))
                worth = self.worth(state, seat)
                if last >= 0:
                    self.gain(last, worth - before, self.best_later())
                    self.refresh()
                transition = rng.below(self.found) if rng.random() < self.epsilon else self.pick(rng)
                move = self.any_move(moves, transition, rng)
                last = self.entry_of[transition]
                before = worth
            else:
                move = self.trainer.choose(state, moves, rng)
                if move not in moves:
                    won = 1
                    break
            state = self.game.play(state, move)
            plies += 1
            moves = self.game.moves(state)
        if not moves:
            value = self.game.value(state)
            won = value if self.game.to_move(state) == seat else -value
        if last >= 0:
            reward = self.win * won
            if won == 0 or self.decided == "besides":
                reward += self.worth(state, seat) - before
            self.gain(last, reward, 0.0 if self.ending == "target" else UNKNOWN)
        return won

    def seat(self, episode: int) -> int:
        """Return the learner's seat in an episode."""
        if self.seats == "both":
            return episode % 2
        return 0 if self.seats == "first" else 1

    def meet(self, before: int) -> None:
        """Add the transitions found that are new to the table."""
        for j in range(self.found):
            if self.entry_of[j] < 0:
                self.entry_of[j] = self.table.add(before, self.leads[j], self.first_value)

    def best_later(self) -> float:
        """Return the value of the learner's next move by the transitions found; UNKNOWN if there is none."""
        return self.best_known if self.later == "known" else max(self.scores[: self.found])

    def gain(self, entry: int, reward: float, later: float) -> None:
        """Learn from the reward of a transition until the learner's next turn."""
        values = self.table.values
        if later == UNKNOWN:
            values[entry] += self.alpha * reward
        else:
            values[entry] += self.alpha * (reward + self.discount * later - values[entry])

    def refresh(self) -> None:
        """Reread the values of the transitions found from the table, after one of them has changed."""
        for j in range(self.found):
            self.scores[j] = self.table.values[self.entry_of[j]]

    # --- the model ------------------------------------------------------------------------------------------

    def model(self) -> Arrays:
        """Return abstract states `before` and `after`, int64 [transitions], and `values`, float64."""
        return self.table.known()

    def recall(self, model: Arrays) -> None:
        for name, kind in KINDS.items():
            wanted = np.zeros(len(model["values"]), kind)
            array = model[name]
            if array.shape != wanted.shape or array.dtype != wanted.dtype:
                raise ArenaError(
                    f"its {name} is {array.dtype}{list(array.shape)}, not {wanted.dtype}{list(wanted.shape)}"
                )
        self.table.hold(model)

    def findings(self) -> Mapping[str, Sequence[float | str]]:
        """Return transitions, the states from which they start, and values, as the published program does."""
        known = self.model()
        values = known["values"]
        if not len(values):
            return {}
        return {
            "transitions": [len(values)],
            "states": [len(np.unique(known["before"]))],
            "least value": [float(values.min())],
            "mean value": [float(values.mean())],
            "highest value": [float(values.max())],
        }

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        made: list[int] = self.made[: len(moves)].tolist()
        of_each = probabilities(self.scores[: self.found].tolist(), self.ties)
        return [of_each[transition] / made.count(transition) for transition in made]

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the value of the move's transition, and `known`: whether training met it."""
        self.choose(state, moves, Rng())
        made: list[Any] = self.made[: len(moves)].tolist()
        return [View({"score": self.scores[j], "known": self.entry_of[j] >= 0}) for j in made]


def places(entries: int) -> int:
    """Return the number of places, a power of two, of an index for this number of entries."""
    return max(2, 1 << math.ceil(math.log2(entries / FILLED + 1)))

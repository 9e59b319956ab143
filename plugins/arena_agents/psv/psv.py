"""Prior State Voting: estimate moves in unknown positions from similar known moves.

A known move votes for a move of the same shape by the same player, with its value times the share of the
board that is equal when one move is superimposed on the other (Algorithm 2 of "Prior State Voting (PSV)").
This similarity is a sum over cells, to which each cell contributes according to its offset from the move and
its piece. The votes of all known moves are therefore added up once: for each class of moves, by offset and
piece. The cost of a vote then does not depend on the number of known moves.

With rule=lines, lines of three cells near the move are compared instead of cells. Each line adds how much
better than the mean of their class the known moves were that had the same contents there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from mmap import ACCESS_COPY, mmap
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from arena import (
    ArenaError,
    Component,
    Game,
    Move,
    Reason,
    Rng,
    State,
    View,
    compiled,
    hash_move,
    hash_state,
    option,
)
from arena_agents.psv.boards import Board, back, closure
from arena_agents.tabular.over_table import OverTable
from arena_agents.ties import pick_best, probabilities

ROOM = 1 << 5  # initial room for classes of moves
REASONS = 10  # maximum number of reasons in the explanation of a move
SUM, COUNT = 0, 1  # index of the sum and the number of values in `said`

# transformations of the board, numbered as in `Game.shape_image`
Way = Literal["reflection", "flip", "half-turn", "quarter-turn", "exchange", "inversion"]
WAYS: Mapping[str, int] = {
    "reflection": 1,
    "flip": 2,
    "half-turn": 3,
    "quarter-turn": 5,
    "exchange": 8,
    "inversion": 11,
}

# votes of tables mapped from a file, by rule and whether zeros vote, shared by all agents that use the file
gathered: WeakKeyDictionary[mmap, dict[tuple[str, bool], Votes]] = WeakKeyDictionary()


class Votes(Component):
    """Votes of known moves by class: moves of the same shape by the same player.

    done: the number of table entries that have voted. classes, room: the number of classes, and its current
    maximum. places: int64 [4 * room], hash table of class numbers + 1. shapes, sides: int64 [room], or
    objects. counts: int64 [room], the numbers of votes. sums: float64 [room, cells], the sums of the values
    of moves on each cell. said: float64 [room, sites, 2 * patterns], sum and number of the values of moves
    for which a site had a pattern: a kind of piece at an offset, or the contents of a line.
    """

    def __init__(self, game: Game, cells: int, sites: int, patterns: int) -> None:
        self.game, self.done, self.classes, self.room = game, 0, 0, ROOM
        start = game.initial()
        words = all(isinstance(game.shape(start, move), int) for move in game.moves(start))
        self.places = np.zeros(4 * ROOM, np.int64)
        self.shapes = np.zeros(ROOM, np.int64 if words else object)
        self.sides, self.counts = np.zeros(ROOM, np.int64), np.zeros(ROOM, np.int64)
        self.sums, self.said = np.zeros((ROOM, cells)), paged_zeros(ROOM, sites, 2 * patterns)

    def place_of(self, shape: Any, side: int) -> int:
        """Return the place of a class in `places`, or the free place for it."""
        mask = len(self.places) - 1
        place = (hash_move(shape) + side) & mask
        while self.places[place] > 0:
            group = self.places[place] - 1
            if self.shapes[group] == shape and self.sides[group] == side:
                return place
            place = (place + 1) & mask
        return place

    def group(self, shape: Any, side: int) -> int:
        """Return the number of a class, -1 if there is none."""
        return self.places[self.place_of(shape, side)] - 1

    def add(self, shape: Any, side: int) -> int:
        """Return the number of a class, which is added if it is new; -1 if there is no room for it."""
        place = self.place_of(shape, side)
        if self.places[place] == 0 and self.classes < self.room:
            self.shapes[self.classes], self.sides[self.classes] = shape, side
            self.classes += 1
            self.places[place] = self.classes
        return self.places[place] - 1

    def make_room(self) -> None:
        """Double the room for classes, and clear all votes, since copied zeros would take up memory."""
        for name in ("shapes", "sides"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros(array.shape, array.dtype)]))
        self.room *= 2
        self.done, self.counts = 0, np.zeros(self.room, np.int64)
        self.sums = np.zeros((self.room, self.sums.shape[1]))
        self.said = paged_zeros(self.room, *self.said.shape[1:])
        self.places = np.zeros(4 * self.room, np.int64)
        for group in range(self.classes):
            self.places[self.place_of(self.shapes[group], self.sides[group])] = group + 1


def paged_zeros(*shape: int) -> Any:
    """Return float64 zeros that take up memory only in pages written to; numpy may use pages of 2 MB."""
    size = prod(shape)
    return np.frombuffer(mmap(-1, max(1, 8 * size), access=ACCESS_COPY), count=size).reshape(shape)


class PSV(OverTable):
    """Plays like its learner in known positions; in others, all known moves vote.

    See "Prior State Voting (PSV): Predicting unknown move states from prior states in Q-table reinforcement
    learning". A move's score is the mean of the votes for it; with rule=lines it is the mean of its class
    plus an amount for each line near the move.

    Transformations of the board: reflection exchanges left and right, flip exchanges top and bottom,
    half-turn and quarter-turn rotate the board, exchange exchanges the players' pieces, and inversion is
    exchange with a half-turn.
    """

    # For the move evaluated last: number, total: the number of votes and their sum; found: int64 [ways], its
    # class under each transformation, -1 for none; wanted: int64 [ways, sites], the patterns that count as
    # equal. reasons, turns, weights, alike: [REASONS], the votes with the greatest weights

    needs = ("grid",)
    uses = ("turning",)
    kept_attributes = ("board", "votes", "scores", "found")

    rule: Literal["boards", "lines"] = option(
        "boards",
        "what weights votes: the similarity of the boards, or lines of three near the move",
    )
    zeros: bool = option(
        False, "whether moves of known positions without a value also vote, for 0, as in Algorithm 2"
    )
    known: Literal["table", "votes"] = option("table", "how to choose in positions that the learner knows")
    symmetry: tuple[Way, ...] = option((), "symmetries of the board under which known moves also vote")
    doubt: float = option(10.0, "with rule=lines, number of votes for 0 that each mean begins with", low=0.01)
    loud: float = option(0.3, "with rule=lines, weight of a line relative to its class", low=0)

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        super().check(options)
        words = options["symmetry"]
        if twice := [word for i, word in enumerate(words) if word in words[:i]]:
            raise ArenaError(f"symmetry names {twice[0]} twice; name it once")

    def prepare(self) -> None:
        if self.symmetry and "turning" not in self.game.capabilities:
            raise ArenaError(
                f"{self.game} does not define how its moves rotate with the board; leave symmetry out"
            )
        super().prepare()
        self.board = Board(self.game, closure(WAYS[word] for word in self.symmetry))
        self.ways, self.by_lines = len(self.board.ways), self.rule == "lines"
        self.sites = len(self.board.threes) if self.by_lines else self.board.wide
        self.scores, self.voted = np.zeros(self.game.max_moves), False
        self.number, self.total = 0, 0.0
        self.found = np.zeros(self.ways, np.int64)
        self.wanted = np.zeros((self.ways, self.sites), np.int64)
        self.reasons, self.turns = np.zeros(REASONS, np.int64), np.zeros(REASONS, np.int64)
        self.weights, self.alike = np.zeros(REASONS), np.zeros(REASONS)
        self.take_votes()

    def take_votes(self) -> None:
        """Collect the votes of all moves that the learner currently knows."""
        table = self.trained.table
        kind = self.rule, self.zeros
        shared: dict[tuple[str, bool], Votes] = gathered.setdefault(table.file, {}) if table.file else {}
        patterns = (self.board.kinds + 1) ** 3 if self.by_lines else self.board.kinds
        self.votes = shared.get(kind) or Votes(self.game, self.board.cells, self.sites, patterns)
        self.gather(table.size)
        while self.votes.done < table.size:
            self.votes.make_room()
            self.gather(table.size)
        shared[kind] = self.votes

    @compiled
    def gather(self, stop: int) -> None:
        """Add the votes of the entries before `stop`, as long as there is room for classes."""
        for entry in range(self.votes.done, stop):
            state, move = self.trained.table.states[entry], self.trained.table.moves[entry]
            group = self.votes.add(self.game.shape(state, move), self.game.to_move(state))
            if group < 0 or (self.zeros and not self.zeros_vote(entry, state)):
                return
            value = self.trained.table.values[entry, 0]
            if value != 0:
                self.board.look(state)
                self.vote(group, self.game.anchor(state, move), value)
            self.votes.done = entry + 1

    def zeros_vote(self, entry: int, state: State) -> bool:
        """Let a position's moves without values vote, once per position; return False without room."""
        hashed = hash_state(state)
        if self.trained.table.seek(hashed, state) != entry:
            return True
        moves, side = self.game.moves(state), self.game.to_move(state)
        self.trained.table.look_up(hashed, state, moves, self.scores)
        for move in moves:
            if self.votes.add(self.game.shape(state, move), side) < 0:
                return False
        self.board.look(state)
        for i in range(len(moves)):
            if self.scores[i] == 0:
                group = self.votes.group(self.game.shape(state, moves[i]), side)
                self.vote(group, self.game.anchor(state, moves[i]), 0.0)
        return True

    def vote(self, group: int, anchor: int, value: float) -> None:
        """Add the value of a move in the current position of the board to the votes of its class."""
        self.votes.counts[group] += 1
        self.votes.sums[group, anchor] += value
        for site in range(self.sites if self.by_lines else self.board.cells):
            if self.by_lines:
                said, pattern = self.votes.said[group, site], self.board.three(site, anchor, 0)
            else:
                said = self.votes.said[group, self.board.offsets[anchor, site]]
                pattern = self.board.now[0, site]
            said[2 * pattern + SUM] += value
            said[2 * pattern + COUNT] += 1.0

    # --- choosing -------------------------------------------------------------------------------------------

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.rate(state, moves)
        return moves[pick_best(self.scores, len(moves), self.trained.ties == "random", rng)]

    def rate(self, state: State, moves: list[Move]) -> None:
        self.voted = self.known == "votes" or self.look_up(state, moves) == 0
        if self.voted:
            self.board.look(state)
            for i in range(len(moves)):
                self.scores[i] = self.poll(state, moves[i])

    def look_up(self, state: State, moves: list[Move]) -> int:
        """Write the learner's values of moves to `scores`; return how many are known."""
        return self.trained.table.look_up(hash_state(state), state, moves, self.scores)

    def poll(self, state: State, move: Move) -> float:
        """Return the score of a move by votes in the current position of the board; 0 without votes."""
        self.find(state, move)
        self.total = 0.0
        if self.number == 0:
            return 0.0
        anchor = self.game.anchor(state, move)
        return self.by_line(anchor) if self.by_lines else self.by_board(anchor)

    def find(self, state: State, move: Move) -> None:
        """Find the classes that vote for a move, and the number of their votes."""
        shape, side = self.game.shape(state, move), self.game.to_move(state)
        self.number = 0
        for turn in range(self.ways):
            way = self.board.ways[turn]
            image = self.game.shape_image(shape, way) if self.board.turning else shape
            self.found[turn] = self.votes.group(image, side ^ (way >> 3))
            if self.found[turn] >= 0:
                self.number += self.votes.counts[self.found[turn]]

    def by_board(self, anchor: int) -> float:
        """Return the mean of the votes for a move on this cell, by comparing cells."""
        offsets, total = self.board.offsets[anchor], 0.0
        for turn in range(self.ways):
            group = self.found[turn]
            if group >= 0:
                said, turned = self.votes.said[group], self.board.turned[turn]
                now = self.board.now[self.board.ways[turn] >> 3]
                sums, unplayed = self.votes.sums[group], self.board.unplayed[turn, anchor]
                for cell in range(self.board.cells):
                    total += said[turned[offsets[cell]], 2 * now[cell] + SUM]
                for cell in range(self.board.cells):
                    total += sums[cell] * unplayed[cell]
        self.total = total / self.board.squares
        return self.total / self.number

    def by_line(self, anchor: int) -> float:
        """Return the score of a move on this cell, from the votes of its class and of the lines near it."""
        total = 0.0
        for turn in range(self.ways):
            if self.found[turn] >= 0:
                for cell in range(self.board.cells):
                    total += self.votes.sums[self.found[turn], cell]
        self.total = total
        mean = total / self.number
        score = total / (self.number + self.doubt)
        for line in range(self.sites):
            better, number = 0.0, self.doubt
            for turn in range(self.ways):
                group = self.found[turn]
                if group >= 0:
                    pattern = self.board.turned_three(line, anchor, turn)
                    said = self.votes.said[group, self.board.images[turn, line] >> 1]
                    better += said[2 * pattern + SUM] - mean * said[2 * pattern + COUNT]
                    number += said[2 * pattern + COUNT]
            score += self.loud * better / number
        return score

    # --- explanations ---------------------------------------------------------------------------------------

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return probabilities(self.scores[: len(moves)], self.trained.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the result of the vote, and `votes`, the number of votes; None in known positions.

        Reasons are the known moves with the greatest weight in the vote. value: the learner's value of the
        known move; alike: the share of the board, or with rule=lines of the lines near the move, that is
        equal; weight: the product of both; turned: the transformation of the known board, numbered as in
        `Game.shape_image`, if there are transformations.
        """
        self.choose(state, moves, Rng())
        scores = self.scores[: len(moves)].tolist()
        if not self.voted:
            return [View({"score": score, "votes": None}) for score in scores]
        views = []
        for score, move in zip(scores, moves, strict=True):
            reasons = [self.reason(i) for i in range(self.weigh(state, move, REASONS))]
            views.append(View({"score": score, "votes": self.number}, reasons=reasons))
        return views

    def reason(self, i: int) -> Reason:
        """Return the reason with rank `i` by weight; 0 is the greatest weight."""
        table, entry, alike = self.trained.table, self.reasons[i], self.alike[i]
        state, move, value = table.states[entry], table.moves[entry], table.values[entry, 0]
        facts: dict[str, float | None] = {"value": value, "alike": alike, "weight": value * alike}
        if self.board.turning:
            facts["turned"] = back(self.board.ways[self.turns[i]])
        if move not in self.game.moves(state):
            facts["legal"] = False
        return Reason(state, move, facts)

    @compiled
    def weigh(self, state: State, move: Move, most: int) -> int:
        """Find up to `most` votes for a move with the greatest weights; return their number.

        The weight of a vote is its value times the share of the board, or of the lines, that is equal. Votes
        of equal weight are in the order of the table.
        """
        self.board.look(state)
        self.find(state, move)
        anchor = self.game.anchor(state, move)
        self.want(anchor)
        kept = 0
        for entry in range(self.votes.done):
            value = abs(self.trained.table.values[entry, 0])
            if value > 0 and (kept < most or value > self.weights[most - 1]):  # otherwise too small
                known, made = self.trained.table.states[entry], self.trained.table.moves[entry]
                group = self.votes.group(self.game.shape(known, made), self.game.to_move(known))
                looked = False
                for turn in range(self.ways):
                    if self.found[turn] == group:
                        if not looked:
                            self.board.look(known)
                            looked = True
                        alike = self.likeness(turn, anchor, self.game.anchor(known, made))
                        if kept < most or value * alike > self.weights[most - 1]:
                            kept = self.insert(min(kept, most - 1), entry, turn, value * alike, alike)
        return kept

    def want(self, anchor: int) -> None:
        """Store the pattern that counts as equal at each site of the current position, -1 for none."""
        for turn in range(self.ways):
            wanted = self.wanted[turn]
            wanted.fill(-1)
            if self.by_lines:
                for line in range(self.sites):
                    pattern = self.board.turned_three(line, anchor, turn)
                    wanted[self.board.images[turn, line] >> 1] = pattern
            else:
                for cell in range(self.board.cells):
                    offset = self.board.turned[turn, self.board.offsets[anchor, cell]]
                    wanted[offset] = self.board.now[self.board.ways[turn] >> 3, cell]

    def likeness(self, turn: int, anchor: int, other: int) -> float:
        """Return the share of the board, or of lines, on which the current position matches `wanted`.

        anchor, other: the cells of the two moves; the second is that of the move in the current position.
        """
        wanted, alike = self.wanted[turn], 0
        if self.by_lines:
            for line in range(self.sites):
                if wanted[line] == self.board.three(line, other, 0):
                    alike += 1
            return alike / self.sites
        for cell in range(self.board.cells):
            if wanted[self.board.offsets[other, cell]] == self.board.now[0, cell]:
                alike += 1
        return (alike + self.board.unplayed[turn, anchor, other]) / self.board.squares

    def insert(self, place: int, entry: int, turn: int, weight: float, alike: float) -> int:
        """Insert a vote at this place, or before votes of less weight; return the new number of votes."""
        kept = place + 1
        while place > 0 and self.weights[place - 1] < weight:
            self.reasons[place], self.turns[place] = self.reasons[place - 1], self.turns[place - 1]
            self.weights[place], self.alike[place] = self.weights[place - 1], self.alike[place - 1]
            place -= 1
        self.reasons[place], self.turns[place] = entry, turn
        self.weights[place], self.alike[place] = weight, alike
        return kept

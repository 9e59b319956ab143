"""Prior State Voting: kernels in `voting`, what they work on here."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from mmap import mmap
from typing import Any, Literal

import numpy as np

from arena import ArenaError, Reason, Rng, View, option
from arena.agent import PlainPlayer
from arena.game import Move, State
from arena.kernel import States, variant
from arena_agents import voting
from arena_agents.backpropagation import KNOWN, SCORES
from arena_agents.over_table import OverTable
from arena_agents.ties import chances
from arena_agents.value_table import MOVES, OWN, SETTINGS, STATES, VALUES

ROOM = 1 << 5  # for classes of moves, at first
REASONS = 10  # at most for a move, when it is explained

# ways to turn a board, as `Game.shape_image` numbers them
Way = Literal["reflection", "flip", "half-turn", "quarter-turn", "exchange", "inversion"]
WAYS: Mapping[str, int] = {
    "reflection": 1,
    "flip": 2,
    "half-turn": 3,
    "quarter-turn": 5,
    "exchange": 8,
    "inversion": 11,
}

NEAR = 2  # columns and rows from a move that the middle of a line may be off

# the votes of tables that lie in a file, by rule, for all agents that have read it
gathered: weakref.WeakKeyDictionary[mmap, dict[str, list[Any]]] = weakref.WeakKeyDictionary()


class PSV(OverTable):
    """Plays as its learner where that knows the position, else has all moves vote that it knows.

    "Prior State Voting (PSV): Predicting unknown move states from prior states in Q-table reinforcement
    learning". A move's score is the mean of its votes; with rule=lines it is that of its class, and by how
    much each line near the move says that it is better. See `voting`.

    Ways to turn a board: reflection exchanges left and right, flip top and bottom, half-turn and quarter-turn
    rotate it, exchange has the players change their pieces, and inversion is that and a half turn.
    """

    needs = ("grid",)
    rule: Literal["boards", "lines"] = option(
        "boards",
        "whether a vote counts by how much of the board is alike, or by lines of three near the move",
    )
    known: Literal["table", "votes"] = option("table", "what decides in positions that the learner knows")
    symmetry: tuple[Way, ...] = option((), "ways to turn the board in which known moves vote as well")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        super().check(options)
        words = options["symmetry"]
        if twice := [word for i, word in enumerate(words) if word in words[:i]]:
            raise ArenaError(f"symmetry names {twice[0]} twice; once will do")

    def prepare(self) -> None:
        if self.symmetry and "turning" not in self.game.capabilities:
            raise ArenaError(
                f"{self.game} does not say how its moves turn with the board; leave symmetry out"
            )
        super().prepare()
        self.ways = closure(WAYS[word] for word in self.symmetry)
        self.board = Board(self.game.cells, self.ways)
        changed = {"LINES": int(self.rule == "lines"), "TABLE": int(self.known == "table")}
        self.kernel = variant(voting, {**changed, "TURNS": len(self.ways)})
        self.kinds = self.game.pieces + self.game.pieces % 2 + 1  # exchanged, those of one are the other's
        self.sites, self.patterns = self.board.wide, self.kinds
        if self.rule == "lines":  # off the board is a kind too
            self.sites, self.patterns = len(self.board.threes) // 3, (self.kinds + 1) ** 3
        self.votes: list[Any] = []

    def equip(self) -> None:
        """Take `arrays` anew, with the votes of all that the learner knows now."""
        shared = gathered.setdefault(self.teacher.file, {}) if self.teacher.file else {}
        self.votes = shared.get(self.rule) or self.no_votes()
        super().equip()
        entries = self.teacher.entries()
        while self.player.run("gather", entries) < entries:
            self.make_room()
        self.votes = self.player.arrays[voting.BOARD : voting.SAID + 1]
        shared[self.rule] = self.votes

    def sizes(self) -> list[int]:
        """How long the arrays of classes are, for each class."""
        return [1, 1, 1, self.board.cells, 2 * self.sites * self.patterns]

    def no_votes(self) -> list[Any]:
        """Of the board and of classes, which there are none of."""
        board = self.board
        numbers = [board.cells, board.wide, self.sites, self.patterns, self.kinds, board.squares]
        numbers += [4 * ROOM - 1, 0, ROOM, 0]
        ints = [np.zeros(ROOM * size, np.int64) for size in self.sizes()[:3]]
        floats = [np.zeros(ROOM * size) for size in self.sizes()[3:]]
        return [numbers, np.zeros(4 * ROOM, np.int64), *ints, *floats]

    def make_room(self) -> None:
        """For as many classes again."""
        arrays = self.player.arrays
        board = list(map(int, arrays[voting.BOARD]))
        classes, room = board[voting.CLASSES], 2 * board[voting.CLASS_ROOM]
        board[voting.CLASS_ROOM], board[voting.CLASS_MASK] = room, 4 * room - 1
        classed = [
            longer(array, room // 2 * size)
            for array, size in zip(arrays[voting.SHAPES : voting.SAID + 1], self.sizes(), strict=True)
        ]
        self.votes = [board, np.zeros(4 * room, np.int64), *classed]
        super().equip()
        self.player.run("enter_classes", classes)

    def arrays(self) -> Sequence[Any]:
        board = self.board
        geometry = board.offsets, board.turned, self.ways, board.unplayed, board.cell_at
        scratch = [0] * 2 * board.cells, [0] * len(self.ways), [0.0, 0.0]
        lines = board.threes, board.images
        asked = States(1), [0], [0] * (len(self.ways) * self.sites + 1)
        heaviest = [0] * 2 * REASONS, [0.0] * 2 * REASONS
        own = *self.votes, *geometry, *lines, *scratch, *asked, *heaviest
        return *self.teacher.player.arrays[: OWN + 2], *own

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return chances(self.player.arrays[SCORES][: len(moves)], self.teacher.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: what the votes say; votes: how many there are, None where the learner's values decide.

        Reasons are the known moves that weigh most in the vote. value: what the learner says of one; alike:
        the share of the board that is, with rule=lines of the lines near the move; weight: their product;
        turned: how the known board is turned, as `Game.shape_image` numbers it, if that is done.
        """
        self.choose(state, moves, Rng())
        arrays = self.player.arrays
        scores = list(map(float, arrays[SCORES][: len(moves)]))
        if self.known == "table" and arrays[SETTINGS][KNOWN]:
            return [View({"score": score, "votes": None}) for score in scores]
        views = []
        for score, move in zip(scores, moves, strict=True):
            arrays[voting.ASKED][:] = [state] if isinstance(self.player, PlainPlayer) else state
            arrays[voting.ASKED_MOVE][0] = move
            reasons = [self.reason(i) for i in range(self.player.run("weigh", REASONS))]
            votes = int(arrays[voting.TOTALS][voting.COUNT])
            views.append(View({"score": score, "votes": votes}, reasons=reasons))
        return views

    def reason(self, i: int) -> Reason:
        """The one that comes so-manieth by its weight."""
        arrays = self.player.arrays
        entry, turn = arrays[voting.HEAVIEST][2 * i : 2 * i + 2]
        value, alike = float(arrays[VALUES][entry]), float(arrays[voting.HEAVY][2 * i + voting.ALIKE])
        states, move = arrays[STATES], arrays[MOVES][entry]
        if isinstance(states, np.ndarray):
            words = self.teacher.words()
            state, move = tuple(states[entry * words : (entry + 1) * words].tolist()), int(move)
        else:
            state = states[entry]
        facts: dict[str, float | None] = {"value": value, "alike": alike, "weight": value * alike}
        if len(self.ways) > 1:
            facts["turned"] = back(self.ways[turn])
        if move not in self.game.moves(state):
            facts["legal"] = False
        return Reason(state, move, facts)


class Board:
    """How a board lies on itself, one cell laid on another and perhaps turned.

    cells, squares: how many are played on, and how many there are. wide: how many offsets there are of one
    cell from another, the numbers of a square array. offsets: int64 [cells, cells], of the second from the
    first. turned: int64 [ways, wide], what an offset becomes. unplayed: float64 [ways, cells, cells], how
    many squares that are not played on lie on such, the second cell on the first. cell_at: int64 [cells,
    wide], the cell at an offset from one, -1 for none. threes: int64 [lines, 3], lines near a cell, as
    offsets from it. images: int64 [ways, lines], what lines become: see `image_of`. All are flat.
    """

    def __init__(self, cells: Sequence[tuple[int, int]], ways: Sequence[int]) -> None:
        at = np.array(cells, np.int64)
        at -= at.min(axis=0)
        size = at.max(axis=0) + 1
        reach = int(size.max())
        self.cells, self.squares, self.wide = len(at), int(size.prod()), (2 * reach - 1) ** 2

        def number(offset: Any) -> Any:
            return (offset[..., 1] + reach - 1) * (2 * reach - 1) + offset[..., 0] + reach - 1

        self.offsets = number(at[None] - at[:, None]).ravel()
        steps = np.arange(1 - reach, reach)
        every = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        self.turned = np.concatenate([number(turn(every, way)) for way in ways])
        cell_at = np.full((len(at), self.wide), -1)
        for cell, row in enumerate(self.offsets.reshape(len(at), -1)):
            cell_at[cell, row] = range(len(at))
        self.cell_at = cell_at.ravel()

        between = (at[None] - at[:, None]).reshape(-1, 2)
        met = {*np.concatenate([number(turn(between, way)) for way in range(8)]).tolist()}
        threes = []
        for middle in every[np.abs(every).max(axis=1) <= NEAR]:
            for step in np.array([(1, -1), (1, 0), (1, 1), (0, 1)]):
                line = np.stack([middle - step, middle, middle + step])
                if np.abs(line).max() < reach and met.issuperset(number(line).tolist()):
                    threes.append(number(line).tolist())
        self.threes = np.array(threes, np.int64).ravel()
        self.images = np.array(
            [
                image_of(row[three].tolist(), threes)
                for row in self.turned.reshape(len(ways), -1)
                for three in threes
            ],
            np.int64,
        )

        outside = np.ones(size, bool)
        outside[tuple(at.T)] = False
        holes = np.argwhere(outside)
        found = []
        for way in ways:
            laid = at[None, :, None] + turn(holes[None] - at[:, None], way)[:, None]  # [to, from, hole, 2]
            inside = np.all((laid >= 0) & (laid < size), axis=-1)
            x, y = np.moveaxis(np.where(inside[..., None], laid, 0), -1, 0)
            found.append(np.sum(inside & outside[x, y], axis=-1))
        self.unplayed = np.concatenate(found).astype(np.float64).ravel()


def image_of(three: list[int], threes: list[list[int]]) -> int:
    """2 times the number of a line, and 1 more if it is there from its other end."""
    return 2 * threes.index(three) if three in threes else 2 * threes.index(three[::-1]) + 1


def longer(array: Any, size: int) -> Any:
    """An array with so many zeros behind it."""
    if isinstance(array, list):
        return array + [0] * size
    return np.concatenate([array, np.zeros(size, array.dtype)])


def turn(offset: Any, way: int) -> Any:
    """What offsets x, y become on a board turned as `Game.shape_image` has it; the last axis is x, y."""
    x, y = (offset[..., 1], offset[..., 0]) if way & 4 else (offset[..., 0], offset[..., 1])
    return np.stack([-x if way & 1 else x, -y if way & 2 else y], axis=-1)


def back(way: int) -> int:
    """The way to turn a board back that was turned: another where a quarter turn is in it."""
    return way ^ 3 if way & 7 in (5, 6) else way


def closure(ways: Iterable[int]) -> list[int]:
    """All ways to turn the board that these come to one after the other, not at all being the first."""
    probe = np.array([1, 2])
    planar = {tuple(turn(probe, way)): way for way in range(8)}
    ways, found = list(ways), {0}
    while True:
        after = {
            planar[tuple(turn(turn(probe, first), second))] | ((first ^ second) & 8)
            for first in found
            for second in ways
        }
        if after <= found:
            return sorted(found)
        found |= after

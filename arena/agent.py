"""What an agent is: a way of choosing moves."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from arena.distribution import found_out
from arena.errors import ArenaError
from arena.game import CAPABILITIES, Game, Move, State
from arena.kernel import Other, States
from arena.options import Configurable
from arena.protocol import Protocol
from arena.rng import Rng, derive

if TYPE_CHECKING:
    from arena.compiled.player import Player
    from arena.explanation import View


class Agent(Configurable):
    """Chooses moves in one game. Write `choose`, and `prepare` if there is something to get ready.

    An agent is made once a worker process and plays many matches, in any order. Its choices may
    depend on the position and on `rng` alone, or on what it has seen since `begin`; then a
    tournament's results are the same however its matches are spread.
    """

    name: str = ""  # as entered, with options: set when the agent is made by name
    needs: ClassVar[tuple[str, ...]] = ()  # capabilities that a game must offer, or functions of its rules
    unasked: ClassVar[tuple[str, ...]] = ()  # likewise, for it to be entered where nobody names the entries
    protocols: ClassVar[Mapping[str, Protocol]] = {}  # by name, for its learning curves, if it learns

    def __init__(self, game: Game, **options: Any) -> None:
        super().__init__(**options)
        check_needs(type(self), game, type(self).__name__)
        self.game = game
        self.prepare()

    def prepare(self) -> None:
        """Get ready, once, with `self.game` and the options in place."""

    def begin(self, seat: int) -> None:
        """A match begins, with this agent as player `seat`, 0 or 1."""

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        """One of `moves`, the legal moves in `state`, of which there is at least one.

        rng: this seat's random numbers for this match, the only source of chance to use.
        """
        raise NotImplementedError  # the author's to write

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float] | None:
        """The chance with which `choose` takes each of `moves`, in their order; None if it cannot be said.

        Asked as `choose` is in place of a match's first move. Unless overridden it is found out by calling
        `choose` with all that `rng` could give. That does for an agent by which a position alone decides,
        or with it a choice among several, by `rng.below`, `choice`, `sample` or `shuffle`. One that overrides
        `begin` is taken to remember what it saw, and has no chances that go with positions.
        """
        return None if type(self).begin is not Agent.begin else found_out(self, state, moves)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """What it thinks of each of `moves`, in their order; nothing from an agent that does not say.

        Asked as `choose` is, in place of a match's first move, which nothing follows. The numbers are those
        that `choose` goes by: its move is among those of the best score, unless it is made by chance.
        """
        return ()


class FastAgent(Agent):
    """An agent whose choice is a kernel (see `arena.kernel`), so that on fast games it runs compiled.

    kernel: a module with the kernel

        choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int

    which gives the index of its move among the `n` legal ones, `work[0]` to `work[n - 1]`, and leaves these
    as they are; from `work[n]` on there is room for its own. stream: this seat's random numbers, for `draw`
    and `below` of `arena.rng`. arrays: what `arrays` gave, for `ints` and `floats` of `arena.kernel`. It
    may have a kernel `begin` with the same parameters, called when a match begins, n being the seat.

    lists: how many lists of moves have room in `work`; set it in `prepare` if it depends on options.
    """

    kernel: ModuleType
    lists: int = 1

    def __init__(self, game: Game, **options: Any) -> None:
        super().__init__(game, **options)
        check_kernel(type(self), self.kernel)
        self.equip()

    def equip(self) -> None:
        """Take `arrays`, from now on the ones that the kernel works on."""
        self.player: Player | PlainPlayer = self.compiled() or PlainPlayer(self)

    def arrays(self) -> Sequence[Any]:
        """Options, weights, tables: lists of ints or floats, numpy's arrays of these, `arena.kernel.States`.

        Also `arena.kernel.Other`, an agent to consult. Asked for after `prepare`. The kernel may write to
        them; numpy's arrays are written to themselves, where the agent is compiled.
        """
        return ()

    def compiled(self) -> Player | None:
        """The kernel compiled for the game, or None if either is plain."""
        from arena.compiled import engine

        compiled = engine(self.game)
        return compiled.player(self) if compiled else None

    def begin(self, seat: int) -> None:
        self.player.begin(seat)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        chosen = self.player.choose(state, moves, rng.stream)
        if not 0 <= chosen < len(moves):
            raise IndexError(f"its kernel chose move {chosen} of {len(moves)}")
        return moves[chosen]

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float] | None:
        """As `Agent.distribution`; for a kernel that draws random numbers override it."""
        remembers = type(self).begin is not FastAgent.begin or hasattr(self.kernel, "begin")
        return None if remembers else found_out(self, state, moves)


CHOOSE = ["Rules", "State", "Int", "IntPointer", "IntPointer", "Arrays", "Int"]


def check_kernel(cls: type[FastAgent], kernel: ModuleType) -> None:
    """TypeError unless a module's kernels `choose`, `begin` and `learn` are as they are to be."""
    for name in ("choose", "begin", "learn"):
        function = getattr(kernel, name, None)
        if list(map(str, getattr(function, "__annotations__", {}).values())) != CHOOSE and (
            function is not None or name == "choose"
        ):
            raise TypeError(
                f"{cls.__name__}: {name} in {kernel.__name__} is not annotated {', '.join(CHOOSE[:-1])} "
                "-> Int, in a module that begins with 'from __future__ import annotations'"
            )


class PlainPlayer:
    """Runs an agent's kernel as it stands."""

    def __init__(self, agent: FastAgent) -> None:
        self.rules, self.kernel, self.game = agent.game.rules, agent.kernel, agent.game
        self.work: list[Any] = [0] * (agent.lists * agent.game.max_moves)
        self.arrays = list(map(as_list, agent.arrays()))

    def begin(self, seat: int) -> None:
        if hasattr(self.kernel, "begin"):
            self.kernel.begin(self.rules, self.game.initial(), seat, self.work, [0, 0], self.arrays)

    def choose(self, state: State, moves: list[Move], stream: list[int]) -> int:
        self.work[: len(moves)] = moves
        chosen: int = self.kernel.choose(self.rules, state, len(moves), self.work, stream, self.arrays)
        return chosen

    def run(self, name: str, n: int) -> int:
        """Another kernel with the parameters of `choose`, begun in the first position."""
        kernel = getattr(self.kernel, name)
        given: int = kernel(self.rules, self.game.initial(), n, self.work, [0, 0], self.arrays)
        return given

    def learn(self, numbers: range, seed: int, tally: MutableSequence[int]) -> int:
        """Learn from these episodes, counting how they end; the number of one without room, or their end."""
        start = self.game.initial()
        for episode in numbers:
            stream = [derive(seed, episode), 0]
            ended = self.kernel.learn(self.rules, start, episode, self.work, stream, self.arrays)
            if ended < -1 or ended > 1:
                return episode
            tally[ended + 1] += 1
        return numbers.stop


def as_list(given: Any) -> list[Any]:
    """One of an agent's arrays for plain Python."""
    if isinstance(given, States):
        states = given.given.tolist() if hasattr(given.given, "tolist") else given.given
        return [tuple(s) if isinstance(s, list) else s for s in states] + [None] * (given.room - len(states))
    if isinstance(given, Other):
        return asked(given.agent)
    return list(given.tolist() if hasattr(given, "tolist") else given)


def asked(agent: Agent) -> list[Any]:
    """An agent to consult, for `arena.kernel.consult`: any agent, with a kernel or without."""

    def choose(G: Any, s: State, n: int, work: list[Any], stream: list[int], arrays: Any) -> int:
        rng = Rng()
        rng.stream = stream
        moves = work[:n]
        return moves.index(agent.choose(s, list(moves), rng))

    def begin(G: Any, s: State, seat: int, work: list[Any], stream: list[int], arrays: Any) -> int:
        agent.begin(seat)
        return 0

    return [choose, None, None, None, begin]


def missing(wanted: Sequence[str], game: Game) -> list[str]:
    """Of these capabilities, or functions of rules, those that the game lacks."""
    offered, rules = game.capabilities, game.rules
    return [
        need for need in wanted if not (need in offered if need in CAPABILITIES else hasattr(rules, need))
    ]


def missing_needs(cls: type[Any], game: Game) -> list[str]:
    """What the agent, or evaluation, needs and the game lacks."""
    return missing(cls.needs, game)


def check_needs(cls: type[Any], game: Game, name: str) -> None:
    """ArenaError if the game lacks what the agent, or evaluation, needs."""
    if missing := missing_needs(cls, game):
        offered = ", ".join(game.capabilities) or "none"
        raise ArenaError(
            f"{name} needs {' and '.join(missing)}, which {game} does not offer (it offers: {offered})"
        )

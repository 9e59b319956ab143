"""The conformance kit tells what is wrong with an agent."""

from __future__ import annotations

import random
import re

import pytest

from arena import Agent, option
from arena.registry.plugins import registry
from arena.testing import check_agent
from sound_games import Row
from tiers import slow


# Agents
class OddAndEven(Agent):
    """Plays the first and the last move by turns, from the beginning of each match."""

    def begin(self, seat):
        self.asked = 0

    def choose(self, state, moves, rng):
        self.asked += 1
        return moves[-(self.asked % 2)]


class Drawing(Agent):
    """Plays by lot, from the stream given."""

    def choose(self, state, moves, rng):
        return rng.choice(moves)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [OddAndEven, Drawing])
def test_an_agent_may_use_its_stream_and_what_it_saw_since_the_beginning(cls):
    check_agent(cls, Row())


class NoMove(Agent):
    """Plays what is not a move."""

    def choose(self, state, moves, rng):
        return 99


class Division(Agent):
    """Fails in its second turn."""

    def choose(self, state, moves, rng):
        return moves[0 // (len(moves) - 1)] if len(moves) < 5 else moves[0]


class Eater(Agent):
    """Takes its move out of the list."""

    def choose(self, state, moves, rng):
        return moves.pop()


class OwnChance(Agent):
    """Plays by lot, from Python's own generator."""

    def choose(self, state, moves, rng):
        return random.choice(moves)


class LongMemory(Agent):
    """Plays the first and the last move by turns, from one match to the next."""

    def prepare(self):
        self.asked = 0

    def choose(self, state, moves, rng):
        self.asked += 1
        return moves[-(self.asked // 3 % 2)]


class Numbered(Agent):
    """Plays according to how many were made before it."""

    made = 0

    def prepare(self):
        type(self).made += 1
        self.number = self.made

    def choose(self, state, moves, rng):
        return moves[-(self.number % 2)]


class ByHash(Agent):
    """Plays the move whose text, with a random number's, has the greatest hash."""

    def choose(self, state, moves, rng):
        number = rng.random()  # or few different questions would be asked, and the answers agree by luck
        return max(moves, key=lambda move: hash(f"{number} {move}"))


class MadeByItself(Agent):
    """Plays the first move, and knows no game."""

    def __init__(self, game):
        self.table = {}

    def choose(self, state, moves, rng):
        return moves[0]


class UndocumentedAgent(Agent):
    def choose(self, state, moves, rng):
        return moves[0]


class NoHelp(Agent):
    """An option that says nothing."""

    depth: int = option(1, "")


class NoDefault(Agent):
    """An option whose default is of another type."""

    depth: int = option(None, "plies searched")


FAULTY_AGENTS = {
    NoMove: "plays 99, which is not one of the moves [0, 1, 2, 3, 4], in '.....'",
    Division: "ZeroDivisionError",
    MadeByItself: "its own __init__ does not call super().__init__(game, **options)",
    Eater: "modifies the list of moves that it is passed, in '.....'",
    OwnChance: "after playing other matches, in '",
    LongMemory: "after playing other matches, in '",
    Numbered: "made again, in '.....'",
    ByHash: "in another process, in '",
    UndocumentedAgent: "has no docstring",
    NoHelp: "option 'depth' has no help",
    NoDefault: "option 'depth' takes a whole number, which its default, None, is not",
}


@pytest.mark.parametrize(
    "cls", [*(cls for cls in FAULTY_AGENTS if cls is not ByHash), *slow(ByHash)], ids=lambda cls: cls.__name__
)
def test_a_faulty_agent_is_told_its_fault(cls):
    with pytest.raises(AssertionError, match=f"{cls.__name__}: .*" + re.escape(FAULTY_AGENTS[cls])):
        check_agent(cls, Row())


def test_an_agent_has_to_be_where_a_worker_can_import_it():
    class Inside(Drawing):
        """Hidden in a function."""

    with pytest.raises(
        AssertionError, match=r"Inside: cannot be imported as test_faulty_agents:.*<locals>\.Inside"
    ):
        check_agent(Inside, Row())


def test_options_of_an_agent_reach_it():
    with pytest.raises(AssertionError, match="Minimax: ArenaError: option 'ties' of Minimax takes first"):
        check_agent(registry().spec("agent", "minimax").cls, Row(), options={"ties": "last"})

"""The promises of an agent, checked in matches against random moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.learner import Learner
from arena.compiler import plainly
from arena.rng import derive
from arena.testing.explaining import check_views
from arena.testing.improving import Improvement, compared_improvement, improves
from arena.testing.learning import PROMISES_OF_LEARNERS, Learning, recalled, train_named
from arena.testing.matches import (
    Asked,
    Fails,
    Play,
    agent_answers,
    agent_matches,
    compare,
    nearest,
    with_line,
)
from arena.testing.moving import check_probabilities
from arena.testing.processes import another_process, in_another_process
from arena.testing.promise import Compared, Fault, Looking, compared, promise
from arena.testing.whole import class_is_sound

MATCHES = 10
LEARNING = ("learn", "_learn_episodes")  # methods of learning
BEGUN = 10  # plies of two matches in which explanations are checked, and which are repeated in plain Python


class AgentInspection:
    """An agent, and the matches in which its promises are checked.

    Attributes:
        make: Function that creates another instance; for a learner, one with the same model.
        learning: The promises of a learner; None for other agents.
        agent: The instance that played `played`.
        played: Its answers in all matches.
        improvement: How much a learner improves by learning.
    """

    def __init__(
        self, cls: type[Agent], game: Game, matches: int, seed: int, options: Mapping[str, object]
    ) -> None:
        self.cls = cls
        self.game = game
        self.options = options
        self.seeds = [derive(seed, number) for number in range(matches)]
        self.make: Callable[[], Agent] = partial(cls, game, **options)
        self.learning = Learning(cls, game, options) if issubclass(cls, Learner) else None
        self.begun: Play = partial(agent_answers, seeds=self.seeds[:2], plies=BEGUN)
        self.agent: Agent
        self.played: Asked
        self.improvement: Improvement

    def first(self) -> Asked:
        """Return the answers at the beginning of two matches without failures, for detailed checks."""
        return [
            [answer for answer in match[:BEGUN] if not isinstance(answer.move, Fails)]
            for match in self.played[:2]
        ]

    def compare(self, way: Callable[[Play], Asked], when: str) -> None:
        """Raise Fault if the agent plays the matches differently under other conditions.

        Args:
            way: Function that plays the matches under these conditions, given a function that plays them.
            when: Description of the conditions for the error.
        """
        compare(self.agent, self.played, partial(agent_answers, seeds=self.seeds), way, when)

    def compare_begun(self, way: Callable[[Play], Asked], when: str) -> None:
        """Raise Fault if the agent plays the beginnings of two matches differently under other conditions."""
        compare(self.agent, self.first(), self.begun, way, when)


def class_of_agent(inspection: AgentInspection) -> None:
    class_is_sound(inspection.cls)


class_of_agent.__doc__ = class_is_sound.__doc__


def is_made(inspection: AgentInspection) -> None:
    """It can be created for the game, with these options.

    Set up the agent in `prepare`, when the game and the options are set; declare `needs`.
    """
    train_named(inspection.cls, inspection.game, inspection.options)
    if inspection.learning is None:
        inspection.agent = inspection.make()
        made = hasattr(inspection.agent, "game")
        assert made, "its own __init__ does not call super().__init__(game, **options)"


def plays_legal_moves(inspection: AgentInspection) -> None:
    """It plays legal moves to the end, and leaves the list of moves as it was.

    Return one of `moves`; make a copy, `list(moves)`, before sorting it or removing moves.
    """
    if inspection.learning:
        inspection.agent = inspection.learning.learner
        inspection.make = partial(recalled, inspection.learning.make, inspection.learning.model)
    try:
        inspection.played = agent_matches(inspection.agent, inspection.seeds)
    except Fault as fault:
        inspection.played = agent_answers(inspection.agent, inspection.seeds)
        raise with_line(inspection.make, nearest(inspection.make, fault)) from fault


def plays_the_same_again(inspection: AgentInspection) -> None:
    """It plays a match the same way after other matches.

    Use only `rng` for random numbers, and reset state from earlier matches in `begin`.
    """
    inspection.compare(lambda play: play(inspection.agent), "after playing other matches")


def plays_the_same_made_again(inspection: AgentInspection) -> None:
    """Another instance plays the same.

    Store nothing in the class; put everything that a learner's choices depend on into its model.
    """
    how = "after recalling its model" if inspection.learning else "made again"
    inspection.compare(lambda play: play(inspection.make()), how)


def plays_the_same_elsewhere(inspection: AgentInspection) -> None:
    """It plays the same in another process.

    Do not depend on the order of a set, on `hash` or `id`, or on what the process has done before.
    """
    apply = partial(in_another_process, [inspection.cls, type(inspection.game)], played_by, inspection.make)
    inspection.compare(apply, "in another process")


def played_by(make: Callable[[], Agent], play: Play) -> Asked:
    return play(make())


def explains_its_moves(inspection: AgentInspection) -> None:
    """It plays a move with the best score of its explanation.

    Let `explain` and `choose` use the same scores, and do not change state in `explain`.
    """
    if check_views(inspection.agent, inspection.first()):
        inspection.compare_begun(lambda play: play(inspection.agent), "after explaining its moves")


def moves_with_its_probabilities(inspection: AgentInspection) -> None:
    """It chooses moves with the probabilities that it states.

    Make `distribution` agree with `choose`, or remove it.
    """
    check_probabilities(inspection.agent, inspection.first())


def plays_the_same_in_plain_python(inspection: AgentInspection) -> None:
    """It plays the same compiled and in plain Python.

    Keep all numbers, including intermediate results, below 2**63; docs/compiling.md says what else may
    differ.
    """

    def plain(play: Play) -> Asked:
        with plainly():
            return play(inspection.make())

    inspection.compare_begun(plain, "in plain Python")


def learns(inspection: AgentInspection) -> bool:
    return inspection.learning is not None


def explains(inspection: AgentInspection) -> bool:
    return inspection.cls.explain is not Agent.explain


def compared_learning(inspection: AgentInspection) -> Compared:
    """Return which methods of learning are compiled, after the learner has learned."""
    assert inspection.learning is not None
    return compared(inspection.learning.learner, lambda name: name in LEARNING)


def compared_playing(inspection: AgentInspection) -> Compared:
    return compared(inspection.agent, lambda name: name not in LEARNING)


def merges(inspection: AgentInspection) -> bool:
    return inspection.learning is not None and all(inspection.learning.in_shards)


COMPARED = {
    Learning.learns_the_same_in_plain_python: compared_learning,
    Learning.learns_the_same_elsewhere: another_process,
}
PROMISES = [
    promise(class_of_agent, vital=True),
    promise(is_made, vital=True),
    *(
        promise(
            look,
            partial(lambda look, inspection: look(inspection.learning), look),
            vital=True,
            applies=merges if look is Learning.merges_the_same_again else learns,
            compared=COMPARED.get(look),
        )
        for look in PROMISES_OF_LEARNERS
    ),
    promise(plays_legal_moves),
    promise(plays_the_same_again, vital=True),
    promise(plays_the_same_made_again, vital=True),
    promise(plays_the_same_elsewhere, compared=another_process),
    promise(explains_its_moves, applies=explains),
    promise(moves_with_its_probabilities),
    promise(plays_the_same_in_plain_python, compared=compared_playing),
]
IMPROVES = promise(improves, applies=learns, compared=compared_improvement)  # takes seconds


def look_at_agent(
    cls: type[Agent],
    game: Game,
    matches: int = MATCHES,
    seed: int = 0,
    options: Mapping[str, object] | None = None,
    thoroughly: bool = False,
) -> Looking:
    """Return the promises of an agent, to be checked one at a time; `thoroughly` adds that it improves."""
    promises = [*PROMISES, IMPROVES] if thoroughly else PROMISES
    return Looking(promises, AgentInspection(cls, game, matches, seed, options or {}), game)

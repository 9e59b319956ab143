"""Search for a response to an entry by trials: matches in which the most promising moves are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from arena.analysis.tree import EQUAL, Node
from arena.api.agent import Agent
from arena.api.answers import Unsaid, probabilities
from arena.api.game import Game, Move, State
from arena.api.limits import Draws, Limits
from arena.api.rulings import blaming, legal_moves, outcome, place_of, player_to_move
from arena.api.solver import Solver
from arena.api.spec import Spec
from arena.errors import brief, one_line
from arena.matches.block import forget_instances, instance_of
from arena.rng import Rng, derive
from arena.workers.worker import RULES, Watch

Answer = TypeVar("Answer")

ROOM = 200_000  # maximum number of positions in the tree; further positions are dropped after each trial
ASIDE = 0.1  # probability of a random move instead of the guide's move in new positions
IN_A_ROW = 200  # the search ends after this number of consecutive wins
VISITS = 1 << 17  # maximum number of positions that a solver visits before it gives up
LATER = 16  # factor for `VISITS` when the response is played
MEMORY = 1 << 26  # bytes for a solver's table
PLAYED = -1  # replaces the trial's number for the random numbers of the response
GUIDE = 3  # the seat that the watch records for the first guide; other guides and the solver follow

Key = tuple[State, int]  # a position, and the number of plies played


@dataclass(frozen=True)
class Question:
    """The entry to respond to, the seat of the response, and the settings of the search.

    Attributes:
        game: The game.
        entry: The entry to respond to.
        seat: The response's seat, 0 or 1.
        guides: Agents that choose moves in positions that are new to the tree.
        solver: The game's solver, if it has one.
        seed: Seed of the search.
        limits: Limits of a match.
    """

    game: Spec
    entry: Spec
    seat: int
    guides: tuple[Spec, ...]
    solver: type[Solver] | None
    seed: int
    limits: Limits


class Faulty(Exception):
    """A fault by which the entry forfeits."""


class Seeker:
    """Plays trials, and then the response that they have found.

    In known positions a trial selects moves by UCB1; in new positions a guide chooses them, with occasional
    random moves. If the entry states its move probabilities, the tree contains exact bounds, which are
    propagated from the ends of the game, and with sufficiently many trials the best response is found
    exactly.

    Attributes:
        trials: Number of trials played.
        over: Whether more trials cannot improve the result.
        asks: Whether the entry states its move probabilities; otherwise its moves are sampled by playing.
        fault: The entry's first fault, if any.
        total: Sum of the scores of all trials.
        nodes: The tree of trials.
        line: Moves of a trial that was won without chance.
    """

    def __init__(self, question: Question, game: Game, watch: Watch) -> None:
        self.question, self.game, self.watch = question, game, watch
        self.seat, self.stall = question.seat, question.limits.stall_seconds
        self.asks = True
        self.trials = self.in_a_row = 0
        self.total = 0.0  # sum of the scores of all trials
        self.over = False
        self.fault: str | None = None
        self.solver: Solver | None = None
        if question.solver:
            with suppress(Exception):  # for example if it cannot solve this game
                self.solver = question.solver.of(game, MEMORY)
        self.guides: list[int] = list(range(len(question.guides)))  # guides that have not failed
        self.guided_trials = [0] * len(question.guides)
        self.guided_scores = [0.0] * len(question.guides)
        self.nodes: dict[Key, Node] = {}
        self.line: dict[Key, int] = {}  # moves of a trial that was won without chance
        self.doubted = False  # whether such a line was not won again when repeated
        self.guide, self.rng = -1, Rng()

    # --- results -------------------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bounds of the best response's score."""
        root = self.nodes.get((self.game.initial(), 0))
        return root.bounds if root else (0.0, 1.0)

    @property
    def mean(self) -> float:
        """Mean score of all trials."""
        return self.total / max(self.trials, 1)

    def best_guide(self) -> int:
        """Return the index of the guide whose trials have the best mean score; -1 if there is none."""

        def score(g: int) -> float:
            return self.guided_scores[g] / max(self.guided_trials[g], 1)

        return max(self.guides, key=score, default=-1)

    # --- trials --------------------------------------------------------------------------------------------

    def go_on(self, trials: int) -> None:
        """Play up to `trials` more trials while they are useful; raise GameFault if the rules fail."""
        for _ in range(trials):
            if self.over:
                return
            try:
                self.trial()
            except Unsaid:
                self.asks = False
                self.nodes.clear()
                self.trial()

    def trial(self) -> None:
        """Play one match against the entry, and update the tree."""
        number = self.trials
        self.rng = Rng(derive(self.question.seed, self.seat, number))
        self.begin_guide(self.next_guide())
        with blaming(self.game):
            trial = Trial(self, number)
            score = trial.run()
        self.trials += 1
        self.total += score
        if self.guide >= 0:
            self.guided_trials[self.guide] += 1
            self.guided_scores[self.guide] += score
        self.in_a_row = self.in_a_row + 1 if score > 1 - EQUAL else 0
        low, high = self.bounds
        self.over = high - low <= EQUAL or self.in_a_row >= IN_A_ROW
        if not self.asks:
            self.follow(trial, score)

    def follow(self, trial: Trial, score: float) -> None:
        """Store a line that was won without chance; winning with the same line again ends the search."""
        won = score > 1 - EQUAL and not trial.chance
        if self.line:
            self.over |= won
            self.doubted |= not won
            self.line = self.line if won else {}
        elif won and not self.doubted:
            self.line = trial.own

    def next_guide(self) -> int:
        """Return the index of the next guide: at first each guide twice, then mostly the best one."""
        fresh = [g for g in self.guides if self.guided_trials[g] < 2]
        if fresh:
            return fresh[0]
        if self.guides and self.rng.below(4) == 0:
            return self.guides[self.rng.below(len(self.guides))]
        return self.best_guide()

    def begin_guide(self, g: int) -> None:
        """Select a guide, and begin a match for it."""
        self.guide = g
        if g >= 0:
            self.ask_guide(lambda agent: agent.begin(self.seat))

    def ask_guide(self, call: Callable[[Agent], Answer]) -> Answer | None:
        """Call the guide; if it fails, drop it and return None."""
        spec = self.question.guides[self.guide]
        self.watch.turn(self.trials, GUIDE + self.guide, self.stall)
        try:
            return call(instance_of(spec, self.question.game, self.seat))
        except BaseException as error:
            if self.watch.is_users(error):
                raise
            self.guides.remove(self.guide)
            self.guide = self.best_guide()
            return None
        finally:
            self.watch.turn(self.trials, RULES, self.stall)

    # --- positions -----------------------------------------------------------------------------------------

    def own_node(self, state: State, ply: int, moves: Sequence[Move]) -> tuple[Node, bool]:
        """Return the node of a position in which the response is to move, and whether it is new."""
        if node := self.nodes.get((state, ply)):
            return node, False
        node = Node(moves)
        node.won = self.at_least(state, 1, VISITS) is True
        if len(self.nodes) < ROOM:
            self.nodes[state, ply] = node
        return node, True

    def guided(self, node: Node, state: State) -> int:
        """Return the index of the guide's move; a random one if there is no guide or it fails."""
        if self.guide not in node.guided:
            guide, moves = self.guide, list(node.moves)
            number = None
            if guide >= 0:
                move = self.ask_guide(lambda agent: agent.choose(state, list(moves), self.rng))
                with suppress(ValueError):
                    number = place_of(moves, move)
            if number is None:
                return int(self.rng.below(len(moves)))
            node.guided[guide] = number
            return number
        return node.guided[self.guide]

    def at_least(self, state: State, least: int, visits: int) -> bool | None:
        """Return whether the solver values a position at `least` or more; None if it gives up."""
        if self.solver is None:
            return None
        self.watch.turn(self.trials, GUIDE + len(self.question.guides), self.stall)
        try:
            value = self.solver.attempt(state, least, visits)
            return None if self.solver.stopped else bool(value >= least)
        except BaseException as error:
            if self.watch.is_users(error):
                raise
            self.solver = None
            return None
        finally:
            self.watch.turn(self.trials, RULES, self.stall)

    # --- the reply -----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a match of the response, with the same random numbers in every match."""
        self.rng = Rng(derive(self.question.seed, self.seat, PLAYED))
        self.begin_guide(self.best_guide())

    def choose(self, state: State, ply: int, moves: list[Move]) -> Move:
        """Return the response's move after `ply` plies."""
        if (number := self.line.get((state, ply))) is not None:
            return moves[number]
        node, _ = self.own_node(state, ply, moves)
        if node.won and (found := self.winning(node, state)) is not None:
            return found
        guided = self.guided(node, state)
        return moves[node.to_play(guided) if any(node.tries) else guided]

    def winning(self, node: Node, state: State) -> Move | None:
        """Return a move that wins according to the solver, preferably the guide's; None if there is none."""
        guided = node.moves[self.guided(node, state)]
        for move in [guided, *(move for move in node.moves if move != guided)]:
            after = self.game.play(state, move)
            own = self.game.to_move(after) == self.seat
            if not self.game.moves(after):
                won = self.game.value(after) == (1 if own else -1)
            elif own:
                won = self.at_least(after, 1, LATER * VISITS) is True
            else:
                won = self.at_least(after, 0, LATER * VISITS) is False
            if won:
                return move
        return None


class Trial:
    """One match against the entry.

    Attributes:
        own: Indices of the response's moves, by position and ply.
        path: Nodes passed in the trial, with the moves made there.
        begun: Whether the entry has begun the match.
        ended: Whether a move of the response ended the match.
        aside: Probability of a random move instead of the guide's move.
    """

    def __init__(self, seeker: Seeker, number: int) -> None:
        self.seeker, self.number = seeker, number
        self.question, self.game, self.seat = seeker.question, seeker.game, seeker.seat
        self.stream = Rng(derive(self.question.seed, self.seat, number, 1))
        self.own: dict[Key, int] = {}
        self.path: list[tuple[Node, int]] = []
        self.begun = self.ended = False
        self.aside = ASIDE if number % 2 else 0.0

    @property
    def chance(self) -> bool:
        """Return whether the entry drew a random number."""
        return self.stream.stream[1] > 0

    def run(self) -> float:
        """Play the match and update the nodes on its path; return the score."""
        score, low, high = self.play()
        for node, i in reversed(self.path):
            if not self.seeker.asks and not self.ended:  # the entry may have other, unknown moves
                low, high = 0.0, 1.0
            score = node.take(i, score, low, high)
            low, high = node.bounds
            self.ended = False
        return score

    def play(self) -> tuple[float, float, float]:
        """Play a match; return its score for the response, and bounds of the score at its end."""
        game, limits, seat = self.game, self.question.limits, -1
        state = game.initial()
        draws = Draws(game, state, limits)
        ply = 0
        while moves := legal_moves(game, state):
            if reason := draws.reason(state, ply):
                return (0.5, 0.5, 0.5) if reason == "max plies" else (0.5, 0.0, 1.0)
            seat = player_to_move(game, state, seat)
            if seat == self.seat:
                node, new = self.seeker.own_node(state, ply, moves)
                low, high = node.bounds
                if high - low <= EQUAL:
                    return low, low, low
                i = self.pick(node, new, state, ply)
                self.own[state, ply] = i
                self.path.append((node, i))
                move = moves[i]
            else:
                try:
                    move = self.entrys(state, moves, ply)
                except Faulty as fault:
                    self.seeker.fault = self.seeker.fault or f"{fault}, in {game.position_text(state)}"
                    return 1.0, 1.0, 1.0
            draws.add_move(state, move, state := game.play(state, move))
            ply += 1
        self.ended = seat == self.seat
        result = outcome(game, state, seat)
        score = (1 + (result if self.seat == 0 else -result)) / 2
        return score, score, score

    def pick(self, node: Node, new: bool, state: State, ply: int) -> int:
        """Return the index of the move to try."""
        seeker = self.seeker
        if (number := seeker.line.get((state, ply))) is not None:
            return number
        guided = seeker.guided(node, state)
        if not new:
            return node.to_try(guided)
        if self.aside and seeker.rng.random() < self.aside:
            return seeker.rng.below(len(node.moves))
        return guided

    def entrys(self, state: State, moves: list[Move], ply: int) -> Move:
        """Return the entry's move; raise Faulty if it fails, Unsaid if it does not state probabilities."""
        if not self.seeker.asks:
            return self.chosen(state, moves)
        node = self.seeker.nodes.get((state, ply))
        if node is None:
            odds = self.ask(lambda agent: probabilities(agent, state, moves))
            node = Node(moves, odds)
            if len(self.seeker.nodes) < ROOM:
                self.seeker.nodes[state, ply] = node
        i = node.draw(self.stream)
        self.path.append((node, i))
        return moves[i]

    def chosen(self, state: State, moves: list[Move]) -> Move:
        """Return the move that the entry chooses in this match."""

        def choose(agent: Agent) -> int:
            if not self.begun:
                agent.begin(1 - self.seat)
                self.begun = True
            move = agent.choose(state, list(moves), self.stream)
            return place_of(moves, move)

        return moves[self.ask(choose)]

    def ask(self, call: Callable[[Agent], Answer]) -> Answer:
        """Call the entry's agent; raise Faulty if it fails."""
        watch, stall = self.seeker.watch, self.seeker.stall
        watch.turn(self.number, 1 - self.seat, stall)
        try:
            return call(instance_of(self.question.entry, self.question.game, 1 - self.seat))
        except Unsaid:
            raise
        except BaseException as error:
            if watch.is_users(error):
                raise
            forget_instances()  # after an exception an agent may be in any state
            raise Faulty(brief(one_line(error))) from error
        finally:
            watch.turn(self.number, RULES, stall)

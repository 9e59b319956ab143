"""The base class of agents that ask an external program."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from arena import Agent, Move, Rng, State, option
from arena_agents.engines.line import Line
from arena_agents.engines.program import Overdue, Program, checked, cut, files_of, place_of


class Said:
    """Stands for a program's answer that is not a move."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return repr(cut(self.text))


class Outside(Agent):
    """Plays the moves of an external program. Subclasses define `greet`, `tell_begin` and `ask`.

    The program is started for the first match, and restarted for the next match after a fault. It is ended
    together with this agent.
    """

    compiled_methods = ()
    programs = True
    kept_attributes = ("program",)

    command: str = option("", "the program and its arguments", required=True)
    folder: str = option("", "working folder, if not the current one")
    deterministic: bool = option(False, "whether it always plays alike, so that repeated matches count once")
    restart: bool = option(False, "whether to restart it for each match")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        checked(options["command"], place_of(options["folder"]))

    @classmethod
    def files(cls, options: Mapping[str, Any]) -> Sequence[str]:
        return files_of(options["command"], place_of(options["folder"]))

    @classmethod
    def readable(cls, options: Mapping[str, Any]) -> Sequence[str]:
        folder = place_of(options["folder"])
        return [*cls.files(options), *([str(Path(folder).absolute())] if folder else [])]

    def prepare(self) -> None:
        self.program: Program | None = None
        self.line = Line(self.game)
        self.opening: Sequence[Move] = ()
        self.opening_start: str | None = None

    @abstractmethod
    def greet(self, program: Program) -> None:
        """Initialise a program that has just been started."""

    @abstractmethod
    def tell_begin(self, program: Program, seat: int) -> None:
        """Tell the program that a match begins."""

    @abstractmethod
    def ask(self, program: Program, moves: Mapping[str, Move], rng: Rng | None, until: float | None) -> str:
        """Ask the program for a move in the position of `line`, and return its answer.

        moves: the legal moves by text. rng: None if the program must not be random. until: the deadline by
        `perf_counter`; raise Overdue after it.
        """

    def follow_opening(self, moves: Sequence[Move], start: str | None = None) -> None:
        self.opening, self.opening_start = moves, start

    def begin(self, seat: int) -> None:
        self.line.begin(self.opening, self.opening_start)
        try:
            program = self.started()
            self.tell_begin(program, seat)
        except BaseException:
            self.end()
            raise

    def started(self) -> Program:
        """Return the running program, starting it if necessary."""
        if self.program and (self.restart or not self.program.running()):
            self.end()
        if self.program is None:
            self.program = Program(self.command, place_of(self.folder))
            self.greet(self.program)
        return self.program

    def end(self) -> None:
        """End the program."""
        if self.program:
            self.program.close()
        self.program = None

    def overdue(self) -> str:
        """Describe the program's output since the request, or its absence."""
        return self.program.silence() if self.program else ""

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        until = perf_counter() + self.time_limit if self.time_limit < math.inf else None
        if self.program is None:
            self.begin(self.game.to_move(state))
        assert self.program is not None
        self.line.reach(state)
        by_text = {self.game.move_text(move): move for move in moves}
        try:
            said = self.ask(self.program, by_text, None if self.deterministic else rng, until)
        except Overdue:  # the match also notices this, by its own clock
            self.end()
            return moves[0]
        except BaseException:
            self.end()
            raise
        if said not in by_text:
            self.end()
            return Said(said)
        self.line.play(by_text[said])
        return by_text[said]

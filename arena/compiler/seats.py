"""Agents for compiled matches, where compiled code calls them by the addresses of their machine code."""

from __future__ import annotations

from contextlib import suppress

from arena.api.agent import Agent
from arena.api.component import author_of
from arena.compiler.errors import CannotCompile
from arena.compiler.layout import StoredWord
from arena.compiler.program import Program
from arena.compiler.runtime import runners
from arena.compiler.switch import host


class CompiledAgent:
    """An agent's machine code and attributes.

    Attributes:
        choose: Address of `choose`, with the C calling convention.
        begin: Address of `begin`; 0 if the agent does not define it.
        block: Address of the block with its attributes.
        writes_moves: Whether it may modify the list of moves passed to it.
        legal: Whether its move is certainly from that list.

    Raises:
        CannotCompile: If the agent does not compile.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.runners = vars(agent).get("_runners") or runners(agent)
        self.take()

    def take(self) -> None:
        """Copy the agent's current attributes to its block, or raise CannotCompile."""
        cls = type(self.agent)
        if {"choose", "begin"} & {*vars(self.agent)} or "choose" not in self.runners:
            raise CannotCompile(f"the choose or begin of {cls.__name__} is not a method of the class")
        if getattr(cls, "follow_opening", Agent.follow_opening) is not Agent.follow_opening:
            raise CannotCompile(f"{cls.__name__} defines follow_opening, which runs as plain Python")
        self.taken = self.runners["choose"].shared.taken()
        self.taken.before = None  # compiled code changes the words before Python calls a method again
        programs = {"choose": self.program("choose")}
        if author_of(cls.begin) is not author_of(Agent.begin):
            programs["begin"] = self.program("begin")
        self.choose, self.begin = (
            programs[name].code.address("run") if name in programs else 0 for name in ("choose", "begin")
        )
        self.block = self.taken.address
        self.stored = frozenset(name for program in programs.values() for name in program.stored)
        self.legal = programs["choose"].legal
        self.writes_moves = any(program.writes_moves for program in programs.values())

    def program(self, name: str) -> Program:
        program = self.runners[name].code(getattr(type(self.agent), name).plain)
        if program is None:
            raise CannotCompile(f"{name} of {type(self.agent).__name__} does not compile")
        return program

    def give(self) -> None:
        """Copy the attributes that compiled code has set from the block back to the agent."""
        self.taken.give(self.stored)

    def words(self, arrays: bool) -> list[StoredWord]:
        """Return the numeric attributes that compiled code may set, and perhaps words of small arrays."""
        return [*self.taken.stored_words(self.stored, arrays)]


def seat_of(agent: Agent) -> CompiledAgent | None:
    """Return an agent for compiled matches, compiled if necessary; None if it does not compile."""
    try:
        with host.get().waiting():
            return CompiledAgent(agent)
    except CannotCompile:
        return None


def compile_entries(agent: Agent) -> None:
    """Compile those entries of an agent that compile."""
    if seat_of(agent) is not None:
        return
    with suppress(CannotCompile), host.get().waiting():
        found = vars(agent).get("_runners") or runners(agent)
        for name, runner in found.items():
            runner.shared.taken()
            runner.code(getattr(type(agent), name).plain)

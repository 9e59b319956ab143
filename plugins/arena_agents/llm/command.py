"""A command that is run for each request: its input is the prompt, and its output is the answer."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from time import perf_counter

from arena import Reported
from arena_agents.engines.program import PIECE, Overdue, Program
from arena_agents.llm.answer import Answer, storable
from arena_agents.llm.connection import LONGEST


class Command(Program):
    """A running command. Failures raise Reported and end the command."""

    def answer(self, question: str, until: float) -> Answer:
        """Return the answer; raise Overdue if the command has not ended by this time of `perf_counter`."""
        self.told += question.encode(errors="replace")
        self.send()
        open_ends = {self.output, self.errors}
        while self.output in open_ends:
            wait = until - perf_counter()
            if wait <= 0:
                raise Overdue
            for descriptor, _ in self.poll.poll(int(1000 * wait) + 1):
                if descriptor == self.input:
                    self.send()
                elif not (self.hear_all() if descriptor == self.output else self.drain()):
                    open_ends.discard(descriptor)
                    with suppress(KeyError):
                        self.poll.unregister(descriptor)
        return Answer(self.ended_well(until), False, {})

    def send(self) -> None:
        """Write pending input as far as the command accepts it, and finally close its input."""
        super().send()
        if not self.told and self.process.stdin:
            self.process.stdin.close()

    def turn_deaf(self) -> None:
        """Ignore that the command has closed its input before reading all of it."""
        self.told.clear()

    def hear_all(self) -> bool:
        """Read some of the command's output; return whether there was any."""
        piece = os.read(self.output, PIECE)
        self.heard += piece
        if len(self.heard) > LONGEST:
            raise self.failed(f"says over {LONGEST >> 20} MB")
        return bool(piece)

    def ended_well(self, until: float) -> str:
        """Return the output of the command, once it has ended with status 0."""
        text = storable(self.heard.decode(errors="replace"))
        lines = [line for line in text.splitlines() if line.strip()]
        self.last = lines[-1].strip() if lines else None
        try:
            status = self.process.wait(max(0.0, until - perf_counter()))
        except subprocess.TimeoutExpired:
            raise Overdue from None
        if status:
            raise self.gone()
        return text


def answer_of(command: str, folder: str, question: str, until: float) -> Answer:
    """Run a command and return its answer; raise Reported if it fails, Overdue if it is late."""
    try:
        program = Command(command, folder)
    except OSError as error:
        raise Reported(f"{command} cannot be started: {error.strerror or error}") from None
    try:
        return program.answer(question, until)
    finally:
        program.close()

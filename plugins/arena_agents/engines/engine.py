"""Programs that speak arena's own protocol: requests and answers are lines of JSON.

The protocol is described in `docs/reference/engine-protocol.md`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from arena import Move, Rng, Spec, State, View, __version__, safe_text
from arena_agents.engines.outside import Outside
from arena_agents.engines.program import Program, cut

PROTOCOL = 1
REMEDY = 'such as {"id":1,"move":"5"}'  # example of an answer
SEED = 1 << 53  # seeds are smaller, so that numbers of any language can represent them


class Engine(Outside):
    """Plays the moves of a program in any language, which communicates in lines of JSON."""

    kept_attributes = ("asked",)

    def prepare(self) -> None:
        super().prepare()
        self.asked = -1  # the number of the last request
        self.scores: Mapping[str, Any] = {}  # the program's scores of moves, by the moves' texts

    def greet(self, program: Program) -> None:
        self.asked = -1
        values = {name: plain(getattr(self.game, name)) for name in type(self.game).options}
        game = {"game": str(self.game), "options": values, "sides": list(self.game.sides)}
        said = self.question(program, {"type": "hello", "protocol": PROTOCOL, "arena": __version__, **game})
        if said.get("protocol") != PROTOCOL:
            raise program.failed(f"uses protocol {shown(said.get('protocol'))}, not {PROTOCOL},")

    def tell_begin(self, program: Program, seat: int) -> None:
        program.say(written({"type": "begin", "seat": seat, **self.limits()}))

    def ask(self, program: Program, moves: Mapping[str, Move], rng: Rng | None, until: float | None) -> str:
        game, line = self.game, self.line
        question: dict[str, Any] = {
            "type": "move",
            "position": game.position_text(line.state),
            "moves": list(moves),
            "start": line.start_text,
            "played": line.moves,
        }
        question |= self.limits()
        if rng is not None:
            question["seed"] = rng.bits() % SEED
        said = self.question(program, question, until)
        if not isinstance(said.get("move"), str):
            raise program.failed("answers without a move, which must be a text,")
        scores = said.get("scores")
        self.scores = scores if isinstance(scores, dict) else {}
        move: str = said["move"]
        return move

    def limits(self) -> dict[str, float]:
        """Return the time limit of a move, and the clocks, if there are any."""
        limits = {"seconds": self.move_seconds} if self.move_seconds else {}
        if self.clock_seconds:
            limits |= {"clock": self.clock_seconds, "opponent_clock": self.opponent_seconds}
            limits |= {"increment": self.clock_increment}
        return limits

    def question(
        self, program: Program, question: Mapping[str, Any], until: float | None = None
    ) -> dict[str, Any]:
        """Send a request and return the answer to it; other messages are ignored."""
        self.asked += 1
        program.say(written({"id": self.asked, **question}))
        while True:
            said = self.read(program, until)
            number = said.get("id", -1)
            if type(number) is not int or number > self.asked:
                raise program.failed(f"answers question {shown(number)}, not {self.asked},")
            if number == self.asked:
                if "error" in said:
                    raise program.failed(f"says: {shown(said['error'])}")
                return said

    def read(self, program: Program, until: float | None) -> dict[str, Any]:
        """Read the program's next message."""
        line = program.line(until)
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise program.wrong(f"says {shown(line)}, which is not a JSON object, {REMEDY}")
        return said

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return the program's scores, for the moves that have any."""
        self.begin(self.game.to_move(state))
        self.scores = {}
        self.choose(state, list(moves), Rng())
        scores = [number(self.scores.get(self.game.move_text(move))) for move in moves]
        return [View({"score": score}) for score in scores] if any(s is not None for s in scores) else ()


def written(message: Mapping[str, Any]) -> str:
    """Return a message on one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def shown(value: Any) -> str:
    """Return a program's output as text, cut to a length that can be shown."""
    return cut(safe_text(repr, value))


def plain(value: Any) -> Any:
    """Return an option's value in a form that JSON can represent."""
    if isinstance(value, Spec):
        return value.text
    return list(map(plain, value)) if isinstance(value, tuple) else value


def number(value: Any) -> float | None:
    """Return a number, None for anything else."""
    return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else None

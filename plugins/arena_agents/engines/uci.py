"""Programs that speak UCI, the Universal Chess Interface (Kahlen & Meyer-Kahlen 2004; April 2006)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from arena import Rng, View, option
from arena.api.game import Move, State
from arena.errors import ArenaError, Reported, did_you_mean
from arena_agents.engines.outside import Outside
from arena_agents.engines.program import Program

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MOVETIME = 100  # ms, where nothing else limits a move
WAY = 0.05  # seconds of its time that are kept for the way to and fro, or half of it where that is less
SHARE = 0.9  # of what a move may take that is given to it at most


class UCI(Outside):
    """Plays what a chess engine says that speaks UCI, in a game whose positions are written in FEN."""

    budget = "nodes"

    setoption: tuple[str, ...] = option((), "its own options, each NAME=VALUE, or NAME to press a button")
    movetime: int = option(0, "ms for a move; 0 = 100 if nothing else limits it", low=0, high=10**7)
    nodes: int = option(0, "positions searched for a move; 0 = no limit", low=0)
    depth: int = option(0, "plies searched; 0 = no limit", low=0, high=1000)

    def prepare(self) -> None:
        super().prepare()
        text = self.game.position_text(self.game.initial())
        if not re.match(r"\S+/\S+ \S", text):
            raise ArenaError(f"uci is for games in FEN; a position of {self.game} is {text[:50]!r}")
        self.seat = 0
        self.score: float | None = None  # of its last move, in hundredths of a pawn
        self.info: dict[str, int] = {}

    def greet(self, program: Program) -> None:
        program.say("uci")
        names = []
        while (line := program.line()) != "uciok":
            if stated := re.match(r"option name (.+?) type ", line):
                names.append(stated[1])
        known = {name.lower(): name for name in names}
        if "ponder" in known:
            program.say(f"setoption name {known['ponder']} value false")
        for text in self.setoption:
            name, equals, value = text.partition("=")
            if name.lower() not in known:
                program.close()
                raise Reported(f"{program.name} has no option {name!r}{did_you_mean(name, names)}")
            program.say(f"setoption name {known[name.lower()]}" + (f" value {value}" if equals else ""))
        self.settle(program)

    def settle(self, program: Program, until: float | None = None) -> None:
        """Wait until it has done what it was told; what it still says to earlier questions is passed over."""
        program.say("isready")
        while program.line(until) != "readyok":
            pass

    def tell_begin(self, program: Program, seat: int) -> None:
        self.seat = seat
        program.say("ucinewgame")
        self.settle(program)

    def ask(self, program: Program, moves: Mapping[str, Move], rng: Rng | None, until: float | None) -> str:
        if rng is not None:
            rng.bits()  # by which the match knows that another might go another way
        self.settle(program, until)
        start = self.game.position_text(self.line.start)
        program.say(f"position {'startpos' if start == START else f'fen {start}'}{self.played()}")
        program.say(f"go {self.limits()}")
        self.score, self.info = None, {}
        while True:
            line = program.line(until)
            if line.startswith("info "):
                self.hear(line)
            elif found := re.match(r"bestmove\s+(\S+)", line):
                return found[1]

    def played(self) -> str:
        """The moves since the start, as `position` has them."""
        return f" moves {' '.join(self.line.moves)}" if self.line.moves else ""

    def limits(self) -> str:
        """What limits its search, as `go` has it."""
        limits = {"depth": self.depth, "nodes": self.nodes, "movetime": self.movetime}
        if self.move_seconds:
            most = milliseconds(min(SHARE * self.move_seconds, without_way(self.move_seconds)))
            limits["movetime"] = min(self.movetime or most, most)
        elif self.clock_seconds:
            left = milliseconds(without_way(self.clock_seconds))
            other = milliseconds(self.opponent_seconds)
            white, black = (left, other) if self.seat == 0 else (other, left)
            increment = int(1000 * self.clock_increment)
            limits |= {"wtime": white, "btime": black, "winc": increment, "binc": increment}
        if not any(limits.values()):
            limits["movetime"] = MOVETIME
        return " ".join(f"{name} {value}" for name, value in limits.items() if value)

    def hear(self, line: str) -> None:
        """Note what it says of the move that it thinks best so far."""
        if re.search(r" multipv (?!1\b)", line):
            return
        if score := re.search(r" score (cp|mate) (-?\d{1,9})\b", line):
            number = int(score[2])
            self.score = number if score[1] == "cp" else (1 if number > 0 else -1) * (10**6 - abs(number))
        for name in ("depth", "nodes"):
            if found := re.search(rf" {name} (\d{{1,18}})\b", line):
                self.info[name] = int(found[1])

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: of its move, in hundredths of a pawn, 1,000,000 less the moves to it for a mate."""
        self.begin(self.game.to_move(state))
        chosen = self.choose(state, list(moves), Rng())
        if self.score is None:
            return ()
        told = {"score": self.score, **self.info}
        return [View(told if move == chosen else {"score": None}) for move in moves]


def without_way(seconds: float) -> float:
    """What is left of so many seconds for a program to think."""
    return max(seconds - WAY, seconds / 2)


def milliseconds(seconds: float) -> int:
    """Whole ones, at least one."""
    return max(1, int(1000 * seconds))

"""Programs that speak UCI, the Universal Chess Interface (Kahlen & Meyer-Kahlen 2004; April 2006)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter

from arena import ArenaError, Move, Rng, State, View, did_you_mean, option
from arena_agents.engines.outside import Outside
from arena_agents.engines.program import Program
from arena_agents.engines.uci_option import UciOption

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MOVETIME = 100  # ms per move if there is no other limit
MANAGED = {"ponder": "false", "uci_chess960": "false"}  # options that arena sets itself
WAY = 0.05  # seconds reserved for communication, at most half of the time
SHARE = 0.9  # maximum share of the time limit of a move that the engine may use


class UCI(Outside):
    """Plays the moves of a chess engine that speaks UCI, in a game whose positions are written in FEN."""

    budget = "nodes"

    setoption: tuple[str, ...] = option((), "options of the engine, each NAME=VALUE, or NAME for a button")
    movetime: int = option(0, "milliseconds per move; 0 = 100 if there is no other limit", low=0, high=10**7)
    nodes: int = option(0, "nodes per move; 0 = no limit", low=0)
    depth: int = option(0, "plies searched; 0 = no limit", low=0, high=1000)

    def prepare(self) -> None:
        super().prepare()
        text = self.game.position_text(self.game.initial())
        if not re.match(r"\S+/\S+ \S", text):
            raise ArenaError(
                f"uci is for games with FEN positions; a position of {self.game} is {text[:50]!r}"
            )
        needed = getattr(self.game, "uci_options", {})  # options that the rules require: values by name
        self.needed = {name.lower(): (name, value) for name, value in needed.items()}
        self.score: float | None = None  # score of its last move, in centipawns
        self.info: dict[str, int] = {}
        if self.setoption or self.needed:
            self.started()  # checks the options before the first match

    def greet(self, program: Program) -> None:
        program.say("uci")
        announced = {}
        while (line := program.line()) != "uciok":
            if option := UciOption.read(line):
                announced[option.name.lower()] = option
        try:
            commands = [*self.commands(announced)]
        except ArenaError as error:
            program.close()
            raise ArenaError(f"{program.name}: {error}") from error
        for command in commands:
            program.say(command)
        self.settle(program)

    def commands(self, announced: Mapping[str, UciOption]) -> Iterator[str]:
        """Yield the lines that set the options; raise ArenaError for an option or value that is not accepted.

        announced: the engine's options, by name in lower case.
        """
        managed = MANAGED | {name: value for name, (_, value) in self.needed.items()}
        for name, value in managed.items():
            if name in announced:
                yield announced[name].command(value)
            elif name in self.needed:
                raise ArenaError(f"it has no option {self.needed[name][0]}, which {self.game} needs")
        given = set()
        for text in self.setoption:
            name, equals, value = text.partition("=")
            key = name.strip().lower()
            if key not in announced:
                names = [option.name for option in announced.values()]
                raise ArenaError(f"it has no option {name!r}{did_you_mean(name, names)}")
            option = announced[key]
            if key in given:
                raise ArenaError(f"{option.name} is given twice")
            given.add(key)
            if key not in managed:
                yield option.command(value if equals else None)
            elif value.lower() != managed[key].lower():
                raise ArenaError(
                    f"arena itself sets {option.name}, to {managed[key]} at {self.game}, not {value!r}"
                )

    def settle(self, program: Program, until: float | None = None) -> None:
        """Wait until the program has executed all commands; output for earlier requests is ignored."""
        program.say("isready")
        while program.line(until) != "readyok":
            pass

    def tell_begin(self, program: Program, seat: int) -> None:
        program.say("ucinewgame")
        self.settle(program)

    def ask(self, program: Program, moves: Mapping[str, Move], rng: Rng | None, until: float | None) -> str:
        if rng is not None:
            rng.bits()  # marks the match as random, since a replay may differ
        self.settle(program, until)
        begun = perf_counter()
        start = self.line.start_text
        program.say(f"position {'startpos' if start == START else f'fen {start}'}{self.played()}")
        program.say(f"go {self.limits()}")
        self.score, self.info = None, {}
        while True:
            line = program.line(until)
            if line.startswith("info "):
                self.hear(line)
            elif found := re.match(r"bestmove\s+(\S+)", line):
                self.move_usage = self.readings(perf_counter() - begun)
                return found[1]

    def readings(self, seconds: float) -> dict[str, float]:
        """Return the numbers to record for a move that took this many seconds."""
        found: dict[str, float] = {**self.info, "seconds": round(seconds, 3)}
        if self.score is not None:
            found["score"] = self.score
        if self.clock_seconds:
            left = max(0.0, self.clock_seconds - seconds) + self.clock_increment
            found["clock"] = round(left, 3)
        return found

    def played(self) -> str:
        """Return the moves since the start, as arguments of `position`."""
        return f" moves {' '.join(self.line.moves)}" if self.line.moves else ""

    def limits(self) -> str:
        """Return the limits of the search as arguments of `go`."""
        limits = {"depth": self.depth, "nodes": self.nodes, "movetime": self.movetime}
        if self.move_seconds:
            most = milliseconds(min(SHARE * self.move_seconds, without_way(self.move_seconds)))
            limits["movetime"] = min(self.movetime or most, most)
        elif self.clock_seconds:
            left = milliseconds(without_way(self.clock_seconds))
            other = milliseconds(self.opponent_seconds)
            white, black = (other, left) if self.black_to_move() else (left, other)
            increment = int(1000 * self.clock_increment)
            limits |= {"wtime": white, "btime": black, "winc": increment, "binc": increment}
        if not any(limits.values()):
            limits["movetime"] = MOVETIME
        return " ".join(f"{name} {value}" for name, value in limits.items() if value)

    def black_to_move(self) -> bool:
        """Return whether Black is to move, according to the FEN; Black may be the first player."""
        side = self.game.position_text(self.line.state).split()[1]
        return side == "b" or (side != "w" and self.game.to_move(self.line.state) == 1)

    def hear(self, line: str) -> None:
        """Store the information in a line about the best move so far."""
        if re.search(r" multipv (?!1\b)", line):
            return
        if score := re.search(r" score (cp|mate) (-?\d{1,9})\b", line):
            number = int(score[2])
            self.score = number if score[1] == "cp" else (1 if number > 0 else -1) * (10**6 - abs(number))
        for name in ("depth", "nodes"):
            if found := re.search(rf" {name} (\d{{1,18}})\b", line):
                self.info[name] = int(found[1])

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score that of its move, in centipawns; for a mate, 1,000,000 minus the moves to it."""
        self.begin(self.game.to_move(state))
        chosen = self.choose(state, list(moves), Rng())
        if self.score is None:
            return ()
        told = {"score": self.score, **self.info}
        return [View(told if move == chosen else {"score": None}) for move in moves]


def without_way(seconds: float) -> float:
    """Return the seconds that a program may think, without the time for communication."""
    return max(seconds - WAY, seconds / 2)


def milliseconds(seconds: float) -> int:
    """Return seconds as whole milliseconds, at least one."""
    return max(1, int(1000 * seconds))

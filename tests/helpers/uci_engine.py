"""A chess engine that speaks UCI: alpha-beta over the pieces, deeper and deeper, by the package chess.

`python uci_engine.py [FILE]` notes in the file what it is told. Its option Strength is how many plies it
searches at most.
"""

from __future__ import annotations

import os
import sys
import time

import chess

WORTH = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900}
MATE, NEVER = 10**6, 10**9


class Over(Exception):
    """The limit of a search is reached."""


class Engine:
    def __init__(self) -> None:
        self.board = chess.Board()
        self.strength, self.chess960 = 2, False

    def told(self, line: str) -> list[str]:
        """What it says to a line."""
        match line.split():
            case ["uci"]:
                return [
                    "id name Little",
                    "option name Strength type spin default 2 min 1 max 9",
                    "option name UCI_Chess960 type check default false",
                    "uciok",
                ]
            case ["isready"]:
                return ["readyok"]
            case ["setoption", "name", "Strength", "value", value]:
                self.strength = int(value)
            case ["setoption", "name", "UCI_Chess960", "value", value]:
                self.chess960 = value == "true"
            case ["position", *_]:
                self.set_up(*line.removeprefix("position ").partition(" moves ")[::2])
            case ["go", *limits]:
                return self.go(dict(zip(limits[::2], map(int, limits[1::2]), strict=True)))
        return []

    def set_up(self, start: str, moves: str) -> None:
        fen = chess.STARTING_FEN if start.strip() == "startpos" else start.removeprefix("fen ")
        self.board = chess.Board(fen.strip(), chess960=self.chess960)
        for move in moves.split():
            self.board.push(self.board.parse_uci(move))  # which raises if it is illegal

    def go(self, limits: dict[str, int]) -> list[str]:
        if not any(self.board.legal_moves):
            return ["bestmove (none)"]
        self.left = limits.get("nodes", NEVER)
        self.until = time.monotonic() + limits.get("movetime", NEVER) / 1000
        lines, best, board = [], next(iter(self.board.legal_moves)), self.board.copy()
        try:
            for depth in range(1, 1 + min(self.strength, limits.get("depth", NEVER))):
                score, best = self.search(depth, -NEVER, NEVER)
                lines.append(f"info depth {depth} score {said(score, depth)} pv {best.uci()}")
        except Over:
            self.board = board
        return [*lines, f"bestmove {best.uci()}"]

    def search(self, depth: int, alpha: int, beta: int) -> tuple[int, chess.Move]:
        """The value of the position for who is to move, and the first of the best moves."""
        self.left -= 1
        if self.left < 0 or time.monotonic() > self.until:
            raise Over
        chosen = chess.Move.null()
        moves = sorted(self.board.legal_moves, key=self.promise, reverse=True)
        if not moves:
            return (-MATE - depth if self.board.is_check() else 0), chosen
        if depth == 0 or self.board.is_insufficient_material():
            return self.pieces(), chosen
        for move in moves:
            self.board.push(move)
            score = -self.search(depth - 1, -beta, -alpha)[0]
            self.board.pop()
            if score > alpha:
                alpha, chosen = score, move
            if alpha >= beta:
                break
        return alpha, chosen

    def promise(self, move: chess.Move) -> int:
        """Captures are looked at first, then castling."""
        return 2 if self.board.is_capture(move) else int(self.board.is_castling(move))

    def pieces(self) -> int:
        return sum(
            len(self.board.pieces(kind, side)) * (worth if side == self.board.turn else -worth)
            for kind, worth in WORTH.items()
            for side in chess.COLORS
        )


def said(score: int, depth: int) -> str:
    """A score as UCI has it. A mate is worth more the more plies are left."""
    if abs(score) < MATE:
        return f"cp {score}"
    moves = (depth - (abs(score) - MATE) + 1) // 2
    return f"mate {moves if score > 0 else -moves}"


def main() -> None:
    engine = Engine()
    with open(sys.argv[1] if sys.argv[1:] else os.devnull, "a") as notes:
        for line in sys.stdin:
            print(line, end="", file=notes, flush=True)
            for answer in engine.told(line):
                print(answer, flush=True)


if __name__ == "__main__":
    main()

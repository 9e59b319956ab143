"""The games that come with arena. Each is a module, or a folder if it has variants and evaluations."""

from __future__ import annotations

from arena import Register, hookimpl


@hookimpl
def register_games(register: Register) -> None:
    register("tic-tac-toe", "arena_games.tic_tac_toe:TicTacToe")
    register("connect-four", "arena_games.connect_four:ConnectFour")
    register("checkers", "arena_games.checkers.game_8x8:Checkers")
    register("checkers-4x4", "arena_games.checkers.game_4x4:Checkers4x4")


@hookimpl
def register_solvers(register: Register) -> None:
    register("connect-four", "arena_games.connect_four_solver:ConnectFourSolver")


@hookimpl
def register_endings(register: Register) -> None:
    register("checkers", "arena_games.checkers.endings:CheckersEndings")


@hookimpl
def register_evaluations(register: Register) -> None:
    register("piece-and-board", "arena_games.checkers.piece_and_board:PieceAndBoard")
    register("material", "arena_games.checkers.material:Material")

"""Measure another program in a process of its own, and print units of work per second of CPU time.

python benchmarks/peers.py TASK SECONDS ARGUMENTS…      for at least so many seconds, if it can be repeated
python benchmarks/peers.py spiel_values 0 ARGUMENTS…    what OpenSpiel's value iteration finds, as JSON
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from time import process_time
from types import ModuleType
from typing import Any

SPIEL = {"tic-tac-toe": "tic_tac_toe", "connect-four": "connect_four", "checkers": "checkers"}
EASY = {"tic-tac-toe": "TicTacToe", "connect-four": "ConnectFour"}


def rate(work: Callable[[], Any], seconds: float) -> float:
    """Return how often work is done per second, after doing it once, which counts only if it takes long."""
    start = process_time()
    work()
    first = process_time() - start
    if first > seconds:
        return 1 / first
    done = 0
    start = process_time()
    while process_time() - start < seconds:
        work()
        done += 1
    return done / (process_time() - start)


# --- OpenSpiel ------------------------------------------------------------------------------------------


def spiel_bots(game: str) -> Callable[[], Any]:
    """Return a function that plays a match of OpenSpiel's random bots, in C++ from a state made in Python."""
    import pyspiel

    rules = pyspiel.load_game(SPIEL[game])
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in (0, 1)]
    return lambda: pyspiel.evaluate_bots(rules.new_initial_state(), bots, 1)


def spiel_loop(game: str) -> Callable[[], Any]:
    """Return a function that plays a random match of OpenSpiel by a loop in Python."""
    import pyspiel

    rules = pyspiel.load_game(SPIEL[game])

    def match() -> None:
        state = rules.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(random.random() * len(actions))])

    return match


def spiel_search(game: str, depth: str) -> Callable[[], Any]:
    """Return a function that runs OpenSpiel's alpha-beta, in Python; the depth limit counts as a draw."""
    import pyspiel
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    rules = pyspiel.load_game(SPIEL[game])
    return lambda: alpha_beta_search(rules, value_function=lambda state: 0, maximum_depth=int(depth))


def spiel_learn(game: str) -> Callable[[], Any]:
    """Return a function that plays a game of OpenSpiel's tabular Q-learners against its random agents.

    The learners play the first and the second seat in turn.
    """
    from itertools import cycle

    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms.random_agent import RandomAgent
    from open_spiel.python.algorithms.tabular_qlearner import QLearner

    environment = rl_environment.Environment(SPIEL[game])
    moves = environment.action_spec()["num_actions"]
    first = [QLearner(0, moves), RandomAgent(1, moves)]
    second = [RandomAgent(0, moves), QLearner(1, moves)]
    pairs = cycle((first, second))

    def episode() -> None:
        agents = next(pairs)
        step = environment.reset()
        while not step.last():
            agent = agents[step.observations["current_player"]]
            step = environment.step([agent.step(step).action])
        for agent in agents:
            agent.step(step)

    return episode


def spiel_iterate(game: str, once: str = "") -> Callable[[], dict[str, float]]:
    """Return a function that runs OpenSpiel's value iteration, in Python, from scratch.

    It returns the values of positions for the first player.

    Args:
        game: The game.
        once: `once` to expand each position only when it is first met, and not every time.
    """
    # it asks for cvxpy, with which it solves games where both move at once, and no others
    sys.modules.setdefault("open_spiel.python.algorithms.lp_solver", ModuleType("lp_solver"))
    import pyspiel
    from open_spiel.python.algorithms.value_iteration import value_iteration

    rules = pyspiel.load_game(SPIEL[game])
    return lambda: value_iteration(rules, depth_limit=-1, threshold=1e-9, cyclic_game=once == "once")


def spiel_values(game: str, once: str = "") -> dict[str, float]:
    """Return the values that OpenSpiel's value iteration finds, by arena's texts of positions.

    These are boards, row by row.
    """
    return {board.replace("\n", "").upper(): worth for board, worth in spiel_iterate(game, once)().items()}


# --- easyAI -----------------------------------------------------------------------------------------------


def easy_random(game: str) -> Callable[[], Any]:
    from importlib import import_module

    import easyAI

    class Random(easyAI.Human_Player):
        def ask_move(self, game: Any) -> Any:
            return random.choice(game.possible_moves())

    rules = getattr(import_module(f"easyAI.games.{EASY[game]}"), EASY[game])
    return lambda: rules([Random(), Random()]).play(verbose=False)


def easy_search(game: str, depth: str) -> Callable[[], Any]:
    """Return a function that runs easyAI's Negamax; the depth limit counts as a draw."""
    from importlib import import_module

    import easyAI

    rules = getattr(import_module(f"easyAI.games.{EASY[game]}"), EASY[game])
    players = [easyAI.AI_Player(easyAI.Negamax(int(depth))) for _ in range(2)]
    return lambda: rules(players).get_move()


# --- BitBully ---------------------------------------------------------------------------------------------


def bitbully(*positions: str) -> float:
    """Return the positions solved exactly per second, each with an empty table.

    Args:
        positions: Positions as text of the columns played.
    """
    from bitbully import BitBully, Board

    solver = BitBully(opening_book=None)
    seconds = 0.0
    for columns in positions:
        board = Board()
        board.play([int(column) - 1 for column in columns])
        solver.reset_transposition_table()  # which takes longer than many a position
        start = process_time()
        solver.mtdf(board)
        seconds += process_time() - start
    return len(positions) / seconds


OF_SPIEL = (spiel_bots, spiel_loop, spiel_search, spiel_learn, spiel_iterate)
TASKS = {task.__name__: task for task in (*OF_SPIEL, easy_random, easy_search)}

if __name__ == "__main__":
    task, seconds, *arguments = sys.argv[1:]
    if task == "bitbully":
        print(bitbully(*arguments))
    elif task == "spiel_values":
        print(json.dumps(spiel_values(*arguments)))
    else:
        print(rate(TASKS[task](*arguments), float(seconds)))

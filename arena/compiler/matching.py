"""Functions with which compiled code that plays whole matches calls agents; never called in plain Python."""

from __future__ import annotations

from typing import Any


def ask(address: int, block: int, state: object, moves: object, rng: object) -> tuple[int, int]:
    """Call an agent's `choose`, and return a status, which is 0 if it raised no exception, and the move.

    Args:
        address: Address of the machine code.
        block: Address of the agent's block.
        state: The position.
        moves: The legal moves.
        rng: Random numbers.
    """
    raise NotImplementedError  # the compiler has its own implementation


def tell(address: int, block: int, seat: int) -> int:
    """Call an agent's `begin`, and return a status, which is 0 if it raised no exception.

    Args:
        address: Address of the machine code.
        block: Address of the agent's block.
        seat: The agent's seat.
    """
    raise NotImplementedError  # the compiler has its own implementation


def put(address: int, word: int) -> int:
    """Store a 64-bit word at an address, and return the word."""
    raise NotImplementedError  # the compiler has its own implementation


def stream(words: object, i: int) -> Any:
    """Return the random number generator whose two words are row `i` of an array."""
    raise NotImplementedError  # the compiler has its own implementation

"""Functions by which compiled code that plays whole matches calls agents; never called in plain Python."""

from __future__ import annotations

from typing import Any


def ask(address: int, block: int, state: object, moves: object, rng: object) -> tuple[int, int]:
    """Call the `choose` of an agent, and return its status, 0 if it raised nothing, and its move.

    Args:
        address: Address of the machine code.
        block: Address of the agent's block.
        state: The position.
        moves: The legal moves.
        rng: Random numbers.
    """
    raise NotImplementedError  # compiled code has its own way


def tell(address: int, block: int, seat: int) -> int:
    """Call the `begin` of an agent at an address with its seat, and return its status."""
    raise NotImplementedError  # compiled code has its own way


def put(address: int, word: int) -> int:
    """Store 64 bits at an address, and return them."""
    raise NotImplementedError  # compiled code has its own way


def stream(words: object, i: int) -> Any:
    """Return the random numbers whose two words are row `i` of an array."""
    raise NotImplementedError  # compiled code has its own way

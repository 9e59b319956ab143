"""What compiled code that plays whole matches calls agents by; in plain Python it is never called."""

from __future__ import annotations

from typing import Any


def ask(address: int, block: int, state: object, moves: object, rng: object) -> tuple[int, int]:
    """Have the machine code at an address choose: its status, 0 if it raised nothing, and its move.

    block: where the agent's block lies.
    """
    raise NotImplementedError  # compiled code has its own way


def tell(address: int, block: int, seat: int) -> int:
    """Have an agent's `begin` at an address know its seat; its status."""
    raise NotImplementedError  # compiled code has its own way


def stream(words: object, i: int) -> Any:
    """The random numbers whose two words are row `i` of an array."""
    raise NotImplementedError  # compiled code has its own way

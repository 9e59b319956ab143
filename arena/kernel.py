"""What kernels are written with: algorithms over any game, in plain Python that also compiles.

A kernel is a function of a module whose parameters are annotated with the names below. Its first
parameter, `G: Rules`, is a game's rules in the fast form. Run as it stands it works on lists and any
game; `arena.compiled` makes its twin for a fast game, with the machine's integers and without checks
of bounds. Kernels may call kernels of their module that stand above them, themselves, the rules,
`arena.bits`, `draw` and `below` of `arena.rng`, and what is here; they do not raise, and make no
lists, dictionaries or texts.
"""

from __future__ import annotations

from typing import Any

Rules = Any  # a game's rules
State = Any  # a position of the game
Int = int  # int64
Float = float  # float64
Ints = Any  # an array of int64, from outside
Floats = Any  # an array of float64, from outside
IntPointer = Any  # where such an array begins: for kernels that call themselves, three times faster
FloatPointer = Any


def pointer(array: Any) -> Any:
    """Where an array begins. In plain Python the array itself."""
    return array


def number(x: int) -> int:
    """`x`, as an int64 also where it is written out: a recursive kernel takes nothing else."""
    return x

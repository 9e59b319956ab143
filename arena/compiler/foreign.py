"""Functions of numpy and numba that compiled code calls by address, so that results are bit-identical.

A ufunc has an inner loop, a function in C, for each combination of types. The loop's arguments are the
addresses of the operands, the numbers of elements, the strides in bytes, and private data.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from arena.compiler import jit

FUNCTIONS = object.__basicsize__ + 16  # offset in PyUFuncObject: after four ints, nin, nout, nargs, identity


def addresses(name: str) -> tuple[int, int] | None:
    """Return the addresses of a function in the table `loops` and of its data; None if it is unknown.

    Args:
        name: A name as for `ufunc_loop`, or the name of a function compiled by numba; see `jit.native`.
    """
    if not name.startswith("numba "):
        return ufunc_loop(name)
    found = jit.address_of(name)
    return (found, 0) if found else None


def ufunc_loop(name: str) -> tuple[int, int] | None:
    """Return the addresses of a ufunc's inner loop and of its data; None if there is no such loop.

    Args:
        name: Name of the ufunc and dtypes of its operands, as in `add float64 float64 float64`.
    """
    ufunc, *dtypes = name.split()
    found: Any = getattr(np, ufunc, None)
    if not isinstance(found, np.ufunc) or not is_laid_out_as_known(found):
        return None
    for i, kinds in enumerate(found.types):
        if [np.dtype(kind).name for kind in kinds.replace("->", "") if kind != "O"] == dtypes:
            functions, data = (word_at(id(found) + FUNCTIONS + 8 * part) for part in range(2))
            loop = word_at(functions + 8 * i)
            return (loop, word_at(data + 8 * i) if data else 0) if loop else None
    return None


def is_laid_out_as_known(ufunc: np.ufunc) -> bool:
    """Return whether the memory of a ufunc has the layout of numpy's C API."""
    numbers = (ctypes.c_int * 3).from_address(id(ufunc) + FUNCTIONS - 16)
    loops = ctypes.c_int.from_address(id(ufunc) + FUNCTIONS + 16).value
    return [*numbers] == [ufunc.nin, ufunc.nout, ufunc.nargs] and loops == len(ufunc.types)


def word_at(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value or 0

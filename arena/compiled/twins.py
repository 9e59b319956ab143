"""Compiled twins of `arena.bits`, `arena.rng` and `arena.kernel`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from arena import bits, kernel, rng

# strict=False: what an overload returns has no annotations, as the overload has for mypy


@intrinsic
def count_ones(context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def count_zeros(context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.int64(types.int64), generate


@overload(bits.popcount, strict=False)
def popcount(x: Any) -> Any:
    return lambda x: count_ones(x)


@overload(bits.lowest, strict=False)
def lowest(x: Any) -> Any:
    return lambda x: count_zeros(x)


@intrinsic
def data(context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), generate


@overload(kernel.pointer, strict=False)
def pointer(array: Any) -> Any:
    if isinstance(array, types.CPointer):
        return lambda array: array
    return lambda array: data(array)


@overload(kernel.number, strict=False)
def number(x: Any) -> Any:
    return lambda x: types.int64(x)


U = np.uint64
GOLDEN = U(rng.GOLDEN)


@overload(rng.mix, strict=False)
def mix(x: Any) -> Any:
    def twin(x):  # type: ignore[no-untyped-def] # numba finds its types
        z = U(x) + GOLDEN
        z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
        return np.int64((z ^ (z >> U(31))) >> U(1))

    return twin


@overload(rng.draw, strict=False)
def draw(stream: Any) -> Any:
    def twin(stream):  # type: ignore[no-untyped-def] # numba finds its types
        stream[1] += 1
        return rng.mix(U(stream[0]) + U(stream[1]) * GOLDEN)  # type: ignore[arg-type] # uint64 here

    return twin


register_jitable(rng.below)

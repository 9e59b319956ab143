"""Compiled twins of `arena.bits`, `arena.rng` and `arena.kernel`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable
from numba.np.numpy_support import carray

from arena import bits, kernel, rng
from arena.compiled.types import CHECKED, RulesType, modules

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


# --- arrays: pointers without bounds, or in checked mode arrays as they are ----------------------------


@intrinsic
def data(context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def address_of_ints(context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.int64)(types.int64), generate


@intrinsic
def address_of_floats(context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(types.int64), generate


@overload(kernel.pointer, strict=False)
def pointer(array: Any) -> Any:
    if CHECKED or isinstance(array, types.CPointer):
        return lambda array: array
    return lambda array: data(array)


@overload(kernel.ints, strict=False)
def ints(arrays: Any, i: Any) -> Any:
    if CHECKED:
        return lambda arrays, i: carray(address_of_ints(arrays[2 * i]), arrays[2 * i + 1])
    return lambda arrays, i: address_of_ints(arrays[2 * i])


@overload(kernel.floats, strict=False)
def floats(arrays: Any, i: Any) -> Any:
    if CHECKED:
        return lambda arrays, i: carray(address_of_floats(arrays[2 * i]), arrays[2 * i + 1])
    return lambda arrays, i: address_of_floats(arrays[2 * i])


# --- positions in arrays ----------------------------------------------------------------------------------


@overload(kernel.hash_state, strict=False)
def hash_state(s: Any) -> Any:
    words = len(s)

    def twin(s):  # type: ignore[no-untyped-def] # numba finds its types
        hashed = 0
        for w in range(words):
            hashed = rng.mix(hashed ^ s[w])
        return hashed

    return twin


@overload(kernel.hash_move, strict=False)
def hash_move(m: Any) -> Any:
    return lambda m: rng.mix(m)


@overload(kernel.put_state, strict=False)
def put_state(states: Any, i: Any, s: Any) -> Any:
    words = len(s)

    def twin(states, i, s):  # type: ignore[no-untyped-def] # numba finds its types
        for w in range(words):
            states[i * words + w] = s[w]

    return twin


@overload(kernel.is_state, strict=False)
def is_state(states: Any, i: Any, s: Any) -> Any:
    words = len(s)

    def twin(states, i, s):  # type: ignore[no-untyped-def] # numba finds its types
        differ = 0
        for w in range(words):
            differ |= states[i * words + w] ^ s[w]
        return differ == 0

    return twin


@intrinsic
def tuple_at(context: Any, states: Any, at: Any, like: Any) -> Any:
    """The position whose first word is number `at` of an array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, at, _ = args
        if isinstance(signature.args[0], types.Array):
            array = context.make_array(signature.args[0])(context, builder, array).data
        where = builder.gep(array, [at])
        words = [
            builder.load(builder.gep(where, [context.get_constant(types.intp, w)])) for w in range(len(like))
        ]
        return context.make_tuple(builder, like, words)

    return like(states, types.int64, like), generate


@overload(kernel.state_at, strict=False)
def state_at(states: Any, i: Any, like: Any) -> Any:
    words = len(like)
    return lambda states, i, like: tuple_at(states, i * words, like)


# --- rules and agents -----------------------------------------------------------------------------------


@overload(kernel.alternating, strict=False)
def alternating(G: Any) -> Any:
    if isinstance(G, RulesType) and vars(modules[G.rules]).get("ALTERNATING", 0):
        return lambda G: True
    return lambda G: False


@overload(kernel.progress, strict=False)
def progress(G: Any, s: Any, m: Any) -> Any:
    if isinstance(G, RulesType) and hasattr(modules[G.rules], "progress"):
        return lambda G, s, m: G.progress(s, m)
    return lambda G, s, m: 0


@overload(kernel.symmetries, strict=False)
def symmetries(G: Any) -> Any:
    images = images_of(G)
    return lambda G: images


@overload(kernel.image, strict=False)
def image(G: Any, s: Any, i: Any) -> Any:
    return (lambda G, s, i: G.image(s, i)) if images_of(G) > 1 else (lambda G, s, i: s)


@overload(kernel.shape_image, strict=False)
def shape_image(G: Any, shape: Any, i: Any) -> Any:
    if hasattr(modules[G.rules], "shape_image"):
        return lambda G, shape, i: G.shape_image(shape, i)
    return lambda G, shape, i: shape


def images_of(G: Any) -> int:
    return max(1, int(vars(modules[G.rules]).get("SYMMETRIES", 1)))


@intrinsic
def call(context: Any, address: Any, G: Any, s: Any, n: Any, work: Any, stream: Any, arrays: Any) -> Any:
    """Machine code at an address, called as numba calls its own; errors pass through."""
    passed = (G, s, n, work, stream, arrays)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention = context.call_conv
        kind = convention.get_function_type(types.int64, passed)
        function = builder.inttoptr(args[0], ir.PointerType(kind))
        status, result = convention.call_function(builder, function, types.int64, passed, args[1:])
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return types.int64(types.int64, *passed), generate


@overload(kernel.ask, strict=False)
def ask(kernel: Any, G: Any, s: Any, n: Any, work: Any, stream: Any, arrays: Any) -> Any:
    return lambda kernel, G, s, n, work, stream, arrays: call(kernel, G, s, n, work, stream, arrays)


register_jitable(kernel.consult)
register_jitable(kernel.tell_begin)


# --- time -----------------------------------------------------------------------------------------------

if sys.platform == "win32":
    c_clock = types.ExternalFunction("clock", types.int32())  # which there is time on the wall, in ms

    @overload(kernel.clock, strict=False)
    def clock() -> Any:
        return lambda: c_clock() * 1_000_000

else:
    MONOTONIC = 6 if sys.platform == "darwin" else 1
    c_clock = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.CPointer(types.int64)))

    @intrinsic
    def two_words(context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return cgutils.alloca_once(builder, ir.IntType(64), size=2)

        return types.CPointer(types.int64)(), generate

    @overload(kernel.clock, strict=False)
    def clock() -> Any:
        def twin():  # type: ignore[no-untyped-def] # numba finds its types
            time: Any = two_words()  # a timespec: seconds and nanoseconds
            c_clock(MONOTONIC, time)
            return time[0] * 1_000_000_000 + time[1]

        return twin


# --- numbers --------------------------------------------------------------------------------------------


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


@overload(kernel.next_below, strict=False)
def next_below(x: Any) -> Any:
    return lambda x: np.nextafter(x, -np.inf)

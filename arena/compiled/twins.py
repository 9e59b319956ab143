"""Compiled twins of `arena.bits`, `arena.rng` and `arena.kernel`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload
from numba.np.numpy_support import carray

from arena import bits, kernel, rng
from arena.compiled.dispatchers import inner
from arena.compiled.types import CHECKED, RulesType, modules

found: dict[Callable[..., Any], Any] = {}  # the twins of functions


def stands_for(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """What this decorates, intrinsic or of any types, is called where compiled code says `function`.

    numba's `overload` would compile a function for it, and anew for each kind of caller.
    """

    def register(twin: Any) -> Any:
        found[function] = inner(twin) if isinstance(twin, FunctionType) else twin
        return found[function]

    return register


# --- bits -------------------------------------------------------------------------------------------------


@stands_for(bits.popcount)
@intrinsic
def popcount(context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@stands_for(bits.lowest)
@intrinsic
def lowest(context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.int64(types.int64), generate


# --- arrays: pointers without bounds, or in checked mode arrays as they are ----------------------------


@stands_for(kernel.pointer)
@intrinsic
def pointer(context: Any, array: Any) -> Any:
    def same(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, args[0])

    def data(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    if CHECKED or isinstance(array, types.CPointer):
        return array(array), same
    return types.CPointer(array.dtype)(array), data


@intrinsic
def address_of_ints(context: Any, address: Any) -> Any:
    return address_of(types.int64)


@intrinsic
def address_of_floats(context: Any, address: Any) -> Any:
    return address_of(types.float64)


def address_of(kind: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(kind)(types.int64), generate


def taken_out(kind: Any) -> Any:
    """What is at a place in a table of addresses and lengths."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table, i = args
        at = builder.gep(table, [builder.shl(i, context.get_constant(types.int64, 1))])
        return builder.inttoptr(builder.load(at), context.get_value_type(signature.return_type))

    return types.CPointer(kind)(types.CPointer(types.int64), types.int64), generate


if CHECKED:

    @stands_for(kernel.ints)
    def ints(arrays, i):  # type: ignore[no-untyped-def] # numba finds its types
        return carray(address_of_ints(arrays[2 * i]), arrays[2 * i + 1])

    @stands_for(kernel.floats)
    def floats(arrays, i):  # type: ignore[no-untyped-def] # numba finds its types
        return carray(address_of_floats(arrays[2 * i]), arrays[2 * i + 1])

else:

    @stands_for(kernel.ints)
    @intrinsic
    def ints(context: Any, arrays: Any, i: Any) -> Any:
        return taken_out(types.int64)

    @stands_for(kernel.floats)
    @intrinsic
    def floats(context: Any, arrays: Any, i: Any) -> Any:
        return taken_out(types.float64)


# --- positions in arrays ----------------------------------------------------------------------------------


@stands_for(kernel.hash_state)
def hash_state(s):  # type: ignore[no-untyped-def] # numba finds its types
    hashed = 0
    for w in range(len(s)):
        hashed = rng.mix(hashed ^ s[w])
    return hashed


@stands_for(kernel.hash_move)
def hash_move(m):  # type: ignore[no-untyped-def] # numba finds its types
    return rng.mix(m)


@stands_for(kernel.put_state)
def put_state(states, i, s):  # type: ignore[no-untyped-def] # numba finds its types
    for w in range(len(s)):
        states[i * len(s) + w] = s[w]


@stands_for(kernel.is_state)
def is_state(states, i, s):  # type: ignore[no-untyped-def] # numba finds its types
    differ = 0
    for w in range(len(s)):
        differ |= states[i * len(s) + w] ^ s[w]
    return differ == 0


@stands_for(kernel.state_at)
@intrinsic
def state_at(context: Any, states: Any, i: Any, like: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, i, _ = args
        if isinstance(signature.args[0], types.Array):
            array = context.make_array(signature.args[0])(context, builder, array).data
        first = builder.mul(i, context.get_constant(types.int64, len(like)))
        where = builder.gep(array, [first])
        words = [
            builder.load(builder.gep(where, [context.get_constant(types.intp, w)])) for w in range(len(like))
        ]
        return context.make_tuple(builder, like, words)

    return like(states, types.int64, like), generate


# --- rules and agents -----------------------------------------------------------------------------------


@stands_for(kernel.alternating)
@intrinsic
def alternating(context: Any, G: Any) -> Any:
    known = isinstance(G, RulesType) and vars(modules[G.rules]).get("ALTERNATING", 0)
    return constant(types.boolean, bool(known), G)


@stands_for(kernel.symmetries)
@intrinsic
def symmetries(context: Any, G: Any) -> Any:
    return constant(types.int64, images_of(G), G)


def constant(kind: Any, value: int, G: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(kind, value)

    return kind(G), generate


def images_of(G: Any) -> int:
    return max(1, int(vars(modules[G.rules]).get("SYMMETRIES", 1)))


# strict=False: what an overload returns has no annotations, as the overload has for mypy
@overload(kernel.progress, strict=False)
def progress(G: Any, s: Any, m: Any) -> Any:
    if isinstance(G, RulesType) and hasattr(modules[G.rules], "progress"):
        return lambda G, s, m: G.progress(s, m)
    return lambda G, s, m: 0


@overload(kernel.image, strict=False)
def image(G: Any, s: Any, i: Any) -> Any:
    return (lambda G, s, i: G.image(s, i)) if images_of(G) > 1 else (lambda G, s, i: s)


@overload(kernel.shape_image, strict=False)
def shape_image(G: Any, shape: Any, i: Any) -> Any:
    if hasattr(modules[G.rules], "shape_image"):
        return lambda G, shape, i: G.shape_image(shape, i)
    return lambda G, shape, i: shape


@stands_for(kernel.ask)
@intrinsic
def ask(context: Any, kernel: Any, G: Any, s: Any, n: Any, work: Any, stream: Any, arrays: Any) -> Any:
    """Machine code at an address, called as numba calls its own; errors pass through."""
    passed = (G, s, types.int64, work, stream, arrays)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention = context.call_conv
        kind = convention.get_function_type(types.int64, passed)
        function = builder.inttoptr(args[0], ir.PointerType(kind))
        status, result = convention.call_function(builder, function, types.int64, passed, args[1:])
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return types.int64(types.int64, *passed), generate


stands_for(kernel.consult)(kernel.consult)
stands_for(kernel.tell_begin)(kernel.tell_begin)


# --- time -----------------------------------------------------------------------------------------------

if sys.platform == "win32":
    c_clock = types.ExternalFunction("clock", types.int32())  # which there is time on the wall, in ms

    @stands_for(kernel.clock)
    def clock():  # type: ignore[no-untyped-def] # numba finds its types
        return c_clock() * 1_000_000

else:
    MONOTONIC = 6 if sys.platform == "darwin" else 1
    c_clock = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.CPointer(types.int64)))

    @intrinsic
    def two_words(context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return cgutils.alloca_once(builder, ir.IntType(64), size=2)

        return types.CPointer(types.int64)(), generate

    @stands_for(kernel.clock)
    def clock():  # type: ignore[no-untyped-def] # numba finds its types
        time: Any = two_words()  # a timespec: seconds and nanoseconds
        c_clock(MONOTONIC, time)
        return time[0] * 1_000_000_000 + time[1]


# --- numbers --------------------------------------------------------------------------------------------


@stands_for(kernel.number)
@intrinsic
def number(context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0]

    return types.int64(types.int64), generate


U = np.uint64
GOLDEN = U(rng.GOLDEN)


@stands_for(rng.mix)
def mix(x):  # type: ignore[no-untyped-def] # numba finds its types
    z = U(x) + GOLDEN
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return np.int64((z ^ (z >> U(31))) >> U(1))


@stands_for(rng.draw)
def draw(stream):  # type: ignore[no-untyped-def] # numba finds its types
    stream[1] += 1
    return rng.mix(U(stream[0]) + U(stream[1]) * GOLDEN)  # type: ignore[arg-type] # uint64 here


stands_for(rng.below)(rng.below)


@stands_for(kernel.next_below)
def next_below(x):  # type: ignore[no-untyped-def] # numba finds its types
    return np.nextafter(x, -np.inf)


# --- made known to numba ------------------------------------------------------------------------------------

cpu_target.typing_context.refresh()  # which takes a while, and else waits for the first kernel
cpu_target.target_context.refresh()
for function, twin in found.items():
    cpu_target.typing_context.insert_global(function, cpu_target.typing_context.resolve_value_type(twin))

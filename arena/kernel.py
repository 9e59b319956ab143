"""What kernels are written with: algorithms over any game, in plain Python that also compiles.

A kernel is a function of a module, all of whose parameters and result are annotated with the names
below; most begin with `G: Rules`, a game's rules in the fast form. Run as it stands it works on lists
and any game; `arena.compiled` makes its twin for a fast game, with the machine's integers and without
checks of bounds. Kernels may call kernels that stand above them or are imported, themselves, the rules,
`arena.bits`, `mix`, `draw` and `below` of `arena.rng`, and what is here; they do not raise, and make no
lists, dictionaries or texts. The module begins with `from __future__ import annotations`.

An agent's kernel is `choose(G, s, n, work, stream, arrays)`, see `arena.FastAgent`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter_ns
from types import FunctionType, ModuleType
from typing import Any

from arena.rng import mix, text_word

Rules = Any  # a game's rules
State = Any  # a position of the game
Int = int  # int64
Float = float  # float64
Ints = Any  # an array of int64, from outside
Floats = Any  # an array of float64, from outside
IntPointer = Any  # where such an array begins: for kernels that call themselves, three times faster
FloatPointer = Any
Arrays = Any  # an agent's arrays, which `ints` and `floats` take out again


def pointer(array: Any) -> Any:
    """Where an array begins. In plain Python the array itself."""
    return array


def number(x: int) -> int:
    """`x`, as an int64 also where it is written out: a recursive kernel takes nothing else."""
    return x


def ints(arrays: Any, i: int) -> Any:
    """Where array `i` of an agent's arrays begins, one of int64."""
    return arrays[i]


def floats(arrays: Any, i: int) -> Any:
    """Where array `i` of an agent's arrays begins, one of float64."""
    return arrays[i]


def variant(module: ModuleType, names: Mapping[str, Any]) -> ModuleType:
    """A module with other constants, or other kernels, in place of its own; itself if nothing changes.

    Its functions are copied with it and see the others; nothing is executed anew.
    """
    own = vars(module)
    other = {name: value for name, value in names.items() if own.get(name, value) != value}
    if not other:
        return module
    copy = ModuleType(module.__name__, module.__doc__)
    space = vars(copy)
    space.update({**own, **other})
    for name, value in own.items():
        if isinstance(value, FunctionType) and value.__globals__ is own and name not in other:
            twin = FunctionType(value.__code__, space, name, value.__defaults__, value.__closure__)
            twin.__annotations__, twin.__kwdefaults__ = value.__annotations__, value.__kwdefaults__
            twin.__module__, twin.__doc__ = value.__module__, value.__doc__
            space[name] = twin
    return copy


def next_below(x: float) -> float:
    """The greatest float less than `x`."""
    return math.nextafter(x, -math.inf)


@dataclass(frozen=True)
class States:
    """Among an agent's arrays: room for so many positions, for the three functions that follow.

    Compiled, a position takes as many ints as it has; in plain Python it is kept as it is.
    given: those that are there to begin with, as int64 [positions, ints] or in a list.
    """

    room: int
    given: Any = ()


@dataclass(frozen=True)
class Other:
    """Among an agent's arrays: another agent in the same game, which the kernel may `consult`.

    Set `lists` to at least its `lists`, if it has a kernel, for it works in the same `work`.
    """

    agent: Any


def consult(arrays: Any, i: int, G: Any, s: Any, n: int, work: Any, stream: Any) -> int:
    """The index of the move that the agent in place `i` chooses of the `n` in `work`; it may be none of them.

    The agent is to have been told with `tell_begin` of the match that it plays.
    """
    other = ints(arrays, i)
    return ask(other[0], G, s, n, work, stream, ints(other, 1))


def tell_begin(arrays: Any, i: int, G: Any, s: Any, seat: int, work: Any, stream: Any) -> int:
    """Tell the agent in place `i` that a match begins, in which it has this seat."""
    other = ints(arrays, i)
    if other[BEGIN] != 0:
        return ask(other[BEGIN], G, s, seat, work, stream, ints(other, 1))
    return 0


BEGIN = 4  # in what stands for another agent: its choose, nothing, its arrays with their number, its begin


def hash_state(s: Any) -> int:
    """A position's hash, 63 bits, the same in every process."""
    if isinstance(s, tuple) and all(isinstance(word, int) for word in s):
        hashed = 0
        for word in s:
            hashed = mix(hashed ^ word)
        return hashed
    return text_word(repr(s))


def hash_move(m: Any) -> int:
    """A move's hash, likewise."""
    return mix(m) if isinstance(m, int) else text_word(repr(m))


def put_state(states: Any, i: int, s: Any) -> None:
    """Keep a position in place `i` of an array of them."""
    states[i] = s


def state_at(states: Any, i: int, like: Any) -> Any:
    """The position that was put in place `i` last; `like` is any position of the game."""
    return states[i]


def is_state(states: Any, i: int, s: Any) -> bool:
    """Whether this position was put in place `i` last."""
    return bool(states[i] == s)


def alternating(G: Any) -> bool:
    """Whether the players always move in turn, as the rules say of themselves: known when compiling."""
    return bool(getattr(G, "ALTERNATING", 0))


def progress(G: Any, s: Any, m: int) -> int:
    """`progress` of the rules, 0 where they have none."""
    return int(G.progress(s, m)) if hasattr(G, "progress") else 0


def symmetries(G: Any) -> int:
    """In how many ways the board maps onto itself, as the rules say; 1 where they say nothing of it."""
    return max(1, getattr(G, "SYMMETRIES", 1))


def image(G: Any, s: Any, i: int) -> Any:
    """`image` of the rules, the position itself where they have none."""
    return G.image(s, i) if symmetries(G) > 1 else s


def shape_image(G: Any, shape: Any, i: int) -> Any:
    """`shape_image` of the rules, the shape itself where they have none."""
    return G.shape_image(shape, i) if hasattr(G, "shape_image") else shape


def clock() -> int:
    """Nanoseconds since some moment, never going back."""
    return perf_counter_ns()


def ask(kernel: Any, G: Any, s: Any, n: int, work: Any, stream: Any, arrays: Any) -> int:
    """What an agent's `choose` says; compiled, `kernel` is the address of its machine code."""
    return int(kernel(G, s, n, work, stream, arrays))

"""Random numbers, and the hashes from which they are computed, identical to those of `arena.rng`."""

from __future__ import annotations

import ast

from arena import rng
from arena.compiler.function.dispatch import expression, int_argument, int_arguments
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.items import item_of, length_of
from arena.compiler.function.lists import copy_of, swap_items
from arena.compiler.function.registry import MANY, lowers, lowers_method
from arena.compiler.types import INT, RNG, UNKNOWN, ListOf, Text, TextOf, Tuple, Value

GOLDEN = rng.GOLDEN - (1 << 64)
FIRST, SECOND = 0xBF58476D1CE4E5B9 - (1 << 64), 0x94D049BB133111EB - (1 << 64)
# initial state of SipHash, xored with the key; the second word is from the 128-bit variant
SIPHASH = 0x736F6D6570736575, 0x646F72616E646F83, 0x6C7967656E657261, 0x7465646279746573


def mixed(em: Emitter, op: str) -> str:
    """Return a word mixed as by `rng.mix`."""
    z = em.let(f"add i64 {op}, {GOLDEN}")
    for shift, factor in ((30, FIRST), (27, SECOND)):
        z = em.let(f"xor i64 {z}, {em.let(f'lshr i64 {z}, {shift}')}")
        z = em.let(f"mul i64 {z}, {factor}")
    z = em.let(f"xor i64 {z}, {em.let(f'lshr i64 {z}, 31')}")
    return em.let(f"lshr i64 {z}, 1")


@lowers(rng.mix, rng.hash_move, args=(1, 1))
def lower_mix(em: Emitter, node: ast.Call) -> Value:
    return Value(INT, (mixed(em, int_arguments(em, node)[0].op),))


@lowers(rng.derive, args=(1, MANY))
def lower_derive(em: Emitter, node: ast.Call) -> Value:
    seed, *words = int_arguments(em, node)
    made = seed.op
    for word in words:
        made = mixed(em, em.let(f"xor i64 {mixed(em, made)}, {word.op}"))
    return Value(INT, (mixed(em, made),))


@lowers(rng.keyed, args=(3, 3))
def lower_keyed(em: Emitter, node: ast.Call) -> Value:
    key0, key1, word = (value.op for value in int_arguments(em, node))
    keys = key0, key1, key0, key1
    v = [em.let(f"xor i64 {key}, {start}") for key, start in zip(keys, SIPHASH, strict=True)]
    for block in (word, str(8 << 56)):  # the word, and a block with its number of bytes
        v[3] = em.let(f"xor i64 {v[3]}, {block}")
        v = siphash_rounds(em, v, 2)
        v[0] = em.let(f"xor i64 {v[0]}, {block}")
    halves = []
    for place, mark in ((2, 0xEE), (1, 0xDD)):
        v[place] = em.let(f"xor i64 {v[place]}, {mark}")
        v = siphash_rounds(em, v, 4)
        a, b = em.let(f"xor i64 {v[0]}, {v[1]}"), em.let(f"xor i64 {v[2]}, {v[3]}")
        halves.append(em.let(f"lshr i64 {em.let(f'xor i64 {a}, {b}')}, 1"))
    return Value(Tuple((INT, INT)), tuple(halves))


def siphash_rounds(em: Emitter, v: list[str], n: int) -> list[str]:
    """Return the state of SipHash after some rounds."""
    v0, v1, v2, v3 = v
    for _ in range(n):
        v0, v2 = em.let(f"add i64 {v0}, {v1}"), em.let(f"add i64 {v2}, {v3}")
        v1 = em.let(f"xor i64 {rotated(em, v1, 13)}, {v0}")
        v3 = em.let(f"xor i64 {rotated(em, v3, 16)}, {v2}")
        v0 = em.let(f"add i64 {rotated(em, v0, 32)}, {v3}")
        v2 = em.let(f"add i64 {v2}, {v1}")
        v3 = em.let(f"xor i64 {rotated(em, v3, 21)}, {v0}")
        v1 = em.let(f"xor i64 {rotated(em, v1, 17)}, {v2}")
        v2 = rotated(em, v2, 32)
    return [v0, v1, v2, v3]


def rotated(em: Emitter, op: str, by: int) -> str:
    """Return a word rotated to the left."""
    high, low = em.let(f"shl i64 {op}, {by}"), em.let(f"lshr i64 {op}, {64 - by}")
    return em.let(f"or i64 {high}, {low}")


@lowers(rng.hash_state, args=(1, 1))
def lower_hash_state(em: Emitter, node: ast.Call) -> Value:
    state = em.as_texts(expression(em, node.args[0]))
    if not isinstance(state.type, Tuple | Text):
        return state if state.type is UNKNOWN else em.fail(node, "hash_state needs a position")
    hashed = "0"
    for word in em.leaves_of(state):
        hashed = mixed(em, em.let(f"xor i64 {hashed}, {em.convert(word, INT, node).op}"))
    return Value(INT, (hashed,))


def draw(em: Emitter, owner: Value) -> str:
    """Return the next 63 random bits."""
    count = em.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 1")
    seed = em.let(f"load i64, ptr {owner.op}, !tbaa !14")
    drawn = em.let(f"load i64, ptr {count}, !tbaa !14")
    number = em.let(f"add i64 {drawn}, 1")
    em.emit(f"store i64 {number}, ptr {count}, !tbaa !14")
    return mixed(em, em.let(f"add i64 {seed}, {em.let(f'mul i64 {number}, {GOLDEN}')}"))


def drawn_below(em: Emitter, owner: Value, n: str) -> str:
    """Return a random int from 0 to `n` - 1."""
    high = em.let(f"lshr i64 {draw(em, owner)}, 32")
    return em.let(f"lshr i64 {em.let(f'mul nuw i64 {high}, {n}')}, 31")


@lowers_method(RNG, "below", args=(1, 1))
def rng_below(em: Emitter, owner: Value, node: ast.Call) -> Value:
    (n,) = int_arguments(em, node)
    if not (n.known and 1 <= n.const <= rng.MOST):
        wrong = em.let(f"icmp uge i64 {em.let(f'sub i64 {n.op}, 1')}, {rng.MOST}")
        em.check(wrong, ValueError, "the upper limit of a random number is not from 1 to 2**31", node)
    return Value(INT, (drawn_below(em, owner, n.op),))


@lowers_method(RNG, "bits", args=(0, 0))
def rng_bits(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return Value(INT, (draw(em, owner),))


@lowers_method(RNG, "random", args=(0, 0))
def rng_random(em: Emitter, owner: Value, node: ast.Call) -> Value:
    high = em.let(f"lshr i64 {draw(em, owner)}, 10")
    return em.let_float(f"fmul double {em.let(f'uitofp i64 {high} to double')}, 0x3CA0000000000000")


@lowers_method(RNG, "choice", args=(1, 1))
def rng_choice(em: Emitter, owner: Value, node: ast.Call) -> Value:
    items = em.materialize(expression(em, node.args[0]))
    if items.type is UNKNOWN:
        return items
    n = length_of(em, items, node)
    if n.known and n.const == 0:
        em.fail(node, "choice from an empty tuple does not compile")
    if em.bounded and not n.known:
        none = em.let(f"icmp eq i64 {n.op}, 0")
        em.check(none, IndexError, "cannot choose from an empty sequence", node)
    return item_of(em, items, [Value(INT, (drawn_below(em, owner, n.op),))], node)


@lowers_method(RNG, "shuffle", args=(1, 1))
def rng_shuffle(em: Emitter, owner: Value, node: ast.Call) -> Value:
    items = expression(em, node.args[0])
    if not isinstance(items.type, ListOf) or isinstance(items.type, TextOf):
        em.fail(node, f"{items.type} cannot be shuffled in compiled code")
    em.unit.writes_moves = True

    def swap(i: Value) -> None:
        swap_items(em, items, i.op, drawn_below(em, owner, em.let(f"add i64 {i.op}, 1")))

    count_loop(em, em.let_int(f"sub i64 {items.ops[1]}, 1"), em.constant(0), swap, -1)
    return em.constant(None)


@lowers_method(RNG, "sample", args=(2, 2))
def rng_sample(em: Emitter, owner: Value, node: ast.Call) -> Value:
    items = expression(em, node.args[0])
    if not isinstance(items.type, ListOf) or isinstance(items.type, TextOf):
        em.fail(node, f"a sample from {items.type} does not compile")
    k = int_argument(em, node.args[1])
    pool = copy_of(em, items)
    beyond = em.let(f"icmp ugt i64 {k.op}, {pool.ops[1]}")
    em.check(beyond, ValueError, "the sample is larger than the list", node)

    def swap(i: Value) -> None:
        left = em.let(f"sub i64 {pool.ops[1]}, {i.op}")
        swap_items(em, pool, i.op, em.let(f"add i64 {i.op}, {drawn_below(em, owner, left)}"))

    count_loop(em, em.constant(0), k, swap)
    return Value(pool.type, (pool.ops[0], k.op), fresh=True)


@lowers_method(RNG, "restart", args=(1, 1))
def rng_restart(em: Emitter, owner: Value, node: ast.Call) -> Value:
    (seed,) = int_arguments(em, node)
    em.emit(f"store i64 {seed.op}, ptr {owner.op}, !tbaa !14")
    count = em.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 1")
    em.emit(f"store i64 0, ptr {count}, !tbaa !14")
    return em.constant(None)

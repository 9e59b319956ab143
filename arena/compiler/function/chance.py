"""Random numbers, and the hashes that they are made of."""

from __future__ import annotations

import ast

from arena import rng
from arena.compiler.function.mathematics import Mathematics
from arena.compiler.types import FLOAT, INT, NONE, UNKNOWN, ListOf, Tuple, Value

GOLDEN = rng.GOLDEN - (1 << 64)
FIRST, SECOND = 0xBF58476D1CE4E5B9 - (1 << 64), 0x94D049BB133111EB - (1 << 64)
# what SipHash begins with, xored with the key; the second one as the variant of 128 bits has it
SIPHASH = 0x736F6D6570736575, 0x646F72616E646F83, 0x6C7967656E657261, 0x7465646279746573


class Chance(Mathematics):
    """What `arena.rng` does, to the bit."""

    # --- hashes -----------------------------------------------------------------------------------------

    def mixed(self, op: str) -> str:
        z = self.let(f"add i64 {op}, {GOLDEN}")
        for shift, factor in ((30, FIRST), (27, SECOND)):
            z = self.let(f"xor i64 {z}, {self.let(f'lshr i64 {z}, {shift}')}")
            z = self.let(f"mul i64 {z}, {factor}")
        z = self.let(f"xor i64 {z}, {self.let(f'lshr i64 {z}, 31')}")
        return self.let(f"lshr i64 {z}, 1")

    def write_mix(self, node: ast.Call) -> Value:
        return Value(INT, (self.mixed(self.whole_args(node, 1)[0].op),))

    write_hash_move = write_mix

    def write_derive(self, node: ast.Call) -> Value:
        seed, *words = self.whole_args(node, len(node.args))
        made = seed.op
        for word in words:
            made = self.mixed(self.let(f"xor i64 {self.mixed(made)}, {word.op}"))
        return Value(INT, (self.mixed(made),))

    def write_keyed(self, node: ast.Call) -> Value:
        key0, key1, word = (value.op for value in self.whole_args(node, 3))
        keys = key0, key1, key0, key1
        v = [self.let(f"xor i64 {key}, {start}") for key, start in zip(keys, SIPHASH, strict=True)]
        for block in (word, str(8 << 56)):  # the word, and how many bytes it has
            v[3] = self.let(f"xor i64 {v[3]}, {block}")
            v = self.siphash_rounds(v, 2)
            v[0] = self.let(f"xor i64 {v[0]}, {block}")
        halves = []
        for place, mark in ((2, 0xEE), (1, 0xDD)):
            v[place] = self.let(f"xor i64 {v[place]}, {mark}")
            v = self.siphash_rounds(v, 4)
            a, b = self.let(f"xor i64 {v[0]}, {v[1]}"), self.let(f"xor i64 {v[2]}, {v[3]}")
            halves.append(self.let(f"lshr i64 {self.let(f'xor i64 {a}, {b}')}, 1"))
        return Value(Tuple((INT, INT)), tuple(halves))

    def siphash_rounds(self, v: list[str], n: int) -> list[str]:
        v0, v1, v2, v3 = v
        for _ in range(n):
            v0, v2 = self.let(f"add i64 {v0}, {v1}"), self.let(f"add i64 {v2}, {v3}")
            v1 = self.let(f"xor i64 {self.rotated(v1, 13)}, {v0}")
            v3 = self.let(f"xor i64 {self.rotated(v3, 16)}, {v2}")
            v0 = self.let(f"add i64 {self.rotated(v0, 32)}, {v3}")
            v2 = self.let(f"add i64 {v2}, {v1}")
            v3 = self.let(f"xor i64 {self.rotated(v3, 21)}, {v0}")
            v1 = self.let(f"xor i64 {self.rotated(v1, 17)}, {v2}")
            v2 = self.rotated(v2, 32)
        return [v0, v1, v2, v3]

    def rotated(self, op: str, by: int) -> str:
        high, low = self.let(f"shl i64 {op}, {by}"), self.let(f"lshr i64 {op}, {64 - by}")
        return self.let(f"or i64 {high}, {low}")

    def write_hash_state(self, node: ast.Call) -> Value:
        state = self.spelled(self.expression(node.args[0]))
        if not isinstance(state.type, Tuple):
            return state if state.type is UNKNOWN else self.fail(node, "hash_state takes a position")
        hashed = "0"
        for word in self.items_of(state):
            hashed = self.mixed(self.let(f"xor i64 {hashed}, {self.convert(word, INT, node).op}"))
        return Value(INT, (hashed,))

    # --- an Rng -----------------------------------------------------------------------------------------

    def draw(self, owner: Value) -> str:
        """The next 63 random bits."""
        count = self.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 1")
        seed = self.let(f"load i64, ptr {owner.op}, !tbaa !14")
        drawn = self.let(f"load i64, ptr {count}, !tbaa !14")
        number = self.let(f"add i64 {drawn}, 1")
        self.emit(f"store i64 {number}, ptr {count}, !tbaa !14")
        return self.mixed(self.let(f"add i64 {seed}, {self.let(f'mul i64 {number}, {GOLDEN}')}"))

    def drawn_below(self, owner: Value, n: str) -> str:
        high = self.let(f"lshr i64 {self.draw(owner)}, 32")
        return self.let(f"lshr i64 {self.let(f'mul nuw i64 {high}, {n}')}, 31")

    def rng_below(self, owner: Value, node: ast.Call) -> Value:
        (n,) = self.whole_args(node, 1)
        if not (n.known and 1 <= n.const <= rng.MOST):
            wrong = self.let(f"icmp uge i64 {self.let(f'sub i64 {n.op}, 1')}, {rng.MOST}")
            self.check(wrong, ValueError, "the number to draw below is not from 1 to 2**31", node)
        return Value(INT, (self.drawn_below(owner, n.op),))

    def rng_bits(self, owner: Value, node: ast.Call) -> Value:
        return Value(INT, (self.draw(owner),))

    def rng_random(self, owner: Value, node: ast.Call) -> Value:
        high = self.let(f"lshr i64 {self.draw(owner)}, 10")
        return Value(
            FLOAT, (self.let(f"fmul double {self.let(f'uitofp i64 {high} to double')}, 0x3CA0000000000000"),)
        )

    def rng_choice(self, owner: Value, node: ast.Call) -> Value:
        items = self.spelled(self.expression(node.args[0]))
        if items.type is UNKNOWN:
            return items
        n = self.length(items, node)
        if n.known and n.const == 0:
            self.fail(node, "choice from an empty tuple does not compile")
        if self.bounded and not n.known:
            none = self.let(f"icmp eq i64 {n.op}, 0")
            self.check(none, IndexError, "cannot choose from an empty sequence", node)
        return self.item(items, [Value(INT, (self.drawn_below(owner, n.op),))], node)

    def rng_shuffle(self, owner: Value, node: ast.Call) -> Value:
        items = self.expression(node.args[0])
        if not isinstance(items.type, ListOf):
            self.fail(node, f"{items.type} cannot be shuffled in compiled code")
        self.unit.writes_moves = True
        kind = items.type.item

        def swap(i: Value) -> None:
            j = self.drawn_below(owner, self.let(f"add i64 {i.op}, 1"))
            one, two = self.load_item(items, i.op), self.load_item(items, j)
            self.store_item(kind, items.ops[0], i.op, two)
            self.store_item(kind, items.ops[0], j, one)

        self.count(Value(INT, (self.let(f"sub i64 {items.ops[1]}, 1"),)), self.constant(0), swap, -1)
        return Value(NONE, (), None)

    def rng_sample(self, owner: Value, node: ast.Call) -> Value:
        items = self.expression(node.args[0])
        if not isinstance(items.type, ListOf):
            self.fail(node, f"a sample of {items.type} cannot be taken in compiled code")
        k = self.whole_number(node.args[1])
        pool = self.copy_of(items, node)
        self.check(
            self.let(f"icmp ugt i64 {k.op}, {pool.ops[1]}"),
            ValueError,
            "the sample is larger than the list",
            node,
        )
        kind = items.type.item

        def swap(i: Value) -> None:
            left = self.let(f"sub i64 {pool.ops[1]}, {i.op}")
            j = self.let(f"add i64 {i.op}, {self.drawn_below(owner, left)}")
            one, two = self.load_item(pool, i.op), self.load_item(pool, j)
            self.store_item(kind, pool.ops[0], i.op, two)
            self.store_item(kind, pool.ops[0], j, one)

        self.count(self.constant(0), k, swap)
        return Value(pool.type, (pool.ops[0], k.op), fresh=True)

    def rng_restart(self, owner: Value, node: ast.Call) -> Value:
        (seed,) = self.whole_args(node, 1)
        self.emit(f"store i64 {seed.op}, ptr {owner.op}, !tbaa !14")
        count = self.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 1")
        self.emit(f"store i64 0, ptr {count}, !tbaa !14")
        return Value(NONE, (), None)

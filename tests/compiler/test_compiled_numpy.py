"""numpy in compiled methods: the same bits as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from arena import Rng
from both_ways import Part, both_cases, claims, compiled, compiles
from language import told

WEIGHTS = np.array([0.5, -1.5, 2.0])
SIZES = *range(40), 127, 128, 129, 1000, 2999, 3000


class Created(Part):
    """Arrays that methods create."""

    @compiled
    def zeros_and_ones(self, a: int):
        n = abs(a)
        one, two = np.zeros(n), np.ones((2, 3), dtype=int)
        flags = np.zeros(3, bool)
        for i in range(n):
            one[i] = i * 0.5
        flags[a % 3] = True
        two[1, a % 3] = a
        return len(one), one.sum(), two.sum(), flags[0], flags[1], two[1][2], np.full(3, a).sum()

    @compiled
    def ranges(self, a: int, b: int):
        x = np.arange(a)
        y = np.arange(a, a + b % 30)
        z = np.arange(b, a, -2)
        return len(x), len(y), len(z), x.sum(), y.sum(), z.sum(), told(y.tolist())

    @compiled
    def from_lists(self, a: int):
        items = [a, 2, 3]
        x = np.array([a, 2.5, True])
        y = np.array(items)
        z = np.array([i * a for i in range(5)], float)
        m = np.array([[1, a], [3, 4]])
        t = np.array((1, 2, 3))
        none = np.array([])
        rows = np.array([(i, i + 0.5) for i in range(4)])
        y[0] += 5
        return x[0], x[2], y[0], items[0], z[4], m[0, 1], m.sum(), t[2], len(none), rows[3, 1], rows.shape

    @compiled
    def copies_and_views(self, a: int):
        x = np.arange(6)
        board = x.reshape(2, 3)
        other = board.copy()
        board[1, 1] = a
        row = board[0]
        row += 1
        flat = board.ravel()
        flat[5] = -a
        again = np.arange(6).reshape(-1, 2)
        return x[4], x[0], x[5], other.sum(), again.shape, board.size, board.ndim, again[2, 1]

    @compiled
    def in_a_loop(self, a: int):
        best = np.zeros(2)
        for i in range(5):
            x = np.array([i * a % 7, i])
            if x[0] > best[0]:
                best = x * 1.0
        return best[0], best[1]

    @compiled
    def names_of_one_array(self, a: int):
        x = np.zeros(3)
        y = x
        y[1] = a
        x = x + 1
        y += 2
        return x[1], y[1], y[0]

    @compiled
    def returned_by_helpers(self, a: int):
        total = 0.0
        for i in range(20):
            vector = self.vector(i, a)
            vector[0] += i
            total += vector.sum()
        x = self.same(self.vector(3, a))
        x[1] = 7
        return total, x[0], x[1], self.either(a)[0], self.recursive(6).sum()

    def vector(self, n, a):
        x = np.zeros(n + 1)
        for i in range(n):
            x[i] = i * a
        return x + 0.5

    def same(self, x):
        return x

    def either(self, a):
        if a > 2:
            return np.ones(2)
        return WEIGHTS * a

    def recursive(self, n):
        if n == 0:
            return np.ones(3)
        return self.recursive(n - 1) * 1.5 + np.arange(3)

    @compiled
    def of_many_bytes(self, a: int):
        x = np.arange(3000) * a
        for _ in range(40):
            x = x + 1
        y = np.zeros(20000)
        y[19999] = a
        return x.sum(), x[2999], y.sum()

    @compiled
    def too_small(self, a: int):
        return len(np.zeros(a))


class Calculated(Part):
    """Operators and functions of arrays."""

    def prepare(self):
        self.x = np.linspace(-2, 2, 37) ** 3
        self.w = np.arange(12.0).reshape(3, 4) / 7 - 0.5
        self.b = np.array([0.1, -0.2, 0.3])
        self.n = np.arange(-5, 6)
        self.small = np.arange(5, dtype=np.int8)

    @compiled
    def operators(self, a: int, b: float):
        x, n = self.x[:11], self.n
        return told(((x + n) * b - n / 3.5 + a * x - -x).tolist()), told((n * a - n + 2**40 * n).tolist())

    @compiled
    def divisions(self, a: int, b: float):
        n = self.n[6:]
        return told((a / n).tolist()), told((n // 3 + n % 3 - a // n).tolist()), told((b / n % 2).tolist())

    @compiled
    def comparisons(self, a: int, b: float):
        n, x = self.n, self.x[:11]
        both = (n > a) & (x <= b) | ~(n != 3)
        return (
            told(both.tolist()),
            both.sum(),
            both.any(),
            both.all(),
            (n == a).sum(),
            told((n >= x).tolist()),
        )

    @compiled
    def changed_in_place(self, a: int, b: float):
        self.x += b
        self.x *= 2
        self.n -= a
        self.x[1:3] -= self.n[:2]
        self.w[1] += self.w[0]
        self.w /= 3
        self.b -= 0.1 * self.b
        part = self.n[2:]
        part *= 2
        return self.x.sum(), self.n.sum()

    @compiled
    def functions(self, b: float):
        x = self.x * b
        total = np.exp(-np.abs(x)) + np.tanh(x) + np.log(np.abs(x) + 1) + np.sqrt(np.square(x))
        return (
            told(total.tolist()),
            np.exp(b / 1e9),
            np.tanh(b),
            np.abs(-b),
            np.abs(self.n).sum(),
            told((-x).tolist()),
        )

    @compiled
    def roundings(self, b: float):
        x = self.x * b
        y = np.floor(x) + np.ceil(x) - np.rint(x) + np.sign(x) + np.sin(x) * np.cos(x)
        return (
            told(y.tolist()),
            told((self.n**2).tolist()),
            told((x**2).tolist()),
            told((self.x * 2.5).astype(int).tolist()),  # for infinity, what numpy gives is arbitrary
        )

    @compiled
    def chosen(self, a: int, b: float):
        x = np.where(self.x > b, self.x, -1)
        y = np.where(self.n > a, 1, 0)
        z = np.maximum(self.x, 0.0) + np.minimum(self.x, b)
        places = np.where(self.n > a)[0]
        return told(x.tolist()), told(y.tolist()), told(z.tolist()), told(places.tolist()), np.maximum(a, 3)

    @compiled
    def a_matrix_and_rows(self, a: int, b: float):
        m = self.w * np.arange(4) + b
        m = m - m[a % 3]
        return told(m.ravel().tolist()), m.max(), m.min(), m.sum(), told((self.w > 0).sum(axis=1).tolist())

    @compiled
    def reductions(self, a: int, b: float):
        x = self.x * b
        m = self.w + b
        return (
            x.sum(), np.sum(x), x.min(), np.max(x), x.argmax(), np.argmin(x), x.mean(), np.mean(m), self.n.max(),
            told(m.sum(axis=0).tolist()), told(m.sum(axis=1).tolist()), told(m.max(axis=0).tolist()),
            told(np.min(m, axis=-1).tolist()), m.argmax(), np.argmax([a, 3, 2]), np.sum([b, 1.5]), self.n.sum(axis=0),
            (self.n > a).argmax(), np.any(self.n > a), np.all(self.n > a),
        )  # fmt: skip

    @compiled
    def of_nothing(self, a: int):
        x = np.zeros(max(0, a))
        return x.sum(), x.max()

    @compiled
    def of_other_lengths(self, a: int):
        x = np.ones(3) + np.ones(max(2, a))
        return x.sum()

    @compiled
    def products(self, a: int, b: float):
        x = np.arange(4) + b
        h = np.tanh(self.w @ x + self.b)
        n = self.n[:4] * a
        return (
            told(h.tolist()), h @ self.b, np.dot(h, self.w)[1], (self.w.copy().reshape(4, 3) @ self.w).sum(),
            n @ n, np.dot(self.w, n)[2], x.dot(n), np.dot([1, a], [2, 3]),
        )  # fmt: skip

    @compiled
    def of_small_types(self, a: int):
        return (self.small.astype(int) * a).sum(), self.small.astype(float).mean()


class Sizes(Part):
    """Rows and matrices of many sizes, since numpy has another order of additions for each."""

    def prepare(self):
        self.x = np.random.default_rng(5).normal(size=9000)
        self.totals = np.zeros(400)

    @compiled
    def sums(self, a: int):
        for n in range(200):
            x = self.x[:n]
            self.totals[n] = x.sum() + np.tanh(x * 0.7).sum()
        self.totals[300] = self.x.sum()
        return self.totals[30]

    @compiled
    def axes(self, a: int):
        at = 0
        for rows in range(1, 18):
            for columns in range(1, 18):
                m = self.x[: rows * columns].reshape(rows, columns)
                down, right = m.sum(axis=0), m.sum(axis=1)
                self.totals[at] = down @ np.arange(columns) + right @ np.arange(rows)
                at += 1
        return self.totals[at - 1]

    @compiled
    def products(self, a: int):
        at = 0
        for rows in range(1, 40, 6):
            for inner in range(1, 90, 11):
                m = self.x[: rows * inner].reshape(rows, inner)
                x = self.x[1000 : 1000 + inner]
                w = self.x[2000 : 2000 + inner * 7].reshape(inner, 7)
                self.totals[at] = (
                    (m @ x).sum() + (x @ w).sum() + (m @ w).sum() + np.dot(x, x) + np.dot(m, x)[0]
                )
                at += 1
        return self.totals[at - 1]


class Sorted(Part):
    """Orders of elements, with many equal ones, zeros of both signs, and NaN."""

    def prepare(self):
        random = np.random.default_rng(3)
        self.x = random.choice([0.5, -0.0, 0.0, np.nan, 7.0, -np.inf, np.inf, 1e-300, -3.0], size=3000)
        self.y = random.normal(size=3000)
        self.n = random.integers(-9, 9, size=3000)
        self.small = random.integers(0, 255, size=3000).astype(np.uint8)
        self.single = random.choice([0.1, 0.5, np.nan], size=3000).astype(np.float32)
        self.orders = np.zeros((3000, 5), int)

    @compiled
    def of_many_sizes(self, a: int):
        for n in SIZES:
            self.note(np.argsort(self.x[:n], kind="stable"), 0)
            self.note(self.y[:n].argsort(kind="stable"), 1)
            self.note(np.argsort(self.n[:n], kind="mergesort"), 2)
            self.note(np.argsort(self.small[:n], kind="stable"), 3)
            self.note(np.argsort(self.single[:n], kind="stable"), 4)
        return self.orders[a, 0]

    def note(self, order, column):
        for i, at in enumerate(order):
            self.orders[i, column] = (self.orders[i, column] * 31 + at) % 1000003

    @compiled
    def of_items(self, items: list[int], a: float):
        order = np.argsort(-np.array([a, 1.5, a * 2, 0.0, 1.5]), kind="stable")
        flags = np.argsort(np.array(items) > 3, kind="stable")
        return told(order.tolist()), told(flags.tolist()), told(np.argsort(items, kind="stable").tolist())

    @compiled
    def read_in_order(self, rng: Rng, a: int):
        total = 0
        for _ in range(20):
            x = np.array([rng.below(5) for _ in range(rng.below(30))])
            order = x.argsort(kind="stable")
            for i in order[: a % 7]:
                total = total * 31 % 1000003 + x[i] + i
        return total

    @compiled
    def of_any_kind(self, a: int):
        return np.argsort(self.n)[a]

    @compiled
    def of_two_dimensions(self, a: int):
        return np.argsort(self.orders, kind="stable")[a, 0]


@pytest.mark.parametrize(
    ("name", "why"),
    [("of_any_kind", 'only with kind="stable"'), ("of_two_dimensions", "only for arrays of one dimension")],
)
def test_other_orders_are_refused(name, why):
    from arena.compiler.errors import CannotCompile

    with pytest.raises(CannotCompile, match=why):
        compiles(Sorted(), name)


def test_a_function_that_numpy_lacks_is_refused(monkeypatch):
    from arena.compiler import foreign
    from arena.compiler.errors import CannotCompile

    monkeypatch.setattr(foreign, "is_laid_out_as_known", lambda ufunc: False)
    with pytest.raises(CannotCompile, match=r"np\.exp of float64"):
        compiles(Unusual(), "exponential")


class Unusual(Part):
    @compiled
    def exponential(self, b: float):
        return np.exp(b)


LONG = ("of_items", "read_in_order", "of_many_sizes")


@pytest.mark.parametrize(("cls", "name"), claims(Created, Calculated, Sizes, Sorted, slow=LONG)[:-2])
def test_numpy(cls, name):
    both_cases(cls, name)

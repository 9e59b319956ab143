"""`try` and `except` in compiled methods: the same as in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from both_ways import Part, both_cases, claims, compiled, compiles


class Odd(ValueError):
    pass


class Caught(Part):
    """Exceptions that are caught, and those that are not."""

    def prepare(self):
        self.values = np.arange(5)
        self.total = 0

    @compiled
    def of_an_index(self, a: int):
        try:
            return self.values[a]
        except IndexError:
            return -1

    @compiled
    def of_several_kinds(self, a: int, b: int):
        found = 0
        for i in range(-2, 5):
            try:
                found += (a // (b - i)) * self.values[i * a % 9]
            except ZeroDivisionError:
                found += 1000
            except (IndexError, ValueError):
                found -= 1
                continue
            else:
                found *= 2
            found += i
        return found

    @compiled
    def of_calls(self, a: int):
        before = 0
        try:
            before = self.fails(a)
            self.total += 1
            before += self.fails(a - 1)
        except Odd:
            before += 10
        except ValueError:
            before += 100
        return before, self.total

    def fails(self, a):
        self.total += 10
        if a == 2:
            raise Odd("two")
        if a > 3:
            raise ValueError("large")
        if a < -3:
            raise KeyError("small")
        return a

    @compiled
    def raised_again(self, a: int):
        try:
            try:
                return self.fails(a)
            except ValueError:
                self.total += 1
                if a > 5:
                    raise
                raise IndexError("another") from None
        except LookupError:
            self.total += 3
        return self.total

    @compiled
    def variables(self, a: int):
        try:
            x = 1
            self.fails(a)
            y = 2
        except Exception:
            if a > 5:
                return y
            x += 1
        return x

    @compiled
    def in_a_loop_that_ends(self, a: int):
        n = 0
        while True:
            try:
                n += 1
                if n > 20:
                    break
                assert n != a
                self.values[n] += 1
            except AssertionError:
                break
            except IndexError:
                pass
        return n, self.values[1]

    @compiled
    def of_comprehensions_and_lists(self, a: int):
        items = [1, 2, 3]
        try:
            items = [10 // (i - a) for i in range(4)]
        except ZeroDivisionError:
            items.pop()
        try:
            where = items.index(a)
        except ValueError:
            where = -1
        try:
            low = min(x for x in items if x > 1)
        except ValueError:
            low = None
        return len(items), where, low is None

    @compiled
    def of_generators(self, a: int):
        total = 0
        try:
            for x in self.numbers(a):
                total += x
        except:  # noqa: E722
            total = -total
        return total

    def numbers(self, a):
        for i in range(6):
            if i == a:
                raise KeyError("it")
            yield i + self.values[0]


@pytest.mark.parametrize(("cls", "name"), claims(Caught))
def test_exceptions(cls, name):
    both_cases(cls, name)


class Deep(Part):
    @compiled
    def beyond_its_room(self, a: int):
        n = 0
        try:
            for i in range(100):
                items = [x for x in range(i)]
                n = len(items)
        except IndexError:
            n = -1
        return n


def test_what_only_compiled_code_raises_is_not_caught():
    thing = Deep()
    compiles(thing, "beyond_its_room")
    with pytest.raises(IndexError, match="a list has room for 64 items"):
        thing.beyond_its_room(0)

"""What a long command says of how far it has got, where its output is not a terminal."""

from __future__ import annotations

import pytest

from arena.show import progress, rate


@pytest.fixture
def tell(monkeypatch, capsys):
    """Tells at some second; gives what is said then."""
    now = [0.0]
    for place in (progress, rate):
        monkeypatch.setattr(place, "monotonic", lambda: now[0])
    say = progress.lines("Counting", "sheep")

    def at(second, *counts):
        now[0] = second
        say(*counts)
        return capsys.readouterr().err

    return at


def test_a_line_comes_every_ten_seconds_and_at_the_end(tell):
    assert tell(0, 0, 1000) == ""
    assert tell(5, 100, 1000) == ""
    assert tell(10, 200, 1000) == "Counting: 200 of 1,000 sheep, 20 sheep/s, 40 s left\n"
    assert tell(19, 300, 1000) == ""
    assert (
        tell(25, 500, 1000, "all white") == "Counting: 500 of 1,000 sheep, 20 sheep/s, all white, 25 s left\n"
    )
    assert tell(26, 1000, 1000) == "Counting: 1,000 of 1,000 sheep, 38 sheep/s\n"
    assert tell(27, 1000, 1000) == ""


def test_what_was_there_before_counts_for_no_speed(tell):
    tell(0, 900, 1000)
    assert tell(10, 910, 1000) == "Counting: 910 of 1,000 sheep, 1 sheep/s, 1 min 30 s left\n"


def test_nothing_is_foretold_from_a_beginning_that_may_have_been_compiling(tell):
    tell(0, 0, 10_000)
    assert tell(30, 3, 10_000) == "Counting: 3 of 10,000 sheep, 0.1 sheep/s\n"
    assert tell(40, 100, 10_000) == "Counting: 100 of 10,000 sheep, 2.5 sheep/s, 1 h 06 min left\n"


def test_what_is_slow_is_foretold_after_a_minute(tell):
    tell(0, 0, 10_000)
    assert tell(61, 61, 10_000).endswith("1 sheep/s, 2 h 45 min left\n")
    assert tell(71, 71, 10_000).endswith("1 sheep/s, 2 h 45 min left\n")


def test_without_speed_there_is_no_time(tell):
    tell(0, 5, 10)
    assert tell(100, 5, 10) == "Counting: 5 of 10 sheep, 0 sheep/s\n"

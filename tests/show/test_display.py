"""What is seen at the end of a terminal while a command is at work."""

from __future__ import annotations

import io
import threading

import pytest

from arena.compiler.activity import Activity, activity, compiling, concerning
from arena.show import display as module
from arena.show import rate
from arena.show.display import Above, Display, Task, cut, size_of


@pytest.fixture
def at(monkeypatch):
    """Sets the time."""
    now = [0.0]
    for place in (module, rate):
        monkeypatch.setattr(place, "monotonic", lambda: now[0])

    def set_time(seconds):
        now[0] = seconds

    return set_time


def told(at, what="Counting"):
    """A task of which 300 of 1,000 were done in ten seconds."""
    at(0)
    task = Task(what, "sheep")
    task.tell(0, 1000)
    at(10)
    task.tell(300, 1000, "all white")
    return task


def test_a_line_says_how_far_it_is_how_fast_and_how_long_it_takes(at):
    line, (start, room) = told(at).line(100)
    assert line[start : start + room].isspace()  # the bar's
    assert line.split() == ["Counting", "300/1,000", "30", "sheep/s", "all", "white", "0:10,", "0:23", "left"]
    assert room == 30


@pytest.mark.parametrize("width", range(30, 121))
def test_a_line_fits_and_what_is_cut_has_a_mark(at, width):
    task = told(at, "alpha-beta:depth=6,ordering=false v minimax:depth=4,ties=first")
    line, (start, room) = task.line(width)
    assert len(line) <= width
    assert "300/1,000" in line
    assert "0:10" in line
    assert line.startswith(task.what) or "…" in line
    assert room == 0 or (room >= 8 and line[start : start + room].isspace())


def test_what_is_compiled_is_told_until_something_is_done(at):
    at(0)
    task = Task("Tournament 1", "matches")
    assert task.line(70, "Compiling chess")[0] == "Compiling chess 0:00"
    task.tell(0, 8)
    at(65)
    assert task.line(70, "Compiling chess")[0] == "Compiling chess 1:05"
    task.tell(4, 8)
    line, _ = task.line(90, "Compiling chess")
    assert line.startswith("Tournament 1 ")
    assert "Compiling chess" in line


def test_the_end_of_a_text_outlasts_its_middle():
    assert cut("Compiling chess, minimax (2 of 5)", 40) == "Compiling chess, minimax (2 of 5)"
    short = cut("Compiling connect-four, alpha-beta:depth=6 (2 of 5)", 40)
    assert (len(short), short[:10], short[-8:]) == (40, "Compiling ", "(2 of 5)")
    assert short.count("…") == 1


class Terminal(io.StringIO):
    """A stream that is one."""

    def isatty(self):
        return True


def test_what_is_printed_stays_whole_above_the_display():
    stream = Terminal()
    above = Above(Display(), stream)
    print("some", "words", end=" ", file=above)
    assert stream.getvalue() == ""
    print("more", file=above)
    assert stream.getvalue() == "some words more\n"
    above.write("? ")
    above.flush()
    assert stream.getvalue() == "some words more\n? "
    assert above.display.asking  # nothing is drawn over that
    print("yes", file=above)
    assert not above.display.asking
    assert above.isatty()


def test_long_lines_printed_above_are_folded(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    print("a line of words " * 6, file=Above(Display(), stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 40


def test_what_is_compiled_is_known_while_it_is():
    assert activity.text == ""
    with concerning("chess, minimax (1 of 2)"), compiling("Minimax.choose"):
        assert activity.text == "Compiling chess, minimax (1 of 2)"
        with concerning(""), compiling("Chess"):
            assert activity.text == "Compiling Chess"
        assert activity.text == "Compiling chess, minimax (1 of 2)"
    assert activity.text == ""


def test_of_several_who_compile_the_last_to_begin_is_told():
    some = Activity()
    some.tell(1, "Compiling a")
    some.tell(2, "Compiling b")
    assert some.text == "Compiling b"
    some.tell(2, "")
    assert some.text == "Compiling a"
    some.tell(1, "")
    assert some.text == ""


def test_a_worker_passes_on_what_it_does():
    heard = []
    some = Activity()
    some.pass_on = heard.append
    with some.during("Compiling a"):
        pass
    assert heard == ["Compiling a", ""]


def test_a_task_that_is_begun_in_a_thread_leaves_nothing_behind(monkeypatch):
    display = Display()
    monkeypatch.setattr("sys.stderr", Terminal())
    before = threading.active_count()
    with display.showing(Task("One")), display.showing(Task("Two")):
        assert [task.what for task in display.tasks] == ["One", "Two"]
    assert display.tasks == []
    assert threading.active_count() == before


def test_the_size_is_that_of_the_terminal_it_is_shown_at(monkeypatch):
    pty = pytest.importorskip("pty", reason="no terminals of this kind here")
    from fcntl import ioctl
    from struct import pack
    from termios import TIOCSWINSZ

    monkeypatch.delenv("COLUMNS", raising=False)
    inner, outer = pty.openpty()
    ioctl(outer, TIOCSWINSZ, pack("HHHH", 17, 63, 0, 0))
    with open(outer, "w") as stream, open(inner, "rb"):
        assert tuple(size_of(stream)) == (63, 17)
    monkeypatch.setenv("COLUMNS", "40")
    assert size_of(io.StringIO()).columns == 40

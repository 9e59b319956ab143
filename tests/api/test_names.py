"""What texts of games and agents begin with; and what is told of one that names nothing, or two things."""

import sys

import pytest

from arena.api.options import misnamed, split_head
from arena.calls.arguments import known_with, parted
from arena.errors import ArenaError
from commands import inside

BOT = """
from arena import Agent


class Bot(Agent):
    '''Plays the first legal move.'''

    def choose(self, state, moves, rng):
        return moves[0]
"""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py", "odd=1.py", "odd,1.py"):
        (tmp_path / name).write_text(BOT)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("minimax:depth=2", ("minimax", ":", "depth=2")),
        ("bots/a.py:x=1,y=2", ("bots/a.py", ":", "x=1,y=2")),
        ("a.py::Bot:x=1", ("a.py::Bot", ":", "x=1")),
        ("a.py,b.py", ("a.py,b.py", "", "")),
        ("a.py::A,b.py::B", ("a.py::A,b.py", ":", ":B")),
        ("a.py=2", ("a.py=2", "", "")),
        ("a.pyx", ("a.pyx", "", "")),
    ],
)
def test_options_come_after_a_colon_and_nothing_else_does(text, parts):
    assert split_head(text) == parts


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a.py,b.py", "'a.py,b.py' names 2 where one is expected; pass each separately, a.py and b.py"),
        ("a.py::Bot, b.py:x=1", "'a.py::Bot, b.py:x=1' names 2 .* separately, a.py::Bot and b.py:x=1"),
        ("random,first,minimax:depth=2", ".* names 3 .*, random, first and minimax:depth=2"),
        ("a.py,", "'a.py,' has a superfluous comma; write 'a.py'"),
        ("a.py=two", "'a.py=two' has 'two' after a file; .* 'a.py:key=value', a short name as 'two=a.py'"),
        ("two=a.py:x=1", "'two=a.py:x=1' has a short name where none is allowed; write 'a.py:x=1'"),
        ("two=random", "'two=random' has a short name where none is allowed; write 'random'"),
        ("=a.py", "'=a.py': '' is not a valid short name; use 1 to 24 letters, .*"),
        (
            f"{'x' * 25}=a.py",
            ".*: 'xxxxxxxxxxxxxxxxxxxxxxxxx' is not a valid short name; use 1 to .*",
        ),
        ("odd=1.py", "'odd=1.py' has one of , = .* in its name, which are reserved for options; rename it"),
        ("odd,1.py", "'odd,1.py' has one of , = .* in its name, which are reserved for options; rename it"),
        (
            "a.pyx",
            "'a.pyx' is not a name with options, such as 'minimax:ties=first', nor a file, such as 'mine.py'",
        ),
        (
            "two=",
            "'two=' is not a name with options, such as 'minimax:ties=first', nor a file, such as 'mine.py'",
        ),
    ],
)
def test_what_names_nothing_or_several_is_told_with_what_to_do(text, told):
    with pytest.raises(ArenaError, match=f"^{told}$"):
        known_with([text]).spec("agent", text)
    assert "\n" not in misnamed(text)


def test_a_program_is_told_how_it_is_entered():
    text = f"{sys.executable} -V"
    assert misnamed(text) == (
        f"{text!r} is not a name; a program is entered as 'engine:command={text}', or by uci:command"
    )


@pytest.mark.parametrize("entry", ["odd=1.py", "a.py=two"])
def test_a_file_that_is_taken_for_a_short_name_is_told(entry):
    with pytest.raises(
        ArenaError, match=r"which are reserved for options; rename it|a short name as 'two=a\.py'"
    ):
        parted([entry])


def test_what_is_a_short_name_remains_one():
    entries = ["two=a.py", "a.py=b.py", "a.py=random", "A=minimax:depth=2", "a.py"]
    assert parted(entries)[1] == ["two", "a.py", "a.py", "A", ""]


@pytest.mark.parametrize(
    ("words", "told", "status"),
    [
        (
            ("--entry", "a.py,b.py"),
            "'a.py,b.py' names 2 where one is expected; pass each separately, a.py and b.py",
            1,
        ),
        (("a.py,b.py",), "a.py,b.py is several files; separate them by spaces: a.py b.py", 2),
    ],
)
def test_a_tournament_says_how_they_are_given(tmp_path, words, told, status):
    done = inside(tmp_path, "tournament", *words, "--rounds", "1", status=status)
    assert done.stderr.partition(" (see ")[0].rstrip() == f"Error: {told}"
    assert not (tmp_path / "arena.db").exists()

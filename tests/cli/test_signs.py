"""Commands on streams whose encoding lacks signs that commands use: −, ±, …, boards, names of entries."""

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout

import click
import pytest

import arena
from arena.cli import main
from arena.cli.commands import cli
from arena.show.grid import Grid
from arena.stream_encoding import use_signs
from page_data import page_text

ENCODINGS = ("latin-1", "cp1252", "cp437", "ascii")
SIGNS = "− – ± … × µ ≤ ≥ ² → ↑ ↓ « » ━ │ ┼ ⠋ ● ♔ é ☃"
NIM = '''
from arena import Game

class Nim(Game):
    """Nim, whose heap is drawn as discs and whose moves are circled numbers."""

    sides = ("älter", "jünger")

    def initial(self):
        return (5, 0)

    def to_move(self, state):
        return state[1]

    def moves(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def value(self, state):
        return -1

    def move_text(self, move):
        return "①②"[move - 1]

    def board_text(self, state):
        return "┌─┐\\n" + "●" * state[0] + "\\n♞ ☃ é\\n"
'''
CALLS = (
    "match random first --matches 2 --seed 1 --executor serial",
    "match random first --game nim.py --exact",
    "tournament --entry žába=random --entry Łoś=first --rounds 1 --executor serial --html {encoding}.html",
    "play random --game nim.py",
    "replay 1 0 --all",
    "replay 1 0 --explain minimax",
    "replay 1 0 --svg match.svg",
    "watch",
    "train q-table:episodes=2 --game nim.py --executor serial",
    "models list",
    "leaderboard",
    "leaderboard tic-tac-toe --csv",
    "leaderboard --markdown",
    "leaderboard --html page.html",
    "tournaments list",
    "tournaments show 1",
    "tournaments show 2 --seats",
    "tournaments show 2 --markdown",
    "tournaments show 2 --faults",
    "tournaments export 1",
    "tournaments export 1 --notation",
    "tournaments metadata",
    "merge other.db arena.db --output {encoding}.db",
    "verify arena.db --executor serial",
    "new agent {encoding}",
    "check first --matches 1",
    "check nim.py --matches 2 --positions 5",
    "debug 1 0 --no-debugger",
    "games nim.py",
    "games",
    "agents",
    "agents minimax",
    "evaluations",
    "formats",
    "plugins",
    "position nim.py",
    "position tic-tac-toe X.O...... --svg start.svg",
    "explain greedy --position XO..X....",
    "explain minimax --game nim.py",
    "openings nim.py --plies 1 --candidates 100 --judge minimax:depth=1",
    "exploit first --game nim.py",
    "solve nim.py --all-moves",
    "perft nim.py 3",
    "none☃",
    "match ☃ random",
)
AS_JSON = (
    "match random first --matches 2 --seed 1 --executor serial",
    "leaderboard",
    "tournaments show 1",
    "tournaments export 1",
    "replay 1 0",
    "games nim.py",
    "position nim.py",
    "explain minimax --game nim.py",
)


def written(encoding, folder, *words, **env):
    """What a command writes to streams of an encoding, and its status; decoded strictly."""
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding, errors=errors, write_through=True)
        for errors in ("strict", "backslashreplace")
    )
    with pytest.MonkeyPatch.context() as patch, chdir(folder), redirect_stdout(out), redirect_stderr(err):
        patch.setattr("sys.stdin", io.StringIO())
        patch.delenv("ARENA_DB", raising=False)
        for name, value in {"ARENA_COMPILED": "0", **env}.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as end:
            main(list(words))
    return out.buffer.getvalue().decode(encoding), err.buffer.getvalue().decode(encoding), end.value.code or 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A database of two tournaments, whose entries and game have names that no old encoding has."""
    folder = tmp_path_factory.mktemp("signs")
    (folder / "nim.py").write_text(NIM, encoding="utf-8")
    quiet = {"rounds": 1, "seed": 1, "progress": False, "executor": "serial"}
    with chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_COMPILED", "0")
        arena.tournament({"žába": "random", "Łoś": "first", "éa": "minimax"}, game="nim.py", **quiet)
        arena.tournament(["random", "first"], db="other.db", **quiet)
        arena.tournament(["random", "first"], **quiet)
    return folder


def helps(command, words=()):
    """The words before --help of a command and of all below it."""
    yield words
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from helps(command.get_command(context, name), (*words, name))


some = pytest.mark.parametrize(
    "encoding", [pytest.param(one, marks=[pytest.mark.slow] * (one != "ascii")) for one in ENCODINGS]
)


@some
def test_every_help_text_is_shown_and_fits_the_terminal(folder, encoding):
    for words in helps(cli):
        out, err, status = written(encoding, folder, *words, "--help", COLUMNS="80")
        assert (err, status) == ("", 0), words
        assert max(map(len, out.splitlines())) <= 80, words


@pytest.mark.slow
@some
def test_every_command_ends_as_where_all_signs_can_be_shown(folder, encoding):
    for call in CALLS:
        call = call.format(encoding=encoding.replace("-", ""))
        _, err, status = written(encoding, folder, *call.split())
        assert "Traceback" not in err, call
        assert status == (2 if call == "none☃" else 1 if call == "match ☃ random" else 0), (call, err)


@pytest.mark.slow
@some
def test_json_means_the_same(folder, encoding):
    for call in AS_JSON:
        words = call.split() + ["--json"] * (words_take_json := "export" not in call)
        lines = [written(one, folder, *words)[0] for one in ("utf-8", encoding)]
        texts = [[text] if words_take_json else text.splitlines() for text in lines]
        whole, escaped = ([json.loads(one) for one in some] for some in texts)
        assert whole == escaped, call


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("latin-1", "- - ± ... × µ <= >= ² -> ^ v « » - | + | x K é \\u2603"),
        ("cp1252", "- – ± … × µ <= >= ² -> ^ v « » - | + | x K é \\u2603"),
        ("cp437", "- - ± ... x µ ≤ ≥ ² -> ^ v « » - │ ┼ | x K é \\u2603"),
        ("ascii", '- - +/- ... x u <= >= ^2 -> ^ v " " - | + | x K \\xe9 \\u2603'),
        ("utf-8", SIGNS),
    ],
)
def test_signs_become_what_the_stream_has(encoding, shown, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding, write_through=True)
    monkeypatch.setattr("sys.stdout", stream)
    use_signs()
    print(SIGNS, end="")
    click.echo(SIGNS, nl=False)
    assert stream.buffer.getvalue().decode(encoding) == 2 * shown


def test_columns_of_a_table_stay_below_each_other(monkeypatch):
    grid = Grid(["entry", "95 %", "plies"], [["a…b", "±5", "7"], ["a", "−1", "12"]])
    same = Grid(["entry", "95 %", "plies"], [["a...b", "+/-5", "7"], ["a", "-1", "12"]])
    expected = same.text()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert grid.text() == expected


@pytest.mark.parametrize("width", [30, 40, 60])
def test_a_table_fits_the_terminal(width, monkeypatch):
    names = [f"an entry whose name is long, {i} of 3" for i in range(3)]
    grid = Grid(
        ["first", "second", "score"], [[one, other, "±5"] for one in names for other in names], left=2
    )
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    table = grid.brief(width).splitlines()
    assert len(table) == 10
    assert max(map(len, table)) <= width
    assert all("..." in line for line in table[1:])


def test_how_a_user_wants_it_is_left_alone(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), "ascii", errors="replace", write_through=True)
    monkeypatch.setattr("sys.stdout", stream)
    use_signs()
    print("−…", end="")
    assert stream.buffer.getvalue() == b"??"


def test_a_result_can_be_printed_by_python(folder, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), "latin-1", write_through=True)
    monkeypatch.setattr("sys.stdout", stream)
    print(arena.leaderboard(db=folder / "arena.db"))
    assert b"1-3" in stream.buffer.getvalue()


def test_files_are_utf_8_whatever_the_stream(folder):
    for words, file in (
        ("leaderboard nim.py --html some.html", "some.html"),
        ("position nim.py --svg some.svg", "some.svg"),
    ):
        written("ascii", folder, *words.split())
        (folder / file).read_text(encoding="utf-8")
    assert "žába" in page_text((folder / "some.html").read_text(encoding="utf-8"))
    assert "älter" in (folder / "some.svg").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp437", pytest.param("ascii", marks=pytest.mark.slow)])
def test_a_match_of_many_ends_in_a_process_of_its_own(folder, encoding):
    command = [
        sys.executable,
        "-m",
        "arena",
        "match",
        "random",
        "first",
        "--matches",
        "10",
        "--executor",
        "serial",
    ]
    env = {**os.environ, "PYTHONIOENCODING": encoding, "ARENA_COMPILED": "0"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    done.stdout.decode(encoding)

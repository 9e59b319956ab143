"""`arena export`: what is written, and what is refused in one line."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import arena
from arena import Agent, ArenaError
from arena.commands.export.call import file_name
from arena.wasm import binary, compiling, module
from arena.wasm.binary import Reader
from arena.wasm.memory import overlapping, without_zeros
from arena.wasm.scripts import classic, script, types
from arena_games.tic_tac_toe import TicTacToe
from commands import arena as command
from commands import arena_compiled
from tiers import slow

NUMBERS = {0: "00", 127: "7f", 128: "8001", 624485: "e58e26"}  # DWARF Debugging Information Format, 7.6
SIGNED = {2: "02", -2: "7e", 127: "ff00", -127: "817f", 128: "8001", -129: "ff7e", -123456: "c0bb78"}


class Plain(Agent):
    """Has a dictionary, which does not compile for a page."""

    def choose(self, state, moves, rng):
        return {0: moves[0]}[0]


class Heavy(Agent):
    """Has numbers to go by, 80 KB of them, and 8 MB of zeros."""

    def prepare(self):
        self.weights, self.empty = np.arange(1, 10_001), np.zeros(1_000_000)

    def choose(self, state, moves, rng):
        return moves[self.weights[len(moves)] % len(moves)]


@pytest.mark.slow
def test_the_command_says_what_it_wrote(tmp_path):
    words = ("export", "alpha-beta:depth=4", "--game", "connect-four", "--wasm", "page", "--json")
    told = json.loads(arena_compiled(tmp_path, *words).stdout)
    assert told["module"] == "page/connect-four.alpha-beta-depth-4.wasm"
    assert told["size"] == (tmp_path / told["module"]).stat().st_size < 16_000
    assert 1_000 < told["code"] < told["size"]
    assert told["values"]
    assert not told["by_clock"]
    assert {"moves", "play", "to_move", "value", "begin", "choose", "evaluate", "piece"} <= {
        *told["functions"]
    }
    assert (tmp_path / "page" / "arena.js").read_text() == script()
    assert (tmp_path / "page" / "arena.classic.js").read_text() == classic()
    assert (tmp_path / "page" / "arena.d.ts").read_text() == types()
    assert sorted(told["files"]) == sorted(f"page/{path.name}" for path in (tmp_path / "page").iterdir())


def test_what_runs_as_plain_python_is_refused_with_the_reason(tmp_path):
    with pytest.raises(
        ArenaError, match=r"^plain is not compiled for tic-tac-toe, .*test_export\.py, line \d"
    ):
        arena.export(Plain, game="tic-tac-toe", wasm=tmp_path / "page")
    assert not (tmp_path / "page").exists()


def test_more_data_than_the_limit_are_refused(tmp_path):
    with pytest.raises(
        ArenaError, match=r"heavy has 0\.1 MB of data, over the limit of 0\.05; raise the limit"
    ):
        arena.export(Heavy, game="tic-tac-toe", wasm=tmp_path, limit=0.05)


def test_zeros_take_memory_and_no_room_in_the_file(tmp_path):
    exported = arena.export(Heavy, game="tic-tac-toe", wasm=tmp_path)
    assert 80_000 < exported.size < 100_000
    assert exported.memory > 8_000_000


def test_more_memory_than_a_page_should_take_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 10 << 20)
    with pytest.raises(
        ArenaError, match="heavy takes 12 MB of memory, and the limit is 10; use smaller tables"
    ):
        arena.export(Heavy, game="tic-tac-toe", wasm=tmp_path)


class Nameless(TicTacToe):
    """Does not know what its cells are called."""

    def cell_text(self, cell):
        raise KeyError(cell)


def test_a_fault_of_the_game_is_told_in_a_line(tmp_path):
    with pytest.raises(ArenaError, match=r"^game nameless failed: KeyError: 0"):
        arena.export("random", game=Nameless, wasm=tmp_path)


@pytest.mark.slow
def test_ten_entries_on_one_page_take_less_than_three_megabytes(tmp_path):
    entries = [(game, entry) for game in ("connect-four", "checkers", "checkers-4x4")
               for entry in ("alpha-beta:depth=6", "minimax:depth=3", "greedy")]  # fmt: skip
    sizes = [arena.export(entry, game=game, wasm=tmp_path).size for game, entry in entries]
    sizes.append(arena.export("psv", game="tic-tac-toe", wasm=tmp_path, progress=False).size)
    assert sum(sizes) * 4 / 3 < 3_000_000, sizes  # in base 64
    assert sum(sizes[:-1]) < 200_000, sizes


def test_an_llvm_without_webassembly_is_told(tmp_path, monkeypatch):
    compiling.target_machine.cache_clear()
    monkeypatch.setattr(compiling, "TRIPLE", "wasm31-unknown-unknown")
    with pytest.raises(ArenaError, match=r"^LLVM cannot generate WebAssembly here: .* with pip$"):
        arena.export("random", game="tic-tac-toe", wasm=tmp_path)


@pytest.mark.slow
def test_a_clock_is_told(tmp_path):
    exported = arena.export("alpha-beta:seconds=0.01", game="tic-tac-toe", wasm=tmp_path)
    assert exported.remarks() == [
        "alpha-beta:seconds=0.01 uses a clock, so it may play differently in a page"
    ]


def test_without_compiling_nothing_is_exported(tmp_path):
    done = command(tmp_path, "export", "random", "--wasm", "page", status=1, ARENA_COMPILED="0")
    assert done.stderr == "Error: only compiled code can be exported; unset ARENA_COMPILED, which is 0\n"


@pytest.mark.slow
def test_a_file_is_run_behind_walls_to_be_exported(tmp_path):
    text = "import arena, contextlib, pathlib\nwith contextlib.suppress(OSError):\n"
    text += f"    pathlib.Path({str(tmp_path / 'ran')!r}).touch()\nclass One(arena.Agent):\n"
    (tmp_path / "one.py").write_text(text + "    def choose(self, state, moves, rng): return moves[0]\n")
    arena_compiled(tmp_path, "export", "one.py", "--wasm", "page")
    assert not (tmp_path / "ran").exists()
    own = (tmp_path / "page" / "tic-tac-toe.one.py.wasm").read_bytes()
    arena_compiled(tmp_path, "export", "first", "--wasm", "page")
    other = (tmp_path / "page" / "tic-tac-toe.first.wasm").read_bytes()
    assert own[:4] == other[:4] == b"\0asm"
    assert abs(len(own) - len(other)) < 500


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "return max(moves, key=str)",
            r"one\.py is not compiled for tic-tac-toe, and a page cannot run plain Python: .*",
        ),
        *slow(("import os; os._exit(3)", r"one\.py is not compiled for .*")),
    ],
)
def test_of_a_file_that_no_page_can_run_it_is_said_why(tmp_path, body, said):
    text = "import arena\nclass One(arena.Agent):\n    def choose(self, state, moves, rng):\n"
    (tmp_path / "one.py").write_text(f"{text}        {body}\n")
    done = arena_compiled(tmp_path, "export", "one.py", "--wasm", "page", status=1)
    assert re.fullmatch(f"Error: {said}\n", done.stderr)


def test_what_a_file_says_of_itself_is_no_module_unless_it_is_one(tmp_path):
    """It has its process say what it likes."""
    text = """
import arena
import arena.matches.agent_process as player
player.b64encode = lambda data: b"<script>"

class One(arena.Agent):
    def choose(self, state, moves, rng):
        return moves[0]
"""
    (tmp_path / "one.py").write_text(text)
    done = arena_compiled(tmp_path, "export", "one.py", "--wasm", "page", status=1)
    assert done.stderr == "Error: one.py cannot be exported: its process sent an invalid module\n"


def test_a_file_whose_agent_cannot_be_made_is_told(tmp_path):
    text = "import arena\nclass One(arena.Agent):\n    def prepare(self): raise ValueError('no weights')\n"
    (tmp_path / "one.py").write_text(text + "    def choose(self, state, moves, rng): return moves[0]\n")
    done = arena_compiled(tmp_path, "export", "one.py", "--wasm", "page", status=1)
    assert done.stderr == "Error: one.py cannot be exported: ValueError: no weights\n"


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path):
    (tmp_path / "page").write_text("")
    with pytest.raises(ArenaError, match=r"^cannot write .*page: "):
        arena.export("random", game="tic-tac-toe", wasm=tmp_path / "page")


def test_names_of_files_are_plain_and_not_too_long():
    assert file_name("psv:learner=(q-backprop:episodes=300)") == "psv-learner-q-backprop-episodes-300"
    assert file_name("../../<b>") == "b"
    assert file_name("…") == "entry"
    one, other = file_name("a" * 100), file_name("a" * 101)
    assert len(one) == len(other) == 80
    assert one != other


@pytest.mark.parametrize(("n", "written"), NUMBERS.items())
def test_numbers_are_written_as_the_standard_has_them(n, written):
    assert binary.number(n).hex() == written
    assert Reader(bytes.fromhex(written)).number() == n
    assert Reader(binary.padded(n)).number() == n


@pytest.mark.parametrize(("n", "written"), SIGNED.items())
def test_numbers_with_a_sign_are_written_as_the_standard_has_them(n, written):
    assert binary.signed(n).hex() == written
    assert Reader(bytes.fromhex(written)).signed() == n


def test_arrays_that_overlap_are_one_piece():
    assert list(overlapping([(100, 8), (20, 10), (30, 5), (25, 10), (104, 2)])) == [(20, 15), (100, 8)]


def test_runs_of_zeros_are_left_out():
    data = np.zeros(1000, np.uint8)
    data[[70, 130, 999]] = 1, 2, 3
    found = list(without_zeros(5000, data, 64))
    assert [(at, len(part)) for at, part in found] == [(5064, 128), (5960, 40)]
    assert found[0][1][6] == 1
    assert found[0][1][66] == 2
    assert found[1][1][39] == 3
    assert not list(without_zeros(0, data[:0], 64))

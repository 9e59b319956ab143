"""Compiled rules and kernels: the same as the plain ones, from a cache that is never stale."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import circle_kernel
import numpy as np
import pytest
from commands import arena_compiled as arena
from hypothesis import given
from hypothesis import strategies as st

from arena.compiled import dispatchers, engine, perft, swift, walk
from arena.game import FastGame
from arena.plugins import registry

GAMES = [registry().spec("game", name).make() for name in registry().offers["game"]]
FAST = [game for game in GAMES if isinstance(game, FastGame)]
TRACE = 600

# A game of one's own in the fast form: take 1, 2 or 3, whoever takes the last wins. %(most)d is edited.
HEAP = '''
import sys
from arena import FastGame, hookimpl

MAX_MOVES = 3

def initial():
    return (12, 0)

def moves(s, buf, k):
    n = 0
    for take in range(1, 4):
        if take <= %(most)s and take <= s[0]:
            buf[k + n] = take
            n += 1
    return n

def play(s, m):
    return (s[0] - m, 1 - s[1])

def to_move(s):
    return s[1]

def value(s):
    return -1

class Heap(FastGame):
    """A heap of twelve."""
    rules = sys.modules[__name__]

@hookimpl
def register_games(register):
    register("heap", "heap:Heap")
'''

COUNT = """
import sys
from arena.compiled import engine, perft
from arena.plugins import registry
game = registry().spec("game", sys.argv[1]).make()
compiled = engine(game)
assert compiled is not None
print(compiled.kernels(perft).perft(game.initial(), 5, compiled.ints(5 * game.max_moves)))
"""


def heap_lines(even, odd=None, heap=12, depth=5):
    """Lines of play, counted on one's fingers. even, odd: the most that may be taken from such a heap."""
    if depth == 0:
        return 1
    most = min(odd if odd and heap % 2 else even, heap)
    return sum(heap_lines(even, odd, heap - take, depth - 1) for take in range(1, most + 1))


@pytest.fixture
def heap(tmp_path):
    """Writes the rules as a plugin, beside an empty cache; gives the environment that uses them."""
    info = tmp_path / "heap-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: heap\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena]\nheap = heap\n")

    def edit(most, more=""):
        (tmp_path / "heap.py").write_text(HEAP % {"most": most} + more)
        return {**os.environ, "PYTHONPATH": str(tmp_path), "ARENA_CACHE": str(tmp_path / "cache")}

    return edit


def count(env, game="heap", **kwargs):
    """Lines of play as a fresh process counts them, and what it says."""
    args = [sys.executable, "-c", COUNT, game]
    done = subprocess.run(args, env=env, capture_output=True, text=True, timeout=120, **kwargs)
    assert done.returncode == 0, done.stderr
    return int(done.stdout), done.stderr


@pytest.mark.parametrize(
    ("name", "depth", "lines"),
    [  # published counts
        ("tic-tac-toe", 9, 127872),
        ("connect-four", 9, 39394572),
        ("checkers", 10, 18391564),
    ],
)
def test_perft(name, depth, lines):
    game = registry().spec("game", name).make()
    compiled = engine(game)
    assert (
        compiled.kernels(perft).perft(game.initial(), depth, compiled.ints(depth * game.max_moves)) == lines
    )


@pytest.mark.slow
def test_counting_many_lines_changes_over_to_compiled_code(tmp_path):
    said = arena(tmp_path, "perft", "checkers", "9").stdout.split()
    # published counts
    counts = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680]
    assert list(map(int, said[1::2])) == counts
    assert list(map(int, said[::2])) == list(range(1, 10))


@pytest.mark.parametrize("game", FAST, ids=str)
@given(seed=st.integers(0, 2**63 - 1))
def test_plain_and_compiled_rules_play_the_same_matches(game, seed):
    kernels = engine(game).kernels(walk)
    room = game.max_moves
    trace, plain = np.zeros(TRACE + room, np.int64), [0] * (TRACE + room)
    plies = kernels.walk(np.array([seed, 0]), np.zeros(room, np.int64), trace[:TRACE])
    bare = plain[:TRACE]
    assert walk.walk(game.rules, [seed, 0], [0] * room, bare) == plies
    assert trace[: 2 * plies].tolist() == bare[: 2 * plies]
    plain[:TRACE] = bare
    assert kernels.outcome(trace, plies) == walk.outcome(game.rules, plain, plies)


@pytest.mark.parametrize("game", FAST, ids=str)
@given(rng=st.randoms(use_true_random=False))
@pytest.mark.always(1)
def test_a_swift_game_answers_as_the_plain_one_does(game, rng):
    quick = swift(registry().spec("game", str(game)).make())
    asked = [name for name in ("value", "evaluate", "features") if hasattr(game.rules, name)]
    state, moves = game.initial(), game.moves(game.initial())
    while moves and rng.random() < 0.98:
        move = rng.choice(moves)
        assert quick.progress(state, move) == game.progress(state, move)
        assert quick.play(state, move) == game.play(state, move)
        state = game.play(state, move)
        moves = game.moves(state)
        assert quick.moves(state) == moves
        for name in asked:
            assert getattr(quick, name)(state) == getattr(game, name)(state)


@pytest.mark.slow
def test_a_variant_of_the_rules_is_compiled_apart():
    stuck = "B:W5,6,9,10:B1"  # black has a man, and no move
    ends = {}
    for name in ("checkers", "checkers:capture_to_win=true"):
        game = registry().spec("game", name).make()
        state = game.read_position(stuck)
        assert engine(game).kernels(perft).perft(state, 1, np.zeros(128, np.int64)) == 0
        ends[name] = engine(game).digest
    assert len(set(ends.values())) == 2


def test_nothing_is_compiled_where_it_is_switched_off(monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "0")
    assert engine(FAST[0]) is None


def test_compiling_is_told_once_and_done_once(heap):
    env = heap(3)
    lines, said = count(env)
    assert lines == heap_lines(3)
    assert said == "Compiling heap, which is done once …\n"
    assert count(env) == (lines, "")


@pytest.mark.slow
def test_edited_rules_are_compiled_anew_and_taken_back_found_again(heap):
    for most, said in ((3, True), (2, True), (3, False)):
        lines, told = count(heap(most))
        assert lines == heap_lines(most)
        assert bool(told) == said


@pytest.mark.slow
def test_a_damaged_cache_is_made_anew(heap, tmp_path):
    env = heap(3)
    lines, _ = count(env)
    files = sorted((tmp_path / "cache").rglob("*.nb[ci]"))
    assert files
    for damage in (
        lambda f: f.write_bytes(f.read_bytes()[:-7]),
        lambda f: f.write_bytes(b""),
        lambda f: f.unlink(),
    ):
        for file in files:
            damage(file)
        assert count(env) == (lines, "Compiling heap, which is done once …\n")
        assert count(env) == (lines, "")


@pytest.mark.parametrize("place", ["/proc/arena", "a file"])
@pytest.mark.slow
def test_where_nothing_can_be_kept_it_is_compiled_each_time(heap, tmp_path, place):
    if place == "a file":
        (tmp_path / place).write_text("in the way")
        place = str(tmp_path / place)
    env = heap(3) | {"ARENA_CACHE": place}
    lines, said = count(env)
    assert lines == heap_lines(3)
    assert said.startswith(f"Warning: cannot keep compiled code in {place}/compiled: ")
    assert said.count("\n") == 1


@pytest.mark.slow
def test_a_full_disk_costs_time_and_no_more(heap):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    lines, said = count(heap(3), preexec_fn=limit)
    assert lines == heap_lines(3)
    assert said.splitlines()[0] == "Compiling heap, which is done once …"
    assert count(heap(3)) == (lines, "Compiling heap, which is done once …\n")


@pytest.mark.slow
def test_rules_may_choose_among_functions(heap):
    assert count(heap("(to_move if s[0] else value)((0, 3))"))[0] == heap_lines(3)


CIRCLE = """
def plus(n, k):
    if n == 0:
        return k
    return plus(n - 1, k + 1)

def by_one(n, k):
    if n == 0:
        return k
    return by_two(n - 1, k + 1)

def by_two(n, k):
    if n == 0:
        return k
    return by_one(n - 1, k + 2)
"""


@pytest.mark.slow
def test_rules_may_call_themselves_and_each_other_in_a_circle(heap):
    env = heap("by_one(s[0] % 2, plus(by_two(4, 1), 2)) - 7", CIRCLE)  # 2, and 3 from an odd heap
    assert count(env) == (heap_lines(2, 3), "Compiling heap, which is done once …\n")
    assert count(env) == (heap_lines(2, 3), "")


@pytest.mark.parametrize("names", ["lines after_all after twice", "twice after", "after_all", "twice"])
@pytest.mark.slow
def test_kernels_may_call_each_other_in_a_circle(tmp_path, names):
    code = (
        "import circle_kernel\nfrom arena.compiled import engine\nfrom arena.plugins import registry\n"
        "game = registry().spec('game', 'tic-tac-toe').make()\n"
        f"made, names = engine(game), {names.split()}\n"
        "kernels = made.kernels(circle_kernel, *names)\n"
        "more = {'after_all': (9,), 'after': (4,)}  # how many moves, and which\n"
        "work, state = made.ints(100), game.initial()\n"
        "work[:9] = range(9)\n"
        "for name in names:\n"
        "    print(getattr(kernels, name)(state, 6, work, 0, *more.get(name, ())))"
    )
    env = {**os.environ, "PYTHONPATH": os.path.dirname(__file__), "ARENA_CACHE": str(tmp_path)}
    for _ in range(2):  # compiled, and from disk
        said = subprocess.check_output([sys.executable, "-c", code], env=env, text=True)
        # a published count; from the middle, all orders of five more cells but those after a line by ply 5:
        # four lines, filled in two orders, and what is put down in between
        found = {"lines": 54720, "after_all": 54720, "twice": 2 * 54720}
        found["after"] = 8 * 7 * 6 * 5 * 4 - (4 * 2) * (6 * 5) * 4
        assert said.split() == [str(found[name]) for name in names.split()]


@pytest.mark.slow
def test_a_circle_that_is_not_whole_is_an_error_and_no_crash(tmp_path, monkeypatch):
    """As it might be with a numba that goes about it in another way."""
    made = engine(registry().spec("game", "tic-tac-toe").make())
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    monkeypatch.delattr(dispatchers.InnerLibrary, "_get_module_for_linking")
    with pytest.raises(RuntimeError, match="functions that call each other in a circle are not all there"):
        made.kernels(circle_kernel, "lines", "after_all")


@pytest.mark.slow
def test_processes_that_start_at_once_compile_once(heap):
    env = heap(3)
    args = [sys.executable, "-c", COUNT, "heap"]
    started = [subprocess.Popen(args, env=env, stdout=-1, stderr=-1, text=True) for _ in range(3)]
    said = [process.communicate(timeout=120) for process in started]
    assert [int(out) for out, _ in said] == [heap_lines(3)] * 3
    assert sum("Compiling" in err for _, err in said) == 1


@pytest.mark.parametrize(
    ("most", "told"),
    [
        ("vars().get('most', 3)", "heap stays plain Python, and slow: heap.py, line 13: "),
        ("min(3, (s[0] << 63) >> 63)", "compiled, its rules play otherwise than as they stand"),
    ],
)
@pytest.mark.always(1)
def test_rules_that_do_not_compile_stay_plain_with_one_line_why(heap, tmp_path, most, told):
    env = heap(most)
    code = (
        "from arena.compiled import engine\nfrom arena.plugins import registry\n"
        "game = registry().spec('game', 'heap').make()\n"
        "print(engine(game), engine(game), len(game.moves(game.initial())))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["None", "None", "3"]
    assert told in done.stderr.splitlines()[-1]
    assert sum(line.startswith("Warning: ") for line in done.stderr.splitlines()) == 1


@pytest.mark.parametrize("executor", ["processes", "threads"])
@pytest.mark.parametrize(
    ("most", "told"),
    [
        (3, ["Compiling heap"]),
        ("vars().get('most', 3)", ["Compiling heap", "Warning: heap stays plain Python"]),
    ],
)
@pytest.mark.slow
def test_a_command_tells_it_once_however_many_workers_find_out(heap, tmp_path, executor, most, told):
    entries = [word for entry in ("random", "first", "minimax") for word in ("--entry", entry)]
    where = ("--executor", executor, "--workers", "2")
    done = arena(tmp_path, "tournament", "--game", "heap", *entries, "--rounds", "200", *where, **heap(most))
    assert [line.split(",")[0] for line in done.stderr.splitlines() if "heap" in line] == told

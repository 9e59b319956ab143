"""Endings solved backward: against other solvers, and with files and plugins that are wrong."""

from __future__ import annotations

import os
import re
import threading
from collections import Counter, defaultdict
from itertools import combinations
from random import Random

import numpy as np
import pytest

from arena import ArenaError, Endings, Slice, Stopped
from arena.analysis.building import Building
from arena.analysis.endings import Folder
from arena.analysis.graph import graph_of
from arena.analysis.retrograde import Retrograde
from arena.analysis.solution import solve
from arena.analysis.solving import Worth
from arena.analysis.sweeps import Sweeps
from arena.analysis.verifier import Verifier
from arena.compiler import plainly
from arena.compiler.runtime import why_plain
from arena.registry.plugins import registry
from arena.storage.endings import SliceFile, write
from arena_games.checkers.endings import CheckersEndings
from tiers import slow
from wander import Wander, WanderEndings

COUNTS = {1: 120, 2: 6972, 3: 261_224, 4: 7_092_774, 5: 148_688_232, 6: 2_503_611_964}  # by E. Trice, Chinook


def untold(done, all):
    """Nobody looks."""


def checkers(text="checkers"):
    return registry().spec("game", text).make()


def folder_of(pieces, path, text="checkers", cls=CheckersEndings):
    game = checkers(text)
    return Folder(lambda: cls.of(game, pieces), path)


def building(folder, threads=1, memory=1 << 30):
    return Building(folder, threads, memory, threading.Event())


def built(folder, threads=1):
    building(folder, threads).build(untold)
    return folder


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Endings of two pieces."""
    return built(folder_of(2, tmp_path_factory.mktemp("two")))


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Endings of three pieces."""
    return built(folder_of(3, tmp_path_factory.mktemp("three")), threads=2)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.folder.iterdir()}


# --- checkers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", sorted(COUNTS))
def test_there_are_as_many_positions_as_others_count(pieces):
    totals = Counter()
    for slice in CheckersEndings.of(checkers(), pieces).slices():
        totals[len(slice.name.replace("-", "").replace("0", ""))] += slice.size
    assert dict(totals) == {n: COUNTS[n] for n in range(1, pieces + 1)}


@pytest.mark.slow
def test_each_number_has_one_position(three):
    game, rng = checkers(), Random(1)
    endings = three.endings
    for i, slice in enumerate(three.slices):
        numbers = range(slice.size) if slice.size < 2000 else rng.sample(range(slice.size), 500)
        states = [endings.position(i, number) for number in numbers]
        assert len(set(states)) == len(states)
        for number, state in zip(numbers, states, strict=True):
            assert game.read_position(game.position_text(state)) == state
            assert (endings.slice(state), endings.number(state)) == (i, number)


@pytest.mark.slow
def test_one_king_against_one_is_worth_what_a_program_in_c_finds(two):
    about = two.file([slice.name for slice in two.slices].index("K-K")).about
    assert (about.won, about.drawn, about.lost, about.plies) == (230, 654, 108, 11)


def placements(pieces):
    """All positions of checkers with so many pieces or fewer, either side to move."""
    for n in range(1, pieces + 1):
        for cells in combinations(range(32), n):
            for kinds in range(4**n):
                own = other = kings = 0
                stuck = False
                for k, cell in enumerate(cells):
                    kind = kinds >> (2 * k) & 3
                    bit = 1 << cell
                    own, other = (own | bit, other) if kind & 1 else (own, other | bit)
                    kings |= bit if kind & 2 else 0
                    stuck |= not kind & 2 and (cell > 27 if kind & 1 else cell < 4)
                if not stuck:
                    yield own, other, kings


def slowly(game, states):
    """What these positions are worth, by dictionaries of what their moves lead to, a ply after the other."""
    after = {state: [game.play(state, move) for move in game.moves(state)] for state in states}
    ends = {state: game.value(state) for state, those in after.items() if not those}
    worth = {state: Worth(value, 0 if value else None) for state, value in ends.items()}
    before = defaultdict(list)
    for state, those in after.items():
        for one in those:
            before[one].append(state)
    reached, ply = [state for state, one in worth.items() if one.value], 0
    while reached:
        ply += 1
        found = {}
        for state in {state for one in reached for state in before[one]} - set(worth):
            known = [worth.get(one) for one in after[state]]
            if any(one and one.value < 0 for one in known):
                found[state] = Worth(1, ply)
            elif all(one and one.value > 0 for one in known):
                found[state] = Worth(-1, ply)
        worth |= found
        reached = list(found)
    return {state: worth.get(state, Worth(0)) for state in states}


def flipped(own, other, kings):
    """The position with white to move, the colours swapped on the board turned by half."""

    def turned(cells):
        return sum(1 << (31 - n) for n in range(32) if cells >> n & 1)

    return turned(own), turned(other), turned(kings), 1


@pytest.mark.slow
@pytest.mark.parametrize("text", ["checkers", *slow("checkers:capture_to_win=true")])
def test_two_pieces_are_worth_what_a_slow_solver_finds(text, tmp_path):
    game, folder = checkers(text), built(folder_of(2, tmp_path, text))
    states = {(*one, 0) for one in placements(2)}
    states |= {flipped(*one) for one in placements(2)}
    assert len(states) == 2 * (120 + 6972)
    assert {state: folder.worth(state) for state in states} == slowly(game, states)


@pytest.mark.campaign
def test_three_pieces_are_worth_what_a_slow_solver_finds(three):
    game = checkers()
    states = {(*one, 0) for one in placements(3)}
    states |= {flipped(*one) for one in placements(3)}
    worth = slowly(game, states)
    codes = {}
    for i in range(len(three.slices)):
        codes[i] = np.zeros(three.slices[i].size, np.uint8)
        three.file(i).read(codes[i])
    for state, expected in worth.items():
        code = int(codes[three.endings.slice(state)][three.endings.number(state)])
        assert (expected.plies, expected.value) == ((code - 1, 1 - 2 * (code & 1)) if code else (None, 0))


@pytest.mark.slow
def test_four_pieces_are_verified_forward(tmp_path):
    folder = built(folder_of(4, tmp_path), threads=2)
    assert sum(slice.size for slice in folder.slices) == sum(COUNTS[n] for n in range(1, 5))
    building(folder, 2).look(untold)
    building(folder, 2).verify(untold)


# --- any game ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [*range(5), *slow(*range(5, 12))])
def test_a_game_on_a_random_graph_is_worth_what_its_graph_says(seed, tmp_path):
    game = Wander(seed)
    folder = built(Folder(lambda: WanderEndings(game, 1), tmp_path), threads=2)
    building(folder).look(untold)
    building(folder).verify(untold)
    graph = graph_of(game)
    solution = solve(graph)
    for i in range(len(graph)):
        value = int(solution.values[i])
        assert folder.worth(graph.position(i)) == Worth(value, int(solution.plies[i]) if value else None)


class NoUnmoves(WanderEndings):
    unmoves = Endings.unmoves


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 18))
def test_without_unmoves_a_game_is_worth_the_same(seed, tmp_path):
    game = Wander(seed)
    folders = [
        built(Folder(lambda cls=cls: cls(game, 1), tmp_path / cls.__name__), threads=2)
        for cls in (WanderEndings, NoUnmoves)
    ]
    building(folders[1]).look(untold)
    assert contents(folders[0]) == contents(folders[1])


class NoUnmovesOfCheckers(CheckersEndings):
    unmoves = Endings.unmoves


@pytest.mark.slow
def test_without_unmoves_checkers_is_worth_the_same(three, tmp_path):
    folder = built(folder_of(3, tmp_path, cls=NoUnmovesOfCheckers), threads=2)
    assert not folder.takes_back
    assert contents(folder) == contents(three)


@pytest.mark.slow
def test_endings_are_solved_and_verified_compiled(tmp_path):
    game = checkers()
    endings = CheckersEndings.of(game, 2)
    for cls in (Retrograde, Sweeps):
        assert why_plain(cls(endings, np.zeros(8000, np.uint8), np.zeros(9, np.int64))) is None
    folder = folder_of(2, tmp_path)
    assert why_plain(Verifier(endings, folder.codes, folder.starts, folder.slices)) is None


@pytest.mark.slow
def test_plain_python_finds_what_compiled_code_does(two, tmp_path):
    with plainly():
        assert contents(built(folder_of(2, tmp_path))) == contents(two)


def test_threads_find_what_one_does(three, tmp_path):
    assert contents(built(folder_of(3, tmp_path), threads=1)) == contents(three)


def test_threads_wait_where_memory_is_short(two, tmp_path):
    folder = folder_of(2, tmp_path)
    building(folder, threads=3, memory=1).build(untold)
    assert contents(folder) == contents(two)


# --- files ------------------------------------------------------------------------------------------------


def test_a_build_that_is_stopped_goes_on(three, tmp_path):
    folder = folder_of(3, tmp_path)
    work = building(folder)

    def tell(done, all):
        if done > all / 3:
            work.stop.set()

    with pytest.raises(Stopped, match="the same command continues"):
        work.build(tell)
    there = {path.name: path.stat().st_mtime_ns for path in folder.folder.iterdir()}
    assert 0 < len(there) < len(folder.slices)
    again = built(folder_of(3, tmp_path))
    assert contents(again) == contents(three)
    assert there.items() <= {path.name: path.stat().st_mtime_ns for path in folder.folder.iterdir()}.items()


def read_whole(path):
    file = SliceFile(path)
    file.check("checkers", 1, "K-K", 992)
    file.read(np.zeros(file.about.size, np.uint8))


@pytest.mark.slow
def test_a_damaged_file_is_refused_in_one_line(two, tmp_path):
    whole = two.path(3).read_bytes()
    path = tmp_path / "K-K.ending"
    rng = Random(1)
    for i in range(len(whole)):
        damaged = bytearray(whole)
        damaged[i] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(ArenaError, match=r"K-K\.ending.*; remove it, and recreate it") as error:
            read_whole(path)
        assert "\n" not in str(error.value)
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(ArenaError, match=r"K-K\.ending is not an intact file of endings"):
            read_whole(path)


@pytest.mark.parametrize(
    ("rules", "version", "name", "said"),
    [
        ("checkers:capture_to_win=true", 1, "K-K", "has endings of checkers, not of checkers:capture_"),
        ("checkers", 2, "K-K", "is of version 1, not 2"),
        ("checkers", 1, "K-M", "has K-K, not K-M"),
    ],
)
def test_anothers_file_is_refused(two, rules, version, name, said):
    with pytest.raises(ArenaError, match=said):
        SliceFile(two.path(3)).check(rules, version, name, 992)


def test_a_damaged_file_is_not_gone_on_from(two, tmp_path):
    folder = folder_of(2, tmp_path)
    folder.folder.mkdir()
    (folder.folder / "K-K.ending").write_bytes(two.path(3).read_bytes()[:-1])
    with pytest.raises(ArenaError, match=r"K-K.ending is not an intact file of endings: it is truncated; "):
        built(folder)


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "checkers").write_text("")
    with pytest.raises(ArenaError, match="cannot write the endings"):
        built(folder_of(1, tmp_path))
    assert os.listdir(tmp_path) == ["checkers"]


@pytest.mark.slow
def test_a_value_that_does_not_follow_is_found(two, tmp_path):
    folder = folder_of(2, tmp_path)
    folder.folder.mkdir()
    for name, data in contents(two).items():
        (folder.folder / name).write_bytes(data)
    codes = np.zeros(992, np.uint8)
    file = SliceFile(folder.path(3))
    file.read(codes)
    for code in (0, 2, 3, 5, 12):
        wrong = codes.copy()
        wrong[500] = code
        if codes[500] != code:
            write(folder.path(3), file.about, wrong)
            with pytest.raises(ArenaError, match=r"K-K.ending has a wrong value for K-K, number \d+: B:W"):
                building(folder_of(2, tmp_path)).verify(untold)


# --- plugins that break a promise ---------------------------------------------------------------------------


class WrongNumber(CheckersEndings):
    def number(self, state):
        return CheckersEndings.number(self, state) ^ 1


class WrongPosition(CheckersEndings):
    def position(self, slice, number):
        own, other, kings, _ = CheckersEndings.position(self, slice, number)
        return (own, other, kings, 1)


class WrongSlice(CheckersEndings):
    def slice(self, state):
        return min(CheckersEndings.slice(self, state), 6)


class TooFewUnmoves(CheckersEndings):
    def unmoves(self, state):
        for before in CheckersEndings.unmoves(self, state):
            if before[1] & 1:
                yield before


class TooManyUnmoves(CheckersEndings):
    def unmoves(self, state):
        own, other, kings, side = state
        yield (other, own, kings, 1 - side)


class ForgottenLead(CheckersEndings):
    def slices(self):
        return [Slice(slice.name, slice.size) for slice in CheckersEndings.slices(self)]


class LaterLead(CheckersEndings):
    def slices(self):
        return [Slice(slice.name, slice.size, (7,)) for slice in CheckersEndings.slices(self)]


class NameOfAnother(CheckersEndings):
    def slices(self):
        return [Slice("K-0", slice.size, slice.leads) for slice in CheckersEndings.slices(self)]


class NameOfElsewhere(CheckersEndings):
    def slices(self):
        return [Slice(f"../{slice.name}", slice.size, slice.leads) for slice in CheckersEndings.slices(self)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (WrongNumber, "`number` of the result of `position` differs"),
        (WrongSlice, "`slice` assigns it to another slice"),
        (
            TooManyUnmoves,
            "`unmoves` returns a position (from which no move leads there|of another slice)|once for each",
        ),
        (LaterLead, "lead only to earlier slices"),
        *slow(
            (WrongPosition, "`number` of the result of `position` differs|`unmoves`"),
            (TooFewUnmoves, "`unmoves` of a position after a move does not return it once"),
            (ForgottenLead, "a move leads to a slice that is not in its `leads`"),
            (
                NameOfAnother,
                "slice name 'K-0' must consist of letters, digits and hyphens, and be unique",
            ),
            (NameOfElsewhere, "'../K-0' must consist of letters, digits and hyphens"),
        ),
    ],
)
def test_a_plugin_that_is_wrong_is_told_so_in_one_line(cls, said, tmp_path):
    with pytest.raises(ArenaError, match=said) as error:
        building(folder_of(2, tmp_path, cls=cls)).look(untold)
    assert re.match(
        "endings of checkers violate the contract: ", str(error.value).replace("Checkers", "checkers")
    )
    assert "\n" not in str(error.value)

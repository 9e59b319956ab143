"""`arena.endings`, and what goes by it: `arena.solve`, and alpha-beta."""

from __future__ import annotations

import json
import threading
from random import Random

import pytest

import arena
from arena import ArenaError, Rng, Stopped
from arena.analysis.endings import kept
from arena.compiler import plainly, with_compiled_rules
from arena.registry.plugins import registry
from arena_agents.verdicts import WIN
from commands import arena as command
from searching import agent, game_called


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A folder with endings of three pieces, which is the user's."""
    folder = tmp_path_factory.mktemp("endings")
    arena.endings("checkers", pieces=3, to=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_ENDINGS", str(folder))
        yield folder


def drawn_at_random(game, seed, count, pieces):
    """Positions with so many pieces, each with a move."""
    rng, found = Random(seed), []
    while len(found) < count:
        own, other, kings = 0, 0, 0
        for i, cell in enumerate(rng.sample(range(32), pieces)):
            bit = 1 << cell
            own, other = (own | bit, other) if i % 2 == 0 else (own, other | bit)
            kings |= bit if rng.random() < 0.7 or cell < 4 or cell > 27 else 0
        if game.moves(state := (own, other, kings, rng.randrange(2))):
            found.append(state)
    return found


@pytest.mark.slow
def test_what_was_built_is_told(three):
    found = arena.endings("checkers", pieces=2, to=three, check=True)
    assert (found.positions, found.solved, found.checked) == (7092, 0, True)
    assert "checkers: 7,092 positions of up to 2 pieces, each verified" in str(found)
    row = next(row for row in found.rows if row.slice == "K-K")
    assert (row.positions, row.won, row.drawn, row.lost, row.plies) == (992, 230, 654, 108, 11)


@pytest.mark.slow
def test_it_is_stopped(tmp_path):
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped, match="the same command continues"):
        arena.endings("checkers", pieces=3, to=tmp_path, stop=stop)


@pytest.mark.parametrize(
    ("game", "pieces", "said"),
    [
        ("tic-tac-toe", 3, "tic-tac-toe has no endgame database; games that have one: checkers"),
        ("checkers-4x4", 3, "checkers-4x4 has no endgame database; games that have one: checkers"),
        ("checkers", 0, "pieces"),
        ("checkers", 8, "endings of checkers have 1 to 7 pieces, not 8"),
    ],
)
def test_what_has_no_endings_says_so(game, pieces, said, tmp_path):
    with pytest.raises(ArenaError, match=said):
        arena.endings(game, pieces=pieces, to=tmp_path)


@pytest.mark.slow
def test_the_command_goes_on_and_gives_json(tmp_path):
    text = command(
        tmp_path, "endings", "checkers", "--pieces", "1", "--folder", "kept", "--threads", "1"
    ).stdout
    assert text.splitlines()[1].split()[:6] == ["K-0", "64", "32", "0", "32", "1"]
    done = command(tmp_path, "endings", "checkers", "--pieces", "2", "--folder", "kept", "--check", "--json")
    found = json.loads(done.stdout)
    assert (found["positions"], found["solved"], found["checked"]) == (7092, 6972, True)


# --- arena.solve ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_position_is_looked_up(three):
    found = arena.solve("checkers", "W:WK14:BK1,K2", each=True)
    worth = {row["move"]: (row["value"], row["plies"]) for row in found.to_dicts()}
    assert worth == {"14-18": (-1, 30), "14-17": (-1, 30), "14-10": (-1, 14), "14-9": (-1, 14)}
    assert (found.value, found.plies) == (-1, 30)
    assert arena.solve("checkers", "W:WK14:BK1,K2", endings=three).plies == 30


@pytest.mark.slow
def test_the_options_of_draws_do_not_matter(three):
    assert arena.solve("checkers:quiet_plies=0,repetition=0", "W:WK14:BK1,K2").plies == 30


def test_what_is_not_there_says_so(three, tmp_path):
    with pytest.raises(ArenaError, match=r"has no endings of checkers; create them with 'arena.endings'"):
        arena.solve("checkers", "W:WK14:BK1,K2", endings=tmp_path)


def test_a_slice_that_is_not_there_yet_is_named(three, tmp_path):
    for path in (three / "checkers").iterdir():
        if path.name != "K-K.ending":
            (tmp_path / "checkers").mkdir(exist_ok=True)
            (tmp_path / "checkers" / path.name).write_bytes(path.read_bytes())
    with pytest.raises(ArenaError, match=r"the endings of checkers lack .*; continue with 'arena.endings'"):
        arena.solve("checkers", "W:WK8:BK11,K20", endings=tmp_path, each=True)


@pytest.mark.slow
def test_a_search_ends_where_endings_begin(three):
    """Four pieces, with what endings of four say; a draw that can go on is not proved by those of three."""
    position = "W:W30,K31:BK14,K23"
    found = arena.solve("checkers", position, each=True, nodes=200_000, distance=True)
    worth = {row["move"]: (row["value"], row["plies"]) for row in found.to_dicts()}
    assert worth == {"30-26": (-1, 28), "30-25": (-1, 8), "31-27": (-1, 8), "31-26": (None, None)}


# --- alpha-beta -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_alpha_beta_wins_what_it_missed(three):
    """Two kings against one, and such: by itself it does not see the win, with endings it plays it out."""
    game = with_compiled_rules(game_called("checkers"))
    knows, does_not = agent("alpha-beta:depth=3,endings=3", game), agent("alpha-beta:depth=3", game)
    played = 0
    known = kept(game, three, registry())
    for state in drawn_at_random(game, 1, 400, 3):
        worth = known.worth(state)
        if worth.value != 1 or worth.plies < 15:
            continue
        moves = game.moves(state)
        does_not.choose(state, moves, Rng(1))
        assert max(does_not.search.scores[: len(moves)]) < WIN
        for left in range(worth.plies, 0, -1):
            state = game.play(state, knows.choose(state, game.moves(state), Rng(left)))
        assert not game.moves(state)
        played += 1
    assert played > 20


@pytest.mark.slow
def test_the_score_tells_in_how_many_plies(three):
    game = game_called("checkers")
    player = agent("alpha-beta:depth=2,endings=3", game)
    for state in drawn_at_random(game, 2, 100, 3):
        moves = game.moves(state)
        found = arena.solve("checkers", game.position_text(state), each=True)
        for view, (_, worth) in zip(player.explain(state, moves), found.moves, strict=True):
            said = {1: "won", 0: "", -1: "lost"}[worth.value]
            unit = "ply" if worth.plies == 1 else "plies"
            assert view.verdict == (f"{said} in {worth.plies} {unit}" if said else "")


@pytest.mark.slow
def test_plain_python_looks_up_what_compiled_code_does(three):
    game = game_called("checkers")
    fast, plain = (agent("alpha-beta:depth=3,endings=2,nodes=500", game) for _ in range(2))
    for state in drawn_at_random(game, 3, 5, 3):
        moves = game.moves(state)
        fast.choose(state, moves, Rng(1))
        with plainly():
            plain.choose(state, moves, Rng(1))
        assert fast.search.scores[: len(moves)].tolist() == plain.search.scores[: len(moves)].tolist()
        assert fast.search.visited == plain.search.visited


@pytest.mark.slow
def test_what_it_finds_by_way_of_smaller_endings_is_so(three, tmp_path):
    """Wins and losses that it sees among four pieces by endings of three."""
    arena.endings("checkers", pieces=4, to=tmp_path)
    game = with_compiled_rules(game_called("checkers"))
    player, seen = agent("alpha-beta:depth=5,endings=3", game), 0
    for state in drawn_at_random(game, 4, 300, 4):
        moves = game.moves(state)
        found = arena.solve("checkers", game.position_text(state), each=True, endings=tmp_path)
        for view, (_, worth) in zip(player.explain(state, moves), found.moves, strict=True):
            if view.verdict:
                assert view.verdict.startswith("won" if worth.value > 0 else "lost")
                seen += 1
    assert seen > 50


@pytest.mark.slow
def test_endings_that_are_not_there_are_told_before_anything_is_played(three):
    with pytest.raises(ArenaError, match=r'create them: arena\.endings\("checkers", pieces=4'):
        arena.match("alpha-beta:depth=2,endings=4", "random", game="checkers")
    with pytest.raises(ArenaError, match="tic-tac-toe has no endgame database"):
        arena.match("alpha-beta:depth=2,endings=4", "random", game="tic-tac-toe")


def test_two_players_of_a_process_share_what_they_look_up_in(three):
    game = game_called("checkers")
    one, other = (agent(text, game) for text in ("alpha-beta:endings=2", "alpha-beta:depth=2,endings=2"))
    assert one.search.probe.values is not other.search.probe.values
    assert one.search.probe.values.base is other.search.probe.values.base

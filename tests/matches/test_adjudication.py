"""Matches that end where endings begin, whichever way they are played, and what is said of them."""

from __future__ import annotations

import json
import re

import pytest

import arena
from arena import ArenaError
from arena.analysis.endings import kept
from arena.commands.replay.debug.call import debug
from arena.compiler import is_compiled
from arena.matches.block import COMPILED_BLOCK, play_block
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.records import Records
from arena.results.settings import Settings
from arena.results.tally import Summary, Tally
from arena.workers.worker import this_worker
from commands import arena as command
from commands import in_a_new_worker
from records import query, rows

ENTRIES = ["random", "first", "greedy"]


@pytest.fixture(scope="module", autouse=True)
def three(tmp_path_factory):
    """Endings of three pieces, which are the user's."""
    folder = tmp_path_factory.mktemp("endings")
    arena.endings("checkers", pieces=3, to=folder, progress=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_ENDINGS", str(folder))
        yield folder


def plan_of(**settings):
    said = {"game": "checkers", "rounds": 4, "openings": "random:60", "adjudicate": 3, **settings}
    return complete(Settings(entries=ENTRIES, seed=13, **said), registry())[1]


def timeless(records):
    return [record._replace(first_seconds=0, second_seconds=0) for record in records]


def positions(game, record):
    """Of a match, as its moves are read one by one."""
    states = [game.initial()]
    for text in record.moves.split():
        (move,) = [move for move in game.moves(states[-1]) if game.move_text(move) == text]
        states.append(game.play(states[-1], move))
    return states


def pieces(state):
    return (state[0] | state[1]).bit_count()


@pytest.mark.slow
def test_a_match_ends_with_the_first_position_that_is_among_the_endings(three):
    plan = plan_of()
    records = play_block(plan, range(plan.matches), Records).played
    game, ended = plan.game.make(), []
    known = kept(game, three, registry())
    played_out = play_block(plan_of(adjudicate=None), range(plan.matches), Records).played
    for record, whole in zip(records, played_out, strict=True):
        states = positions(game, record)
        assert whole.moves.startswith(record.moves)
        assert all(pieces(state) > 3 for state in states[record.opening : -1])
        if record.reason == "adjudication":
            value = known.worth(states[-1]).value
            assert pieces(states[-1]) <= 3  # a move may capture several
            assert record.result == (-value if game.to_move(states[-1]) else value)
            ended.append(record.result)
        else:
            assert (record.result, record.reason) == (whole.result, whole.reason)
    assert set(ended) == {-1, 0, 1}


@pytest.mark.slow
def test_compiled_plain_and_walled_matches_end_the_same_way(monkeypatch):
    plan = plan_of()
    numbers = range(plan.matches)
    records = play_block(plan, numbers, Records).played
    assert is_compiled(this_worker().kept[COMPILED_BLOCK].matches)
    assert all(this_worker().kept[COMPILED_BLOCK].seats.values())
    assert sum(record.reason == "adjudication" for record in records) > 3
    tally, summary = Tally(), Tally()
    tally.add_summary(Summary.of(records))
    summary.add_summary(play_block(plan, numbers, Summary).played)
    assert tally.counts == summary.counts
    walled = arena.match(
        *ENTRIES[1:], game="checkers", matches=6, openings="random:60", adjudicate=3, seed=5, isolate=True
    )
    here = arena.match(*ENTRIES[1:], game="checkers", matches=6, openings="random:60", adjudicate=3, seed=5)
    assert here.pairings == walled.pairings
    monkeypatch.setenv("ARENA_COMPILED", "0")
    assert timeless(in_a_new_worker(play_block, plan, numbers, Records).played) == timeless(records)


@pytest.mark.slow
def test_a_draw_by_rule_comes_first():
    """A match that is as long as it may be is drawn, be the position won."""
    plan = plan_of()
    records = play_block(plan, range(plan.matches), Records).played
    won = next(record for record in records if record.reason == "adjudication" and record.result)
    shorter = plan_of(max_plies=won.plies)
    again = play_block(shorter, range(won.number, won.number + 1), Records).played[0]
    assert (again.moves, again.result, again.reason) == (won.moves, 0, "max plies")


def tournament(folder, *more, **env):
    entries = [word for entry in ENTRIES for word in ("--entry", entry)]
    asked = ("--game", "checkers", "--rounds", "4", "--seed", "13", "--openings", "random:60")
    return command(folder, "tournament", *asked, *entries, *more, **env)


@pytest.mark.slow
def test_a_tournament_has_the_same_matches_by_any_workers_and_says_how_they_ended(tmp_path, three):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, workers, compiled in ((one, "1", "1"), (two, "2", "0")):
        folder.mkdir()
        text = tournament(folder, "--adjudicate", "--workers", workers, ARENA_COMPILED=compiled).stdout
        assert "Matches with up to 3 pieces left were adjudicated by the endgame database." in text
    assert rows(one / "arena.db") == rows(two / "arena.db")
    sql = "SELECT number, result FROM matches WHERE reason = 'adjudication' ORDER BY number"
    ended = dict(query(one / "arena.db", sql))
    ((settings,),) = query(one / "arena.db", "SELECT settings FROM tournaments")
    assert json.loads(settings)["adjudicate"] == 3
    number = next(number for number, result in ended.items() if result)
    assert "has won by adjudication, after" in command(one, "replay", "1", str(number)).stdout
    drawn = next(number for number, result in ended.items() if not result)
    assert "a draw by adjudication, after" in command(one, "replay", "1", str(drawn)).stdout
    found = debug(1, number, db=one / "arena.db")
    assert (found.record.reason, found.record.result) == ("adjudication", ended[number])


class StopAfter:
    """Is set once it has been asked so many times."""

    def __init__(self, times):
        self.left = times

    def is_set(self):
        self.left -= 1
        return self.left < 0


@pytest.mark.slow
def test_it_goes_on_as_it_was_planned(tmp_path, three):
    tournament(tmp_path, "--adjudicate", "2")
    db = tmp_path / "arena.db"
    whole = rows(db)
    half = tmp_path / "half"
    half.mkdir()
    stop = StopAfter(1)
    arena.tournament(
        ENTRIES, game="checkers", rounds=4, seed=13, openings="random:60", adjudicate=2, db=half / "arena.db",
        workers=1, progress=False, stop=stop,
    )  # fmt: skip
    command(half, "tournament", "--resume")
    assert rows(half / "arena.db") == whole
    table = tournament(half).stdout
    assert "adjudicated" not in table
    pooled = command(half, "leaderboard").stdout
    assert "Some matches with up to 2 pieces left were adjudicated by the endgame database." in pooled
    gone = str(tmp_path / "gone")
    done = command(
        half, "tournament", "--resume", "1", "--add", "minimax:depth=1", status=1, ARENA_ENDINGS=gone
    )
    assert "has no endings K-0 of checkers; create them: arena endings checkers --pieces 2" in done.stderr


def test_exact_results_are_not_adjudicated(tmp_path):
    with pytest.raises(
        ArenaError, match="exact results need each match to be played to its end; leave adjudicate out"
    ):
        arena.tournament(["random", "first"], exact=True, adjudicate=True, db=tmp_path / "arena.db")
    done = command(tmp_path, "match", "random", "first", "--exact", "--adjudicate", status=2)
    assert "--exact plays every match to its end; remove --adjudicate" in done.stderr


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"game": "tic-tac-toe", "adjudicate": True}, "tic-tac-toe has no endgame database"),
        (
            {"adjudicate": 4},
            'no endings KKKK-0 of checkers; create them: arena.endings("checkers", pieces=4)',
        ),
        ({"adjudicate": -1}, "adjudicate is -1, but must be from 1 to 32"),
        ({"adjudicate": 9}, "endings of checkers have 1 to 7 pieces, not 9"),
        (
            {"game": "checkers:capture_to_win=true", "adjudicate": True},
            'create them: arena.endings("checkers:capture_to_win=true", pieces=N)',
        ),
    ],
)
def test_endings_that_are_not_there_are_told_before_anything_is_played(settings, said):
    with pytest.raises(ArenaError, match=re.escape(said)):
        arena.match("random", "first", **{"game": "checkers", "matches": 2, **settings})


@pytest.mark.slow
def test_a_file_says_so_too(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('game = "checkers"\nentries = ["random", "first"]\nrounds = 1\nadjudicate = true\n')
    found = arena.tournament(file=file, db=tmp_path / "arena.db", seed=1, progress=False)
    assert found.settings["adjudicate"] == 3
    file.write_text('game = "checkers"\nentries = ["random", "first"]\nadjudicate = "all"\n')
    with pytest.raises(ArenaError, match="adjudicate takes true or a number of pieces, not 'all'"):
        arena.tournament(file=file, db=tmp_path / "arena.db", progress=False)

"""A player of a season is deleted: what goes, and what stays."""

from __future__ import annotations

import pytest

import arena
from season_term import HEAD, dump, met

HOW = {"progress": False, "executor": "serial"}
TOML = """game = "tic-tac-toe"
baselines = ["random"]
rounds = 2
seed = 5
openings = "random:1"
trust = true
site = "public"
"""


def begin(home, *names):
    """Begin a season of players who take the first, the middle and the last free place."""
    (home / "bots").mkdir(parents=True)
    (home / "season.toml").write_text(TOML)
    for name, place in zip(("anna", "ben", "carl"), ("0", "len(moves) // 2", "-1"), strict=True):
        if name in names:
            bot(home, name, f"moves[{place}]")


def bot(home, name, move):
    (home / "bots" / f"{name}.py").write_text(f"{HEAD}        return {move}\n")


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = tmp_path / "home"
    begin(home, "anna", "ben", "carl")
    monkeypatch.chdir(home)
    arena.season(**HOW)
    return home


def test_the_results_of_others_are_as_if_the_player_had_never_been(home, tmp_path, monkeypatch):
    assert arena.seasons.delete("ben") == 12  # 4 against each of three
    begin(tmp_path / "other", "anna", "carl")
    monkeypatch.chdir(tmp_path / "other")
    arena.season(**HOW)
    one, other = dump(home / "season.db"), dump(tmp_path / "other" / "season.db")

    def shape(rows, *columns):
        return sorted(tuple(row[i] for i in columns) for row in rows)

    results = 1, 2, 5, 6, 8, 9, 10  # number, round, result, reason, plies, opening, moves
    assert shape(one["matches"], *results) == shape(other["matches"], *results)
    assert shape(one["elo"], 1, 3) == shape(other["elo"], 1, 3)
    assert [row[1] for row in one["players"]] == ["random", "anna", "carl"]


@pytest.mark.slow
def test_checks_of_the_database_still_hold(home):
    arena.seasons.delete("ben")
    bot(home, "anna", "moves[-1] if len(moves) < 4 else moves[0]")
    arena.season(**HOW)
    arena.seasons.delete("carl")
    found = arena.verify(home / "season.db", sample=1000, executor="serial", progress=False)
    assert (found.differing, [*found.differences]) == (0, [])
    assert found.sampled == found.matches > 0


@pytest.mark.slow
def test_nothing_of_it_is_left_in_files(home):
    bot(home, "ben", "moves[1000]")
    bot(home, "eve", "moves[1000]")  # the same code, which is told with ben's name
    arena.season(**HOW)
    arena.seasons.delete("ben")
    (home / "bots" / "ben.py").unlink()
    arena.season(**HOW)
    files = [path for path in home.rglob("*") if path.is_file()]
    assert not [path for path in files if b"ben" in path.read_bytes() or "ben" in path.name]


def test_a_tournament_of_the_player_alone_goes_with_it(home):
    bot(home, "ben", "rng.choice(moves)")
    arena.season(**HOW)
    before = dump(home / "season.db")
    assert len(before["tournaments"]) == 2
    arena.seasons.delete("ben")
    after = dump(home / "season.db")
    assert len(after["tournaments"]) == 1
    assert len(after["season_updates"]) == 2
    assert len(met(home / "season.db")) == 6  # three players, from each seat
    assert arena.seasons.status().update == 2


def test_baselines_unknown_players_and_unfinished_updates_stay(home):
    with pytest.raises(arena.ArenaError, match="random is a baseline"):
        arena.seasons.delete("random")
    with pytest.raises(arena.ArenaError, match="dora"):
        arena.seasons.delete("dora")
    assert len(met(home / "season.db")) == 12


@pytest.mark.slow
def test_the_next_update_enters_it_again_if_its_file_is_there(home):
    arena.seasons.delete("ben")
    found = arena.season(**HOW)
    assert (found.played, found.news) == (12, ["New: ben 1"])

"""Short names of entries: what tables call them, and under what they are filed."""

import re

import pytest

import arena
from arena.errors import ArenaError
from arena.results.settings import split_name
from page_data import data_of


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Edge(arena.Agent):
    """The first move there is."""

    def choose(self, state, moves, rng):
        return moves[0]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A=minimax:depth=2", ("A", "minimax:depth=2")),
        ("deep one=minimax", ("deep one", "minimax")),
        ("minimax:depth=2", ("", "minimax:depth=2")),
        ("bots/a=b.py", ("", "bots/a=b.py")),
        ("A=bots/alice.py:depth=2", ("A", "bots/alice.py:depth=2")),
        ("=minimax", ("", "=minimax")),
        ("A=", ("", "A=")),
    ],
)
def test_a_short_name_stands_before_an_entry(text, parts):
    assert split_name(text) == parts


def test_tables_show_them_and_say_whose_they_are():
    found = arena.tournament(
        ["Deep=minimax:depth=5", "random"], game="tic-tac-toe", rounds=2, seed=1, executor="serial"
    )
    text = str(found)
    assert re.search(r"^\S+ +Deep +\d+", text, re.M)
    assert "\nDeep: minimax:depth=5\n" in text
    assert {row.entry: row.name for row in found.leaderboard.rows} == {
        "minimax:depth=5": "Deep",
        "random": "",
    }
    shown = str(arena.tournaments.show(1))
    assert re.search(r"^Deep +random ", shown, re.M)
    (table,) = arena.leaderboard()
    assert table.to_dicts()[0]["name"] == "Deep"
    assert "| Deep |" in arena.leaderboard().markdown()


def test_results_are_those_of_the_same_entries_without_names():
    named = arena.match("A=minimax", "B=random", game="tic-tac-toe", matches=20, seed=3, executor="serial")
    plain = arena.match("minimax", "random", game="tic-tac-toe", matches=20, seed=3, executor="serial")
    assert named.to_dict() == plain.to_dict()
    assert "\nA scores " in str(named)


def test_a_dictionary_names_classes():
    found = arena.tournament(
        {"Mine": Edge, "Other": "random"}, game="tic-tac-toe", rounds=1, seed=1, executor="serial"
    )
    assert {row.shown for row in found.leaderboard.rows} == {"Mine", "Other"}


@pytest.mark.slow
def test_a_file_names_them_by_tables_and_uses_the_names(tmp_path):
    file = tmp_path / "event.toml"
    file.write_text(
        'game = "tic-tac-toe"\nrounds = 1\nseed = 1\nisolate = ["Best"]\n'
        'entries = ["random", {agent = "minimax:ties=first", name = "Best"}]\n'
        '[[published]]\nfirst = "Best"\nsecond = "random"\nwins = 90\ndraws = 10\nlosses = 0\n'
    )
    found = arena.tournament(file=file)
    assert found.settings["isolate"] == ["minimax:ties=first"]
    assert found.settings["published"][0]["first"] == "minimax:ties=first"
    assert found.settings["names"] == {"minimax:ties=first": "Best"}


def test_an_event_that_was_stopped_keeps_them():
    arena.tournament(["A=random", "B=first"], game="tic-tac-toe", rounds=1, seed=1, executor="serial")
    with pytest.raises(ArenaError, match="no unfinished"):
        arena.resume()
    assert "\nA: random\n" in str(arena.resume(1))


@pytest.mark.slow
def test_one_name_of_two_entries_in_two_events_is_not_shown_in_the_table_of_both():
    for entry in ("random", "first"):
        arena.tournament([f"A={entry}", "minimax"], game="tic-tac-toe", rounds=1, seed=1)
    (table,) = arena.leaderboard()
    assert table.names == {}
    assert arena.leaderboard(tournament=2)[0].names == {"first": "A"}


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (["A=random", "A=minimax"], "'A' names both 'random' and 'minimax'; use different names"),
        (["random=minimax", "random"], "'random' names both 'minimax' and 'random'; use different names"),
        (["A=random", "B=random"], "entry 'random' has two names, 'A' and 'B'; leave one out"),
        ({"x/y": "random", "B": "first"}, "'x/y' is not a valid name of an entry; use 1 to 24 letters"),
    ],
)
def test_what_a_name_cannot_be(entries, said):
    with pytest.raises(ArenaError, match=re.escape(said)):
        arena.tournament(entries, game="tic-tac-toe", rounds=1)


def test_what_a_table_of_a_file_lacks(tmp_path):
    file = tmp_path / "event.toml"
    file.write_text('entries = ["random", {agent = "minimax"}]\n')
    with pytest.raises(ArenaError, match=r"'name'.*an entry has 'agent' and 'name'"):
        arena.tournament(file=file)


def test_replay_finds_an_entry_by_its_name():
    arena.tournament(["A=random", "B=minimax"], game="tic-tac-toe", rounds=5, seed=1, executor="serial")
    assert str(arena.replay(1, lost_by="A")) == str(arena.replay(1, lost_by="random"))


def test_a_page_shows_names_and_says_whose_they_are(tmp_path):
    arena.tournament(["A=random", "B=minimax"], game="tic-tac-toe", rounds=2, seed=1, executor="serial")
    arena.leaderboard(html=tmp_path / "page.html", playable=False)
    page = (tmp_path / "page.html").read_text()
    data = data_of(page)
    assert sorted(data[0]["names"]) == ["A", "B"]
    assert "<summary><h2>B</h2></summary>" in page
    assert "<dt>entry</dt><dd>minimax</dd>" in page

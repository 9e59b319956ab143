"""What entries' moves and training took, beside their ratings."""

import sqlite3

import pytest

import arena


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))


def read(sql):
    with sqlite3.connect("arena.db") as db:
        return db.execute(sql).fetchall()


def test_the_time_of_a_move_is_that_of_all_matches_by_their_moves():
    arena.tournament(["random", "minimax"], game="tic-tac-toe", rounds=5, seed=1, executor="serial")
    arena.tournament(["random", "minimax"], game="tic-tac-toe", rounds=5, seed=2, executor="serial")
    (board,) = arena.leaderboard(cost=True)
    for row in board.rows:
        spent = moves = 0
        for first, second, a, b, text in read(
            "SELECT r.first, r.second, first_seconds, second_seconds, m.moves FROM matches m"
            " JOIN results r USING (tournament, number)"
        ):
            words = text.split()
            for name, seconds, its in ((first, a, words[::2]), (second, b, words[1::2])):
                if name == row.entry:
                    spent, moves = spent + seconds, moves + len(its)
        assert row.move_seconds == pytest.approx(spent / moves)
        assert (row.training_seconds, row.episodes) == (None, None)
    assert "µs per move" in str(board)
    assert "episodes" not in str(board)


@pytest.mark.slow
def test_the_training_of_a_learner_within_an_entry_is_recorded_with_the_tournament():
    psv = "psv:learner=(q-backprop:episodes=40)"
    arena.tournament(
        ["q-table:episodes=50", psv, "random"], game="tic-tac-toe", rounds=1, seed=1, executor="serial"
    )
    models = {model.about.agent: model.about for model in arena.models.list()}
    rows = {row.entry: row for row in arena.leaderboard(cost=True)[0].rows}
    for entry, learner, episodes in (
        ("q-table:episodes=50", "q-table:episodes=50", 50),
        (psv, "q-backprop:episodes=40", 40),
    ):
        assert rows[entry].episodes == episodes
        assert rows[entry].training_seconds == models[learner].seconds
        assert (learner, models[learner].key, episodes) in read(
            "SELECT learner, model, episodes FROM training"
        )
    assert rows["random"].training_seconds is None
    arena.models.remove(*arena.models.list())
    assert arena.leaderboard(cost=True)[0].rows == list(rows.values())
    assert arena.tournaments.remove(1)
    assert read("SELECT * FROM training") == []


@pytest.mark.slow
def test_nobody_who_does_not_ask_is_told():
    arena.tournament(
        ["q-table:episodes=50", "random"], game="tic-tac-toe", rounds=1, seed=1, executor="serial"
    )
    (board,) = arena.leaderboard()
    assert {(row.move_seconds, row.training_seconds, row.episodes) for row in board.rows} == {
        (None, None, None)
    }
    assert "per move" not in str(board)


@pytest.mark.slow
def test_what_was_evaluated_has_training_and_no_moves():
    arena.tournament(["q-table:episodes=50", "random"], game="tic-tac-toe", exact=True)
    rows = {row.entry: row for row in arena.leaderboard(cost=True)[0].rows}
    assert rows["q-table:episodes=50"].episodes == 50
    assert rows["q-table:episodes=50"].move_seconds is None

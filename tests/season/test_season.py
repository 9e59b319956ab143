"""Seasons: what is found in a folder, what is played, and what is told."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from click.testing import CliRunner
from filelock import FileLock

import arena
from arena.cli.commands import cli
from arena.commands.season.pairings import as_needed
from arena.texts import at_the_command_line
from season_term import HEAD, StopAfter, dump, matches, met

HOW = {"progress": False, "executor": "serial"}
TOML = """game = "tic-tac-toe"
baselines = ["random"]
rounds = 1
seed = 5
openings = "random:1"
trust = true
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a season's file and two players, `anna` and `ben`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "season.toml").write_text(TOML)
    (tmp_path / "bots").mkdir()
    bot(tmp_path, "anna", "moves[0]")
    bot(tmp_path, "ben", "moves[-1]")
    return tmp_path


def bot(home, name, move, head=""):
    (home / "bots" / f"{name}.py").write_text(f"{head}{HEAD}        return {move}\n")


def update(home, **options):
    return arena.season(home, **HOW, **options)


def status(found):
    return {row.player: row.status for row in found.rows}


def run(*words):
    with at_the_command_line():
        return CliRunner().invoke(cli, words)


def test_a_new_version_keeps_the_results_of_the_old_one(home):
    update(home)
    before = met(home / "season.db")
    bot(home, "anna", "moves[len(moves) // 2]")
    found = update(home)
    after = met(home / "season.db")
    assert found.played == 4  # anna against random and ben, once from each seat
    assert before.items() <= after.items()
    assert [one["version"] for one in arena.seasons.player("anna").versions] == [2, 1]
    (step,) = [row.step for row in found.rows if row.step]
    assert step.low <= step.difference <= step.high


def test_comments_and_layout_make_no_version(home):
    update(home)
    file = home / "bots" / "anna.py"
    file.write_text("# mine\n\n\n" + file.read_text())
    assert update(home).updated is False


@pytest.mark.slow
def test_a_helper_module_belongs_to_the_code_of_its_player(home):
    (home / "bots" / "tricks.py").write_text("def pick(moves):\n    return moves[0]\n")
    (home / "bots" / "carl.py").write_text(f"import tricks\n{HEAD}        return tricks.pick(moves)\n")
    found = update(home)
    assert sorted(status(found)) == ["anna", "ben", "carl", "random"]  # tricks is not a player
    (home / "bots" / "tricks.py").write_text("def pick(moves):\n    return moves[-1]\n")
    assert update(home).news[0].startswith("carl 2")


@pytest.mark.slow
def test_a_folder_is_a_player_with_the_modules_beside_its_main_file(home):
    (home / "bots" / "dora").mkdir()
    (home / "bots" / "dora" / "main.py").write_text(f"import own\n{HEAD}        return own.pick(moves)\n")
    (home / "bots" / "dora" / "own.py").write_text("def pick(moves):\n    return moves[0]\n")
    assert status(update(home))["dora"] == "plays"


@pytest.mark.slow
def test_a_player_who_goes_and_comes_back_plays_nothing_twice(home):
    update(home)
    text = (home / "bots" / "ben.py").read_text()
    (home / "bots" / "ben.py").unlink()
    gone = update(home)
    assert (status(gone)["ben"], gone.played) == ("gone", 0)
    (home / "bots" / "ben.py").write_text(text)
    back = update(home)
    assert (status(back)["ben"], back.played, back.news) == ("plays", 0, ["Back: ben 1"])


@pytest.mark.slow
def test_code_that_goes_back_is_the_old_version(home):
    update(home)
    bot(home, "anna", "moves[len(moves) // 2]")
    update(home)
    bot(home, "anna", "moves[0]")
    found = update(home)
    assert found.played == 0
    assert next(row for row in found.rows if row.player == "anna").version == 1


def test_a_renamed_file_goes_on_if_it_says_who_it_is(home):
    update(home)
    (home / "bots" / "ben.py").unlink()
    bot(home, "ben_final", "moves[-1]", '# player = "ben"\n')
    assert update(home).updated is False


@pytest.mark.slow
def test_a_renamed_file_that_says_nothing_is_told_how_to_go_on(home):
    update(home)
    (home / "bots" / "ben.py").rename(home / "bots" / "benjamin.py")
    (line,) = [line for line in update(home).news if line.startswith("New: ")]
    assert '# player = "ben"' in line


@pytest.mark.slow
def test_the_file_says_who_has_a_name_and_comments_cannot_take_it(home):
    bot(home, "mallory", "moves[1 % len(moves)]", '# player = "anna"\n')
    found = update(home)
    assert status(found)["anna"] == "plays"
    assert status(found)["mallory"] == "broken"
    (home / "season.toml").write_text(TOML + '[players]\n"mallory.py" = "zoe"\n')
    assert status(update(home))["zoe"] == "plays"


@pytest.mark.slow
def test_of_two_files_with_the_same_code_one_plays(home):
    update(home)
    bot(home, "aaron", "moves[0]  # anna's")
    found = update(home)
    assert status(found) | {"anna": "plays", "aaron": "broken"} == status(found)
    assert "same code as" in next(row for row in found.rows if row.player == "aaron").why


def test_a_broken_file_leaves_the_last_version_playing(home):
    update(home)
    (home / "bots" / "anna.py").write_text("class (:\n")
    bot(home, "carl", "moves[len(moves) // 2]")
    found = update(home)
    assert (status(found)["anna"], found.played) == ("broken", 6)  # carl against random, anna and ben
    (line,) = [line for line in found.news if line.startswith("Cannot be loaded: anna; anna 1 continues")]
    assert "anna.py:1" in line
    assert "SyntaxError" in line
    assert "The faults of a player: arena.seasons.player('anna', " in found.text()
    assert update(home).updated is False


@pytest.mark.slow
def test_a_player_who_fails_is_out_until_its_code_changes(home):
    bot(home, "eve", "moves[100]")
    (home / "season.toml").write_text(TOML.replace("rounds = 1", "rounds = 2").replace("true", "false"))
    found = update(home)
    assert status(found)["eve"] == "out"
    (line,) = [line for line in found.news if line.startswith("Withdrawn ")]
    assert "eve.py:6 in choose: IndexError" in line
    bot(home, "carl", "moves[len(moves) // 2]")
    assert update(home).played == 12  # carl against random, anna and ben, and nobody against eve
    told = arena.seasons.player("eve")
    assert [fault["reason"] for fault in told.faults] == ["crash"] * 3
    assert all(fault["position"] for fault in told.faults)
    bot(home, "eve", "moves[0 if True else 1]")
    assert status(update(home))["eve"] == "plays"


def test_matches_are_a_budget_and_the_next_update_goes_on(home):
    whole = arena.season(home, dry_run=True, progress=False)
    assert (whole.matches, whole.missing) == (6, 6)
    one = update(home, matches=4)
    assert (one.played, one.missing) == (4, 2)
    other = update(home, matches=4)
    assert (other.played, other.missing) == (2, 0)
    assert set(met(home / "season.db").values()) == {1}


def test_matches_stop_once_ratings_are_known_well_enough(home):
    for name, some in (("anna", 2), ("ben", 9), ("carl", 4)):
        bot(home, name, f"rng.choice(moves[:{some}])")
    (home / "season.toml").write_text(TOML.replace("rounds = 1", "rounds = 1000\nwithin = 100"))
    first = update(home)
    # ±100 between equals takes (1.96 * 2 * 173.7 / 100)² matches, which is 46.4
    assert all(row.matches >= 47 for row in first.rows if not row.baseline)
    assert first.played <= 3 * 47
    for _ in range(5):
        found = update(home)
    assert (found.updated, found.missing) == (False, 0)
    for row in found.rows:
        assert row.rating - row.low <= 100
        assert row.high - row.rating <= 100
    assert max(row.matches for row in found.rows) < 200  # of up to 6000


def test_a_match_is_played_if_either_player_needs_it():
    matches = [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]
    assert [*as_needed(matches, [0, 2, 0])] == [(0, 1), (1, 2)]
    assert [*as_needed(matches, [0, 0, 0])] == []


@pytest.mark.slow
def test_time_plays_a_prefix_of_the_same_list(home, monkeypatch):
    for name in "carl", "dora", "emil", "fay":
        bot(home, name, f"rng.choice(moves[:{len(name)}])")
    (home / "season.toml").write_text(TOML.replace("rounds = 1", "rounds = 40"))
    short = update(home, minutes=0.01, db="short.db")
    assert short.played > 0
    update(home, db="long.db")
    columns = "number, round, first, second, result, moves"
    rows = {}
    for name in ("short", "long"):
        with closing(sqlite3.connect(f"{name}.db")) as db:
            rows[name] = db.execute(
                f"SELECT {columns} FROM matches WHERE tournament = 1 ORDER BY number"
            ).fetchall()
    assert rows["short"] == rows["long"][: short.played]
    assert short.missing == len(rows["long"]) - short.played


@pytest.mark.slow
def test_a_short_update_is_completed_to_a_prefix(home):
    """A deadline that comes amid the matches: what is recorded is complete, and verifies."""
    (home / "season.toml").write_text(TOML.replace("rounds = 1", "rounds = 30000"))
    found = update(home, minutes=0.01)
    assert found.stopped
    assert found.played + found.missing == 3 * 2 * 30000
    with closing(sqlite3.connect("season.db")) as db:
        numbers = [row[0] for row in db.execute("SELECT number FROM matches ORDER BY number")]
    assert numbers == [*range(found.played)]
    assert arena.tournaments.show(1, "season.db").finished


def test_dry_run_writes_nothing(home):
    before = sorted(home.rglob("*"))
    found = arena.season(home, dry_run=True, progress=False)
    assert found.matches == 6
    assert sorted(home.rglob("*")) == before
    update(home)
    bot(home, "carl", "moves[len(moves) // 2]")
    before = dump(home / "season.db")
    assert arena.season(home, dry_run=True, progress=False).news == ["New: carl 1"]
    assert dump(home / "season.db") == before


def test_rollback_forgets_the_last_update(home):
    update(home)
    before = dump(home / "season.db")
    bot(home, "anna", "moves[len(moves) // 2]")
    update(home)
    assert arena.seasons.rollback() == 2
    after = dump(home / "season.db")
    for table in before:
        if table not in ("fits", "fitted_to", "ratings"):
            assert after[table] == before[table], table
    assert update(home).played == 4


def test_two_calls_at_once_are_refused(home):
    update(home)
    with FileLock("season.db-season.lock"), pytest.raises(arena.ArenaError, match="another process"):
        update(home)


@pytest.mark.slow
def test_an_existing_database_goes_on_as_a_season(home):
    arena.tournament(
        ["random", "bots/anna.py", "bots/ben.py"], game="tic-tac-toe", rounds=1, seed=1, db="old.db",
        openings="random:1", progress=False, isolate=False,
    )  # fmt: skip
    assert matches(home / "old.db") == 6
    assert arena.season(home, **HOW, db="old.db").played == 0
    bot(home, "carl", "moves[len(moves) // 2]")
    assert arena.season(home, **HOW, db="old.db").played == 6


def test_an_empty_folder_retires_nobody(home):
    update(home)
    for file in (home / "bots").glob("*.py"):
        file.unlink()
    with pytest.raises(arena.ArenaError, match="there are no players in"):
        update(home)


@pytest.mark.slow
def test_another_folder_does_not_take_over_a_season(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "other"):
        (tmp_path / folder / "bots").mkdir(parents=True)
        bot(tmp_path / folder, "anna", "moves[0]")
        bot(tmp_path / folder, "ben", "moves[-1]")
    arena.season("one/bots", game="tic-tac-toe", rounds=1, **HOW)
    with pytest.raises(arena.ArenaError, match="of the folder one/bots, not of other/bots"):
        arena.season("other/bots", **HOW)


@pytest.mark.slow
def test_options_hold_for_later_calls_where_there_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    bot(tmp_path, "anna", "moves[0]")
    bot(tmp_path, "ben", "moves[-1]")
    arena.season("bots", game="connect-four", rounds=1, baselines=["random"], matches=2, **HOW)
    found = arena.season("bots", **HOW)
    assert (found.game, found.played, found.missing) == ("connect-four", 4, 0)
    with pytest.raises(arena.ArenaError, match="is of connect-four, not of tic-tac-toe"):
        arena.season("bots", game="tic-tac-toe", **HOW)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('rounds = "many"', "season.toml: rounds takes a whole number, not 'many'"),
        ("round = 3", "season.toml: unknown setting 'round', did you mean 'rounds'?"),
        ("rounds = 0", "season.toml: rounds is 0, but must be from 1 to 1000000"),
        ('faults = "some"', "season.toml: faults takes 'public' or 'hidden', not 'some'"),
        (
            '[players]\n"x.py" = "../x"',
            "season.toml: players: x.py is '../x', which is not a valid player name",
        ),
        ('bots = "nowhere"', "bots is 'nowhere', and there is no such folder"),
        ("rounds = ", "season.toml is not TOML"),
        ('baselines = ["randon"]', "no agent called 'randon', did you mean 'random'?"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(home, line, told):
    (home / "season.toml").write_text(line)
    with pytest.raises(arena.ArenaError) as error:
        update(home)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_commands_and_folders_of_the_same_name(home):
    (home / "season.toml").unlink()
    (home / "bots").rename(home / "status")
    options = ["--game", "tic-tac-toe", "--rounds", "1", "--executor", "serial"]
    assert "there is no season.db" in str(run("season", "status").exception)
    for folder in ("./status", "status/"):
        done = run("season", folder, *options)
        assert (done.exit_code, "anna" in done.output) == (0, True), done.output
    assert "anna" in run("season", "status").output
    assert run("season", "update", "status").exit_code == 0


@pytest.mark.slow
def test_a_player_sees_its_last_defeat(home):
    update(home)
    with closing(sqlite3.connect("season.db")) as db:
        lost = db.execute(
            "SELECT number, 'anna.py' = first FROM results WHERE 'anna.py' IN (first, second)"
            " AND result = iif(first = 'anna.py', -1, 1) ORDER BY number"
        ).fetchall()
    told = arena.seasons.player("anna")
    assert told.defeat["match"] == lost[-1][0]
    assert f"arena replay 1 {lost[-1][0]} --db season.db" in run("season", "status", "anna").output


def test_json_and_csv_have_all_players(home):
    update(home)
    told = json.loads(run("season", "status", "--json").stdout)
    assert {one["player"] for one in told["players"]} == {"anna", "ben", "random"}
    lines = run("season", "export").stdout.splitlines()
    assert lines[0] == "update,date,player,version,rating,low,high,matches"
    assert {line.split(",")[2] for line in lines[1:]} == {"anna", "ben", "random"}
    assert json.loads(run("season", "history", "anna", "--json").stdout)["ratings"][0]["version"] == 1
    assert run("season", "status", "nobody").exit_code == 1


def test_a_stopped_update_ends_with_130_and_goes_on(home):
    (home / "season.toml").write_text(TOML.replace("rounds = 1", "rounds = 30"))
    with pytest.raises(arena.Stopped):
        update(home, stop=StopAfter(8))
    bot(home, "anna", "moves[len(moves) // 2]")  # too late for the update that was stopped
    found = update(home)
    assert found.update == 2
    assert [one["version"] for one in arena.seasons.player("anna").versions] == [2, 1]
    assert set(met(home / "season.db").values()) == {30}


@pytest.mark.slow
def test_baselines_anchor_the_ratings(home):
    (home / "season.toml").write_text(TOML.replace('["random"]', '["random", "first"]'))
    found = update(home)
    rated = [row.rating for row in found.rows if row.baseline]
    assert sum(rated) / len(rated) == pytest.approx(1500, abs=0.01)


@pytest.mark.slow
def test_a_version_that_cannot_play_the_game_says_so_and_costs_nobody_else(home):
    says = "    def prepare(self):\n        raise arena.ArenaError('only for chess')\n\n"
    (home / "bots" / "zoe.py").write_text(
        HEAD.replace("    def choose", f"{says}    def choose") + "        return 1\n"
    )
    found = update(home)
    assert (status(found)["zoe"], found.played) == ("unable", 6)
    assert any(line == "Cannot play: zoe 1, only for chess" for line in found.news)
    assert update(home).updated is False


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_ratings_are_computed_in_one_thread_and_workers_keep_the_threads_of_the_user():
    lines = (
        "import os, sys",
        "from arena.commands.season.command import import_numpy",
        "assert 'numpy' not in sys.modules",
        "import_numpy()",
        "import numpy",
        "_ = numpy.ones((300, 300)) @ numpy.ones((300, 300))",
        "print(len(os.listdir('/proc/self/task')), os.environ.get('OPENBLAS_NUM_THREADS'))",
    )
    bare = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for given, told in (({}, "1 None"), ({"OPENBLAS_NUM_THREADS": "1"}, "1 1")):
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(lines)], env={**bare, **given}, capture_output=True, text=True
        )
        assert (done.stdout.strip(), done.stderr) == (told, "")

"""The command line as scripts and people meet it, each command in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from arena import ArenaError
from arena.api.options import required
from arena.cli import main
from arena.registry.plugins import registry
from arena.results.settings import read_file
from commands import arena, completed, taught
from paths import ROOT
from tiers import slow, tiers

FOUR = [word for name in ("random", "first", "greedy", "minimax") for word in ("--entry", name)]
COMMANDS = list(registry().offers["command"])
DOCS = ROOT / "docs"

TOML = {
    "field.toml": 'game = "tic-tac-toe"\nrouns = 3\n',
    "syntax.toml": "game = = 3",
    "range.toml": "rounds = -3\n",
    "match.toml": "matches = 3\n",
    "bytes.toml": b"game = '\xff'",
}

FAULTS = [
    # arguments; what the line must name; status
    ("tournament --game tictactoe", "'tictactoe', did you mean 'tic-tac-toe'?", 1),
    ("tournament --entry randon --entry first", "'randon', did you mean 'random'?", 1),
    ("tournament --entry minimax:depht=3 --entry first", "'depht', did you mean 'depth'?", 1),
    (
        "tournament --entry minimax:depth=six --entry first",
        "'depth' of minimax takes a whole number from 0",
        1,
    ),
    ("tournament --entry minimax:depth=-1 --entry first", "not '-1'", 1),
    ("tournament --entry minimax:ties=last --entry first", "takes first | random, not 'last'", 1),
    ("tournament --entry random:x=1 --entry first", "random has no option 'x'", 1),
    ("tournament --entry Random --entry first", "'Random'", 1),
    ("tournament --entry first --entry first", "'first' is named twice", 1),
    ("tournament --entry minimax --entry minimax:ties=random", "'minimax' is named twice", 1),
    ("tournament --entry first", "at least two entries, but there is only 'first'", 1),
    ("tournament --rounds six", "'six' is not a valid integer", 2),
    ("tournament --rounds 0", "rounds is 0", 1),
    ("tournament --seed -1", "seed is -1", 1),
    ("tournament --max-plies 0", "max_plies is 0", 1),
    ("tournament --workers 0", "0 is not in the range", 2),
    ("tournament --openings four", "openings 'four': No such file or directory; write 'random:N'", 1),
    ("tournament --openings random:9", "no match of tic-tac-toe continues after 9 random plies", 1),
    ("tournament --format knockout", "'knockout'; known: round-robin", 1),
    ("tournament --executor cloud", "'cloud'; known: processes, threads, serial", 1),
    ("tournament --frobnicate", "--frobnicate", 2),
    ("tournament missing.toml", "cannot read missing.toml", 1),
    ("tournament field.toml", "field.toml: unknown setting 'rouns', did you mean 'rounds'?", 1),
    ("tournament syntax.toml", "syntax.toml is not TOML: Invalid value (at line 1, column 8)", 1),
    ("tournament range.toml", "rounds is -3", 1),
    ("tournament match.toml", "match.toml: 'matches' is for 'arena match'", 1),
    ("tournament bytes.toml", "bytes.toml is not UTF-8 text", 1),
    ("tournament --db text.db", "text.db is not a database", 1),
    ("tournament --db other.db", "other.db is a database, but not arena's", 1),
    ("tournament --db newer.db", "newer.db was written by a newer arena (9999 wonders)", 1),
    ("tournament --db nowhere/arena.db", "there is no folder nowhere", 1),
    (
        "tournament --db :memory:",
        "':memory:' is not a file, so results would be lost; name a file with --db",
        1,
    ),
    ("tournament --db file:arena.db", "'file:arena.db' is not a file", 1),
    ("match random first --record --db :memory:", "':memory:' is not a file", 1),
    ("leaderboard --db :memory:", "':memory:' is not a file", 1),
    ("tournament --db .", "'.' is a directory", 2),
    ("tournament --resume", "there is no database arena.db", 1),
    ("tournament --resume 7 --db played.db", "played.db has no tournament 7", 1),
    ("tournament --resume --db played.db", "played.db has no unfinished tournament", 1),
    ("tournament --resume soon", "'soon'", 2),
    ("tournament --resume 1 --rounds 3 --db played.db", "remove --rounds", 2),
    ("match random", "Missing argument 'SECOND'", 2),
    ("match random nobody", "'nobody'; known: random, first", 1),
    ("match random first --matches 0", "matches is 0", 1),
    ("leaderboard", "there is no database arena.db", 1),
    ("leaderboard --db text.db", "text.db is not a database", 1),
    ("leaderboard --db other.db", "other.db is a database, but not arena's", 1),
    ("leaderboard --db newer.db", "newer.db was written by a newer arena", 1),
    ("leaderboard chess --db played.db", "no tournament of 'chess'; it has: tic-tac-toe", 1),
    ("leaderboard --rating glicko --db played.db", "'glicko'; known: maximum-likelihood, elo", 1),
    ("leaderboard --json --csv --db played.db", "choose one", 2),
    ("leaderboard --html nowhere/page.html --db played.db", "cannot write nowhere/page.html", 1),
    ("tournaments show 7 --db played.db", "played.db has no tournament 7", 1),
    ("tournaments remove 7 --db played.db", "played.db has no tournament 7", 1),
    ("agents nobody", "'nobody'; known: random, first", 1),
    ("agents random --game chess", "no game called 'chess'", 1),
    ("agents --game tic-tac-toe", "--game needs the NAME of an agent", 2),
    ("games chess", "no game called 'chess'", 1),
    ("position chess", "no game called 'chess'", 1),
    ("position tic-tac-toe XO", "'XO' is not nine", 1),
    ("perft tic-tac-toe nine", "'nine' is not a valid integer", 2),
    (
        "train q-table --seed 3",
        "--seed is an option of the entry; write it as q-table:seed=VALUE",
        2,
    ),
    ("match first minimax:ties=first --depth=3", "write it as minimax:ties=first,depth=VALUE", 2),
    ("train q-table --sed 3", "No such option '--sed'", 2),
    ("leaderboard --game tic-tac-toe", "--game is an argument; write 'arena leaderboard [GAME]' (see", 2),
    ("replay --match 3", "--match is an argument; write 'arena replay [TOURNAMENT] [MATCH]' (see", 2),
    ("leaderbord", "'leaderbord', did you mean 'leaderboard'?", 2),
    ("tourney", "'tourney', did you mean 'tournament'?", 2),
    ("models shwo", "'shwo', did you mean 'show'? (see 'arena models --help')", 2),
    ("help tourney", "'tourney', did you mean 'tournament'?", 2),
    ("help match first", "'arena match' has no commands of its own", 2),
]


def arena_json(folder, command):
    """What a command says with --json."""
    return json.loads(arena(folder, *command.split(), "--json").stdout)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A database of one small tournament."""
    folder = tmp_path_factory.mktemp("played")
    arena(folder, "tournament", *FOUR, "--rounds", "5", "--seed", "1", "--db", "played.db")
    return folder / "played.db"


@pytest.fixture
def litter(tmp_path, played):
    """A folder of files with something wrong, and the database that was played."""
    for name, text in TOML.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "text.db").write_text("not a database, though it is long enough to be one\n" * 100)
    with sqlite3.connect(tmp_path / "other.db") as db:
        db.execute("CREATE TABLE matches (x)")
    db.close()
    for name in ("played.db", "newer.db"):
        (tmp_path / name).write_bytes(played.read_bytes())
    with sqlite3.connect(tmp_path / "newer.db") as db:
        db.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('arena', '9999 wonders', '')"
        )
        db.commit()
        db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    return tmp_path


@pytest.mark.parametrize(
    ("args", "named", "status"),
    tiers(FAULTS, quick=["tournament --game tictactoe"]),
    ids=[fault[0] for fault in FAULTS],
)
def test_a_users_fault_is_one_line_and_nothing_is_written(litter, monkeypatch, capfd, args, named, status):
    def contents():
        files = (path for path in litter.rglob("*") if not path.name.endswith(("-shm", "-wal")))
        return {path: path.read_bytes() for path in files if path.is_file()}

    before = contents()
    monkeypatch.chdir(litter)
    monkeypatch.delenv("ARENA_DB", raising=False)
    with pytest.raises(SystemExit) as end:
        main(args.split())
    assert end.value.code == status
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert named in err
    assert contents() == before


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    if os.geteuid() == 0:  # to whom only the kernel's own folders are read-only
        folder = Path("/proc")
        if not folder.is_dir():
            pytest.skip("runs as root, and there is no folder that root cannot write")
    else:
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o555)
    done = arena(tmp_path, "tournament", "--db", str(folder / "arena.db"), status=1)
    assert str(folder / "arena.db") in done.stderr
    assert "use --db for another place" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", tiers(COMMANDS, quick=["tournament", "games"]))
def test_help_gives_an_example(tmp_path, command):
    text = arena(tmp_path, command, "--help").stdout
    assert "Example" in text
    assert f"arena {command}" in text


def test_help_lists_every_command(tmp_path):
    lines = arena(tmp_path, "--help").stdout.splitlines()
    assert {word for line in lines for word in line.split()} >= {*COMMANDS}
    assert len(lines) < 24  # and a prompt
    lines = arena(tmp_path, "help", "--all").stdout.splitlines()
    told = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(told) == sorted(COMMANDS)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("command", tiers(COMMANDS, quick=["tournament", "games"]))
def test_the_documentation_that_help_names_exists(tmp_path, command):
    (page,) = re.findall(r"Documentation: (\S+)", arena(tmp_path, command, "--help").stdout)
    assert (ROOT / page).is_file()


def test_help_of_a_command_is_the_commands_own(tmp_path):
    assert arena(tmp_path, "help").stdout == arena(tmp_path, "--help").stdout
    for words in ("match", "tournaments show"):
        named = arena(tmp_path, "help", *words.split()).stdout
        assert named == arena(tmp_path, *words.split(), "--help").stdout


@pytest.mark.parametrize("command", tiers(COMMANDS, quick=["tournament"]))
def test_what_most_need_is_on_the_first_screen(tmp_path, command):
    """Usage, summary, an example and the common options, in 24 lines."""
    first = arena(tmp_path, command, "--help").stdout.partition("\n\nDetails:")[0]
    common = re.split(r"\n\n(?=(?!Options)\w[\w ]+:\n)", first)[0]
    assert "Example" in common
    assert common.count("\n") < 24


@pytest.mark.parametrize(
    "args", ["--help", *slow("leaderboard", "plugins", "tournaments list", "tournaments show 1")]
)
def test_looking_imports_no_llvm_no_pandas_and_no_game_or_agent(played, tmp_path, args):
    code = (
        "import sys\nfrom arena.cli import main\n"
        f"try: main({args.split()!r})\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        "heavy = [m for m in sys.modules if m.partition('.')[0] in ('llvmlite', 'pandas') or\n"
        "         (m.startswith(('arena_games.', 'arena_agents.')))]\n"
        "print('imported:', heavy, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "ARENA_DB": str(played)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "imported: []\n"


# --- what commands say -----------------------------------------------------------------------------------


def within(successes, trials, exact, errors=4):
    """Whether a count is within so many standard errors of an exact probability."""
    p = float(exact)
    return abs(successes - p * trials) <= errors * (p * (1 - p) * trials) ** 0.5


@pytest.mark.slow
def test_random_against_random_is_as_enumeration_says(tmp_path):
    # exact figures from full enumeration of the game: X, O, draw
    said = arena_json(tmp_path, "match random random --matches 20000 --seed 20")
    assert (said["game"], said["seed"], said["matches"]) == ("tic-tac-toe", 20, 20000)
    wins, losses, draws = (sum(p[name] for p in said["pairings"]) for name in ("wins", "losses", "draws"))
    assert within(wins, 20000, Fraction(737, 1260))
    assert within(losses, 20000, Fraction(121, 420))
    assert within(draws, 20000, Fraction(8, 63))
    assert list(tmp_path.iterdir()) == []  # nothing is recorded unless asked for


@pytest.mark.slow
def test_minimax_against_random_is_as_enumeration_says(tmp_path):
    said = arena_json(tmp_path, "match minimax:ties=random random --matches 20000 --seed 21")
    as_x, as_o = said["pairings"]
    assert (as_x["first"], as_x["second"]) == ("minimax", "random")
    assert as_x["losses"] == as_o["wins"] == 0
    assert within(as_x["wins"], 10000, Fraction(75257, 77760))
    assert within(as_o["losses"], 10000, Fraction(2645, 3402))


@pytest.mark.parametrize("second", ["minimax", "minimax:ties=first"])
@pytest.mark.slow
def test_every_minimax_pairing_draws(tmp_path, second):
    said = arena_json(tmp_path, f"match minimax {second} --matches 300")
    assert [p["draws"] for p in said["pairings"]] == [150, 150]


def test_match_alternates_seats_and_shares_an_odd_number(tmp_path):
    said = arena_json(tmp_path, "match random first --matches 7")
    assert [(p["first"], p["second"]) for p in said["pairings"]] == [("random", "first"), ("first", "random")]
    assert [p["wins"] + p["draws"] + p["losses"] for p in said["pairings"]] == [4, 3]


def test_tournament_tells_its_number_settings_pairings_and_leaderboard(tmp_path):
    entries = "--entry random --entry minimax:depth=2"
    said = arena_json(tmp_path, f"tournament {entries} --rounds 3 --seed 5 --openings random:1")
    assert said["tournament"] == 1
    assert said["settings"]["entries"] == ["random", "minimax:depth=2"]
    assert said["settings"]["openings"] == "random:1"
    assert said["played"] == said["planned"] == 6
    assert {(p["first"], p["second"]) for p in said["pairings"]} == {
        ("random", "minimax:depth=2"),
        ("minimax:depth=2", "random"),
    }
    assert set(said["leaderboard"][0]) >= {
        *("rank", "entry", "rating", "low", "high", "elo", "matches", "wins", "draws", "losses", "score")
    }


TEXT, WHOLE, NUMBER, LIST = "a text", "a whole number", "a number", "a list of texts"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("game = 3", f"game takes {TEXT}, not 3"),
        ("entries = 'random'", f"entries takes {LIST}, not 'random'"),
        ("entries = ['random', 2.5]", f"entries[1] takes {TEXT}, not 2.5"),
        ("entries = [['random']]", f"entries[0] takes {TEXT}, not ['random']"),
        ("[entries]", f"entries takes {LIST}, not {{}}"),
        ("format = false", f"format takes {TEXT}, not false"),
        ("rounds = 'many'", f"rounds takes {WHOLE}, not 'many'"),
        ("rounds = 2.5", f"rounds takes {WHOLE}, not 2.5"),
        ("rounds = true", f"rounds takes {WHOLE}, not true"),
        ("matches = '9'", f"matches takes {WHOLE}, not '9'"),
        ("seed = 'one'", "seed takes a whole number, or 0x and up to 32 digits, not 'one'"),
        ("openings = 4", f"openings takes {TEXT}, not 4"),
        ("max_plies = [9]", f"max_plies takes {WHOLE}, not [9]"),
        ("move_seconds = '1 s'", f"move_seconds takes {NUMBER}, not '1 s'"),
        ("stall_seconds = 'long'", f"stall_seconds takes {NUMBER}, not 'long'"),
    ],
)
def test_a_setting_of_the_wrong_type_is_told_in_words_that_toml_knows(tmp_path, line, says):
    (tmp_path / "t.toml").write_text(line)
    with pytest.raises(ArenaError) as refused:
        read_file(str(tmp_path / "t.toml"))
    assert str(refused.value) == f"{tmp_path / 't.toml'}: {says}"


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / "t.toml").write_text('game = "tic-tac-toe"\n', encoding="utf-8-sig")
    assert read_file(str(tmp_path / "t.toml")) == {"game": "tic-tac-toe"}


@pytest.mark.slow
def test_a_file_says_what_to_play_and_the_command_line_goes_before_it(tmp_path):
    (tmp_path / "t.toml").write_text('entries = ["random", "first"]\nrounds = 2\nseed = 9\n')
    said = arena_json(tmp_path, "tournament t.toml --rounds 3")
    assert said["settings"]["rounds"] == 3
    assert said["settings"]["entries"] == ["random", "first"]
    assert said["seed"] == 9


@pytest.mark.slow
def test_without_arguments_all_agents_meet_at_tic_tac_toe(tmp_path):
    taught()
    said = arena_json(tmp_path, "tournament --rounds 1")
    assert said["game"] == "tic-tac-toe"
    needing = {name for name in registry().offers["agent"] if required(registry().cls("agent", name))}
    # tic-tac-toe has no abstract states, and nobody may sit at the terminal
    every = set(registry().offers["agent"]) - {"transition-q", "human"} - needing
    assert sorted(said["settings"]["entries"]) == sorted(every)


@pytest.mark.slow
def test_leaderboard_has_json_csv_markdown_and_html(tmp_path, played):
    rows = arena_json(tmp_path, f"leaderboard --db {played}")
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["entry"] == "minimax"
    assert all(row["low"] < row["rating"] < row["high"] for row in rows)
    assert all(row["wins"] + row["draws"] + row["losses"] == row["matches"] for row in rows)
    csv = arena(tmp_path, "leaderboard", "--db", str(played), "--csv").stdout.splitlines()
    assert csv[0].startswith("game,rank,entry,rating,low,high,elo")
    assert float(csv[1].split(",")[3]) == rows[0]["rating"]
    markdown = arena(tmp_path, "leaderboard", "--db", str(played), "--markdown").stdout.splitlines()
    assert markdown[2].startswith("| 1 | minimax | ")
    assert arena(tmp_path, "leaderboard", "--db", str(played), "--html", "page.html").stdout == ""
    page = (tmp_path / "page.html").read_text()
    assert page.count("<circle") == 4
    assert re.findall(r"https?://", page.replace("http://www.w3.org/2000/svg", "")) == []  # it needs nothing


@pytest.mark.slow
def test_tournaments_are_listed_shown_and_removed(tmp_path):
    for seed in "12":
        arena(tmp_path, "tournament", *FOUR, "--rounds", "1", "--seed", seed)
    listed = arena_json(tmp_path, "tournaments list")
    assert [(t["tournament"], t["seed"], t["played"]) for t in listed] == [(1, 1, 12), (2, 2, 12)]
    shown = arena_json(tmp_path, "tournaments show 2")
    assert sum(p["wins"] + p["draws"] + p["losses"] for p in shown["pairings"]) == 12
    arena(tmp_path, "tournaments", "remove", "1", "--yes")
    assert [t["tournament"] for t in arena_json(tmp_path, "tournaments list")] == [2]
    with sqlite3.connect(tmp_path / "arena.db") as db:
        assert db.execute("SELECT count(*) FROM matches").fetchone() == (12,)
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (4,)
    db.close()
    arena(tmp_path, "tournaments", "remove", "2", "--yes")
    with sqlite3.connect(tmp_path / "arena.db") as db:
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (0,)
    db.close()


def test_perft_counts_the_lines_of_play(tmp_path):
    # published figures
    counts = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    said = arena(tmp_path, "perft", "tic-tac-toe", "9").stdout
    assert said == "".join(f"{ply} {count}\n" for ply, count in enumerate(counts, 1))
    assert arena_json(tmp_path, "perft tic-tac-toe 9") == {"counts": counts}
    late = arena(tmp_path, "perft", "tic-tac-toe", "2", "--position", "XOXOXO...", "--json").stdout
    assert json.loads(late) == {"counts": [3, 2]}  # 7 and 9 win at once


def test_position_tells_state_mover_and_moves(tmp_path):
    said = arena_json(tmp_path, "position tic-tac-toe X.O......")
    assert (said["state"], said["to_move"], said["over"], said["value"]) == ("X.O......", "X", False, None)
    assert said["moves"][0] == {"move": "2", "after": "XXO......"}
    over = arena_json(tmp_path, "position tic-tac-toe XXXOO....")
    assert (over["to_move"], over["over"], over["value"], over["moves"]) == ("O", True, -1, [])
    assert arena(tmp_path, "position", "tic-tac-toe").stdout.startswith(". . .\n. . .\n. . .\n")


@pytest.mark.parametrize("dash", [[], ["-"]])
def test_position_reads_lines(tmp_path, dash):
    args = ["position", "tic-tac-toe", *dash, "--json"]
    said = arena(tmp_path, *args, input="X........\n\nXO.......\n").stdout.splitlines()
    assert [json.loads(line)["to_move"] for line in said] == ["O", "X"]
    failed = arena(tmp_path, *args, input="X........\nXOXO\n", status=1)
    assert "line 2: 'XOXO'" in failed.stderr


def test_games_agents_and_plugins_tell_what_is_installed(tmp_path):
    game = arena_json(tmp_path, "games")[0]
    assert game["name"] == "tic-tac-toe"
    assert game["capabilities"] == ["evaluation", "symmetries", "grid", "turning", "features", "enumeration"]
    agents = {agent["name"]: agent for agent in arena_json(tmp_path, "agents")}
    assert agents["greedy"]["needs"] == ["evaluation"]
    assert {"depth", "ties"} <= {o["name"] for o in agents["minimax"]["options"]}
    plugins = arena_json(tmp_path, "plugins")
    assert [plugin["name"] for plugin in plugins][:3] == ["arena", "arena_agents", "arena_games"]
    assert not any(plugin["errors"] for plugin in plugins)


@pytest.mark.parametrize("compiled", ["0", *slow("1")])
def test_of_one_game_or_agent_it_is_told_whether_it_runs_compiled(tmp_path, compiled):
    said = {}
    for command in ("games tic-tac-toe", "agents minimax", "agents random --game checkers-4x4"):
        done = arena(tmp_path, *command.split(), "--json", ARENA_COMPILED=compiled)
        (said[command],) = json.loads(done.stdout)
    assert all(row["compiled"] == (compiled == "1") for row in said.values())
    assert all((row["reason"] is None) == (compiled == "1") for row in said.values())
    assert [row.get("game") for row in said.values()] == [None, "tic-tac-toe", "checkers-4x4"]
    lines = arena(tmp_path, "agents", "minimax", ARENA_COMPILED=compiled).stdout.splitlines()
    how = ["runs in plain Python at tic-tac-toe: ", "runs compiled at tic-tac-toe"][int(compiled)]
    assert sum(line.strip().startswith(how) for line in lines) == 1
    assert "compiled" not in arena_json(tmp_path, "agents")[0]


def test_a_game_that_needs_an_option_is_shown_without_being_made(tmp_path, plugin):
    source = """
from arena import Game, hookimpl, option

class Heap(Game):
    "One heap."
    coins: int = option(0, "how many", required=True)

@hookimpl
def register_games(register):
    register("heap", "heaps:Heap")
"""
    env = plugin(heaps=source)
    listed = arena(tmp_path, "games", **env).stdout.splitlines()
    assert re.fullmatch(r"heap +One heap\. +faulty 1\.0", listed[-2])
    shown = arena(tmp_path, "games", "heap", **env).stdout
    assert shown == "heap  (faulty 1.0)\n    One heap.\n    coins=0  how many (a whole number)\n"
    for words in (("games",), ("games", "heap")):
        told = json.loads(arena(tmp_path, *words, "--json", **env).stdout)[-1]
        assert (told["name"], told["capabilities"], "error" in told) == ("heap", [], False)


def test_an_agent_that_a_game_is_not_enough_for_is_shown_all_the_same(tmp_path):
    said = arena(tmp_path, "agents", "transition-q").stdout
    assert "cannot be created at tic-tac-toe: TransitionQ needs abstract, which tic-tac-toe does not" in said
    assert "episodes=" in said


TEACHER = """
from typing import Literal
from arena import Agent, hookimpl, option
from arena import Spec

class Pupil(Agent):
    teacher: Spec | None = option("random", "whom it asks", kind="agent")
    fast: bool = option(False, "hurry")
    turns: tuple[Literal["half", "quarter"], ...] = option((), "symmetries")

@hookimpl
def register_agents(register):
    register("pupil", "teacher:Pupil")
    register("absent", "teacher:Absent")
    register("two words", "teacher:Pupil")

@hookimpl
def register_commands(register):
    register("teach", "teacher:Absent", "A command that is not there.")
"""


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("teac", ["teach"]),
        ("match pupil : fast =", ["true", "false"]),
        ("match pupil : what =", []),
        *slow(
            ("match abse", ["absent"]),
            ("match absent :", []),
            ("match nobody :", []),
            ("match pup", ["pupil"]),
            ("match pupil :", ["teacher=", "fast=", "turns="]),
            ("match pupil : te", ["teacher="]),
            ("match pupil : fast = f", ["false"]),
            ("match pupil : fast = true,", ["true,teacher=", "true,turns="]),
            ("match pupil : turns = half,q", ["half,quarter"]),
            ("match pupil : turns = half,t", ["half,teacher="]),
            ("match pupil : teacher = n", ["none"]),
            ("match pupil : teacher = minimax : ti", ["ties="]),
            ("match pupil:fa", ["pupil:fast="]),
            ("match minimax : ties =", ["first", "random"]),
            ("match minimax : depth =", []),
            ("tournament --entry = minimax : ties = r", ["random"]),
            ("tournament --entry minimax : ties = r", ["random"]),
            ("games tic-t", ["tic-tac-toe"]),
            ("leaderboard --rating elo : k", ["k="]),
        ),
    ],
)
def test_shells_complete_names_options_and_values(tmp_path, plugin, typed, offered):
    assert completed(tmp_path, *typed.split(), **plugin(teacher=TEACHER, broken="1 / 0")) == offered


def test_shells_complete_every_command_though_one_cannot_be_loaded(tmp_path, plugin):
    assert completed(tmp_path, "", **plugin(teacher=TEACHER)) == [*COMMANDS, "teach", "help"]


@pytest.mark.slow
def test_to_complete_an_entry_imports_no_llvm(tmp_path):
    code = (
        "import sys\nfrom arena.calls.shell_completion import completions\n"
        "print(completions('agent', 'minimax:t'), 'llvmlite' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "['minimax:ties='] False\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_switched_on_as_the_guide_says(tmp_path, shell):
    guide = (DOCS / "how-to" / "enter-options.md").read_text(encoding="utf-8")
    assert f"_ARENA_COMPLETE={shell}_source arena" in guide
    if shutil.which(shell):
        said = arena(tmp_path, _ARENA_COMPLETE=f"{shell}_source").stdout
        subprocess.run([shell, "-n"], input=said, text=True, check=True)


def test_who_stops_reading_sees_no_traceback(tmp_path):
    code = f"{sys.executable} -m arena perft tic-tac-toe 9 | head -n 1"
    done = subprocess.run(["sh", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1 9\n", "")


@pytest.mark.slow
def test_a_tournament_without_a_seed_differs_from_the_last(tmp_path):
    seeds = {arena_json(tmp_path, "match random random --matches 1")["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_a_table_is_never_cut_to_fit(tmp_path, played):
    wide = arena(tmp_path, "leaderboard", "--db", str(played)).stdout
    assert arena(tmp_path, "leaderboard", "--db", str(played), COLUMNS="20", FORCE_COLOR="").stdout == wide
    assert "…" not in wide


@pytest.mark.slow
def test_a_full_disk_below_the_output_is_no_traceback(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    code = f"{sys.executable} -m arena perft tic-tac-toe 9 > /dev/full"
    done = subprocess.run(["sh", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        1,
        "Error: cannot write the output: no space left on the device\n",
    )


@pytest.mark.slow
def test_match_tells_why_an_entry_forfeits(tmp_path):
    said = arena(
        tmp_path,
        *["match", "random", "first", "--matches", "4", "--move-seconds", "1e-9", "--json"],
        status=1,
    )
    assert sum(p["forfeits"] for p in json.loads(said.stdout)["pairings"]) == 4
    assert "Warning: random forfeited 2, the first match 0 by clock: ply 1 took over 1e-09 s" in said.stderr

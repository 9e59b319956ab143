"""`arena match --exact`, `arena tournament --exact`, and what is recorded and shown of them."""

from __future__ import annotations

import csv
import json
import re
import signal
import sqlite3
from fractions import Fraction
from functools import cache, reduce
from operator import xor
from pathlib import Path

import pytest

from arena.api.rating import Results
from arena.cli import main
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.storage.migrations import migrations
from arena.storage.sqlite import Database
from by_fractions import anyhow, match, perfect, score
from commands import arena, arena_compiled, inside
from page_data import page_text
from records import query
from running import until
from tiers import tiers

PLUGIN = """
import multiprocessing, os, time
from pathlib import Path
from arena import Agent, Game, hookimpl

@hookimpl
def register_agents(register):
    for name in "scout fraction raises hangs leaves slow nimmer".split():
        register(name, "faulty:" + name.title())

@hookimpl
def register_games(register):
    register("nim", "faulty:Nim")
    register("round", "faulty:Round")
    register("dies", "faulty:Dies")

class Scout(Agent):
    def choose(self, state, moves, rng): return rng.choice(moves)

class Fraction(Agent):
    def choose(self, state, moves, rng): return moves[int(len(moves) * rng.random())]

class Raises(Agent):
    def choose(self, state, moves, rng):
        if len(moves) == 5: raise ValueError("five are too many")
        return moves[0]

class Hangs(Agent):
    def choose(self, state, moves, rng):
        while len(moves) == 5: time.sleep(1)
        return moves[0]

class Leaves(Agent):
    def choose(self, state, moves, rng):
        if len(moves) == 5: os._exit(3)
        return moves[0]

class Slow(Agent):
    def choose(self, state, moves, rng):
        Path(os.environ["BEGUN"]).touch()
        time.sleep(0.02)
        return moves[0]

class Nim(Game):
    "Three heaps; take any number from one. Whoever takes the last wins."
    max_moves = 60
    def initial(self): return ("8,9,12", 0)
    def moves(self, state):
        heaps = enumerate(map(int, state[0].split(",")))
        return [f"{heap}-{n}" for heap, left in heaps for n in range(1, left + 1)]
    def play(self, state, move):
        heaps = list(map(int, state[0].split(",")))
        heap, n = map(int, move.split("-"))
        heaps[heap] -= n
        return (",".join(map(str, heaps)), 1 - state[1])
    def to_move(self, state): return state[1]
    def value(self, state): return -1

class Nimmer(Agent):
    "Leaves heaps whose binary numbers add up to nothing, if it can (Bouton 1901)."
    def choose(self, state, moves, rng):
        for move in moves:
            a, b, c = map(int, self.game.play(state, move)[0].split(","))
            if a ^ b ^ c == 0: return move
        return moves[0]

class Round(Game):
    "A small game, in which the third time of a position draws: who gets to 3 of 4 places around wins."
    repetition = 3
    def initial(self): return (0, 0)
    def moves(self, state): return [] if state[0] == 3 else [0, 1]
    def play(self, state, move): return ((state[0] + move) % 4, 1 - state[1])
    def to_move(self, state): return state[1]
    def value(self, state): return -1
    def irreversible(self, state, move): return 0

class Dies(Round):
    "Ends any process but the first."
    repetition = 0
    def initial(self): return os._exit(4) if multiprocessing.parent_process() else (0, 0)
"""

HAND = {"random": anyhow, "scout": anyhow}


def run(folder, *args, status=0, **env):
    """`arena` in a process of its own, if there is something to tell it there."""
    return (arena if env else inside)(folder, *args, status=status, **env)


@pytest.fixture(scope="module")
def env(plugin):
    return plugin(faulty=PLUGIN)


def tournament(folder, *entries, status=0, **env):
    """`arena tournament --exact` of these entries; further options may stand among them."""
    args = [w for e in entries for w in ([e] if e.startswith("--") or " " in e else ["--entry", e])]
    return run(folder, "tournament", "--exact", *" ".join(args).split(), status=status, **env)


def shown(folder, *args, **env):
    return json.loads(run(folder, *args, "--json", **env).stdout)


def pairings(found):
    return {(row["first"], row["second"]): row for row in found["pairings"]}


def ends(row):
    return row["wins"], row["draws"], row["losses"]


def error(done):
    """The one line of an error, progress aside."""
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("Error: "))
    assert done.stderr.splitlines()[-1] == line
    assert done.stdout == ""
    return line


# --- a match -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_match_is_shown_with_all_that_is_known(tmp_path):
    found = shown(tmp_path, "match", "random", "first", "--exact")
    assert list(found) == ["game", "exact", "max_plies", "pairings", "against_perfect"]
    assert (found["game"], found["exact"], found["max_plies"]) == ("tic-tac-toe", True, 9)
    keys = ["first", "second", "wins", "draws", "losses", "forfeits", "plies"]
    assert [list(row) for row in found["pairings"]] == [
        [*keys, "first_blunder_rate", "second_blunder_rate"]
    ] * 2
    assert list(pairings(found)) == [("random", "first"), ("first", "random")]
    assert [list(row) for row in found["against_perfect"]] == [
        ["entry", "as_first", "as_second", "fault"]
    ] * 2
    assert not (tmp_path / "arena.db").exists()


@pytest.mark.slow
def test_a_match_in_words(tmp_path):
    done = run(tmp_path, "match", "random", "random", "--exact")
    lines = done.stdout.splitlines()
    assert lines[0] == "tic-tac-toe, exactly, up to 9 plies"
    hand = match(anyhow, anyhow)
    percent = [f"{100 * float(hand[key]):.4f} %" for key in ("win", "draw", "loss")]
    assert percent == ["58.4921 %", "12.6984 %", "28.8095 %"]
    blunders = [float(hand[f"{seat}_blunders"] / hand[f"{seat}_moves"]) for seat in ("first", "second")]
    cells = [*percent, "0.0000 %", f"{float(hand['plies']):.2f}", *(f"{100 * x:.2f} %" for x in blunders)]
    assert re.split("  +", lines[2]) == ["random", "random", *cells]
    value = score(match(perfect, perfect))
    as_first = float(value - score(match(anyhow, perfect)))
    as_second = float(score(match(perfect, anyhow)) - value)
    assert lines[-1] == (
        f"Against perfect play random falls short by {as_first:.4f} of a match's score as first, "
        f"{as_second:.4f} as second."
    )
    assert not (tmp_path / "arena.db").exists()


@pytest.mark.slow
def test_a_match_is_recorded_if_asked_for(tmp_path):
    found = shown(tmp_path, "match", "random", "first", "--exact", "--record")
    assert found["tournament"] == 1
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM exact") == [(2,)]
    row = pairings(found)["random", "first"]
    recorded = query(
        tmp_path / "arena.db",
        "SELECT win, draw, loss FROM exact JOIN entries ON id = first WHERE name = 'random'",
    )
    assert recorded == [ends(row)]  # to the bit
    again = pairings(shown(tmp_path, "tournaments", "show", "1"))
    assert again == pairings(found)
    text = run(tmp_path, "match", "random", "first", "--exact", "--record").stdout
    assert text.startswith("tic-tac-toe, exactly, up to 9 plies, tournament 2 in arena.db\n")


@pytest.mark.slow
def test_an_entry_against_itself_is_recorded_and_shown(tmp_path):
    """It has met nobody else, and so has no share of anything."""
    run(tmp_path, "match", "random", "random", "--exact", "--record")
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM exact") == [(1,)]
    (row,) = shown(tmp_path, "leaderboard")
    assert (row["entry"], row["matches"], row["score"], row["exact"]) == ("random", 0, 0.5, True)
    assert run(tmp_path, "leaderboard").stdout.splitlines()[1].startswith("1  random    1500  50.00 % ")
    run(tmp_path, "leaderboard", "--html", "page.html")
    run(tmp_path, "leaderboard", "--markdown")


@pytest.mark.slow
def test_openings_and_length_are_taken_into_account(tmp_path):
    args = ("--exact", "--openings", "random:2", "--max-plies", "6")
    found = shown(tmp_path, "match", "random", "random", *args)
    hand = match(anyhow, anyhow, opening=2, most=6)
    wanted = tuple(float(hand[key]) for key in ("win", "draw", "loss"))
    assert ends(found["pairings"][0]) == pytest.approx(wanted, abs=1e-12)
    assert found["max_plies"] == 6


# --- a tournament ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """A folder with a database of one exact tournament, and what was said of it."""
    folder = tmp_path_factory.mktemp("evaluated")
    args = "--exact --entry random --entry first --entry greedy --rounds 100 --seed 1"
    return folder, shown(folder, "tournament", *args.split())


def test_a_tournament_is_recorded_and_shown(evaluated):
    folder, found = evaluated
    db = folder / "arena.db"
    assert found["tournament"] == 1
    assert found["settings"]["exact"] is True
    assert (found["played"], found["planned"]) == (0, 0)
    assert found["finished"]
    counts = [query(db, f"SELECT count(*) FROM {table}")[0][0] for table in ("exact", "against_perfect")]
    assert counts == [6, 3]
    assert query(db, "SELECT count(*) FROM matches") == query(db, "SELECT count(*) FROM pairings") == [(0,)]
    assert shown(folder, "tournaments", "show", "1")["pairings"] == found["pairings"]
    (listed,) = shown(folder, "tournaments", "list")
    assert listed["settings"]["exact"] is True
    assert "  exact  " in run(folder, "tournaments", "list").stdout
    text = run(folder, "tournaments", "show", "1").stdout
    assert text.startswith("Tournament 1: tic-tac-toe, exact\n")
    markdown = run(folder, "tournaments", "show", "1", "--markdown").stdout.splitlines()
    assert len(markdown) == 8
    assert "| the second's |" in markdown[0]


def test_rows_of_an_exact_board_are_sums_of_its_pairings(evaluated):
    folder, found = evaluated
    met = pairings(found)
    assert shown(folder, "leaderboard") == found["leaderboard"]
    for row in found["leaderboard"]:
        name = row["entry"]
        sides = [ends(p) for (first, _), p in met.items() if first == name]
        sides += [ends(p)[::-1] for (_, second), p in met.items() if second == name]
        wins, draws, losses = (100 * sum(column) for column in zip(*sides, strict=True))
        assert (row["wins"], row["draws"], row["losses"]) == pytest.approx((wins, draws, losses))
        assert row["matches"] == pytest.approx(400)
        assert row["score"] == pytest.approx((wins + draws / 2) / 400)
        assert row["low"] is row["high"] is row["elo"] is None
        assert row["blunder_error"] is None
        assert row["exact"] is True
    assert found["notes"][0].startswith("Exact: ")
    assert re.fullmatch(r"Moving first is worth -?\d+ points\.", found["notes"][1])


def test_ratings_of_an_exact_board_are_those_of_as_many_matches(evaluated):
    _, found = evaluated
    names = sorted(row["entry"] for row in found["leaderboard"])
    index = {name: i for i, name in enumerate(names)}
    met = pairings(found)
    totals = [(index[a], index[b], *(100 * share for share in ends(row))) for (a, b), row in met.items()]
    fit = MaximumLikelihood().fit(Results(names, totals, lambda: iter(())))
    for row in found["leaderboard"]:
        assert row["rating"] == pytest.approx(fit.ratings[index[row["entry"]]].value, abs=1e-6)
    worth = int(re.search(r"-?\d+", found["notes"][1])[0])
    assert worth == round(fit.first_move.value)


@pytest.mark.slow
def test_an_exact_board_in_every_form(evaluated):
    folder, found = evaluated
    rows = found["leaderboard"]
    head, *lines = csv.reader(run(folder, "leaderboard", "--csv").stdout.splitlines())
    assert head[-2:] == ["exact", "why"]
    for row, line in zip(rows, lines, strict=True):
        said = dict(zip(head, line, strict=True))
        assert (said["entry"], said["exact"], said["low"], said["elo"]) == (row["entry"], "1", "", "")
        assert float(said["wins"]) == row["wins"]
        assert float(said["expected_loss"]) == row["expected_loss"]
    table = run(folder, "leaderboard").stdout.splitlines()
    columns = "#  entry   rating  score  won  drawn  lost  forfeits  blunders  expected loss"
    assert table[0].split() == columns.split()
    markdown = run(folder, "leaderboard", "--markdown").stdout.splitlines()
    assert markdown[0].startswith("| # | entry | rating | score | won | drawn | lost | forfeits | blunders |")
    run(folder, "leaderboard", "--html", "page.html")
    page = page_text((folder / "page.html").read_text())
    assert page.count('cy="8" r="4"') == 3
    assert "expected loss" in page
    assert "±" not in page
    for row in rows:
        for cell in (f"{100 * row['score']:.2f} %", f"{row['expected_loss']:.4f}"):
            assert re.search(f"<td[^>]*>{re.escape(cell)}</td>", page)


def test_ratings_by_sequence_are_refused(evaluated):
    done = run(evaluated[0], "leaderboard", "--rating", "elo", status=1)
    assert error(done) == "Error: exact results have no sequence of matches to rate; leave --rating out"


@pytest.mark.slow
def test_played_and_exact_results_have_tables_of_their_own(tmp_path):
    args = ("--entry", "random", "--entry", "first", "--seed", "1")
    run(tmp_path, "tournament", *args, "--rounds", "5")
    before = shown(tmp_path, "leaderboard")
    exact = shown(tmp_path, "tournament", *args, "--exact")["leaderboard"]
    both = shown(tmp_path, "leaderboard")
    assert both == before + exact
    assert [row["exact"] for row in both] == [False, False, True, True]
    lines = run(tmp_path, "leaderboard").stdout.splitlines()
    assert [line for line in lines if line.startswith("tic-tac-toe")] == [
        "tic-tac-toe",
        "tic-tac-toe, exactly",
    ]
    table = list(csv.DictReader(run(tmp_path, "leaderboard", "--csv").stdout.splitlines()))
    assert [row["exact"] for row in table] == ["0", "0", "1", "1"]
    assert shown(tmp_path, "leaderboard", "--tournament", "2") == exact


@pytest.mark.slow
def test_the_last_of_several_exact_tournaments_counts(tmp_path):
    tournament(tmp_path, "random", "first", "--openings random:2")
    tournament(tmp_path, "random", "first", "greedy")
    alone = tournament(tmp_path, "first", "greedy", "random", "--db alone.db", "--json")
    pooled = {row["entry"]: row["wins"] for row in shown(tmp_path, "leaderboard")}
    wanted = {row["entry"]: row["wins"] for row in json.loads(alone.stdout)["leaderboard"]}
    assert pooled == pytest.approx(wanted)


@pytest.mark.slow
def test_a_file_may_ask_for_it(tmp_path):
    (tmp_path / "exact.toml").write_text(
        'game = "tic-tac-toe"\nentries = ["random", "first"]\nexact = true\n'
    )
    done = run(tmp_path, "tournament", "exact.toml")
    assert done.stdout.startswith("Tournament 1: tic-tac-toe, evaluated exactly, in arena.db\n")
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM exact") == [(2,)]
    (tmp_path / "exact.toml").write_text('exact = "yes"\n')
    done = run(tmp_path, "tournament", "exact.toml", status=1)
    assert error(done) == "Error: exact.toml: exact takes true or false, not 'yes'"


@pytest.mark.slow
def test_removing_one_leaves_nothing(tmp_path):
    tournament(tmp_path, "random", "first")
    tournament(tmp_path, "random", "greedy")
    run(tmp_path, "tournaments", "remove", "1", "--yes")
    db = tmp_path / "arena.db"
    assert query(db, "SELECT DISTINCT tournament FROM exact") == [(2,)]
    assert query(db, "SELECT DISTINCT tournament FROM against_perfect") == [(2,)]
    assert sorted(query(db, "SELECT name FROM entries")) == [("greedy",), ("random",)]
    run(tmp_path, "tournaments", "remove", "2", "--yes")
    for table in ("tournaments", "exact", "against_perfect", "entries"):
        assert query(db, f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.slow
def test_nothing_is_played_into_an_exact_tournament(tmp_path):
    tournament(tmp_path, "random", "first")
    done = run(tmp_path, "tournament", "--resume", "1", status=1)
    told = "Error: tournament 1 was evaluated exactly and has no matches; begin a new one"
    assert error(done) == told
    assert error(run(tmp_path, "tournament", "--resume", status=1)).endswith(
        "no unfinished tournament to resume"
    )
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM matches") == [(0,)]


@pytest.mark.slow
def test_an_older_database_is_read_and_brought_up_to_date(tmp_path):
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    run(tmp_path, "tournament", "--entry", "random", "--entry", "first", "--seed", "1", "--db", "new.db")
    opened = Database(sqlite3.connect(old))
    migrations.apply(opened, stop_before="0002 exact results")
    opened.execute("ATTACH DATABASE ? AS new", (str(new),))
    opened.execute("UPDATE new.tournaments SET code = 'unknown'")
    opened.execute("DELETE FROM new.codes")
    for table in ("tournaments", "entries", "matches", "pairings", "elo"):
        columns = ", ".join(name for _, name, *_ in opened.execute(f"PRAGMA main.table_info({table})"))
        opened.execute(f"INSERT INTO {table} SELECT {columns} FROM new.{table}")
    opened.conn.commit()
    opened.close()
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('exact', 'against_perfect')"
    before = old.read_bytes()
    for command in (["leaderboard"], ["tournaments", "show", "1"], ["tournaments", "list"]):
        assert shown(tmp_path, *command, "--db", "old.db") == shown(tmp_path, *command, "--db", "new.db")
    assert old.read_bytes() == before
    assert not query(old, tables)
    tournament(tmp_path, "random", "first", "--db old.db")
    assert len(query(old, tables)) == 2
    board = shown(tmp_path, "leaderboard", "--db", "old.db")
    assert board[:2] == shown(tmp_path, "leaderboard", "--db", "new.db")
    assert [row["exact"] for row in board] == [False, False, True, True]


@pytest.mark.slow
def test_two_may_record_at_once(tmp_path, launch):
    args = ("--exact", "--entry", "random", "--entry", "first", "--entry", "greedy")
    running = [launch("tournament", *args, "--workers", "1", "--json") for _ in range(2)]
    found = []
    for one in running:
        done = one.ended()
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert sorted(said["tournament"] for said in found) == [1, 2]
    assert found[0]["pairings"] == found[1]["pairings"]
    sql = "SELECT tournament, count(*) FROM exact GROUP BY tournament"
    assert query(tmp_path / "arena.db", sql) == [(1, 6), (2, 6)]


@pytest.mark.slow
def test_ctrl_c_ends_it_and_nothing_is_recorded(tmp_path, launch, env):
    begun = tmp_path / "begun"
    args = ("--exact", "--entry", "slow", "--entry", "random", "--workers", "2")
    running = launch("tournament", *args, BEGUN=str(begun), **env)
    assert until(begun.exists)
    running.send(signal.SIGINT, group=True)
    done = running.ended()
    assert done.returncode == 130
    lines = done.stderr.splitlines()
    assert "Stopping once the work in progress is saved; press Ctrl-C again to stop at once." in lines
    assert lines[-1] == "Stopped; exact results are recorded only when all are complete."
    assert done.stdout == ""
    assert running.nothing_left()
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM tournaments") == [(0,)]


# --- whatever cannot be evaluated --------------------------------------------------------------------------

LEFT = "leave --exact out, and play matches"
REFUSED = [
    ("match random first --exact --game checkers", f"draws by repetition, .*; {LEFT}", 1),
    ("match random first --exact --game checkers:repetition=0", f"100 plies without a capture.*; {LEFT}", 1),
    ("match random first --exact --move-seconds 1", "--exact has no clock; remove --move-seconds", 2),
    ("match random first --exact --seed 1", "--exact uses no random numbers; remove --seed", 2),
    ("perft tic-tac-toe 1001", "1001 is not in the range 1<=x<=1000", 2),
    ("match random first --exact --matches 3", "--exact plays no matches; remove --matches", 2),
    ("match random first --exact --matches 100", "--exact plays no matches; remove --matches", 2),
    ("match random randon --exact", "no agent called 'randon', did you mean 'random'", 1),
    ("match random first --exact --openings random:9", "no match of tic-tac-toe continues after 9", 1),
    ("tournament --exact --entry random --entry first --game checkers", f"repetition.*; {LEFT}", 1),
    (
        "tournament --exact --entry random --entry first --move-seconds 1",
        f"a match with a time limit per move .*; .*{LEFT}",
        1,
    ),
    ("tournament --exact --entry random", "a tournament needs at least two entries", 1),
    ("tournament --exact --resume 1", "--resume keeps the tournament's settings; remove --exact", 2),
]
OF_PLUGINS = [
    ("match random fraction --exact", f"fraction does not report .*; leave it out, or {LEFT}"),
    ("match random first --exact --game round", f"round has draws by repetition, .*; {LEFT}"),
    ("match random first --exact --game dies", "game dies failed: the process ended itself with status 4"),
    ("tournament --exact --entry random --entry fraction", "fraction does not report .*; leave it out, or"),
]


def nothing_recorded(db):
    return not db.exists() or query(db, "SELECT count(*) FROM tournaments") == [(0,)]


@pytest.mark.parametrize(("command", "told", "status"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_cannot_be_evaluated_is_refused_in_one_line(tmp_path, monkeypatch, capfd, command, told, status):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    monkeypatch.setenv("ARENA_COMPILED", "0")
    with pytest.raises(SystemExit) as end:
        main(command.split())
    assert end.value.code == status
    out, err = capfd.readouterr()
    assert out == ""
    assert re.fullmatch(f"Error: .*{told}.*\n", err)
    assert nothing_recorded(tmp_path / "arena.db")


@pytest.mark.parametrize(
    ("command", "told"),
    tiers(OF_PLUGINS, quick=["match random fraction --exact"]),
    ids=[case[0] for case in OF_PLUGINS],
)
def test_what_plugins_offer_is_refused_likewise(tmp_path, env, command, told):
    assert re.search(told, error(run(tmp_path, *command.split(), status=1, **env)))
    assert nothing_recorded(tmp_path / "arena.db")


@pytest.mark.parametrize("command", ["match random", "tournament --entry random --entry"])
def test_keep_training_is_refused_by_name(tmp_path, command):
    entry = "keep-training:learner=(q-backprop:episodes=20)"
    done = run(tmp_path, *command.split(), entry, "--exact", status=1)
    told = f"Error: {entry} does not report the probabilities of its moves; leave it out, or {LEFT}"
    assert error(done).replace("(", "").replace(")", "") == told.replace("(", "").replace(")", "")


@pytest.mark.slow
def test_a_game_of_too_many_positions_is_refused(tmp_path):
    done = arena_compiled(tmp_path, "match", "random", "first", "--exact", "--game", "connect-four", status=1)
    assert re.fullmatch(
        f"Error: connect-four has more than 1,000,000 positions: .* within 10 plies; {LEFT}", error(done)
    )


# --- entries that fail -------------------------------------------------------------------------------------


def raises(board):
    free = [i for i in range(9) if board[i] == "."]
    return {} if len(free) == 5 else {free[0]: Fraction(1)}


@pytest.mark.slow
def test_one_that_raises_forfeits_where_it_does(tmp_path, env):
    """It is first to move where five squares are left, as X after four plies."""
    done = run(tmp_path, "match", "raises", "random", "--exact", "--json", **env)
    found = json.loads(done.stdout)
    hand = match(raises, anyhow), match(anyhow, raises)
    assert hand[0]["first_forfeit"] == 1  # nothing has ended by then
    assert hand[1]["second_forfeit"] == 0  # as second it never is asked there
    for row, wanted in zip(found["pairings"], hand, strict=True):
        assert ends(row) == pytest.approx([float(wanted[key]) for key in ("win", "draw", "loss")], abs=1e-12)
        assert row["forfeits"] == pytest.approx(float(wanted["first_forfeit"] + wanted["second_forfeit"]))
    faults = {row["entry"]: row["fault"] for row in found["against_perfect"]}
    assert faults["random"] is None
    assert re.fullmatch(r"ValueError: five are too many, in [XO.]{9}", faults["raises"])
    assert faults["raises"][-9:].count(".") == 5
    assert done.stderr.splitlines()[-1] == f"Warning: raises forfeits where it fails: {faults['raises']}"


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("hangs", r"no answer within 1 s, at faulty\.py:\d+ in choose"),
        ("leaves", "the process ended itself with status 3"),
    ],
)
@pytest.mark.slow
def test_one_that_hangs_or_ends_its_process_forfeits_everywhere(tmp_path, env, entry, why):
    args = ("--stall-seconds 1", "--json")
    done = tournament(tmp_path, "random", entry, "first", *args, **env)
    found = json.loads(done.stdout)
    met = pairings(found)
    for other in ("random", "first"):
        assert ends(met[entry, other]) == (0, 0, 1)
        assert ends(met[other, entry]) == (1, 0, 0)
        assert met[entry, other]["forfeits"] == met[other, entry]["forfeits"] == 1
    alone = json.loads(tournament(tmp_path, "random", "first", "--db alone.db", "--json").stdout)
    assert pairings(alone).items() <= met.items()
    assert re.fullmatch(f"Warning: {entry} forfeits where it fails: {why}", done.stderr.splitlines()[-1])
    (row,) = found["unrated"]
    assert row["entry"] == entry
    assert row["forfeits"] == row["losses"] == pytest.approx(row["matches"])
    assert re.fullmatch(rf"forfeits 100 % of its matches: {why}", row["why"])
    table = run(tmp_path, "leaderboard").stdout.splitlines()
    assert any(line.startswith(f"{entry} ") for line in table)


# --- games and agents in plain Python ----------------------------------------------------------------------


@cache
def nim(heaps):
    """The chance that whoever is to move wins, both moving at random."""
    after = [tuple(sorted((*heaps[:i], left, *heaps[i + 1 :]))) for i in range(3) for left in range(heaps[i])]
    return 1 - sum(nim(later) for later in after) / len(after) if after else 0.0


@pytest.mark.slow
def test_a_bigger_game_in_plain_python_is_evaluated(tmp_path, env):
    found = shown(tmp_path, "match", "random", "nimmer", "--exact", "--game", "nim", **env)
    rows = pairings(found)
    assert reduce(xor, (8, 9, 12)) != 0  # so the first player can win
    assert ends(rows["nimmer", "random"]) == pytest.approx((1, 0, 0), abs=1e-9)
    assert rows["nimmer", "random"]["first_blunder_rate"] == 0
    lost = {row["entry"]: row for row in found["against_perfect"]}
    fell = lost["nimmer"]["as_first"], lost["nimmer"]["as_second"], lost["random"]["as_second"]
    assert fell == pytest.approx((0, 0, 0), abs=1e-12)  # as second there is nothing to lose
    assert 0.9 < lost["random"]["as_first"] < 1
    same = shown(tmp_path, "match", "scout", "random", "--exact", "--game", "nim", **env)
    assert ends(same["pairings"][0])[0] == pytest.approx(nim((8, 9, 12)), abs=1e-12)


# --- findings of learners ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_value_iteration_tells_how_it_converged(tmp_path):
    """The published program prints 10000, 9000, 8100 and so on."""
    models = {"ARENA_MODELS": str(tmp_path / "models")}
    args = ("train", "value-iteration:published=true,episodes=60", "--game", "checkers-4x4")
    done = arena_compiled(tmp_path, *args, **models)
    lines = [line.split() for line in done.stdout.splitlines()]
    start = lines.index(["sweep", "change", "start"])
    changes = [10000 * 0.9**i for i in range(60)]
    table = lines[start + 1 : -1]
    assert [row[0] for row in table] == [*map(str, range(45)), "…", *map(str, range(55, 60))]
    assert [float(row[1]) for row in table if row[0] != "…"] == pytest.approx(changes[:45] + changes[-5:])
    trained = json.loads(arena_compiled(tmp_path, *args, "--json", **models).stdout)
    assert list(trained["findings"]) == ["sweep", "change", "start"]
    assert trained["findings"]["change"] == pytest.approx(changes)
    (model,) = json.loads(run(tmp_path, "models", "list", "--json", **models).stdout)
    about = json.loads(run(tmp_path, "models", "show", model["model"], "--json", **models).stdout)
    assert about["findings"] == trained["findings"]
    text = run(tmp_path, "models", "show", model["model"], **models).stdout
    assert [line.split() for line in text.splitlines()][-len(table) :] == table


@pytest.mark.slow
def test_a_learner_without_findings_shows_none(tmp_path):
    models = {"ARENA_MODELS": str(tmp_path / "models")}
    args = ("train", "q-table:episodes=20")
    assert "sweep" not in run(tmp_path, *args, **models).stdout
    assert "findings" not in json.loads(run(tmp_path, *args, "--json", **models).stdout)
    (model,) = json.loads(run(tmp_path, "models", "list", "--json", **models).stdout)
    args = ("models", "show", model["model"], "--json")
    assert "findings" not in json.loads(run(tmp_path, *args, **models).stdout)
    assert Path(model["path"]).exists()

"""What stands in a page, read as text."""

from __future__ import annotations

import base64
import html
import json
import re
import signal
import sqlite3
import threading

import pytest

import arena
from arena.ratings.leaderboard import Leaderboard
from arena.ratings.row import Row
from arena.registry.plugins import spec_named
from arena.show.page import headline, replay
from commands import arena as command
from page_data import data_of

ENTRIES = ["random", "greedy", "alpha-beta:depth=2"]


class Quits(arena.Agent):
    def choose(self, state, moves, rng):
        raise RuntimeError("<b>had enough</b>")


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    db = tmp_path_factory.mktemp("page") / "arena.db"
    arena.tournament(ENTRIES, game="connect-four", rounds=4, seed=1, db=db, progress=False, executor="serial")
    return db


def written(db, **options):
    """The page's text, and the data of its script."""
    path = db.parent / "page.html"
    arena.leaderboard(html=path, db=db, **options)
    text = path.read_text(encoding="utf-8")
    return text, data_of(text)


def query(db, sql):
    with sqlite3.connect(db) as conn:
        return conn.execute(sql).fetchall()


@pytest.mark.slow
def test_every_match_is_there_with_each_of_its_positions(db):
    (game,) = written(db, playable=False)[1]
    rules = spec_named("game", "connect-four").make()
    rows = query(db, "SELECT number, first, second, result, moves FROM results ORDER BY number")
    assert len(rows) == len(game["matches"]) == game["of"] == 24
    for (number, first, second, result, moves), match in zip(rows, game["matches"], strict=True):
        assert (match["number"], match["result"], " ".join(match["moves"])) == (number, result, moves)
        assert [game["names"][i] for i in match["seats"]] == [first, second]
        state, cells = rules.initial(), match["start"]
        assert cells == [0] * 42
        for move, changes in zip(moves.split(), match["changes"], strict=True):
            state = rules.play(state, rules.read_move(state, move))
            for cell, piece in zip(changes[::2], changes[1::2], strict=True):
                cells[cell] = piece
            assert cells == [rules.piece(state, cell) for cell in range(42)]
        winner = {1: "X has won", -1: "O has won", 0: "drawn"}[result]
        assert game["texts"][match["said"][-1]] == winner


@pytest.mark.slow
def test_of_many_matches_there_is_a_sample_and_it_says_so(db, monkeypatch):
    monkeypatch.setattr("arena.show.page.MOST_PLIES", 100)
    text, (game,) = written(db, playable=False)
    shown = len(game["matches"])
    assert 0 < sum(len(match["moves"]) for match in game["matches"]) <= 100
    assert f"{shown} of 24 matches can be replayed" in text
    assert replay.MOST_PLIES > 100


def test_it_begins_with_a_title_the_facts_and_what_came_out(db):
    text, _ = written(db, playable=False, title="Autumn <cup>")
    assert "<title>Autumn &lt;cup&gt;</title>" in text
    assert '<h1 class="title">Autumn &lt;cup&gt;</h1>' in text
    (day,) = query(db, "SELECT substr(created, 1, 10) FROM tournaments")[0]
    head = f"<span>{day}</span><span>24 matches</span><span>3 entries</span>"
    assert head in text
    (board,) = arena.leaderboard(db=db)
    said = html.unescape(re.sub("<.*?>", "", re.search(r'<p class="outcome">(.*?)</p>', text)[1]))
    said = said.replace("\xa0", " ")
    best = board.rows[0]
    assert said.startswith(f"{best.entry} is ")
    assert f"{best.rating:.0f} (95 %: {best.low:.0f} to {best.high:.0f})" in said


def able_to_be_best(*able):
    """The headline of a leaderboard on which these of nine entries may be the best."""
    ranks = [1 if i in able else 5 for i in range(9)]
    rows = [
        Row(1 + i, f"e{i}", 1600 - 10 * i, 1500, 1700, None, *[0] * 6, best_rank=best, worst_rank=9)
        for i, best in enumerate(ranks)
    ]
    return headline.outcome(Leaderboard("nim", rows, []))


def test_the_headline_says_how_sure_the_best_is():
    rated = "e0 is rated highest, 1600 (95 %: 1500 to 1700), 10 points ahead of e1; "
    rating = "its rating is 1600 (95 %: 1500 to 1700), 10 points ahead of e1."
    assert able_to_be_best(0) == f"e0 is the best, with 95 % confidence; {rating}"
    assert able_to_be_best(0, 1) == f"{rated}either of them may be the best."
    assert able_to_be_best(0, 2) == f"{rated}the best may be any of e0 and e2."
    assert able_to_be_best(0, 1, 2, 3) == f"{rated}the best may be any of e0, e1, e2 and e3."
    assert able_to_be_best(*range(6)) == f"{rated}the best may be any of 6 entries."


def test_the_page_of_an_entry_begins_with_its_rating_and_rank(db):
    text, _ = written(db, playable=False)
    (board,) = arena.leaderboard(db=db)
    places = re.findall(r"<dt>rating</dt><dd>(\d+) .*?, rank (\d+)(?:–(\d+))? of 3</dd>", text)
    assert places == [
        (
            f"{row.rating:.0f}",
            str(row.best_rank),
            str(row.worst_rank) if row.worst_rank > row.best_rank else "",
        )
        for row in board.rows
    ]


@pytest.mark.slow
def test_the_coach_of_entries_asked_for_is_there_with_links(db):
    text, (game,) = written(db, playable=False, coach=["random"])
    found = arena.coach("random", db=db)
    said = [html.unescape(re.sub("<.*?>", "", one)) for one in re.findall("<li>(.*?)</li>", text)]
    assert [one.replace("\xa0%", " %") for one in said] == [*found.sentences]
    first = found.mistakes[0]
    assert f'href="#match={first.match}&amp;ply={first.ply}"' in text
    match = next(one for one in game["matches"] if one["number"] == first.match)
    _, before, after, right, _ = match["wrong"][str(first.ply)]
    assert (before, after) == (first.before, first.after)
    assert set(right) <= set(first.right)


def test_who_is_not_there_cannot_be_coached(db):
    with pytest.raises(arena.ArenaError, match=r"no leaderboard has an entry 'gredy' to coach.*greedy"):
        written(db, playable=False, coach=["gredy"])


def test_nothing_is_judged_before_all_entries_to_coach_are_found(db, monkeypatch):
    from arena.commands.leaderboard import coaching

    monkeypatch.setattr(coaching, "coached_entries", lambda *args: pytest.fail("judged"))
    with pytest.raises(arena.ArenaError, match=r"'gredy'"):
        written(db, playable=False, coach=["random", "gredy"])


def test_a_coach_needs_matches(tmp_path):
    with pytest.raises(arena.ArenaError, match="coach needs db"):
        arena.leaderboard(db=None, html=tmp_path / "page.html", coach=["random"])


def test_time_per_move_is_that_on_record(db):
    text, _ = written(db, playable=False)
    own = {name: [0.0, 0] for name in ENTRIES}
    for first, second, plies, *seconds in query(
        db,
        "SELECT a.name, b.name, plies, first_seconds, second_seconds FROM matches"
        " JOIN entries a ON a.id = first JOIN entries b ON b.id = second",
    ):
        for name, moves, spent in ((first, (plies + 1) // 2, seconds[0]), (second, plies // 2, seconds[1])):
            own[name][0] += spent
            own[name][1] += moves
    for _, moves in own.values():
        assert f"({moves:,} moves)" in text
    shown = re.findall(r"<dt>time per move</dt><dd>([\d.]+) (ns|µs|ms|s) ", text)
    sizes = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
    found = sorted(float(number) * sizes[unit] for number, unit in shown)
    assert found == pytest.approx(sorted(spent / moves for spent, moves in own.values()), rel=0.006)


@pytest.mark.slow
def test_forfeits_are_told_with_how_often_and_why(tmp_path):
    db = tmp_path / "arena.db"
    how = {"game": "tic-tac-toe", "rounds": 2, "seed": 1, "executor": "serial", "withdraw_after": 0}
    arena.tournament([Quits, "random"], **how, db=db, progress=False)
    text, (game,) = written(db)
    assert "<h2>Forfeits</h2>" in text
    row = re.search(r'<th scope="row">quits</th><td>(\d+)</td><td>(.*?)</td><td>(.*?)</td>', text)
    assert (row[1], row[2]) == ("4", "crash")
    assert "tournament 1, match 0: RuntimeError: <b>had enough</b>" in html.unescape(row[3])
    assert "<b>had" not in text
    assert all(match["detail"] for match in game["matches"])
    assert [one["entry"] for one in game["playable"]] == [game["names"].index("random")]
    assert "<summary>Cannot be played here: quits</summary><dl><dt>quits</dt><dd>" in text


def test_rules_that_have_changed_since_draw_no_boards(db, tmp_path):
    other = tmp_path / "arena.db"
    other.write_bytes(db.read_bytes())
    with sqlite3.connect(other) as conn:
        conn.execute("UPDATE tournaments SET code = '0123456789abcdef'")
    (game,) = written(other, playable=False)[1]
    assert game["board"] is None
    (said,) = {match["fault"] for match in game["matches"]}
    assert said == "the version of the game that was played is not installed"
    assert all("start" not in match for match in game["matches"])


@pytest.mark.slow
def test_what_is_exact_has_a_crosstable_no_matches_and_who_plays(tmp_path):
    db = tmp_path / "arena.db"
    arena.tournament(["random", "first"], game="tic-tac-toe", exact=True, db=db, progress=False)
    text, (game,) = written(db)
    assert "Who beat whom" in text
    assert 'href="#pairing-' not in text
    assert (game["matches"], game["of"]) == ([], 0)
    assert {game["names"][one["entry"]] for one in game["playable"]} == {"random", "first"}


@pytest.mark.slow
def test_of_several_seeds_the_first_plays_and_what_is_too_large_is_told(tmp_path, monkeypatch):
    db, entries = tmp_path / "arena.db", ["q-table:episodes=300,seeds=2", "random", "first"]
    arena.tournament(entries, game="tic-tac-toe", rounds=2, seed=1, db=db, progress=False, executor="serial")
    text, (game,) = written(db)
    assert {game["names"][one["entry"]] for one in game["playable"]} == {*entries}
    assert "Of an entry with several seeds, the first plays." in text
    learner = next(one for one in game["playable"] if game["names"][one["entry"]] == entries[0])
    note = base64.b64decode(learner["module"])
    assert b'"entry":"q-table:episodes=300"' in note
    size = max(len(one["module"]) for one in game["playable"]) * 3 // 4
    monkeypatch.setattr("arena.commands.page.content.MODULE", size // 2)
    text, (game,) = written(db)
    assert entries[0] not in {game["names"][one["entry"]] for one in game["playable"]}
    assert re.search(r"<dt>q-table:episodes=300,seeds=2</dt><dd>0\.\d MB of data are too many</dd>", text)
    assert "Of an entry with several seeds" not in text
    monkeypatch.undo()
    monkeypatch.setattr("arena.commands.page.content.MODULES", size // 2)
    text, _ = written(db)
    assert "MB of data are more than the remaining space</dd>" in text


@pytest.mark.slow
def test_a_tournaments_page_is_written_as_it_is_played_and_at_the_end(tmp_path, monkeypatch):
    from arena.commands.page import content as pages

    seen = []
    whole = pages.page
    monkeypatch.setattr(pages, "EVERY", 0.0)
    monkeypatch.setattr(
        pages, "page", lambda events, **how: (seen.append(events[0].of), whole(events, **how))[1]
    )
    page = tmp_path / "page.html"
    how = {"game": "tic-tac-toe", "rounds": 400, "seed": 1, "executor": "serial", "html": page}
    arena.tournament(["random", "first"], **how, db=tmp_path / "arena.db", progress=False)
    assert seen[0] == 0
    assert seen[-1] == 800
    assert seen == sorted(seen)
    assert [path.name for path in tmp_path.iterdir() if "page" in path.name] == ["page.html"]


@pytest.mark.slow
def test_the_page_of_a_tournament_that_was_stopped_does_not_load_itself_anew(tmp_path, monkeypatch):
    from arena.commands.page import content as pages

    seen, stop, whole, page = [], threading.Event(), pages.put, tmp_path / "page.html"

    def put(path, text):
        whole(path, text)
        seen.append('<p class="running"' in page.read_text())
        if len(seen) == 2:
            stop.set()

    monkeypatch.setattr(pages, "EVERY", 0.01)
    monkeypatch.setattr(pages, "put", put)
    how = {
        "game": "tic-tac-toe",
        "rounds": 1_000_000,
        "seed": 1,
        "executor": "serial",
        "html": page,
        "stop": stop,
    }
    arena.tournament(["random", "first"], **how, db=tmp_path / "arena.db", progress=False)
    assert seen[:2] == [True, True]
    assert seen[-1] is False


@pytest.mark.slow
def test_ctrl_c_ends_the_writing_of_a_page_and_keeps_what_was_played(tmp_path, monkeypatch):
    from arena.cli.stopping import stopping
    from arena.commands.page import content as pages

    whole, page, calls = pages.page, tmp_path / "page.html", []

    def pressed(events, **how):
        calls.append(events[0].of)
        text = whole(events, **how)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("writing went on")
        return text

    monkeypatch.setattr(pages, "EVERY", 0.0)
    monkeypatch.setattr(pages, "QUICK", 0)
    monkeypatch.setattr(pages, "page", pressed)
    how = {"game": "tic-tac-toe", "rounds": 1_000_000, "seed": 1, "executor": "serial", "progress": False}
    db = tmp_path / "arena.db"
    with stopping("Playing") as stop:
        found = arena.tournament(["random", "first"], **how, html=page, db=db, stop=stop)
    assert calls[0] == 0 < calls[1] <= found.played < 2_000_000  # as many as are planned
    assert query(db, "SELECT count(*) FROM matches") == [(found.played,)]
    text = page.read_text()
    assert "0 matches" in text  # as it was before
    assert '<p class="running"' not in text
    assert [note for note in found.notes if str(page) in note] == [
        f"{page} shows the first 0 of {found.played:,} matches; "
        f'arena.leaderboard(tournament=1, html="{page}", db="{db}") shows all.'
    ]


@pytest.mark.slow
def test_the_command_names_a_page_that_cannot_be_written(tmp_path, db):
    said = command(tmp_path, "leaderboard", "--db", str(db), "--html", "none/page.html", status=1).stderr
    assert said == "Error: cannot write none/page.html: No such file or directory\n"
    words = [
        "tournament",
        "--entry",
        "random",
        "--entry",
        "first",
        "--html",
        "none/page.html",
        "--rounds",
        "1",
    ]
    said = command(tmp_path, *words, status=1).stderr
    assert said.endswith("Error: cannot write none/page.html: No such file or directory\n")


class Edge(arena.Agent):
    """The first move there is."""

    def choose(self, state, moves, rng):
        return moves[0]


FILE = """
from arena import Agent

class Last(Agent):
    def choose(self, state, moves, rng):
        {body}
"""


@pytest.mark.slow
def test_agents_of_files_and_classes_play_on_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "last.py").write_text(FILE.format(body="return moves[-1]"))
    page = tmp_path / "page.html"
    arena.tournament(["last.py", Edge, "random"], game="tic-tac-toe", rounds=1, seed=1, html=page)
    (game,) = data_of(page.read_text())
    assert {game["names"][one["entry"]] for one in game["playable"]} == {"last.py", "edge", "random"}
    assert "Cannot be played here" not in page.read_text()
    (tmp_path / "last.py").unlink()
    arena.leaderboard(html=page)
    (game,) = data_of(page.read_text())
    assert {game["names"][one["entry"]] for one in game["playable"]} == {"random"}
    assert "last.py (" in page.read_text()


@pytest.mark.slow
def test_what_is_not_played_cannot_be_stepped_through(tmp_path):
    (tmp_path / "bad.py").write_text(FILE.format(body="raise ValueError"))
    page, db = tmp_path / "page.html", tmp_path / "arena.db"
    entries = [str(tmp_path / "bad.py"), "random", "first"]
    arena.tournament(entries, game="tic-tac-toe", rounds=10, seed=1, html=page, db=db)
    (game,) = data_of(page.read_text())
    ((played,),) = query(db, "SELECT count(*) FROM matches WHERE reason <> 'withdrawn'")
    assert len(game["matches"]) == game["of"] == played < 60
    assert f"All {played} matches can be replayed." in page.read_text()


def test_the_matches_take_a_fraction_of_their_size(db):
    text, (game,) = written(db, playable=False)
    assert len(game["matches"]) == 24
    (element,) = re.findall(r'<script type="application/gzip" id="data">(.*?)</script>', text)
    assert len(element) < len(json.dumps(game)) / 3

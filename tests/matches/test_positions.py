"""Openings that begin in a position: how they are read, played, recorded, checked and shown."""

from __future__ import annotations

import json
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

import arena
from arena import Game
from arena.analysis.blunders import count_blunders
from arena.api.agent import Agent
from arena.api.limits import Limits
from arena.commands.verify.rules import wrong_by_rules
from arena.errors import ArenaError
from arena.matches.block import play_block
from arena.matches.match import play_match
from arena.plan.completion import complete
from arena.plan.opening_book import Opening
from arena.plan.plan import Plan
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from arena.results.tally import Replays
from arena.show.page.event import Played
from arena.show.page.replay import Film
from arena.storage.database import Store
from arena.workers.worker import Watch
from arena_games.tic_tac_toe import TicTacToe
from commands import in_a_new_worker, inside
from forging import checksums_anew
from page_data import page_text
from paths import ROOT
from records import query, rows

OLD = ROOT / "tests" / "data" / "release-0.1.0" / "arena.db"
CHECKERS = registry().spec("game", "checkers").make()
FENS = [  # positions of English draughts, two of them with White to move
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,16",
    "W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15",
    "W:WK3,22,23:B1,2,K32",
    "B:WK5,30,31:B1,12,K27",
]
BOOK = f"""\
# four endings and middle games
{FENS[0]}
{FENS[1]} # the second

{FENS[2]}
  {FENS[3]}
"""


def plan_of(openings: object, game: str = "checkers", **more: object) -> tuple[Settings, Plan]:
    said = {"game": game, "entries": ["random", "first"], "seed": 5, **more}
    return complete(Settings(**said, openings=str(openings)), registry())  # type: ignore[arg-type]


def book_of(openings: object, game: str = "checkers", **more: object) -> list[tuple[str | None, str]]:
    """The starts and moves of a book."""
    plan = plan_of(openings, game, **more)[1]
    text = plan.game.make().move_text
    return [(line.start, " ".join(map(text, line.moves))) for line in plan.openings.book]


@pytest.fixture(autouse=True)
def plainly(monkeypatch):
    """Nothing is compiled for these few matches."""
    monkeypatch.setenv("ARENA_COMPILED", "0")


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "book.txt", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding)
        return path

    return write


# --- reading -------------------------------------------------------------------------------------------


def test_a_line_is_moves_or_a_position_or_a_position_and_moves(file):
    path = file(f"{BOOK}11-15 23-19\n{FENS[2]} moves 22-17 32-28 3-8\n")
    starts = [(fen, "") for fen in FENS]
    assert sorted(book_of(path), key=str) == sorted(
        [*starts, (None, "11-15 23-19"), (FENS[2], "22-17 32-28 3-8")], key=str
    )
    assert book_of(f"{path}:1")[-2:] == [(None, "11-15"), (FENS[2], "22-17")]


@pytest.mark.parametrize(
    ("game", "text", "start"),
    [
        ("connect-four", "......./......./......./......./...O.../..XXO..", None),
        ("tic-tac-toe", "x.o......", "X.O......"),
        ("checkers", "b:w21-24:b1-3,k30.", "B:W21,22,23,24:B1,2,3,K30"),
        ("checkers", "W:W21,22:B1,2:H0:F1", "W:W21,22:B1,2"),
        ("checkers", "W:W21,22:B1,2:H7:F30", "W:W21,22:B1,2:H7:F30"),
    ],
)
def test_positions_of_any_game_are_recorded_in_its_notation(file, game, text, start):
    ((found, moves),) = book_of(file(text), game)
    assert (found, moves) == (start or text, "")


PDN = f"""\
[Event "a position with moves"]
[SetUp "1"]
[FEN "{FENS[2]}"]
1... 22-17 32-28 *

[Event "a position alone"]
[FEN "{FENS[3]}"]
[Result "*"]

*

[Event "none"]
1. 11-15 23-19 *

[FEN "{FENS[0]}"]
[FEN "{FENS[1]}"]
"""


def test_matches_with_a_fen_tag_begin_there_and_the_next_without_one_at_the_start(file):
    expected = [(FENS[2], "22-17 32-28"), (FENS[3], ""), (None, "11-15 23-19"), (FENS[0], ""), (FENS[1], "")]
    assert book_of(file(PDN)) == expected


def test_a_fen_tag_of_the_games_own_start_is_no_position(file):
    own = CHECKERS.position_text(CHECKERS.initial())
    assert book_of(file(f'[FEN "{own}"]\n1. 11-15 23-19 *')) == [(None, "11-15 23-19")]


def test_what_comes_twice_counts_once_however_it_is_written(file):
    path = file(f"{FENS[3]}\nb:wk5,30,31:b1,12,k27\n{FENS[3]}:F9\n{FENS[3]} moves 12-16\n{FENS[3]}:H4\n")
    assert book_of(path) == [(FENS[3], ""), (FENS[3], "12-16"), (f"{FENS[3]}:H4", "")]


@pytest.mark.parametrize(
    ("text", "game", "error"),
    [
        ("B:W21,22:B1,99", "checkers", "book.txt, line 1: correct the position, .* a piece on square 99"),
        ("\n8/8/8/8 w - -\n", "checkers", "book.txt, line 2: correct the position, or remove it: '8/8/8/8 w"),
        ("B:W21:B", "checkers", "line 1: the match is over in this position; remove the line"),
        ("XXXOO....", "tic-tac-toe", "line 1: the match is over in this position"),
        (f"{FENS[2]} moves 22-17 nonsense", "checkers", "line 1: correct ply 2, .*'nonsense'"),
        ("XX.OO.... moves 3", "tic-tac-toe", "line 1: the match is over after '3', ply 1"),
        ("XX.OO.... moves 3 4", "tic-tac-toe", "line 1: the match is over after '3', ply 1"),
        ('[FEN "B:W21:B1"]\n\n1. 21-17 *', "checkers", "line 3: correct ply 1, .*'21-17'"),
        ('[Event ""]\n[FEN "nonsense"]\n*', "checkers", "line 2: correct the position, .*'nonsense'"),
        ("B:W21,22:B1,2:H80", "checkers:quiet_plies=80", "drawn by no capture in 'B:W21,22:B1,2:H80'"),
        (
            "B:W21,22:B1,2:H79 moves 1-5",
            "checkers:quiet_plies=80",
            "drawn by no capture at '1-5', ply 1",
        ),
    ],
)
def test_what_cannot_begin_a_match_is_refused_by_file_and_line(file, text, game, error):
    with pytest.raises(ArenaError, match=error) as raised:
        plan_of(file(text), game)
    assert "\n" not in str(raised.value)


class Silent(Game):
    """Two moves each, by turns; nobody wins. Positions cannot be read."""

    def initial(self):
        return (0, 0)

    def moves(self, state):
        return [0, 1] if state[0] < 4 else []

    def play(self, state, move):
        return (state[0] + 1, 2 * state[1] + move)

    def to_move(self, state):
        return state[0] % 2

    def value(self, state):
        return 0


class Elsewhere(Silent):
    """The same; what it writes of a position it reads as another."""

    def read_position(self, text):
        return (1, len(text))


def test_a_game_that_reads_no_positions_says_what_it_lacks(file):
    for text in ("8/8/8/8 w - -", '[FEN "1 2"]\n0 *'):
        with pytest.raises(
            ArenaError, match=r"line 1: '.*' is a position, which .* cannot read; define read_po"
        ):
            arena.match("random", "first", game=Silent, openings=file(text), executor="serial")


def test_a_game_that_reads_another_position_than_it_wrote_is_at_fault(file):
    with pytest.raises(ArenaError, match=r"game elsewhere failed: .* is read as another position"):
        arena.match("random", "first", game=Elsewhere, openings=file("x"), executor="serial")


def test_exact_results_are_of_the_games_own_start_alone(file):
    with pytest.raises(ArenaError, match=r"have positions, but exact results .*; leave the positions out"):
        plan_of(file("X.O......"), "tic-tac-toe", exact=True)


# --- playing -------------------------------------------------------------------------------------------


def play(folder, db, **how):
    """Play a tournament from the positions."""
    found = {"rounds": 6, "seed": 3, "openings": folder / "book.txt", "max_plies": 80, "executor": "serial"}
    arena.tournament(["random", "first"], game="checkers", db=folder / db, **{**found, **how})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The database of such a tournament."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "book.txt").write_text(BOOK)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_COMPILED", "0")
        play(folder, "a.db")
    return folder / "a.db"


@pytest.fixture
def played(tmp_path, file, whole):
    """A folder with a copy of it."""
    file(BOOK)
    (tmp_path / "a.db").write_bytes(whole.read_bytes())
    return tmp_path


def recorded(db):
    return query(db, "SELECT number, round, first, second, start, moves, result, opening FROM matches")


def test_both_seats_of_a_round_begin_in_one_position_and_all_come_before_one_comes_again(played):
    found = recorded(played / "a.db")
    starts = {}
    for _, round, _, _, start, _, _, opening in found:
        assert starts.setdefault(round, start) == start
        assert opening == 0
    assert len(found) == 12
    assert {starts[round] for round in range(4)} == {*FENS}
    for _, _, first, second, start, moves, _, _ in found:
        state = CHECKERS.read_position(start)
        for word in moves.split():
            legal = {CHECKERS.move_text(move): move for move in CHECKERS.moves(state)}
            # `first`, which has the second number, plays the first legal move when its side is to move
            if (first, second)[CHECKERS.to_move(state)] == 2:
                assert word == next(iter(legal))
            state = CHECKERS.play(state, legal[word])


def test_it_is_verified_replayed_and_debugged(played):
    db = played / "a.db"
    found = arena.verify(db, executor="serial")
    assert (found.agrees, found.sampled, found.repeated) == (True, 12, 12)
    for number, _, _, _, start, moves, result, _ in recorded(db):
        replay = arena.replay(1, number, db=db, mistakes=False)
        assert CHECKERS.position_text(replay.states[0]) == start
        assert [ply.move for ply in replay.plies] == moves.split()
        assert [ply.seat for ply in replay.plies[:2]] == ([0, 1] if start[0] == "B" else [1, 0])
        assert replay.to_dict()["start"] == start
        again = arena.debug(1, number, db=db).record
        assert again is not None
        assert (again.start, again.moves, again.result) == (start, moves, result)


@pytest.mark.parametrize("start", ["B:W21,22:B1,2", "nonsense", None])
def test_a_forged_start_is_found(played, start):
    db = played / "a.db"
    query_and_commit(db, "UPDATE matches SET start = ? WHERE number = 7", start)
    found = arena.verify(db, executor="serial")
    assert {one.match for one in found.differences} == {7}


def query_and_commit(db, sql, *values):
    import sqlite3

    connection = sqlite3.connect(db)
    with connection:
        connection.execute(sql, values)
    connection.close()


def test_it_is_resumed_to_the_same_matches(played):
    part, whole = played / "part.db", played / "a.db"
    part.write_bytes(whole.read_bytes())
    for table in ("pairings", "elo", "fits"):
        query_and_commit(part, f"DELETE FROM {table}")
    query_and_commit(part, "DELETE FROM matches")
    query_and_commit(part, "UPDATE tournaments SET finished = NULL")
    (played / "book.txt").unlink()  # the lines are on record
    arena.resume(db=part, executor="serial")
    assert recorded(part) == recorded(whole)
    assert rows(part)["pairings"] == rows(whole)["pairings"]


def test_shards_are_merged_to_the_same_matches(played):
    for shard in ("1/2", "2/2"):
        play(played, f"{shard[0]}.db", shard=shard)
    arena.merge([played / "2.db", played / "1.db"], played / "both.db")
    assert recorded(played / "both.db") == recorded(played / "a.db")
    assert rows(played / "both.db")["pairings"] == rows(played / "a.db")["pairings"]


def test_shards_of_which_a_match_began_elsewhere_are_not_merged(played):
    (played / "b.db").write_bytes((played / "a.db").read_bytes())
    for db in ("a.db", "b.db"):
        query_and_commit(
            played / db, "UPDATE tournaments SET settings = json_set(settings, '$.shard', '1/1')"
        )
    query_and_commit(played / "b.db", "UPDATE matches SET start = 'B:W21,22:B1,2' WHERE number = 3")
    for db in ("a.db", "b.db"):
        checksums_anew(played / db)
    with pytest.raises(ArenaError, match="match 3 differs between"):
        arena.merge([played / "a.db", played / "b.db"], played / "c.db")


def test_what_is_exported_is_read_back(played):
    db = played / "a.db"
    found = [json.loads(line) for line in arena.tournaments.export(1, db)]
    assert [(one["start"], " ".join(one["moves"])) for one in found] == [row[4:6] for row in recorded(db)]
    text = "\n".join(arena.tournaments.export(1, db, notation=True))
    (played / "games.pdn").write_text(text)
    assert book_of(f"{played / 'games.pdn'}:3") == [
        *dict.fromkeys((row[4], " ".join(row[5].split()[:3])) for row in recorded(db))
    ]


def test_exported_pdn_numbers_moves_from_the_position():
    tags = dict.fromkeys(("event", "date", "round", "first", "second"), "?")
    text = CHECKERS.match_text(
        {**tags, "termination": "rules", "result": "1-0", "start": f"{FENS[2]}:F30"},
        ["22-17", "32-28", "3-8"],
    )
    assert f'[SetUp "1"]\n[FEN "{FENS[2]}:F30"]' in text
    assert "\n30... 22-17 31. 32-28 3-8 1-0\n" in text


def test_a_page_draws_each_match_from_its_position(played):
    (row,) = [row for row in recorded(played / "a.db") if row[0] == 4]
    match = Played(1, 4, "random", "first", row[6], "rules", None, 0, row[5], row[4])
    (film,) = Film(CHECKERS).matches([match], ["random", "first"])
    state = CHECKERS.read_position(row[4])
    assert (film["fault"], len(film["changes"])) == ("", len(row[5].split()))
    assert film["start"] == [CHECKERS.piece(state, cell) for cell in range(32)]


def test_a_page_of_a_tournament_has_them(played):
    inside(played, "leaderboard", "checkers", "--db", "a.db", "--html", "page.html")
    page = page_text((played / "page.html").read_text(encoding="utf-8"))
    assert "is not a move" not in page
    assert "'fault'" not in page
    assert '"fault": "' not in page.replace('"fault": ""', "")


@pytest.mark.slow
def test_the_matches_are_the_same_for_any_number_of_workers(played):
    for workers in (1, 3):
        db = f"{workers}.db"
        play(played, db, executor="processes", workers=workers)
        assert recorded(played / db) == recorded(played / "a.db")


FOURS = "......./......./......./......./...O.../...X...", "......./......./......./......./...O.../..XXO.."
BOOKS = {  # of games that run compiled
    "tic-tac-toe": "X.O......\nX........ moves 2\n1 2\nXX.OO....\n",
    "connect-four": f"{FOURS[0]}\n{FOURS[1]} moves 1 2\n123\n",
    "checkers:quiet_plies=12,repetition=2": f"{BOOK}W:WK3,8:BK6,K32:H9\nB:WK3:BK30:H3 moves 30-25\n11-15\n",
}


@pytest.mark.parametrize(
    "game", [game if game == "tic-tac-toe" else pytest.param(game, marks=pytest.mark.slow) for game in BOOKS]
)
def test_compiled_matches_are_those_of_plain_python(file, monkeypatch, game):
    plan = plan_of(
        file(BOOKS[game]), game, entries=["random", "first", "minimax:depth=1,ties=first"], rounds=14
    )[1]
    found = []
    for compiled in ("0", "1"):
        with monkeypatch.context() as patch:
            patch.setenv("ARENA_COMPILED", compiled)
            played = in_a_new_worker(play_block, plan, range(plan.matches), Records).played
        records = [record._replace(first_seconds=0, second_seconds=0) for record in played]
        found.append((records, dict(played.digests)))
    assert found[0] == found[1]
    records, digests = found[0]
    assert {record.start for record in records} == {line.start for line in plan.openings.book}
    assert len(digests) > 5
    if "quiet" in game:
        ends = {(record.reason, record.plies) for record in records if (record.start or "").endswith(":H9")}
        assert ("no capture", 3) in ends


# --- one match -----------------------------------------------------------------------------------------


class Told(Agent):
    """Plays the first move and notes what it is told of the opening, and its clock."""

    def prepare(self):
        self.seen = []

    def follow_opening(self, moves, start):
        self.opening = start, tuple(moves)

    def begin(self, seat):
        self.seen.append((seat, *self.opening))

    def choose(self, state, moves, rng):
        self.seen.append(self.game.position_text(state))
        return moves[0]


def test_the_first_seat_plays_the_first_side_also_where_the_second_begins():
    game = TicTacToe()
    agents = Told(game), Told(game)
    # O is to move: 3, X 6, O 8, X 9, by the first free cell
    opening = Opening((), "XX.OO.X..")
    record = play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), opening, Limits(9, 0, 0), Watch()
    )
    assert (record.start, record.opening, record.moves, record.result) == ("XX.OO.X..", 0, "3 6 8 9", 0)
    assert agents[0].seen == [(0, "XX.OO.X..", ()), "XXOOO.X..", "XXOOOXXO."]
    assert agents[1].seen == [(1, "XX.OO.X..", ()), "XX.OO.X..", "XXOOOXX.."]


def test_plies_without_a_capture_go_on_from_those_of_the_position():
    game = registry().spec("game", "checkers:quiet_plies=10,repetition=0").make()
    kings = "B:WK32:BK1"
    for quiet, plies in ((0, 10), (7, 3), (9, 1)):
        agents = Told(game), Told(game)
        opening = Opening((), f"{kings}:H{quiet}" if quiet else kings)
        record = play_match(
            game,
            lambda seat, agents=agents: agents[seat],
            (0, 0, 0, 1),
            (1, 2),
            opening,
            Limits(99, 0, 0),
            Watch(),
        )
        assert (record.reason, record.plies) == ("no capture", plies)
        assert wrong_by_rules(game, record, opening, Limits(99, 0, 0)) is None
        assert wrong_by_rules(game, record._replace(start=kings + ":H1"), None, Limits(99, 0, 0)) is not None


def test_the_same_moves_from_another_position_are_no_replay():
    record = Record(0, 0, 0, 1, 1, "rules", None, 1, 0, "3", 0, 0.0, 0.0)
    replays = Replays()
    starts = (None, "XX.OO....", "XX..OO...", "XX.OO....", None)
    kinds = [replays.kind(record._replace(start=start)) for start in starts]
    assert kinds == ["fixed", "fixed", "fixed", "copy", "copy"]


def winner(board):
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    return next((board[a] for a, b, c in lines if board[a] != "." and board[a] == board[b] == board[c]), None)


def worth(board, side):
    """What a position of tic-tac-toe is worth to the side to move, by minimax."""
    if winner(board):
        return -1
    free = [i for i, letter in enumerate(board) if letter == "."]
    other = "XO"[side == "X"]
    return max((-worth(board[:i] + side + board[i + 1 :], other) for i in free), default=0)


@pytest.mark.slow
def test_what_moves_give_away_is_counted_from_the_position():
    """The last record begins in a position that play never reaches: its moves are not judged."""

    class More(TicTacToe):
        def read_position(self, text):
            return (0, 0b111) if text == "never" else super().read_position(text)

    game, records, expected = More(), [], []
    for start, first in product(("X...O....", "XO.......", "X.......O"), range(9)):
        if start[first] == ".":
            after = -worth(start[:first] + "X" + start[first + 1 :], "O")
            expected.append((1, int(after < worth(start, "X")), 0))
            record = Record(
                0, 0, len(records), 22, 0, "rules", None, 1, 0, str(first + 1), 1, 0.0, 0.0, start
            )
            records.append(record)
    records.append(Record(0, 0, 21, 22, 0, "rules", None, 0, 0, "", 1, 0.0, 0.0, "never"))
    counts = count_blunders(game, records, 23)
    assert [(one.moves, one.blunders, one.unsolved) for one in counts[:21]] == expected
    assert (counts[21].moves, counts[22].moves) == (0, 0)


def test_a_database_of_before_has_no_starts_and_is_read_as_it_is():
    """One that another machine wrote is not migrated, as `merge` and `verify` open it."""
    with closing(Store(OLD, others=True)) as store:
        ids = store.entry_ids(store.tournament(1).game)
        records = [*store.matches(1, {id: place for place, id in enumerate(ids.values())})]
        assert {record.start for record in records} == {None}
        assert store.whole_match(1, 0)[-1] is None
        assert {row[-1] for rows in store.outcomes(1, True) for row in rows} == {None}
        assert len([*store.moves_without_chance(1)]) == sum(record.chance == 0 for record in records)

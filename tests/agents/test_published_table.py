"""A table of the program published with Prior State Voting, brought in through the command line.

psv_model_60.json is one, psv_scores_60.json what that program says with it of every move in 60 positions.
"""

from __future__ import annotations

import json
import re
import resource

import pytest

from arena import ArenaError
from arena.api.answers import views
from arena.compiler import with_compiled_rules
from arena.registry.plugins import registry
from arena.storage import model_file
from arena_agents.tabular.q_backprop import QBackprop
from commands import arena, arena_compiled, completed, inside
from paths import DATA
from published_psv import published_move, published_state

MODEL = DATA / "psv_model_60.json"
ENTRY = "psv:learner=(q-backprop:imported=theirs)"
CHECKERS = registry().spec("game", "checkers").make()
POSITIONS = json.loads((DATA / "psv_scores_60.json").read_text())["positions"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the table is a model, brought in under the name 'theirs'."""
    folder = tmp_path_factory.mktemp("imported")
    here = {"ARENA_MODELS": str(folder / "models")}
    args = ("models", "import", "psv", str(MODEL), "--game", "checkers", "--name", "theirs")
    said = arena(folder, *args, **here).stderr.splitlines()
    assert re.match(r"Imported model \w{16}, q-backprop:imported=theirs at checkers as /", said[0])
    assert said[1:] == [f"To use it, enter {ENTRY}"]
    return folder


def failed(folder, *args, **env):
    """The one line that `arena` fails with."""
    error = arena(folder, *args, status=1, ARENA_MODELS=str(folder / "models"), **env).stderr
    (line,) = error.splitlines()
    return line.removeprefix("Error: ")


# --- what was brought in ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_moves_with_a_value_are_there_in_order_those_of_the_published_generator_as_well():
    rows = [
        (published_state(state), published_move(move), value)
        for state, moves in json.loads(MODEL.read_text())["q_table"].items()
        for move, value in moves
        if value
    ]
    found = QBackprop(CHECKERS).import_model(MODEL.read_bytes())
    assert list(map(tuple, found["states"].tolist())) == [state for state, _, _ in rows]
    assert found["moves"].tolist() == [move for _, move, _ in rows]
    assert found["values"].ravel().tolist() == [value for _, _, value in rows]
    assert sum(move not in CHECKERS.moves(state) for state, move, _ in rows) == 7  # triple jumps cut short


@pytest.mark.slow
def test_every_score_and_vote_is_the_published_programs(folder, monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", str(folder / "models"))
    player = registry().spec("agent", ENTRY).make(with_compiled_rules(CHECKERS))
    illegal = 0
    for position in POSITIONS:
        state = published_state(position["state"])
        moves = CHECKERS.moves(state)
        given = dict(zip(moves, views(player, state, moves), strict=True))
        for stated in position["moves"]:
            view = given[published_move(stated["move"])]
            assert view.score == pytest.approx(stated["mean"], abs=1e-12)
            assert view.facts["votes"] == stated["votes"]
            for reason in view.reasons:
                legal = reason.move in CHECKERS.moves(reason.state)
                assert ("legal" in reason.facts) == (not legal)
                illegal += not legal
    assert illegal


@pytest.mark.parametrize("position", POSITIONS[:2])
@pytest.mark.slow
def test_the_command_explains_as_the_published_program_scores(folder, position):
    state = published_state(position["state"])
    text = CHECKERS.position_text(state)
    args = ("explain", ENTRY, "--game", "checkers", "--position", text)
    env = {"ARENA_MODELS": str(folder / "models")}
    told = json.loads(arena(folder, *args, "--json", **env).stdout)
    assert told["move"] == CHECKERS.move_text(published_move(position["chosen"]))
    by_text = {move["move"]: move for move in told["moves"]}
    for stated in position["moves"]:
        said = by_text[CHECKERS.move_text(published_move(stated["move"]))]
        assert said["votes"] == stated["votes"]
        assert said["score"] == pytest.approx(stated["mean"], abs=1e-12)
        assert len(said["reasons"]) == 10
        weights = [abs(reason["weight"]) for reason in said["reasons"]]
        assert weights == sorted(weights, reverse=True)
    best = max(told["moves"], key=lambda move: move["score"])["reasons"][0]
    facts = ", ".join(f"{name} {best[name]:.6g}" for name in ("value", "alike", "weight"))
    board = CHECKERS.board_text(CHECKERS.read_position(best["state"]))
    drawn = arena(folder, *args, "--best", "1", "--reasons", "1", **env).stdout
    assert drawn.endswith(
        f"\n\n{told['move']}, because of\n{board}\n{best['state']}: {best['move']} ({facts})\n"
    )


@pytest.mark.slow
def test_it_plays_without_training_and_a_curve_or_training_of_it_is_refused(folder):
    here = {"ARENA_MODELS": str(folder / "models")}
    match = ("match", ENTRY, "random", "--game", "checkers", "--matches", "40", "--seed", "1", "--json")
    done = arena_compiled(folder, *match, **here)
    assert "Training" not in done.stderr
    pairings = json.loads(done.stdout)["pairings"]
    assert sum(p["wins"] + p["draws"] + p["losses"] for p in pairings) == 40
    assert not any(p["forfeits"] for p in pairings)
    refused = "'q-backprop:imported=theirs' does not learn, but has a table; import it again: "
    command = "arena models import q-backprop:imported=theirs FILE --game checkers --force"
    learner = "q-backprop:imported=theirs"
    for args in ((learner,), (learner, "--retrain"), (ENTRY, "--curve", "c.csv")):
        assert failed(folder, "train", *args, "--game", "checkers") == refused + command
    assert "Training" not in arena(folder, "explain", learner, "--game", "checkers", **here).stderr


@pytest.mark.slow
def test_what_was_not_brought_in_is_told_with_the_command_that_does_it(folder):
    lacking = "'q-backprop:imported=nobody' has no table of checkers yet; import it: "
    command = "arena models import q-backprop:imported=nobody FILE --game checkers"
    entry = "psv:learner=(q-backprop:imported=nobody)"
    for args in (("match", entry, "random"), ("explain", entry), ("tournament", "--entry", entry)):
        more = ("--entry", "random") if args[0] == "tournament" else ()
        assert failed(folder, *args, *more, "--game", "checkers") == lacking + command
    spec = registry().spec("agent", "q-backprop:imported=nobody")
    with pytest.raises(ArenaError) as told:
        model_file.finished_model(spec.cls(CHECKERS, **spec.values))
    assert "has no table of checkers yet; import it: arena.models.import_table(" in str(told.value)


# --- names --------------------------------------------------------------------------------------------------


def imported(folder, *args):
    """The entry to use that `arena models import` tells."""
    said = arena(folder, "models", "import", *args, "--game", "checkers", ARENA_MODELS=str(folder / "models"))
    return said.stderr.splitlines()[-1].removeprefix("To use it, enter ")


@pytest.mark.parametrize(
    ("file", "entry"),
    [
        ("psv_60.json", "psv:learner=(q-backprop:imported=psv_60)"),
        ("our (best) table, v1.json", "psv:learner=(q-backprop:imported=our-best-table-v1)"),
        ("(=).json", "psv:learner=(q-backprop:imported=table)"),
    ],
)
def test_a_table_is_called_as_its_file_as_far_as_entries_go(tmp_path, file, entry):
    (tmp_path / file).write_text('{"q_table": {}}')
    assert imported(tmp_path, "psv", file) == entry
    assert registry().spec("agent", entry).text == entry


@pytest.mark.slow
def test_the_entry_may_name_the_table_and_other_options(tmp_path):
    (tmp_path / "t.json").write_text('{"q_table": {}}')
    assert imported(tmp_path, "q-backprop:imported=mine", "t.json") == "q-backprop:imported=mine"
    entry = imported(tmp_path, "psv:rule=lines,learner=(q-backprop:ties=random)", "t.json")
    assert entry == "psv:learner=(q-backprop:ties=random,imported=t),rule=lines"
    assert (
        imported(tmp_path, "q-backprop:imported=mine", "t.json", "--name", "x.1") == "q-backprop:imported=x.1"
    )


@pytest.mark.slow
def test_a_name_is_taken_once_unless_forced(tmp_path):
    """The table is replaced then, and a file that is not a table replaces nothing."""
    here = {"ARENA_MODELS": str(tmp_path / "models")}
    (tmp_path / "t.json").write_text('{"q_table": {"b+bbbbbbbbbbbbxxxxxxxxwwwwwwwwwwww": [[[8,13],0.5]]}}')
    (tmp_path / "none.json").write_text('{"q_table": {}}')
    (tmp_path / "bad.json").write_text("{")
    assert imported(tmp_path, "q-backprop", "t.json") == "q-backprop:imported=t"
    (model,) = (tmp_path / "models").glob("*.npz")
    again = ("models", "import", "q-backprop", "none.json", "--game", "checkers", "--name", "t")
    taken = f"{model} already exists, for the table 't'; use another --name, or overwrite it with --force"
    assert failed(tmp_path, *again) == taken
    bad = ("models", "import", "q-backprop", "bad.json", "--game", "checkers", "--name", "t", "--force")
    assert failed(tmp_path, *bad).startswith("cannot import bad.json: it is not JSON: ")
    assert len(model_file.read(model).arrays["values"]) == 1
    arena(tmp_path, *again, "--force", **here)
    assert len(model_file.read(model).arrays["values"]) == 0
    shown = json.loads(arena(tmp_path, "models", "list", "--json", **here).stdout)
    assert [row["agent"] for row in shown] == ["q-backprop:imported=t"]


@pytest.mark.slow
def test_what_cannot_be_brought_in_is_told_in_one_line(tmp_path):
    (tmp_path / "t.json").write_text('{"q_table": {}}')
    refusals = [
        (("q-table", "t.json"), "'q-table' cannot import tables of other programs; name an entry that can"),
        (
            ("random", "t.json"),
            "'random' does not learn, nor do its options; name a learner such as 'q-table'",
        ),
        (("psv", "u.json"), "cannot import u.json: No such file or directory"),
        (("psv", "."), "cannot import .: it is a folder, not a file"),
        (("psv", "t.json", "--name", "a,b"), "--name 'a,b': use only letters, digits, '-', '_' and '.'"),
        (
            ("psv", "t.json", "--game", "checkers-4x4"),
            "cannot import t.json: it is a table of checkers on 8 x 8 cells, not of checkers-4x4; "
            "import it for checkers",
        ),
    ]
    for args, said in refusals:
        game = () if "--game" in args else ("--game", "checkers")
        assert failed(tmp_path, "models", "import", *args, *game) == said
    for args in (("t.json", "--force"), ("psv", "psv", "t.json")):
        assert (
            "takes [ENTRY] FILE; --game, --name and --force need ENTRY"
            in arena(tmp_path, "models", "import", *args, status=2).stderr
        )
    assert not (tmp_path / "models").exists()


def test_a_file_that_is_too_large_for_memory_is_told(tmp_path):
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(1 << 36)  # which takes no room on the disk
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 35, hard))
    try:
        said = failed(tmp_path, "models", "import", "psv", "huge.json", "--game", "checkers")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert said == "cannot import huge.json: there is not enough memory for it"


# --- what is wrong with a file ------------------------------------------------------------------------------

START = "b+bbbbbbbbbbbbxxxxxxxxwwwwwwwwwwww"
JUMP = "b+xxxxxxxxxbxxxxwxxxxxxxwxxxxxxxxx"  # a black man on 9, white ones on 14 and 22


def table(state, moves):
    return json.dumps({"q_table": {state: moves}}).encode()


MALFORMED = {
    "nothing": (b"", "it is not JSON: Input data was truncated"),
    "cut off": (MODEL.read_bytes()[:5000], "it is not JSON: Input data was truncated"),
    "bytes": (b"\x89PNG", "it is not JSON: JSON is malformed: invalid character (byte 0)"),
    "deep": (b'{"x":' + b"[" * 100_000, "RecursionError"),
    "no text": (b'{"q_table": {"\xff": []}}', "it is not JSON: "),
    "a list": (b"[]", "it has no q_table of positions: Expected 'object', got 'array'"),
    "no table": (
        b'{"params": {}}',
        "it has no q_table of positions: Object missing required field 'q_table'",
    ),
    "not a number": (b'{"q_table": {"%s": [[[8,13],NaN]]}}' % START.encode(), "invalid character (byte 60)"),
    "short": (table(START[:-1], []), f"position '{START[:-1]}' is not 'b+' or 'w+' and 32 of xbBwW"),
    "long": (table(START + "w" * 99, []), f"position '{START}wwwwwwwwwwwwwwww' is not"),
    "side": (table("B" + START[1:], []), "is not 'b+' or 'w+' and 32 of xbBwW"),
    "letters": (table(START.replace("x", "o"), []), "is not 'b+' or 'w+' and 32 of xbBwW"),
    "moves": (table(START, 3), f"position '{START}': Expected 'array', got 'int'"),
    "a text": (table(START, [[[8, 13], "1"]]), f"'{START}': Expected 'float', got 'str' - at '$[0][1]'"),
    "true": (table(START, [[[8, 13], True]]), "Expected 'float', got 'bool' - at '$[0][1]'"),
    "null": (table(START, [[[8, 13], 0], [[8, 12], None]]), "Expected 'float', got 'null' - at '$[1][1]'"),
    "too large": (table(START, [[[8, 13], 10**400]]), f"'{START}': Number out of range - at '$[0][1]'"),
    "huge": (table(START, [[[8, 13], 1e300]]), f"'{START}': value 1e+300 at $[0] is too large"),
    "no end": (table(START, [[[8], 1]]), "Expected 'array' of length 2 - at '$[0][0]'"),
    "half a cell": (table(START, [[[8, 12.5], 1]]), "got 'float' - at '$[0][0][1]'"),
    "off the board": (table(START, [[[8, 32], 1]]), f"'{START}': move [8,32] at $[0] cannot go from 8 to 32"),
    "from outside": (
        table(START, [[[-1, 8], 1]]),
        "move [-1,8] at $[0] does not move a piece of the player to move",
    ),
    "huge cell": (table(START, [[[10**30, 8], 1]]), "does not move a piece of the player to move"),
    "too far": (table(START, [[[8, 16], 1]]), "move [8,16] at $[0] cannot go from 8 to 16"),
    "backwards": (table(JUMP, [[[9, 5], 1]]), "move [9,5] at $[0] cannot go from 9 to 5"),
    "taken": (table(START, [[[4, 8], 1]]), "move [4,8] at $[0] ends on 8, which is taken"),
    "theirs": (table(START, [[[8, 13], 0], [[20, 16], 0]]), "move [20,16] at $[1] does not move a piece"),
    "twice": (table(START, [[[8, 13], 1], [[8, 13], 0]]), "move [8,13] at $[1] occurs twice"),
    "no capture": (table(JUMP, [[[9, []], 1]]), "move [9,[]] at $[0] goes nowhere"),
    "captures nothing": (table(JUMP, [[[9, [[13, 16]]], 1]]), "move [9,[[13,16]]] at $[0] captures nothing"),
    "jumps too far": (table(JUMP, [[[9, [[14, 22]]], 1]]), "at $[0] cannot go from 9 to 22"),
}


@pytest.mark.parametrize(("data", "said"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_wrong_with_a_file_is_told_with_its_place(tmp_path, data, said):
    (tmp_path / "t.json").write_bytes(data)
    args, models = ("psv", "t.json", "--game", "checkers"), str(tmp_path / "models")
    env = {"ARENA_MODELS": models, "ARENA_COMPILED": "0"}
    line = inside(tmp_path, "models", "import", *args, status=1, **env).stderr
    assert line.startswith("Error: cannot import t.json: ")
    assert said in line
    assert line.count("\n") == 1
    assert not (tmp_path / "models").exists()


def test_a_capture_of_two_is_read_and_of_the_same_piece_twice_is_not():
    """9x18x25 over 14 and 22, as the right rules have it too."""
    jumps = [[14, 18], [22, 25]]
    data = table(JUMP, [[[9, jumps], 0.5]])
    try:
        found = QBackprop(CHECKERS).import_model(data)
    except ArenaError as error:
        pytest.fail(str(error))
    (move,) = found["moves"].tolist()
    assert CHECKERS.moves(published_state(JUMP)) == [move]
    king = JUMP.replace("xxxxxxxxxb", "xxxxxxxxxB")
    round_trip = table(king, [[[9, [[14, 18], [14, 9]]], 0.5]])
    with pytest.raises(ArenaError, match="captures nothing on 14"):
        QBackprop(CHECKERS).import_model(round_trip)


# --- the command line ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_shells_complete_an_entry_and_then_the_file(tmp_path):
    assert completed(tmp_path, "models", "import", "q-b") == ["q-backprop"]
    assert "imported=" in completed(tmp_path, "models", "import", "q-backprop", ":")
    assert completed(tmp_path, "models", "import", "./mod") == ["file,./mod"]
    assert completed(tmp_path, "models", "import", "psv", "p") == ["file,p"]
    assert completed(tmp_path, "models", "import", "psv", "t.json", "--game", "checkers-") == ["checkers-4x4"]

"""What plugins, files and databases say is shown as text, whatever is in it."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import xml.etree.ElementTree as ElementTree

import pytest

from arena.show.presentation import Board, Grid
from arena.texts import in_csv, in_markdown, on_lines, on_one_line
from commands import arena, inside
from page_data import page_text
from records import add_up
from tiers import tiers

EVIL = "a\x1b[31mb\x07\x9bc\u202ed\u2066e\u2028f\x7f|`<i>\ud800\r"
SEEN = r"a\x1b[31mb\x07\x9bc\u202ed\u2066e\u2028f\x7f|`<i>\ud800\r"

PLUGIN = """
from arena import Agent, Game, View, hookimpl, option

EVIL = {evil!r}
print(EVIL)

class Odd(Game):
    __doc__ = EVIL.replace("\\ud800", "")
    sides = ("x" + EVIL, "o" + EVIL)
    word: str = option(EVIL, EVIL)

    def initial(self):
        print(EVIL, flush=True)
        return (0, 0)

    def moves(self, state):
        print(EVIL)
        return [1, 2] if state[0] < 3 else []

    def play(self, state, move):
        return (state[0] + 1, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return 0

    def move_text(self, move):
        print(EVIL)
        return str(move)

    def position_text(self, state):
        return EVIL + str(state[0])

    def board_text(self, state):
        print(EVIL)
        return EVIL + "\\n" + EVIL

    def read_position(self, text):
        if text == "no":
            raise ValueError(EVIL)
        return (int(text), 0)

class Odder(Agent):
    __doc__ = EVIL.replace("\\ud800", "")
    word: str = option(EVIL, EVIL)

    def choose(self, state, moves, rng):
        print(EVIL)
        return moves[0]

    def explain(self, state, moves):
        return [View(facts={{"score": 1.0, "x" + EVIL: 2.0}}) for move in moves]

class Failing(Odder):
    def choose(self, state, moves, rng):
        raise type("E" + EVIL.replace("\\ud800", ""), (ValueError,), {{}})(EVIL * 100)

@hookimpl
def register_games(register):
    register("odd", "odd:Odd", EVIL)

@hookimpl
def register_agents(register):
    register("odder", "odd:Odder", EVIL)
    register("failing", "odd:Failing", EVIL)
    register(EVIL, "odd:Odder", EVIL)
    register("missing", "odd:" + EVIL, EVIL)

@hookimpl
def register_commands(register):
    register("oddity", "odd:missing", EVIL)
"""

COMMANDS = (
    "--help",
    "games",
    "games odd",
    "agents",
    "agents odder --game odd",
    "agents missing",
    "plugins",
    "oddity",
    "position odd",
    "position odd 3",
    "position odd no",
    "position odd --svg -",
    "explain odder --game odd",
    "position odd --moves 1",
    "perft odd 3",
    "play odder --game odd",
    "play odder --game odd --side o --from 3",
    "match odder random --game odd --matches 2",
    "match failing random --game odd --matches 2",
    "match odder failing --game odd --exact",
    "tournament --entry odder --entry random --rounds 1 --game odd",
)
FORFEITED = ("match failing random --game odd --matches 2", "match odder failing --game odd --exact")
WITH_JSON = tuple(
    command
    for command in COMMANDS
    if not command.startswith("play")
    and command not in ("--help", "position odd --svg -", "position odd no", "oddity", "agents missing")
)
HIDDEN = re.compile("(?!\n)[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.fixture
def odd(plugin):
    return plugin(odd=PLUGIN.format(evil=EVIL))


def printed(text):
    """What of standard error is not what the plugin itself printed there."""
    return text.replace(EVIL.encode(errors="replace").decode(), "")


@pytest.mark.parametrize(
    "command",
    tiers(
        COMMANDS,
        quick=["--help", "oddity", "perft odd 3"],
        slow=[
            "games",
            "agents",
            "agents missing",
            "position odd",
            "position odd no",
            "explain odder --game odd",
            "play odder --game odd",
            "match odder random --game odd --matches 2",
            "match odder failing --game odd --exact",
        ],
    ),
)
def test_nothing_that_a_plugin_says_reaches_the_terminal_as_it_is(tmp_path, odd, command):
    status = int(command in ("oddity", "position odd no", *FORFEITED))
    done = arena(tmp_path, *command.split(), status=status, PYTHONIOENCODING="utf-8:replace", **odd)
    assert not HIDDEN.search(done.stdout), command
    told = [line for line in done.stderr.split("\n") if line.startswith(("Error: ", "Warning: "))]
    assert not HIDDEN.search("".join(told))
    assert "Traceback" not in done.stderr
    assert (len([line for line in told if line.startswith("Error: ")])) == (status == 1)
    if "svg" in command:
        ElementTree.fromstring(done.stdout)


@pytest.mark.parametrize(
    "command",
    tiers(
        WITH_JSON,
        quick=["games", "explain odder --game odd"],
        slow=[
            "games odd",
            "agents odder --game odd",
            "position odd",
            "position odd --moves 1",
            "match odder random --game odd --matches 2",
            "match odder failing --game odd --exact",
        ],
    ),
)
def test_json_is_json_and_exact_whatever_a_plugin_prints(tmp_path, odd, command):
    env = {"PYTHONIOENCODING": "utf-8:replace", **odd}
    done = arena(tmp_path, *command.split(), "--json", status=int(command in FORFEITED), **env)
    found = json.loads(done.stdout)
    assert not HIDDEN.search(done.stdout)
    if command == "position odd":
        assert found["state"] == EVIL + "0"
        assert [one["move"] for one in found["moves"]] == ["1", "2"]


@pytest.mark.slow
def test_exact_results_cut_an_exceptions_text_and_hide_addresses_as_matches_do(tmp_path, plugin):
    source = PLUGIN.format(evil=EVIL).replace("(EVIL * 100)", "(f'{object()} ' + 'x' * 9000)")
    command = "match failing random --game odd"
    said = [
        arena(tmp_path, *command.split(), *more, status=1, **plugin(odd=source)).stderr
        for more in (["--exact"], ["--matches", "2"])
    ]
    for text in said:
        (told,) = [line for line in text.split("\n") if line.startswith("Warning: failing forfeit")]
        assert "<object object at 0x…> xxxx" in told
        assert told.count("x") < 600


@pytest.mark.slow
def test_a_replay_and_a_watch_show_what_a_plugin_says_as_text(tmp_path, odd):
    env = {"PYTHONIOENCODING": "utf-8:replace", **odd}
    for match, status in (("match odder random", 0), ("match failing random", 1)):
        words = (*match.split(), "--game", "odd", "--matches", "1", "--record")
        arena(tmp_path, *words, status=status, **env)
    for words in ("replay 1", "replay 1 --explain odder", "replay 2", "watch 1", "watch 2"):
        done = arena(tmp_path, *words.split(), **env)
        assert not HIDDEN.search(done.stdout), words
        assert "Traceback" not in done.stderr
    found = json.loads(arena(tmp_path, "replay", "1", "--json", **env).stdout)
    assert found["plies"][0]["before"] == EVIL + "0"


def played(folder):
    arena(folder, "tournament", "--entry", "random", "--entry", "first", "--rounds", "2", "--seed", "1")
    return folder / "arena.db"


TABLES = ("leaderboard", "leaderboard --markdown", "leaderboard --csv", "leaderboard --html page.html")
SHOWN = (*TABLES, "tournaments list", "tournaments show 1", "tournaments show 1 --markdown")


@pytest.mark.slow
def test_what_a_database_says_is_shown_as_text(tmp_path):
    with sqlite3.connect(played(tmp_path)) as db:
        evil = "=" + EVIL.replace("\ud800", "") + "\n"
        db.execute("UPDATE entries SET name = name || ?", [evil])
        db.execute("UPDATE tournaments SET game = ?, created = ?", [evil, evil])
        db.execute("UPDATE entries SET game = ?", [evil])
        db.execute("UPDATE matches SET result = -1, reason = 'crash', detail = ? WHERE number = 1", [evil])
    db.close()
    add_up(tmp_path / "arena.db")
    for command in SHOWN:
        done = inside(tmp_path, *command.split())
        assert not HIDDEN.search(done.stdout + done.stderr), command
    page = (tmp_path / "page.html").read_text()
    assert not HIDDEN.search(page_text(page))
    assert "<i>" not in page
    assert "&lt;i&gt;" in page
    rows = list(csv.DictReader(inside(tmp_path, "leaderboard", "--csv").stdout.splitlines()))
    assert {row["game"][:3] for row in rows} == {"'=a"}
    for line in inside(tmp_path, "leaderboard", "--markdown").stdout.splitlines()[:4]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 12


@pytest.mark.parametrize(
    ("text", "line", "lines"),
    [
        ("plain, é 漢 — “x”", "plain, é 漢 — “x”", "plain, é 漢 — “x”"),
        ("a\nb", r"a\nb", "a\nb"),
        ("a\r\nb\tc", r"a\r\nb\tc", "a\nb\\tc"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\u2029\u200f\ufeff\udfff", r"\u2029\u200f\ufeff\udfff", r"\u2029\u200f\ufeff\udfff"),
    ],
)
def test_what_cannot_be_seen_is_escaped_as_python_writes_it(text, line, lines):
    assert on_one_line(text) == line
    assert on_lines(text) == lines


def test_each_table_shows_a_cell_in_its_own_way():
    grid = Grid(["[red]x[/red]"], [[EVIL]])
    assert grid.text().splitlines() == ["[red]x[/red]", SEEN]
    assert (
        f'<td style="padding:2px 8px;text-align:left">{SEEN.replace("<i>", "&lt;i&gt;")}</td>' in grid.html()
    )
    assert Board("a\x1b\nb").text() == "a\\x1b\nb"
    assert Board("<\x1b\nb").html() == "<pre>&lt;\\x1b\nb</pre>"
    assert in_markdown("a_b|`_c_`*<i>\n") == r"a_b\|\`\_c\_\`\*\<i\>\\n"
    assert [in_csv(text) for text in ("=1+1", "+1", "@a", "-1", "random")] == [
        "'=1+1",
        "'+1",
        "'@a",
        "'-1",
        "random",
    ]

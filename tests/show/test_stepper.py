"""Matches that one steps through: the data that the script draws from, and the bar of a notebook."""

from __future__ import annotations

import html
import json
import re

import pytest

import arena
from arena.show import notebook_bar
from arena.show.display import Task
from arena.show.stepper import stepper


def document(output):
    """Return the document within the output, and the data of its script."""
    (found,) = re.findall(r'srcdoc="([^"]*)"></iframe>', output)
    page = html.unescape(found)
    (data,) = re.findall(r"^const data = (.*);$", page, re.MULTILINE)
    return page, json.loads(data)


def test_the_script_has_every_position_as_changes(tmp_path):
    arena.tournament(["first", "random"], game="tic-tac-toe", rounds=1, seed=1, db=tmp_path / "a.db",
                     executor="serial")  # fmt: skip
    replay = arena.replay(db=tmp_path / "a.db")
    page, data = document(replay._repr_html_())
    board = [*data["start"]]
    assert board == [0] * 9
    for text, changes in zip(
        [arena.position("tic-tac-toe", moves=" ".join(p.move for p in replay.plies[:n])).text_of_state
         for n in range(1, len(replay.states))],
        data["changes"], strict=True,
    ):  # fmt: skip
        for cell, piece in zip(changes[::2], changes[1::2], strict=True):
            board[cell] = piece
        assert "".join(".XO"[piece] for piece in board) == text
    assert len(data["lines"]) == len(replay.states)
    assert page.count("<li") == len(replay.plies)


def test_it_asks_nothing_of_the_network_and_is_kept_apart_from_the_notebook():
    game = arena.position("tic-tac-toe").game
    output = stepper(game, [game.initial()], [], ["start"], head=['<b>"names" & signs</b>'])
    assert 'sandbox="allow-scripts"' in output
    page, _ = document(output)
    assert 'content="default-src &#39;none&#39;;' in page
    assert "<p>&lt;b&gt;&#34;names&#34; &amp; signs&lt;/b&gt;</p>" in page
    assert not re.search(r"(src|href)=", page)


# --- bars -------------------------------------------------------------------------------------------------


class Output:
    """An output of a cell, which keeps what it shows."""

    def __init__(self):
        self.shown = []

    def display(self, obj, *, raw):
        assert raw
        assert not self.shown
        self.shown.append(obj)

    def update(self, obj, *, raw):
        assert raw
        assert self.shown
        self.shown.append(obj)


@pytest.fixture
def bar(monkeypatch):
    """A bar with a clock of its own: `bar.at(second, done)`."""
    now = [0.0]
    monkeypatch.setattr(notebook_bar, "monotonic", lambda: now[0])
    found = notebook_bar.NotebookBar(Task("Counting", "sheep"), Output())

    def at(second, done):
        now[0] = second
        found.tell(done, 40)
        return len(found.handle.shown)

    found.at = at
    return found


def test_a_bar_appears_after_a_while_and_is_replaced_at_intervals(bar):
    assert bar.at(0.1, 1) == 0
    assert bar.at(1.0, 10) == 1
    assert bar.at(1.1, 11) == 1
    assert bar.at(1.3, 20) == 2
    assert '<progress value="20" max="40"' in bar.handle.shown[-1]["text/html"]
    assert bar.handle.shown[-1]["text/plain"].startswith("Counting, 20/40, ")


def test_a_bar_becomes_a_line_at_the_end(bar):
    bar.at(1.0, 10)
    bar.at(2.0, 40)
    bar.close()
    assert bar.handle.shown[-1]["text/plain"] == "Counting: 40 sheep in 2 s, 20 sheep/s"
    assert "<progress" not in bar.handle.shown[-1]["text/html"]


def test_what_is_quick_shows_no_bar(bar):
    bar.at(0.1, 40)
    bar.close()
    assert bar.handle.shown == []

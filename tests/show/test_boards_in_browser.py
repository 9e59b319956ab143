"""Games drawn as their authors say: on the page they are drawn, clicked and replayed, and nothing else runs.

Screenshots are kept in the folder that ARENA_SCREENSHOTS names, if it is set.
"""

from __future__ import annotations

import ast
import inspect
import os
import random
import re
from pathlib import Path

import pytest

import drawn_games
from commands import arena, arena_compiled
from page_data import unpacked

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install -e '.[browser]'")
expect, TIMEOUT = playwright.expect, 30_000  # milliseconds
GAMES = {
    "hex": drawn_games.Hex,
    "dots": drawn_games.Dots,
    "morris": drawn_games.Morris,
    "nim": drawn_games.Nim,
    "tricks": drawn_games.Tricks,
    "tower": drawn_games.Tower,
    "coins": drawn_games.Coins,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, plugin):
    """With a page of the games."""
    folder = tmp_path_factory.mktemp("boards")
    env = plugin(drawn_games=inspect.getsource(drawn_games))
    for name in GAMES:
        entries = ("--entry", "random", "--entry", "first")
        arena(
            folder, "tournament", *entries, "--game", f"drawn-{name}", "--rounds", "1", "--seed", "1", **env
        )
    arena_compiled(folder, "leaderboard", "--html", "page.html", **env)
    return folder


def shot(page, name):
    if kept := os.environ.get("ARENA_SCREENSHOTS"):
        page.screenshot(path=Path(kept) / f"board-{name}.png")


def sit_down(page, name, first="you", second="first"):
    """Begin a match at a game."""
    form = page.locator("section", has=page.get_by_role("heading", name=re.compile(f"drawn-{name}"))).locator(
        "form.play"
    )
    form.get_by_label("who moves first").select_option(label=first)
    form.get_by_label("who moves second").select_option(label=second)
    form.get_by_role("button").press("Enter")  # a click may miss it while parts above are drawn
    expect(page.locator("dialog [role=status]")).to_contain_text("to move: you.", timeout=TIMEOUT)


def click(page, cell):
    """Click on a cell as the mouse does, where nothing lies above it."""
    page.locator(f"dialog [data-cell='{cell}']").click()


CLICKED = [  # cells, and the line after the first legal moves of the other player
    ("hex", [12], "c3 a1"),
    ("dots", [5], "5 0"),
    ("morris", [4], "d6 a7"),
    ("nim", [8], "3-4 1-1"),  # the second of five and those after it
    ("tricks", [1], "Q♠ K♠ J♠"),  # the queen is taken, and the other leads
    ("tower", [3], "1 1"),  # as the drawing says where it is clicked
]


@pytest.mark.parametrize(("name", "cells", "line"), CLICKED)
def test_a_board_is_drawn_and_clicked(opened, name, cells, line):
    page = opened()
    sit_down(page, name)
    shot(page, f"{name}-begun")
    for cell in cells:
        click(page, cell)
    expect(page.locator(".line")).to_have_text(line, timeout=TIMEOUT)
    shot(page, name)


def test_a_man_moves_in_two_clicks_and_takes_with_a_third(opened):
    page = opened()
    sit_down(page, "morris")
    game = drawn_games.Morris()
    state, rng = game.initial(), random.Random(5)
    moved = taken = 0
    while game.moves(state) and not (moved and taken):
        text = game.move_text(rng.choice(list(game.moves(state))))
        names = re.findall("[a-g][1-7]", text)
        for one in names:
            click(page, [*map(game.cell_text, range(24))].index(one))
        moved, taken = moved + ("-" in text), taken + ("x" in text)
        state = game.play(state, game.read_move(state, text))
        if game.moves(state):
            state = game.play(state, next(iter(game.moves(state))))
        expect(page.locator("dialog [role=status]")).to_contain_text(
            re.compile(r"to move: you\.|won"), timeout=TIMEOUT
        )
        assert page.locator(".line").text_content().count(text) >= 1
    assert page.locator("dialog g.piece").count() == (state[0] | state[1]).bit_count()


@pytest.mark.parametrize("name", [*GAMES][:6])
def test_a_match_is_replayed_on_the_board(opened, name):
    page = opened()
    data = unpacked(page.locator("#data").text_content())
    (number,) = (i for i, one in enumerate(data) if one["game"].startswith(f"drawn-{name}"))
    match, game = data[number]["matches"][0], GAMES[name]()
    state = game.initial()
    for move in match["moves"]:
        state = game.play(state, game.read_move(state, move))
    page.goto(f"{page.url}#match-{number}-0")
    page.get_by_role("button", name="to the end").click()
    shot(page, f"{name}-replay")
    cells = len(data[number]["board"]["places"])
    assert page.locator("dialog g.piece").count() == sum(game.piece(state, cell) > 0 for cell in range(cells))
    assert match["moves"][-1] in page.locator("dialog svg[role=img]").get_attribute("aria-label")


def test_a_game_without_a_drawing_shows_its_text_and_moves_by_name(opened):
    page = opened()
    sit_down(page, "coins")
    expect(page.locator("dialog pre")).to_have_text("o o o o o o o o o ")
    page.locator("dialog .moves button", has_text="3").click()
    expect(page.locator("dialog .line")).to_have_text("3 1", timeout=TIMEOUT)
    expect(page.locator("dialog pre")).to_have_text("o o o o o ")
    shot(page, "coins")


def test_a_position_is_set_up_by_its_moves(opened):
    page = opened()
    sit_down(page, "nim")
    moves = page.get_by_label("moves from the start")
    moves.fill("1-3 9-9")
    page.get_by_role("button", name="Set up").click()
    expect(page.locator("dialog [role=status]")).to_have_text(
        re.compile("^Not set up: .*9-9"), timeout=TIMEOUT
    )
    moves.fill("1-3  2-4")
    moves.press("Enter")
    expect(page.locator("dialog .line")).to_have_text("1-3 2-4", timeout=TIMEOUT)
    expect(page.locator("dialog g.piece")).to_have_count(5, timeout=TIMEOUT)
    click(page, 7)  # the first of the last heap, and those after it
    expect(page.locator("dialog [role=status]")).to_have_text("you won (first).", timeout=TIMEOUT)


def test_nothing_of_a_hostile_picture_is_kept_but_its_shapes(opened):
    page = opened()
    sit_down(page, "tower")
    svg = page.locator("dialog svg[role=img]")
    names = svg.evaluate("svg => [...svg.querySelectorAll('*')].map(one => one.localName)")
    assert {*names} <= {"g", "path", "rect", "circle", "text"}
    assert svg.evaluate(
        "svg => [...svg.querySelectorAll('*')].flatMap(one => [...one.attributes]).filter("
        "one => one.name.startsWith('on') || /url|script/.test(one.value)).length"
    ) == 0  # fmt: skip
    assert svg.locator("path").get_attribute("d") == "M96 8L184 184H8Z"
    assert svg.locator("text").all_text_contents() == ["<tower>"]


@pytest.mark.parametrize("cls", [*GAMES.values()][:5])
def test_an_author_draws_his_board_in_twenty_lines(cls):
    (body,) = ast.parse(inspect.getsource(cls)).body
    lines = 0
    for part in body.body:
        name = getattr(part, "name", None) or (part.targets[0].id if isinstance(part, ast.Assign) else "")
        if name in ("drawing", "piece", "cell_text"):
            lines += part.end_lineno - part.lineno + 1
    assert 0 < lines <= 20

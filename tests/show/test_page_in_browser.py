"""The page as a browser shows it, from disk and without a network.

Screenshots are kept in the folder that ARENA_SCREENSHOTS names, if it is set.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import arena
from arena.registry.plugins import spec_named
from arena.results.tally import Counts
from arena.show.page import page as page_of
from arena.show.page.event import Event, Played
from page_data import unpacked

pytest.importorskip("playwright.sync_api", reason="needs: pip install -e '.[browser]'")

ENTRIES = ["random", "greedy", "minimax:depth=2,ties=first", "alpha-beta:depth=3"]
LONG = ["first", "alpha-beta:depth=2,evaluation=none"]
PLACES = "pieces => pieces.map(one => one.transform.baseVal[0].matrix).map(one => [one.e, one.f])"
MARKUP = "<img src=x onerror='window.hacked=1'></script><script>window.hacked=1</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a page of three games."""
    folder = tmp_path_factory.mktemp("page")
    db = folder / "arena.db"
    for game, rounds in (("connect-four", 4), ("checkers", 1), ("tic-tac-toe", 3)):
        how = {"game": game, "rounds": rounds, "openings": "random:4"}
        arena.tournament(ENTRIES, **how, seed=1, db=db, progress=False)
    arena.leaderboard(html=folder / "page.html", db=db)
    arena.tournament(
        [*LONG, "random"], game="tic-tac-toe", rounds=20, seed=1, db=folder / "long.db", progress=False
    )
    how = {"coach": LONG, "db": folder / "long.db", "progress": False}
    arena.leaderboard(html=folder / "long.html", title="Cup", **how)
    arena.curve(
        "q-table:episodes=100", folder / "q.csv", points=[0, 100], seeds=2, matches=4,
        against=["random", "first"], progress=False,
    )  # fmt: skip
    how = {"blunders": True, "cost": True, "worst": 1.0, "playable": False, "progress": False}
    arena.leaderboard("tic-tac-toe", html=folder / "all.html", curves=[folder / "q.csv"], db=db, **how)
    return folder


def shot(page, name):
    if kept := os.environ.get("ARENA_SCREENSHOTS"):
        page.screenshot(path=Path(kept) / f"{name}.png")


def column(page, name):
    """The texts of a column of the first table."""
    heads = page.locator(".standings").first.locator("thead th").all_text_contents()
    cells = page.locator(".standings").first.locator(f"tbody tr > :nth-child({heads.index(name) + 1})")
    return cells.all_text_contents()


def rows_of(folder, sql):
    with sqlite3.connect(folder / "arena.db") as db:
        return db.execute(sql).fetchall()


def test_columns_sort(opened):
    page = opened()
    page.get_by_label("All columns").first.check()
    ranks = column(page, "#")
    assert [rank.partition("–")[0] for rank in ranks] == ["1", "1", "1", "3"]
    page.get_by_role("button", name="#", exact=True).first.click()
    page.keyboard.press("Enter")
    assert column(page, "#") == ranks[::-1]
    for name in ("won", "Elo", "95 %"):
        page.get_by_role("button", name=name, exact=True).first.click()
        found = [float(cell.split()[-1].replace(",", "")) for cell in column(page, name)]
        assert name == "95 %" or found == sorted(found, reverse=True)
        page.keyboard.press("Enter")
        found = [float(cell.split()[-1].replace(",", "")) for cell in column(page, name)]
        assert name == "95 %" or found == sorted(found)
        assert page.locator("th[aria-sort=ascending]").count() == 1
    page.get_by_role("button", name="entry", exact=True).first.click()
    assert column(page, "entry") == sorted(ENTRIES)


def test_the_crosstable_agrees_with_the_database(opened, folder):
    page = opened()
    points, played = Counter(), Counter()
    for first, second, result in rows_of(
        folder, "SELECT first, second, result FROM results WHERE tournament = 1"
    ):
        for pair, score in (((first, second), (1 + result) / 2), ((second, first), (1 - result) / 2)):
            points[pair] += score
            played[pair] += 1
    page.locator(".cross-box").first.scroll_into_view_if_needed()
    table = page.locator(".cross").first
    names = table.locator("tbody th").all_text_contents()
    assert table.locator("thead th").all_text_contents() == names
    assert sorted(names) == sorted(ENTRIES)
    for i, one in enumerate(names):
        cells = table.locator(f"tbody tr:nth-child({i + 1}) td").all_text_contents()
        expected = [
            f"{100 * points[one, other] / played[one, other]:.0f}" if one != other else "" for other in names
        ]
        assert cells == expected
    scored = table.locator("tbody td[style]").evaluate_all(
        "cells => cells.map(cell => [cell.textContent, getComputedStyle(cell).backgroundColor])"
    )
    assert len({colour for text, colour in scored if text == "100"}) == 1
    assert {colour for text, colour in scored if text == "100"} != {c for text, c in scored if text == "0"}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_match_is_stepped_through_by_keyboard(opened, folder, place):
    game_name = ("connect-four", "checkers", "tic-tac-toe")[place]
    page = opened(f"#match-{place}-1")
    number = int(page.locator("#viewer-title").text_content().split(" match ")[1].split()[0])
    sql = f"SELECT moves FROM results WHERE tournament = {place + 1} AND number = {number}"
    moves = rows_of(folder, sql)[0][0].split()
    assert page.locator(".moves button").all_text_contents() == moves
    game = spec_named("game", game_name).make()
    state = game.initial()
    page.keyboard.press("Home")
    for ply, move in enumerate([None, *moves]):
        if move is not None:
            state = game.play(state, game.read_move(state, move))
            page.keyboard.press("ArrowRight")
        assert page.get_by_role("status").text_content().startswith(f"Ply {ply} of " if ply else "Start, ")
        seen = page.locator("dialog g.piece").evaluate_all(PLACES)
        expected = [game.cells[cell] for cell in range(len(game.cells)) if game.piece(state, cell)]
        assert sorted(((x - 32) / 48, (y - 32) / 48) for x, y in seen) == sorted(expected)
    assert page.get_by_role("button", name="one ply on").is_disabled()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert page.get_by_role("status").text_content().startswith("Start, ")
    page.keyboard.press("End")
    assert page.get_by_role("status").text_content().startswith(f"Ply {len(moves)} of {len(moves)}, ")


def test_a_cell_opens_the_pairing_and_a_line_of_it_the_match(opened, folder):
    page = opened()
    page.locator(".cross td a").first.click()
    title = page.locator("#viewer-title").text_content()
    pair = sorted(title.removesuffix(", connect-four").split(" against "))
    played = rows_of(folder, "SELECT first, second FROM results WHERE tournament = 1")
    page.locator("dialog").get_by_label("fold copies").uncheck()
    assert page.locator("dialog tbody tr").count() == sum(sorted(row) == pair for row in played) == 8
    page.locator("dialog tbody a").nth(2).click()
    assert page.locator("dialog svg").count() == 1
    page.go_back()
    assert page.locator("#viewer-title").text_content() == title
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    page.locator(".cross td a").nth(1).click()
    assert page.locator("dialog[open]").count() == 1
    page.get_by_role("button", name="close").click()
    page.locator(".standings tbody a").first.click()
    assert page.locator("details[open] dl").first.is_visible()


def test_a_link_leads_to_a_ply_and_follows_it(opened, folder):
    sql = "SELECT number, moves FROM results WHERE tournament = 2 ORDER BY number LIMIT 1"
    ((number, moves),) = rows_of(folder, sql)
    page = opened(f"#match={number}&ply=7&game=checkers")
    status = page.locator("dialog [role=status]")
    assert status.text_content().startswith(f"Ply 7 of {len(moves.split())}, {moves.split()[6]}")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#match=*ply=8*")
    page = opened("#match=987654&game=checkers")
    assert "sample" in page.locator("dialog").text_content()


def test_an_entry_has_a_page_of_its_own_with_its_losses(opened, folder):
    page = opened("#entry=random")
    assert page.locator(".standings:visible").count() == 0
    assert page.get_by_role("heading", name="random", exact=True).is_visible()
    entry = page.locator("details.shown")
    entry.get_by_label("fold copies").uncheck()
    entry.get_by_label("result").select_option("lost")
    lost = [
        row
        for row in rows_of(folder, "SELECT first, second, result FROM results WHERE tournament = 1")
        if row[2] == (-1 if row[0] == "random" else 1) and "random" in row[:2]
    ]
    assert f"{len(lost)} of " in entry.locator("[aria-live]").text_content()
    against = Counter(other for first, second, _ in lost for other in {first, second} - {"random"})
    entry.get_by_label("against").select_option("greedy")
    assert f"{against['greedy']} of " in entry.locator("[aria-live]").text_content()
    page.get_by_role("link", name="All of connect-four").click()
    assert page.locator(".standings:visible").count() == 3


def test_opponents_are_listed_with_the_worst_result_first_and_lead_to_the_matches(opened, folder):
    page = opened("#entry=random")
    table = page.locator("details.shown .opponents")
    scores = [float(text.removesuffix(" %")) for text in table.locator(".share").all_text_contents()]
    assert len(scores) == len(ENTRIES) - 1
    assert scores == sorted(scores)
    opponent = table.locator("tbody th").first.text_content()
    table.locator(".share a").first.click()
    assert page.locator("#viewer-title").text_content() == f"random against {opponent}, connect-four"
    page.keyboard.press("Escape")
    assert page.locator("details.shown .opponents").is_visible()
    page.get_by_role("navigation", name="Parts of this page").get_by_role("button", name="Matches").click()
    assert page.locator("details.shown .filters").bounding_box()["y"] < 200


def test_nothing_shifts_while_the_page_loads(opened):
    for width in (390, 1280):
        page = opened(width=width, file="long.html", script=WATCHING)
        assert page.locator(".standings").is_visible()
        page.wait_for_timeout(300)
        assert page.evaluate("window.seen") == []


@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
def test_no_column_is_cut_and_each_interval_is_seen(opened, width):
    page = opened("", width)
    for place in range(3):
        table = page.locator(".standings").nth(place)
        ends = table.locator("td:visible").evaluate_all(
            "cells => cells.map(one => one.getBoundingClientRect().right)"
        )
        assert ends
        assert max(ends) <= width
        heads = table.locator("thead th:visible").all_text_contents()
        assert {"#", "entry", "rating", "95 %"} <= set(heads)


INSIDE = """() => [...document.querySelectorAll(".wide, dialog")]
  .filter((one) => one.offsetParent && !one.matches(".cross-box") && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.getAttribute("aria-label"))"""


@pytest.mark.parametrize("width", [768, 960, 1200, 1280, 1920])
@pytest.mark.parametrize("part", ["", "#entry=first", f"#entry={LONG[1]}", "#match-0-1"])
def test_with_long_names_and_the_coach_nothing_is_cut(opened, width, part):
    page = opened(part, width, file="long.html")
    page.locator(".matches").scroll_into_view_if_needed() if not part else None
    page.wait_for_timeout(200)
    assert page.locator("table:visible").count() or part.startswith("#match")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(INSIDE) == []


@pytest.mark.parametrize("width", [1280, 1440, 1920])
def test_with_all_columns_switched_on_none_is_cut(opened, width):
    page = opened(width=width, file="all.html")
    heads = page.locator(".standings thead th")
    switch = page.get_by_label("All columns")
    if switch.is_visible():
        switch.check()
    assert heads.evaluate_all("all => all.filter(one => one.matches('.t0, .t1, .t2, .t3')).length") == 14
    assert page.locator(".standings thead th:is(.t0, .t1, .t2, .t3):visible").count() == 14
    assert page.evaluate(INSIDE) == []
    shot(page, f"all-columns-{width}")


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_learning_curves_fit_the_screen(opened, width):
    page = opened(width=width, file="all.html")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(INSIDE) == []
    for drawn in page.locator("figure svg:visible").all():
        box = drawn.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        size = float(drawn.get_attribute("viewBox").split()[2])
        assert box["width"] / size * 12 >= 9  # pixels of the text
    assert page.locator("figure svg:visible .panel").count() == 2
    shot(page, f"curves-{width}")


@pytest.mark.parametrize("width", [390, 1280])
def test_each_mistake_in_the_coachs_table_leads_to_its_place_in_the_match(opened, width):
    page = opened("#entry=first", width, file="long.html")
    table = page.get_by_role("region", name="The costliest mistakes of first")
    rows = table.locator("tbody tr")
    assert rows.count() == 10
    for row in rows.all():
        assert row.locator("a:visible").count() >= 1
    link = rows.first.locator("td").first.locator("a")
    played = link.text_content()
    link.click()
    ply = int(page.url.split("ply=")[1].split("&")[0])
    status = page.locator("dialog [role=status]").text_content()
    assert status.startswith(f"Ply {ply} of ")
    assert f", {played}; " in status


def test_marks_of_mistakes_are_explained_where_they_occur(opened):
    page = opened(file="long.html")
    (game,) = unpacked(page.locator("#data").text_content())
    seen = set()
    for place, one in enumerate(game["matches"]):
        costs = {before - after for _, before, after, *_ in one["wrong"].values()}
        if frozenset(costs) in seen:
            continue
        seen.add(frozenset(costs))
        page = opened(f"#match-0-{place}", file="long.html")
        said = page.locator("dialog .legend")
        if not costs:
            assert said.count() == 0
            continue
        assert ("? a mistake that costs half a point" in said.text_content()) == (1 in costs)
        assert ("a whole point, from won to lost" in said.text_content()) == (2 in costs)
        signs = page.locator(".moves .mistake button").evaluate_all("all => all.map(one => one.dataset.sign)")
        assert {*signs} == {{1: "?", 2: "??"}[cost] for cost in costs}
    assert {frozenset(), frozenset({1}), frozenset({2})} & seen


def test_numbers_and_their_headings_are_flush_right_in_the_coachs_tables(opened):
    page = opened("#entry=first", file="long.html")
    table = page.locator(".coach table").first
    heads = table.locator("thead th").evaluate_all("all => all.map((one) => getComputedStyle(one).textAlign)")
    cells = table.locator("tbody tr").first.locator("td")
    assert heads == cells.evaluate_all("all => all.map((one) => getComputedStyle(one).textAlign)")
    assert heads == ["left", "left", *["right"] * (len(heads) - 2)]


def test_the_curve_of_a_match_ends_with_its_result(opened):
    page = opened(file="long.html")
    (game,) = unpacked(page.locator("#data").text_content())
    assert {one["result"] for one in game["matches"]} >= {-1, 1}
    for result, y in ((1, 4), (-1, 44)):  # of 48 pixels
        place = next(
            i for i, one in enumerate(game["matches"]) if one["result"] == result and not one["detail"]
        )
        page = opened(f"#match-0-{place}", file="long.html")
        path = page.locator(".evaluation .value").get_attribute("d")
        assert path.endswith(f"V{y}H{8 * len(game['matches'][place]['moves'])}")


def test_mistakes_are_marked_with_what_was_right(opened, folder):
    page = opened()
    game = unpacked(page.locator("#data").text_content())[2]
    match = next(one for one in game["matches"] if one["wrong"])
    ply, (_, _, _, right, _) = next(iter(match["wrong"].items()))
    page = opened(f"#match={match['number']}&ply={ply}&game=tic-tac-toe")
    assert page.locator(".moves .mistake").count() == len(match["wrong"])
    assert f"right: {right[0]}" in page.locator(".remark").text_content()
    assert page.locator("dialog circle.right").count() == 1
    page.get_by_role("button", name="one ply back").click()
    assert page.locator("dialog circle.right").count() == 0


WATCHING = """
window.seen = [];
new PerformanceObserver((list) => window.seen.push(...list.getEntries().map((one) => one.value)))
  .observe({ type: "layout-shift", buffered: false });
"""
GLIDES = """() => document.getAnimations().map(
  ({ effect }) => [Number(effect.target.dataset.at), effect.getKeyframes()])"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("place", [0, 1])
def test_stepping_shifts_nothing(opened, place, width):
    page = opened(f"#match-{place}-0", width)
    page.wait_for_timeout(500)
    page.evaluate(WATCHING)
    page.keyboard.press("Home")
    for _ in range(page.locator(".moves button").count()):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(20)
    page.wait_for_timeout(200)
    assert page.get_by_role("button", name="one ply on").is_disabled()
    assert page.evaluate("window.seen") == []


def test_a_man_glides_from_where_it_stood(opened, folder):
    page = opened("#match-1-0")  # checkers
    number = page.locator("#viewer-title").text_content().split(" match ")[1].split()[0]
    (moves,) = rows_of(folder, f"SELECT moves FROM results WHERE tournament = 2 AND number = {number}")[0]
    game = spec_named("game", "checkers").make()
    start = game.initial()
    after = game.play(start, game.read_move(start, moves.split()[0]))
    left, reached = (
        next(c for c in range(32) if game.piece(one, c) and not game.piece(other, c))
        for one, other in ((start, after), (after, start))
    )
    pace = page.context.new_cdp_session(page)
    pace.send("Animation.enable")
    pace.send("Animation.setPlaybackRate", {"playbackRate": 0.02})  # so that it is seen on a busy machine
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    ((cell, (begin, end)),) = page.evaluate(GLIDES)
    assert cell == reached
    for frame, place in ((begin, left), (end, reached)):
        x, y = game.cells[place]
        assert frame["transform"] == f"translate({32 + 48 * x}px, {32 + 48 * y}px)"
    pace.send("Animation.setPlaybackRate", {"playbackRate": 1})
    page.evaluate("() => Promise.all(document.getAnimations().map((one) => one.finished)).then(() => null)")
    assert page.evaluate(GLIDES) == []
    pace.send("Animation.setPlaybackRate", {"playbackRate": 0.02})
    page.keyboard.press("ArrowLeft")
    assert [cell for cell, _ in page.evaluate(GLIDES)] == [left]


def test_nothing_glides_for_readers_who_want_no_motion(opened):
    page = opened("#match-1-0")
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(GLIDES) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
def test_it_fits_and_whoever_cannot_see_can_use_it(opened, width, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    parts = {"page": "", "pairing": "#pairing-0-0-1", "match": "#match-1-0", "coach": "#entry=first"}
    for name, part in parts.items():
        page = opened(part, width, theme, file="long.html" if name == "coach" else "page.html")
        page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
        shot(page, f"{name}-{theme}-{width}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # axe takes links in a dialog below the edge of the window for skip links
        page.set_viewport_size({"width": width, "height": 5000})
        found = axe.run(page).response["violations"]
        faults = {(one["id"], node["html"][:200]) for one in found for node in one["nodes"]}
        assert faults == set()


def test_markup_in_names_moves_and_details_comes_out_as_text(opened, folder):
    class Nasty(arena.Game):
        sides = (MARKUP, "\x1b[31mred\u202e")

        def initial(self):
            return (0,)

        def moves(self, state):
            return [1, 2] if state[0] < 4 else []

        def play(self, state, move):
            return (state[0] + 1,)

        def to_move(self, state):
            return state[0] % 2

        def value(self, state):
            return -1

        def move_text(self, move):
            return MARKUP.replace(" ", "/") * move

        def board_text(self, state):
            return f"{MARKUP}\n{state}"

    names = [MARKUP, "=1+1\x1b]0;title\x07"]
    board = arena.leaderboard("tic-tac-toe", db=folder / "arena.db")[0]
    rows = [replace(row, entry=name) for row, name in zip(board.rows, names, strict=False)]
    game = Nasty()
    moves = " ".join(game.move_text(1) for _ in range(4))
    event = Event(
        replace(board, rows=rows, notes=[MARKUP], game=MARKUP),
        [MARKUP],
        game,
        {(names[0], names[1]): Counts(1, 0, 0)},
        [Played(1, 0, *names, 1, "crash", MARKUP, 0, moves)],
        1,
        [(names[0], 1, "crash", MARKUP)],
        options={names[0]: {MARKUP: MARKUP}},
        tournaments=[
            {
                "tournament": 1, "played": 1, "planned": 1, "created": MARKUP, "seed": 1,
                "settings": {MARKUP: MARKUP}, "versions": {MARKUP: MARKUP},
            }
        ],
    )  # fmt: skip
    (folder / "nasty.html").write_text(page_of([event]), encoding="utf-8")
    for part in ("", "#pairing-0-0-1", "#match-0-0"):
        page = opened(part, file="nasty.html")
        assert page.evaluate("window.hacked") is None
        assert page.locator("img").count() == 0
        assert "\x1b" not in page.content()
        assert "<img src=x" in page.locator("body").inner_text()
    assert unpacked(page.locator("#data").text_content())[0]["names"][0] == MARKUP

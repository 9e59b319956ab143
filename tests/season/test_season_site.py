"""The web pages of a season, and the workflow that publishes them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import closing
from html.parser import HTMLParser

import pytest

import arena
from arena.commands.season.coaching import matches_of
from arena.commands.season.view import SeasonView
from arena.storage.database import Store
from page_data import data_of, page_text
from records import query
from season_term import HEAD

HOW = {"progress": False, "executor": "serial"}
TOML = """game = "tic-tac-toe"
baselines = ["random"]
rounds = 2
seed = 5
openings = "random:1"
site = "public"
"""
SECRET = "the-secret-of-eve"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A season of two updates: `anna` has two versions, `eve` crashes with a secret in her source."""
    home = tmp_path_factory.mktemp("season")
    (home / "season.toml").write_text(TOML)
    (home / "bots").mkdir()
    (home / "bots" / "anna.py").write_text(f"{HEAD}        return moves[0]\n")
    (home / "bots" / "eve.py").write_text(
        f"{HEAD}        password = '{SECRET}'\n        raise ValueError('x<b>' + 500 * 'y')\n"
    )
    arena.season(home, **HOW)
    (home / "bots" / "anna.py").write_text(f"{HEAD}        return moves[-1]\n")
    arena.season(home, **HOW)
    return home


class Links(HTMLParser):
    """Collects the links of a page, and the ids in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids.add(found.get("id"))
        if tag == "a":
            self.links.append(found["href"])


def is_pairing_of(page, part):
    """Whether an address names a game of a page, and two of its entries."""
    game, *entries = map(int, part.split("-")[1:])
    return len({*entries}) == 2 and max(entries) < len(data_of(page.read_text())[game]["names"])


def pages(home):
    return sorted((home / "public").rglob("*.html"))


@pytest.mark.slow
def test_each_link_leads_to_a_page_and_each_player_is_two_clicks_away(home):
    for page in pages(home):
        for link in Links(page.read_text()).links:
            path, _, part = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.is_file(), f"{page}: {link}"
            if part.startswith("pairing-"):
                assert is_pairing_of(target, part), f"{page}: {link}"
            assert "://" not in link
    index = (home / "public" / "index.html").read_text()
    players = {f"players/{name}.html" for name in ("anna", "eve", "random")}
    assert players <= {*Links(index).links}
    assert any("#pairing-0-" in link for link in Links((home / "public/players/anna.html").read_text()).links)


@pytest.mark.slow
def test_faults_have_file_line_and_a_short_message_and_never_source(home):
    text = (home / "public" / "players" / "eve.html").read_text()
    assert "eve.py:7 in choose" in text
    message = re.search(r'<p class="message">(.*?)</p>', text)[1]
    assert message.startswith("ValueError: x&lt;b&gt;yyy")
    assert len(message.replace("&lt;", "<").replace("&gt;", ">")) <= 200
    for page in pages(home):
        assert SECRET not in page_text(page.read_text())
        assert 201 * "y" not in page_text(page.read_text())


@pytest.mark.slow
def test_hidden_faults_are_on_no_page(home, tmp_path):
    arena.season(home, **HOW, site=tmp_path)  # as they are
    assert any("ValueError" in page_text(page.read_text()) for page in tmp_path.rglob("*.html"))
    (home / "season.toml").write_text(TOML + 'faults = "hidden"\n')
    try:
        arena.season(home, **HOW, site=tmp_path)
    finally:
        (home / "season.toml").write_text(TOML)
    for page in tmp_path.rglob("*.html"):
        assert "ValueError" not in page_text(page.read_text()), page
        assert "eve.py:7" not in page_text(page.read_text()), page


@pytest.mark.slow
def test_only_pages_that_changed_are_written(home, tmp_path):
    arena.season(home, **HOW, site=tmp_path)
    before = {page: page.stat().st_mtime_ns for page in tmp_path.rglob("*.*")}
    (tmp_path / "players" / "anna.html").write_text("edited")
    (tmp_path / "players" / "nobody.html").write_text("left behind")
    arena.season(home, **HOW, site=tmp_path)
    after = {page: page.stat().st_mtime_ns for page in tmp_path.rglob("*.*")}
    assert {page for page in before if before[page] != after[page]} == {tmp_path / "players" / "anna.html"}
    assert before.keys() == after.keys()


@pytest.mark.slow
def test_each_players_page_has_what_the_coach_found_about_its_present_version(home):
    text = (home / "public" / "players" / "anna.html").read_text()
    kept = json.loads((home / "public" / "players" / "anna.json").read_text())
    sql = "SELECT sum(wins + draws + losses) FROM pairings p JOIN entries e ON e.id IN (first, second)"
    ((played,),) = query(home / "season.db", f"{sql} WHERE e.name = 'anna.py' AND tournament = 2")
    assert kept["matches"] == kept["found"]["matches"] == played
    assert f"Of anna 2, over {played} matches." in text
    assert "<h2>Coach</h2>" in text
    for sentence in kept["found"]["sentences"][:3]:
        assert sentence in re.sub(r"</?a[^>]*>", "", text).replace("\xa0%", " %")
    drawn = re.findall(r'<svg class="marked".*?</svg>', text, re.DOTALL)
    assert len(drawn) == len(kept["found"]["mistakes"]) > 0
    for one, mistake in zip(drawn, kept["found"]["mistakes"], strict=True):
        men = sum(sign in "XO" for sign in mistake["board"])
        assert one.count("<g ") == men
        assert one.count('class="wrong"') == 1
        assert one.count('class="right"') == 1


@pytest.mark.slow
def test_the_coach_reads_all_matches_of_a_version_and_only_the_tournaments_it_plays_in(home):
    sql = (
        "SELECT m.tournament, m.number FROM matches m JOIN entries e ON e.id IN (m.first, m.second)"
        " JOIN codes c ON c.tournament = m.tournament AND c.entry = e.id"
        " WHERE e.name = ? AND c.code = ? AND m.reason <> 'withdrawn' ORDER BY m.tournament, m.number"
    )
    with closing(Store(home / "season.db")) as store:
        view = SeasonView.of(store)
        for version in view.versions:
            found = matches_of(view, version)
            recorded = query(home / "season.db", sql, version.entry, version.code)
            assert recorded
            assert [(one.tournament, one.record.number) for one in found.played] == recorded
            assert [one.id for one in found.tournaments] == sorted({number for number, _ in recorded})


@pytest.mark.slow
def test_the_coach_looks_only_at_players_with_new_matches_and_within_its_time(home, tmp_path, monkeypatch):
    from arena.commands.season import coaching

    seen = []
    judge = coaching.judged_by
    monkeypatch.setattr(coaching, "judged_by", lambda *of: (seen.append(of[2].entry), judge(*of))[1])
    (home / "season.toml").write_text(TOML + "coach_seconds = 0\n")
    try:
        arena.season(home, **HOW, site=tmp_path)
    finally:
        (home / "season.toml").write_text(TOML)
    assert not [*tmp_path.glob("players/*.json")]
    assert "<h2>Coach</h2>" not in (tmp_path / "players" / "anna.html").read_text()
    arena.season(home, **HOW, site=tmp_path)
    assert {*seen} == {"anna 2", "random", "eve 1"}
    (tmp_path / "players" / "anna.json").unlink()
    arena.season(home, **HOW, site=tmp_path)
    assert seen[3:] == ["anna 2"]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
@pytest.mark.parametrize("file", ["index.html", "players/anna.html", "players/eve.html", "history.html"])
def test_pages_fit_the_screen(opened, file, width, theme):
    page = opened(file=file, width=width, theme=theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)"
    assert width < 768 or page.locator(".wide").evaluate_all(cut) == []


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
def test_whoever_cannot_see_can_use_the_pages(opened, width, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for file in ("index.html", "players/anna.html", "players/eve.html", "history.html"):
        found = axe.run(opened(file=file, width=width, theme=theme)).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.slow
def test_on_a_phone_the_standings_say_all_but_what_is_on_other_pages(opened):
    page = opened(file="index.html", width=390)
    heads = page.locator(".standings thead th")
    shown = [head for head in heads.all() if head.is_visible()]
    assert [head.text_content() for head in shown] == ["#", "player", "rating", "95\xa0%", "status"]
    for head in shown:
        box = head.bounding_box()
        assert box["x"] + box["width"] <= 390


@pytest.fixture
def folder(home):
    return home / "public"


@pytest.mark.slow
def test_the_workflow_runs_as_it_stands(tmp_path):
    """Its own commands, in a checkout that has only what is committed and cached."""
    arena.new("season", "autumn", folder=tmp_path / "autumn")
    text = (tmp_path / "autumn" / ".github" / "workflows" / "season.yml").read_text()
    commands = re.findall(r"- run: (.*)", text)
    assert commands == ["pip install arena-tournament", "arena season --site public"]
    cached = re.findall(r"path: \|\n((?:  +[\w.-]+\n)+)", text)
    assert [block.split() for block in cached] == 2 * [["season.db", "season-code", "public"]]
    for night in range(2):
        checkout = tmp_path / f"checkout-{night}"
        (tmp_path / "autumn").rename(checkout) if not night else None
        if night:
            checkout.mkdir()
            for name in ("season.toml", "bots", *cached[0].split()):
                (tmp_path / "checkout-0" / name).rename(checkout / name)
            (checkout / "bots" / "anna.py").write_text(f"{HEAD}        return moves[0]\n")
        words = commands[1].split()[1:]
        done = subprocess.run(
            [sys.executable, "-m", "arena", *words], cwd=checkout, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert f"update {night + 1}, {30} matches" in done.stdout
    assert (checkout / "public" / "players" / "anna.html").is_file()

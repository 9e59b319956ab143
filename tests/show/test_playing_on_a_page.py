"""Matches on the page against its entries, which choose as they do in arena."""

from __future__ import annotations

import random
import re

import pytest

import arena
from arena.compiler import with_compiled_rules
from arena.registry.plugins import spec_named
from arena.rng import Rng, derive

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install -e '.[browser]'")
expect, TIMEOUT = playwright.expect, 30_000  # milliseconds
SEED = 7
MATCHES = [
    ("connect-four", "alpha-beta:depth=4", "first"),
    ("checkers", "alpha-beta:depth=3", "second"),
    ("tic-tac-toe", "minimax", "first"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a page of three games."""
    folder = tmp_path_factory.mktemp("plays")
    db = folder / "arena.db"
    for game, entry, _ in MATCHES:
        entries = [entry, "random", "greedy"]
        arena.tournament(entries, game=game, rounds=1, seed=1, db=db, progress=False)
    arena.leaderboard(html=folder / "page.html", db=db)
    return folder


def sit_down(page, game, seats):
    """Begin a match at a game. seats: the entries, nothing for a person."""
    form = page.locator("form.play").nth([name for name, *_ in MATCHES].index(game))
    for which, entry in zip(("first", "second"), seats, strict=True):
        form.get_by_label(f"who moves {which}").select_option(label=entry or "you")
    form.get_by_role("button").press("Enter")  # a click may miss it while parts above are drawn


def wait(page):
    """Until it is a person's turn, or over."""
    status = page.locator("dialog [role=status]")
    expect(status).to_have_text(re.compile(r"to move: you\.$|won|Drawn|failed"), timeout=TIMEOUT)
    return status.text_content()


def line(page):
    return page.locator(".line").text_content().split()


class Opponent:
    """The entry in arena itself, with the random numbers of a match of this seed."""

    def __init__(self, game, entry, seat):
        self.game = with_compiled_rules(spec_named("game", game).make())
        self.agent = spec_named("agent", entry).make(self.game)
        self.rng, self.seat = Rng(derive(SEED, seat)), seat
        self.agent.begin(seat)

    def reply(self, state):
        return self.game.move_text(self.agent.choose(state, self.game.moves(state), self.rng))


@pytest.mark.parametrize(("game", "entry", "mine"), MATCHES)
def test_a_match_to_its_end(opened, game, entry, mine):
    page = opened(script=f"Date.now = () => {SEED}")
    seat = {"first": 1, "second": 0}[mine]
    sit_down(page, game, [None, entry] if seat else [entry, None])
    opponent, person = Opponent(game, entry, seat), random.Random(3)
    rules, state, played = opponent.game, opponent.game.initial(), []
    while rules.moves(state) and len(played) < 200:
        if rules.to_move(state) == seat:
            move = opponent.reply(state)
        else:
            wait(page)
            texts = [*map(rules.move_text, rules.moves(state))]
            assert page.locator("dialog .moves button").all_text_contents() == texts
            move = person.choice(texts)
            page.locator("dialog .moves button").nth(texts.index(move)).click()
        played.append(move)
        state = rules.play(state, rules.read_move(state, move))
    said = wait(page)
    assert line(page) == played
    value = rules.value(state) * (1 if rules.to_move(state) == 0 else -1)
    names = ["you", entry] if seat else [entry, "you"]
    expected = "Drawn" if value == 0 else f"{names[0 if value > 0 else 1]} won"
    assert said.startswith(expected)


def test_moves_on_the_board_are_taken_back_and_hinted(opened):
    page = opened(script=f"Date.now = () => {SEED}")
    sit_down(page, "checkers", [None, "greedy"])
    wait(page)
    for cell in (8, 13):  # from 9 to 14
        page.locator(f"dialog [data-cell='{cell}']").click()
    expect(page.locator(".line")).to_have_text(re.compile(r"^\S+ \S+$"), timeout=TIMEOUT)
    assert line(page)[0] == "9-14"
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".line")).to_have_text("", timeout=TIMEOUT)
    opening = "9-14 23-19"
    page.get_by_label("moves from the start").fill(opening)
    page.get_by_role("button", name="Set up").click()
    expect(page.locator(".line")).to_have_text(opening, timeout=TIMEOUT)
    page.get_by_label("who gives hints").select_option(label="alpha-beta:depth=3")
    page.get_by_role("button", name="Hint from").click()
    expect(page.locator("dialog .moves [aria-current]")).not_to_have_count(0, timeout=TIMEOUT)
    game = spec_named("game", "checkers").make()
    agent = spec_named("agent", "alpha-beta:depth=3").make(game)
    state = game.initial()
    for move in opening.split():
        state = game.play(state, game.read_move(state, move))
    moves = game.moves(state)
    views = agent.explain(state, moves)
    hints = page.locator("dialog .moves button").all_text_contents()
    assert hints == [f"{game.move_text(m)} {v.score:g}" for m, v in zip(moves, views, strict=True)]
    best = max(view.score for view in views)
    marked = page.locator("dialog .moves [aria-current]").all_text_contents()
    assert marked == [text for text, view in zip(hints, views, strict=True) if view.score == best]


def test_only_entries_that_rate_moves_are_offered_for_hints(opened):
    page = opened(script=f"Date.now = () => {SEED}")
    sit_down(page, "tic-tac-toe", [None, "random"])
    wait(page)
    advisors = page.get_by_label("who gives hints").locator("option")
    expect(advisors).to_have_count(2, timeout=TIMEOUT)
    assert sorted(advisors.all_text_contents()) == ["greedy", "minimax"]
    page.get_by_role("button", name="Hint from").click()
    expect(page.locator("dialog [role=status]")).to_have_text(
        "All moves are worth the same.", timeout=TIMEOUT
    )
    assert page.locator("dialog .best").count() == 0
    assert page.locator("dialog .moves [aria-current]").count() == 0


def test_two_entries_play_each_other(opened, folder):
    page = opened(script=f"Date.now = () => {SEED}; window.setTimeout = (step) => queueMicrotask(step)")
    sit_down(page, "tic-tac-toe", ["random", "minimax"])
    expect(page.locator("dialog [role=status]")).to_contain_text(re.compile("won|Drawn"), timeout=TIMEOUT)
    players = [Opponent("tic-tac-toe", "random", 0), Opponent("tic-tac-toe", "minimax", 1)]
    rules = players[0].game
    state, played = rules.initial(), []
    while rules.moves(state):
        played.append(players[rules.to_move(state)].reply(state))
        state = rules.play(state, rules.read_move(state, played[-1]))
    assert line(page) == played

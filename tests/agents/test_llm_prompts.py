"""Prompts for language models: they contain everything that a player knows, in the game's terms."""

from __future__ import annotations

import pytest

import arena
from arena.matches.match import taken
from arena_agents.llm.llm import LLM
from arena_games.checkers.game_4x4 import Checkers4x4
from llm_matches import GAME, match, model
from models import first_move, serving
from paths import ROOT

pytestmark = pytest.mark.usefixtures("no_waits")

PROMPT = """You play a match of TicTacToe as X.

The game:
Tic-tac-toe: the first player with three in a row, column or diagonal wins.

Positions are nine letters, row by row, `X.O......`; a move is a cell number, 1 to 9. X moves first.
The players are X, who moves first, and O.

The moves so far, of both players:
1 9

The position in the game's notation:
X.......O

The board:
X . .
. . .
. . O

It is your move, as X. The legal moves:
2 3 4 5 6 7 8

Answer with one of the legal moves, written as it is above. You may think first. The last line of your \
answer has to be MOVE: and the move, such as
MOVE: 2"""


def test_a_model_is_told_all_that_a_player_knows():
    """Of a match by hand: it plays the first free cell, 1, the other one the last, 9."""
    with serving(first_move) as served:
        record = match(model(served.address, temperature=0.5, max_tokens=77))
    assert record.moves == "1 9 2 8 3"
    assert (record.result, record.reason) == (1, "rules")
    first, second, _ = served.asked
    assert second.body["messages"] == [{"role": "user", "content": PROMPT}]
    assert "moves so far" not in first.prompt
    seeds = [asked.body.pop("seed") for asked in served.asked]
    assert len(set(seeds)) == 3
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert {name: value for name, value in first.body.items() if name != "messages"} == {
        "model": "tiny", "temperature": 0.5, "max_tokens": 77,
    }  # fmt: skip
    assert [(used.ply, used.seat, used.amounts) for used in record.usage] == [
        (ply, 0, {"completion_tokens": 3, "prompt_tokens": 12, "tries": 1}) for ply in (1, 3, 5)
    ]


@pytest.mark.parametrize(
    ("options", "fields", "chance"),
    [
        ({}, {"max_tokens": 1000}, 1),
        ({"temperature": 0}, {"max_tokens": 1000, "temperature": 0}, 0),
        ({"body": ("max_tokens=", "max_completion_tokens=9", 'stop=["x"]', "effort=low")},
         {"max_completion_tokens": 9, "stop": ["x"], "effort": "low"}, 1),
    ],
)  # fmt: skip
def test_a_request_has_what_the_options_say_and_chance_where_there_is_any(options, fields, chance):
    with serving(first_move) as served:
        record = match(model(served.address, **options))
    body = dict(served.asked[0].body)
    assert (body.pop("model"), len(body.pop("messages"))) == ("tiny", 1)
    assert body == fields
    assert record.chance == chance


def test_the_prompt_is_the_one_in_the_documents():
    assert f"```text\n{PROMPT}\n```" in (ROOT / "docs" / "agents" / "llm.md").read_text(encoding="utf-8")


def test_any_game_is_described_by_its_own_methods():
    with serving(first_move) as served:
        agent = LLM(Checkers4x4(), address=served.address, model="tiny")
        agent.begin(0)
        state = agent.game.initial()
        agent.choose(state, agent.game.moves(state), arena.Rng(1))
    (asked,) = served.asked
    assert agent.game.board_text(state) in asked.prompt
    assert asked.legal == [agent.game.move_text(move) for move in agent.game.moves(state)]


def test_usage_is_forgotten_from_move_to_move():
    with serving(first_move) as served:
        agent = model(served.address)
        agent.begin(0)
        state = GAME.initial()
        agent.choose(state, GAME.moves(state), arena.Rng(1))
        assert taken(agent) == {"completion_tokens": 3, "prompt_tokens": 12, "tries": 1}
        assert taken(agent) == {}

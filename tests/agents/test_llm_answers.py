"""Answers of language models: moves are found in the text, and each kind of failure is counted."""

from __future__ import annotations

import pytest

from arena_agents.llm.answer import Answer
from arena_agents.llm.reading import Unread, move_in
from llm_matches import match, model, sums
from models import first_move, serving

pytestmark = pytest.mark.usefixtures("no_waits")

MOVES = ["5", "e2e4", "O-O", "O-O-O", "e8=Q+", "(1,2)"]


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("5", "5"),
        ("  5\n\n", "5"),
        ("MOVE: 5", "5"),
        ("I see.\n\n**MOVE: 5**", "5"),
        ("**Move:** `e2e4`.", "e2e4"),
        ("> move : E2E4", "e2e4"),
        ("MOVE: e2e4\nMOVE: 5", "5"),
        ("MOVE: 5\nsince the middle is best", "5"),
        ("MOVE:\n5", "5"),
        ("<think>5 or e2e4</think>\n5", "5"),
        ("O-O", "O-O"),
        ("MOVE: O-O-O!", "O-O-O"),
        ("MOVE: e8=Q+", "e8=Q+"),
        ("MOVE: (1,2).", "(1,2)"),
        ("`(1,2)`", "(1,2)"),
    ],
)
def test_the_move_is_on_the_marked_line_or_else_the_last(text, move):
    assert move_in(Answer(text, False, {}), MOVES) == move


@pytest.mark.parametrize(
    ("text", "cut_off", "kind"),
    [
        ("", False, "empty"),
        (" \n\t\n", False, "empty"),
        pytest.param(" \n" * 500_000, False, "empty", id="many lines"),
        pytest.param("MOVE " * 200_000, False, "unreadable", id="many words"),
        ("", True, "cut_off"),
        ("MOVE: 5", True, "cut_off"),
        ("6", False, "illegal"),
        ("MOVE: e2e5", False, "illegal"),
        ("MOVE: 5\nMOVE: 6", False, "illegal"),
        ("I would play 5", False, "unreadable"),
        ("MOVE: 5 or e2e4", False, "unreadable"),
        ("5\nis best", False, "unreadable"),
        ("---", False, "illegal"),
        ("***", False, "unreadable"),
    ],
)
def test_answers_without_a_move_are_told_apart(text, cut_off, kind):
    with pytest.raises(Unread) as raised:
        move_in(Answer(text, cut_off, {}), MOVES)
    assert raised.value.kind == kind


def test_case_is_passed_over_where_one_move_is_left():
    assert move_in(Answer("A", False, {}), ["a", "b"]) == "a"
    assert move_in(Answer("A", False, {}), ["a", "A"]) == "A"
    with pytest.raises(Unread):
        move_in(Answer("aB", False, {}), ["ab", "AB"])


BAD = {
    "illegal": lambda asked: asked.answer("MOVE: 77"),
    "empty": lambda asked: asked.answer(None),
    "unreadable": lambda asked: asked.answer("I cannot decide between these two moves"),
    "cut_off": lambda asked: asked.answer("MOVE: 1", finish="length"),
}
TOLD = {
    "illegal": ("an illegal move, '77'", "You answered '77', which is no legal move here."),
    "empty": ("an empty answer", "Your answer was empty."),
    "unreadable": (
        "an answer without a move, 'I cannot decide between these two moves'",
        "Your answer does not end with a move.",
    ),
    "cut_off": (
        "an answer that is cut off by max-tokens",
        "Your answer was too long and is cut off. Be brief.",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_second_try_is_told_what_was_wrong_with_the_first(kind):
    def act(asked):
        first_move(asked) if asked.number else BAD[kind](asked)

    with serving(act) as served:
        record = match(model(served.address))
    assert record.reason == "rules"
    (asked,) = served.asked[0].body["messages"]
    again = served.asked[1].body["messages"]
    if kind == "empty":
        assert [message["role"] for message in again] == ["user"]
        assert again[0]["content"].startswith(f"{asked['content']}\n\n{TOLD[kind][1]} The legal moves are:\n")
    else:
        assert [message["role"] for message in again] == ["user", "assistant", "user"]
        assert again[0] == asked
        assert again[2]["content"].startswith(f"{TOLD[kind][1]} The legal moves are:\n")
    assert record.usage[0].amounts == {kind: 1, "tries": 2, "prompt_tokens": 24, "completion_tokens": 6}
    assert sums(record) == {kind: 1, "tries": 4, "prompt_tokens": 48, "completion_tokens": 12}


def test_of_a_long_answer_the_end_is_shown_again():
    long = "x" * 100_000 + " MOVE: well"
    with serving(lambda asked: asked.answer(long)) as served:
        match(model(served.address))
    assert served.asked[1].body["messages"][1]["content"] == long[-4000:]


@pytest.mark.parametrize("kind", BAD)
def test_the_second_answer_without_a_move_forfeits_with_its_kind(kind):
    with serving(BAD[kind]) as served:
        record = match(model(served.address))
    assert (record.result, record.reason) == (-1, "illegal move")
    assert record.detail == f"{TOLD[kind][0]}, in the second try, in ........."
    assert sums(record) == {kind: 2, "tries": 2, "prompt_tokens": 24, "completion_tokens": 6}


def test_or_a_move_is_drawn():
    with serving(BAD["empty"]) as served:
        agent = model(served.address, on_failure="random", temperature=0)
        record = match(agent)
        assert match(agent).moves == record.moves
        others = {match(agent, seed=seed).moves for seed in range(8)}
    assert (record.reason, record.chance) == ("rules", 1)
    assert sums(record)["random"] == sums(record)["empty"] / 2 > 0
    assert len(others) > 1

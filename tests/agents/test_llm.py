"""Language models play what they answer; what goes wrong is told apart, counted, and costs its own match."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import arena
from arena.api.limits import Limits
from arena.api.options import required
from arena.errors import Reported
from arena.matches.match import play_match, taken
from arena.plan.opening_book import Opening
from arena.registry.plugins import registry
from arena.testing import check_agent
from arena.workers.worker import Watch
from arena_agents.llm import connection, server
from arena_agents.llm.answer import Answer
from arena_agents.llm.cassette import Cassette
from arena_agents.llm.llm import LLM
from arena_agents.llm.reading import Unread, move_in
from arena_games.checkers.game_4x4 import Checkers4x4
from arena_games.tic_tac_toe import TicTacToe
from commands import arena as command
from commands import inside
from last import Last
from models import KEY, completion, faulty_move, fickle_move, first_move, serving, write_command
from paths import ROOT
from records import check_sums, query, rows
from running import processes, until

GAME = TicTacToe()
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs can play only on Linux and macOS")


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(server, "FIRST_WAIT", 0.01)


def model(address, **options):
    return LLM(GAME, address=address, model="tiny", **options)


def match(agent, limits=None, seed=1):
    """The record of a match of an agent against one that plays the last move."""
    agents = agent, Last(GAME)
    limits, seeds = limits or Limits(100, 0.0, 0.0), (seed, seed + 1)
    return play_match(GAME, lambda seat: agents[seat], (0, 0, 0, 1), seeds, Opening(), limits, Watch())


def sums(record):
    """What all moves of a record took, by name."""
    found = {}
    for used in record.usage:
        for name, amount in used.amounts.items():
            found[name] = found.get(name, 0) + amount
    return found


# --- what is asked ----------------------------------------------------------------------------------------

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


# --- what is answered -------------------------------------------------------------------------------------

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


CHAT = "an answer that is not a chat completion, "

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


# --- servers ----------------------------------------------------------------------------------------------


def failing(fault, times):
    """Does something so many times before it answers."""

    def act(asked):
        fault(asked) if asked.number < times else first_move(asked)

    return act


def hang(asked):
    time.sleep(1.5)


def drip(asked):
    """Sends a byte now and then, maximum length of an answer that never ends."""
    asked.handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(30):
        asked.handler.wfile.write(b" ")
        asked.handler.wfile.flush()
        time.sleep(0.1)


def refuse(status, body=b"{}", **headers):
    return lambda asked: asked.send(status, body, **headers)


def close(asked):
    asked.handler.connection.shutdown(socket.SHUT_RDWR)


PASSING = {
    "429": (refuse(429, b'{"error": {"message": "slow down"}}'), "status 429: 'slow down'"),
    "500": (refuse(500, b"<h1>Oh</h1>"), "status 500: '<h1>Oh</h1>'"),
    "529": (refuse(529), "status 529: '{}'"),
    "malformed": (refuse(200, b'{"choices": ['), CHAT + "'{\"choices\": ['"),
    "no choices": (refuse(200, b'{"choices": []}'), CHAT + "'{\"choices\": []}'"),
    "a list": (refuse(200, b"[1]"), CHAT + "'[1]'"),
    "too deep": (refuse(200, b"[" * 10**5), CHAT + "'" + "[" * 119 + "…'"),
    "a number": (refuse(200, json.dumps(completion(7)).encode()), CHAT + '\'{"id": "x", '),
    "closes": (close, "Remote end closed connection"),
    "too little": (refuse(200, b'{"cho', Content_Length="100"), CHAT + "'{\"cho'"),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_may_pass_is_asked_again(name):
    fault, told = PASSING[name]
    with serving(failing(fault, 2)) as served:
        record = match(model(served.address))
        assert (record.reason, len(served.asked)) == ("rules", 5)
    with serving(fault) as served:
        record = match(model(served.address))
    assert (record.result, record.reason, len(served.asked)) == (-1, "crash", 4)
    assert record.detail.startswith(f"{served.address}: {told}")
    assert record.detail.endswith(", after 4 attempts")
    assert "\n" not in record.detail
    assert record.usage == ()


@pytest.mark.slow
@pytest.mark.parametrize("fault", [hang, drip])
def test_a_server_that_hangs_is_waited_for_no_longer_than_said(fault):
    with serving(fault) as served:
        record = match(model(served.address, timeout=0.2, retries=1))
    assert record.detail == f"{served.address}: no answer in time, after 2 attempts"
    with serving(fault) as served:
        record = match(model(served.address, patience=0.3, retries=9))
    assert record.detail.startswith(f"{served.address}: no answer in time")


def test_a_match_with_a_clock_is_lost_by_it():
    with serving(hang) as served:
        agent = model(served.address)
        agent.move_seconds = 0.3
        record = match(agent, Limits(100, 0.3, 0.0))
    assert (record.reason, record.detail) == ("clock", "ply 1 took over 0.3 s")


def test_a_server_is_waited_for_as_it_asks_up_to_a_bound():
    def once(wait):
        return failing(lambda asked: asked.send(429, b"", Retry_After=wait), 1)

    began = time.perf_counter()
    with serving(once("0.5")) as served:
        assert match(model(served.address)).reason == "rules"
    assert time.perf_counter() - began >= 0.5
    with serving(once("3600")) as served:
        record = match(model(served.address))
    assert record.detail == f"{served.address}: status 429; it asks to wait 3600 s"
    assert len(served.asked) == 1


def test_a_wait_may_be_a_date():
    assert server.wait_of({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}) == 0
    assert server.wait_of({"retry-after": "Fri, 31 Dec 2999 23:59:59 GMT"}) > 10**9
    for text in ("", "soon", "-1", "1e9"):
        assert server.wait_of({"retry-after": text}) is None


def test_of_an_enormous_answer_little_is_read(monkeypatch):
    monkeypatch.setattr(connection, "LONGEST", 1000)
    sent = []

    def enormous(asked):
        asked.handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n")
        while True:
            sent.append(asked.handler.connection.send(b"x" * 10**5))

    with serving(enormous) as served:
        monkeypatch.setattr(server, "LONGEST", 1000)
        record = match(model(served.address))
    assert record.detail == f"{served.address}: an answer of over 0 MB"
    assert sum(sent) < 10**8
    assert len(served.asked) == 1


REFUSED = {
    401: "requires a key; set OPENAI_API_KEY (status 401: 'no')",
    403: "requires a key; set OPENAI_API_KEY (status 403: 'no')",
    404: "has no /v1/chat/completions, or no model 'tiny' (status 404: 'no')",
    400: "refuses the request (status 400: 'no')",
    302: "redirects to '', which is not followed; use that address (status 302: 'no')",
}


@pytest.mark.parametrize("status", REFUSED)
def test_what_will_not_pass_is_told_at_once(status):
    with serving(lambda asked: asked.send(status, b'{"error": {"message": "no"}}')) as served:
        record = match(model(served.address))
    assert record.detail == f"{served.address} {REFUSED[status]}"
    assert len(served.asked) == 1


def test_the_key_is_sent_where_it_belongs_and_nowhere_else(tmp_path, monkeypatch):
    """Not where a server leads, nor into a record, a message or a cassette, even if the server says it."""
    monkeypatch.setenv("OTHER_KEY", KEY)

    def gossip(asked):
        asked.answer(f"Your key is {KEY}\nMOVE: {asked.legal[0]}")

    path = tmp_path / "kept.jsonl"
    with serving(gossip) as served:
        assert match(model(served.address, key="OTHER_KEY", cassette=str(path))).reason == "rules"
    assert {asked.headers["Authorization"] for asked in served.asked} == {f"Bearer {KEY}"}
    assert KEY not in path.read_text()
    assert "Your key is ***" in path.read_text()
    with serving(first_move) as there:
        leads = {"Location": f"{there.address}/chat/completions"}
        with serving(lambda asked: asked.send(307, b"", **leads)) as served:
            record = match(model(served.address, key="OTHER_KEY"))
        assert not there.asked
    place = f"{there.address}/chat/completions"
    assert record.detail.startswith(f"{served.address} redirects to '{place}', ")
    with serving(lambda asked: asked.send(401, json.dumps({"error": f"bad key {KEY}"}).encode())) as served:
        record = match(model(served.address, key="OTHER_KEY"))
    assert record.detail == f"{served.address} refuses the key in OTHER_KEY (status 401: 'bad key ***')"
    assert KEY not in str(record)
    monkeypatch.setenv("OTHER_KEY", f"{KEY}\nX-Evil: 1")
    with serving(first_move) as served, pytest.raises(Reported) as raised:
        model(served.address, key="OTHER_KEY")
    assert str(raised.value) == "the key in OTHER_KEY has characters that no key has"
    assert not served.asked


def test_without_a_key_none_is_sent():
    with serving(first_move) as served:
        match(model(served.address))
    assert all("Authorization" not in asked.headers for asked in served.asked)


# --- before the first match -------------------------------------------------------------------------------


def made(served, **options):
    """What is said where an agent cannot be made."""
    with pytest.raises(Reported) as raised:
        LLM(GAME, address=served.address, **{"model": "tiny", **options})
    return str(raised.value)


@pytest.mark.slow
def test_what_cannot_play_is_told_before_the_first_match(tmp_path):
    with serving(first_move) as served:
        text = f"llm:address={served.address},model=tinny"
        done = inside(tmp_path, "match", text, "random", "--matches", "2", status=1)
    why = f"{served.address} has no model 'tinny', did you mean 'tiny'?"
    assert done.stderr.startswith(f"Error: {text} cannot play: {why}; ")
    assert done.stderr.count("\n") == 1
    done = inside(tmp_path, "match", text.replace("tinny", "tiny"), "random", "--matches", "2", status=1)
    assert f"cannot play: {served.address}: Connection refused; is the server running?; " in done.stderr
    assert not served.asked


def test_a_key_that_is_refused_is_told_before_the_first_match():
    with serving(first_move) as served:
        served.models = 401, {"error": {"message": "who are you?"}}
        wants = "requires a key; set OPENAI_API_KEY (status 401: 'who are you?')"
        assert made(served) == f"{served.address} {wants}"


def test_where_models_are_not_listed_an_empty_question_tells():
    with serving(lambda asked: asked.send(404, b'{"error": "unknown model"}')) as served:
        served.models = 404, {}
        assert made(served).endswith("or no model 'tiny' (status 404: 'unknown model')")
    assert served.asked[0].body == {"model": "tiny", "messages": [], "max_tokens": 1}
    with serving(lambda asked: asked.send(400, b'{"error": "no messages"}')) as served:
        served.models = 404, {}
        model(served.address)


@pytest.mark.parametrize(
    "models",
    [
        (200, {"data": [{"id": "models/tiny"}]}),
        (200, {"data": [{"id": "tiny:latest"}]}),
        (200, {"data": []}),
        (200, {"data": "what?"}),
        (200, []),
        (500, {}),
        (429, {}),
    ],
)
def test_what_is_not_known_to_fail_is_not_refused(models):
    with serving(first_move) as served:
        served.models = models
        model(served.address)


NO_SERVER = "is not the address of a server; write http://HOST:PORT/v1"
NEEDS = "llm needs the option 'command' or 'address'"
SECRET = "the address has more than host and path; put a key into an environment variable"
NO_FILE = "cannot be written; name a file in a folder that exists"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("llm", f"{NEEDS}; write 'llm:command=…'"),
        ("llm:model=x", f"{NEEDS}; write 'llm:command=…'"),
        ("llm:command=cat,address=http://x/v1", f"{NEEDS}, not 'command' and 'address'"),
        ("llm:command=./none", "there is no program './none'"),
        ("llm:address=http://localhost/v1", "an address needs a model; write address=…,model=…"),
        ("llm:address=localhost:80,model=x", f"address 'localhost:80' {NO_SERVER}"),
        ("llm:address=file:///etc,model=x", f"address 'file:///etc' {NO_SERVER}"),
        ("llm:address=http://x:99999/v1,model=x", f"address 'http://x:99999/v1' {NO_SERVER}"),
        ("llm:address=http://me:secret@x/v1,model=x", SECRET),
        ("llm:address=(http://x/v1?key=secret),model=x", SECRET),
        ("llm:command=cat,body=x", "body 'x' is not a field; write body=(NAME=VALUE,…)"),
        ("llm:command=cat,cassette=none/x", f"cassette 'none/x' {NO_FILE}"),
        ("llm:command=cat,cassette=.", f"cassette '.' {NO_FILE}"),
    ],
)
@posix
def test_what_cannot_be_meant_is_one_line(tmp_path, text, said):
    done = inside(tmp_path, "match", text, "random", status=1)
    assert done.stderr == f"Error: {said}\n"
    assert "secret" not in done.stderr


def test_it_is_entered_by_name_alone(tmp_path):
    assert required(registry().cls("agent", "llm")) == ["command", "address"]
    (tmp_path / "t.toml").write_text('entries = ["llm:command=cat", "random"]\nrounds = 1\nisolate = true\n')
    done = inside(tmp_path, "tournament", "t.toml", status=1)
    assert "needs the network, which the sandbox does not have" in done.stderr


# --- commands ---------------------------------------------------------------------------------------------


@posix
@pytest.mark.slow
def test_a_command_answers(tmp_path):
    path = write_command(tmp_path / "bot", "open('prompt', 'w').write(prompt)")
    agent = LLM(GAME, command=path, folder=str(tmp_path))
    record = match(agent)
    assert (record.moves, record.reason) == ("1 9 2 8 3", "rules")
    assert sums(record) == {"tries": 3}
    assert (tmp_path / "prompt").read_text().startswith("You play a match of TicTacToe as X.\n\nThe game:\n")
    check_agent(LLM, GAME, 2, options={"command": path, "folder": str(tmp_path), "temperature": 0})


@posix
def test_a_command_has_its_second_try_in_one_text(tmp_path):
    does = "open('prompts', 'a').write(prompt + '=====')\nif 'You answered' not in prompt: legal = ['77']"
    agent = LLM(GAME, command=write_command(tmp_path / "bot", does), folder=str(tmp_path))
    record = match(agent)
    assert (record.reason, sums(record)) == ("rules", {"illegal": 3, "tries": 6})
    first, second, *_ = (tmp_path / "prompts").read_text().split("=====")
    said = "You answered:\nMOVE: 77\n\n\nYou answered '77', which is no legal move here."
    assert second.startswith(f"{first.rstrip()}\n\n{said}")


@posix
def test_a_command_need_not_read(tmp_path):
    (tmp_path / "deaf").write_text(f"#!{sys.executable} -IS\nprint('MOVE: 1', flush=True)\n")
    (tmp_path / "deaf").chmod(0o755)
    record = match(LLM(GAME, command=str(tmp_path / "deaf")))
    assert record.moves.startswith("1 9")
    assert record.detail.startswith("an illegal move, '1', in the second try,")


FAULTS = {
    "dies": ("sys.stderr.write('no quota\\n'); sys.exit(3)",
             "ended with status 3 before any output; on standard error: 'no quota'"),
    "says something and dies": ("print('well', flush=True); os._exit(1)", "ended with status 1 after 'well'"),
    "is killed": ("os.kill(os.getpid(), 9)", "was ended by SIGKILL before any output"),
    "hangs": ("time.sleep(10**7)", None),
    "answers and hangs": ("print('MOVE: 1', flush=True); os.close(1); time.sleep(10**7)", None),
    "never ends": ("while True: os.write(1, b'x' * 10**5)", "says over 1 MB before any output"),
}  # fmt: skip


@posix
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.slow
def test_a_command_that_fails_loses(tmp_path, name):
    does, told = FAULTS[name]
    path = write_command(tmp_path / "bot", does)
    record = match(LLM(GAME, command=path, timeout=2.0 if told is None else 20.0))
    assert (record.result, record.reason) == (-1, "crash")
    short = path if len(path) <= 60 else path[:59] + "…"
    assert record.detail == (f"{short} {told}" if told else f"{path}: no answer within 2 s")
    assert until(lambda: not processes(path))


@pytest.mark.slow
@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(tmp_path, launch, how):
    does = "if os.fork() == 0: os.setsid(); os.execlp('sleep', 'sleep', str(10**7))\ntime.sleep(10**7)"
    write_command(tmp_path / "bot", does)
    running = launch("match", "llm:command=./bot", "random", "--matches", "2")
    assert until(lambda: [pid for pid in processes("sleep 10000000") if pid in running.running()])
    running.send(how)
    time.sleep(0.2)
    running.send(how)
    running.process.communicate(timeout=600)
    assert running.nothing_left()


# --- cassettes --------------------------------------------------------------------------------------------

ANSWER = Answer("MOVE: 5", False, {"prompt_tokens": 12})
OTHER = Answer("MOVE: 6 – ü", True, {})


def test_answers_are_found_again_by_others(tmp_path):
    path = str(tmp_path / "kept.jsonl")
    one, two = Cassette(path), Cassette(path)
    assert one.find("a") is None
    assert one.keep("a", ANSWER) == ANSWER
    assert two.find("a") == ANSWER
    assert two.keep("b", OTHER) == OTHER
    assert one.find("b") == OTHER
    assert Cassette(path).find("a") == ANSWER


def test_who_comes_first_is_followed_by_the_others(tmp_path):
    path = str(tmp_path / "kept.jsonl")
    one, two = Cassette(path), Cassette(path)
    one.keep("a", ANSWER)
    assert two.keep("a", OTHER) == ANSWER
    assert len(Path(path).read_text().splitlines()) == 1


@pytest.mark.parametrize("size", range(1, 60, 7))
def test_a_line_that_was_not_finished_is_as_if_it_were_not_there(tmp_path, size):
    path = tmp_path / "kept.jsonl"
    Cassette(str(path)).keep("a", ANSWER)
    whole = path.read_bytes()
    path.write_bytes(whole + whole.replace(b'"a"', b'"b"')[:size])
    cassette = Cassette(str(path))
    assert (cassette.find("a"), cassette.find("b")) == (ANSWER, None)
    cassette.keep("c", OTHER)
    assert Cassette(str(path)).find("c") == cassette.find("c") == OTHER
    assert len(path.read_bytes().splitlines()) == 2


OTHERWISE = '{"request": 1, "text": "", "cut_off": false, "usage": {}}'


@pytest.mark.parametrize("line", ["{}", "[1]", "what?", OTHERWISE])
def test_a_line_that_is_none_is_told(tmp_path, line):
    path = tmp_path / "kept.jsonl"
    Cassette(str(path)).keep("a", ANSWER)
    size = path.stat().st_size
    path.write_text(f"{path.read_text()}{line}\n")
    with pytest.raises(Reported) as raised:
        Cassette(str(path)).find("b")
    assert str(raised.value) == f"cassette {path} is damaged at byte {size}; remove that line"


WRITER = """
import sys, time
from arena_agents.llm.answer import Answer
from arena_agents.llm.cassette import Cassette
cassette = Cassette(sys.argv[1])
print("ready", flush=True)
for number in range(10**6):
    text = f"{sys.argv[2]} {number} " + "x" * (number % 3000)
    kept = cassette.keep(str(number), Answer(text, False, {"n": number}))
    assert kept.text.split()[1] == str(number)
    if number == int(sys.argv[3]): break
"""


@pytest.mark.slow
def test_several_processes_write_and_a_kill_leaves_it_whole(tmp_path):
    path = tmp_path / "kept.jsonl"

    def start(name, last):
        words = [sys.executable, "-c", WRITER, str(path), name, str(last)]
        return subprocess.Popen(words, stdout=subprocess.PIPE)

    doomed, *others = start("killed", 10**6), start("one", 300), start("two", 300)
    assert until(lambda: path.exists() and path.stat().st_size > 10_000)
    doomed.kill()
    assert [other.wait(60) for other in others] == [0, 0]
    doomed.communicate()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    requests = [line["request"] for line in lines]
    assert len(set(requests)) == len(requests) >= 301
    cassette = Cassette(str(path))
    assert all(cassette.find(line["request"]).text == line["text"] for line in lines)


def entries(address, **options):
    """Two models and a player of random moves, as command-line arguments."""
    more = "".join(f",{name}={value}" for name, value in options.items())
    texts = [f"llm:address={address},model={name}{more}" for name in ("tiny", "other")]
    return [word for text in [*texts, "random"] for word in ("--entry", text)]


@pytest.mark.parametrize(
    "temperature", ["none", *(pytest.param(at, marks=pytest.mark.slow) for at in ("0", "1"))]
)
@pytest.mark.slow
def test_an_event_is_repeated_from_its_cassette_with_the_server_gone(tmp_path, temperature):
    """To the bit, and for any number of workers, though the models answer otherwise each time."""
    args = ("--game", "tic-tac-toe", "--rounds", "3", "--seed", "5", "--openings", "random:2")
    options = {"temperature": temperature, "cassette": "kept.jsonl"}
    with serving(fickle_move) as served:
        named = entries(served.address, **options)
        command(tmp_path, "tournament", *named, *args, "--workers", "2")
        asked = len(served.asked)
    db = tmp_path / "arena.db"
    recorded = rows(db)
    assert len(recorded["matches"]) == 18
    assert {row[5] for row in recorded["matches"]} == {"rules"}
    assert len(recorded["usage"]) == 3 * len({row[:3] for row in recorded["usage"]}) > 0
    kept = (tmp_path / "kept.jsonl").read_bytes()
    assert 0 < len(kept.splitlines()) <= asked
    for workers in ("1", "3"):
        command(tmp_path, "tournament", *named, *args, "--workers", workers, "--db", f"again{workers}.db")
        again = rows(tmp_path / f"again{workers}.db")
        assert again == recorded
    assert (tmp_path / "kept.jsonl").read_bytes() == kept
    check_sums(db)
    told = json.loads(command(tmp_path, "tournaments", "show", "1", "--json").stdout)["usage"]
    assert set(told) == {name for _, name in recorded["entries"] if name.startswith("llm:")}
    for used in told.values():
        n = used["moves"]
        assert used["sums"] == {"completion_tokens": 3 * n, "prompt_tokens": 12 * n, "tries": n}


@pytest.mark.parametrize("on_failure", ["forfeit", "random"])
@pytest.mark.slow
def test_what_goes_wrong_is_repeated_too(tmp_path, on_failure):
    """Who forfeits, how, and after how many tries."""
    args = ("--game", "tic-tac-toe", "--rounds", "6", "--seed", "5")
    options = {"on_failure": on_failure, "cassette": "kept.jsonl"}
    with serving(faulty_move) as served:
        named = entries(served.address, **options)
        command(tmp_path, "tournament", *named, *args, "--workers", "2")
    recorded = rows(tmp_path / "arena.db")
    reasons = {row[5] for row in recorded["matches"]}
    assert reasons == ({"rules", "illegal move"} if on_failure == "forfeit" else {"rules"})
    kinds = {"cut_off", "empty", "unreadable", "illegal"}
    assert len({row[4] for row in recorded["usage"]} & kinds) >= 2
    command(tmp_path, "tournament", *named, *args, "--workers", "3", "--db", "again.db", ARENA_OFFLINE="1")
    assert rows(tmp_path / "again.db") == recorded


def test_repeated_matches_are_no_copies_but_where_the_temperature_is_0(tmp_path):
    for temperature, copies in (("0", 3), ("1", 0)):
        with serving(fickle_move) as served:
            text = f"llm:address={served.address},model=tiny,cassette=kept{temperature}"
            text += f",temperature={temperature}"
            inside(tmp_path, "match", text, "first", "--matches", "8", "--executor", "serial", "--record")
        counted = query(
            tmp_path / "arena.db",
            "SELECT first, sum(wins + draws + losses) FROM pairings WHERE kind = 'copy'"
            " AND tournament = (SELECT max(id) FROM tournaments) GROUP BY first, second",
        )
        assert [number for _, number in counted] == [copies] * (2 if copies else 0)


def test_offline_asks_nobody(tmp_path, monkeypatch):
    path = tmp_path / "kept.jsonl"
    with serving(first_move) as served:
        entered = {"temperature": 0, "cassette": str(path)}
        record = match(model(served.address, **entered))
        asked = len(served.asked)
        monkeypatch.setenv("ARENA_OFFLINE", "1")
        again = match(model(served.address, **entered))
        assert (again.moves, again.usage) == (record.moves, record.usage)
        path.write_text("".join(path.read_text().splitlines(True)[:1]))
        record = match(model(served.address, **entered))
        assert len(served.asked) == asked
        for cassette in ("", str(tmp_path / "none")):
            with pytest.raises(
                Reported, match=r"^ARENA_OFFLINE is set, and there is no cassette with answers"
            ):
                model(served.address, cassette=cassette)
    assert (record.result, record.reason) == (-1, "crash")
    assert (
        record.detail == f"cassette {path} has no answer to this prompt, and ARENA_OFFLINE forbids requests"
    )
    assert record.moves == "1 9"


@pytest.mark.parametrize(
    "change",
    [{"model": "other"}, {"temperature": 0.5}, {"max_tokens": 7}, {"body": ("top_p=0.5",)}, {"address": "x"}],
    ids=str,
)
def test_a_request_is_found_by_all_that_shapes_its_answer(tmp_path, change):
    path = str(tmp_path / "kept.jsonl")
    with serving(first_move) as served, serving(first_move) as another:
        options = {"address": served.address, "model": "tiny", "temperature": 0, "cassette": path}
        match(LLM(GAME, **options))
        assert len(served.asked) == 3
        match(LLM(GAME, **options, timeout=7, retries=1, patience=9, key="K"))
        assert len(served.asked) == 3
        elsewhere = {"address": another.address} if "address" in change else {}
        match(LLM(GAME, **{**options, **change, **elsewhere}))
        assert len(served.asked) + len(another.asked) == 6


def test_the_second_try_is_not_taken_for_the_first(tmp_path):
    path = str(tmp_path / "kept.jsonl")

    def act(asked):
        first_move(asked) if asked.number % 2 else asked.answer("77")

    with serving(act) as served:
        agent = model(served.address, temperature=0, cassette=path)
        record = match(agent)
        assert match(agent).usage == record.usage
        assert len(served.asked) == 6
    assert sums(record) == {"illegal": 3, "tries": 6, "prompt_tokens": 72, "completion_tokens": 18}


def test_what_a_server_fails_to_answer_is_not_kept(tmp_path):
    path = tmp_path / "kept.jsonl"
    with serving(PASSING["500"][0]) as served:
        match(model(served.address, cassette=str(path)))
    assert not path.exists()


def test_usage_is_forgotten_from_move_to_move():
    with serving(first_move) as served:
        agent = model(served.address)
        agent.begin(0)
        state = GAME.initial()
        agent.choose(state, GAME.moves(state), arena.Rng(1))
        assert taken(agent) == {"completion_tokens": 3, "prompt_tokens": 12, "tries": 1}
        assert taken(agent) == {}

"""Servers of language models: what may pass is asked again, what does not costs its own match."""

from __future__ import annotations

import json
import time

import pytest

from arena.api.limits import Limits
from arena.errors import Reported
from arena_agents.llm import connection, server
from llm_matches import PASSING, failing, match, model
from models import KEY, first_move, serving

pytestmark = pytest.mark.usefixtures("no_waits")


def hang(asked):
    time.sleep(1.5)


def drip(asked):
    """Sends a byte now and then, maximum length of an answer that never ends."""
    asked.handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(30):
        asked.handler.wfile.write(b" ")
        asked.handler.wfile.flush()
        time.sleep(0.1)


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

"""Cassettes: what language models answered is found again, and events are repeated from it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import Reported
from arena_agents.llm.answer import Answer
from arena_agents.llm.cassette import Cassette
from arena_agents.llm.llm import LLM
from commands import arena as command
from commands import inside
from llm_matches import GAME, PASSING, match, model, sums
from models import faulty_move, fickle_move, first_move, serving
from records import check_sums, query, rows
from running import until

pytestmark = pytest.mark.usefixtures("no_waits")

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
    """A cassette repeats who forfeits, why, and after how many attempts."""
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

"""Language models that cannot play: told before the first match, in one line."""

from __future__ import annotations

import pytest

from arena.api.options import required
from arena.errors import Reported
from arena.registry.plugins import registry
from arena_agents.llm.llm import LLM
from commands import inside
from llm_matches import GAME, model, posix
from models import first_move, serving

pytestmark = pytest.mark.usefixtures("no_waits")


def made(served, **options):
    """Return the error message if an agent cannot be created."""
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

"""Exported entries in a browser: from disk in one file, in a worker made of a text, as the guide has it."""

from __future__ import annotations

import base64
import re
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

import arena
from arena import Rng
from arena.rng import derive
from arena.wasm.scripts import classic
from node import made
from paths import ROOT

pytest.importorskip("playwright.sync_api", reason="needs: pip install -e '.[browser]'")

ENTRY, GAME = "alpha-beta:depth=6", "connect-four"  # as in the guide
ONE_FILE = """<!doctype html><meta charset="utf-8"><pre id="told"></pre>
<script type="text/plain" id="module">{text}</script>
<script id="classic">{classic}</script>
<script>
const bytes = arena.fromBase64(document.querySelector("#module").textContent);
const own = document.querySelector("#classic").textContent + `
onmessage = async ({{ data }}) => {{
  const entry = await arena.load(data);
  postMessage([7, 8, 9].map((seed) => entry.choose(entry.initial, seed)));
}};`;
(async () => {{
  const entry = await arena.load(bytes);
  const match = entry.match({{ seed: 3, seats: [await entry.twin(), entry] }});
  while (!match.over) match.play(match.choose());
  const worker = new Worker(URL.createObjectURL(new Blob([own])));
  const chosen = await new Promise((done, fail) => {{
    worker.onmessage = ({{ data }}) => done(data);
    worker.onerror = fail;
    worker.postMessage(bytes);
  }});
  const values = await entry.values(entry.initial);
  document.querySelector("#told").textContent = [match.line, match.result, chosen, values].join(";");
}})();
</script>"""


@contextmanager
def shown(browser, url, offline):
    """A page, which must not complain."""
    context, complaints = browser.new_context(offline=offline), []
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)
    yield page
    context.close()
    assert complaints == []


@contextmanager
def serving(folder):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def line_of(seats, seed):
    """The moves of a match, and who wins it, as arena plays it."""
    game, streams, history = seats[0].game, [Rng(derive(seed, seat)) for seat in (0, 1)], []
    state = game.initial()
    while moves := game.moves(state):
        seat = game.to_move(state)
        history.append(seats[seat].choose(state, list(moves), streams[seat]))
        state = game.play(state, history[-1])
    value = game.value(state)
    return " ".join(map(game.move_text, history)), value if game.to_move(state) == 0 else -value


@pytest.mark.slow
def test_one_file_plays_from_disk_in_the_page_and_in_a_worker(browser, tmp_path):
    with open(arena.export(ENTRY, game=GAME, wasm=tmp_path).module, "rb") as file:
        text = base64.b64encode(file.read()).decode()
    page = tmp_path / "page.html"
    page.write_text(ONE_FILE.format(text=text, classic=classic()), encoding="utf-8")
    with shown(browser, page.as_uri(), offline=True) as opened:
        opened.wait_for_function("document.querySelector('#told').textContent")
        line, result, chosen, values = opened.locator("#told").inner_text().split(";")
    agent = made(ENTRY, GAME)
    start = agent.game.initial()
    moves = agent.game.moves(start)
    assert (line, int(result)) == line_of([made(ENTRY, GAME), made(ENTRY, GAME)], 3)
    assert chosen == ",".join(str(agent.choose(start, list(moves), Rng(seed))) for seed in (7, 8, 9))
    assert [float(value) for value in values.split(",")] == [
        view.score for view in agent.explain(start, moves)
    ]


@pytest.mark.slow
def test_the_page_of_the_guide_plays(browser, tmp_path):
    guide = (ROOT / "docs" / "how-to" / "put-an-entry-on-a-page.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"`page/index\.html`:\n\n```html\n(.*?)```", guide, re.DOTALL)
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    arena.export(ENTRY, game=GAME, wasm=tmp_path)
    with serving(tmp_path) as url, shown(browser, url, offline=False) as opened:
        opened.get_by_role("button", name="4", exact=True).click()
        opened.wait_for_function("document.querySelector('#board').textContent.includes('O')")
        board = opened.locator("#board").inner_text().replace("\t", "").replace("\n", "")
        assert len(board) == 42
        assert board.count("X") == board.count("O") == 1
        for _ in range(21):
            if button := opened.get_by_role("button").all():
                button[0].click()
        assert opened.locator("#moves").inner_text() in ("over: 1", "over: 0", "over: -1")

"""What a page sees: matches as arena plays them, values as it explains them, texts as texts."""

from __future__ import annotations

import base64
import re

import pytest

import arena
import text_games
from arena import Agent, Game, Rng
from arena.api.limits import Limits
from arena.api.words import words_of
from arena.matches.match import play_match
from arena.plan.opening_book import Opening
from arena.rng import derive, mix
from arena.wasm.scripts import classic, script, types
from arena.workers.worker import Watch
from node import made, needs_node, node
from paths import ROOT
from tiers import slow

pytestmark = needs_node


class Marks(Agent):
    """Keeps texts and tuples."""

    def prepare(self):
        self.mark, self.last = "?", (0, 0)

    def begin(self, seat):
        self.mark = "XO"[seat]
        self.last = (-1, 0)

    def choose(self, state, moves, rng):
        move = moves[rng.below(len(moves))]
        if self.mark == "X" and self.last[0] >= 0:
            move = min(moves, key=lambda one: abs(one - self.last[0]))
        self.last = (move, self.last[1] + 1)
        return moves[0] if self.last[1] > 2 else move


MATCHES = """
import { load } from "./arena.js";
import { readFileSync } from "node:fs";
const { files, seeds } = JSON.parse(readFileSync(0));
const found = [];
for (const seed of seeds) {
  const seats = await Promise.all(files.map(async (file) => load(readFileSync(file))));
  const match = seats[0].match({ seed, seats });
  while (!match.over) match.play(match.choose());
  found.push([match.line, match.result, match.reason]);
}
console.log(JSON.stringify(found));
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "first", "second"),
    [
        ("connect-four", "random", "greedy"),
        (text_games.Pair, "random", "greedy"),
        ("tic-tac-toe", Marks, "random"),
        (text_games.Four, "alpha-beta:depth=2", "random"),
        *slow(("checkers-4x4", "alpha-beta:depth=3", "random"), ("tic-tac-toe", "minimax:depth=2", "random")),
    ],
)
def test_matches_are_those_of_arena(game, first, second, tmp_path):
    files = [arena.export(entry, game=game, wasm=tmp_path).module for entry in (first, second)]
    seeds = range(8)
    found = node(tmp_path, MATCHES, {"files": files, "seeds": [*seeds]})
    expected = []
    for seed in seeds:
        agents = [made(entry, game) for entry in (first, second)]
        limits = Limits(agents[0].game.max_plies, 0, 0)
        record = play_match(
            agents[0].game,
            lambda seat, agents=agents: agents[seat],
            (0, 0, 0, 1),
            (derive(seed, 0), derive(seed, 1)),
            Opening(),
            limits,
            Watch(),
        )
        expected.append([record.moves, record.result, record.reason])
    assert found == expected
    assert len({reason for *_, reason in found} | {result for _, result, _ in found}) > 1


VALUES = """
import { load } from "./arena.js";
import { readFileSync } from "node:fs";
const { file, states } = JSON.parse(readFileSync(0));
const entry = await load(readFileSync(file));
const found = [];
for (const words of states) found.push(await entry.values(words.map(BigInt)));
console.log(JSON.stringify(found));
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "entry"),
    [
        ("connect-four", "alpha-beta:depth=4"),
        ("connect-four", "alpha-beta:nodes=500"),
        ("tic-tac-toe", "greedy:evaluation=none"),
        ("checkers", "minimax:depth=2"),
        (text_games.Text, "minimax:depth=2"),
        ("tic-tac-toe", "q-table:episodes=200"),
        ("tic-tac-toe", "q-backprop:episodes=200"),
        ("tic-tac-toe", "psv:learner=(q-backprop:episodes=200)"),
    ],
)
def test_values_are_the_scores_that_arena_explains(game, entry, tmp_path):
    try:
        exported = arena.export(entry, game=game, wasm=tmp_path, progress=False)
    except arena.ArenaError as error:
        pytest.skip(str(error))
    assert exported.values
    agent = made(entry, game)
    state, rng, states, expected = agent.game.initial(), Rng(3), [], []
    while (moves := agent.game.moves(state)) and len(states) < 12:
        states.append([str(word) for word in words_of(state)])
        expected.append([view.score for view in made(entry, game).explain(state, moves)])
        state = agent.game.play(state, rng.choice(moves))
    assert node(tmp_path, VALUES, {"file": exported.module, "states": states}) == expected


class Odd(Game):
    """A heap with odd names on purpose, a truth in its positions, and huge and negative moves."""

    name = "<b>odd</b>\x1b[2J"
    sides = ("</script>", "\u202eO")
    max_moves = 3
    cells = ((0, 0),)

    def initial(self):
        return (9, False, -(2**62))

    def moves(self, state):
        if state[0] > 0:
            yield -1
        if state[0] > 1:
            yield 2**62
        if state[0] > 4:
            yield 3

    def play(self, state, move):
        taken = 1 if move < 0 else 3 if move == 3 else 2
        return (state[0] - taken, not state[1], state[2] + 1)

    def to_move(self, state):
        return int(state[1])

    def value(self, state):
        return -1

    def move_text(self, move):
        return "</script>" if move < 0 else "'\"\\" if move == 3 else "é<"

    def piece(self, state, cell):
        return state[0] % 3

    def anchor(self, state, move):
        return 0

    def shape(self, state, move):
        return 0

    def cell_text(self, cell):
        return "<i>\x00"

    def piece_text(self, piece):
        return "<" * piece


class Last(Agent):
    """Plays the last move, or by chance another."""

    def choose(self, state, moves, rng):
        return moves[-1] if rng.below(2) else rng.choice(moves)


ODD = """
import { load } from "./arena.js";
import { readFileSync } from "node:fs";
const entry = await load(readFileSync(JSON.parse(readFileSync(0)).file));
const match = entry.match({ seed: 4, seats: [entry, await entry.twin()] });
const begun = match.texts;
while (!match.over) match.play(match.choose());
const { cell_texts, piece_texts } = entry.about, state = match.state.map(String);
console.log(JSON.stringify([begun, match.line, match.result, entry.sides, cell_texts, piece_texts, state]));
"""


@pytest.mark.slow
def test_odd_names_come_out_as_text(tmp_path):
    exported = arena.export(Last, game=Odd, wasm=tmp_path)
    begun, line, result, sides, cells, pieces, state = node(tmp_path, ODD, {"file": exported.module})
    agents = [made(Last, Odd), made(Last, Odd)]
    record = play_match(
        agents[0].game, lambda seat: agents[seat], (0, 0, 0, 1), (4, 5), Opening(), Limits(0, 0, 0), Watch()
    )
    assert (line, result) == (record.moves, record.result)
    assert begun == ["</script>", "é<", "'\"\\"]
    assert sides == ["</script>", "\\u202eO"]
    assert (cells, pieces) == (["<i>\\x00"], ["<", "<<"])
    assert len(state) == 3
    assert "\x1b" not in str(exported)


FAR = 1 << 60  # a coin that no board has


class Deep(Agent):
    """Calls itself beyond what any stack has room for, in a position that no match comes to."""

    def depth(self, state, n: int) -> int:
        moves = self.game.moves(state)
        return len(moves) if n == 0 else mix(self.depth(state, n - 1) + moves[n % len(moves)])

    def choose(self, state, moves, rng):
        return moves[self.depth(state, 100_000_000) % len(moves)] if state[1] & FAR else moves[0]


STEPS = """
import { load, Rng, derive, fromBase64 } from "./arena.js";
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0));
const told = [];
const failing = async (what) => {
  try { await what(); told.push("nothing"); } catch (error) { told.push(error.message); }
};
const entry = await load(fromBase64(given.text));
const match = entry.match();
await failing(() => match.play("9x9"));
await failing(() => match.play(77n));
await failing(() => match.choose());
await failing(() => entry.match({ seats: [entry, entry] }));
await failing(() => entry.moves([1n]));
await failing(() => load(given.bytes && new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
match.play("5").play("1");
told.push(match.line, match.texts.join(" "), match.toMove, entry.board(match.state).join(""));
told.push(entry.moveText(77n));
told.push(match.over, match.result, String(derive(7, 1)), String(new Rng(7).bits()), new Rng(7).below(1000));
console.log(JSON.stringify(told));
"""


def test_a_page_is_told_what_is_wrong(tmp_path):
    exported = arena.export("first", game="tic-tac-toe", wasm=tmp_path)
    with open(exported.module, "rb") as file:
        text = base64.b64encode(file.read()).decode()
    *errors, line, texts, mover, board, unknown, over, result, derived, bits, below = node(
        tmp_path, STEPS, {"text": text, "bytes": True}
    )
    assert errors == [
        'tic-tac-toe has no move "9x9" here',
        "tic-tac-toe has no move 77 here",
        "no entry has seat 0",
        "one entry cannot have both seats: give one of them its twin, await entry.twin()",
        f"a position of tic-tac-toe has {len(made('first', 'tic-tac-toe').game.initial())} numbers",
        "arena did not write this module",
    ]
    assert (line, texts, mover, board, unknown) == ("5 1", "2 3 4 6 7 8 9", 0, "200010000", "#77")
    assert (over, result) == (False, None)
    assert (int(derived), int(bits), below) == (arena.rng.derive(7, 1), Rng(7).bits(), Rng(7).below(1000))


CLASSIC = """
import vm from "node:vm";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
const { file } = JSON.parse(readFileSync(0));
const text = readFileSync("arena.classic.js", "utf8");
const page = vm.createContext({ WebAssembly, TextDecoder, performance, URL });
vm.runInContext(text, page);
page.bytes = readFileSync(file);
const first = "arena.load(bytes).then((entry) => String(entry.choose(entry.initial, 3)))";
const inPage = await vm.runInContext(first, page);
const own = `${text}
const { parentPort, workerData } = require("node:worker_threads");
arena.load(workerData).then((entry) => parentPort.postMessage(String(entry.choose(entry.initial, 3))));`;
const worker = new Worker(own, { eval: true, workerData: page.bytes });
const inWorker = await new Promise((done) => worker.once("message", done));
console.log(JSON.stringify([inPage, inWorker, Object.keys(vm.runInContext("arena", page))]));
"""


@pytest.mark.slow
def test_the_plain_script_plays_in_a_page_and_in_a_worker(tmp_path):
    exported = arena.export("random", game="connect-four", wasm=tmp_path)
    in_page, in_worker, names = node(tmp_path, CLASSIC, {"file": exported.module})
    agent = made("random", "connect-four")
    expected = agent.choose(agent.game.initial(), agent.game.moves(agent.game.initial()), Rng(3))
    assert [int(in_page), int(in_worker)] == [expected, expected]
    assert sorted(names) == ["Entry", "Match", "Rng", "derive", "fromBase64", "load"]


@pytest.mark.slow
def test_the_script_of_the_guide_plays(tmp_path):
    page = (ROOT / "docs" / "how-to" / "put-an-entry-on-a-page.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"`match\.mjs`:\n\n```js\n(.*?)```", page, re.DOTALL)
    entry = re.search(r"arena export (\S+) --game connect-four", page)[1]
    arena.export(entry, game="connect-four", wasm=tmp_path)
    line, result = node(
        tmp_path,
        text.replace("console.log(", "console.log(JSON.stringify([").replace(
            "match.result);", "match.result]));"
        ),
    )
    agent = made(entry, "connect-four")
    record = play_match(
        agent.game,
        lambda seat: agent if seat else made("first", "connect-four"),
        (0, 0, 0, 1), (derive(7, 0), derive(7, 1)), Opening(), Limits(42, 0, 0), Watch(),
    )  # fmt: skip
    assert (line, result) == (record.moves, record.result)


DEEP = """
import { load } from "./arena.js";
import { readFileSync } from "node:fs";
const entry = await load(readFileSync(JSON.parse(readFileSync(0)).file));
const told = [];
for (let i = 0; i < 100; i++)
  try {
    told.push(String(entry.choose([0n, BigInt(i % 2) << 60n])));
  } catch (error) {
    told.push(error.constructor.name + " " + error.message);
  }
console.log(JSON.stringify(told));
"""


@pytest.mark.slow
def test_a_search_beyond_the_stack_is_stopped_and_the_next_one_runs(tmp_path):
    exported = arena.export(Deep, game="connect-four", wasm=tmp_path)
    told = node(tmp_path, DEEP, {"file": exported.module})
    assert told[::2] == ["3"] * 50  # the first move
    beyond = "RecursionError: maximum recursion depth exceeded"
    assert {*told[1::2]} == {f"Error {beyond}"}


def test_scripts_say_the_same():
    exports = script().rpartition("export {")[2].partition("}")[0].replace(" ", "").split(",")
    for name in exports:
        assert f"export class {name} " in types() or f"export function {name}(" in types()
    assert not re.search(r"^(export|import)\b", classic(), re.MULTILINE)
    assert "http" not in classic()

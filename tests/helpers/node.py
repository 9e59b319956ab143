"""What node says: exported entries asked, and scripts run."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena import Rng
from arena.commands.export.call import agent_of
from arena.rng import derive

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node, which runs what is exported, is not installed")

ASK = """
import { load, Rng } from "./arena.js";
import { readFileSync } from "node:fs";
const { file, asked } = JSON.parse(readFileSync(0));
const entry = await load(readFileSync(file));
const answers = [];
for (const [words, seed] of asked) {
  const state = words.map(BigInt), rng = new Rng(seed);
  if (answers.length % 40 === 0) entry.begin(entry.toMove(state));
  const moves = entry.moves(state), move = entry.choose(state, rng);
  const after = moves.slice(0, 4).map((one) => entry.play(state, one).map(String));
  const drawn = String(rng.drawn), value = entry.evaluate(state);
  answers.push([moves.map(String), after, entry.toMove(state), String(move), drawn, value]);
}
console.log(JSON.stringify(answers));
"""


def node(folder: Path, script: str, given: Any = None) -> Any:
    """What a script, a module of JavaScript, prints as JSON; it runs in a folder, and reads JSON."""
    path = folder / "script.mjs"
    path.write_text(script, encoding="utf-8")
    assert NODE
    done = subprocess.run(
        [NODE, str(path)], cwd=folder, input=json.dumps(given), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def made(entry: Any, game: Any) -> Any:
    """An agent that is ready to play, trained if need be, in a game with compiled rules."""
    return agent_of(entry, game, progress=False)


def some_positions(game: Any, n: int) -> list[Any]:
    """Positions of random matches, so many, none of them over."""
    found: list[Any] = []
    match = 0
    while len(found) < n:
        rng, state = Rng(derive(99, match)), game.initial()
        while len(found) < n and (moves := game.moves(state)):  # a match may never end
            if rng.below(3) == 0:
                found.append(state)
            state = game.play(state, rng.choice(moves))
        match += 1
    return found[:n]


def answers(agent: Any, n: int) -> tuple[list[Any], list[Any]]:
    """What to ask node about an agent in `n` positions, and what arena's own answers are, in their order."""
    game, asked, expected = agent.game, [], []
    for number, state in enumerate(some_positions(game, n)):
        rng = Rng(derive(5, number))
        if number % 40 == 0:
            agent.begin(game.to_move(state))
        asked.append([[str(int(word)) for word in state], str(rng.stream[0])])
        moves = game.moves(state)
        move = agent.choose(state, list(moves), rng)
        after = [[str(int(word)) for word in game.play(state, one)] for one in moves[:4]]
        value = float(game.evaluate(state)) if "evaluation" in game.capabilities else None
        expected.append(
            [list(map(str, moves)), after, game.to_move(state), str(move), str(rng.stream[1]), value]
        )
    return asked, expected

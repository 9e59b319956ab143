"""Files that leave something behind wherever they run outside a sandbox."""

from __future__ import annotations

from pathlib import Path

LEAVES = """
import os
def leave(when):
    try:
        open(os.path.join({out!r}, f"{{when}}-{{os.getpid()}}"), "w").close()
    except OSError:
        pass
leave("import")
"""
AGENT = """
from arena import Agent, View, option
class Can(Agent):
    "Plays the first move, and says all that it can."
    depth: int = option(1, "depth", low=0, high=9)
    def prepare(self):
        leave("prepare")
    def choose(self, state, moves, rng):
        leave("choose")
        return moves[0]
    def distribution(self, state, moves):
        leave("distribution")
        return [1.0] + [0.0] * (len(moves) - 1)
    def explain(self, state, moves):
        leave("explain")
        return [View({"score": -float(i)}) for i in range(len(moves))]
    def __reduce__(self):
        leave("reduce")
        return object.__reduce__(self)
"""
LEARNER = """
from arena_agents.tabular.q_backprop import QBackprop
class Learns(QBackprop):
    "Learns, and leaves something when it does."
    episodes = 20
    def prepare(self):
        leave("prepare")
        super().prepare()
    def prepare_learning(self):
        leave("learning")
        super().prepare_learning()
    def model(self):
        leave("model")
        return super().model()
    def findings(self):
        leave("findings")
        return {"n": [1.0]}
"""


class Canaries:
    """A folder with such files, and what they have left."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "out"
        self.out.mkdir()
        (folder / "bots").mkdir()
        leaves = LEAVES.format(out=str(self.out))
        (folder / "can.py").write_text(leaves + AGENT)
        (folder / "learns.py").write_text(leaves + LEARNER)
        (folder / "bots" / "other.py").write_text(leaves + AGENT)
        (folder / "event.toml").write_text(
            'entries = ["can.py", "random"]\ngame = "tic-tac-toe"\nrounds = 1\nseed = 1\n'
        )

    def left(self) -> list[str]:
        """Return what was left, and remove it."""
        found = sorted(self.out.iterdir())
        for path in found:
            path.unlink()
        return [path.name for path in found]

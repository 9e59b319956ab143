"""Published learning curves: the rows of their files, and what a command would write."""

from __future__ import annotations

import csv
import shlex

from arena.registry.plugins import registry
from arena.training.curve import SEATS
from arena.training.curve import Curve as Asked
from arena.training.learners import learner_in


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def there(path):
    """Entry, game, opponent, seed, episodes, seat and matches of each row."""
    return {
        (
            row["entry"],
            row["game"],
            row["opponent"],
            *(int(row[name]) for name in ("seed", "episodes", "seat")),
            n,
        )
        for row in rows(path)
        for n in [sum(int(row[name]) for name in ("wins", "draws", "losses"))]
    }


def asked(line):
    """The same of an `arena train` command."""
    _, _, text, *words = shlex.split(line)
    anew = "--fresh-per-point" in words
    words = [word for word in words if word != "--fresh-per-point"]
    options = list(zip(words[::2], words[1::2], strict=True))
    given = dict(options)
    against = [text for name, text in options if name == "--against"] or ["random"]
    entry, game = registry().spec("agent", text), registry().spec("game", given["--game"])
    opponents = [registry().spec("agent", text) for text in against]
    points, matches = [int(n) for n in given["--points"].split(",") if n], int(given["--matches"])
    learner = learner_in(entry)
    first = learner.values["seed"]
    seeds = range(first, first + int(given["--seeds"]))
    name = Asked(entry, learner, game, seeds, points, opponents, matches, 0, anew).name
    return {
        (name, game.text, opponent.text, seed, n, seat, matches)
        for opponent in opponents
        for seed in seeds
        for n in points
        for seat in SEATS
    }

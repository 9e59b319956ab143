"""Command lines, texts and bytes drawn at random: some as they should be, most nearly so."""

from __future__ import annotations

import random

import click

from arena.cli.commands import cli

FILES = ("arena.db", "t.toml", "text.txt", "cut.db", "curve.csv", "model.npz", "models", "new", "no/new", ".")
TEXTS = (
    "",
    " ",
    "x",
    "-",
    "--",
    "=",
    ":",
    "é漢",
    "\udcff",
    "\x1b[31m",
    "a\nb",
    "x" * 300,
    "'",
    '"',
    "%s",
    "{}",
)
NUMBERS = (
    *(
        "-1",
        "0",
        "1",
        "2",
        "3",
        "1.5",
        "1e3",
        "0x1",
        "1_0",
        " 1",
        "+2",
        "-0",
        "٣",
        "nan",
        "inf",
        "-inf",
        "1e308",
    ),
    *(str(2**31), str(2**63 - 1), str(2**63), str(2**64), str(10**20), "9" * 5000, "1e-320", ".5"),
)
AGENTS = (
    *("random", "first", "greedy", "minimax:depth=1", "minimax:depth=2,ties=first", "alpha-beta:depth=2"),
    *("q-table:episodes=2", "double-q:episodes=3", "psv:learner=(q-backprop:episodes=2)", "sarsa:episodes=1"),
    *(
        "alpha-beta:depth=1,evaluation=(material)",
        "minimax:depth=0",
        "minimax:depth=x",
        "minimax:",
        ":depth=1",
    ),
    *(
        "minimax:depth=1,depth=2",
        "psv:learner=(",
        "psv:learner=())",
        "nobody",
        "q-table:no=1",
        "minimax:ties=,",
    ),
    *(
        "alpha-beta:evaluation=random",
        "psv:learner=random",
        "minimax:depth=1:ties=first",
        "random:x",
        "Random",
    ),
)
GAMES = (
    *(
        "tic-tac-toe",
        "tic-tac-toe",
        "checkers-4x4",
        "connect-four",
        "connect-four:columns=4,rows=4",
        "checkers",
    ),
    *(
        "tic-tac-toe:x=1",
        "connect-four:columns=0",
        "connect-four:columns=x",
        "chess",
        "checkers:",
        "tictactoe",
    ),
)
VALUES = {
    "agent": AGENTS,
    "entry": AGENTS,
    "game": GAMES,
    "file": FILES,
    "path": FILES,
    "model": ("MODEL", "MODE", "0", "zz", "model.npz"),
    "executor": ("serial", "serial", "threads", "nothing"),
    "rating system": ("elo", "maximum-likelihood", "nothing"),
    "choice": ("latest", "all", "none"),
    "number or list": ("1", "2", "0,2", "1,", ",", "1,x", "-1", "0"),
    "--openings": ("random:2", "random:0", "random:-1", "random:x", "random", "random:99"),
    "--format": ("round-robin", "match", "swiss"),
    "--protocol": ("document", "none"),
    "--position": ("", ".........", "x........", "xxx......", "W:W1:B2", "B:W:B", "4", "0"),
    "text": ("", ".........", "x........", "xxx......", "W:W1:B2", "B:W:B", "4", "0"),
    "depth": ("0", "1", "2", "3", "-1"),
    "--resume": ("1", "3", "last", "0", "x", "-1"),
}


def leaves(command: click.Command, path: tuple[str, ...] = ()):
    """The commands that are not groups, by the words they are called with."""
    if not isinstance(command, click.Group):
        yield path, command.params
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from leaves(command.get_command(context, name), (*path, name))


COMMANDS = list(leaves(cli))


def value(rng: random.Random, param: click.Parameter) -> str:
    """Something for a parameter: mostly of its kind, sometimes for another, sometimes anything."""
    pools = [VALUES.get(name) for name in (param.opts[-1], param.type.name)]
    pool = next((pool for pool in pools if pool), NUMBERS)
    kind = rng.random()
    if kind < 0.1:
        pool = TEXTS
    elif kind < 0.2:
        pool = rng.choice([*VALUES.values(), NUMBERS])
    return rng.choice(pool)


def command_line(rng: random.Random) -> list[str]:
    """The words after `arena`. What is played at all is short, or else has to be interrupted."""
    path, params = rng.choice(COMMANDS)
    words = []
    for param in params:
        if isinstance(param, click.Argument):
            many = rng.randrange(3) if param.nargs < 0 else rng.random() < (0.97 if param.required else 0.5)
            words += [[value(rng, param)] for _ in range(many)]
        elif rng.random() < (0.6 if param.opts[0] in ("--entry", "--matches", "--rounds") else 0.15):
            for _ in range(rng.choice((1, 1, 2, 3)) if param.multiple else 1):
                flag = getattr(param, "is_flag", False)
                words.append([param.opts[0]] if flag else [param.opts[0], value(rng, param)])
    if any("--executor" in param.opts for param in params) and rng.random() < 0.98:
        words.append(["--executor", "serial"])
    rng.shuffle(words)
    line = [*path, *(word for part in words for word in part)]
    if rng.random() < 0.3:
        for _ in range(rng.choice((1, 1, 2, 5))):
            line = changed(rng, line)
    return line


def changed(rng: random.Random, words: list[str]) -> list[str]:
    """With one slip: a word left out, twice, elsewhere, other; or a character."""
    words = words.copy()
    if not words:
        return [rng.choice(TEXTS)]
    at, slip = rng.randrange(len(words)), rng.randrange(7)
    if slip == 0:
        del words[at]
    elif slip == 1:
        words.insert(at, words[at])
    elif slip == 2:
        words.insert(rng.randrange(len(words)), words.pop(at))
    elif slip == 3:
        words.insert(at, rng.choice(TEXTS))
    elif slip == 4:
        words[at] = rng.choice(["--help", "-h", "--version", "--no", "-x", "--"])
    else:
        words[at] = slipped(rng, words[at])
    return words


def slipped(rng: random.Random, text: str) -> str:
    """With one character left out, put in or another, never one that leads out of the folder."""
    at = rng.randrange(len(text) + 1)
    put = rng.choice(["", *"-=:,()x019 é\n\x1b\udcff\"'[]{}#"])
    return text[:at] + put + text[at + rng.randrange(2) :]


TOML = """\
game = "tic-tac-toe"
entries = ["random", "first", "minimax:depth=1"]
rounds = 2
seed = 1
openings = "random:2"
max_plies = 9
exact = false
move_seconds = 0.0
stall_seconds = 60
isolate = false
"""
LITERALS = (
    *(
        "1",
        "-1",
        "0",
        "1.5",
        "nan",
        "inf",
        "true",
        '""',
        '"x"',
        '"random"',
        "[]",
        "[[]]",
        "[1]",
        '["random"]',
    ),
    *(
        "{}",
        "{a = 1}",
        "1979-05-27",
        "07:32:00",
        "99999999999999999999",
        "'''x'''",
        "0x10",
        '["random", 1]',
        "1e999",
    ),
    *('"\\u0000"', '"\\u001b[31m"', '["first", "first"]', '[{entry = "random"}]', "", "=", "#", "[table]"),
)


def toml(rng: random.Random) -> str:
    """A tournament's file with up to eight slips."""
    lines = TOML.splitlines()
    for _ in range(rng.randrange(9)):
        at, slip = rng.randrange(len(lines)), rng.randrange(6)
        if slip == 0 and len(lines) > 1:
            del lines[at]
        elif slip == 1:
            lines.insert(at, lines[at])
        elif slip == 2:
            lines[at] = slipped(rng, lines[at])
        elif slip == 3:
            lines.insert(at, f"{rng.choice(['other', 'entry', 'name', 'a.b', '[x]', '[[x]]', ''])} = 1")
        else:
            lines[at] = lines[at].partition("=")[0] + "= " + rng.choice(LITERALS)
    return "\n".join(lines) + rng.choice(["\n", "", "\x00", "\ufeff", "\r\n"])


def altered(rng: random.Random, content: bytes) -> bytes:
    """A file with bytes, parts or pages of it changed, or cut off."""
    data = bytearray(content)
    kind = rng.randrange(6)
    if kind == 0:
        del data[rng.randrange(len(data)) :]
    elif kind == 1:
        at = rng.randrange(100)  # where SQLite says what the file is
        data[at] = rng.randrange(256)
    elif kind == 2:
        page = 4096 * rng.randrange(max(len(data) // 4096, 1))
        data[page : page + 4096] = rng.choice([bytes(4096), rng.randbytes(4096), content[:4096]])
    elif kind == 3:
        a, b = sorted(rng.randrange(len(data)) for _ in range(2))
        data[a : min(b, a + 200)] = rng.randbytes(min(b, a + 200) - a)
    else:
        for _ in range(rng.choice((1, 3, 30))):
            at = rng.randrange(len(data))
            data[at] ^= 1 << rng.randrange(8) if kind == 4 else rng.randrange(256)
    return bytes(data)

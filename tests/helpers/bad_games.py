"""Games that go wrong, each in its own way: what is theirs in place of sound rules, and what is told of them."""

from __future__ import annotations

from typing import NamedTuple


class BadGame(NamedTuple):
    """A game of ten coins, of which one to three are taken, but for this.

    source: methods and constants. detail: what is told, as a regular expression; nothing where it plays on.
    stall: seconds after which it is stopped. forms: of positions, for which this goes wrong.
    """

    source: str
    detail: str = ""
    stall: float = 100.0
    forms: tuple[str, ...] = ("flat", "texts")


def hang(source: str) -> BadGame:
    return BadGame(source, "ran for over 1 s", 1.0)


def method(name: str, late: str, sound: str = "") -> str:
    """A method that does something else where three coins are left, or fewer."""
    arguments = {"play": "state, move", "irreversible": "state, move", "initial": ""}.get(name, "state")
    return (
        f"def {name}(self, {arguments}):\n        if self.left(state) <= 3:\n            {late}\n"
        f"        return {sound or SOUND[name]}"
    )


SOUND = {
    "moves": "[n for n in (1, 2, 3) if n <= self.left(state)]",
    "play": "self.make(self.left(state) - move, 1 - self.seat(state))",
    "to_move": "self.seat(state)",
    "value": "-1",
    "irreversible": "0",
}

FAILING = {
    f"{name.replace('_', '-')}-{how}": BadGame(method(name, late), detail)
    for name in ("moves", "play", "to_move")
    for how, (late, detail) in {
        "raises": ("raise LookupError('lost')", "LookupError: lost"),
        "raises-mute": (
            "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})",
            "(Mute: )?<Mute>",
        ),
        "leaves": ("sys.exit(3)", "SystemExit: 3"),
        "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        "divides": ("return 1 // 0", "ZeroDivisionError: .*"),
        "dies": ("os._exit(3)", "the process ended itself with status 3"),
        "segfaults": ("ctypes.string_at(0)", "the process was ended by SIGSEGV"),
        "recurses": (
            f"return self.{name}({'state, move' if name == 'play' else 'state'})",
            "RecursionError: .*",
        ),
        "allocates": ("return bytearray(10**16)", "MemoryError"),
    }.items()
}

VALUE = "return {} if self.left(state) == 0 else -1"
BROKEN = {
    "value-raises": BadGame("def value(self, state): raise LookupError('lost')", "LookupError: lost"),
    "value-dies": BadGame("def value(self, state): os._exit(3)", "the process ended itself with status 3"),
    "value-of-two": BadGame("def value(self, state): return 2", "ValueError: value is 2, not 1, 0 or -1"),
    "value-of-none": BadGame("def value(self, state): return None", "ValueError: value is None, .*"),
    "value-of-half": BadGame("def value(self, state): return 0.5", "ValueError: value is 0.5, .*"),
    "value-of-nan": BadGame("def value(self, state): return float('nan')", "ValueError: value is nan, .*"),
    "value-in-words": BadGame("def value(self, state): return 'won'", "ValueError: value is 'won', .*"),
    "value-in-an-array": BadGame("def value(self, state): return np.array([1, 1])", "ValueError: .*"),
    "value-yields": BadGame("def value(self, state): yield -1", r"ValueError: value is \[-1\], .*"),
    "moves-twice": BadGame(method("moves", "return [1, 1]"), "ValueError: moves returns 1 twice"),
    "moves-in-a-set": BadGame(method("moves", "return {1}"), "TypeError: moves returns a set, not a list"),
    "moves-in-a-dict": BadGame(
        method("moves", "return {1: 2}"), "TypeError: moves returns a dict, not a list"
    ),
    "moves-of-none": BadGame(method("moves", "return None"), "TypeError: moves returns None, not a list"),
    "moves-of-a-number": BadGame(method("moves", "return 3"), "TypeError: moves returns an int, not a list"),
    "moves-of-lists": BadGame(method("moves", "return [[1]]"), "TypeError: unhashable type: 'list'"),
    "moves-that-raise-later": BadGame(
        "def moves(self, state):\n        yield 1\n        raise LookupError('lost')", "LookupError: lost"
    ),
    "moves-without-end": BadGame(
        "def moves(self, state):\n        n = 0\n        while True:\n            n += 1\n            yield n",
        "ValueError: moves returns more than 1,000,000 items",
    ),
    "too-many-moves": BadGame("max_moves = 2", "ValueError: moves returns 3 moves, but max_moves is 2"),
    "turn-of-seven": BadGame(method("to_move", "return 7"), "ValueError: to_move is 7, not 0 or 1"),
    "turn-of-nobody": BadGame(method("to_move", "return None"), "ValueError: to_move is None, not 0 or 1"),
    "turn-in-words": BadGame(method("to_move", "return 'first'"), "ValueError: to_move is 'first', .*"),
    "turn-at-the-end": BadGame(
        "def to_move(self, state): return [self.seat(state)][self.left(state) == 0]", "IndexError: .*"
    ),
    "turn-of-the-same": BadGame(
        "def play(self, state, move): return self.make(self.left(state) - move, self.seat(state))",
        "ValueError: alternating is True, but player 0 moves twice in a row",
    ),
    "plays-to-none": BadGame(method("play", "return None"), "ValueError: play of [123] returns None, .*"),
    "plays-to-a-list": BadGame(
        "repetition = 3\n    " + method("play", "return [*self.make(1, 1)]"), "(Type|Attribute)Error: .*"
    ),
    "plays-to-nan": BadGame(method("play", "return float('nan')"), "(Type|Attribute)Error: .*"),
    "plays-backwards": BadGame(method("play", "return self.make(10, 1 - self.seat(state))")),
    "plays-on-in-a-circle": BadGame(
        "def play(self, state, move): return self.make(10, 1 - self.seat(state))"
    ),
    "plays-in-place": BadGame("def play(self, state, move): state[0] -= move; return state", "TypeError: .*"),
    "begins-with-none": BadGame("def initial(self): return None", "(Type|Attribute)Error: .*"),
    "begins-with-a-list": BadGame(
        "def initial(self): return [10, 0]",
        "TypeError: unhashable type: 'list'; let a position be a tuple, or a frozen dataclass of such",
    ),
    "begins-by-raising": BadGame("def initial(self): raise OSError('no board')", "OSError: no board"),
    "begins-by-leaving": BadGame("def initial(self): sys.exit('no board')", "SystemExit: no board"),
    "begins-at-the-end": BadGame("def initial(self): return self.make(0, 0)"),
    "irreversible-in-words": BadGame(
        "repetition = 3\n    def irreversible(self, state, move): return 'capture'"
    ),
    "irreversible-raises": BadGame(
        "repetition = 3\n    " + method("irreversible", "raise LookupError('lost')"), "LookupError: lost"
    ),
    "texts-in-numbers": BadGame(
        "def move_text(self, move): return move", "ValueError: move_text of 1 is 1, .*"
    ),
    "texts-of-two-words": BadGame(
        "def move_text(self, move): return 'a b'", "ValueError: move_text of 1 is 'a b', not one word"
    ),
    "texts-of-nothing": BadGame(
        "def move_text(self, move): return ''", "ValueError: move_text of 1 is '', .*"
    ),
    "texts-that-raise": BadGame("def move_text(self, move): return str(1 // (move - 3))", ".*Error: .*"),
    "positions-in-numbers": BadGame(
        "def position_text(self, state): return 7", "ValueError: position_text is 7, not a text"
    ),
    "boards-that-raise": BadGame("def board_text(self, state): 1 / 0", "ZeroDivisionError: .*"),
    "many-moves-in-words": BadGame("max_moves = 'many'", "ValueError: max_moves is 'many', .*"),
    "no-plies": BadGame("max_plies = 0", "ValueError: max_plies is 0, .*"),
    "plies-of-half": BadGame("max_plies = 4.5", "ValueError: max_plies is 4.5, .*"),
    "one-ply": BadGame("max_plies = 1"),
    "alternates-in-words": BadGame("alternating = 'yes'", "ValueError: alternating is 'yes', .*"),
    "one-side": BadGame("sides = ('first',)", "ValueError: sides are .*"),
    "sides-in-numbers": BadGame("sides = (1, 2)", "ValueError: sides are .*"),
    "repeats-below-nothing": BadGame("repetition = -1", "ValueError: repetition is -1, .*"),
    "symmetries-that-lie": BadGame(
        "symmetries = 2\n    def image(self, state, i): return 1 // 0\n    def image_move(self, move, i): 1 / 0"
    ),
    "features-that-lie": BadGame("feature_names = ('a', 'b')\n    def features(self, state): return [1.0]"),
    "evaluates-badly": BadGame("def evaluate(self, state): 1 / 0"),
    "is-not-ready": BadGame("def ready(self): raise OSError('not yet')", "OSError: not yet"),
    "will-not-be": BadGame("def __init__(self, **options): 1 / 0", "ZeroDivisionError: .*"),
    "takes-too-much": BadGame("def __init__(self, size): pass", "TypeError: .*"),
    "has-no-moves": BadGame("moves = None", "TypeError: .*"),
    "has-no-rules": BadGame("play = Game.play", "it has no 'play'; write it"),
    "prints": BadGame("def to_move(self, state): print('{'); return self.seat(state)"),
    "huge-numbers": BadGame(
        "def play(self, state, move): return self.make((self.left(state) - move) % 10**30, 1 - self.seat(state))"
    ),
    "takes-too-many": BadGame("def moves(self, state): return [4] if self.left(state) > 0 else []"),
    "leaves-threads": BadGame(method("moves", "threading.Thread(target=time.sleep, args=(10**6,)).start()")),
    "forks": BadGame(method("to_move", "os.fork()")),
}

HANGING = {
    "moves-loop": hang(method("moves", "while True: pass")),
    "moves-sleep": hang(method("moves", "time.sleep(10**6)")),
    "play-loops": hang(method("play", "while True: pass")),
    "play-sleeps": hang(method("play", "time.sleep(10**6)")),
    "turn-sleeps": hang(method("to_move", "time.sleep(10**6)")),
    "value-loops": hang("def value(self, state):\n        while True: pass"),
}

GAMES = {**FAILING, **BROKEN, **HANGING}

PLUGIN = """
import ctypes, os, sys, threading, time
import numpy as np
import click
import json
import arena
from arena import ArenaError, Game, hookimpl
from arena.calls.execution import get_ready

@hookimpl
def register_commands(register): register("play-all", "games:play_all")

@click.command()
@click.argument("names", nargs=-1)
def play_all(names):
    get_ready()
    for given in names:
        name, _, stall = given.partition("=")
        try:
            arena.tournament(
                ["random", "first"], game=name, rounds=20, seed=1, stall_seconds=float(stall), workers=2,
                progress=False, db=name + ".db",
            )
            said = ""
        except ArenaError as error:
            said = str(error)
        print(json.dumps([name, said]), flush=True)

class Coins(Game):
    alternating = True
    max_plies = 20

    def initial(self): return self.make(10, 0)
    def make(self, n, seat): return {make}
    def left(self, state): return {left}
    def seat(self, state): return {seat}
    def moves(self, state): return [n for n in (1, 2, 3) if n <= self.left(state)]
    def play(self, state, move): return self.make(self.left(state) - move, 1 - self.seat(state))
    def to_move(self, state): return self.seat(state)
    def value(self, state): return -1
"""

FORMS = {
    "flat": {"left": "state[0]", "seat": "state[1]", "make": "(n, seat)"},
    "texts": {
        "left": "int(state.split('/')[0])",
        "seat": "int(state.split('/')[1])",
        "make": "f'{n}/{seat}'",
    },
}


def plugin_source(games: dict[str, BadGame], form: str) -> str:
    """A plugin of these games, whose positions are of a form, and a command that plays at them all."""
    text = PLUGIN
    for name, expression in FORMS[form].items():
        text = text.replace(f"{{{name}}}", expression)
    lines = [text, "@hookimpl", "def register_games(register):"]
    lines += [f"    register({name!r}, 'games:Game{i}')" for i, name in enumerate(games)]
    lines += [f"class Game{i}(Coins):\n    {game.source}" for i, game in enumerate(games.values())]
    return "\n".join(lines)

"""An agent as a single WebAssembly module: code, data, and a custom section in JSON that describes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.game_drawing import drawing_of
from arena.api.rulings import blaming
from arena.api.words import words_of
from arena.compiler.errors import CannotCompile
from arena.compiler.layout import Block, Layout, layout_of
from arena.compiler.program import placed
from arena.compiler.types import SPARE, ArrayOf, ListOf
from arena.compiler.unit import Unit
from arena.errors import ArenaError
from arena.texts import on_one_line
from arena.version import __version__
from arena.wasm.compiling import compiled, own
from arena.wasm.linker import PAGE, Object, linked
from arena.wasm.memory import LINE, Memory
from arena.wasm.notation import move_texts

FORMAT = 1  # version of the format of the description
NOTE = "arena"  # name of the custom section with the description
STACK = 1 << 22  # size in bytes; an overflow accesses an invalid address, which raises an error
MOST = 1 << 30  # maximum size of the memory in bytes
# functions that the module imports from JavaScript: clocks, and those whose results are exact there
EXACT = {"fmod", "nextafter"}
CLOCKS = {"arena_clock", "clock_gettime"}


class TooLarge(ArenaError):
    """Raised if the data of a module exceeds the limit; `size` is the size of the data in bytes."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(text)
        self.size = size


@dataclass(frozen=True)
class Module:
    """An agent as a WebAssembly module.

    Attributes:
        data: The module in the binary format.
        code: Size of its code in bytes.
        memory: Size of its memory in bytes.
        about: The description of the module; see `note`.
    """

    data: bytes
    code: int
    memory: int
    about: Mapping[str, Any]

    @property
    def rates(self) -> bool:
        """Whether the agent can rate moves, which hints on a page require."""
        return "scores" in self.about["places"]


def module_of(agent: Agent, most: int) -> Module:
    """Return an agent that is ready to play as a WebAssembly module.

    Args:
        agent: The agent, trained if it is a learner.
        most: Maximum size of its data in bytes.

    Raises:
        TooLarge: If the data exceeds `most`.
        ArenaError: If the agent needs too much memory, or does not compile.
    """
    game, name = agent.game, on_one_line(agent.name or type(agent).__name__)
    try:
        layout = layout_of(agent, game)
        block = Block(agent, layout)
        if not block.take():
            raise CannotCompile(f"{type(agent).__name__} has attributes that cannot be exported")
        made = compiled(agent, layout)
    except CannotCompile as error:
        raise ArenaError(
            f"{name} is not compiled for {game}, and a page cannot run plain Python: {error}"
        ) from error
    written = Object(made.code)
    places = {}
    end = STACK + written.size
    for part, size in rooms(made.unit).items():
        places[part] = end = -(-end // LINE) * LINE
        end += size
    memory = Memory(block, end)
    if memory.end > MOST:
        raise ArenaError(
            f"{name} takes {-(-memory.end >> 20)} MB of memory, and the limit is {MOST >> 20}; "
            "use smaller tables"
        )
    data = memory.segments()
    size = sum(len(part) for _, part in data)
    if size > most:
        raise TooLarge(
            f"{name} has {size / 1e6:.1f} MB of data, over the limit of {most / 1e6:g}; "
            "raise the limit, or train it with fewer episodes",
            size,
        )
    places["block"] = memory.address
    if (at := scores(layout, memory, block)) is not None:
        places["scores"] = at
    with blaming(agent.game):
        about = note(agent, made.unit, [name for name, _ in written.imports], places)
    notes = [(NOTE, json.dumps(about, separators=(",", ":")).encode())]
    pages = -(-memory.end // PAGE)
    return Module(linked(written, STACK, data, pages, STACK, notes), written.code, pages * PAGE, about)


def rooms(unit: Unit) -> dict[str, int]:
    """Return the sizes in bytes of the memory areas for arguments and results, by name."""
    irs = (len(instance.result.irs) for _, instance, _ in unit.entries.values())
    list_size = 8 * (unit.cap + SPARE)
    return {"result": 8 * max(*irs, 2), "stream": 16, "moves": list_size, "items": list_size}


def scores(layout: Layout, memory: Memory, block: Block) -> int | None:
    """Return the address of the scores that an agent's `rate` writes; None if it has no scores."""
    kind, at = layout.fields.get("scores", (None, 0))
    rated = own(layout.cls, "rate") is not None and kind == ArrayOf("float64", 1)
    return memory.place(block.ints[at]) if rated else None


def note(agent: Agent, unit: Unit, imports: Sequence[str], places: Mapping[str, int]) -> dict[str, object]:
    """Return the description of a module for a web page."""
    game = agent.game
    texts, all_texts = move_texts(game)
    return {
        "format": FORMAT,
        "arena": __version__,
        "entry": on_one_line(agent.name or type(agent).__name__),
        "game": on_one_line(str(game)),
        "sides": [on_one_line(str(side)) for side in game.sides],
        "max_moves": game.max_moves,
        "max_plies": game.max_plies,
        "repetition": game.repetition,
        "quiet_plies": game.quiet_plies,
        "state": list(unit.state.irs),
        "initial": [str(int(word)) for word in words_of(game.initial())],
        "functions": {name: gives(instance.result) for name, (_, instance, _) in unit.entries.items()},
        "errors": [errors(site) for site in unit.sites],
        "places": places,
        "move_texts": {str(move): text for move, text in texts.items()},
        "all_move_texts": all_texts,
        **grid(game),
        "feature_names": [on_one_line(name) for name in game.feature_names],
        "by_clock": bool(CLOCKS & {*imports}),
        "approximate": sorted({*imports} - EXACT - CLOCKS),
    }


def gives(kind: Any) -> list[str]:
    """Return the LLVM types of a function's result; for a list, those of an item."""
    return list(kind.item.irs if isinstance(kind, ListOf) else kind.irs)


def errors(site: tuple[type[BaseException], str, str, int]) -> str:
    """Return the message for an exception that compiled code may raise, with its place in the source."""
    cls, text, file, line = site
    return f"{cls.__name__}: {placed(text, file, line)}"


def grid(game: Game) -> dict[str, object]:
    """Return the cells and pieces of a game that can be drawn, with names; empty for other games."""
    drawing = drawing_of(game)
    if drawing is None:
        return {}
    has_grid = "grid" in game.capabilities
    cells = (
        [[int(x), int(y)] for x, y in game.cells] if has_grid else [place.centre for place in drawing.places]
    )
    pieces = max(game.pieces, len(drawing.pieces))
    names = [on_one_line(str(game.cell_text(cell))) for cell in range(len(cells))]
    texts = [on_one_line(str(game.piece_text(piece))) for piece in range(1, pieces + 1)]
    return {"cells": cells, "cell_texts": names, "pieces": pieces, "piece_texts": texts}

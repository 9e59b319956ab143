"""Compilation of a game's rules and an agent's methods to an object file for WebAssembly."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from arena.api.agent import Agent
from arena.api.component import author_of
from arena.compiler.assembly import HELPERS, text_of
from arena.compiler.errors import CannotCompile, placed_at
from arena.compiler.layout import Layout
from arena.compiler.rules import add_rule, rules_or_why
from arena.compiler.runtime import add_method, method_program
from arena.compiler.unit import Unit
from arena.errors import ArenaError, one_line

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals,+multivalue"
ABI = "experimental-mv"  # functions may return several results
METHODS = ("begin", "choose", "rate")  # the methods of an agent that are compiled
SPARE_STACK = 1 << 20  # bytes at the end of the stack, address 0, that recursive functions leave free
STACK = {
    "floor": f"""
define internal i64 @arena.floor(i64 %here) nounwind {{
  ret i64 {SPARE_STACK}
}}
""",
}


@dataclass(frozen=True)
class Compiled:
    """The object code of a compiled unit."""

    unit: Unit
    code: bytes


def compiled(agent: Agent, layout: Layout) -> Compiled:
    """Compile an agent and the rules of its game for WebAssembly, or raise CannotCompile.

    They are first compiled for this machine and compared with plain Python.
    """
    game, cls = agent.game, type(agent)
    unit = Unit(game)
    for name in rules_or_why(game).builtins:
        add_rule(unit, name, python=False)
    for name in METHODS:
        method = own(cls, name)
        if name in vars(agent):
            raise CannotCompile(f"{cls.__name__} has an attribute {name} that is not a method of the class")
        if method is not None:
            method_program(agent, game, layout, method, name)
            add_method(unit, name, layout, method, name, python=False)
    text = text_of(unit, HELPERS | STACK)
    if unit.loops:
        name = next(iter(unit.loops)).partition(" ")[0]
        said = "code of numba" if name == "numba" else f"numpy's {name}"
        raise CannotCompile(f"{cls.__name__} needs {said}, which a web page does not have")
    if "heap" in unit.helpers:
        text = "arrays, dictionaries, sets and objects created in a call are not supported in web pages"
        raise placed_at(author_of(cls.choose), text)
    return Compiled(unit, object_code(text))


def own(cls: type, name: str) -> object:
    """Return a method of an agent's class as plain Python; None if it is inherited from `Agent`."""
    method = getattr(cls, name, None)
    inherited = getattr(Agent, name, None)
    return None if method is None or author_of(method) is author_of(inherited) else author_of(method)


@functools.cache
def target_machine() -> Any:
    """Return the LLVM target machine for WebAssembly, or raise ArenaError."""
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        return llvm.Target.from_triple(TRIPLE).create_target_machine(
            cpu="mvp", features=FEATURES, opt=3, reloc="static", codemodel="default", abiname=ABI
        )
    except RuntimeError as error:
        said = f"LLVM cannot generate WebAssembly here: {one_line(error)}"
        raise ArenaError(f"{said}; install llvmlite with pip") from error


def object_code(text: str) -> bytes:
    """Return the object file for LLVM assembly; it exports only functions."""

    from arena.compiler.machine import optimised

    machine = target_machine()
    for name in ("none", "sites", "limits"):
        text = text.replace(f"@{name} = global", f"@{name} = internal global")
    code: bytes = machine.emit_object(optimised(text, machine))
    return code

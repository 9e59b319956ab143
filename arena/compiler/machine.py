"""Generates machine code by LLVM, stores it on disk, and loads it.

Only code generation needs all of LLVM; loading uses LLVM's linker. The file name of a stored unit is a
digest of its inputs, so a unit is never out of date. The file also contains a digest of its content, by
which incomplete files are detected.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from arena import rng
from arena.compiler import foreign, stack
from arena.compiler.errors import MISFIT
from arena.compiler.switch import cache
from arena.compiler.wrapper import C_API, OBJECTS

DAY = 86_400.0  # seconds
LEFT, UNUSED = 3600.0, 90 * DAY  # age at which abandoned drafts and locks, and unused units, are removed
METH_KEYWORDS, METH_FASTCALL = 0x02, 0x80
METHOD_FIELDS = [
    ("name", ctypes.c_char_p),
    ("call", ctypes.c_void_p),
    ("flags", ctypes.c_int),
    ("doc", ctypes.c_char_p),
]


class Method(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = METHOD_FIELDS  # type: ignore[assignment] # mypy cannot check the items of a list


new_builtin = ctypes.pythonapi.PyCFunction_NewEx
new_builtin.restype = ctypes.py_object
new_builtin.argtypes = [ctypes.POINTER(Method), ctypes.py_object, ctypes.c_void_p]


@functools.cache
def ready() -> None:
    """Initialise LLVM, once."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@functools.cache
def processor() -> tuple[str, str]:
    """Return the processor's name and features."""
    ready()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def target_machine(level: int = 3) -> llvm.TargetMachine:
    ready()
    cpu, features = processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=cpu, features=features, opt=level, reloc="pic", codemodel="small")


def optimised(text: str, machine: llvm.TargetMachine, level: int = 3) -> llvm.ModuleRef:
    """Return the LLVM assembly of a unit as an optimised module.

    Vectorisation of adjacent operations is disabled: it is slower if words are used separately afterwards,
    and for some widths LLVM has no machine code.
    """
    module = llvm.parse_assembly(text)
    module.verify()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    return module


def object_code(text: str) -> bytes:
    """Return the machine code for LLVM assembly, as an object file."""
    machine = target_machine()
    code: bytes = machine.emit_object(optimised(text, machine))
    return code


def quick_code(text: str) -> bytes:
    """Return machine code that is generated faster but runs slower, for code that is rarely called."""
    machine = target_machine(0)
    code: bytes = machine.emit_object(optimised(text, machine, 0))
    return code


@functools.cache
def linker() -> llvm.OrcJIT:
    ready()
    return llvm.create_lljit_compiler(use_jit_link=False)


CLOCK = ctypes.CFUNCTYPE(ctypes.c_int64)


@CLOCK  # type: ignore[untyped-decorator] # what C calls has no type
def slow_clock() -> int:
    return time.perf_counter_ns()


@functools.cache
def symbols() -> dict[str, int]:
    """Return the addresses of the functions of Python and C that compiled code calls, by name."""
    found = {name: address(getattr(ctypes.pythonapi, name)) for name in C_API}
    found["arena_clock"] = address(slow_clock)
    found["arena_stack"] = address(stack.ask)
    library = ctypes.CDLL(None) if os.name == "posix" else ctypes.cdll.msvcrt
    for name in (
        "fmod", "pow", "nextafter", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
        "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "memcpy", "memmove", "memset",
        "clock_gettime", "malloc", "free",
    ):  # fmt: skip
        if hasattr(library, name):
            found[name] = address(getattr(library, name))
    return found


def loop_named(name: str) -> tuple[int, int]:
    """Return the addresses of a function for the table `loops` and of its data, or raise LookupError."""
    found = foreign.addresses(name)
    if found is None:
        raise LookupError(f"numpy and numba have no function {name}")
    return found


def address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class Code:
    """Loaded machine code.

    Args:
        data: Content of the object file.
        entries: Whether Python calls each entry, by name.
        sites: Exceptions that it may raise, as class and message; the first one has the number 1.
        loops: Names of the functions of numpy and numba that it calls; see `foreign.addresses`.
        places: If the code notes overflow, the places where it may occur, in the order of their numbers.
    """

    loaded = 0

    def __init__(
        self,
        data: bytes,
        entries: Mapping[str, bool],
        sites: Sequence[tuple[type[BaseException], str]],
        loops: Sequence[str] = (),
        places: Sequence[str] = (),
    ) -> None:
        builder = llvm.JITLibraryBuilder().add_object_img(data)
        for name, where in symbols().items():
            builder.import_symbol(name, where)
        builder.export_symbol("sites")
        builder.export_symbol("objects")
        builder.export_symbol("limits")
        if loops:
            builder.export_symbol("loops")
        if places:
            builder.export_symbol("overflow")
        for name, python in entries.items():
            builder.export_symbol(name)
            if python:
                builder.export_symbol(f"python.{name}")
        Code.loaded += 1
        self.tracker = builder.link(linker(), f"unit{Code.loaded}")
        self.kept: list[object] = []
        self.places = places
        objects = (ctypes.c_void_p * len(OBJECTS)).from_address(self.tracker["objects"])
        for i, thing in enumerate(OBJECTS):
            objects[i] = id(thing)
        limits = (ctypes.c_int64 * 2).from_address(self.tracker["limits"])
        limits[0], limits[1] = sys.getrecursionlimit(), stack.key()
        stack.learn()
        if loops:
            found = [part for name in loops for part in loop_named(name)]
            words = (ctypes.c_int64 * len(found)).from_address(self.tracker["loops"])
            for i, word in enumerate(found):
                words[i] = word
        table = (ctypes.c_void_p * (2 * len(sites) + 2)).from_address(self.tracker["sites"])
        for i, (cls, text) in enumerate([(TypeError, MISFIT), *sites]):
            self.kept += [cls, text]
            table[2 * i], table[2 * i + 1] = id(cls), id(text)
        self.builtins = {name: self.builtin(name) for name, python in entries.items() if python}

    def overflow(self) -> str | None:
        """Return the place of the first overflow; None if there was none, or if overflow is not recorded."""
        if not self.places:
            return None
        place = ctypes.c_int32.from_address(self.tracker["overflow"]).value
        return self.places[place - 1] if place else None

    def address(self, name: str) -> int:
        """Return the address of an entry with the C calling convention."""
        return int(self.tracker[name])

    def builtin(self, name: str, plain: Callable[..., object] | None = None) -> Callable[..., object]:
        """Return an entry as a builtin function, which calls `plain` instead if the arguments do not fit."""
        method = Method(name.encode(), self.tracker[f"python.{name}"], METH_FASTCALL | METH_KEYWORDS, None)
        # Python reads the structure when the builtin is deleted, perhaps at exit, so it is never freed
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
        made: Callable[..., object] = new_builtin(
            ctypes.byref(method), self if plain is None else partial(call, self, plain), None
        )
        return made


def call(code: Code, plain: Callable[..., object], *given: object, **by_name: Any) -> Any:
    return plain(*given, **by_name)  # `code` keeps the machine code alive as long as the builtin


# --- on disk -----------------------------------------------------------------------------------------------


def folder() -> Path:
    return cache() / "machine-code"


def whose(path: Path) -> None:
    """Raise PermissionError if other users can write to a folder."""
    if os.name != "posix":
        return
    found = path.stat()
    if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
        raise PermissionError(0, "others can write to it")


@functools.cache
def own_digest() -> str:
    """Return a digest of the compiler, LLVM, numpy, Python and the machine, which affect machine code."""
    digest = hashlib.sha256()
    for path in (*sorted(Path(__file__).parent.rglob("*.py")), Path(rng.__file__)):
        digest.update(path.read_bytes())
    python = sys.version, sys.prefix, os.path.realpath(sys.executable)  # since Python may have several paths
    said = llvmlite.__version__, np.__version__, *python, sys.platform, platform.release(), *processor()
    digest.update(repr(said).encode())
    return digest.hexdigest()


def digest_of(*parts: str) -> str:
    return hashlib.sha256("\0".join([own_digest(), *parts]).encode()).hexdigest()[:32]


def read(name: str) -> tuple[dict[str, Any], bytes] | None:
    """Return the description and object code stored under a name; None if missing or incomplete."""
    import json

    path = folder() / name
    try:
        whose(path.parent)
        whole = path.read_bytes()
    except OSError:
        return None
    digest, _, rest = whole.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        return None
    head, _, code = rest.partition(b"\n")
    said: dict[str, object] = json.loads(head)
    with suppress(OSError):  # a sandbox cannot write
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)
    return said, code


@functools.cache
def remove_old(folder: Path) -> None:
    """Remove files that are no longer used, and those left by killed processes; once per process."""
    for entry in list(os.scandir(folder)):
        most = LEFT if entry.name.endswith((".new", ".lock")) else UNUSED
        with suppress(OSError):
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > most:
                os.unlink(entry)


def write(name: str, said: Mapping[str, object], code: bytes) -> None:
    """Store object code with a description under a name, or raise OSError."""
    import json

    path = folder() / name
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    whose(path.parent)
    remove_old(path.parent)
    rest = json.dumps(said).encode() + b"\n" + code
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise

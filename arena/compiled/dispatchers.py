"""numba's dispatchers of functions, made to compile no more than is called, and that once."""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from llvmlite import ir
from llvmlite.binding import Linkage
from numba import njit, types
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler


def inner(function: FunctionType, signature: Any = None) -> Any:
    """The dispatcher of a function that only compiled code calls, compiled when something first does.

    signature: the only one that it is compiled for; else those that it is called with.
    """
    return dispatcher(function, signature, no_cpython_wrapper=True, pipeline_class=InnerCompiler)


def outer(function: FunctionType, signature: Any, python: bool, cache: bool) -> Any:
    """The dispatcher of a function that is called from outside; `ready` compiles it, or gets it from disk.

    python: whether Python calls it, which takes more; else only its address is known. cache: whether it is
    kept, in the folder of numba's settings.
    """
    options = {"no_cpython_wrapper": not python, "nogil": True, "cache": cache}
    return dispatcher(function, signature, pipeline_class=OuterCompiler, **options)


def dispatcher(function: FunctionType, signature: Any, **options: Any) -> Any:
    """One that compiles for types and not for values, and for its signature alone if it has one."""
    made = njit(error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    template = made.get_call_template

    def ready() -> None:
        if not made.overloads:
            made.compile(signature)
            made.disable_compile()

    def get_call_template(given: Any, named: Any) -> Any:
        if signature is not None:
            ready()
        return template([types.unliteral(kind) for kind in given], named)

    made.ready, made.get_call_template = ready, get_call_template
    return made


class OuterCompiler(Compiler):  # type: ignore[misc] # its base is untyped
    """Optimises a function together with all that it calls."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = OuterLibrary(target.codegen(), "outer")
            library.enable_object_caching()
        super().__init__(typing, target, library, *rest)


class OuterLibrary(JITCodeLibrary):  # type: ignore[misc] # its base is untyped
    """The code of a function and of what it calls, the latter for this one alone.

    Else LLVM reckons with another of the same name in its place, and makes no use of what it finds out about
    it: that it never fails, say, so that nobody needs to look whether it has.
    """

    def _optimize_final_module(self) -> None:
        module = self._final_module
        for value in (*module.functions, *module.global_variables):
            if value.name.startswith(RuntimeLinker.PREFIX) and value.is_declaration:
                raise RuntimeError("functions that call each other in a circle are not all there")
            if value.linkage in (Linkage.linkonce_odr, Linkage.weak_odr):
                value.linkage = Linkage.internal
        super()._optimize_final_module()


class InnerCompiler(Compiler):  # type: ignore[misc] # its base is untyped
    """Leaves to whoever calls a function to optimise it, as a part of itself, and to make machine code of it.

    numba does both for each function and again for each that calls it: twice the work for the same code.
    """

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library or InnerLibrary(target.codegen(), "inner"), *rest)


class Nowhere:
    """Where machine code would be that is not made."""

    def set_env(self, name: str, environment: Any) -> None:
        pass


def number_of(name: str) -> str:
    """numba's number of the function that a name in its code is of; empty if it is of none."""
    return next(iter(re.findall(r"B\d+v(\d+)B", name)), "")


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc] # its base is untyped
    """The code of a function as far as others take it in.

    Of functions that call each other in a circle the last calls the first before that is compiled. numba has
    it look in a place where the address of the first one's machine code is put later on. Here the first, when
    it is compiled, defines that place itself, and who takes in the last takes in the first, too.
    """

    codegen = Nowhere()
    places: ClassVar[dict[str, set[str]]] = {}  # by numba's number of the function whose address goes there
    holding: ClassVar[Any] = WeakValueDictionary()  # the library of each function, by that number

    def add_ir_module(self, module: Any) -> None:
        for value in list(module.global_values):
            number = number_of(value.name)
            if value.name.startswith(RuntimeLinker.PREFIX):
                self.places.setdefault(number, set()).add(value.name)
            elif isinstance(value, ir.Function) and value.blocks:
                self.holding[number] = self
                address = value.bitcast(ir.IntType(8).as_pointer())
                for name in self.places.pop(number, ()):
                    place = ir.GlobalVariable(module, address.type, name)
                    place.linkage, place.global_constant, place.initializer = "weak_odr", True, address
        super().add_ir_module(module)

    def _get_module_for_linking(self) -> Any:
        module = super()._get_module_for_linking()
        missing = [value.name for value in module.global_variables if value.is_declaration]
        for name in missing:
            library = self.holding.get(number_of(name)) if name.startswith(RuntimeLinker.PREFIX) else None
            if library is not None and library._finalized:
                module = module.clone()
                module.link_in(library._get_module_for_linking(), preserve=True)
        return module

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

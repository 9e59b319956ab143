"""Rules as a type of numba's, so that `G.play(s, m)` is a direct call and constants are constants."""

from __future__ import annotations

import os
import re
from types import FunctionType, ModuleType
from typing import Any

from numba import types
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from arena.compiled.dispatchers import inner

CHECKED = os.environ.get("ARENA_CHECKED", "0") not in ("", "0")  # arrays know their bounds, and keep them

modules: dict[str, ModuleType] = {}  # by name of the type


class RulesType(types.Type):  # type: ignore[misc] # its base is untyped
    """The type of one game's rules; its only value holds nothing."""

    def __init__(self, name: str) -> None:
        self.rules = name
        super().__init__(f"Rules[{name}]")

    def __reduce__(self) -> Any:
        return RulesType, (self.rules,)


class RulesValue:
    """What stands for the rules when a compiled kernel is called."""

    def __init__(self, name: str, module: ModuleType) -> None:
        self.type = self._numba_type_ = RulesType(name)  # which numba looks for before anything slower
        modules[name] = copy = ModuleType(name)
        vars(copy).update(vars(module))
        for key, function in list(vars(module).items()):
            if isinstance(function, FunctionType) and function.__globals__ is vars(module):
                setattr(copy, key, inner(copied(function, vars(copy), name)))


def copied(function: FunctionType, names: dict[str, Any], tag: str) -> FunctionType:
    """A function that sees other names, to be compiled under a name that nothing else has.

    Code from disk comes with the names it was compiled under. Two variants of a function, compiled in two
    processes, would have the same one, and a third process that loads both would call one for the other.
    """
    copy = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__module__ = function.__module__
    copy.__qualname__ = (
        re.sub(r"\W", "_", tag) + f".{function.__name__}"
    )  # a recursive one knows its last word
    return copy


@register_model(RulesType)
class RulesModel(models.StructModel):  # type: ignore[misc] # its base is untyped
    """Nothing at all, so that passing rules on costs nothing."""

    def __init__(self, manager: Any, kind: RulesType) -> None:
        super().__init__(manager, kind, [])


@typeof_impl.register(RulesValue)
def type_of(value: RulesValue, context: Any) -> RulesType:
    return value.type


@unbox(RulesType)
def unbox_rules(kind: RulesType, value: Any, context: Any) -> NativeValue:
    return NativeValue(context.context.get_constant_null(kind))


@lower_constant(RulesType)
def lower_rules(context: Any, builder: Any, kind: RulesType, value: Any) -> Any:
    return context.get_constant_null(kind)


@infer_getattr
class RulesAttribute(AttributeTemplate):  # type: ignore[misc] # its base is untyped
    """`G.play` has the type of the function, `G.MAX_MOVES` that of an integer."""

    key = RulesType

    def generic_resolve(self, kind: RulesType, attribute: str) -> Any:
        value = getattr(modules[kind.rules], attribute, None)
        if value is None:
            return None
        return types.int64 if isinstance(value, int) else self.context.resolve_value_type(value)


@lower_getattr_generic(RulesType)
def lower_attribute(context: Any, builder: Any, kind: RulesType, value: Any, attribute: str) -> Any:
    found = getattr(modules[kind.rules], attribute)
    if isinstance(found, int):
        return context.get_constant(types.int64, found)
    return context.get_dummy_value()

"""Classes whose objects are named tuples in compiled code: named tuples, and frozen dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


def is_frozen(cls: object) -> bool:
    """Return whether a class is a frozen dataclass whose objects compiled code can treat as named tuples."""
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        return False
    parameters: Any = vars(cls).get("__dataclass_params__")
    plain = all(
        field.init and field.compare and field.default_factory is dataclasses.MISSING
        for field in dataclasses.fields(cls)
    )
    return bool(
        parameters and parameters.frozen and parameters.eq and parameters.init and plain
    ) and not hasattr(cls, "__post_init__")


def is_named(cls: object) -> bool:
    """Return whether objects of a class are named tuples in compiled code."""
    return isinstance(cls, type) and ((hasattr(cls, "_fields") and issubclass(cls, tuple)) or is_frozen(cls))


def fields_of(cls: Any) -> tuple[str, ...]:
    """Return the field names of a class, in order."""
    if is_frozen(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    return tuple(cls._fields)


def defaults_of(cls: Any) -> Mapping[str, Any]:
    """Return the defaults of a class's fields, by name."""
    if not is_frozen(cls):
        found: Mapping[str, Any] = cls._field_defaults
        return found
    fields = dataclasses.fields(cls)
    return {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}


def items_of(value: Any) -> tuple[Any, ...]:
    """Return the items of a tuple, or the field values of an object of a frozen dataclass."""
    return (
        tuple(value)
        if isinstance(value, tuple)
        else tuple(getattr(value, name) for name in fields_of(type(value)))
    )

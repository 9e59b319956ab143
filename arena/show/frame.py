"""Results as data frames with documented columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from arena.errors import ArenaError

if TYPE_CHECKING:
    from pandas import DataFrame

DTYPES: dict[type, str] = {str: "string", int: "Int64", float: "float64", bool: "boolean"}
EXTRA = "pip install 'arena-tournament[notebook]'"


class Column(NamedTuple):
    """A column of a data frame.

    Attributes:
        type: Type of the values: `str`, `int`, `float` or `bool`. Missing values are `pandas.NA`, or NaN.
        meaning: Description of the values.
        optional: Whether the column is present only if some row has a value.
    """

    type: type
    meaning: str
    optional: bool = False


Columns: TypeAlias = Mapping[str, Column]


def needed(module: str, what: str) -> ModuleType:
    """Import a module of the extra `notebook`.

    Args:
        module: Name of the module.
        what: The function or method that needs it, for the message.

    Raises:
        ArenaError: If the module is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        if error.name and error.name.partition(".")[0] != library:
            raise  # the module is installed, but one of its dependencies is not
        raise ArenaError(f"{what} needs {library}, which is not installed: {EXTRA}") from error


def present(columns: Columns, rows: Sequence[Mapping[str, object]]) -> Columns:
    """Return the columns, without optional columns that have no values."""
    return {
        name: column
        for name, column in columns.items()
        if not column.optional or any(row.get(name) is not None for row in rows)
    }


def frame_of(columns: Columns, rows: Sequence[Mapping[str, object]]) -> DataFrame:
    """Return rows as a data frame with these columns; missing values and further values in rows are allowed.

    Raises:
        ArenaError: If pandas is not installed.
    """
    pandas = needed("pandas", "to_frame()")
    found: DataFrame = pandas.DataFrame(
        {
            name: pandas.Series([row.get(name) for row in rows], dtype=DTYPES[column.type])
            for name, column in present(columns, rows).items()
        }
    )
    return found

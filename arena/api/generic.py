"""Type parameters of games, agents, learners and evaluations: `Game[State, Move]`.

Type parameters are for type checkers only. At run time `Game[State, Move]` is `Game` itself, so a class with
type parameters is compiled, sent to workers and read from files like one without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Generic

    from typing_extensions import TypeVar

    StateT = TypeVar("StateT", default=Any)
    MoveT = TypeVar("MoveT", default=Any)
else:
    from typing import TypeVar

    StateT = TypeVar("StateT")
    MoveT = TypeVar("MoveT")

    class Generic:
        """A base class that accepts type parameters and returns the class unchanged."""

        def __class_getitem__(cls, parameters):
            return cls


__all__ = ["Generic", "MoveT", "StateT"]

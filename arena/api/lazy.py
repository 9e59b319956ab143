"""What the interfaces need of packages above them, which import them: imported when it is called first.

This is the one place where the layers are left upwards.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from arena.api.spec import load_target


class Late:
    """A function that `module:attribute` names, imported when it is called first."""

    def __init__(self, target: str) -> None:
        self.target = target

    @cached_property
    def function(self) -> Any:
        return load_target(self.target)

    def __call__(self, *args: object) -> Any:
        return self.function(*args)


runners_of = Late("arena.compiler:runners_of")  # what runs a component's methods compiled
spec_named = Late("arena.registry.plugins:spec_named")  # the spec of a kind and a text
takes_text = Late("arena.registry.plugins:takes_text")  # whether an option of something takes any text
endings_probe = Late("arena.analysis.endings:probe")  # a game's endings in memory
endings_kept = Late("arena.analysis.endings:pieces_kept")  # up to how many pieces they are there
recall_model = Late("arena.storage.model_keys:recall_model")  # loads the model of a learner
sandboxed_with = Late("arena.storage.folders:sandboxed_with")  # what sandboxed processes use of what is kept

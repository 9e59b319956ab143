"""An executor on other machines, by means of Dask."""

from __future__ import annotations

from arena import Register, hookimpl


@hookimpl
def register_executors(register: Register) -> None:
    register("dask", "arena_dask.executor:dask")

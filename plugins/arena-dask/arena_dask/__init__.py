"""An executor on other machines, by Dask: what is sent there, what is done there, and what comes back."""

from __future__ import annotations

from arena import Register, hookimpl


@hookimpl
def register_executors(register: Register) -> None:
    register("dask", "arena_dask.executor:dask")

"""The parameter type of `--seed`, in commands that record."""

from __future__ import annotations

import click


class SeedParam(click.ParamType[int]):
    """A seed in decimal, or in hexadecimal after `0x`."""

    name = "seed"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(value, 16 if value.lower().startswith("0x") else 10)
        except ValueError:
            self.fail(f"{value!r} is neither a whole number nor 0x and up to 32 digits.", param, ctx)


SEED = SeedParam()

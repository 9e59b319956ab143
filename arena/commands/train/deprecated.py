"""Options that had other names in the last release."""

from __future__ import annotations

from collections.abc import Mapping

import click


def renaming(names: Mapping[str, str]) -> type[click.Command]:
    """A command some of whose options had other names in the last release; these work, with a warning."""

    class Renaming(click.Command):
        def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
            for i, arg in enumerate(args):
                old, equals, value = arg.partition("=")
                if new := names.get(old):
                    click.echo(f"Warning: {old} is called {new} now", err=True)
                    args[i] = new + equals + value
            return super().parse_args(ctx, args)

    return Renaming

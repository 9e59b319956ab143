"""The command line of `arena merge`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option
from arena.cli.printing import show, warn


@click.command(cls=Command, page="docs/how-to/use-several-machines.md", renamed={"--to": "--output"})
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option(
    "--output",
    "to",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False),
    help="The database to create.",
)
@json_option
def merge(files: tuple[str, ...], to: str, as_json: bool) -> None:
    """Merge databases, FILES, into a new one. FILES are not changed.

    \b
    Examples:
      arena merge first.db second.db third.db --output all.db
      arena merge all.db late.db --output more.db

    Shards of a tournament (arena tournament --shard) become one tournament, in any order, with the same
    matches and ratings as if one machine had played it. Duplicate matches count once. Missing shards are
    reported; 'arena tournament --resume' plays them. Other tournaments are copied and get new numbers.
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping("Merging") as stop:
        found = arena.merge(files, to, progress=True, stop=stop)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())

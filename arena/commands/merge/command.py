"""`arena merge`."""

from __future__ import annotations

import click

from arena.cli.options import json_option
from arena.cli.printing import show, warn


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option(
    "--to", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="The new database."
)
@json_option
def merge(files: tuple[str, ...], to: str, as_json: bool) -> None:
    """Make one database of several, FILES, which are left as they are.

    Shards of a tournament, of 'arena tournament --shard', become that tournament, in any order: the same
    matches, sums and ratings as if one machine had played it. Matches that are there twice count once. A
    shard that is missing is told, and 'arena tournament --resume' plays it. Other tournaments are copied, and
    get new numbers.

    \b
    Examples:
      arena merge first.db second.db third.db --to all.db
      arena merge all.db late.db --to more.db
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping("Merging") as stop:
        found = arena.merge(files, to, progress=True, stop=stop)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())

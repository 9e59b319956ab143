"""The commands of `arena season` that show a season, roll back its last update, or delete a player."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option, wide_option
from arena.cli.printing import agreed, say, show
from arena.show.progress import busy

PAGE = "docs/how-to/run-a-season.md"

db_option = click.option(
    "--db", type=click.Path(dir_okay=False), metavar="FILE", help="The database file.  [default: season.db]"
)


@click.command(cls=Command, page=PAGE)
@click.argument("player", required=False)
@db_option
@wide_option
@json_option
def status(player: str | None, db: str | None, as_json: bool) -> None:
    """Show the standings, or the details of PLAYER: versions, results and faults.

    \b
    Examples:
      arena season status
      arena season status ben
    """
    import arena

    with busy("Reading the season"):
        found = arena.seasons.status(db) if player is None else arena.seasons.player(player, db)
    show(found, found.to_dict() if as_json else None)


@click.command(cls=Command, page=PAGE)
@click.argument("player", required=False)
@db_option
@wide_option
@json_option
def history(player: str | None, db: str | None, as_json: bool) -> None:
    """Show the events of each update, for all players or for PLAYER.

    \b
    Examples:
      arena season history
      arena season history ben
    """
    import arena

    with busy("Reading the season"):
        found = arena.seasons.history(player, db)
    show(found, found.to_dict() if as_json else None)


@click.command(cls=Command, page=PAGE)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@db_option
def rollback(yes: bool, db: str | None) -> None:
    """Undo the last update: remove its matches, ratings, new players and new versions.

    \b
    Example:
      arena season rollback
    """
    import arena

    last = arena.seasons.status(db)
    if agreed(f"update {last.update} of {last.begun[:10]} with {last.played:,} matches", yes):
        with busy("Removing"):
            number = arena.seasons.rollback(db)
        say(f"Removed update {number}.", err=True)


@click.command(cls=Command, page=PAGE)
@click.argument("player")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@db_option
def delete(player: str, yes: bool, db: str | None) -> None:
    """Delete PLAYER: all versions and matches. Also remove the file, or the next update enters it again.

    \b
    Example:
      arena season delete ben
    """
    import arena

    versions = len(arena.seasons.player(player, db).versions)
    if agreed(f"{player} with {versions} versions and all matches", yes):
        with busy("Deleting"):
            played = arena.seasons.delete(player, db)
        say(f"Deleted {player} with {played:,} matches.", err=True)


@click.command(cls=Command, page=PAGE)
@db_option
def export(db: str | None) -> None:
    """Write the ratings of all versions over time as CSV.

    \b
    Example:
      arena season export > ratings.csv
    """
    import arena

    with busy("Reading the season"):
        text = arena.seasons.export(db)
    click.echo(text, nl=False)

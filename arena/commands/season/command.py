"""`arena season`: a standing ladder of the players in a folder."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.command_groups import Group
from arena.cli.help import Command, option_group
from arena.cli.options import (
    game_option,
    get_ready,
    given,
    json_option,
    openings_option,
    seed_option,
    wide_option,
    worker_options,
)
from arena.cli.parameters import AGENT
from arena.cli.printing import agreed, say, show
from arena.show.progress import busy

PAGE = "docs/how-to/run-a-season.md"
UPDATE = "update"  # the command that runs if none is named

db_option = click.option(
    "--db", type=click.Path(dir_okay=False), metavar="FILE", help="The database file.  [default: season.db]"
)


class SeasonGroup(Group):
    """The commands of a season; without one of their names, `update` runs: `arena season bots/`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first not in self.commands and first not in ctx.help_option_names:
            args = [UPDATE, *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[FOLDER | COMMAND]", "[OPTIONS]"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.commands[UPDATE].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=SeasonGroup, page=PAGE)
def season() -> None:
    """Keep a standing ladder of the players in FOLDER: play what is missing, and rate all versions.

    The first call begins the season. Each later call is an update: it finds which files are new, changed or
    gone, and plays only what is missing. FOLDER has the players' files or a season.toml; by default it is the
    current folder.

    \b
    Examples:
      arena season bots/ --game connect-four --baseline random
      arena season bots/ --dry-run
      arena season status ben
    """


@season.command(name=UPDATE, cls=Command, page=PAGE)
@click.argument("folder", required=False, type=click.Path())
@game_option
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    type=AGENT,
    metavar="AGENT",
    help="An installed agent that plays too; ratings are relative to baselines. Repeatable.",
)
@click.option("--rounds", type=int, metavar="N", help="Matches per pairing and seat.  [default: 5]")
@click.option("--matches", type=int, metavar="N", help="Play at most N matches now.  [default: all missing]")
@click.option("--minutes", type=float, metavar="N", help="Begin no more matches after N minutes.")
@seed_option
@openings_option
@click.option("--dry-run", is_flag=True, help="Show what would be played, and play nothing.")
@option_group(
    "Output",
    db_option,
    click.option("--site", type=click.Path(file_okay=False), metavar="FOLDER", help="Write web pages there."),
    wide_option,
    json_option,
)
@worker_options
def update(
    folder: str | None,
    dry_run: bool,
    site: str | None,
    db: str | None,
    as_json: bool,
    workers: int | None,
    executor: str,
    **options: object,
) -> None:
    """Bring the season up to date with FOLDER; 'arena season FOLDER' is short for it.

    \b
    Examples:
      arena season bots/ --game connect-four --baseline random
      arena season --minutes 20 --site public
      arena season ./status

    The exit status is 0 after an update and if nothing was new, 1 after an error, and 130 if it was stopped.
    An interrupted update is completed by the next call. A folder called like a command needs its path:
    ./status.
    """
    get_ready(executor)

    import arena
    from arena.cli.stopping import stopping

    how: dict[str, Any] = {"site": site, "db": db, "workers": workers, "executor": executor}
    with stopping("Getting the season ready") as stop:
        found = arena.season(folder, dry_run=dry_run, **given(**options), **how, progress=True, stop=stop)
    show(found, found.to_dict() if as_json else None)


@season.command(cls=Command)
@click.argument("player", required=False)
@db_option
@wide_option
@json_option
def status(player: str | None, db: str | None, as_json: bool) -> None:
    """Show the standings, or all that is known of PLAYER: versions, results and faults.

    \b
    Examples:
      arena season status
      arena season status ben
    """
    import arena

    with busy("Reading the season"):
        found = arena.seasons.status(db) if player is None else arena.seasons.player(player, db)
    show(found, found.to_dict() if as_json else None)


@season.command(cls=Command)
@click.argument("player", required=False)
@db_option
@wide_option
@json_option
def history(player: str | None, db: str | None, as_json: bool) -> None:
    """Show what happened in each update, to all or to PLAYER.

    \b
    Examples:
      arena season history
      arena season history ben
    """
    import arena

    with busy("Reading the season"):
        found = arena.seasons.history(player, db)
    show(found, found.to_dict() if as_json else None)


@season.command(cls=Command)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@db_option
def rollback(yes: bool, db: str | None) -> None:
    """Forget the last update: its matches, ratings, new players and new versions.

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


@season.command(cls=Command)
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

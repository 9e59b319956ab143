"""`arena season`: a ladder of the players in a folder."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from arena.cli.command_groups import DefaultGroup
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
from arena.cli.printing import show
from arena.commands.season.looking import db_option, delete, export, history, rollback, status

PAGE = "docs/how-to/run-a-season.md"
THREADS = "OPENBLAS_NUM_THREADS"


@click.group(cls=DefaultGroup, page=PAGE, default="update")
def season() -> None:
    """Maintain a ladder of the players in FOLDER: play missing matches, and rate all versions.

    \b
    Examples:
      arena season bots/ --game connect-four --baseline random
      arena season bots/ --dry-run
      arena season status ben

    The first call begins the season. Each later call is an update: it finds which files are new, changed or
    gone, and plays only the missing matches. FOLDER has the players' files or a season.toml; by default it is
    the current folder.
    """


@season.command(cls=Command, page=PAGE)
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
@click.option("--minutes", type=float, metavar="N", help="Start no more matches after N minutes.")
@click.option("--dry-run", is_flag=True, help="Show what would be played without playing.")
@option_group("Conditions", openings_option, seed_option)
@option_group(
    "Output",
    db_option,
    click.option(
        "--site", type=click.Path(file_okay=False), metavar="FOLDER", help="Write web pages to this folder."
    ),
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
    """Update the season from FOLDER; 'arena season FOLDER' is short for this.

    \b
    Examples:
      arena season bots/ --game connect-four --baseline random
      arena season --minutes 20 --site public
      arena season ./status

    The exit status is 0 after an update and if nothing was new, 1 after an error, and 130 if it was stopped.
    An interrupted update is completed by the next call. A folder with the name of a command needs a path:
    ./status.
    """
    import_numpy()
    get_ready(executor)

    import arena
    from arena.cli.stopping import stopping

    how: dict[str, Any] = {"site": site, "db": db, "workers": workers, "executor": executor}
    with stopping("Getting the season ready") as stop:
        found = arena.season(folder, dry_run=dry_run, **given(**options), **how, progress=True, stop=stop)
    show(found, found.to_dict() if as_json else None)


def import_numpy() -> None:
    """Import numpy with one thread for this process alone: ratings are many small products."""
    if THREADS not in os.environ and "numpy" not in sys.modules:
        os.environ[THREADS] = "1"
        import_module("numpy")
        del os.environ[THREADS]


for command in (status, history, rollback, delete, export):
    season.add_command(command)

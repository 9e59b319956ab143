"""`arena tournaments`: list, show, export and remove recorded tournaments."""

from __future__ import annotations

from itertools import islice

import click

from arena.cli.command_groups import Group
from arena.cli.options import db_option, json_option, wide_option
from arena.cli.printing import agreed, echo_json, print_json, say, show
from arena.show.progress import busy

AT_ONCE = 500  # number of matches written at a time


@click.group(cls=Group, page="docs/how-to/look-into-the-database.md")
def tournaments() -> None:
    """List, show, export or remove the tournaments in the database.

    \b
    Examples:
      arena tournaments list
      arena tournaments show 3
      arena tournaments show 3 --faults
    """


@tournaments.command(name="list")
@db_option
@wide_option
@json_option
def list_all(db: str, as_json: bool) -> None:
    """List all tournaments, in the order in which they were started."""
    import arena

    with busy("Reading the tournaments"):
        found = arena.tournaments.list(db)
    show(found, found.to_dicts() if as_json else None)


@tournaments.command(name="show")
@click.argument("number", required=False, type=int)
@click.option("--seats", is_flag=True, help="Show each pairing by seat instead of a crosstable.")
@click.option(
    "--markdown",
    is_flag=True,
    help="Write only the pairings, as a Markdown table.",
)
@click.option("--faults", is_flag=True, help="Show the faults: counts, places, and the first tracebacks.")
@click.option("--usage", is_flag=True, help="Show tokens or nodes per move, of agents that report them.")
@db_option
@wide_option
@json_option
def show_one(
    number: int | None, seats: bool, markdown: bool, faults: bool, usage: bool, db: str, as_json: bool
) -> None:
    """Show tournament NUMBER, by default the latest: its settings, and the results of each pairing.

    Published results in its tournament file are shown next to the results.
    """
    import arena

    if faults:
        with busy("Reading the faults"):
            failed = arena.tournaments.faults(number, db)
        show(failed, failed.to_dict() if as_json else None)
        return
    if usage:
        with busy("Reading the usage"):
            used = arena.tournaments.usage(number, db)
        if used or as_json:
            show(used, used.to_dicts() if as_json else None)
        else:
            say("No entry reported the usage of its moves.", err=True)
        return
    with busy("Reading the matches"):
        found = arena.tournaments.show(number, db, seats=seats)
    if markdown and not as_json:
        click.echo(found.markdown(), nl=False)
    else:
        show(found, found.to_dict() if as_json else None)


@tournaments.command()
@click.argument("number", required=False, type=int)
@click.option("--notation", is_flag=True, help="Write the standard notation of the game, such as PGN or PDN.")
@db_option
def export(number: int | None, notation: bool, db: str) -> None:
    """Export the matches of tournament NUMBER, by default the latest, as JSON Lines.

    \b
    Examples:
      arena tournaments export 3 > matches.jsonl
      arena tournaments export 3 --notation > matches.pdn

    With --notation checkers is written as PDN, chess as PGN, connect four as column digits, and other games
    as a line of moves, unless the game defines a notation.
    """
    import arena

    with busy("Exporting matches"):
        matches = arena.tournaments.export(number, db, notation=notation)
        while some := [*islice(matches, AT_ONCE)]:
            text = "\n".join(some)
            click.echo(text) if notation else echo_json(text)


@tournaments.command()
@db_option
def metadata(db: str) -> None:
    """Print descriptions of the database's tables, views and columns, as JSON for Datasette.

    Datasette shows a database in a browser: pip install datasette.

    \b
    Examples:
      arena tournaments metadata > metadata.json
      datasette arena.db --metadata metadata.json
    """
    import arena

    print_json(arena.tournaments.metadata(db))


@tournaments.command()
@click.argument("number", type=int)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@db_option
def remove(number: int, yes: bool, db: str) -> None:
    """Remove tournament NUMBER with all its matches."""
    import arena

    found = arena.tournaments.facts_of(number, db)
    if agreed(f"tournament {number} of {found['game']} with {found['played']:,} matches", yes):
        with busy("Removing"):
            played = arena.tournaments.remove(number, db)
        say(f"Removed tournament {number} with {played:,} matches.", err=True)

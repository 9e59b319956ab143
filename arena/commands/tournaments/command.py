"""`arena tournaments`: what the database holds."""

from __future__ import annotations

from itertools import islice

import click

from arena.cli.help import Group
from arena.cli.options import db_option, json_option, wide_option
from arena.cli.printing import agreed, echo_json, print_json, say, show
from arena.show.progress import busy

AT_ONCE = 500  # matches that are written at a time


@click.group(cls=Group)
def tournaments() -> None:
    """List, show, export, describe or remove the tournaments in the database.

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
    """List all tournaments, in the order they were begun."""
    import arena

    with busy("Reading the tournaments"):
        found = arena.tournaments.list(db)
    show(found, found.to_dicts() if as_json else None)


@tournaments.command(name="show")
@click.argument("number", required=False, type=int)
@click.option("--seats", is_flag=True, help="Every pairing from either seat, in place of a crosstable.")
@click.option(
    "--markdown", is_flag=True, help="The pairings alone, as a Markdown table; seeds as one unless --seats."
)
@click.option("--faults", is_flag=True, help="Who failed, how often and where, and the first faults in full.")
@click.option("--usage", is_flag=True, help="What each move took, tokens or nodes, of entries that say so.")
@db_option
@wide_option
@json_option
def show_one(
    number: int | None, seats: bool, markdown: bool, faults: bool, usage: bool, db: str, as_json: bool
) -> None:
    """Show tournament NUMBER, or the newest: its settings, and how its entries fared against each other.

    Where its file had published figures they stand beside ours.
    """
    import arena

    if faults:
        with busy("Reading the faults"):
            failed = arena.tournaments.faults(number, db)
        show(failed, failed.to_dict() if as_json else None)
        return
    if usage:
        with busy("Adding up what moves took"):
            used = arena.tournaments.usage(number, db)
        if used or as_json:
            show(used, used.to_dicts() if as_json else None)
        else:
            say("No entry said what its moves took.", err=True)
        return
    with busy("Adding up the matches"):
        found = arena.tournaments.show(number, db, seats=seats)
    if markdown and not as_json:
        click.echo(found.markdown(), nl=False)
    else:
        show(found, found.to_dict() if as_json else None)


@tournaments.command()
@click.argument("number", required=False, type=int)
@click.option("--notation", is_flag=True, help="As other programs of the game read them: PGN, PDN.")
@db_option
def export(number: int | None, notation: bool, db: str) -> None:
    """Print the matches of tournament NUMBER, or the newest, for other programs: each as JSON on a line.

    With --notation as others of the game read them: checkers in PDN, chess in PGN, connect four as the
    digits of its columns, other games as a line of moves, unless their authors have it otherwise.

    \b
    Examples:
      arena tournaments export 3 > matches.jsonl
      arena tournaments export 3 --notation > matches.pdn
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
    """Print what the database's tables, views and columns hold, as JSON for Datasette.

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
@click.option("--yes", is_flag=True, help="Do not ask.")
@db_option
def remove(number: int, yes: bool, db: str) -> None:
    """Remove tournament NUMBER with all its matches."""
    import arena

    found = arena.tournaments.facts_of(number, db)
    if agreed(f"tournament {number} of {found['game']} with {found['played']:,} matches", yes):
        with busy("Removing"):
            played = arena.tournaments.remove(number, db)
        say(f"Removed tournament {number} with {played:,} matches.", err=True)

"""`arena tournaments`: what the database holds."""

from __future__ import annotations

import sys
from typing import Any

import click

from arena.cli.common import db_option, json_option, open_store


@click.group()
def tournaments() -> None:
    """List, show or remove the tournaments in the database.

    \b
    Examples:
      arena tournaments list
      arena tournaments show 3
    """


@tournaments.command(name="list")
@db_option
@json_option
def list_all(db: str, as_json: bool) -> None:
    """List all tournaments, in the order they were begun."""
    from arena.cli.common import print_json, print_table

    store = open_store(db)
    found = store.tournaments()
    if as_json:
        print_json([brief(t) for t in found])
        return
    rows = [[str(t.id), t.game, t.format, t.created, state(t), str(t.seed), *counts(t)] for t in found]
    print_table(["#", "game", "format", "begun", "", "seed", "played", "planned"], rows, left=5)


@tournaments.command()
@click.argument("number", type=int)
@click.option("--markdown", is_flag=True, help="The pairings alone, as a Markdown table.")
@db_option
@json_option
def show(number: int, markdown: bool, db: str, as_json: bool) -> None:
    """Show tournament NUMBER: its settings, and how every pairing went, from either seat.

    Where its file had published figures they stand beside ours.
    """
    from arena.cli.common import print_json, print_pairings
    from arena.report.table import pairings_markdown

    store = open_store(db)
    t = store.tournament(number)
    whole = describe(store, t)
    if as_json:
        print_json(whole)
        return
    if markdown:
        click.echo(pairings_markdown(whole["pairings"]), nl=False)
        return
    played = "" if t.exact else f", {t.played:,} of {t.planned:,} matches"
    click.echo(f"Tournament {t.id}: {t.game}, {state(t)}{played}")
    click.echo(f"  begun: {t.created}")
    for name, value in t.settings.items():
        if name == "published":
            continue
        click.echo(f"  {name}: {', '.join(value) if isinstance(value, list) else value}")
    click.echo(f"  versions: {', '.join(f'{name} {v}' for name, v in t.versions.items())}; rules {t.rules}")
    print_pairings(whole["pairings"])


@tournaments.command()
@click.argument("number", type=int)
@click.option("--yes", is_flag=True, help="Do not ask.")
@db_option
def remove(number: int, yes: bool, db: str) -> None:
    """Remove tournament NUMBER with all its matches."""
    from arena.matches.recorder import sole_player

    open_store(db).close()  # which must be there
    store = open_store(db, write=True)
    t = store.tournament(number)
    if not yes and sys.stdin.isatty():
        click.confirm(
            f"Remove tournament {t.id} of {t.game} with {t.played:,} matches?", abort=True, err=True
        )
    with sole_player(db, number):
        store.remove(number)
    click.echo(f"Removed tournament {number} with {t.played:,} matches.", err=True)


def counts(t: Any) -> list[str]:
    """How many matches were played and planned, nothing of a tournament that was evaluated."""
    return ["", ""] if t.exact else [f"{t.played:,}", f"{t.planned:,}"]


def state(t: Any) -> str:
    if t.exact:
        return "exact"
    return "finished" if t.finished else "unfinished"


def brief(t: Any) -> dict[str, Any]:
    """A tournament's row, for JSON."""
    return {
        "tournament": t.id,
        "game": t.game,
        "format": t.format,
        "seed": t.seed,
        "created": t.created,
        "finished": t.finished,
        "played": t.played,
        "planned": t.planned,
        "versions": t.versions,
        "rules": t.rules,
        "settings": t.settings,
    }


def describe(store: Any, t: Any) -> dict[str, Any]:
    """A tournament with its pairings, for JSON; copies are among the counts."""
    from arena.cli.common import exact_row, pairing_row

    kinds: dict[tuple[str, str], dict[str, Any]] = {}
    for first, second, kind, counts in store.pairings(t.id):
        kinds.setdefault((first, second), {})[kind] = counts
    rows = [pairing_row(first, second, found) for (first, second), found in kinds.items()]
    rows += [exact_row(first, second, found) for (first, second), found in store.exact(t.id).items()]
    elsewhere = {(row["first"], row["second"]): row for row in t.settings.get("published", ())}
    for row in rows:
        if there := elsewhere.get((row["first"], row["second"])):
            row["published"] = {name: there[name] for name in ("wins", "draws", "losses")}
    return {**brief(t), "pairings": rows}

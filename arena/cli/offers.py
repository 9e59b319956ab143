"""How `arena games` and `arena agents` show what is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import click


def show_offers(kind: str, name: str | None, as_json: bool, facts: Callable[[Any], dict[str, Any]]) -> None:
    """All offers of a kind, or one by name: options, version, and what `facts` tells of its class."""
    from arena.api.options import format_value
    from arena.cli.common import print_json
    from arena.errors import ArenaError
    from arena.registry.plugins import registry

    known = registry()
    offers = list(known.offers[kind].values()) if name is None else [known.offer(kind, name)]
    described = []
    for offer in offers:
        row: dict[str, Any] = {
            "name": offer.name,
            "plugin": offer.plugin.name,
            "distribution": offer.plugin.distribution,
            "version": offer.plugin.version,
        }
        try:
            cls = known.spec(kind, offer.name).cls
            row["summary"] = ((cls.__doc__ or "").strip().splitlines() or [""])[0]
            row |= facts(cls)
            row["options"] = [
                {
                    "name": key,
                    "default": stated.default,
                    "text": format_value(stated.default),
                    "takes": stated.describe(),
                    "help": stated.help,
                }
                for key, stated in cls.options.items()
            ]
        except ArenaError as error:
            row["error"] = str(error)
        except Exception as error:  # a class that cannot even be made
            row["error"] = f"{kind} {offer.name!r} of plugin {offer.plugin.name} fails: {error!r}"
        described.append(row)
    if as_json:
        print_json(described)
        return
    for row in described:
        print_offer(row)


def print_offer(row: dict[str, Any]) -> None:
    click.echo(click.style(row["name"], bold=True) + f"  ({row['distribution']} {row['version']})")
    if "error" in row:
        click.echo(f"    failed: {row['error']}")
        return
    click.echo(f"    {row['summary']}")
    for fact in ("needs", "capabilities"):
        if row.get(fact):
            click.echo(f"    {fact}: {', '.join(row[fact])}")
    for stated in row["options"]:
        click.echo(f"    {stated['name']}={stated['text']}  {stated['help']} ({stated['takes']})")
    if "compiled" in row:
        click.echo(f"    {running(row)}")
    for protocol, what in row.get("protocols", {}).items():
        click.echo(f"    protocol {protocol}: {what}")


def compiling(make: Callable[[], Any]) -> dict[str, Any]:
    """Whether what is made runs compiled, None if it cannot be made, and if not why, on one line."""
    from arena.compiler import reason
    from arena.errors import one_line

    try:
        with redirect_stdout(sys.stderr):
            thing = make()
    except (Exception, SystemExit) as error:
        return {"compiled": None, "reason": one_line(error).removeprefix("ArenaError: ")}
    why = reason(thing)
    return {"compiled": why is None, "reason": why}


def running(row: dict[str, Any]) -> str:
    """`runs compiled at tic-tac-toe`, `runs in plain Python: heap.py, line 3: …`"""
    how = {True: "runs compiled", False: "runs in plain Python", None: "cannot be made"}[row["compiled"]]
    at = f" at {row['game']}" if "game" in row else ""
    return f"{how}{at}" + (f": {row['reason']}" if row["reason"] else "")

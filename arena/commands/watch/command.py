"""`arena watch`: a tournament that another process plays."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING

import click

from arena.cli.help import Command
from arena.cli.options import db_option, wide_option
from arena.cli.printing import say, show, width

if TYPE_CHECKING:
    from arena.commands.tournament.standings import Standings

WIDE = 1000  # width in columns at which nothing is left out
EVERY = 10.0  # seconds between lines without a terminal


@click.command(cls=Command, page="docs/how-to/reproduce-and-resume.md")
@click.argument("tournament", required=False, type=int)
@db_option
@wide_option
def watch(tournament: int | None, db: str) -> None:
    """Follow TOURNAMENT, by default the latest, while another process plays it.

    \b
    Examples:
      arena watch
      arena watch 3 --db results.db
      arena watch | tee standings.txt

    At a terminal the standings are kept up to date: an arrow marks a change of rank, a dot an entry that has
    played. Without a terminal it prints a line every ten seconds or so, and the standings at the end. It ends
    with the tournament; Ctrl-C stops watching, not the tournament.
    """
    import arena
    from arena.cli.stopping import interrupted

    with interrupted() as stop:
        looks = arena.watch(tournament, db=db, stop=stop)
        drawn = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        last = live(looks) if drawn else lines(looks)
    if not drawn:
        show(last)
    if stop.is_set() and not last.finished:
        say("Stopped watching; the tournament continues.", err=True)
        click.get_current_context().exit(130)


def live(looks: Iterator[Standings]) -> Standings:
    """Redraw the standings in place until the tournament ends, and return the last standings."""
    from arena.show.terminal.area import Area

    first = next(looks)  # errors are raised before anything is drawn
    with Area() as area:
        for found in chain([first], looks):
            columns = width()
            text = found.text(styled=True, width=columns)
            if text.count("\n") >= area.rows and not found.finished:
                text = "\n".join([found.line(), *found.top(area.rows - 1, columns or WIDE)])
            area.draw(text, wraps=columns is None)
    return found


def lines(looks: Iterator[Standings]) -> Standings:
    """Print a line at intervals whenever matches were played, and return the last standings."""
    due, told = 0.0, -1
    for found in looks:
        if found.played != told and monotonic() >= due and not found.finished:
            due, told = monotonic() + EVERY, found.played
            leader = found.leader()
            say(found.line() + (f"; {leader}" if leader else ""))
            sys.stdout.flush()
    return found

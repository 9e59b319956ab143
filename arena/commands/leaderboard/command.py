"""`arena leaderboard`: the ratings of all entries."""

from __future__ import annotations

import os
import sys
from typing import Literal

import click

from arena.cli.help import Command, option_group
from arena.cli.options import db_option, json_option, was_typed, wide_option
from arena.cli.parameters import GAME
from arena.cli.printing import print_json, say, show, usage_error
from arena.commands.leaderboard.rating_options import analysis_options, rating_options


@click.command(
    cls=Command,
    page="docs/explanation/ratings.md",
    renamed={"--doubts": "--diagnostics", "--worst": "--worst-case"},
)
@click.argument("game", required=False, type=GAME)
@click.option("--tournament", "number", type=int, metavar="NUMBER", help="Rate one tournament only.")
@click.option(
    "--html", type=click.Path(dir_okay=False), metavar="FILE", help="Write a self-contained web page."
)
@db_option
@rating_options
@analysis_options
@option_group(
    "Output",
    click.option("--csv", "as_csv", is_flag=True, help="Write CSV to standard output."),
    json_option,
    click.option("--markdown", "as_markdown", is_flag=True, help="Write a Markdown table."),
    wide_option,
)
@option_group(
    "Page",
    click.option("--title", metavar="TEXT", help="With --html: the headline."),
    click.option(
        "--coach",
        multiple=True,
        metavar="ENTRY",
        help="With --html: show where ENTRY errs and judge the matches shown; repeatable.",
    ),
    click.option(
        "--curve",
        "curves",
        multiple=True,
        type=click.Path(dir_okay=False),
        metavar="CSV",
        help="With --html: plot a learning curve of 'arena train --curve'; repeatable.",
    ),
    click.option(
        "--playable/--no-playable",
        default=True,
        help="With --html: include the best entries to play against.",
    ),
)
def leaderboard(
    game: str | None,
    number: int | None,
    rating: str,
    blunders: bool,
    nodes: int,
    cost: bool,
    worst: float | None,
    doubts: bool,
    openings: bool,
    anchor: tuple[str, float] | None,
    code: Literal["latest", "all"],
    as_csv: bool,
    as_markdown: bool,
    html: str | None,
    title: str | None,
    coach: tuple[str, ...],
    curves: tuple[str, ...],
    playable: bool,
    db: str,
    as_json: bool,
) -> None:
    """Show the ratings of all entries of GAME, over all recorded tournaments. Without GAME, of every game.

    \b
    Examples:
      arena leaderboard
      arena leaderboard tic-tac-toe --json
      arena leaderboard --html page.html --curve q-table.csv --curve double-q.csv

    Ratings have a mean of 1500 and 95 % confidence intervals; 400 points mean ten wins to one loss, without
    draws. Elo is the rating updated match by match, after an entry's last tournament.

    Results of older code of an entry, or of older rules, are left out with a note. With --code all each
    version of an entry has a row, such as minimax [3f2a], and each version of the rules a table.

    Tournaments with exact results have a separate table. There, and with --blunders, columns show the
    share of an entry's moves that lose value, and how far its expected score is below perfect play.
    """
    if as_json + as_csv + as_markdown > 1:
        raise usage_error("choose one of --json, --csv and --markdown")
    if doubts and as_csv:
        raise usage_error("--diagnostics cannot be written as CSV; use --json")
    if openings and as_csv:
        raise usage_error("--openings cannot be written as CSV; use --json")
    for option, given in (("--curve", curves), ("--title", title), ("--coach", coach)):
        if given and not html:
            raise usage_error(f"{option} needs --html FILE")
    if "numpy" not in sys.modules:  # threads slow down many small matrix products
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import arena
    from arena.cli.stopping import stopping

    alone = curves and number is None and not was_typed("db") and not os.path.exists(db)
    with stopping("Rating") as stop:
        found = arena.leaderboard(
            game,
            tournament=number,
            rating=rating,
            blunders=blunders,
            nodes=nodes,
            cost=cost,
            worst=worst,
            doubts=doubts,
            openings=openings,
            anchor=anchor,
            code=code,
            html=html,
            title=title,
            coach=coach,
            playable=playable,
            curves=curves,
            db=None if alone else db,  # curves can be shown without a database
            progress=True,
            stop=stop,
        )
    if as_json:
        print_json(found.to_dicts())
    elif as_csv:
        click.echo(found.csv(), nl=False)
    elif as_markdown:
        click.echo(found.markdown(), nl=False)
    elif html:
        say(f"Wrote {html}", err=True)
    else:
        show(found)

"""`arena leaderboard`: the rated table."""

from __future__ import annotations

import os
from typing import Literal

import click

from arena.cli.options import db_option, json_option, was_typed, wide_option
from arena.cli.parameters import ANCHOR, GAME, RATING
from arena.cli.printing import print_json, say, show, usage_error


@click.command()
@click.argument("game", required=False, type=GAME)
@click.option("--tournament", "number", type=int, help="Of one tournament alone.")
@click.option(
    "--rating", default="maximum-likelihood", type=RATING, show_default=True, help="The rating system."
)
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values on standard output.")
@click.option("--markdown", "as_markdown", is_flag=True, help="A Markdown table on standard output.")
@click.option("--blunders", is_flag=True, help="Show what entries give away beside perfect play.")
@click.option(
    "--nodes",
    metavar="N",
    type=click.IntRange(1, 1 << 62),
    default=20_000,
    show_default=True,
    help="Positions that --blunders looks at to solve one, where the game is large.",
)
@click.option(
    "--doubts", is_flag=True, help="Say what speaks against the order: misfit, cycles, a narrow lead."
)
@click.option(
    "--anchor",
    type=ANCHOR,
    help="An entry and its rating, random=0, from which the others' differ, and their intervals go.",
)
@click.option("--cost", is_flag=True, help="Show what a move of each took, and its training.")
@click.option(
    "--code",
    type=click.Choice(["latest", "all"]),
    default="latest",
    show_default=True,
    help="Leave out what older code, of entries or rules, played; or show each by itself.",
)
@click.option(
    "--worst",
    type=click.FloatRange(0.001),
    is_flag=False,
    flag_value=50.0,
    metavar="[SECONDS]",
    help="Show what is left to each against its best reply; in a large game a search of so long finds that, "
    "by default 50.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False), metavar="FILE", help="Write a page that works offline."
)
@click.option(
    "--curve",
    "curves",
    multiple=True,
    type=click.Path(dir_okay=False),
    metavar="CSV",
    help="Plot a learning curve of 'arena train --curve' on the page; repeatable.",
)
@click.option(
    "--playable/--no-playable",
    default=True,
    help="Have the best entries on the page, to play against; or not.",
)
@db_option
@wide_option
@json_option
def leaderboard(
    game: str | None,
    number: int | None,
    rating: str,
    blunders: bool,
    nodes: int,
    cost: bool,
    worst: float | None,
    doubts: bool,
    anchor: tuple[str, float] | None,
    code: Literal["latest", "all"],
    as_csv: bool,
    as_markdown: bool,
    html: str | None,
    curves: tuple[str, ...],
    playable: bool,
    db: str,
    as_json: bool,
) -> None:
    """Show the rated table of GAME over all tournaments in the database; without GAME, of each game.

    Ratings are about a mean of 1500, with 95 % intervals; 400 points are ten wins to a loss, draws aside.
    Elo beside them is the rating match by match, as it stood after an entry's last tournament.

    What was played with older code of an entry, or under older rules, is left out, and a line says so. With
    --code all each code has a row, as minimax [3f2a], and each set of rules a table.

    Tournaments that were evaluated exactly have their own. There, and with --blunders, stand the share of an
    entry's moves that give away value, and how far its score is from perfect play's in a match against that.

    \b
    Examples:
      arena leaderboard tic-tac-toe --json
      arena leaderboard --html leaderboard.html
      arena leaderboard --html page.html --curve q-table.csv --curve double-q.csv
    """
    if as_json + as_csv + as_markdown > 1:
        raise usage_error("choose one of --json, --csv and --markdown")
    if doubts and as_csv:
        raise usage_error("--doubts goes with a table, --markdown or --json")
    if curves and not html:
        raise usage_error("--curve goes with --html, which names the page")
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
            anchor=anchor,
            code=code,
            html=html,
            playable=playable,
            curves=curves,
            db=None if alone else db,  # curves can be shown without one
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

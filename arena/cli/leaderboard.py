"""`arena leaderboard`: the rated table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arena.cli.common import GAME, RATING, db_option, json_option, open_store


@click.command()
@click.argument("game", required=False, type=GAME)
@click.option("--tournament", "number", type=int, help="Of one tournament alone.")
@click.option(
    "--rating", default="maximum-likelihood", type=RATING, show_default=True, help="The rating system."
)
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values on standard output.")
@click.option("--markdown", "as_markdown", is_flag=True, help="A Markdown table on standard output.")
@click.option(
    "--blunders",
    is_flag=True,
    help="Show what entries give away by the exact solution of the game, if that is small.",
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
@db_option
@json_option
def leaderboard(
    game: str | None,
    number: int | None,
    rating: str,
    blunders: bool,
    as_csv: bool,
    as_markdown: bool,
    html: str | None,
    curves: tuple[str, ...],
    db: str,
    as_json: bool,
) -> None:
    """Show the rated table of GAME over all tournaments in the database; without GAME, of each game.

    Ratings are about a mean of 1500, with 95 % intervals; 400 points are ten wins to a loss, draws
    aside. Elo beside them is the rating match by match, as it stood after an entry's last tournament.

    Tournaments that were evaluated exactly have a table of their own. There, and with --blunders, stand the
    share of an entry's moves that give away value, and by how much its score falls short of perfect play in
    a match against that.

    \b
    Examples:
      arena leaderboard
      arena leaderboard tic-tac-toe --json
      arena leaderboard --html leaderboard.html
      arena leaderboard --html page.html --curve q-table.csv --curve double-q.csv
    """
    from arena.cli.common import print_json, print_leaderboard
    from arena.errors import ArenaError
    from arena.ratings.leaderboard import leaderboard as rate
    from arena.registry.plugins import registry
    from arena.report.curve import read
    from arena.report.table import comma_separated, markdown

    if as_json + as_csv + as_markdown > 1:
        raise click.UsageError("choose one of --json, --csv and --markdown", click.get_current_context())
    if curves and not html:
        raise click.UsageError("--curve goes with --html, which names the page", click.get_current_context())
    system = registry().spec("rating system", rating).make()
    learned = read(curves)
    tournaments: list[Any] = []
    if number is not None or not curves or not no_database(db):
        store = open_store(db)
        tournaments = [store.tournament(number)] if number is not None else store.tournaments()
    games = list(dict.fromkeys(t.game for t in tournaments))
    known = dict.fromkeys([*games, *(result.game for result in learned)])
    if not known:
        raise ArenaError(f"{db} holds no tournaments yet; play one: arena tournament")
    if game is not None:
        if game not in known:
            raise ArenaError(f"{db} holds no tournament of {game!r}; it has: {', '.join(known)}")
        games = [name for name in games if name == game]
        learned = [result for result in learned if game in (result.game, result.game.partition(":")[0])]
    kinds = [(name, exact) for name in games for exact in (False, True)]
    groups = [[t for t in tournaments if (t.game, t.exact) == kind] for kind in kinds]
    boards = [
        rate(store, group[0].game, group, system, mastery(store, group) if blunders else None)
        for group in groups
        if group
    ]
    if html:
        write_page(html, boards, learned)
    if as_json:
        print_json(as_list(boards))
    elif as_csv:
        click.echo(comma_separated(boards), nl=False)
    elif as_markdown:
        click.echo("\n".join(map(markdown, boards)), nl=False)
    elif not html:
        for i, board in enumerate(boards):
            if len(boards) > 1:
                click.echo(("\n" if i else "") + board.game + (", exactly" if board.exact else ""))
            print_leaderboard(board)


def mastery(store: Any, tournaments: list[Any]) -> dict[str, Any]:
    """How the entries of tournaments of one game play by its exact solution."""
    from arena.analysis.blunders import count_blunders
    from arena.cli.evaluating import losses
    from arena.compiler import with_compiled_rules
    from arena.matches.settings import make_game
    from arena.ratings.leaderboard import counted, pool
    from arena.registry.plugins import registry
    from arena.results.mastery import Mastery

    if tournaments[0].exact:
        return {}  # it is known
    game = registry().spec("game", tournaments[0].game)
    parts = pool(store, tournaments)
    names = sorted({name for part in parts for name in (part.first, part.second)})
    index = {name: i for i, name in enumerate(names)}
    made = with_compiled_rules(make_game(game))
    sums = count_blunders(made, counted(store, game.text, parts, index), len(names))
    lost = losses(game, made, names)
    return {name: Mastery(own.rate, own.error, lost.get(name)) for name, own in zip(names, sums, strict=True)}


def write_page(path: str, boards: list[Any], results: list[Any]) -> None:
    """Write leaderboards, and learning curves of these results, as a page."""
    from arena.errors import ArenaError
    from arena.report.curve import plots
    from arena.report.page import page

    text = page(boards, plots(results))
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from error


def no_database(db: str) -> bool:
    """Whether the database is the default one and not there: curves can be shown without it."""
    source = click.get_current_context().get_parameter_source("db")
    return source is click.core.ParameterSource.DEFAULT and not Path(db).exists()


def as_list(boards: list[Any]) -> list[dict[str, Any]]:
    """The rows of all boards, each with its game."""
    return [
        {**asdict(row), "game": board.game, "exact": board.exact} for board in boards for row in board.rows
    ]

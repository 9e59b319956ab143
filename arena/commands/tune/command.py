"""`arena tune`."""

from __future__ import annotations

import click

from arena.cli.isolation import isolate_options
from arena.cli.options import get_ready, given, json_option, worker_options
from arena.cli.parameters import AGENT, BOUNDS, GAME
from arena.cli.printing import say, show, warn


@click.command()
@click.argument("entry", type=AGENT)
@click.option(
    "--over",
    required=True,
    multiple=True,
    metavar="NAME=LOW..HIGH[,…]",
    help="An option and its range; evaluation.king is the option king of what is entered as evaluation.",
)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option(
    "--matches", type=click.IntRange(2), help="Of the search.  [default: 10000, or what --seconds allows]"
)
@click.option("--seconds", type=click.FloatRange(0.001), help="For the search, with all that --to keeps.")
@click.option(
    "--sprt",
    type=BOUNDS,
    help="What the test of what was found decides between, in normalised Elo.  [default: 0,10]",
)
@click.option(
    "--confirm", type=click.IntRange(2), help="Matches of that test at most; by default as many as before it."
)
@click.option(
    "--to", type=click.Path(dir_okay=False), metavar="FILE", help="Keep what is played, and go on from there."
)
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Draw how values went, as SVG.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides all chance.")
@click.option(
    "--openings",
    metavar="OPENINGS",
    default="random:4",
    show_default=True,
    help="Begin with random:N, N random plies, or FILE[:N], a book of moves or of positions, up to ply N.",
)
@click.option("--max-plies", type=int, help="A match that long is a draw; by default as the game says.")
@click.option(
    "--stall-seconds", type=float, help="Whoever hangs for so long loses.  [default: 60; with files 10]"
)
@isolate_options
@worker_options
@json_option
def tune(entry: str, over: tuple[str, ...], as_json: bool, executor: str, **options: object) -> None:
    """Find values of ENTRY's options by which it plays better.

    ENTRY plays against itself with values above and below the best known, again and again, and these move
    to where it wins. Then what was found is held against ENTRY as it was, on other matches, by a sequential
    test, and only if that accepts a gain it says so. Ctrl-C keeps what was found.

    \b
    Examples:
      arena tune alpha-beta:depth=4,evaluation=material --game checkers --over evaluation.king=1..4
      arena tune alpha-beta --game checkers --over depth=2..6 --to depth.jsonl --plot depth.svg
    """
    get_ready(executor)
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Tuning {entry}") as stop:
        found = arena.tune(
            entry, ",".join(over), **given(**options), executor=executor, progress=True, stop=stop
        )
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())
    if found.stopped:
        again = "the same command goes on from there" if options["to"] else "--to FILE would have kept it all"
        say(f"Stopped: this is what was found so far; {again}.", err=True)
        click.get_current_context().exit(130)

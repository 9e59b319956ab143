"""`arena openings`: a book of even openings."""

from __future__ import annotations

import click

from arena.cli.options import json_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import show


@click.command()
@click.argument("game", type=GAME)
@click.option("--plies", type=click.IntRange(1), default=8, show_default=True, help="Of each opening.")
@click.option("--lines", type=click.IntRange(1), default=100, show_default=True, help="How many there are.")
@click.option("--candidates", type=click.IntRange(1), help="Of how many; by default ten times as many.")
@click.option(
    "--judge",
    type=AGENT,
    default="alpha-beta:depth=6",
    show_default=True,
    help="Who says how even a position is; an entry that explains its moves.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides the lines.")
@click.option("--output", metavar="FILE", help="Where to write it, and not to standard output.")
@json_option
def openings(
    game: str,
    plies: int,
    lines: int,
    candidates: int | None,
    judge: str,
    seed: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Find openings of GAME that leave both sides about as well off.

    Of random lines those are taken that a search finds the most even. The file is a book for matches:
    arena match A B --openings FILE.

    \b
    Example:
      arena openings connect-four --plies 8 --lines 200 --output book.txt
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Judging openings of {game}") as stop:
        found = arena.openings(
            game, plies=plies, lines=lines, candidates=candidates, judge=judge, seed=seed, stop=stop
        )
    if output:
        found.write(output)
        click.echo(f"Wrote {len(found.lines):,} openings to {output}", err=True)
    if as_json or not output:
        show(found, found.to_dicts() if as_json else None)

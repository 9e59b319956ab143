"""`arena openings`: a book of even openings."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import db_option, fixed_seed_option, json_option, was_typed
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import show, usage_error


@click.command(cls=Command, page="docs/how-to/compare-two-agents.md")
@click.argument("game", type=GAME)
@click.option(
    "--plies", type=click.IntRange(1), metavar="N", default=8, show_default=True, help="Plies per opening."
)
@click.option(
    "--lines", type=click.IntRange(1), metavar="N", default=100, show_default=True, help="Number of openings."
)
@click.option(
    "--candidates",
    type=click.IntRange(1),
    metavar="N",
    help="Number of random openings to choose from.  [default: ten times as many]",
)
@click.option(
    "--judge",
    type=AGENT,
    metavar="AGENT",
    default="alpha-beta:depth=6",
    show_default=True,
    help="The agent whose search evaluates the openings.",
)
@fixed_seed_option()
@click.option(
    "--played",
    is_flag=True,
    help="Choose openings of recorded matches by their results; of the other options, only --lines applies.",
)
@db_option
@click.option("--output", metavar="FILE", help="Write to FILE.  [default: standard output]")
@json_option
def openings(
    game: str,
    plies: int,
    lines: int,
    candidates: int | None,
    judge: str,
    seed: int,
    played: bool,
    db: str,
    output: str | None,
    as_json: bool,
) -> None:
    """Find balanced openings of GAME: random openings that a search evaluates as most even.

    \b
    Example:
      arena openings connect-four --plies 8 --lines 200 --output book.txt
      arena openings connect-four --played --output even.txt

    The file is an opening book: arena match A B --openings FILE.

    With --played there is no search. Of the openings of recorded matches, those that decide the match are
    left out, because one side gains more than 200 points, and the others are sorted, the most even first.
    """
    for name in ("plies", "candidates", "judge", "seed"):
        if played and was_typed(name):
            raise usage_error(f"--{name} has no effect with --played; remove it")
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Evaluating openings of {game}") as stop:
        found = arena.openings(
            game,
            plies=plies,
            lines=lines,
            candidates=candidates,
            judge=judge,
            seed=seed,
            played=played,
            db=db,
            stop=stop,
        )
    if output:
        found.write(output)
        click.echo(f"Wrote {len(found.lines):,} openings to {output}", err=True)
    if as_json or not output:
        show(found, found.to_dicts() if as_json else None)

"""`arena verify`."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.options import get_ready, json_option, worker_options
from arena.cli.printing import show, warn


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.argument("agents", nargs=-1, type=click.Path(dir_okay=False))
@click.option(
    "--sample", type=click.IntRange(1), default=500, show_default=True, help="How many matches are checked."
)
@click.option("--seed", type=click.IntRange(0), help="Decides which; by default a new one each time.")
@click.option(
    "--stall-seconds",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    help="Whoever hangs for so long is stopped; such a match counts as not played again.",
)
@worker_options
@json_option
def verify(file: str, agents: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Check the results in FILE, a database of somebody's, by a random sample of its matches.

    Of those every move must be legal, and the result follow. Where both entries go by the seed alone, the
    match is played again, and must go the same way to the last move. Schedule, sums and Elo are counted again
    from all matches, and the source of games, agents and models must be what is installed here. FILE is not
    changed, and no program is begun that it names. AGENTS are files of agents that were entered, if you have
    them; others do not run.

    The exit status is 1 if anything differs.

    \b
    Examples:
      arena verify published.db
      arena verify published.db --sample 5000 --json
      arena verify published.db bots/*.py
    """
    get_ready(options["executor"])
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Reading {file}") as stop:
        found = arena.verify(file, agents=agents, progress=True, stop=stop, **options)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())
    if not found.agrees:
        click.get_current_context().exit(1)

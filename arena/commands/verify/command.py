"""The command line of `arena verify`."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.help import Command
from arena.cli.options import get_ready, json_option, limit_option, worker_options
from arena.cli.printing import show, warn


@click.command(cls=Command, page="docs/how-to/check-results.md")
@click.argument("file", type=click.Path(dir_okay=False))
@click.argument("agents", nargs=-1, type=click.Path(dir_okay=False))
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    default=500,
    show_default=True,
    help="Number of matches to check.",
)
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed of the sample.  [default: a new one]")
@limit_option("Seconds after which a replay is stopped and not counted; 0 = never.")
@json_option
@worker_options
def verify(file: str, agents: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Verify the results in FILE, a database, by a random sample of its matches.

    \b
    Examples:
      arena verify published.db
      arena verify published.db --sample 5000 --json
      arena verify published.db bots/*.py

    In each sampled match, every move must be legal and lead to the recorded result. If both entries depend
    only on the seed, the match is replayed and must be identical. Schedule, sums and Elo are recomputed from
    all matches, and games, agents and models must match what is installed. AGENTS are the files of agents
    that took part; others are not run. FILE is not changed, and no program that it names is started.

    The exit status is 1 if anything differs.
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

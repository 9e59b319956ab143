"""`arena export`: an entry for web pages."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import game_option, json_option
from arena.cli.parameters import AGENT
from arena.cli.printing import show, warn


@click.command(cls=Command, page="docs/how-to/put-an-entry-on-a-page.md")
@click.argument("entry", type=AGENT)
@game_option
@click.option(
    "--wasm",
    required=True,
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="The folder to write to; created if missing.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, 1000),
    metavar="MB",
    default=4,
    show_default=True,
    help="Largest size of the entry's data.",
)
@json_option
def export(entry: str, game: str | None, wasm: str, limit: float, as_json: bool) -> None:
    """Compile ENTRY to WebAssembly, with the scripts to run it in a web page.

    \b
    Example:
      arena export alpha-beta:depth=6 --game connect-four --wasm page

    In the page the entry plays the same moves as here, from the same random numbers. A learner without a
    model is trained first. Code that runs as plain Python cannot be exported.
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Exporting {entry}") as stop:
        found = arena.export(entry, wasm=wasm, game=game, limit=limit, progress=True, stop=stop)
    warn(found.remarks())
    show(found, found.to_dict() if as_json else None)

"""`arena export`: an entry for web pages."""

from __future__ import annotations

import click

from arena.cli.options import json_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import show, warn


@click.command()
@click.argument("entry", type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option(
    "--wasm",
    required=True,
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Where to write it as WebAssembly; made if it is not there.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, 1000),
    default=4,
    show_default=True,
    help="Megabytes of data that it may have.",
)
@json_option
def export(entry: str, game: str | None, wasm: str, limit: float, as_json: bool) -> None:
    """Write ENTRY for web pages: compiled to WebAssembly, with the scripts that play it.

    A page chooses the same moves as arena does, from the same random numbers. A learner that is not trained
    yet is trained first. What runs as plain Python cannot be exported. See
    docs/how-to/put-an-entry-on-a-page.md.

    \b
    Example:
      arena export alpha-beta:depth=6 --game connect-four --wasm page
    """
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Exporting {entry}") as stop:
        found = arena.export(entry, wasm=wasm, game=game, limit=limit, progress=True, stop=stop)
    warn(found.remarks())
    show(found, found.to_dict() if as_json else None)

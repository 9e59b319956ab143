"""`arena explain`: why an agent moves as it does."""

from __future__ import annotations

import sys

import click

from arena.cli.options import json_option, moves_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import print_json


@click.command()
@click.argument("entry", type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option("--position", metavar="TEXT", help="In the game's notation; by default the start.")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Decides all chance."
)
@moves_option
@click.option(
    "--best", type=click.IntRange(0), default=3, show_default=True, help="So many of the best with reasons."
)
@click.option(
    "--reasons", type=click.IntRange(0), default=3, show_default=True, help="At most so many a move."
)
@json_option
def explain(
    entry: str,
    game: str | None,
    position: str | None,
    moves: str,
    seed: int,
    best: int,
    reasons: int,
    as_json: bool,
) -> None:
    """Show what ENTRY thinks of its moves in a position, and which one it makes.

    Below the moves, the best first, stand the positions that the agent knows and goes by, if it tells of
    any. What a score means depends on the agent; the greater the better for the player to move. A learner
    that is not trained yet is trained first. JSON has all moves, in the game's order, and all reasons.

    \b
    Examples:
      arena explain minimax --position XO..X....
      arena explain alpha-beta:depth=8 --game connect-four --moves "4 4 3" --json
    """
    import arena
    from arena.cli.stopping import stopping
    from arena.show.terminal.screen import Screen

    with stopping(f"Asking {entry}") as stop:
        found = arena.explain(
            entry,
            position,
            game=game,
            moves=moves,
            seed=seed,
            best=best,
            reasons=reasons,
            progress=True,
            stop=stop,
        )
    if as_json:
        print_json(found.to_dict())
        return
    screen = Screen(sys.stdout)
    for state, part in found.boards():
        if state is not None:
            screen.board(found.game, state)
        screen.part(part)

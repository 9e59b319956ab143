"""`arena explain`: how an agent scores its moves."""

from __future__ import annotations

import sys

import click

from arena.cli.help import Command
from arena.cli.options import fixed_seed_option, game_option, json_option, moves_option
from arena.cli.parameters import AGENT
from arena.cli.printing import print_json


@click.command(cls=Command, page="docs/how-to/play-and-replay.md")
@click.argument("entry", type=AGENT)
@game_option
@click.option("--position", metavar="TEXT", help="A position in the game's notation.  [default: the start]")
@moves_option
@click.option(
    "--best",
    type=click.IntRange(0),
    metavar="N",
    default=3,
    show_default=True,
    help="Number of moves to show with reasons.",
)
@click.option(
    "--reasons",
    type=click.IntRange(0),
    metavar="N",
    default=3,
    show_default=True,
    help="Maximum number of reasons per move.",
)
@fixed_seed_option()
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
    """Show how ENTRY scores the legal moves of a position, best first, and which one it plays.

    \b
    Examples:
      arena explain minimax --position XO..X....
      arena explain alpha-beta:depth=8 --game connect-four --moves "4 4 3" --json

    The scale of scores depends on the agent; higher is better for the side to move. Below the moves are the
    reasons the agent states, such as known positions. A learner without a model is trained first. JSON has
    all moves, in the game's order, and all reasons.
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

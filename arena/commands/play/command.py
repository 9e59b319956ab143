"""`arena play`: you against an entry, at the terminal."""

from __future__ import annotations

from contextlib import closing

import click

from arena.cli.help import Command
from arena.cli.options import db_option, game_option, seed_option
from arena.cli.parameters import AGENT
from arena.cli.printing import say, warn
from arena.show.progress import busy


@click.command(cls=Command, page="docs/how-to/play-and-replay.md")
@click.argument("entry", required=False, type=AGENT)
@game_option
@click.option(
    "--side", metavar="NAME", help="Your side: first, second, or the game's name for it.  [default: first]"
)
@click.option(
    "--from", "start", metavar="START", help="Start from moves, a position, or a file written by 'save'."
)
@seed_option
@click.option("--record", is_flag=True, help="Save the match in the database when it is over.")
@click.option(
    "--as",
    "player",
    type=AGENT,
    metavar="ENTRY",
    default="human",
    show_default=True,
    help="With --record: your name in the database.",
)
@db_option
def play(
    entry: str | None,
    game: str | None,
    side: str | None,
    start: str | None,
    seed: int | None,
    player: str,
    record: bool,
    db: str,
) -> None:
    """Play against ENTRY at the terminal. Default: the strongest built-in agent that needs no training.

    \b
    Examples:
      arena play
      arena play minimax
      arena play alpha-beta:depth=4 --game connect-four --side O

    Type moves in the game's notation, or enough of one to be unambiguous; Tab completes. Type 'help' for the
    commands: legal moves, undo, save, resign, and hint and explain, by the opponent or by another entry, as
    in 'hint minimax:depth=6'. Nothing is recorded without --record; hints and moves taken back are recorded
    too. Moves can be piped in.

    \b
    More examples:
      arena play minimax --from "5 1" --record --as human:who=Ann
      arena play --from saved.json
    """
    import arena
    from arena.commands.play.conversation import Conversation

    with busy("Getting the match ready"):
        begun = arena.play(entry, game=game, side=side, start=start, seed=seed, player=player)
    with closing(begun) as match:
        whole = Conversation(match).run()
        if record and whole:
            say(f"Recorded as tournament {match.record(db)} in {db}; see 'arena replay'.")
        elif record:
            warn(["the match is not over and was not recorded; use 'save' to keep it"])

"""`arena play`: you against an entry, at the terminal."""

from __future__ import annotations

from contextlib import closing

import click

from arena.cli.options import db_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import say, warn
from arena.cli.seeds import SEED
from arena.show.progress import busy


@click.command()
@click.argument("entry", required=False, type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option(
    "--side", metavar="NAME", help="Yours, as the game calls it, or first or second.  [default: first]"
)
@click.option(
    "--from", "start", metavar="WHERE", help="Moves, a position, or a file that was saved, to begin with."
)
@click.option("--seed", type=SEED, help="Decides the entry's chance; by default a new one each time.")
@click.option(
    "--as", "player", type=AGENT, default="human", show_default=True, help="As whom you are recorded."
)
@click.option("--record", is_flag=True, help="Keep the match in the database, once it is over.")
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
    """Play against ENTRY yourself, or against the strongest of arena's own that need not learn.

    Type moves in the game's notation, or as much of one as tells it from others; Tab completes. `help` lists
    what else there is: the legal moves, undo, hint and explain, by the entry itself or any other, such as
    `hint minimax:depth=6`, save and resign. Nothing is recorded unless asked for; of what is, the hints you
    had and the moves you took back are kept, too. Lines may come from a pipe.

    \b
    Examples:
      arena play
      arena play minimax
      arena play alpha-beta:depth=4 --game connect-four --side O
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
            say(f"Recorded as tournament {match.record(db)} in {db}; arena replay shows it.")
        elif record:
            warn(["it is not over, and not recorded; save would have kept it"])

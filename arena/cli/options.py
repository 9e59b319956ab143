"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import click

from arena.cli.isolation import isolate_options
from arena.cli.parameters import EXECUTOR, GAME, KEPT, PIECES
from arena.cli.printing import WIDE
from arena.cli.seeds import SEED

PROCESSES = "processes"

Decorator = Callable[[Callable[..., None]], Callable[..., None]]

db_option = click.option(
    "--db",
    envvar="ARENA_DB",
    default="arena.db",
    show_default=True,
    show_envvar=True,
    type=click.Path(dir_okay=False),
    help="The database.",
)


def note_wide(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta[WIDE] = value


wide_option = click.option(
    "--wide",
    is_flag=True,
    expose_value=False,
    callback=note_wide,
    help="All columns, with all names in full, however wide the terminal is.",
)
moves_option = click.option(
    "--moves", default="", metavar="MOVES", help='Played from there, in the game\'s notation: "4 4 3".'
)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")


def play_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of whatever plays matches."""
    options: list[Decorator] = [
        click.option("--game", type=GAME, help="The game; by default the first installed."),
        click.option("--seed", type=SEED, help="Decides all chance; by default a new one each time."),
        click.option(
            "--openings",
            metavar="OPENINGS",
            help="Begin with random:N, N random plies, or FILE[:N], a book of moves or of positions (EPD, "
            "FEN, PGN, PDN), up to ply N; each from either seat.",
        ),
        click.option(
            "--max-plies", type=int, help="A match that long is a draw; by default as the game says."
        ),
        click.option(
            "--adjudicate",
            type=PIECES,
            is_flag=False,
            flag_value=KEPT,
            help="End a match with so few pieces as endings have it; by default with as few as are solved.",
        ),
        click.option(
            "--exact",
            is_flag=True,
            default=None,
            help="Play nothing, but evaluate with which probabilities matches end how, in small games.",
        ),
        click.option("--move-seconds", type=float, help="A slower move loses the match; 0 = no limit."),
        click.option(
            "--clock",
            metavar="BASE[+INCREMENT]",
            help="Seconds that each has for a match, and that each move adds, such as 60+0.6.",
        ),
        click.option(
            "--equal-time",
            type=float,
            metavar="SECONDS",
            help="Give entries that have a budget, of nodes say, as much as takes that long for a move.",
        ),
        click.option(
            "--stall-seconds",
            type=float,
            help="Whoever hangs for so long loses the match.  [default: 60; with files 10]",
        ),
        click.option(
            "--withdraw-after",
            type=int,
            help="An entry that has crashed or stalled so often plays no more; 0 = never.  [default: 3; of "
            "those from files one stall is enough]",
        ),
        click.option(
            "--keep-going",
            is_flag=True,
            default=None,
            help="Go on without who cannot play the game; who cannot be made, or trained, forfeits.",
        ),
        isolate_options,
        worker_options,
    ]
    return decorated(command, options)


def worker_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of whatever plays in workers."""
    options: list[Decorator] = [
        click.option("--workers", type=click.IntRange(1), help="How many; by default one a processor."),
        click.option(
            "--executor",
            type=EXECUTOR,
            default=PROCESSES,
            show_default=True,
            help="Where to play: processes, threads, serial or a plugin's, such as dask://HOST:PORT.",
        ),
    ]
    return decorated(command, options)


def decorated(command: Callable[..., None], options: Sequence[Decorator]) -> Callable[..., None]:
    """A command with options, shown in this order."""
    return reduce(lambda command, option: option(command), reversed(options), command)


def get_ready(executor: str) -> None:
    """Have worker processes, if wanted, begin to import what they take while this one imports the rest."""
    if executor == PROCESSES:
        from arena.calls.preload import get_ready

        get_ready()


def given(**arguments: object) -> dict[str, Any]:
    """The arguments that were typed."""
    return {name: value for name, value in arguments.items() if value not in (None, ())}


def was_typed(name: str) -> bool:
    """Whether an option of this command was typed, and not left to its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT

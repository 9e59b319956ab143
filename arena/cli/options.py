"""Options shared by several commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from arena.cli.help import Decorator, option_group
from arena.cli.parameters import EXECUTOR, GAME
from arena.cli.printing import WIDE
from arena.cli.seeds import SEED
from arena.texts import no_notes

PROCESSES = "processes"

db_option = click.option(
    "--db",
    envvar="ARENA_DB",
    default="arena.db",
    show_default=True,
    show_envvar=True,
    type=click.Path(dir_okay=False),
    help="The database file.",
)


def note_wide(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta[WIDE] = value


wide_option = click.option(
    "--wide",
    is_flag=True,
    expose_value=False,
    callback=note_wide,
    help="Show all columns and full names, whatever the width of the terminal.",
)


def without_notes(context: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Suppress advice if the flag `--json` is set, since a program reads the output."""
    if value:
        no_notes.set()
        context.call_on_close(no_notes.clear)
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=without_notes, help="Write JSON to standard output."
)
game_option = click.option("--game", type=GAME, help="The game.  [default: the first installed]")
moves_option = click.option(
    "--moves", default="", metavar="MOVES", help='Moves to play first, in the game\'s notation: "4 4 3".'
)
seed_option = click.option("--seed", type=SEED, metavar="N", help="Random seed.  [default: a new one]")
openings_option = click.option(
    "--openings",
    metavar="OPENINGS",
    help="random:N for N random plies, or FILE[:N], an opening book (moves, EPD, FEN, PGN, PDN), cut at ply "
    "N. Each opening is played from both seats.",
)


def worker_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of commands that play in worker processes."""
    return option_group(
        "Resources",
        click.option(
            "--workers", type=click.IntRange(1), metavar="N", help="Number of workers.  [default: all CPUs]"
        ),
        click.option(
            "--executor",
            type=EXECUTOR,
            metavar="NAME",
            default=PROCESSES,
            show_default=True,
            help="processes, threads, serial, dask://HOST:PORT, or a plugin's.",
        ),
    )(command)


def limit_option(help: str) -> Decorator:
    """Return the option for the time limit after which a hanging agent is stopped."""
    return click.option(
        "--stall-seconds",
        type=click.FloatRange(0, 10**6),
        metavar="S",
        default=60.0,
        show_default=True,
        help=help,
    )


def fixed_seed_option(help: str = "Random seed.") -> Decorator:
    """Return the option `--seed`, with default 0, for commands that do not record matches."""
    return click.option(
        "--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", default=0, show_default=True, help=help
    )


def get_ready(executor: str) -> None:
    """Start worker processes early, so that their imports run in parallel with those of this process."""
    if executor == PROCESSES:
        from arena.calls.execution import get_ready

        get_ready()


def given(**arguments: object) -> dict[str, Any]:
    """Return the arguments that are neither None nor ()."""
    return {name: value for name, value in arguments.items() if value not in (None, ())}


def was_typed(name: str) -> bool:
    """Return whether an option of the current command was set, as an argument or in the environment."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT

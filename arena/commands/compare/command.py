"""The command line of `arena compare`."""

from __future__ import annotations

import click

from arena.cli.help import Command, option_group
from arena.cli.isolation import isolate_options
from arena.cli.options import (
    db_option,
    fixed_seed_option,
    get_ready,
    given,
    json_option,
    openings_option,
    wide_option,
    worker_options,
)
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import show, warn


@click.command(cls=Command, page="docs/how-to/compare-two-methods.md")
@click.argument("entries", type=AGENT, nargs=-1, required=True, metavar="ENTRY ENTRY…")
@click.option(
    "--game", type=GAME, multiple=True, help="The game; repeatable.  [default: the first installed]"
)
@click.option(
    "--against",
    multiple=True,
    type=AGENT,
    help="An opponent; repeatable.  [default: the entries play each other]",
)
@click.option(
    "--seeds",
    type=click.IntRange(2, 1000),
    metavar="N",
    default=10,
    show_default=True,
    help="Number of training seeds.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    metavar="N",
    default=50,
    show_default=True,
    help="Matches of each trained learner against each opponent, from either seat.",
)
@option_group(
    "Comparison",
    click.option(
        "--each-other/--not-each-other",
        default=None,
        help="Have the entries play each other.  [default: without --against]",
    ),
    click.option(
        "--detect",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="D",
        default=0.05,
        show_default=True,
        help="Difference of scores for which to estimate the number of seeds needed.",
    ),
)
@option_group(
    "Conditions",
    openings_option,
    fixed_seed_option("Random seed of the matches."),
    click.option(
        "--max-plies", type=int, metavar="N", help="Adjudicate longer matches as draws.  [default: by game]"
    ),
    click.option("--move-seconds", type=float, metavar="S", help="Seconds per move; slower moves lose."),
    click.option(
        "--stall-seconds",
        type=float,
        metavar="S",
        help="Seconds after which an agent without an answer loses.  [default: 60, or 10 if files play]",
    ),
    isolate_options,
)
@option_group("Output", db_option, wide_option, json_option)
@worker_options
def compare(entries: tuple[str, ...], as_json: bool, executor: str, **options: object) -> None:
    """Compare learners, or settings of one learner, over training seeds.

    \b
    Examples:
      arena compare q-table double-q --against random --against minimax
      arena compare q-table:alpha=.1 q-table:alpha=.4 --seeds 20 --openings random:2

    Each ENTRY is trained with each seed, and plays the opponents or the other entries. The confidence
    interval for the difference of two entries accounts for the variation of training seeds, openings and
    matches. To compare two trained learners or other agents, use 'arena match --sprt'.

    All matches are recorded. After Ctrl-C, models and matches are kept, and the same command continues.
    """
    get_ready(executor)
    import arena
    from arena.cli.stopping import stopping

    with stopping(f"Comparing {len(entries)} entries") as stop:
        found = arena.compare(*entries, **given(**options), executor=executor, progress=True, stop=stop)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())

"""The command line of `arena tune`."""

from __future__ import annotations

import click

from arena.cli.help import Command, option_group
from arena.cli.isolation import isolate_options
from arena.cli.options import fixed_seed_option, game_option, get_ready, given, json_option, worker_options
from arena.cli.parameters import AGENT, BOUNDS
from arena.cli.printing import say, show, usage_error, warn
from arena.commands.tune.learner_options import learner_options


@click.command(
    cls=Command,
    page="docs/how-to/tune-an-agent.md",
    renamed={"--over": "--range", "--to": "--log", "--confirm": "--confirm-matches"},
)
@click.argument("entry", type=AGENT)
@click.option(
    "--range",
    "over",
    required=True,
    multiple=True,
    metavar="NAME=LOW..HIGH[,…]",
    help="An option and its range; evaluation.king is the option king of the entry's evaluation. For a "
    "learner, also a choice of values: NAME=VALUE|VALUE.",
)
@game_option
@click.option(
    "--matches",
    type=click.IntRange(2),
    metavar="N",
    help="Matches for the search.  [default: 10000, or what --seconds allows]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.001),
    metavar="S",
    help="Time for the search, including earlier runs in --log.",
)
@fixed_seed_option()
@learner_options
@option_group(
    "Test of the result",
    click.option("--sprt", type=BOUNDS, help="Elo differences of the test, normalised.  [default: 0,10]"),
    click.option(
        "--confirm-matches",
        "confirm",
        type=click.IntRange(2),
        metavar="N",
        help="Limit on matches of the test.  [default: as many as the search]",
    ),
    click.option(
        "--confirm-seeds",
        type=click.IntRange(2, 1000),
        metavar="N",
        help="New training seeds to test on, for a learner.  [default: 10]",
    ),
)
@option_group(
    "Conditions",
    click.option(
        "--openings",
        metavar="OPENINGS",
        help="random:N for N random plies, or FILE[:N], an opening book, cut at ply N.  [default: random:4; "
        "none for learners]",
    ),
    click.option(
        "--max-plies",
        type=int,
        metavar="N",
        help="Adjudicate longer matches as draws.  [default: the game's]",
    ),
    click.option(
        "--stall-seconds",
        type=float,
        metavar="S",
        help="Seconds after which an agent without an answer loses.  [default: 60, or 10 if files play]",
    ),
    isolate_options,
)
@option_group(
    "Output",
    click.option(
        "--log",
        "to",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Save the search in FILE, and continue from it.",
    ),
    click.option(
        "--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Plot the values over time, as SVG."
    ),
    json_option,
)
@worker_options
def tune(
    entry: str,
    over: tuple[str, ...],
    confirm: int | None,
    confirm_seeds: int | None,
    as_json: bool,
    executor: str,
    **options: object,
) -> None:
    """Optimise the options of ENTRY by self-play, and test whether the result is stronger.

    \b
    Examples:
      arena tune alpha-beta --game checkers --range depth=2..6 --log depth.jsonl
      arena tune q-table --range "alpha=0.02|0.1|0.5" --against minimax

    The search (SPSA) plays ENTRY with values above and below the current ones against itself, and moves
    towards those that win. A sequential probability ratio test then compares the result with ENTRY in new
    matches, and a gain is reported only if the test accepts. Ctrl-C keeps the result so far.

    If ENTRY learns, candidates are trained with several seeds and play opponents; sequential halving drops
    the worse half repeatedly. The winner is compared with ENTRY on new seeds.

    \b
    More examples:
      arena tune alpha-beta:evaluation=material --range evaluation.king=1..4
        --game checkers
      arena tune sarsa --range alpha=.001..1,epsilon=.1..1 --candidates 24
        --log sarsa.jsonl
    """
    if confirm is not None and confirm_seeds is not None:
        raise usage_error("--confirm-matches is for agents and --confirm-seeds for learners; remove one")
    get_ready(executor)
    import arena
    from arena.cli.stopping import stopping

    chosen = given(**options, confirm=confirm, confirm_seeds=confirm_seeds)
    with stopping(f"Tuning {entry}") as stop:
        found = arena.tune(entry, ",".join(over), **chosen, executor=executor, progress=True, stop=stop)
    show(found, found.to_dict() if as_json else None)
    warn(found.remarks())
    if found.stopped:
        again = "the same command continues" if options["to"] else "use --log FILE to be able to continue"
        say(f"Stopped: these are the results so far; {again}.", err=True)
        click.get_current_context().exit(130)

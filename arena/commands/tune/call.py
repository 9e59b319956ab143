"""The function `arena.tune`, which searches for better values of an entry's options."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, cast

from arena.analysis.spsa import PAIRS
from arena.api.agent import agent_class
from arena.api.spec import Spec
from arena.calls.arguments import (
    ConditionKeywords,
    Conditions,
    Entry,
    GameEntry,
    agent_spec,
    conditions_of,
    game_text,
    known_with,
)
from arena.calls.execution import Execution, ExecutorEntry
from arena.commands.match.call import check_sprt
from arena.commands.tune.learner import ForLearners, check_given, tune_learner
from arena.commands.tune.learner_result import TunedLearner
from arena.commands.tune.log import Log
from arena.commands.tune.ranges import Over, parameters_of
from arena.commands.tune.result import Tuned
from arena.commands.tune.search import Tuner
from arena.errors import ArenaError
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.ratings.sprt import Sprt
from arena.registry.digests import code_of
from arena.registry.plugins import Registry
from arena.results.settings import SEEDS, check_range, settings_of
from arena.show.tuning_plot import svg, write
from arena.training.learners import learners

MATCHES = 10_000  # default
MOST = 10**9  # largest number of matches and seconds
OPENINGS = "random:4"
TAKES = ("openings", "max_plies", "stall_seconds", "isolate")  # the conditions that apply


def tune(
    entry: Entry,
    over: Over | Mapping[str, Sequence[object]],
    *,
    game: GameEntry = None,
    matches: int | None = None,
    seconds: float | None = None,
    sprt: tuple[float, float] | None = None,
    against: Sequence[Entry] | Entry | None = None,
    candidates: int | None = None,
    trainings: int | None = None,
    rounds: int | None = None,
    confirm: int | None = None,
    confirm_seeds: int | None = None,
    to: str | Path | None = None,
    plot: str | Path | None = None,
    seed: int = 0,
    conditions: Conditions | None = None,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
    **keywords: Unpack[ConditionKeywords],
) -> Tuned | TunedLearner:
    """Search for better values of an entry's options, and test them against the initial values.

    The options of an agent are tuned in matches against itself, by SPSA, and tested by a sequential test. The
    options of a learner, or of an agent that contains one, are tuned by training candidates with several
    seeds: sequential halving repeatedly drops the worse half of the candidates, and the winner is compared
    with the initial values on new seeds.

    >>> import arena
    >>> found = arena.tune("minimax", "depth=1..6", game="tic-tac-toe", matches=64, confirm=64)
    >>> found.entry, len(found.scores), list(found.values)
    ('minimax', 2, ['depth'])

    Args:
        entry: The entry, as in `arena.match`.
        over: A range for each option, such as `{"depth": (2, 6), "evaluation.king": (1, 20)}` or
            "depth=2..6,evaluation.king=1..20". A dotted path names an option of a nested entry. For learners
            also a list of values, such as `{"alpha": [0.05, 0.1, 0.2]}` or "alpha=0.05|0.1|0.2".
        game: The game, as in `arena.match`. Default: the first installed.
        matches: Number of matches of the search. Default: 10,000, if `seconds` is not passed. Not for
            learners.
        seconds: Time limit in seconds for the search, over all calls with the same file. Not for learners.
        sprt: (low, high) in normalised Elo, for the test of the values found against the initial values.
            Default: (0, 10). Not for learners.
        against: Opponents that measure a learner. Default: `random`.
        candidates: Number of candidates of a learner, if an option has a range. Default: 16.
        trainings: Maximum number of training runs of the search for a learner. Default: four times the number
            of candidates.
        rounds: Number of matches of a trained learner against each opponent from each seat. Default: 100.
        confirm: Maximum number of matches of the test. Default: as many as the search. Not for learners.
        confirm_seeds: Number of new training seeds for the test of a learner. Default: 10.
        to: File that records the search, so that the same call can continue it.
        plot: Path of a plot of the values, or of the scores of a learner's candidates, as SVG.
        seed: Seed of all random numbers.
        conditions: openings ("random:4" by default, "none" for learners), max_plies, stall_seconds and
            isolate of `arena.Conditions`.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: the search ends after the current iteration, or the training is
            saved. The test is skipped.
        **keywords: The conditions one by one.

    Returns:
        The values found, and the result of the test.

    Raises:
        ArenaError: If an option cannot be tuned.
    """
    check_range("seed", seed, 0, SEEDS - 1)
    learning = ForLearners(against, candidates, trainings, rounds, confirm_seeds)
    opponents = against if isinstance(against, list | tuple) else [] if against is None else [against]
    known = known_with([entry, *opponents], game)
    how = Execution.of(known, workers, executor, progress, stop)
    spec = agent_spec(entry, known)
    stated = conditions_of("tune", conditions, keywords, TAKES).stated(known)
    if learners([spec]):
        check_given(spec.text, matches=matches, seconds=seconds, sprt=sprt, confirm=confirm)
        text = game_text(game, known)
        return tune_learner(spec, over, text, learning, to, plot, seed, stated, known, how)
    learning.check_unused(spec.text)
    for name, number in (("matches", matches), ("seconds", seconds), ("confirm", confirm)):
        if number is not None:
            check_range(name, number, 0.001 if name == "seconds" else 2, MOST)
    test = Sprt(*check_sprt((0, 10) if sprt is None else sprt, 0.05, 0.05))
    check_ready(spec)
    parameters = parameters_of(spec, cast(Over, over), known)
    stated = {"openings": OPENINGS, **stated}
    plan = plan_of(spec, game_text(game, known), seed, stated, known)
    if matches is None and seconds is None:
        matches = MATCHES
    iterations = None if matches is None else -(-matches // (2 * PAIRS))
    gains = iterations or MATCHES // (2 * PAIRS)
    asked = {
        "game": plan.game.text,
        "entry": spec.text,
        "over": [[one.name, one.low, one.high] for one in parameters],
        "seed": seed,
        "streams": 1,  # a file that is continued does not state the scheme that it was begun with
        "openings": stated["openings"],
        "max_plies": plan.limits.plies,
        "code": code_of(spec, plan.game),
    }
    log = Log(Path(to) if to else None, asked, gains)
    most = None if confirm is None else -(-confirm // 2)
    tuner = Tuner(plan, known, parameters, log, how, iterations, seconds, test, most)
    if plot:  # raise early if the file cannot be written
        draw(Path(plot), tuner.found())
    try:
        found = tuner.run()
    finally:
        if plot:
            draw(Path(plot), tuner.found())
    return found


def draw(path: Path, found: Tuned) -> None:
    """Write a plot of the option values over the iterations."""
    courses = {
        f"{one.name}, {one.low:g} to {one.high:g}": [
            (values[i] - one.low) / one.width for values in found.course
        ]
        for i, one in enumerate(found.parameters)
    }
    write(path, svg(f"{found.entry} at {found.game}", courses, found.scores))


def check_ready(spec: Spec) -> None:
    """Raise ArenaError if an entry plays at the terminal."""
    for part in spec.walk():
        if agent_class(part).interactive:
            raise ArenaError(f"{spec.text} plays at the terminal; tune another agent")


def plan_of(
    spec: Spec,
    game: str,
    seed: int,
    conditions: Mapping[str, Any],
    known: Registry,
) -> Plan:
    """Return the plan of one iteration, in which the entry plays itself, or raise ArenaError."""
    asked = {
        "game": game,
        "entries": [spec.text, spec.text],
        "format": "match",
        "matches": 2 * PAIRS,
        "seed": seed,
        "streams": 1,  # a file that is continued does not state the scheme that it was begun with
        **conditions,
        "withdraw_after": 0,
    }
    return complete(settings_of(asked), known, trusting=True)[1]

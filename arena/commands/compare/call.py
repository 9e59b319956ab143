"""The function `arena.compare`, which compares learners over training seeds."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np

from arena.api.options import replaced, with_options
from arena.api.reasons import FORFEITS
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
    parted,
)
from arena.calls.execution import Execution, ExecutorEntry, check_trained, looked_at, remedy, train_entries
from arena.commands.compare.result import EACH_OTHER, Comparison, GamePoints
from arena.commands.match.call import all_records
from arena.errors import ArenaError, Stopped
from arena.ledger.ledger import Ledger
from arena.matches.event import begin, run_recorded
from arena.plan.completion import complete
from arena.plan.entries import together
from arena.plan.plan import Plan
from arena.ratings.likelihood import Floats
from arena.registry.digests import code_of
from arena.registry.plugins import Registry
from arena.results.record import Record
from arena.results.settings import SEEDS, Settings, check_range, names_by_text, settings_of, whole_number
from arena.storage.database import DATABASE, Store
from arena.texts import call
from arena.training.learners import check_learns, learner_in, learners

ROUNDS = 50  # default
MOST_SEEDS = 1000
TAKES = ("openings", "max_plies", "adjudicate", "move_seconds", "stall_seconds", "isolate", "withdraw_after")


def compare(
    *entries: Entry,
    against: Sequence[Entry] | Entry = (),
    each_other: bool | None = None,
    game: GameEntry | Sequence[GameEntry] = None,
    seeds: int = 10,
    rounds: int = ROUNDS,
    detect: float = 0.05,
    seed: int = 0,
    conditions: Conditions | None = None,
    db: str | Path = DATABASE,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
    **keywords: Unpack[ConditionKeywords],
) -> Comparison:
    """Compare learners, or settings of one learner, over training seeds.

    Each method is trained with each seed, and plays opponents or the other methods. The differences are
    paired by seed: the learners of one seed begin their matches with the same openings. All matches are
    recorded. If a call is interrupted, the same call continues it, without repeating matches.

    >>> import arena
    >>> learners = "q-table:episodes=50", "q-table:episodes=2000"
    >>> found = arena.compare(*learners, against="random", game="tic-tac-toe", seeds=5, rounds=20)
    >>> (one,) = found.differences
    >>> one.difference < 0, one.decided
    (True, True)

    Args:
        *entries: Two or more entries, as in `arena.match`, at least one with a learner. Training seeds
            are consecutive, starting at the seed of the learner.
        against: The opponents. Default: the methods play each other.
        each_other: Also let the methods play each other. Default: only if there are no opponents.
        game: The game, as in `arena.match`, or a list of games. Default: the first installed.
        seeds: Number of training seeds, at least 2.
        rounds: Number of matches of each learner against each opponent from each seat.
        detect: A difference of scores, from 0 to 1, for which to estimate the number of seeds that would show
            it.
        seed: Seed of the matches and of the bootstrap samples.
        conditions: Conditions of the matches, such as openings and limits.
        db: Path of the database.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.
        **keywords: Conditions one by one, such as `openings="random:4"`.

    Returns:
        The scores and differences, with their intervals.

    Raises:
        ArenaError: If no entry learns, an entry cannot play, or an argument is invalid.
        Stopped: If `stop` was set before the end.
    """
    seeds, rounds = whole_number("seeds", seeds), whole_number("rounds", rounds)
    check_range("seeds", seeds, 2, MOST_SEEDS)
    check_range("rounds", rounds, 1, 10**6)
    check_range("seed", seed, 0, SEEDS - 1)
    if not 0 < detect <= 1:
        raise ArenaError(f"detect is {detect}; use a difference of scores above 0 and up to 1, such as 0.05")
    methods, short = parted([*entries])
    opponents = [against] if isinstance(against, str) or not isinstance(against, Sequence) else [*against]
    games: list[GameEntry] = [*game] if isinstance(game, list | tuple) else [cast(GameEntry, game)]
    known = known_with([*methods, *opponents])
    for one in games:
        known = known_with(game=one, besides=known)
    how = Execution.of(known, workers, executor, progress, stop)
    specs = [agent_spec(one, known) for one in methods]
    check_methods(specs)
    texts = [several_seeds(spec, seeds).text for spec in specs]
    others = [agent_spec(one, known).text for one in opponents]
    among = not others if each_other is None else each_other
    asked = {
        "entries": [*texts, *others],
        "format": f"paired-seeds:methods={len(texts)},each_other={str(among).lower()}",
        "rounds": rounds,
        "seed": seed,
        "shared_openings": True,
        **conditions_of("compare", conditions, keywords, TAKES).stated(known),
    }
    plans = [planned(asked, game_text(one, known), known) for one in games]
    if twice := [plan.game.text for _, plan in plans if sum(p.game == plan.game for _, p in plans) > 1]:
        raise ArenaError(f"game {twice[0]} is named twice; name it once")
    opposed = [*others, *([EACH_OTHER] if among else [])]
    found, forfeits, copies = [], 0, 0
    with closing(Store(db, write=True)) as store:  # opened first, so that errors are raised before training
        for settings, plan in plans:
            number, records = recorded_matches(store, settings, plan, known, how)
            each = together(settings.entries or [], settings.seeds or {})
            points = points_of(records, each, len(texts), seeds, rounds, len(opposed))
            found.append(GamePoints(plan.game.text, opposed, points, number))
            forfeits += sum(record.reason in FORFEITS for record in records)
            copies += 0 if plan.openings.some else repeated(records)
        path = store.path
    return Comparison(
        methods=[spec.text for spec in specs],
        games=found,
        seeds=seeds,
        rounds=rounds,
        seed=seed,
        detect=detect,
        db=path,
        names=names_by_text(zip(short, [spec.text for spec in specs], strict=True)),
        forfeits=forfeits,
        copies=copies,
    )


def check_methods(specs: Sequence[Spec]) -> None:
    """Raise ArenaError unless there are two or more different entries, one of which learns."""
    texts = [spec.text for spec in specs]
    if len(texts) < 2:
        raise ArenaError("there is nothing to compare; name two entries or more")
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise ArenaError(f"entry {twice[0]!r} is named twice; change the options of one")
    if not learners(specs):
        raise ArenaError(
            f"neither {texts[0]!r} nor another entry learns, so there are no training seeds; "
            f"compare them by matches: {call('match', *texts[:2])}"
        )


def several_seeds(spec: Spec, seeds: int) -> Spec:
    """Return an entry with several seeds for its learner; an entry without a learner is returned unchanged.

    Raises:
        ArenaError: If it has several learners, or its learner has several seeds or checkpoints already.
    """
    if not learners([spec]):
        return spec
    learner = learner_in(spec)
    for name in ("seeds", "checkpoints"):
        if learner.values[name] != 1:
            raise ArenaError(f"{spec.text!r} has {name}={learner.values[name]}; leave it out here")
    return replaced(spec, learner, with_options(learner, seeds=seeds))


def planned(asked: Mapping[str, Any], game: str, known: Registry) -> tuple[Settings, Plan]:
    """Return the settings and the plan of a comparison in one game."""
    settings, plan = complete(settings_of({**asked, "game": game}), known, trusting=True)
    if plan.interactive:
        text = plan.entries[min(plan.interactive)].text
        raise ArenaError(f"{text} plays at the terminal; compare other entries")
    for spec in learners(plan.entries):
        check_learns(spec, plan.game)
    return settings, plan


def recorded_matches(
    store: Store, settings: Settings, plan: Plan, known: Registry, how: Execution
) -> tuple[int, Sequence[Record]]:
    """Train, play and record the missing parts of a comparison in one game.

    Returns:
        The number of the tournament with the matches, and all matches.

    Raises:
        Stopped: If it was stopped before the end.
    """
    number = found_again(store, settings, plan, known)
    if number is None or not store.tournament(number).finished:
        everybody = range(len(plan.entries))
        with looked_at(plan, known, how, everybody) as (ready, _):
            train_entries(plan, known, how, remedy=remedy(everybody))
            check_trained(plan, everybody, ready)
            if number is None:
                number = begin(store, settings, plan, known)
            with how.showing(f"Comparing at {plan.game.text}", "matches") as tell:
                for done, all in run_recorded(store, number, Ledger(plan), ready.how):
                    tell(done, all)
    found = store.tournament(number)
    if not found.finished:
        raise Stopped(
            f"Stopped after {found.played:,} of {found.planned:,} matches at {plan.game.text}; "
            f"{store.path} keeps them, and the same command continues."
        )
    return number, [*all_records(store, number, plan)]


def found_again(store: Store, settings: Settings, plan: Plan, known: Registry) -> int | None:
    """Return the number of an earlier tournament with the same settings, code and versions, or None."""
    codes = {spec.text: code_of(spec) for spec in plan.entries}
    versions = known.versions(plan.game, plan.entries)
    for found in reversed(store.tournaments("format = ? AND game = ?", (settings.format, plan.game.text))):
        same = found.settings == settings and found.seed == plan.seed
        if same and found.code == code_of(plan.game) and found.codes == codes and found.versions == versions:
            return found.id
    return None


def points_of(
    records: Sequence[Record],
    each: Sequence[Sequence[int]],
    methods: int,
    seeds: int,
    rounds: int,
    opponents: int,
) -> Floats:
    """Return the points of all methods, float64 [methods, seeds, opponents, rounds], from 0 to 1.

    Args:
        records: All matches.
        each: Indices of the entries of each method, then of each opponent.
        methods: Number of methods.
        seeds: Number of training seeds.
        rounds: Number of rounds of a seed.
        opponents: Number of opponents; the methods count as one if they play each other.
    """
    group = {entry: i for i, of in enumerate(each) for entry in of}
    points = np.zeros((methods, seeds, opponents, rounds))
    for record in records:
        seed, round = divmod(record.round, rounds)
        ones = group[record.first], group[record.second]
        for (one, other), result in ((ones, record.result), (ones[::-1], -record.result)):
            if one < methods <= other:
                points[one, seed, other - methods, round] += (1 + result) / 4
            elif one < methods:
                points[one, seed, -1, round] += (1 + result) / 4 / (methods - 1)
    return points


def repeated(records: Sequence[Record]) -> int:
    """Return the number of matches that repeat others with the same players move for move."""
    fixed = [(one.first, one.second, one.moves) for one in records if not one.chance]
    return len(fixed) - len({*fixed})

"""The function `arena.match`, which plays two entries against each other."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Unpack

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
    text_of,
)
from arena.calls.equal_time import in_equal_time
from arena.calls.execution import Execution, ExecutorEntry, ready_entries, train_first
from arena.calls.results import Forfeit, Match, Pairing, Tested
from arena.commands.match.control_variates import controlled
from arena.commands.tournament.call import warn_of_short_seed
from arena.errors import ArenaError
from arena.ledger.ledger import Ledger
from arena.ledger.sums import Kept, Sums
from arena.matches.driver import run
from arena.matches.event import begin, run_recorded
from arena.plan.completion import complete
from arena.plan.entries import check_entries, make_game
from arena.plan.plan import Plan
from arena.ratings.sprt import Sprt
from arena.registry.files import files_in
from arena.registry.plugins import Registry
from arena.results.record import Record
from arena.results.settings import Settings, names_by_text, settings_of
from arena.results.tally import Summary, Tally
from arena.show.presentation import Shown
from arena.storage.database import Store
from arena.texts import either

MATCHES = 100  # default
FEW = 1000  # maximum number of unrecorded matches whose records are kept, to show the first one in a notebook
MOST = 1_000_000  # maximum number of matches of a sequential test


def match(
    first: Entry,
    second: Entry,
    *,
    game: GameEntry = None,
    matches: int | None = None,
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    control: Entry | None = None,
    seed: int | str | None = None,
    streams: int | None = None,
    conditions: Conditions | None = None,
    keep_going: bool = False,
    db: str | Path | None = None,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
    **keywords: Unpack[ConditionKeywords],
) -> Match:
    """Play two entries against each other, with seats alternating.

    An entry is a text such as "minimax:depth=3", a file such as "bots/alice.py", a class of yours, or
    `functools.partial` of a class and its options. "A=minimax:depth=3" sets a short name for tables.
    Learners without a model are trained first.

    >>> import arena
    >>> found = arena.match("first", "minimax:ties=first", game="tic-tac-toe", matches=2, seed=1)
    >>> [(row.first, row.wins, row.draws, row.losses) for row in found.pairings]
    [('first', 0, 0, 1), ('minimax:ties=first', 1, 0, 0)]

    Args:
        first: An entry.
        second: Another entry.
        game: The game: a name with options, a file, or a class. Default: the first installed.
        matches: Number of matches. Default: 100.
        sprt: (low, high) in normalised Elo: play until a sequential test accepts one of the two, but at most
            `matches` matches, by default a million.
        alpha: Probability that the test accepts `high` if `low` is true.
        beta: Probability that the test accepts `low` if `high` is true.
        control: An agent that scores moves, to reduce the effect of luck on the result; see
            `docs/how-to/take-luck-out.md`.
        seed: Seed of all random numbers: a number or a text such as "0x…". Default: a new seed of 128 bits.
        streams: Version of the scheme that derives random numbers from the seed; see
            `docs/explanation/reproducibility.md`. Default: the newest.
        conditions: Conditions of the matches, such as openings and limits.
        keep_going: Let an entry that cannot be created or trained forfeit, instead of raising an error.
        db: Path of a database in which to record the matches. Default: they are not recorded.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.
        **keywords: Conditions one by one, such as `clock="60+0.6"`.

    Returns:
        The results for each order of seats.

    Raises:
        ArenaError: If an entry cannot play, or an argument is invalid.
    """
    entries, short = parted([first, second])
    known = known_with([*entries, control] if control is not None else entries, game)
    how = Execution.of(known, workers, executor, progress, stop)
    texts = [text_of(entry, "agent", known) for entry in entries]
    settings, plan = complete(
        settings_of(
            {
                "game": game_text(game, known),
                "entries": texts,
                "names": names_by_text(zip(short, texts, strict=True)),
                "format": "match",
                "matches": (MATCHES if sprt is None else MOST) if matches is None else matches,
                "sprt": [*check_sprt(sprt, alpha, beta)] if sprt is not None else None,
                "seed": seed,
                "streams": streams,
                **conditions_of("match", conditions, keywords).stated(known),
            }
        ),
        known,
        trusting=True,
    )
    warn_of_short_seed(seed, plan, how)
    judge = None if control is None else judge_of(control, plan, known)
    with ExitStack() as stack:
        # opened first, so that errors are raised before any training
        store = stack.enter_context(closing(Store(db, write=True))) if db else None
        if judge:
            train_first([judge], plan.game, known, how, plan.limits.stall_seconds, strict=True)
        ready = stack.enter_context(ready_entries(plan, known, how, () if keep_going else (0, 1)))
        notes: list[str] = []
        if (seconds := settings.equal_time) is not None:
            settings, plan, notes = in_equal_time(settings, plan, known, how, seconds)
        begun = perf_counter()
        found, records = play(settings, plan, known, ready, store, notes, keep=judge is not None)
        if judge is None:
            return found
        seconds = perf_counter() - begun
        return replace(found, controlled=controlled(plan, records, judge, found.names, how, seconds))


def judge_of(control: Entry, plan: Plan, known: Registry) -> Spec:
    """Return the agent that scores moves.

    Raises:
        ArenaError: If control is not possible, for example if an entry plays in a sandbox or at the terminal.
    """
    judge = agent_spec(control, known)
    check_entries([judge], make_game(plan.game))
    if plan.format:
        raise ArenaError(f"a sequential test uses results only; leave {either('--control', 'control')} out")
    for i in sorted(plan.isolated | plan.interactive):
        if i in plan.interactive:
            raise ArenaError(
                f"{plan.entries[i].text} plays at the terminal, so its move probabilities "
                "are unknown; leave the control out"
            )
        if not files_in(plan.entries[i]):  # entries from files are always sandboxed
            raise ArenaError(
                f"{plan.entries[i].text} plays in the sandbox, so its move probabilities "
                "are unknown; leave the control out"
            )
    return judge


def all_records(store: Store, number: int, plan: Plan) -> Iterator[Record]:
    """Yield the matches of a recorded plan, with entries as indices into the plan."""
    ids = dict.fromkeys(store.entry_ids(plan.game.text).values(), 0)
    for record in store.matches(number, ids):
        yield record._replace(**plan.fixture(record.number)._asdict())


def play(
    settings: Settings,
    plan: Plan,
    known: Registry,
    how: Execution,
    store: Store | None,
    notes: Sequence[str],
    keep: bool,
) -> tuple[Match, Sequence[Record]]:
    """Play the matches of a plan.

    Args:
        settings: Settings of the plan.
        plan: The plan.
        known: The registry of plugins.
        how: How to execute the work.
        store: Database in which to record the matches; None for none.
        notes: Remarks to add to the result.
        keep: Whether the records of the matches are needed.

    Returns:
        The result, and the records, which may be empty if they are not needed.
    """
    tally = Tally()
    forfeits: list[Forfeit] = []

    def see(summary: Summary) -> None:
        tally.add_summary(summary)
        for r in summary.forfeits:
            place = r.story.place if r.story else ""
            forfeits.append(Forfeit(plan.entries[r.loser].text, r.number, r.reason, r.detail or "", place))

    number = begin(store, settings, plan, known) if store else None
    ledger = Ledger(plan)
    # records are needed for control, to find entries whose play varies, and for the match that notebooks show
    kept = Kept(ledger) if not store and (keep or plan.untrusted or plan.most <= FEW) else None
    names = settings.names or {}
    with how.showing(" v ".join(names.get(one.text, one.text) for one in plan.entries), "matches") as tell:
        tell(0, plan.most)
        if store and number:
            for played, planned in run_recorded(
                store, number, ledger, how, lambda it: see(Summary.of(it.records))
            ):
                tell(played, planned, ledger.stages.progress())
        else:
            played = 0
            for changes in run(ledger, kept or Sums(ledger, see), how):
                played += changes.matches
                tell(played, ledger.planned, ledger.stages.progress())
    records: Sequence[Record] = kept.records if kept else ()
    if store and number and (keep or plan.untrusted or ledger.withdrawals.withdrawn):
        records = [*all_records(store, number, ledger.plan)]
    example = next(all_records(store, number, ledger.plan) if store and number else iter(records), None)
    if records:
        tally.clear()  # counted again, since some matches may no longer count
        forfeits.clear()
        see(Summary.of(records))
    pairings = [
        Pairing.of(
            plan.entries[a].text,
            plan.entries[b].text,
            {kind: counts for (*seats, kind), counts in tally.counts.items() if seats == [a, b]},
        )
        for a, b in ((0, 1), (1, 0))
    ]
    played = int(sum(counts.matches for counts in tally.counts.values()))
    where = store.path if store else None
    forfeits.sort(key=lambda forfeit: forfeit.match)
    planned = played if ledger.stages.grows and ledger.stages.over else plan.most
    test = Tested.of(ledger.stages) if ledger.stages.grows else None
    pairs = tally.pairs.by_score(0, 1)
    found = Match(
        game=plan.game.text,
        seed=plan.seed,
        played=played,
        planned=planned,
        pairings=pairings,
        forfeits=forfeits,
        tournament=number,
        db=where,
        names=names,
        test=test,
        pairs=pairs,
        notes=notes,
        shown=None if example is None else partial(show, ledger.plan, example, number, names),
    )
    return found, records


def show(plan: Plan, record: Record, tournament: int | None, names: Mapping[str, str]) -> Shown:
    """Return a match of a plan, position by position."""
    from arena.commands.match.shown import replay_of  # needed in notebooks only

    return replay_of(plan, record, tournament, names)


def check_sprt(bounds: Any, alpha: float, beta: float) -> tuple[float, float, float, float]:
    """Return the parameters of a sequential test, or raise ArenaError."""
    try:
        low, high = bounds
        test = Sprt(float(low), float(high), float(alpha), float(beta))
    except (TypeError, ValueError) as error:
        raise ArenaError(f"sprt is {bounds!r}; pass two numbers, LOW and HIGH, such as (0, 5)") from error
    return test.low, test.high, test.alpha, test.beta

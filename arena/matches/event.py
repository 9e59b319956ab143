"""A tournament from its settings to its last match."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

import msgspec

from arena.api.learner import Learner
from arena.api.names import name_in
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.ledger.recorder import Recorder
from arena.ledger.stages import Contest
from arena.ledger.withdrawals import UnrecordedMatch, Withdrawals
from arena.matches.driver import play
from arena.plan.plan import complete
from arena.plan.schedule import Plan
from arena.plan.settings import Settings, settings_of
from arena.registry.code_digests import code_of
from arena.registry.files import files_in
from arena.registry.plugins import Registry
from arena.registry.provenance import versions
from arena.registry.sources import rules_digest
from arena.results.code_digest import UNKNOWN_CODE
from arena.results.cost import Learned
from arena.results.record import Record
from arena.results.records import Records
from arena.results.tally import Summary
from arena.storage.archive import read_about
from arena.storage.database import Store, Tournament
from arena.storage.keys import about_spec, path_of
from arena.storage.tournament_lock import sole_player
from arena.streams import seed_in_json
from arena.workers.pools import Pool, Workers

if TYPE_CHECKING:
    from arena.results.exact import ExactResults


def begin(
    store: Store, settings: Settings, plan: Plan, registry: Registry, evaluation: ExactResults | None = None
) -> int:
    """Enter a tournament into the database, with its results if it was evaluated, and return its number."""
    entries, stated = as_entered(plan.entries), as_stated(settings)
    digest = rules_digest(plan.game.make())
    distributions = versions(plan.game, plan.entries, registry)
    facts = (plan.game.text, stated, entries, distributions, digest)
    codes = {spec.text: code_of(spec) for spec in plan.entries}
    code = code_of(plan.game)
    learned = {spec.text: found for spec in plan.entries if (found := learned_in(spec, plan.game))}
    if evaluation is None:
        return store.add_tournament(*facts, plan.most, code, codes, learned=learned)
    names = [spec.text for spec in plan.entries]
    exact = {(names[a], names[b]): found for (a, b), found in evaluation.pairings.items()}
    perfect = dict(zip(names, evaluation.against_perfect, strict=True))
    return store.add_tournament(*facts, 0, code, codes, exact, perfect, learned)


def as_entered(specs: Sequence[Spec]) -> list[tuple[str, str, dict[str, object]]]:
    """Name, agent and options of entries."""
    return [(spec.text, name_in(spec.text), dict(spec.values)) for spec in specs]


def as_stated(settings: Settings) -> dict[str, object]:
    """Settings as they are recorded."""
    stated = {key: value for key, value in msgspec.to_builtins(settings).items() if value is not None}
    return stated | {"seed": seed_in_json(stated["seed"])}


def with_added(
    store: Store, number: int, added: Sequence[str], names: Mapping[str, str], registry: Registry
) -> tuple[Settings, Plan]:
    """A tournament's settings and plan with others, whose matches follow those that were planned.

    names: short ones, by text. ArenaError if it cannot go on here, or its format decides by results who
    plays.
    """
    _, begun = reopen(store, number, registry)
    found = store.tournament(number)
    if shard := found.settings.get("shard"):
        raise ArenaError(
            f"tournament {number} is shard {shard}, to which nobody can be added; merge all shards first"
        )
    if begun.format or found.format == "match":
        what = "a match between two" if found.format == "match" else f"of the format {found.format}"
        raise ArenaError(
            f"tournament {number} is {what}, to which nobody can be added; begin a new one with all of them"
        )
    files = [spec for spec in (registry.spec("agent", text) for text in added) if files_in(spec)]
    said = dict(found.settings)
    said["added"] = [*said.get("added", ()), len(begun.entries)]
    said["entries"] = [*said["entries"], *added]
    said["names"] = {**(said.get("names") or {}), **names} or None
    if not isinstance(said["isolate"], bool | str) or (files and said["isolate"] is False):
        said["isolate"] = [*(said["isolate"] or ()), *(spec.text for spec in files)]
    return complete(settings_of(said), registry)


def add_entries(store: Store, number: int, settings: Settings, plan: Plan, registry: Registry) -> None:
    """Enter into a tournament whom a plan with others adds to it; it goes on then.

    ArenaError if somebody else was added since it was planned.
    """
    begun = (settings.added or [0])[-1]
    fresh = plan.entries[begun:]
    facts = {spec.text: code_of(spec) for spec in fresh}
    learned = {spec.text: known for spec in fresh if (known := learned_in(spec, plan.game))}
    with sole_player(store.path, number):
        if store.tournament(number).settings["entries"] != [*(settings.entries or ())][:begun]:
            raise ArenaError(
                f"tournament {number} was joined by somebody else meanwhile; add {fresh[0].text!r} again"
            )
        store.add_to_tournament(
            number,
            plan.game.text,
            as_stated(settings),
            as_entered(fresh),
            versions(plan.game, plan.entries, registry),
            plan.most,
            facts,
            learned,
        )


def learned_in(entry: Spec, game: Spec) -> list[Learned]:
    """What learners within an entry have learned, of those whose models are finished."""
    found = []
    for part in {part.text: part for part in entry.walk()}.values():
        if isinstance(part.cls, type) and issubclass(part.cls, Learner):
            with suppress(ArenaError):
                about = read_about(path_of(about_spec(part, game.make())))
                if about.finished:
                    found.append(Learned(part.text, about.key, about.episodes, about.seconds))
    return found


def reopen(store: Store, number: int | None, registry: Registry) -> tuple[int, Plan]:
    """A tournament's number and plan, as it was begun; the last unfinished one if no number is given.

    ArenaError if it cannot go on here: it has no matches, or was begun with other rules, code or versions.
    """
    found = store.unfinished() if number is None else store.tournament(number)
    if found.exact:
        raise ArenaError(
            f"tournament {found.id} was evaluated exactly and has no matches to play; begin a new one"
        )
    said = {"withdraw_after": 0, **found.settings}  # nobody was, before that could be said
    _, plan = complete(settings_of(said), registry)
    if plan.most != found.planned and not (plan.format and found.finished):
        raise ArenaError(
            f"tournament {found.id} of {store.path} was altered: {found.planned:,} matches are planned, "
            f"and its settings make {plan.most:,}; take a copy of it from before"
        )
    if not same_rules(plan.game, found):
        raise ArenaError(
            f"tournament {found.id} was begun under other rules of {found.game}; "
            "install that version again, or begin a new tournament"
        )
    for spec in plan.entries:
        begun_with, here = found.codes.get(spec.text, UNKNOWN_CODE), code_of(spec)
        if begun_with not in (UNKNOWN_CODE, here):
            raise ArenaError(
                f"tournament {found.id} was begun with other code of {spec.text!r}, {begun_with}, and this "
                f"is {here}; take that back, or begin a new tournament"
            )
    now = versions(plan.game, plan.entries, registry)
    for name in sorted(set(now) - {"python"}):
        if name not in found.versions:
            raise ArenaError(
                f"tournament {found.id} was begun without {name}, which now offers some of what plays in it; "
                "install again what it was begun with, or begin a new tournament"
            )
        if found.versions[name] != now[name]:
            raise ArenaError(
                f"tournament {found.id} was begun with {name} {found.versions[name]}, and this is "
                f"{now[name]}; install that version again, or begin a new tournament"
            )
    return found.id, plan


def same_rules(game: Spec, begun: Tournament) -> bool:
    """Whether a game is what a tournament was begun with: by its code, or else by its own modules."""
    if begun.code == UNKNOWN_CODE:
        return rules_digest(game.make()) == begun.rules
    return code_of(game) == begun.code


def run(
    store: Store,
    number: int,
    contest: Contest,
    workers: Workers,
    on_records: Callable[[Sequence[Record]], object] = len,
) -> Iterator[tuple[int, int]]:
    """Play what is left of a tournament and record it; gives (played, planned) as it goes on.

    on_records: called with each block of records once it is written.
    """
    with sole_player(store.path, number) as right:
        recorder = Recorder(store, number, contest)
        yield recorder.played, recorder.planned
        for _ in recorder.take_up():
            yield recorder.played, recorder.planned
        with ExitStack() as resources:
            pool: Pool | None = None
            while recorder.go_on() and not workers.stop.is_set():
                pool = pool or resources.enter_context(workers.opened())
                left, withdrawals = recorder.unplayed, recorder.withdrawals
                with closing(play(contest.plan, left, pool, Records, withdrawals)) as blocks:
                    for records in blocks:
                        written = recorder.add(records)
                        right.keep(store.path)
                        on_records(written)
                        yield recorder.played, recorder.planned


def play_unrecorded(plan: Plan, workers: Workers) -> Iterator[Summary]:
    """Play a plan and record nothing; gives what it comes to, block by block.

    Entries are withdrawn as the plan says where it is a match between two.
    """
    if len(plan.entries) != 2 or not plan.withdraw_after:
        with workers.opened() as pool:
            yield from play(plan, [range(plan.matches)], pool, Summary)
        return
    withdrawals = Withdrawals(Contest(plan))
    match = UnrecordedMatch(withdrawals)
    with workers.opened() as pool:
        left = [range(plan.matches)]
        while left:
            again: list[range] = []
            for block in play(plan, left, pool, Summary, withdrawals):
                certain, more = match.take(block)
                again += more
                yield from certain
            left = [] if workers.stop.is_set() else again
    yield from match.rest()


def play_contest(contest: Contest, workers: Workers) -> Iterator[Sequence[Record]]:
    """Play a contest to its end, and record nothing; gives the records block by block."""
    with workers.opened() as pool:
        while contest.go_on() and not workers.stop.is_set():
            for records in play(contest.plan, contest.left(), pool, Records):
                contest.add(records)
                yield records

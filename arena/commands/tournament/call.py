"""The function `arena.tournament`, and `arena.resume`, which continues a tournament that was stopped."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from msgspec import structs

from arena.calls.arguments import (
    ConditionKeywords,
    Conditions,
    Entries,
    GameEntry,
    conditions_of,
    isolated_texts,
    known_with,
    listed,
    own_classes,
    parted,
    text_of,
    with_paths,
)
from arena.calls.costs import costs_of, with_costs
from arena.calls.equal_time import in_equal_time
from arena.calls.execution import (
    Execution,
    ExecutorEntry,
    check_trained,
    looked_at,
    remedy,
    train_entries,
    train_first,
)
from arena.calls.results import Tournament, left_out_lines
from arena.commands.tournament.standings import Below
from arena.errors import ArenaError
from arena.ledger.ledger import Ledger
from arena.matches.event import add_entries, begin, reopen, run_recorded, with_added
from arena.plan.completion import complete
from arena.plan.openings import beside, in_text
from arena.plan.plan import Plan
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.pool import pool_of
from arena.registry.file_offers import FileOffer, all_at
from arena.registry.files import from_folder
from arena.registry.plugins import OWN_CODE, Registry, registry
from arena.results.settings import (
    Settings,
    check_range,
    names_by_text,
    own_number,
    read_file,
    settings_of,
    split_name,
)
from arena.rng import SHORT, seed_text
from arena.show.display import at_terminal
from arena.storage import database
from arena.storage.database import DATABASE, Store
from arena.storage.fits import Fit, keep
from arena.texts import argument, call, either, in_python, on_one_line
from arena.workers.pools import ending_at_once


def warn_of_short_seed(given: object, plan: Plan, how: Execution) -> None:
    """Print a warning if the user passed a seed of under 64 bits and sandboxed entries play.

    Args:
        given: The seed that the user passed, if any.
        plan: The plan.
        how: How the work is executed; nothing is printed without a progress bar.
    """
    if given is not None and plan.isolated and plan.seed < 1 << SHORT and how.progress:
        seed = seed_text(plan.seed)
        print(
            f"Warning: seed {seed} is short enough to guess, which would reveal all random numbers; "
            f"leave {argument('seed')} out, or use a secret 0x and 32 digits",
            file=sys.stderr,
        )


PATIENCE = 120.0  # time limit for training learners that the user did not name


def tournament(
    entries: Entries | None = None,
    *,
    agents: Sequence[str | Path] | None = None,
    file: str | Path | None = None,
    game: GameEntry = None,
    format: str | None = None,
    until: float | Literal["decided"] | None = None,
    indifference: float | None = None,
    rounds: int | None = None,
    seed: int | str | None = None,
    streams: int | None = None,
    shard: str | None = None,
    conditions: Conditions | None = None,
    exact: bool | None = None,
    keep_going: bool = False,
    html: str | Path | None = None,
    db: str | Path = DATABASE,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
    **keywords: Unpack[ConditionKeywords],
) -> Tournament:
    """Play a tournament, record it in a database, and rate it.

    If it is interrupted, `arena.resume` continues it.

    >>> import arena
    >>> found = arena.tournament(["random", "minimax"], game="tic-tac-toe", rounds=10, seed=1)
    >>> found.played, [row.entry for row in found.leaderboard.rows]
    (20, ['minimax', 'random'])

    Args:
        entries: Entries as in `arena.match`, or a dictionary of them by short names. Default: all installed
            agents that can play the game.
        agents: Files or folders whose agents are all entered too. Agents that cannot be entered are left
            out with a remark.
        file: Path of a tournament file in TOML; arguments override it.
        game: The game, as in `arena.match`. Default: the first installed.
        format: Format that chooses the pairings, see `arena.formats`. Default: "round-robin".
        until: Instead of a format: choose matches adaptively until all ratings are known to within this
            number of Elo points, or until the ranking is "decided".
        indifference: Elo difference below which "decided" need not rank two entries. Default: 25.
        rounds: Number of matches of each pairing from each seat. Default: 50.
        seed: Seed of all random numbers. Default: a new seed.
        streams: Version of the scheme that derives random numbers, as in `arena.match`.
        shard: "3/8": play the third of eight parts, which `arena.merge` combines. Requires a seed.
        conditions: Conditions of the matches, such as openings and limits.
        exact: Compute the expected results instead of playing.
        keep_going: Leave out entries that cannot play the game, and let entries that fail when created or
            trained forfeit, instead of raising an error.
        html: Path of a web page to write, updated while the tournament is played.
        db: Path of the database.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.
        **keywords: Conditions one by one, such as `clock="60+0.6"`.

    Returns:
        The results and the leaderboard.

    Raises:
        ArenaError: If an entry cannot play, or an argument is invalid.
    """
    given: dict[str, object] = {
        "game": game,
        "entries": entries,
        "format": format,
        "rounds": rounds,
        "seed": seed,
        "streams": streams,
        "shard": shard,
        "exact": exact,
        **vars(conditions_of("tournament", conditions, keywords)),
    }
    given["openings"] = in_text(given["openings"])
    said = said_in(Path(file)) if file else {}
    said |= {name: value for name, value in given.items() if value is not None}
    if until is not None or indifference is not None:
        said["format"] = format_until(format, until, indifference)
    if shard is not None and said.get("seed") is None:
        seeded = either("--seed N", "seed=N")
        raise ArenaError(f"shard requires a seed, the same on all machines; add {seeded}")
    said["entries"], folders = without_folders(said.get("entries"))
    agents = [*listed("agents", agents or ()), *folders]
    opened, left_out = all_at([str(path) for path in agents]) if agents else ([], {})
    known, named = in_texts(said, opened if agents else None)
    asked = structs.replace(settings_of(said), left_out=left_out)  # named in the error if too few are left
    settings, plan = complete(asked, known, trusting=True)
    settings = structs.replace(settings, left_out={**(settings.left_out or {}), **left_out} or None)
    how = Execution.of(known, workers, executor, progress, stop)
    warn_of_short_seed(said.get("seed"), plan, how)
    # entries from files come last
    must_play = range(len(plan.entries) - len(opened) if named and not keep_going else 0)
    with (
        closing(Store(db, write=True)) as store,  # opened first, so that errors are raised before training
        looked_at(plan, known, how, must_play) as (ready, unable),
    ):
        chosen = said["entries"] is not None
        why = {plan.entries[i].text: reason for i, reason in sorted(unable.items())}
        settings, plan = without(why, settings, plan, known)
        tell_left_out(how, settings.left_out)
        if settings.exact:
            return evaluate(store, settings, plan, known, how, html)
        if opened:
            why = slow_learners(plan, known, how, {offer.name for offer in opened})
            settings, plan = without(why, settings, plan, known)
            tell_left_out(how, why)
        if chosen:
            train_entries(plan, known, how, remedy=remedy(must_play))
        else:
            why = slow_learners(plan, known, how)
            settings, plan = without(why, settings, plan, known)
            tell_left_out(how, why)
        check_trained(plan, must_play, ready)
        notes: list[str] = []
        if (seconds := settings.equal_time) is not None:
            settings, plan, notes = in_equal_time(settings, plan, known, how, seconds)
        return play(store, begin(store, settings, plan, known), plan, known, ready.how, html, notes)


def without_folders(entries: object) -> tuple[object, list[str]]:
    """Return the entries that are not folders, or None if all are folders; and the folders."""
    if not isinstance(entries, list | tuple):
        return entries, []
    folders = [one for one in entries if isinstance(one, str) and "/" in one and os.path.isdir(one)]
    return [one for one in entries if one not in folders] if len(entries) > len(folders) else None, folders


def in_texts(said: dict[str, Any], opened: Sequence[FileOffer] | None) -> tuple[Registry, list[str]]:
    """Replace the game and the entries in settings with their texts, and add the agents of files.

    Args:
        said: The settings, which are changed in place.
        opened: Agents of files; None if no files were given.

    Returns:
        A registry that includes the agents of files, and the texts of the entries that the caller passed,
            without the agents of files.

    Raises:
        ArenaError: If `game` is not a game, or an entry is not an agent.
    """
    chosen = said.get("entries") is not None
    said["entries"], short = parted(said["entries"]) if chosen else ([], [])
    known = named_in(said).including([], opened or [])
    if said.get("game") is not None:
        said["game"] = text_of(said["game"], "game", known)
    said["isolate"] = isolated_texts(said.get("isolate"), known)
    named = [text_of(entry, "agent", known) for entry in said["entries"]]
    said["names"] = names_by_text(zip(short, named, strict=True)) if named else None
    said["entries"] = None
    if chosen or opened is not None:
        said["entries"] = [*named, *(offer.name for offer in opened or ())]
    return known, named


def evaluate(
    store: Store, settings: Settings, plan: Plan, known: Registry, how: Execution, html: str | Path | None
) -> Tournament:
    """Compute the expected results of a tournament and record them.

    Args:
        html: Path of a page to write, if any.
    """
    if settings.equal_time is not None:
        raise ArenaError("equal_time needs matches, but exact plays none; leave out one of them")
    from arena.commands.exact.call import evaluated  # imported only if needed, to save time

    number = begin(store, settings, plan, known, evaluated(plan, known, how))
    if html:
        from arena.commands.page.content import TournamentPage

        TournamentPage(html, store, number, known).write()
    return rated_and_kept(store, number)


def format_until(format: str | None, until: object, indifference: float | None) -> str:
    """Return the format for `until`, or raise ArenaError."""
    if format is not None:
        raise ArenaError(f"until determines the format; leave out format {format!r}, or until")
    if until == "decided":
        return "decided" if indifference is None else f"decided:indifference={float(indifference)!r}"
    if indifference is not None:
        raise ArenaError("indifference requires until='decided'")
    until = own_number(until)
    if isinstance(until, bool) or not isinstance(until, int | float):
        raise ArenaError(f"until is {until!r}; use a number of Elo points, or 'decided'")
    check_range("until", until, 1, 1000)
    return f"precise:points={float(until)!r}"


def slow_learners(
    plan: Plan, known: Registry, how: Execution, among: Set[str] | None = None
) -> dict[str, str]:
    """Train learners with a time limit, and return reasons why entries cannot play, by entry.

    A learner is left out if its training would exceed `PATIENCE` seconds, or if it reports that it cannot
    learn.

    Args:
        plan: The plan.
        known: The registry of plugins.
        how: How to execute the work.
        among: Texts of the entries to train. Default: all.
    """
    if among is None:
        slow = train_entries(plan, known, how, PATIENCE)
    else:
        entries = [spec for spec in plan.entries if spec.text in among]
        stall = plan.limits.stall_seconds
        slow = train_first(entries, plan.game, known, how, stall, patience=PATIENCE)
    return {
        spec.text: f"{slow[part.text]}; train it first: {call('train', spec.text, game=plan.game.text)}"
        for spec in plan.entries
        for part in spec.walk()
        if part.text in slow
    }


def without(
    left_out: Mapping[str, str], settings: Settings, plan: Plan, known: Registry
) -> tuple[Settings, Plan]:
    """Return the settings and the plan without some entries; the reasons are added to the settings.

    Raises:
        ArenaError: If fewer than two entries are left.
    """
    if not left_out:
        return settings, plan
    entries = [spec.text for spec in plan.entries if spec.text not in left_out]
    if len(entries) < 2:
        raise ArenaError(f"fewer than two entries can play: {'; '.join(left_out_lines(left_out))}")
    isolate, names = settings.isolate, settings.names
    if isinstance(isolate, list):
        isolate = [text for text in isolate if text not in left_out]
    if names:
        names = {text: name for text, name in names.items() if text not in left_out}
    left_out = {**(settings.left_out or {}), **left_out}
    return complete(
        structs.replace(settings, left_out=left_out, entries=entries, isolate=isolate, names=names), known
    )


def tell_left_out(how: Execution, left_out: Mapping[str, str] | None) -> None:
    """Print a warning for entries that are left out, if progress is shown."""
    for line in left_out_lines(left_out) if how.progress else ():
        print(on_one_line(f"Warning: {line}"), file=sys.stderr)


def said_in(file: Path) -> dict[str, object]:
    """Return the settings in a tournament file; paths are relative to its folder if they exist there."""
    if not file.exists():
        as_entry = either(f"--entry {file}", f"entries=[{in_python(str(file))}]")
        as_game = argument("game", str(file))
        for kind, named, write in (("game", "a game", as_game), ("agent", "an agent", as_entry)):
            if str(file).partition(":")[0] in registry().offers[kind]:
                raise ArenaError(f"{file} is {named}, not a file; write {write}")
    said = read_file(str(file))
    for name in ("entries", "isolate"):
        if isinstance(said.get(name), list):
            said[name] = [looked_for(text, file.parent) for text in said[name]]
    if "game" in said:
        said["game"] = from_folder(said["game"], file.parent)
    if "openings" in said:
        said["openings"] = beside(said["openings"], file.parent)
    return said


def looked_for(entry: str, folder: Path) -> str:
    """Return an entry with paths of files replaced by paths in `folder`, if the files exist there."""
    name, text = split_name(entry)
    return f"{name}={from_folder(text, folder)}" if name else from_folder(text, folder)


def named_in(said: Mapping[str, Any], named: bool = True) -> Registry:
    """Return the registry with the classes and files named in settings added.

    Args:
        said: The settings.
        named: Whether the user named the files, rather than a database.
    """
    entries = list(said.get("entries") or ())
    if isinstance(isolate := said.get("isolate"), Sequence) and not isinstance(isolate, str):
        entries += isolate
    return known_with(entries, said.get("game"), named)


def resume(
    number: int | None = None,
    *,
    add: Entries | None = None,
    own: Sequence[object] = (),
    html: str | Path | None = None,
    db: str | Path = DATABASE,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Tournament:
    """Continue a tournament that was stopped.

    Files of agents must be at their recorded paths. Added entries play as many rounds as the other entries,
    whose matches are not repeated.

    Args:
        number: Number of the tournament. Default: the last one that was stopped; with `add`, the last one.
        add: Entries to add to the tournament, which may be finished.
        own: Your own classes that took part, and the class of the game.
        html: Path of a web page to write.
        db: Path of the database.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The tournament.

    Raises:
        ArenaError: If there is no such tournament.
    """
    with closing(Store(db)) as store:  # raises if it does not exist
        if number is not None:
            begun = store.tournament(number)
            number = begun.id
        else:
            begun = store.unfinished() if add is None else store.last()
    added, short = parted(add) if add is not None else ([], [])
    known = known_again(begun, own, added)
    how = Execution.of(known, workers, executor, progress, stop)
    with closing(Store(db, write=True)) as store:
        named = range(0)
        if add is None:
            number, plan = reopen(store, number, known)
        else:
            texts = [known.spec("agent", text_of(entry, "agent", known)).text for entry in added]
            number = begun.id
            names = names_by_text(zip(short, texts, strict=True)) or {}
            settings, plan = with_added(store, number, texts, names, known)
            named = range((settings.added or [0])[-1], len(plan.entries))
        with looked_at(plan, known, how, named, named) as (ready, _):
            train_entries(plan, known, how)
            notes: list[str] = []
            if add is not None:
                if (seconds := settings.equal_time) is not None:
                    settings, plan, notes = in_equal_time(settings, plan, known, how, seconds, named.start)
                add_entries(store, number, settings, plan, known)
            return play(store, number, plan, known, ready.how, html, notes)


def known_again(begun: database.Tournament, own: Sequence[object], added: Sequence[object] = ()) -> Registry:
    """Return a registry with a recorded tournament's files, the caller's classes and added entries.

    Raises:
        ArenaError: If classes of the caller that played in the tournament are missing in `own`.
    """
    known = known_with(*with_paths(begun.settings), named=False)
    known = known_with(added, besides=known).including(own_classes(own))
    offered = {name for offers in known.offers.values() for name in offers}
    names = [name.removesuffix(OWN_CODE) for name in begun.versions if name.endswith(OWN_CODE)]
    if lost := [name for name in names if name not in offered and ".py" not in name]:
        remedy = either(f"go on in Python, arena.resume({begun.id}, own=[...])", "pass them, own=[...]")
        raise ArenaError(
            f"tournament {begun.id} used classes of its caller that are missing: {', '.join(lost)}; {remedy}"
        )
    return known


def play(
    store: Store,
    number: int,
    plan: Plan,
    known: Registry,
    how: Execution,
    html: str | Path | None = None,
    notes: Sequence[str] = (),
) -> Tournament:
    """Play the remaining matches of a tournament.

    Args:
        store: The database.
        number: Number of the tournament.
        plan: The plan.
        known: The registry of plugins.
        how: How to execute the work.
        html: Path of a page to write, if any.
        notes: Remarks to add to the result.
    """
    if html:
        from arena.commands.page.content import TournamentPage

        page = TournamentPage(html, store, number, known)
        page.update()
    ledger = Ledger(plan)
    try:
        with how.showing(f"Tournament {number}", "matches") as tell:
            below = Below(store, number) if how.progress and at_terminal() else None
            for played, planned in run_recorded(store, number, ledger, how):
                tell(played, planned, ledger.stages.progress())
                if below:
                    below.look()
                if html:
                    page.update()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            error.add_note(
                f"Played matches are kept; continue with arena.resume({number}, db={store.path!r})"
            )
        if html:
            with suppress(ArenaError):
                page.write(playable=False)  # written again, as a page that does not reload itself
        raise
    kept = (
        f"Stopped before the table was complete; played matches are kept, and {call('leaderboard')} shows it."
    )
    with how.busy(f"Rating {len(plan.entries)} entries"), ending_at_once(how.stop, kept):
        if html:
            page.write(playable=not how.stop.is_set())
        return rated_and_kept(store, number, [*notes, *(ledger.stages.notes() if ledger.stages.over else ())])


def rated(store: Store, number: int, notes: Sequence[str] = ()) -> Tournament:
    """Return a recorded tournament with its leaderboard. notes: remarks to add."""
    found = store.tournament(number)
    made = Tournament.of(store, found, leaderboard(store, found.game, [found], MaximumLikelihood()), notes)
    if not found.settings.equal_time:
        return made
    costs = costs_of(store, pool_of(store, [found], "latest"))
    return replace(made, leaderboard=with_costs(made.leaderboard, costs))


def rated_and_kept(store: Store, number: int, notes: Sequence[str] = ()) -> Tournament:
    """Return a recorded tournament with its leaderboard, and store the leaderboard in the database."""
    found = store.tournament(number)
    made = rated(store, number, notes)
    keep(store, [Fit.of(made.leaderboard, [found], alone=True)])
    return made

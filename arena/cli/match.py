"""`arena match`: two entries."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.common import AGENT, db_option, json_option, play_options


@click.command()
@click.argument("first", type=AGENT)
@click.argument("second", type=AGENT)
@click.option("--matches", type=int, default=100, show_default=True, help="How many, seats alternated.")
@click.option("--record", is_flag=True, help="Keep the matches in the database.")
@play_options
@db_option
@json_option
def match(
    first: str,
    second: str,
    workers: int | None,
    executor: str,
    record: bool,
    db: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Play FIRST against SECOND, seats alternated, and show how it went from each seat.

    Nothing is recorded unless asked for. With --exact nothing is played either: where a game is small
    and both say with which chances they move, the chances of each result follow, free of sampling error.

    \b
    Examples:
      arena match random minimax
      arena match random minimax --exact
      arena match random minimax:ties=first --matches 1000 --seed 1 --json
    """
    from arena.cli.common import executor_for

    context = click.get_current_context()
    if given["exact"] and context.get_parameter_source("matches") is not click.core.ParameterSource.DEFAULT:
        raise click.UsageError("--exact plays no matches; leave --matches out", context)
    chosen = {name: value for name, value in given.items() if value is not None}
    pool = executor_for(executor)

    import msgspec

    from arena.cli.common import pairing_row, print_json, print_pairings, tell_forfeits
    from arena.cli.learning import learn
    from arena.cli.progress import progress, stopping
    from arena.matches.block import gathered
    from arena.matches.settings import Settings, complete
    from arena.matches.tournament import begin, rehearse, run
    from arena.registry.plugins import registry
    from arena.results.tally import Counts, Summary, Tally
    from arena.storage.database import Store
    from arena.workers.pools import default_workers

    settings = Settings(entries=[first, second], format="match")
    settings, plan = complete(msgspec.structs.replace(settings, **chosen), registry())
    store = Store(db, write=True) if record else None
    if settings.exact:
        evaluate(settings, plan, pool, workers, store, as_json)
        return
    learn(plan.entries, plan.game, pool, workers)
    workers = workers or default_workers()
    tally = Tally()
    forfeits: list[tuple[str, int, str, str]] = []

    def see(played: Summary) -> None:
        tally.add_summary(played)
        forfeits.extend(
            (plan.entries[r.first if r.result < 0 else r.second].text, r.number, r.reason, r.detail or "")
            for r in played.forfeits
        )

    number = None
    played = 0
    with stopping() as stop, progress(f"{plan.entries[0].text} v {plan.entries[1].text}", "matches") as tell:
        if store:
            number = begin(store, settings, plan, registry())
            for played, planned in run(
                store, number, plan, pool, workers, stop, lambda records: see(gathered(records, Summary))
            ):
                tell(played, planned)
            store.close()
        else:
            tell(0, plan.matches)
            for block in rehearse(plan, pool, workers, stop):
                see(block)
                played += block.matches
                tell(played, plan.matches)
    kinds: dict[tuple[int, int], dict[str, Counts]] = {seats: {} for seats in plan.pairings}
    for (seat0, seat1, kind), counts in tally.counts.items():
        kinds[seat0, seat1][kind] = counts
    pairings = [
        pairing_row(plan.entries[seat0].text, plan.entries[seat1].text, found)
        for (seat0, seat1), found in kinds.items()
    ]
    if as_json:
        shown = {"game": plan.game.text, "seed": plan.seed, "matches": played, "pairings": pairings}
        print_json(shown if number is None else {**shown, "tournament": number})
    else:
        where = "" if number is None else f", tournament {number} in {db}"
        click.echo(f"{plan.game.text}, {played:,} matches, seed {plan.seed}{where}")
        print_pairings(pairings)
        if any(row["copies"] for row in pairings):
            click.echo("Copies repeat others move for move; --openings random:N makes them differ.")
    tell_forfeits(sorted(forfeits, key=lambda forfeit: forfeit[1]))
    if played < plan.matches:
        click.echo(f"Stopped after {played:,} of {plan.matches:,} matches.", err=True)
        click.get_current_context().exit(130)


def evaluate(settings: Any, plan: Any, pool: Any, workers: int | None, store: Any, as_json: bool) -> None:
    """Show how the matches go exactly."""
    from arena.cli.common import exact_row, print_json, print_pairings
    from arena.cli.evaluating import evaluated, named, tell_faults
    from arena.matches.tournament import begin
    from arena.registry.plugins import registry

    found = evaluated(plan, pool, workers)
    names = [entry.text for entry in plan.entries]
    pairings = [exact_row(names[a], names[b], expected) for (a, b), expected in found.pairings.items()]
    perfect = named(plan, found.against_perfect)
    number = begin(store, settings, plan, registry(), found) if store else None
    if store:
        store.close()
    if as_json:
        facts = {"game": plan.game.text, "exact": True, "max_plies": plan.limits.plies, "pairings": pairings}
        fared = [{"entry": name, **own._asdict()} for name, own in perfect.items()]
        print_json({**facts, "against_perfect": fared, **({} if number is None else {"tournament": number})})
    else:
        where = "" if number is None else f", tournament {number} in {store.path}"
        click.echo(f"{plan.game.text}, exactly, up to {plan.limits.plies:,} plies{where}")
        print_pairings(pairings)
        for name, own in perfect.items():
            click.echo(
                f"Against perfect play {name} falls short by {own.as_first:.4f} of a match's score as first, "
                f"{own.as_second:.4f} as second."
            )
    tell_faults(perfect)

"""The sentences of a coach's report."""

from __future__ import annotations

from collections.abc import Iterator

from arena.commands.coach.result import POINT, Accuracy, Coaching, counted
from arena.texts import three_digits

NEARLY_ALL = 0.95  # minimum share of moves judged exactly from a ply on, for that ply to be reported
MANY = 20  # minimum number of mistakes to report that they have nothing in common
APART = 1.0  # smallest difference of two accuracies to report, in percentage points


def sentences_of(found: Coaching) -> list[str]:
    """Return the findings and advice in sentences, most important first."""
    parts = faults, overall, causes, worst_mistake, places, judging
    return [sentence for part in parts for sentence in part(found)]


def faults(found: Coaching) -> Iterator[str]:
    """Yield a sentence about forfeits."""
    lost = sum(found.forfeits.values())
    if lost:
        reasons = ", ".join(f"{n:,} by {reason}" for reason, n in found.forfeits.items())
        yield f"Fix its faults first: it forfeited {counted(lost, 'match', 'matches')} ({reasons})."


def overall(found: Coaching) -> Iterator[str]:
    """Yield sentences about the entry's results and its accuracy."""
    results = f"won {found.won:,}, drew {found.drawn:,} and lost {found.lost:,}"
    if found.drawn_from is None:
        yield f"It {results}."
    else:
        share = f"{three_digits(100 * found.matches / found.drawn_from)} %, seed {found.seed}"
        of = f"{found.matches:,} of its {found.drawn_from:,} matches ({share})"
        yield f"In a random sample of {of}, it {results}."
    one = found.overall
    if not found.moves:
        yield "It made no move of its own."
        return
    if one.accuracy is None:
        yield f"None of its {found.moves:,} moves could be judged by {found.judge}."
        return
    cost = "it made no mistake"
    if one.mistakes:
        cost = f"its {counted(one.mistakes, 'mistake', 'mistakes')} cost {one.given:.2f} points a match"
        cost += f", where {POINT}"
    yield (
        f"{one.accuracy:.1f} % of its judged moves were right (95 % interval {one.low:.1f} to "
        f"{one.high:.1f}); {cost}."
    )


def judging(found: Coaching) -> Iterator[str]:
    """Yield a sentence about how moves were judged."""
    if found.overall.accuracy is None:
        return
    judged = f"{100 * found.exact / found.moves:.1f} %"
    more = f" and {100 * found.estimated / found.moves:.1f} % estimated" if found.estimated else ""
    yield f"Of its moves, {judged} were judged exactly{later(found)}{more}, by {found.judge}."


def later(found: Coaching) -> str:
    """Return the ply from which nearly all moves are judged exactly, as text; empty if it is the first."""
    if found.exact == found.moves:
        return ""
    for ply in range(2, len(found.by_ply) + 1):
        if (share := found.exact_from(ply) or 0) >= NEARLY_ALL:
            return f", {100 * share:.1f} % from ply {ply} on"
    return ""


def causes(found: Coaching) -> Iterator[str]:
    """Yield sentences about the kinds of positions in which it errs, and about missed wins and threats."""
    for number, one in enumerate(found.kinds):
        than = (
            f"{100 * one.rate:.0f} % of its moves there are mistakes, {100 * one.elsewhere:.1f} % elsewhere"
        )
        if number == 0:
            yield f"It errs most when {one.kind}: {than}, leaving out positions that were lost already."
        else:
            yield f"In the remaining positions, it errs more when {one.kind}: {than}."
    if found.overall.mistakes >= MANY and not found.kinds:
        yield "No kind of position stands out: its mistakes are spread over all of them."
    chances = found.chances
    if chances.missed:
        yield f"It missed {chances.missed:,} of {chances.wins:,} chances to win at once."
    if chances.unstopped:
        yield f"It let {chances.unstopped:,} of {chances.threats:,} threats to win at once stand."


def worst_mistake(found: Coaching) -> Iterator[str]:
    """Yield a sentence about the costliest mistake."""
    if not found.mistakes:
        return
    one = found.mistakes[0]
    instead = f" instead of {one.right[0]}" if one.right else ""
    times = f"{one.times:,} times" if one.times > 1 else "once"
    cost = f"{one.cost:,.3g} {'point' if one.cost == 1 else 'points'}"
    yield (
        f"Its costliest mistake is {one.played}{instead} at ply {one.ply} of match {one.match} of tournament "
        f"{one.tournament}, {one.change}, made {times} at a cost of {cost}."
    )
    if found.repeated:
        again = sum(one.times for one in found.repeated)
        places = counted(len(found.repeated), "position", "positions")
        yield f"It made the same mistake more than once in {places}, {again:,} mistakes in all."


def places(found: Coaching) -> Iterator[str]:
    """Yield sentences on phases, seats, opponents, openings, the shortest loss and a learner's knowledge."""
    for by, what in (("phase", "in the {}"), ("seat", "as {} player")):
        rows = [one for one in found.accuracy if one.by == by and one.accuracy is not None]
        if len(rows) > 1 and apart(worst := min(rows, key=percent), best := max(rows, key=percent)):
            yield (
                f"It is weakest {what.format(worst.of)}, {percent(worst):.1f} % right, and strongest "
                f"{what.format(best.of)}, {percent(best):.1f} %."
            )
    for hard in found.opponents[:1]:
        yield (
            f"Compared with its rating, it does worst against {hard.opponent}: it scores "
            f"{100 * hard.score:.1f} % in {hard.matches:,} matches (95 % interval {100 * hard.low:.1f} to "
            f"{100 * hard.high:.1f}), where its rating predicts {100 * hard.expected:.1f} %."
        )
    for one in found.openings[:1]:
        yield (
            f"As {one.seat} player after {one.opening} it scores {100 * one.score:.0f} %, where its rating "
            f"predicts {100 * one.expected:.0f} %."
        )
    if found.shortest:
        short = found.shortest
        yield (
            f"Its shortest loss took {counted(short.plies, 'ply', 'plies')}, against {short.opponent} in "
            f"match {short.match} of tournament {short.tournament}."
        )
    if found.known is not None:
        yield f"It knew {100 * found.known:.1f} % of the positions that it moved in from training."


def percent(one: Accuracy) -> float:
    """Return an accuracy as a percentage."""
    return one.accuracy or 0.0


def apart(worst: Accuracy, best: Accuracy) -> bool:
    """Return whether two accuracies have disjoint intervals and differ by a relevant amount."""
    low, high = best.low or 0.0, worst.high or 0.0
    return high < low and percent(best) - percent(worst) >= APART

"""The function `arena.coach`, which finds an entry's mistakes in its recorded matches."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from statistics import median

from arena.analysis.better_moves import Better, Question, better_move
from arena.analysis.blunders import Judging, judging_of
from arena.analysis.decisions import Deciding, Decision
from arena.analysis.mistake_kinds import kinds_of
from arena.analysis.solvers import class_of_solver
from arena.api.game import Game
from arena.api.plugin_guard import quiet
from arena.api.reasons import FORFEITS
from arena.api.spec import Spec
from arena.calls.arguments import Entry, GameEntry, agent_spec, game_text, known_with, text_of
from arena.calls.execution import Execution, ExecutorEntry
from arena.calls.recorded_files import known_of
from arena.commands.coach.accuracies import accuracies, chances
from arena.commands.coach.asking import Estimate, estimates, known_share, with_estimates
from arena.commands.coach.matches import SAMPLE, Matches, Played, matches_of
from arena.commands.coach.openings import weak_openings
from arena.commands.coach.opponents import hard_opponents
from arena.commands.coach.result import Coaching, Mistake, MistakeKind, QuickLoss
from arena.commands.coach.sentences import sentences_of
from arena.commands.replay.explain.call import check_tells
from arena.errors import ArenaError, Stopped
from arena.faults.rule_check import died_of
from arena.plan.entries import make_game
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.registry.digests import code_of
from arena.registry.plugins import Registry
from arena.results.record import UNKNOWN_CODE
from arena.results.settings import SEEDS, STALL_SECONDS, check_range, whole_number
from arena.show.presentation import Marked
from arena.storage.database import DATABASE, Store, Tournament
from arena.texts import argument
from arena.workers.loop import asked_of, work_off
from arena.workers.pools import Pool, ending_at_once
from arena.workers.worker import WorkerDied

OTHER_RULES = (
    "the matches were played under rules of {} that differ from the installed ones; play new matches"
)
STOPPED = "Stopped before all moves were judged."
FEWEST_NODES, MOST_NODES, ALL_NODES = 5_000, 100_000, 150_000_000
ENOUGH = 0.5  # minimum share of moves judged exactly, below which a note is added
COSTLIEST = 10  # number of mistakes shown
CLOSEST = 20  # maximum number of mistakes to compare by how quickly they lose, if they cost the same
AGAIN = 2  # minimum number of mistakes in a position that is listed as repeated


def coach(
    entry: Entry,
    *,
    game: GameEntry = None,
    tournament: int | None = None,
    match: int | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    nodes: int | None = None,
    judge: Entry | None = None,
    db: str | Path = DATABASE,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Coaching:
    """Find an entry's mistakes in its recorded matches, and what to improve.

    Moves are compared with perfect play, which is known from the solution of all positions in a small game,
    and otherwise from the game's solver or a search, and from stored endings.

    >>> import arena
    >>> _ = arena.tournament(["first", "random"], game="tic-tac-toe", rounds=50, seed=1, db="lost.db")
    >>> found = arena.coach("first", db="lost.db")
    >>> found.overall.moves, found.exact == found.moves
    (341, True)

    Args:
        entry: The entry, by its text or short name, or its class.
        game: The game. Default: the one that the entry played last.
        tournament: Number of one tournament. Default: all, as in a leaderboard.
        match: Number of one match of `tournament`, by default of the entry's last tournament.
        sample: Number of matches, about, to draw if there are more; 0 = all.
        seed: Seed by which they are drawn.
        nodes: Maximum number of positions searched to judge one position of a match, in a game too large to
            enumerate. Default: 150 million divided by the number of matches, at least 5,000 and at most
            100,000.
        judge: An entry that scores its moves, such as a deep search. It estimates moves that cannot be judged
            exactly, in the 2,000 most frequent positions.
        db: Path of the database.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The entry's accuracy, its mistakes and what they have in common.

    Raises:
        ArenaError: If the entry has no matches, or the rules of the game have changed.
        Stopped: If `stop` was set before the end.
    """
    if nodes is not None:
        check_range("nodes", nodes, 1, 10**12)
    if match is not None:
        match = whole_number("match", match)
    check_range("sample", whole_number("sample", sample), 0, 10**12)
    check_range("seed", whole_number("seed", seed), 0, SEEDS - 1)
    on = None if game is None else game_text(game, known_with(game=game))
    with closing(Store(db)) as store:
        text = entry if isinstance(entry, str) else text_of(entry, "agent", known_with([entry]))
        found = matches_of(store, text, on, tournament, match, sample, seed)
        known = known_of(found.tournaments, game)
        if judge is not None:
            known = known_with([judge], besides=known)
        by = None if judge is None else agent_spec(judge, known)
        if by:
            check_tells(by)
        how = Execution.of(known, workers, executor, progress, stop)
        with quiet():
            return coached(store, found, known, how, nodes, by)


def coached(
    store: Store, found: Matches, known: Registry, how: Execution, nodes: int | None, judge: Spec | None
) -> Coaching:
    """Judge an entry's matches, and return the result of `coach`."""
    spec = game_as_played(found.game, found.tournaments, known)
    nodes = nodes or min(max(FEWEST_NODES, ALL_NODES // len(found.played)), MOST_NODES)
    with ending_at_once(how.stop, STOPPED), how.opened() as pool:
        judging = judging_of(spec, STALL_SECONDS, nodes, pool, how.showing)
        if judging is None:
            raise Stopped(STOPPED)
        return judged_by(judging, pool, found, known, how, judge, ratings_of(store, found))


def game_as_played(game: str, tournaments: Iterable[Tournament], known: Registry) -> Spec:
    """Return the game of some tournaments, or raise ArenaError if its rules have changed."""
    spec = known.spec("game", game)
    if not {t.code for t in tournaments} <= {UNKNOWN_CODE, code_of(spec)}:
        raise ArenaError(OTHER_RULES.format(spec.text))
    return spec


def judged_by(
    judging: Judging,
    pool: Pool,
    found: Matches,
    known: Registry,
    how: Execution,
    judge: Spec | None,
    ratings: Mapping[str, float],
) -> Coaching:
    """Judge an entry's matches with prepared workers, and return the result of `coach`.

    Args:
        judging: The method by which moves are judged.
        pool: The workers that judge.
        found: The matches.
        known: The registry of plugins.
        how: How other work is executed.
        judge: An entry that estimates moves that cannot be judged exactly.
        ratings: Ratings, by entry, which predict the scores of openings and against opponents.
    """
    spec, played = judging.game, found.played
    made = make_game(spec)
    work = Deciding(judging, ((one.record, one.seat) for one in played), pool.executor)
    with how.showing(f"Judging {spec.text}", "matches") as tell:
        tell(0, len(played))
        for done in work_off(work, 2 * pool.count, pool.stop):
            tell(done, len(played))
    if how.stop.is_set():
        raise Stopped(STOPPED)
    decisions, guesses = work.decisions, dict[object, Estimate]()
    if judge and (unknown := [one for one in decisions if not one.exact]):
        guesses = estimates(judge, spec, made, unknown, played, known, how)
        decisions = with_estimates(decisions, guesses)
    costly, repeated = costliest(decisions, played), again_and_again(decisions)
    with how.busy("Looking for better moves"):
        better = answers(judging, costly, repeated, played, pool)
    costly = quickest_first(costly, better)[:COSTLIEST]
    phases = phases_of(played)
    results = Counter(one.score for one in played)
    forfeits = Counter(one.record.reason for one in played if not one.score and one.record.reason in FORFEITS)
    coaching = Coaching(
        entry=found.called(found.entry),
        game=found.game,
        matches=len(played),
        won=results[1.0],
        drawn=results[0.5],
        lost=results[0.0],
        forfeits=dict(sorted(forfeits.items())),
        moves=len(decisions),
        judge=judge_words(judging, made, known, judge),
        exact=sum(one.exact for one in decisions),
        estimated=sum(one.given is not None and not one.exact for one in decisions),
        by_ply=by_ply(decisions),
        phases=phases,
        accuracy=accuracies(decisions, [found.called(one.opponent) for one in played], phases),
        chances=chances(decisions),
        kinds=[
            MistakeKind(one.name, one.moves, one.mistakes, *one.rate, one.elsewhere, one.chance)
            for one in kinds_of(decisions, phases, made.sides)
        ],
        mistakes=[mistake_of(group, better, found, made, guesses) for group in costly],
        repeated=[mistake_of(group, better, found, made, guesses) for group in repeated],
        openings=weak_openings(played, ratings, found.entry),
        opponents=[
            replace(one, opponent=found.called(one.opponent))
            for one in hard_opponents(played, ratings, found.entry)
        ],
        shortest=shortest_loss(found),
        known=knew(found, known, made, decisions, how),
        drawn_from=found.of,
        seed=found.seed,
        notes=notes_of(decisions, judge),
    )
    return replace(coaching, sentences=sentences_of(coaching))


def phases_of(played: Sequence[Played]) -> tuple[int, int]:
    """Return the last ply of the opening and of the middlegame: thirds of the median length of a match."""
    length = median(one.record.plies for one in played)
    return max(1, round(length / 3)), max(2, round(2 * length / 3))


def by_ply(decisions: Sequence[Decision]) -> list[tuple[int, int]]:
    """Return the number of moves at each ply, starting at 1, and the number of those judged exactly."""
    moves = Counter(one.ply for one in decisions)
    exact = Counter(one.ply for one in decisions if one.exact)
    return [(moves[ply], exact[ply]) for ply in range(1, max(moves, default=0) + 1)]


def judge_words(judging: Judging, game: Game, known: Registry, judge: Spec | None) -> str:
    """Return how moves were judged, in words."""
    if judging.nodes is None:
        return "the exact solution of all positions"
    own = class_of_solver(game, known) is not None
    by = f"the solver of {str(game).partition(':')[0]}" if own else "a search for forced wins"
    endings = f" and endings of up to {judging.pieces} pieces" if judging.pieces else ""
    rest = f"; the estimates are by {judge.text}" if judge else ""
    return f"{by}, at most {judging.nodes:,} positions for each{endings}{rest}"


# --- mistakes ----------------------------------------------------------------------------------------------


class Group(list[Decision]):
    """Mistakes that are shown as one, earliest first.

    Attributes:
        reached: How often the position was reached.
    """

    reached = 0

    @property
    def cost(self) -> float:
        """The number of points that the mistakes cost in total."""
        return sum(one.given or 0 for one in self) / 2


def costliest(decisions: Sequence[Decision], played: Sequence[Played]) -> list[Group]:
    """Return the costliest mistakes; mistakes with the same move in the same position are grouped.

    More than `COSTLIEST` are returned if the last ones cost the same: up to `CLOSEST`, those after which a
    match ended soonest first.
    """
    groups: dict[object, Group] = {}
    reached = Counter(one.facts.position for one in decisions)
    for one in decisions:
        if one.given:
            groups.setdefault((one.facts.position, one.facts.move), Group()).append(one)

    def left(group: Group) -> int:
        return min(played[one.match].record.plies - one.ply for one in group)

    found = sorted(groups.values(), key=lambda group: (-group.cost, left(group)))
    least = found[COSTLIEST - 1].cost if len(found) > COSTLIEST else 0.0
    found = [group for group in found[:CLOSEST] if group.cost >= least]
    for group in found:
        group.reached = reached[group[0].facts.position]
    return found


def quickest_first(groups: Sequence[Group], better: Mapping[tuple[int, int], Better]) -> list[Group]:
    """Return mistakes by their cost; among mistakes that cost the same, the quickest loss comes first.

    Args:
        groups: The mistakes.
        better: The right moves for the first mistake of each group, by match and ply.
    """

    def order(group: Group) -> tuple[float, float]:
        plies = better[group[0].match, group[0].ply].number
        return -group.cost, math.inf if plies is None else plies

    return sorted(groups, key=order)


def again_and_again(decisions: Sequence[Decision]) -> list[Group]:
    """Return the mistakes in the positions with the most mistakes, grouped by position."""
    times = Counter(one.facts.position for one in decisions if one.given)
    reached = Counter(one.facts.position for one in decisions)
    found = []
    for position, n in times.most_common(COSTLIEST):
        if n >= AGAIN:
            here = [one for one in decisions if one.given and one.facts.position == position]
            (move, _), *_ = Counter(one.facts.move for one in here).most_common(1)
            group = Group(sorted(here, key=lambda one: one.facts.move != move))
            group.reached = reached[position]
            found.append(group)
    return found


def answers(
    judging: Judging,
    costly: Sequence[Group],
    repeated: Sequence[Group],
    played: Sequence[Played],
    pool: Pool,
) -> dict[tuple[int, int], Better]:
    """Return the right moves for the first mistake of each group, by match and ply.

    Args:
        judging: How moves are judged.
        costly: Groups of mistakes for which to find demonstrating lines of play too.
        repeated: Other groups of mistakes.
        played: The matches.
        pool: The workers.
    """
    shown = {(group[0].match, group[0].ply) for group in costly}
    places = {(group[0].match, group[0].ply): group[0].exact for group in [*costly, *repeated]}
    asked = {}
    for match, ply in places:
        record, lines = played[match].record, (match, ply) in shown
        words = record.moves.split()
        question = Question(record.start, words[: ply - 1], words[ply - 1], places[match, ply], lines)
        asked[match, ply] = asked_of(pool.executor, better_move, judging, question)
    try:
        return {place: future.result() for place, future in asked.items()}
    except WorkerDied as death:
        raise died_of(judging.game, death) from death


def mistake_of(
    group: Group,
    better: dict[tuple[int, int], Better],
    found: Matches,
    game: Game,
    guesses: dict[object, Estimate],
) -> Mistake:
    """Return the result for a group of mistakes, with the right moves."""
    first = group[0]
    one, right = found.played[first.match], better[first.match, first.ply]
    value, given = (first.value, first.given) if first.exact else (None, None)
    preferred = [] if first.exact else [guesses[first.facts.position, first.facts.move].best]
    return Mistake(
        tournament=one.tournament,
        match=one.record.number,
        ply=first.ply,
        side=game.sides[first.seat],
        opponent=found.called(one.opponent),
        position=right.position,
        board=right.board,
        played=one.record.moves.split()[first.ply - 1],
        right=right.right if first.exact else preferred,
        before=value,
        after=None if value is None or given is None else int(value - given),
        times=len(group),
        reached=group.reached,
        cost=group.cost,
        punished=right.punished,
        instead=right.instead or preferred,
        plies=right.number,
        marked=marked_of(right),
    )


def marked_of(found: Better) -> Marked | None:
    """Return the position of a mistake as the game draws it; None if the game is not drawn."""
    if not found.changed:
        return None
    played, *right = found.changed
    return Marked(found.pieces, played, right[0] if right else [])


# --- matches -----------------------------------------------------------------------------------------------


def ratings_of(store: Store, found: Matches) -> dict[str, float]:
    """Return the ratings of the entries in the tournaments; empty if they cannot be rated."""
    try:
        board = leaderboard(store, found.game, found.tournaments, MaximumLikelihood())
    except ArenaError:
        return {}
    return {row.entry: row.rating for row in board.rows}


def notes_of(decisions: Sequence[Decision], judge: Spec | None) -> list[str]:
    """Return a remark if few moves were judged exactly."""
    exact = sum(one.exact for one in decisions)
    if judge or not decisions or exact >= ENOUGH * len(decisions):
        return []
    estimate = argument("judge", "ENTRY")
    return [
        "Fewer than half of its moves could be judged exactly, most of them late in matches already "
        f"decided; {estimate} estimates the others from the scores of an entry."
    ]


def knew(
    found: Matches, known: Registry, game: Game, decisions: Sequence[Decision], how: Execution
) -> float | None:
    """Return the share of a learner's positions known from training; None if unknown or its code changed."""
    with suppress(ArenaError):
        spec = known.spec("agent", found.entry)
        codes = {t.codes.get(found.entry, UNKNOWN_CODE) for t in found.tournaments}
        if codes <= {UNKNOWN_CODE, code_of(spec)}:
            return known_share(spec, game, decisions, found.played, how)
    return None


def shortest_loss(found: Matches) -> QuickLoss | None:
    """Return the shortest match that was lost, not counting forfeits."""
    lost = [one for one in found.played if not one.score and one.record.reason not in FORFEITS]
    if not lost:
        return None
    one = min(lost, key=lambda one: one.record.plies)
    record = one.record
    return QuickLoss(one.tournament, record.number, record.plies, found.called(one.opponent), record.moves)

"""The function `arena.openings`, which searches for openings that leave both sides about equal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from arena.api.agent import Agent
from arena.api.answers import views
from arena.api.game import Game, Move, State, canonical
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import telling
from arena.api.spec import Spec
from arena.calls.arguments import Entry, GameEntry, agent_spec, game_spec, known_with
from arena.calls.execution import Execution
from arena.commands.openings.book import Book
from arena.commands.openings.played import book_of_played
from arena.commands.replay.explain.call import check_tells, ready, silent
from arena.errors import ArenaError, Stopped
from arena.faults.rule_check import check_offered
from arena.plan.entries import check_entries, make_game
from arena.plan.opening_book import LINES
from arena.plan.openings import random_opening
from arena.results.settings import SEEDS, STALL_SECONDS, check_range
from arena.rng import OPENING, derive
from arena.storage.database import DATABASE

TRIES = 20  # maximum number of random lines tried for each candidate


def openings(
    game: GameEntry = None,
    *,
    plies: int = 8,
    lines: int = 100,
    candidates: int | None = None,
    judge: Entry = "alpha-beta:depth=6",
    seed: int = 0,
    played: bool = False,
    db: str | Path = DATABASE,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Book:
    """Create a book of openings after which both sides are about equal.

    Of `candidates` random lines, those whose positions the judge evaluates as most even are chosen. Positions
    that it evaluates as decided are left out. No two lines lead to the same position or to symmetric ones.

    With `played`, openings of recorded matches are chosen by their results, the most even first. Those that
    decide the match are left out. Values of openings are estimated as in `arena.leaderboard`.

    >>> import arena
    >>> book = arena.openings("tic-tac-toe", plies=2, lines=3, judge="minimax:ties=first")
    >>> len(book.lines), book.scores
    (3, [0.0, 0.0, 0.0])

    Args:
        game: The game, as in `arena.match`. Default: the first installed.
        plies: Length of each line in plies.
        lines: Number of lines; there may be fewer.
        candidates: Number of random lines. Default: ten times `lines`.
        judge: An entry that scores moves, as for `arena.explain`.
        seed: Seed of the random lines.
        played: Choose among the openings of recorded matches; then only `lines` and `db` apply.
        db: Path of the database that `played` reads.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The lines and their scores.

    Raises:
        ArenaError: If there is no suitable opening.
        Stopped: If `stop` was set before the end.
    """
    for name, value, low, high in (
        ("plies", plies, 1, 10**6),
        ("lines", lines, 1, LINES),
        ("candidates", 10 * lines if candidates is None else candidates, lines, 100 * LINES),
        ("seed", seed, 0, SEEDS - 1),
    ):
        check_range(name, value, low, high)
    if played:
        return book_of_played(game_spec(game, known_with(game=game)).text, lines, db)
    wanted = 10 * lines if candidates is None else candidates
    known = known_with([judge], game)
    on = game_spec(game, known)
    spec = agent_spec(judge, known)
    made = make_game(on)
    check_entries([spec], made)
    check_offered(made, ("symmetries",), STALL_SECONDS)
    check_tells(spec)
    how = Execution.of(known, progress=progress, stop=stop)
    ready(spec, on, known, how)
    found: list[tuple[float, int, str, float]] = []  # distance from even, number, line, score
    judged = 0
    with how.showing(f"Judging openings of {on.text}", "lines") as tell, telling(made):
        agent: Agent = spec.make(on.make())
        for number, (line, state) in enumerate(distinct(made, plies, wanted, seed)):
            if how.stop.is_set():
                raise Stopped("Stopped before the book was complete; nothing was written.")
            judged = number + 1
            score = score_of(agent, spec, state)
            if score is not None:
                text = " ".join(map(made.move_text, line))
                found.append((abs(score), number, text, score))
            tell(judged, wanted, "")
    chosen = sorted(found)[:lines]
    if not chosen:
        raise ArenaError(
            f"{spec.text} finds no even position among {judged:,} openings of {on.text} after {plies} plies; "
            "use fewer plies"
        )
    text = (
        f"arena openings {on.text} --plies {plies} --lines {lines} --candidates {wanted} --judge {spec.text}"
    )
    again = f"{text} --seed {seed}"
    return Book(on.text, again, [row[2] for row in chosen], [row[3] for row in chosen], judged)


def distinct(game: Game, plies: int, wanted: int, seed: int) -> Iterator[tuple[list[Move], State]]:
    """Yield up to `wanted` random lines that lead to different positions, symmetric ones counted as equal."""
    seen: set[State] = set()
    for number in range(TRIES * wanted):
        line = random_opening(game, derive(seed, OPENING, number), plies)
        state = game.initial()
        for move in line:
            state = game.play(state, move)
        place = canonical(game, state) if game.symmetries > 1 else state
        if place not in seen:
            seen.add(place)
            yield line, state
            if len(seen) == wanted:
                return


def score_of(agent: Agent, spec: Spec, state: State) -> float | None:
    """Return the score of the best move for the side to move; None if the judge reports it as won or lost.

    Raises:
        ArenaError: If the judge fails or does not score moves.
    """
    try:
        with foreign(ArenaError):
            given = views(agent, state, [*agent.game.moves(state)])
    except Failed as error:
        raise ArenaError(f"{spec.text} fails: {error}") from error
    told = [view for view in given if view.score is not None]
    if not told:
        raise silent(spec)
    best = max(told, key=lambda view: view.score or 0.0)
    decided = best.verdict.startswith(("won", "lost"))
    return None if decided else best.score

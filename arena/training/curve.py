"""Learning curves: how a learner does against chosen opponents, by the episodes it has learned from.

A curve's learners are taught apart from the models kept: one for each seed, which plays at every point it
comes to, or, anew, one for each seed and point, whose learning ends there. It plays itself, or an agent does
that is made around it.
"""

from __future__ import annotations

import csv
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from arena.api.agent import Agent
from arena.api.learner import Learner
from arena.api.options import join_text, read_options
from arena.api.spec import Lent, Spec
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError
from arena.matches import blocks
from arena.matches.match import Limits
from arena.matches.schedule import Plan
from arena.results.tally import Summary, Tally
from arena.training.training import divided, failed, learners, local, respell, taught_here, untaught
from arena.workers.pools import working

WAIT = 0.5  # seconds between looks at whether to stop
SEATS = (1, 2)


class Row(NamedTuple):
    """How a learner did at one point against one opponent from one seat, 1 or 2; `entry` is its name."""

    entry: str
    game: str
    seed: int
    episodes: int
    opponent: str
    seat: int
    wins: int
    draws: int
    losses: int
    score: float


@dataclass(frozen=True)
class Curve:
    """What is asked for: who learns, after how many episodes it plays, and whom it meets how often.

    entry: who plays. learner: the same, or the one learner within it. points: ascending. anew: whether a
    point is where a learner's episodes end, and not one on its way. matches: from either seat, at each point
    against each opponent.
    """

    entry: Spec
    learner: Spec
    game: Spec
    seeds: range
    points: Sequence[int]
    opponents: Sequence[Spec]
    matches: int
    max_plies: int
    anew: bool

    @property
    def name(self) -> str:
        """The entry without the learner's seed; anew with `n` for the episodes, which each row tells."""
        values = {**self.learner.values, "seed": self.learner.cls.options["seed"].default}
        if self.anew:
            values["episodes"] = "n"
        text = join_text(self.learner.text.partition(":")[0], self.learner.cls, values)
        return exchanged(self.entry, self.learner, Spec(text, self.learner.target, values)).text


class Pupil(NamedTuple):
    """One of a curve's learners, who plays with what it knows, and the points it is to come to, ascending."""

    learner: Spec
    player: Spec
    points: Sequence[int]


# --- what is asked for ------------------------------------------------------------------------------------


def learner_in(entry: Spec) -> Spec:
    """The entry, if it learns, or the one learner that it names, or ArenaError."""
    found = learners([entry])
    found = [one for one in found if not any(one in other.nested() for other in found)]
    if not found:
        raise ArenaError(f"{entry.text!r} does not learn, nor does what it names; give a learner: 'q-table'")
    if len(found) > 1:
        texts = " and ".join(one.text for one in found)
        raise ArenaError(f"{entry.text!r} names {len(found)} learners, {texts}; give an entry with one")
    return found[0]


def exchanged(spec: Spec, old: Spec, new: Spec) -> Spec:
    """A spec with another in place of one, be it that or within it, and named accordingly."""

    def inside(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(inside, value))
        return exchanged(value, old, new) if isinstance(value, Spec) else value

    if spec == old:
        return new
    values = {name: inside(value) for name, value in spec.values.items()}
    return Spec(spec.text, spec.target, values) if new.text == old.text else respell(spec, **values)


def spread(episodes: int, points: int) -> list[int]:
    """So many numbers of episodes up to all of them, and 0: each about as many times the one before."""
    ratio = episodes ** (1 / max(points, 1))
    return sorted({0, episodes, *(round(ratio**i) for i in range(1, points))})


def check(curve: Curve) -> None:
    """ArenaError where the learner cannot come to the points, or not with these seeds."""
    learner, first, last = curve.learner, curve.points[0], curve.points[-1]
    changed = {"seed": curve.seeds[-1], **({"episodes": first} if curve.anew else {})}
    read_options(learner.cls, {**learner.values, **changed}, learner.text)
    if curve.anew:
        divided(respell(learner, episodes=first))
    elif divided(learner):
        raise ArenaError(f"{learner.text} learns in parts, which are put together at the end; add --anew")
    elif last > learner.values["episodes"]:
        raise ArenaError(
            f"point {last} is beyond the {learner.values['episodes']} episodes of {learner.text}; "
            f"set episodes={last}, or add --anew"
        )


def pupils(curve: Curve, rows: Iterable[Row]) -> list[Pupil]:
    """The learners of a curve that some points are missing of, those first that take longest."""
    there = {(row.seed, row.episodes, row.opponent, row.seat) for row in rows}
    met = [(opponent.text, seat) for opponent in curve.opponents for seat in SEATS]
    found = []
    for seed in curve.seeds:
        left = [n for n in curve.points if not all((seed, n, *how) in there for how in met)]
        for points in [[n] for n in left] if curve.anew else [left] if left else []:
            ends = {"episodes": points[-1]} if curve.anew else {}
            learner = respell(curve.learner, seed=seed, **ends)
            found.append(Pupil(learner, exchanged(curve.entry, curve.learner, learner), points))
    return sorted(found, key=lambda pupil: -pupil.points[-1])


# --- teaching and playing ---------------------------------------------------------------------------------


def follow(
    curve: Curve,
    pupils: Sequence[Pupil],
    executor: Callable[[int], Executor],
    workers: int,
    stop: threading.Event,
) -> Iterator[list[Row]]:
    """The rows of every learner at every point, as they come, or ArenaError if one fails.

    Once `stop` is set, the points in hand are finished and no more begun.
    """
    waiting = deque(pupils)
    running: dict[Future[list[Row]], tuple[Pupil, int, Executor]] = {}
    with ExitStack() as pools:
        idle = [pools.enter_context(working(executor, 1)) for _ in range(min(workers, len(waiting)))]

        def submit(pupil: Pupil, at: int, pool: Executor) -> None:
            running[pool.submit(stretch, curve, pupil, pupil.points[at])] = pupil, at, pool

        while running or (waiting and not stop.is_set()):
            while waiting and idle and not stop.is_set():
                submit(waiting.popleft(), 0, idle.pop())
            done, _ = wait(running, WAIT, FIRST_COMPLETED)
            for future in done:
                pupil, at, pool = running.pop(future)
                try:
                    yield future.result()
                except ArenaError:
                    raise
                except Exception as error:  # the learner's own, or the end of its process
                    raise ArenaError(failed(pupil.learner, error)) from error
                if at + 1 < len(pupil.points) and not stop.is_set():
                    submit(pupil, at + 1, pool)
                else:
                    idle.append(pool)


def stretch(curve: Curve, pupil: Pupil, point: int) -> list[Row]:
    """Teach a learner up to a point, and have it play there."""
    spec = pupil.learner
    if curve.anew:
        learner = taught_here(spec, with_compiled_rules(curve.game.make()))
    else:
        learner = taught_up_to(point, curve, spec)
    around = exchanged(pupil.player, spec, Lent(spec.text, spec.target, spec.values, learner))
    player = around.make(with_compiled_rules(curve.game.make()))
    rows = [row for opponent in curve.opponents for row in meet(curve, pupil, point, player, opponent)]
    blocks.forget()
    return rows


def taught_up_to(point: int, curve: Curve, spec: Spec) -> Learner:
    """A learner after so many episodes, taught on from an earlier point if this thread has it there."""
    local.followed = getattr(local, "followed", {})
    key = (spec.text, spec.target, curve.game.text)
    learner: Learner
    learner, known = local.followed.pop(key, (None, point + 1))
    if known > point:
        learner, known = untaught(spec, curve.game), 0
    learner.learn_many(range(known, point), [0, 0, 0])
    if point < curve.points[-1]:
        local.followed[key] = learner, point
    return learner


def meet(curve: Curve, pupil: Pupil, point: int, player: Agent, opponent: Spec) -> Iterator[Row]:
    """How a player does as it is now."""
    limits = Limits(curve.max_plies, 0.0, 0.0)
    pairings = ((0, 1), (1, 0))
    entry = Lent(pupil.player.text, pupil.player.target, pupil.player.values, player)
    plan = Plan(curve.game, (entry, opponent), pairings, 2 * curve.matches, point, "none", limits)
    tally = Tally()
    tally.add_summary(blocks.play_block(plan, range(plan.matches), Summary)[0])
    name, seed = curve.name, pupil.learner.values["seed"]
    for seat, seats in zip(SEATS, pairings, strict=True):
        wins, draws, losses = (
            sum(getattr(counts, name) for (*met, _), counts in tally.counts.items() if tuple(met) == seats)
            for name in (("wins", "draws", "losses") if seat == 1 else ("losses", "draws", "wins"))
        )
        score = (wins + draws / 2) / curve.matches
        yield Row(name, curve.game.text, seed, point, opponent.text, seat, wins, draws, losses, score)


# --- files ------------------------------------------------------------------------------------------------


def check_rows(curve: Curve, rows: Iterable[Row], path: str) -> None:
    """ArenaError unless these rows of a file are this curve's."""
    wanted: dict[str, Sequence[Any]] = {
        "entry": [curve.name],
        "game": [curve.game.text],
        "seed": curve.seeds,
        "episodes": curve.points,
        "opponent": [opponent.text for opponent in curve.opponents],
        "matches": [curve.matches],
    }
    for row in rows:
        has = {**row._asdict(), "matches": row.wins + row.draws + row.losses}
        for name, values in wanted.items():
            if has[name] not in values:
                raise ArenaError(
                    f"{path} is of another curve, with {name} {has[name]!r}; remove it, or name another file"
                )


def write(rows: Iterable[Row], path: str) -> None:
    """All rows as comma-separated values, in place of what was there at once or not at all, or ArenaError."""
    file = Path(os.path.realpath(path))
    draft = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        if file.exists() and not file.is_file():
            raise ArenaError(f"cannot write {path}: it is no file")
        with draft.open("w", encoding="utf-8", newline="") as to:
            csv.writer(to, lineterminator="\n").writerows([Row._fields, *sorted(rows)])
        draft.replace(file)
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)

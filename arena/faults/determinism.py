"""Checks before play that a game's rules are deterministic, without randomness or internal state.

Matches of a nondeterministic game cannot be replayed, so their records could not be verified. In random
matches each method is called three times: during play, backwards from the end, and on a second instance of
the game. The positions of one more match are compared with those in another process.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import nullcontext, suppress
from copy import deepcopy
from itertools import zip_longest
from time import monotonic
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from arena.api.game import Game, Move, State
from arena.api.limits import preparing
from arena.api.plugin_guard import Failed, foreign, limited
from arena.api.rulings import GameFault
from arena.api.rulings import shown as move_shown
from arena.api.spec import Spec
from arena.errors import brief, safe_text
from arena.faults.captured_output import Tail, hearing, listening
from arena.faults.rule_check import after_moves
from arena.registry.digests import NoSource, texts_of_spec
from arena.rng import Rng
from arena.workers.loop import asked_of
from arena.workers.pools import working
from arena.workers.processes import Processes
from arena.workers.worker import RULES, this_worker

POSITIONS = 1000  # maximum number of positions to check
SECONDS = 0.1  # seconds after which no further match is started; a single match may take `LONGEST`
LONGEST = 2.0
PLIES = 300  # maximum number of plies of a match
SHOWN = 100  # maximum number of characters of an answer in a message
AGAIN = "make it depend only on the position and the move, without randomness or state"
HASHED = re.compile(r"Set(Comp)?\(|id='(set|frozenset|hash)'")  # in the dump of a syntax tree
ELSEWHERE = "do not depend on hash(), id() or the order of a set"
CHANGED = "make play return a new position and leave its argument unchanged"

deterministic: WeakKeyDictionary[type, set[str]] = WeakKeyDictionary()  # checked games as texts, by class


class Answer(NamedTuple):
    """An answer of the rules in a position.

    Attributes:
        question: The call, as the beginning of a sentence: `moves returns`, `play of 3 leads to`.
        answer: The value that the rules returned.
    """

    question: str
    answer: Any


class Step(NamedTuple):
    """A position of a match.

    Attributes:
        state: The position.
        line: The moves that lead to it.
        move: The move played; None at the end.
        answers: The answers of the rules in the position.
    """

    state: State
    line: tuple[Move, ...]
    move: Move | None
    answers: list[Answer]


class NotDeterministic(Exception):
    """Raised if the rules return two different answers; its message is complete."""


def check_determinism(game: Spec, pool: Executor | None, seconds: float) -> None:
    """Check that the rules of a game return the same answers when they are called again.

    A game is checked once per process. Exceptions raised by the rules are not reported here.

    Args:
        game: The game to check.
        pool: Executor with a worker for the calls. If None, this process is used, and another one only if the
            game's source uses sets or hashes.
        seconds: Time limit for a position.

    Raises:
        GameFault: If an answer differs.
    """
    if game.text in deterministic.get(game.cls, ()):
        return
    try:
        if pool is None:
            ask_again(game, seconds)
        if pool or may_go_by_hash(game):
            with nullcontext(pool) if pool else working(Processes, 1) as other:
                compare_here(game, said_elsewhere(game, other, seconds))
    except NotDeterministic as error:
        raise GameFault(f"game {game.text} is not deterministic: {error}") from error
    deterministic.setdefault(game.cls, set()).add(game.text)


def may_go_by_hash(game: Spec) -> bool:
    """Return whether the game's source uses sets or hashes, whose values may differ between processes."""
    with suppress(NoSource):
        return any(HASHED.search(text) for text in texts_of_spec(game))
    return False


def said_elsewhere(game: Spec, pool: Executor, seconds: float) -> list[list[Answer]]:
    """Return the answers of the rules in a match that a worker plays; empty if the worker dies.

    Raises:
        NotDeterministic: If the answers differ from earlier ones.
    """
    found: str | list[list[Answer]] = []
    with suppress(Exception):
        found = asked_of(pool, asked_again, game, seconds).result()
    if isinstance(found, str):
        raise NotDeterministic(found)
    return found


def asked_again(game: Spec, seconds: float) -> str | list[list[Answer]]:
    """Run `ask_again` in a worker; return the message of a difference found, or the answers in a match."""
    try:
        return ask_again(game, seconds)
    except NotDeterministic as error:
        return str(error)


def ask_again(spec: Spec, seconds: float) -> list[list[Answer]]:
    """Check a game as `compared` does, and return the answers in one match; empty on failure or timeout.

    Raises:
        NotDeterministic: If the answers differ from earlier ones.
    """
    watch = this_worker().watch
    watch.turn(0, RULES, preparing(seconds))
    try:
        with listening(aloud=False), foreign(NotDeterministic), limited(LONGEST):
            hearing.tail = Tail()
            one, other = spec.make(), spec.make()
            return [step.answers for step in compared(one, other)]
    except Failed:
        return []
    finally:
        hearing.tail = None
        watch.clear()


def compared(game: Game, other: Game) -> list[Step]:
    """Compare two instances of a game in random matches, and return the first match.

    Raises:
        NotDeterministic: If the answers differ from earlier ones.
    """
    first: list[Step] = []
    seen: dict[State, Step] = {}
    left, until = POSITIONS, monotonic() + SECONDS
    for seed in range(POSITIONS):
        steps = [*walk(game, seed)]
        first = first or steps
        for step in reversed(steps):
            compare(game, step, answers(game, step.state, step.move), "when called again", AGAIN)
        for step in steps:
            compare(game, step, answers(other, step.state, step.move), "when called again", AGAIN)
            compare(game, step, seen.setdefault(step.state, step).answers, "when first called", AGAIN)
        left -= len(steps)
        if left <= 0 or monotonic() > until:
            break
    return first


def walk(game: Game, seed: int) -> Iterator[Step]:
    """Yield the steps of a random match; raise NotDeterministic if a call changes the position."""
    rng, state, line = Rng(seed), game.initial(), tuple[Move, ...]()
    for _ in range(PLIES):
        before = copy_of(state)
        by_value = before == state
        moves = [*game.moves(state)]
        move = rng.choice(moves) if moves else None
        step = Step(state, line, move, [*answers(game, state, move)])
        compare(game, step, [Answer("moves returns", moves)], "when first called", AGAIN)
        if by_value and before != state:
            where = after_moves(game, line)
            changes = f"play of {move_shown(game, move)} changes {shown(before)} to {shown(state)}"
            raise NotDeterministic(f"{where}: {changes}; {CHANGED}")
        yield step
        if not moves:
            return
        line = (*line, move)
        state = step.answers[-1].answer


def answers(game: Game, state: State, move: Move | None) -> Iterator[Answer]:
    """Yield the answers of the rules in a position: about `move`, or if it is None, about the end."""
    yield Answer("moves returns", [*game.moves(state)])
    yield Answer("to_move is", game.to_move(state))
    if move is None:
        yield Answer("value is", game.value(state))
    else:
        yield Answer(f"play of {move_shown(game, move)} leads to", game.play(state, move))


def compare(game: Game, step: Step, again: Any, when: str, remedy: str) -> None:
    """Raise NotDeterministic if the answers of the rules differ from those in a step.

    Args:
        game: The game.
        step: A position with earlier answers.
        again: Later answers, in the same order.
        when: When the later answers were given, for the message.
        remedy: How to fix the rules, for the message.
    """
    for was, now in zip(step.answers, again, strict=False):
        if was.question == now.question and not same(was.answer, now.answer):
            first, second = f"{was.question} {shown(was.answer)}", f"{shown(now.answer)} {when}"
            raise NotDeterministic(f"{after_moves(game, step.line)}: {first}, but {second}; {remedy}")


def compare_here(spec: Spec, said: list[list[Answer]]) -> None:
    """Raise NotDeterministic if the answers in this process differ from those in another one."""
    if not said:
        return
    try:
        with listening(aloud=False), foreign(NotDeterministic), limited(LONGEST):
            hearing.tail = Tail()
            game: Game = spec.make()
            for step, there in zip_longest(walk(game, 0), said):
                if step is None or there is None:
                    return
                compare(game, step, there, "in another process", ELSEWHERE)
    except Failed:
        return
    finally:
        hearing.tail = None


def same(was: object, now: object) -> bool:
    """Return whether two answers are equal; those that do not equal their own copies are compared as text."""
    if was == now:
        return True
    return bool(copy_of(was) != was) and shown(was) == shown(now)


def copy_of(thing: object) -> object:
    """Return a deep copy of a position or an answer."""
    try:
        return pickle.loads(pickle.dumps(thing))
    except Exception:  # for example if its class is defined in a function
        return deepcopy(thing)


def shown(answer: object) -> str:
    """Return an answer as a short text without memory addresses."""
    text = re.sub(r"\s+", " ", brief(safe_text(repr, answer)))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"

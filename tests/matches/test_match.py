"""One match: draws that positions do not know of, clocks, and what is recorded."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from arena import Agent, Game
from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.matches.driver import play as play_plan
from arena.matches.match import play_match
from arena.plan.opening_book import Opening
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.registry.plugins import registry
from arena.results.records import Records
from arena.rng import Streams
from arena.workers.pools import Serial, Workers
from arena.workers.processes import Processes
from arena.workers.worker import Watch
from tiers import slow

NO_LIMITS = Limits(0, 0.0, 0.0)


class Scripted(Agent):
    """Plays the moves it is told to, in turn."""

    def __init__(self, game, script):
        super().__init__(game)
        self.script = iter(script)

    def choose(self, state, moves, rng):
        return next(self.script)


def play(game, agents, limits=NO_LIMITS, opening=(), seed=1):
    seeds = seed, seed + 1
    return play_match(
        game,
        lambda seat: agents[seat],
        (0, 0, 0, 1),
        seeds,
        Opening(tuple(opening)),
        limits,
        Watch(),
    )


class Corridor(Game):
    """Each player walks along a corridor of its own, from 0; whoever gets to 9 wins. The move 9 captures."""

    repetition = 3
    quiet_plies = 12

    def initial(self):
        return (0, 0, 0)

    def moves(self, state):
        own, other, _ = state
        return [] if other >= 9 else [step for step in (-1, 1, 9) if own + step >= 0]

    def play(self, state, move):
        own, other, mover = state
        return (other, own + move, 1 - mover)

    def to_move(self, state):
        return state[2]

    def value(self, state):
        return -1

    def irreversible(self, state, move):
        return 2 if move == 9 else 0


def corridor(first, second, **settings):
    game = Corridor()
    for name, value in settings.items():
        setattr(game, name, value)
    return play(game, [Scripted(game, first), Scripted(game, second)])


def test_the_third_time_of_a_position_draws():
    # both step to 1 and back: the start is on the board after plies 0, 4 and 8
    record = corridor([1, -1] * 9, [1, -1] * 9)
    assert (record.result, record.reason, record.plies) == (0, "repetition", 8)


def test_the_time_that_draws_is_the_games_to_say():
    record = corridor([1, -1] * 9, [1, -1] * 9, repetition=2)
    assert (record.reason, record.plies) == ("repetition", 4)


def test_plies_without_a_capture_draw():
    record = corridor([1, -1] * 9, [1, -1] * 9, repetition=0)
    assert (record.result, record.reason, record.plies) == (0, "no capture", 12)


def test_a_win_goes_before_a_draw():
    # the twelfth ply without a capture is the one that arrives
    record = corridor([1] * 9, [1, -1] * 9, repetition=0, quiet_plies=17)
    assert (record.result, record.reason, record.plies) == (1, "rules", 17)


def test_a_match_that_gets_too_long_is_a_draw():
    game = Corridor()
    agents = [Scripted(game, [1, -1] * 9), Scripted(game, [1, -1] * 9)]
    record = play(game, agents, Limits(5, 0.0, 0.0))
    assert (record.result, record.reason, record.plies, record.moves) == (0, "max plies", 5, "1 1 -1 -1 1")


def test_openings_count_as_plies_and_are_recorded():
    game = Corridor()
    record = play(game, [Scripted(game, [9]), Scripted(game, [])], opening=[1, 1])
    assert (record.result, record.plies, record.opening, record.moves) == (1, 3, 2, "1 1 9")


@pytest.mark.parametrize("text", ["checkers", *slow("checkers:quiet_plies=40", "checkers:repetition=2")])
def test_draws_at_checkers_come_when_a_look_at_the_whole_match_says_so(text):
    game = registry().spec("game", text).make()
    first, greedy = (registry().spec("agent", name).make(game) for name in ("first", "greedy"))
    reasons = Counter()
    for seed in range(40):
        record = play(game, [first, greedy], seed=seed)
        reasons[record.reason] += 1
        state = game.initial()
        seen, quiet, moves = [state], 0, record.moves.split()
        for ply, move in enumerate(moves, 1):
            state = game.play(state, game.read_move(state, move))
            seen.append(state)
            quiet = 0 if "x" in move else quiet + 1
            drawn = game.moves(state) and (seen.count(state) == game.repetition or quiet == game.quiet_plies)
            assert bool(drawn) == (ply == len(moves) and record.reason in ("repetition", "no capture"))
    assert len(reasons) > 1


def test_a_slow_move_loses_by_the_clock():
    class Sleeper(Agent):
        """Thinks it over."""

        def choose(self, state, moves, rng):
            time.sleep(0.3)
            return 1

    game = Corridor()
    record = play(game, [Scripted(game, [1, 9]), Sleeper(game)], Limits(0, 0.2, 0.0))
    assert (record.result, record.reason) == (1, "clock")
    assert record.detail == "ply 2 took over 0.2 s"
    assert record.second_seconds >= 0.3 > record.first_seconds


def test_chance_is_recorded_where_an_agent_drew():
    game = registry().spec("game", "tic-tac-toe").make()
    agents = {name: registry().spec("agent", name).make(game) for name in ("first", "random")}
    assert play(game, [agents["first"], agents["first"]]).chance == 0
    assert play(game, [agents["first"], agents["random"]]).chance == 1


class Gambler(Agent):
    """Draws a number, and then goes wrong in its own way."""

    def choose(self, state, moves, rng):
        rng.random()
        return self.go_wrong(moves, rng)


class Raising(Gambler):
    def go_wrong(self, moves, rng):
        raise ValueError("no luck")


class Cheating(Gambler):
    def go_wrong(self, moves, rng):
        return 99


class Spoiling(Gambler):
    def go_wrong(self, moves, rng):
        rng.stream = None
        return moves[0]


class Rewinding(Gambler):
    def go_wrong(self, moves, rng):
        rng.setstate(("a", "b", None))
        return moves[0]


@pytest.mark.parametrize("cls", [Raising, Cheating, Spoiling, Rewinding])
@pytest.mark.slow
def test_a_fault_is_recorded_the_same_whoever_looks_at_it(cls):
    """In this process at once; in workers the first one apart, and later ones where they happen."""
    entries = [Spec(cls.__name__.lower(), f"{__name__}:{cls.__name__}", {})]
    entries += [registry().spec("agent", name) for name in ("random", "first")]
    game = registry().spec("game", "tic-tac-toe")
    pairings = tuple((a, b) for a in range(3) for b in range(3) if a != b)
    plan = Plan(
        game, tuple(entries), Schedule.of(Stage(pairings, 4)), Streams(1), Openings(), Limits(9, 0.0, 60.0)
    )
    found = []
    for executor in (Serial, Processes):
        with Workers(executor, 2).opened() as pool:
            blocks = play_plan(plan, [range(plan.matches)], pool, Records)
            found.append(sorted(record[:11] for block in blocks for record in block))
    assert found[0] == found[1]
    assert len(found[0]) == plan.matches
    assert {record[5] for record in found[0] if 0 in record[2:4]} < {"crash", "illegal move"}

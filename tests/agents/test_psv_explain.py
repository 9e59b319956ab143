"""What q-backprop and psv say of their moves, held against a scan of the whole table."""

from __future__ import annotations

import random

import numpy as np
import pytest
from test_psv import EXCHANGED, GRIDS, WAYS, lines_near, some_rows, voter

from arena import Rng
from arena.api.answers import views
from arena.compiler import is_compiled
from arena.registry.plugins import registry
from arena_agents.tabular.q_backprop import QBackprop
from tiers import slow, tiers

TURNED = ("reflection", "inversion"), ["as it is", "reflection", "inversion", "reflection and inversion"]
QUARTERS = ("quarter-turn",), ["as it is", "quarter-turn", "half-turn", "quarter-turn back"]
CASES = [
    *[(game, rule, (), ["as it is"], "01") for game in GRIDS for rule in ("boards", "lines")],
    *[(game, "boards", *TURNED, "0") for game in GRIDS],
    *[(game, "boards", *QUARTERS, "0") for game in GRIDS],
    *[(game, "lines", *QUARTERS, "01") for game in GRIDS if game.name in ("tic-tac-toe", "checkers-4x4")],
]


def agent_over(game, rows, monkeypatch, compiled, **options):
    monkeypatch.setenv("ARENA_COMPILED", compiled)
    agent = voter(game, *(np.array(part) for part in zip(*rows, strict=True)), **options)
    assert is_compiled(agent) == (compiled == "1")
    return agent


def board_alike(game, prior, made, state, move, turned, exchanged):
    """The share of squares that are alike when a known board, turned, is laid on a position."""
    xs, ys = zip(*game.cells, strict=True)
    squares = {(x, y) for x in range(min(xs), max(xs) + 1) for y in range(min(ys), max(ys) + 1)}

    def standing(position, square, exchanged):
        if square not in game.cells:
            return "outside"
        piece = game.piece(position, game.cells.index(square))
        return EXCHANGED[piece] if exchanged else piece

    there, here = (game.cells[game.anchor(*where)] for where in ((prior, made), (state, move)))
    alike = 0
    for square in squares:
        dx, dy = turned(square[0] - there[0], square[1] - there[1])
        over = (here[0] + dx, here[1] + dy)
        if over in squares:
            alike += standing(prior, square, exchanged) == standing(state, over, False)
    return alike / len(squares)


def lines_alike(game, prior, made, state, move, turned, exchanged):
    """The share of lines of three near a move that are alike when a known board is laid on the position.

    Turned, a line may be none that the board has.
    """

    def standing(position, anchor, line, exchanged):
        found = []
        for dx, dy in line:
            square = (game.cells[anchor][0] + dx, game.cells[anchor][1] + dy)
            piece = game.piece(position, game.cells.index(square)) if square in game.cells else "off"
            found.append(EXCHANGED.get(piece, piece) if exchanged else piece)
        return found

    lines, alike = list(lines_near(game)), 0
    for line in lines:
        over = [turned(*offset) for offset in line]
        there = standing(prior, game.anchor(prior, made), line, exchanged)
        same_line = frozenset(over) in map(frozenset, lines)
        alike += same_line and there == standing(state, game.anchor(state, move), over, False)
    return alike / len(lines)


def votes_for(game, rows, state, move, ways, share):
    """All votes for a move, the heaviest first: state, move, facts."""
    found = []
    for number, (prior, made, value) in enumerate(rows):
        for way, turned, exchanged in (WAYS[name] for name in ways):
            shape = game.shape_image(game.shape(prior, made), way) if way else game.shape(prior, made)
            same_player = game.to_move(prior) == game.to_move(state)
            if same_player != exchanged and shape == game.shape(state, move):
                alike = share(game, prior, made, state, move, turned, exchanged)
                facts = {"value": value, "alike": alike, "weight": value * alike}
                if len(ways) > 1:
                    facts["turned"] = way
                found.append((-abs(facts["weight"]), number, prior, made, facts))
    return [row[2:] for row in sorted(found, key=lambda row: row[:2])]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "rule", "words", "ways", "how"),
    tiers(
        CASES,
        quick=[("tic-tac-toe", "boards", ())],
        slow=[
            ("tic-tac-toe", "lines", ()),
            ("checkers", "lines"),
            ("connect-four", "boards", ("reflection", "inversion")),
            ("connect-four", "boards", ("quarter-turn",)),
        ],
    ),
    ids=lambda part: "" if isinstance(part, list) else str(part),
)
def test_reasons_are_the_heaviest_votes_of_the_whole_table(monkeypatch, game, rule, words, ways, how):
    chance = random.Random(5)
    rows, unknown = some_rows(game, chance)
    rows = [(*row[:2], round(row[2], 1) or 0.5) for row in chance.sample(rows, min(len(rows), 150))]
    share = board_alike if rule == "boards" else lines_alike
    told = []
    states = chance.sample(unknown, 3)
    for compiled in how:
        monkeypatch.setattr("arena_agents.psv.psv.REASONS", 4)
        agent = agent_over(game, rows, monkeypatch, compiled, rule=rule, symmetry=words)
        told.append([views(agent, state, game.moves(state)) for state in states])
    assert all(other == told[0] for other in told)
    among = 0
    for state, given in zip(states, told[0], strict=True):
        for move, view in zip(game.moves(state), given, strict=True):
            votes = votes_for(game, rows, state, move, ways, share)
            assert view.facts["votes"] == len(votes)
            assert len(view.reasons) == min(len(votes), 4)
            weights = [reason.facts["weight"] for reason in view.reasons]
            assert list(map(abs, weights)) == [abs(facts["weight"]) for _, _, facts in votes[:4]]
            firsts = [(prior, made) for prior, made, _ in votes[:4]]
            assert [(reason.state, reason.move) for reason in view.reasons] == firsts
            known = [(prior, made, sorted(facts.items())) for prior, made, facts in votes]
            for reason in view.reasons:
                assert (reason.state, reason.move, sorted(reason.facts.items())) in known
            among += len(votes) > 4
    assert among


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), pytest.param(("reflection", "inversion"), marks=pytest.mark.slow)])
def test_the_weights_of_all_votes_come_to_the_score(monkeypatch, words):
    """Their mean is the score, which they are told in as many reasons as there are votes."""
    game = registry().spec("game", "checkers").make()
    chance = random.Random(6)
    rows, unknown = some_rows(game, chance)
    monkeypatch.setattr("arena_agents.psv.psv.REASONS", 4 * len(rows))
    agent = agent_over(game, rows, monkeypatch, "1", symmetry=words)
    told = 0
    for state in chance.sample(unknown, 10):
        moves = game.moves(state)
        for view in views(agent, state, moves):
            assert len(view.reasons) == view.facts["votes"]
            if view.reasons:
                total = sum(reason.facts["weight"] for reason in view.reasons)
                assert total / len(view.reasons) == pytest.approx(view.score, abs=1e-12)
                told += 1
    assert told > 20


@pytest.mark.parametrize("compiled", ["0", *slow("1")])
def test_in_a_known_position_its_values_are_told_and_no_votes(monkeypatch, compiled):
    game = registry().spec("game", "tic-tac-toe").make()
    start = game.initial()
    moves = game.moves(start)
    rows = [(start, moves[2], 0.5), (start, moves[4], -0.25), (game.play(start, moves[0]), moves[1], 0.125)]
    agent = agent_over(game, rows, monkeypatch, compiled)
    given = views(agent, start, moves)
    assert [view.facts for view in given] == [
        {"score": {2: 0.5, 4: -0.25}.get(i, 0), "votes": None} for i in range(9)
    ]
    assert not any(view.reasons for view in given)
    asked = agent_over(game, rows, monkeypatch, compiled, known="votes")
    assert [view.facts["votes"] for view in views(asked, start, moves)] == [2] * 9


@pytest.mark.parametrize("compiled", ["0", "1"])
def test_a_learner_tells_its_values_and_whether_it_knows_the_position(monkeypatch, compiled):
    """A position is known, too, whose only value has become 0: there it does not move at random."""
    monkeypatch.setenv("ARENA_COMPILED", compiled)
    game = registry().spec("game", "tic-tac-toe").make()
    start = game.initial()
    moves = game.moves(start)
    after = [game.play(start, move) for move in moves[:2]]
    replies = [game.moves(state) for state in after]
    pupil = QBackprop(game)
    table = [(start, moves[3], 0.75), (start, moves[5], -0.5), (after[0], replies[0][1], 0.0)]
    states, made, values = zip(*table, strict=True)
    arrays = {"states": np.array(states), "moves": np.array(made)}
    pupil.recall({**arrays, "values": np.array(values).reshape(-1, 1)})
    facts = [view.facts for view in views(pupil, start, moves)]
    assert facts == [{"score": {3: 0.75, 5: -0.5}.get(i, 0), "known": True} for i in range(9)]
    for state, moves_there, known in ((after[0], replies[0], True), (after[1], replies[1], False)):
        given = views(pupil, state, moves_there)
        assert [view.facts for view in given] == [{"score": 0, "known": known}] * 8
        chosen = {pupil.choose(state, moves_there, Rng(seed)) for seed in range(30)}
        assert (len(chosen) == 1) == known

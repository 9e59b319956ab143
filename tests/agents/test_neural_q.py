"""Q-learning with a neural network, the plugin arena-neural, against numpy and reckoning by hand."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena import ArenaError, Rng
from arena.compiler import is_compiled, plainly
from arena.testing import check_agent
from arena.testing.matches import random_match
from arena_games.checkers.game_8x8 import Checkers
from arena_games.connect_four import ConnectFour
from arena_games.tic_tac_toe import TicTacToe
from arena_neural.eye import Eye
from arena_neural.network import Network
from arena_neural.neural_q import NeuralQ
from paths import ROOT
from tiers import campaign, slow

PLUGIN = ROOT / "plugins" / "arena-neural"

TINY = {"hidden": (5,), "episodes": 100}
AFTER = {"head": "afterstate", "opponent": "self", "draw": 0.5, "max_plies": 40}


def said(weights, inputs):
    """The outputs of a perceptron, by numpy; weights and biases by layer."""
    x = np.asarray(inputs, float)
    for layer, (matrix, biases) in enumerate(weights):
        x = x @ matrix + biases
        x = np.maximum(x, 0) if layer < len(weights) - 1 else 1 / (1 + np.exp(-x))
    return x


def weights_of(arrays, prefix=""):
    layers = sum(name.startswith(f"{prefix}weights_") for name in arrays)
    names = [[f"{prefix}{what}_{n}" for what in ("weights", "biases")] for n in range(1, layers + 1)]
    return [[arrays[name].copy() for name in pair] for pair in names]


def parts(weights):
    """Weights and biases in one list."""
    return [part for layer in weights for part in layer]


def slopes(weights, inputs, targets):
    """Of the mean squared error over all outputs by each weight, by small differences; None: no target."""

    def loss():
        outputs = said(weights, inputs)
        return sum((outputs[i] - t) ** 2 for i, t in enumerate(targets) if t is not None) / len(outputs)

    found = []
    for layer in weights:
        for part in layer:
            slope = np.zeros_like(part)
            for at in np.ndindex(part.shape):
                was = part[at]
                part[at] = was + 1e-5
                above = loss()
                part[at] = was - 1e-5
                slope[at] = (above - loss()) / 2e-5
                part[at] = was
            found.append(slope)
    return found


@pytest.fixture
def plain():
    """Nothing is compiled, which takes longer than a few games."""
    with plainly():
        yield


def network(sizes, seed=1, **options):
    made = Network(TicTacToe(), sizes, **options)
    made.draw(Rng(seed))
    return made


def give(network, inputs):
    network.clear()
    for i, value in enumerate(inputs):
        if value:
            network.give(i, float(value))
    network.forward()


def aim(network, targets):
    network.begin_aims()
    for i, target in enumerate(targets):
        if target is not None:
            network.aim(i, target)


def test_a_step_worked_by_hand():
    net = network((1, 1, 1))
    net.take({"weights_1": [[1.0]], "biases_1": [0.0], "weights_2": [[0.5]], "biases_2": [-0.5]})
    give(net, [1])  # the hidden unit puts out 1, the output takes in 0
    assert net.says(0) == 0.5
    aim(net, [1.0])
    assert net.errors[net.output] == 2 * (0.5 - 1) * 0.25  # twice the error, times the sigmoid's slope
    net.descend(0.5)  # half of 1/4 times what each weight hands on; to the hidden unit the error comes halved
    moved = {name: value.ravel().tolist() for name, value in net.arrays().items()}
    assert moved == {"weights_1": [1.0625], "biases_1": [0.0625], "weights_2": [0.625], "biases_2": [-0.375]}


@pytest.mark.parametrize("sizes", [(4, 6, 3), (5, 7, 6, 2), (3, 9, 5, 4, 1)])
def test_a_step_goes_down_the_gradient(sizes):
    net = network(sizes)
    inputs = [1, -1, 0, 0.5, 2][: sizes[0]]
    targets = [1.0, None, 0.25, None][: sizes[-1]]
    before = weights_of(net.arrays())
    give(net, inputs)
    outputs = [net.says(i) for i in range(sizes[-1])]
    assert outputs == pytest.approx(said(before, inputs), abs=1e-12)
    down = slopes(before, inputs, targets)
    for _ in range(2):  # the second time from other weights, which stand turned as well
        aim(net, targets)
        net.descend(0.3)
        moved = weights_of(net.arrays())
        steps = [a - b for b, a in zip(parts(before), parts(moved), strict=True)]
        for step, slope in zip(steps, down, strict=True):
            assert step == pytest.approx(-0.3 * slope, abs=1e-8)
        give(net, inputs)
        before, down = moved, slopes(moved, inputs, targets)


def test_steps_put_off_go_down_the_sum_of_gradients():
    net = network((4, 6, 3), puts_off=True)
    before = weights_of(net.arrays())
    examples = [([1, 0, -1, 1], [1.0, None, None]), ([0, 1, 1, 0], [None, 0.0, None])]
    for inputs, targets in examples:
        give(net, inputs)
        aim(net, targets)
        net.collect()
    assert np.array_equal(parts(weights_of(net.arrays()))[0], before[0][0])
    net.descend_collected(0.2)
    both = zip(*(slopes(before, inputs, targets) for inputs, targets in examples), strict=True)
    for was, now, (first, second) in zip(parts(before), parts(weights_of(net.arrays())), both, strict=True):
        assert now - was == pytest.approx(-0.2 * (first + second), abs=1e-8)
    assert not net.gradient.any()


# --- what it sees -----------------------------------------------------------------------------------------


def seen(game, text, player, by_kind, mover=True):
    eye = Eye(game, by_kind, mover)
    net = Network(game, (eye.inputs, 1, 1))
    eye.look(net, game.read_position(text), player)
    active = net.active[: net.counts[0]].tolist()
    return {i: net.units[i] for i in active}


def test_cells_are_1_0_and_minus_1_as_published():
    assert seen(TicTacToe(), "X.O.X....", 1, False, False) == {0: 1.0, 2: -1.0, 4: 1.0}
    assert seen(TicTacToe(), "X.O.X....", 1, False) == {0: -1.0, 2: 1.0, 4: -1.0}  # as O sees it


@pytest.mark.parametrize("by_kind", [False, True])
def test_either_side_sees_checkers_alike_on_the_board_turned(by_kind):
    game = Checkers()
    black = seen(game, "B:W21,22,K30:B1,2,12", 0, by_kind)
    white = seen(game, "W:W32,31,21:B12,11,K3", 1, by_kind)  # square n is 33 - n there
    assert black == white
    assert len(black) == 6
    assert sorted({*black.values()}) == ([1.0] if by_kind else [-2.0, -1.0, 1.0])


# --- learning -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options"),
    [(TicTacToe, {}), (ConnectFour, {}), (TicTacToe, {**AFTER, "gamma": 0.9})],
)
def test_a_game_is_walked_backwards_towards_the_best_of_the_next_turn(plain, game, options):
    learner = NeuralQ(game(), **{**TINY, "epsilon": 1.0, **options})
    learner.prepare_learning()
    game, eye = learner.game, learner.eye
    target, alpha, gamma = weights_of(learner.model()), learner.alpha, learner.gamma
    weights = [[part.copy() for part in layer] for layer in target]
    won = learner.learn(0, Rng(3))
    reward = {1: 1.0, 0: learner.draw, -1: 0.0}

    def inputs(state, player):
        row = np.zeros(eye.inputs)
        for cell in range(eye.cells):
            piece = game.piece(state, cell)
            row[cell] = 0 if piece == 0 else 1 if piece - 1 == player else -1
        return row

    last = {}
    assert learner.turns > 3
    for turn in reversed(range(learner.turns)):
        mover, state, output = learner.movers[turn], learner.seen[turn], learner.outputs[turn]
        aims = [None] * learner.network.outputs
        aims[output] = reward[won if mover == 0 else -won]
        if mover in last:
            aims[output] = gamma * last[mover]
        if learner.of_moves:
            values = said(target, inputs(state, mover))
            last[mover] = max(values[game.anchor(state, move)] for move in game.moves(state))
        else:
            before = learner.seen[turn - 1] if turn else game.initial()
            last[mover] = max(
                said(target, inputs(game.play(before, move), mover))[0] for move in game.moves(before)
            )
        down = iter(slopes(weights, inputs(state, mover), aims))
        weights = [[part - alpha * next(down) for part in layer] for layer in weights]
    for ours, part in zip(parts(weights_of(learner.model())), parts(weights), strict=True):
        assert ours == pytest.approx(part, abs=1e-8)


def test_the_target_network_is_copied_every_so_many_games(plain):
    learner = NeuralQ(TicTacToe(), **TINY, target=3)
    learner._begin_learning()
    first = learner.model()
    for episode in range(5):
        learner.learn(episode, Rng(episode))
        found = learner.model()
        if episode == 2:
            third = found
        of = first if episode < 2 else third
        assert np.array_equal(found["target_weights_1"], of["weights_1"])
        assert not np.array_equal(found["weights_1"], first["weights_1"])
    assert not np.array_equal(found["weights_1"], third["weights_1"])


def test_weights_move_once_a_batch_of_games(plain):
    learner = NeuralQ(TicTacToe(), **TINY, batch=3)
    learner._begin_learning()
    biases = []
    for episode in range(6):
        learner.learn(episode, Rng(episode))
        biases.append(learner.model()["biases_2"].tolist())
    assert biases[0] == biases[1] != biases[2] == biases[3] == biases[4] != biases[5]


def test_cells_that_are_no_move_are_never_chosen_in_play(plain):
    learner = NeuralQ(TicTacToe(), hidden=(3,), illegal="learned")
    model = {name: np.zeros_like(part) for name, part in learner.model().items()}
    model["biases_2"][:] = [9, 8, 7, 6, 5, 4, 3, 2, 1]  # whatever stands there
    learner.recall(model)
    for seed in range(5):
        for state in random_match(learner.game, seed):
            if moves := learner.game.moves(state):
                assert learner.choose(state, moves, Rng()) == min(moves)


def test_cells_that_are_no_move_lose_in_training_if_that_is_to_be_learned(plain):
    learner = NeuralQ(TicTacToe(), **TINY, illegal="learned", epsilon=0.0, seats="first")
    model = {name: np.zeros_like(part) for name, part in learner.model().items()}
    model["biases_2"][4] = 1.0  # the middle, and once more
    learner.recall(model)
    learner._begin_learning()
    assert learner.learn(0, Rng(1)) == -1
    assert learner.turns == 2
    state = learner.seen[1]
    assert learner.game.piece(state, 4) == 1
    taken = [cell for cell in range(9) if learner.game.piece(state, cell)]
    after = learner.model()["biases_2"]
    assert {cell for cell in range(9) if after[cell] < model["biases_2"][cell]} >= {*taken}


def test_it_says_what_the_network_expects_of_each_move(plain):
    game = TicTacToe()
    learner = NeuralQ(game, hidden=(4,), seed=5)
    state = game.read_position("X.O.X....")
    moves = game.moves(state)
    expected = said(weights_of(learner.model()), [-1, 0, 1, 0, -1, 0, 0, 0, 0])  # as O, who is to move
    views = [view.facts["score"] for view in learner.explain(state, moves)]
    assert views == pytest.approx([expected[move] for move in moves])
    assert learner.choose(state, moves, Rng()) == moves[views.index(max(views))]


def learned(options, game):
    learner = NeuralQ(game, **options)
    learner.learn_many(range(12), [0, 0, 0])
    return learner, learner.model()


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (TicTacToe, {"illegal": "learned", "view": "board", "epsilon": 0.5}),
        pytest.param(TicTacToe, {"batch": 5, "target": 4}, marks=pytest.mark.slow),
        pytest.param(Checkers, {**AFTER, "target": 5}, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
@pytest.mark.slow
def test_plain_and_compiled_come_to_the_same_to_the_bit(game, options):
    options = {**TINY, "hidden": (7, 5), **options}
    fast, model = learned(options, game())
    assert is_compiled(fast)
    with plainly():
        slow, plain = learned(options, game())
        assert not is_compiled(slow)
    assert model.keys() == plain.keys()
    assert all(np.array_equal(model[name], plain[name]) for name in model)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        *slow((TicTacToe, {"illegal": "learned", "view": "board"}), (ConnectFour, {"opponent": "self"})),
        *campaign((TicTacToe, {"batch": 7, "target": 3}), (Checkers, AFTER)),
    ],
)
def test_it_keeps_its_promises(game, options):
    check_agent(NeuralQ, game(), options={**TINY, **options})


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        (Checkers, {"head": "moves"}, "head=moves is .* several moves share one; leave head out"),
        (
            Checkers,
            {"illegal": "learned"},
            "illegal=learned is .* several moves share one; leave illegal out",
        ),
        (TicTacToe, {"opponent": "self", "seats": "first"}, "leave seats out"),
        (TicTacToe, {"head": "afterstate", "illegal": "learned"}, "leave illegal out"),
        (TicTacToe, {"hidden": ()}, "hidden=36"),
    ],
)
def test_what_cannot_be_is_refused(game, options, said):
    with pytest.raises(ArenaError, match=said) as refused:
        NeuralQ(game(), **options)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("game", "head"), [(ConnectFour, "moves"), (Checkers, "afterstate")])
@pytest.mark.slow
def test_its_outputs_fit_the_game(game, head):
    options = {**TINY, "hidden": (5,)}
    fits, named = learned(options, game())[1], learned({**options, "head": head}, game())[1]
    assert all(np.array_equal(fits[name], named[name]) for name in named)


@pytest.mark.slow
def test_it_installs_learns_and_beats_random_play(installed):
    assert "neural-q" not in installed.agents()
    installed.run("python", "-m", "pip", "install", "--quiet", str(PLUGIN))
    assert installed.told("agents", "neural-q")[0]["distribution"] == "arena-neural"
    found = installed.told("match", "neural-q:episodes=50000", "random", "--exact")
    first, second = found["pairings"]
    assert first["wins"] > 0.8  # random play itself has 0.585 and 0.288
    assert second["losses"] > 0.6
    lone = arena.exact("random", "random", game="tic-tac-toe").pairings[0]
    assert (lone.wins, lone.losses) == pytest.approx((737 / 1260, 121 / 420))
    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-neural")
    assert "neural-q" not in installed.agents()

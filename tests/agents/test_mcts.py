"""UCT, and a tree of playouts that is made once."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from arena import ArenaError, Game, Rng
from arena.api.game import positions as every_position
from arena.compiler import is_compiled, plainly
from arena.rng import derive
from arena.testing import check_agent
from arena_games.connect_four import ConnectFour
from arena_games.tic_tac_toe import TicTacToe
from arena_mcts.mcts import MCTS
from arena_mcts.mcts_table import MCTSTable
from arena_mcts.tree import BELOW, BITS, MANY, MOVE, VISITS
from paths import ROOT
from searching import game_called, positions
from tiers import campaign, slow, tiers

PLUGIN = ROOT / "plugins" / "arena-mcts"
RESULTS = ROOT / "leaderboards" / "mcts"


class Again(Game):
    """Twelve stones, of which each takes one to three; who takes one moves again. The last stone wins.

    A state is the stones that are left, who is to move, and who moved last.
    """

    max_moves = 3
    max_plies = 12

    def initial(self):
        return (12, 0, 0)

    def moves(self, state):
        for stones in range(1, 4):
            if stones <= state[0]:
                yield stones

    def play(self, state, move):
        left, mover, _ = state
        return (left - move, mover if move == 1 else 1 - mover, mover)

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return 1 if state[1] == state[2] else -1


class Words(TicTacToe):
    """Tic-tac-toe whose moves are texts, so that it is not flat and runs in plain Python."""

    def moves(self, state):
        return [f"cell {cell}" for cell in TicTacToe().moves(state)]

    def play(self, state, move):
        return super().play(state, int(move[-1]))


class Node:
    """As a textbook has it: visits, the sum of scores for who moved there, and children by move."""

    def __init__(self):
        self.visits, self.score = 0, 0.0
        self.children = {}
        self.left = None  # moves not tried yet


def playout(game, node, state, rng, draw, new):
    """The scores of both players, (of 0, of 1), of one playout of UCT from a node."""
    moves = game.moves(state)
    if not moves:
        value = game.value(state) * (1 if game.to_move(state) == 0 else -1)
        return ended(value, draw)
    if new:
        while moves:
            state = game.play(state, moves[rng.below(len(moves))])
            moves = game.moves(state)
        return playout(game, node, state, rng, draw, True)
    if node.left is None:
        node.left = list(moves)
    if node.left:
        chosen = rng.below(len(node.left)) if len(node.left) > 1 else 0
        move, node.left[chosen] = node.left[chosen], node.left[0]
        del node.left[0]
        child = node.children[move] = Node()
    else:

        def bound(move):
            child = node.children[move]
            mean = child.score / child.visits
            return mean + math.sqrt(2) * math.sqrt(math.log(node.visits) / child.visits)

        move = max(node.children, key=bound)
        child = node.children[move]
    scores = playout(game, child, game.play(state, move), rng, draw, child.visits == 0)
    child.visits += 1
    child.score += scores[game.to_move(state)]
    return scores


def ended(value, draw):
    return {1: (1.0, 0.0), 0: (draw, draw), -1: (0.0, 1.0)}[value]


def textbook(game, state, playouts, rng, draw):
    """Visits and summed scores of each move by UCT."""
    root = Node()
    for _ in range(playouts):
        playout(game, root, state, rng, draw, False)
        root.visits += 1
    children = [root.children.get(move, Node()) for move in game.moves(state)]
    return [child.visits for child in children], [child.score for child in children]


@pytest.mark.parametrize("draw", [0.5, 1.0])
@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour(), Again(), Words()], ids=str)
def test_playouts_go_as_in_a_textbooks_uct(game, draw):
    agent = MCTS(game, playouts=150, draw=draw)
    for state in [game.initial(), *positions(game, 2)]:
        moves = game.moves(state)
        agent.weigh(state, moves, Rng(5))
        visits, scores = textbook(game, state, 150, Rng(5), draw)
        assert agent.visits[: len(moves)].tolist() == visits
        assert agent.means[: len(moves)] * np.maximum(visits, 1) == pytest.approx(scores)


WAYS = [
    {},
    {"transpositions": True},
    {"proving": True},
    {"rollouts": "none", "pick": "score"},
    {"rollouts": "evaluation"},
    {"seed": 3},
    {"keep": True},
]


@pytest.mark.parametrize("options", tiers(WAYS, quick=[{}]), ids=str)
def test_compiled_and_plain_it_finds_the_same(options):
    game = ConnectFour()
    fast, slow = (MCTS(game, playouts=60, **options) for _ in range(2))
    state = game.initial()
    rngs = Rng(1), Rng(1)
    for _ in range(4):
        moves = game.moves(state)
        move = fast.choose(state, moves, rngs[0])
        with plainly():
            assert slow.choose(state, moves, rngs[1]) == move
        assert slow.visits.tolist() == fast.visits.tolist()
        assert slow.means.tolist() == fast.means.tolist()
        assert rngs[0].stream == rngs[1].stream
        state = game.play(state, move)
    assert is_compiled(fast)


@pytest.mark.parametrize(
    "options",
    tiers(WAYS, slow=[{}, {"proving": True}, {"rollouts": "evaluation"}]),
    ids=str,
)
@pytest.mark.parametrize("game", [TicTacToe, Again, Words])
def test_it_keeps_its_promises(game, options):
    if game is Again and options.get("rollouts") == "evaluation":
        pytest.skip("the game has no evaluation")
    check_agent(MCTS, game(), matches=4, options={"playouts": 50, **options})


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", tiers(WAYS, quick=[{}, {"proving": True}, {"rollouts": "evaluation"}]), ids=str
)
def test_it_wins_at_once_and_stops_who_would(options):
    game = TicTacToe()
    agent = MCTS(game, playouts=400, **options)
    for text, cell in (("XX.OO....", 2), ("X.X.O....", 1), ("XOX.O....", 7), (".X..X.O.O", 7)):
        state = game.read_position(text)
        assert agent.choose(state, game.moves(state), Rng(1)) == cell


@pytest.mark.slow
def test_what_is_proved_is_told():
    game = TicTacToe()
    agent = MCTS(game, playouts=2000, proving=True)
    state = game.read_position("X...O...X")  # O has a corner to lose by, and a side to draw by
    told = dict(zip(game.moves(state), agent.explain(state, game.moves(state)), strict=True))
    assert {move for move, view in told.items() if view.verdict == "lost"} == {2, 6}
    state = game.read_position("XO.......")
    (best,) = {agent.choose(state, game.moves(state), Rng(seed)) for seed in range(1)}
    told = dict(zip(game.moves(state), agent.explain(state, game.moves(state)), strict=True))
    assert told[best].verdict == "won"  # as every textbook has it


def test_a_full_tree_grows_no_further_and_counts_on():
    game = ConnectFour()
    agent = MCTS(game, playouts=20000, memory=1)  # megabyte, 31,250 nodes
    agent.weigh(game.initial(), game.moves(game.initial()), Rng(1))
    assert 31_250 - 7 < agent.tree.used <= 31_250
    assert agent.visits.sum() == 20_000


@pytest.mark.parametrize("how", [{}, {"keep": True}, {"transpositions": True}])
def test_all_that_a_tree_takes_fits_into_its_memory(how):
    tree = MCTS(ConnectFour(), playouts=0, seconds=1.0, memory=3, **how).tree
    taken = tree.tree.nbytes + tree.spare.nbytes + tree.index.nbytes
    assert 2_100_000 < taken <= 3_000_064


@pytest.mark.slow
def test_a_tree_that_is_kept_has_what_it_found_out_two_moves_before():
    game = ConnectFour()
    agent = MCTS(game, playouts=500, keep=True)
    agent.begin(0)
    state = game.initial()
    move = agent.choose(state, game.moves(state), Rng(1))
    between = game.play(state, move)
    node = agent.tree.node_of(move)
    tree = agent.tree.tree
    first, n = tree[node, BELOW] >> BITS, tree[node, BELOW] & MANY
    reply = max(range(first, first + n), key=lambda child: tree[child, VISITS])
    before = tree[reply, VISITS]
    state = game.play(between, tree[reply, MOVE])
    agent.choose(state, game.moves(state), Rng(2))
    assert agent.tree.tree[0, VISITS] == before + 500
    agent.begin(1)
    agent.choose(state, game.moves(state), Rng(2))
    assert agent.tree.tree[0, VISITS] == 500


@pytest.mark.slow
def test_lines_that_meet_share_what_is_below():
    """So there are no more nodes than moves in different positions."""
    game = TicTacToe()
    most = 1 + sum(len(game.moves(state)) for state in every_position(game))
    used = {}
    for way in (True, False):
        agent = MCTS(game, playouts=20_000, rollouts="none", transpositions=way)
        agent.weigh(game.initial(), game.moves(game.initial()), Rng(1))
        assert agent.visits.sum() == 20_000
        used[way] = agent.tree.used
    assert used[True] <= most < used[False]


@pytest.mark.slow
def test_playouts_end_where_a_match_does():
    """A match of one ply leaves stones, and is drawn."""
    game = Again()
    game.max_plies = 1
    for rollouts in ("random", "none"):
        agent = MCTS(game, playouts=30, rollouts=rollouts)
        agent.weigh((12, 0, 0), [1, 2, 3], Rng(1))
        assert agent.means[:3].tolist() == [0.5] * 3


def test_with_a_seed_its_move_depends_on_the_position_alone():
    game = TicTacToe()
    agent = MCTS(game, playouts=20, seed=4)  # few, so that moves tie
    for state in positions(game, 20):
        moves = game.moves(state)
        played = {agent.choose(state, moves, Rng(seed)) for seed in range(5)}
        assert len(played) == 1
        assert agent.distribution(state, moves) == [float(move in played) for move in moves]
    assert MCTS(game).distribution(game.initial(), game.moves(game.initial())) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"playouts": 0}, "needs a time limit, such as seconds"),
        ({"keep": True, "transpositions": True}, "leave out one of them"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, said):
    with pytest.raises(ArenaError, match=said):
        MCTS(TicTacToe(), **options)


def test_by_the_clock_it_plays_as_many_playouts_as_there_is_time_for():
    agent = MCTS(TicTacToe(), playouts=0, seconds=0.01)
    agent.weigh((0, 0), list(range(9)), Rng(1))
    assert agent.visits.sum() >= 32


# --- a tree that is made once -----------------------------------------------------------------------------


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def images():
    """The eight ways in which cells go to cells."""
    cells = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    for _ in range(4):
        yield cells
        yield [cells[3 * (i // 3) + 2 - i % 3] for i in range(9)]
        cells = [cells[3 * (2 - i % 3) + i // 3] for i in range(9)]


IMAGES = [*images()]


def winner(board):
    """1 or 2, 0 for a draw, None before the end."""
    for a, b, c in LINES:
        if board[a] and board[a] == board[b] == board[c]:
            return board[a]
    return None if 0 in board else 0


def folded(board):
    return min(tuple(board[cell] for cell in image) for image in IMAGES)


def boards_after(board):
    mover = 1 + (9 - board.count(0)) % 2
    return {cell: (*board[:cell], mover, *board[cell + 1 :]) for cell in range(9) if not board[cell]}


def tree_of(playouts):
    """Visits and scores by folded board, a draw counting as a win; parents are remembered by name."""
    visits, scores, parents = {}, {}, {}

    def bound(board, after):
        key = folded(after)
        parents.setdefault(key, set()).add(folded(board))
        if not visits.get(key):
            return math.inf
        total = sum(visits.get(parent, 0) for parent in parents[key])
        spread = math.sqrt(math.log(total) / visits[key]) if total else 0.0
        return scores[key] / visits[key] + math.sqrt(2) * spread

    for _ in range(playouts):
        path = [(0,) * 9]
        while winner(path[-1]) is None:
            board, after = path[-1], boards_after(path[-1])
            path.append(max(after.values(), key=lambda one, board=board: bound(board, one)))
        won = winner(path[-1])
        for ply, board in enumerate(path):
            key, mover = folded(board), 2 - ply % 2
            visits[key] = visits.get(key, 0) + 1
            scores[key] = scores.get(key, 0) + (won in (0, mover))
    return visits, scores


def held_against(playouts):
    """Whether arena's tree has the same visits and scores for every position."""
    game = TicTacToe()
    learner = MCTSTable(game, episodes=playouts)
    learner.learn_many(range(playouts), [0, 0, 0])
    visits, scores = tree_of(playouts)
    stack, seen = [(0,) * 9], set()
    while stack:
        board = stack.pop()
        if board in seen or winner(board) is not None:
            continue
        seen.add(board)
        after = boards_after(board)
        state = game.read_position("".join(".XO"[piece] for piece in board))
        keys = [folded(one) for one in after.values()]
        learner.rate(state, game.moves(state))
        means = [scores[key] / visits[key] if visits.get(key) else 0.0 for key in keys]
        assert learner.scores[: len(keys)].tolist() == means
        stack += after.values()
    return learner


@pytest.mark.slow
def test_the_tree_has_the_visits_of_one_that_was_made_otherwise():
    held_against(100)


def chances(learner, seat, state=(0, 0)):
    """Won, drawn, lost against random moves."""
    game = learner.game
    moves = game.moves(state)
    if not moves:
        value = game.value(state) * (1 if game.to_move(state) == seat else -1)
        return np.array([value > 0, value == 0, value < 0], float)
    shares = [1 / len(moves)] * len(moves)
    if game.to_move(state) == seat:
        shares = learner.distribution(state, moves)
    after = [(share, game.play(state, move)) for share, move in zip(shares, moves, strict=True)]
    return sum(share * chances(learner, seat, state) for share, state in after if share)


@pytest.mark.slow
def test_the_published_tree_never_loses_and_does_against_random_as_published():
    """81.8 and 63.5 % in 1000 matches each, so with an error of 1.2 and 1.5 % (Nested Software)."""
    learner = held_against(4000)
    ours = (RESULTS / "document.csv").read_text(encoding="utf-8").splitlines()
    for seat, published in enumerate((81.8, 63.5)):
        won, drawn, lost = chances(learner, seat)
        assert lost == 0
        assert won + drawn == pytest.approx(1)
        row = (f"{100 * share:.4f}" for share in (won, drawn, lost))
        assert ",".join(("mcts-table", ("first", "second")[seat], "random", *row)) in ours
        error = 100 * math.sqrt(won * (1 - won) / 1000)
        assert 100 * won == pytest.approx(published, abs=1.96 * error)


@pytest.mark.parametrize("game", [*slow(TicTacToe), *campaign(Again)])
@pytest.mark.parametrize("options", [{}, {"ties": "random"}], ids=str)
def test_the_table_keeps_its_promises(game, options):
    check_agent(MCTSTable, game(), options={"episodes": 200, **options})


def test_the_page_of_results_is_what_its_script_makes_of_them(tmp_path):
    command = [sys.executable, RESULTS / "page.py", "--to", tmp_path]
    subprocess.run(command, check=True)
    for name in ("README.md", "published.csv"):
        assert (tmp_path / name).read_bytes() == (RESULTS / name).read_bytes()


# --- what is said of it -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_nobody_beats_it_from_so_many_playouts_on():
    """All replies are gone through, by an enumeration of its own, for five of the seeds of the table."""
    game = TicTacToe()
    for seed in range(1, 6):
        agent = MCTS(game, playouts=4000, seed=seed)
        for seat in (0, 1):
            stack, seen = [game.initial()], set()
            while stack:
                state = stack.pop()
                if state in seen:
                    continue
                seen.add(state)
                moves = game.moves(state)
                if not moves:
                    assert game.value(state) == 0 or game.to_move(state) != seat
                elif game.to_move(state) == seat:
                    stack.append(game.play(state, agent.choose(state, moves, Rng(9))))
                else:
                    stack += [game.play(state, move) for move in moves]


@pytest.mark.slow
def test_more_playouts_play_better_connect_four():
    """Four times as many win of most openings from either seat."""
    game = game_called("connect-four")
    levels = [MCTS(game, playouts=playouts) for playouts in (25, 100, 400)]
    for weak, strong in pairwise(levels):
        points = 0.0
        for number in range(60):
            rng, state = Rng(derive(1, number)), game.initial()
            while moves := game.moves(state):
                mover = (strong, weak)[(game.to_move(state) + number) % 2]
                state = game.play(state, mover.choose(state, moves, rng))
            lost = (game.to_move(state) + number) % 2 == 0
            points += 0.5 if game.value(state) == 0 else 0.0 if lost else 1.0
        assert points > 40


@pytest.mark.slow
def test_it_is_installed_apart_plays_and_is_removed(installed):
    assert not {"mcts", "mcts-table"} & {*installed.agents()}
    installed.run("python", "-m", "pip", "install", "--quiet", str(PLUGIN))
    assert {"mcts", "mcts-table"} <= {*installed.agents()}
    (said,) = installed.told("agents", "mcts")
    assert said["distribution"] == "arena-mcts"
    found = installed.told("match", "mcts:playouts=200", "random", "--matches", "20", "--seed", "1")
    assert found["pairings"][0]["wins"] == 10
    found = installed.told("match", "mcts-table", "minimax", "--exact")
    assert [pairing["draws"] for pairing in found["pairings"]] == [1.0, 1.0]
    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-mcts")
    assert not {"mcts", "mcts-table"} & {*installed.agents()}

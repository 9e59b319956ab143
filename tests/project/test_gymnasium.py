"""Games as environments of Gymnasium and PettingZoo, by their own tests, and policies as agents."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

import arena
from arena import ArenaError, Game
from arena.gymnasium import Encoding, PolicyAgent
from arena.registry.plugins import registry
from arena.testing import check_agent
from arena_games.connect_four import ConnectFour
from arena_games.tic_tac_toe import TicTacToe
from commands import arena as run
from paths import ROOT
from tiers import tiers

GAMES = ["tic-tac-toe", "connect-four", "checkers", "checkers-4x4"]
EXAMPLES = {
    "Othello": ("arena-othello", "arena_othello", ""),
    "Minichess": ("arena-minichess", "arena_minichess", ""),
    "Chess": ("arena-chess", "arena_chess", "chess"),
    "Thud": ("arena-thud", "arena_thud", ""),
    "OpenSpiel": ("arena-openspiel", "arena_openspiel.game", "pyspiel"),
}


class Coins(Game):
    """Who takes the last coin wins. Positions are not tuples, and have no grid."""

    max_moves = 3

    def initial(self):
        return "0:7"

    def moves(self, state):
        return [*range(1, min(3, int(state[2:])) + 1)]

    def play(self, state, move):
        return f"{1 - self.to_move(state)}:{int(state[2:]) - move}"

    def to_move(self, state):
        return int(state[0])

    def value(self, state):
        return -1


def one_player(game):
    if not isinstance(game, Game):
        return arena.gymnasium.make(game, render_mode="ansi")
    opponent = registry().spec("agent", "random").make(game)
    return arena.gymnasium.Environment(game, opponent, Encoding(game), render_mode="ansi")


def two_players(game):
    if not isinstance(game, Game):
        return arena.gymnasium.aec(game)
    return arena.gymnasium.AECEnvironment(game, Encoding(game))


@pytest.fixture
def entry(monkeypatch):
    """Returns a game as `arena.gymnasium.make` takes it."""

    def given(name):
        if name not in EXAMPLES:
            return {"Coins": Coins}.get(name, name)
        folder, module, needs = EXAMPLES[name]
        if needs:
            pytest.importorskip(needs)
        monkeypatch.syspath_prepend(ROOT / "examples" / folder)
        cls = getattr(__import__(module, fromlist=[name]), name)
        if name != "OpenSpiel":
            return cls

        return cls(load="breakthrough(rows=6,columns=4)")

    return given


@pytest.mark.parametrize("name", tiers([*GAMES, *EXAMPLES, "Coins"], quick=["tic-tac-toe", "Coins"]))
def test_gymnasiums_own_check_passes(entry, name):
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(one_player(entry(name)), skip_render_check=True)


@pytest.mark.parametrize("name", tiers([*GAMES, *EXAMPLES, "Coins"], quick=["tic-tac-toe", "Coins"]))
def test_pettingzoos_own_tests_pass(entry, name):
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, seed_test

    game = entry(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(two_players(game), num_cycles=200)
        seed_test(lambda: two_players(game), num_cycles=50)


# --- what is seen -----------------------------------------------------------------------------------------


def test_a_board_is_shown_as_planes_of_own_and_other_pieces():
    game = TicTacToe()
    state = game.read_position("X.O.X....")
    encoding = Encoding(game)
    own, other, seat = encoding.observation(state, 1).tolist()
    assert own == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert other == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert seat == [[1] * 3] * 3
    assert encoding.mask(game.moves(state)).tolist() == [0, 1, 0, 1, 0, 1, 1, 1, 1]
    assert encoding.move(game.moves(state), 3) == 3
    assert encoding.move(game.moves(state), 4) is None


def test_a_position_without_a_grid_is_shown_by_its_text():
    encoding = Encoding(Coins())
    seen = encoding.observation("1:5", 1)
    assert (seen.shape, bytes(seen[:6]), seen[-1]) == ((513,), b"'1:5'\0", 1)
    assert encoding.actions == "places"  # of 1, 2 and 3, which is not an action from 0 to 2
    assert encoding.move([1, 2, 3], 2) == 3


def test_a_view_of_ones_own_replaces_it():
    encoding = Encoding(Coins(), lambda game, state, player: np.array([float(state[2:])]))
    assert encoding.observation("0:4", 0).tolist() == [4.0]
    assert encoding.dtype == np.float64


# --- matches ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seat", "reward"), [(0, 1.0), (1, -1.0)])
def test_rewards_are_for_the_player_and_come_at_the_end(seat, reward):
    pytest.importorskip("gymnasium")
    env = arena.gymnasium.make(Coins, opponent="first", seat=seat)  # who takes one coin whenever it can
    _, info = env.reset(seed=1)
    assert info["player"] == seat
    given, over = [], False
    while not over:
        _, got, over, cut, info = env.step(winning(env) if seat == 0 else 0)
        given.append(got)
    assert (given[-1], info["result"], cut) == (reward, int(reward), False)
    assert not any(given[:-1])


def winning(env):
    """The place of a move that leaves a multiple of four coins, or of the first."""
    coins = int(env.match.state[2:])
    return max(coins % 4 - 1, 0)


def test_an_illegal_action_loses():
    pytest.importorskip("gymnasium")
    env = arena.gymnasium.make("tic-tac-toe", seat=0)
    env.reset(seed=1)
    env.step(4)
    _, reward, over, cut, info = env.step(4)
    assert (reward, over, cut, info["action_mask"].sum()) == (-1.0, True, False, 0)
    with pytest.raises(ArenaError, match="the match is over; call reset"):
        env.step(0)


def test_the_same_seed_gives_the_same_matches():
    pytest.importorskip("gymnasium")

    def played():
        env = arena.gymnasium.make("tic-tac-toe")
        env.action_space.seed(3)
        lines = []
        for match in range(20):
            _, info = env.reset(seed=7 if match == 0 else None)
            over = False
            while not over:
                _, reward, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
            lines.append((info["player"], env.match.state, reward))
        return lines

    assert played() == played()
    assert {player for player, _, _ in played()} == {0, 1}


def test_both_players_of_an_aec_environment_see_the_board_as_their_own():
    pytest.importorskip("pettingzoo")
    env = arena.gymnasium.aec("tic-tac-toe")
    env.reset()
    for cell in (0, 3, 1, 4):
        env.step(cell)
    assert env.agent_selection == "player_0"
    assert env.observe("player_1")["action_mask"].sum() == 0
    assert (env.observe("player_0")["observation"][0] == env.observe("player_1")["observation"][1]).all()
    env.step(2)
    assert (env.rewards, env.terminations["player_1"]) == ({"player_0": 1.0, "player_1": -1.0}, True)


# --- policies as agents -------------------------------------------------------------------------------------


class Highest(PolicyAgent):
    """Plays the highest legal action."""

    def act(self, observation, mask, rng):
        return np.flatnonzero(mask)[-1]


class Illegal(PolicyAgent):
    """Plays the first action, legal or not."""

    def act(self, observation, mask, rng):
        return 0


def test_a_policy_plays_as_an_agent():
    game = ConnectFour()
    assert Highest(game).choose(game.initial(), game.moves(game.initial()), arena.Rng(1)) == 6
    check_agent(Highest, TicTacToe(), matches=2)


def test_an_action_that_is_not_legal_is_named():
    game = TicTacToe()
    state = game.read_position("X........")
    with pytest.raises(ValueError, match="act returns 0, which is not legal"):
        Illegal(game).choose(state, game.moves(state), arena.Rng(1))


def test_arena_alone_does_not_import_gymnasium_and_says_how_to_install_it():
    program = (
        "import sys, arena.gymnasium\n"
        "assert 'gymnasium' not in sys.modules and 'pettingzoo' not in sys.modules\n"
        "sys.modules['gymnasium'] = None\n"
        "arena.gymnasium.PolicyAgent\n"
        "try: arena.gymnasium.make('tic-tac-toe')\n"
        "except arena.ArenaError as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    missing = "arena.gymnasium needs gymnasium, which is not installed"
    assert said == f"{missing}: pip install 'arena-tournament[gymnasium]'\n"


# --- the example --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_stored_policy_of_the_example_beats_random_moves(tmp_path):
    """By its weights, in numpy, which need neither PyTorch nor Gymnasium."""
    entry = str(ROOT / "examples" / "arena-ppo" / "arena_ppo" / "small.py")
    options = ("--game", "connect-four", "--matches", "200", "--seed", "1", "--no-isolate", "--json")
    rows = json.loads(run(tmp_path, "match", entry, "random", *options).stdout)["pairings"]
    assert sum(row["forfeits"] for row in rows) == 0
    points = [row["wins"] + row["draws"] / 2 for row in rows]
    assert points[0] + 100 - points[1] > 170  # the README has the interval

"""The example that plays OpenSpiel's games: promises, rules beside arena's own, matches, refusals."""

from __future__ import annotations

import ast
import json
import os
import pickle
import random
from collections import Counter
from itertools import islice

import pytest

from arena import Rng
from arena.analysis.perft import perft
from arena.registry.plugins import registry
from arena.testing import check_agent, check_game
from commands import arena
from paths import ROOT
from records import rows
from tiers import slow, tiers

pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install open_spiel")

EXAMPLE = ROOT / "examples" / "arena-openspiel"
GAMES = (
    "tic_tac_toe",
    "connect_four",
    "checkers",
    "chess",
    "othello",
    "breakthrough(rows=6,columns=6)",
    "hex(board_size=4)",
    "go(board_size=5)",
    "nim(pile_sizes=1;3;5)",
    "clobber(rows=4,columns=4)",
    "dots_and_boxes",
    "mancala",
    "oware",
    "ultimate_tic_tac_toe",
    "amazons(board_size=6)",
    "nine_mens_morris",
    "lines_of_action",
    "xiangqi",
    "pentago",
    "twixt(board_size=6)",
    "havannah(board_size=3)",
    "y(board_size=4)",
    "mnk(m=4,n=4,k=3)",
    "gomoku(size=5,connect=4)",
    "misere(game=tic_tac_toe())",
    "start_at(history=0;4,game=tic_tac_toe())",
)
ENTRIES = (
    "random",
    "minimax:depth=2",
    "alpha-beta:depth=2",
    "q-table:episodes=100",
    "openspiel-mcts:simulations=20",
)


@pytest.fixture(autouse=True)
def example(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLE)


@pytest.fixture
def spiel():
    """Makes a game of OpenSpiel's."""
    from arena_openspiel.game import OpenSpiel

    return lambda text: OpenSpiel(load=text)


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """The environment in which commands find the example, as if it were installed."""
    folder = tmp_path_factory.mktemp("plugin")
    info = folder / "arena_openspiel-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-openspiel\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[arena]\narena_openspiel = arena_openspiel\n")
    paths = [str(folder), str(EXAMPLE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths)}


def after(game, *texts):
    """The position after some moves."""
    return game.read_position(" ".join(texts))


# --- promises ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", tiers(GAMES, quick=["tic_tac_toe", "nim(pile_sizes=1;3;5)"]))
def test_games_keep_their_promises(spiel, text):
    check_game(spiel(text), matches=5, positions=40)


@pytest.mark.parametrize("text", ["tic_tac_toe", "connect_four"])
@pytest.mark.slow
def test_its_agent_keeps_its_promises(spiel, text):
    from arena_openspiel.mcts import Mcts

    check_agent(Mcts, spiel(text), matches=2, options={"simulations": 5})


def test_positions_come_back_from_another_process_with_the_notation_of_their_moves(spiel):
    game = spiel("chess")
    state = after(game, "e4", "e5", "Nf3")
    again, moves = pickle.loads(pickle.dumps((state, game.moves(state))))
    assert again == state
    assert game.board_text(again) == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    assert "Nc6" in [*map(game.move_text, moves)]
    assert [*map(game.move_text, moves)] == [*map(game.move_text, game.moves(again))]


# --- who moves, and who has won ---------------------------------------------------------------------------


def test_white_moves_first_at_chess_though_it_is_openspiels_second_player(spiel):
    game = spiel("chess")
    assert game.initial().spiel.current_player() == 1
    assert game.to_move(game.initial()) == 0
    mate = after(game, "f3", "e5", "g4", "Qh4#")
    assert not game.moves(mate)
    assert (game.to_move(mate), game.value(mate)) == (0, -1)


@pytest.mark.parametrize(
    ("moves", "loser"),
    [("x(0,0) o(1,0) x(0,1) o(1,1) x(0,2)", 1), ("x(0,0) o(1,0) x(0,1) o(1,1) x(2,2) o(1,2)", 0)],
)
def test_three_in_a_row_win(spiel, moves, loser):
    game = spiel("tic_tac_toe")
    state = after(game, *moves.split())
    assert (game.moves(state), game.to_move(state), game.value(state)) == ([], loser, -1)


def test_who_completes_a_box_moves_again_and_margins_count_as_wins(spiel):
    game = spiel("dots_and_boxes(num_rows=1,num_cols=2,utility_margin=true)")
    state = after(game, "P1(h,0,0)", "P2(h,1,0)", "P1(v,0,0)", "P2(v,0,1)")
    assert game.to_move(state) == 1
    ended = after(
        game, "P1(h,0,0)", "P2(h,1,0)", "P1(v,0,0)", "P2(v,0,1)", "P2(h,0,1)", "P1(h,1,1)", "P2(v,0,2)"
    )
    assert ended.spiel.returns() == [-2, 2]
    assert (game.moves(ended), game.to_move(ended), game.value(ended)) == ([], 0, -1)


# --- which positions are one ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("tic_tac_toe", "x(0,0) o(1,1) x(2,2)", "x(2,2) o(1,1) x(0,0)"),
        ("connect_four", "x0 o1 x2 o3", "x2 o3 x0 o1"),
        ("breakthrough", "a7a6 a2a3 b7b6 b2b3", "b7b6 b2b3 a7a6 a2a3"),
    ],
)
def test_other_orders_of_moves_lead_to_the_same_position(spiel, text, one, other):
    game = spiel(text)
    states = after(game, *one.split()), after(game, *other.split())
    assert states[0] == states[1]
    assert hash(states[0]) == hash(states[1])
    assert game.position_text(states[0]) == game.position_text(states[1])


def test_a_position_of_chess_that_has_been_before_is_another(spiel):
    """The third time it draws, which its string does not say."""
    game = spiel("chess")
    there_and_back = ["Nf3", "Nf6", "Ng1", "Ng8"]
    states = [after(game, *there_and_back * times) for times in range(3)]
    assert len(set(states)) == 3
    assert [bool(game.moves(state)) for state in states] == [True, True, False]
    assert game.value(states[2]) == 0


def test_a_position_is_its_board_and_who_is_to_move_and_models_can_keep_it(spiel):
    game = spiel("clobber(rows=2,columns=3)")
    board = "2xox\n1oxo\n abc\n"
    assert game.initial() == (0, board)
    assert game.initial() != (1, board)
    assert ast.literal_eval(repr(game.initial())) == (0, board)
    assert hash(game.initial()) == hash((0, board))


def differ(game, first, second, rng):
    """Whether play from two positions goes apart."""
    while True:
        moves = game.moves(first)
        if moves != game.moves(second) or game.board_text(first) != game.board_text(second):
            return True
        if not moves:
            return game.value(first) != game.value(second)
        move = rng.choice(moves)
        first, second = game.play(first, move), game.play(second, move)


def pairs(game, told, rng, matches=300):
    """Positions of random matches, and others with the same player and string, that other moves led to."""
    seen = {}
    for _ in range(matches):
        state, plies = game.initial(), 0
        while moves := game.moves(state):
            moves = [move for move in moves if move in moves[:8]] if plies % 3 else moves
            state, plies = game.play(state, rng.choice(moves)), plies + 1
            other = seen.setdefault(told(state), state)
            if other.spiel.history() != state.spiel.history():
                yield state, other


def told_by_string(state):
    return state.player, str(state.spiel)


@pytest.mark.parametrize(
    "text",
    [
        *("nim", "tic_tac_toe"),
        *slow(
            "breakthrough(rows=6,columns=4)", "clobber(rows=3,columns=4)", "connect_four", "dots_and_boxes"
        ),
        *slow("gomoku(size=5,connect=4)", "havannah(board_size=3)", "hex(board_size=3)", "mancala"),
        *slow("mnk(m=3,n=4,k=3)", "nine_mens_morris", "othello", "pentago", "twixt(board_size=5)"),
        *slow("ultimate_tic_tac_toe", "y(board_size=4)"),
    ],
)
def test_where_the_string_says_all_play_goes_on_alike(spiel, text):
    game, rng = spiel(text), random.Random(1)
    assert game.initial().key == told_by_string(game.initial())
    found = [*islice(pairs(game, told_by_string, rng), 100)]
    assert not any(differ(game, *pair, rng) for pair in found)


@pytest.mark.parametrize("text", ["amazons(board_size=6)", "oware"])
def test_where_the_string_does_not_say_all_the_moves_are_part_of_a_position(spiel, text):
    game, rng = spiel(text), random.Random(1)
    assert any(differ(game, *pair, rng) for pair in pairs(game, told_by_string, rng))
    state = after(game, *(game.move_text(move) for move in game.moves(game.initial())[:1]))
    assert state.key == (state.player, tuple(state.spiel.history()))


# --- OpenSpiel's rules against others ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("chess", [20, 400, 8902]),  # Shannon 1950 and after
        ("othello", [4, 12, 56, 244, 1396, 8200]),
        ("connect_four", [7, 49, 343, 2401, 16807]),
    ],
)
def test_lines_of_play_are_as_many_as_published(spiel, text, published):
    game = spiel(text)
    assert [*perft(game, game.initial(), len(published))] == published


@pytest.mark.parametrize(
    ("text", "ours", "depth"), [("tic_tac_toe", "tic-tac-toe", 9), ("connect_four", "connect-four", 6)]
)
def test_lines_of_play_are_as_many_as_by_arenas_own_rules(spiel, text, ours, depth):
    game, own = spiel(text), registry().spec("game", ours).make()
    assert [*perft(game, game.initial(), depth)] == [*perft(own, own.initial(), depth)]


def notation(text, own):
    """How one of the two games writes a move of the other's: column 4 is `x3`, or `o3`."""
    x, o = (
        f"({(int(own) - 1) // 3},{(int(own) - 1) % 3})" if text == "tic_tac_toe" else str(int(own) - 1),
    ) * 2
    return {f"x{x}", f"o{o}"}


@pytest.mark.parametrize(("text", "ours"), [("tic_tac_toe", "tic-tac-toe"), ("connect_four", "connect-four")])
def test_random_matches_go_as_by_arenas_own_rules(spiel, text, ours):
    game, own, rng = spiel(text), registry().spec("game", ours).make(), random.Random(1)
    for _ in range(100):
        theirs, state = game.initial(), own.initial()
        while moves := own.moves(state):
            assert len(game.moves(theirs)) == len(moves)
            assert game.to_move(theirs) == own.to_move(state)
            move = rng.choice(moves)
            (same,) = notation(text, own.move_text(move)) & {*map(game.move_text, game.moves(theirs))}
            state, theirs = own.play(state, move), game.play(theirs, game.read_move(theirs, same))
        assert game.moves(theirs) == []
        assert (game.to_move(theirs), game.value(theirs)) == (own.to_move(state), own.value(state))


class Checkers:
    """OpenSpiel's checkers beside arena's, without arena's draws."""

    def __init__(self, spiel):
        self.theirs = spiel("checkers")
        self.ours = registry().spec("game", "checkers:repetition=0,quiet_plies=0").make()
        self.squares = {f"{'abcdefgh'[x]}{8 - y}": n + 1 for n, (x, y) in enumerate(self.ours.cells)}

    def our_moves(self, state):
        """By the squares that a piece comes to."""
        texts = {self.ours.move_text(move): move for move in self.ours.moves(state)}
        return {tuple(map(int, text.replace("x", "-").split("-"))): move for text, move in texts.items()}

    def their_moves(self, state, path=()):
        """The same, with what whole turns lead to: all the jumps of a piece."""
        found = {}
        for move in self.theirs.moves(state):
            text = self.theirs.move_text(move)
            jumped = (*(path or (self.squares[text[:2]],)), self.squares[text[2:]])
            reached = self.theirs.play(state, move)
            goes_on = self.theirs.moves(reached) and reached.player == state.player
            found.update(self.their_moves(reached, jumped) if goes_on else {jumped: reached})
        return found

    def boards(self, our_state, their_state):
        """What stands on each square, by either."""
        ours = "".join(".o+8*"[self.ours.piece(our_state, cell)] for cell in range(32))
        lines = self.theirs.board_text(their_state).splitlines()
        return ours, "".join(lines[y][1 + x] for x, y in self.ours.cells)


@pytest.mark.parametrize("matches", [60, pytest.param(2000, marks=pytest.mark.slow)])
def test_moves_at_checkers_are_arenas_but_for_draws_and_jumps_one_by_one(spiel, matches):
    both, rng = Checkers(spiel), random.Random(1)
    several, thrice, ends = 0, 0, set()
    for _ in range(matches):
        state, theirs, quiet = both.ours.initial(), both.theirs.initial(), 0
        seen = Counter()
        while True:
            ours, found = both.our_moves(state), both.their_moves(theirs)
            one, other = both.boards(state, theirs)
            assert one == other
            if quiet == 40:  # plies without a capture
                assert (found, both.theirs.value(theirs)) == ({}, 0)
                ends.add("draw")
                break
            assert ours.keys() == found.keys()
            assert both.ours.to_move(state) == both.theirs.to_move(theirs)
            several += any(len(path) > 2 for path in ours)
            if not ours:
                assert both.ours.value(state) == both.theirs.value(theirs) == -1
                ends.add("no moves")
                break
            seen[state] += 1
            thrice += seen[state] == 3  # and play goes on
            path = rng.choice(sorted(ours))
            quiet = 0 if both.ours.irreversible(state, ours[path]) == 2 else quiet + 1
            state, theirs = both.ours.play(state, ours[path]), found[path]
    assert several > matches
    assert thrice
    assert ends == {"draw", "no moves"}


def test_jumps_are_plies_of_their_own_so_that_lines_of_checkers_differ_from_the_seventh_ply_on(spiel):
    both = Checkers(spiel)
    theirs = [*perft(both.theirs, both.theirs.initial(), 7)]
    assert theirs[:6] == [7, 49, 302, 1469, 7361, 36768]  # as published
    assert theirs[6] == 179255
    assert [*perft(both.ours, both.ours.initial(), 7)][6] == 179740  # as published


# --- matches ----------------------------------------------------------------------------------------------


def entered(entries):
    return [word for entry in entries for word in ("--entry", entry)]


@pytest.mark.parametrize("text", ["tic_tac_toe", pytest.param("checkers", marks=pytest.mark.slow)])
def test_two_workers_play_what_one_plays(tmp_path, env, text):
    played = []
    for workers in ("1", "2"):
        options = ("--rounds", "2", "--seed", "3", "--workers", workers, "--db", f"{workers}.db")
        arena(tmp_path, "tournament", "--game", f"openspiel:load={text}", *entered(ENTRIES), *options, **env)
        played.append(rows(tmp_path / f"{workers}.db"))
    assert played[0] == played[1]
    assert len(played[0]["matches"]) == 2 * 5 * 4


@pytest.mark.slow
def test_search_to_the_end_draws_and_nobody_beats_it(tmp_path, env):
    entries = ("alpha-beta:depth=9", "minimax:depth=9")
    args = ("--game", "openspiel:load=tic_tac_toe", "--matches", "4", "--seed", "1", "--json")
    both = json.loads(arena(tmp_path, "match", *entries, *args, **env).stdout)
    assert [row["draws"] for row in both["pairings"]] == [2, 2]


def test_tables_learn_and_are_recalled(tmp_path, env):
    game = ("--game", "openspiel:load=tic_tac_toe")
    entry = "q-table:episodes=1000,seed=9"
    learned = json.loads(arena(tmp_path, "train", entry, *game, "--json", **env).stdout)
    assert learned["wins"] + learned["draws"] + learned["losses"] == 1000
    said = arena(tmp_path, "match", entry, "random", *game, "--matches", "60", "--seed", "1", "--json", **env)
    assert "Training" not in said.stderr
    _, second = json.loads(said.stdout)["pairings"]
    assert second["losses"] > second["wins"]  # who moves first at random wins twice as often, against chance


@pytest.mark.slow
def test_agents_behind_walls_play_the_same(tmp_path, env):
    found = []
    for walls in ("--isolate", "--no-isolate"):
        args = ("--game", "openspiel:load=connect_four", "--matches", "4", "--seed", "1", "--record")
        database = f"{walls.strip('-')}.db"
        entries = ("random", "openspiel-mcts:simulations=20")
        arena(tmp_path, "match", *entries, *args, walls, "--db", database, **env)
        found.append(rows(tmp_path / database)["matches"])
    assert found[0] == found[1]


def test_bots_of_openspiel_play(spiel):
    from arena_openspiel.bots import RegisteredBot, SpielBot

    class Last(SpielBot):
        """Plays the last legal action, whoever it is."""

        def make_bot(self, player, seed):
            return LastBot()

    class LastBot:
        def step(self, state):
            return state.legal_actions()[-1]

    game = spiel("chess")  # whose first player is OpenSpiel's second
    first, last = RegisteredBot(game, load="fixed_action_preference"), Last(game)
    for agent, place in ((first, 0), (last, -1)):
        agent.begin(0)
        moves = game.moves(game.initial())
        assert agent.choose(game.initial(), moves, Rng(1)) == moves[place]
    check_agent(RegisteredBot, spiel("tic_tac_toe"), matches=2, options={"load": "uniform_random"})


# --- what is told -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "kuhn_poker",
            "'kuhn_poker' cannot be played: it is not without chance and not of perfect information; ",
        ),
        ("matrix_cd", "it is not sequential and not of perfect information and not zero-sum; "),
        ("chinese_checkers(players=3)", "it is not for two players; "),
        ("cliff_walking", "not for two players and not zero-sum and not rewarded at its end alone; "),
        ("chess(chess960=true)", "it is not without chance; 'arena openspiel' lists games that are"),
        ("tic_tac_to", "OpenSpiel has no game called 'tic_tac_to', did you mean 'tic_tac_toe'?"),
        (
            "go(bord_size=5)",
            "OpenSpiel cannot make 'go(bord_size=5)': Unknown parameter 'bord_size'. Available",
        ),
        (
            "go(board_size=500)",
            "'go(board_size=500)': The current Go implementation supports board size up to 19.",
        ),
        ("efg_game", "OpenSpiel cannot make 'efg_game': "),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(spiel, capfd, text, said):
    from arena import ArenaError

    with pytest.raises(ArenaError) as refused:
        spiel(text)
    assert said in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
    assert capfd.readouterr() == ("", "")


def test_the_command_line_tells_it_in_one_line(tmp_path, env):
    for words, said in [
        (("match", "random", "first", "--game", "openspiel:load=hearts"), "Error: 'hearts' cannot be played"),
        (("match", "random", "first", "--game", "openspiel"), "Error: openspiel needs the option 'load'"),
        (("match", "random", "psv", "--game", "openspiel:load=nim"), "Error: psv needs grid"),
        (("match", "random", "openspiel-mcts"), "Error: openspiel-mcts needs spiel_game"),
        (
            ("match", "random", "openspiel-bot:load=uniform", "--game", "openspiel:load=nim"),
            "Error: OpenSpiel has no bot called 'uniform', did you mean",
        ),
    ]:
        refused = arena(tmp_path, *words, status=1, **env).stderr
        assert refused.startswith(said)
        assert len(refused.splitlines()) == 1


def test_a_command_lists_the_games_and_the_readme_those_that_were_checked(tmp_path, env):
    listed = [line.split()[0] for line in arena(tmp_path, "openspiel", **env).stdout.splitlines()]
    assert {"openspiel:load=chess", "openspiel:load=go", "openspiel:load=tic_tac_toe"} <= {*listed}
    assert not {"openspiel:load=hearts", "openspiel:load=backgammon", "openspiel:load=dark_chess"} & {*listed}
    told = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    checked = {text.partition("(")[0] for text in GAMES} - {"misere", "start_at"}
    assert all(f"`{name}`" in told for name in checked)


def test_help_does_not_load_openspiel(tmp_path, env):
    """Nor does what plays another game."""
    (tmp_path / "pyspiel.py").write_text("raise RuntimeError('loaded')")
    path = os.pathsep.join([str(tmp_path), env["PYTHONPATH"]])
    assert "openspiel" in arena(tmp_path, "--help", PYTHONPATH=path).stdout
    arena(tmp_path, "match", "random", "first", "--matches", "2", PYTHONPATH=path)


# --- installed --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_example_installs_plays_elsewhere_and_uninstalls(installed):
    if installed.lacks("open_spiel"):
        pytest.skip("there is no wheel of open_spiel to be had")
    installed.run("python", "-m", "pip", "install", "--quiet", str(EXAMPLE))
    assert "openspiel-mcts" in installed.agents()
    game = "openspiel:load=(go(board_size=5))"
    assert "keeps" in installed.run("arena", "check", game, "--matches", "5", "--positions", "50").stdout
    entries = ("random", "openspiel-mcts:simulations=50")
    installed.run("arena", "tournament", "--game", game, *entered(entries), "--rounds", "5", "--seed", "1")
    board = installed.told("leaderboard", game)
    assert [row["entry"] for row in board] == [*reversed(entries)]  # search beats chance
    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-openspiel", "open_spiel")
    assert "openspiel-mcts" not in installed.agents()
    assert "openspiel" not in installed.run("arena", "games").stdout
    refused = installed.run("arena", "match", "random", "first", "--game", game, status=1)
    assert refused.stderr.startswith("Error: no game called 'openspiel'")
    assert len(refused.stderr.splitlines()) == 1

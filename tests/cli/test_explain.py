"""What agents say of their moves: true, what they go by, and told so that people and programs can read it."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pytest

from arena import Agent, ArenaError, Game, Reason, Rng, View
from arena.api.answers import views
from arena.compiler import is_compiled, plainly
from arena.registry.plugins import registry
from arena.rng import derive
from arena.testing import check_agent
from commands import arena
from searching import agent, game_called, positions, value_of
from tiers import slow, tiers

GAMES = ["tic-tac-toe", "connect-four", "checkers", "checkers-4x4"]
LEARNED = ["tic-tac-toe", "connect-four", "checkers-4x4"]  # games of which a few episodes teach something
SEARCHES = [
    "minimax:depth=3,wins=soonest",
    "alpha-beta:depth=3",
    "alpha-beta:depth=3,ties=first,ordering=false",
    "alpha-beta:depth=3,ties=first,deepening=true,table=1000",
    "alpha-beta:nodes=300",
    "alpha-beta:nodes=300,table=1000",
]
OTHERS = [
    "greedy",
    "greedy:ties=first",
    "minimax:depth=2",
    "minimax:depth=2,ties=first",
    "alpha-beta:depth=2,wins=any",
    "alpha-beta:nodes=10",
    "alpha-beta:depth=4,table=1000,deeper=true,deepening=true",
]


def pupil(text: str, game: Game, episodes: int) -> Agent:
    """A learner after so many episodes."""
    spec = registry().spec("agent", f"{text}{',' if ':' in text else ':'}episodes={episodes}")
    made = spec.cls(game, **spec.values)
    made.learn_many(range(episodes), [0, 0, 0])
    return made


COMPILED = [(text, name, True) for text in SEARCHES[:4] for name in GAMES]
COMPILED += [(text, "connect-four", True) for text in [*SEARCHES[4:], *OTHERS]]
PLAIN = [(text, name, False) for text in SEARCHES for name in GAMES]
PLAIN += [(text, name, False) for text in OTHERS for name in GAMES if name != "checkers"]  # all alike there
WAYS = COMPILED + PLAIN


def running(compiled: bool):
    """Where agents run compiled, or not."""
    return nullcontext() if compiled else plainly()


def goes_by_what_it_says(player: Agent, seed: int, number: int) -> int:
    """Asserts that; gives in how many of so many positions there was more than one score."""
    game, told_apart = player.game, 0
    for i, state in enumerate(positions(game, number, seed)):
        moves = game.moves(state)
        given = views(player, state, moves)
        assert len(given) == len(moves)
        player.begin(game.to_move(state))
        move = player.choose(state, list(moves), Rng(derive(seed, i)))
        known = [view.score for view in given if view.score is not None]
        if known:
            assert given[moves.index(move)].score == max(known)
        told_apart += len({view.score for view in given}) > 1
    return told_apart


@pytest.mark.parametrize(
    ("text", "name", "compiled"),
    tiers(
        WAYS,
        quick=[("minimax:depth=3,wins=soonest", "tic-tac-toe", True)],
        slow=[
            "minimax:depth=3,wins=soonest",
            "alpha-beta:depth=3,ties=first,deepening=true,table=1000",
            "greedy",
            "minimax:depth=2,ties=first",
        ],
    ),
)
def test_the_move_chosen_is_among_those_of_the_best_score(text, name, compiled):
    with running(compiled):
        player = agent(text, game_called(name))
        assert is_compiled(player) is compiled
        assert goes_by_what_it_says(player, 3, 200 if compiled else 20) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "compiled"),
    tiers([("tic-tac-toe", True), *((name, False) for name in LEARNED)], quick=["tic-tac-toe"]),
)
@pytest.mark.parametrize("text", ["q-table", *slow("double-q", "q-table:ties=random,symmetries=false")])
def test_so_it_is_where_it_was_learned(text, name, compiled):
    with running(compiled):
        player = pupil(text, game_called(name), 2000 if compiled else 50)
        assert goes_by_what_it_says(player, 4, 200 if compiled else 40) > 0


@pytest.mark.parametrize(
    ("text", "name", "compiled"),
    tiers(
        [way for way in WAYS if way[0] in SEARCHES],
        quick=[("minimax:depth=3,wins=soonest", "tic-tac-toe", True)],
        slow=[
            "minimax:depth=3,wins=soonest",
            "alpha-beta:depth=3,ties=first,deepening=true,table=1000",
            "alpha-beta:nodes=300,table=1000",
        ],
    ),
)
def test_every_move_has_the_value_that_is_defined_at_the_depth_that_is_told(text, name, compiled):
    game, depths = game_called(name), set()
    player = agent(text, game)
    for state in positions(game, 40 if compiled else 10, seed=5):
        moves = game.moves(state)
        with running(compiled):
            given = views(player, state, moves)
        depths |= {view.facts.get("depth", 3) for view in given}
        assert [view.score for view in given] == [
            value_of(game, state, move, view.facts.get("depth", 3))
            for move, view in zip(moves, given, strict=True)
        ]
    assert len(depths) > 1 if "nodes" in text else depths == {3}


def test_an_evaluation_that_depends_on_where_the_search_began_counts_from_the_position_explained():
    game = game_called("checkers")
    player = agent("alpha-beta:depth=3,evaluation=material", game)
    judge = registry().spec("evaluation", "material").make(game)
    for state in positions(game, 40, seed=6):
        judge.root(state)
        moves = game.moves(state)
        expected = [value_of(game, state, move, 3, judge.evaluate) for move in moves]
        assert [view.score for view in views(player, state, moves)] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("text", tiers([*SEARCHES, *OTHERS], quick=["minimax:depth=3,wins=soonest"]))
def test_compiled_and_plain_agents_say_the_same(text):
    game = game_called("connect-four")
    compiled, plain = agent(text, game), agent(text, game)
    for state in positions(game, 5, seed=7):
        moves = game.moves(state)
        said = views(compiled, state, moves)
        with plainly():
            assert views(plain, state, moves) == said


def said(text: str, position: str, name: str = "tic-tac-toe") -> dict[str, View]:
    """What an agent says, by the text of the move."""
    game = game_called(name)
    player = agent(text, game)
    state = game.read_position(position)
    moves = game.moves(state)
    return dict(zip(map(game.move_text, moves), views(player, state, moves), strict=True))


@pytest.mark.parametrize("text", ["minimax:wins=soonest", "alpha-beta", "alpha-beta:ties=first"])
def test_lost_and_won_positions_are_told_in_words_with_the_plies_to_go(text):
    """O, who leaves 9 open, is mated there at once; at 9 X makes a fork at 4 and 7, or at 3 and 4."""
    verdicts = {move: view.verdict for move, view in said(text, "XO..X....").items()}
    assert verdicts.pop("9") == "lost in 4 plies"
    assert verdicts == dict.fromkeys("34678", "lost in 2 plies")
    won = said(text, "XX.OO....")
    assert won["3"].verdict == "won in 1 ply"
    assert won["7"].verdict == "lost in 2 plies"


@pytest.mark.slow
def test_where_the_sooner_win_is_no_better_it_is_just_won():
    assert {move: view.verdict for move, view in said("minimax", "XX.OO....").items()}["3"] == "won"
    assert said("alpha-beta:wins=any", "XX.OO....")["7"].verdict == "lost"
    assert said("greedy", "XX.OO....")["3"].verdict == "won"
    assert said("greedy", "XX.OO....")["7"].verdict == ""  # it does not look that far


@pytest.mark.slow
def test_moves_that_a_budget_leaves_unseen_have_no_score():
    """Three positions may be visited, those after the first three moves."""
    given = list(said("alpha-beta:nodes=3", ".........").values())
    assert [view.score is None for view in given] == [False] * 3 + [True] * 6
    assert all(view.facts["depth"] == 0 for view in given)


def test_learned_values_are_told_and_whether_the_position_is_known():
    """Of the corners' one value, set by hand, and of what is not known."""
    game = game_called("tic-tac-toe")
    start = game.initial()
    moves = game.moves(start)
    corner = min(game.image(game.play(start, moves[0]), i) for i in range(game.symmetries))
    player = registry().spec("agent", "double-q").cls(game)
    player.recall({"states": np.array([corner]), "values": np.array([[0.5, 0.25]])})
    given = {game.move_text(m): v for m, v in zip(moves, views(player, start, moves), strict=True)}
    for move in "1379":
        assert given[move].facts == {"score": 0.375, "first": 0.5, "second": 0.25, "known": True}
    for move in "24568":
        assert given[move].facts == {"score": 0, "first": 0, "second": 0, "known": False}


# --- the command ----------------------------------------------------------------------------------------


def test_the_command_tells_all_moves_the_best_first_and_marks_the_one_that_is_made(tmp_path):
    lines = arena(tmp_path, "explain", "alpha-beta", "--position", "XX.OO....").stdout.splitlines()
    assert lines[:5] == [
        "X X .",
        "O O .",
        ". . .",
        "XX.OO....: X to move; alpha-beta plays 3",
        "   move            score  depth",
    ]
    assert lines[5].split() == ["→", "3", "won", "in", "1", "ply", "9"]
    assert sorted(line.split()[0] for line in lines[6:]) == ["6", "7", "8", "9"]


@pytest.mark.slow
def test_of_moves_as_good_the_one_that_is_made_comes_first_and_the_seed_decides(tmp_path):
    entry = "minimax:depth=1,evaluation=none"
    told = [arena(tmp_path, "explain", entry, "--seed", seed).stdout for seed in ("1", "0", "1")]
    assert told[0] == told[2]
    made = [out.splitlines()[5].split()[1] for out in told]
    assert made[0] != made[1]
    assert all(f"plays {move}\n" in out for move, out in zip(made, told, strict=True))


def test_json_has_the_moves_in_the_games_order(tmp_path):
    args = (
        "explain",
        "alpha-beta:wins=soonest",
        "--game",
        "tic-tac-toe",
        "--position",
        "XX.OO....",
        "--json",
    )
    told = json.loads(arena(tmp_path, *args).stdout)
    assert {name: told[name] for name in ("entry", "game", "state", "move")} == {
        "entry": "alpha-beta",
        "game": "tic-tac-toe",
        "state": "XX.OO....",
        "move": "3",
    }
    assert [move["move"] for move in told["moves"]] == ["3", "6", "7", "8", "9"]
    assert told["moves"][0] == {
        "move": "3",
        "score": 1e15 + 8,
        "depth": 9,
        "verdict": "won in 1 ply",
        "reasons": [],
    }


ADVISER = """
import numpy as np
from arena import Agent, Reason, View, hookimpl, option

class Adviser(Agent):
    "Moves as it did where fewer were left, the last of them."
    fault: str = option("none", "what it does wrong")

    def choose(self, state, moves, rng):
        print("thinking")
        if self.fault == "choice":
            return 77
        return moves[-1]

    def explain(self, state, moves):
        print("explaining")
        if self.fault == "raises":
            raise ZeroDivisionError("by nothing")
        if self.fault == "fewer":
            return [View({"score": 1})]
        if self.fault == "endless":
            return [View({"score": float("inf")})] * len(moves)
        if self.fault == "nameless":
            return [View({"worth": 1})] * len(moves)
        if self.fault == "silent":
            return []
        game, given = self.game, []
        for number, move in enumerate(moves):
            known = game.read_position("XOX.O....")
            reasons = [Reason(known, m, {"value": 0.5, "votes": 1200 * m}) for m in game.moves(known)]
            facts = {"score": number, "votes": np.int64(1000 * number), "known": np.True_}
            given.append(View(facts, reasons=reasons))
        return given

@hookimpl
def register_agents(register):
    register("adviser", "adviser:Adviser")
"""


def test_reasons_are_drawn_for_the_best_moves(tmp_path, plugin):
    out = arena(tmp_path, "explain", "adviser", "--best", "2", "--reasons", "1", **plugin(adviser=ADVISER))
    lines = out.stdout.splitlines()
    assert lines[4:7] == [
        "   move  score  votes  known",
        "→  9         8  8,000    yes",
        "   8         7  7,000    yes",
    ]
    assert lines[lines.index("") :] == [
        "",
        "9, because of",
        "X O X",
        ". O .",
        ". . .",
        "XOX.O....: 4 (value 0.5, votes 3,600)",
        "",
        "8, because of",
        "X O X",
        ". O .",
        ". . .",
        "XOX.O....: 4 (value 0.5, votes 3,600)",
    ]
    assert "thinking" not in out.stdout


def test_json_has_all_reasons(tmp_path, plugin):
    out = arena(tmp_path, "explain", "adviser", "--best", "0", "--json", **plugin(adviser=ADVISER)).stdout
    moves = json.loads(out)["moves"]
    assert len(moves) == 9
    for number, move in enumerate(moves):
        assert (move["score"], move["votes"], move["known"]) == (number, 1000 * number, True)
        assert [reason["move"] for reason in move["reasons"]] == ["4", "6", "7", "8", "9"]
        assert move["reasons"][0] == {"state": "XOX.O....", "move": "4", "value": 0.5, "votes": 3600}


FAULTS = [
    ("random", "'random' does not explain its moves", 1),
    ("adviser:fault=silent", "'adviser:fault=silent' does not explain its moves", 1),
    ("adviser:fault=raises", "adviser:fault=raises fails: ZeroDivisionError: by nothing", 1),
    ("adviser:fault=fewer", "adviser:fault=fewer explains 1 of 9 moves; return a View for each", 1),
    ("adviser:fault=endless", "explains 1 by score inf; return a finite number, or None", 1),
    ("adviser:fault=nameless", "explains 1 by facts ['worth']; begin with 'score'", 1),
    ("adviser:fault=choice", "adviser:fault=choice plays 77, which is not a move in this position", 1),
    ("minimax --position XXXOO....", "tic-tac-toe is over in 'XXXOO....', X has won; name a position", 1),
    ("minimax --position XXO", "'XXO'", 1),
    ("minimax --game tictactoe", "'tictactoe', did you mean 'tic-tac-toe'?", 1),
    ("minimaks", "'minimaks', did you mean 'minimax'?", 1),
    ("greedy:evaluation=material", "material needs enemy_half", 1),
    ("minimax --seed -1", "-1 is not in the range", 2),
]


@pytest.mark.parametrize(("args", "named", "status"), tiers(FAULTS, quick=["random"]))
def test_what_is_wrong_is_told_in_one_line(tmp_path, plugin, args, named, status):
    error = arena(tmp_path, "explain", *args.split(), status=status, **plugin(adviser=ADVISER)).stderr
    (line,) = [line for line in error.splitlines() if line not in ("thinking", "explaining")]
    assert line.startswith("Error: ")
    assert named in line


@pytest.mark.slow
def test_a_learner_is_trained_before_it_explains(tmp_path):
    models = {"ARENA_MODELS": str(tmp_path / "models")}
    args = ("explain", "q-table:episodes=200", "--position", "XX.OO....")
    first = arena(tmp_path, *args, **models)
    listed = json.loads(arena(tmp_path, "models", "list", "--json", **models).stdout)
    assert [model["agent"] for model in listed] == ["q-table:episodes=200"]
    again = arena(tmp_path, *args, **models)
    assert again.stdout == first.stdout
    assert "known" in again.stdout.splitlines()[4]


def test_what_does_not_say_why_is_not_trained_for_it(tmp_path, plugin):
    source = "from arena import Learner, hookimpl\nclass Mute(Learner):\n    'Says nothing.'\n"
    source += "@hookimpl\ndef register_agents(register):\n    register('mute', 'mute:Mute')\n"
    said = arena(tmp_path, "explain", "mute", status=1, **plugin(mute=source)).stderr
    assert said == "Error: 'mute' does not explain its moves\n"


def test_help_imports_no_compiler_and_no_agent(tmp_path):
    code = (
        "import sys\nfrom arena.cli import main\n"
        "try: main(['explain', '--help'])\nexcept SystemExit: pass\n"
        "print([m for m in sys.modules if m.startswith(('llvmlite', 'arena_agents.', 'arena_games.'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


# --- the conformance kit --------------------------------------------------------------------------------


class Says(Agent):
    """Plays the last move, which it finds best."""

    def choose(self, state, moves, rng):
        return moves[-1]

    def explain(self, state, moves):
        return [View({"score": move}) for move in moves]


class Liar(Says):
    """Plays the last move, and finds the first best."""

    def explain(self, state, moves):
        return [View({"score": -move}) for move in moves]


class Lucky(Liar):
    """Throws dice, and so may play otherwise than it finds best."""

    def choose(self, state, moves, rng):
        return rng.choice(moves)


class Forgetful(Says):
    """Explains one move."""

    def explain(self, state, moves):
        return [View({"score": 1})]


class Moody(Says):
    """Finds moves better each time it is asked."""

    asked = 0

    def explain(self, state, moves):
        self.asked += 1
        return [View({"score": move + self.asked}) for move in moves]


class Changed(Says):
    """Plays the first move once it has explained itself."""

    pick = -1

    def choose(self, state, moves, rng):
        return moves[self.pick]

    def explain(self, state, moves):
        self.pick = 0
        return [View({"score": -move}) for move in moves]


class Inventive(Says):
    """Gives reasons that cannot have been."""

    def explain(self, state, moves):
        return [View({"score": move}, reasons=[Reason(state, 99, {})]) for move in moves]


class Empty(Says):
    """Has no number for it."""

    def explain(self, state, moves):
        return [View({"score": float("nan")}) for move in moves]


FAULTY = {
    Liar: "plays 9, scored -8, but the best score is 0",
    Forgetful: "Forgetful explains 1 of 9 moves",
    Moody: "explains its moves differently when called again",
    Changed: "after explaining its moves",
    Inventive: "a reason with move 99 in ",
    Empty: "score nan; return a finite number",
}


@pytest.mark.parametrize("cls", [Says, Lucky], ids=lambda cls: cls.__name__)
def test_an_agent_that_goes_by_what_it_says_conforms(cls):
    check_agent(cls, game_called("tic-tac-toe"))


@pytest.mark.slow
@pytest.mark.parametrize("cls", tiers(FAULTY, quick=["Liar"]), ids=lambda cls: cls.__name__)
def test_one_that_does_not_is_told_so(cls):
    with pytest.raises(AssertionError) as told:
        check_agent(cls, game_called("tic-tac-toe"))
    assert FAULTY[cls] in str(told.value)


def test_nothing_but_views_is_taken():
    class Talker(Says):
        def explain(self, state, moves):
            return ["good"] * len(moves)

    game = game_called("tic-tac-toe")
    with pytest.raises(ArenaError, match="Talker explains 1 by 'good'; return a View"):
        views(Talker(game), game.initial(), game.moves(game.initial()))

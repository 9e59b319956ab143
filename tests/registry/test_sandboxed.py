"""An agent in a sandboxed process is asked as any, and what it answers is checked."""

from __future__ import annotations

import pytest

import arena
from arena.api.answers import Unsaid, probabilities, views
from arena.calls.arguments import agent_spec, known_with
from arena.errors import ArenaError, Reported
from arena.registry import gate
from arena.registry.file import File
from arena.rng import Rng
from arena_agents.tabular.q_backprop import QBackprop
from tiers import tiers

START = "from arena import Agent, Learner, View\nimport os\n"
GOOD = (
    START
    + """
class Good(Agent):
    "Plays the last move of which it says all."
    def choose(self, state, moves, rng):
        self.move_usage = {"nodes": 3}
        rng.random()
        return moves[-1]
    def distribution(self, state, moves):
        return [0.0] * (len(moves) - 1) + [1.0]
    def explain(self, state, moves):
        return [View({"score": float(i), "depth": 2}, "\\x1b[31mwon") for i in range(len(moves))]
"""
)
METHODS = {
    "choose": "        return moves[0]",
    "distribution": "        return None",
    "explain": "        return ()",
}
LIES = {  # a method, what it does, what is raised where it is asked
    "ends": ("choose", "os._exit(3)", "ended itself with status 3"),
    "raises": ("choose", "raise ValueError('a\\nb')", "ValueError: a b"),
    "has more probabilities": ("distribution", "return [1.0] * 20", "20 probabilities for 9 moves"),
    "has others": ("distribution", "return [2.0] + [0.0] * 8", "not probabilities that sum to 1"),
    "explains another number": ("explain", "return [View({'score': 1.0})]", "explains 1 of 9 moves"),
    "says nothing": ("distribution", "return None", "does not report the probabilities"),
}
# code that finds the function that sends answers, and has it send something else
SENDS = """
        import arena.registry.sandbox_worker as worker
        plain = worker.tell
        worker.tell = lambda pipe, message: {}
        return moves[0]
"""
FORGED = {
    "no message": "pipe.send_bytes(b'x' * 9)",
    "nothing": "pipe.send_bytes(b'')",
    "an endless message": "os.write(pipe.fileno(), b'\\x7f\\xff\\xff\\xff' + b'x' * 99)",
    "a negative length": "os.write(pipe.fileno(), b'\\xff\\xff\\xff\\xff')",
    "another type": "plain(pipe, worker.Value(b'\\xa1x'))",
    "a pickle": "pipe.send_bytes(__import__('pickle').dumps(print))",
    "the end": "os.close(pipe.fileno())",
}


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Makes the agent of a file's text, for tic-tac-toe."""
    monkeypatch.chdir(tmp_path)

    def make(text, game="tic-tac-toe"):
        (tmp_path / "bot.py").write_text(text)
        known = known_with(["bot.py"])
        return agent_spec("bot.py", known).build(known.spec("game", game).make())

    return make


def of_methods(**bodies):
    """A file of an agent with these methods."""
    text = START + "class Bot(Agent):\n    'Bot.'\n"
    for name, body in {"choose": METHODS["choose"], **bodies}.items():
        text += f"    def {name}(self, state, moves{', rng' * (name == 'choose')}):\n{body}\n"
    return text


def asked(agent, method):
    """What a method of an agent says at the start of the game."""
    state = agent.game.initial()
    moves = list(agent.game.moves(state))
    if method == "choose":
        return agent.choose(state, moves, Rng())
    return {"distribution": probabilities, "explain": views}[method](agent, state, moves)


def test_it_is_asked_as_any_agent(made):
    agent = made(GOOD)
    state, rng = agent.game.initial(), Rng()
    moves = list(agent.game.moves(state))
    plain = Rng()
    plain.random()
    assert agent.choose(state, moves, rng) == moves[-1]
    assert (rng.stream, agent.move_usage) == (plain.stream, {"nodes": 3.0})
    assert probabilities(agent, state, moves) == [0.0] * 8 + [1.0]
    (*_, last) = views(agent, state, moves)
    assert (last.score, last.facts["depth"], "\x1b" in last.verdict) == (8.0, 2, False)


@pytest.mark.parametrize("lie", tiers(LIES, quick=["ends", "has others"]))
def test_what_is_wrong_with_an_answer_is_told_in_a_line(made, lie):
    method, body, said = LIES[lie]
    agent = made(of_methods(**{method: f"        {body}"}))
    with pytest.raises((Reported, ArenaError, ValueError), match=said) as raised:
        asked(agent, method)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("sent", tiers(FORGED, quick=["a pickle"]))
def test_a_forged_message_costs_the_process_that_sent_it(made, sent):
    agent = made(of_methods(choose=SENDS.format(FORGED[sent])))
    with pytest.raises(Reported, match=r"^(its process|the process|no answer)"):
        asked(agent, "choose")
    with pytest.raises(Reported, match="its process has ended"):
        asked(agent, "choose")


LEARNER = (
    START
    + """
class Learns(Learner):
    "Learns nothing much."
    episodes = 4
    def choose(self, state, moves, rng): return moves[0]
    def learn(self, episode, rng): return 1
    def model(self):
        {model}
    def recall(self, model): pass
    def learn_many(self, numbers, tally):
        {learn}
"""
)
MODELS = {
    "objects": ("import numpy as np; return {'a': np.array([print])}", "returns object for 'a'"),
    "no dictionary": ("return 3", "model returns an int, not a dictionary: name -> value"),
}


@pytest.mark.parametrize("what", tiers(MODELS, quick=[]))
def test_a_model_is_arrays_of_numbers_or_texts(made, what):
    model, said = MODELS[what]
    with pytest.raises(Reported, match=said):
        made(LEARNER.format(model=model, learn="pass")).model()


def test_a_learner_counts_the_episodes_that_it_was_given(made):
    learner = made(LEARNER.format(model="return {}", learn="tally[0] += 10 ** 6"))
    with pytest.raises(Reported, match="reports a different number"):
        learner.learn_many(range(4), [0, 0, 0])


def test_a_class_of_a_file_is_made_nowhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(GOOD)
    spec = agent_spec("bot.py", known_with(["bot.py"]))
    game = arena.Spec("tic-tac-toe", "arena_games.tic_tac_toe:TicTacToe", {}).make()
    with pytest.raises(gate.Unadmitted, match=r"^bot\.py runs only in the sandbox; if you trust it: "):
        spec.load()
    with pytest.raises(gate.Unadmitted):
        File.read("bot.py").load()
    with pytest.raises(ArenaError, match="runs only in the sandbox"):
        spec.cls(game)


def test_what_stands_for_a_file_extends_the_installed_agent_that_it_extends(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(
        "from arena_agents.tabular.q_backprop import QBackprop\nclass Mine(QBackprop):\n    'Mine.'\n"
    )
    spec = agent_spec("bot.py", known_with(["bot.py"]))
    assert issubclass(spec.cls, QBackprop)
    assert agent_spec("psv:learner=bot.py", known_with(["psv:learner=bot.py"])).values["learner"] == spec


def test_who_says_nothing_of_probabilities_is_unsaid(made):
    with pytest.raises(Unsaid):
        asked(made(of_methods(distribution="        return None")), "distribution")

"""arena: tournaments among game-playing programs. All that its users and plugins' authors import is here."""

from __future__ import annotations

from importlib import import_module

from arena.version import __version__

TYPE_CHECKING = False  # as in typing, without its import
if TYPE_CHECKING:
    from arena.analysis.solvers import solver_of
    from arena.api.agent import Agent
    from arena.api.component import Component, compiled
    from arena.api.endings import Endings, Slice
    from arena.api.evaluation import Evaluation
    from arena.api.explanation import Reason, View
    from arena.api.format import FixedFormat, Format, Stage, Standing
    from arena.api.game import Game
    from arena.api.hooks import hookimpl
    from arena.api.learner import Learner
    from arena.api.options import option
    from arena.api.packing import pack_states, unpack_states
    from arena.api.protocol import Protocol
    from arena.api.rating import Rating, RatingSystem, Results, Spread
    from arena.api.solver import Solver
    from arena.api.spec import Spec
    from arena.api.states import States
    from arena.api.table import Table
    from arena.calls.conditions import Conditions
    from arena.commands.check.call import check
    from arena.commands.exact.call import exact
    from arena.commands.exploit.call import exploit
    from arena.commands.export.call import export
    from arena.commands.installed.call import agents, evaluations, formats, games, plugins
    from arena.commands.leaderboard.call import leaderboard
    from arena.commands.match.call import match
    from arena.commands.merge.call import merge
    from arena.commands.new.call import new
    from arena.commands.openings.call import openings
    from arena.commands.play.call import play
    from arena.commands.position.call import perft, position
    from arena.commands.replay.call import replay
    from arena.commands.replay.debug.call import debug
    from arena.commands.replay.explain.call import explain
    from arena.commands.solve.call import solve
    from arena.commands.solve.endings.call import endings
    from arena.commands.tournament.call import resume, tournament
    from arena.commands.tournaments import call as tournaments
    from arena.commands.train.call import train
    from arena.commands.train.curve import curve
    from arena.commands.train.models import call as models
    from arena.commands.tune.call import tune
    from arena.commands.verify.call import verify
    from arena.commands.watch.call import watch
    from arena.errors import ArenaError, Stopped
    from arena.rng import Rng

__all__ = [
    "Agent",
    "ArenaError",
    "Component",
    "Conditions",
    "Endings",
    "Evaluation",
    "FixedFormat",
    "Format",
    "Game",
    "Learner",
    "Protocol",
    "Rating",
    "RatingSystem",
    "Reason",
    "Results",
    "Rng",
    "Slice",
    "Solver",
    "Spec",
    "Spread",
    "Stage",
    "Standing",
    "States",
    "Stopped",
    "Table",
    "View",
    "__version__",
    "agents",
    "check",
    "compiled",
    "curve",
    "debug",
    "endings",
    "evaluations",
    "exact",
    "explain",
    "exploit",
    "export",
    "formats",
    "games",
    "hookimpl",
    "leaderboard",
    "match",
    "merge",
    "models",
    "new",
    "openings",
    "option",
    "pack_states",
    "perft",
    "play",
    "plugins",
    "position",
    "replay",
    "resume",
    "solve",
    "solver_of",
    "tournament",
    "tournaments",
    "train",
    "tune",
    "unpack_states",
    "verify",
    "watch",
]

HOMES = {  # where each name is defined
    # what authors write with
    "Agent": "api.agent",
    "ArenaError": "errors",
    "Component": "api.component",
    "compiled": "api.component",
    "Endings": "api.endings",
    "Slice": "api.endings",
    "Evaluation": "api.evaluation",
    "FixedFormat": "api.format",
    "Format": "api.format",
    "Stage": "api.format",
    "Standing": "api.format",
    "Game": "api.game",
    "hookimpl": "api.hooks",
    "Learner": "api.learner",
    "option": "api.options",
    "pack_states": "api.packing",
    "unpack_states": "api.packing",
    "Protocol": "api.protocol",
    "Rating": "api.rating",
    "RatingSystem": "api.rating",
    "Results": "api.rating",
    "Spread": "api.rating",
    "Conditions": "calls.conditions",
    "Reason": "api.explanation",
    "View": "api.explanation",
    "Rng": "rng",
    "Solver": "api.solver",
    "solver_of": "analysis.solvers",
    "Spec": "api.spec",
    "States": "api.states",
    "Table": "api.table",
    # what callers call, named as the commands are
    "agents": "commands.installed.call",
    "check": "commands.check.call",
    "curve": "commands.train.curve",
    "debug": "commands.replay.debug.call",
    "endings": "commands.solve.endings.call",
    "evaluations": "commands.installed.call",
    "exact": "commands.exact.call",
    "explain": "commands.replay.explain.call",
    "exploit": "commands.exploit.call",
    "export": "commands.export.call",
    "formats": "commands.installed.call",
    "games": "commands.installed.call",
    "leaderboard": "commands.leaderboard.call",
    "match": "commands.match.call",
    "merge": "commands.merge.call",
    "new": "commands.new.call",
    "openings": "commands.openings.call",
    "perft": "commands.position.call",
    "play": "commands.play.call",
    "plugins": "commands.installed.call",
    "position": "commands.position.call",
    "replay": "commands.replay.call",
    "resume": "commands.tournament.call",
    "solve": "commands.solve.call",
    "Stopped": "errors",
    "tournament": "commands.tournament.call",
    "train": "commands.train.call",
    "verify": "commands.verify.call",
    "tune": "commands.tune.call",
    "watch": "commands.watch.call",
}
MODULES = {  # whose functions are what a group of commands does
    "models": "arena.commands.train.models.call",
    "tournaments": "arena.commands.tournaments.call",
}


def __getattr__(name: str) -> object:
    """Each name is imported when it is used, so that commands begin at once."""
    if name in MODULES:
        return import_module(MODULES[name])
    if name in HOMES:
        return getattr(import_module(f"arena.{HOMES[name]}"), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

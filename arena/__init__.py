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
    from arena.errors import ArenaError, Stopped
    from arena.rng import Rng
    from arena.session import models
    from arena.session import recorded as tournaments
    from arena.session.checking import check
    from arena.session.curves import curve
    from arena.session.debugging import debug
    from arena.session.endings import endings
    from arena.session.exact import exact
    from arena.session.explaining import explain
    from arena.session.exploiting import exploit
    from arena.session.exporting import export
    from arena.session.installed import agents, evaluations, formats, games, plugins
    from arena.session.leaderboards import leaderboard
    from arena.session.matches import match
    from arena.session.merging import merge
    from arena.session.openings import openings
    from arena.session.playing import play
    from arena.session.positions import perft, position
    from arena.session.replaying import replay
    from arena.session.scaffolds import new
    from arena.session.solving import solve
    from arena.session.tournaments import resume, tournament
    from arena.session.training import train
    from arena.session.tuning import tune
    from arena.session.verifying import verify
    from arena.session.watching import watch

__all__ = [
    "Agent",
    "ArenaError",
    "Component",
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
    "Reason": "api.explanation",
    "View": "api.explanation",
    "Rng": "rng",
    "Solver": "api.solver",
    "solver_of": "analysis.solvers",
    "Spec": "api.spec",
    "States": "api.states",
    "Table": "api.table",
    # what callers call, named as the commands are
    "agents": "session.installed",
    "check": "session.checking",
    "curve": "session.curves",
    "debug": "session.debugging",
    "endings": "session.endings",
    "evaluations": "session.installed",
    "exact": "session.exact",
    "explain": "session.explaining",
    "exploit": "session.exploiting",
    "export": "session.exporting",
    "formats": "session.installed",
    "games": "session.installed",
    "leaderboard": "session.leaderboards",
    "match": "session.matches",
    "merge": "session.merging",
    "new": "session.scaffolds",
    "openings": "session.openings",
    "perft": "session.positions",
    "play": "session.playing",
    "plugins": "session.installed",
    "position": "session.positions",
    "replay": "session.replaying",
    "resume": "session.tournaments",
    "solve": "session.solving",
    "Stopped": "errors",
    "tournament": "session.tournaments",
    "train": "session.training",
    "verify": "session.verifying",
    "tune": "session.tuning",
    "watch": "session.watching",
}
MODULES = {  # whose functions are what a group of commands does
    "models": "arena.session.models",
    "tournaments": "arena.session.recorded",
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

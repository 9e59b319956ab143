"""arena: tournaments among game-playing programs. The public names for users and plugin authors."""

from __future__ import annotations

from importlib import import_module

from arena.version import __version__

TYPE_CHECKING = False  # as in typing, without its import
if TYPE_CHECKING:
    from arena.analysis.graph import Graph, graph_of
    from arena.analysis.halving import Round as HalvingRound
    from arena.analysis.policy import policy
    from arena.analysis.solvers import solver_of
    from arena.analysis.solving import Worth
    from arena.analysis.spsa import Parameter
    from arena.analysis.tuning import Confirmation
    from arena.api.agent import Agent, Evaluation
    from arena.api.answers import Unsaid
    from arena.api.component import Component, compiled, unchecked
    from arena.api.drawing import Drawing, Hands, Heaps, Hexagons, Picture, Place, Points, Squares
    from arena.api.endings import Endings, Slice, probe
    from arena.api.explanation import Facts, Reason, View
    from arena.api.format import FixedFormat, Format, Stage, Standing
    from arena.api.game import Game, Move, State
    from arena.api.hooks import Register, hookimpl
    from arena.api.learner import Arrays, Learner, Tally
    from arena.api.lines import read_word, words_of
    from arena.api.options import Configurable, Option, option
    from arena.api.packing import pack_states, unpack_states
    from arena.api.protocol import Protocol
    from arena.api.rating import Rating, RatingSystem, Results, Spread
    from arena.api.solver import Solver
    from arena.api.spec import Spec
    from arena.api.table import States, Table, store
    from arena.api.tagged import tagged_text
    from arena.api.words import bits, lowest, popcount
    from arena.calls.arguments import ConditionKeywords, Conditions, Entries, Entry, GameEntry
    from arena.calls.execution import ExecutorEntry
    from arena.calls.results import (
        ExactMatch,
        ExactPairing,
        Forfeit,
        Leaderboard,
        Leaderboards,
        Listing,
        Match,
        Pairing,
        Tested,
        Tournament,
        Usage,
    )
    from arena.commands.check.call import Checked, check
    from arena.commands.coach.call import coach
    from arena.commands.coach.result import (
        Accuracy,
        Chances,
        Coaching,
        HardOpponent,
        Mistake,
        MistakeKind,
        QuickLoss,
        WeakOpening,
    )
    from arena.commands.compare.call import compare
    from arena.commands.compare.result import Comparison, GamePoints, MethodDifference, MethodScore
    from arena.commands.exact.call import exact
    from arena.commands.exploit.call import exploit
    from arena.commands.exploit.result import BestReply, Exploited
    from arena.commands.export.call import Export, export
    from arena.commands.installed.call import (
        Installed,
        InstalledList,
        OptionFacts,
        PluginList,
        agents,
        evaluations,
        formats,
        games,
        plugins,
    )
    from arena.commands.leaderboard.call import leaderboard
    from arena.commands.match.call import match
    from arena.commands.merge.call import Merge, Merged, merge
    from arena.commands.new.call import Scaffold, new
    from arena.commands.openings.book import Book
    from arena.commands.openings.call import openings
    from arena.commands.play.call import Play, play
    from arena.commands.position.call import Position, perft, position
    from arena.commands.replay.call import Ply, Replay, replay
    from arena.commands.replay.debug.call import Replayed, debug
    from arena.commands.replay.explain.call import Explanation, explain
    from arena.commands.season import seasons
    from arena.commands.season.call import season
    from arena.commands.season.result import PlayerStatus, SeasonHistory, SeasonPreview, SeasonStandings
    from arena.commands.season.view import SeasonRow
    from arena.commands.solve.call import Solved, solve
    from arena.commands.solve.endings.call import Built, SliceRow, endings
    from arena.commands.tournament.call import resume, tournament
    from arena.commands.tournament.standings import Standings
    from arena.commands.tournaments import call as tournaments
    from arena.commands.tournaments.call import MoveUsage, Recorded
    from arena.commands.tournaments.faults import Fault, Faults
    from arena.commands.train.call import Trained, train
    from arena.commands.train.curve import LearningCurve, curve
    from arena.commands.train.models import call as models
    from arena.commands.train.models.call import Imported, KeptModel, ModelFacts, ModelList
    from arena.commands.tune.call import tune
    from arena.commands.tune.learner_result import TunedLearner
    from arena.commands.tune.result import Tuned
    from arena.commands.verify.call import verify
    from arena.commands.verify.result import Difference, Unread, Unrepeated, Verification
    from arena.commands.watch.call import watch
    from arena.compiler import is_compiled
    from arena.errors import ArenaError, Renamed, Reported, Stopped, Untrained, did_you_mean, safe_text
    from arena.matches.match import Player
    from arena.ratings.caveat_texts import Doubted
    from arena.ratings.contestants import Unrated, Which
    from arena.ratings.control_variates import Controlled, Estimate
    from arena.ratings.opening_worth import OpeningWorth
    from arena.ratings.over_seeds import Interval
    from arena.ratings.over_seeds import Mean as MeanOverSeeds
    from arena.ratings.row import Row
    from arena.ratings.sprt import Sprt
    from arena.ratings.verdict import Verdict
    from arena.registry.distributions import Plugin
    from arena.results.curve_row import Row as CurveRow
    from arena.results.exact import AgainstPerfect
    from arena.results.fault_story import Story
    from arena.results.record import Record, Used
    from arena.results.settings import Published as PublishedResult
    from arena.results.settings import Settings
    from arena.rng import Rng, derive, hash_move, hash_state, text_word
    from arena.show.terminal.dialogue import Dialogue, Quit
    from arena.show.terminal.screen import Screen
    from arena.storage.database import Tournament as StoredTournament
    from arena.storage.model_file import About
    from arena.storage.season import Step as SeasonStep
    from arena.testing.promise import Finding

__all__ = [
    "About",
    "Accuracy",
    "AgainstPerfect",
    "Agent",
    "ArenaError",
    "Arrays",
    "BestReply",
    "Book",
    "Built",
    "Chances",
    "Checked",
    "Coaching",
    "Comparison",
    "Component",
    "ConditionKeywords",
    "Conditions",
    "Configurable",
    "Confirmation",
    "Controlled",
    "CurveRow",
    "Dialogue",
    "Difference",
    "Doubted",
    "Drawing",
    "Endings",
    "Entries",
    "Entry",
    "Estimate",
    "Evaluation",
    "ExactMatch",
    "ExactPairing",
    "ExecutorEntry",
    "Explanation",
    "Exploited",
    "Export",
    "Facts",
    "Fault",
    "Faults",
    "Finding",
    "FixedFormat",
    "Forfeit",
    "Format",
    "Game",
    "GameEntry",
    "GamePoints",
    "Graph",
    "HalvingRound",
    "Hands",
    "HardOpponent",
    "Heaps",
    "Hexagons",
    "Imported",
    "Installed",
    "InstalledList",
    "Interval",
    "KeptModel",
    "Leaderboard",
    "Leaderboards",
    "Learner",
    "LearningCurve",
    "Listing",
    "Match",
    "MeanOverSeeds",
    "Merge",
    "Merged",
    "MethodDifference",
    "MethodScore",
    "Mistake",
    "MistakeKind",
    "ModelFacts",
    "ModelList",
    "Move",
    "MoveUsage",
    "OpeningWorth",
    "Option",
    "OptionFacts",
    "Pairing",
    "Parameter",
    "Picture",
    "Place",
    "Play",
    "Player",
    "PlayerStatus",
    "Plugin",
    "PluginList",
    "Ply",
    "Points",
    "Position",
    "Protocol",
    "PublishedResult",
    "QuickLoss",
    "Quit",
    "Rating",
    "RatingSystem",
    "Reason",
    "Record",
    "Recorded",
    "Register",
    "Renamed",
    "Replay",
    "Replayed",
    "Reported",
    "Results",
    "Rng",
    "Row",
    "Scaffold",
    "Screen",
    "SeasonHistory",
    "SeasonPreview",
    "SeasonRow",
    "SeasonStandings",
    "SeasonStep",
    "Settings",
    "Slice",
    "SliceRow",
    "Solved",
    "Solver",
    "Spec",
    "Spread",
    "Sprt",
    "Squares",
    "Stage",
    "Standing",
    "Standings",
    "State",
    "States",
    "Stopped",
    "StoredTournament",
    "Story",
    "Table",
    "Tally",
    "Tested",
    "Tournament",
    "Trained",
    "Tuned",
    "TunedLearner",
    "Unrated",
    "Unread",
    "Unrepeated",
    "Unsaid",
    "Untrained",
    "Usage",
    "Used",
    "Verdict",
    "Verification",
    "View",
    "WeakOpening",
    "Which",
    "Worth",
    "__version__",
    "agents",
    "bits",
    "check",
    "coach",
    "compare",
    "compiled",
    "curve",
    "debug",
    "derive",
    "did_you_mean",
    "endings",
    "evaluations",
    "exact",
    "explain",
    "exploit",
    "export",
    "formats",
    "games",
    "graph_of",
    "hash_move",
    "hash_state",
    "hookimpl",
    "is_compiled",
    "leaderboard",
    "lowest",
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
    "policy",
    "popcount",
    "position",
    "probe",
    "read_word",
    "replay",
    "resume",
    "safe_text",
    "season",
    "seasons",
    "solve",
    "solver_of",
    "store",
    "tagged_text",
    "text_word",
    "tournament",
    "tournaments",
    "train",
    "tune",
    "unchecked",
    "unpack_states",
    "verify",
    "watch",
    "words_of",
]

HOMES = {  # the module that defines each name, and its name there if that differs
    # for authors of games, agents and plugins
    "Agent": "api.agent",
    "ArenaError": "errors",
    "Arrays": "api.learner",
    "Component": "api.component",
    "ConditionKeywords": "calls.arguments",
    "Conditions": "calls.arguments",
    "Configurable": "api.options",
    "Dialogue": "show.terminal.dialogue",
    "Drawing": "api.drawing",
    "Endings": "api.endings",
    "Evaluation": "api.agent",
    "Facts": "api.explanation",
    "FixedFormat": "api.format",
    "Format": "api.format",
    "Game": "api.game",
    "Graph": "analysis.graph",
    "Hands": "api.drawing",
    "Heaps": "api.drawing",
    "Hexagons": "api.drawing",
    "Learner": "api.learner",
    "Move": "api.game",
    "Option": "api.options",
    "Picture": "api.drawing",
    "Place": "api.drawing",
    "Points": "api.drawing",
    "Protocol": "api.protocol",
    "Quit": "show.terminal.dialogue",
    "PublishedResult": "results.settings:Published",
    "Settings": "results.settings",
    "Rating": "api.rating",
    "RatingSystem": "api.rating",
    "Reason": "api.explanation",
    "Register": "api.hooks",
    "Renamed": "errors",
    "Reported": "errors",
    "Results": "api.rating",
    "Rng": "rng",
    "Screen": "show.terminal.screen",
    "Slice": "api.endings",
    "Solver": "api.solver",
    "Spec": "api.spec",
    "Spread": "api.rating",
    "Squares": "api.drawing",
    "Stage": "api.format",
    "Standing": "api.format",
    "State": "api.game",
    "States": "api.table",
    "Stopped": "errors",
    "Table": "api.table",
    "Tally": "api.learner",
    "Unsaid": "api.answers",
    "Untrained": "errors",
    "View": "api.explanation",
    "bits": "api.words",
    "compiled": "api.component",
    "derive": "rng",
    "did_you_mean": "errors",
    "graph_of": "analysis.graph",
    "hash_move": "rng",
    "hash_state": "rng",
    "hookimpl": "api.hooks",
    "is_compiled": "compiler",
    "lowest": "api.words",
    "option": "api.options",
    "pack_states": "api.packing",
    "policy": "analysis.policy",
    "popcount": "api.words",
    "probe": "api.endings",
    "read_word": "api.lines",
    "safe_text": "errors",
    "solver_of": "analysis.solvers",
    "store": "api.table",
    "tagged_text": "api.tagged",
    "text_word": "rng",
    "unchecked": "api.component",
    "unpack_states": "api.packing",
    "words_of": "api.lines",
    # functions, named like the commands
    "agents": "commands.installed.call",
    "check": "commands.check.call",
    "coach": "commands.coach.call",
    "compare": "commands.compare.call",
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
    "season": "commands.season.call",
    "solve": "commands.solve.call",
    "tournament": "commands.tournament.call",
    "train": "commands.train.call",
    "tune": "commands.tune.call",
    "verify": "commands.verify.call",
    "watch": "commands.watch.call",
    # arguments and results of these functions
    "About": "storage.model_file",
    "Accuracy": "commands.coach.result",
    "AgainstPerfect": "results.exact",
    "BestReply": "commands.exploit.result",
    "Book": "commands.openings.book",
    "Built": "commands.solve.endings.call",
    "Chances": "commands.coach.result",
    "Checked": "commands.check.call",
    "Coaching": "commands.coach.result",
    "Comparison": "commands.compare.result",
    "Confirmation": "analysis.tuning",
    "Controlled": "ratings.control_variates",
    "CurveRow": "results.curve_row:Row",
    "Difference": "commands.verify.result",
    "Doubted": "ratings.caveat_texts",
    "Entries": "calls.arguments",
    "Entry": "calls.arguments",
    "Estimate": "ratings.control_variates",
    "ExactMatch": "calls.results",
    "ExactPairing": "calls.results",
    "ExecutorEntry": "calls.execution",
    "Explanation": "commands.replay.explain.call",
    "Exploited": "commands.exploit.result",
    "Export": "commands.export.call",
    "Fault": "commands.tournaments.faults",
    "Faults": "commands.tournaments.faults",
    "Finding": "testing.promise",
    "Forfeit": "calls.results",
    "GameEntry": "calls.arguments",
    "GamePoints": "commands.compare.result",
    "HalvingRound": "analysis.halving:Round",
    "Imported": "commands.train.models.call",
    "Installed": "commands.installed.call",
    "InstalledList": "commands.installed.call",
    "Interval": "ratings.over_seeds",
    "KeptModel": "commands.train.models.call",
    "Leaderboard": "calls.results",
    "Leaderboards": "calls.results",
    "LearningCurve": "commands.train.curve",
    "Listing": "calls.results",
    "Match": "calls.results",
    "Merge": "commands.merge.call",
    "Merged": "commands.merge.call",
    "HardOpponent": "commands.coach.result",
    "Mistake": "commands.coach.result",
    "MistakeKind": "commands.coach.result",
    "MeanOverSeeds": "ratings.over_seeds:Mean",
    "MethodDifference": "commands.compare.result",
    "MethodScore": "commands.compare.result",
    "ModelFacts": "commands.train.models.call",
    "ModelList": "commands.train.models.call",
    "MoveUsage": "commands.tournaments.call",
    "OptionFacts": "commands.installed.call",
    "OpeningWorth": "ratings.opening_worth",
    "Pairing": "calls.results",
    "Parameter": "analysis.spsa",
    "Play": "commands.play.call",
    "PlayerStatus": "commands.season.result",
    "Player": "matches.match",
    "Plugin": "registry.distributions",
    "PluginList": "commands.installed.call",
    "Ply": "commands.replay.call",
    "Position": "commands.position.call",
    "QuickLoss": "commands.coach.result",
    "Record": "results.record",
    "Recorded": "commands.tournaments.call",
    "Replay": "commands.replay.call",
    "Replayed": "commands.replay.debug.call",
    "Row": "ratings.row",
    "Scaffold": "commands.new.call",
    "SeasonHistory": "commands.season.result",
    "SeasonPreview": "commands.season.result",
    "SeasonRow": "commands.season.view",
    "SeasonStandings": "commands.season.result",
    "SeasonStep": "storage.season:Step",
    "SliceRow": "commands.solve.endings.call",
    "Solved": "commands.solve.call",
    "Sprt": "ratings.sprt",
    "Standings": "commands.tournament.standings",
    "StoredTournament": "storage.database:Tournament",
    "Story": "results.fault_story",
    "Tested": "calls.results",
    "Tournament": "calls.results",
    "Trained": "commands.train.call",
    "Tuned": "commands.tune.result",
    "TunedLearner": "commands.tune.learner_result",
    "Unrated": "ratings.contestants",
    "Unread": "commands.verify.result",
    "Unrepeated": "commands.verify.result",
    "Usage": "calls.results",
    "Used": "results.record",
    "Verdict": "ratings.verdict",
    "Verification": "commands.verify.result",
    "WeakOpening": "commands.coach.result",
    "Which": "ratings.contestants",
    "Worth": "analysis.solving",
}
MODULES = {  # modules with the functions of a group of commands
    "models": "arena.commands.train.models.call",
    "seasons": "arena.commands.season.seasons",
    "tournaments": "arena.commands.tournaments.call",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that commands start quickly, and set it."""
    if name in MODULES:
        found: object = import_module(MODULES[name])
    elif name in HOMES:
        module, _, other = HOMES[name].partition(":")
        found = getattr(import_module(f"arena.{module}"), other or name)
    else:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__

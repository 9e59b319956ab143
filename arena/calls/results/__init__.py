"""The results of calls: pairings, matches, tournaments and leaderboards, printed as by commands."""

from arena.calls.results.leaderboard import Leaderboard, Leaderboards
from arena.calls.results.listing import Listing
from arena.calls.results.match import ExactMatch, Match
from arena.calls.results.pairing import (
    ExactPairing,
    Forfeit,
    Pairing,
    all_forfeited,
    fault_lines,
    forfeit_lines,
    pairings_of,
    unplayed_by,
)
from arena.calls.results.tested import Tested
from arena.calls.results.tournament import Tournament, Usage, as_recorded, left_out_lines, resuming, unusual

__all__ = [
    "ExactMatch",
    "ExactPairing",
    "Forfeit",
    "Leaderboard",
    "Leaderboards",
    "Listing",
    "Match",
    "Pairing",
    "Tested",
    "Tournament",
    "Usage",
    "all_forfeited",
    "as_recorded",
    "fault_lines",
    "forfeit_lines",
    "left_out_lines",
    "pairings_of",
    "resuming",
    "unplayed_by",
    "unusual",
]

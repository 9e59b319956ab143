"""Display of results: tables, boards, plots, pages, progress, and the terminal.

The columns of the leaderboard are in `arena.ratings.row`.
"""

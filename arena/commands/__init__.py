"""The commands, one folder each: the Python function, its result, and the command-line interface."""

COMMANDS = {  # by section of `arena --help`: module in `arena.commands`, and description
    "Play": {
        "tournament": ("tournament.command", "Play a tournament, record it and show its leaderboard."),
        "season": ("season.command", "Maintain a ladder of the players in a folder."),
        "match": ("match.command", "Play two entries against each other."),
        "play": ("play.command", "Play against an entry yourself."),
    },
    "Look": {
        "leaderboard": ("leaderboard.command", "Show the ratings of all entries."),
        "tournaments": ("tournaments.command", "List, show, export or remove tournaments."),
        "replay": ("replay.command", "Step through a recorded match."),
        "coach": ("coach.command", "Find out why an entry lost and what to improve."),
        "watch": ("watch.command", "Follow a running tournament."),
    },
    "Learn": {
        "train": ("train.command", "Train a learner and keep its model, or write a learning curve."),
        "models": ("train.models.command", "List, show, copy or remove trained models."),
        "compare": ("compare.command", "Compare learners over training seeds."),
        "tune": ("tune.command", "Optimise the options of an entry."),
    },
    "Write": {
        "new": ("new.command", "Create a package for a new agent or game."),
        "check": ("check.command", "Check that a game or an agent fulfils the API contract."),
        "debug": ("replay.debug.command", "Replay a recorded match in a debugger."),
        "games": ("installed.games.command", "List the installed games, or describe one."),
        "agents": ("installed.agents.command", "List the installed agents, or describe one."),
        "evaluations": ("installed.evaluations.command", "List the installed evaluation functions."),
        "formats": ("installed.formats.command", "List the installed tournament formats."),
        "plugins": ("installed.plugins.command", "List the installed plugins, with errors in loading them."),
    },
    "Analyse": {
        "position": ("position.command", "Show a position: the board and the legal moves."),
        "explain": ("replay.explain.command", "Show how an agent scores the legal moves of a position."),
        "solve": ("solve.command", "Compute the value of a position under perfect play."),
        "endings": ("solve.endings.command", "Compute an endgame database."),
        "exploit": ("exploit.command", "Find the best response to an entry."),
        "openings": ("openings.command", "Find balanced openings."),
        "perft": ("position.perft.command", "Count the move sequences of each length."),
    },
    "Share": {
        "export": ("export.command", "Compile an entry to WebAssembly, for web pages."),
        "merge": ("merge.command", "Merge databases, or the shards of a tournament."),
        "verify": ("verify.command", "Verify the results in a database by replaying a sample."),
    },
}

"""What the framework itself offers, through the same hooks as anyone: commands, executors, ratings."""

from __future__ import annotations

from arena.api.hooks import Register, hookimpl

COMMANDS = {  # in which folder and module of `arena.commands` each is, and what it does
    "tournament": ("tournament.command", "Play a tournament, rated and recorded."),
    "match": ("match.command", "Play two entries against each other."),
    "play": ("play.command", "Play against an entry yourself."),
    "replay": ("replay.command", "Step through a recorded match."),
    "watch": ("watch.command", "Follow a tournament that is being played."),
    "train": ("train.command", "Have an agent learn, and keep what it learned."),
    "models": ("train.models.command", "List, show, copy or remove what was learned."),
    "leaderboard": ("leaderboard.command", "The rated table of what was played."),
    "tournaments": ("tournaments.command", "List, show or remove tournaments."),
    "merge": ("merge.command", "Make one database of several, or of shards a tournament."),
    "verify": ("verify.command", "Check somebody's results by playing some of them again."),
    "new": ("new.command", "Write a package of an agent or a game, to go on from."),
    "check": ("check.command", "Hold a game or an agent to its promises."),
    "debug": ("replay.debug.command", "Play a match again, up to its fault, under a debugger."),
    "games": ("installed.games.command", "The games installed, with capabilities and options."),
    "agents": ("installed.agents.command", "The agents installed, with needs and options."),
    "evaluations": ("installed.evaluations.command", "The evaluations installed, with options."),
    "formats": ("installed.formats.command", "The formats installed, who meets whom, with options."),
    "plugins": ("installed.plugins.command", "The plugins installed, and what failed to load."),
    "position": ("position.command", "A position, its board and its moves."),
    "explain": ("replay.explain.command", "Why an agent moves as it does."),
    "export": ("export.command", "Write an entry for web pages."),
    "openings": ("openings.command", "Find openings that leave both sides about as well off."),
    "exploit": ("exploit.command", "Find the best reply to an agent, and what it comes to."),
    "endings": ("solve.endings.command", "Solve all positions with few pieces, and keep that."),
    "solve": ("solve.command", "Show what a position is worth if both play perfectly."),
    "tune": ("tune.command", "Find values of an entry's options that play better."),
    "perft": ("position.perft.command", "Count the lines of play by depth."),
}


@hookimpl
def register_commands(register: Register) -> None:
    for name, (module, help) in COMMANDS.items():
        register(name, f"arena.commands.{module}:{name}", help)


@hookimpl
def register_executors(register: Register) -> None:
    register("processes", "arena.workers.processes:Processes")
    register("threads", "arena.workers.local:Threads")
    register("serial", "arena.workers.local:Serial")


@hookimpl
def register_ratings(register: Register) -> None:
    register("maximum-likelihood", "arena.ratings.maximum_likelihood:MaximumLikelihood")
    register("elo", "arena.ratings.elo:Elo")


@hookimpl
def register_formats(register: Register) -> None:
    register("round-robin", "arena.plan.fixed_formats:RoundRobin")
    register("gauntlet", "arena.plan.fixed_formats:Gauntlet")
    register("swiss", "arena.plan.swiss:Swiss")
    register("decided", "arena.plan.until_decided:Decided")
    register("precise", "arena.plan.until_precise:Precise")
    register("sprt", "arena.plan.sequential:Sequential")

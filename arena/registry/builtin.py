"""What the framework itself offers, through the same hooks as anyone: commands, executors, ratings."""

from __future__ import annotations

from arena.api.hooks import Register, hookimpl


@hookimpl
def register_commands(register: Register) -> None:
    register("tournament", "arena.cli.tournament:tournament", "Play a tournament, rated and recorded.")
    register("match", "arena.cli.match:match", "Play two entries against each other.")
    register("play", "arena.cli.play:play", "Play against an entry yourself.")
    register("replay", "arena.cli.replay:replay", "Step through a recorded match.")
    register("watch", "arena.cli.watch:watch", "Follow a tournament that is being played.")
    register("train", "arena.cli.train:train", "Have an agent learn, and keep what it learned.")
    register("models", "arena.cli.models:models", "List, show, copy or remove what was learned.")
    register("leaderboard", "arena.cli.leaderboard:leaderboard", "The rated table of what was played.")
    register("tournaments", "arena.cli.tournaments:tournaments", "List, show or remove tournaments.")
    register("merge", "arena.cli.merge:merge", "Make one database of several, or of shards a tournament.")
    register("verify", "arena.cli.verify:verify", "Check somebody's results by playing some of them again.")
    register("new", "arena.cli.new:new", "Write a package of an agent or a game, to go on from.")
    register("check", "arena.cli.check:check", "Hold a game or an agent to its promises.")
    register("debug", "arena.cli.debug:debug", "Play a match again, up to its fault, under a debugger.")
    register("games", "arena.cli.games:games", "The games installed, with capabilities and options.")
    register("agents", "arena.cli.agents:agents", "The agents installed, with needs and options.")
    register("evaluations", "arena.cli.evaluations:evaluations", "The evaluations installed, with options.")
    register("formats", "arena.cli.formats:formats", "The formats installed, who meets whom, with options.")
    register("plugins", "arena.cli.plugins:plugins", "The plugins installed, and what failed to load.")
    register("position", "arena.cli.position:position", "A position, its board and its moves.")
    register("explain", "arena.cli.explain:explain", "Why an agent moves as it does.")
    register("export", "arena.cli.export:export", "Write an entry for web pages.")
    register(
        "openings", "arena.cli.openings:openings", "Find openings that leave both sides about as well off."
    )
    register("exploit", "arena.cli.exploit:exploit", "Find the best reply to an agent, and what it comes to.")
    register("endings", "arena.cli.endings:endings", "Solve all positions with few pieces, and keep that.")
    register("solve", "arena.cli.solve:solve", "Show what a position is worth if both play perfectly.")
    register("tune", "arena.cli.tune:tune", "Find values of an entry's options that play better.")
    register("perft", "arena.cli.perft:perft", "Count the lines of play by depth.")


@hookimpl
def register_executors(register: Register) -> None:
    register("processes", "arena.workers.processes:Processes")
    register("threads", "arena.workers.local:Threads")
    register("serial", "arena.workers.local:Serial")
    register("dask", "arena.cluster.executor:dask")


@hookimpl
def register_ratings(register: Register) -> None:
    register("maximum-likelihood", "arena.ratings.maximum_likelihood:MaximumLikelihood")
    register("elo", "arena.ratings.elo:Elo")


@hookimpl
def register_formats(register: Register) -> None:
    register("round-robin", "arena.scheduling.fixed:RoundRobin")
    register("gauntlet", "arena.scheduling.fixed:Gauntlet")
    register("swiss", "arena.scheduling.swiss:Swiss")
    register("decided", "arena.scheduling.decided:Decided")
    register("precise", "arena.scheduling.precise:Precise")
    register("sprt", "arena.scheduling.sequential:Sequential")

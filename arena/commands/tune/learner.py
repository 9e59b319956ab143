"""`arena.tune` for learners: candidates, budget and settings, from the arguments of the function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from arena.analysis.halving import least_budget, rounds_of
from arena.api.agent import agent_class
from arena.api.spec import Spec
from arena.calls.arguments import Entry, agent_spec
from arena.calls.execution import Execution, train_first
from arena.commands.tune.candidates import choices_of, text_of
from arena.commands.tune.halving import Halving
from arena.commands.tune.learner_result import TunedLearner, plain
from arena.commands.tune.log import Log, check_scores
from arena.errors import ArenaError
from arena.plan.completion import complete
from arena.registry.digests import code_of
from arena.registry.plugins import Registry
from arena.results.settings import check_range, settings_of
from arena.show.tuning_plot import scores_svg, write
from arena.texts import argument, either
from arena.training.learners import check_learns, learner_in

CANDIDATES = 16  # default number of candidates, for ranges
EACH = 4  # default number of trainings for each candidate, on average
ROUNDS = 100  # default number of rounds, of two matches each
CONFIRM = 10  # default number of new training seeds
AGAINST = ("random",)


class ForLearners(NamedTuple):
    """The arguments of `arena.tune` that apply only to learners; None stands for the default."""

    against: Sequence[Entry] | Entry | None = None
    candidates: int | None = None
    trainings: int | None = None
    rounds: int | None = None
    confirm_seeds: int | None = None

    def check_unused(self, entry: str) -> None:
        """Raise ArenaError, for an agent that does not learn, if one of these arguments is passed."""
        for name, value in self._asdict().items():
            if value is not None:
                told = either(f"--{name.replace('_', '-')}", name)
                raise ArenaError(f"{told} applies only to learners, but {entry} does not learn; leave it out")


def check_given(entry: str, **others: object) -> None:
    """Raise ArenaError, for a learner, if an argument for agents that do not learn is passed."""
    remedies = {"confirm": argument("confirm_seeds")}
    for name, value in others.items():
        if value is not None:
            told = either("--confirm-matches" if name == "confirm" else f"--{name}", name)
            instead = remedies.get(name, argument("trainings"))
            raise ArenaError(f"{told} is not for learners, as {entry}; use {instead} instead")


def tune_learner(
    spec: Spec,
    over: object,
    game: str,
    given: ForLearners,
    to: str | Path | None,
    plot: str | Path | None,
    seed: int,
    conditions: Mapping[str, Any],
    known: Registry,
    how: Execution,
) -> TunedLearner:
    """Search for better options of a learner; see `arena.tune`.

    Args:
        spec: The entry.
        over: Values or ranges of the entry's options.
        game: The game, as text.
        given: The arguments that apply only to learners.
        to: Path of the log; None for no log.
        plot: Path of a plot to write, if any.
        seed: Seed of all random numbers.
        conditions: Conditions of the matches.
        known: The registry of plugins.
        how: How to execute the work.
    """
    check_ready(spec)
    rounds = ROUNDS if given.rounds is None else given.rounds
    confirm = CONFIRM if given.confirm_seeds is None else given.confirm_seeds
    many = CANDIDATES if given.candidates is None else given.candidates
    check_range("rounds", rounds, 1, 10**6)
    check_range("confirm_seeds", confirm, 2, 1000)
    check_range("candidates", many, 2, 1000)
    choices = choices_of(spec, over, many, seed, known)
    trainings = EACH * len(choices) if given.trainings is None else given.trainings
    if trainings < (least := least_budget(len(choices))):
        raise ArenaError(
            f"trainings is {trainings}, but {len(choices)} candidates need at least {least}; "
            "raise it, or name fewer candidates"
        )
    against = opponents_of(given.against, known)
    asked = {"game": game, "rounds": rounds, "seed": seed, "streams": 1, **conditions}
    settings, plan = complete(
        settings_of({**asked, "entries": [spec.text, *against], "format": "gauntlet"}), known, trusting=True
    )
    check_learns(learner_in(spec), plan.game)
    others = plan.entries[1:]
    log = Log(
        Path(to) if to else None,
        {
            "game": plan.game.text,
            "entry": spec.text,
            "candidates": [plain(choice) for choice in choices],
            "trainings": trainings,
            "rounds": rounds,
            "confirm": confirm,
            "against": [one.text for one in others],
            "seed": seed,
            "openings": settings.openings,
            "max_plies": plan.limits.plies,
            "code": code_of(spec, *others, plan.game),
        },
        check=check_scores,
    )
    asked["game"] = plan.game.text
    texts = [one.text for one in others]
    halving = Halving(
        spec, choices, rounds_of(len(choices), trainings), asked, texts, confirm, known, log, how
    )
    if plot:  # raise early if the file cannot be written
        draw(Path(plot), halving.found([*range(len(choices))], False))
    train_first(others, plan.game, known, how, plan.limits.stall_seconds, strict=True)
    found = halving.run()
    if plot:
        draw(Path(plot), found)
    return found


def check_ready(spec: Spec) -> None:
    """Raise ArenaError if an entry has a learner with several seeds, or plays at the terminal."""
    learner = learner_in(spec)
    for name in ("seeds", "checkpoints"):
        if learner.values[name] != 1:
            raise ArenaError(f"{spec.text!r} has {name}={learner.values[name]}; leave it out here")
    if any(agent_class(part).interactive for part in spec.walk()):
        raise ArenaError(f"{spec.text} plays at the terminal; tune another agent")


def opponents_of(against: Sequence[Entry] | Entry | None, known: Registry) -> list[str]:
    """Return the opponents as texts, or raise ArenaError."""
    if against is None:
        against = AGAINST
    some = against if isinstance(against, list | tuple) else [against]
    return [agent_spec(cast(Entry, one), known).text for one in some]


def draw(path: Path, found: TunedLearner) -> None:
    """Write a plot of the candidates' mean scores by number of training seeds."""
    names = [text_of(choice) for choice in found.choices]
    heading = f"{found.entry} at {found.game}"
    write(path, scores_svg(heading, dict(zip(names, found.scores, strict=True))))

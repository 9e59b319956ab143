"""`arena.check`: a game or an agent held to its promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.api.foreign import Failed, foreign
from arena.api.game import Game
from arena.api.options import split_text
from arena.api.spec import Spec
from arena.errors import ArenaError, did_you_mean
from arena.matches.settings import check_entries, make_game
from arena.registry.files import File, FileSpec, references
from arena.registry.plugins import Registry
from arena.report.shown import Part, Shown
from arena.session.entries import Entry, GameEntry, agent_spec, classes_of, game_spec, known_with
from arena.testing import agent, game
from arena.testing.promise import Finding
from arena.texts import on_one_line

MARKS = {True: "ok", False: "broken", None: "-"}


@dataclass(frozen=True, repr=False)
class Checked(Shown):
    """What was found of the promises of an entry, a game or an agent at a game."""

    entry: str
    kind: str
    game: str
    findings: Sequence[Finding]

    @property
    def kept(self) -> bool:
        """Whether no promise is broken."""
        return all(one.kept is not False for one in self.findings)

    def parts(self) -> Iterator[Part]:
        for one in self.findings:
            yield from lines(one)
        yield self.summary()

    def text_of_broken(self) -> str:
        """The summary, and of the promises those that are broken."""
        broken = (line for one in self.findings if one.kept is False for line in lines(one))
        return "\n".join(map(on_one_line, [self.summary(), *broken]))

    def summary(self) -> str:
        """`nim keeps its 18 promises`, `alice at tic-tac-toe breaks 1 of 9 promises`."""
        at = "" if self.kind == "game" else f" at {self.game}"
        broken = sum(one.kept is False for one in self.findings)
        n = len(self.findings)
        return f"{self.entry}{at} " + (
            f"breaks {broken} of {n} promises" if broken else f"keeps {n} promises"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for each promise."""
        return [asdict(one) for one in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        about = {"entry": self.entry, "kind": self.kind, "game": self.game, "kept": self.kept}
        return {**about, "promises": self.to_dicts()}


def lines(found: Finding) -> Iterator[str]:
    """A line for a promise; of a broken one others that say what breaks it, where, and what to do."""
    yield f"{MARKS[found.kept]:<7} {found.title}"
    if found.kept is False:
        for line in (found.fault + found.where(), *found.details()):
            yield f"{'':7} {line}"


def check(
    entry: Entry | GameEntry,
    *,
    game: GameEntry = None,
    seed: int = 0,
    matches: int | None = None,
    positions: int | None = None,
) -> Checked:
    """Hold a game or an agent to its promises, in this process.

    entry: as in `arena.match`; a name that both have is the game's unless `game` is given. game: where an
    agent plays; the first installed that it can play if None. seed: decides all chance. matches: how many, at
    random for a game, 50 if None, against random moves for an agent, 10. positions: of a game, how many are
    looked at closely; 1,000 if None. ArenaError for what cannot be looked at.

    >>> import arena
    >>> arena.check("random").kept
    True
    """
    begun, findings = checking(entry, game=game, seed=seed, matches=matches, positions=positions)
    return replace(begun, findings=[*findings])


def checking(
    entry: Entry | GameEntry,
    *,
    game: GameEntry = None,
    seed: int = 0,
    matches: int | None = None,
    positions: int | None = None,
) -> tuple[Checked, Iterator[Finding]]:
    """The same, nothing found yet, and what is found one after the other."""
    for name, value in (("matches", matches), ("positions", positions)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise ArenaError(f"{name} is {value!r}, and must be a whole number from 1")
    if kind_of(entry, game is None) == "game":
        if game is not None:
            raise ArenaError(f"a game to play at goes with an agent, and {entry!r} is a game")
        return of_game(entry, seed, matches, positions)
    if positions is not None:
        raise ArenaError("positions are looked at in games; for an agent say how many matches")
    return of_agent(entry, game, seed, matches)


def of_game(
    entry: Any, seed: int, matches: int | None, positions: int | None
) -> tuple[Checked, Iterator[Finding]]:
    spec = game_spec(entry, known_with(game=entry))
    found = game.game_findings(made_game(spec), matches or game.MATCHES, seed, positions or game.POSITIONS)
    return Checked(spec.text, "game", spec.text, ()), found


def made_game(spec: Spec) -> Game:
    """A game as it is, in whatever state its rules are, or ArenaError."""
    try:
        with foreign(ArenaError):
            made: Game = spec.make()
            return made
    except Failed as error:
        raise ArenaError(f"game {spec.text} cannot be made: {error}") from error


def of_agent(entry: Any, on: GameEntry, seed: int, matches: int | None) -> tuple[Checked, Iterator[Finding]]:
    known = known_with([entry], on)
    spec = agent_spec(entry, known)
    cls = spec.real if isinstance(spec, FileSpec) else spec.cls
    made = playable(spec, known) if on is None else make_game(game_spec(on, known))
    check_entries([spec], made)
    given = {
        name: value
        for name, value in spec.values.items()
        if not cls.options[name].is_default(value, known.spec)
    }
    found = agent.agent_findings(cls, made, matches or agent.MATCHES, seed, given)
    return Checked(spec.text, "agent", str(made), ()), found


def playable(spec: Spec, known: Registry) -> Game:
    """The first game installed that an agent can play, or ArenaError."""
    refused: ArenaError | None = None
    for name in known.offers["game"]:
        try:
            made = make_game(known.spec("game", name))
            check_entries([spec], made)
            return made
        except ArenaError as error:
            refused = refused or error
    raise refused or ArenaError("no game is installed")


def kind_of(entry: Any, may_be_game: bool) -> str:
    """`game` or `agent`, whichever an entry is, or ArenaError."""
    if not isinstance(entry, str):
        (cls,) = classes_of(entry)
        return kind_of_class(cls)
    if found := references(entry):
        file = File.read(found[0].path)
        try:
            with foreign():
                classes = file.classes()
        except Failed as error:
            raise ArenaError(f"{file.name} cannot be loaded: {error}") from error
        named = [cls for name, cls in classes.items() if found[0].cls in ("", name)]
        kinds = {kind_of_class(cls) for cls in named}
        return "game" if kinds == {"game"} else "agent"
    known = known_with()
    name, _ = split_text(entry)
    for kind in ("game", "agent") if may_be_game else ("agent", "game"):
        if name in known.offers[kind]:
            return kind
    names = [*known.offers["agent"], *known.offers["game"]]
    raise ArenaError(f"no agent and no game is called {name!r}{did_you_mean(name, names)}")


def kind_of_class(cls: type) -> str:
    return "game" if issubclass(cls, Game) else "agent"

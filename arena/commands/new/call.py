"""The function `arena.new`, which creates a package for an agent, game or learner, or a season's folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from shutil import rmtree
from typing import ClassVar

import arena
from arena.errors import ArenaError, did_you_mean
from arena.registry.plugins import registry
from arena.show.frame import Column, Columns
from arena.show.presentation import Part, Shown
from arena.texts import argument

TEMPLATES = Path(__file__).parent / "templates"  # one package named `example` for each kind
SUFFIXES = (".md", ".py", ".toml", ".yml")
KINDS = ("agent", "game", "learner")
SEASON = "season"
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, repr=False)
class Scaffold(Shown):
    """A package that was created, or the folder of a season.

    Attributes:
        name: Name of the agent, game, learner or season.
        folder: Path of the folder.
        files: Paths of the files.
        kind: `agent`, `game`, `learner` or `season`.
    """

    frame_columns: ClassVar[Columns] = {
        "file": Column(str, "Path of a written file."),
    }

    name: str
    folder: str
    files: Sequence[str]
    kind: str = "agent"

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield from self.files
        if self.kind == SEASON:
            yield f"Put the files of players into {self.folder}/bots, then run 'arena season {self.folder}'."
            return
        yield f"Install it with 'pip install -e {self.folder}', then check it with 'arena check {self.name}'."

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [{"file": file} for file in self.files]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        return asdict(self)


def new(kind: str, name: str, *, folder: str | Path | None = None) -> Scaffold:
    """Create a package with an agent, game or learner: a module, tests, and a README; or a season's folder.

    The folder of a season has its settings, a folder for players, and a workflow for GitHub.

    Args:
        kind: "agent", "game", "learner" or "season".
        name: Name of the agent, game or learner in tournaments, or of the season.
        folder: The folder, which must not exist. Default: `arena-NAME`, or `NAME` for a season.

    Returns:
        The files that were written.

    Raises:
        ArenaError: If the folder exists or the name is invalid.
    """
    if kind not in (*KINDS, SEASON):
        raise ArenaError(f"no scaffold of {kind!r}{did_you_mean(kind, (*KINDS, SEASON))}")
    if kind == SEASON:
        check_spelling(name)
    else:
        check_name(name)
    target = Path((name if kind == SEASON else f"arena-{name}") if folder is None else folder)
    if os.path.lexists(target):
        raise ArenaError(f"{target} already exists; use another {argument('folder')}, or remove it")
    files = templates(kind, name)
    try:
        for path, text in files.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_text(text, encoding="utf-8")
    except OSError as error:
        rmtree(target, ignore_errors=True)
        raise ArenaError(f"cannot write {error.filename or target}: {error.strerror}") from error
    return Scaffold(name, str(target), [str(target / path) for path in sorted(files)], kind)


def check_name(name: str) -> None:
    """Raise ArenaError unless a name is valid and free for an agent or game, its class and its package."""
    check_spelling(name)
    cls = class_name(name)
    if iskeyword(cls) or arena.HOMES.get(cls, "").startswith("api."):  # classes that authors import
        raise ArenaError(f"{name!r} cannot be used, since {cls} is taken; use another name")
    for other, offers in registry().offers.items():
        if other in ("agent", "game") and name in offers:
            raise ArenaError(f"{name!r} is already the name of {a(other)}; use another name")
    module, package = f"arena_{name.replace('-', '_')}", f"arena-{name}"
    if find_spec(module) or is_distribution(package):
        raise ArenaError(f"{package} is already installed; use another name than {name!r}")


def check_spelling(name: str) -> None:
    """Raise ArenaError unless a name consists of words joined by hyphens."""
    if not NAME.fullmatch(name):
        raise ArenaError(
            f"{name!r} is not a valid name; use words of a-z and 0-9 joined by hyphens, a letter first"
        )


def a(kind: str) -> str:
    return f"an {kind}" if kind == "agent" else f"a {kind}"


def is_distribution(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def class_name(name: str) -> str:
    """Return the class name for a name, such as `EarlyBird` for `early-bird`."""
    return "".join(word.capitalize() for word in name.split("-"))


def templates(kind: str, name: str) -> dict[str, str]:
    """Return the files of a package, by path within it."""
    words = {"example": name, "Example": class_name(name)}
    words |= {f"{part}_example": f"{part}_{name.replace('-', '_')}" for part in ("arena", "test")}

    def named(text: str) -> str:
        return re.sub(r"(?:arena_|test_)?[Ee]xample", lambda found: words[found[0]], text)

    folder = TEMPLATES / kind
    paths = (path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    found = {
        named(path.relative_to(folder).as_posix()): named(path.read_text(encoding="utf-8")) for path in paths
    }
    # build tools may leave folders that begin with a dot out of packages
    return {re.sub("^github/", ".github/", path): text for path, text in found.items()}

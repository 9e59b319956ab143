"""The players in a folder: their files, and copies of the files that are independent of later changes."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.commands.season.programs import RUN, copied_program, entry_of
from arena.commands.season.settings import check_player
from arena.errors import ArenaError
from arena.file_io import draft_of
from arena.registry.digests import code_of, digest_of
from arena.registry.file import File
from arena.registry.file_offers import NO_AGENT, NO_FOLDERS, all_in
from arena.registry.files import references
from arena.registry.plugins import registry
from arena.registry.trees import tree_of

MAINS = ("main.py", "bot.py", "agent.py")  # main files of a player's folder, after `NAME.py`
NAMED = re.compile(r"""^#\s*player\s*=\s*["']?([^"'\n]*?)["']?\s*$""", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """A player found in the folder, with its file.

    Attributes:
        player: Name of the player.
        path: The file in the folder.
        entry: Text of the entry; empty if it cannot play.
        code: Digest of its code; empty if it cannot play.
        file: Path of the copy in the folder of code; empty if it cannot play.
        problem: Why it cannot play; empty if it can.
    """

    player: str
    path: str
    entry: str = ""
    code: str = ""
    file: str = ""
    problem: str = ""

    @property
    def likeness(self) -> str:
        """A key that is equal for the same code; empty if the player cannot play."""
        return likeness(self.code, self.file)


@dataclass(frozen=True)
class Candidate:
    """A file that may define a player, or the reason why it cannot be read."""

    player: str
    path: Path
    file: File | None = None
    problem: str = ""


def found_in(
    folder: Path, named: Mapping[str, str], code: Path, known: Mapping[str, Sequence[tuple[str, str, str]]]
) -> list[Found]:
    """Return the players in a folder, sorted by name, and copy their files.

    Args:
        folder: The folder.
        named: Names of players by file name, where the two differ.
        code: The folder for the copies.
        known: Player, entry and code of each agent in files that were examined before, by path of the copy.
    """
    found: list[Found] = []
    fresh: list[tuple[Candidate, File]] = []
    for candidate in candidates_in(folder, named):
        if candidate.path.name == RUN and not candidate.problem:
            found.append(program(candidate, code, known))
        elif candidate.file is None:
            found.append(Found(candidate.player, str(candidate.path), problem=candidate.problem))
        else:
            copy = copied(candidate.player, candidate.file, code)
            place = place_in(code, copy.path)
            if place in known:
                found += [
                    Found(player, str(candidate.path), entry, digest, place)
                    for player, entry, digest in known[place]
                ]
            else:
                fresh.append((replace(candidate, file=copy), candidate.file))
    return sorted([*found, *looked_at(fresh, code)], key=lambda one: one.player)


def program(candidate: Candidate, code: Path, known: Mapping[str, Sequence[tuple[str, str, str]]]) -> Found:
    """Copy the folder of a player that is a program, and return the player; for arguments see `found_in`."""
    path = str(candidate.path)
    try:
        place = place_in(code, copied_program(candidate.player, candidate.path.parent, code))
        for player, entry, digest in known.get(place, ()):
            return Found(player, path, entry, digest, place)
        spec = registry().spec("agent", entry_of(place))
    except ArenaError as error:
        return Found(candidate.player, path, problem=str(error))
    return Found(candidate.player, path, spec.text, code_of(spec), place)


def place_in(code: Path, copy: str | Path) -> str:
    """Return the path of a copy relative to the folder of code."""
    return Path(copy).relative_to(code.absolute()).as_posix()


def likeness(code: str, file: str) -> str:
    """Return a key that is equal for versions with the same code.

    The code digest of a program covers only its `run.sh`, so the key is the name of its copy, a digest of all
    files.
    """
    return f"{code} {Path(file).parent.name}" if Path(file).name == RUN else code


def candidates_in(folder: Path, named: Mapping[str, str]) -> list[Candidate]:
    """Return the files of a folder that may define players, without helper modules that others import."""
    found = list[Candidate]()
    for name, path in [*paths_in(folder)]:
        try:
            file = None if path.name == RUN else File.read(str(path))
            text = file.text if file else path.read_text(errors="replace")
            player = named.get(name) or stated(text, path) or name.removesuffix(".py")
            check_player(player, f"the player of {name}")
            found.append(Candidate(player, path, file))
        except ArenaError as error:
            found.append(Candidate(printable(name.removesuffix(".py")), path, None, str(error)))
    beside = {path for one in found if one.file for path in one.file.beside}
    found = [one for one in found if not (one.file and one.file.path in beside and is_helper(one.file))]
    return [*one_each(found, named)]


def one_each(found: Sequence[Candidate], named: Mapping[str, str]) -> Iterator[Candidate]:
    """Yield a candidate for each player; if several files claim a name, the file with that name gets it.

    Args:
        found: The candidates.
        named: Names of players by file, which take precedence.
    """
    claimed: dict[str, list[Candidate]] = {}
    for one in found:
        claimed.setdefault(one.player, []).append(one)

    def claim(one: Candidate) -> tuple[bool, bool]:
        return one.path.name not in named, own_name(one) != one.player

    for player, several in claimed.items():
        first, *others = sorted(several, key=claim)
        yield first
        for number, one in enumerate(others, 2):
            own = printable(own_name(one))
            name = own if own not in claimed else f"{own}-{number}"
            yield Candidate(
                name, one.path, None, f"{one.path} and {first.path} are both player {player!r}; rename one"
            )


def own_name(one: Candidate) -> str:
    """Return the name of a file, or of the folder whose main file it is."""
    return one.path.parent.name if one.path.name in (RUN, *MAINS) else one.path.stem


def paths_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and the main file of each player in a folder, sorted by name."""
    for name in sorted(os.listdir(folder)):
        path = folder / name
        if path.is_file() and NO_AGENT.fullmatch(name) is None:
            yield name, path
        elif path.is_dir() and not name.startswith(".") and name not in NO_FOLDERS:
            mains = (path / main for main in (RUN, f"{name}.py", *MAINS))
            if main := next((main for main in mains if main.is_file()), None):
                yield name, main


def is_helper(file: File) -> bool:
    """Return whether a file is only a helper: without an agent, since it does not import arena."""
    return "arena" not in tree_of(file.text).tops


def stated(text: str, path: Path) -> str:
    """Return the player's name from the comment in a file that sets it; "" without such a comment."""
    found = NAMED.search(text)
    if not found:
        return ""
    check_player(found[1], f"{path}: player")
    return found[1]


def printable(name: str) -> str:
    """Return a file name with special characters replaced, as the name of a player that cannot play."""
    return re.sub(r"[^\w.-]", "_", name)[:60] or "_"


def copied(player: str, file: File, code: Path) -> File:
    """Copy a file to a folder of code, with the adjacent modules that it imports, and return the copy.

    An existing copy with the same syntax trees is reused, so its comments may differ.
    """
    digest = digest_of([file.trees()])
    folder = code.absolute() / player / digest
    target = folder / f"{player}.py"
    texts = {os.path.relpath(path, file.folder): text for path, text in file.beside.items()}
    if not target.exists():
        for path, text in texts.items():
            write(folder / path, text)
        write(target, file.text)  # written last: its existence shows that the copy is complete
    return File.read(str(target))


def write(path: Path, text: str) -> None:
    """Write a source file as UTF-8, and create its folder if missing."""
    with draft_of(path, kept=True) as file:
        file.write(with_utf8(text).encode("utf-8", "surrogatepass"))


def with_utf8(text: str) -> str:
    """Return source text with an encoding declaration replaced by an empty comment."""
    lines = text.split("\n", 2)
    for i, line in enumerate(lines[:2]):
        if re.match(r"[ \t\f]*#.*?coding[:=]", line):
            lines[i] = "#"
    return "\n".join(lines)


def looked_at(fresh: Sequence[tuple[Candidate, File]], code: Path) -> Iterator[Found]:
    """Examine new files, and yield the agents in each, or the reason why it has none."""
    files = {one.file.name: (one, original) for one, original in fresh if one.file}
    offers, left_out = all_in([one.file for one, _ in files.values() if one.file])
    known = registry().including([], offers)
    agents = Counter(offer.file.name for offer in offers)
    for offer in offers:
        candidate, _ = files[offer.file.name]
        alone = agents[offer.file.name] == 1
        player = candidate.player if alone else f"{candidate.player}.{offer.facts.name}"
        place = Path(offer.file.path).relative_to(code.absolute()).as_posix()
        spec = known.spec("agent", offer.name)
        yield Found(player, str(candidate.path), spec.text, code_of(spec), place)
    for name, why in left_out.items():
        candidate, original = files[name]
        assert candidate.file
        shown = why.replace(os.path.relpath(candidate.file.path), os.path.relpath(original.path))
        shutil.rmtree(Path(candidate.file.path).parent, ignore_errors=True)
        yield Found(candidate.player, str(candidate.path), problem=shown)


def with_place(entry: str, file: str, code: Path) -> str:
    """Return an entry with the path of its file in the folder of code; a program's entry is unchanged."""
    if not references(entry):
        return entry
    (reference,) = references(entry)
    return str(replace(reference, path=str(code / file)))

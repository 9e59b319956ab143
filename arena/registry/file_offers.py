"""Agents and games that files offer, by file name, `alice.py`, or by file and class name, `two.py::Bob`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from arena.api.agent import Agent, agent_class
from arena.api.options import Option, check_file, hook
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec
from arena.errors import ArenaError, did_you_mean
from arena.registry.class_facts import ClassFacts
from arena.registry.digests import digest_of
from arena.registry.file import File, printable
from arena.registry.file_description import FileFacts, described
from arena.registry.files import FileSpec, Reference, class_for
from arena.registry.plugins import OWN_CODE, Offer, Plugin, registry
from arena.registry.trusted import check_trusted, trust
from arena.texts import either, in_python

FOREIGN = {"agent": "arena.Agent", "game": "arena.Game"}


@dataclass(frozen=True)
class FileOffer(Offer):
    """A class in a file; only games may run outside a sandbox."""

    file: File
    facts: ClassFacts

    def load(self) -> object:
        return FileSpec("", self.target, {}, self.file, self.facts, self.kind == "game").cls

    def spec(self, text: str, values: Mapping[str, object]) -> Spec:
        for option in self.facts.options:
            check_default(self.name, option.name, option.stated(), values.get(option.name))
        return FileSpec(text, self.target, values, self.file, self.facts, self.kind == "game")


def reaches_out(spec: Spec) -> bool:
    """Return whether a class starts programs, asks a person or a server, or reads its own files."""
    cls = agent_class(spec)
    asks = cls.interactive or not cls.confinable
    return asks or cls.programs or bool(hook(spec.cls, "readable")(spec.values))


def check_default(name: str, option: str, stated: Option, value: object) -> None:
    """Raise ArenaError if an option's default accesses something that the user has not named.

    This may be a program, a person, a server or a file. An agent in a default value, such as the opponent of
    a learner, may be created outside the sandbox, and a sandbox allows it to read its files.

    Args:
        name: Name of the agent, for the error.
        option: Name of the option.
        stated: The option.
        value: Its value; only a default is checked.
    """
    for item in value if isinstance(value, tuple) else (value,):
        for part in item.walk() if isinstance(item, Spec) else ():
            if reaches_out(part) and stated.is_default(value, None):
                raise ArenaError(
                    f"option {option!r} of {name} is {part.text} by default, which is not possible in the "
                    "sandbox; use another"
                )


NO_FOLDERS = ("__pycache__", "tests")
NO_AGENT = re.compile(r"\..*|test_.*|.*_test\.py|(conftest|setup|__init__)\.py|.*(?<!\.py)")


def opened(wanted: Iterable[tuple[str, Reference]], named: bool = True) -> list[FileOffer]:
    """Return the offers of files, or raise ArenaError.

    A game's file runs in this process; an agent's does not.

    Args:
        wanted: Pairs of a kind, `"agent"` or `"game"`, and a file.
        named: Whether the user named the files. A game named only in a database runs if the user has named it
            before.
    """
    wanted = list(dict.fromkeys(wanted))
    files = {path: File.read(path) for path in dict.fromkeys(reference.path for _, reference in wanted)}
    found = dict(zip(files, described(list(files.values())), strict=True))
    offers: dict[tuple[str, str], FileOffer] = {}
    for kind, reference in wanted:
        offer = offered(kind, reference, files[reference.path], found[reference.path], named)
        other = offers.setdefault((kind, offer.name), offer)
        if other.file != offer.file:
            raise ArenaError(
                f"{other.file.path} and {offer.file.path} would both be called {offer.name}; rename one"
            )
    return list(offers.values())


def all_in(files: Sequence[File]) -> tuple[list[FileOffer], dict[str, str]]:
    """Return all agents in some files; and, by file name, the error of each file that cannot be used."""
    offers: dict[str, FileOffer] = {}
    left_out = {}
    for file, facts in zip(files, described(files), strict=True):
        names = [one.name for one in facts.classes if one.kind == "agent"]
        references = (
            [Reference(file.path, name) for name in names] if len(names) > 1 else [Reference(file.path)]
        )
        try:
            check_file(file.name)
            if asking := next((one.name for one in facts.classes if one.interactive), None):
                path = os.path.relpath(file.path)
                raise ArenaError(f"{path}: {asking} plays at the terminal, which the sandbox does not have")
            if several := next((one.name for one in facts.classes if enters_several(one)), None):
                path = os.path.relpath(file.path)
                by_name = either(f"--entry {path}", f"entries=[{in_python(path)}]")
                raise ArenaError(f"{path}: {several} enters several learners; name it: {by_name}")
            for offer in [offered("agent", reference, file, facts) for reference in references]:
                registry().including([], [offer]).spec("agent", offer.name)  # may raise for its options
                if offers.setdefault(offer.name, offer).file != file:
                    raise ArenaError(f"another file is also called {file.name}; rename one")
        except ArenaError as error:
            left_out[file.name] = str(error)
    return list(offers.values()), left_out


def enters_several(facts: ClassFacts) -> bool:
    """Return whether a class enters several learners by default."""
    return facts.learner and any(
        option.name in ("seeds", "checkpoints") and option.default != 1 for option in facts.options
    )


def all_at(paths: Sequence[str]) -> tuple[list[FileOffer], dict[str, str]]:
    """Return all agents at some paths of files and folders, and errors by file name.

    The files of a folder are those of `files_at`.

    Raises:
        ArenaError: If no file can be read.
    """
    files, unread = list[File](), {}
    paths = [file for path in paths for file in files_at(path)]
    for path in paths:
        try:
            files.append(File.read(path))
        except ArenaError as error:
            unread[printable(Path(path).name)] = str(error)
            if path == paths[-1] and not files:
                raise
    offers, left_out = all_in(files)
    return offers, unread | left_out


def offered(
    kind: str,
    reference: Reference,
    file: File,
    facts: FileFacts,
    named: bool = True,
) -> FileOffer:
    """Return the agent or game that a file defines.

    Args:
        kind: `"agent"` or `"game"`.
        reference: The file, and the class if one is named.
        file: Its text.
        facts: Its contents.
        named: Whether the user named the file, as for `opened`.

    Raises:
        ArenaError: If there is no such class, or it is faulty, or it is a game that is not trusted.
    """
    if facts.fault:
        where = f":{facts.line}" if facts.line else ""
        raise ArenaError(f"{os.path.relpath(file.path)}{where}: {facts.fault}")
    found = with_base(chosen(kind, reference, facts))
    if kind == "game":
        trust(file) if named else check_trusted(file)
    name = reference.name
    code = digest_of([[found.name], file.trees()])
    help = found.doc.strip().partition("\n")[0]
    plugin = Plugin(name, f"{name}{OWN_CODE}", code)
    offer = FileOffer(kind, name, f"{file.module}:{found.name}", help, plugin, file, found)
    if kind == "game":
        offer.load()
    else:
        stand_in(found, file)
    return offer


def with_base(facts: ClassFacts) -> ClassFacts:
    """Return the facts of a class, with `base` set to the first installed agent that it extends."""
    installed = {offer.target for offer in registry().offers["agent"].values()}
    base = next((target for target in facts.targets if target in installed), "")
    return msgspec.structs.replace(facts, base=base)


def stand_in(facts: ClassFacts, file: File) -> type[Agent]:
    """Return the stand-in class for an agent of a file, or raise ArenaError that names the file.

    The facts may be wrong in any way, since untrusted code may have written them.
    """
    try:
        with foreign(ArenaError):
            return class_for(file, facts)
    except (ArenaError, Failed) as error:
        raise ArenaError(f"{os.path.relpath(file.path)}: {error}") from error


def chosen(kind: str, reference: Reference, facts: FileFacts) -> ClassFacts:
    """Return the class that a reference refers to, or raise ArenaError."""
    names = [one.name for one in facts.classes if one.kind == kind]
    name = os.path.relpath(reference.path)
    unfinished = {key: one.lack for key, one in facts.unfinished.items() if one.kind == kind}
    meant = reference.cls or next(iter(unfinished), "")
    if meant in unfinished and (reference.cls or not names):
        raise ArenaError(f"{name} has no {kind}: {meant} {unfinished[meant]}")
    if reference.cls and reference.cls not in names:
        raise ArenaError(f"{name} has no {kind} {reference.cls!r}{did_you_mean(reference.cls, names)}")
    if not names:
        base = FOREIGN[kind]
        near = [
            f"; {other} is not a subclass of {base}" for other, like in facts.others.items() if like == kind
        ]
        near += [f"; {one.name} is one of arena.{one.kind.title()}" for one in facts.classes]
        raise ArenaError(f"{name} has no {kind}: no finished subclass of {base}{(*near, '')[0]}")
    if len(names) > 1 and not reference.cls:
        raise ArenaError(
            f"{name} has several {kind}s, {', '.join(names)}; choose one: {reference.path}::{names[0]}"
        )
    return next(one for one in facts.classes if one.kind == kind and one.name == (reference.cls or names[0]))


def files_at(path: str) -> list[str]:
    """Return the files of agents at a path: the path itself, or those in a folder and its subfolders.

    These are left out: hidden files and folders, `__pycache__`, `tests`, and the files of pytest and of
    packages, `test_*.py`, `*_test.py`, `conftest.py`, `setup.py` and `__init__.py`.

    Raises:
        ArenaError: If a folder has no other files.
    """
    if not os.path.isdir(path):
        return [path]
    found = []
    for where, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not (name.startswith(".") or name in NO_FOLDERS))
        found += [os.path.join(where, name) for name in sorted(names) if NO_AGENT.fullmatch(name) is None]
    if not found:
        raise ArenaError(f"{path} has no agents: it has no *.py except tests; name another folder, or files")
    return found

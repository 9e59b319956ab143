"""Writes the pages of `docs/reference` that are taken from the code.

    python docs/generate.py

A test writes them anew and compares, so whoever changes a docstring, an option or a command runs this.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import click

import arena
from arena import pytest_fixtures, testing
from arena.api import hooks
from arena.api.options import Configurable
from arena.calls.execution import Execution
from arena.cli.commands import cli
from arena.registry.plugins import OWN, registry
from arena.results.settings import Named, Published, Settings
from arena.storage import migrations, model_file

FOLDER = Path(__file__).parent / "reference"
WRITTEN = "<!-- written by docs/generate.py -->"
WIDTH = 80  # of the help that click shows
GROUPS = ("models", "tournaments")  # modules among what `arena` gives
RETURNED = (
    "arena.calls.",
    "arena.ratings.leaderboard",
    "arena.analysis",
    "arena.results",
    "arena.testing.",
)
TO_WRITE_WITH = ("analysis.graph", "api.", "errors", "rng", "show.")  # where what authors use is defined
KINDS = ("evaluation", "rating system", "format")

Pages = dict[str, Callable[[], Iterator[str]]]


def main() -> None:
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """The text of each page, by the name of its file."""
    return {name: "\n\n".join([WRITTEN, *write()]) + "\n" for name, write in WRITERS.items()}


# --- commands ---------------------------------------------------------------------------------------------


def command_page() -> Iterator[str]:
    yield "# Commands"
    yield "What `--help` says of each. [Calls from Python](calls.md) has the call that does the same."
    for name, command in every_command():
        yield f"## `{name}`"
        yield fenced("text", help_of(name, command))


def every_command() -> Iterator[tuple[str, click.Command]]:
    """`arena`, its own commands, and those of groups, each with its full name."""
    yield "arena", cli
    for name, offer in registry().offers["command"].items():
        if offer.plugin.distribution == OWN:
            yield from below(f"arena {name}", offer.load())


def below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for word, one in command.commands.items():
            yield from below(f"{name} {word}", one)


def help_of(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name, terminal_width=WIDTH, help_option_names=["-h", "--help"])
    return "\n".join(line.rstrip() for line in context.get_help().splitlines())


# --- hooks ------------------------------------------------------------------------------------------------


def hook_page() -> Iterator[str]:
    yield "# Hooks"
    yield indented_as_code(inspect.getdoc(hooks) or "")
    yield "A plugin offers an agent like this:"
    yield fenced(
        "python",
        'from arena import hookimpl\n\n\n@hookimpl\ndef register_agents(register):\n    register("centre", '
        '"arena_centre:Centre")',
    )
    for name, function in vars(hooks).items():
        if name.startswith("register_"):
            yield f"## `{name}(register)`"
            yield prose(function)


# --- the Python API ---------------------------------------------------------------------------------------


def python_page() -> Iterator[str]:
    yield "# Python"
    yield "All that `import arena` gives: calls, what they give back, and classes to write with."
    yield "[Calls from Python](calls.md) has the command for each call."
    things = {name: getattr(arena, name) for name in arena.__all__ if name not in (*GROUPS, "__version__")}
    functions = {name: thing for name, thing in things.items() if inspect.isfunction(thing)}
    called = {name: thing for name, thing in functions.items() if arena.HOMES[name].startswith("commands.")}
    yield "## Calls"
    yield f"`workers`, `executor`, `progress` and `stop` mean the same in all of them. {prose(Execution.of)}"
    for name, thing in called.items():
        yield from function(f"arena.{name}", thing)
    for group in GROUPS:
        yield f"## `arena.{group}`"
        yield prose(getattr(arena, group))
        for name, thing in calls_of(group).items():
            yield from function(f"arena.{group}.{name}", thing)
    yield "## What calls give back"
    yield "All of these print as the command line does, and show as tables in a notebook."
    yield "`to_dicts()` gives rows for `pandas.DataFrame` or `polars.DataFrame`."
    everything = [*called.values(), *(thing for group in GROUPS for thing in calls_of(group).values())]
    names = {thing: name for name, thing in things.items() if isinstance(thing, type)}
    results = returned(everything)
    results += [
        thing
        for thing, name in names.items()
        if thing not in results and not arena.HOMES[name].startswith(TO_WRITE_WITH)
    ]
    for cls in results:
        yield from klass(f"arena.{names[cls]}" if cls in names else cls.__name__, cls)
    yield "## To write with"
    for thing, name in names.items():
        if thing not in results:
            yield from klass(f"arena.{name}", thing)
    for name, thing in functions.items():
        if name not in called:
            yield from function(f"arena.{name}", thing)
    yield "## To test with"
    yield prose(pytest_fixtures)
    for name in testing.__all__:
        yield from function(f"arena.testing.{name}", getattr(testing, name))


def calls_of(group: str) -> dict[str, Any]:
    """The functions of `arena.models` or `arena.tournaments` that are for callers."""
    module = getattr(arena, group)
    return {name: getattr(module, name) for name in module.__all__}


def returned(functions: list[Any]) -> list[type]:
    """The classes that functions give back, and those of their fields, each once."""
    found: dict[type, None] = {}

    def look(text: str, space: dict[str, Any]) -> None:
        for word in re.findall(r"\w+", text):
            thing = space.get(word)
            if isinstance(thing, type) and thing.__module__.startswith(RETURNED) and thing not in found:
                found[thing] = None
                if is_dataclass(thing):
                    for field in fields(thing):
                        look(str(field.type), vars(sys.modules[home_of(thing, field.name)]))

    for one in functions:
        look(str(one.__annotations__.get("return", "")), vars(sys.modules[one.__module__]))
    return list(found)


def home_of(cls: type, field: str) -> str:
    """The module of the class that declares a field."""
    return next(base.__module__ for base in cls.__mro__ if field in inspect.get_annotations(base))


def function(name: str, thing: Any) -> Iterator[str]:
    yield f"### `{name}`"
    yield fenced("python", signature(name, thing))
    yield prose(thing)


def klass(name: str, cls: type) -> Iterator[str]:
    bases = [base.__name__ for base in cls.__bases__ if base.__module__.startswith("arena")]
    yield f"### `{name}`" + (f", of `{bases[0]}`" if bases else "")
    yield prose(cls)
    if is_dataclass(cls):
        own = [field for field in fields(cls) if not field.name.startswith("_")]
        yield table(["field", "type"], [[f"`{field.name}`", f"`{field.type}`"] for field in own])
    elif attributes := list(stated(cls)):
        yield table(["attribute", "by default", ""], attributes)
    for method_name, method in vars(cls).items():
        target = getattr(method, "__func__", getattr(method, "fget", getattr(method, "func", method)))
        if method_name.startswith("_") or not inspect.isfunction(target) or not target.__doc__:
            continue
        said = signature(method_name, target)
        if target is not method and not isinstance(method, classmethod | staticmethod):
            said = method_name  # a property
        text = " ".join(said.split()).replace("( ", "(").replace(",)", ")")
        yield f"**`{text}`**  \n{prose(target)}"


def stated(cls: type) -> Iterator[list[str]]:
    """Attributes that stand in a class with a comment that says what they are."""
    line = r"^    ([a-z]\w*): [^=\n]+ = (.+?)  # (.+)$"
    for name, value, comment in re.findall(line, inspect.getsource(cls), re.MULTILINE):
        yield [f"`{name}`", f"`{value}`", comment]


def signature(name: str, thing: Any) -> str:
    """As it stands in the source, on one line if that is short."""
    found = inspect.signature(thing)
    pieces, starred = [], False
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            pieces.append("*")
            starred = True
        starred = starred or one.kind is one.VAR_POSITIONAL
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        kind = "" if one.annotation is one.empty else f": {one.annotation}"
        default = "" if one.default is one.empty else f"{' = ' if kind else '='}{shown(one.default)}"
        pieces.append(stars + one.name + kind + default)
    result = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    short = f"{name}({', '.join(pieces)}){result}"
    if len(short) <= WIDTH:
        return short
    return f"{name}(\n" + "".join(f"    {piece},\n" for piece in pieces) + f"){result}"


def shown(value: Any) -> str:
    return value.__name__ if isinstance(value, type) or inspect.isfunction(value) else repr(value)


# --- options ----------------------------------------------------------------------------------------------


def agent_page() -> Iterator[str]:
    yield "# Agents and their options"
    yield "`arena agents` shows the same. [Enter options](../how-to/enter-options.md) says how to write them."
    yield "[The agents' own pages](../agents/README.md) say what each is for."
    yield from installed(arena.agents())


def game_page() -> Iterator[str]:
    yield "# Games and their options"
    yield "`arena games` shows the same. Agents may need a capability: `arena agents`."
    yield from installed(arena.games())


def installed(found: Any) -> Iterator[str]:
    for one in found:
        if one.distribution != OWN:
            continue
        yield f"## `{one.name}`"
        yield one.summary
        for fact in ("needs", "uses", "capabilities"):
            if one.facts.get(fact):
                yield f"{fact.capitalize()}: {', '.join(one.facts[fact])}."
        for name, what in one.facts.get("protocols", {}).items():
            yield f"Protocol `{name}`: {what}."
        if one.options:
            rows = [[f"`{o.name}`", code(o.text), o.help, o.takes] for o in one.options]
            yield table(["option", "by default", "", "takes"], rows)


def other_page() -> Iterator[str]:
    yield "# Evaluations, rating systems, executors"
    yield "`arena plugins` lists what is installed."
    for kind in KINDS:
        yield f"## {kind.capitalize()}s"
        for name, offer in registry().offers[kind].items():
            if offer.plugin.distribution == OWN:
                cls = offer.load()
                yield f"### `{name}`"
                yield (inspect.getdoc(cls) or "").partition("\n\n")[0]
                if issubclass(cls, Configurable) and cls.options:
                    rows = [
                        [f"`{o}`", code(f"{found.default}"), found.help] for o, found in cls.options.items()
                    ]
                    yield table(["option", "by default", ""], rows)
    yield "## Executors"
    for name, offer in registry().offers["executor"].items():
        if offer.plugin.distribution == OWN:
            yield f"### `{name}`"
            yield (inspect.getdoc(offer.load()) or "").partition("\n\n")[0]


# --- files ------------------------------------------------------------------------------------------------


def settings_page() -> Iterator[str]:
    yield "# Tournament files"
    yield "`arena tournament FILE.toml` plays what a file says."
    yield "`arena.tournament` takes the same names as arguments."
    yield fields_table(Settings, leave_out=("matches", "sprt", "book", "optional_stopping", "shard"))
    yield "## `[[entries]]`"
    yield prose(Named)
    yield fields_table(Named)
    yield "## `[[published]]`"
    yield prose(Published)
    yield fields_table(Published)


def model_page() -> Iterator[str]:
    yield "# Model files"
    yield prose(model_file)
    yield f"This is format {model_file.FORMAT}. `{model_file.ABOUT}` has these fields."
    yield prose(model_file.About)
    yield fields_table(model_file.About)
    made_by = ", ".join(f"`{name}`" for name in model_file.MADE_BY)
    yield f"The key is a digest of {made_by}. File names end in `{model_file.SUFFIX}`."


def fields_table(cls: Any, leave_out: tuple[str, ...] = ()) -> str:
    """The fields of a struct, with the comments that stand beside them."""
    line = r"^    (\w+): ([^=#\n]+?)(?: = ([^#\n]+?))?(?:  # (.+))?$"
    found = re.findall(line, inspect.getsource(cls), re.MULTILINE)
    told = {name: rest for name, *rest in found}  # the last that reads so, after the docstring
    names = [name for name in cls.__struct_fields__ if name not in leave_out]
    rows = [[f"`{name}`", f"`{told[name][0]}`", code(told[name][1]), told[name][2]] for name in names]
    return table(["field", "type", "by default", ""], rows)


def database_page() -> Iterator[str]:
    yield "# The database"
    yield "`arena.db` is plain SQLite, made to be [looked into](../how-to/look-into-the-database.md)."
    yield "Views have everything by name:"
    yield fenced("sh", 'sqlite3 arena.db "SELECT first, second, result, moves FROM matches_readable LIMIT 5"')
    yield "A comment says what each table and view holds, and below that what its columns do."
    yield "These migrations have been made, in order. A released one never changes."
    source = inspect.getsource(migrations)
    for name in re.findall(r'@migrations\(name="(.+)"\)', source):
        yield f"## {name}"
        yield fenced("sql", getattr(migrations, f"SCHEMA_{int(name[:4])}").strip())


# --- Markdown ---------------------------------------------------------------------------------------------


def prose(thing: Any) -> str:
    """A docstring, its examples as code and its sections as lists."""
    text = re.sub(r"(?m)^(\w+):\n((?:    .*\n?|\n(?=    ))+)", section, inspect.getdoc(thing) or "")
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return re.sub(r"(?m)^>>> (?:.+\n?)+", lambda found: fenced("python", found[0].rstrip()), text)


def section(found: re.Match[str]) -> str:
    """`Args:` or the like as a list, or as a paragraph if it has no names."""
    lines = re.sub(r"\n {5,}", " ", found[2].rstrip()).splitlines()
    items = [re.sub(r"^([\w*]+): ", r"`\1`: ", line.strip()) for line in lines]
    if all(item.startswith("`") for item in items) and found[1] != "Returns":
        return f"{found[1]}:\n\n" + "\n".join(f"- {item}" for item in items) + "\n\n"
    return f"{found[1]}: {' '.join(items)}\n\n"


def indented_as_code(text: str) -> str:
    """Words with what they mean, in columns, as code."""
    return re.sub(r"(?m)^(?:\w+ {2,}.+\n?)+", lambda found: fenced("text", found[0].rstrip()), text)


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


WRITERS: Pages = {
    "commands.md": command_page,
    "hooks.md": hook_page,
    "python.md": python_page,
    "agents.md": agent_page,
    "games.md": game_page,
    "others.md": other_page,
    "tournament-files.md": settings_page,
    "models.md": model_page,
    "database.md": database_page,
}

if __name__ == "__main__":
    main()

"""Writes the pages of `docs/reference` that are taken from the code.

    python docs/generate.py

A test writes them anew and compares, so whoever changes a docstring, an option or a command runs this.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import python_pages
from python_pages import Name, Page

import arena
from arena.api import hooks
from arena.api.options import Configurable
from arena.cli.commands import cli
from arena.commands.tournaments.call import TOURNAMENTS, USAGE
from arena.commands.train.models.call import MODELS
from arena.registry.plugins import OWN, registry
from arena.results.settings import Named, Published, Settings
from arena.show.frame import Columns
from arena.show.presentation import Shown
from arena.storage import migrations, model_file

FOLDER = Path(__file__).parent / "reference"
WRITTEN = "<!-- written by docs/generate.py -->"
WIDTH = 80  # of the help that click shows
ON_GITHUB = (
    "This page lists the names. All arguments, attributes and errors are on the site, which "
    "`python docs/build_site.py` builds from the docstrings, and in `help(arena.match)`."
)
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
    yield (
        "This page has the `--help` text of every command. "
        "[Commands and their calls](calls.md) has the call for each."
    )
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
    yield "This page lists the hooks by which a plugin offers games, agents, commands and more."
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
    yield "This page lists where each public name of `arena` is described."
    for page in python_pages.pages():
        yield f"- [{page.title}]({page.file}): {len(list(names_of(page)))} names"
    yield ON_GITHUB


def names_page(page: Page) -> Iterator[str]:
    """A page of the Python reference as the repository has it."""
    first, introduction, *rest = python_pages.render(page, listed)
    yield from (first, introduction, ON_GITHUB, *rest)


def names_of(page: Page) -> Iterator[Name]:
    for section in page.sections:
        yield from section.names


def listed(name: Name) -> str:
    """A name, what it is for, and a link to its source."""
    return f"### `{name.text}`\n\n{name.summary} [Source](../../{name.source})"


# --- options ----------------------------------------------------------------------------------------------


def agent_page() -> Iterator[str]:
    yield "# Agents and their options"
    yield (
        "This page lists the options of each agent. `arena agents` shows the same list, and "
        "[Set options of entries](../how-to/enter-options.md) explains how to write them."
    )
    yield "[The agents' own pages](../agents/README.md) say what each is for."
    yield from installed(arena.agents())


def game_page() -> Iterator[str]:
    yield "# Games and their options"
    yield (
        "This page lists the games with their options. `arena games` shows the same list. Agents "
        "may require capabilities of a game; `arena agents` shows which."
    )
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
    yield (
        "This page lists the evaluations, rating systems, formats and executors. "
        "`arena plugins` lists what is installed."
    )
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
    yield (
        "This page lists the fields of a tournament file, for `arena tournament FILE.toml`. "
        "`arena.tournament` takes the same names as arguments."
    )
    yield fields_table(Settings, leave_out=("matches", "sprt", "book", "optional_stopping", "shard"))
    yield "## `[[entries]]`"
    yield prose(Named)
    yield fields_table(Named)
    yield "## `[[published]]`"
    yield prose(Published)
    yield fields_table(Published)


def model_page() -> Iterator[str]:
    yield "# Model files"
    yield "This page describes the files in which the models of learners are stored."
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
    yield (
        "This page describes the tables of a database of results, which is plain SQLite; "
        "[Query the database](../how-to/look-into-the-database.md) has examples."
    )
    yield "Views have names in place of ids:"
    yield fenced("sh", 'sqlite3 arena.db "SELECT first, second, result, moves FROM matches_readable LIMIT 5"')
    yield "A comment describes each table and view; further comments describe the columns."
    yield "The migrations are applied in this order. A released migration never changes."
    source = inspect.getsource(migrations)
    for name in re.findall(r'@migrations\(name="(.+)"\)', source):
        yield f"## {name}"
        yield fenced("sql", getattr(migrations, f"SCHEMA_{int(name[:4])}").strip())


# --- data frames ------------------------------------------------------------------------------------------


def frame_page() -> Iterator[str]:
    yield "# Data frames and figures"
    yield (
        "This page lists the columns of the data frame that each result's `to_frame()` returns, and "
        "describes what its `plot()` draws. [Use a notebook](../how-to/use-a-notebook.md) has examples."
    )
    yield (
        "A column marked by a star is present only if some row has a value in it. The pandas types are "
        "`string` for text, `Int64` for whole numbers, `float64` for other numbers, and `boolean`."
    )
    for cls in framed_results():
        yield f"## `{cls.__name__}`"
        if "plot" in vars(cls):
            yield f"`plot()`: {prose(cls.plot).splitlines()[0]}"
        yield column_table(cls.frame_columns)
        if cls is arena.Tournament:
            yield '`to_frame("pairings")` has the columns of a `Match`, or of an `ExactMatch` if it is exact.'
    for heading, columns in LISTS.items():
        yield f"## {heading}"
        yield column_table(columns)


def framed_results() -> list[type[Shown]]:
    """The public results, by name."""
    public = [getattr(arena, name) for name in arena.__all__]
    found = {cls for cls in public if isinstance(cls, type) and issubclass(cls, Shown)}
    return sorted((cls for cls in found if not issubclass(cls, arena.Listing)), key=lambda cls: cls.__name__)


def column_table(columns: Columns) -> str:
    rows = [
        [f"`{name}`{' *' * column.optional}", KINDS_OF_VALUES[column.type], column.meaning]
        for name, column in columns.items()
    ]
    return table(["column", "type", "meaning"], rows)


KINDS_OF_VALUES = {str: "text", int: "whole number", float: "number", bool: "truth value"}
LISTS: dict[str, Columns] = {
    "`arena.tournaments.list()`": TOURNAMENTS,
    "`arena.tournaments.usage()`": USAGE,
    "`arena.models.list()`": MODELS,
}

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
    **{page.file: partial(names_page, page) for page in python_pages.pages()},
    "frames.md": frame_page,
    "agents.md": agent_page,
    "games.md": game_page,
    "others.md": other_page,
    "tournament-files.md": settings_page,
    "models.md": model_page,
    "database.md": database_page,
}

if __name__ == "__main__":
    main()

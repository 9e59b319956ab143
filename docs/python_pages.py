"""The pages of the Python reference: which names each of them has.

On the site, mkdocstrings renders their docstrings. In the repository, a page lists the names with what each
is for and its source.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import arena
from arena import pytest_fixtures, testing

ROOT = Path(__file__).resolve().parent.parent
GROUPS = ("models", "seasons", "tournaments")  # modules among the public names
RESULTS = (
    "arena.calls.",
    "arena.ratings.",
    "arena.analysis",
    "arena.results",
    "arena.testing.",
)
FOR_AUTHORS = ("analysis.graph", "api.", "errors", "rng", "show.")  # modules of the names that authors use


@dataclass(frozen=True)
class Name:
    """A documented object.

    Attributes:
        text: How it is called, such as `arena.match`.
        path: Where it is found, for mkdocstrings.
        target: The object.
    """

    text: str
    path: str
    target: Any

    @property
    def is_alias(self) -> bool:
        """Whether it is another name of a type, without a docstring."""
        return not getattr(self.target, "__module__", "").startswith("arena.") or not inspect.getdoc(
            self.target
        )

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring."""
        return "A type." if self.is_alias else (inspect.getdoc(self.target) or "").partition("\n\n")[0]

    @property
    def source(self) -> str:
        """The file that defines it, from the root of the repository."""
        module = f"arena.{home(self)}" if self.is_alias else self.target.__module__
        return Path(inspect.getfile(sys.modules[module])).relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Section:
    """A heading, an introduction, and names."""

    title: str
    names: list[Name]
    introduction: str = ""


@dataclass(frozen=True)
class Page:
    """One page of the reference."""

    file: str
    title: str
    introduction: str
    sections: list[Section]


def pages() -> list[Page]:
    """All pages of the Python reference but its list of contents."""
    return [calls(), results(), for_authors(), for_tests()]


def anchors() -> dict[str, str]:
    """For each name, its anchor on the site, by its anchor in the repository."""
    return {
        re.sub(r"[^\w\- ]", "", name.text.lower()): name.path
        for page in pages()
        for section in page.sections
        for name in section.names
    }


def render(page: Page, name_text: Callable[[Name], str]) -> Iterator[str]:
    """The paragraphs of a page.

    Args:
        page: The page.
        name_text: Renders one name.
    """
    yield f"# {page.title}"
    yield page.introduction
    for section in page.sections:
        yield f"## {section.title}"
        if section.introduction:
            yield section.introduction
        yield from map(name_text, section.names)


# --- pages ------------------------------------------------------------------------------------------------


def calls() -> Page:
    introduction = (
        "This page lists the Python calls, which do everything that the command line does. "
        "[Commands and their calls](calls.md) has the command for each."
    )
    groups = [
        Section(f"`arena.{group}`", group_calls(group), inspect.getdoc(getattr(arena, group)) or "")
        for group in GROUPS
    ]
    return Page("python-calls.md", "Calls", introduction, [Section("`arena`", own_calls()), *groups])


def results() -> Page:
    introduction = (
        "This page describes what each call returns. Results print like the output of the command line, "
        "and are displayed as tables in a notebook. `to_dicts()` returns rows as dictionaries, "
        "`to_frame()` a pandas data frame, `to_markdown()` and `to_latex()` tables, and `plot()` a "
        "figure: [data frames and figures](frames.md)."
    )
    return Page("python-results.md", "Results", introduction, [Section("Classes", result_names())])


def for_authors() -> Page:
    introduction = (
        "This page describes the classes and functions for writing games, agents, learners and other plugins."
    )
    called = {name.text for name in own_calls()} | {name.text for name in result_names()}
    rest = [name for name in exported() if name.text not in called]
    aliases = [name for name in rest if name.is_alias]
    functions = [name for name in rest if inspect.isfunction(name.target)]
    classes = [name for name in rest if name not in aliases and name not in functions]
    sections = [Section("Classes", classes), Section("Functions", functions), Section("Types", aliases)]
    return Page("python-classes.md", "Classes and functions for authors", introduction, sections)


def for_tests() -> Page:
    names = [
        Name(f"arena.testing.{name}", f"arena.testing.{name}", getattr(testing, name))
        for name in testing.__all__
    ]
    introduction = "This page describes how to test a game or an agent with pytest."
    fixtures = Section("Fixtures", [], inspect.getdoc(pytest_fixtures) or "")
    return Page("python-testing.md", "Tests", introduction, [fixtures, Section("`arena.testing`", names)])


# --- names ------------------------------------------------------------------------------------------------


def exported() -> list[Name]:
    """What `import arena` gives, but for modules and the version."""
    return [
        Name(f"arena.{name}", f"arena.{name}", getattr(arena, name))
        for name in arena.__all__
        if name not in (*GROUPS, "__version__", "hookimpl")
    ]


def own_calls() -> list[Name]:
    return [
        name for name in exported() if inspect.isfunction(name.target) and home(name).startswith("commands.")
    ]


def group_calls(group: str) -> list[Name]:
    module = getattr(arena, group)
    return [
        Name(f"arena.{group}.{name}", f"arena.{group}.{name}", getattr(module, name))
        for name in module.__all__
    ]


def result_names() -> list[Name]:
    """The classes that calls return, those of their fields, and other public classes not for authors."""
    functions = [*own_calls(), *(name for group in GROUPS for name in group_calls(group))]
    public = {name.target: name for name in exported() if isinstance(name.target, type)}
    found = returned([name.target for name in functions])
    found += [
        cls for cls, name in public.items() if cls not in found and not home(name).startswith(FOR_AUTHORS)
    ]
    return [public.get(cls) or Name(cls.__name__, f"{cls.__module__}.{cls.__name__}", cls) for cls in found]


def home(name: Name) -> str:
    """The module, below `arena`, that defines a name of `arena`."""
    return arena.HOMES[name.text.removeprefix("arena.")]


def returned(functions: list[Any]) -> list[type]:
    """The classes that functions return, and those of their fields, each once."""
    found: dict[type, None] = {}

    def look(text: str, space: dict[str, Any]) -> None:
        for word in re.findall(r"\w+", text):
            thing = space.get(word)
            if isinstance(thing, type) and thing.__module__.startswith(RESULTS) and thing not in found:
                found[thing] = None
                if is_dataclass(thing):
                    for field in fields(thing):
                        look(str(field.type), vars(sys.modules[declaring_module(thing, field.name)]))

    for one in functions:
        look(str(one.__annotations__.get("return", "")), vars(sys.modules[one.__module__]))
    return list(found)


def declaring_module(cls: type, field: str) -> str:
    """The module of the class that declares a field."""
    return next(base.__module__ for base in cls.__mro__ if field in inspect.get_annotations(base))

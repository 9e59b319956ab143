"""Words that the glossary says were used formerly are not used: in names, options and headings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from paths import ROOT

MODULES = sorted(path for folder in ("arena", "plugins") for path in (ROOT / folder).rglob("*.py"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

ALLOWED = {  # what a word may still stand in, and why
    ("kernel", "kernel"): "the operating system's kernel, in arena/compiler/stack.py",
}


def formerly() -> list[str]:
    """The words of the last column of the glossary's tables."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\|.*\|([^|]*)\|$", text, re.MULTILINE)
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


WORDS = formerly()
OPTIONS = [word for word in WORDS if word.startswith("--")]
ATTRIBUTES = [word for word in WORDS if "." in word]
PLAIN = [word for word in WORDS if word not in OPTIONS and word not in ATTRIBUTES]


def words_in(name: str) -> set[str]:
    """The words of a name: of `SolePlayer` and `sole_player` alike."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def names_in(path: Path) -> Iterator[str]:
    """The names that a module defines, and its own."""
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def attributes_in(path: Path) -> Iterator[str]:
    """What the classes of a module define, such as `Agent.choose`, but for old names that only warn."""
    for cls in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for node in cls.body if isinstance(cls, ast.ClassDef) else ():
            if isinstance(node, ast.FunctionDef):
                yield f"{cls.name}.{node.name}"
            elif isinstance(node, ast.AnnAssign | ast.Assign) and "Formerly(" not in ast.unparse(node):
                targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
                yield from (f"{cls.name}.{ast.unparse(target)}" for target in targets)


@cache
def headings() -> set[str]:
    return {
        heading
        for page in PAGES
        for heading in re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }


@pytest.fixture(scope="module")
def names():
    return {name for path in MODULES for name in names_in(path)}


@pytest.fixture(scope="module")
def options():
    """Every option of every command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        import generate
    return {
        text
        for _, command in generate.every_command()
        for parameter in command.params
        for text in parameter.opts
    }


def test_a_name_is_taken_apart_into_its_words():
    assert words_in("SolePlayer") == words_in("sole_player") == {"sole", "player"}
    assert words_in("HTTPServer2") == {"http", "server"}


def test_the_glossary_has_words_of_each_kind():
    assert {"--doubts"} < set(OPTIONS)
    assert {"Game.progress"} < set(ATTRIBUTES)
    assert {"contest"} < set(PLAIN)


@pytest.mark.slow
@pytest.mark.parametrize("word", PLAIN)
def test_no_name_and_no_heading_has_the_word(word, names):
    used = {name for name in names if word == name or word in words_in(name)}
    assert used - {name for old, name in ALLOWED if old == word} == set()
    assert {heading for heading in headings() if word.lower() in words_in(heading)} == set()


@pytest.mark.parametrize("option", OPTIONS)
def test_no_command_has_the_option(option, options):
    assert option not in options


@pytest.mark.slow
def test_no_class_has_an_attribute_of_a_former_name():
    assert {*ATTRIBUTES}.isdisjoint({found for path in MODULES for found in attributes_in(path)})


@pytest.mark.parametrize(("word", "name"), ALLOWED)
def test_what_is_allowed_is_used(word, name, names):
    assert word in WORDS
    assert name in names

"""What the documents say is what comes out: pages taken from the code, tables, links, blocks that run."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import click
import pytest

import arena
from arena.api.reasons import FORFEITS
from arguments import arguments_of
from commands import arena_compiled
from paths import ROOT
from records import query
from running import until

DOCS = ROOT / "docs"
PAGES = sorted(path for path in [ROOT / "README.md", *DOCS.rglob("*.md")])
RUN = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*DOCS.glob("tutorial*.md"), *DOCS.glob("how-to/*.md"), *DOCS.glob("explanation/*.md")]
    if re.search(r"```(python|console)\n", path.read_text(encoding="utf-8"))
)


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def scripts():
    """The scripts of the documents, to be imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        yield


@pytest.fixture
def generate(scripts):
    """The script that writes the reference."""
    import generate

    return generate


# --- taken from the code ----------------------------------------------------------------------------------


def test_the_reference_is_what_the_code_says(generate):
    """If not: `python docs/generate.py`."""
    for name, text in generate.pages().items():
        assert (generate.FOLDER / name).read_text(encoding="utf-8") == text, name


def test_every_page_of_the_reference_is_written_by_the_script_or_tested_here(generate):
    by_hand = {"calls.md", "engine-protocol.md", "environment.md"}
    assert {path.name for path in generate.FOLDER.glob("*.md")} == by_hand | generate.pages().keys()


def test_the_reference_has_every_variable_of_the_environment():
    """But for those that only developers of the compiler need."""
    files = [path for folder in ("arena", "plugins") for path in (ROOT / folder).rglob("*.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    told = (DOCS / "reference" / "environment.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)`", told, re.MULTILINE))
    assert listed == set(re.findall(r'"(ARENA_[A-Z]+)"', code))


# --- commands and calls -----------------------------------------------------------------------------------

TERMINAL = {"as_json", "wide", "yes", "help"}  # options that are the terminal's alone


def rows() -> list[tuple[str, str]]:
    """Command and call of each row of the table."""
    text = (DOCS / "reference" / "calls.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(arena .*?)` \| `(.*?)`", text, re.MULTILINE)


def called(call: str) -> tuple[object, list[str]]:
    """What a call calls, and the names of the arguments that it is given."""
    found: object = arena
    for name in call.removeprefix("arena.").partition("(")[0].split("."):
        found = getattr(found, name)
    return found, re.findall(r"(\w+)=(?!=)", call.partition("(")[2])


def test_the_table_has_every_command(generate):
    leaves = {
        name
        for name, command in generate.every_command()
        if not isinstance(command, click.Group) and name != "arena"
    }
    shown = {re.match(r"arena(?: [a-z]+)+", command)[0] for command, _ in rows()}
    assert shown == leaves


@pytest.mark.parametrize(("command", "call"), rows(), ids=lambda text: text)
def test_a_call_of_the_table_exists(command, call):
    for one in re.findall(r"arena\.[\w.]+\([^()]*", call):
        function, arguments = called(one)
        assert set(arguments) <= arguments_of(function)
    if method := re.search(r"\)\.(\w+)\(\)$", call):
        function, _ = called(call)
        module = sys.modules[function.__module__]
        assert hasattr(getattr(module, function.__annotations__["return"]), method[1])


def test_every_option_is_in_the_table_or_an_argument_of_that_name(generate):
    for name, command in generate.every_command():
        own = [row for row in rows() if re.match(rf"{name}( [^a-z]|$)", row[0])]
        for parameter in command.params if own else []:
            if not isinstance(parameter, click.Option) or parameter.hidden or parameter.name in TERMINAL:
                continue
            arguments = {a for _, call in own for a in arguments_of(called(call)[0])}
            listed = any(option in row for row, _ in own for option in parameter.opts)
            assert listed or parameter.opts[-1].removeprefix("--").replace("-", "_") in arguments, parameter


# --- links ------------------------------------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """What the headings of a page are called in links."""
    heads = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_page_is_found_from_the_readme():
    found, left = set(), [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page in found or page.suffix != ".md":
            continue
        found.add(page)
        links = re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8"))
        left += [(page.parent / link).resolve() for link in links if not link.startswith("https:")]
    assert set(PAGES) <= found


def paths_in(nav: object) -> set[str]:
    """The pages of a part of the site's navigation."""
    if isinstance(nav, str):
        return {nav}
    return {path for one in (nav.values() if isinstance(nav, dict) else nav) for path in paths_in(one)}


def test_every_page_is_in_the_navigation_of_the_site():
    nav = tomllib.loads(text_of("docs/zensical.toml"))["project"]["nav"]
    assert {path.relative_to(ROOT).as_posix() for path in PAGES} <= paths_in(nav)


def test_pictures_of_diagrams_are_drawn_from_the_pages(scripts):
    """If not: `python docs/diagrams.py`."""
    import diagrams

    found = diagrams.diagrams()
    assert found
    for path, source in found.items():
        for theme in diagrams.THEMES:
            drawn = diagrams.picture(path, theme).read_text(encoding="utf-8")
            assert drawn.startswith(diagrams.digest(source)), path


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_begins_with_what_its_reader_can_do_afterwards(page):
    title, first, *_ = [
        paragraph
        for paragraph in page.read_text(encoding="utf-8").split("\n\n")
        if not paragraph.startswith("<!--")
    ]
    assert title.startswith("# ")
    assert first.startswith(("After reading this page you ", "This page ")), first


# --- the agents' pages -----------------------------------------------------------------------------------


def test_every_agent_has_a_page():
    own = {agent.name for agent in arena.agents() if agent.distribution == "arena-tournament"}
    listed = re.findall(
        r"^\| `([\w-]+)` .*\]\((\w+\.md)\) \|$", text_of("docs/agents/README.md"), re.MULTILINE
    )
    assert {name for name, _ in listed} == own
    for name, page in listed:
        assert f"`{name}`" in text_of(f"docs/agents/{page}")


OF_OTHERS = {
    DOCS / "agents" / "engines.md",
    DOCS / "agents" / "llm.md",
}  # which play as well as what they ask
WITH_RESULTS = sorted({*(DOCS / "agents").glob("[a-z]*.md")} - OF_OTHERS)


@pytest.mark.parametrize("page", WITH_RESULTS, ids=lambda path: path.stem)
def test_results_on_an_agents_page_are_rows_of_what_is_published(page):
    results = page.read_text(encoding="utf-8").partition("## Results")[2]
    published = [(page.parent / link).resolve() for link in re.findall(r"\]\(([^)\s]+)\)", results)]
    lines = {line for path in published for line in path.read_text(encoding="utf-8").splitlines()}
    shown = [line for line in results.splitlines() if line.startswith("|")]
    assert shown
    assert set(shown) <= lines


# --- blocks that run --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", RUN)
@pytest.mark.slow
def test_what_a_page_tells_its_reader_to_do_comes_out_as_it_says(tmp_path, scripts, page):
    """If not: `python docs/examples.py`. Commands are forked, which starts them sooner."""
    from examples import Reader

    class Forking(Reader):
        def run(self, program, *words, typed=""):
            if program != "arena":
                return super().run(program, *words, typed=typed)
            done = arena_compiled(self.folder, *words, input=typed, PYTHONPATH=self.env["PYTHONPATH"])
            assert "Warning" not in done.stderr
            return done.stdout

    assert Forking(tmp_path).read(text_of(page)) == text_of(page)


@pytest.mark.slow
def test_a_page_that_shows_something_else_is_found_out(tmp_path, scripts):
    from examples import Reader

    page = "```console\n$ arena perft tic-tac-toe 1\n1 8\n```\n"
    assert Reader(tmp_path).read(page) == page.replace("1 8", "1 9")
    with pytest.raises(ValueError, match="no game called 'tic-tac'"):
        Reader(tmp_path).read(page.replace("tic-tac-toe", "tic-tac"))


@pytest.mark.slow
def test_the_plugin_of_the_tutorial_installs(tmp_path, scripts):
    """Really, by pip, into a folder of its own."""
    from examples import FENCE

    for block in FENCE.finditer(text_of("docs/tutorial.md")):
        if block["file"]:
            (tmp_path / block["file"]).write_text(block["text"], encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", "there", "."]
    subprocess.run(pip, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "there")}
    command = [sys.executable, "-m", "arena", "agents", "eager", "--json"]
    said = subprocess.run(command, cwd=tmp_path / "there", env=env, check=True, capture_output=True).stdout
    (agent,) = json.loads(said)
    assert (agent["distribution"], agent["version"], agent["compiled"]) == ("arena-eager", "1.0", True)


# --- architecture -----------------------------------------------------------------------------------------

ARCHITECTURE = text_of("docs/explanation/architecture.md")


def test_the_architecture_has_the_layers_that_are_checked():
    contracts = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    section = ARCHITECTURE.partition("## Layers")[2].partition("\n## ")[0]
    shown = [re.findall(r"`([\w.]+)`", row.split("|")[1]) for row in section.splitlines() if "|" in row]
    assert [name for row in shown for name in row] == re.findall(r"\w+", " ".join(layers))


def test_files_that_the_architecture_names_exist():
    named = re.findall(r"`(\w+(?:/\w+)*/\w+\.py)`", ARCHITECTURE)
    assert len(named) > 10
    assert [path for path in named if not (ROOT / "arena" / path).is_file()] == []


def test_the_reasons_of_forfeits_are_those_of_records():
    page = text_of("docs/explanation/faults.md")
    reasons = re.findall(r"^\| .* \| `([a-z ]+)` \|$", page, re.MULTILINE)
    assert sorted(reasons) == sorted(FORFEITS)


SCRIPT = """
import sys
import arena
if sys.argv[1:]:
    found = arena.resume(progress=False)
    print(found.played, found.finished)
else:
    entries = ["greedy", "alpha-beta:depth=7"]
    arena.tournament(entries, game="connect-four", openings="random:4", rounds=800, seed=1, progress=False)
"""


@pytest.mark.slow
def test_what_is_interrupted_in_a_notebook_or_script_is_recorded_and_goes_on(tmp_path):
    (tmp_path / "long.py").write_text(SCRIPT)
    listening = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    running = subprocess.Popen(
        [sys.executable, "long.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True, preexec_fn=listening
    )
    assert until(lambda: (tmp_path / "arena.db").exists() and recorded(tmp_path / "arena.db"))
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=600)
    assert "KeyboardInterrupt" in said
    assert 0 < recorded(tmp_path / "arena.db") < 1600
    command = [sys.executable, "long.py", "resume"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout == "1600 True\n"


def recorded(db: Path) -> int:
    try:
        return len(query(db, "SELECT number FROM matches"))
    except sqlite3.OperationalError:  # its tables are not there yet
        return 0

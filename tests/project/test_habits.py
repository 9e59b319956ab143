"""What contributors, services and citations go by says what `.ci/run` and `pyproject.toml` say."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

import arena
from arena.registry.plugins import OWN
from paths import ROOT

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def text(*path: str) -> str:
    return ROOT.joinpath(*path).read_text(encoding="utf-8")


def readme(ending: str) -> str:
    """The README's command that ends so."""
    (found,) = re.findall(rf"^python3 -m venv .*{ending}$", text("README.md"), re.MULTILINE)
    return found


def in_ci() -> set[str]:
    """The commands of arena and of tools that `.ci/run` runs, up to the first that is not a plain word."""
    found = re.findall(r'"\$(?:bin|work/wheel/bin)/([\w-]+)"((?: [\w./-]+)*)', text(".ci", "run"))
    ours = {tool + words for tool, words in found if tool != "pip"}
    asked = re.findall(r"\(readme '(.*?)\$'\)", text(".ci", "run"))
    ours |= {
        f"python -m pytest{words}" for words in re.findall(r"\(tests((?: -m [\w]+))", text(".ci", "run"))
    }
    return ours | {readme(ending).rpartition(".venv/bin/")[2] for ending in asked}


def in_nox() -> set[str]:
    """The commands that sessions run, by the texts that they begin with."""
    calls = re.findall(r'session\.run\(("[^"]*"(?:, "[^"]*")*)', text("noxfile.py"))
    return {" ".join(re.findall(r'"([^"]*)"', call)) for call in calls}


def versions_in_ci() -> list[str]:
    (listed,) = re.findall(r"^for version in ([\d. ]*); do$", text(".ci", "run"), re.MULTILINE)
    return listed.split()


def test_ci_is_read_as_it_is_meant():
    assert {"arena tournament", "python -m pytest", "python -m pytest -m slow", "ruff check ."} <= in_ci()


def test_nox_runs_what_ci_runs():
    in_tests = "python docs/build_site.py"  # test_site.py
    assert in_nox() == in_ci() | {"python -m pytest --cov", in_tests}


def test_all_name_the_same_versions_of_python():
    versions = versions_in_ci()
    classifiers = [line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if " :: 3." in line]
    (in_nox,) = re.findall(r"^VERSIONS = \[(.*)\]$", text("noxfile.py"), re.MULTILINE)
    matrix = yaml.safe_load(text(".github", "workflows", "tests.yml"))["jobs"]["tests"]["strategy"]["matrix"]
    assert classifiers == re.findall(r"[\d.]+", in_nox) == matrix["python"] == versions
    assert {more["python"] for more in matrix["include"]} == {versions[-1]}
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"  # without an upper limit


def test_hooks_before_a_commit_are_checks_of_ci_and_download_nothing():
    config = yaml.safe_load(text(".pre-commit-config.yaml"))
    assert [source["repo"] for source in config["repos"]] == ["local"]
    hooks = config["repos"][0]["hooks"]
    assert all({"id", "name", "entry", "language"} <= hook.keys() for hook in hooks)
    assert {hook["language"] for hook in hooks} == {"system"}
    run = {hook["entry"].partition(" --")[0] for hook in hooks}
    assert run == {"ruff check", "ruff format", "lint-imports"}
    assert all(any(check.startswith(command) for check in in_ci()) for command in run)


def test_there_are_workflows_and_forms():
    assert [path.name for path in WORKFLOWS] == ["nightly.yml", "tests.yml"]
    assert [path.name for path in FORMS] == ["bug.yml", "feature.yml", "question.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_takes_steps_that_exist(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    commands = {readme("pytest")}
    commands |= {readme("pytest").replace(".venv/bin", ".venv/Scripts").replace("python3", "python")}
    commands |= {"bash .ci/nightly ${{ matrix.part }}"}
    for job in jobs.values():
        assert {"runs-on", "steps", "timeout-minutes"} <= job.keys()
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            if "run" in step:
                assert step["run"] in commands
            else:
                assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])


def test_every_part_of_nightly_has_a_job_and_a_smoke_test_in_ci():
    jobs = yaml.safe_load(text(".github", "workflows", "nightly.yml"))["jobs"]
    (parts,) = re.findall(r"^  parts=\((.*)\)$", text(".ci", "nightly"), re.MULTILINE)
    defined = re.findall(r"^(\w+)\(\) \{", text(".ci", "nightly"), re.MULTILINE)
    assert jobs["nightly"]["strategy"]["matrix"]["part"] == [*parts.split(), "campaign"] == defined
    assert "bash .ci/nightly --smoke\n" in text(".ci", "run")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_asks_for_something(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    names = [field["id"] for field in form["body"]]
    assert len(set(names)) == len(names)
    assert all(field["attributes"]["label"] for field in form["body"])
    assert form["body"][0]["validations"]["required"] is True


def test_the_citation_has_what_the_format_requires_and_this_version():
    cited = yaml.safe_load(text("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited["cff-version"] == "1.2.0"
    assert cited["authors"] == [{"name": "The arena developers"}]
    assert cited["version"] == arena.__version__
    assert cited["license"] == PROJECT["project"]["license"]


def test_version_and_distribution_are_stated_alike():
    assert PROJECT["project"]["version"] == arena.__version__
    assert PROJECT["project"]["name"] == OWN
    (newest, *_) = re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)
    assert newest == arena.__version__


def test_fragments_of_the_changelog_have_a_kind_and_a_sentence():
    """By the kinds that `pyproject.toml` configures for towncrier, and `changes/README.md` lists."""
    kinds = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    assert set(re.findall(r"^\| `(\w+)` \|", text("changes", "README.md"), re.MULTILINE)) == kinds
    for path in (ROOT / "changes").iterdir():
        if path.name != "README.md":
            assert re.fullmatch(rf"(\d+|\+[a-z0-9-]+)\.({'|'.join(kinds)})\.md", path.name), path.name
            assert path.read_text(encoding="utf-8").rstrip().endswith(".")
    assert PROJECT["tool"]["towncrier"]["start_string"] in text("CHANGELOG.md")


def test_what_users_read_before_upgrading_fits_on_a_page():
    """The newest section of the changelog."""
    newest = re.split(r"^## ", text("CHANGELOG.md"), flags=re.MULTILINE)[1]
    assert newest.count("\n") <= 60


EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/pyproject.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_depend_on_this_version_of_the_distribution(example):
    found = tomllib.loads((example / "pyproject.toml").read_text(encoding="utf-8"))
    release = ".".join(arena.__version__.split(".")[:2])
    assert f"{OWN}>={release}" in found["project"]["dependencies"]
    assert found["tool"]["uv"]["sources"] == {OWN: {"path": "../.."}}


def test_what_contributors_are_told_to_type_exists():
    """Sessions of nox, checks, and files."""
    told = text("CONTRIBUTING.md")
    sessions = set(re.findall(r"^def (\w+)\(session", text("noxfile.py"), re.MULTILINE))
    assert set(re.findall(r"nox -s (\w+)", told)) <= sessions
    for check in in_ci():
        if check.startswith(("ruff", "mypy", "lint-imports")):
            assert check in told
    for path in re.findall(r"\]\(([^)#]+)|`python (\S+\.py)|(tests/\w+/test_\w+\.py)", told):
        assert (ROOT / "".join(path)).exists()
    for extra in re.findall(r"\.\[([\w,]+)\]", told):
        assert set(extra.split(",")) <= PROJECT["project"]["optional-dependencies"].keys()

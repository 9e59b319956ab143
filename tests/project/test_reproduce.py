"""Published results: each has a command that makes it, and small versions come out to the letter."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest

from paths import ROOT
from tiers import tiers

LEADERBOARDS = ROOT / "leaderboards"
MADE = {".csv", ".html", ".json", ".md", ".svg"}
BY_HAND = {
    "leaderboards/README.md",
    "leaderboards/psv/published.json",
    "leaderboards/yardstick.md",  # by a program from elsewhere
}
MEASURED = {  # by the clock, once, and gone by ever since, or to be read beside
    "leaderboards/idea/episodes.csv",
    "leaderboards/mcts/budgets.csv",
    "leaderboards/study/episodes.csv",
}
SMALL = ("connect-four/changes", "psv/figure-4", "psv/zeros", "tic-tac-toe/seeds", "tic-tac-toe/tournament")
PAGE = 3  # seconds that no more than writing a page takes
TWO_HOURS = 2 * 2 * 60 * 60  # seconds of CPU time that a part of a result may take, two cores for two hours
DAY = 24 * 60 * 60  # seconds
SCRIPT = LEADERBOARDS / "reproduce.py"


@pytest.fixture(scope="module")
def reproduce():
    """The script, as a module, which waits for no process: pytest has some that stay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(LEADERBOARDS)
        import reproduce

        patch.setattr(reproduce, "wait_for_all", lambda: None)
        yield reproduce


def small_names():
    """Results with a small version."""
    tables = [
        table
        for path in sorted(LEADERBOARDS.rglob("results.toml"))
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["result"]
    ]
    return [table["name"] for table in tables if table.get("small")]


def test_whatever_is_published_has_a_command_that_makes_it(reproduce):
    made = [file for result in reproduce.results().values() for file in result.files]
    assert len(made) == len({*made})
    published = {
        path.relative_to(ROOT).as_posix()
        for path in LEADERBOARDS.rglob("*")
        if path.suffix in MADE and "small" not in path.parts
    }
    assert published - {*made} == BY_HAND | MEASURED
    assert {*made} <= published


def test_small_versions_are_kept_where_they_are_looked_for(reproduce):
    kept = {result.folder / file for result in reproduce.results().values() for file in result.small_files}
    there = {path for path in LEADERBOARDS.rglob("small/**/*") if path.is_file()}
    assert there - kept == {LEADERBOARDS / "study" / "small" / "episodes.csv"}  # measured once
    assert kept <= there


def test_commands_name_what_is_there_and_all_take_less_than_a_day_on_two_cores(reproduce):
    known = reproduce.results()
    assert sum(result.seconds for result in known.values()) < 2 * DAY
    for result in known.values():
        assert 0 < result.seconds <= TWO_HOURS * len(result.commands)
        assert {*result.clock} <= {*result.files}
        for command in (*result.commands, *result.small):
            program, script, *_ = shlex.split(command)
            assert program == "arena" or (ROOT / script).exists(), command
        assert all((ROOT / folder / "pyproject.toml").exists() for folder in result.plugins)


def test_the_page_of_documents_has_no_empty_cell_and_is_what_the_script_writes(tmp_path):
    subprocess.run([sys.executable, LEADERBOARDS / "documents.py", "--to", tmp_path], check=True)
    assert (tmp_path / "documents.md").read_text(encoding="utf-8") == (
        LEADERBOARDS / "documents.md"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", tiers(small_names(), slow=SMALL))
def test_a_small_version_comes_out_to_the_letter(name, tmp_path, reproduce):
    if missing := reproduce.lacking(reproduce.results()[name]):
        pytest.skip(f"{missing[0]} is not installed")
    done = subprocess.run(
        [sys.executable, SCRIPT, "--small", name], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_result_is_made_compared_and_its_cost_written_down(reproduce, tmp_path, monkeypatch, capsys):
    published, made = tmp_path / "published", tmp_path / "made"
    (published / "few").mkdir(parents=True)
    page = f"1 table\n{reproduce.COST}\n"
    for name in ("page.md", "times.json"):
        (published / name).write_text(f"{page}9 s")
    table = '[[result]]\nname = "few/{}"\nseconds = 9999\n'
    (published / "few" / "results.toml").write_text(table.format("one") + table.format("two"))
    monkeypatch.setattr(reproduce, "HERE", published)
    monkeypatch.setattr(reproduce, "ROOT", published)
    write = "import pathlib; [pathlib.Path(n).write_text({!r}) for n in ('page.md', 'times.json')]"
    command = shlex.join(["python", "-c", write.format(f"{page}7 s")])
    one = reproduce.Result("few/two", "a page", (command,), ("page.md", "times.json"), 9999, ("times.json",))
    made.mkdir()
    assert reproduce.make(one, made, write=True)
    told = capsys.readouterr().out
    assert "page.md: the same" in told
    assert "times.json: measured by the clock, and so not compared" in told
    assert (published / "times.json").read_text().endswith("7 s")
    first, second = re.findall("seconds = (.*)", (published / "few" / "results.toml").read_text())
    assert first == "9999"
    assert 0 < float(second) < 9
    (made / "page.md").write_text("another table")
    assert not reproduce.make(one, made, write=False)  # not made again, and looked at once more


@pytest.mark.slow
def test_pages_come_out_of_what_was_made_before(reproduce, tmp_path):
    known = {n: r for n, r in reproduce.results().items() if not reproduce.lacking(r)}
    wanted = reproduce.chosen(["all"], known)
    reproduce.lay_out(tmp_path, wanted, known.values())
    for result in wanted:
        if result.seconds <= PAGE and not result.plugins:
            assert reproduce.make(result, tmp_path, write=False), result.name
        for file in result.files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, tmp_path / file)


def test_times_that_were_measured_lie_beside_those_that_pages_have(reproduce, two):
    made, known = two
    clocked = {"two": replace(known["two"], clock=("two.csv",))}
    reproduce.lay_out(made, clocked.values(), clocked.values())
    for _ in range(2):
        assert reproduce.make(clocked["two"], made, write=False)
        assert (made / "two.csv").read_text() == "word\nright\n"
        assert (made / "two.csv.measured").read_text() == "word\nwrong\n"


def test_results_come_after_those_that_they_need(reproduce):
    one, two, three = (reproduce.Result(name, "", (), (), 1) for name in ("a/page", "a/table", "b/table"))
    known = {r.name: r for r in (replace(one, needs=("a", "b/table")), two, three)}
    names = [r.name for r in reproduce.chosen(["all"], known)]
    assert sorted(names) == [*known]
    assert names[-1] == "a/page"


@pytest.fixture
def two(reproduce, tmp_path, monkeypatch):
    """Two published results, a folder to make them in, and a table of what makes which."""
    published = tmp_path / "published"
    published.mkdir()
    for name in ("one.csv", "two.csv"):
        (published / name).write_text("word\nright\n")
    monkeypatch.setattr(reproduce, "HERE", published)
    monkeypatch.setattr(reproduce, "ROOT", published)
    write = "import pathlib; p = pathlib.Path('{0}.csv'); p.exists() or p.write_text('word\\n{1}\\n')"
    made = {}
    for name, word in (("one", "right"), ("two", "wrong")):
        command = shlex.join(["python", "-c", write.format(name, word)])
        made[name] = reproduce.Result(name, "a table", (command,), (f"{name}.csv",), 9)
    return tmp_path / "made", made


def test_what_was_copied_is_not_taken_for_what_was_made(reproduce, two, capsys):
    made, known = two
    reproduce.lay_out(made, [known["one"]], known.values())
    assert reproduce.make(known["one"], made, write=False)
    assert (made / "two.csv").read_text() == "word\nright\n"  # as the first may need it
    reproduce.lay_out(made, [known["two"]], known.values())
    assert not reproduce.make(known["two"], made, write=False)
    assert "two.csv: DIFFERS" in capsys.readouterr().out
    assert (made / "one.csv").exists()


def test_what_was_begun_is_gone_on_with(reproduce, two):
    made, known = two
    reproduce.lay_out(made, known.values(), known.values())
    assert [*made.glob("*.csv")] == []
    (made / "two.csv").write_text("word\nright\n")  # as far as it came
    reproduce.lay_out(made, known.values(), known.values())
    assert [path.name for path in made.glob("*.csv")] == ["two.csv"]
    assert reproduce.make(known["two"], made, write=False)


def test_what_is_made_by_other_commands_now_is_made_anew(reproduce, two):
    made, known = two
    reproduce.lay_out(made, known.values(), known.values())
    assert not reproduce.make(known["two"], made, write=False)
    known["two"] = replace(known["two"], commands=(known["two"].commands[0].replace("wrong", "right"),))
    reproduce.lay_out(made, known.values(), known.values())
    assert reproduce.make(known["two"], made, write=False)


ORPHAN = """
import subprocess, sys, reproduce
work = "import time; [None for _ in iter(lambda: time.process_time() < .3, False)]"
leave = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {work!r}])"
reproduce.adopt()
subprocess.run([sys.executable, "-c", leave], check=True)
print(reproduce.cpu_seconds())
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has processes adopted")
def test_the_time_of_workers_that_outlive_their_command_counts():
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN], cwd=LEADERBOARDS, capture_output=True, text=True, check=True
    )
    assert 0.3 < float(done.stdout) < 3


def test_what_is_not_there_is_told(tmp_path):
    done = subprocess.run([sys.executable, SCRIPT, "no-such"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "There is no result 'no-such'; without a name all are listed.\n"

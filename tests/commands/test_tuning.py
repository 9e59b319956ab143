"""`arena.tune`: what it asks for, keeps, goes on from and refuses."""

from __future__ import annotations

import json
import threading
import xml.etree.ElementTree as xml

import pytest

import arena
from arena import Agent, ArenaError, option
from commands import arena as command
from higher import Higher


class Skilled(Agent):
    """Names its skill, or up to nine more."""

    skill: float = option(2.0, "the least that it names", low=0, high=10)
    times: int | None = option(None, "does nothing", low=1)

    def choose(self, state, moves, rng):
        return int(self.skill) + rng.below(10)


class Fails(Agent):
    share: float = option(0.0, "does nothing")

    def choose(self, state, moves, rng):
        raise ValueError("no")


def tune(entry=Skilled, over="skill=0..10", **options):
    asked = {"game": Higher, "openings": "none", "executor": "serial", "progress": False}
    return arena.tune(entry, over, **{**asked, **options})


@pytest.fixture(autouse=True, scope="module")
def _plain():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_COMPILED", "0")
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Ten iterations and a test, with the file that keeps them."""
    file = tmp_path_factory.mktemp("tuned") / "tune.jsonl"
    return tune(matches=320, confirm=400, sprt=(0, 40), to=file), file


def test_a_gain_is_found_and_shown(whole):
    found, _ = whole
    assert found.values["skill"] > 3
    assert found.better
    assert found.tuned.startswith("skilled:skill=")
    assert "Better: " in str(found)
    assert len(found.scores) == 10
    assert found.matches == 320


def test_what_is_kept_is_not_played_again(whole):
    found, file = whole
    before = file.read_bytes()
    again = tune(matches=320, confirm=400, sprt=(0, 40), to=file)
    assert file.read_bytes() == before
    assert again.to_dict() == found.to_dict()


@pytest.mark.parametrize("kept", [1, 5, 11])
def test_it_goes_on_from_any_line_even_one_cut_off(whole, tmp_path, kept):
    found, file = whole
    lines = file.read_bytes().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(lines[:kept]) + (lines[kept][:20] if kept < len(lines) else b""))
    again = tune(matches=320, confirm=400, sprt=(0, 40), to=part)
    assert again.to_dict() == found.to_dict()


def test_more_matches_go_on_and_are_tested_anew(whole, tmp_path):
    found, file = whole
    more = tmp_path / "more.jsonl"
    more.write_bytes(file.read_bytes())
    again = tune(matches=352, confirm=2, to=more)
    assert again.scores[:10] == found.scores
    assert len(again.scores) == 11
    assert again.confirmation.iterations == 11
    assert again.confirmation.played == 1


def test_stopped_it_keeps_what_was_found(tmp_path):
    stop, file = threading.Event(), tmp_path / "tune.jsonl"
    stop.set()
    found = tune(matches=320, to=file, stop=stop)
    assert found.stopped
    assert found.scores == []
    assert found.confirmation is None
    assert "No improvement was found" in str(found)


@pytest.mark.slow
def test_any_number_of_workers_finds_the_same():
    options = {"game": "tic-tac-toe", "openings": "random:2", "matches": 192, "confirm": 64}
    options |= {"executor": "processes"}
    one, two = (tune("minimax", "depth=1..3", **options, workers=n) for n in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_seconds_end_a_search():
    found = tune(seconds=0.001)
    assert len(found.scores) == 1


def test_a_plot_has_a_line_for_each_value_and_the_scores(tmp_path, whole):
    _, file = whole
    plot = tmp_path / "tune.svg"
    tune(matches=320, confirm=400, sprt=(0, 40), to=file, plot=plot)
    root = xml.parse(plot).getroot()
    lines = root.findall(".//{*}polyline")
    assert [len(line.get("points").split()) for line in lines] == [11, 10, 10]
    assert "skill, 0 to 10" in "".join(root.itertext())


def test_a_plot_that_cannot_be_written_is_told_before_anything_is_played(tmp_path):
    file = tmp_path / "tune.jsonl"
    with pytest.raises(ArenaError, match="cannot write"):
        tune(matches=32, to=file, plot=tmp_path / "none" / "tune.svg")
    assert len(file.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("over", "why"),
    [
        ("skil=0..1", "no option 'skil', did you mean 'skill'"),
        ("skill=1..0", "LOW must be below HIGH"),
        ("skill=0.5..0.5", "LOW must be below HIGH"),
        ("skill=0..20", "a number from 0 to 10"),
        ("skill=0", "is not a range"),
        ("skill=a..b", "is not a range"),
        ("skill=0..nan", "LOW must be below HIGH"),
        ("skill=0..1,skill=0..1", "two ranges"),
        ("skill.x=0..1", "has no options"),
        ("times=1.5..3", "a whole number"),
        ({}, "no range is given"),
        ({"skill": 1}, "use two numbers"),
    ],
)
def test_what_is_no_range_is_refused_in_one_line(over, why):
    with pytest.raises(ArenaError) as error:
        tune(over=over)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("entry", "over", "why"),
    [
        ("minimax", "ties=0..1", "takes first | random"),
        ("alpha-beta", "ordering=0..1", "takes true | false"),
        ("alpha-beta", "evaluation.king=1..2", "own has no option 'king'"),
        ("human", "x=0..1", "plays at the terminal"),
        ("alpha-beta:table=8,deeper=true", "table=1..9", "needs a table"),
    ],
)
def test_what_cannot_be_tuned_is_refused(entry, over, why):
    with pytest.raises(ArenaError, match=r"^[^\n]*$") as error:
        tune(entry, over, game="tic-tac-toe")
    assert why in str(error.value)


def test_an_agent_that_always_fails_is_told():
    with pytest.raises(ArenaError, match=r"all matches are forfeited, for example by fails.* by crash: .*no"):
        tune(Fails, "share=0..1", matches=32)


def test_matches_that_all_go_the_same_way_are_refused():
    with pytest.raises(ArenaError, match="set openings, such as random:4"):
        tune("minimax:ties=first", "depth=1..2", game="tic-tac-toe", matches=32)


@pytest.mark.parametrize("text", ["{}\n", "nonsense", "nonsense\n", '{"arena tune": 1}\n'])
def test_another_file_is_left_alone(tmp_path, text):
    file = tmp_path / "other"
    file.write_text(text)
    with pytest.raises(ArenaError, match=r"'arena tune'.*; name another"):
        tune(matches=32, to=file)
    assert file.read_text() == text


def test_a_file_of_another_question_is_refused(whole):
    _, file = whole
    with pytest.raises(ArenaError, match="was begun with seed 0, not 1"):
        tune(matches=320, to=file, seed=1)
    with pytest.raises(ArenaError, match="was begun with over"):
        tune(over="skill=0..0.5", matches=320, to=file)


def test_the_command_prints_json(tmp_path):
    line = "tune minimax --range depth=1..2 --matches 32 --confirm-matches 2 --game tic-tac-toe --json"
    found = json.loads(command(tmp_path, *line.split()).stdout)
    assert found["entry"] == "minimax"
    assert list(found["values"]) == ["depth"]
    assert len(found["course"]) == 2

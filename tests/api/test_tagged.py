"""Matches in the form of PGN, by the standard (Edwards 1994, sections 8 and 9)."""

from __future__ import annotations

import json

import pytest

from arena.api.tagged import clock_text, score_text, tagged_text

TAGS = {
    "event": "e", "date": "2026.01.31", "round": "2", "first": "one", "second": "two", "result": "1-0",
    "termination": "rules",
}  # fmt: skip


def used(*said):
    return {"usage": json.dumps([*said])}


def test_a_match_has_the_seven_tags_its_moves_and_its_result():
    assert tagged_text(TAGS, ["e4", "e5", "Qh5"], extra={"Variant": "v"}) == (
        '[Event "e"]\n[Site "?"]\n[Date "2026.01.31"]\n[Round "2"]\n[White "one"]\n[Black "two"]\n'
        '[Result "1-0"]\n[Variant "v"]\n[Termination "normal"]\n\n1. e4 e5 2. Qh5 1-0\n'
    )


@pytest.mark.parametrize(("result", "said"), [("1-0", "0-1"), ("0-1", "1-0"), ("1/2-1/2", "1/2-1/2")])
def test_results_are_whites_who_may_be_second(result, said):
    text = tagged_text({**TAGS, "result": result}, ["e5", "Nf3"], white=1, black_begins=True)
    assert f'[White "two"]\n[Black "one"]\n[Result "{said}"]' in text
    assert text.endswith(f"\n\n1... e5 2. Nf3 {said}\n")


@pytest.mark.parametrize(
    ("reason", "termination", "comment"),
    [
        ("rules", "normal", ""),
        ("repetition", "normal", "{repetition} "),
        ("clock", "time forfeit", "{clock} "),
        ("illegal move", "rules infraction", "{illegal move} "),
        ("stall", "abandoned", "{stall} "),
        ("max plies", "adjudication", "{max plies} "),
    ],
)
def test_why_it_ended_is_said_in_words_of_the_standard(reason, termination, comment):
    text = tagged_text({**TAGS, "termination": reason}, ["e4"])
    assert f'[Termination "{termination}"]' in text
    assert text.endswith(f"\n1. e4 {comment}1-0\n")


def test_what_was_said_of_moves_follows_them():
    """Scores from White's side; a move of Black's after a comment has its number."""
    said = used(
        {"ply": 1, "seat": 0, "score": 31, "depth": 12, "clock": 59.5},
        {"ply": 2, "seat": 1, "score": 31, "seconds": 0.25},
        {"ply": 4, "seat": 1, "nodes": 7},
    )
    text = tagged_text({**TAGS, **said}, ["e4", "e5", "Nf3", "Nc6"])
    body = " ".join(text.split("\n\n")[1].split())
    assert body == (
        "1. e4 {[%eval 0.31,12] [%clk 0:00:59.5]} 1... e5 {[%eval -0.31] [%emt 0:00:00.25]} 2. Nf3 Nc6 1-0"
    )


def test_lines_have_79_columns_and_commands_are_whole():
    plies = [{"ply": ply, "seat": 1 - ply % 2, "score": ply, "clock": 60 - ply / 7} for ply in range(1, 100)]
    lines = tagged_text({**TAGS, **used(*plies)}, ["e4"] * 99).split("\n\n")[1].splitlines()
    assert max(map(len, lines)) <= 79 < len(" ".join(lines))
    assert all(line.count("[") == line.count("]") for line in lines)


def test_what_cannot_stand_in_a_tag_is_escaped():
    head = tagged_text({**TAGS, "first": 'a"\\b\nc', "second": "Ωμέγα"}, []).splitlines()
    assert '[White "a\\"\\\\b\\\\nc"]' in head
    assert '[Black "Ωμέγα"]' in head


@pytest.mark.parametrize(
    ("score", "text"),
    [(31, "0.31"), (-5, "-0.05"), (0, "0.00"), (999_997, "#3"), (-999_998, "#-2"), (20_000, "200.00")],
)
def test_scores_are_pawns_or_moves_to_mate(score, text):
    assert score_text(score) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00:00"), (5, "0:00:05"), (59.9996, "0:01:00"), (3725.04, "1:02:05.04"), (36000, "10:00:00")],
)
def test_clocks_are_hours_minutes_and_seconds(seconds, text):
    assert clock_text(seconds) == text

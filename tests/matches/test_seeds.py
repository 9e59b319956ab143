"""A learner that is entered with several seeds: as so many entries that play, in one row of the table."""

from __future__ import annotations

import pytest

import arena
from arena.errors import ArenaError
from commands import arena as command
from page_data import page_text
from records import check_sums, query

QUIET = {"progress": False, "executor": "serial"}
Q = "q-table:episodes=40,seeds=3"
EACH = ["q-table:episodes=40", "q-table:episodes=40,seed=1", "q-table:episodes=40,seed=2"]
MATCHES = "SELECT first, second, round, result, moves FROM results ORDER BY 1, 2, 3"


def played(tmp_path, entries, name="arena.db", **how):
    how = {"game": "tic-tac-toe", "seed": 4, "rounds": 3, **how, **QUIET}
    return arena.tournament(entries, db=tmp_path / name, **how)


def test_each_meets_all_others_but_none_of_its_own(tmp_path):
    found = played(tmp_path, [Q, "random", "first"])
    pairs = {(row.first, row.second) for row in found.pairings}
    others = ["random", "first"]
    wanted = {(a, b) for a in EACH for b in others} | {("random", "first")}
    assert pairs == wanted | {(b, a) for a, b in wanted}
    assert found.played == 2 * 3 * len(wanted)
    assert found.settings["entries"] == [*EACH, *others]
    check_sums(tmp_path / "arena.db")


def test_they_play_as_if_entered_one_by_one_and_are_counted_together(tmp_path):
    found = played(tmp_path, [Q, "random"], rounds=20)
    apart = played(tmp_path, [*EACH, "random"], "apart.db", rounds=20)
    between = f"{MATCHES.partition('ORDER')[0]} WHERE 'random' IN (first, second) ORDER BY 1, 2, 3"
    assert query(tmp_path / "arena.db", MATCHES) == query(tmp_path / "apart.db", between)
    (row,) = (row for row in found.leaderboard.rows if row.entry == Q)
    counts = {name: [0, 0, 0] for name in EACH}
    for one in apart.pairings:
        for name, (won, lost) in ((one.first, ("wins", "losses")), (one.second, ("losses", "wins"))):
            if name in counts and "random" in (one.first, one.second):
                sums = getattr(one, won), one.draws, getattr(one, lost)
                counts[name] = [a + b for a, b in zip(counts[name], sums, strict=True)]
    assert [row.wins, row.draws, row.losses] == [sum(each) for each in zip(*counts.values(), strict=True)]
    assert row.seeds == 3
    assert row.spread_low <= row.spread <= row.spread_high
    assert [row.seeds for row in found.leaderboard.rows if row.entry == "random"] == [None]


@pytest.mark.slow
def test_an_agent_around_a_learner_of_several_seeds_is_as_many_in_one_row(tmp_path):
    entry = "psv:learner=(q-backprop:episodes=20,seeds=3)"
    found = played(tmp_path, [entry, "random"])
    learners = ["q-backprop:episodes=20", *(f"q-backprop:episodes=20,seed={seed}" for seed in (1, 2))]
    assert found.settings["entries"] == [*(f"psv:learner=({one})" for one in learners), "random"]
    assert [row.seeds for row in found.leaderboard.rows if row.entry == entry] == [3]
    points = played(tmp_path, ["psv:learner=(q-backprop:episodes=20,checkpoints=2)", "random"], "points.db")
    assert points.settings["entries"][:2] == [
        "psv:learner=(q-backprop:episodes=20,checkpoint=10)", "psv:learner=(q-backprop:episodes=20)",
    ]  # fmt: skip
    with pytest.raises(ArenaError, match="enters 3 learners; play a tournament, or use one seed"):
        arena.match(entry, "random", game="tic-tac-toe", **QUIET)
    with pytest.raises(ArenaError, match="is several learners; use one seed"):
        played(tmp_path, ["q-table:opponent=(q-table:seeds=2)", "random"], "no.db")


@pytest.mark.slow
def test_a_gauntlet_and_those_that_join_know_them_as_one(tmp_path):
    found = played(tmp_path, [Q, "random", "first"], format="gauntlet", rounds=1)
    assert {(row.first, row.second) for row in found.pairings} == {
        pair for a in EACH for b in ("random", "first") for pair in ((a, b), (b, a))
    }
    grown = arena.resume(
        found.number, add=["double-q:episodes=40,seeds=2"], db=tmp_path / "arena.db", **QUIET
    )
    assert grown.played == found.played + 2 * 3 * 2
    assert [row.seeds for row in grown.leaderboard.rows if row.seeds] in ([3, 2], [2, 3])


@pytest.mark.slow
def test_in_turn_all_pairs_meet_as_often_and_every_seed_meets_every_seed(tmp_path):
    other = "double-q:episodes=40,seeds=2"
    how = {"format": "round-robin:turns=true", "rounds": 18}
    found = played(tmp_path, [Q, other, "random"], **how)
    assert found.played == 2 * 18 * 3
    met = dict(
        query(tmp_path / "arena.db", "SELECT first || ' ' || second, count(*) FROM results GROUP BY 1")
    )
    doubles = ["double-q:episodes=40", "double-q:episodes=40,seed=1"]
    assert [met[f"{one} random"] for one in EACH] == [6, 6, 6]
    assert [met[f"random {two}"] for two in doubles] == [9, 9]
    assert {f"{one} {two}" for one in EACH for two in doubles} < {*met}
    seats = query(
        tmp_path / "arena.db",
        "SELECT min(first, second), max(first, second), round, count(*) FROM results GROUP BY 1, 2, 3",
    )
    assert {times for *_, times in seats} == {2}  # from either seat, with the same opening
    assert sorted(round for one, two, round, _ in seats if "random" in (one, two)) == sorted([*range(18)] * 2)
    with pytest.raises(ArenaError, match="no entry can join later"):
        arena.resume(found.number, add=["first"], db=tmp_path / "arena.db", **QUIET)
    again = played(
        tmp_path, [Q, other, "random"], "again.db", **{**how, "executor": "processes"} | {"workers": 2}
    )
    assert again.played == found.played
    assert query(tmp_path / "arena.db", MATCHES) == query(tmp_path / "again.db", MATCHES)


def test_its_short_name_stays_when_others_join(tmp_path):
    found = played(tmp_path, {"Q": Q, "R": "random"})
    grown = arena.resume(found.number, add={"F": "first"}, db=tmp_path / "arena.db", **QUIET)
    assert {row.entry: row.name for row in grown.leaderboard.rows} == {Q: "Q", "random": "R", "first": "F"}


@pytest.mark.slow
def test_behind_walls_are_all_of_them(tmp_path):
    found = played(tmp_path, ["q-table:episodes=40,seed=1", "random"], rounds=1)  # which trains
    arena.train("q-table:episodes=40", game="tic-tac-toe", **QUIET)
    found = played(
        tmp_path, ["q-table:episodes=40,seeds=2", "random"], "walls.db", isolate=[f"{Q[:-1]}2"], rounds=1
    )
    assert found.settings["isolate"] == EACH[:2]
    assert not found.forfeits


@pytest.mark.slow
def test_short_names_and_the_command_line(tmp_path):
    done = command(
        tmp_path, "tournament", "--game", "tic-tac-toe", "--entry", f"Q={Q}", "--entry", "random",
        "--entry", "first", "--rounds", "5", "--seed", "1",
    )  # fmt: skip
    assert "seeds" in done.stdout
    assert f"Q: {Q}" in done.stdout
    assert "40,seed=1" not in done.stdout
    shown = command(tmp_path, "leaderboard", "--diagnostics", "--cost")
    names = {word for line in shown.stdout.splitlines()[1:4] for word in line.split()[1:2]}
    assert names == {"Q", "random", "first"}, shown.stdout
    command(tmp_path, "leaderboard", "--html", "page.html")
    assert "seeds=3" in page_text((tmp_path / "page.html").read_text())
    text = command(tmp_path, "leaderboard", "--csv").stdout
    assert "spread_low" in text.splitlines()[0]
    pairs = command(tmp_path, "tournaments", "show", "1").stdout
    *_, one, two, three, _ = (line.split() for line in pairs.splitlines())
    assert sorted(line[1] for line in (one, two, three)) == ["Q", "first", "random"]
    assert "seed=2" in command(tmp_path, "tournaments", "show", "1", "--seats").stdout


@pytest.mark.slow
def test_exactly_it_is_the_mean_of_all(tmp_path):
    found = played(tmp_path, [Q, "random"], exact=True)
    alone = [arena.exact(one, "random", game="tic-tac-toe", **QUIET) for one in EACH]
    (row,) = (row for row in found.leaderboard.rows if row.entry == Q)
    scores = [(one.pairings[0].score + 1 - one.pairings[1].score) / 2 for one in alone]
    assert row.score == pytest.approx(sum(scores) / 3)
    losses = [sum(one.against_perfect[name][:2]) / 2 for one, name in zip(alone, EACH, strict=True)]
    assert row.expected_loss == pytest.approx(sum(losses) / 3)


@pytest.mark.parametrize(
    ("entries", "how", "told"),
    [
        ([Q, "random"], {"format": "precise"}, "takes no learner with several seeds"),
        ([Q], {}, "needs at least two entries"),
        ([Q, EACH[1]], {}, "named twice"),
        (["q-table:seeds=0", "random"], {}, "seeds"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, entries, how, told):
    with pytest.raises(ArenaError, match=told) as error:
        played(tmp_path, entries, rounds=None, **how)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("call", [arena.train, arena.explain])
def test_elsewhere_one_is_to_be_named(call):
    with pytest.raises(ArenaError, match="choose one by its seed"):
        call(Q, game="tic-tac-toe")


def test_a_match_between_two_takes_one(tmp_path):
    with pytest.raises(ArenaError, match="play a tournament, or use one seed"):
        arena.match(Q, "random", game="tic-tac-toe", **QUIET)

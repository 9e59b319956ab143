"""The coach against solvers and simulations of our own, and entries made to err in one kind of position."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing
from functools import cache
from hashlib import blake2b

import numpy as np
import pytest

import arena
from arena.analysis.decisions import MoveFacts, decisions_of
from arena.analysis.move_grading import judge_of
from arena.commands.coach.accuracies import accuracy
from arena.commands.coach.matches import Played
from arena.commands.coach.opponents import hard_opponents
from arena.commands.coach.predicted_scores import draw_parameter, predicted_scores
from arena.ratings.clustered_share import chance_of_more, corrected, share_of
from arena.registry.plugins import spec_named
from arena.results.record import Record
from arena.storage.database import Store
from arena_games.checkers.game_4x4 import Checkers4x4
from commands import arena_compiled as command
from fixpoint import fixpoint
from flawed import MissesAsSecond, MissesCorners, MissesThreats, MissesWins
from hands import Hands, ShowsPaper, ShowsRock, ShowsScissors
from page_data import data_of
from records import query
from small_hex import SmallHex
from tiers import slow

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


# --- mistakes are those of solvers of our own ---------------------------------------------------------------


@cache
def tic_tac_toe(board: str) -> int:
    """What a board of nine signs is worth for the side to move; X begins."""
    other = "XO"[(9 - board.count(".")) % 2 == 0]
    if any({board[i] for i in line} == {other} for line in LINES):
        return -1
    return max((-tic_tac_toe(after) for after in boards(board)), default=0)


def boards(board: str) -> list[str]:
    return [place(board, i) for i in range(9) if board[i] == "."]


def place(board: str, i: int) -> str:
    return board[:i] + "XO"[(9 - board.count(".")) % 2] + board[i + 1 :]


def matches_of(db, entry):
    """Moves and seat of an entry in each match, by SQL of our own."""
    sql = (
        "SELECT moves, b.name = ? FROM matches JOIN entries a ON a.id = first JOIN entries b ON b.id = second"
        " WHERE ? IN (a.name, b.name) ORDER BY number"
    )
    return query(db, sql, entry, entry)


def by_hand_at_tic_tac_toe(words, seat):
    """What each move of a seat gives away."""
    board = "." * 9
    for ply, word in enumerate(words):
        after = place(board, int(word) - 1)
        if ply % 2 == seat:
            yield tic_tac_toe(board) + tic_tac_toe(after)
        board = after


@cache
def checkers():
    """The values of all positions of 4x4 checkers, by sets that grow."""
    game = Checkers4x4()
    states, new = {game.initial()}, [game.initial()]
    while new:
        state = new.pop()
        for move in game.moves(state):
            if (after := game.play(state, move)) not in states:
                states.add(after)
                new.append(after)
    return game, {state: value for state, (value, _) in fixpoint(game, states).items()}


def by_hand_at_checkers(words, seat):
    game, values = checkers()
    state = game.initial()
    for word in words:
        mover = game.to_move(state)
        after = game.play(state, game.read_move(state, word))
        if mover == seat:
            turned = game.to_move(after) != mover
            yield values[state] - (-values[after] if turned else values[after])
        state = after


@cache
def hex_winner(board):
    """Who has joined the edges on a board of nine signs, by the union of neighbours of one colour."""
    group = {i: i for i in range(9)} | {edge: edge for edge in ("top", "bottom", "left", "right")}

    def root(one):
        return one if group[one] == one else root(group[one])

    for i, sign in enumerate(board):
        y, x = divmod(i, 3)
        near = [(y, x + 1), (y + 1, x), (y + 1, x - 1)]
        found = [3 * v + u for v, u in near if v < 3 and 0 <= u < 3 and board[3 * v + u] == sign]
        edges = {"b": (y, "top", "bottom"), "w": (x, "left", "right")}
        if sign in edges:
            line, first, last = edges[sign]
            found += [first] * (line == 0) + [last] * (line == 2)
        for other in found if sign != "." else ():
            group[root(i)] = root(other)
    return "b" if root("top") == root("bottom") else "w" if root("left") == root("right") else None


@cache
def hex_value(board):
    """What a position is worth for the side to move: Hex has no draws."""
    if hex_winner(board):
        return -1
    sign = "bw"[(9 - board.count(".")) % 2]
    return max(-hex_value(board[:i] + sign + board[i + 1 :]) for i in range(9) if board[i] == ".")


def by_hand_at_hex(words, seat):
    board = "." * 9
    for ply, word in enumerate(words):
        i = "abc".index(word[0]) + 3 * (int(word[1]) - 1)
        after = board[:i] + "bw"[ply % 2] + board[i + 1 :]
        if ply % 2 == seat:
            yield hex_value(board) + hex_value(after)
        board = after


@pytest.mark.parametrize(
    ("game", "rounds", "by_hand"),
    [
        ("tic-tac-toe", 250, by_hand_at_tic_tac_toe),
        *slow(("checkers-4x4", 250, by_hand_at_checkers), (SmallHex, 250, by_hand_at_hex)),
    ],
)
def test_mistakes_are_those_of_a_solver_of_our_own(tmp_path, game, rounds, by_hand):
    db = tmp_path / "a.db"
    other = "first" if game is SmallHex else "greedy"
    arena.tournament(["random", other], game=game, rounds=rounds, seed=3, db=db, executor="serial")
    found = arena.coach("random", game=game, db=db, executor="serial")
    played = [list(by_hand(moves.split(), seat)) for moves, seat in matches_of(db, "random")]
    given = [one for match in played for one in match]
    assert found.matches == 2 * rounds
    assert len(played) == 2 * rounds
    assert found.exact == found.moves == found.overall.moves == len(given)
    assert found.overall.mistakes == sum(map(bool, given)) > 100
    assert found.overall.given == pytest.approx(sum(given) / 2 / len(played))
    seats = {row.of: row.mistakes for row in found.accuracy if row.by == "seat"}
    of_seat = Counter()
    for (_, seat), match in zip(matches_of(db, "random"), played, strict=True):
        of_seat[("first", "second")[seat]] += sum(map(bool, match))
    assert seats == of_seat


def test_the_costliest_mistakes_are_shown_with_what_was_right(tmp_path):
    db = tmp_path / "a.db"
    arena.tournament(["random", "greedy"], game="tic-tac-toe", rounds=100, seed=4, db=db, executor="serial")
    found = arena.coach("greedy", db=db, executor="serial")
    assert len(found.mistakes) == 10
    assert [one.cost for one in found.mistakes] == sorted((one.cost for one in found.mistakes), reverse=True)
    for one in found.mistakes:
        (moves,) = query(db, "SELECT moves FROM matches WHERE number = ?", one.match)[0]
        board = "." * 9
        for word in moves.split()[: one.ply - 1]:
            board = place(board, int(word) - 1)
        assert "".join(one.board.split()) == board
        assert moves.split()[one.ply - 1] == one.played
        assert tic_tac_toe(board) == one.before
        assert -tic_tac_toe(place(board, int(one.played) - 1)) == one.after < one.before
        right = {
            str(i + 1) for i in range(9) if board[i] == "." and -tic_tac_toe(place(board, i)) == one.before
        }
        assert set(one.right) == right
        for line, value in ((one.punished, one.after), (one.instead, one.before)):
            after = board
            for word in line:
                assert after[int(word) - 1] == "."
                after = place(after, int(word) - 1)
            assert value == 0 or not any(sign == "." for sign in after) or tic_tac_toe(after) == -1


# --- intervals ----------------------------------------------------------------------------------------------


def simulated(rng, matches, spread):
    """Moves and hits of matches of many lengths; the more `spread`, the more matches differ in accuracy."""
    sizes = rng.integers(2, 21, matches).astype(float)
    share = 0.85
    rates = rng.beta(share / spread, (1 - share) / spread, matches) if spread else np.full(matches, share)
    return rng.binomial(sizes.astype(int), rates).astype(float), sizes


@pytest.mark.parametrize("spread", [0, 0.05, 0.3])
@pytest.mark.parametrize("matches", [50, 400])
def test_intervals_of_accuracy_cover_as_often_as_they_say(matches, spread):
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(1000):
        found = share_of(*simulated(rng, matches, spread))
        covered += found.low <= 0.85 <= found.high
    assert 0.93 <= covered / 1000 <= 0.97


def test_an_interval_without_any_mistake_is_not_empty():
    found = share_of(np.full(20, 5.0), np.full(20, 5.0))
    assert found.share == found.high == 1
    assert 0.8 < found.low < 0.9


@pytest.mark.parametrize("spread", [0, 0.3])
def test_equal_shares_are_seldom_called_different(spread):
    rng = np.random.default_rng(8)
    false = 0
    for _ in range(1000):
        hits, sizes = simulated(rng, 120, spread)
        inside = rng.binomial(sizes.astype(int), 0.3).astype(float)
        hit = rng.hypergeometric(hits.astype(int), (sizes - hits).astype(int), inside.astype(int)).astype(
            float
        )
        false += chance_of_more(hit, inside, hits - hit, sizes - inside) <= 0.05
    assert 0.03 <= false / 1000 <= 0.07, false


def test_corrected_chances_are_holms():
    # by hand: .01 * 4; .03 * 3 and .04 * 2 are less than .09, 0.5 stays
    assert corrected([0.04, 0.01, 0.5, 0.03]) == pytest.approx([0.09, 0.04, 0.5, 0.09])


# --- kinds of positions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (MissesWins, "it could win at once"),
        (MissesThreats, "the opponent threatened to win at once"),
        (MissesCorners, "every right move was in a corner"),
        (MissesAsSecond, "it played O"),
    ],
)
@pytest.mark.slow
def test_an_entry_made_to_err_in_one_kind_of_position_has_it_named_first(tmp_path, entry, kind):
    db = tmp_path / "a.db"
    arena.tournament([entry, "random"], game="tic-tac-toe", rounds=300, seed=5, db=db, executor="serial")
    found = arena.coach(entry, db=db, executor="serial")
    assert found.kinds[0].kind == kind
    assert any(kind in sentence for sentence in found.sentences)


# --- opponents ----------------------------------------------------------------------------------------------

FOES = {"strong": 1700.0, "equal": 1500.0, "weak": 1300.0, "odd": 1300.0}


def drawn_matches(rng, each, odd):
    """Matches of "own", rated 1500, whose scores depend on ratings only, except `odd` against "odd"."""
    found = []
    for name, rating in FOES.items():
        share = odd if name == "odd" else 1 / (1 + 10 ** ((rating - 1500) / 400))
        for number in range(each):
            seat = number % 2
            won = rng.random() < share
            result = 1 if won == (seat == 0) else -1
            found.append(
                Played(1, Record(number, 0, 0, 1, result, "rules", None, 9, 0, "1", 1, 0, 0), seat, name)
            )
    return found


def test_the_opponent_that_beats_an_entry_against_the_ratings_is_found():
    played = drawn_matches(np.random.default_rng(3), 60, 0.2)
    (found,) = hard_opponents(played, {"own": 1500.0, **FOES}, "own")
    won = sum(one.score for one in played if one.opponent == "odd")
    assert (found.opponent, found.matches, found.score) == ("odd", 60, won / 60)
    assert found.low < found.score < found.high < found.expected
    few = [one for one in played if one.record.number < 9]
    assert hard_opponents(few, {"own": 1500.0, **FOES}, "own") == []
    alone = [one for one in played if one.opponent == "odd"]
    assert hard_opponents(alone, {"own": 1500.0, **FOES}, "own") == []


@pytest.mark.slow
def test_opponents_that_score_as_their_ratings_predict_are_seldom_named():
    rng, ratings = np.random.default_rng(4), {"own": 1500.0, **FOES}
    fair = 1 / (1 + 10 ** ((FOES["odd"] - 1500) / 400))
    named = sum(bool(hard_opponents(drawn_matches(rng, 40, fair), ratings, "own")) for _ in range(300))
    assert named / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_scores_are_predicted_with_as_many_draws_as_there_were():
    # by hand: with twice the draw weight of a win between equals, half of all matches are drawn;
    # 400 points above, the weights are 10 : 2 * sqrt(10) : 1
    assert draw_parameter(np.zeros(8), 4) == pytest.approx(np.log(2), abs=1e-6)
    records = [Record(n, 0, 0, 1, 1 if n < 2 else 0, "rules", None, 9, 0, "1", 1, 0, 0) for n in range(4)]
    played = [Played(1, one, 0, "equal") for one in records]
    assert predicted_scores(played, {"own": 1500.0, "equal": 1500.0}, "own") == pytest.approx([0.75] * 4)


def test_the_coach_says_against_whom_an_entry_does_worst(tmp_path):
    """Each of three entries beats the next, so that ratings are nearly equal and predict none of it."""
    db = tmp_path / "a.db"
    arena.tournament(
        [ShowsRock, ShowsPaper, ShowsScissors], game=Hands, rounds=30, seed=1, db=db, executor="serial"
    )
    found = arena.coach(ShowsPaper, game=Hands, db=db, executor="serial")
    (worst,) = found.opponents
    assert worst.opponent == "shows-scissors"
    assert (worst.matches, worst.score) == (60, 0)
    (sentence,) = [one for one in found.sentences if "worst against" in one]
    assert sentence.startswith(
        "Compared with its rating, it does worst against shows-scissors: it scores 0.0 % in 60 matches (95 %"
    )
    assert "hard opponent" in found.text()


# --- points and the order of mistakes -----------------------------------------------------------------------


def test_among_mistakes_that_cost_the_same_the_quickest_loss_comes_first(tmp_path):
    db = tmp_path / "a.db"
    arena.tournament(["random", "greedy"], game="tic-tac-toe", rounds=30, seed=4, db=db, executor="serial")
    found = arena.coach("random", db=db, executor="serial")
    order = [(-one.cost, 99 if one.plies is None else one.plies) for one in found.mistakes]
    assert order == sorted(order)
    assert len(order) == 10
    assert len({cost for cost, _ in order}) < len({*order})  # there are such mistakes


def test_costs_are_points_and_the_report_says_what_a_point_is(tmp_path):
    db = tmp_path / "a.db"
    arena.tournament(["random", "greedy"], game="tic-tac-toe", rounds=30, seed=4, db=db, executor="serial")
    found = arena.coach("greedy", db=db, executor="serial")
    for one in found.mistakes:
        assert one.cost == one.times * (one.before - one.after) / 2
    text = found.text()
    assert text.count("a win is 1 point and a draw half a point") == 1
    worst = found.mistakes[0]
    assert f"made {worst.times} times at a cost of {worst.cost:g} points." in text
    assert "given away" not in text
    assert "gave away" not in text


# --- the command, other games and other judges --------------------------------------------------------------


def test_the_command_says_in_sentences_first_what_json_has_too(tmp_path):
    entries = ("--entry", "greedy", "--entry", "random", "--game", "tic-tac-toe")
    command(tmp_path, "tournament", *entries, "--rounds", "30", "--seed", "1")
    text = command(tmp_path, "coach", "greedy").stdout
    found = json.loads(command(tmp_path, "coach", "greedy", "--json").stdout)
    lines = text.splitlines()
    assert lines[0] == "greedy at tic-tac-toe, 60 matches"
    assert lines[2 : 2 + len(found["sentences"])] == found["sentences"]
    assert text.count("Right: ") == len(found["mistakes"]) == 10
    assert found["exact"] == found["moves"]
    one = found["mistakes"][0]
    alone = json.loads(command(tmp_path, "coach", "greedy", "--match", str(one["match"]), "--json").stdout)
    assert (one["ply"], one["played"]) in [(other["ply"], other["played"]) for other in alone["mistakes"]]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["greedi"], "did you mean 'greedy'?"),
        (["greedy", "--match", "999"], "no match 999 of greedy"),
        (["greedy", "--tournament", "9"], "no tournament 9"),
        (["greedy", "--game", "checkers"], "no matches of checkers"),
        (["greedy", "--judge", "nobody"], "no agent called 'nobody'"),
        (["greedy", "--judge", "random"], "'random' does not explain its moves"),
    ],
)
def test_what_is_not_there_is_an_error_of_one_line(tmp_path, asked, said):
    db = tmp_path / "arena.db"
    arena.tournament(["greedy", "random"], game="tic-tac-toe", rounds=2, seed=1, db=db, executor="serial")
    names = {"entry": asked[0], **{k.lstrip("-"): v for k, v in zip(asked[1::2], asked[2::2], strict=True)}}
    numbers = {name: int(text) if text.isdecimal() else text for name, text in names.items()}
    with pytest.raises(arena.ArenaError, match=said) as caught:
        arena.coach(**numbers, db=db, executor="serial")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_late_moves_of_connect_four_are_judged_exactly_for_any_number_of_workers(tmp_path):
    db = tmp_path / "a.db"
    entries = ["greedy", "random", "alpha-beta:depth=2"]
    arena.tournament(entries, game="connect-four", rounds=30, openings="random:4", seed=1, db=db)
    found = arena.coach("greedy", nodes=15_000, db=db)
    assert found.exact_from(12) >= 0.8
    assert "from ply" in " ".join(found.sentences)
    assert arena.coach("greedy", nodes=15_000, db=db, workers=1) == found


@pytest.mark.slow
def test_a_judge_estimates_what_cannot_be_judged_exactly(tmp_path):
    db = tmp_path / "a.db"
    entries = ["random", "alpha-beta:depth=2"]
    arena.tournament(entries, game="checkers", rounds=5, openings="random:4", seed=1, db=db)
    alone = arena.coach("random", nodes=200, db=db)
    assert alone.exact < alone.moves / 2
    assert "--judge" in alone.notes[0] or "judge" in alone.notes[0]
    found = arena.coach("random", nodes=200, judge="alpha-beta:depth=4", db=db)
    assert found.exact == alone.exact
    assert found.exact + found.estimated > 0.9 * found.moves
    assert found.overall.mistakes > alone.overall.mistakes
    better = arena.coach("alpha-beta:depth=2", nodes=200, judge="alpha-beta:depth=4", db=db)
    assert better.overall.accuracy > found.overall.accuracy


def test_a_learner_knew_the_moves_that_it_learned(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    db = tmp_path / "a.db"
    learner = "q-table:episodes=50"
    arena.tournament([learner, "random"], game="tic-tac-toe", rounds=20, seed=1, db=db, executor="serial")
    known = arena.coach(learner, db=db, executor="serial").known
    assert 0 < known < 1
    assert arena.coach("random", db=db, executor="serial").known is None


# --- a sample of many matches -------------------------------------------------------------------------------


def drawn(share, first, second, text, seed=0):
    """Return whether the sample contains a match, by a hash of its entries and its number or moves."""
    lot = blake2b(f"{first} {second} {text}".encode(), digest_size=4, key=seed.to_bytes(8, "big"))
    return int.from_bytes(lot.digest(), "big") < share * 2**32


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A database of 2,000 matches of `random` against `first`."""
    db = tmp_path_factory.mktemp("many") / "arena.db"
    how = {"game": "tic-tac-toe", "rounds": 1000, "seed": 1, "executor": "serial", "progress": False}
    arena.tournament(["random", "first"], db=db, **how)
    return db


@pytest.mark.slow
def test_on_a_page_the_coach_looks_at_a_stated_sample_of_many_matches(many, tmp_path, monkeypatch):
    monkeypatch.setattr("arena.commands.leaderboard.coaching.SAMPLE", 400)
    page = tmp_path / "page.html"
    rows = query(many, "SELECT first, second, number, result FROM matches")
    of = [(first, result) for first, second, n, result in rows if drawn(0.2, first, second, f"1 {n}")]
    assert 0.2 * 2000 - 5 * 18 < len(of) < 0.2 * 2000 + 5 * 18  # 18 is the binomial's deviation
    assert abs(sum(first == of[0][0] for first, _ in of) - len(of) / 2) < 5 * 9  # both seats alike
    (own,) = query(many, "SELECT id FROM entries WHERE name = 'first'")[0]
    won = sum(result == (1 if first == own else -1) for first, result in of)
    arena.leaderboard(html=page, coach=["first"], db=many, playable=False, progress=False)
    text = page.read_text().replace("\xa0%", " %")
    share = f"{len(of) / 20:.1f} %, seed 0"
    assert f"In a random sample of {len(of)} of its 2,000 matches ({share}), it won {won}, " in text
    assert f"first at tic-tac-toe, a random sample of 2,000: {len(of)} matches" in text
    whole = arena.coach("first", db=many, executor="serial", progress=False)
    assert whole.matches == 2000
    assert whole.drawn_from is None
    low, high = re.search(r"95 % interval ([\d.]+) to ([\d.]+)", text).groups()
    assert float(low) < whole.overall.accuracy < float(high)


@pytest.mark.slow
def test_a_sample_depends_on_its_seed_alone(many):
    rows = query(many, "SELECT first, second, number FROM matches")
    how = {"db": many, "executor": "serial", "progress": False, "sample": 300}
    found = [arena.coach("first", seed=seed, **how) for seed in (0, 7, 7)]
    for seed, one in zip((0, 7, 7), found, strict=True):
        assert one.matches == sum(drawn(0.15, a, b, f"1 {n}", seed) for a, b, n in rows)
        assert (one.drawn_from, one.seed) == (2000, seed)
    assert found[0].overall != found[1].overall == found[2].overall


@pytest.mark.slow
def test_all_matches_are_analysed_if_they_are_few_or_if_that_is_asked_for(many):
    how = {"db": many, "executor": "serial", "progress": False}
    whole = [arena.coach("first", sample=sample, **how) for sample in (0, 2000)]
    for one in whole:
        assert (one.matches, one.drawn_from, one.seed) == (2000, None, None)
    (single,) = [arena.coach("first", match=3, sample=1, **how)]
    assert (single.matches, single.drawn_from) == (1, None)


@pytest.mark.parametrize(("name", "value"), [("sample", -1), ("seed", -1), ("seed", 2**63)])
def test_a_sample_has_bounds(many, name, value):
    with pytest.raises(arena.ArenaError, match=f"{name} is {value}, but must be from 0 to "):
        arena.coach("first", db=many, **{name: value})


@pytest.mark.slow
def test_the_interval_of_a_sample_covers_the_accuracy_over_all_matches(many):
    """The matches that are not drawn do not count as known: of so small a sample that changes little."""
    game = spec_named("game", "tic-tac-toe").make()
    judge, facts = judge_of(game, 1), MoveFacts(game)
    with closing(Store(many)) as store:
        ids = store.entry_ids("tic-tac-toe")
        records = {one.number: one for one in store.matches(1, {id: id for id in ids.values()})}
        own = {
            n: list(decisions_of(judge, facts, n, one, int(one.first != ids["random"])))
            for n, one in records.items()
        }
        whole = accuracy("all", "all", [one for match in own.values() for one in match]).accuracy
        covered = 0
        for seed in range(1000):
            chosen = store.matches(1, {id: id for id in ids.values()}, share=0.05, seed=seed)
            found = accuracy("all", "all", [one for record in chosen for one in own[record.number]])
            covered += found.low < whole < found.high
    assert 930 <= covered <= 975  # of 956, since a twentieth of all matches is known: within 3 deviations


def test_matches_without_chance_are_drawn_with_their_copies(tmp_path):
    db = tmp_path / "arena.db"
    arena.tournament(
        ["first", "minimax:depth=1,ties=first"], game="tic-tac-toe", rounds=40, seed=1, db=db,
        openings="random:2", executor="serial", progress=False,
    )  # fmt: skip
    with closing(Store(db)) as store:
        ids = store.entry_ids("tic-tac-toe")
        found = [one.number for one in store.matches(1, {id: id for id in ids.values()}, share=0.5)]
    rows = query(db, "SELECT number, first, second, moves, chance FROM matches ORDER BY number")
    assert {chance for *_, chance in rows} == {0}
    assert 1 < len({row[1:4] for row in rows}) < len(rows)  # there are copies
    assert found == [number for number, a, b, moves, _ in rows if drawn(0.5, a, b, moves)]


@pytest.mark.slow
def test_on_a_page_the_matches_of_the_worst_mistakes_are_judged_as_closely_as_by_the_coach(tmp_path):
    db, page = tmp_path / "arena.db", tmp_path / "page.html"
    entries = ["greedy", "alpha-beta:depth=3"]
    arena.tournament(
        entries, game="connect-four", rounds=3, seed=1, db=db, openings="random:4", progress=False
    )
    arena.leaderboard(html=page, coach=["greedy"], db=db, playable=False, progress=False)
    (game,) = data_of(page.read_text())
    wrong = {one["number"]: one.get("wrong", {}) for one in game["matches"]}
    found, few = (arena.coach("greedy", db=db, nodes=n, progress=False) for n in (None, 5_000))
    places = {(one.match, one.ply): (one.before, one.after) for one in found.mistakes}
    assert {*places} - {(one.match, one.ply) for one in few.mistakes}  # for which 5,000 positions are too few
    for (match, ply), (before, after) in places.items():
        assert wrong[match][str(ply)][1:3] == [before, after]

"""The function `arena.tournaments.export`, which writes the matches of a tournament for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from arena.api.game import Game
from arena.api.limits import Clock
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import start_of
from arena.calls.arguments import game_spec, known_with, with_paths
from arena.errors import ArenaError
from arena.plan.entries import make_game
from arena.results.record import Record
from arena.results.settings import Settings
from arena.rng import seed_text
from arena.storage.copied_tournaments import whole_records
from arena.storage.database import DATABASE, Store

RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}

in_one_line = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would create an encoder for each call


def export(number: int | None = None, db: str | Path = DATABASE, *, notation: bool = False) -> Iterator[str]:
    """Yield the matches of a tournament, each as a JSON object on one line or in the game's notation.

    >>> import arena
    >>> _ = arena.tournament(["random", "first"], game="connect-four", rounds=1, seed=1)
    >>> [match["first"] for match in map(json.loads, arena.tournaments.export(1))]
    ['random', 'first']

    Args:
        number: Number of the tournament. Default: the newest.
        db: Path of the database.
        notation: Use the notation of the game: PGN for chess, PDN for checkers, columns for connect four,
            otherwise the moves. Moves are checked by the rules of the installed game.

    Raises:
        ArenaError: If there is no such tournament, it has no matches, or a move is not legal.
    """
    with closing(Store(db)) as store:
        found = store.tournament(number)
        number = found.id
        if found.exact:
            raise ArenaError(f"tournament {number} was evaluated exactly and has no matches")
        ids = store.entry_ids(found.game)
        names = [*ids]
        index = {id: place for place, id in enumerate(ids.values())}
        short = found.settings.names or {}
        if not notation:
            for record in store.matches(number, index):
                yield in_one_line(facts(record, number, names, short))
            return
        game = game_as_played(found.settings)
        about = {
            "event": f"{found.game}, tournament {number}, seed {seed_text(found.seed)}",
            "date": found.created[:10].replace("-", "."),
            **time_control(found.settings),
        }
        called = [short.get(name, name) for name in names]
        for record in whole_records(store, number, index):
            yield in_notation(game, about | tags_of(record, called), record)


def time_control(settings: Settings) -> dict[str, str]:
    """Return the time control of a tournament as a PGN tag, such as `60+0.6` or `1/5`; empty without one."""
    if settings.clock:
        clock = Clock.read(settings.clock)
        return {"time_control": f"{clock.base:g}" + f"+{clock.increment:g}" * bool(clock.increment)}
    if settings.move_seconds:
        return {"time_control": f"1/{settings.move_seconds:g}"}
    return {}


def tags_of(record: Record, names: list[str]) -> dict[str, str]:
    """Return the tags of a match to pass to a game's `match_text`.

    Args:
        record: The match.
        names: Names under which the entries are shown.
    """
    found = {
        "round": str(record.round + 1),
        "first": names[record.first],
        "second": names[record.second],
        "result": RESULTS[record.result],
        "termination": record.reason,
    }
    if record.start is not None:
        found["start"] = record.start
    if record.usage:
        used = ({"ply": one.ply, "seat": one.seat, **one.amounts} for one in record.usage)
        found["usage"] = in_one_line([*used])
    return found


def facts(record: Record, tournament: int, names: list[str], short: Mapping[str, str]) -> dict[str, object]:
    """Return a match as a dictionary for JSON.

    Args:
        record: The match.
        tournament: Number of the tournament.
        names: The entries, by index.
        short: Short names, by entry.
    """
    seats = {"first": names[record.first], "second": names[record.second]}
    return {
        "tournament": tournament,
        "number": record.number,
        "round": record.round,
        **seats,
        **{f"{seat}_name": short[name] for seat, name in seats.items() if name in short},
        "result": record.result,
        "reason": record.reason,
        "detail": record.detail,
        "start": record.start,
        "opening": record.opening,
        "moves": record.moves.split(),
        "chance": bool(record.chance),
        "first_seconds": record.first_seconds,
        "second_seconds": record.second_seconds,
    }


def game_as_played(settings: Settings) -> Game:
    """Return the game of a tournament, or raise ArenaError if it is not installed."""
    text = with_paths(settings)[1] or settings.game or ""
    return make_game(game_spec(text, known_with(game=text, named=False)))


def in_notation(game: Game, tags: Mapping[str, str], record: Record) -> str:
    """Return a match in the game's notation, with its moves checked, or raise ArenaError."""
    moves = record.moves.split()
    try:
        with foreign(ArenaError):
            state = start_of(game, record.start)
            for move in moves:
                state = game.play(state, game.read_move(state, move))
            return str(game.match_text(tags, moves))
    except (Failed, ArenaError) as error:
        raise ArenaError(f"match {record.number} is not valid in {game} as installed: {error}") from error

"""`arena.tournaments.export`: the matches of a tournament for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from arena.api.game import Game
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import start_of
from arena.calls.entries import game_spec, known_with, with_paths
from arena.errors import ArenaError
from arena.faults.time_limits import Clock
from arena.plan.entries import make_game
from arena.results.record import Record
from arena.results.settings import Settings
from arena.storage.copied_tournaments import whole_records
from arena.storage.database import DATABASE, Store
from arena.streams import seed_text

RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}

in_one_line = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes one each time


def export(number: int | None = None, db: str | Path = DATABASE, *, notation: bool = False) -> Iterator[str]:
    """The matches of a tournament, one after another: an object of JSON each, on a line, or ArenaError.

    number: Of the tournament. Default: the newest.
    notation: As other programs of the game read them: PGN of chess, PDN of checkers, the columns of connect
        four, else the moves. They are checked by the rules of the game as it is installed.

    >>> import arena
    >>> _ = arena.tournament(["random", "first"], game="connect-four", rounds=1, seed=1)
    >>> [match["first"] for match in map(json.loads, arena.tournaments.export(1))]
    ['random', 'first']
    """
    with closing(Store(db)) as store:
        found = store.tournament(number)
        number = found.id
        if found.exact:
            raise ArenaError(f"tournament {number} was evaluated: there are no matches")
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
    """The time control of a tournament as PGN writes it, if there is one: `60+0.6`, `1/5`."""
    if settings.clock:
        clock = Clock.read(settings.clock)
        return {"time_control": f"{clock.base:g}" + f"+{clock.increment:g}" * bool(clock.increment)}
    if settings.move_seconds:
        return {"time_control": f"1/{settings.move_seconds:g}"}
    return {}


def tags_of(record: Record, names: list[str]) -> dict[str, str]:
    """What `match_text` of a game is told of one match. names: of entries, as they are shown."""
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
    """A match as JSON has it. short: short names, by entry."""
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
    """The game of a tournament, or ArenaError if it is not installed."""
    text = with_paths(settings)[1] or settings.game or ""
    return make_game(game_spec(text, known_with(game=text, named=False)))


def in_notation(game: Game, tags: Mapping[str, str], record: Record) -> str:
    """A match as the game writes it, its moves checked, or ArenaError."""
    moves = record.moves.split()
    try:
        with foreign(ArenaError):
            state = start_of(game, record.start)
            for move in moves:
                state = game.play(state, game.read_move(state, move))
            return str(game.match_text(tags, moves))
    except (Failed, ArenaError) as error:
        raise ArenaError(f"match {record.number} is none of {game} as installed: {error}") from error

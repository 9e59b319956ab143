"""A book of openings: lines of moves from a file, held against the rules of a game."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from arena.api.game import Game, Move, State
from arena.errors import ArenaError
from arena.matches.limits import Limits
from arena.matches.match import Draws

LINES = 100_000  # in a book at most
BYTES = 10_000_000  # in its file
HOW = "write 'random:N', N plies played at random, FILE, FILE:N for the first N plies of each line, or 'none'"
SHORTER = "'FILE:N' plays the first N plies of each line alone"

COMMENT = re.compile(r"(?:^|\s)#.*")
TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
TOKEN = re.compile(
    rf"(?P<tag>{TAG.pattern})|\{{[^}}]*\}}|;[^\n]*|^%[^\n]*|[(){{]|[^\s(){{}};]+", re.MULTILINE
)
NUMBER = re.compile(r"\d+\.+|\$\d+$")  # of a move, or of a remark on it
RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1", "*"})  # at the end of a match
POSITION = re.compile(r"(?:[^/\s]+/){3,}[^/\s]+|[BW]:[BW].*")  # FEN of chess, and of draughts


class Line(NamedTuple):
    """Moves as texts. place: what errors call it, `book.txt, line 3`."""

    place: str
    words: tuple[str, ...]


def read_book(file: str, plies: int | None = None) -> list[Line]:
    """The lines of a book, up to so many plies of each, or ArenaError.

    A line of a file is one of the book, a move's text after another; what follows a `#` is a comment. Or the
    file has whole matches with tags, PGN or PDN, of which each is a line.
    """
    try:
        with open(file, "rb") as opened:
            data = opened.read(BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ArenaError(f"openings {file!r}: {error.strerror}; {HOW}") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{file} is not a text in UTF-8: {error.reason} at byte {error.start}") from error
    except ValueError as error:  # such a name no file can have
        raise ArenaError(f"openings {file!r}: {error}; {HOW}") from error
    if len(data) > BYTES:
        raise ArenaError(f"{file} has over {BYTES:,} bytes, too many for a book; take some lines out")
    found = tagged_lines(file, text) if TAG.search(text) else plain_lines(text)
    lines = [Line(f"{file}, line {number}", tuple(words[:plies])) for number, words in found if words]
    if not lines:
        raise ArenaError(f"{file} has no moves; write a line of them for each opening")
    if len(lines) > LINES:
        raise ArenaError(f"{file} has {len(lines):,} openings, and a book up to {LINES:,}; take some out")
    return lines


def plain_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The moves on each line, and its number."""
    for number, row in enumerate(text.split("\n"), 1):
        yield number, COMMENT.sub("", row).split()


def tagged_lines(file: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The moves of each match, without its variations, and the number of the line they begin on."""
    words: list[str] = []
    began = number = 1
    at = depth = 0
    for token in TOKEN.finditer(text):
        number += text.count("\n", at, token.start())
        at, word = token.start(), token[0]
        if token["tag"]:
            if token[2].lower() == "fen":
                raise ArenaError(position_error(f"{file}, line {number}", token[3]))
            yield began, words
            words, depth = [], 0
        elif word == "{":
            raise ArenaError(f"{file}, line {number}: a comment begins that does not end; write }} after it")
        elif word in "()":
            depth += 1 if word == "(" else -1
        elif depth <= 0 and word[0] not in "{;%":
            move = NUMBER.sub("", word, count=1) if NUMBER.match(word) else word
            if move in RESULTS:
                yield began, words
                words = []
            elif move := move.rstrip("!?"):
                began = began if words else number
                words.append(move)
    yield began, words


def position_error(place: str, text: str) -> str:
    """What to say of a position in place of moves."""
    return (
        f"{place}: {text!r} is a position, and matches are recorded by their moves from the start; "
        "write the moves that lead to it"
    )


class Step(NamedTuple):
    """A move played. word: its text in the book. before: the position it was played in, after: the next.

    goes_on: whether there are moves in that.
    """

    word: str
    move: Move
    before: State
    after: State
    goes_on: bool


def moves_of(lines: Sequence[Line], game: Game, max_plies: int) -> tuple[tuple[Move, ...], ...]:
    """The moves of each line, lines that come twice once; ArenaError for the first that cannot be played.

    After each line there must be a match left, which is not drawn by repetition, length or quiet plies.
    """
    found: dict[int, tuple[Move, ...]] = {}
    faults: dict[int, ArenaError] = {}
    path: list[Step] = []
    # in the order of their words, so that what lines have in common is played once
    for i in sorted(range(len(lines)), key=lambda i: lines[i].words):
        place, words = lines[i]
        try:
            if len(words) >= max_plies:
                raise ArenaError(
                    f"{place} has {len(words):,} plies, and matches end after {max_plies:,}; {SHORTER}"
                )
            del path[shared(path, words) :]
            for word in words[len(path) :]:
                path.append(step_of(game, path, place, word))
            check_goes_on(game, path, place)
            found[i] = tuple(step.move for step in path)
        except ArenaError as error:
            faults[i] = error
    if faults:
        raise faults[min(faults)]
    return tuple(dict.fromkeys(found[i] for i in range(len(lines))))


def shared(path: Sequence[Step], words: Sequence[str]) -> int:
    """With how many of these words a path begins."""
    pairs = enumerate(zip(path, words, strict=False))
    return next((i for i, (step, word) in pairs if step.word != word), min(len(path), len(words)))


def step_of(game: Game, path: Sequence[Step], place: str, word: str) -> Step:
    """The next move of a line, or ArenaError."""
    before = path[-1].after if path else game.initial()
    if path and not path[-1].goes_on:
        raise ArenaError(over(place, path))
    try:
        move = game.read_move(before, word)
    except ArenaError as error:
        if POSITION.fullmatch(word):
            raise ArenaError(position_error(place, word)) from error
        raise ArenaError(f"{place}: mend ply {len(path) + 1}, or take the line out: {error}") from error
    after = game.play(before, move)
    return Step(word, move, before, after, bool(game.moves(after)))


def check_goes_on(game: Game, path: Sequence[Step], place: str) -> None:
    """ArenaError if a match is over, or drawn, once these moves have been played."""
    if not path[-1].goes_on:
        raise ArenaError(over(place, path))
    if not (game.repetition or game.quiet_plies):
        return
    draws = Draws(game, path[0].before, Limits(0, 0.0, 0.0))
    for ply, step in enumerate(path, 1):
        draws.add_move(step.before, step.move, step.after)
        if reason := draws.reason(step.after, ply):
            raise ArenaError(
                f"{place}: the match is drawn by {reason} at {step.word!r}, ply {ply}; {SHORTER}"
            )


def over(place: str, path: Sequence[Step]) -> str:
    """What to say of a line that ends the match."""
    return f"{place}: the match is over after {path[-1].word!r}, ply {len(path)}; {SHORTER}"


def texts_of(book: Iterable[Sequence[Move]], game: Game) -> list[str]:
    """The lines of a book as texts, in the game's notation."""
    return [" ".join(map(game.move_text, line)) for line in book]

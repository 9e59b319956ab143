"""A book of openings: lines of moves from a file, held against the rules of a game."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.api.game import Game, Move, State
from arena.api.lines import NUMBER, RESULTS, read_word, words_of
from arena.errors import ArenaError
from arena.matches.limits import Limits
from arena.matches.match import Draws

LINES = 100_000  # in a book at most
BYTES = 10_000_000  # in its file
HOW = "write 'random:N', N plies played at random, FILE, FILE:N for the first N plies of each line, or 'none'"
SHORTER = "'FILE:N' plays the first N plies of each line alone"

ROW_OF_COMMENT = re.compile(r"^[ \t]*#.*", re.MULTILINE)
COMMENT = re.compile(r"(?:^|\s)#.*")
TAG = re.compile(r'\[\s*([\w+#=:-]+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
UNTAGGED = re.compile(r"(?:[ \t]*(?:#.*)?\n)*[ \t]*(?:\d+[ \t]*\.|[{;%])")  # how records without tags begin
ENDS = "|".join(sorted(RESULTS - {"*"}, key=len, reverse=True))
TOKEN = re.compile(
    rf"""
      (?P<tag>{TAG.pattern})
    | (?P<header>^\[.*)              # a tag that nothing can be made of
    | (?P<comment>\{{[^}}]*\}}|;.*|^%.*)
    | (?P<open>\{{)
    | (?P<variation>[()])
    | (?P<gap>(?<=\n)[ \t]*$)        # an empty line
    | (?P<result>(?<![\w/-])(?:{ENDS})(?![\w/-])|\*(?!\w))
    | (?P<remark>\$\d*|\*)           # a star before a move: the only one
    | (?P<number>(?<!\S){NUMBER.pattern})
    | (?P<word>[^\s(){{}};$*]+)
    """,
    re.MULTILINE | re.VERBOSE,
)
SIGN = re.compile(r"(?!(?:--?|:)$)\W+")  # an annotation such as `±`; `--` is a pass, `11 - 15` a move
POSITION = re.compile(r"(?:[^/\s]+/){3,}[^/\s]+|[BW]:[BW].*")  # FEN of chess, and of draughts


class Tag(NamedTuple):
    """The text of a tag, and what errors call its place."""

    place: str
    text: str


class Line(NamedTuple):
    """A line of a book.

    place: What errors call it, `book.txt, line 3`.
    text: Its moves. Those of a record may have annotations between them.
    plies: How many are played, None for all.
    start: The record's FEN tag, if there is one.
    """

    place: str
    text: str
    plies: int | None = None
    is_record: bool = False
    start: Tag | None = None


def read_book(file: str, plies: int | None = None) -> list[Line]:
    """Return the lines of a book, or raise ArenaError.

    A row of the file is a line of the book; what follows a `#` is a comment. Or the file has records of
    matches, PGN or PDN, with tags or at least with numbered moves: then each match is a line.

    Args:
        file: A text in UTF-8, or else in Latin-1, which is the encoding of PGN's standard.
        plies: How many plies of each line are played. Default: all.
    """
    try:
        with open(file, "rb") as opened:
            data = opened.read(BYTES + 1)
    except OSError as error:
        raise ArenaError(f"openings {file!r}: {error.strerror}; {HOW}") from error
    except ValueError as error:  # such a name no file can have
        raise ArenaError(f"openings {file!r}: {error}; {HOW}") from error
    if len(data) > BYTES:
        raise ArenaError(f"{file} has over {BYTES:,} bytes, too many for a book; take some lines out")
    text = decoded(file, data)
    if TAG.search(text):
        lines = records(file, text)
    elif UNTAGGED.match(text):
        lines = records(file, ROW_OF_COMMENT.sub("", text))
    else:
        lines = rows(file, text)
    found = [line._replace(plies=plies) for line in lines if line.text or line.start]
    if not found:
        raise no_moves(file)
    if len(found) > LINES:
        raise ArenaError(f"{file} has {len(found):,} openings, and a book up to {LINES:,}; take some out")
    return found


def no_moves(file: str) -> ArenaError:
    """The error that a book is empty."""
    return ArenaError(f"{file} has no moves; write a line of them for each opening")


def decoded(file: str, data: bytes) -> str:
    """Return the text of a file, its lines ended by `\\n`, or raise ArenaError."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data:
        raise ArenaError(f"{file} is not a text; write a line of moves for each opening")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def rows(file: str, text: str) -> Iterator[Line]:
    """Yield a line for each row."""
    for number, row in enumerate(text.split("\n"), 1):
        yield Line(f"{file}, line {number}", COMMENT.sub("", row).strip())


@dataclass
class Record:
    """A match as far as it has been read.

    began: The row of the first of its words.
    tags: The names of its tags.
    is_over: Whether it has ended, unless the numbers of its moves go on.
    """

    words: list[str] = field(default_factory=list)
    began: int = 1
    tags: set[str] = field(default_factory=set)
    start: Tag | None = None
    is_over: bool = False

    def line(self, file: str) -> Line:
        return Line(f"{file}, line {self.began}", " ".join(self.words), None, True, self.start)


def records(file: str, text: str) -> Iterator[Line]:
    """Yield a line for each match, without its comments and variations.

    A match ends at a tag, and at a result or an empty line unless the numbers of its moves go on after it.
    """
    record = Record()
    row, at, end, depth = 1, 0, 0, 0
    for token in TOKEN.finditer(text):
        row += text.count("\n", at, token.start())
        is_first = "\n" in text[end : token.start()]  # of its row
        at, end, kind, word = token.start(), token.end(), token.lastgroup, token[0]
        if kind == "open":
            raise ArenaError(f"{file}, line {row}: a comment begins that does not end; write }} after it")
        if kind in ("tag", "header"):
            depth = 0
            name = (token[2] or word).casefold()
            if record.words or record.is_over or name in record.tags:
                yield record.line(file)
                record = Record()
            record.tags.add(name)
            if name == "fen":
                record.start = Tag(f"{file}, line {row}", token[3])
        elif kind == "variation":
            depth = max(0, depth + (1 if word == "(" else -1))
        elif depth or kind in ("comment", "remark"):
            continue
        elif kind == "gap":
            record.is_over = record.is_over or bool(record.words)
        elif kind == "result":
            record.is_over = True
        elif kind == "number":
            if begins_anew(record, token, is_first):
                yield record.line(file)
                record = Record()
            record.is_over = False
        elif not SIGN.fullmatch(word) and (word := word.rstrip("!?")):
            if record.is_over:
                yield record.line(file)
                record = Record()
            record.began = record.began if record.words else row
            record.words.append(word)
    yield record.line(file)


def begins_anew(record: Record, number: re.Match[str], is_first: bool) -> bool:
    """Whether a move's number is that of another match: 1 again, unless Black's move follows as in `1...`.

    is_first: Whether it begins a row.
    """
    if not record.words or number["digits"].lstrip("0") not in ("", "1"):
        return False
    return number[0].count(".") == 1 and (record.is_over or is_first or len(record.words) > 1)


def position_error(place: str, text: str) -> ArenaError:
    """The error that there is a position in place of moves."""
    return ArenaError(
        f"{place}: {text!r} is a position, and matches are recorded by their moves from the start; "
        "write the moves that lead to it"
    )


class Step(NamedTuple):
    """A move played.

    word: Its text in the book; empty for a pass that the book leaves out before the next word.
    before, after: The position it was played in, and the next one.
    goes_on: Whether there are moves in that.
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
    split = [game_words(line, game) for line in lines]
    found: dict[int, tuple[Move, ...]] = {}
    faults: dict[int, ArenaError] = {}
    path: list[Step] = []
    # in the order of their words, so that what lines have in common is played once
    for i in sorted(range(len(lines)), key=lambda i: split[i]):
        place, words, plies = lines[i].place, split[i], lines[i].plies
        try:
            check_start(lines[i], game)
            check_length(place, len(words), max_plies)
            steps, read = shared(path, words)
            del path[steps:]
            for word in words[read:]:
                if plies is None or len(path) < plies:
                    path += steps_of(game, path, place, word)
            line = path[:plies]
            check_length(place, len(line), max_plies)
            if line:  # of a record that has no moves nothing is said
                check_goes_on(game, line, place)
                found[i] = tuple(step.move for step in line)
        except ArenaError as error:
            faults[i] = error
    if faults:
        raise faults[min(faults)]
    if not found:
        raise no_moves(lines[0].place.partition(", line ")[0])
    return tuple(dict.fromkeys(found[i] for i in sorted(found)))


def game_words(line: Line, game: Game) -> list[str]:
    """The words of a line, each a move."""
    words = [*game.split_moves(line.text)] if line.is_record else words_of(game, line.text)
    return words[: line.plies]


def check_length(place: str, plies: int, max_plies: int) -> None:
    """Raise ArenaError if a match ends after so many plies."""
    if plies >= max_plies:
        raise ArenaError(f"{place} has {plies:,} plies, and matches end after {max_plies:,}; {SHORTER}")


def check_start(line: Line, game: Game) -> None:
    """Raise ArenaError if a record begins elsewhere than the game does."""
    if line.start is None:
        return
    try:
        is_other = game.read_position(line.start.text) != game.initial()
    except ArenaError as error:
        raise ArenaError(f"{line.start.place}: {error}") from error
    if is_other:
        raise position_error(*line.start)


def shared(path: Sequence[Step], words: Sequence[str]) -> tuple[int, int]:
    """How many steps of a path the words begin with, and how many of the words those are."""
    steps = read = 0
    for i, step in enumerate(path, 1):
        if step.word:
            if read == len(words) or step.word != words[read]:
                break
            steps, read = i, read + 1
    return steps, read


def steps_of(game: Game, path: Sequence[Step], place: str, word: str) -> Iterator[Step]:
    """Yield the next move of a line, after the passes that it leaves out, or raise ArenaError."""
    before = path[-1].after if path else game.initial()
    if path and not path[-1].goes_on:
        raise ArenaError(over(place, path))
    try:
        plies = read_word(game, before, word)
    except ArenaError as error:
        if POSITION.fullmatch(word):
            raise position_error(place, word) from error
        raise ArenaError(f"{place}: mend ply {len(path) + 1}, or take the line out: {error}") from error
    for i, (move, after) in enumerate(plies, 1):
        yield Step(word if i == len(plies) else "", move, before, after, bool(game.moves(after)))
        before = after


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

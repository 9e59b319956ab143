"""A book of openings: lines of moves or positions, read from a file and checked by a game's rules."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple

from arena.api.game import Game, Move, State
from arena.api.limits import Draws, Limits
from arena.api.lines import NUMBER, RESULTS, read_word, words_of
from arena.api.rulings import GameFault, legal_moves, player_to_move
from arena.api.words import is_words, same_shape
from arena.errors import ArenaError
from arena.file_io import read_given

LINES = 100_000  # maximum number of lines in a book
BYTES = 10_000_000  # maximum size of its file
HOW = "write 'random:N', N plies played at random, FILE, FILE:N for the first N plies of each line, or 'none'"
SHORTER = "'FILE:N' plays only the first N plies of each line"

ROW_OF_COMMENT = re.compile(r"^[ \t]*#.*", re.MULTILINE)
COMMENT = re.compile(r'("[^"]*")|(?:^|\s)#.*')  # a # between quotes does not begin a comment
THEN = re.compile(r"\s+moves(?:\s+|$)")  # between a position and the moves played from it
TAG = re.compile(r'\[\s*([\w+#=:-]+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
UNTAGGED = re.compile(r"(?:[ \t]*(?:#.*)?\n)*[ \t]*(?:\d+[ \t]*\.|[{;%])")  # start of a record without tags
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


class Place(NamedTuple):
    """The text of a position, and where it was found.

    Attributes:
        place: The file and line, for error messages.
        text: The text.
    """

    place: str
    text: str


class Line(NamedTuple):
    """A line of a book.

    Attributes:
        place: The file and line, for error messages: `book.txt, line 3`.
        text: The moves, which may be annotated in a record. A row of a plain file may also be a position.
        plies: How many plies are played, None for all.
        is_record: Whether it comes from a record of a match (PGN or PDN).
        start: The position before the moves, such as the record's FEN tag. None for the game's own start.
    """

    place: str
    text: str
    plies: int | None = None
    is_record: bool = False
    start: Place | None = None


def read_book(file: str, plies: int | None = None) -> list[Line]:
    """Return the lines of a book.

    In a plain file each row is a line. It contains moves, a position, or a position followed by the word
    `moves` and moves. A `#` begins a comment. Alternatively the file contains records of matches, PGN or PDN,
    with tags or at least with numbered moves. Each match is then a line that begins at the position in its
    FEN tag, if it has one.

    Args:
        file: Path of a text file in UTF-8, UTF-16 with a byte order mark, or Latin-1, the encoding of the PGN
            standard.
        plies: How many plies of each line are played. Default: all.

    Raises:
        ArenaError: If the file cannot be read, or is empty or too large.
    """
    try:
        data = read_given(file, BYTES + 1)
    except OSError as error:
        raise ArenaError(f"openings {file!r}: {error.strerror}; {HOW}") from error
    except ValueError as error:  # not a possible file name
        raise ArenaError(f"openings {file!r}: {error}; {HOW}") from error
    if len(data) > BYTES:
        raise ArenaError(f"{file} has over {BYTES:,} bytes, too many for a book; remove some lines")
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
        raise ArenaError(
            f"{file} has {len(found):,} openings, but a book may have up to {LINES:,}; remove some"
        )
    return found


def no_moves(file: str) -> ArenaError:
    """Return the error for an empty book."""
    return ArenaError(f"{file} has no moves and no positions; write a line for each opening")


def decoded(file: str, data: bytes) -> str:
    """Return the text of a file, with `\\n` as line endings.

    Raises:
        ArenaError: If it is not text.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data:
        raise ArenaError(f"{file} is not a text file; write a line of moves for each opening")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def rows(file: str, text: str) -> Iterator[Line]:
    """Yield a book line for each row of a plain file."""
    for number, row in enumerate(text.split("\n"), 1):
        yield Line(f"{file}, line {number}", COMMENT.sub(lambda found: found[1] or "", row).strip())


@dataclass
class Record:
    """A match record that is being read.

    Attributes:
        words: Its words that may be moves.
        began: The row of the first word.
        tags: The names of its tags.
        start: The position in its FEN tag.
        is_over: Whether it has ended, provided that the move numbers do not continue.
    """

    words: list[str] = field(default_factory=list)
    began: int = 1
    tags: set[str] = field(default_factory=set)
    start: Place | None = None
    is_over: bool = False

    def line(self, file: str) -> Line:
        """Return the book line for the record."""
        return Line(f"{file}, line {self.began}", " ".join(self.words), None, True, self.start)


def records(file: str, text: str) -> Iterator[Line]:
    """Yield a line for each match of a file, without comments and variations.

    A match ends at a tag. It also ends at a result or an empty line, unless the move numbers continue after
    it.
    """
    record = Record()
    row, at, end, depth = 1, 0, 0, 0
    for token in TOKEN.finditer(text):
        row += text.count("\n", at, token.start())
        is_first = "\n" in text[end : token.start()]  # first token of its row
        at, end, kind, word = token.start(), token.end(), token.lastgroup, token[0]
        if kind == "open":
            raise ArenaError(f"{file}, line {row}: a comment is not closed; write }} after it")
        if kind in ("tag", "header"):
            depth = 0
            name = (token[2] or word).casefold()
            if record.words or record.is_over or name in record.tags:
                yield record.line(file)
                record = Record()
            record.tags.add(name)
            if name == "fen":
                record.start = Place(f"{file}, line {row}", token[3])
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
    """Return whether a move number begins another match.

    It does if it is 1 again and does not precede Black's move, as in `1...`.

    Args:
        record: The match so far.
        number: The match object of the move number.
        is_first: Whether the number begins a row.
    """
    if not record.words or number["digits"].lstrip("0") not in ("", "1"):
        return False
    return number[0].count(".") == 1 and (record.is_over or is_first or len(record.words) > 1)


def recorded_lines(text: str, recorded: Sequence[str]) -> list[Line]:
    """Return the lines of a book that was read earlier.

    Args:
        text: The setting `openings`, for error messages.
        recorded: The lines as written by `texts_of`.

    Raises:
        ArenaError: If there are no lines, or one is empty.
    """
    lines = []
    for number, line in enumerate(recorded, 1):
        place = f"openings {text}, line {number}"
        start, tab, moves = line.rpartition("\t")
        lines.append(Line(place, moves.strip(), start=Place(place, start) if tab else None))
    if not lines or not all(line.text or line.start for line in lines):
        raise ArenaError(f"openings {text}: the recorded book has no moves, or lines without moves")
    return lines


def texts_of(book: Iterable[Opening], game: Game) -> list[str]:
    """Return openings as texts: the moves, preceded by the start position and a tab if there is one."""
    return [
        ("" if start is None else f"{start}\t") + " ".join(map(game.move_text, moves))
        for moves, start in book
    ]


class Step(NamedTuple):
    """A move that was played.

    Attributes:
        word: Its text in the book. Empty for a pass that the book omits before the next word.
        move: The move.
        before: The position in which it was played.
        after: The position after it.
        goes_on: Whether there are legal moves in that position.
    """

    word: str
    move: Move
    before: State
    after: State
    goes_on: bool


class Begin(NamedTuple):
    """The position in which an opening begins.

    Attributes:
        start: Its text, as in `Opening`.
        state: The position.
        quiet: The number of plies since the last capture, as stated in the text.
        goes_on: Whether there are legal moves.
    """

    start: str | None
    state: State
    quiet: int = 0
    goes_on: bool = True


def openings_in(lines: Sequence[Line], game: Game, max_plies: int) -> tuple[Opening, ...]:
    """Return the openings of a book, each once.

    After an opening the match must not be over, or drawn by repetition, by its length or by quiet plies.

    Args:
        lines: The lines of the book.
        game: The game.
        max_plies: The plies after which matches end.

    Raises:
        ArenaError: For the first line that is not a valid opening.
    """
    found: dict[int, tuple[Hashable, Opening]] = {}
    faults: dict[int, ArenaError] = {}
    begun = own = Begin(None, game.initial())
    is_move = cache(partial(is_move_in, game, own.state))
    split: list[tuple[str | None, list[str]]] = []
    for i, line in enumerate(lines):
        try:
            split.append(start_and_words(line, game, is_move))
        except ArenaError as error:
            split.append((None, []))
            faults[i] = error
    asked: str | None = None
    path: list[Step] = []
    # sorted by words, so that moves shared by several lines are played only once
    for i in sorted({*range(len(lines))} - {*faults}, key=lambda i: (split[i][0] or "", split[i][1])):
        (place, _, plies, is_record, tag), (start, words) = lines[i], split[i]
        place = tag.place if tag and not words else place
        try:
            check_length(place, len(words), max_plies)
            if start != asked:
                path.clear()
                begun = own if start is None else begin_at(game, tag or Place(place, start))
                asked = start
            steps, read = shared(path, words)
            del path[steps:]
            for word in words[read:]:
                if plies is None or len(path) < plies:
                    path += steps_of(game, begun, path, place, word)
            played = path[:plies]
            check_length(place, len(played), max_plies)
            usual = (begun.state, begun.quiet) == (own.state, 0)
            if played or not usual or not is_record:  # a record without moves is skipped silently
                check_goes_on(game, begun, played, place)
                moves = tuple(step.move for step in played)
                key = begun.state, begun.quiet, moves
                found[i] = key, Opening(moves, None if usual and moves else begun.start)
        except ArenaError as error:
            faults[i] = error
    if faults:
        raise faults[min(faults)]
    if not found:
        raise no_moves(lines[0].place.partition(", line ")[0])
    distinct: dict[Hashable, Opening] = {}
    for i in sorted(found):
        distinct.setdefault(*found[i])
    return tuple(distinct.values())


def is_move_in(game: Game, state: State, word: str) -> bool:
    """Return whether a word is a legal move in a position."""
    try:
        read_word(game, state, word)
    except ArenaError:
        return False
    return True


def start_and_words(line: Line, game: Game, is_move: Callable[[str], bool]) -> tuple[str | None, list[str]]:
    """Return the text of a line's start position, None for the game's own, and the words of its moves.

    A row is read as moves if its first word is a legal move at the game's own start, otherwise as a position
    if possible.

    Args:
        line: The line.
        game: The game.
        is_move: Returns whether a word is a legal move at the game's own start.

    Raises:
        ArenaError: If the row looks like a position but cannot be read.
    """
    if line.is_record:
        return line.start and line.start.text, [*game.split_moves(line.text)][: line.plies]
    words = words_of(game, line.text)[: line.plies]
    if line.start is not None:
        return line.start.text, words
    if words and is_move(words[0]):
        return None, words
    text, *moves = THEN.split(line.text, maxsplit=1)
    try:
        position_of(game, Place(line.place, text))
    except ArenaError:
        if POSITION.fullmatch(text.partition(" ")[0]):
            raise
        return None, words  # moves, with an error in the first move
    return text, words_of(game, " ".join(moves))[: line.plies]


def position_of(game: Game, start: Place) -> State:
    """Return the position that a text describes.

    Raises:
        ArenaError: If the game cannot read it.
    """
    if not game.offers("read_position"):
        raise ArenaError(
            f"{start.place}: {start.text!r} is a position, which {game} cannot read; "
            "define read_position in its class, or write the moves that lead there"
        )
    try:
        return game.read_position(start.text)
    except ArenaError as error:
        raise ArenaError(f"{start.place}: correct the position, or remove it: {error}") from error


def begin_at(game: Game, place: Place) -> Begin:
    """Return the beginning of an opening that starts in a position.

    Raises:
        ArenaError: If the game cannot read the position.
        GameFault: If the game cannot read back its own text of the position, or breaks a rule there.
    """
    state, text = position_of(game, place), place.text
    start = game.start_text(text)
    if not isinstance(start, str) or not start.strip() or not start.isprintable():
        raise GameFault(f"game {game} failed: start_text of {text!r} is {start!r}, not one line")
    if game.read_position(start) != state or game.start_text(start) != start:
        raise GameFault(f"game {game} failed: {start!r}, its text of {text!r}, is read as another position")
    if game.flat and not (is_words(state) and same_shape(state, game.initial())):
        raise GameFault(f"game {game} failed: read_position of {start!r} gives {state!r}, unlike initial")
    quiet = game.quiet_in(start)
    if not isinstance(quiet, int) or quiet < 0:
        raise GameFault(f"game {game} failed: quiet_in is {quiet!r} of {start!r}, not a number of plies")
    moves = legal_moves(game, state)
    player_to_move(game, state)
    return Begin(start, state, quiet, bool(moves))


def check_length(place: str, plies: int, max_plies: int) -> None:
    """Raise ArenaError if matches end after this many plies."""
    if plies >= max_plies:
        raise ArenaError(f"{place} has {plies:,} plies, but matches end after {max_plies:,}; {SHORTER}")


def shared(path: Sequence[Step], words: Sequence[str]) -> tuple[int, int]:
    """Return how many steps of a path match the first words, and the number of these words.

    The two numbers differ by the number of passes that the book omits.
    """
    steps = read = 0
    for i, step in enumerate(path, 1):
        if step.word:
            if read == len(words) or step.word != words[read]:
                break
            steps, read = i, read + 1
    return steps, read


def steps_of(game: Game, begun: Begin, path: Sequence[Step], place: str, word: str) -> Iterator[Step]:
    """Yield the next move of a line, after any passes that the line omits.

    Raises:
        ArenaError: If the word is not a legal move, or the match is over.
    """
    before, goes_on = (path[-1].after, path[-1].goes_on) if path else (begun.state, begun.goes_on)
    if not goes_on:
        raise ArenaError(over(place, path))
    try:
        plies = read_word(game, before, word)
    except ArenaError as error:
        raise ArenaError(f"{place}: correct ply {len(path) + 1}, or remove the line: {error}") from error
    for i, (move, after) in enumerate(plies, 1):
        yield Step(word if i == len(plies) else "", move, before, after, bool(game.moves(after)))
        before = after


def check_goes_on(game: Game, begun: Begin, path: Sequence[Step], place: str) -> None:
    """Raise ArenaError if the match is over or drawn after the moves of an opening."""
    if not (path[-1].goes_on if path else begun.goes_on):
        raise ArenaError(over(place, path))
    if not (game.repetition or game.quiet_plies):
        return
    draws = Draws(game, begun.state, Limits(0, 0.0, 0.0), begun.start)
    if reason := draws.reason(begun.state, 0):
        raise ArenaError(f"{place}: the match is drawn by {reason} in {begun.start!r}; remove the line")
    for ply, step in enumerate(path, 1):
        draws.add_move(step.before, step.move, step.after)
        if reason := draws.reason(step.after, ply):
            raise ArenaError(
                f"{place}: the match is drawn by {reason} at {step.word!r}, ply {ply}; {SHORTER}"
            )


def over(place: str, path: Sequence[Step]) -> str:
    """Return the error message for a line that ends the match."""
    if not path:
        return f"{place}: the match is over in this position; remove the line"
    return f"{place}: the match is over after {path[-1].word!r}, ply {len(path)}; {SHORTER}"


class Opening(NamedTuple):
    """The moves with which a match begins.

    The entry in the first seat plays the game's first side (White in chess), even if the other side moves
    first from the start position.

    Attributes:
        moves: The moves.
        start: The text of the position before these moves; None for the game's own start.
    """

    moves: tuple[Move, ...] = ()
    start: str | None = None


OWN_START = Opening()

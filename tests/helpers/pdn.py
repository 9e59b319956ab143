"""Matches of English draughts at random, by the package pydraughts, as texts in PDN.

    python tests/helpers/pdn.py > tests/data/pdn.json

writes some of them with what the package reads in them.
"""

from __future__ import annotations

import json
from random import Random

HEADERS = [
    '[Event "?"]', '[Site "Glasgow, Scotland"]', '[Date "1847-??-??"]', '[Round "3"]', '[GameType "21"]',
    '[Black "Anderson, A."]', '[White "Wyllie, J. (\\"Herd\\")"]', '[Result "1/2-1/2"]', '[Opening "9-13"]',
    '[GameType "21,B,8,8,N1,0"]', '[TimeControl "5+3"]', '[Annotator "Müller"]', '[SetUp "1"]',
]  # fmt: skip
STARTS = [
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,10,11,12,2,3,4,5,6,7,8,9",
    "B:W32,31,30,29,28,27,26,25,24,23,22,21:B12,11,10,9,8,7,6,5,4,3,2,1",
]
COMMENTS = [
    "{x}", "{}", "{ [%clock w0:03:00 B0:03:00] }", "{the old 14th}", "{loses; see 9-14}", "{two\nlines}",
    "{1.25/14 0.5s}", "{Kings: 3 - 2}",
]  # fmt: skip
SIGNS = ["$1", "$146", "!", "?", "!?", "??"]
VARIATIONS = ["(9-14 22-18)", "( 22-17 {better} (24-20?) 11-16 )", "(1. 9-13 22-18 2. 6-9)", "(?)"]
RESULTS = ["1-0", "0-1", "1/2-1/2", "2-0", "1-1", "0-2", "*"]


def written(rng: Random, move, alike: int) -> str:
    """A move in one of the ways to write it. alike: how many begin and end on the same squares."""
    steps = move.steps_move
    whole = alike > 1 or rng.random() < 0.3
    squares = steps if whole else [steps[0], steps[-1]]
    zeros = rng.random() < 0.3
    by = rng.choice(["x", "x", ":", "-"]) if move.has_captures else "-"
    if len(squares) > 2 and by == "-":
        by = "x"
    text = by.join(f"{n:02}" if zeros else str(n) for n in squares)
    if rng.random() < 0.05:
        text = text.replace(by, by + " ")
    return text + (rng.choice(["!", "?", "!?", "$2", " !"]) if rng.random() < 0.1 else "")


def match_text(rng: Random) -> str:
    """A match of random moves as a text.

    With a FEN tag the first move has the number `1...`, and the others go by pairs after that, White's first.
    """
    from draughts import Board

    board = Board("english")
    start = rng.choice([*STARTS, "", ""])
    numbered = 1 if start else 0  # the plies that have a number: even or odd ones
    glued, plain, few = rng.random() < 0.3, rng.random() < 0.3, rng.random() < 0.4
    words = []
    for ply in range(rng.randrange(1, 18 if few else 60)):
        moves = board.legal_moves()
        if not moves:
            break
        move = rng.choice(moves)
        ends = [(one.steps_move[0], one.steps_move[-1]) for one in moves]
        text = written(rng, move, ends.count((move.steps_move[0], move.steps_move[-1])))
        number = (ply + numbered) // 2 + 1
        if ply % 2 == numbered:
            text = f"{number}.{text}" if glued else f"{number}. {text}"
        elif start and ply == 0:
            text = f"1... {text}"
        elif few and words and rng.random() < 0.4:
            text = rng.choice([f"{number}... {text}", f"{number}. ... {text}"])
        words.append(text)
        if not plain and rng.random() < 0.2:
            words[-1] += " " + rng.choice([*SIGNS, *COMMENTS, *VARIATIONS])
        board.push(move)
    if not board.legal_moves():  # a line of a book leaves a match to be played
        words.pop()
    headers = rng.sample(HEADERS, rng.randrange(0, 5))
    tags = ['[Event "a"]', *headers, *([f'[FEN "{start}"]'] if start else [])]
    body = ""
    for word in [*words, rng.choice(RESULTS)]:
        body += rng.choice([" "] * 5 + ["\n"]) + word
    return "\n".join([*tags, "", body.strip(), ""])


def text_of(seed: int) -> str:
    """One match or several."""
    rng = Random(seed)
    return "\n".join(match_text(rng) for _ in range(rng.choice([1, 1, 2, 3])))


def by_package(text: str) -> list[list[list[int]]]:
    """The squares of each move of each match, as the package reads it."""
    from draughts import Board, Move
    from draughts.PDN import PDNReader

    found = []
    for match in PDNReader(pdn_text=text).games:
        board, line = Board("english"), []
        twice = match.tags.get("FEN", "W").startswith(
            "B"
        )  # the package's 0.6.7 has the first move twice then
        for word in match.moves[twice:]:
            move = Move(board, pdn_move=word.replace(":", "x"))
            line.append(move.steps_move)
            board.push(move)
        if line and line not in found:
            found.append(line)
    return found


if __name__ == "__main__":
    print(json.dumps([[text_of(seed), by_package(text_of(seed))] for seed in range(24)], ensure_ascii=False))

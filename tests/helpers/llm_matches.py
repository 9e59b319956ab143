"""Matches of a language model at tic-tac-toe, and servers that fail."""

from __future__ import annotations

import json
import os
import socket

import pytest

from arena.api.limits import Limits
from arena.matches.match import play_match
from arena.plan.opening_book import Opening
from arena.workers.worker import Watch
from arena_agents.llm.llm import LLM
from arena_games.tic_tac_toe import TicTacToe
from last import Last
from models import completion, first_move

GAME = TicTacToe()
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs can play only on Linux and macOS")


def model(address, **options):
    return LLM(GAME, address=address, model="tiny", **options)


def match(agent, limits=None, seed=1):
    """The record of a match of an agent against one that plays the last move."""
    agents = agent, Last(GAME)
    limits, seeds = limits or Limits(100, 0.0, 0.0), (seed, seed + 1)
    return play_match(GAME, lambda seat: agents[seat], (0, 0, 0, 1), seeds, Opening(), limits, Watch())


def sums(record):
    """What all moves of a record took, by name."""
    found = {}
    for used in record.usage:
        for name, amount in used.amounts.items():
            found[name] = found.get(name, 0) + amount
    return found


CHAT = "an answer that is not a chat completion, "


def failing(fault, times):
    """Does something so many times before it answers."""

    def act(asked):
        fault(asked) if asked.number < times else first_move(asked)

    return act


def refuse(status, body=b"{}", **headers):
    return lambda asked: asked.send(status, body, **headers)


def close(asked):
    asked.handler.connection.shutdown(socket.SHUT_RDWR)


PASSING = {
    "429": (refuse(429, b'{"error": {"message": "slow down"}}'), "status 429: 'slow down'"),
    "500": (refuse(500, b"<h1>Oh</h1>"), "status 500: '<h1>Oh</h1>'"),
    "529": (refuse(529), "status 529: '{}'"),
    "malformed": (refuse(200, b'{"choices": ['), CHAT + "'{\"choices\": ['"),
    "no choices": (refuse(200, b'{"choices": []}'), CHAT + "'{\"choices\": []}'"),
    "a list": (refuse(200, b"[1]"), CHAT + "'[1]'"),
    "too deep": (refuse(200, b"[" * 10**5), CHAT + "'" + "[" * 119 + "…'"),
    "a number": (refuse(200, json.dumps(completion(7)).encode()), CHAT + '\'{"id": "x", '),
    "closes": (close, "Remote end closed connection"),
    "too little": (refuse(200, b'{"cho', Content_Length="100"), CHAT + "'{\"cho'"),
}

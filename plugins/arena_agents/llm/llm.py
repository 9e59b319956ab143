"""A language model as an agent."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Literal

from arena import Agent, ArenaError, Move, Reported, Rng, State, option
from arena_agents.engines.line import Line
from arena_agents.engines.program import Overdue, checked, files_of
from arena_agents.llm.answer import Answer
from arena_agents.llm.cassette import Cassette, digest
from arena_agents.llm.command import answer_of
from arena_agents.llm.prompt import complaint, question
from arena_agents.llm.reading import Unread, move_in
from arena_agents.llm.server import Server, checked_address

OFFLINE = "ARENA_OFFLINE"  # environment variable that disables queries
TRIES = 2  # number of tries for a move
SEEDS = 1 << 31  # seeds are smaller, so that any server can represent them
REPEATED = 4000  # the last characters of an answer that are repeated to the model
FORMAT = 1  # version of the data from which digests of requests are computed


class NoMove:
    """Stands for the move if an answer does not contain one."""

    def __init__(self, fault: Unread) -> None:
        self.fault = fault

    def __repr__(self) -> str:
        return f"{self.fault}, in the second try,"


class LLM(Agent):
    """Plays the moves of a language model, which is queried by a command or at an address."""

    compiled_methods = ()
    confinable = False
    one_of = ("command", "address")
    kept_attributes = ("kept", "server")

    command: str = option("", "program that reads the prompt and writes the answer")
    address: str = option("", "address of an OpenAI-compatible server, such as http://localhost:11434/v1")
    model: str = option("", "name of the model at the server")
    key: str = option("OPENAI_API_KEY", "environment variable with the key")
    temperature: float | None = option(
        None, "sampling temperature; 0 = deterministic; none = the server's default", low=0, high=10
    )
    max_tokens: int = option(1000, "maximum length of an answer in tokens", low=1, high=10**6)
    body: tuple[str, ...] = option(
        (), "additional fields of requests, each NAME=JSON, or NAME= to leave one out"
    )
    on_failure: Literal["forfeit", "random"] = option(
        "forfeit", "what happens after two answers without a move"
    )
    timeout: float = option(20.0, "seconds for an answer", low=0.1, high=10**5)
    retries: int = option(3, "number of retries if the server fails", low=0, high=20)
    patience: float = option(50.0, "seconds per move, including retries and waits", low=0.1, high=10**6)
    folder: str = option("", "working folder of the command, if not the current one")
    cassette: str = option("", "file in which answers are stored and looked up")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["command"]:
            checked(options["command"], options["folder"])
        else:
            checked_address(options["address"])
            if not options["model"]:
                raise ArenaError("an address needs a model; write address=…,model=…")
        fields_of(options["body"])
        cassette = options["cassette"]
        if os.path.isdir(cassette) or not os.path.isdir(os.path.dirname(cassette) or "."):
            raise ArenaError(f"cassette {cassette!r} cannot be written; name a file in a folder that exists")

    @classmethod
    def files(cls, options: Mapping[str, Any]) -> Sequence[str]:
        return files_of(options["command"], options["folder"]) if options["command"] else ()

    def prepare(self) -> None:
        self.line = Line(self.game)
        self.opening_start: str | None = None
        self.kept = Cassette(self.cassette) if self.cassette else None
        self.server = None
        if self.address:
            self.server = Server(self.address, self.model, self.key, self.timeout, self.retries)
        self.offline = os.environ.get(OFFLINE, "0") not in ("", "0")
        if self.kept:
            self.kept.look()
        if self.offline and not (self.kept and self.kept.places):
            raise Reported(f"{OFFLINE} is set, and there is no cassette with answers; enter cassette=FILE")
        if self.server and not (self.offline or (self.kept and self.kept.places)):
            self.server.check()

    def follow_opening(self, moves: Sequence[Move], start: str | None = None) -> None:
        self.opening_start = start

    def begin(self, seat: int) -> None:
        self.line.begin(start=self.opening_start)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        began = perf_counter()
        self.line.reach(state)
        by_text = {self.game.move_text(move): move for move in moves}
        seed = None if self.temperature == 0 else rng.bits() % SEEDS
        patience = min(self.patience, self.time_limit)
        took: Counter[str] = Counter()
        try:
            move = self.answered(by_text, seed, began + patience, took)
        except Unread as fault:
            if self.on_failure == "forfeit":
                return NoMove(fault)
            took["random"] += 1
            move = rng.choice(moves)
        except (Reported, Overdue) as error:
            if perf_counter() >= began + self.time_limit:
                return moves[0]  # late anyway, as the match notices by its own clock
            if isinstance(error, Overdue):
                limit = min(self.timeout, patience)
                raise Reported(f"{self.command or self.address}: no answer within {limit:g} s") from None
            raise
        finally:
            self.move_usage = dict(took)
        self.line.play(move)
        return move

    def answered(
        self, by_text: Mapping[str, Move], seed: int | None, until: float, took: Counter[str]
    ) -> Move:
        """Return the model's move; raise Unread if both tries have none. Add the usage to `took`."""
        legal = list(by_text)
        messages = [{"role": "user", "content": question(self.game, self.line, legal)}]
        for number in range(1, TRIES + 1):
            answer = self.answer(messages, number, seed, until)
            took["tries"] += 1
            took.update(answer.usage)
            try:
                return by_text[move_in(answer, legal)]
            except Unread as fault:
                took[fault.kind] += 1
                if number == TRIES:
                    raise
                messages = conversation(messages[0]["content"], answer.text, complaint(fault, legal))
        raise AssertionError

    def answer(
        self, messages: Sequence[Mapping[str, str]], number: int, seed: int | None, until: float
    ) -> Answer:
        """Return the answer of a try, from the cassette if it has one."""
        body = self.request(messages, seed)
        what = {"command": self.command, "folder": self.folder, "address": self.address}
        request = digest({"format": FORMAT, **what, "body": body, "try": number, "seed": seed})
        if self.kept and (kept := self.kept.find(request)):
            return kept
        if self.offline:
            raise Reported(
                f"cassette {self.cassette} has no answer to this prompt, and {OFFLINE} forbids requests"
            )
        if self.server:
            answer = self.server.ask(body, until)
        else:
            limit = min(until, perf_counter() + self.timeout)
            answer = answer_of(self.command, self.folder, written(messages), limit)
        return self.kept.keep(request, answer) if self.kept else answer

    def request(self, messages: Sequence[Mapping[str, str]], seed: int | None) -> dict[str, Any]:
        """Return the body of a request."""
        body: dict[str, Any] = {"model": self.model, "messages": messages, "max_tokens": self.max_tokens}
        if self.temperature is not None:
            body["temperature"] = self.temperature
            if seed is not None:
                body["seed"] = seed
        for name, value in fields_of(self.body).items():
            body[name] = value
            if value is None:
                del body[name]
        return body


def fields_of(texts: Sequence[str]) -> dict[str, Any]:
    """Return fields by name, with None for those to leave out; text that is not JSON is a string."""
    fields: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise ArenaError(f"body {text!r} is not a field; write body=(NAME=VALUE,…)")
        try:
            fields[name] = json.loads(value) if value else None
        except ValueError:
            fields[name] = value
    return fields


def conversation(asked: str, answered: str, told: str) -> list[dict[str, str]]:
    """Return the messages of a second try, without an empty answer, which many servers would reject."""
    if not answered.strip():
        return [{"role": "user", "content": f"{asked}\n\n{told}"}]
    return [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": answered[-REPEATED:]},
        {"role": "user", "content": told},
    ]


def written(messages: Sequence[Mapping[str, str]]) -> str:
    """Return a conversation as one text, for a command."""
    first, *later = messages
    told = [
        message["content"] if message["role"] == "user" else f"You answered:\n{message['content']}"
        for message in later
    ]
    return "\n\n".join([first["content"], *told]) + "\n"

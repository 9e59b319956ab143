"""A server of language models for tests, which answers as it is told, and a command that answers."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KEY = "sk-secret-0123456789abcdef"


def legal_in(text: str) -> list[str]:
    """The legal moves that a prompt states last."""
    return re.findall(r"legal moves(?: are)?:\n(.+)", text)[-1].split()


def completion(text: str | None, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """A chat completion of twelve tokens of prompt and three of answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage, **more}


class Asked:
    """A request as the server has it. number: of those that asked for an answer, from 0."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: dict[str, Any], number: int) -> None:
        self.handler, self.body, self.number = handler, body, number
        self.headers = dict(handler.headers)

    @property
    def prompt(self) -> str:
        return "\n".join(message["content"] for message in self.body["messages"])

    @property
    def legal(self) -> list[str]:
        return legal_in(self.prompt)

    def send(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.handler.send_header("Content-Length", str(len(body)))
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def answer(self, text: str | None, finish: str = "stop") -> None:
        self.send(200, json.dumps(completion(text, finish)).encode())


class Server:
    """A server that is running. asked: the requests for answers so far. models: what is said of /models."""

    def __init__(self, act: Callable[[Asked], None]) -> None:
        self.act = act
        self.asked: list[Asked] = []
        self.models: tuple[int, dict[str, Any]] = (200, {"data": [{"id": "tiny"}, {"id": "other"}]})
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body = outer.models
                Asked(self, {}, -1).send(status, json.dumps(body).encode())

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.lock:
                    asked = Asked(self, body, len(outer.asked))
                    outer.asked.append(asked)
                outer.act(asked)

            def log_message(self, *_: Any) -> None:
                pass

            def handle(self) -> None:
                with suppress(OSError):  # who asked has gone
                    super().handle()

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@contextmanager
def serving(act: Callable[[Asked], None]) -> Iterator[Server]:
    server = Server(act)
    try:
        yield server
    finally:
        server.close()


def first_move(asked: Asked) -> None:
    """Answers with the first legal move, marked."""
    asked.answer(f"I take it.\nMOVE: {asked.legal[0]}")


def fickle_move(asked: Asked) -> None:
    """Answers otherwise each time that it is asked, as models do."""
    asked.answer(asked.legal[time.perf_counter_ns() // 1000 % len(asked.legal)])


def faulty_move(asked: Asked) -> None:
    """The same, but that every third answer is of no use."""
    choice = time.perf_counter_ns() // 1000
    if choice % 3:
        fickle_move(asked)
    else:
        useless = ("77", "stop"), ("", "stop"), ("I do not know", "stop"), ("MOVE: 1", "length")
        asked.answer(*useless[choice // 3 % 4])


# a command that answers with the first legal move, once it has done what stands below
COMMAND = f"""#!{sys.executable} -IS
import os, re, sys, time
prompt = sys.stdin.read()
legal = re.findall(r"legal moves(?: are)?:\\n(.+)", prompt)[-1].split()
"""


def write_command(path: Path, does: str = "") -> str:
    """Write such a command and give its path."""
    path.write_text(f"{COMMAND}{does}\nprint('MOVE:', legal[0])\n")
    path.chmod(0o755)
    return str(path)

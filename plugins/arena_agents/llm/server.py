"""A server of language models that implements OpenAI's chat completions interface."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from time import perf_counter, sleep, time
from typing import Any
from urllib.parse import urlsplit

from arena import ArenaError, Reported, did_you_mean
from arena_agents.engines.program import cut
from arena_agents.llm.answer import Answer, storable
from arena_agents.llm.connection import LONGEST, Response, Unreachable, requested

AGAIN = {408, 409, 425, 429}  # statuses after which a retry may succeed, in addition to all from 500 on
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0  # seconds; each wait is twice the previous one
SECRET = 12  # minimum length of a key that is removed from a server's messages
CHECKING = 10.0  # time limit in seconds for listing models
TOKENS = "prompt_tokens", "completion_tokens"


class Passing(Exception):
    """A request that may succeed later. wait: seconds that the server asks to wait, None if unstated."""

    def __init__(self, said: str, wait: float | None = None) -> None:
        super().__init__(said)
        self.wait = wait


def checked_address(address: str) -> None:
    """Raise ArenaError unless a text is the address of a server and contains no secret."""
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        fits = False
    if not fits or not address.isascii() or re.search(r"\s", address):
        raise ArenaError(f"address {address!r} is not the address of a server; write http://HOST:PORT/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ArenaError("the address has more than host and path; put a key into an environment variable")


class Server:
    """A client for a model on a server. key: the environment variable that contains the key, if any."""

    def __init__(self, address: str, model: str, key: str, timeout: float, retries: int) -> None:
        self.address, self.model, self.key = address.rstrip("/"), model, key
        self.timeout, self.retries = timeout, retries

    def check(self) -> None:
        """Raise Reported if the server is unreachable, refuses the key, or does not have the model.

        If the server does not list models, a request without messages, which no server answers, shows this.
        """
        until = perf_counter() + min(self.timeout, CHECKING)
        try:
            found = self.request("GET", "/models", None, until)
            if found.status in (400, 404, 405, 501):
                empty = {"model": self.model, "messages": [], "max_tokens": 1}
                found = self.request("POST", "/chat/completions", json.dumps(empty).encode(), until)
        except Unreachable as error:
            raise Reported(f"{self.address}: {error}; is the server running?") from None
        if found.status in (401, 403, 404) or 300 <= found.status < 400:
            raise self.refused(found)
        names = listed(found)
        if names and not any(self.is_called(name) for name in names):
            known = did_you_mean(self.model, names[:50])
            raise Reported(f"{self.address} has no model {self.model!r}{known}")

    def is_called(self, name: str) -> bool:
        """Return whether a listed name denotes this model, as `models/NAME` and `NAME:latest` do."""
        bare = name.removeprefix("models/")
        begins = bare.startswith(f"{self.model}:") or self.model.startswith(f"{bare}:")
        return begins or self.model in (name, bare)

    def ask(self, body: Mapping[str, Any], until: float) -> Answer:
        """Return the answer to a request, with retries until a deadline; raise Reported on failure."""
        text = json.dumps(body).encode()
        for attempt in range(self.retries + 1):
            try:
                return self.answer(text, min(until, perf_counter() + self.timeout))
            except Passing as error:
                wait = FIRST_WAIT * 2**attempt if error.wait is None else error.wait
                late = wait > LONGEST_WAIT or perf_counter() + wait >= until
                if late or attempt == self.retries:
                    asked = f", after {attempt + 1} attempts" if attempt else ""
                    more = f"; it asks to wait {error.wait:g} s" if late and error.wait else ""
                    raise Reported(f"{self.address}: {error}{asked}{more}") from None
            sleep(wait)
        raise AssertionError

    def answer(self, body: bytes, until: float) -> Answer:
        """Send a request once and return the answer, or raise Passing or Reported."""
        try:
            found = self.request("POST", "/chat/completions", body, until)
        except Unreachable as error:
            raise Passing(str(error)) from None
        if len(found.body) > LONGEST:
            raise Reported(f"{self.address}: an answer of over {LONGEST >> 20} MB")
        if found.status in AGAIN or found.status >= 500:
            raise Passing(f"status {found.status}{message(found)}", wait_of(found.headers))
        if found.status != 200:
            raise self.refused(found)
        try:
            return answer_in(json.loads(found.body))
        except (ValueError, TypeError, LookupError, RecursionError, AttributeError):
            raise Passing(f"an answer that is not a chat completion, {said(found.body)!r}") from None

    def request(self, method: str, path: str, body: bytes | None, until: float) -> Response:
        """Send a request and return the response, from which the key is removed."""
        key = os.environ.get(self.key, "").strip() if self.key else ""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "arena"}
        if not key.isascii() or not key.isprintable():
            raise Reported(f"the key in {self.key} has characters that no key has")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        found = requested(method, self.address + path, headers, body, until)
        if len(key) < SECRET:
            return found
        return found._replace(
            body=found.body.replace(key.encode(), b"***"),
            headers={name: value.replace(key, "***") for name, value in found.headers.items()},
        )

    def refused(self, found: Response) -> Reported:
        """Return the error for a status for which a retry is useless."""
        if found.status in (401, 403):
            there = self.key and os.environ.get(self.key)
            unset = f"requires a key; set {self.key or 'key=NAME'}"
            what = f"refuses the key in {self.key}" if there else unset
        elif found.status == 404:
            what = f"has no {urlsplit(self.address).path}/chat/completions, or no model {self.model!r}"
        elif 300 <= found.status < 400:
            place = found.headers.get("location", "")
            what = f"redirects to {cut(place)!r}, which is not followed; use that address"
        else:
            what = "refuses the request"
        return Reported(f"{self.address} {what} (status {found.status}{message(found)})")


def answer_in(found: Any) -> Answer:
    """Return the answer in a chat completion; raise an exception if there is none."""
    choice = found["choices"][0]
    content = choice["message"].get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str | None):
        raise TypeError
    usage = found.get("usage") or {}
    counted = {name: usage.get(name) for name in TOKENS}
    tokens = {name: n for name, n in counted.items() if type(n) is int and 0 <= n < 2**53}
    return Answer(storable(content or ""), choice.get("finish_reason") == "length", tokens)


def listed(found: Response) -> list[str]:
    """Return the names of the models in a response; none if that does not list them."""
    try:
        return [storable(str(model["id"])) for model in json.loads(found.body)["data"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return []


def message(found: Response) -> str:
    """Return a server's error message, such as `: 'No such model'`; empty if there is none."""
    text = said(found.body)
    try:
        error = json.loads(found.body)
        error = error.get("error", error)
        text = str(error if isinstance(error, str) else error["message"])
    except (ValueError, TypeError, LookupError, RecursionError, AttributeError):
        pass
    return f": {cut(storable(text), 200)!r}" if text else ""


def said(body: bytes) -> str:
    """Return the beginning of a server's response, on one line."""
    return cut(" ".join(body[:2000].decode(errors="replace").split()))


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds after which a server asks for a retry (RFC 9110, section 10.2.3), if it does."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        return float(text)
    try:
        return max(0.0, round(parsedate_to_datetime(text).timestamp() - time()))
    except (ValueError, TypeError, OverflowError):
        return None

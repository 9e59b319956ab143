"""Digests of source code, by which results say which code played."""

from __future__ import annotations

from collections.abc import Iterable

UNKNOWN_CODE = "unknown"  # code without readable source, or from before digests were recorded
SHORTEST = 4  # digits of a digest that are shown at least


def tags(codes: Iterable[str]) -> dict[str, str]:
    """Return a prefix of each digest, long enough to distinguish all; `unknown` stays as it is."""
    digests = sorted({*codes} - {UNKNOWN_CODE})
    length = SHORTEST
    while len({digest[:length] for digest in digests}) < len(digests):
        length += 1
    return {UNKNOWN_CODE: UNKNOWN_CODE, **{digest: digest[:length] for digest in digests}}

"""Which code played: digests of sources, as results name them."""

from __future__ import annotations

from collections.abc import Iterable

UNKNOWN_CODE = "unknown"  # of what has no source to be read, and of results of before codes were recorded
SHORTEST = 4  # digits of a digest that are shown


def tags(codes: Iterable[str]) -> dict[str, str]:
    """Each code's first digits, as many as tell all of these apart; `unknown` as it is."""
    digests = sorted({*codes} - {UNKNOWN_CODE})
    length = SHORTEST
    while len({digest[:length] for digest in digests}) < len(digests):
        length += 1
    return {UNKNOWN_CODE: UNKNOWN_CODE, **{digest: digest[:length] for digest in digests}}

"""The data of a leaderboard's page, which its scripts show."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from typing import Any


def data_of(page: str) -> Any:
    """Return the data in the text of a page; earlier versions wrote it as plain JSON."""
    found = re.search(r'<script type="application/(gzip|json)" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return unpacked(found[2]) if found[1] == "gzip" else json.loads(found[2])


def page_text(page: str) -> str:
    """Return the text of a page with its data as JSON, to search in."""
    if 'id="data"' not in page:
        return page
    return f"{page}\n{json.dumps(data_of(page), ensure_ascii=False, separators=(',', ':'))}"


def unpacked(text: str) -> Any:
    """Return the data in an element of a page."""
    return json.loads(gzip.decompress(b64decode(text)))

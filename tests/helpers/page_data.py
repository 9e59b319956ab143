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


def unpacked(text: str) -> Any:
    """Return the data in an element of a page."""
    return json.loads(gzip.decompress(b64decode(text)))

"""The documents as a site: it builds strictly, its links lead somewhere, and it works without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from browsing import browser, opened
from paths import ROOT

__all__ = ["browser", "opened"]  # fixtures

pytestmark = pytest.mark.slow


class Links(HTMLParser):
    """What a page links to or loads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        self.links |= {values[name] for name in ("href", "src") if name in values}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site, built strictly."""
    pytest.importorskip("zensical", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, ROOT / "docs" / "build_site.py", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_link_leads_to_a_file_and_an_anchor_of_the_site(folder):
    links = cache(Links)
    wrong = []
    for page in folder.rglob("*.html"):
        for link in () if page.name == "404.html" else links(page).links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (page.parent / unquote(url.path)).resolve() if url.path else page
            has_anchor = url.fragment and target.suffix == ".html" and target.exists()
            if not target.exists() or (has_anchor and unquote(url.fragment) not in links(target).anchors):
                wrong.append((page.relative_to(folder), link))
    assert wrong == []


def test_the_reference_has_the_arguments_and_attributes_of_the_docstrings(folder):
    calls = (folder / "docs" / "reference" / "python-calls.html").read_text(encoding="utf-8")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", calls))
    assert "Probability that the test accepts high if low is true." in text
    classes = (folder / "docs" / "reference" / "python-classes.html").read_text(encoding="utf-8")
    assert "arena.Agent.opponent_seconds" in classes


def test_search_from_a_disk_finds_a_phrase(opened):
    page = opened(file="docs/tutorial.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("confidence interval")
    found = page.locator("dialog a", has_text="confidence interval")
    found.first.wait_for()
    assert any("explanation/ratings.html" in link.get_attribute("href") for link in found.all())


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "file", ["index.html", "docs/reference/python-classes.html", "docs/explanation/architecture.html"]
)
def test_pages_fit_and_load_nothing_from_elsewhere(opened, file, theme, width):
    page = opened(file=file, theme=theme, width=width)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= width

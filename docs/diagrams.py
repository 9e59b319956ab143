"""Draw the Mermaid diagrams of the documents as pictures for the site.

    npm pack mermaid@11 && tar xzf mermaid-11.*.tgz
    python docs/diagrams.py package/dist/mermaid.min.js

GitHub draws the diagrams itself. The site has pictures, light and dark, so that no page loads the 3 MB of
Mermaid's script. Needs Chromium and the extra `browser`. A test compares the pages with what their pictures
were drawn from.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
MERMAID = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
THEMES = {"light": "neutral", "dark": "dark"}
DRAW = """async ([source, theme]) => {
    const flowchart = { htmlLabels: false, subGraphTitleMargin: { top: 5, bottom: 20 } };
    mermaid.initialize({ startOnLoad: false, theme, htmlLabels: false, flowchart });
    return (await mermaid.render("diagram", source)).svg;
}"""


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.add_script_tag(path=sys.argv[1])
        for path, source in diagrams().items():
            for theme, mermaid_theme in THEMES.items():
                svg = page.evaluate(DRAW, [source, mermaid_theme])
                picture(path, theme).write_text(f"{digest(source)}\n{svg}\n", encoding="utf-8")


def diagrams() -> dict[Path, str]:
    """The diagram of each page that has one."""
    found = {path: MERMAID.findall(path.read_text(encoding="utf-8")) for path in sorted(DOCS.rglob("*.md"))}
    return {path: source for path, (source, *_) in ((p, s) for p, s in found.items() if s)}


def picture(path: Path, theme: str) -> Path:
    """The file of a page's picture in a theme."""
    return path.with_name(f"{path.stem}-{theme}.svg")


def digest(source: str) -> str:
    """The first line of a picture, which says what it was drawn from."""
    return f"<!-- of {hashlib.sha256(source.encode()).hexdigest()} -->"


def as_pictures(path: Path, text: str) -> str:
    """The text of a page with its diagram as pictures, of which the site shows that of its theme."""
    pictures = "\n".join(f"![Diagram]({picture(path, theme).name}#only-{theme})" for theme in THEMES)
    return MERMAID.sub(pictures, text)


if __name__ == "__main__":
    main()

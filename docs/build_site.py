"""Build the documents as a web site, in a folder that works from a disk and without a network.

    python docs/build_site.py [FOLDER]

FOLDER is `build/site` by default. Links that lead nowhere are errors.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import diagrams
import python_pages
from python_pages import Name

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PUBLISHED = (
    "*.md",
    "CITATION.cff",
    "LICENSE",
    "noxfile.py",
    "pyproject.toml",
    ".ci/*",
    "arena/**/*.py",
    "benchmarks/*.md",
    "benchmarks/*.py",
    "changes/README.md",
    "docs/**/*.md",
    "docs/**/*.png",
    "docs/**/*.svg",
    "docs/iframe-worker.js",
    "docs/site.css",
    "examples/*/*.*",
    "examples/*/tests/*.py",
    "leaderboards/**/*.csv",
    "leaderboards/**/*.md",
    "leaderboards/**/*.svg",
    "leaderboards/**/*.toml",
    "plugins/**/*.md",
    "plugins/**/*.py",
    "tests/helpers/tiers.py",
)


def main() -> None:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site")
    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(built, target)
    print(f"{target / 'index.html'}")


def build(folder: Path) -> Path:
    """Build the site in a folder and return where it is."""
    copy_pages(folder / "pages")
    for file in ("zensical.toml", "docstrings.py"):
        shutil.copy(DOCS / file, folder)
    subprocess.run([sys.executable, "-m", "zensical", "build", "--strict"], cwd=folder, check=True)
    return folder / "site"


def copy_pages(folder: Path) -> None:
    """Copy what is published; pages as the site has them."""
    for path in published():
        copy = folder / shown(path.relative_to(ROOT).as_posix())
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copy.write_text(for_site(path), encoding="utf-8")
        else:
            shutil.copy(path, copy)
    for page in python_pages.pages():
        text = "\n\n".join(python_pages.render(page, directive))
        (folder / "docs" / "reference" / page.file).write_text(text, encoding="utf-8")


def published() -> list[Path]:
    found = {path for pattern in PUBLISHED for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(path for path in found if "__pycache__" not in path.parts)


def shown(path: str) -> str:
    """The path on the site, which leaves out hidden folders."""
    return path.removeprefix(".")


# --- pages ------------------------------------------------------------------------------------------------


def for_site(path: Path) -> str:
    """The text of a page, with diagrams as pictures and links to the names that mkdocstrings describes."""
    text = path.read_text(encoding="utf-8")
    text = text.replace("](.ci/", f"]({shown('.ci/')}")
    text = re.sub(r"(python-\w+\.md)#(\w+)", name_link, text)
    return diagrams.as_pictures(path, text)


def name_link(found: re.Match[str]) -> str:
    anchors = python_pages.anchors()
    return f"{found[1]}#{anchors.get(found[2], found[2])}"


def directive(name: Name) -> str:
    """What has mkdocstrings describe a name."""
    options = "" if name.text == name.path else f"\n    options:\n      heading: {name.text}\n"
    return f"::: {name.path}{options}"


if __name__ == "__main__":
    main()

"""A browser that opens pages from disk, without a network, and fails if they complain or ask for anything."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install -e '.[browser]'")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, folder):
    """Opens the page, or part of it, and fails if it complains or asks for anything else."""
    contexts, complaints = [], []

    def open_page(part="", width=1280, theme="light", file="page.html", script=""):
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=theme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: asked(request.url))
        page.add_init_script(script)
        page.goto(f"{(folder / file).as_uri()}{part}")
        return page

    def asked(url):
        if not url.startswith((folder.as_uri(), "blob:")):  # what it made itself
            complaints.append(url)

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []

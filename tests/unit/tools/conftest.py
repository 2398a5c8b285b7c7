"""The browser in which pages are tested."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Playwright's browser or else the system's."""
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        program = own if Path(own).exists() else next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            pytest.skip("there is no Chromium: `apt-get install chromium`, or `playwright install chromium`")
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()

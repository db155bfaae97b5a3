"""Chromium, driven by Playwright: where one of them is missing, the tests that need them are skipped."""

import shutil
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None,
    reason="no page is opened in a browser: that needs Chromium on the PATH and `pip install playwright`",
)


@contextmanager
def chromium():
    """A browser, closed in the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()

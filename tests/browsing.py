"""Chromium, driven by Playwright: where one of them is missing, the tests that need them are skipped."""

from importlib.util import find_spec

import pytest
from chromium import CHROMIUM, chromium

NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None,
    reason="no page is opened in a browser: that needs Chromium on the PATH and `pip install playwright`",
)

__all__ = ["CHROMIUM", "NEEDS_CHROMIUM", "chromium"]

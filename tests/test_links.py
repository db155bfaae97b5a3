"""Every link of README and docs/ leads to a file that is there, and to a heading that it has."""

import re
from functools import cache
from pathlib import Path

import pytest
from scripts import load_script

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
RECORDS = ROOT / "docs" / "records.md"
"""The site completes this page; links to its sections hold there."""


@cache
def completed(path):
    """The page's text, as the site has it."""
    if path != RECORDS:
        return path.read_text()
    return load_script(ROOT / "docs" / "make_records.py").page()


def anchors(path):
    """The headings of a page, as a browser names them."""
    text = re.sub(r"^```.*?^```$", "", completed(path), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", completed(page), flags=re.M | re.S)
    text = re.sub(r"`[^`]*`", "", text)
    broken = []
    for target in LINK.findall(text):
        name, _, anchor = target.partition("#")
        if "://" in target:
            continue
        there = (page.parent / name).resolve() if name else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(target)
    assert broken == []


def test_every_page_is_reached_from_the_index():
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / name).resolve() for name in re.findall(r"\]\(([^)#]+\.md)\)", index.read_text())}
    assert {page for page in PAGES if page.parent != ROOT} - linked - {index} == set()


def test_each_promise_of_security_names_tests_that_are_there():
    promised = (ROOT / "SECURITY.md").read_text().partition("## What is promised")[2].partition("\n## ")[0]
    for promise in promised.split("\n- ")[1:]:
        files = re.findall(r"`((?:tests/\w+/)?test_\w+\.py)`", promise)
        assert files, promise
        assert all((ROOT / (name if "/" in name else f"tests/attack/{name}")).exists() for name in files), promise

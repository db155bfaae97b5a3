"""Every link of README and docs/ leads to a file that is there, and to a heading that it has."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")


def anchors(path):
    """The headings of a page, as a browser names them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
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
    assert {page for page in PAGES if page.parent != ROOT} - linked == {index}

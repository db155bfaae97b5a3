"""What does not fit is found: pages made wrong, each in one way."""

import pytest
from fitting import assert_fits, axe

pytestmark = pytest.mark.extra("browser")
WRONG = {
    "wide": ("<p><span style='display: block; width: 2000px'>wide</span></p>", "2008 px in a window of 1280"),
    "cut": (
        "<p style='width: 3em; overflow: hidden; white-space: nowrap'>Warsaw, in Poland</p>",
        "cut: “Warsaw, in Poland”",
    ),
    "spilt": ("<p style='width: 3em; white-space: nowrap'>Warsaw, in Poland</p>", "cut: “Warsaw, in Poland”"),
    "low": ("<p style='height: 1em; overflow: hidden'>one<br>two</p>", "cut: “one”"),
    "cut drawing": ("<svg width=40 height=20><text x=2 y=14>Warsaw, in Poland</text></svg>", "leaves its drawing svg"),
    "overlapping": (
        "<p style='position: relative'>one word<b style='position: absolute; left: 1em'>other</b></p>",
        "overlapping: “one word” and “other”",
    ),
    "overlapping drawing": (
        "<svg width=200 height=40><text x=2 y=14>Warsaw</text><text x=20 y=14>Poland</text></svg>",
        "overlapping: “Warsaw” and “Poland”",
    ),
    "pale": ("<p style='color: #999'>pale</p>", "pale: “pale” 2.85 in p"),
    "see-through": ("<div style='opacity: .5'><p style='color: #555'>pale</p></div>", "pale: “pale” 2.32 in p"),
    "pale drawing": (
        "<svg width=200 height=40><rect width=200 height=40 fill=#036 /><text x=2 y=14 fill=#333>pale</text></svg>",
        "pale: “pale”",
    ),
    "for the eye alone": ("<a href='#top'><img src='data:,' width=9 height=9></a>", "axe: link-name"),
}
RIGHT = {
    "scrolled": "<p tabindex=0 style='width: 3em; overflow: auto; white-space: nowrap'>Warsaw, in Poland</p>",
    "told on hover": "<p title='Warsaw, in Poland' style='width: 3em; overflow: hidden; text-overflow: ellipsis;"
    " white-space: nowrap'>Warsaw, in Poland</p>",
    "for the ear": "<p>Warsaw<span style='position: absolute; clip-path: inset(50%)'>, in Poland</span></p>",
    "folded": "<details><summary>more</summary><p style='color: #fff'>in Poland</p></details>",
    "large": "<p style='color: #888; font-size: 24px'>large</p>",
    "light on dark": "<svg width=200 height=40><rect width=200 height=40 fill=#036 />"
    "<text x=2 y=14 fill=#fff>light</text></svg>",
}


@pytest.fixture(scope="module")
def shown(browser):
    """Shows bodies in a page that is right but for them."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})

    def show(bodies):
        head = "<title>A page</title><style>body { font: 16px/1.5 sans-serif; background: #fff }</style>"
        body = "".join(f"<div>{each}</div>" for each in bodies)
        page.set_content(f"<!doctype html><html lang=en>{head}<main><h1>A page</h1>{body}</main></html>")
        return page

    return show


def test_what_does_not_fit_is_told(shown):
    with pytest.raises(AssertionError) as failed:
        assert_fits(shown(body for body, _ in WRONG.values()))
    told = [each for _, each in WRONG.values() if axe() or not each.startswith("axe")]
    assert [each for each in told if each not in str(failed.value)] == []


def test_what_fits_is_let_be(shown):
    assert_fits(shown(RIGHT.values()))

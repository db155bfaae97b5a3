"""Whether a page fits: no text cut or over another, nothing wider than the window, none too pale, axe-core content.

`assert_fits(page)` asks all of it of a page as it is open now, in Playwright; every page has to fit at
a desk and on a phone, in light and in dark: in each of `VIEWS`.
"""

from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

WINDOWS = {"desk": (1280, 900), "phone": (390, 844)}
VIEWS = (("desk", "light"), ("phone", "dark"))
_FITTING = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def assert_fits(page, *, but=()):
    """Fails with all that does not fit, a line each.

    Args:
        page: A page of Playwright, with what is to be looked at unfolded.
        but: Words of findings that are to be let be, such as those of the generator of a site.
    """
    found = page.evaluate(_FITTING)
    found["axe"] = axe_findings(page)
    faults = [f"{kind}: {fault}" for kind, some in found.items() for fault in some]
    faults = [fault for fault in faults if not any(word in fault for word in but)]
    assert not faults, f"{page.url} at {page.viewport_size['width']} px\n  " + "\n  ".join(faults)


def axe_findings(page):
    """What axe-core finds, of any weight; nothing where it is not installed (`pip install axe-playwright-python`)."""
    if not axe():
        return []
    session = page.context.new_cdp_session(page)  # which a page's policy does not stop
    session.send("Runtime.evaluate", {"expression": axe()})
    session.detach()
    violations = page.evaluate("axe.run({resultTypes: ['violations']}).then((found) => found.violations)")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in violations]


@cache
def axe():
    """The script of axe-core."""
    if find_spec("axe_playwright_python") is None:
        return ""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")

"""The server's own pages: in the look of all pages, each with the policy that a browser is to keep on it."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ....view.look import SEARCH_SCRIPTS, page_script, page_style, source_of
from ....view.templating import open_template

HOME = Path(__file__).parent
FONTS_AT = "fonts/"
"""The address at which a page finds its fonts, from where it is itself."""
DRAWING = ("elements", "numbers", "highlight", *SEARCH_SCRIPTS)
"""The scripts of all pages that draw a search, passages and steps; the others are about the questions of a run."""
ASKING = ("stream", "sources", "sharing", "turn", "asking")
"""The scripts of the page itself, in the order in which they run."""


class Page(NamedTuple):
    """A page, ready to be sent."""

    html: str
    """Its text."""
    policy: str
    """Its Content-Security-Policy: it may run its own script, use its own styles and fonts, ask its own server."""


def asking_page() -> Page:
    """The page on which questions are asked."""
    script = page_script(*DRAWING, *(str(HOME / name) for name in ASKING))
    return make_page("page.html", title="Ask", script=script)


def make_page(template: str, *, title: str, script: str = "", **values: Any) -> Page:
    """A page of its template; whatever is put into one is escaped.

    Args:
        template: The file beside this one.
        title: The page's title.
        script: The script that it runs; may be empty.
        **values: The values that the template shows.
    """
    style = _style()
    policy = (
        f"default-src 'none'; script-src {source_of(script)}; style-src {source_of(style)}; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    values |= {"title": title, "style": Markup(style), "script": Markup(script), "policy": policy, "in_code": _in_code}
    html = open_template(template, beside=HOME).render(values)
    return Page(html, f"{policy}; frame-ancestors 'none'")


def _in_code(text: str) -> Markup:
    """The text, with what stands between backticks as code."""
    parts = (
        Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(text.split("`"))
    )
    return Markup("").join(parts)


@cache
def _style() -> str:
    return page_style("page", "figures", "question", "pictures", "print", str(HOME / "page"), fonts_at=FONTS_AT)

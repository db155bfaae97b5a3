"""Paragraphs and articles that go by an address: pages of Wikipedia by their titles, any other by the address."""

from __future__ import annotations

import re
from urllib.parse import unquote

_WIKIPEDIA = re.compile(r"https?://(?:[\w-]+\.)*wikipedia\.org/wiki/([^?#\s]+)", re.IGNORECASE)


def page_id(address: str) -> str:
    """The id of the page at an address: a Wikipedia page's title, as HotpotQA has it, else the address itself.

    Examples:
        >>> from multihop.data.formats.pages import page_id
        >>> page_id("https://en.wikipedia.org/wiki/Emma_(novel)#Plot"), page_id("https://news.example/emma")
        ('Emma (novel)', 'https://news.example/emma')
    """
    page = _WIKIPEDIA.match(address.strip())
    return unquote(page[1]).replace("_", " ").strip() if page else address.strip()


def split_addresses(text: str) -> list[str]:
    """The addresses of a text that may hold several, with commas or spaces between them.

    Examples:
        >>> from multihop.data.formats.pages import split_addresses
        >>> split_addresses("https://en.wikipedia.org/wiki/Torun,https://en.wikipedia.org/wiki/Washington,_D.C.")
        ['https://en.wikipedia.org/wiki/Torun', 'https://en.wikipedia.org/wiki/Washington,_D.C.']
    """
    return [address.strip(", ") for address in re.split(r"[,\s]+(?=https?://)", text.strip())]

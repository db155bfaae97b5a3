"""Finds the pages of a corpus that a text names, in one go however many pages there are."""

import re
from collections.abc import Iterable

from ..retrieval import Passage

_WORD = re.compile(r"\w+")


class NamedPages:
    """The names of many pages; agrees with `Passage.is_named_in`, which looks at one page."""

    def __init__(self, pages: Iterable[Passage] = ()) -> None:
        """The names of these pages; `add` takes more."""
        self._names: dict[str, tuple[str, ...]] = {}  # by their words alone
        self._longest: dict[str, int] = {}  # the most words of a name, by its first word
        for page in pages:
            self.add(page)

    def add(self, page: Passage) -> None:
        """Take in one more page; names of one or two letters, and without a letter, lead nowhere."""
        name = name_of(page)
        words = _WORD.findall(name)
        if len(name) <= 2 or not words:
            return
        key = " ".join(words)
        known = self._names.get(key, ())
        if name not in known:
            self._names[key] = (*known, name)
            self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def names_in(self, text: str, *, besides: str = "") -> tuple[str, ...]:
        """The names that the text holds as whole words, in lower case, each once, but for one name."""
        low = text.lower()
        words = [(match[0], match.start()) for match in _WORD.finditer(low)]
        found: dict[str, None] = {}
        for place, (word, start) in enumerate(words):
            key = ""
            for other, _ in words[place : place + self._longest.get(word, 0)]:
                key = f"{key} {other}" if key else other
                for name in self._names.get(key, ()):
                    if name != besides and _is_written(low, name, start - name.index(word)):
                        found[name] = None
        return tuple(found)


def name_of(page: Passage) -> str:
    """The name by which other texts call a page, in lower case."""
    return page.name.lower()


def _is_written(text: str, name: str, start: int) -> bool:
    """True if the name is in the text right there, with no letter or digit before or after it."""
    end = start + len(name)
    around = text[start - 1 : start] if start > 0 else "", text[end : end + 1]
    return start >= 0 and text.startswith(name, start) and not any(map(_WORD.match, around))

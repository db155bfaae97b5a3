"""HTML as sections, by the standard library's own parser."""

from html.parser import HTMLParser

from .section import Outline, Section

_SKIPPED = frozenset({"script", "style", "nav", "template", "noscript", "svg", "head"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var wbr".split()  # noqa: SIM905
)


def read_html(text: str, title: str) -> list[Section]:
    """The sections of an HTML page, by its headings; scripts, styles and navigation are left out.

    Examples:
        >>> from multihop.retrieval.documents.html import read_html
        >>> read_html("<h1>Po</h1><p>A <b>river</b>.<script>x</script>", "po")[-1]
        Section(headings=('Po',), paragraphs=['A river.'])
    """
    reader = _Reader(title)
    reader.feed(text)
    reader.close()
    reader.end()
    return reader.outline.sections


class _Reader(HTMLParser):
    """Collects the text between the tags that part paragraphs."""

    def __init__(self, title: str) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = Outline(title)
        self._held: list[str] = []
        self._skipped: list[str] = []
        self._heading = 0

    def end(self) -> None:
        text = "".join(self._held)
        self._held.clear()
        if self._heading:
            self.outline.heading(self._heading, text)
        else:
            self.outline.paragraph(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped.append(tag)
        elif tag == "br":
            self._held.append(" ")
        elif tag == "body":
            self._skipped.clear()
        elif tag not in _INLINE:
            self.end()
            self._heading = _HEADINGS.get(tag, 0)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            del self._skipped[self._skipped.index(tag) :]
        elif tag not in _INLINE:
            self.end()
            self._heading = 0

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._held.append(data)

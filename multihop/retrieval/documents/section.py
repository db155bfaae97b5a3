"""The parts of a document between its headings, and their text cut into passages."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...base.english import split_sentences
from ..passage import Passage

LONGEST = 160
"""Words of a passage, where its sentences allow it."""


class Section(NamedTuple):
    """The text under one heading."""

    headings: tuple[str, ...]
    """The headings that it stands under, from the document's own down."""
    paragraphs: list[str]
    """Its paragraphs, each on one line."""


def cut_passages(name: str, sections: Iterable[Section]) -> list[Passage]:
    """The passages of a document: whole paragraphs of one section each, as many as fit, titled by its headings.

    Examples:
        >>> from multihop.retrieval.documents.section import Section, cut_passages
        >>> for passage in cut_passages("po.md", [Section(("Po", "Course"), ["It rises in the Alps.", "It is long."])]):
        ...     print(passage.id, "|", passage)
        po.md#1 | Po: Course | It rises in the Alps. It is long.
    """
    cut = [(section.headings, text) for section in sections for text in _texts(section.paragraphs)]
    return [Passage(f"{name}#{number}", ": ".join(titles), text) for number, (titles, text) in enumerate(cut, 1)]


def _texts(paragraphs: Sequence[str]) -> Iterator[str]:
    """Paragraphs put together up to the length of a passage; a longer one is cut between its sentences."""
    held: list[str] = []
    size = 0
    for paragraph in paragraphs:
        whole = len(paragraph.split()) <= LONGEST
        for piece in [paragraph] if whole else split_sentences(paragraph):
            words = len(piece.split())
            if held and size + words > LONGEST:
                yield " ".join(held)
                held, size = [], 0
            held.append(piece)
            size += words
    if held:
        yield " ".join(held)


class Outline:
    """Puts headings and paragraphs together to sections as they come."""

    def __init__(self, title: str) -> None:
        """A document of this title, until it has a heading of its own at the top."""
        self._title, self._trail = title, list[tuple[int, str]]()
        self.sections: list[Section] = [Section((title,), [])]

    def heading(self, level: int, text: str) -> None:
        """A heading comes: those of its level and below end."""
        text = " ".join(text.split())
        if not text:
            return
        self._trail = [(above, name) for above, name in self._trail if above < level] + [(level, text)]
        names = [name for _, name in self._trail]
        if self._trail[0][0] > 1:  # a document without a first heading goes by its file's name
            names.insert(0, self._title)
        self.sections.append(Section(tuple(names), []))

    def paragraph(self, text: str) -> None:
        """A paragraph comes."""
        if text := " ".join(text.split()):
            self.sections[-1].paragraphs.append(text)

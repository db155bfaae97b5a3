"""A folder of documents, Markdown, text, HTML and PDF: read, cut by headings, and kept in step with an index."""

import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import ujson

from ..base import DamagedFileError, InputError, missing_extra, open_ordinary, read_small, writing
from ..base.english import split_sentences
from ..base.files import parsed
from .corpus_index import CorpusIndex
from .index_folder import is_index
from .passage import Passage

LONGEST = 160
"""Words of a passage, where its sentences allow it."""
_SKIPPED = frozenset({"script", "style", "nav", "template", "noscript", "svg", "head"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var wbr".split()  # noqa: SIM905
)
MEMORY = "documents.json"
"""The file in an index's folder that remembers of each document its size, and the time of its last change."""
_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)


class Section(NamedTuple):
    """The text under one heading."""

    headings: tuple[str, ...]
    """The headings that it stands under, from the document's own down."""
    paragraphs: list[str]
    """Each on one line."""


def find_documents(folder: str | os.PathLike[str]) -> tuple[dict[str, Path], list[str]]:
    """The documents of a folder and of the folders in it, by their names from there, and the names of other files.

    Hidden files and folders are not looked at.
    """
    home = Path(folder).expanduser()
    if not home.is_dir():
        raise InputError(f"{folder} is no folder of documents.")
    named = {path.relative_to(home).as_posix(): path for path in _visible(home)}
    documents = {name: path for name, path in sorted(named.items()) if path.suffix.lower() in KINDS}
    if not documents:
        raise InputError(f"{folder} has no documents; they end in {', '.join(KINDS)}.")
    return documents, sorted(named.keys() - documents.keys())


def read_document(name: str, path: Path) -> list[Passage]:
    """The passages of a document, their ids made of its name: "guide/start.md#3" is the third of one.

    A passage is whole paragraphs of one section, as many as fit, titled by its headings.
    """
    reader, title = KINDS[path.suffix.lower()], path.stem.replace("_", " ").replace("-", " ")
    try:
        with open_ordinary(path) as file:
            sections = read_pdf(path, title) if reader is None else reader(file.read().decode("utf-8-sig"), title)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8; save it so, and try again.") from error
    cut = [(section.headings, text) for section in sections for text in _texts(section.paragraphs)]
    return [Passage(f"{name}#{number}", ": ".join(titles), text) for number, (titles, text) in enumerate(cut, 1)]


def read_markdown(text: str, title: str) -> list[Section]:
    """The sections of a Markdown document, by its headings; what is fenced is text, and front matter is left out."""
    from markdown_it import MarkdownIt

    return read_html(MarkdownIt("commonmark").enable("table").render(_FRONT_MATTER.sub("", text, count=1)), title)


def read_text(text: str, title: str) -> list[Section]:
    """Plain text as one section, its paragraphs parted by empty lines."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return [Section((title,), list(filter(None, paragraphs)))]


def read_html(text: str, title: str) -> list[Section]:
    """The sections of an HTML page, by its headings; scripts, styles and navigation are left out."""
    reader = _HTMLReader(title)
    reader.feed(text)
    reader.close()
    reader.end()
    return reader.sections


def read_pdf(path: Path, title: str) -> list[Section]:
    """The pages of a PDF file, titled by the document's own title if it has one; by pypdf (the extra [documents])."""
    try:
        import pypdf
    except ImportError as error:
        raise missing_extra("reading PDF files", "documents", error) from error
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every file that is not quite as the norm says
    try:
        reader = pypdf.PdfReader(path)
        named = str((reader.metadata and reader.metadata.title) or "").strip() or title
        pages = [read_text(page.extract_text(), named)[0] for page in reader.pages]
    except Exception as error:  # it fails in many ways
        raise DamagedFileError(f"{path} cannot be read as PDF: {error}") from error
    if len(pages) == 1:
        return pages
    return [page._replace(headings=(named, f"page {number}")) for number, page in enumerate(pages, 1)]


KINDS = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_text,
    ".html": read_html,
    ".htm": read_html,
    ".pdf": None,
}
"""The readers of documents by the end of their names; that of PDF takes the file itself."""


class _HTMLReader(HTMLParser):
    """Collects the text between the tags that part paragraphs, under its headings."""

    def __init__(self, title: str) -> None:
        super().__init__(convert_charrefs=True)
        self.sections = [Section((title,), [])]
        self._title, self._trail = title, list[tuple[int, str]]()
        self._held: list[str] = []
        self._skipped: list[str] = []
        self._level = 0
        """The level of the heading that is open."""

    def end(self) -> None:
        """A heading or a paragraph ends here."""
        text = " ".join("".join(self._held).split())
        self._held.clear()
        if not text:
            return
        if not self._level:
            self.sections[-1].paragraphs.append(text)
            return
        self._trail = [(above, name) for above, name in self._trail if above < self._level] + [(self._level, text)]
        names = [name for _, name in self._trail]
        if self._trail[0][0] > 1:  # a document without a first heading goes by its file's name
            names.insert(0, self._title)
        self.sections.append(Section(tuple(names), []))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped.append(tag)
        elif tag == "br":
            self._held.append(" ")
        elif tag == "body":
            self._skipped.clear()
        elif tag not in _INLINE:
            self.end()
            self._level = _HEADINGS.get(tag, 0)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            del self._skipped[self._skipped.index(tag) :]
        elif tag not in _INLINE:
            self.end()
            self._level = 0

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._held.append(data)


def _visible(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():  # it may lead back here
                yield from _visible(path)
        else:
            yield path


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


class Synchronized(NamedTuple):
    """The changes that brought an index into step with its folder."""

    retriever: CorpusIndex
    """The index, as it is now."""
    added: list[str]
    """New documents, by their names."""
    changed: list[str]
    """Documents whose passages are others now."""
    removed: list[str]
    """Documents that are gone."""
    others: list[str]
    """Files that are no documents, and were left out."""


def synchronize(
    documents: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    build: Callable[[list[Passage]], CorpusIndex],
    open_: Callable[[], CorpusIndex],
) -> Synchronized:
    """Bring the index in `folder` into step with a folder of documents; only files that changed are read.

    What was read is compared with what the index has, so that a change that was cut short is set right the next time.
    """
    found, others = find_documents(documents)
    memory = Path(folder).expanduser() / MEMORY
    known = _recall(memory) if is_index(folder) else {}
    states = {name: path.stat() for name, path in found.items()}
    stamps = {name: [state.st_size, state.st_mtime_ns] for name, state in states.items()}
    read = {name for name in found if stamps[name] != known.get(name)}
    removed = [name for name in known if name not in found]
    new = {passage.id: passage for name in found if name in read for passage in read_document(name, found[name])}
    changed = set[str]()
    if is_index(folder):
        index = open_()
        stale = read.union(removed)
        old = {passage.id: passage for passage in index if _document(passage.id) in stale}
        out = [id_ for id_, passage in old.items() if new.get(id_) != passage]
        come = [passage for id_, passage in new.items() if old.get(id_) != passage]
        changed = {_document(id_) for id_ in (*out, *(passage.id for passage in come))} & known.keys() & found.keys()
        if out or come:
            _remember(memory, known | {name: [0, 0] for name in read})  # read again, should this be cut short
            index = index.exchange(out, come)
    elif new:
        index = build(list(new.values()))
    else:
        raise InputError(f"the documents of {documents} have no text.")
    if read or removed:
        _remember(memory, stamps)
    return Synchronized(index, [name for name in found if name not in known], sorted(changed), removed, others)


def _document(id_: str) -> str:
    return id_.rpartition("#")[0]


def _remember(memory: Path, stamps: dict[str, list[int]]) -> None:
    with writing(memory) as file:
        ujson.dump(stamps, file)


def _recall(memory: Path) -> dict[str, list[int]]:
    if not memory.is_file():
        raise InputError(f"{memory.parent} is an index that `sync` has not made; name another with --to, or delete it.")
    what = "what `sync` remembers (delete the index and sync again)"
    return parsed(dict[str, list[int]], read_small(memory, most=1 << 30), memory, what)

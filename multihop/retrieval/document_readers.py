"""The readers of documents: each gives the text of a file section by section, with the headings it stands under."""

import codecs
import csv
import html
import io
import logging
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, dropwhile, islice, takewhile
from typing import IO, Any, NamedTuple

import ujson

from ..base import InputError

LONGEST_TITLE = 80
"""Characters of a first line that may be a text's title."""
LARGEST = 20_000_000
"""Bytes of a document that is read whole, as Markdown and HTML are, and of the text of one of Word, unpacked."""
_ENDLESS = 1 << 20
"""Characters of a line or a paragraph at most; what is longer goes on in another."""
_SKIPPED = frozenset("script style nav template noscript svg head #comment #processing-instruction".split())  # noqa: SIM905
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var wbr".split()  # noqa: SIM905
)
_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
_NO_TITLE = re.compile(
    r"\W*|untitled.*|\(?anonymous\)?|slide \d+|powerpoint presentation|microsoft .*|.*\.(docx?|tex|dvi|indd|pdf|pptx?)",
    re.IGNORECASE,
)
"""Titles of PDF files that programs write by themselves."""
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xAD: ""}
_RULE = re.compile(r"\s*([=~*#-])\1{2,}\s*")
_TEXTS = ("text", "contents", "content", "body")
"""The fields of a record that are its text, where it has one."""


class Section(NamedTuple):
    """The text under one heading, of one page, or of one row."""

    headings: tuple[str, ...]
    """The headings that it stands under, from the document's own down."""
    paragraphs: Iterable[str]
    """Each on one line."""
    place: str = ""
    """The page or row, as addresses name it: "page=3"."""


def read_markdown(text: str, title: str) -> list[Section]:
    """The sections of a Markdown document, by its headings; what is fenced is text; front matter may have a title."""
    from markdown_it import MarkdownIt

    front = _FRONT_MATTER.match(text)
    named = front and re.search(r"^title:[ \t]*[\"']?(.+?)[\"']?[ \t]*$", front[0], re.MULTILINE | re.IGNORECASE)
    rendered = MarkdownIt("commonmark").enable("table").render(text[front.end() :] if front else text)
    return read_html(rendered, title, named[1] if named else "")


def read_html(text: str, title: str, named: str = "") -> list[Section]:
    """The sections of an HTML page, by its headings; scripts, styles and navigation are left out.

    Without a first heading it goes by its own title (`named`), or a short first line, or else by `title`.
    """
    if not named and (found := re.search(r"<title[^<>]*>([^<]+)", text[:_ENDLESS], re.IGNORECASE)):
        named = " ".join(html.unescape(found[1]).split())
    blocks = list(_blocks(text))
    if not named and not any(level for level, _ in blocks) and _may_be_title([block for _, block in blocks[:2]]):
        named = blocks.pop(0)[1]
    trail, paragraphs = dict[int, str](), list[str]()
    sections = [Section((named or title,), paragraphs)]
    for level, block in blocks:
        if not level:
            paragraphs.append(block)
            continue
        trail = {above: name for above, name in trail.items() if above < level} | {level: block}
        first, paragraphs = () if 1 in trail else (named or title,), list[str]()
        sections.append(Section((*first, *trail.values()), paragraphs))
    return sections


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs and headings of an HTML page, each on one line, with its level as a heading, or 0."""
    from justhtml import JustHTML

    held, level = list[str](), 0
    todo: list[Any] = [JustHTML(text, sanitize=False).root]  # no recursion: blocks may stand 100,000 deep
    while todo:
        node = todo.pop()
        name = node.name if node else "the end of a block"
        if name == "#text":
            held.append(node.data)
        elif name == "br":
            held.append(" ")
        elif name in _INLINE:
            todo += reversed(node.children)
        elif name not in _SKIPPED:
            if block := " ".join("".join(held).split()):
                yield level, block
            held.clear()
            level = _HEADINGS.get(name, 0)
            todo += [None, *reversed(node.children)] if node else []


def read_docx(file: IO[bytes], title: str) -> list[Section]:
    """The sections of a document of Word, by its headings; pictures are left out."""
    import mammoth

    with zipfile.ZipFile(file) as packed:
        if sum(each.file_size for each in packed.infolist() if each.filename.endswith(".xml")) > LARGEST:
            raise ValueError(f"it has more than {LARGEST:,} bytes of text and marks; divide it")
    no_picture = mammoth.images.img_element(lambda picture: {})
    made = mammoth.convert_to_html(file, convert_image=no_picture, style_map="p[style-name='Title'] => h1:fresh")
    return read_html(made.value, title)


def read_pdf(file: IO[bytes], title: str) -> Iterator[Section]:
    """The pages of a PDF file, titled by the document's own title, or a short first line, or else by `title`."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every file that is not quite as the norm says
    reader = pypdf.PdfReader(file)
    named = " ".join(str((reader.metadata and reader.metadata.title) or "").split())
    named = "" if _NO_TITLE.fullmatch(named) or len(named) > 2 * LONGEST_TITLE else named
    for number, page in enumerate(reader.pages, 1):
        text = page.extract_text().encode(errors="replace").decode().translate(_LIGATURES).strip()
        text = re.sub(r"(?:[ \t]?\.){4,}", " ", text)  # dots that lead to a number
        if number == 1:
            named = named or (text.partition("\n")[0].strip() if _may_be_title(text.splitlines()) else title)
            words = r"\s+".join(map(re.escape, named.split()))
            text = re.sub(rf"\A{words}\s*\n", "", text, flags=re.IGNORECASE)
        lines = re.sub(r"(?<=[^\W\d_])-[ \t]*\n[ \t]*(?=[a-z])", "", text).splitlines()  # words that the margin has cut
        several = (f"page {number}",) if len(reader.pages) > 1 else ()
        yield Section((named, *several), _paragraphs(lines), f"page={number}")


def read_text(lines: Iterable[str], title: str) -> Iterator[Section]:
    """Plain text as one section, its paragraphs parted by empty lines; a short first line by itself is its title."""
    todo = dropwhile(lambda line: not line.strip(), lines)
    begin = list(islice(todo, 20))
    if _may_be_title(begin):
        title, begin = begin[0].strip(), begin[2 if _RULE.fullmatch(begin[1]) else 1 :]
    yield Section((title,), _paragraphs(chain(begin, todo)))


def _may_be_title(lines: Sequence[str]) -> bool:
    """True if the first of some lines is a title: short, no sentence, and by itself.

    It is by itself before an empty line, a rule, or a line whose first word the margin would have let stand on it.
    """
    first, after, *more = [*(line.strip() for line in lines), "", ""]
    ended = len(first) >= LONGEST_TITLE or first.endswith((".", ",", ":", ";")) or not re.search(r"[^\W\d_]{3}", first)
    if ended or not (after or any(more)):
        return False
    if not after or _RULE.fullmatch(after):
        return True
    width = max(map(len, takewhile(bool, [after, *more])))
    return ":" not in first and after[0].isupper() and len(first) + len(after.split()[0]) < width


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """The paragraphs of plain text, each on one line."""
    held, size = list[str](), 0
    for line in chain(lines, [""]):
        words = line.split()
        held += words
        size += len(line)
        if held and (not words or size > _ENDLESS):
            yield " ".join(held)
            held, size = [], 0


def read_table(lines: Iterable[str], title: str) -> Iterator[Section]:
    """The rows of a table, whose first line names its fields; a field's text may go on in the next line."""
    todo = iter(lines)
    first = next(todo, "")
    delimiter = "\t" if "\t" in first else max(",;", key=first.count)
    rows = csv.reader(chain([first], todo), delimiter=delimiter, strict=True)
    header = next(rows, [])
    for number, row in enumerate(rows, 2):
        if row:
            yield _of_record(dict(zip(header, row, strict=False)), title, number)


def read_json_lines(lines: Iterable[str], title: str) -> Iterator[Section]:
    """The records of a file with a JSON object on each line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            fields = ujson.loads(line)
            if not isinstance(fields, dict):
                raise ValueError(f"line {number} is no JSON object")
            yield _of_record(fields, title, number)


def _of_record(fields: Mapping[str, Any], title: str, row: int) -> Section:
    """A record: its text, titled by its own title, or else all of its fields with their names."""
    known = next((fields[name] for name in _TEXTS if isinstance(fields.get(name), str)), "")
    own = next((name for name in ("title", "name") if fields.get(name)), "")
    headings = (str(fields[own]),) if own and known else (title, str(fields[own]) if own else f"row {row}")
    told = (f"{name}: {value}" for name, value in fields.items() if name != own and value not in (None, ""))
    return Section(headings, _paragraphs(known.splitlines() or ["; ".join(told)]), f"row={row}")


def _whole(read: Callable[[str, str], Iterable[Section]], file: IO[bytes], title: str) -> Iterable[Section]:
    content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InputError(f"{file.name} has more than {LARGEST:,} bytes; divide it.")
    return read(content.decode(_encoding(content)), title)


def _by_lines(
    read: Callable[[Iterator[str], str], Iterable[Section]], file: IO[bytes], title: str
) -> Iterator[Section]:
    begin = file.read(2)
    file.seek(0)
    text = io.TextIOWrapper(file, encoding=_encoding(begin))  # type: ignore[type-var]
    try:
        yield from read(iter(partial(text.readline, _ENDLESS), ""), title)
    finally:
        text.detach()  # it would close the file


def _encoding(content: bytes) -> str:
    return "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"


KINDS: dict[str, Callable[[IO[bytes], str], Iterable[Section]]] = {
    **dict.fromkeys((".md", ".markdown"), partial(_whole, read_markdown)),
    ".txt": partial(_by_lines, read_text),
    **dict.fromkeys((".html", ".htm"), partial(_whole, read_html)),
    ".pdf": read_pdf,
    ".docx": read_docx,
    **dict.fromkeys((".csv", ".tsv"), partial(_by_lines, read_table)),
    **dict.fromkeys((".jsonl", ".ndjson"), partial(_by_lines, read_json_lines)),
}
"""The readers of documents by the end of their names."""
TABLES = {".csv", ".tsv", ".jsonl", ".ndjson"}
"""Kinds that hold records."""
STREAMED = {".txt", *TABLES}
"""Kinds whose files may be larger than memory."""

"""A folder of documents, Markdown, text, HTML and PDF: read, and cut by headings."""

import io
import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any, NamedTuple

from ..base import DamagedFileError, InputError, open_ordinary
from ..base.english import split_sentences
from .passage import Passage

LONGEST = 160
"""Words of a passage, where its sentences allow it."""
LONGEST_TITLE = 80
"""Characters of a first line that may be a text's title."""
LARGEST, SLOWEST = 20_000_000, 20
"""Bytes of a document, and seconds in which it is read."""
_SKIPPED = frozenset({"script", "style", "nav", "template", "noscript", "svg", "head"}) | {
    "#comment",
    "#processing-instruction",
}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var wbr".split()  # noqa: SIM905
)
_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)


class Section(NamedTuple):
    """The text under one heading."""

    headings: tuple[str, ...]
    """The headings that it stands under, from the document's own down."""
    paragraphs: list[str]
    """Each on one line."""


def find_documents(folder: str | os.PathLike[str], *, follow_links: bool = False) -> tuple[dict[str, Path], list[str]]:
    """The documents of a folder and of those in it, by their names from there, and the names of other files and links.

    Hidden files and folders are not looked at, nor are folders that are links.
    """
    home = Path(folder).expanduser()
    if not home.is_dir():
        raise InputError(f"{folder} is no folder of documents.")
    named = {path.relative_to(home).as_posix(): path for path in _visible(home)}
    documents = {
        name: path
        for name, path in sorted(named.items())
        if path.suffix.lower() in KINDS and os.path.isfile(path) and (follow_links or not path.is_symlink())
    }
    if not documents:
        raise InputError(f"{folder} has no documents; they end in {', '.join(KINDS)} (links: --follow-links).")
    return documents, sorted(named.keys() - documents.keys())


def has_documents(folder: Path) -> bool:
    """True if a folder, or one in it, has a document."""
    return any(path.suffix.lower() in KINDS for path in _visible(folder))


def _visible(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise InputError(f"cannot read {error.filename}: {error.strerror}.") from error

    for home, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(home, name) for name in files if not name.startswith("."))


def read_documents(paths: Mapping[str, Path]) -> Iterator[tuple[str, list[Passage] | str]]:
    """Each document's name, and its passages or why it has none.

    A process of its own reads them: one that takes too long, or that the process dies of, ends nothing else.
    """
    command = [sys.executable, "-P", "-c", f"from {__name__} import print_passages; print_passages()"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    left = dict(paths)
    while left:
        with (
            ThreadPoolExecutor(1) as thread,
            Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment) as process,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps([*left.items()], default=str).encode())
                process.stdin.close()
                for name in list(left):
                    path = left.pop(name)
                    passages, refusal = json.loads(thread.submit(process.stdout.readline).result(SLOWEST))
                    yield name, refusal or [Passage(*each) for each in passages]
            except (TimeoutError, ValueError):  # ValueError: there is no line, since the process has ended
                yield name, f"{path} takes more than {SLOWEST} seconds, or all memory, to be read; divide it."
            finally:
                process.kill()


def print_passages() -> None:
    """A line for each document that is named on standard input: its passages and an empty text, or none and why."""
    for name, path in json.load(sys.stdin):
        try:
            told = (read_document(name, Path(path)), "")
        except InputError as error:
            told = ([], str(error))
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def read_document(name: str, path: Path) -> list[Passage]:
    """The passages of a document, their ids made of its name: "guide/start.md#3" is the third of one.

    A passage is whole paragraphs of one section, as many as fit, titled by its headings.
    """
    reader, title = KINDS[path.suffix.lower()], path.stem.replace("_", " ").replace("-", " ")
    try:
        with open_ordinary(path) as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputError(f"{path} has more than {LARGEST:,} bytes; divide it.")
        text = content.decode("utf-8-sig") if reader else ""
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8; save it so, and try again.") from error
    try:
        sections = reader(text, title) if reader else read_pdf(content, title)
    except Exception as error:  # parsers fail in many ways
        kind, reason = path.suffix[1:].upper(), str(error).rstrip(".") or type(error).__name__
        raise DamagedFileError(f"{path} cannot be read as {kind}: {reason}.") from error
    cut = [(section.headings, text) for section in sections for text in _texts(section.paragraphs)]
    return [Passage(f"{name}#{number}", ": ".join(titles), text) for number, (titles, text) in enumerate(cut, 1)]


def read_markdown(text: str, title: str) -> list[Section]:
    """The sections of a Markdown document, by its headings; what is fenced is text, and front matter is left out."""
    from markdown_it import MarkdownIt

    return read_html(MarkdownIt("commonmark").enable("table").render(_FRONT_MATTER.sub("", text, count=1)), title)


def read_text(text: str, title: str) -> list[Section]:
    """Plain text as one section, its paragraphs parted by empty lines; a short first line by itself is its title."""
    first, _, rest = text.strip().partition("\n")
    if (
        rest
        and not rest.partition("\n")[0].strip()
        and len(first) < LONGEST_TITLE
        and not first.endswith((".", ",", ":"))
    ):
        title, text = first.strip(), rest
    return [Section((title,), _paragraphs(text))]


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of plain text, each on one line."""
    found = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return list(filter(None, found))


def read_html(text: str, title: str) -> list[Section]:
    """The sections of an HTML page, by its headings; scripts, styles and navigation are left out."""
    sections, trail = [Section((title,), [])], dict[int, str]()
    for level, block in _blocks(text):
        if not level:
            sections[-1].paragraphs.append(block)
            continue
        trail = {above: name for above, name in trail.items() if above < level} | {level: block}
        first = () if 1 in trail else (title,)  # a document without a first heading goes by its file's name
        sections.append(Section((*first, *trail.values()), []))
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


def read_pdf(content: bytes, title: str) -> list[Section]:
    """The pages of a PDF file, titled by the document's own title if it has one."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every file that is not quite as the norm says
    reader = pypdf.PdfReader(io.BytesIO(content))
    named = str((reader.metadata and reader.metadata.title) or "").strip() or title
    pages = [_paragraphs(page.extract_text().encode(errors="replace").decode()) for page in reader.pages]
    if len(pages) == 1:
        return [Section((named,), pages[0])]
    return [Section((named, f"page {number}"), page) for number, page in enumerate(pages, 1)]


KINDS = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_text,
    ".html": read_html,
    ".htm": read_html,
    ".pdf": None,
}
"""The readers of documents by the end of their names; that of PDF takes the file itself."""


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

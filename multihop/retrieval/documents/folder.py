"""The documents of a folder: which there are, and the passages of each."""

import os
from collections.abc import Iterator
from pathlib import Path

from ...base import InputError, reading
from ..passage import Passage
from .html import read_html
from .markdown import read_markdown, read_text
from .pdf import read_pdf
from .section import cut_passages

KINDS = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_text,
    ".html": read_html,
    ".htm": read_html,
    ".pdf": None,
}
"""The readers of documents by the end of their names; that of PDF takes the file itself."""


def find_documents(folder: str | os.PathLike[str]) -> tuple[dict[str, Path], list[str]]:
    """The documents of a folder and of the folders in it, by their names from there, and the names of other files.

    Hidden files and folders are not looked at.

    Raises:
        InputError: It is no folder, or has no document.
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

    Raises:
        InputError: It is no ordinary file, cannot be read, or is not UTF-8.
    """
    reader, title = KINDS[path.suffix.lower()], path.stem.replace("_", " ").replace("-", " ")
    try:
        with reading(path) as file:
            sections = read_pdf(path, title) if reader is None else reader(file.read().decode("utf-8-sig"), title)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8; save it so, and try again.") from error
    return cut_passages(name, sections)


def _visible(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():  # it may lead back here
                yield from _visible(path)
        else:
            yield path

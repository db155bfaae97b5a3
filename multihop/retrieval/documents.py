"""A folder of documents: found, read, and cut into passages."""

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

from ..base import DamagedFileError, InputError, open_ordinary
from ..base.english import split_sentences
from .document_readers import KINDS, LARGEST, STREAMED, Section
from .passage import Passage

LONGEST = 160
"""Words of a passage, where its sentences allow it."""
_SHORT = 4
"""Words that a section must have to be a passage by itself; one with fewer is told with the section before it."""
SLOWEST = 20
"""Seconds in which the next page or passage of a document is read."""
_SOURCE = re.compile(
    rf"(?P<file>.+(?:{'|'.join(map(re.escape, KINDS))}))#(?:(?:page=(?P<page>\d+)|row=(?P<row>\d+))(?:&part=\d+)?|\d+)",
    re.IGNORECASE | re.DOTALL,
)


def source_of(id_: str) -> dict[str, str | int]:
    """The `file` of a passage, and its `page` or `row`, by its id; empty where it is of no document.

    Examples:
        >>> from multihop.retrieval.documents import source_of
        >>> source_of("manuals/pump.pdf#page=3&part=2")
        {'file': 'manuals/pump.pdf', 'page': 3}
    """
    found = _SOURCE.fullmatch(id_)
    told = found.groupdict() if found else {}
    return {name: value if name == "file" else int(value) for name, value in told.items() if value is not None}


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


def _visible(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise InputError(f"cannot read {error.filename}: {error.strerror}.") from error

    for home, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(home, name) for name in files if not name.startswith("."))


def read_documents(paths: Mapping[str, Path]) -> Iterator[tuple[str, list[Passage] | str]]:
    """Each document's name, and its passages or why it has none."""
    for name, group in groupby(stream_documents(paths), itemgetter(0)):
        *passages, why = (told for _, told in group)
        yield name, why or passages  # type: ignore[misc]


def stream_documents(paths: Mapping[str, Path]) -> Iterator[tuple[str, Passage | str]]:
    """The passages of each document with its name, one at a time, and last an empty text, or why it has none.

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
                    path, told = left.pop(name), None
                    while not isinstance(told, str):
                        told = json.loads(thread.submit(process.stdout.readline).result(SLOWEST))
                        yield from ((name, Passage(*each)) for each in ([] if isinstance(told, str) else told))
                    yield name, told
            except (TimeoutError, ValueError):  # ValueError: there is no line, since the process has ended
                yield name, f"{path} takes more than {SLOWEST} seconds, or all memory, to be read; divide it."
            finally:
                process.kill()


def print_passages() -> None:
    """For each document named on standard input lines of passages, and one with an empty text, or why it has none.

    No passage is told before the whole document is read. One that is too large to be kept is read twice for that; that
    all is well is told by lines without passages.
    """
    for name, path in json.load(sys.stdin):
        try:
            file, kept, told_at = Path(path), list[Passage](), time.monotonic()
            large = file.suffix.lower() in STREAMED and file.stat().st_size > LARGEST
            for passage in read_document(name, file):
                if not large:
                    kept.append(passage)
                if time.monotonic() - told_at > 1:
                    _print([])
                    told_at = time.monotonic()
            passages = read_document(name, file) if large else iter(kept)
            while some := list(islice(passages, 256)):
                _print(some)
            _print("")
        except (InputError, OSError) as error:
            _print(str(error))


def _print(told: list[Passage] | str) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def no_text(path: Path) -> str:
    """The sentence about a document without passages."""
    return f"{path} has no text{'; a scan needs text recognition first' if path.suffix.lower() == '.pdf' else ''}."


def read_document(name: str, path: Path) -> Iterator[Passage]:
    """The passages of a document, their ids made of its name.

    "guide/start.md#3" is the third of one, "pump.pdf#page=3" the first of a page, "pump.pdf#page=3&part=2" its second,
    "parts.csv#row=7" a row. A passage is whole paragraphs of one section, as many as fit, titled by its headings.
    """
    kind, title = path.suffix.lower(), path.stem.replace("_", " ").replace("-", " ")
    number = 0
    try:
        with open_ordinary(path) as file:
            for section in _joined(KINDS[kind](file, title)):
                for part, text in enumerate(_texts(section.paragraphs), 1):
                    number += 1
                    place = section.place + (f"&part={part}" if part > 1 else "") if section.place else number
                    yield Passage(f"{name}#{place}", ": ".join(section.headings), text)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8; save it so, and try again.") from error
    except InputError:
        raise
    except Exception as error:  # parsers fail in many ways
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(f"cannot read {path}: {error.strerror}.") from error
        reason = str(error).rstrip(".") or type(error).__name__
        raise DamagedFileError(f"{path} cannot be read as {kind[1:].upper()}: {reason}.") from error


def _joined(sections: Iterable[Section]) -> Iterator[Section]:
    """The sections, with those too short to stand alone told in the one before, if that is beside or above them."""
    last: tuple[str, ...] = ()
    held: list[str] = []
    for section in sections:
        if not isinstance(section.paragraphs, list):  # it is read while it is gone through
            yield section
            continue
        above, words = section.headings[:-1], sum(len(text.split()) for text in section.paragraphs)
        if held and 0 < words < _SHORT and above and above in (last, last[:-1]):
            held.append(f"{section.headings[-1]}: {' '.join(section.paragraphs)}")
            continue
        if held:
            yield Section(last, held)
        last, held = section.headings, section.paragraphs
    if held:
        yield Section(last, held)


def _texts(paragraphs: Iterable[str]) -> Iterator[str]:
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

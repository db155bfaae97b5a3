"""The sources of records: a file, a folder of files, or the hub."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from ..base import InputError
from ..retrieval import is_address, is_index
from ..retrieval.remote import hide_login
from . import hub
from .files.record import Record
from .files.record_file import KINDS, kind_by_name, read_records
from .formats.folders import read_corpus_of, read_questions_of
from .reading import OnBad

Source = str | os.PathLike[str]


def is_hub(source: Source) -> bool:
    """True if this names a set on the hub."""
    return str(source).startswith(hub.PREFIX)


def local_path(source: Source) -> Path:
    """The file or folder with "~" for the home folder, if it can be one."""
    if is_address(source) or re.match(r"[A-Za-z][\w+.-]+:/", str(source)):
        raise InputError(f"{hide_login(str(source))} is an address; download the file first and give its path.")
    path = Path(source).expanduser()
    if not path.exists() and str(source) == "world":
        raise InputError("the generated world is gone: 'little' names the little encyclopedia (docs/versions.md).")
    if not path.exists() and path.name == str(source) and not path.suffix:
        raise InputError(f"'{source}' is neither 'little', nor a file, nor a name that begins with '{hub.PREFIX}'.")
    return path


def check_source(source: Source) -> None:
    """Refuse what can be no source, before anything is opened."""
    if is_hub(source):
        hub.parse(str(source))
    else:
        local_path(source)


def read_question_source(source: Source, on_bad: OnBad) -> Iterator[Record]:
    """The records of questions: of a file, of a folder, or of a set on the hub."""
    return _read_source(source, on_bad, read_questions_of)


def read_corpus_source(source: Source, on_bad: OnBad) -> Iterator[Record]:
    """The records of a corpus, from as many places; they may be questions, which bring their paragraphs."""
    return _read_source(source, on_bad, read_corpus_of)


def _read_source(
    source: Source, on_bad: OnBad, read_part: Callable[[Path, OnBad], Iterator[Record] | None]
) -> Iterator[Record]:
    """The records of a file, of the files of a folder in the order of their names, or of a set on the hub.

    Of a folder that holds questions and their corpus side by side, `read_part` takes the one or the other.
    """
    if is_hub(source):
        return hub.read_hub(hub.parse(str(source)))
    path = local_path(source)
    if path.exists() and (part := read_part(path, on_bad)) is not None:
        return part
    if path.is_dir():
        return chain.from_iterable(read_records(file, on_bad) for file in _files(path))
    return read_records(path, on_bad)


def _files(folder: Path) -> list[Path]:
    """The files of the kinds that are read; READMEs, hidden files, folders within and the like are left aside."""
    if is_index(folder):
        raise InputError(f"{folder} is an index; give it as the corpus.")
    files = sorted(
        file for file in folder.iterdir() if file.is_file() and file.name[0] != "." and kind_by_name(file) is not None
    )
    if not files:
        raise InputError(f"{folder} is a folder without a file that can be read: {', '.join(KINDS)}, text also .gz.")
    return files

"""Folders that hold questions and their corpus side by side: BEIR's, and HippoRAG's files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...base import InputError
from ..files.record import Record
from ..files.record_file import read_records
from ..skipped import OnBad
from . import beir

_CORPUS = "_corpus.json"


def read_questions_of(path: Path, on_bad: OnBad) -> Iterator[Record] | None:
    """The question records of such a folder, or of the split that the path names; None if the path is none.

    Raises:
        InputError: The folder has several sets, or several splits.
    """
    if path.is_file():
        return None if beir.split_of(path) is None else beir.read_split(path, on_bad)
    if beir.is_beir(path):
        return beir.read_split(beir.only_split(path), on_bad)
    corpus = _corpus_of(path)
    return None if corpus is None else read_records(_questions_beside(corpus), on_bad)


def read_corpus_of(path: Path, on_bad: OnBad) -> Iterator[Record] | None:
    """The records of the corpus of such a folder; None if the path is none.

    Raises:
        InputError: The folder has several sets.
    """
    if path.is_file():
        return None
    corpus = beir.part_of(path, beir.CORPUS) if beir.is_beir(path) else _corpus_of(path)
    return None if corpus is None else read_records(corpus, on_bad)


def home_of_corpus(path: Path) -> Path | None:
    """The folder whose corpus the questions at the path are asked of, where they lie side by side; else None."""
    home = beir.split_of(path) or path
    return home if home.is_dir() and (beir.is_beir(home) or _corpus_of(home)) else None


def _corpus_of(folder: Path) -> Path | None:
    """NAME_corpus.json, where NAME.json is beside it."""
    found = [each for each in sorted(folder.glob(f"*{_CORPUS}")) if _questions_beside(each).is_file()]
    if len(found) > 1:
        names = ", ".join(str(_questions_beside(each)) for each in found)
        raise InputError(f"{folder} has several sets; give the files of one: {names}, each with its *{_CORPUS}.")
    return found[0] if found else None


def _questions_beside(corpus: Path) -> Path:
    return corpus.with_name(f"{corpus.name.removesuffix(_CORPUS)}.json")

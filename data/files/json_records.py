"""The records of a JSON file: an object a line, one array, or one object with the array or the records inside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import ujson

from ...base import DamagedFileError, InputError
from ..reading import OnBad, refuse
from .lines import read_lines
from .record import Record

LINES = {".jsonl", ".ndjson"}
WRAPPERS = ("data", "questions", "examples", "passages", "documents", "corpus", "records", "rows", "items")
"""The names under which an object may hold its list of records."""
_OF_RECORDS = {"id", "_id", "question", "query", "title", "text", "contents", "Question", "Prompt"}
"""Fields of an object that is a record itself, whatever lists it holds."""
_TEXTS = {"text", "contents", "content"}
"""Fields of a passage that is held by its id."""


def read_json(path: Path, on_bad: OnBad) -> Iterator[Record]:
    """Every record; memory holds one line at a time, or all of a file that is one JSON value."""
    # Errors in these lines are raised when they are read as records.
    head = list(islice(_filled_lines(path, lambda error: None), 2))
    start = head[0][1].lstrip() if head else ""
    if start.startswith("["):
        yield from _objects(_array(path), f"{path}, item", "", on_bad)
        return
    value = _one_object(path, start, alone=len(head) == 1) if start.startswith("{") else None
    if value is None:
        for number, line in _filled_lines(path, on_bad):
            try:
                record = _object(_parse(line, f"{path}, line {number}"), f"{path}, line {number}")
            except InputError as error:
                on_bad(error)
            else:
                yield record
        return
    name = _wrapper(value)
    if name:
        yield from _objects(value[name], f"{path}, item", f" of '{name}'", on_bad)
    elif _holds_passages(value):
        for key, held in value.items():
            fields = held if isinstance(held, dict) else {"title": key, "text": held}
            yield Record({**fields, "id": key}, f"{path}, '{key}'")
    else:
        yield Record(value, f"{path}, line {head[0][0]}")


def _filled_lines(path: Path, on_bad: OnBad) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in read_lines(path, on_bad) if line.strip())


def _objects(items: list[Any], where: str, of: str, on_bad: OnBad) -> Iterator[Record]:
    for index, item in enumerate(items, start=1):
        try:
            record = _object(item, f"{where} {index}{of}")
        except InputError as error:
            on_bad(error)
        else:
            yield record


def _array(path: Path) -> list[Any]:
    text = _text(path)
    try:
        return list(ujson.loads(text))
    except ValueError as error:
        raise DamagedFileError(f"{path}: not a whole JSON array ({_explain(text, error)}).") from error


def _one_object(path: Path, first: str, *, alone: bool) -> dict[str, Any] | None:
    """The object that is all of the file, if it wraps or holds records or is on several lines."""
    try:
        value = ujson.loads(first)
        return value if alone and (_wrapper(value) or _holds_passages(value)) else None
    except ValueError:
        pass
    if LINES & set(path.suffixes[-2:]):
        return None
    try:
        value = ujson.loads(_text(path))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _wrapper(value: dict[str, Any]) -> str | None:
    """The field with the records, if there can be no doubt: the only list, under a usual name, in no record itself."""
    if value.keys() & _OF_RECORDS:
        return None
    lists = [name for name, held in value.items() if isinstance(held, list)]
    return lists[0] if len(lists) == 1 and lists[0] in WRAPPERS else None


def _holds_passages(value: dict[str, Any]) -> bool:
    """True if it is a corpus: passages by their ids, or the sentences of each by its title."""
    if not value or value.keys() & _OF_RECORDS:
        return False
    objects = all(isinstance(held, dict) and held.keys() & _TEXTS for held in value.values())
    return objects or all(
        isinstance(held, list) and held and all(isinstance(sentence, str) for sentence in held)
        for held in value.values()
    )


def _text(path: Path) -> str:
    return "".join(line for _, line in read_lines(path, refuse))


def _parse(line: str, where: str) -> Any:
    try:
        return ujson.loads(line)
    except ValueError as error:
        raise DamagedFileError(
            f"{where}: not JSON ({_explain(line, error)}); each line must be one whole JSON object."
        ) from error


def _explain(text: str, error: ValueError) -> str:
    """The error in the JSON and its place: ujson is fast, but only the standard library gives the place."""
    try:
        json.loads(text)
    except json.JSONDecodeError as located:
        place = f"line {located.lineno}, column {located.colno}" if located.lineno > 1 else f"column {located.colno}"
        return f"{place}: {located.msg}"
    except RecursionError:
        pass
    return str(error)


def _object(value: Any, where: str) -> Record:
    if not isinstance(value, dict):
        raise InputError(f'{where}: must be a JSON object with named fields, such as {{"id": ...}}.')
    return Record(value, where)

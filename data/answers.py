"""The accepted answers of a record, under any of their usual names and in any of their usual shapes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

import ujson

from .record import ALIAS_FIELDS, ANSWER_FIELDS, Record

_OTHERWISE = ("answers_objects", "answerable")
"""Fields that give the answer in some layouts, or say that there is none."""
_WITHIN = ("text", "value", "answer")


def read_accepted(
    record: Record, own: str, answers: Iterable[str] | None = None, *, blind: bool = False
) -> tuple[tuple[str, ...], bool]:
    """The accepted answers of a record and whether it can be answered, by the one rule that goes for every layout.

    A field for the answer that is there but empty says that the question cannot be answered, and so does "answerable"
    where it is false. Without any such field, or where "answerable" is true all the same, the answer is not known.
    """
    value = record.fields.get(own)
    missing = value is None or (isinstance(value, float) and value != value)  # a hole in a table is a number to pandas
    others = answer_fields(record) if missing else []
    given = read_answers(record, own) if answers is None else answers
    texts = tuple(dict.fromkeys(text for text in (*given, *read_answers(record, *others)) if text.strip()))
    empty = not texts and (own in record.fields or bool(others))
    return texts, record.flag("answerable", default=blind or not empty)


def answer_fields(record: Record) -> list[str]:
    """The usual fields for answers that the record has, empty ones too."""
    gold = record.fields.get("gold")
    aside = isinstance(gold, str) and gold in ("given", "derived")  # where the gold of our own rows comes from
    return [name for name in ANSWER_FIELDS if name in record.fields and not (name == "gold" and aside)]


def tells_answer(record: Record) -> bool:
    """True if the record gives the answer, or says that there is none."""
    return bool(answer_fields(record)) or any(name in record.fields for name in (*_OTHERWISE, *ALIAS_FIELDS))


def read_answers(record: Record, *names: str) -> tuple[str, ...]:
    """The answers that the first of the fields holds which holds any: text, a number, yes or no, or a list of such.

    Lists may come as text, as tables hold them. Of an object, "text", "value" or "answer" counts, then its "aliases":
    the shapes of SQuAD, TriviaQA and KILT. True and false become yes and no.
    """
    for name in names:
        value = record.fields.get(name)
        items = _parse_list(value) if isinstance(value, str) else None
        answers = _answers(record, name, value if items is None else items)
        texts = tuple(answer for answer in answers if answer.strip())
        if texts:
            return tuple(dict.fromkeys(texts))
    return ()


def _answers(record: Record, name: str, value: Any) -> tuple[str, ...]:
    if hasattr(value, "tolist"):  # a value of numpy, as data frames hold them
        value = value.tolist()
    if value is None or value != value:  # a missing number of a data frame equals nothing, not even itself
        return ()
    if isinstance(value, bool):
        return ("yes" if value else "no",)
    if isinstance(value, int | float):  # a table gives a whole number a ".0"
        return (str(int(value)) if float(value).is_integer() else str(value),)
    if isinstance(value, Mapping):
        return _answers_of_object(record, name, value)
    if isinstance(value, str):
        return (record.check_text(f"'{name}'", value),)
    if not isinstance(value, list | tuple):
        raise record.error(f"'{name}' must be text or a list of texts, but is {type(value).__name__}.")
    return tuple(answer for i, item in enumerate(value) for answer in _answers(record, f"{name}[{i}]", item))


def _answers_of_object(record: Record, name: str, value: Mapping[str, Any]) -> tuple[str, ...]:
    """The answer itself, and then its aliases."""
    within = next((key for key in _WITHIN if key in value), None)
    if within is None and "aliases" not in value and "provenance" not in value:
        raise record.error(f"'{name}' must be text or a list, or an object with {' or '.join(_WITHIN)}.")
    main = () if within is None else _answers(record, f"{name}.{within}", value[within])
    return (*main, *_answers(record, f"{name}.aliases", value.get("aliases")))


def _parse_list(text: str) -> list[Any] | None:
    """The list that the text spells, as JSON or as Python prints it; None where it is but text in brackets."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    for parse in (ujson.loads, ast.literal_eval):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
    return None

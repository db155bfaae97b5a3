"""One record of a file or hub set: its fields, read with checks that say where and what is wrong, and renamed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ujson

from ..base import DamagedFileError, InputError, check_known

_KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
LONGEST_TEXT = 10_000_000
"""Characters of a text at most. A paragraph has some hundred and the longest novels three million: what is longer is a
file that was put into one field, and as one passage it would be found by every question and fit into no prompt."""
ID_FIELDS = ("id", "_id", "qid", "question_id", "query_id")
"""The usual field names for the id of a question, in the order they are tried."""
QUESTION_FIELDS = ("question", "query", "question_text", "input", "problem", "Question", "Prompt")
"""The usual field names for a question, in the order they are tried."""
ANSWER_FIELDS = (
    "answers", "answer", "golden_answers", "gold_answers", "gold_answer", "correct_answer", "final_answer",
    "possible_answers", "short_answers", "output", "outputs", "target", "targets", "gold", "Answer",
)  # fmt: skip
"""The usual field names for answers, in the order they are tried; the first that holds one counts."""
ALIAS_FIELDS = ("answer_aliases", "answer_alias", "aliases")
"""The usual field names for further names of the answer."""
TEXT_FIELDS = ("text", "contents", "paragraph_text", "content", "passage", "body")
"""The usual field names for the text of a passage, in the order they are tried."""
PASSAGE_IDS = ("id", "_id", "pid", "docid", "doc_id", "passage_id", "docno")
"""The usual field names for the id of a passage."""
FieldNames = Mapping[str, tuple[str, ...]]
"""The fields that can be renamed, each with the usual names that are then ignored."""
QUESTION_NAMES: FieldNames = {
    "id": ID_FIELDS,
    "question": QUESTION_FIELDS,
    "answer": (*ANSWER_FIELDS, *ALIAS_FIELDS),
    "answers": (*ANSWER_FIELDS, *ALIAS_FIELDS),
    "supporting": ("supporting",),
    "type": ("type",),
}
"""The fields of questions that can be renamed (`rename_fields`), each with its usual names."""
PASSAGE_NAMES: FieldNames = {"id": PASSAGE_IDS, "title": ("title",), "text": TEXT_FIELDS}
"""The fields of passages that can be renamed (`rename_fields`), each with its usual names."""
NAMES: FieldNames = {**QUESTION_NAMES, **PASSAGE_NAMES}
"""The fields that `fields` can rename."""


@dataclass(frozen=True, slots=True)
class Record:
    """Fields, and the place they come from."""

    fields: Mapping[str, Any]
    """Names and values, as JSON, a table or the hub gives them."""
    where: str
    """The place an error names, such as "dev.jsonl, line 3"."""

    def error(self, problem: str, kind: type[InputError] = InputError) -> InputError:
        """An error of that kind that begins with the place."""
        return kind(f"{self.where}: {problem}")

    def has(self, name: str) -> bool:
        """True if the field is there and not null."""
        return self.fields.get(name) is not None

    def text(self, *names: str, default: str | None = None) -> str:
        """The first of the fields that is there; without a default one of them must be."""
        for name in names:
            if self.has(name):
                return self.check_text(f"'{name}'", self.fields[name])
        if default is None:
            choice = " or ".join(f"'{name}'" for name in names)
            raise self.error(f"no field {choice}; the fields are {', '.join(self.fields) or 'none'}.")
        return default

    def require_text(self, *names: str) -> str:
        """Like `text`, but blank is an error too."""
        text = self.text(*names)
        if not text.strip():
            raise self.error(f"'{names[0]}' is empty.")
        return text

    def identifier(self, *names: str) -> str:
        """Like `require_text`, but a whole number will do, also one that a table holds as 7.0."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
                return str(int(value))
        return self.require_text(*names)

    def texts(self, *names: str) -> tuple[str, ...]:
        """The first of the fields that is there, a list of texts; empty where none is."""
        for name in names:
            if self.has(name):
                return tuple(self.check_text(f"'{name}[{i}]'", item) for i, item in enumerate(self._list(name)))
        return ()

    def integers(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers; empty where there is no such field."""
        values = self._list(name) if self.has(name) else []
        if any(not isinstance(value, int) or isinstance(value, bool) for value in values):
            raise self.error(f"'{name}' must be a list of whole numbers.")
        return tuple(values)

    def integer(self, name: str, default: int = 0) -> int:
        """A whole number."""
        number: int = self._of_kind(int, "a whole number", name, default)
        return number

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        truth: bool = self._of_kind(bool, "true or false", name, default)
        return truth

    def _of_kind(self, kind: type, named: str, name: str, default: Any) -> Any:
        value = self.fields.get(name)
        if value is not None and type(value) is not kind:
            raise self.error(f"'{name}' must be {named}, but is {_kind(value)}.")
        return default if value is None else value

    def inner_record(self, name: str) -> Record:
        """An object within the record; empty where there is none."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, Mapping):
            raise self.error(f"'{name}' must be an object, but is {_kind(value)}.")
        return Record(value or {}, f"{self.where}, {name}")

    def records(self, name: str, columns: Sequence[str] = ()) -> list[Record]:
        """The items of a list, in whichever of the layouts in use it comes; empty where there is no such field.

        A list of objects; a list of lists whose values `columns` names, as official files have it; an object of
        lists, as hub tables have it; or any of these as JSON text, as some copies have it.
        """
        value = self.fields.get(name)
        if isinstance(value, str):
            try:
                value = ujson.loads(value)
            except ValueError as error:
                raise self.error(f"'{name}' is text that is not JSON ({error}).", DamagedFileError) from error
        if isinstance(value, Mapping):
            value = self._rows(name, value)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(f"'{name}' must be a list, but is {_kind(value)}.")
        return [self._item(f"{name}[{index}]", item, columns) for index, item in enumerate(value)]

    def _item(self, name: str, item: Any, columns: Sequence[str]) -> Record:
        if isinstance(item, list | tuple) and len(item) == len(columns) > 0:
            item = dict(zip(columns, item, strict=True))
        if not isinstance(item, Mapping):
            shape = f"[{', '.join(columns)}]" if columns else "an object"
            raise self.error(f"'{name}' must be {shape}, but is {_kind(item)}.")
        return Record(item, f"{self.where}, {name}")

    def _rows(self, name: str, table: Mapping[str, Any]) -> list[dict[str, Any]]:
        columns = {column: values for column, values in table.items() if values is not None}
        lengths = {len(values) if isinstance(values, list) else -1 for values in columns.values()}
        if -1 in lengths or len(lengths) > 1:
            raise self.error(f"'{name}' must be a list, or an object of lists of one length.")
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _list(self, name: str) -> list[Any]:
        value = self.fields[name]
        if not isinstance(value, list | tuple):
            raise self.error(f"'{name}' must be a list, but is {_kind(value)}.")
        return list(value)

    def check_text(self, name: str, value: Any) -> str:
        """The value if it is sound text; `name` says in the error what it is."""
        if not isinstance(value, str):
            raise self.error(f"{name} must be text, but is {_kind(value)}.")
        if len(value) > LONGEST_TEXT:
            raise self.error(f"{name} has {len(value):,} characters, and at most {LONGEST_TEXT:,} are read; split it.")
        if "\0" in value:
            raise self.error(f"{name} holds a NUL character, the mark of a damaged file; remove it.", DamagedFileError)
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                problem = f"{name} holds half of a surrogate pair, which is no character; remove it."
                raise self.error(problem, DamagedFileError) from error
        return value


def check_fields(fields: Mapping[str, str] | None, names: Collection[str]) -> dict[str, str]:
    """The fields, if they name only what can be named."""
    for name in fields or {}:
        check_known("field", name, names)
    return dict(fields or {})


def rename_fields(records: Iterable[Record], fields: Mapping[str, str], names: FieldNames) -> Iterator[Record]:
    """The records with their fields under our names; `fields` says for each of these which one it is.

    The first record must have them all; later ones may lack one, as they may lack any.
    """
    if not fields:
        yield from records
        return
    checked = False
    aside = {other for name in fields for other in names[name]} | {fields.get("question", "")}
    for record in records:
        if not checked and record.fields:
            for name, theirs in fields.items():
                if theirs not in record.fields:
                    present = ", ".join(record.fields)
                    raise record.error(f"no field '{theirs}', to be read as '{name}'; the fields are {present}.")
            checked = True
        others = {name: value for name, value in record.fields.items() if name not in aside}
        ours = {name: record.fields[theirs] for name, theirs in fields.items() if theirs in record.fields}
        yield Record({**others, **ours}, record.where)


def _kind(value: Any) -> str:
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)

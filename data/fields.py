"""Names for the fields of a file that does not use the usual ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..base import unknown
from .files.record import Record

FieldNames = Mapping[str, tuple[str, ...]]
"""The fields that can be renamed, each with the usual names that are then ignored."""


def check_fields(fields: Mapping[str, str] | None, names: Iterable[str]) -> dict[str, str]:
    """The fields, if they name only what can be named.

    Examples:
        >>> from multihop.data.fields import check_fields
        >>> check_fields({"qestion": "ask"}, ["id", "question"])
        Traceback (most recent call last):
        multihop.base.errors.InputError: unknown field 'qestion'; did you mean 'question'? Valid: id, question
    """
    for name in fields or {}:
        if name not in names:
            raise unknown("field", name, names)
    return dict(fields or {})


def rename_fields(records: Iterable[Record], fields: Mapping[str, str], names: FieldNames) -> Iterator[Record]:
    """The records with their fields under our names; `fields` says for each of these which one it is.

    The first record must have them all; later ones may lack one, as they may lack any.

    Examples:
        >>> from multihop.data.fields import rename_fields
        >>> from multihop.data.files.record import Record
        >>> records = [Record({"input": "formal", "ask": "Who wrote Emma?"}, "mine.csv, line 2")]
        >>> [record.fields for record in rename_fields(records, {"question": "ask"}, {"question": ("input",)})]
        [{'ask': 'Who wrote Emma?', 'question': 'Who wrote Emma?'}]
    """
    if not fields:
        yield from records
        return
    checked = False
    aside = {other for name in fields for other in names[name]}
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

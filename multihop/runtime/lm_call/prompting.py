"""The form of a program's values in a prompt, and in the record of steps."""

from typing import Any

from ...retrieval import Hit, Passage


def render(value: Any) -> Any:
    """The value as a prompt shows it: passages and hits become "title | text".

    Examples:
        >>> from multihop.runtime.lm_call.prompting import render
        >>> from multihop.retrieval import Hit, Passage
        >>> render([Hit(Passage("p1", "Ada Lovelace", "A mathematician."), 7.5)])
        ['Ada Lovelace | A mathematician.']
    """
    return _each(value, str)


def to_record(value: Any) -> Any:
    """The value as the trajectory keeps it: passages and hits by their ids.

    Examples:
        >>> from multihop.runtime import to_record
        >>> from multihop.retrieval import Passage
        >>> to_record([Passage("p1", "Ada Lovelace", "A mathematician.")])
        ['p1']
    """
    return _each(value, lambda passage: passage.id)


def _each(value: Any, show: Any) -> Any:
    if type(value) is str:  # most are
        return value
    if isinstance(value, Passage):
        return show(value)
    if isinstance(value, Hit):
        return show(value.passage)
    if isinstance(value, list | tuple):
        return [_each(item, show) for item in value]
    return value

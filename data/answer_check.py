"""The rule that all records of a source say what the answer is, or none does."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .files.record import Record
from .formats.answers import tells_answer


class AnswerCheck:
    """Refuses a record without an answer where others have one: it was forgotten, or the question has none.

    Examples:
        >>> from multihop.data.answer_check import AnswerCheck
        >>> from multihop.data.files.record import Record
        >>> records = [Record({"question": "Who?"}, "line 1"), Record({"question": "Who?", "answer": "Ada"}, "line 2")]
        >>> AnswerCheck(lambda: records).check(records[0])
        Traceback (most recent call last):
        multihop.base.errors.InputError: line 1: this question has no answer, and others have one; ...
    """

    def __init__(self, all_records: Callable[[], Iterable[Record]]) -> None:
        """Nothing is known yet.

        Args:
            all_records: Gives the records from the start; asked once, and only where a record without an answer comes
                before any with one.
        """
        self._all_records = all_records
        self._some: bool | None = None

    def check(self, record: Record) -> None:
        """Refuse the record, or not.

        Raises:
            InputError: It does not say what the answer is, and another does.
        """
        if tells_answer(record):
            self._some = True
            return
        if self._some is None:
            self._some = any(map(tells_answer, self._all_records()))
        if self._some:
            raise record.error(
                'this question has no answer, and others have one; add it, or "answers": [] if it cannot be answered.'
            )

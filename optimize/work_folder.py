"""The folder beside a compiled program that holds the work: what is compiled, what is answered, what it took."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ujson

from ..base import DamagedFileError, InputError, MismatchError, only_writer, read_small
from ..base.files import Amount, FileModel, FiniteJson, parsed, write_record
from ..data import Question
from ..evaluation.journal import read_rows


class Pilot(FileModel):
    """LM calls that one question takes."""

    whole: Amount
    """By the program as it is."""
    cheap: Amount
    """By the small configuration that optimizers run; equal where there is no search."""


class WorkFolder:
    """The folder that holds the work of one compile."""

    def __init__(self, to: str | os.PathLike[str]) -> None:
        """The folder beside the file; nothing is made yet."""
        self.path = Path(f"{os.fspath(to)}.work")

    @contextmanager
    def opened(self, described: dict[str, Any]) -> Iterator["WorkFolder"]:
        """The folder of the compile with these inputs, for this process alone."""
        busy = f"another process is working on {self.path}; wait for it, or choose another file."
        with only_writer(self.path / ".lock", busy):
            self._check(ujson.loads(ujson.dumps(described)))
            yield self

    def compiled(self, variant: str) -> Path:
        """The file of the program that the variant made."""
        return self.path / "variants" / f"{variant}.json"

    def run(self, variant: str) -> Path:
        """The folder of its run on the dev split."""
        return self.path / "dev" / variant

    def unanswered(self, variant: str, dev: list[Question]) -> int:
        """The number of dev questions that it has still to answer."""
        status = {row["id"]: row["status"] for row in read_rows(self.run(variant))}
        return sum(status.get(question.id, "error") == "error" for question in dev)

    def pilot(self, measure: Callable[[], Pilot]) -> Pilot:
        """The calls of a question, as an earlier invocation noted them; measured and noted where none can be read."""
        note = self.path / "pilot.json"
        try:
            return parsed(Pilot, read_small(note), note, "a pilot")
        except InputError:
            pilot = measure()
        write_record(note, pilot.model_dump())
        return pilot

    def _check(self, described: dict[str, Any]) -> None:
        """Note the inputs of the compile, or see that they are those of the note."""
        note = self.path / "study.json"
        if not note.exists():
            write_record(note, described)
            return
        content = read_small(note)
        try:
            known = parsed(dict[str, FiniteJson], content, note, "the note of a compile")
        except DamagedFileError as error:
            raise DamagedFileError(f"{note} is damaged; remove {self.path} to begin again.") from error
        if changed := [name for name in described if known.get(name) != described[name]]:
            raise MismatchError(
                f"{self.path} holds another compile's work: {', '.join(changed)} changed; choose another file."
            )

"""The answers that an agent has given elsewhere, measured like those of a program."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dspy

from ..base import MismatchError
from ..data import Question
from ..data.formats.agent_runs import read_agent_run
from ..runtime import Program


class AgentRun(Program):
    """A folder of BrowseComp-Plus's run files as a program that gives the answers in it, and asks no LM.

    Evaluated, it is a run like any other: measured, judged, compared with programs on the same questions, exported. A
    question that the agent gave up has an empty answer, which is wrong, as BrowseComp-Plus has it. A question that
    it was not asked is an error.

    Examples:
        >>> import json, pathlib, tempfile
        >>> from multihop import Question
        >>> from multihop.evaluation import AgentRun
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> said = [{"type": "output_text", "output": "Exact Answer: Torun [7]"}]
        >>> told = {"query_id": "q1", "status": "completed", "retrieved_docids": ["7"], "result": said}
        >>> _ = (folder / "run_1.json").write_text(json.dumps(told))
        >>> agent = AgentRun([Question(id="q1", question="Where was she born?", answers=("Torun",))], run=str(folder))
        >>> prediction = agent(question="Where was she born?")
        >>> prediction.answer, prediction.passages[0].id
        ('Torun', '7')
    """

    name = "agent-run"
    calls = "0"
    retrieves = False

    def __init__(self, questions: Iterable[Question], *, run: str, **limits: Any) -> None:
        """Read the folder.

        Args:
            questions: The questions that the agent was asked, and perhaps others.
            run: The folder.
            **limits: The settings that all programs have.

        Raises:
            InputError: The folder holds no such files, or a damaged one.
        """
        super().__init__(**limits)
        self.run = os.fspath(run)
        self._answers = read_agent_run(Path(run).expanduser())
        self._ids = {question.question: question.id for question in questions}
        models = sorted({answer.model for answer in self._answers.values()} - {""})
        self.name = f"{AgentRun.name} of {', '.join(models) or Path(run).name}"  # type: ignore[misc] # of this run alone

    @property
    def fingerprints(self) -> dict[str, str]:
        """The answers, in the place of the folder's name."""
        return {"run": hashlib.blake2b(repr(sorted(self._answers.items())).encode(), digest_size=16).hexdigest()}

    async def aforward(self, question: str) -> dspy.Prediction:
        """Give the agent's answer."""
        identifier = self._ids.get(question)
        if identifier not in self._answers:
            raise MismatchError(f"{self.run} has no answer to the question '{identifier or question}'.")
        found = self._answers[identifier]
        return dspy.Prediction(answer=found.answer, passages=list(found.passages), counts=found.counts)

"""The events of a response, in OpenAI's order: the steps as they are taken, then the answer in one piece."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

from ....runtime import TrajectoryStep
from ....runtime.program.answer_record import AnswerRecord
from ...answer_tokens import AnswerToken
from ...refusal import Refusal
from ...service import Answered
from ..chat_shapes import step_in_words
from ..replies import event
from .response_shapes import ResponseShapes, summary_part, text_part


class ResponseEvents:
    """The events of one response, numbered from 0."""

    def __init__(self, shapes: ResponseShapes) -> None:
        """Nothing was sent yet."""
        self._shapes, self._sent = shapes, 0
        self._steps: list[str] = []

    async def of(
        self, asked: AsyncGenerator[TrajectoryStep | AnswerToken | Answered, None]
    ) -> AsyncGenerator[str, None]:
        """The events of a question that is being answered; a failure is the last of them."""
        for name in ("created", "in_progress"):
            yield self._event(f"response.{name}", response=self._shapes.response("in_progress"))
        try:
            async with aclosing(asked) as items:
                async for item in items:
                    if isinstance(item, Answered):
                        record = item.record
                    elif isinstance(item, dict):
                        for text in self._step(step_in_words(item)):
                            yield text
        except Refusal as refusal:
            yield self._event("response.failed", response=self._shapes.failed(refusal))
            return
        for text in (*self._end_of_steps(), *self._answer(record)):
            yield text
        yield self._event("response.completed", response=self._shapes.completed(record, self._steps))

    def _step(self, words: str) -> Iterator[str]:
        """A step is a line of the reasoning item, which begins with the first."""
        place = {"item_id": self._shapes.reasoning([], "")["id"], "output_index": 0, "summary_index": 0}
        if not self._steps:
            yield self._event(
                "response.output_item.added", output_index=0, item=self._shapes.reasoning([], "in_progress")
            )
            yield self._event("response.reasoning_summary_part.added", **place, part=summary_part(""))
        line = f"\n{words}" if self._steps else words
        self._steps.append(words)
        yield self._event("response.reasoning_summary_text.delta", **place, delta=line)

    def _end_of_steps(self) -> Iterator[str]:
        if not self._steps:
            return
        item = self._shapes.reasoning(self._steps, "completed")
        (part,) = item["summary"]
        place = {"item_id": item["id"], "output_index": 0, "summary_index": 0}
        yield self._event("response.reasoning_summary_text.done", **place, text=part["text"])
        yield self._event("response.reasoning_summary_part.done", **place, part=part)
        yield self._event("response.output_item.done", output_index=0, item=item)

    def _answer(self, record: AnswerRecord) -> Iterator[str]:
        """The answer in one piece: before a program has ended, no text is sure to be it."""
        index, item, part = int(bool(self._steps)), self._shapes.message("completed", record), text_part(record)
        place = {"item_id": item["id"], "output_index": index, "content_index": 0}
        begun = self._shapes.message("in_progress")
        yield self._event("response.output_item.added", output_index=index, item=begun)
        yield self._event("response.content_part.added", **place, part=text_part())
        yield self._event("response.output_text.delta", **place, delta=part["text"], logprobs=[])
        for number, cited in enumerate(part["annotations"]):
            yield self._event(
                "response.output_text.annotation.added", **place, annotation_index=number, annotation=cited
            )
        yield self._event("response.output_text.done", **place, text=part["text"], logprobs=[])
        yield self._event("response.content_part.done", **place, part=part)
        yield self._event("response.output_item.done", output_index=index, item=item)

    def _event(self, kind: str, **fields: Any) -> str:
        number, self._sent = self._sent, self._sent + 1
        return event(kind, {"type": kind, "sequence_number": number, **fields})

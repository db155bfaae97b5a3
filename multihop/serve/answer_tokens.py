"""The words of an answer while an LM still writes them."""

from collections.abc import AsyncGenerator
from typing import NamedTuple

import dspy
from dspy.streaming import StreamResponse

from ..runtime import Program
from ..runtime.call import asks_for_text_alone
from ..runtime.field_listener import FieldListener

_FIELD = "answer"


class AnswerToken(NamedTuple):
    """A piece of what a step answers, before the step is finished and anybody has checked it."""

    step: str
    """The step's name."""
    text: str
    """The piece."""


async def with_tokens(
    program: Program, question: str, *, within: Program | None = None
) -> AsyncGenerator[AnswerToken | dspy.Prediction, None]:
    """The tokens of every step that writes an `answer`, where its LM streams, and the prediction last.

    Where such a step is asked several times at once, the tokens of one call come after those of the other.

    Args:
        program: The program.
        question: The question.
        within: The program that is asked and has this one answer; by default this one is asked itself.
    """
    listeners = [
        FieldListener(
            _FIELD,
            predictor,
            step := name.partition(".")[0],
            alone=step not in program.cloned and asks_for_text_alone(predictor.signature, program.lm_of(name)),
        )
        for name, predictor in program.named_predictors()
        if _FIELD in predictor.signature.output_fields
    ]
    stream = dspy.streamify(within or program, stream_listeners=listeners, is_async_program=True)
    async for item in stream(question=question):
        if isinstance(item, dspy.Prediction):
            yield item
        elif isinstance(item, StreamResponse) and item.chunk:
            yield AnswerToken(item.predict_name, item.chunk)

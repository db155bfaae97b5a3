"""A program as a LangChain runnable: in a chain, as a node of LangGraph, wherever LangChain takes one."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import dspy

from ..base import InputError, missing_extra
from ..runtime import Program, run_in_background, steps_beside
from ..runtime.program.answer_record import to_answer_record

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable


def as_runnable(program: Program, *, lm: "dspy.BaseLM | None" = None) -> "Runnable[Any, Any]":
    """The program as a runnable: `invoke`, `batch`, `stream`, and the same awaited.

    It takes a question, as a text or under "question", and gives the record that `multihop ask --json` prints. A stream
    gives every step as it is finished, and the record last; who leaves it cancels the question's calls.

    Args:
        program: The program.
        lm: The LM that it asks; by default the one that DSPy is configured with.

    Raises:
        MissingExtraError: langchain-core is not installed.
    """
    try:
        from langchain_core.runnables import RunnableLambda
    except ImportError as error:
        raise missing_extra("a LangChain runnable", "langchain", error) from None

    async def answer(question: str) -> AsyncIterator[Any]:
        with dspy.context(**({} if lm is None else {"lm": lm})):
            prediction = await program.acall(question=question)
            name = lm.model if lm is not None else getattr(dspy.settings.lm, "model", "")
        yield to_answer_record(question, program, name, prediction)

    async def astream(asked: Any) -> AsyncIterator[Any]:
        async with aclosing(steps_beside(answer(_question(asked)))) as items:
            async for item in items:
                yield item

    def stream(asked: Any) -> Iterator[Any]:
        items = steps_beside(answer(_question(asked)))
        try:
            while (item := run_in_background(_next(items))) is not None:
                yield item
        finally:
            run_in_background(items.aclose())

    # LangChain makes one output of a stream by "+", and takes the last item where there is none, as for records.
    return RunnableLambda(stream, afunc=astream, name=program.name)  # type: ignore[arg-type]


async def _next(items: AsyncIterator[Any]) -> Any:
    return await anext(items, None)


def _question(asked: Any) -> str:
    """The question of what a chain hands on.

    Raises:
        InputError: It has none.
    """
    found = asked.get("question") if isinstance(asked, Mapping) else asked
    if not isinstance(found, str):
        kind = "a mapping without one" if isinstance(asked, Mapping) else f"a {type(asked).__name__}"
        raise InputError(f'a program is asked with a text, or with {{"question": TEXT}}, not with {kind}.')
    return found

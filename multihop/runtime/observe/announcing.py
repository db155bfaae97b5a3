"""Steps and retrievals as DSPy's callbacks hear of them, and so whatever listens there, such as MLflow's autologging.

DSPy itself tells of modules, adapters and LMs. A step is a module named after it, around its predictor; a retrieval is
a `dspy.Retrieve`, whose outputs are documents as MLflow and others show them.
"""

import functools
from collections.abc import Awaitable, Callable
from typing import Any

import dspy
from dspy.utils.callback import with_callbacks

from ...retrieval import Hit


async def announce_step(name: str, inputs: dict[str, Any], work: Callable[[], Awaitable[Any]]) -> Any:
    """The work's prediction, told as that of a module of this name."""

    @with_callbacks  # type: ignore[untyped-decorator]
    async def forward(step: dspy.Module, **kwargs: Any) -> Any:
        return await work()

    return await forward(_step(name)(), **inputs)


async def announce_retrieval(query: str, k: int, work: Callable[[], Awaitable[list[Hit]]]) -> list[Hit]:
    """The work's hits, told as those of a retriever."""
    found: list[Hit] = []

    @with_callbacks  # type: ignore[untyped-decorator]
    async def forward(retriever: dspy.Retrieve, **kwargs: Any) -> list[dict[str, Any]]:
        found.extend(await work())
        return [_document(hit) for hit in found]

    await forward(_finding()(k=k), query=query, k=k)
    return found


def _document(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    metadata = {"title": passage.title, "score": hit.score, "doc_uri": passage.id}
    return {"id": passage.id, "page_content": passage.text, "metadata": metadata}


@functools.lru_cache(maxsize=256)
def _step(name: str) -> Any:
    """Listeners show the name of a module's class."""
    return type(name, (dspy.Module,), {"__doc__": f"The step {name!r} of a program."})


@functools.cache
def _finding() -> Any:
    return type("find", (dspy.Retrieve,), {})

"""A program's question, steps and retrievals, told to the log and to DSPy's callbacks.

DSPy tells its callbacks, and so MLflow's autologging and the like, of modules, adapters and LMs. Here a step is told to
them as a module named after it, around its predictor, and a retrieval as a `dspy.Retrieve`, whose outputs are documents
as MLflow and others show them.
"""

import functools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import dspy
from dspy.utils.callback import with_callbacks

from ..retrieval import Hit
from .log import is_logged, logged
from .texts import to_record

Method = TypeVar("Method", bound=Callable[..., Awaitable[Any]])


def watched_step(ask: Method) -> Method:
    """`Program.ask`, watched."""

    @functools.wraps(ask)
    async def watched_ask(program: Any, predictor: Any, /, **inputs: Any) -> Any:
        if not _is_seen():
            return await ask(program, predictor, **inputs)
        role = program.role_of(predictor)
        fields = {name: value for name, value in inputs.items() if name not in ("check", "draw", "logprobs")}
        shown = {name: to_record(value) for name, value in fields.items()}

        async def answer() -> Any:
            with logged("step", role, {}, inputs=shown) as work:
                prediction = await ask(program, predictor, **inputs)
                work.texts["outputs"] = prediction.toDict()
                return prediction

        return await _announced(_step_class(role)(), fields, answer)

    return watched_ask  # type: ignore[return-value]


def watched_retrieval(find: Method) -> Method:
    """`Program.find`, watched."""

    @functools.wraps(find)
    async def watched_find(program: Any, query: str, k: int, *where: Any, **options: Any) -> Any:
        if not _is_seen():
            return await find(program, query, k, *where, **options)
        hits: list[Hit] = []

        async def search() -> list[dict[str, Any]]:
            with logged("retrieval", type(program.retriever).__name__, {"k": k}, query=query) as work:
                hits.extend(await find(program, query, k, *where, **options))
                work.facts["hits"] = len(hits)
                work.texts["passages"] = [{**hit.passage._asdict(), "score": hit.score} for hit in hits]
            return [_document(hit) for hit in hits]

        await _announced(_find_class()(k=k), {"query": query, "k": k}, search)
        return hits

    return watched_find  # type: ignore[return-value]


async def watched_question(name: str, question: str, work: Awaitable[Any]) -> Any:
    """A program's prediction, its making watched."""
    if not is_logged():
        return await work
    with logged("question", name, {}, question=question) as watched:
        prediction = await work
        cost = prediction.cost
        names = ("calls", "cached", "retrievals", "usd")
        watched.facts |= {name: cost.get(name) for name in names} | {"over_budget": prediction.over_budget}
        watched.texts["answer"] = prediction.get("answer")
        return prediction


def _is_seen() -> bool:
    return is_logged() or bool(dspy.settings.callbacks)


async def _announced(module: Any, inputs: dict[str, Any], work: Callable[[], Awaitable[Any]]) -> Any:
    """The work's result, told to DSPy's callbacks as that of the module."""
    if not dspy.settings.callbacks:
        return await work()

    @with_callbacks  # type: ignore[untyped-decorator]
    async def forward(instance: dspy.Module, **kwargs: Any) -> Any:  # by these names DSPy tells one from the other
        return await work()

    return await forward(module, **inputs)


def _document(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    metadata = {"title": passage.title, "score": hit.score, "doc_uri": passage.id}
    return {"id": passage.id, "page_content": passage.text, "metadata": metadata}


@functools.lru_cache(maxsize=256)
def _step_class(name: str) -> Any:
    """Listeners show the name of a module's class."""
    return type(name, (dspy.Module,), {"__doc__": f"The step {name!r} of a program."})


@functools.cache
def _find_class() -> Any:
    return type("find", (dspy.Retrieve,), {})

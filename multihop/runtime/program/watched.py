"""A program's question, steps and retrievals as they are watched and announced."""

import functools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import dspy

from ..lm_call.prompting import to_record
from ..observe.announcing import announce_retrieval, announce_step
from ..observe.watching import is_anybody_watching, is_out_of_sight, watching

Method = TypeVar("Method", bound=Callable[..., Awaitable[Any]])


def watched_step(ask: Method) -> Method:
    """`Program.ask` as it is watched."""

    @functools.wraps(ask)
    async def watched_ask(program: Any, predictor: Any, /, **inputs: Any) -> Any:
        if is_out_of_sight():
            return await ask(program, predictor, **inputs)
        if not dspy.settings.callbacks:
            return await told(program, predictor, **inputs)
        shown = {name: value for name, value in inputs.items() if name not in ("check", "draw")}
        return await announce_step(program.role_of(predictor), shown, lambda: told(program, predictor, **inputs))

    async def told(program: Any, predictor: Any, /, **inputs: Any) -> Any:
        if not is_anybody_watching():
            return await ask(program, predictor, **inputs)
        shown = {name: to_record(value) for name, value in inputs.items() if name not in ("check", "draw")}
        with watching("step", program.role_of(predictor), {"program": program.name}, inputs=shown) as work:
            prediction = await ask(program, predictor, **inputs)
            work.texts["outputs"] = prediction.toDict()
            return prediction

    return watched_ask  # type: ignore[return-value]


def watched_retrieval(find: Method) -> Method:
    """`Program.find` as it is watched."""

    @functools.wraps(find)
    async def watched_find(program: Any, query: str, k: int, *where: Any, **options: Any) -> Any:
        if is_out_of_sight():
            return await find(program, query, k, *where, **options)
        if not dspy.settings.callbacks:
            return await told(program, query, k, *where, **options)
        return await announce_retrieval(query, k, lambda: told(program, query, k, *where, **options))

    async def told(program: Any, query: str, k: int, *where: Any, **options: Any) -> Any:
        if not is_anybody_watching():
            return await find(program, query, k, *where, **options)
        with watching("retrieval", type(program.retriever).__name__, {"k": k}, query=query) as work:
            hits = await find(program, query, k, *where, **options)
            work.facts["hits"] = len(hits)
            work.texts["passages"] = [hit.passage._asdict() for hit in hits]
            return hits

    return watched_find  # type: ignore[return-value]


async def watched_question(name: str, question: str, work: Awaitable[Any]) -> Any:
    """A program's prediction, its making watched."""
    if not is_anybody_watching():
        return await work
    with watching("question", name, {}, question=question) as watched:
        prediction = await work
        cost = prediction.cost
        names = ("calls", "cached", "retrievals", "usd", "paid_usd")
        watched.facts |= {name: cost.get(name) for name in names} | {"over_budget": prediction.over_budget}
        watched.texts["answer"] = prediction.get("answer")
        return prediction

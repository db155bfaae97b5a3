"""Keeps as many passages as the budget has room for, for a call that is made in any case."""

import asyncio
from collections.abc import Mapping
from typing import Any

import dspy

from ...retrieval import Hit, Passage
from ..cost.budget import Account
from ..cost.token_estimate import estimate_prompt
from ..cost.waves import Wish
from .prompting import render


async def fit_passages(
    predictor: dspy.Module, inputs: Mapping[str, Any], *, account: Account, model: str, adapter: dspy.Adapter
) -> tuple[dict[str, Any], str | None]:
    """The inputs with the first of their passages, and the limit that had no room for the others; None if all fit.

    One passage of a list always stays: without any, there is nothing to answer from.

    Args:
        predictor: The predictor that is asked.
        inputs: Its inputs; lists of passages or hits among them are shortened, from the last on.
        account: The account, which knows what is left of the budget.
        model: The LM's name.
        adapter: The adapter that lays the prompt out.
    """
    kept, reached = dict(inputs), None
    while True:
        wish = Wish("", model, None, prompt=await _tokens(predictor, kept, account, adapter))
        limit = account.limit_reached(wish)
        lists = [name for name, value in kept.items() if is_passages(value) and len(value) > 1]
        if limit is None or not lists:
            return kept, reached
        longest = max(lists, key=lambda name: len(kept[name]))
        kept[longest], reached = kept[longest][:-1], limit


def is_passages(value: Any) -> bool:
    """True for a list of passages or hits.

    Examples:
        >>> from multihop.retrieval import Passage
        >>> from multihop.runtime.lm_call.fitting import is_passages
        >>> is_passages([Passage("p1", "Po", "A river.")]), is_passages(["a note"]), is_passages([])
        (True, False, False)
    """
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Passage | Hit) for each in value)


async def _tokens(predictor: dspy.Module, inputs: Mapping[str, Any], account: Account, adapter: dspy.Adapter) -> int:
    texts = {name: render(value) for name, value in inputs.items()}
    with account.waves.at_work():
        return await asyncio.to_thread(estimate_prompt, predictor, texts, adapter)

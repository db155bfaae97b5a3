"""Keeps as many passages as the budget has room for, for a call that is made in any case."""

from collections.abc import Mapping
from typing import Any

import dspy

from ...retrieval import Hit, Passage
from ..branch import Branch
from ..cost.waves import PlannedCall
from .call import adapter_of, estimate_beside_loop
from .prompting import render


async def fit_passages(
    predictor: dspy.Module, inputs: Mapping[str, Any], *, branch: Branch[Any], lm: dspy.BaseLM | None
) -> dict[str, Any]:
    """The inputs with as many of their passages as the budget has room for, the first ones.

    Lists of passages or hits among the inputs are shortened, from the last on, and the limit that was reached is put on
    record. One passage of a list always stays: without any, there is nothing to answer from.
    """
    account, kept, reached = branch.account, dict(inputs), None
    while True:
        texts = {name: render(value) for name, value in kept.items()}
        prompt = await estimate_beside_loop(account, predictor, texts, adapter_of(0, lm))
        limit = account.limit_reached(PlannedCall("", "" if lm is None else lm.model, None, prompt=prompt))
        lists = [name for name, value in kept.items() if _is_passages(value) and len(value) > 1]
        if limit is None or not lists:
            break
        longest = max(lists, key=lambda name: len(kept[name]))
        kept[longest], reached = kept[longest][:-1], limit
    if reached is not None:
        branch.note_over_budget(reached)
    return kept


def _is_passages(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Passage | Hit) for each in value)

"""One question of a program, from its arrival to the prediction that holds its steps and its cost."""

from collections.abc import Awaitable, Callable
from typing import Any

import dspy

from ..base import InputError
from .branch import Branch, current_branch
from .cache import current_caching
from .cost import Account, Budget
from .log import watched_question
from .prediction import ProgramPrediction
from .streaming import relayed
from .tokens import check_priced

LONGEST_QUESTION = 10_000
"""Characters; more than that is a document, not a question."""


async def answered(program: Any, question: str, method: Callable[[], Awaitable[dspy.Prediction]]) -> dspy.Prediction:
    """The method's prediction with the record of its steps; the method's own, as part of a program that keeps it."""
    if current_branch.get(None) is not None:
        return await method()
    check_question(question)
    check_budget(program)
    program.check_lms()
    branch: Branch[Any] = Branch(Account(program.budget or Budget(), current_caching.get().bill))
    outer = current_branch.set(branch)
    try:
        stream = relayed(dspy.settings.send_stream)
        with dspy.context(send_stream=stream), watched_question(program.name, question) as work:
            prediction = work.outputs = _with_record(await method(), branch)
            if stream is not None:
                await stream.flush()
        return prediction
    except Exception as error:
        error.trajectory, error.cost = branch.steps, branch.total_cost()  # type: ignore[attr-defined]
        raise
    finally:
        current_branch.reset(outer)


def _with_record(prediction: dspy.Prediction, branch: Branch[Any]) -> dspy.Prediction:
    """The prediction with everything that every program's has."""
    fields = {"evidence": [], **prediction.toDict()}
    fields.setdefault("passages", branch.passages())
    fields.update(trajectory=branch.steps, over_budget=branch.account.over_budget, cost=branch.total_cost())
    if "answer" in fields:
        fields["answer"] = fields.pop("answer")  # last: that is the field `dspy.majority` votes on
    whole = ProgramPrediction(**fields)
    whole.set_lm_usage(prediction.get_lm_usage())
    return whole


def check_question(question: str) -> None:
    """Refuse what is empty, far too long, or holds characters that no LM can be sent."""
    if not isinstance(question, str):
        raise InputError(f"a question is a string, not {type(question).__name__}.")
    if not question.strip():
        raise InputError("the question is empty.")
    if len(question) > LONGEST_QUESTION:
        raise InputError(f"the question has {len(question):,} characters; the most is {LONGEST_QUESTION:,}.")
    if "\0" in question:
        raise InputError("the question holds a NUL character.")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise InputError("the question holds broken UTF-8 (a lone surrogate).")


def check_budget(program: dspy.Module) -> None:
    """Refuse a budget in dollars where the price of one of the program's LMs is not known."""
    if program.budget is not None and program.budget.usd is not None:
        lms = [program.lm_of(name) for name, _ in program.named_predictors()]
        check_priced(lm.model for lm in lms if lm is not None)

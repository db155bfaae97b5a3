"""The record around a program's `aforward`: the question is checked, and the answer holds its steps and its cost."""

import functools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import dspy

from ..base import InputError
from .branch import Branch, current_branch
from .budget import Account, Budget
from .module import settings_for_any_loop
from .prediction import ProgramPrediction
from .prices import check_priced
from .streaming import flush
from .watched import watched_question

Answering = TypeVar("Answering", bound=Callable[..., Awaitable[dspy.Prediction]])

LONGEST_QUESTION = 10_000
"""Characters; more than that is a document, not a question."""


def on_record(method: Answering) -> Answering:
    """A program's `aforward` with the question checked and the record of its steps attached to the answer."""

    @functools.wraps(method)
    async def answering(self: dspy.Module, question: str) -> dspy.Prediction:
        return await _answer(self, question, method)

    return answering  # type: ignore[return-value]


async def _answer(
    program: dspy.Module, question: str, method: Callable[..., Awaitable[dspy.Prediction]]
) -> dspy.Prediction:
    """The method's answer: not in the method's own wrapper, so that a class of a script can go to a worker."""
    if current_branch.get(None) is not None:
        return await method(program, question)  # part of a program that already keeps the record
    check_question(question)
    check_budget(program)
    with dspy.context(**settings_for_any_loop()):
        answer: dspy.Prediction = await watched_question(
            program.name, question, _recorded(program, method(program, question))
        )
        await flush()
    return answer


async def _recorded(program: dspy.Module, work: Awaitable[dspy.Prediction]) -> dspy.Prediction:
    """The work's prediction, with the record of its steps and its cost."""
    branch: Branch[Any] = Branch(Account(program.budget or Budget()))
    outer = current_branch.set(branch)
    try:
        prediction = await work
        fields = {"evidence": [], **prediction.toDict()}
        fields.setdefault("passages", branch.passages())
        fields.update(trajectory=branch.steps, over_budget=branch.account.over_budget)
    except Exception as error:
        error.trajectory, error.cost = branch.steps, branch.total_cost()  # type: ignore[attr-defined]
        raise
    finally:
        current_branch.reset(outer)
    fields["cost"] = branch.total_cost()
    if "answer" in fields:
        fields["answer"] = fields.pop("answer")  # last: that is the field `dspy.majority` votes on
    return ProgramPrediction(**fields)


def check_question(question: str) -> None:
    """Refuse what is not a question, in one sentence.

    Raises:
        InputError: It is empty, far too long, or holds characters that no LM can be sent.
    """
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
    """Refuse a budget in dollars where the price of one of the program's LMs is not known.

    Raises:
        InputError: There is such an LM.
    """
    if program.budget is not None and program.budget.usd is not None:
        lms = [program.lm_of(name) for name, _ in program.named_predictors()]
        check_priced(lm.model for lm in lms if lm is not None)

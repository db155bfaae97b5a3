"""`multihop ask`: one question, its answer, the passages it stands on, the steps taken."""

import sys
from functools import partial
from typing import Annotated

from cyclopts import Parameter


def ask(
    question: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    program: Annotated[str, Parameter(alias="-p")] = "one-step",
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    lm: str = "local",
    api_base: str | None = None,
    lm_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    step_lm: Annotated[list[str] | None, Parameter(negative=())] = None,
    set_: Annotated[list[str] | None, Parameter(name="--set", negative=())] = None,
    budget_calls: int | None = None,
    budget_tokens: int | None = None,
    budget_seconds: float | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Answer one question.

    For example:

        multihop ask "Where was the director of Night Train born?" --corpus corpus.jsonl
        multihop ask "..." --program cot --lm openai/gpt-4o-mini
        multihop ask "..." --corpus indexes/wiki --set k=8 --json
        multihop ask "..." --lm openai/qwen3-8b --api-base http://localhost:8000/v1

    Parameters
    ----------
    question
        The question; "-" reads it from standard input.
    program
        A program's name (`multihop programs` lists them), or a saved program's file.
    corpus
        "world", a corpus file (.jsonl, .tsv, .parquet, also .gz), or an index folder; by default "world", or what the
        saved program names.
    lm
        "local" (built in: an extractive reader of 22 M parameters, no key, no network), "lexical" (word overlap, a
        floor), or any model DSPy can reach.
    api_base
        Address of an OpenAI-compatible server.
    lm_set
        A parameter of the LM as name=value, such as temperature=0; may be given more than once.
    step_lm
        Another LM for one step, as step=LM, such as read=openai/gpt-4.1; may be given more than once.
    set_
        A setting of the program as name=value; may be given more than once.
    budget_calls
        LM calls at most.
    budget_tokens
        Tokens at most.
    budget_seconds
        Seconds at most.
    json
        Print one JSON object instead.
    """
    import dspy

    from ..programs import Budget
    from ..programs.program import check_question
    from .sources import open_lm_named, open_program, open_step_lms, working

    if question == "-":
        question = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip()
    check_question(question)
    open_lm = partial(open_lm_named, settings=lm_set, api_base=api_base)
    model, lms = open_lm(lm), open_step_lms(step_lm, open_lm)
    budget = Budget(calls=budget_calls, tokens=budget_tokens, seconds=budget_seconds)
    asked = open_program(program, corpus, set_, budget=budget, **lms)
    with dspy.context(lm=model), working(f"{program} is answering"):
        prediction = asked(question=question)
    if json:
        from .show import as_json

        sys.stdout.write(as_json(question, asked, model.model, prediction) + "\n")
    else:
        from .show import show_prediction

        show_prediction(question, asked, model.model, prediction)

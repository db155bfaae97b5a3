"""`multihop ask`: one question, its answer, the passages it rests on, the steps taken."""

import sys
from typing import Annotated

from cyclopts import Parameter

from ..terminal.amounts import BudgetCount, BudgetDollars, BudgetSeconds
from ..terminal.options import (
    AllowedModules,
    ApiBase,
    AsJSON,
    CacheScope,
    CorpusFields,
    LMFile,
    LMSettings,
    OwnDemonstrations,
    PricesFile,
    ProgramName,
    ProgramSettings,
    Quiet,
    RerankingCheckpoint,
    RetrieverName,
    SkipBad,
    StepLMNames,
    Temperature,
)


def ask_command(
    question: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    program: Annotated[ProgramName, Parameter(alias="-p")] = "one-step",
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    retriever: RetrieverName = None,
    rerank_with: RerankingCheckpoint = None,
    allow: AllowedModules = None,
    field: CorpusFields = None,
    skip_bad: SkipBad = 0,
    lm: str | None = None,
    lms: LMFile = None,
    api_base: ApiBase = None,
    temperature: Temperature = None,
    lm_set: LMSettings = None,
    step_lm: StepLMNames = None,
    set_: ProgramSettings = None,
    demos: OwnDemonstrations = None,
    budget_calls: BudgetCount = None,
    budget_tokens: BudgetCount = None,
    budget_seconds: BudgetSeconds = None,
    budget_usd: BudgetDollars = None,
    prices: PricesFile = None,
    cache: CacheScope = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Answer one question.

    For example:

        multihop ask "Where was the director of Night Train born?" -c corpus.jsonl
        multihop ask "..." --program cot --lm openai/gpt-4o-mini
        multihop ask "..." --corpus indexes/wiki --set k=8 --json
        multihop ask "..." --lm openai/qwen3-8b --api-base http://localhost:8000/v1
        multihop ask "..." -p resp --lm lexical --step-lm read=openai/qwen3-8b@http://localhost:8000/v1

    Parameters
    ----------
    question
        The question; "-" reads it from standard input.
    corpus
        "world", a corpus file (.jsonl, .csv, .tsv, .parquet, text also .gz) or a folder of such files, an index
        folder, or the address of a server (http://HOST:PORT); by default what the saved program names, or else "world".
    lm
        "local" (built in: an extractive reader of 22 M parameters, no key, no network), "lexical" (word overlap, a
        floor), or any model DSPy can reach; by default "local", or what the saved program was compiled for.
    budget_calls
        LM calls at most.
    budget_tokens
        Tokens at most.
    budget_seconds
        Seconds at most.
    budget_usd
        Dollars at most, by LiteLLM's table of prices or --prices.
    """
    import dspy

    from ..runtime import Budget, caching, check_question, priced_by
    from ..terminal.inputs import Inputs, tell_user
    from ..terminal.lm_choice import open_lm_for
    from ..terminal.lms import LMs
    from ..terminal.sources import corpus_to_search, is_artefact, open_program, open_step_lms, working

    if question == "-":
        question = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip()
    check_question(question)
    known = LMs(api_base=api_base, lm_set=lm_set, temperature=temperature, file=lms)
    model, step_lms = open_lm_for(program, lm, known), open_step_lms(step_lm, known.open)
    known.check_used()
    budget = Budget(calls=budget_calls, tokens=budget_tokens, seconds=budget_seconds, usd=budget_usd)
    inputs = Inputs(field, skip_bad, corpus=corpus, retriever=retriever, rerank_with=rerank_with)
    source = corpus_to_search(program, inputs)
    program_to_ask = open_program(program, source, set_, inputs, allow=allow, demos=demos, budget=budget, **step_lms)
    if corpus is None and program_to_ask.retrieves and not is_artefact(program) and not inputs.needs_no_corpus:
        tell_user("no --corpus, so the fictional world is searched; give --corpus to search your own passages.")
    with priced_by(prices), dspy.context(lm=model), caching(cache), working(f"{program} is answering"):
        prediction = program_to_ask(question=question)
    if json:
        from ..runtime.answer_record import as_json, to_answer_record

        sys.stdout.write(as_json(to_answer_record(question, program_to_ask, model.model, prediction)) + "\n")
    else:
        from ..terminal.show import show_prediction

        show_prediction(question, program_to_ask, model.model, prediction)
